//! How a conversation with a tool server fails. Texts of the server are never part of it: they may hold anything.

use super::Step;

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FailureKind {
    /// A message that is no JSON object of the protocol.
    Malformed,
    /// The server asked for something itself.
    ServerRequest,
    /// The answer is a JSON-RPC error.
    Error { code: i64 },
    /// None of the revisions that are spoken here.
    Version,
    /// It has no tools.
    NoTools,
    /// The tool was called and says that it failed.
    Tool,
    /// The answer is not the end of the call but an offer that cannot be taken up (a task, a question).
    NotComplete,
    /// More pages of tools than any server has.
    TooManyPages,
    /// The server closed before it answered.
    Closed,
}

/// Where, and what.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{step}: {}", self.words())]
pub struct Failure {
    /// The request whose answer was awaited.
    pub step: Step,
    pub kind: FailureKind,
}

impl Failure {
    fn words(&self) -> String {
        match &self.kind {
            FailureKind::Malformed => "the server sent something that is no message of the protocol".to_owned(),
            FailureKind::ServerRequest => "the server sent a request of its own".to_owned(),
            FailureKind::Error { code } => format!("the server answered with error {code}"),
            FailureKind::Version => "the server speaks no known revision of the protocol".to_owned(),
            FailureKind::NoTools => "the server offers no tools".to_owned(),
            FailureKind::Tool => "the tool reports that it failed".to_owned(),
            FailureKind::NotComplete => "the server did not complete the call".to_owned(),
            FailureKind::TooManyPages => "the server lists tools without end".to_owned(),
            FailureKind::Closed => "the server closed before it answered".to_owned(),
        }
    }
}
