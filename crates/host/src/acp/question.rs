//! A question for permission: reading it so that nothing half understood is ever allowed.

use segue_model::task::permission::{AllowSet, Answer, Decision, OptionKind, ToolKind, decide};
use serde_json::Value;
use serde_json::value::RawValue;

use super::Permission;
use super::read::{self, Object};

/// A question that can be answered.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Question {
    tool_call_id: String,
    title: Option<String>,
    kind: Option<ToolKind>,
    undecodable: bool,
    options: Vec<(String, OptionKind)>,
}

type Fits = fn(&Value) -> bool;

/// Fields of a tool call that have one type in the protocol; null and missing are allowed.
const TYPED: [(&str, Fits); 5] = [
    ("title", Value::is_string),
    ("kind", Value::is_string),
    ("status", Value::is_string),
    ("content", Value::is_array),
    ("locations", |value| value.as_array().is_some_and(|list| list.iter().all(Value::is_object))),
];

impl Question {
    /// `None` when it is no question: no tool call, no id, or options that are not all understood.
    /// Such a one is refused as invalid, because any answer would be a guess.
    pub(super) fn read(params: &Object<'_>) -> Option<Self> {
        let raw = params.raw("toolCall")?;
        let tool_call = Object::of(Some(raw))?;
        let id = tool_call.some("toolCallId")?;
        let options = read::array(params.raw("options")?)?;
        let options = options.into_iter().map(option).collect::<Option<Vec<_>>>()?;
        let typed = read::value(raw).is_some_and(|call| {
            TYPED.iter().all(|(name, fits)| call.get(name).is_none_or(|value| value.is_null() || fits(value)))
        });
        let id_text = read::text(id);
        Some(Self {
            undecodable: !typed || id_text.is_none(),
            tool_call_id: id_text.map_or_else(|| id.get().to_owned(), std::borrow::Cow::into_owned),
            title: tool_call.text("title").map(std::borrow::Cow::into_owned),
            kind: tool_call.text("kind").and_then(|kind| ToolKind::parse(&kind)),
            options,
        })
    }

    /// What is recorded, and the id of the option to choose; without one the answer is "cancelled".
    /// `allow` is `None` when the turn was cancelled: then so is every question.
    pub(super) fn answer(self, allow: Option<AllowSet>) -> (Permission, Option<String>) {
        let kinds: Vec<OptionKind> = self.options.iter().map(|(_, kind)| *kind).collect();
        let Answer { decision, option } = match allow {
            None => Answer { decision: Decision::Cancelled, option: None },
            Some(_) if self.undecodable => decide(AllowSet::NONE, None, &kinds),
            Some(allow) => decide(allow, self.kind, &kinds),
        };
        let permission = Permission {
            tool_call_id: self.tool_call_id,
            title: self.title,
            kind: self.kind.map(|kind| kind.as_str().to_owned()),
            decision,
            undecodable: self.undecodable,
        };
        (permission, option.map(|at| self.options[at].0.clone()))
    }
}

fn option(raw: &RawValue) -> Option<(String, OptionKind)> {
    let option = Object::of(Some(raw))?;
    let kind = OptionKind::parse(&option.text("kind")?)?;
    Some((option.text("optionId")?.into_owned(), kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: &str =
        r#"[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]"#;

    fn read(tool_call: &str, options: &str) -> Option<Question> {
        let text = format!(r#"{{"sessionId":"s","toolCall":{tool_call},"options":{options}}}"#);
        Question::read(&Object::parse(&text).unwrap())
    }

    fn everything() -> AllowSet {
        AllowSet::of(ToolKind::ALLOWABLE)
    }

    #[test]
    fn a_kind_that_is_not_understood_is_refused_whatever_is_allowed() {
        for (call, kind, decision) in [
            (r#"{"toolCallId":"1","kind":"edit"}"#, Some("edit"), Decision::Allowed),
            (
                r#"{"toolCallId":"1","kind":"edit","title":null,"locations":[{"path":"/x"}],"rawInput":{}}"#,
                Some("edit"),
                Decision::Allowed,
            ),
            (r#"{"toolCallId":"1"}"#, None, Decision::Rejected),
            (r#"{"toolCallId":"1","kind":null}"#, None, Decision::Rejected),
            (r#"{"toolCallId":"1","kind":"teleport"}"#, None, Decision::Rejected),
            (r#"{"toolCallId":"1","kind":"switch_mode"}"#, Some("switch_mode"), Decision::Rejected),
        ] {
            let (permission, option) = read(call, BOTH).unwrap().answer(Some(everything()));
            let expected = Permission {
                tool_call_id: "1".into(),
                title: None,
                kind: kind.map(str::to_owned),
                decision,
                undecodable: false,
            };
            assert_eq!(
                (permission, option.as_deref()),
                (expected, Some(if decision == Decision::Allowed { "y" } else { "n" }))
            );
        }
    }

    #[test]
    fn wrong_types_are_refused_and_marked() {
        let deep = format!(r#"{{"toolCallId":"1","kind":"edit","rawInput":{}{}}}"#, "[".repeat(5000), "]".repeat(5000));
        for call in [
            r#"{"toolCallId":"1","kind":"edit","title":5}"#,
            r#"{"toolCallId":"1","kind":"edit","locations":"/x"}"#,
            r#"{"toolCallId":"1","kind":"edit","locations":["/x"]}"#,
            r#"{"toolCallId":"1","kind":"edit","content":{}}"#,
            r#"{"toolCallId":"1","kind":5}"#,
            r#"{"toolCallId":1,"kind":"edit"}"#,
            &deep,
        ] {
            let (permission, option) = read(call, BOTH).unwrap().answer(Some(everything()));
            assert_eq!(
                (permission.decision, permission.undecodable, permission.tool_call_id.as_str(), option.as_deref()),
                (Decision::Rejected, true, "1", Some("n")),
                "{call}"
            );
        }
        let only_allow = r#"[{"optionId":"y","kind":"allow_once"}]"#;
        let (permission, option) =
            read(r#"{"toolCallId":"1","title":5,"kind":"edit"}"#, only_allow).unwrap().answer(Some(everything()));
        assert_eq!((permission.decision, option), (Decision::Cancelled, None));
    }

    #[test]
    fn what_is_no_question_is_not_answered_with_a_choice() {
        for (call, options) in [
            ("null", BOTH),
            ("{}", BOTH),
            (r#"{"toolCallId":null}"#, BOTH),
            (r#"{"toolCallId":"1"}"#, "null"),
            (r#"{"toolCallId":"1"}"#, r#"[{"optionId":"y","kind":"allow_twice"}]"#),
            (r#"{"toolCallId":"1"}"#, r#"[{"kind":"allow_once"}]"#),
            (r#"{"toolCallId":"1"}"#, r#"[5]"#),
        ] {
            assert_eq!(read(call, options), None, "{call} {options}");
        }
    }

    #[test]
    fn after_a_cancel_every_question_is_cancelled() {
        let (permission, option) = read(r#"{"toolCallId":"1","kind":"edit"}"#, BOTH).unwrap().answer(None);
        assert_eq!((permission.decision, option), (Decision::Cancelled, None));
    }
}
