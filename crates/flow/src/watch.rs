//! Following a Run: every event once and in order, from any number on, until its end.

use std::{sync::Arc, time::Duration};

use segue_journal::Position;
use segue_model::flow::RunId;
use tokio::sync::watch;

use crate::{
    error::{RunError, StorageError},
    evidence::Published,
    payload, reads,
    shared::{Shared, blocking},
};

/// Events that one page holds at most.
const PAGE: usize = 500;
/// How often a busy journal is looked at, at most.
const LOOK_AGAIN: Duration = Duration::from_millis(20);
/// Streams that one look at the whole journal takes.
const STREAMS: usize = 1000;

/// Some events of a Run, and how it was right after them.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    pub events: Vec<Published>,
    /// The number to go on after.
    pub last: u64,
    pub status: String,
    /// A person or a decision is waited for.
    pub waiting: bool,
    pub ended: bool,
}

/// See the module's documentation.
#[derive(Debug)]
pub struct Watch {
    shared: Arc<Shared>,
    run: RunId,
    after: u64,
    changes: watch::Receiver<Position>,
    over: bool,
}

impl Watch {
    /// From the events after number `after` on.
    ///
    /// # Errors
    /// There is no such Run.
    pub async fn new(shared: &Arc<Shared>, id: &str, after: u64) -> Result<Self, RunError> {
        let row = reads::row_of(shared, id).await?;
        let run = crate::row::run_id(&row)?;
        let changes = shared.journal().changes();
        Ok(Self { shared: Arc::clone(shared), run, after, changes, over: false })
    }

    /// The next events, as soon as there are any; `None` after the last one of a Run that has ended. Nothing is lost
    /// when the future is dropped.
    ///
    /// # Errors
    /// The record cannot be read, or the runtime is being stopped.
    pub async fn next(&mut self) -> Result<Option<Page>, RunError> {
        while !self.over {
            self.changes.mark_unchanged();
            let page = page(&self.shared, self.run.as_str(), self.after).await?;
            if !page.events.is_empty() {
                self.after = page.last;
                return Ok(Some(page));
            }
            if page.ended {
                self.over = true;
                break;
            }
            tokio::select! {
                changed = self.changes.changed() => {
                    if changed.is_err() {
                        return Err(StorageError::Stopping.into());
                    }
                    tokio::time::sleep(LOOK_AGAIN).await;
                }
                () = self.shared.stopped() => return Err(StorageError::Stopping.into()),
            }
        }
        Ok(None)
    }
}

/// The events after a number that are there now.
///
/// # Errors
/// There is no such Run, or its record cannot be read.
pub async fn page(shared: &Arc<Shared>, id: &str, after: u64) -> Result<Page, RunError> {
    let (reading, id) = (Arc::clone(shared), id.to_owned());
    blocking(move || {
        // The row first, and no event beyond it: what it says holds right after the last one that is given. Those that
        // came meanwhile are given with a row of their own.
        let row = match reads::row_now(&reading, &id) {
            Ok(row) => row,
            Err(error) => return Ok(Err(error)),
        };
        let Some(run) = RunId::parse(&row.id) else { return Ok(Err(RunError::NotFound(id))) };
        let mut events = payload::shown(&**reading.journal(), &run, after, PAGE)?;
        events.retain(|event| event.sequence <= row.last_seq);
        let last = events.last().map_or(after, |event| event.sequence);
        Ok(Ok(Page {
            events,
            last,
            status: row.status,
            waiting: row.waiting && last >= row.last_seq,
            ended: row.ended && last >= row.last_seq,
        }))
    })
    .await?
}

/// What changed, as far as lists show it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Changes {
    pub runs: Vec<ChangedRun>,
    /// Ids and statuses of tasks of the channel, with their last events.
    pub tasks: Vec<(String, String, u64)>,
}

/// A Run that changed, as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedRun {
    pub run_id: RunId,
    pub status: String,
    pub waiting: bool,
    pub ended: bool,
    /// Its last event.
    pub last: u64,
}

/// Runs of this workspace and tasks that changed after a position, each once and as it is now; and the position up to
/// which that was looked at.
///
/// # Errors
/// The journal cannot be read.
pub async fn changes_since(shared: &Arc<Shared>, after: Position) -> Result<(Changes, Position), StorageError> {
    let workspace = shared.workspace.key().to_owned();
    shared
        .read(move |journal| {
            let (streams, upto) = journal.changed_since(after, STREAMS)?;
            let mut changes = Changes::default();
            for (stream, last) in &streams {
                match stream.kind() {
                    "run" => {
                        let row = journal.run(stream.id())?.filter(|row| row.workspace == workspace);
                        changes.runs.extend(row.and_then(|row| {
                            let run_id = RunId::parse(&row.id)?;
                            let (waiting, ended) = (row.waiting, row.ended);
                            Some(ChangedRun { run_id, status: row.status, waiting, ended, last: *last })
                        }));
                    }
                    "task" => {
                        let row = journal.task(stream.id())?;
                        changes.tasks.extend(row.map(|row| (row.id, row.status, *last)));
                    }
                    _ => {}
                }
            }
            Ok((changes, upto))
        })
        .await
}

/// Runs that changed after a position of the journal, and the position up to which that was looked at.
///
/// # Errors
/// The journal cannot be read.
pub async fn changed_runs(shared: &Arc<Shared>, after: Position) -> Result<(Vec<RunId>, Position), StorageError> {
    shared
        .read(move |journal| {
            let (streams, upto) = journal.changed_since(after, STREAMS)?;
            let runs = streams.iter().filter(|(stream, _)| stream.kind() == "run");
            Ok((runs.filter_map(|(stream, _)| RunId::parse(stream.id())).collect(), upto))
        })
        .await
}
