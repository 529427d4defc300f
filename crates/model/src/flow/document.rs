//! A Flow document: what is saved and exchanged (contract §3). Only some members mean something; all are kept
//! as they came.

use serde::{Deserialize, Serialize};

use super::{
    canonical::Hash,
    capability::Source,
    compile::{Catalogue, CompileError},
    fields::{Fields, cut, trimmed},
    granularity::Granularity,
    id::PortableId,
    inputs::REPORT_FOCUS,
    json::{Json, Object},
    problem::Problem,
};

/// Characters of a document's id and name when it is compiled.
pub const ID_MAX: usize = 160;
pub const NAME_MAX: usize = 240;

/// Digits of the id of a document that came without one.
const UNNAMED_DIGITS: usize = 12;

// Characters of what a saved document's local task takes from it.
const TASK_TITLE_MAX: usize = 120;
const TASK_GOAL_MAX: usize = 500;
const TASK_TOPIC_MAX: usize = 280;

pub(super) const DEFAULT_TITLE: &str = "Untitled flow";
const DEFAULT_GOAL: &str = "Carry out the steps of this flow and keep what each of them returned.";
const DEFAULT_TOPIC: &str = "The work described by this flow";

/// Which fields of a document are interpreted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaVersion {
    /// A chain of steps.
    One,
    /// A graph with rules.
    Two,
}

/// What a local task shows of a saved document (contract §3, §4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskFields {
    pub title: String,
    pub goal: String,
    pub topic: String,
    pub granularity: Granularity,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Document(Object);

impl From<Object> for Document {
    fn from(members: Object) -> Self {
        Self(members)
    }
}

impl From<Document> for Json {
    fn from(document: Document) -> Self {
        Json::Object(document.0)
    }
}

impl Document {
    /// # Errors
    /// The value is not an object. Nothing else is asked of a document before it is compiled.
    pub fn read(value: Json) -> Result<Self, Problem> {
        match value {
            Json::Object(members) => Ok(Self(members)),
            _ => Err(Problem::new("", "a flow must be an object")),
        }
    }

    #[must_use]
    pub const fn members(&self) -> &Object {
        &self.0
    }

