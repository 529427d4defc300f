//! The settings of one session: which are offered with the values in force, and what setting one does.
//!
//! Pure. Knows the option sets of [`super::persona`] and the shape of `configOptions`; refuses to know why a
//! client sets what it sets.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::persona::{COPILOT_AUTOPILOT, Persona, Setting, Values};

/// Values that were set, by setting; what is not in here has its initial value.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Chosen(BTreeMap<String, String>);

/// How the offer departs from the persona's table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Quirks {
    /// Select values come in two groups.
    pub grouped: bool,
    /// An entry that is no option at all stands among the options.
    pub broken_entry: bool,
    /// (setting, value asked, value in force after a success answer).
    pub substitute: Option<(String, String, String)>,
}

/// Why a setting was not set; both are answered as invalid params.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SetError {
    #[error("unknown config option: {0}")]
    Unknown(String),
    #[error("invalid value for config option {id}: {value}")]
    Value { id: String, value: String },
}

impl Chosen {
    /// The value in force of an offered setting; a boolean reads `true` or `false`.
    pub fn current(&self, persona: Persona, id: &str) -> Option<String> {
        let setting = self.offered(persona).find(|setting| setting.id == id)?;
        Some(self.value_of(setting))
    }

    /// `configOptions` as they are now.
    pub fn offer(&self, persona: Persona, quirks: &Quirks) -> Value {
        let mut options: Vec<Value> = self.offered(persona).map(|setting| self.option(setting, quirks)).collect();
        if quirks.broken_entry {
            options.insert(0, json!({"id": 7, "type": "dial"}));
        }
        Value::Array(options)
    }

    /// Carries out `session/set_config_option`. `type_` is the member of that name, which a JSON boolean needs.
    ///
    /// # Errors
    /// The setting is not offered now, or not with this value.
    pub fn set(
        &mut self,
        persona: Persona,
        quirks: &Quirks,
        (id, value, type_): (&str, &Value, Option<&str>),
    ) -> Result<(), SetError> {
        let setting =
            self.offered(persona).find(|setting| setting.id == id).ok_or_else(|| SetError::Unknown(id.to_owned()))?;
        let text = match (&setting.values, value) {
            (Values::Select(_, values), Value::String(text)) => values.contains(&text.as_str()).then(|| text.clone()),
            (Values::Boolean(_), Value::Bool(on)) if type_ == Some("boolean") => Some(on.to_string()),
            (Values::Boolean(_), Value::String(text)) => {
                matches!(text.as_str(), "true" | "false").then(|| text.clone())
            }
            _ => None,
        };
        let text = text.ok_or_else(|| SetError::Value { id: id.to_owned(), value: value.to_string() })?;
        let given = match &quirks.substitute {
            Some((of, asked, given)) if of == id && *asked == text => given.clone(),
            _ => text,
        };
        // Seen in Copilot: this mode also turns allow-all on, and leaving it does not turn it off.
        if persona == Persona::Copilot && id == "mode" && given == COPILOT_AUTOPILOT {
            self.0.insert("allow_all".to_owned(), "on".to_owned());
        }
        self.0.insert(id.to_owned(), given);
        Ok(())
    }

