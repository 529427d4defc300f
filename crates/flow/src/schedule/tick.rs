//! Starting the Run of a tick.

use std::sync::Arc;

use segue_model::{
    flow::RunId,
    schedule::{Claim, Overlap, RefusalCode},
};

use super::{
    document::{Followed, Stored},
    judged,
};
use crate::{
    admit::{self, Candidate, Target},
    drive::chain,
    error::{AdmitError, FlowError, StorageError},
    shared::{Shared, blocking},
};

/// What distinguishes the keys of these Runs from those that people give.
const KEY_PREFIX: &str = "schedule:";

/// What came of it.
#[derive(Debug)]
pub enum Tried {
    /// Now or before.
    Started(RunId),
    Refused(RefusalCode, String),
    /// It can still come.
    NotNow,
}

/// The schedule that a Run was admitted for, by the key of its admission.
#[must_use]
pub fn schedule_of(admission_key: &str) -> Option<&str> {
    let (schedule, _) = admission_key.strip_prefix(KEY_PREFIX)?.rsplit_once(':')?;
    Some(schedule)
}

/// Admits the Run of a claimed tick, unless it was admitted before.
///
/// # Errors
/// The journal cannot be read or written; it can still come.
pub async fn start(shared: &Arc<Shared>, stored: &Stored, claim: &Claim, over: bool) -> Result<Tried, StorageError> {
    let key = format!("{KEY_PREFIX}{}:{}", stored.id, claim.tick.0);
    if let Some(known) = admit::by_key(shared, Some(&key)).await? {
        return Ok(Tried::Started(known.run_id));
    }
    if over {
        let (code, why) = if claim.server == shared.instance().0 {
            (RefusalCode::Room, "there was no room for its run, or it could not be recorded, until it was too late")
        } else {
            (RefusalCode::Late, "the server that claimed it ended before it started a run")
        };
        return Ok(Tried::Refused(code, why.to_owned()));
    }
    if let Some(run) = still_active(shared, stored).await? {
        let why = format!("run {run} of an earlier tick has not ended");
        return Ok(Tried::Refused(RefusalCode::Overlap, why));
    }
    match admitted(shared, stored, key).await {
        Ok(run) => Ok(Tried::Started(run)),
        Err(AdmitError::Storage(error) | AdmitError::Flow(FlowError::Storage(error))) if !error.is_permanent() => {
            Err(error)
        }
        Err(AdmitError::TooManyActive { .. }) => Ok(Tried::NotNow),
        Err(error) => Ok(refused(&error)),
    }
}

/// The Run of the tick before, while it is active and the schedule does not want two.
async fn still_active(shared: &Arc<Shared>, stored: &Stored) -> Result<Option<RunId>, StorageError> {
    let state = &stored.body.state;
    let Some(run) = state.last_run.clone().filter(|_| stored.body.definition.overlap == Overlap::Skip) else {
        return Ok(None);
    };
    shared
        .read(move |journal| {
            let row = journal.run(run.as_str())?;
            Ok(row.filter(|row| !row.ended).map(|_| run))
        })
        .await
}

async fn admitted(shared: &Arc<Shared>, stored: &Stored, key: String) -> Result<RunId, AdmitError> {
    let definition = &stored.body.definition;
    let candidate = candidate(shared, stored).await?;
    let (challenge, candidate) = judged(shared, candidate, &definition.inputs)?;
    let authorization = challenge
        .is_required()
        .then(|| definition.authorized.as_ref().and_then(|authorized| authorized.get("authorization")).cloned())
        .flatten();
    let judged = admit::judged(shared, candidate, &definition.inputs, authorization, Some(key))?;
    let admitted = admit::admit_judged(shared, judged).await?;
    Ok(admitted.run_id)
}

async fn candidate(shared: &Arc<Shared>, stored: &Stored) -> Result<Candidate, AdmitError> {
    let profile = stored.body.definition.profile;
    match stored.body.definition.follow.clone() {
        Followed::Latest { local_id, .. } => admit::candidate(shared, Target::Local(local_id), profile).await,
        Followed::Pinned(pinned) => {
            let reading = Arc::clone(shared);
            Ok(blocking(move || pinned.candidate(&reading, profile)).await?)
        }
    }
}

fn refused(error: &AdmitError) -> Tried {
    let (code, why) = match error {
        AdmitError::AuthorizationRequired(_) => {
            let why = "what it would write now is not what was authorized when the schedule was added: the flow, its \
                       input or what its nodes are bound to has changed. Add the schedule again to authorize that";
            (RefusalCode::Authorization, why.to_owned())
        }
        AdmitError::Inputs(_) => (RefusalCode::Inputs, chain(error)),
        AdmitError::Unavailable { .. } => (RefusalCode::Program, chain(error)),
        AdmitError::TooManyActive { .. } => (RefusalCode::Room, chain(error)),
        AdmitError::Flow(_)
        | AdmitError::UnknownTask(_)
        | AdmitError::AuthorizationUnneeded
        | AdmitError::KeyTaken(_)
        | AdmitError::Fork(_)
        | AdmitError::Storage(_) => (RefusalCode::Flow, chain(error)),
    };
    Tried::Refused(code, why)
}
