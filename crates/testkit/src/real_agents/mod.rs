//! Real coding agents in tests: where they are installed, and what makes them talk to a
//! [`ModelServer`](crate::model_server::ModelServer) and to nothing else.
//!
//! `crates/testkit/agents/install.sh` installs them at pinned versions. Knows no ACP beyond how to start each.

mod environment;
mod launcher;
mod mark;

pub use environment::{MODEL_KEY, environment};
pub use launcher::{DIRECTORY_VARIABLE, WANTED_VARIABLE, launcher_or_skip};
pub use mark::Mark;

/// A coding agent that the tests know how to set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Agent {
    Claude,
    Codex,
    Copilot,
    Cline,
    Opencode,
}

impl Agent {
    pub const ALL: [Self; 5] = [Self::Claude, Self::Codex, Self::Copilot, Self::Cline, Self::Opencode];

    /// Its name for `install.sh`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Copilot => "copilot",
            Self::Cline => "cline",
            Self::Opencode => "opencode",
        }
    }

    /// The program that speaks ACP; its launcher has this name.
    pub fn program(self) -> &'static str {
        match self {
            Self::Claude => "claude-agent-acp",
            Self::Codex => "codex-acp",
            Self::Copilot => "copilot",
            Self::Cline => "cline",
            Self::Opencode => "opencode",
        }
    }

    /// The arguments with which the program speaks ACP over standard input and output.
    pub fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Claude | Self::Codex => &[],
            Self::Copilot | Self::Cline => &["--acp"],
            Self::Opencode => &["acp"],
        }
    }
}
