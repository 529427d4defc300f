//! Contract §15: what an authorization is bound to.

use super::{version_1::flow_vector, *};

fn input_hash() -> Hash {
    Hash::of(&json(r#"{"topic":"é","n":1,"x":1.0}"#))
}

/// The parent in the contract's vector is no run id, so its scope is made by hand.
#[test]
fn the_fork_vector_has_its_authorization_id() {
    let flow = flow_vector();
    let node = |id: &str| NodeId::parse(id).expect("an id");
    let scope = Scope { node_ids: vec![node("b"), node("p")], fork: Some(("p1".into(), node("b"))) };
    let challenge = Challenge::new(&flow, input_hash(), scope);
    assert!(!challenge.is_required());
    let expected = "813ec5c3655ccc37931a4588303de0ef35b623c8e4e008f93795d2b014e76f60";
    assert_eq!(challenge.authorization_id.as_str(), expected);
}

/// The contract's id for the whole vector flow depends on its origin's risk sentences, which are not
/// published; this one pins ours, for changing them would void every stored authorization.
#[test]
fn the_risk_sentences_are_part_of_the_id() {
    let flow = flow_vector();
    let challenge = Challenge::new(&flow, input_hash(), Scope::whole(&flow));
    assert!(challenge.is_required());
    let expected = json(&format!(
        r#"{{"contract_version":"symphlo.effect-authorization-required.v1","policy_version":"symphlo.effect-policy.v1",
            "flow_id":"vec-flow","flow_version":"1.0.0","flow_hash":"{flow_hash}","input_hash":"{input_hash}",
            "scope":{{"node_ids":["a","b","p"],"parent_run_id":null,"from_node_id":null}},
            "effects":[{{"effect":"write_local","node_ids":["a"],"risk":"May create, change or delete files on this machine."}}],
            "authorization_id":"{id}",
            "authorization":{{"contract_version":"symphlo.effect-authorization.v1","authorization_id":"{id}",
            "confirmation_phrase":"authorize:{id}"}}}}"#,
        flow_hash = flow.hash(),
        input_hash = input_hash(),
        id = "b96f65378d5f19bc2546d8c5847619946de231b84d8331496798c2ab9e34978c",
    ));
    assert_eq!(challenge.to_json(), expected);
}

/// Contract §15: which nodes need it.
#[test]
fn only_writes_beyond_the_publisher_need_it() {
    let shelf = shelf();
    let effects = |text: &str| {
        let flow = shelf.flow(text);
        let challenge = Challenge::new(&flow, input_hash(), Scope::whole(&flow));
        let effects = challenge.effects.iter().map(|risk| {
            let nodes: Vec<_> = risk.node_ids.iter().map(NodeId::as_str).collect();
            format!("{}:{}", risk.effect, nodes.join(","))
        });
        effects.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(effects(NOTE_DIGEST), "");
    let steps = |steps: &str| format!(r#"{{"id":"t","name":"T","steps":[{steps}]}}"#);
    let agent = r#"{"id":"a","type":"agent.task","params":{"capability_id":"agent.once"}}"#;
    let tool = r#"{"id":"b","type":"tool.task","from":"a","params":{"capability_id":"cli.write"}}"#;
    let publish = r#"{"id":"c","type":"artifact.task","from":"b"}"#;
    assert_eq!(effects(&steps(&[agent, tool, publish].join(","))), "write_local:a,b write_external:a");
    let read = r#"{"id":"a","type":"tool.task","params":{"capability_id":"http.read"}}"#;
    assert_eq!(effects(&steps(read)), "");
}

/// Contract §15: only the publisher's own local writes are free, by kind and executor together.
#[test]
fn the_exception_is_the_publisher_writing_locally_and_nothing_else() {
    let asks = |kind: &str, executor: &str, effect: &str| {
        let definition = format!(
            r#"{{"flow_id":"f","version":"1.0.0","title":"F","nodes":[{{"node_id":"a","title":"A","kind":"{kind}",
                "executor":{{"executor_id":"{executor}","version":"0.2.0"}},"effects":["{effect}"],"input_from":null,
                "instruction":null}}]}}"#
        );
        let flow = Flow::from_definition(&json(&definition)).expect("sound");
        Challenge::new(&flow, input_hash(), Scope::whole(&flow)).is_required()
    };
    let publisher = "builtin.markdown-publication";
    assert!(!asks("artifact.task", publisher, "write_local"));
    assert!(asks("artifact.task", publisher, "write_external"));
    assert!(asks("artifact.task", "builtin.other", "write_local"));
    assert!(asks("tool.task", publisher, "write_local"));
    for free in ["pure_compute", "read_local", "read_external", "execute_process"] {
        assert!(!asks("tool.task", "x", free), "{free}");
    }
}

/// Contract §15: deep-equal to what was issued, for exactly that flow, input and scope.
#[test]
fn an_authorization_is_bound_to_flow_input_and_scope() {
    let flow = flow_vector();
    let whole = Challenge::new(&flow, input_hash(), Scope::whole(&flow));
    let authorization = whole.authorization();
    assert!(whole.is_met_by(&authorization));
    let reordered = format!(
        r#"{{"confirmation_phrase":"authorize:{id}","authorization_id":"{id}","contract_version":"symphlo.effect-authorization.v1"}}"#,
        id = whole.authorization_id
    );
    assert!(whole.is_met_by(&json(&reordered)));

    let parent = RunId::from_bytes([7; 16]);
    let fork = Scope::fork(&flow, &parent, &NodeId::parse("a").expect("an id")).expect("a node");
    assert_eq!(fork.node_ids, Scope::whole(&flow).node_ids);
    let mut swapped = Scope::whole(&flow);
    swapped.node_ids.swap(0, 1);
    let mut other_title = flow.definition();
    other_title.as_object_mut().expect("an object").insert("title".into(), "Other".into());
    let other_flow = Flow::from_definition(&other_title).expect("sound");
    for other in [
        Challenge::new(&flow, input_hash(), fork),
        Challenge::new(&flow, input_hash(), swapped),
        Challenge::new(&flow, Hash::of(&json("{}")), Scope::whole(&flow)),
        Challenge::new(&other_flow, input_hash(), Scope::whole(&flow)),
    ] {
        assert!(!other.is_met_by(&authorization), "{:?}", other.scope);
    }
    for edit in ["contract_version", "authorization_id", "confirmation_phrase"] {
        let mut edited = authorization.clone();
        edited.as_object_mut().expect("an object").insert(edit.into(), "x".into());
        assert!(!whole.is_met_by(&edited), "{edit}");
    }
    let mut extra = authorization.clone();
    extra.as_object_mut().expect("an object").insert("scope".into(), Json::Null);
    for other in [extra, Json::Null, json("{}"), json("true")] {
        assert!(!whole.is_met_by(&other));
    }
}

/// Contract §15, §16: a fork asks for the target and its suffix only.
#[test]
fn a_fork_asks_for_what_it_runs() {
    let flow = flow_vector();
    let parent = RunId::from_bytes([7; 16]);
    let node = |id: &str| NodeId::parse(id).expect("an id");
    let scope = Scope::fork(&flow, &parent, &node("b")).expect("a node");
    assert_eq!(scope.node_ids, [node("b"), node("p")]);
    assert_eq!(Scope::fork(&flow, &parent, &node("z")), None);
    let graph = shelf().flow(RELEASE_CHECK);
    let scope = Scope::fork(&graph, &parent, &node("probes")).expect("a node");
    let ids: Vec<_> = scope.node_ids.iter().map(NodeId::as_str).collect();
    assert_eq!(ids, ["probes", "join", "decide", "digest", "publish"]);
}
