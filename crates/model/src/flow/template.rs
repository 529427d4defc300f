//! Templates: the three built-in writing flows as documents to begin with (contract §20, §21), drafts made of them, and
//! which of them suits a description. Nothing here is stored or run.

use super::{
    canonical::Hash,
    document::Document,
    fields::cut,
    granularity::Granularity,
    inputs::REPORT_FOCUS,
    json::{Json, Object, object},
};

/// Characters of what a draft is made from.
pub const FOCUS_MAX: usize = 280;
pub const REQUEST_MAX: usize = 500;
/// Digits of the hash that tells drafts apart.
const ID_DIGITS: usize = 12;

words! {
    /// Who has the last word while a flow runs.
    Mode {
        /// What may write is confirmed by a person; the rest goes on by itself.
        SemiAuto = "semi_auto",
        /// Everything was authorized before.
        Auto = "auto",
    }
}

/// The one blank that every template has.
pub const SLOT_NAME: &str = "What it is about";
pub const SLOT_DESCRIPTION: &str = "The subject, in a sentence. It becomes the topic of the flow.";
pub const SLOT_DEFAULT: &str = "How durable hand-offs keep agents honest";

impl Granularity {
    #[must_use]
    pub const fn template_name(self) -> &'static str {
        match self {
            Self::Compact => "Compact: one writer",
            Self::Balanced => "Balanced: plan, draft, edit",
            Self::Fine => "Fine: research to revision",
        }
    }

    #[must_use]
    pub const fn template_description(self) -> &'static str {
        match self {
            Self::Compact => "One node writes the whole piece, and it is published. Little evidence, little waiting.",
            Self::Balanced => "A plan, a draft and an edit, each accepted before the next begins, then publication.",
            Self::Fine => {
                "An angle, an outline, a draft, a review and a revision, each with evidence of its own, then publication."
            }
        }
    }

    #[must_use]
    pub const fn intent_tags(self) -> &'static [&'static str] {
        match self {
            Self::Compact => &["note", "summary", "short", "quick"],
            Self::Balanced => &["article", "guide", "report", "plan"],
            Self::Fine => &["research", "review", "comparison", "evidence"],
        }
    }
}

/// The document that compiles to the built-in flow of a granularity.
#[must_use]
pub fn built_in_document(granularity: Granularity) -> Document {
    let flow = granularity.flow();
    let steps = flow.nodes().iter().map(|node| {
        let from = node.upstream.ids().first().map(Json::from);
        let title = object([("title", node.title.as_str().into())]);
        Json::Object(object([
            ("id", (&node.id).into()),
            ("type", node.kind.into()),
            ("from", from.unwrap_or_default()),
            ("params", title.into()),
        ]))
    });
    let steps: Vec<Json> = steps.collect();
    Document::from(object([
        ("schema_version", 1_i64.into()),
        ("id", flow.flow_id().into()),
        ("name", flow.title().into()),
        ("steps", steps.into()),
    ]))
}

/// A document that was made of a template.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    pub granularity: Granularity,
    pub document: Document,
    /// What the blank was filled with.
    pub focus: Option<String>,
    /// Where the template was changed, as JSON pointers, with what stands there now.
    pub patches: Vec<(String, Json)>,
    pub assumptions: Vec<String>,
    pub explanation: String,
}

/// `focus` fills the blank; a `request` describes the work, and fills the blank if nothing else does. The same words
/// give the same document.
#[must_use]
pub fn draft(granularity: Granularity, focus: Option<&str>, request: Option<&str>) -> Draft {
    let filled = focus.or(request).map(|text| cut(first_line(text), FOCUS_MAX));
    let template = built_in_document(granularity);
    let steps = template.members().get("steps").cloned().unwrap_or_default();
    let words = Json::Array(vec![granularity.into(), focus.into(), request.into()]);
    let id = format!("{}-{}", granularity.flow_id(), Hash::of(&words).prefix(ID_DIGITS));
    let description = request.unwrap_or_else(|| granularity.template_description());
    let mut blank = object([
        ("type", "string".into()),
        ("required", true.into()),
        ("title", SLOT_NAME.into()),
        ("description", SLOT_DESCRIPTION.into()),
    ]);
    let mut patches = vec![("/id".to_owned(), Json::from(id.as_str()))];
    if request.is_some() {
        patches.push(("/description".to_owned(), description.into()));
    }
    if let Some(filled) = &filled {
        blank.insert("default".to_owned(), filled.as_str().into());
        patches.push((format!("/inputs/{REPORT_FOCUS}/default"), filled.as_str().into()));
    }
    let document = Document::from(object([
        ("schema_version", 1_i64.into()),
        ("id", id.into()),
        ("name", granularity.title().into()),
        ("description", description.into()),
        ("inputs", Json::Object(object([(REPORT_FOCUS, blank.into())]))),
        ("steps", steps),
        ("x_symphlo", Json::Object(object([("granularity", granularity.into())]))),
    ]));
    Draft {
        granularity,
        document,
        assumptions: assumptions(granularity, filled.is_some()),
        explanation: explanation(granularity),
        focus: filled,
        patches,
    }
}

/// Of a request with several lines the first that says something is its subject.
fn first_line(text: &str) -> &str {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
}

