//! The conversation: initialize → initialized → one `tools/call`, or `tools/list` to its last page.

use std::fmt;

use segue_model::flow::{Json, Object, canonical::canonical, json::object};

use super::failure::{Failure, FailureKind};

/// The revision that is offered.
pub const NEWEST: &str = VERSIONS[0];
/// The revisions with a session that are spoken. Fixed by the flow contract.
pub const VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/// The revision without a session: every request says who asks and in which revision.
pub const STATELESS: &str = "2026-07-28";
/// Pages of tools that are read; a page holds dozens.
pub const PAGES_MAX: u32 = 64;

/// JSON-RPC errors with which a server without sessions answers `initialize`: no such method, and its revision is
/// another.
const NO_SESSIONS: [i64; 2] = [-32601, -32022];

/// What is wanted.
#[derive(Debug, Clone, PartialEq)]
pub enum Ask {
    Call { tool: String, arguments: Object },
    List,
}

/// How a conversation begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifecycle {
    /// `initialize` comes first, and must be answered well.
    Session,
    /// As before; a server that has no sessions is asked without one.
    SessionOrNone,
}

/// The request whose answer is awaited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Initialize,
    Call,
    List,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Initialize => "initialize",
            Self::Call => "tools/call",
            Self::List => "tools/list",
        })
    }
}

/// A message to send, one line without its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outgoing {
    /// 1 for the first; the same message has the same number in every run of the conversation.
    pub n: u64,
    pub method: &'static str,
    pub line: String,
    /// An answer follows.
    pub awaits: bool,
}

/// What follows from a message.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    Send(Outgoing),
    /// It is over.
    Done(Reply),
    /// It is over.
    Failed(Failure),
}

/// What was asked for.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// The result as it came.
    Called(Object),
    /// Names.
    Listed(Vec<String>),
}

/// See the module's documentation.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversation {
    ask: Ask,
    lifecycle: Lifecycle,
    client: Json,
    /// `None` once it is over.
    awaited: Option<(i64, Step)>,
    last_id: i64,
    last_input: u64,
    stateless: bool,
    /// What the server answered, or the newest.
    version: String,
    tools: Vec<String>,
    pages: u32,
}

impl Conversation {
    /// Opens a conversation. `name` and `version` are the client's.
    #[must_use]
    pub fn begin(name: &str, version: &str, ask: Ask, lifecycle: Lifecycle) -> (Self, Vec<Act>) {
        let client = Json::Object(object([("name", name.into()), ("version", version.into())]));
        let mut conversation = Self {
            ask,
            lifecycle,
            client,
            awaited: None,
            last_id: 0,
            last_input: 0,
            stateless: false,
            version: NEWEST.to_owned(),
            tools: Vec::new(),
            pages: 0,
        };
        let params = object([
            ("protocolVersion", NEWEST.into()),
            ("capabilities", Object::new().into()),
            ("clientInfo", conversation.client.clone()),
        ]);
        let first = conversation.request(Step::Initialize, "initialize", params);
        (conversation, vec![first])
    }

    /// The request whose answer is awaited; `None` once it is over.
    #[must_use]
    pub fn awaiting(&self) -> Option<Step> {
        self.awaited.map(|(_, step)| step)
    }

