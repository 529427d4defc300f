//! The tools, one file each, in the published order.
//!
//! A tool is a row of data and one function. The input schema is made from the parameters listed in the
//! row: a plain object without references or unions, in which an optional parameter is one that is not
//! required. (`keep_idle` and `keep_turns` are the published exception: their type names null.) Ranges are
//! told in words and checked by the channel, since a value out of range is a refusal with a code and not a
//! schema error.

mod cancel_task;
mod delete_session;
mod describe_agent;
mod extend_agent;
mod forget_task;
mod get_events;
mod get_task;
mod list_sessions;
mod list_tasks;
mod release_agent;
mod resolve_task;
mod spawn_task;
mod wait_tasks;

use std::{pin::Pin, sync::Arc};

use rmcp::model::{Tool as WireTool, ToolAnnotations};
use serde_json::{Map, Value, json};

use crate::{args::Args, dispatch::Dispatch, error::ToolError};

/// Every tool, in the order they are listed.
pub const TOOLS: [Tool; 13] = [
    describe_agent::TOOL,
    list_sessions::TOOL,
    delete_session::TOOL,
    spawn_task::TOOL,
    get_task::TOOL,
    get_events::TOOL,
    wait_tasks::TOOL,
    list_tasks::TOOL,
    resolve_task::TOOL,
    cancel_task::TOOL,
    forget_task::TOOL,
    extend_agent::TOOL,
    release_agent::TOOL,
];

/// Stands in descriptions for the names of the agents.
const AGENTS: &str = "{agents}";

/// The result object of a call under way.
type Answer<'a> = Pin<Box<dyn Future<Output = Result<Value, ToolError>> + Send + 'a>>;

/// One tool.
#[derive(Debug, Clone, Copy)]
pub struct Tool {
    pub name: &'static str,
    title: &'static str,
    description: &'static str,
    effect: Effect,
    params: &'static [Param],
    pub call: for<'a> fn(&'a dyn Dispatch, Args) -> Answer<'a>,
}

/// What a call does to the world, for hosts that ask before some calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// Reads what Segue has recorded.
    Reads,
    /// Starts an agent to ask it something; nothing is changed.
    Asks,
    /// Records something, harmless when repeated.
    Records,
    /// Lets an agent work: anything may happen.
    Works,
    /// Ends or removes something.
    Ends,
}

/// One parameter.
#[derive(Debug, Clone, Copy)]
struct Param {
    name: &'static str,
    kind: Kind,
    required: bool,
    description: &'static str,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Text,
    Choice(&'static [&'static str]),
    Integer {
        default: i64,
    },
    /// Published with null in its type, and a range.
    Bound {
        min: u32,
        max: u32,
    },
    Number {
        default: Option<i64>,
    },
    Flag,
    Object,
    Texts,
}

impl Param {
    const fn required(name: &'static str, kind: Kind, description: &'static str) -> Self {
        Self { name, kind, required: true, description }
    }

    const fn optional(name: &'static str, kind: Kind, description: &'static str) -> Self {
        Self { name, kind, required: false, description }
    }
}

const AGENT: Param = Param::required("agent", Kind::Text, "Name of the agent: {agents}.");
const TASK_ID: Param = Param::required("task_id", Kind::Text, "Id of the task, as spawn_task returned it.");
const WORKSPACE: Param = Param::optional(
    "workspace",
    Kind::Text,
    "Folder the agent works in. A relative path starts at the server's working directory, which is also the default.",
);

/// The tool of that name.
pub fn find(name: &str) -> Option<&'static Tool> {
    static ALL: [Tool; 13] = TOOLS;
    ALL.iter().find(|tool| tool.name == name)
}

impl Tool {
    /// As listed to clients.
    pub fn listed(&self, agents: &[String]) -> WireTool {
        let fill = |text: &str| text.replace(AGENTS, &agents.join(", "));
        let mut tool = WireTool::new(self.name, fill(self.description), Arc::new(self.input_schema(&fill)));
        tool.title = Some(self.title.to_owned());
        tool.output_schema = Some(Arc::new(object(json!({"type": "object", "additionalProperties": true}))));
        tool.annotations = Some(self.effect.annotations(self.title));
        tool
    }

    fn input_schema(&self, fill: &impl Fn(&str) -> String) -> Map<String, Value> {
        let properties: Map<String, Value> = self
            .params
            .iter()
            .map(|param| {
                let mut schema = param.kind.schema();
                schema.insert("description".to_owned(), fill(param.description).into());
                (param.name.to_owned(), schema.into())
            })
            .collect();
        let required: Vec<&str> = self.params.iter().filter(|param| param.required).map(|param| param.name).collect();
        let mut schema = object(json!({"type": "object", "properties": properties}));
        if !required.is_empty() {
            schema.insert("required".to_owned(), json!(required));
        }
        schema
    }
}

impl Kind {
    fn schema(self) -> Map<String, Value> {
        object(match self {
            Self::Text => json!({"type": "string"}),
            Self::Choice(words) => json!({"type": "string", "enum": words}),
            Self::Integer { default } => json!({"type": "integer", "default": default}),
            Self::Bound { min, max } => json!({"type": ["integer", "null"], "minimum": min, "maximum": max}),
            Self::Number { default: Some(default) } => json!({"type": "number", "default": default}),
            Self::Number { default: None } => json!({"type": "number"}),
            Self::Flag => json!({"type": "boolean", "default": false}),
            Self::Object => json!({"type": "object", "additionalProperties": true}),
            Self::Texts => json!({"type": "array", "items": {"type": "string"}}),
        })
    }
}

impl Effect {
    fn annotations(self, title: &str) -> ToolAnnotations {
        let (read_only, destructive, idempotent, open_world) = match self {
            Self::Reads => (true, false, true, false),
            Self::Asks => (true, false, true, true),
            Self::Records => (false, false, true, false),
            Self::Works => (false, true, false, true),
            Self::Ends => (false, true, true, false),
        };
        ToolAnnotations::with_title(title)
            .read_only(read_only)
            .destructive(destructive)
            .idempotent(idempotent)
            .open_world(open_world)
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}
