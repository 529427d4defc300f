//! What a `human.task` asks: a form, some options, and how long it waits. The question itself is the node's
//! instruction.

use super::super::{
    fields::Fields,
    id::{is_word_byte, matches},
    json::{Json, Object, object},
    problem::Problem,
};

/// Options of one question.
pub const OPTIONS_MAX: usize = 16;
/// Seconds that a question may wait: a year.
pub const EXPIRY_MAX: u32 = 31_536_000;
const LABEL_MAX: usize = 120;

/// What can be chosen if the document names no options.
const DEFAULT_OPTIONS: [(&str, &str); 2] = [("approve", "Approve"), ("reject", "Reject")];

/// One choice. It is an answer like any other: what follows from it is said by `when` of later nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// 1 to 64 characters of letters, digits, `_` and `-`; unique.
    pub id: String,
    pub label: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Person {
    /// A JSON Schema of an object that the answer's `form` must follow; `None` asks for nothing to fill in.
    pub form: Option<Object>,
    /// Never empty.
    pub options: Vec<Choice>,
    /// Seconds from the question on; `None` waits for ever.
    pub expires_seconds: Option<u32>,
    /// The option that is taken when it expires; `None` fails the node.
    pub on_expiry: Option<String>,
}

impl Person {
    pub(in super::super) fn read(fields: &Fields<'_>) -> Result<Self, Problem> {
        let form = fields.object("form")?.map(|form| read_form(&form)).transpose()?;
        let options = read_options(fields)?;
        let expires_seconds = fields.integer("expires_seconds", 1..=EXPIRY_MAX)?;
        let on_expiry = fields.optional_string("on_expiry")?.map(str::to_owned);
        if let Some(id) = &on_expiry {
            if expires_seconds.is_none() {
                return Err(fields.problem("on_expiry", "needs expires_seconds"));
            }
            if !options.iter().any(|option| option.id == *id) {
                return Err(fields.problem("on_expiry", "must be the id of an option"));
            }
        }
        Ok(Self { form, options, expires_seconds, on_expiry })
    }

    pub(super) fn to_json(&self) -> Json {
        let options = self.options.iter().map(|option| {
            Json::Object(object([("id", option.id.as_str().into()), ("label", option.label.as_str().into())]))
        });
        let mut members = object([("options", Json::Array(options.collect()))]);
        let given = [
            ("form", self.form.clone().map(Json::Object)),
            ("expires_seconds", self.expires_seconds.map(Into::into)),
            ("on_expiry", self.on_expiry.clone().map(Into::into)),
        ];
        members.extend(given.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        Json::Object(members)
    }
}

/// Only the outline is checked: whether the rest is a good schema is said by the validator of answers.
fn read_form(form: &Fields<'_>) -> Result<Object, Problem> {
    form.literal("type", "object")?;
    form.object("properties")?.ok_or_else(|| form.problem("properties", "is missing"))?;
    Ok(form.members().clone())
}

fn read_options(fields: &Fields<'_>) -> Result<Vec<Choice>, Problem> {
    let Some(items) = fields.array("options", OPTIONS_MAX)? else {
        return Ok(DEFAULT_OPTIONS.map(|(id, label)| Choice { id: id.into(), label: label.into() }).to_vec());
    };
    if items.is_empty() {
        return Err(fields.problem("options", "must not be empty"));
    }
    let mut options: Vec<Choice> = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let option = Fields::of(item, format!("{}/{index}", fields.path("options")))?;
        option.only(&["id", "label"])?;
        let id = option.text("id", 64)?;
        if !matches(id, 1, 64, is_word_byte, is_word_byte) {
            return Err(option.problem("id", "must be letters, digits, '_' and '-'"));
        }
        if options.iter().any(|other| other.id == id) {
            return Err(option.problem("id", "occurs twice"));
        }
        let label = option.optional_text("label", LABEL_MAX)?.unwrap_or(id);
        options.push(Choice { id: id.to_owned(), label: label.to_owned() });
    }
    Ok(options)
}
