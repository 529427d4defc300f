//! Every wait of a turn: for the client, for a command, for time, for a file. A cancel is seen in all of them.

use std::path::Path;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{Outcome, Step, Turn, TurnEvent};

/// How often a waited-for file is looked for.
const FILE_LOOK: Duration = Duration::from_millis(5);

impl Turn {
    /// Takes what has arrived without waiting.
    pub(super) fn look(&mut self) -> Step {
        while let Ok(event) = self.events.try_recv() {
            match event {
                TurnEvent::Cancel => self.cancelled = true,
                other => self.kept_events.push(other),
            }
        }
        self.check_cancel()
    }

    pub(super) fn check_cancel(&self) -> Step {
        if self.cancelled && !self.ignores_cancel { Err(Outcome::Stop("cancelled".to_owned())) } else { Ok(()) }
    }

    /// Waits until `pick` takes an event. A cancel ends the wait, unless it `ignores_cancel`.
    pub(super) fn wait_for<T>(
        &mut self,
        ignores_cancel: bool,
        mut pick: impl FnMut(TurnEvent) -> Result<T, TurnEvent>,
    ) -> Result<T, Outcome> {
        let mut passed_over = Vec::new();
        let mut earlier = std::mem::take(&mut self.kept_events).into_iter();
        let found = loop {
            let event = match earlier.next() {
                Some(event) => event,
                None if self.cancelled && !ignores_cancel && !self.ignores_cancel => break None,
                // This turn holds a sender itself, so the channel never closes.
                None => match self.events.recv() {
                    Ok(event) => event,
                    Err(_) => break None,
                },
            };
            match event {
                TurnEvent::Cancel => self.cancelled = true,
                other => match pick(other) {
                    Ok(found) => break Some(found),
                    Err(other) => passed_over.push(other),
                },
            }
        };
        passed_over.extend(earlier);
        self.kept_events = passed_over;
        found.ok_or_else(|| Outcome::Stop("cancelled".to_owned()))
    }

    pub(super) fn wait_for_answer(&mut self, request: u64, ignores_cancel: bool) -> Result<Value, Outcome> {
        self.wait_for(ignores_cancel, |event| match event {
            TurnEvent::Answer(id, answer) if id == request => Ok(answer),
            other => Err(other),
        })
    }

    /// Rests until a moment, or for ever; a cancel ends it.
    pub(super) fn rest_until(&mut self, end: Option<Instant>) -> Step {
        loop {
            self.look()?;
            let left = match end {
                None => Duration::from_secs(3600),
                Some(end) => end.saturating_duration_since(Instant::now()),
            };
            if left.is_zero() {
                return Ok(());
            }
            match self.events.recv_timeout(left) {
                Ok(TurnEvent::Cancel) => self.cancelled = true,
                Ok(other) => self.kept_events.push(other),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
        }
    }

    pub(super) fn wait_file(&mut self, path: &str) -> Step {
        let path = self.in_workspace(path);
        while !Path::new(&path).exists() {
            self.rest_until(Some(Instant::now() + FILE_LOOK))?;
        }
        Ok(())
    }
}