    #[must_use]
    pub fn fields(&self) -> Fields<'_> {
        Fields::new(&self.0, "")
    }

    /// What does not say 2 or more is version 1, which its origin never checked.
    ///
    /// # Errors
    /// A version that is newer than this product, or that means a newer one than 1 and is no integer: its fields would
    /// be silently ignored.
    pub fn schema_version(&self) -> Result<SchemaVersion, Problem> {
        let problem = |text| Err(self.fields().problem("schema_version", text));
        let Some(value) = self.0.get("schema_version") else { return Ok(SchemaVersion::One) };
        if value.as_i64() == Some(2) {
            return Ok(SchemaVersion::Two);
        }
        let number = match value {
            Json::Number(number) => Some(number.as_f64()),
            Json::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        match (value, number.filter(|number| *number >= 2.0)) {
            (_, None) => Ok(SchemaVersion::One),
            (Json::Number(number), Some(_)) if number.is_integer() => {
                problem("is newer than 2, the newest one known here")
            }
            (_, Some(_)) => problem("must be 1 or 2, as an integer"),
        }
    }

    /// The id by which it can be found in bundles, history and admission; `None` if it has no such id.
    #[must_use]
    pub fn portable_id(&self) -> Option<PortableId> {
        PortableId::parse(self.0.get("id")?.as_str()?.trim())
    }

    /// Why nobody can run it by its id, if it has one that is no portable id. It can be run by its local id.
    #[must_use]
    pub fn unaddressable(&self) -> Option<String> {
        let id = self.0.get("id")?.as_str()?.trim();
        (!id.is_empty() && self.portable_id().is_none()).then(|| {
            format!(
                "the id {id:?} names the flow nowhere: in addresses, bundles and history an id has 3 to 128 of the \
                 characters A-Z a-z 0-9 . _ - and begins with a letter or digit. The flow can be run by its local id"
            )
        })
    }

    /// Names a document that has no id after what stands in it, so that it is the same flow whenever it comes.
    pub fn set_missing_id(&mut self) {
        if self.0.get("id").is_some_and(|id| !id.is_null() && id.as_str() != Some("")) {
            return;
        }
        let hash = Hash::of(&Json::Object(self.0.clone()));
        self.0.insert("id".into(), format!("console-{}", hash.prefix(UNNAMED_DIGITS)).into());
    }

    /// The ids of all capabilities that its steps name, in their order, each once. Works on broken documents.
    #[must_use]
    pub fn capability_ids(&self) -> Vec<&str> {
        let mut ids = Vec::new();
        for step in self.0.get("steps").and_then(Json::as_array).unwrap_or_default() {
            if let Some(id) = step.get("params").and_then(|params| params.get("capability_id")).and_then(Json::as_str)
                && !ids.contains(&id)
            {
                ids.push(id);
            }
        }
        ids
    }

    /// Pins every bound step to what it is bound to now, as saving does.
    ///
    /// # Errors
    /// A step names a capability or flow that is not there.
    pub fn pin(&mut self, catalogue: &dyn Catalogue) -> Result<(), CompileError> {
        let is_graph = matches!(self.schema_version(), Ok(SchemaVersion::Two));
        for params in self.step_params() {
            if let Some(id) = params.get("capability_id").and_then(Json::as_str).map(str::to_owned) {
                let capability = catalogue.capability(&id).ok_or(CompileError::UnknownCapability(id))?;
                params.insert("capability_fingerprint".into(), (&capability.fingerprint()).into());
            }
            if let Some(id) = params.get("flow_id").and_then(Json::as_str).filter(|_| is_graph).map(str::to_owned) {
                let callee = catalogue.flow(&id).ok_or(CompileError::UnknownFlow(id))?;
                params.insert("flow_hash".into(), callee.flow.hash().into());
            }
        }
        Ok(())
    }

    /// Pins the steps that are bound to what the runtime installs itself, whose fingerprints follow the
    /// port; as reading a saved document does. Unknown capabilities are left for compiling to refuse.
    pub fn pin_samples(&mut self, catalogue: &dyn Catalogue) {
        for params in self.step_params() {
            let capability = params.get("capability_id").and_then(Json::as_str).and_then(|id| catalogue.capability(id));
            if let Some(capability) = capability.filter(|capability| capability.source == Source::Sample) {
                params.insert("capability_fingerprint".into(), (&capability.fingerprint()).into());
            }
        }
    }

    fn step_params(&mut self) -> impl Iterator<Item = &mut Object> {
        let steps = match self.0.get_mut("steps") {
            Some(Json::Array(steps)) => steps.as_mut_slice(),
            _ => &mut [],
        };
        steps.iter_mut().filter_map(|step| step.as_object_mut()?.get_mut("params")?.as_object_mut())
    }

    /// What its local task shows. `template` is the granularity named by the caller, if any.
    ///
    /// # Errors
    /// A name, description or topic that is too long or no text.
    pub fn task_fields(&self, template: Option<Granularity>) -> Result<TaskFields, Problem> {
        let fields = self.fields();
        let or_default = |name: &str, max: usize, default: &str| {
            let text = fields.optional_string(name)?.map(str::trim).filter(|text| !text.is_empty());
            let text = text.map(|text| trimmed(text, max).ok_or_else(|| too_long(fields.path(name), max)));
            text.transpose().map(|text| text.unwrap_or(default).to_owned())
        };
        let goal = or_default("description", TASK_GOAL_MAX, DEFAULT_GOAL)?;
        let focus = self.0.get("inputs").and_then(|inputs| inputs.get(REPORT_FOCUS)?.get("default")?.non_blank());
        let topic = match focus {
            Some(focus) => {
                let path = format!("/inputs/{REPORT_FOCUS}/default");
                trimmed(focus, TASK_TOPIC_MAX).ok_or_else(|| too_long(path, TASK_TOPIC_MAX))?.to_owned()
            }
            // A description may be longer than a topic; the whole of it is the goal.
            None => {
                cut(self.0.get("description").and_then(Json::non_blank).unwrap_or(DEFAULT_TOPIC).trim(), TASK_TOPIC_MAX)
            }
        };
        let own = self.0.get("x_symphlo").and_then(|own| own.get("granularity")?.as_str()).and_then(Granularity::parse);
        Ok(TaskFields {
            title: or_default("name", TASK_TITLE_MAX, DEFAULT_TITLE)?,
            goal,
            topic,
            granularity: template.or(own).unwrap_or(Granularity::Balanced),
        })
    }
}

fn too_long(path: String, max: usize) -> Problem {
    Problem::new(path, format!("must be at most {max} characters"))
}
