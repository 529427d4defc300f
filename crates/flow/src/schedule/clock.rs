//! Looking at the schedules of a workspace as time passes.

use std::{sync::Arc, time::Duration};

use segue_model::{
    Timestamp,
    schedule::{Event, Step, next},
};

use super::{
    TRIES,
    document::{self, Stored},
    tick::{self, Tried},
};
use crate::{
    drive::chain,
    error::StorageError,
    shared::{Shared, blocking},
};

/// How long a wait goes without a look at the clock, which can be set.
const LOOK_AGAIN: Duration = Duration::from_secs(30);
/// How often a busy journal makes it look, at most.
const SETTLE: Duration = Duration::from_secs(1);
/// Seconds until something that could not be done now is tried again.
const RETRY_AFTER: i64 = 2;

/// Claims ticks that have come and starts their Runs, until the shutdown.
pub async fn serve(shared: Arc<Shared>) {
    let mut changes = shared.journal().changes();
    loop {
        changes.mark_unchanged();
        let wake = once(&shared).await;
        let micros = wake.map(|at| u64::try_from(at.0.saturating_sub(shared.now().0)).unwrap_or(0));
        let wait = micros.map_or(LOOK_AGAIN, |micros| Duration::from_micros(micros).min(LOOK_AGAIN));
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            // A schedule may have been added, here or elsewhere.
            changed = changes.changed() => {
                if changed.is_err() {
                    return;
                }
                tokio::select! {
                    () = tokio::time::sleep(wait.min(SETTLE)) => {}
                    () = shared.stopped() => return,
                }
            }
            () = shared.stopped() => return,
        }
    }
}

/// Looks at every schedule once. When the next thing is due, as far as is known. One that cannot be read holds no other
/// one up.
pub async fn once(shared: &Arc<Shared>) -> Option<Timestamp> {
    let reading = Arc::clone(shared);
    let all = match blocking(move || document::all(&reading)).await {
        Ok(all) => all,
        Err(error) => {
            tracing::warn!("look at the schedules: {}", chain(&error));
            return Some(shared.now().plus_seconds(RETRY_AFTER));
        }
    };
    let mut wake: Option<Timestamp> = None;
    for stored in all {
        if shared.is_stopping() {
            return None;
        }
        let due = match stored {
            Ok(stored) => drive(shared, stored).await,
            Err(error) => Err(error),
        };
        let due = due.unwrap_or_else(|error| {
            tracing::warn!("a schedule has to wait: {}", chain(&error));
            (!error.is_permanent()).then(|| shared.now().plus_seconds(RETRY_AFTER))
        });
        wake = wake.into_iter().chain(due).min();
    }
    wake
}

/// Takes every step of a schedule that can be taken now. When the next one is due.
async fn drive(shared: &Arc<Shared>, mut stored: Stored) -> Result<Option<Timestamp>, StorageError> {
    let timing = stored.timing()?;
    let me = shared.instance();
    let later = || Some(shared.now().plus_seconds(RETRY_AFTER));
    for _ in 0..TRIES {
        let missed = stored.body.definition.missed;
        let events = match next(&timing, missed, &stored.body.state, shared.now(), &me.0) {
            Step::Wait(until) => return Ok(until),
            Step::Record(events) => events,
            Step::Start { claim, over } => {
                // Whoever claimed it starts it, unless he is dead.
                let claimant = segue_journal::InstanceId(claim.server.clone());
                if claimant != me && shared.journal().alive(&claimant) {
                    return Ok(later());
                }
                let tick = claim.tick;
                match tick::start(shared, &stored, &claim, over).await? {
                    Tried::Started(run_id) => vec![Event::Started { tick, run_id }],
                    Tried::Refused(code, reason) => vec![Event::Refused { tick, code, reason }],
                    Tried::NotNow => return Ok(later()),
                }
            }
        };
        let id = stored.id.clone();
        stored = match document::record(shared, stored, events).await? {
            Some(after) => after,
            // Another server was faster, or it was changed or removed.
            None => match document::again(shared, &id).await? {
                Some(now) => now,
                None => return Ok(None),
            },
        };
    }
    Ok(later())
}
