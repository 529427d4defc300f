//! Decides whether a batch may be written: the one place that knows why an append is refused.
//!
//! It reads facts through [`Facts`] and changes nothing, so every backend refuses the same batches
//! for the same reasons, and a refused batch has nothing to be undone. Conditions are looked at in
//! the order appends, holds, rows, documents; the first that is broken is the answer. What an earlier part of
//! the batch does is seen by the later ones.

mod documents;
mod rows;

use std::collections::HashMap;

use self::{documents::judge_documents, rows::judge_rows};
use crate::{
    append::{Append, AppendError, Authority, Batch, HoldChange},
    document::DocumentKey,
    projection::HoldKey,
    stream::{InstanceId, Seq, StreamName, Token},
};

/// What a backend knows about a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StreamFacts {
    pub owner: Option<InstanceId>,
    pub token: Token,
    pub last: Seq,
}

/// What a backend knows about a task's id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TaskFacts {
    Absent,
    Present,
    Forgotten,
}

/// What a backend knows about a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DocumentFacts {
    pub version: u64,
    pub body: String,
}

/// The recorded state that conditions are judged against.
pub(crate) trait Facts {
    /// Why a fact could not be read.
    type Fault;
    fn stream(&self, name: &StreamName) -> Result<Option<StreamFacts>, Self::Fault>;
    fn holder(&self, key: &HoldKey) -> Result<Option<String>, Self::Fault>;
    fn task(&self, id: &str) -> Result<TaskFacts, Self::Fault>;
    /// The id of the task that has this client key.
    fn task_with_key(&self, client_key: &str) -> Result<Option<String>, Self::Fault>;
    /// Whether a Run has a row.
    fn run(&self, id: &str) -> Result<bool, Self::Fault>;
    /// The id of the Run of the workspace that has this admission key.
    fn run_with_key(&self, workspace: &str, admission_key: &str) -> Result<Option<String>, Self::Fault>;
    fn blob(&self, sha256: &str) -> Result<bool, Self::Fault>;
    fn document(&self, key: DocumentKey<'_>) -> Result<Option<DocumentFacts>, Self::Fault>;
}

/// Why there is no plan.
#[derive(Debug)]
pub(crate) enum Stop<F> {
    Refused(AppendError),
    Fault(F),
}

/// What to write so that the batch is carried out.
#[derive(Debug)]
pub(crate) struct Plan {
    /// One for each append, in their order.
    pub streams: Vec<StreamPlan>,
    /// Each key that the batch names.
    pub holds: Vec<NewHolder>,
}

/// A key and who has it afterwards.
pub(crate) type NewHolder = (HoldKey, Option<String>);

/// How an append leaves its stream.
#[derive(Debug)]
pub(crate) struct StreamPlan {
    /// The stream does not exist yet.
    pub create: bool,
    pub owner: Option<InstanceId>,
    pub token: Token,
    /// The number of the first event that the append adds.
    pub first: Seq,
    /// The number of the last event after it.
    pub last: Seq,
}

/// Judges `batch` as written by `me`.
pub(crate) fn judge<F: Facts>(batch: &Batch, me: &InstanceId, facts: &F) -> Result<Plan, Stop<F::Fault>> {
    let mut seen: HashMap<&StreamName, StreamFacts> = HashMap::new();
    let mut streams = Vec::with_capacity(batch.appends.len());
    for append in &batch.appends {
        let found = match seen.get(&append.stream) {
            Some(found) => Some(found.clone()),
            None => facts.stream(&append.stream).map_err(Stop::Fault)?,
        };
        let plan = append_plan(append, me, found).map_err(Stop::Refused)?;
        if batch.appends.len() > 1 {
            let after = StreamFacts { owner: plan.owner.clone(), token: plan.token, last: plan.last };
            seen.insert(&append.stream, after);
        }
        streams.push(plan);
    }
    let holds = judge_holds(&batch.holds, facts)?;
    judge_rows(batch, facts)?;
    judge_documents(&batch.documents, facts)?;
    Ok(Plan { streams, holds })
}

fn append_plan(append: &Append, me: &InstanceId, found: Option<StreamFacts>) -> Result<StreamPlan, AppendError> {
    let stream = || append.stream.clone();
    let conflict = |found| AppendError::Conflict { stream: stream(), expected: append.expected, found };
    let (create, owner, token, last) = match (append.authority, found) {
        (Authority::Create, None) => (true, Some(me.clone()), FIRST_TOKEN, 0),
        (Authority::Create, Some(found)) => return Err(conflict(found.last)),
        (_, None) => return Err(AppendError::NoStream { stream: stream() }),
        (Authority::Owner(token), Some(found)) => {
            if found.owner.as_ref() != Some(me) || found.token != token {
                return Err(AppendError::Fenced { stream: stream() });
            }
            (false, found.owner, token, found.last)
        }
        (Authority::Unowned, Some(found)) => {
            if found.owner.is_some() {
                return Err(AppendError::Fenced { stream: stream() });
            }
            (false, None, found.token, found.last)
        }
    };
    if append.expected != last {
        return Err(conflict(last));
    }
    Ok(StreamPlan {
        create,
        owner: if append.release { None } else { owner },
        token,
        first: last + 1,
        last: last + append.events.len() as Seq,
    })
}

/// The token of a new stream.
const FIRST_TOKEN: Token = 1;

fn judge_holds<F: Facts>(changes: &[HoldChange], facts: &F) -> Result<Vec<NewHolder>, Stop<F::Fault>> {
    let mut after: Vec<NewHolder> = Vec::new();
    for change in changes {
        let (HoldChange::Take { key, holder } | HoldChange::Move { key, holder } | HoldChange::Free { key, holder }) =
            change;
        let changed = after.iter().position(|(other, _)| other == key);
        let current = match changed {
            Some(index) => after[index].1.clone(),
            None => facts.holder(key).map_err(Stop::Fault)?,
        };
        let next = match change {
            HoldChange::Take { .. } => match current {
                Some(other) if other != *holder => {
                    return Err(Stop::Refused(AppendError::Held { key: key.clone(), holder: other }));
                }
                _ => Some(holder.clone()),
            },
            HoldChange::Move { .. } => Some(holder.clone()),
            HoldChange::Free { .. } => current.filter(|current| current != holder),
        };
        match changed {
            Some(index) => after[index].1 = next,
            None => after.push((key.clone(), next)),
        }
    }
    Ok(after)
}

/// The kind of the stream that belongs to a task.
pub(crate) const TASK: &str = "task";
/// The kind of the stream that belongs to a lease.
pub(crate) const LEASE: &str = "lease";
/// The kind of the stream that belongs to a Run.
pub(crate) const RUN: &str = "run";
