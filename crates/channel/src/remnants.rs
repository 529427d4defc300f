//! What is left of agents whose end could not be confirmed: processes that may still be at a session.
//!
//! Their tasks have ended and say so, and the session stays held. The host's row stays too, under a stream of its own,
//! until a look at the process table finds the tree empty: then the row goes and the session is free. Every server
//! looks after its own, and after those of dead servers.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use segue_host::{HostIdentity, ProcessId};
use segue_journal::{Append, AppendError, Authority, Batch, HoldChange, HoldKey, HostRow, Row, StreamName};
use segue_model::HostId;
use serde::{Deserialize, Serialize};

use crate::{
    agent::session_in_use,
    error::Refusal,
    ledger,
    shared::{Shared, lock},
    spawn,
};

/// The kind of such a stream.
pub const KIND: &str = "left";
/// A tree that outlived SIGKILL is signalled again after this long, then after twice as long, and so on.
const AGAIN_FIRST: Duration = Duration::from_secs(10);
const AGAIN_LAST: Duration = Duration::from_secs(600);

/// A hold, and a name under which it may be held.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    pub key: HoldKey,
    pub holder: String,
}

/// What a successor has to know. The body of the row.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Remnant {
    pub identity: Option<HostIdentity>,
    /// Processes that were seen alive last; some carry no mark.
    pub left: Vec<ProcessId>,
    pub held: Vec<Held>,
}

/// Which hosts' trees are signalled again, and when.
#[derive(Debug, Default)]
pub struct Clocks(Mutex<HashMap<HostId, (Instant, Duration)>>);

impl Clocks {
    /// True when it is time for signals; then a longer time begins.
    fn is_due(&self, host: &HostId) -> bool {
        let now = Instant::now();
        let mut clocks = lock(&self.0);
        let (at, wait) = clocks.entry(host.clone()).or_insert((now + AGAIN_FIRST, AGAIN_FIRST));
        if now < *at {
            return false;
        }
        *wait = (*wait * 2).min(AGAIN_LAST);
        *at = now + *wait;
        true
    }

    fn forget(&self, host: &HostId) {
        lock(&self.0).remove(host);
    }
}

fn stream(host: &HostId) -> StreamName {
    StreamName::new(KIND, host.as_str())
}

/// Adds to the batch that ends a task, lease or probe: in place of the row's removal it becomes a remnant's.
pub fn keep(shared: &Shared, host: &HostId, remnant: &Remnant, batch: &mut Batch) {
    let stream = stream(host);
    batch.appends.push(Append {
        stream: stream.clone(),
        authority: Authority::Create,
        expected: 0,
        events: Vec::new(),
        release: false,
    });
    batch.rows.push(Row::Host(Box::new(HostRow {
        id: host.as_str().to_owned(),
        server: shared.instance(),
        stream: Some(stream),
        out: 0,
        err: 0,
        body: serde_json::to_string(remnant).unwrap_or_default(),
    })));
}

/// Its row stands for a remnant that this server looks after.
fn is_mine(shared: &Shared, row: &HostRow) -> bool {
    is_remnant(row) && (row.server == shared.instance() || !shared.journal().alive(&row.server))
}

fn is_remnant(row: &HostRow) -> bool {
    row.stream.as_ref().is_some_and(|stream| stream.kind() == KIND)
}

fn remnant_of(row: &HostRow) -> Option<(HostId, Remnant)> {
    Some((HostId::parse(&row.id)?, serde_json::from_str(&row.body).ok()?))
}

/// Looks after what is left, each in a job of its own: a look may end in ten seconds of signals.
pub fn look_after(shared: &Arc<Shared>, rows: &[HostRow]) {
    for (host, remnant) in rows.iter().filter(|row| is_mine(shared, row)).filter_map(remnant_of) {
        let shared = Arc::clone(shared);
        tokio::spawn(async move {
            let Some(_claim) = shared.claim(&host) else { return };
            if look(&shared, &host, &remnant).await {
                return;
            }
            if shared.remnants.is_due(&host) {
                // What the signals did shows in the next look.
                segue_host::sweep_also(&host, remnant.identity.as_ref(), &remnant.left).await;
            }
        });
    }
}

/// Somebody wants a session that is held: looks whether only a remnant held it that is gone by now. True when it is
/// free.
pub async fn free(shared: &Arc<Shared>, key: &HoldKey) -> bool {
    let Ok(rows) = ledger::read(shared, |journal| journal.hosts()).await else { return false };
    let mut freed = false;
    for (host, remnant) in rows.iter().filter(|row| is_mine(shared, row)).filter_map(remnant_of) {
        if remnant.held.iter().any(|held| held.key == *key) {
            freed |= look(shared, &host, &remnant).await;
        }
    }
    freed
}

/// Why a batch was refused. Of a session that only a remnant holds, it says so: its holder may have ended long ago.
pub async fn refusal_of(shared: &Arc<Shared>, error: AppendError) -> Refusal {
    let AppendError::Held { key, holder } = &error else { return spawn::refusal_of(error) };
    let rows = ledger::read(shared, |journal| journal.hosts()).await.unwrap_or_default();
    let mut remnants = rows.iter().filter(|row| is_remnant(row)).filter_map(remnant_of);
    let Some((_, remnant)) = remnants.find(|(_, remnant)| remnant.held.iter().any(|held| held.key == *key)) else {
        return spawn::refusal_of(error);
    };
    let mut refusal = session_in_use(key, holder);
    refusal.message.push_str(", which has ended while processes of its agent lived on");
    if !remnant.left.is_empty() {
        let numbers: Vec<String> = remnant.left.iter().map(|process| process.pid.to_string()).collect();
        refusal.message.push_str(&format!(" (seen last: {})", numbers.join(", ")));
    }
    refusal.message.push_str("; it is free once they are gone");
    refusal
}

/// True when nothing is left any more, and the record says so.
async fn look(shared: &Arc<Shared>, host: &HostId, remnant: &Remnant) -> bool {
    match segue_host::survivors(host, remnant.identity.as_ref(), &remnant.left).await {
        Ok(living) if living.is_empty() => {}
        Ok(_) => return false,
        Err(error) => {
            tracing::debug!(%host, "look for what is left: {error}");
            return false;
        }
    }
    match close(shared, host, remnant).await {
        Ok(()) => {}
        // Another one looked at the same time.
        Err(AppendError::Fenced { .. } | AppendError::Conflict { .. } | AppendError::NoStream { .. }) => {}
        Err(error) => {
            tracing::warn!(%host, "record that nothing is left: {error}");
            return false;
        }
    }
    shared.remnants.forget(host);
    let _ = segue_host::remove(&shared.host_dir(host)).await;
    tracing::info!(%host, "what was left is gone");
    true
}

async fn close(shared: &Arc<Shared>, host: &HostId, remnant: &Remnant) -> Result<(), AppendError> {
    let stream = stream(host);
    let (token, expected) = crate::recover::take_over(shared, &stream).await?;
    let append = Append { stream, authority: Authority::Owner(token), expected, events: Vec::new(), release: true };
    let free = |held: &Held| HoldChange::Free { key: held.key.clone(), holder: held.holder.clone() };
    let batch = Batch {
        appends: vec![append],
        rows: vec![Row::RemoveHost(host.as_str().to_owned())],
        holds: remnant.held.iter().map(free).collect(),
        ..Batch::default()
    };
    shared.journal().append(batch).await.map(|_| ())
}
