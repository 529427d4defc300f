//! The lines we send, built from the protocol's own types.

use agent_client_protocol_schema::{ProtocolVersion, v1 as acp};
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;

use super::read::Object;
use super::{Client, Setting, SettingValue};
use crate::facts::OrphanPlan;

/// One line for the agent's standard input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outgoing {
    /// 1, 2, 3, … over the life of the agent's process, without gaps.
    pub n: u64,
    pub body: OutBody,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum OutBody {
    /// Complete, without the line feed.
    Line(String),
    /// The prompt. Its text is not kept here; the driver has it.
    Prompt { id: u64, session_id: String },
}

impl Outgoing {
    /// The bytes to write, line feed included. `prompt` is used for [`OutBody::Prompt`] only.
    #[must_use]
    pub fn render(&self, prompt: &str) -> Vec<u8> {
        let mut line = match &self.body {
            OutBody::Line(line) => line.clone(),
            OutBody::Prompt { id, session_id } => {
                let text = acp::ContentBlock::Text(acp::TextContent::new(prompt));
                request(*id, "session/prompt", &acp::PromptRequest::new(session_id.clone(), vec![text]))
            }
        };
        line.push('\n');
        line.into_bytes()
    }

    /// For a prompt, how its turn is ended when no server is left to do it.
    #[must_use]
    pub fn orphan_plan(&self) -> Option<OrphanPlan> {
        let OutBody::Prompt { id, session_id } = &self.body else { return None };
        Some(OrphanPlan { cancel_line: Some(cancel(session_id)), await_reply_id: Some((*id).into()), grace_ms: None })
    }

    #[must_use]
    pub const fn is_prompt(&self) -> bool {
        matches!(self.body, OutBody::Prompt { .. })
    }
}

/// JSON-RPC: no such method.
pub(super) const METHOD_NOT_FOUND: i32 = -32601;
/// JSON-RPC: the parameters do not fit.
pub(super) const INVALID_PARAMS: i32 = -32602;

#[derive(Serialize)]
struct Request<'a, P> {
    jsonrpc: &'static str,
    id: u64,
    method: &'a str,
    params: &'a P,
}

#[derive(Serialize)]
struct Notification<'a, P> {
    jsonrpc: &'static str,
    method: &'a str,
    params: &'a P,
}

#[derive(Serialize)]
struct Answer<'a, R> {
    jsonrpc: &'static str,
    id: &'a RawValue,
    result: R,
}

#[derive(Serialize)]
struct Refusal<'a> {
    jsonrpc: &'static str,
    id: &'a RawValue,
    error: RefusalBody<'a>,
}

#[derive(Serialize)]
struct RefusalBody<'a> {
    code: i32,
    message: &'a str,
}

/// The protocol's types and the envelopes above hold strings, numbers and valid raw values only.
fn encode(message: &impl Serialize) -> String {
    serde_json::to_string(message).expect("a message of the protocol is always JSON")
}

fn request<P: Serialize>(id: u64, method: &str, params: &P) -> String {
    encode(&Request { jsonrpc: "2.0", id, method, params })
}

pub(super) fn initialize(id: u64, client: &Client) -> String {
    // By hand: the protocol's type also writes out `auth`, and nothing else is to be advertised.
    let params = json!({
        "protocolVersion": ProtocolVersion::V1,
        "clientCapabilities": {"fs": {"readTextFile": false, "writeTextFile": false}, "terminal": false},
        "clientInfo": acp::Implementation::new(client.name.clone(), client.version.clone()),
    });
    request(id, "initialize", &params)
}

pub(super) fn new_session(id: u64, cwd: &str) -> String {
    request(id, "session/new", &acp::NewSessionRequest::new(cwd))
}

pub(super) fn load_session(id: u64, session: &str, cwd: &str) -> String {
    request(id, "session/load", &acp::LoadSessionRequest::new(session.to_owned(), cwd))
}

pub(super) fn set_config_option(id: u64, session: &str, setting: &Setting) -> String {
    let value = match &setting.value {
        SettingValue::Bool(value) => acp::SessionConfigOptionValue::boolean(*value),
        SettingValue::Str(value) => acp::SessionConfigOptionValue::value_id(value.clone()),
    };
    let params = acp::SetSessionConfigOptionRequest::new(session.to_owned(), setting.name.clone(), value);
    request(id, "session/set_config_option", &params)
}

pub(super) fn list_sessions(id: u64, cwd: &str, cursor: Option<&str>) -> String {
    let params = acp::ListSessionsRequest::new().cwd(std::path::PathBuf::from(cwd)).cursor(cursor.map(str::to_owned));
    request(id, "session/list", &params)
}

pub(super) fn delete_session(id: u64, session: &str) -> String {
    request(id, "session/delete", &acp::DeleteSessionRequest::new(session.to_owned()))
}

pub(super) fn close_session(id: u64, session: &str) -> String {
    request(id, "session/close", &acp::CloseSessionRequest::new(session.to_owned()))
}

