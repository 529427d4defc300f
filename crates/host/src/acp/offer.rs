//! What a session offers to set, read from `configOptions`.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::SettingValue;
use super::read::{self, Object};

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
    Select {
        current: String,
        values: Vec<String>,
    },
    Boolean {
        current: bool,
    },
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

    /// Entries that do not fit are left out; anything but an array is an empty offer.
    pub(super) fn read(options: Option<&RawValue>) -> Self {
        let mut offer = Self::default();
        for entry in options.and_then(read::array).unwrap_or_default() {
            if let Some(setting) = OfferedSetting::read(entry)
                && offer.get(&setting.name).is_none()
            {
                offer.settings.push(setting);
            }
        }
        offer
    }

    /// The agent accepted `value` without saying what is in force.
    pub(super) fn assume(&mut self, name: &str, value: &SettingValue) {
        for setting in self.settings.iter_mut().filter(|setting| setting.name == name) {
            match (&mut setting.values, value) {
                (OfferedValue::Select { current, .. }, SettingValue::Str(value)) => current.clone_from(value),
                (OfferedValue::Boolean { current }, SettingValue::Bool(value)) => *current = *value,
                _ => {}
            }
        }
    }
}

impl OfferedSetting {
    fn read(entry: &RawValue) -> Option<Self> {
        let entry = Object::of(Some(entry))?;
        let values = match &*entry.text("type")? {
            "select" => {
                let mut values = Vec::new();
                flatten(&read::array(entry.raw("options")?)?, &mut values);
                OfferedValue::Select { current: entry.text("currentValue")?.into_owned(), values }
            }
            "boolean" => OfferedValue::Boolean { current: entry.value("currentValue")?.as_bool()? },
            _ => return None,
        };
        Some(Self { name: entry.text("id")?.into_owned(), values })
    }
}

/// The values of options and of groups of options. Groups do not nest in the protocol.
fn flatten(options: &[&RawValue], values: &mut Vec<String>) {
    let mut seen: std::collections::HashSet<String> = values.iter().cloned().collect();
    let options = options.iter().filter_map(|option| Object::of(Some(option)));
    for option in options {
        let grouped = option.array("options");
        let members = grouped.iter().filter_map(|member| Object::of(Some(member))?.text("value"));
        for value in option.text("value").into_iter().chain(members) {
            if seen.insert(value.to_string()) {
                values.push(value.into_owned());
            }
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(json: &str) -> Offer {
        Offer::read(Some(&RawValue::from_string(json.into()).unwrap()))
    }

    fn select(name: &str, current: &str, values: &[&str]) -> OfferedSetting {
        let values = values.iter().map(ToString::to_string).collect();
        OfferedSetting { name: name.into(), values: OfferedValue::Select { current: current.into(), values } }
    }

    #[test]
    fn selects_booleans_and_groups() {
        let read = offer(
            r#"[{"id":"model","name":"Model","category":"model","type":"select","currentValue":"b","options":[
                   {"group":"g","name":"G","options":[{"value":"a","name":"A"},{"value":"b","name":"B"}]},
                   {"group":"h","name":"H","options":[{"value":"a","name":"A"},{"value":"c"}]}]},
                {"id":"mode","type":"select","currentValue":"x","options":[{"value":"x"},{"value":"x"},{"value":"y"}]},
                {"id":"auto","type":"boolean","currentValue":false}]"#,
        );
        let auto = OfferedSetting { name: "auto".into(), values: OfferedValue::Boolean { current: false } };
        assert_eq!(read.settings, [select("model", "b", &["a", "b", "c"]), select("mode", "x", &["x", "y"]), auto]);
        assert_eq!(read.get("auto").unwrap().current(), SettingValue::Bool(false));
    }

    #[test]
    fn what_does_not_fit_is_left_out() {
        let read = offer(
            r#"[5, null, {"id":"a"}, {"id":"b","type":"slider","currentValue":1}, {"type":"boolean","currentValue":true},
                {"id":"c","type":"select","currentValue":1,"options":[]}, {"id":"d","type":"boolean","currentValue":"false"},
                {"id":"e","type":"select","currentValue":"x"},
                {"id":"m","type":"select","currentValue":"x","options":[7,{"value":5},{"value":"x","extra":{}}]},
                {"id":"m","type":"boolean","currentValue":true}]"#,
        );
        assert_eq!(read.settings, [select("m", "x", &["x"])]);
        for other in ["null", "{}", "5"] {
            assert_eq!(offer(other), Offer::default());
        }
        assert_eq!(Offer::read(None), Offer::default());
    }
}
