//! Tasks as the faces see them.

use std::sync::Arc;

use segue_journal::TaskRow;
use segue_model::{lease::Lease, task::Task};

use crate::{
    api::{Live, TaskView},
    error::Refusal,
    ledger,
    shared::Shared,
};

/// The whole view of a task.
///
/// # Errors
/// When the journal cannot be read.
pub async fn task(shared: &Arc<Shared>, row: &TaskRow) -> Result<TaskView, Refusal> {
    let lease = match &row.handle {
        Some(handle) => ledger::lease(shared, handle).await?.map(|(lease, _)| lease),
        None => None,
    };
    of(shared, row, lease.as_ref())
}

/// The same, for who has the lease.
///
/// # Errors
/// When another version wrote what this one cannot read.
pub fn of(shared: &Shared, row: &TaskRow, lease: Option<&Lease>) -> Result<TaskView, Refusal> {
    let task = ledger::state(row)?;
    let kept_agent = lease.map(ledger::lease_view);
    Ok(TaskView {
        last_seq: row.last_seq,
        kept_agent,
        notify_path: notify_path(shared, row, &task),
        server: row.server.to_string(),
        live: live(shared, row, &task),
        task,
    })
}

/// Only for tasks of this server: another one's markers are in its own folder.
fn notify_path(shared: &Shared, row: &TaskRow, task: &Task) -> Option<std::path::PathBuf> {
    let markers = shared.config.markers.as_ref()?;
    (row.server == shared.instance()).then(|| markers.path_of(&task.id))
}

fn live(shared: &Shared, row: &TaskRow, task: &Task) -> Option<Live> {
    if row.ended {
        return None;
    }
    let open_tool_call = task.receipt.open_call().map(|call| (call.id.clone(), call.kind.clone(), call.title.clone()));
    let live = match shared.live(&task.id) {
        Some(cell) => {
            let (last_activity, quiet_seconds, waiting) = cell.read();
            let waiting_for = if waiting == "model" && open_tool_call.is_some() { "tool".to_owned() } else { waiting };
            Live { last_activity, quiet_seconds, open_tool_call, waiting_for }
        }
        None => Live {
            last_activity: task.last_activity,
            quiet_seconds: shared.now().seconds_since(task.last_activity),
            open_tool_call,
            waiting_for: "owner".to_owned(),
        },
    };
    Some(live)
}
