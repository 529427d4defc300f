//! Design §7: documents of schema version 2.

use super::{super::rules::OnUncertain, *};

fn graph(steps: &str) -> String {
    format!(r#"{{"schema_version":2,"id":"t","name":"T","steps":[{steps}]}}"#)
}

/// A tool that reads only, with these further members.
fn reader(id: &str, from: &str, members: &str) -> String {
    format!(r#"{{"id":"{id}","type":"tool.task","from":{from},"params":{{"capability_id":"http.read"}}{members}}}"#)
}

fn gate(id: &str, from: &str, members: &str) -> String {
    format!(
        r#"{{"id":"{id}","type":"evaluation.task","from":{from},"params":{{"capability_id":"evaluator.names"}}{members}}}"#
    )
}

fn join(steps: &[String]) -> String {
    graph(&steps.join(","))
}

#[test]
fn a_whole_graph_compiles_and_reads_back() {
    let shelf = shelf();
    let compiled = shelf.compile(RELEASE_CHECK).expect("compiles");
    let flow = &compiled.flow;
    assert_eq!(Flow::from_definition(&flow.definition()).as_ref(), Ok(flow));
    assert!(!flow.is_chain());
    assert_eq!(compiled.contains, ["note-digest", "release-check"]);
    let edges = flow.graph();
    assert_eq!(edges.upstream(4), [3, 2]);
    assert_eq!(edges.downstream(0), [1, 2]);
    assert_eq!(edges.repair_region(flow.nodes(), 3), [1, 3]);
    assert_eq!(flow.nodes()[0].rules.on_uncertain, Some(OnUncertain::Ask));
    assert_eq!(flow.nodes()[5].executor, ExecutorRef::new("builtin.person", "1.0.0"));
    let callee = shelf.flows["note-digest"].flow.hash();
    let executor = ExecutorRef::new(format!("flow.note-digest.{}", callee.prefix(16)), "1.0.0");
    assert_eq!(flow.nodes()[6].executor, executor);
    use Effect::{ExecuteProcess, PureCompute, ReadExternal, ReadLocal, WriteLocal};
    assert_eq!(flow.nodes()[6].effects, [PureCompute, ReadLocal, ReadExternal, WriteLocal, ExecuteProcess]);
}

/// Design §7: in the hash when used.
#[test]
fn a_chain_without_rules_has_the_hash_of_version_1() {
    let shelf = shelf();
    let as_graph = NOTE_DIGEST.replace("\"schema_version\": 1", "\"schema_version\": 2");
    assert_eq!(shelf.flow(&as_graph), shelf.flow(NOTE_DIGEST));
    let base = shelf.flow(&graph(&reader("a", "null", ""))).hash().clone();
    assert_eq!(*shelf.flow(&graph(&reader("a", "[]", r#","on_uncertain":"fail""#))).hash(), base);
    for rule in [
        r#","when":"true""#,
        r#","for_each":{"items":"input.x"}"#,
        r#","retry":{"attempts":2}"#,
        r#","timeout_seconds":5"#,
        r#","deadline":5"#,
        r#","on_uncertain":"ask""#,
    ] {
        assert_ne!(*shelf.flow(&graph(&reader("a", "null", rule))).hash(), base, "{rule}");
    }
    let pair = |from: &str| join(&[reader("a", "null", ""), reader("b", from, "")]);
    assert_ne!(shelf.flow(&pair("\"a\"")).hash(), shelf.flow(&pair("[\"a\"]")).hash());
}

#[test]
fn edges_may_branch_and_join_but_not_turn_back() {
    let shelf = shelf();
    let diamond =
        [reader("d", r#"["b","c"]"#, ""), reader("b", "\"a\"", ""), reader("c", "\"a\"", ""), reader("a", "null", "")];
    assert!(shelf.compile(&join(&diamond)).is_ok());
    assert!(shelf.compile(&join(&[reader("a", "null", ""), reader("b", "\"\"", "")])).is_ok());
    for (steps, path) in [
        (vec![reader("a", "\"b\"", "")], "/steps/0/from"),
        (vec![reader("a", "\"a\"", "")], "/steps/0/from"),
        (
            vec![
                reader("a", "null", ""),
                reader("b", r#"["a","d"]"#, ""),
                reader("c", "\"b\"", ""),
                reader("d", "\"c\"", ""),
            ],
            "/steps/1/from",
        ),
        (vec![reader("a", "null", ""), reader("b", r#"["a","a"]"#, "")], "/steps/1/from"),
        (vec![reader("a", "null", ""), reader("b", "[7]", "")], "/steps/1/from"),
        (vec![reader("a", "null", ""), reader("b", "{}", "")], "/steps/1/from"),
        (vec![reader("a", "null", ""), reader("a", "\"a\"", "")], "/steps/1/id"),
        (vec![gate("a", "null", "")], "/steps/0/from"),
    ] {
        assert_eq!(shelf.refusal(&join(&steps)), path, "{steps:?}");
    }
    let many: Vec<_> = (0..=1000).map(|index| reader(&format!("n{index}"), "null", "")).collect();
    assert_eq!(shelf.refusal(&join(&many)), "/steps");
    assert!(shelf.compile(&join(&many[1..])).is_ok());
}

#[test]
fn rules_are_refused_where_they_mean_nothing() {
    let shelf = shelf();
    let publish = |members: &str| format!(r#"{{"id":"p","type":"artifact.task"{members}}}"#);
    let human = |members: &str| format!(r#"{{"id":"h","type":"human.task","prompt":"?"{members}}}"#);
    let writer =
        |members: &str| format!(r#"{{"id":"w","type":"tool.task","params":{{"capability_id":"cli.write"}}{members}}}"#);
    for (step, path) in [
        (publish(r#","for_each":{"items":"input.x"}"#), "for_each"),
        (publish(r#","retry":{"attempts":2}"#), "retry"),
        (publish(r#","timeout_seconds":1"#), "timeout_seconds"),
        (publish(r#","repair":{"from":"p","max_rounds":1}"#), "repair"),
        (human(r#","for_each":{"items":"input.x"}"#), "for_each"),
        (human(r#","timeout_seconds":1"#), "timeout_seconds"),
        (human(r#","prompt":" ""#), "prompt"),
        (human(r#","prompt":null"#), "prompt"),
        (human(r#","session_group":"g""#), "session_group"),
        (writer(r#","retry":{"attempts":2}"#), "retry"),
        (writer(r#","retry":{"attempts":1}"#), "retry/attempts"),
        (writer(r#","retry":{}"#), "retry/attempts"),
        (writer(r#","retry":{"attempts":2,"on":["bored"]}"#), "retry/on"),
        (writer(r#","retry":{"attempts":2,"times":1}"#), "retry/times"),
        (writer(r#","retry":7"#), "retry"),
        (writer(r#","repair":{"from":"w","max_rounds":1}"#), "repair"),
        (writer(r#","timeout_seconds":0"#), "timeout_seconds"),
        (writer(r#","timeout_seconds":"10""#), "timeout_seconds"),
        (writer(r#","timeout_seconds":10,"deadline":9"#), "deadline"),
        (writer(r#","deadline":31536001"#), "deadline"),
        (writer(r#","on_uncertain":"retry""#), "on_uncertain"),
        (writer(r#","for_each":{}"#), "for_each/items"),
        (writer(r#","for_each":{"items":"("}"#), "for_each/items"),
        (writer(r#","for_each":{"items":"input.x","max_parallel":65}"#), "for_each/max_parallel"),
        (writer(r#","for_each":["a"]"#), "for_each"),
        (writer(r#","when":true"#), "when"),
        (writer(r#","when":"topic == 1""#), "when"),
        (writer(r#","when":"nodes.w.x""#), "when"),
        (writer(r#","when":"nodes.z.x""#), "when"),
    ] {
        assert_eq!(shelf.refusal(&graph(&step)), format!("/steps/0/{path}"), "{step}");
    }
    assert!(shelf.compile(&graph(&writer(r#","retry":{"attempts":2,"repeat_writes":true}"#))).is_ok());
}

/// An expression reads only what has certainly been settled before it.
#[test]
fn expressions_read_earlier_nodes_only() {
    let shelf = shelf();
    let steps = |from: &str, when: &str| {
        join(&[reader("a", "null", ""), reader("b", "\"a\"", ""), reader("c", from, &format!(r#","when":"{when}""#))])
    };
    assert!(shelf.compile(&steps("\"b\"", "nodes.a.x && has(nodes.b.y)")).is_ok());
    assert_eq!(shelf.refusal(&steps("\"a\"", "nodes.b.x")), "/steps/2/when");
}

#[test]
fn a_repair_region_is_left_through_its_gate_only() {
    let shelf = shelf();
    let repair = |from: &str| format!(r#","repair":{{"from":"{from}","max_rounds":2}}"#);
    let chain = |last: &str| {
        join(&[
            reader("a", "null", ""),
            reader("b", "\"a\"", ""),
            reader("c", "\"b\"", ""),
            gate("g", "\"c\"", &repair("b")),
            reader("z", last, ""),
        ])
    };
    let flow = shelf.flow(&chain("\"g\""));
    assert_eq!(flow.graph().repair_region(flow.nodes(), 3), [1, 2, 3]);
    assert!(shelf.compile(&chain("\"a\"")).is_ok());
    for exit in ["\"b\"", "\"c\"", r#"["g","c"]"#] {
        assert_eq!(shelf.refusal(&chain(exit)), "/steps/3/repair/from", "{exit}");
    }
    for from in ["g", "z", "nobody"] {
        let text = chain("\"g\"").replace(r#""from":"b","max"#, &format!(r#""from":"{from}","max"#));
        assert_eq!(shelf.refusal(&text), "/steps/3/repair/from", "{from}");
    }
    for rounds in ["0", "21", "null", "1.0"] {
        let text = chain("\"g\"").replace(r#""max_rounds":2"#, &format!(r#""max_rounds":{rounds}"#));
        assert_eq!(shelf.refusal(&text), "/steps/3/repair/max_rounds", "{rounds}");
    }

    // One region inside another is fine; two that only overlap are not.
    let two = |first: &str, second: &str| {
        join(&[
            reader("a", "null", ""),
            reader("b", "\"a\"", ""),
            gate("g", "\"b\"", &repair(first)),
            gate("h", "\"g\"", &repair(second)),
        ])
    };
    assert!(shelf.compile(&two("b", "a")).is_ok());
    assert!(shelf.compile(&two("b", "b")).is_ok());
    assert_eq!(shelf.refusal(&two("a", "b")), "/steps/3/repair/from");
}

/// Two turns of one conversation never run at the same time.
#[test]
fn nodes_of_one_session_follow_each_other() {
    let shelf = shelf();
    let agent = |id: &str, from: &str, members: &str| {
        format!(
            r#"{{"id":"{id}","type":"agent.task","from":{from},"session_group":"g","params":{{"capability_id":"acp.codex"}}{members}}}"#
        )
    };
    assert!(shelf.compile(&join(&[agent("a", "null", ""), agent("b", "\"a\"", "")])).is_ok());
    assert!(shelf.compile(&join(&[agent("b", "\"a\"", ""), agent("a", "null", "")])).is_ok());
    assert_eq!(shelf.refusal(&join(&[agent("a", "null", ""), agent("b", "null", "")])), "/steps/1/session_group");
    let each = agent("a", "null", r#","for_each":{"items":"input.x"}"#);
    assert_eq!(shelf.refusal(&join(&[each])), "/steps/0/for_each");
}

#[test]
fn what_a_person_is_asked() {
    let shelf = shelf();
    let human =
        |params: &str| graph(&format!(r#"{{"id":"h","type":"human.task","prompt":"Go?","params":{{{params}}}}}"#));
    let flow = shelf.flow(&human(""));
    let person = flow.nodes()[0].rules.person.as_ref().expect("a person");
    let options: Vec<_> = person.options.iter().map(|option| option.id.as_str()).collect();
    assert_eq!(options, ["approve", "reject"]);
    assert_eq!(flow.nodes()[0].effects, [Effect::ReadExternal]);
    for (params, path) in [
        (r#""options":[]"#, "options"),
        (r#""options":[{"id":"a b"}]"#, "options/0/id"),
        (r#""options":[{"id":"a"},{"id":"a"}]"#, "options/1/id"),
        (r#""options":[{"id":"a","colour":1}]"#, "options/0/colour"),
        (r#""options":["a"]"#, "options/0"),
        (r#""form":{"type":"string"}"#, "form/type"),
        (r#""form":{"type":"object"}"#, "form/properties"),
        (r#""expires_seconds":0"#, "expires_seconds"),
        (r#""on_expiry":"approve""#, "on_expiry"),
        (r#""on_expiry":"later","expires_seconds":5"#, "on_expiry"),
    ] {
        assert_eq!(shelf.refusal(&human(params)), format!("/steps/0/params/{path}"), "{params}");
    }
}

#[test]
fn another_flow_as_one_node() {
    let mut shelf = shelf();
    let call = |params: &str| {
        graph(&format!(r#"{{"id":"f","type":"flow.task","params":{{"flow_id":"note-digest",{params}}}}}"#))
    };
    let good = r#""inputs":{"note":"input.text"}"#;
    assert!(shelf.compile(&call(good)).is_ok());
    for (params, path) in [
        (r#""inputs":{}"#, "inputs"),
        (r#""inputs":{"note":7}"#, "inputs/note"),
        (r#""inputs":{"note":"("}"#, "inputs/note"),
        (r#""inputs":{"note":"input.a","other":"input.b"}"#, "inputs/other"),
        (r#""inputs":{"note":"nodes.z.a"}"#, "inputs/note"),
        (r#""inputs":{"note":"input.a"},"flow_hash":"x""#, "flow_hash"),
    ] {
        assert_eq!(shelf.refusal(&call(params)), format!("/steps/0/params/{path}"), "{params}");
    }
    let unknown = call(good).replace("note-digest", "nobody");
    assert_eq!(shelf.refusal(&unknown), "there is no flow \"nobody\"");
    assert_eq!(shelf.refusal(&graph(r#"{"id":"f","type":"flow.task"}"#)), "/steps/0/params/flow_id");
    // The flow "t" is somewhere inside the one it calls.
    shelf.flows.get_mut("note-digest").expect("known").contains.push("t".into());
    assert_eq!(shelf.refusal(&call(good)), "/steps/0/params/flow_id");
}

/// A stored definition that is not sound is refused, not run.
#[test]
fn a_tampered_definition_does_not_read() {
    let definition = shelf().flow(RELEASE_CHECK).definition();
    let text = canonical::canonical(&definition);
    for (from, to) in [
        (r#""input_from":"plan""#, r#""input_from":"nobody""#),
        (r#""input_from":null"#, r#""input_from":"publish""#),
        (r#""node_id":"plan""#, r#""node_id":"docs""#),
        (r#""kind":"human.task""#, r#""kind":"robot.task""#),
        (r#""max_rounds":2"#, r#""max_rounds":"2""#),
        (r#""nodes":["#, r#""nodes":[7,"#),
    ] {
        assert!(text.contains(from), "{from}");
        assert!(Flow::from_definition(&json(&text.replacen(from, to, 1))).is_err(), "{to}");
    }
    for bad in ["{}", "[]", r#"{"flow_id":"a","version":"1","title":"t","nodes":[]}"#] {
        assert!(Flow::from_definition(&json(bad)).is_err(), "{bad}");
    }
}
