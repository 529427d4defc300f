//! Whether a setting can be sent, and whether it is in force.

use super::failure::Cause;
use super::read::cut;
use super::{FailureKind, Offer, OfferedValue, Setting, SettingRole, SettingValue};

/// How many offered values a message lists. Fixed by the channel contract, as the next one.
const VALUES_LISTED: usize = 20;
const VALUE_CHARS: usize = 80;

/// Checks `setting` against what was last offered, right before it is sent.
pub(super) fn check(offer: &Offer, setting: &Setting, exe: &str) -> Result<(), Cause> {
    let name = &setting.name;
    match (offer.get(name), &setting.value) {
        (None, _) => Err(Cause::new(
            FailureKind::SettingNotOffered { name: name.clone() },
            format!("{exe} does not offer the session setting '{name}'"),
        )),
        (Some(OfferedValue::Boolean { .. }), SettingValue::Bool(_)) => Ok(()),
        (Some(OfferedValue::Boolean { .. }), SettingValue::Str(value)) => {
            Err(not_offered(setting, &format!("'{value}': it takes only true or false")))
        }
        (Some(OfferedValue::Select { values, .. }), value) => match value {
            SettingValue::Str(value) if values.contains(value) => Ok(()),
            value => Err(not_offered(setting, &format!("'{value}'; it offers {}", listed(values)))),
        },
    }
}

fn not_offered(setting: &Setting, what: &str) -> Cause {
    let hint = match setting.role {
        SettingRole::Pin => "",
        SettingRole::Model | SettingRole::Effort => "; describe_agent shows what is offered",
    };
    let name = &setting.name;
    Cause::new(
        FailureKind::ValueNotOffered { name: name.clone() },
        format!("the session setting '{name}' does not offer {what}{hint}"),
    )
}

fn listed(values: &[String]) -> String {
    if values.is_empty() {
        return "nothing".to_owned();
    }
    let mut sorted: Vec<&String> = values.iter().collect();
    sorted.sort();
    let shown: Vec<String> =
        sorted.iter().take(VALUES_LISTED).map(|value| format!("'{}'", cut(value, VALUE_CHARS))).collect();
    match values.len().saturating_sub(VALUES_LISTED) {
        0 => shown.join(", "),
        more => format!("{}, {more} more", shown.join(", ")),
    }
}

/// Checks what the agent reports for a setting that it accepted. A setting that is no longer
/// offered, as an effort that went with the model, cannot be judged.
pub(super) fn in_force(offer: &Offer, setting: &Setting) -> Result<Option<SettingValue>, Cause> {
    let Some(current) = offer.get(&setting.name).map(OfferedValue::current) else { return Ok(None) };
    if current == setting.value {
        return Ok(Some(current));
    }
    let Setting { name, value, .. } = setting;
    let shown = current.to_string();
    Err(Cause::new(
        FailureKind::SettingNotInForce { name: name.clone() },
        format!(
            "the session setting '{name}' was set to '{value}' without an error, but the agent reports '{}'",
            cut(&shown, VALUE_CHARS)
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acp::OfferedSetting;

    fn setting(value: SettingValue, role: SettingRole) -> Setting {
        Setting { name: "model".into(), value, role }
    }

    fn select(values: &[String]) -> Offer {
        let values = OfferedValue::Select { current: "a".into(), values: values.to_vec() };
        Offer { settings: vec![OfferedSetting { name: "model".into(), values }] }
    }

    fn text(offer: &Offer, value: SettingValue, role: SettingRole) -> String {
        check(offer, &setting(value, role), "exe").unwrap_err().text
    }

    #[test]
    fn what_is_not_offered_is_named() {
        let boolean = Offer {
            settings: vec![OfferedSetting { name: "model".into(), values: OfferedValue::Boolean { current: true } }],
        };
        let str = |text: &str| SettingValue::Str(text.into());
        assert_eq!(
            text(&Offer::default(), str("x"), SettingRole::Model),
            "exe does not offer the session setting 'model'"
        );
        assert_eq!(
            text(&select(&["b".into(), "a".into()]), str("x"), SettingRole::Model),
            "the session setting 'model' does not offer 'x'; it offers 'a', 'b'; describe_agent shows what is offered"
        );
        assert_eq!(
            text(&select(&[]), SettingValue::Bool(true), SettingRole::Pin),
            "the session setting 'model' does not offer 'true'; it offers nothing"
        );
        assert_eq!(
            text(&boolean, str("true"), SettingRole::Pin),
            "the session setting 'model' does not offer 'true': it takes only true or false"
        );
        assert!(check(&boolean, &setting(SettingValue::Bool(false), SettingRole::Pin), "exe").is_ok());
    }

    #[test]
    fn twenty_values_are_listed_each_cut() {
        let mut values: Vec<String> = (10..33).map(|n| format!("v{n}")).collect();
        values.push(format!("a{}", "x".repeat(100)));
        let text = text(&select(&values), SettingValue::Str("x".into()), SettingRole::Pin);
        assert!(text.contains(&format!("'a{}…', 'v10'", "x".repeat(79))), "{text}");
        assert!(text.ends_with("'v28', 4 more"), "{text}");
    }
}
