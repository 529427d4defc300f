//! What the agent reported of its context window.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The last `usage_update` of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Context {
    pub used: u64,
    pub size: u64,
    pub cost: Option<Cost>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    pub amount: f64,
    pub currency: String,
}

impl Context {
    /// `None` for any other update and for one that does not hold the two numbers.
    #[must_use]
    pub fn of_update(update: &Value) -> Option<Self> {
        if update.get("sessionUpdate")?.as_str()? != "usage_update" {
            return None;
        }
        let cost = update.get("cost").and_then(|c| {
            Some(Cost { amount: c.get("amount")?.as_f64()?, currency: c.get("currency")?.as_str()?.to_owned() })
        });
        Some(Self { used: update.get("used")?.as_u64()?, size: update.get("size")?.as_u64()?, cost })
    }
}
