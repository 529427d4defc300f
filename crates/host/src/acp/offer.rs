//! What a session offers to set, read from `configOptions`.

use serde::{Deserialize, Serialize};

use super::SettingValue;

/// The settings of a session, in the agent's order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Offer {
    pub settings: Vec<OfferedSetting>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfferedSetting {
    pub name: String,
    pub values: OfferedValue,
}

/// What a setting can be, and what it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum OfferedValue {
    /// Groups flattened, repeats dropped, order kept.
    Select { current: String, values: Vec<String> },
    Boolean { current: bool },
}

impl Offer {
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&OfferedValue> {
        self.settings.iter().find(|setting| setting.name == name).map(|setting| &setting.values)
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.settings.is_empty()
    }
}

impl OfferedValue {
    #[must_use]
    pub fn current(&self) -> SettingValue {
        match self {
            Self::Select { current, .. } => SettingValue::Str(current.clone()),
            Self::Boolean { current } => SettingValue::Bool(*current),
        }
    }
}
