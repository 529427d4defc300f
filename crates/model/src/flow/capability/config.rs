//! What each kind of capability needs to know to run, and the normal form that is fingerprinted. Keys that
//! were not given and have no default are left out of it.

use super::{
    super::json::{Json, Object, object},
    Kind,
};
use crate::task::permission::ToolKind;

/// Finds the program an `executable` names: a command on PATH or the absolute path of a file. Answers the
/// absolute path with links kept, or `None` if there is none.
pub type Resolve<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The names of protocols as configs and replies carry them.
pub mod protocol {
    pub const MODEL: &str = "symphlo.model-inference.v1";
    pub const EVALUATION: &str = "symphlo.evaluation.v1";
    pub const AGENT_SESSION: &str = "symphlo.agent-session.v1";
    pub const OPENCODE_SERVER: &str = "opencode.server.v1";
    pub const EPHEMERAL_TEXT_ONLY: &str = "ephemeral_text_only";
}

words! {
    InputMode {
        Stdin = "stdin",
        Argument = "argument",
        SessionJson = "session_json",
    }
}

words! {
    OutputFormat {
        Text = "text",
        OpencodeJsonl = "opencode_jsonl",
        SessionJson = "session_json",
    }
}

words! {
    Method {
        Get = "GET",
        Post = "POST",
    }
}

/// A program and its fixed arguments. Never a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// An absolute path.
    pub executable: String,
    pub args: Vec<String>,
}

/// How to ask a program whether it works, and which version it said it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Probe {
    /// Never empty if given.
    pub args: Option<Vec<String>>,
    pub version: Option<String>,
}

/// The operational part of a capability, by kind.
#[derive(Debug, Clone, PartialEq)]
pub enum Config {
    AgentCli {
        command: Command,
        input: InputMode,
        output: OutputFormat,
        probe: Probe,
    },
    /// The managed mode of `agent_cli`: a loopback server of the agent for each node.
    AgentServer {
        executable: String,
        probe_args: Option<Vec<String>>,
        version: String,
    },
    ModelCli {
        command: Command,
        probe: Probe,
    },
    EvaluatorCli {
        command: Command,
        probe: Probe,
    },
    Cli {
        command: Command,
    },
    McpStdio {
        command: Command,
        call: ToolCall,
    },
    Http {
        url: String,
        method: Method,
        body: Object,
        context_key: Option<String>,
    },
    AcpAgent(AcpAgent),
    /// `token_env` names the environment variable with the bearer token; the token itself is never stored.
    McpHttp {
        url: String,
        call: ToolCall,
        token_env: Option<String>,
    },
}

/// One fixed call of an MCP tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    pub tool: String,
    pub arguments: Object,
    /// The argument under which the accepted input is passed; `None` passes none.
    pub context_key: Option<String>,
}

/// A task of the channel as a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcpAgent {
    pub agent: String,
    pub model: Option<String>,
    pub effort: Option<String>,
    /// What the agent may do without asking a person.
    pub allow: Vec<ToolKind>,
    /// Seconds that the agent is kept idle after a turn; `None` ends it with the turn.
    pub keep_idle: Option<u32>,
    pub keep_turns: Option<u32>,
}

impl Config {
    #[must_use]
    pub const fn kind(&self) -> Kind {
        match self {
            Self::AgentCli { .. } | Self::AgentServer { .. } => Kind::AgentCli,
            Self::ModelCli { .. } => Kind::ModelCli,
            Self::EvaluatorCli { .. } => Kind::EvaluatorCli,
            Self::Cli { .. } => Kind::Cli,
            Self::McpStdio { .. } => Kind::McpStdio,
            Self::Http { .. } => Kind::Http,
            Self::AcpAgent(_) => Kind::AcpAgent,
            Self::McpHttp { .. } => Kind::McpHttp,
        }
    }