pub(super) fn cancel(session: &str) -> String {
    let params = acp::CancelNotification::new(session.to_owned());
    encode(&Notification { jsonrpc: "2.0", method: "session/cancel", params: &params })
}

/// `option` is the chosen option's id; without one the answer is "cancelled".
pub(super) fn permission(id: &RawValue, option: Option<&str>) -> String {
    let outcome = match option {
        Some(option) => acp::RequestPermissionOutcome::Selected(acp::SelectedPermissionOutcome::new(option.to_owned())),
        None => acp::RequestPermissionOutcome::Cancelled,
    };
    encode(&Answer { jsonrpc: "2.0", id, result: acp::RequestPermissionResponse::new(outcome) })
}

/// The answer in `line` turned into "cancelled", when it answers a question for permission.
pub(super) fn cancelled_instead(line: &str) -> Option<String> {
    let answer = Object::parse(line)?;
    answer.object("result")?.raw("outcome")?;
    Some(permission(answer.raw("id")?, None))
}

/// Declined when a person could have been asked, cancelled when nobody could.
pub(super) fn elicitation(id: &RawValue, in_turn: bool) -> String {
    let action = if in_turn { acp::ElicitationAction::Decline } else { acp::ElicitationAction::Cancel };
    encode(&Answer { jsonrpc: "2.0", id, result: acp::CreateElicitationResponse::new(action) })
}

pub(super) fn refuse(id: &RawValue, code: i32, message: &str) -> String {
    encode(&Refusal { jsonrpc: "2.0", id, error: RefusalBody { code, message } })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acp::SettingRole;

    fn setting(name: &str, value: SettingValue) -> Setting {
        Setting { name: name.into(), value, role: SettingRole::Pin }
    }

    #[test]
    fn every_line_is_what_the_contract_says() {
        let client = Client { name: "segue".into(), version: "1.2".into() };
        let id = RawValue::from_string("\"q1\"".into()).unwrap();
        let lines = [
            (
                initialize(1, &client),
                r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false},"clientInfo":{"name":"segue","version":"1.2"}}}"#,
            ),
            (
                new_session(2, "/w"),
                r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}"#,
            ),
            (
                load_session(2, "s", "/w"),
                r#"{"jsonrpc":"2.0","id":2,"method":"session/load","params":{"sessionId":"s","cwd":"/w","mcpServers":[]}}"#,
            ),
            (
                set_config_option(3, "s", &setting("mode", SettingValue::Str("plan".into()))),
                r#"{"jsonrpc":"2.0","id":3,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","value":"plan"}}"#,
            ),
            (
                set_config_option(3, "s", &setting("auto_approve", SettingValue::Bool(false))),
                r#"{"jsonrpc":"2.0","id":3,"method":"session/set_config_option","params":{"sessionId":"s","configId":"auto_approve","type":"boolean","value":false}}"#,
            ),
            (list_sessions(2, "/w", None), r#"{"jsonrpc":"2.0","id":2,"method":"session/list","params":{"cwd":"/w"}}"#),
            (
                list_sessions(2, "/w", Some("c")),
                r#"{"jsonrpc":"2.0","id":2,"method":"session/list","params":{"cwd":"/w","cursor":"c"}}"#,
            ),
            (
                delete_session(2, "s"),
                r#"{"jsonrpc":"2.0","id":2,"method":"session/delete","params":{"sessionId":"s"}}"#,
            ),
            (close_session(9, "s"), r#"{"jsonrpc":"2.0","id":9,"method":"session/close","params":{"sessionId":"s"}}"#),
            (cancel("s"), r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}"#),
            (
                permission(&id, Some("once")),
                r#"{"jsonrpc":"2.0","id":"q1","result":{"outcome":{"outcome":"selected","optionId":"once"}}}"#,
            ),
            (permission(&id, None), r#"{"jsonrpc":"2.0","id":"q1","result":{"outcome":{"outcome":"cancelled"}}}"#),
            (elicitation(&id, true), r#"{"jsonrpc":"2.0","id":"q1","result":{"action":"decline"}}"#),
            (elicitation(&id, false), r#"{"jsonrpc":"2.0","id":"q1","result":{"action":"cancel"}}"#),
            (
                refuse(&id, METHOD_NOT_FOUND, "no such method"),
                r#"{"jsonrpc":"2.0","id":"q1","error":{"code":-32601,"message":"no such method"}}"#,
            ),
        ];
        for (line, expected) in lines {
            let value = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
            assert_eq!(value(&line), value(expected));
            assert!(!line.contains('\n'));
        }
    }

    #[test]
    fn the_prompt_is_filled_in_when_it_is_sent() {
        let prompt = Outgoing { n: 4, body: OutBody::Prompt { id: 7, session_id: "s".into() } };
        let line = r#"{"jsonrpc":"2.0","id":7,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"a\nb"}]}}"#;
        assert_eq!(prompt.render("a\nb"), format!("{line}\n").into_bytes());
        assert_eq!(Outgoing { n: 1, body: OutBody::Line("{}".into()) }.render("x"), b"{}\n");
    }
}
