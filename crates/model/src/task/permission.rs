//! The answer to an agent's question for permission: one pure rule over the question and the task's
//! policy.
//!
//! The rule allows once or refuses once. It never uses an agent's own "always" choices, and what it
//! does not understand it does not allow.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a tool call does, as the agent classifies it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolKind {
    Read,
    Edit,
    Delete,
    Move,
    Search,
    Execute,
    Think,
    Fetch,
    /// A change of the session's mode. Cannot be allowed: it would widen every later answer.
    SwitchMode,
    Other,
}

impl ToolKind {
    /// Every kind a caller can allow, in the order of the contract.
    pub const ALLOWABLE: [Self; 9] = [
        Self::Read,
        Self::Edit,
        Self::Delete,
        Self::Move,
        Self::Search,
        Self::Execute,
        Self::Think,
        Self::Fetch,
        Self::Other,
    ];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Edit => "edit",
            Self::Delete => "delete",
            Self::Move => "move",
            Self::Search => "search",
            Self::Execute => "execute",
            Self::Think => "think",
            Self::Fetch => "fetch",
            Self::SwitchMode => "switch_mode",
            Self::Other => "other",
        }
    }

    /// `None` for a word outside the protocol.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALLOWABLE.into_iter().chain([Self::SwitchMode]).find(|kind| kind.as_str() == text)
    }

    const fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// The kinds of tool call that a task may do without a person. Serialises as a list of their names.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(into = "Vec<ToolKind>", from = "Vec<ToolKind>")]
pub struct AllowSet(u16);

impl AllowSet {
    /// Nothing is allowed.
    pub const NONE: Self = Self(0);

    /// `switch_mode` is left out whatever is given.
    #[must_use]
    pub fn of(kinds: impl IntoIterator<Item = ToolKind>) -> Self {
        let bits =
            kinds.into_iter().filter(|kind| *kind != ToolKind::SwitchMode).fold(0, |bits, kind| bits | kind.bit());
        Self(bits)
    }

    #[must_use]
    pub const fn contains(self, kind: ToolKind) -> bool {
        self.0 & kind.bit() != 0
    }

    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// In the order of the contract.
    pub fn iter(self) -> impl Iterator<Item = ToolKind> {
        ToolKind::ALLOWABLE.into_iter().filter(move |kind| self.contains(*kind))
    }
}

impl From<Vec<ToolKind>> for AllowSet {
    fn from(kinds: Vec<ToolKind>) -> Self {
        Self::of(kinds)
    }
}

impl From<AllowSet> for Vec<ToolKind> {
    fn from(set: AllowSet) -> Self {
        set.iter().collect()
    }
}

impl fmt::Debug for AllowSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(ToolKind::as_str)).finish()
    }
}

/// What choosing an option of a permission question means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OptionKind {
    AllowOnce,
    AllowAlways,
    RejectOnce,
    RejectAlways,
}

impl OptionKind {
    /// `None` for a word outside the protocol.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "allow_once" => Some(Self::AllowOnce),
            "allow_always" => Some(Self::AllowAlways),
            "reject_once" => Some(Self::RejectOnce),
            "reject_always" => Some(Self::RejectAlways),
            _ => None,
        }
    }
}

/// How a question was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    Allowed,
    Rejected,
    Cancelled,
}

/// The answer to one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    pub decision: Decision,
    /// Index of the chosen option; `None` when the answer is "cancelled".
    pub option: Option<usize>,
}

impl Answer {
    pub const CANCELLED: Self = Self { decision: Decision::Cancelled, option: None };
}

/// Answers a question about a tool call of `kind` with one of the `offered` options.
///
/// `kind` is `None` when the question has none or one outside the protocol: that is never allowed.
/// Of several options of one kind the last is chosen.
#[must_use]
pub fn decide(allow: AllowSet, kind: Option<ToolKind>, offered: &[OptionKind]) -> Answer {
    let last = |wanted| offered.iter().rposition(|option| *option == wanted);
    let allowed = kind.filter(|kind| allow.contains(*kind)).and_then(|_| last(OptionKind::AllowOnce));
    if let Some(option) = allowed {
        return Answer { decision: Decision::Allowed, option: Some(option) };
    }
    match last(OptionKind::RejectOnce) {
        Some(option) => Answer { decision: Decision::Rejected, option: Some(option) },
        None => Answer::CANCELLED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use OptionKind::{AllowAlways, AllowOnce, RejectAlways, RejectOnce};

    #[test]
    fn the_rule() {
        let edit = AllowSet::of([ToolKind::Edit]);
        let all = AllowSet::of(ToolKind::ALLOWABLE);
        let allowed = |at| Answer { decision: Decision::Allowed, option: Some(at) };
        let rejected = |at| Answer { decision: Decision::Rejected, option: Some(at) };
        let table: [(AllowSet, Option<ToolKind>, &[OptionKind], Answer); 12] = [
            (edit, Some(ToolKind::Edit), &[AllowOnce, RejectOnce], allowed(0)),
            (edit, Some(ToolKind::Edit), &[AllowOnce, RejectOnce, AllowOnce], allowed(2)),
            (edit, Some(ToolKind::Execute), &[AllowOnce, RejectOnce], rejected(1)),
            (AllowSet::NONE, Some(ToolKind::Edit), &[RejectOnce, AllowOnce], rejected(0)),
            (edit, Some(ToolKind::Edit), &[AllowAlways, RejectOnce], rejected(1)),
            (edit, Some(ToolKind::Edit), &[AllowAlways, RejectAlways], Answer::CANCELLED),
            (AllowSet::NONE, Some(ToolKind::Read), &[AllowOnce, RejectAlways], Answer::CANCELLED),
            (AllowSet::NONE, Some(ToolKind::Read), &[], Answer::CANCELLED),
            (all, None, &[AllowOnce, RejectOnce], rejected(1)),
            (all, None, &[AllowOnce], Answer::CANCELLED),
            (all, Some(ToolKind::SwitchMode), &[AllowOnce, RejectOnce], rejected(1)),
            (all, Some(ToolKind::Other), &[AllowOnce], allowed(0)),
        ];
        for (allow, kind, offered, answer) in table {
            assert_eq!(decide(allow, kind, offered), answer, "{allow:?} {kind:?} {offered:?}");
        }
    }

    #[test]
    fn words_are_those_of_the_protocol() {
        for kind in ToolKind::ALLOWABLE.into_iter().chain([ToolKind::SwitchMode]) {
            assert_eq!(ToolKind::parse(kind.as_str()), Some(kind));
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
        assert_eq!(ToolKind::parse("Edit"), None);
        assert_eq!(OptionKind::parse("allow"), None);
    }

    #[test]
    fn an_allow_set_is_a_list_without_switch_mode() {
        let set: AllowSet = serde_json::from_str(r#"["other","read","switch_mode","read"]"#).unwrap();
        assert_eq!(serde_json::to_string(&set).unwrap(), r#"["read","other"]"#);
        assert!(!set.contains(ToolKind::SwitchMode));
        assert_eq!(format!("{set:?}"), r#"{"read", "other"}"#);
    }
}