    #[must_use]
    pub const fn keeps_sessions(&self) -> bool {
        matches!(self, Self::AgentCli { input: InputMode::SessionJson, .. } | Self::AcpAgent(_))
    }

    /// The program it starts, if it starts one.
    #[must_use]
    pub fn executable(&self) -> Option<&str> {
        match self {
            Self::AgentCli { command, .. }
            | Self::ModelCli { command, .. }
            | Self::EvaluatorCli { command, .. }
            | Self::Cli { command }
            | Self::McpStdio { command, .. } => Some(&command.executable),
            Self::AgentServer { executable, .. } => Some(executable),
            Self::Http { .. } | Self::AcpAgent(_) | Self::McpHttp { .. } => None,
        }
    }

    /// The normal form: what is fingerprinted, stored and returned.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let mut members = Object::new();
        match self {
            Self::AgentCli { command, input, output, probe } => {
                command.write(&mut members);
                members.extend(object([("input_mode", (*input).into()), ("output_format", (*output).into())]));
                if *input == InputMode::SessionJson {
                    members.insert("session_protocol".into(), protocol::AGENT_SESSION.into());
                }
                probe.write(&mut members);
            }
            Self::AgentServer { executable, probe_args, version } => {
                members.extend(object([
                    ("executable", executable.as_str().into()),
                    ("adapter_protocol", protocol::OPENCODE_SERVER.into()),
                    ("workspace_profile", protocol::EPHEMERAL_TEXT_ONLY.into()),
                ]));
                Probe { args: probe_args.clone(), version: Some(version.clone()) }.write(&mut members);
            }
            Self::ModelCli { command, probe } => {
                command.write(&mut members);
                members.insert("protocol".into(), protocol::MODEL.into());
                probe.write(&mut members);
            }
            Self::EvaluatorCli { command, probe } => {
                command.write(&mut members);
                members.insert("protocol".into(), protocol::EVALUATION.into());
                probe.write(&mut members);
            }
            Self::Cli { command } => command.write(&mut members),
            Self::McpStdio { command, call } => {
                command.write(&mut members);
                call.write(&mut members);
            }
            Self::Http { url, method, body, context_key } => members.extend(object([
                ("url", url.as_str().into()),
                ("method", (*method).into()),
                ("body", body.clone().into()),
                ("context_key", context_key.clone().into()),
            ])),
            Self::AcpAgent(agent) => agent.write(&mut members),
            Self::McpHttp { url, call, token_env } => {
                members.insert("url".into(), url.as_str().into());
                call.write(&mut members);
                write_given(&mut members, "token_env", token_env.clone());
            }
        }
        Json::Object(members)
    }
}

fn write_given(members: &mut Object, name: &str, value: Option<impl Into<Json>>) {
    if let Some(value) = value {
        members.insert(name.to_owned(), value.into());
    }
}

impl Command {
    fn write(&self, members: &mut Object) {
        members.insert("executable".into(), self.executable.as_str().into());
        members.insert("args".into(), self.args.clone().into());
    }
}

impl Probe {
    fn write(&self, members: &mut Object) {
        write_given(members, "probe_args", self.args.clone());
        write_given(members, "version", self.version.clone());
    }
}

impl ToolCall {
    fn write(&self, members: &mut Object) {
        members.extend(object([
            ("tool", self.tool.as_str().into()),
            ("arguments", self.arguments.clone().into()),
            ("context_key", self.context_key.clone().into()),
        ]));
    }
}

impl AcpAgent {
    fn write(&self, members: &mut Object) {
        members.insert("agent".into(), self.agent.as_str().into());
        write_given(members, "model", self.model.clone());
        write_given(members, "effort", self.effort.clone());
        let allow: Vec<_> = self.allow.iter().map(|kind| kind.as_str()).collect();
        members.insert("allow".into(), allow.into());
        write_given(members, "keep_idle", self.keep_idle);
        write_given(members, "keep_turns", self.keep_turns);
    }
}
