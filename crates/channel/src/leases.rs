//! The way to the job that has a kept agent.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use segue_journal::InstanceId;
use segue_model::{AgentHandle, lease::Lease};
use tokio::{sync::oneshot, time::timeout};

use crate::{
    agent::Ask,
    error::{Code, Refusal},
    ledger,
    record::lease_stream,
    shared::{JobRef, Shared},
};

/// How long a call waits until the agent of a dead server was taken over; a server looks every two seconds, and a host
/// that stands still holds it up.
const TAKEOVER: Duration = Duration::from_secs(5);
/// A takeover is told by nothing but its job's being there.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// The job that has the agent.
///
/// # Errors
/// `agent_gone`, and `agent_busy` while it is being taken over.
pub async fn job(shared: &Arc<Shared>, handle: &str) -> Result<(Lease, JobRef), Refusal> {
    let found = async {
        loop {
            // Read first, whatever job is here: where nothing can be recorded any more, it would not answer.
            let Some((lease, server)) = ledger::lease(shared, handle).await? else { return Err(unknown(handle)) };
            if let Some(job) = shared.job(&lease_stream(&lease.handle)) {
                return Ok((lease, job));
            }
            if !is_coming(shared, &lease, &server) {
                return Err(elsewhere(shared, &lease, &server));
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    };
    timeout(TAKEOVER, found).await.unwrap_or_else(|_| {
        let why = "its server died, and it could not be taken over yet; ask again";
        Err(Refusal::new(Code::AgentBusy, format!("{handle}: {why}")))
    })
}

/// What the job answers. `None` when it has none within `limit`.
///
/// # Errors
/// As [`job`], and whatever it answers.
pub async fn ask<T>(
    shared: &Arc<Shared>,
    handle: &str,
    limit: Duration,
    ask: impl FnOnce(oneshot::Sender<Result<T, Refusal>>) -> Ask,
) -> Result<Option<T>, Refusal> {
    let (_, job) = job(shared, handle).await?;
    let (reply, answer) = oneshot::channel();
    if job.asks.send(ask(reply)).is_ok() {
        match timeout(limit, answer).await {
            Ok(Ok(outcome)) => return outcome.map(Some),
            // It ended with the question in its hands.
            Ok(Err(_)) => {}
            Err(_) => return Ok(None),
        }
    }
    Err(lost(shared, handle).await?)
}

/// Why the job that was there a moment ago is not.
///
/// # Errors
/// When the journal cannot be read.
pub async fn lost(shared: &Arc<Shared>, handle: &str) -> Result<Refusal, Refusal> {
    let found = ledger::lease(shared, handle).await?;
    Ok(found.map_or_else(|| unknown(handle), |(lease, server)| elsewhere(shared, &lease, &server)))
}

/// Its server is dead, or it is this one's and not in hand yet: a job will be here.
fn is_coming(shared: &Shared, lease: &Lease, server: &InstanceId) -> bool {
    let left = *server == shared.instance() || !shared.journal().alive(server);
    lease.state.is_open() && left && shared.takes_over.load(Ordering::Acquire) && !shared.is_stopping()
}

fn unknown(handle: &str) -> Refusal {
    Refusal::new(Code::AgentGone, format!("no kept agent {:?}", ledger::short(handle)))
}

/// Why a lease without a job here cannot be used.
fn elsewhere(shared: &Shared, lease: &Lease, server: &InstanceId) -> Refusal {
    let handle: &AgentHandle = &lease.handle;
    let message = match lease.state.reason() {
        Some(reason) => format!("{handle} is gone: {reason}"),
        None if *server == shared.instance() => format!("{handle} is gone"),
        None if shared.journal().alive(server) => {
            format!("{handle} belongs to another server that is running, {server}")
        }
        None => format!("{handle} belongs to a server that died, {server}"),
    };
    Refusal::new(Code::AgentGone, message)
}
