//! The three writing flows that come with the product (contract §21), and the golden flow (§22).

use super::{
    definition::Flow,
    document::Document,
    executor::{deterministic_role, publisher},
    id::NodeId,
    json::{Json, Object, object},
    kind::NodeKind,
    node::{Node, Upstream},
};

words! {
    /// How finely the built-in writing flow is cut.
    Granularity {
        Compact = "compact",
        Balanced = "balanced",
        Fine = "fine",
    }
}

/// The id of the golden flow.
pub const GOLDEN_FLOW_ID: &str = "observable-golden-loop";
/// The capability that the golden flow's two agent nodes are bound to.
pub const SESSION_FIXTURE_ID: &str = "agent.session-fixture";

const PUBLISH: (&str, &str) = ("publish-article", "Publish the article");

impl Granularity {
    #[must_use]
    pub const fn flow_id(self) -> &'static str {
        match self {
            Self::Compact => "multi-agent-writing-compact",
            Self::Balanced => "multi-agent-writing-balanced",
            Self::Fine => "multi-agent-writing-fine",
        }
    }

    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Compact => "Write an article in one step",
            Self::Balanced => "Plan, draft and edit an article",
            Self::Fine => "Research, outline, draft, review and revise an article",
        }
    }

    /// Node ids and titles of the agents, in order; the publisher follows them.
    #[must_use]
    pub const fn agents(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Compact => &[("write-article", "Write the article")],
            Self::Balanced => &[
                ("plan-article", "Plan the article"),
                ("draft-article", "Draft the article"),
                ("edit-article", "Edit the article"),
            ],
            Self::Fine => &[
                ("research-angle", "Research the angle"),
                ("outline-article", "Outline the article"),
                ("draft-article", "Draft the article"),
                ("review-draft", "Review the draft"),
                ("revise-article", "Revise the article"),
            ],
        }
    }

    /// The built-in flow, executed by the deterministic roles. Its nodes carry no instruction.
    #[must_use]
    pub fn flow(self) -> Flow {
        let steps = self.agents().iter().chain([&PUBLISH]);
        let mut upstream = Upstream::FlowInput;
        let nodes = steps.filter_map(|(id, title)| {
            let id = NodeId::parse(id)?;
            let (kind, binding) = match deterministic_role(id.as_str()) {
                Some(role) => (NodeKind::Agent, role),
                None => (NodeKind::Artifact, publisher()),
            };
            let from = std::mem::replace(&mut upstream, Upstream::Output(id.clone()));
            Some(Node::plain(id, (*title).to_owned(), kind, binding, from))
        });
        Flow::new(self.flow_id().to_owned(), self.title().to_owned(), nodes.collect())
    }
}

/// The document of the golden flow, not yet pinned.
#[must_use]
pub fn golden_document() -> Document {
    let fixture = || object([("capability_id", SESSION_FIXTURE_ID.into())]);
    let steps: [(&str, NodeKind, &str, &str, Object); 5] = [
        ("plan-article", NodeKind::Agent, "Plan the article", "", object([])),
        (
            "draft-article",
            NodeKind::Agent,
            "Draft the article",
            "Draft the article along the accepted plan.",
            fixture(),
        ),
        ("review-draft", NodeKind::Agent, "Review the draft", "", object([])),
        (
            "revise-article",
            NodeKind::Agent,
            "Revise the article",
            "Revise the draft along the accepted review.",
            fixture(),
        ),
        (PUBLISH.0, NodeKind::Artifact, PUBLISH.1, "", object([])),
    ];
    let mut from = Json::Null;
    let steps = steps.into_iter().map(|(id, kind, title, prompt, mut params)| {
        let mut step =
            object([("id", id.into()), ("type", kind.into()), ("from", std::mem::replace(&mut from, id.into()))]);
        if !prompt.is_empty() {
            step.insert("prompt".into(), prompt.into());
        }
        if params.contains_key("capability_id") {
            step.insert("session_group".into(), "worker_loop".into());
        }
        params.insert("title".into(), title.into());
        step.insert("params".into(), params.into());
        Json::Object(step)
    });
    let steps: Vec<Json> = steps.collect();
    let report_focus = object([
        ("type", "string".into()),
        ("required", true.into()),
        ("default", "How durable hand-offs keep agents honest".into()),
        ("description", "What the article is about".into()),
    ]);
    Document::from(object([
        ("schema_version", 1_i64.into()),
        ("id", GOLDEN_FLOW_ID.into()),
        ("name", "Observable golden loop".into()),
        ("description", "Plan, draft, review and revise with one worker whose session is kept, then publish.".into()),
        ("inputs", Json::Object(object([("report_focus", report_focus.into())]))),
        ("steps", steps.into()),
        ("x_symphlo", Json::Object(object([("granularity", Granularity::Balanced.into())]))),
    ]))
}