    /// The revision in which requests are sent from now on.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The tool that a `tools/call` names.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        match &self.ask {
            Ask::Call { tool, .. } => Some(tool),
            Ask::List => None,
        }
    }

    /// One message; any bytes. Blank ones are nothing.
    #[must_use]
    pub fn message(&mut self, message: &[u8]) -> Vec<Act> {
        let Some((id, step)) = self.awaited else { return Vec::new() };
        let text = String::from_utf8_lossy(message);
        if text.trim().is_empty() {
            return Vec::new();
        }
        let Ok(Json::Object(message)) = Json::parse(&text) else { return self.fail(FailureKind::Malformed) };
        if message.get("method").is_some_and(|method| !method.is_null()) {
            let is_request = message.get("id").is_some_and(|id| !id.is_null());
            return if is_request { self.fail(FailureKind::ServerRequest) } else { Vec::new() };
        }
        if !message.get("id").is_some_and(|answered| is_id(answered, id)) {
            // An error without an id says that what was sent could not be read.
            let unread = message.get("id").is_none_or(Json::is_null) && message.contains_key("error");
            return if unread { self.error(&message, step) } else { Vec::new() };
        }
        if message.get("error").is_some_and(|error| !error.is_null()) {
            return self.error(&message, step);
        }
        let Some(Json::Object(result)) = message.get("result") else { return self.fail(FailureKind::Malformed) };
        self.awaited = None;
        match step {
            Step::Initialize => self.initialized(result),
            Step::Call => self.called(result),
            Step::List => self.listed(result),
        }
    }

    /// The server is gone. Empty when nothing is awaited.
    #[must_use]
    pub fn closed(&mut self) -> Vec<Act> {
        if self.awaited.is_some() { self.fail(FailureKind::Closed) } else { Vec::new() }
    }

    /// The transport refused `initialize` as a server does that has no sessions. Empty when that cannot be meant.
    #[must_use]
    pub fn without_session(&mut self) -> Vec<Act> {
        let may = self.lifecycle == Lifecycle::SessionOrNone && self.awaiting() == Some(Step::Initialize);
        if !may {
            return Vec::new();
        }
        self.stateless = true;
        STATELESS.clone_into(&mut self.version);
        vec![self.wanted(None)]
    }

    fn error(&mut self, message: &Object, step: Step) -> Vec<Act> {
        let code = message.get("error").and_then(|error| error.get("code")).and_then(Json::as_i64).unwrap_or_default();
        if step == Step::Initialize && NO_SESSIONS.contains(&code) {
            let acts = self.without_session();
            if !acts.is_empty() {
                return acts;
            }
        }
        self.fail(FailureKind::Error { code })
    }

    fn initialized(&mut self, result: &Object) -> Vec<Act> {
        let version = result.get("protocolVersion").and_then(Json::as_str);
        let known = version.filter(|version| VERSIONS.contains(version) || *version == STATELESS);
        let Some(version) = known else { return self.fail_at(Step::Initialize, FailureKind::Version) };
        if result.get("capabilities").and_then(|offered| offered.get("tools")).is_none_or(Json::is_null) {
            return self.fail_at(Step::Initialize, FailureKind::NoTools);
        }
        version.clone_into(&mut self.version);
        self.last_input += 1;
        let note = object([("jsonrpc", "2.0".into()), ("method", "notifications/initialized".into())]);
        let note = Outgoing {
            n: self.last_input,
            method: "notifications/initialized",
            line: canonical(&note.into()),
            awaits: false,
        };
        vec![Act::Send(note), self.wanted(None)]
    }

    fn wanted(&mut self, cursor: Option<&str>) -> Act {
        match &self.ask {
            Ask::Call { tool, arguments } => {
                let params = object([("name", tool.as_str().into()), ("arguments", arguments.clone().into())]);
                self.request(Step::Call, "tools/call", params)
            }
            Ask::List => {
                let mut params = Object::new();
                if let Some(cursor) = cursor {
                    params.insert("cursor".to_owned(), cursor.into());
                }
                self.request(Step::List, "tools/list", params)
            }
        }
    }

    fn called(&mut self, result: &Object) -> Vec<Act> {
        if !is_complete(result) {
            return self.fail_at(Step::Call, FailureKind::NotComplete);
        }
        if result.get("isError") == Some(&Json::Bool(true)) {
            return self.fail_at(Step::Call, FailureKind::Tool);
        }
        vec![Act::Done(Reply::Called(result.clone()))]
    }

    fn listed(&mut self, result: &Object) -> Vec<Act> {
        let Some(Json::Array(tools)) = result.get("tools") else {
            return self.fail_at(Step::List, FailureKind::Malformed);
        };
        self.tools.extend(tools.iter().filter_map(|tool| tool.get("name")?.as_str().map(str::to_owned)));
        self.pages += 1;
        match result.get("nextCursor").and_then(Json::as_str) {
            Some(_) if self.pages == PAGES_MAX => self.fail_at(Step::List, FailureKind::TooManyPages),
            Some(cursor) => vec![self.wanted(Some(cursor))],
            None => vec![Act::Done(Reply::Listed(std::mem::take(&mut self.tools)))],
        }
    }

    fn request(&mut self, step: Step, method: &'static str, mut params: Object) -> Act {
        if self.stateless {
            let meta = object([
                ("io.modelcontextprotocol/protocolVersion", STATELESS.into()),
                ("io.modelcontextprotocol/clientCapabilities", Object::new().into()),
                ("io.modelcontextprotocol/clientInfo", self.client.clone()),
            ]);
            params.insert("_meta".to_owned(), meta.into());
        }
        self.last_id += 1;
        self.last_input += 1;
        self.awaited = Some((self.last_id, step));
        let message = object([
            ("jsonrpc", "2.0".into()),
            ("id", self.last_id.into()),
            ("method", method.into()),
            ("params", params.into()),
        ]);
        Act::Send(Outgoing { n: self.last_input, method, line: canonical(&message.into()), awaits: true })
    }

    fn fail(&mut self, kind: FailureKind) -> Vec<Act> {
        match self.awaited {
            Some((_, step)) => self.fail_at(step, kind),
            None => Vec::new(),
        }
    }

    fn fail_at(&mut self, step: Step, kind: FailureKind) -> Vec<Act> {
        self.awaited = None;
        vec![Act::Failed(Failure { step, kind })]
    }
}

/// Some servers answer with the id as text.
fn is_id(answered: &Json, id: i64) -> bool {
    answered.as_i64() == Some(id) || answered.as_str() == Some(id.to_string().as_str())
}

/// Older revisions do not say.
fn is_complete(result: &Object) -> bool {
    result.get("resultType").is_none_or(|kind| kind.is_null() || kind.as_str() == Some("complete"))
}
