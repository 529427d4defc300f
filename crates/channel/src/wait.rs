//! Waiting for tasks to end, without polling by the caller and without a lock.

use std::{sync::Arc, time::Duration};

use segue_journal::TaskRow;

use crate::{
    api::{WaitReason, Waited},
    error::Refusal,
    ledger,
    shared::Shared,
    view,
};

/// The longest wait of one call, whatever is asked. Fixed by the channel contract: many clients end
/// a call after 60 s.
pub const WAIT_MAX: f64 = 30.0;
/// How many tasks one call may wait for.
pub const TASKS_MAX: usize = 50;
/// How often what other processes write is looked at, at most. A busy journal changes thousands of
/// times a second.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// `wait_tasks`.
///
/// # Errors
/// `invalid_request` for a bad argument, `task_not_found` for an unknown id.
pub async fn tasks(shared: &Arc<Shared>, ids: &[String], seconds: f64) -> Result<Waited, Refusal> {
    let mut distinct: Vec<String> = Vec::new();
    for id in ids {
        if !distinct.contains(id) {
            distinct.push(id.clone());
        }
    }
    if distinct.is_empty() || distinct.len() > TASKS_MAX {
        return Err(Refusal::invalid(format!("task_ids must name 1 to {TASKS_MAX} tasks, not {}", distinct.len())));
    }
    if seconds.is_nan() || seconds < 0.0 {
        return Err(Refusal::invalid(format!("wait_seconds must be 0 or more, not {seconds}")));
    }
    let until = tokio::time::Instant::now() + Duration::from_secs_f64(seconds.min(WAIT_MAX));
    let mut ended = shared.ended.subscribe();
    let mut stopping = shared.stopping.subscribe();
    let mut changes = shared.journal().changes();
    loop {
        ended.mark_unchanged();
        changes.mark_unchanged();
        let rows = look(shared, &distinct).await?;
        let mut completed = Vec::new();
        for row in rows.iter().filter(|row| row.ended) {
            completed.push(view::task(shared, row).await?);
        }
        if !completed.is_empty() {
            return Ok(Waited { reason: WaitReason::Terminal, completed });
        }
        if *stopping.borrow_and_update() {
            return Ok(Waited { reason: WaitReason::Shutdown, completed });
        }
        if tokio::time::Instant::now() >= until {
            return Ok(Waited { reason: WaitReason::Timeout, completed });
        }
        let elsewhere = async {
            let _ = changes.changed().await;
            tokio::time::sleep(LOOK_AGAIN).await;
        };
        tokio::select! {
            _ = ended.changed() => {}
            _ = stopping.changed() => {}
            () = elsewhere => {}
            () = tokio::time::sleep_until(until) => {}
        }
    }
}

async fn look(shared: &Arc<Shared>, ids: &[String]) -> Result<Vec<TaskRow>, Refusal> {
    let wanted = ids.to_vec();
    let rows = ledger::read(shared, move |journal| journal.tasks_by_id(&wanted)).await?;
    match ids.iter().find(|id| !rows.iter().any(|row| row.id == **id)) {
        Some(unknown) => Err(Refusal::no_task(&ledger::short(unknown))),
        None => Ok(rows),
    }
}

/// Waits until a task has ended, as long as that takes.
///
/// # Errors
/// `task_not_found` when it is forgotten meanwhile.
pub async fn end_of(shared: &Arc<Shared>, id: &str) -> Result<TaskRow, Refusal> {
    let mut ended = shared.ended.subscribe();
    let mut changes = shared.journal().changes();
    loop {
        ended.mark_unchanged();
        changes.mark_unchanged();
        let row = ledger::row(shared, id).await?;
        if row.ended {
            return Ok(row);
        }
        let elsewhere = async {
            let _ = changes.changed().await;
            tokio::time::sleep(LOOK_AGAIN).await;
        };
        tokio::select! {
            _ = ended.changed() => {}
            () = elsewhere => {}
        }
    }
}
