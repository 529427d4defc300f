//! Executors: what a node is done by. One file a kind.
//!
//! An executor gets everything it needs as an argument and never touches a Run: it is called for one
//! attempt that is already recorded as started, and gives back one [`Outcome`]. Called again for the same
//! attempt after a crash ([`Start::Again`]), it goes on where the dead process was, takes the result that is
//! there, or says that the attempt is lost; it never repeats what may have written outside.

#![expect(
    clippy::result_large_err,
    reason = "the error is the outcome of the attempt; moving it once is nothing beside the call that made it"
)]

use std::{path::PathBuf, pin::Pin, sync::Arc, time::Duration};

use segue_channel::Channel;
use segue_host::Ready;
use segue_model::{
    HostId,
    flow::{
        ArtifactId, Hash, Json, Node, Object, RunId,
        capability::{Capability, Config},
        rules::FailureClass,
    },
    run::{Attempt, Outcome, attempt::EvidenceLevel},
};
use tokio_util::sync::CancellationToken;

pub mod acp_agent;
pub mod agent_cli;
pub mod agent_session;
pub mod agent_text;
pub mod cli;
pub mod codex;
pub mod discover;
pub mod evaluator_cli;
mod guest;
pub mod http;
pub mod mcp_http;
pub mod mcp_stdio;
pub mod model_cli;
pub mod opencode_server;
pub mod presets;
pub mod probe;
pub mod process;
pub mod publisher;
pub mod request;
pub mod roles;
mod sse;
pub mod subflow;
mod table;
mod web;

pub use acp_agent::{is_task_of_the_channel, task_key, task_keys};
pub use guest::Parting;
pub use table::{execute, executor_for};

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

/// What of a [`Call`] is not about its node: where and how long it may run.
#[derive(Debug, Clone)]
pub struct Terms {
    /// See [`Call::host`].
    pub host: Option<HostId>,
    /// See [`Call::workspace`].
    pub workspace: PathBuf,
    /// See [`Call::timeout`]. It runs from the call; one that is called again has all of it again.
    pub timeout: Duration,
    /// See [`Call::stop`].
    pub stop: CancellationToken,
    pub start: Start,
}

impl Call {
    #[must_use]
    pub fn terms(&self) -> Terms {
        Terms {
            host: self.host.clone(),
            workspace: self.workspace.clone(),
            timeout: self.timeout,
            stop: self.stop.clone(),
            start: self.start,
        }
    }

    pub(crate) fn bound(&self) -> Option<(&Capability, &Config)> {
        let capability = self.capability.as_deref()?;
        Some((capability, &capability.config))
    }
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
    /// The process of this host, if it was made ready; it is given once.
    fn take_ready(&self, host: &HostId) -> Option<Ready> {
        let _ = host;
        None
    }
    /// How long a process goes on with no server attached.
    fn orphan_grace(&self) -> Duration;
    /// How long a process goes on with no server attached whose outcome nobody will ask for: it leaves nothing then.
    /// `None` for one that somebody may go on with.
    fn unattended(&self) -> Option<Duration> {
        None
    }
    /// Takes the host of an attempt that came to an outcome. The host keeps the program's output until it is let go,
    /// so that an attempt whose outcome was not recorded finds it again: let it go once the outcome is recorded.
    /// As it stands here, it is let go at once, and a crash in between loses the outcome.
    fn settle_later(&self, host: &HostId, parting: Parting) {
        let _ = host;
        tokio::spawn(parting.let_go());
    }
    /// The accepted outputs of the Run so far by node id; asked only for the inputs of another flow that read them.
    /// `None`: they cannot be had here.
    fn outputs(&self, call: &Call) -> Option<Arc<Object>> {
        let _ = call;
        None
    }
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

    /// A program of it that was started leaves traces in its host's folder until the outcome is recorded, so that one
    /// without any was never started.
    fn leaves_traces(&self) -> bool {
        self.needs_host()
    }

    /// Does one attempt. Never panics on what comes from outside.
    fn execute<'a>(&'a self, call: &'a Call, around: &'a dyn Surroundings) -> Answer<'a, Outcome>;
}

/// An output of the form that evidence wants: an object.
#[must_use]
pub fn returned(output: Object, level: EvidenceLevel) -> Outcome {
    Outcome::Returned { output: Json::Object(output), level, session: None, artifact: None }
}

/// An output that crossed a real boundary.
pub(crate) fn real(output: Object) -> Outcome {
    returned(output, EvidenceLevel::RealExecutor)
}

pub(crate) fn failure(class: Option<FailureClass>, error_type: &str, message: impl Into<String>) -> Outcome {
    Outcome::Failed { class, error_type: error_type.to_owned(), message: message.into() }
}

/// A result that is not of the form that its contract demands.
pub(crate) fn malformed(message: impl Into<String>) -> Outcome {
    failure(Some(FailureClass::Malformed), "MalformedResult", message)
}
