//! A capability: one program, tool or agent that nodes can be bound to, as saved in the catalogue (contract
//! §13, design §7). Its fingerprint covers what it does, not what it is called.

pub mod config;
pub mod descriptor;
pub mod read;
pub mod record;
#[cfg(test)]
mod tests;
mod url;

use super::{
    canonical::Hash,
    effect::Effect,
    executor::ExecutorRef,
    id::CapabilityId,
    json::{Json, object},
};

pub use config::{Config, Resolve};
pub use record::{ProbeRecord, Saved, Status};

words! {
    /// The first six are the contract's; the last two are bound by documents of schema version 2 only.
    Kind {
        AgentCli = "agent_cli",
        ModelCli = "model_cli",
        EvaluatorCli = "evaluator_cli",
        Cli = "cli",
        McpStdio = "mcp_stdio",
        Http = "http",
        AcpAgent = "acp_agent",
        McpHttp = "mcp_http",
    }
}

words! {
    Source {
        Manual = "manual",
        Discovered = "discovered",
        /// Installed by the runtime itself, never by a caller.
        Sample = "sample",
    }
}

/// Every capability has this version; what changes shows in the fingerprint.
pub const VERSION: &str = "1.0.0";

/// Digits of the fingerprint that an executor reference carries.
const FINGERPRINT_DIGITS: usize = 16;

impl Kind {
    #[must_use]
    pub const fn needs_version_2(self) -> bool {
        matches!(self, Self::AcpAgent | Self::McpHttp)
    }

    /// The effects if the definition names none (contract §13).
    #[must_use]
    pub const fn default_effects(self) -> &'static [Effect] {
        use Effect::{ExecuteProcess, ReadExternal, ReadLocal, WriteExternal, WriteLocal};
        match self {
            Self::AgentCli | Self::McpStdio | Self::AcpAgent => {
                &[ExecuteProcess, ReadLocal, ReadExternal, WriteLocal, WriteExternal]
            }
            Self::ModelCli | Self::EvaluatorCli => &[ExecuteProcess, ReadLocal, ReadExternal],
            Self::Cli => &[ExecuteProcess, ReadLocal, WriteLocal],
            Self::Http | Self::McpHttp => &[ReadExternal, WriteExternal],
        }
    }

    /// Seconds.
    #[must_use]
    pub const fn default_timeout(self) -> u32 {
        match self {
            Self::AgentCli | Self::ModelCli | Self::EvaluatorCli => 120,
            // A turn of a coding agent takes minutes to hours.
            Self::AcpAgent => 3600,
            Self::Cli | Self::McpStdio | Self::Http | Self::McpHttp => 30,
        }
    }

    /// Seconds.
    #[must_use]
    pub const fn longest_timeout(self) -> u32 {
        match self {
            Self::AcpAgent => 86_400,
            _ => 600,
        }
    }

    /// Seconds, of what the runtime itself installs: the command of a demo may take an hour (contract §14.8).
    #[must_use]
    pub const fn longest_timeout_of_runtime(self) -> u32 {
        match self {
            Self::AgentCli => 3600,
            _ => self.longest_timeout(),
        }
    }
}

/// A definition that follows every rule, with its config in normal form.
#[derive(Debug, Clone, PartialEq)]
pub struct Capability {
    pub id: CapabilityId,
    pub name: String,
    pub source: Source,
    pub description: String,
    /// In the order they were declared.
    pub effects: Vec<Effect>,
    /// 1 to [`Kind::longest_timeout`], or [`Kind::longest_timeout_of_runtime`] of one that the runtime installed.
    pub timeout_seconds: u32,
    pub config: Config,
}

impl Capability {
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.config.kind()
    }

    /// Hash of `{kind, effects, timeout_seconds, config}` (contract §2).
    #[must_use]
    pub fn fingerprint(&self) -> Hash {
        Hash::of(&Json::Object(object([
            ("kind", self.kind().into()),
            ("effects", self.effects.clone().into()),
            ("timeout_seconds", self.timeout_seconds.into()),
            ("config", self.config.to_json()),
        ])))
    }

    /// What a node bound to this capability names as its executor.
    #[must_use]
    pub fn executor(&self) -> ExecutorRef {
        let fingerprint = self.fingerprint();
        ExecutorRef {
            executor_id: format!("capability.{}.{}", self.id, fingerprint.prefix(FINGERPRINT_DIGITS)),
            version: VERSION.to_owned(),
        }
    }

    /// It keeps a conversation from one node to the next, so that nodes can share a session group.
    #[must_use]
    pub const fn keeps_sessions(&self) -> bool {
        self.config.keeps_sessions()
    }
}
