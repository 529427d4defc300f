//! Executors: what a node is done by. One file a kind.
//!
//! An executor gets everything it needs as an argument and never touches a Run: it is called for one
//! attempt that is already recorded as started, and gives back one [`Outcome`]. Called again for the same
//! attempt after a crash ([`Start::Again`]), it goes on where the dead process was, takes the result that is
//! there, or says that the attempt is lost; it never repeats what may have written outside.

use std::{path::PathBuf, pin::Pin, sync::Arc, time::Duration};

use segue_channel::Channel;
use segue_model::{
    HostId,
    flow::{ArtifactId, Hash, Json, Node, Object, RunId, capability::Capability},
    run::{Attempt, Outcome},
};
use tokio_util::sync::CancellationToken;

/// One attempt, with everything that its executor may know.
#[derive(Debug, Clone)]
pub struct Call {
    pub run_id: RunId,
    pub attempt: Attempt,
    pub node: Arc<Node>,
    /// What the node accepted: for an item of a `for_each` node `{item, index, input}`.
    pub input: Arc<Object>,
    pub flow_input: Arc<Object>,
    /// What the node is bound to, as it was when the Run was admitted.
    pub capability: Option<Arc<Capability>>,
    /// The conversation of the node's session group, once it is bound.
    pub conversation_ref: Option<String>,
    /// The workspace, an absolute path: the working folder of processes.
    pub workspace: PathBuf,
    /// How long the attempt may take.
    pub timeout: Duration,
    /// The host that was recorded for the attempt; `None` for executors that start no process.
    pub host: Option<HostId>,
    /// Set when nobody wants the result any more: end what runs, soon, and give [`Outcome::Aborted`].
    pub stop: CancellationToken,
    pub start: Start,
}

/// Whether the attempt was called before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    First,
    /// The process that called it is dead; whether anything came of it is for the executor to find out.
    Again,
}

/// What executors use of the world.
pub trait Surroundings: Send + Sync + std::fmt::Debug {
    /// The folder of a host.
    fn host_dir(&self, host: &HostId) -> PathBuf;
    /// The program that is started as `<exe> host …`.
    fn exe(&self) -> PathBuf;
    /// The environment of processes.
    fn environment(&self) -> Vec<(std::ffi::OsString, std::ffi::OsString)>;
    /// How long a process goes on with no server attached.
    fn orphan_grace(&self) -> Duration;
    /// Keeps bytes by their digest, durable when it returns.
    fn put_blob(&self, bytes: Vec<u8>) -> Answer<'_, Result<Hash, String>>;
    fn draw_artifact_id(&self) -> ArtifactId;
    /// Tasks of the channel, for agent nodes that speak ACP.
    fn channel(&self) -> &Channel;
    /// Runs another flow as a node, or goes on with the Run that the attempt started before.
    fn subrun<'a>(&'a self, call: &'a Call, flow: &'a str, inputs: Object) -> Answer<'a, Outcome>;
}

/// What an executor's work gives, later.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// One kind of executor.
pub trait Executor: Send + Sync + std::fmt::Debug {
    /// It starts a process under a host, so a host is recorded before the attempt is called.
    fn needs_host(&self) -> bool;

    /// Does one attempt. Never panics on what comes from outside.
    fn execute<'a>(&'a self, call: &'a Call, around: &'a dyn Surroundings) -> Answer<'a, Outcome>;
}

/// An output of the form that evidence wants: an object.
#[must_use]
pub fn returned(output: Object, level: segue_model::run::attempt::EvidenceLevel) -> Outcome {
    Outcome::Returned { output: Json::Object(output), level, session: None, artifact: None }
}
