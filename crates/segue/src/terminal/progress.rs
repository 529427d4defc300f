//! Tasks under way: a moving line for each on a terminal, plain lines elsewhere.

use std::{collections::HashMap, io::IsTerminal, time::Duration};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use segue_channel::api::{EventView, TaskView};
use segue_model::{Timestamp, task::Status};

use super::{event_line, moment, plain, style, task_page};
use crate::output;

/// How often the sign of life moves.
const TICK: Duration = Duration::from_millis(120);
/// How much of what an agent says stands on one line.
const WORDS: usize = 200;
/// What a plain line is written for; the rest is in `segue task events`.
const TOLD: [&str; 7] =
    ["agent_message", "tool_call", "permission", "error", "task_cancelled", "late_update", "session_started"];

/// Where plain lines go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    Stdout,
    Stderr,
    /// Nowhere: something else is shown.
    Nowhere,
}

/// Shows tasks until it is dropped.
#[derive(Debug)]
pub struct Progress {
    lines: Lines,
    /// `None` when standard error is no terminal.
    bars: Option<MultiProgress>,
    bar_of: HashMap<String, ProgressBar>,
    /// Each line names its task.
    several: bool,
}

impl Progress {
    #[must_use]
    pub fn new(lines: Lines, tasks: usize) -> Self {
        let bars = std::io::stderr().is_terminal().then(MultiProgress::new);
        Self { lines, bars, bar_of: HashMap::new(), several: tasks > 1 }
    }

    /// Shows how a task is now and what happened since the last time.
    pub fn show(&mut self, view: &TaskView, events: &[EventView], now: Timestamp) {
        if self.bars.is_some() {
            self.draw(view, now);
            return;
        }
        for event in events.iter().filter(|event| TOLD.contains(&event.kind.as_str())) {
            let words = plain::first_line(&event_line::words(event), WORDS);
            self.write(view, &format!("{} {} {words}", moment::clock(event.at), event.kind));
        }
    }

    /// Says that a task has another status than before, or is looked at for the first time.
    pub fn turned(&self, view: &TaskView, status: Status, now: Timestamp) {
        if self.bars.is_none() {
            self.write(view, &format!("{} {}", moment::clock(now), style::status(status)));
        }
    }

    fn draw(&mut self, view: &TaskView, now: Timestamp) {
        let Some(bars) = &self.bars else { return };
        let id = view.task.id.as_str();
        let bar = self.bar_of.entry(id.to_owned()).or_insert_with(|| {
            let bar = bars.add(ProgressBar::new_spinner());
            if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix} {wide_msg}") {
                bar.set_style(style);
            }
            bar.set_prefix(id.to_owned());
            bar.enable_steady_tick(TICK);
            bar
        });
        let mut words = format!("{} {}, ", view.task.status().as_str(), task_page::took(&view.task, now));
        words.push_str(&task_page::last_words(view));
        let said = view.task.final_message.text().and_then(|text| text.lines().next_back());
        if let (Some(said), Some(_)) = (said, &view.live) {
            words.push_str(&format!(" · {}", plain::first_line(said, WORDS)));
        }
        bar.set_message(words);
        if view.task.status().is_final() {
            bar.finish_and_clear();
        }
    }

    /// Says something between the moving lines.
    pub fn say(&self, text: &str) {
        match &self.bars {
            Some(bars) => bars.suspend(|| output::say(text)),
            None => output::say(text),
        }
    }

    /// The line of a task that has ended.
    pub fn ended(&self, view: &TaskView, now: Timestamp) {
        let text = task_page::end_line(view, now);
        match (&self.bars, self.lines) {
            (Some(bars), Lines::Stdout) => bars.suspend(|| output::line(&text)),
            (Some(bars), Lines::Stderr) => bars.suspend(|| output::say(&text)),
            (None, Lines::Stdout) => output::line(&text),
            (None, Lines::Stderr) => output::say(&text),
            (_, Lines::Nowhere) => {}
        }
    }

    fn write(&self, view: &TaskView, text: &str) {
        let text = if self.several { format!("{} {text}", style::dim(view.task.id.as_str())) } else { text.to_owned() };
        match self.lines {
            Lines::Stdout => output::line(&text),
            Lines::Stderr => output::say(&text),
            Lines::Nowhere => {}
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bars) = &self.bars {
            // What cannot be cleared stays on the screen; nothing else depends on it.
            let _ = bars.clear();
        }
    }
}
