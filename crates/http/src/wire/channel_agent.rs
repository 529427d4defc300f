//! Agents that tasks can be given to, their sessions, and agents that were kept.

use segue_channel::api::{Agent, Choice, Description, Extended, KeptAgent, Released, Session, Sessions};
use segue_model::reading::instant;
use serde_json::{Value, json};

use crate::shape::{Named, Shape, has};

const CHOICE: Shape = Shape::OrNull(&Shape::Exact(&[
    has("current", Shape::OrNull(&Shape::Text)),
    has("values", Shape::List(&Shape::Text)),
]));
const OR_TEXT: Shape = Shape::OrNull(&Shape::Text);

pub const LIST: Named = Named {
    name: "AgentList",
    about: "`path` is the agent's program on this machine, null when it cannot be started here: `problem` then says why. Nothing was \
        started to tell. `nested`: this runtime runs inside an agent, so nothing is dispatched.",
    shape: Shape::Exact(&[
        has(
            "items",
            Shape::List(&Shape::Exact(&[has("agent", Shape::Text), has("path", OR_TEXT), has("problem", OR_TEXT)])),
        ),
        has("nested", Shape::Flag),
        has("workspace", Shape::Text),
    ]),
};

pub const DESCRIPTION: Named = Named {
    name: "AgentDescription",
    about: "As the agent offers it. `model` and `effort` are null when it offers none.",
    shape: Shape::Exact(&[
        has("agent", Shape::Text),
        has("agent_name", OR_TEXT),
        has("agent_version", OR_TEXT),
        has("model", CHOICE),
        has("effort", CHOICE),
        has("delivery", Shape::Map),
        has("pins", Shape::Map),
        has("pins_with_edit", Shape::Map),
    ]),
};

pub const SESSIONS: Named = Named {
    name: "SessionList",
    about: "",
    shape: Shape::Exact(&[
        has("agent", Shape::Text),
        has("workspace", Shape::Text),
        has(
            "items",
            Shape::List(&Shape::Exact(&[
                has("session_id", Shape::Text),
                has("cwd", Shape::Text),
                has("title", OR_TEXT),
                has("updated_at", OR_TEXT),
                has("additional_directories", Shape::OrNull(&Shape::List(&Shape::Text))),
            ])),
        ),
        has("next", OR_TEXT),
    ]),
};

pub const KEPT_LIST: Named = Named {
    name: "KeptAgentList",
    about: "Agents that are kept and turns that will keep theirs, over all servers of the state folder. `here`: it is this server's, so \
        that it can be extended and released here. A task names its agent by the handle.",
    shape: Shape::Exact(&[has(
        "items",
        Shape::List(&Shape::Exact(&[
            has("handle", Shape::Text),
            has("agent", Shape::Text),
            has("workspace", Shape::Text),
            has("session_id", OR_TEXT),
            has("state", Shape::Text),
            has("keep_idle", Shape::Integer),
            has("keep_turns", Shape::Integer),
            has("turns_left", Shape::OrNull(&Shape::Integer)),
            has("expires_at", Shape::OrNull(&Shape::Time)),
            has("task_id", Shape::Text),
            has("server", Shape::Text),
            has("here", Shape::Flag),
        ])),
    )]),
};

#[must_use]
pub fn kept_list(kept: &[KeptAgent]) -> Value {
    let item = |kept: &KeptAgent| {
        let lease = &kept.lease;
        json!({
            "handle": lease.handle.as_str(),
            "agent": lease.agent,
            "workspace": lease.workspace,
            "session_id": lease.session_id,
            "state": lease.state.label(),
            "keep_idle": lease.bounds.keep_idle,
            "keep_turns": lease.bounds.keep_turns,
            "turns_left": lease.state.turns_left(),
            "expires_at": lease.state.expires_at().map(instant::written),
            "task_id": lease.task.as_str(),
            "server": kept.server,
            "here": kept.is_here,
        })
    };
    json!({"items": kept.iter().map(item).collect::<Vec<_>>()})
}

pub const EXTENSION: Named = Named {
    name: "KeptAgentExtension",
    about: "",
    shape: Shape::Exact(&[
        crate::shape::may("keep_idle", Shape::OrNull(&Shape::Integer)),
        crate::shape::may("keep_turns", Shape::OrNull(&Shape::Integer)),
    ]),
};

pub const EXTENDED: Named = Named {
    name: "ExtendedAgent",
    about: "",
    shape: Shape::Exact(&[
        has("handle", Shape::Text),
        has("expires_at", Shape::Time),
        has("turns_left", Shape::Integer),
    ]),
};

pub const RELEASED: Named = Named {
    name: "ReleasedAgent",
    about: "",
    shape: Shape::Exact(&[
        has("handle", Shape::Text),
        has("agent", Shape::Text),
        has("session_id", OR_TEXT),
        has("released", Shape::Flag),
    ]),
};

#[must_use]
pub fn list(agents: &[Agent], nested: bool, workspace: &std::path::Path) -> Value {
    let item = |agent: &Agent| {
        let path = agent.found.as_ref().ok().map(|path| path.to_string_lossy());
        json!({"agent": agent.name, "path": path, "problem": agent.found.as_ref().err()})
    };
    let items: Vec<Value> = agents.iter().map(item).collect();
    json!({"items": items, "nested": nested, "workspace": workspace.to_string_lossy()})
}

fn choice(choice: Option<Choice>) -> Value {
    choice.map_or(Value::Null, |choice| json!({"current": choice.current, "values": choice.values}))
}

#[must_use]
pub fn description(description: Description) -> Value {
    json!({
        "agent": description.agent,
        "agent_name": description.agent_name,
        "agent_version": description.agent_version,
        "model": choice(description.model),
        "effort": choice(description.effort),
        "delivery": description.delivery,
        "pins": description.pins,
        "pins_with_edit": description.pins_with_edit,
    })
}

#[must_use]
pub fn sessions(sessions: Sessions) -> Value {
    let item = |session: Session| {
        json!({
            "session_id": session.session_id,
            "cwd": session.cwd,
            "title": session.title,
            "updated_at": session.updated_at,
            "additional_directories": session.additional_directories,
        })
    };
    json!({
        "agent": sessions.agent,
        "workspace": sessions.workspace,
        "items": sessions.sessions.into_iter().map(item).collect::<Vec<_>>(),
        "next": sessions.next_cursor,
    })
}

#[must_use]
pub fn extended(extended: &Extended) -> Value {
    json!({
        "handle": extended.handle,
        "expires_at": instant::written(extended.expires_at),
        "turns_left": extended.turns_left,
    })
}

#[must_use]
pub fn released(released: &Released) -> Value {
    json!({"handle": released.handle, "agent": released.agent, "session_id": released.session_id, "released": true})
}
