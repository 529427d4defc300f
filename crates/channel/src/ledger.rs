//! Reading tasks, and the few writes that belong to no job.

use std::sync::Arc;

use segue_host::{HostIdentity, HostState};
use segue_journal::{Append, AppendError, Authority, Batch, Journal, ReadError, Row, TaskRow};
use segue_model::{
    AgentHandle, HostId, TaskId,
    lease::Lease,
    task::{Event, Task},
};

use crate::{
    agent::Swept,
    api::LeaseView,
    error::Refusal,
    record::{new_event, task_row, task_stream},
    shared::Shared,
};

/// How often a write to a finished task is tried again when another server wrote to it meanwhile.
const CONFLICT_TRIES: usize = 16;

/// Runs a read on a thread that may block.
///
/// # Errors
/// As the read's own.
pub async fn read<T: Send + 'static>(
    shared: &Arc<Shared>,
    query: impl FnOnce(&dyn Journal) -> Result<T, ReadError> + Send + 'static,
) -> Result<T, Refusal> {
    let journal = Arc::clone(shared.journal());
    tokio::task::spawn_blocking(move || query(&*journal))
        .await
        .map_err(|error| Refusal::new(crate::Code::Internal, format!("read the journal: {error}")))?
        .map_err(Refusal::from)
}

/// The row of a task.
///
/// # Errors
/// `task_not_found` for an id that is unknown, malformed or forgotten.
pub async fn row(shared: &Arc<Shared>, id: &str) -> Result<TaskRow, Refusal> {
    let Some(known) = TaskId::parse(id) else { return Err(Refusal::no_task(&short(id))) };
    read(shared, move |journal| journal.task(known.as_str())).await?.ok_or_else(|| Refusal::no_task(id))
}

/// Text of a caller as far as a message should repeat it.
#[must_use]
pub fn short(text: &str) -> String {
    text.chars().take(200).collect()
}

/// The state in a row.
///
/// # Errors
/// When another version wrote what this one cannot read.
pub fn state(row: &TaskRow) -> Result<Task, Refusal> {
    serde_json::from_str(&row.body).map_err(|error| {
        Refusal::new(crate::Code::Internal, format!("the record of {} cannot be read: {error}", row.id))
    })
}

/// The lease of a handle.
///
/// # Errors
/// When the journal cannot be read.
pub async fn lease(shared: &Arc<Shared>, handle: &str) -> Result<Option<(Lease, segue_journal::InstanceId)>, Refusal> {
    let Some(known) = AgentHandle::parse(handle) else { return Ok(None) };
    let row = read(shared, move |journal| journal.lease(known.as_str())).await?;
    row.map(|row| Ok((lease_of(&row)?, row.server))).transpose()
}

/// The lease of a row.
///
/// # Errors
/// When another version wrote what this one cannot read.
pub fn lease_of(row: &segue_journal::LeaseRow) -> Result<Lease, Refusal> {
    serde_json::from_str(&row.body).map_err(|error| {
        Refusal::new(crate::Code::Internal, format!("the record of {} cannot be read: {error}", row.handle))
    })
}

/// A lease as tasks show it.
#[must_use]
pub fn lease_view(lease: &Lease) -> LeaseView {
    LeaseView { handle: lease.handle.clone(), state: lease.state.clone() }
}

/// Appends an event to a finished task. Its new state is given back.
///
/// # Errors
/// When the event cannot follow, as `refuse` words it; or when the journal cannot be written.
pub async fn append_finished(
    shared: &Arc<Shared>,
    id: &str,
    event: &Event,
    refuse: impl Fn(&Task) -> Refusal,
) -> Result<TaskRow, Refusal> {
    for _ in 0..CONFLICT_TRIES {
        let found = row(shared, id).await?;
        let mut task = state(&found)?;
        let now = shared.now();
        if !task.status().is_final() || task.apply(event, now).is_err() {
            return Err(refuse(&task));
        }
        let handle = found.handle.as_deref().and_then(AgentHandle::parse);
        let changed = task_row(&task, &found.server, found.last_seq + 1, handle.as_ref(), None);
        let append = Append {
            stream: task_stream(&task.id),
            authority: Authority::Unowned,
            expected: found.last_seq,
            events: vec![new_event(event, now)],
            release: false,
        };
        let batch =
            Batch { appends: vec![append], rows: vec![Row::Task(Box::new(changed.clone()))], ..Batch::default() };
        match shared.journal().append(batch).await {
            Ok(_) => return Ok(changed),
            Err(AppendError::Conflict { .. }) => {}
            Err(AppendError::NoStream { .. }) => return Err(Refusal::no_task(id)),
            Err(error) => return Err(error.into()),
        }
    }
    Err(Refusal::new(crate::Code::Internal, format!("{id} is being written to by others without pause")))
}

/// An error that was learnt after a task's end.
pub async fn late_error(shared: &Arc<Shared>, task: &TaskId, message: String) {
    let event = Event::Error { message };
    let outcome = append_finished(shared, task.as_str(), &event, |_| Refusal::no_task(task.as_str())).await;
    if let Err(refusal) = outcome {
        tracing::warn!(%task, "a late error was not recorded: {refusal}");
    }
}

/// What can be seen of a host. A folder that cannot be read counts as a lost host; where this process lacks the means
/// to look, the host counts as alive, and whoever then fails to attach to it looks again.
pub async fn host_state(shared: &Arc<Shared>, host: &HostId, identity: Option<HostIdentity>) -> HostState {
    match segue_host::state(&shared.host_dir(host), identity.as_ref()).await {
        Ok(state) => state,
        Err(error) if is_our_own_want(&error) => {
            tracing::warn!(%host, "look at the host: {error}");
            HostState::Alive
        }
        Err(error) => {
            tracing::warn!(%host, "look at the host: {error}");
            HostState::Lost
        }
    }
}

/// It says nothing of the file: this process, or the machine, has too much open.
fn is_our_own_want(error: &std::io::Error) -> bool {
    use rustix::io::Errno;
    matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE | Errno::NOMEM))
}

/// Ends what a lost host left behind.
pub async fn sweep(host: &HostId, identity: Option<HostIdentity>) -> Swept {
    Swept::of(segue_host::sweep(host, identity.as_ref()).await)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_lost_by_what_its_folder_says_and_not_by_what_we_lack() {
        let error = |errno: rustix::io::Errno| std::io::Error::from(errno);
        for ours in [rustix::io::Errno::MFILE, rustix::io::Errno::NFILE, rustix::io::Errno::NOMEM] {
            assert!(is_our_own_want(&error(ours)), "{ours}");
        }
        for its in [rustix::io::Errno::ACCESS, rustix::io::Errno::NOTDIR, rustix::io::Errno::IO] {
            assert!(!is_our_own_want(&error(its)), "{its}");
        }
        assert!(!is_our_own_want(&std::io::Error::other("no number")));
    }
}