    fn offered(&self, persona: Persona) -> impl Iterator<Item = &'static Setting> {
        let settings = persona.settings();
        let model = settings
            .iter()
            .find(|setting| setting.id == "model")
            .map(|setting| self.value_of(setting))
            .unwrap_or_default();
        settings.iter().filter(move |setting| setting.models.is_empty() || setting.models.contains(&model.as_str()))
    }

    /// A value that a changed model no longer offers falls back to the initial one.
    fn value_of(&self, setting: &Setting) -> String {
        let chosen = self.0.get(setting.id);
        match &setting.values {
            Values::Boolean(initial) => chosen.cloned().unwrap_or_else(|| initial.to_string()),
            Values::Select(initial, values) => chosen
                .filter(|value| values.contains(&value.as_str()))
                .cloned()
                .unwrap_or_else(|| (*initial).to_owned()),
        }
    }

    fn option(&self, setting: &Setting, quirks: &Quirks) -> Value {
        let mut option = json!({"id": setting.id, "name": setting.name});
        if let Some(category) = setting.category {
            option["category"] = json!(category);
        }
        match &setting.values {
            Values::Boolean(_) => {
                option["type"] = json!("boolean");
                option["currentValue"] = json!(self.value_of(setting) == "true");
            }
            Values::Select(_, values) => {
                option["type"] = json!("select");
                option["currentValue"] = json!(self.value_of(setting));
                let choice = |value: &&str| json!({"value": value, "name": value});
                option["options"] = if quirks.grouped {
                    let (first, second) = values.split_at(values.len().div_ceil(2));
                    json!([
                        {"group": "first", "name": "First", "options": first.iter().map(choice).collect::<Vec<_>>()},
                        {"group": "second", "name": "Second", "options": second.iter().map(choice).collect::<Vec<_>>()},
                    ])
                } else {
                    json!(values.iter().map(choice).collect::<Vec<_>>())
                };
            }
        }
        option
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(chosen: &mut Chosen, persona: Persona, id: &str, value: &str) -> Result<(), SetError> {
        chosen.set(persona, &Quirks::default(), (id, &json!(value), None))
    }

    #[test]
    fn effort_is_offered_only_with_a_model_that_has_it_and_falls_back_with_another() {
        let (mut chosen, persona) = (Chosen::default(), Persona::Generic);
        assert_eq!(set(&mut chosen, persona, "effort", "high"), Err(SetError::Unknown("effort".into())));
        set(&mut chosen, persona, "model", "deep").unwrap();
        set(&mut chosen, persona, "effort", "high").unwrap();
        assert_eq!(chosen.current(persona, "effort").as_deref(), Some("high"));
        set(&mut chosen, persona, "model", "broad").unwrap();
        assert_eq!(chosen.current(persona, "effort").as_deref(), Some("low"));
        set(&mut chosen, persona, "model", "quick").unwrap();
        assert_eq!(chosen.current(persona, "effort"), None);
    }

    #[test]
    fn a_json_boolean_needs_its_type() {
        let (mut chosen, persona) = (Chosen::default(), Persona::Cline);
        let quirks = Quirks::default();
        let setting = ("auto_approve", &json!(true), None);
        assert_eq!(
            chosen.set(persona, &quirks, setting),
            Err(SetError::Value { id: "auto_approve".into(), value: "true".into() })
        );
        let setting = ("auto_approve", &json!(true), Some("boolean"));
        chosen.set(persona, &quirks, setting).unwrap();
        assert_eq!(
            chosen.offer(persona, &quirks)[3],
            json!({"id": "auto_approve", "name": "Auto-approve", "type": "boolean", "currentValue": true})
        );
    }

    #[test]
    fn copilots_autopilot_turns_allow_all_on_for_good() {
        let (mut chosen, persona) = (Chosen::default(), Persona::Copilot);
        set(&mut chosen, persona, "mode", COPILOT_AUTOPILOT).unwrap();
        let agent = "https://agentclientprotocol.com/protocol/session-modes#agent";
        set(&mut chosen, persona, "mode", agent).unwrap();
        assert_eq!(chosen.current(persona, "allow_all").as_deref(), Some("on"));
    }

    #[test]
    fn a_substituted_value_is_set_instead_of_the_one_asked_for() {
        let quirks =
            Quirks { substitute: Some(("mode".into(), "default".into(), "acceptEdits".into())), ..Quirks::default() };
        let (mut chosen, persona) = (Chosen::default(), Persona::ClaudeCode);
        let setting = ("mode", &json!("default"), None);
        chosen.set(persona, &quirks, setting).unwrap();
        assert_eq!(chosen.offer(persona, &quirks)[0]["currentValue"], json!("acceptEdits"));
    }

    #[test]
    fn every_setting_that_an_adapter_pins_is_offered_with_its_value() {
        let pins: [(Persona, &str, &str); 7] = [
            (Persona::ClaudeCode, "mode", "default"),
            (Persona::Codex, "mode", "read-only"),
            (Persona::Copilot, "mode", "https://agentclientprotocol.com/protocol/session-modes#agent"),
            (Persona::Copilot, "allow_all", "off"),
            (Persona::Cursor, "mode", "plan"),
            (Persona::Cursor, "mode", "agent"),
            (Persona::Opencode, "mode", "build"),
        ];
        for (persona, id, value) in pins {
            set(&mut Chosen::default(), persona, id, value).unwrap();
        }
    }
}
