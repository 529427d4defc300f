//! The rules of a Run, driven by hand: chains as in version 1, and what graphs add.

mod chain;
mod graph;
mod simulation;
mod taken;

use super::{
    about::About,
    attempt::{EvidenceLevel, Outcome},
    event::{Event, Origin, RunCreated, RunEffectsEvaluated},
    next::next,
    settle::{Circumstances, settle},
    state::{RunState, Status},
};
use crate::{
    Timestamp,
    flow::{Binding, Effect, ExecutorRef, Flow, Hash, Json, Node, NodeId, NodeKind, Object, Upstream, json::object},
};

/// Drives a Run without any I/O, and keeps every event.
struct Driver {
    flow: Flow,
    state: RunState,
    events: Vec<(Event, Timestamp)>,
    now: Timestamp,
}

impl Driver {
    fn new(nodes: Vec<Node>) -> Self {
        let flow = Flow::of_nodes("test-flow", nodes);
        let now = Timestamp(1_000_000);
        let created = RunCreated {
            flow_id: flow.flow_id().to_owned(),
            version: flow.version().to_owned(),
            semantic_hash: flow.hash().clone(),
            own: Origin {
                rules_version: super::RULES_VERSION,
                flow_input: object([("goal", "test".into())]),
                about: About::default(),
            },
        };
        let state = RunState::create(&flow, &created, now);
        let evaluated = RunEffectsEvaluated {
            policy_version: "p".into(),
            approval_required: false,
            input_hash: Hash::of(&Json::Null),
            effects: Vec::new(),
            scope: Json::Null,
        };
        let mut driver = Self { flow, state, events: vec![(created.into(), now)], now };
        driver.record(vec![evaluated.into()]);
        driver
    }

    fn record(&mut self, events: Vec<Event>) {
        for event in events {
            let stored = Event::parse(event.kind(), &event.payload()).expect("an event is read back");
            assert_eq!(stored, event);
            self.state.apply(&self.flow, &event, self.now).unwrap_or_else(|illegal| panic!("{illegal}: {event:?}"));
            self.events.push((event, self.now));
        }
    }

    /// Takes every step that needs nobody.
    fn step(&mut self) -> &mut Self {
        for _ in 0..10_000 {
            let events = next(&self.flow, &self.state, self.now);
            if events.is_empty() {
                return self;
            }
            self.record(events);
        }
        panic!("the rules never rest");
    }

    /// The only open attempt of a node, settled.
    fn settle(&mut self, node: &str, outcome: Outcome) -> &mut Self {
        let attempts = self.state.open_attempts(&self.flow);
        let attempt = attempts.iter().find(|attempt| attempt.node_id.as_str() == node).cloned();
        let attempt = attempt.unwrap_or_else(|| panic!("{node} is not under way: {attempts:?}"));
        let events = settle(&self.flow, &self.state, &attempt, outcome, Circumstances { now: self.now, jitter: 1000 });
        self.record(events);
        self.step()
    }

    fn returns(&mut self, node: &str, output: Object) -> &mut Self {
        self.settle(node, returned(output))
    }

    fn kinds(&self) -> Vec<&'static str> {
        self.events.iter().map(|(event, _)| event.kind()).collect()
    }

    fn phase(&self, node: &str) -> &'static str {
        self.state.nodes[self.flow.position(node).expect("a node")].phase.name()
    }

    fn input(&self, node: &str) -> Object {
        let input = self.state.nodes[self.flow.position(node).expect("a node")].input.clone();
        Object::clone(&input.expect("an accepted input"))
    }

    /// What is stored gives the same state.
    fn check_replay(&self) {
        let events = self.events.iter().map(|(event, at)| (event, *at));
        assert_eq!(RunState::replay(&self.flow, events).expect("a legal history"), self.state);
    }
}

fn returned(output: Object) -> Outcome {
    Outcome::Returned {
        output: Json::Object(output),
        level: EvidenceLevel::RealExecutor,
        session: None,
        artifact: None,
    }
}

fn failure() -> Outcome {
    let class = Some(crate::flow::rules::FailureClass::Exit);
    Outcome::Failed { class, error_type: "Exit".into(), message: "exit 1".into() }
}

fn id(text: &str) -> NodeId {
    NodeId::parse(text).expect("an id")
}

fn node(name: &str, kind: NodeKind, effects: &[Effect], from: &[&str]) -> Node {
    let binding = Binding { executor: ExecutorRef::new(format!("x.{name}"), "1.0.0"), effects: effects.to_vec() };
    let upstream = match from {
        [] => Upstream::FlowInput,
        [one] => Upstream::Output(id(one)),
        many => Upstream::Gathered(many.iter().map(|from| id(from)).collect()),
    };
    Node::plain(id(name), name.to_owned(), kind, binding, upstream)
}

fn tool(name: &str, from: &[&str]) -> Node {
    node(name, NodeKind::Tool, &[Effect::ExecuteProcess], from)
}

fn writer(name: &str, from: &[&str]) -> Node {
    node(name, NodeKind::Tool, &[Effect::WriteExternal], from)
}

fn word(name: &str) -> Object {
    object([("text", name.into())])
}

fn verdict(pass: bool) -> Object {
    let findings = if pass { "[]" } else { r#"[{"code":"names.missing","message":"no names"}]"# };
    let verdict = if pass { "pass" } else { "fail" };
    let text = format!(
        r#"{{"contract_version":"symphlo.evaluation-result.v1","verdict":"{verdict}","summary":"judged","findings":{findings}}}"#
    );
    object([("candidate", Json::Object(word("draft"))), ("evaluation", Json::parse(&text).expect("JSON"))])
}

fn is(driver: &Driver, status: Status) {
    assert_eq!(driver.state.status, status, "{:?}", driver.kinds());
    driver.check_replay();
}
