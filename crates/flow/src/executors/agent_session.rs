//! `agent_cli` in session mode: an agent that keeps a conversation from one node to the next and speaks
//! `symphlo.agent-session.v1` (contract §14.2).

use std::path::Path;

use segue_model::{
    flow::{
        Json, Object,
        capability::{Capability, Config},
        fields::{Fields, trimmed},
        json::object,
    },
    run::{Outcome, attempt::EvidenceLevel, attempt::Session},
};

use super::{
    Answer, Call, Executor, Surroundings,
    agent_text::{self, Identity, PROMPT_MAX_BYTES},
    malformed,
    process::{self, Finished, Program},
    request::{self, Request},
    table::unbound,
};

const VERSION: &str = "1.0";
/// Characters of a reference. Fixed by the contract.
const REF_MAX: usize = 500;

/// The conversation that a turn belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn<'a> {
    pub session_group: Option<&'a str>,
    /// Once it is bound.
    pub conversation_ref: Option<&'a str>,
}

#[derive(Debug)]
pub struct AgentSession;

#[must_use]
pub fn request_of(request: Request<'_>, turn: Turn<'_>, workspace: &Path, prompt: &str) -> Vec<u8> {
    request::bytes(object([
        ("protocol_version", VERSION.into()),
        ("operation", "invoke".into()),
        ("run_id", request.run_id.into()),
        ("node_id", request.node_id.into()),
        ("session_group", turn.session_group.map(Json::from).into()),
        ("conversation_ref", turn.conversation_ref.map(Json::from).into()),
        ("workspace", workspace.to_string_lossy().into_owned().into()),
        ("prompt", prompt.into()),
    ]))
}

#[must_use]
pub fn interpret(request: Request<'_>, turn: Turn<'_>, capability: &Capability, finished: &Finished) -> Outcome {
    let text = match finished.text() {
        Ok(text) => text,
        Err(outcome) => return outcome,
    };
    match read(&text, turn) {
        Ok((session, text)) => {
            let identity = Identity::of_capability(capability.id.as_str(), capability);
            let output = agent_text::output(request, &identity, &text, Object::new());
            Outcome::Returned {
                output: Json::Object(output),
                level: EvidenceLevel::RealExecutor,
                session: turn.session_group.map(|_| session),
                artifact: None,
            }
        }
        Err(problem) => malformed(format!("the reply of {}: {problem}", finished.name)),
    }
}

/// Extra members are tolerated.
fn read(text: &str, turn: Turn<'_>) -> Result<(Session, String), String> {
    let reply = Json::parse(text).map_err(|_| "is not JSON".to_owned())?;
    let words = |problem: segue_model::flow::Problem| problem.to_string();
    let fields = Fields::of(&reply, "").map_err(words)?;
    fields.literal("protocol_version", VERSION).map_err(words)?;
    let reference = |name: &str| {
        let text = fields.get(name).and_then(Json::as_str).filter(|text| trimmed(text, REF_MAX).is_some());
        let text = text.filter(|text| text.chars().count() <= REF_MAX);
        text.map(str::to_owned).ok_or_else(|| format!("/{name}: must be text of 1 to {REF_MAX} characters"))
    };
    let session = Session { conversation_ref: reference("conversation_ref")?, turn_ref: reference("turn_ref")? };
    if turn.conversation_ref.is_some_and(|bound| bound != session.conversation_ref) {
        return Err("/conversation_ref: is not that of the conversation that was gone on with".to_owned());
    }
    let text = fields.get("output_text").and_then(Json::non_blank).filter(|text| text.len() <= PROMPT_MAX_BYTES);
    let text =
        text.ok_or_else(|| format!("/output_text: must be text of at most {PROMPT_MAX_BYTES} bytes, not blank"))?;
    Ok((session, text.to_owned()))
}

impl Executor for AgentSession {
    fn needs_host(&self) -> bool {
        true
    }

    fn execute<'a>(&'a self, call: &'a Call, around: &'a dyn Surroundings) -> Answer<'a, Outcome> {
        Box::pin(async move {
            let Some((capability, Config::AgentCli { command, .. })) = call.bound() else { return unbound() };
            let request = Request::of(call);
            let prompt = match agent_text::prompt(request) {
                Ok(prompt) => prompt,
                Err(outcome) => return outcome,
            };
            let turn = Turn {
                session_group: call.node.session_group.as_deref(),
                conversation_ref: call.conversation_ref.as_deref(),
            };
            let program = Program::of(command, request_of(request, turn, &call.workspace, &prompt));
            match process::run(&call.terms(), around, program).await {
                Ok(finished) => interpret(request, turn, capability, &finished),
                Err(outcome) => outcome,
            }
        })
    }
}
