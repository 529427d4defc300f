//! Following tasks as they are recorded, whichever server runs them.

use std::time::Duration;

use segue_channel::api::{EventView, EventsQuery, TaskView};
use segue_journal::{InstanceId, Position};
use tokio::sync::watch::Receiver;

use crate::{brief, commands::CommandError, exit::Exit, terminal::progress::Progress, wiring::Wired};

/// How often is looked when nothing is recorded: what is shown holds times, and a server may have died.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// How often is looked at most. A busy journal changes thousands of times a second.
const PAUSE: Duration = Duration::from_millis(50);
/// The most events that one read may ask for.
const PAGE: i64 = 500;

/// Wakes whenever something may have changed.
#[derive(Debug)]
pub struct Pulse<'w> {
    wired: &'w Wired,
    changes: Receiver<Position>,
}

impl<'w> Pulse<'w> {
    #[must_use]
    pub fn new(wired: &'w Wired) -> Self {
        Self { wired, changes: wired.journal.changes() }
    }

    /// What happens from here on wakes. To be called before looking.
    pub fn mark(&mut self) {
        self.changes.mark_unchanged();
    }

    /// Returns when something was recorded, or after a second. `servers` run what is waited for.
    pub async fn wait(&mut self, servers: impl IntoIterator<Item = String>) {
        if let Ok(Ok(())) = tokio::time::timeout(LOOK_AGAIN, self.changes.changed()).await {
            tokio::time::sleep(PAUSE).await;
        } else if servers.into_iter().any(|server| !self.wired.journal.alive(&InstanceId(server))) {
            // Nobody else may be there to record the end of what a dead server left.
            brief::import_finished(self.wired).await;
        }
    }
}

/// Tasks that are watched to their end.
#[derive(Debug)]
pub struct Watching<'w> {
    wired: &'w Wired,
    pulse: Pulse<'w>,
    tasks: Vec<Watched>,
}

#[derive(Debug)]
struct Watched {
    id: String,
    /// The last event that was seen.
    cursor: u64,
    /// As it was seen last.
    view: Option<TaskView>,
}

/// What was seen of one task.
#[derive(Debug)]
pub struct News<'a> {
    pub view: &'a TaskView,
    /// Since the last time.
    pub events: Vec<EventView>,
    /// Its status is another one than the last time.
    pub turned: bool,
}

impl<'w> Watching<'w> {
    /// From now on, or from the beginning of each task.
    #[must_use]
    pub fn new(wired: &'w Wired, ids: Vec<String>) -> Self {
        let tasks = ids.into_iter().map(|id| Watched { id, cursor: 0, view: None }).collect();
        Self { wired, pulse: Pulse::new(wired), tasks }
    }

    /// Leaves out what happened before now.
    ///
    /// # Errors
    /// `task_not_found`.
    pub async fn skip_past(&mut self) -> Result<(), CommandError> {
        for task in &mut self.tasks {
            task.cursor = self.wired.channel.get_task(&task.id).await?.last_seq;
        }
        Ok(())
    }

    /// Looks at each task that had not ended, and hands on what is new.
    ///
    /// # Errors
    /// `task_not_found` for one that was forgotten meanwhile.
    pub async fn look(&mut self, mut tell: impl FnMut(News<'_>)) -> Result<(), CommandError> {
        self.pulse.mark();
        for task in &mut self.tasks {
            let before = task.view.as_ref().map(|view| view.task.status());
            if before.is_some_and(segue_model::task::Status::is_final) {
                continue;
            }
            // First the task, then its events: when it has ended, none is missed.
            let view = self.wired.channel.get_task(&task.id).await?;
            let events = events_after(self.wired, &task.id, &mut task.cursor).await?;
            let view = task.view.insert(view);
            tell(News { turned: before != Some(view.task.status()), view, events });
        }
        Ok(())
    }

    #[must_use]
    pub fn all_ended(&self) -> bool {
        self.views().all(|view| view.task.status().is_final()) && self.views().count() == self.tasks.len()
    }

    /// Returns when something may have changed.
    pub async fn wait(&mut self) {
        let open = self.tasks.iter().filter_map(|task| task.view.as_ref()).filter(|view| view.live.is_some());
        let servers: Vec<String> = open.map(|view| view.server.clone()).collect();
        self.pulse.wait(servers).await;
    }

    /// The tasks as they were seen last.
    pub fn views(&self) -> impl Iterator<Item = &TaskView> {
        self.tasks.iter().filter_map(|task| task.view.as_ref())
    }

    /// The end of them all: a failure counts more than a cancellation, and that more than success.
    #[must_use]
    pub fn exit(&self) -> Exit {
        let exits: Vec<Exit> = self.views().map(|view| Exit::of_status(view.task.status())).collect();
        let worst = [Exit::Failed, Exit::Cancelled].into_iter().find(|exit| exits.contains(exit));
        worst.unwrap_or(Exit::Succeeded)
    }
}

async fn events_after(wired: &Wired, id: &str, cursor: &mut u64) -> Result<Vec<EventView>, CommandError> {
    let mut events = Vec::new();
    loop {
        let query = EventsQuery {
            task_id: id.to_owned(),
            after_seq: i64::try_from(*cursor).unwrap_or(i64::MAX),
            event_types: None,
            limit: PAGE,
            max_chars: i64::MAX,
            include_thoughts: false,
            include_raw: false,
        };
        let mut page = wired.channel.get_events(query).await?;
        *cursor = page.cursor;
        events.append(&mut page.events);
        if !page.has_more {
            return Ok(events);
        }
    }
}

/// Shows what is new of a task, and its end.
pub fn show(progress: &mut Progress, news: &News<'_>, now: segue_model::Timestamp) {
    progress.show(news.view, &news.events, now);
    match (news.turned, news.view.task.status()) {
        (true, status) if status.is_final() => progress.ended(news.view, now),
        (true, status) => progress.turned(news.view, status, now),
        (false, _) => {}
    }
}