fn assumptions(granularity: Granularity, is_filled: bool) -> Vec<String> {
    let agents = match granularity.agents().len() {
        1 => "The agent node is".to_owned(),
        n => format!("The {n} agent nodes are"),
    };
    let mut assumptions = vec![
        format!("{agents} executed by whoever is chosen when it is run: the built-in roles or an installed agent."),
        "The result is one Markdown file.".to_owned(),
    ];
    if !is_filled {
        assumptions.push("What it is about is asked for when it is run.".to_owned());
    }
    assumptions
}

fn explanation(granularity: Granularity) -> String {
    let titles: Vec<&str> = granularity.agents().iter().map(|(_, title)| *title).collect();
    format!("{} Its steps: {}; then it is published.", granularity.template_description(), titles.join(", "))
}

/// Which template suits a description, and what that was seen by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    pub granularity: Granularity,
    pub because: Vec<String>,
}

/// Words that ask for evidence step by step, and words that ask for little of it. Beginnings of words, in lower case.
const CAREFUL: [&str; 16] = [
    "research",
    "investigat",
    "source",
    "citation",
    "compar",
    "review",
    "verif",
    "fact-check",
    "evaluat",
    "audit",
    "evidence",
    "thorough",
    "in-depth",
    "revis",
    "critique",
    "analys",
];
const QUICK: [&str; 12] = [
    "short",
    "brief",
    "quick",
    "note",
    "tweet",
    "summar",
    "paragraph",
    "simple",
    "one-liner",
    "sketch",
    "memo",
    "tl;dr",
];
/// Words of a description that says little, and of one that says much.
const FEW_WORDS: usize = 5;
const MANY_WORDS: usize = 60;

/// A plain rule over the words, so that people can see why; it asks no model.
#[must_use]
pub fn suggest(description: &str) -> Suggestion {
    let text = description.to_lowercase();
    let words: Vec<&str> = text
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | ';')))
        .filter(|word| !word.is_empty())
        .collect();
    let found = |signals: &[&'static str]| -> Vec<&'static str> {
        signals.iter().filter(|signal| words.iter().any(|word| word.starts_with(**signal))).copied().collect()
    };
    let (careful, quick) = (found(&CAREFUL), found(&QUICK));
    let long = words.len() >= MANY_WORDS;
    let granularity = match (careful.len(), quick.len()) {
        (2.., 0) => Granularity::Fine,
        (1.., 0) if long => Granularity::Fine,
        (0, 1..) => Granularity::Compact,
        (0, 0) if words.len() <= FEW_WORDS => Granularity::Compact,
        _ => Granularity::Balanced,
    };
    let mut because = Vec::new();
    if !careful.is_empty() {
        because.push(format!("it asks for care: {}", careful.join(", ")));
    }
    if !quick.is_empty() {
        because.push(format!("it asks for little: {}", quick.join(", ")));
    }
    if words.len() <= FEW_WORDS {
        because.push("it says little".to_owned());
    } else if long {
        because.push("it says much".to_owned());
    }
    if because.is_empty() {
        because.push("nothing in it asks for more or for less".to_owned());
    }
    Suggestion { granularity, because }
}

/// The members of a slot that a template shows.
#[must_use]
pub fn slot() -> Object {
    object([
        ("id", REPORT_FOCUS.into()),
        ("name", SLOT_NAME.into()),
        ("type", "string".into()),
        ("required", true.into()),
        ("default", SLOT_DEFAULT.into()),
        ("description", SLOT_DESCRIPTION.into()),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_is_filled_with_what_was_said() {
        let made = draft(Granularity::Balanced, None, Some("\n A guide to bees \nwith pictures"));
        assert_eq!(made.focus.as_deref(), Some("A guide to bees"));
        let document = made.document.members();
        assert_eq!(document["description"], "\n A guide to bees \nwith pictures".into());
        let blank = document["inputs"].get(REPORT_FOCUS).and_then(|blank| blank.get("default"));
        assert_eq!(blank, Some(&"A guide to bees".into()));
        let paths: Vec<&str> = made.patches.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(paths, ["/id", "/description", "/inputs/report_focus/default"]);
        assert_eq!(made, draft(Granularity::Balanced, None, Some("\n A guide to bees \nwith pictures")));
        let blank = draft(Granularity::Balanced, None, None);
        assert_eq!((blank.focus, blank.patches.len(), blank.assumptions.len()), (None, 1, 3));
        let both = draft(Granularity::Fine, Some("Bees"), Some("A guide"));
        assert_eq!((both.focus.as_deref(), &both.document.members()["description"]), (Some("Bees"), &"A guide".into()));
        assert!(both.document.portable_id().is_some());
    }

    #[test]
    fn a_suggestion_says_what_it_was_seen_by() {
        for (description, granularity, because) in [
            ("", Granularity::Compact, "it says little"),
            ("Bees", Granularity::Compact, "it says little"),
            (
                "A short note on what changed in the last release",
                Granularity::Compact,
                "it asks for little: short, note",
            ),
            (
                "An introduction to bees for people who keep none",
                Granularity::Balanced,
                "nothing in it asks for more or for less",
            ),
            (
                "Research the sources on bees and review what they say",
                Granularity::Fine,
                "it asks for care: research, source, review",
            ),
            (
                "Research bees, but write a short text about them",
                Granularity::Balanced,
                "it asks for care: research; it asks for little: short",
            ),
        ] {
            let found = suggest(description);
            assert_eq!((found.granularity, found.because.join("; ").as_str()), (granularity, because), "{description}");
        }
        let long = format!("Compare bees. {}", "And tell more of them. ".repeat(20));
        assert_eq!(suggest(&long).granularity, Granularity::Fine);
    }
}
