//! One agent as data.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value};

use super::Options;
use crate::acp::{Setting, SettingRole, SettingValue};

/// How an agent is started and set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adapter {
    pub name: String,
    /// A bare name to look up, or an absolute path.
    pub program: String,
    pub args: Vec<String>,
    /// Set before every prompt, in this order.
    pub pins: Vec<Pin>,
    /// How the caller's choice of a model reaches the agent; `None` when it cannot.
    pub model: Option<Choice>,
    pub effort: Option<Choice>,
    /// Laid over the server's environment.
    pub environment: Vec<(String, String)>,
    /// How long after its standard input closes it is given to exit by itself, before SIGTERM.
    pub eof_grace: Duration,
    /// The configuration file that it comes from; `None` for a built-in one.
    pub source: Option<PathBuf>,
    /// What the environment needs beyond `environment`.
    pub(super) amend: Option<Amend>,
}

/// A change of the environment for which plain values do not do; see the agent's own file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Amend {
    OpencodeAsks,
}

/// A setting with a fixed value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pin {
    pub name: String,
    pub value: SettingValue,
    /// The value when the caller allows `edit`; `None` when it is the same.
    pub with_edit: Option<SettingValue>,
}

/// How a choice of the caller reaches the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// A session setting of this name; its values are the agent's to say.
    Setting(String),
    /// `<flag>=<value>` on the command line; one of these values.
    LaunchFlag { flag: String, values: Vec<String> },
}

/// [`Choice`] without its data, as `describe_agent` names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    SessionSetting,
    LaunchFlag,
}

impl Delivery {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SessionSetting => "session_setting",
            Self::LaunchFlag => "launch_flag",
        }
    }
}

impl Choice {
    #[must_use]
    pub const fn delivery(&self) -> Delivery {
        match self {
            Self::Setting(_) => Delivery::SessionSetting,
            Self::LaunchFlag { .. } => Delivery::LaunchFlag,
        }
    }
}

impl Pin {
    const fn value(&self, edit: bool) -> &SettingValue {
        match &self.with_edit {
            Some(value) if edit => value,
            _ => &self.value,
        }
    }
}

impl Adapter {
    /// The executable's base name, for messages.
    #[must_use]
    pub fn exe(&self) -> &str {
        self.program.rsplit('/').next().unwrap_or(&self.program)
    }

    /// Everything that is set before the prompt: pins, then model, then effort.
    #[must_use]
    pub fn settings(&self, options: &Options) -> Vec<Setting> {
        let edit = options.allows_edit();
        let pins = self.pins.iter().map(|pin| Setting {
            name: pin.name.clone(),
            value: pin.value(edit).clone(),
            role: SettingRole::Pin,
        });
        let chosen = |choice: &Option<Choice>, value: &Option<String>, role| match (choice, value) {
            (Some(Choice::Setting(name)), Some(value)) => {
                Some(Setting { name: name.clone(), value: SettingValue::Str(value.clone()), role })
            }
            _ => None,
        };
        pins.chain(chosen(&self.model, &options.model, SettingRole::Model))
            .chain(chosen(&self.effort, &options.effort, SettingRole::Effort))
            .collect()
    }

    /// The flags that carry the caller's choices. They follow [`Adapter::args`].
    #[must_use]
    pub fn launch_flags(&self, options: &Options) -> Vec<String> {
        [(&self.model, &options.model), (&self.effort, &options.effort)]
            .into_iter()
            .filter_map(|(choice, value)| match (choice, value) {
                (Some(Choice::LaunchFlag { flag, .. }), Some(value)) => Some(format!("{flag}={value}")),
                _ => None,
            })
            .collect()
    }

    /// All arguments after the program's name.
    #[must_use]
    pub fn arguments(&self, options: &Options) -> Vec<String> {
        self.args.iter().cloned().chain(self.launch_flags(options)).collect()
    }

    /// `describe_agent`'s `delivery`.
    #[must_use]
    pub fn delivery(&self) -> Vec<(&'static str, Delivery)> {
        [("model", &self.model), ("effort", &self.effort)]
            .into_iter()
            .filter_map(|(name, choice)| Some((name, choice.as_ref()?.delivery())))
            .collect()
    }

    /// `describe_agent`'s `pins`, or with `edit` its `pins_with_edit`.
    #[must_use]
    pub fn pinned(&self, edit: bool) -> Map<String, Value> {
        self.pins.iter().map(|pin| (pin.name.clone(), pin.value(edit).to_json())).collect()
    }
}
