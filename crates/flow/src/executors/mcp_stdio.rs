//! `mcp_stdio`: one call of one tool of an MCP server that is started for it (contract §14.6).

use std::{path::PathBuf, time::Duration};

use bytes::Bytes;
use segue_host::{
    Exit,
    acp::{LineBuffer, RawLine},
    mcp_client::{Act, Ask, Conversation, Failure, FailureKind, Lifecycle, Reply},
};
use segue_model::{
    flow::{
        Json, Object,
        capability::{
            Capability, Config,
            config::{Command, ToolCall},
        },
        json::object,
        rules::FailureClass,
    },
    run::Outcome,
};

use super::{
    Answer, Call, Executor, Surroundings, Terms, failure,
    guest::{Heard, Launch},
    malformed,
    process::{OUTPUT_MAX_BYTES, Watch, Why},
    real,
    request::{self, Request},
    table::unbound,
};

/// From the end of its input to the first signal. Fixed by the contract.
const CLOSE_GRACE: Duration = Duration::from_secs(1);
pub(super) const CLIENT: &str = "segue";
pub(super) const CLIENT_VERSION: &str = env!("CARGO_PKG_VERSION");

#[derive(Debug)]
pub struct McpStdio;

/// The call: the fixed tool and arguments, and the accepted input under the context key.
#[must_use]
pub fn request_of(call: &ToolCall, input: &Object) -> Ask {
    let arguments = request::with_context(&call.arguments, call.context_key.as_deref(), input);
    Ask::Call { tool: call.tool.clone(), arguments }
}

/// The output that a tool's result becomes.
#[must_use]
pub fn interpret(capability: &Capability, result: Object) -> Outcome {
    let texts: Vec<&str> = result
        .get("content")
        .and_then(Json::as_array)
        .unwrap_or_default()
        .iter()
        .filter(|part| part.get("type").and_then(Json::as_str) == Some("text"))
        .filter_map(|part| part.get("text")?.as_str())
        .collect();
    let text = (!texts.is_empty()).then(|| texts.join("\n"));
    let structured = result.get("structuredContent").and_then(Json::as_object).cloned();
    let mut output = object([("mcp_result", result.into())]);
    output.extend(structured.into_iter().flatten());
    if let Some(text) = text {
        output.insert("text".to_owned(), text.into());
    }
    output.extend(request::called(capability));
    real(output)
}

/// The failure of a conversation. `exit` tells why a server closed.
pub(super) fn failed(failed: &Failure, exit: Option<&Exit>) -> Outcome {
    let step = failed.step;
    match (&failed.kind, exit) {
        (FailureKind::Closed, Some(Exit::Code(code))) => {
            let message = format!("{step}: the server exited with status {code} before it answered");
            failure(Some(FailureClass::Exit), "ProcessExit", message)
        }
        (FailureKind::Closed, _) => failure(Some(FailureClass::Exit), "McpClosed", failed.to_string()),
        (FailureKind::Tool | FailureKind::Error { .. }, _) => failure(None, "McpError", failed.to_string()),
        _ => malformed(failed.to_string()),
    }
}

impl Executor for McpStdio {
    fn needs_host(&self) -> bool {
        true
    }

    fn execute<'a>(&'a self, call: &'a Call, around: &'a dyn Surroundings) -> Answer<'a, Outcome> {
        Box::pin(async move {
            let Some((capability, Config::McpStdio { command, call: tool })) = call.bound() else { return unbound() };
            let ask = request_of(tool, Request::of(call).input);
            match converse(command, ask, &call.terms(), around).await {
                Ok(Reply::Called(result)) => interpret(capability, result),
                Ok(Reply::Listed(_)) => unbound(),
                Err(outcome) => outcome,
            }
        })
    }
}

/// Starts the server, or finds it again, and asks. The time is for each of its answers.
///
/// # Errors
/// The outcome of an attempt that has no reply.
pub(super) async fn converse(
    command: &Command,
    ask: Ask,
    terms: &Terms,
    around: &dyn Surroundings,
) -> Result<Reply, Outcome> {
    let launch = Launch {
        executable: PathBuf::from(&command.executable),
        args: command.args.iter().map(Into::into).collect(),
        cwd: terms.workspace.clone(),
        env: Vec::new(),
        eof_grace: CLOSE_GRACE,
        unattended: None,
    };
    let mut watch = Watch::open(terms, around, launch).await?;
    let (mut conversation, first) = Conversation::begin(CLIENT, CLIENT_VERSION, ask, Lifecycle::Session);
    let mut lines = LineBuffer::at(0);
    let mut received = 0;
    let mut result = None;
    carry_out(first, &mut watch, &mut result).await;
    let end = loop {
        let acts = match watch.next().await? {
            Heard::Out(_) if watch.why.is_some() => continue,
            Heard::Out(bytes) => {
                received += bytes.len();
                let mut acts = Vec::new();
                lines.push(&bytes, |line, _| {
                    if let RawLine::Line(line) = line {
                        acts.extend(conversation.message(line));
                    }
                });
                if acts.iter().any(|act| matches!(act, Act::Send(_))) {
                    received = 0;
                } else if acts.is_empty() && received > OUTPUT_MAX_BYTES {
                    watch.end(Why::TooMuch);
                }
                acts
            }
            Heard::OutEof => conversation.closed(),
            Heard::Exited => continue,
            Heard::End(end) => break end,
            Heard::Lost(outcome) => {
                return match watch.lost(around, outcome) {
                    // The answer was there before.
                    Outcome::Lost(_) if result.is_some() => outcome_of(result, None),
                    outcome => Err(outcome),
                };
            }
        };
        carry_out(acts, &mut watch, &mut result).await;
    };
    match watch.finish(around, &end) {
        Some(outcome) => Err(outcome),
        None => outcome_of(result.or_else(|| over(conversation.closed())), Some(&end.exit)),
    }
}

type Said = Result<Reply, Failure>;

fn over(acts: Vec<Act>) -> Option<Said> {
    acts.into_iter().find_map(|act| match act {
        Act::Done(reply) => Some(Ok(reply)),
        Act::Failed(failure) => Some(Err(failure)),
        Act::Send(_) => None,
    })
}

fn outcome_of(result: Option<Said>, exit: Option<&Exit>) -> Result<Reply, Outcome> {
    match result {
        Some(Ok(reply)) => Ok(reply),
        Some(Err(failure)) => Err(failed(&failure, exit)),
        None => Err(malformed("the server ended in the middle of the conversation")),
    }
}

async fn carry_out(acts: Vec<Act>, watch: &mut Watch<'_>, result: &mut Option<Said>) {
    for act in acts {
        match act {
            Act::Send(out) => {
                if out.awaits {
                    watch.restart_clock();
                }
                let mut line = out.line.into_bytes();
                line.push(b'\n');
                watch.guest.say(Bytes::from(line)).await;
            }
            Act::Done(reply) => *result = Some(Ok(reply)),
            Act::Failed(failure) => *result = Some(Err(failure)),
        }
    }
    if result.is_some() {
        watch.end(Why::Done);
    }
}
