//! Why a call is refused: one enum for each kind of operation. A refused call has changed nothing.

use segue_journal::{AppendError, BlobError, ReadError};
use segue_model::{
    IllegalEvent,
    flow::{Challenge, CompileError, NodeId, Problem, RunId, id::CapabilityId},
    reading::{Inconsistent, comparison::ComparisonError},
    run::{AnswerError as RuleError, fork::ForkError as RuleForkError},
    schedule::TimingError,
};

/// The record could not be read or written. No argument of the caller's would mend it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StorageError {
    #[error("read the record")]
    Read(#[from] ReadError),
    #[error("write the record")]
    Append(#[from] AppendError),
    #[error("read or keep a blob")]
    Blob(#[from] BlobError),
    #[error("the record of {what} cannot be read: {why}")]
    Corrupt { what: String, why: String },
    #[error("the runtime is being stopped")]
    Stopping,
}

impl StorageError {
    pub(crate) fn corrupt(what: impl Into<String>, why: impl ToString) -> Self {
        Self::Corrupt { what: what.into(), why: why.to_string() }
    }

    /// Not a matter of the moment: reading again gives the same.
    #[must_use]
    pub const fn is_permanent(&self) -> bool {
        matches!(self, Self::Corrupt { .. } | Self::Blob(BlobError::Changed { .. }))
    }
}

/// So many local ids fit on a line; who has more copies than that has to look at the list.
const NAMED: usize = 5;

fn named(local_ids: &[String]) -> String {
    let more = local_ids.len().saturating_sub(NAMED);
    let named = local_ids.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    if more == 0 { named } else { format!("{named} and {more} more") }
}

/// Why a flow was not found, saved, changed or compiled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FlowError {
    #[error("there is no flow \"{0}\"")]
    NotFound(String),
    #[error("flow \"{0}\" was saved by somebody else meanwhile; read it again before changing it")]
    Changed(String),
    #[error("{} saved flows have the id \"{id}\": {}", .local_ids.len(), named(.local_ids))]
    Ambiguous { id: String, local_ids: Vec<String> },
    #[error("a flow with the id \"{id}\" is saved already ({local_id})")]
    Taken { id: String, local_id: String },
    #[error("flow {id} has no version {version}; the newest is {newest}")]
    NoVersion { id: String, version: u64, newest: u64 },
    #[error(transparent)]
    Compile(#[from] CompileError),
    #[error("{0}")]
    Invalid(Problem),
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Why a capability was not found, saved, tried or deleted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CapabilityError {
    #[error("there is no capability \"{0}\"")]
    NotFound(String),
    #[error("{0}")]
    Invalid(Problem),
    #[error("there is a capability \"{0}\" already")]
    Exists(CapabilityId),
    #[error("flow \"{flow}\" ({local_id}) uses capability \"{id}\"")]
    Referenced { id: String, flow: String, local_id: String },
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Why a Run was not admitted. Nothing has been stored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AdmitError {
    #[error(transparent)]
    Flow(#[from] FlowError),
    #[error("there is no task \"{0}\"")]
    UnknownTask(String),
    #[error("{0}")]
    Inputs(Problem),
    #[error("node \"{node}\" needs capability \"{capability}\", whose program is gone")]
    Unavailable { node: NodeId, capability: CapabilityId },
    #[error("an authorization was given although no effect needs one")]
    AuthorizationUnneeded,
    #[error("at most {limit} runs are active at once, and {active} are")]
    TooManyActive { active: usize, limit: usize },
    #[error("this key belongs to run {0}, which another request started; a new request needs a key of its own")]
    KeyTaken(RunId),
    #[error("effects need authorization")]
    AuthorizationRequired(Box<Challenge>),
    #[error(transparent)]
    Fork(#[from] ForkError),
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Why a Run cannot be the parent of another one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ForkError {
    #[error("there is no run \"{0}\"")]
    UnknownParent(String),
    #[error(
        "the saved flow of run {0} was deleted, so it can be neither forked nor replayed; what it recorded is still shown"
    )]
    FlowGone(RunId),
    #[error("run {0} has not ended")]
    ParentActive(RunId),
    #[error("the saved flow has changed since run {0}")]
    FlowChanged(RunId),
    #[error("the saved flow of run {run} cannot be run now: {why}")]
    NotCompiling { run: RunId, why: String },
    #[error(transparent)]
    Rule(#[from] RuleForkError),
    #[error("nothing is left to run: every node is unchanged")]
    NothingToRun,
    #[error("run {run} is quarantined: {why}")]
    Quarantined { run: RunId, why: String },
}

/// Why a schedule was not added, found or changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    #[error("there is no schedule \"{0}\"")]
    NotFound(String),
    #[error(transparent)]
    Timing(#[from] TimingError),
    /// As a Run of the flow would not be admitted.
    #[error(transparent)]
    Admit(#[from] AdmitError),
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Why a Run cannot be shown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    #[error("there is no run \"{0}\"")]
    NotFound(String),
    #[error("run {run} is quarantined: {why}")]
    Quarantined { run: RunId, why: String },
    /// Nothing was recorded of what was asked, or it stays recorded for the release that is meant.
    #[error("run {run} is left to a newer segue: {why}, and only that one cancels it or takes answers")]
    Newer { run: RunId, why: String },
    #[error("the evidence of run {run} contradicts itself")]
    Inconsistent {
        run: RunId,
        #[source]
        why: Inconsistent,
    },
    #[error("there is no artifact \"{0}\"")]
    NoArtifact(String),
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Why a Run was not forgotten. It is there as before.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ForgetError {
    #[error("run {0} has not ended; cancel it first")]
    Active(RunId),
    #[error("run {run} is a node of run {parent}, which has not ended")]
    NodeOf { run: RunId, parent: RunId },
    #[error(transparent)]
    Run(#[from] RunError),
}

/// Why a Run that was set aside was not taken back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RestoreError {
    #[error("run {0} is not quarantined")]
    NotQuarantined(RunId),
    #[error("run {run} still cannot be loaded: {why}")]
    StillBroken { run: RunId, why: String },
    #[error(transparent)]
    Run(#[from] RunError),
}

/// Why two Runs are not compared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Refused(#[from] ComparisonError),
}

/// Why there is no stability report.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StabilityError {
    #[error("there is no task \"{0}\"")]
    UnknownTask(String),
    #[error("task \"{task}\" never had the flow {hash}")]
    UnknownFlow { task: String, hash: String },
    #[error(transparent)]
    Run(#[from] RunError),
}

/// Why a request to cancel was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CancelError {
    #[error("run {run} is of flow \"{found}\"")]
    OtherFlow { run: RunId, found: String },
    #[error(transparent)]
    Run(#[from] RunError),
}

/// Why an answer or a decision was refused. It started nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    #[error(transparent)]
    Rule(#[from] RuleError),
    /// The first of `problems` says enough for one line.
    #[error("the form does not fit: {}", .problems.first().map_or_else(|| "it is missing".to_owned(), ToString::to_string))]
    Form { problems: Vec<Problem> },
    #[error(transparent)]
    Run(#[from] RunError),
}

/// Why a bundle was not previewed or installed. Nothing has been stored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BundleError {
    #[error("{0}")]
    Invalid(Problem),
    #[error(transparent)]
    Compile(#[from] CompileError),
    #[error("the bundle conflicts with what is installed")]
    Blocked,
    #[error("the bundle is not the one that was previewed")]
    OtherBundle,
    #[error("the confirmation phrase is not that of this plan")]
    WrongPhrase,
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Why evidence was not exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("write the file of evidence")]
    Write(#[from] segue_journal::export::ExportError),
}

impl From<StorageError> for CompareError {
    fn from(error: StorageError) -> Self {
        Self::Run(error.into())
    }
}

impl From<StorageError> for ForgetError {
    fn from(error: StorageError) -> Self {
        Self::Run(error.into())
    }
}

impl From<StorageError> for StabilityError {
    fn from(error: StorageError) -> Self {
        Self::Run(error.into())
    }
}

impl From<StorageError> for CancelError {
    fn from(error: StorageError) -> Self {
        Self::Run(error.into())
    }
}

impl From<StorageError> for AnswerError {
    fn from(error: StorageError) -> Self {
        Self::Run(error.into())
    }
}

/// An event that cannot follow what is recorded: the record, or the rules, are wrong.
impl From<IllegalEvent> for StorageError {
    fn from(illegal: IllegalEvent) -> Self {
        Self::corrupt("a run", illegal)
    }
}
