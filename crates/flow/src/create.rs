//! Recording a new Run: its creation, what it was allowed to do and its first steps are one transaction.

use std::sync::Arc;

use segue_journal::DocumentChange;
use segue_model::{
    flow::{Challenge, Object, RunId, authorization::POLICY_VERSION},
    run::{
        About, Event, RULES_VERSION, Status,
        event::{Origin, RunCreated, RunEffectsAuthorized, RunEffectsEvaluated},
    },
};

use crate::{
    drive::{Refused, RunJob},
    error::StorageError,
    frozen::Bound,
    record::{Owner, RunRecord},
    shared::Shared,
};

/// A Run that may be created.
#[derive(Debug)]
pub struct Creation {
    pub id: RunId,
    pub bound: Arc<Bound>,
    pub about: About,
    pub flow_input: Object,
    /// What its effects are; whoever asks for the Run has met it.
    pub challenge: Challenge,
    /// What it takes over of another Run.
    pub taken: Vec<Event>,
    /// What makes it happen once.
    pub key: Option<String>,
    pub documents: Vec<DocumentChange>,
}

/// Records the Run and lets it work.
///
/// # Errors
/// Nothing has been stored.
pub async fn create(shared: &Arc<Shared>, creation: Creation) -> Result<Status, Refused> {
    if shared.is_stopping() {
        return Err(Refused::Storage(StorageError::Stopping));
    }
    // From before it is recorded until it has its job, nobody here takes it for a Run that was left.
    let _claim = shared.claim(&creation.id).ok_or(Refused::Exists)?;
    let Creation { id, bound, about, flow_input, challenge, taken, key, documents } = creation;
    let now = shared.now();
    let created = RunCreated {
        flow_id: bound.flow.flow_id().to_owned(),
        version: bound.flow.version().to_owned(),
        semantic_hash: bound.flow.hash().clone(),
        own: Origin { rules_version: RULES_VERSION, flow_input, about },
    };
    let owner = Owner { workspace: shared.workspace.key().to_owned(), server: shared.instance(), admission_key: key };
    let illegal = |illegal| Refused::Storage(StorageError::from(illegal));
    let mut record = RunRecord::create(id, bound, owner, created.into(), now).map_err(illegal)?;
    for event in std::iter::once(effects(&challenge)).chain(taken) {
        record.push(event, now).map_err(illegal)?;
    }
    let mut job = RunJob::begin(shared, record, documents);
    job.try_create().await?;
    let status = job.status();
    job.go();
    Ok(status)
}

fn effects(challenge: &Challenge) -> Event {
    let effects = challenge.to_json().get("effects").and_then(|effects| effects.as_array().map(<[_]>::to_vec));
    let (effects, scope) = (effects.unwrap_or_default(), challenge.scope.to_json());
    let (policy_version, input_hash) = (POLICY_VERSION.to_owned(), challenge.input_hash.clone());
    if challenge.is_required() {
        let authorization_id = challenge.authorization_id.clone();
        return RunEffectsAuthorized { policy_version, authorization_id, input_hash, effects, scope }.into();
    }
    RunEffectsEvaluated { policy_version, approval_required: false, input_hash, effects, scope }.into()
}
