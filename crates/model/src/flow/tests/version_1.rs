//! Contract §3: documents of schema version 1, field by field.

use proptest::prelude::*;

use super::{super::json::Number, *};

/// A document with these steps.
fn with_steps(steps: &str) -> String {
    format!(r#"{{"id":"t","name":"T","steps":{steps}}}"#)
}

/// A document of one tool step with these further members.
fn with_step(members: &str) -> String {
    with_steps(&format!(r#"[{{"id":"a","type":"tool.task","params":{{"capability_id":"cli.write"}}{members}}}]"#))
}

/// Contract §2: the Flow vector F.
pub(super) fn flow_vector() -> Flow {
    let definition = r#"{"flow_id":"vec-flow","version":"1.0.0","title":"Vector Flow","nodes":[
        {"node_id":"a","title":"Alpha","kind":"tool.task","executor":{"executor_id":"capability.cli.x.0123456789abcdef",
         "version":"1.0.0"},"effects":["execute_process","write_local"],"input_from":null,"instruction":"Do a"},
        {"node_id":"b","title":"Beta","kind":"agent.task","executor":{"executor_id":"capability.agent.y.fedcba9876543210",
         "version":"1.0.0"},"effects":["execute_process"],"input_from":"a","instruction":null,"session_group":"loop"},
        {"node_id":"p","title":"Pub","kind":"artifact.task","executor":{"executor_id":"builtin.markdown-publication",
         "version":"0.2.0"},"effects":["pure_compute","write_local"],"input_from":"b","instruction":null}]}"#;
    Flow::from_definition(&json(definition)).expect("sound")
}

#[test]
fn the_flow_vector_has_its_hash() {
    let flow = flow_vector();
    assert_eq!(flow.hash().as_str(), "9112ef2bd35b9628cfee1eba89307b5de4ba9d3e94d60e8a8aa0868ce10c61f5");
    assert!(flow.is_chain());
    assert_eq!(Flow::from_definition(&flow.definition()), Ok(flow));
}

#[test]
fn the_contracts_own_document_compiles() {
    let shelf = shelf();
    let compiled = shelf.compile(NOTE_DIGEST).expect("compiles");
    let flow = &compiled.flow;
    assert_eq!((flow.flow_id(), flow.version(), flow.title()), ("note-digest", "1.0.0", "Note digest"));
    let nodes: Vec<_> =
        flow.nodes().iter().map(|node| (node.id.as_str(), node.kind.as_str(), node.title.as_str())).collect();
    let expected = [
        ("digest", "model.task", "Digest"),
        ("gate", "evaluation.task", "Gate"),
        ("publish", "artifact.task", "Publish"),
    ];
    assert_eq!(nodes, expected);
    let bound: Vec<_> = compiled.capability_ids.iter().map(|id| id.as_str()).collect();
    assert_eq!(bound, ["evaluator.names", "model.local"]);
    let model = &shelf.capabilities["model.local"];
    assert_eq!((&flow.nodes()[0].executor, &flow.nodes()[0].effects), (&model.executor(), &model.effects));
    assert_eq!(flow.nodes()[2].executor, ExecutorRef::new("builtin.markdown-publication", "0.2.0"));
    assert_eq!(flow.nodes()[2].effects, [Effect::PureCompute, Effect::WriteLocal]);
    assert_eq!(flow.nodes()[1].upstream, Upstream::Output(NodeId::parse("digest").expect("an id")));
    assert_eq!(Flow::from_definition(&flow.definition()).as_ref(), Ok(flow));
}

/// Contract §2: what is not part of the hash.
#[test]
fn the_hash_covers_what_is_executed() {
    let shelf = shelf();
    let hash = |text: &str| shelf.flow(text).hash().clone();
    let base = with_steps(r#"[{"id":"write-article","type":"agent.task","prompt":"p"}]"#);
    for same in [
        r#"{"id":" t ","name":" T ","description":"d","inputs":{"x":{}},"execution":{},"outputs":1,"x_symphlo":{"a":1},"unknown":[],
            "schema_version":1,"version":"7","layout":{},"steps":[{"id":" write-article ","type":"agent.task","prompt":" p ","from":"","ui":{"position":1},
            "blocking":true,"when":"no CEL (","timeout_seconds":"x","depends_on":["?"],"retry":7,"session_group":"","completion_policy":7,
            "params":{"executor_id":"e","effects":["fly"]}}]}"#,
        &with_steps(r#"[{"id":"write-article","type":"agent.task","prompt":"p","params":7}]"#),
    ] {
        assert_eq!(hash(same), hash(&base), "{same}");
    }
    for other in [
        with_steps(r#"[{"id":"write-article","type":"agent.task","prompt":"q","params":{"title":"p"}}]"#),
        with_steps(r#"[{"id":"write-article","type":"agent.task","params":{"title":"p"}}]"#),
        with_steps(r#"[{"id":"draft-article","type":"agent.task","prompt":"p"}]"#),
        with_steps(
            r#"[{"id":"write-article","type":"agent.task","prompt":"p","params":{"capability_id":"agent.once"}}]"#,
        ),
        base.replace(r#""name":"T""#, r#""name":"U""#),
        base.replace(r#""id":"t""#, r#""id":"u""#),
    ] {
        assert_ne!(hash(&other), hash(&base), "{other}");
    }
}

/// Contract §2: neither sorted nor made one; the order is neither that of the letters nor that of the contract's table.
#[test]
fn effects_keep_the_order_in_which_they_are_declared() {
    let hash = |effects: &str| {
        let mut shelf = Shelf::default();
        let definition =
            r#"{"id":"cli.any","kind":"cli","name":"Any","effects":EFFECTS,"config":{"executable":"any"}}"#;
        let capability = shelf.put(&definition.replace("EFFECTS", effects));
        let flow = shelf.flow(&with_steps(r#"[{"id":"a","type":"tool.task","params":{"capability_id":"cli.any"}}]"#));
        let definition = canonical::canonical(&flow.definition());
        assert!(definition.contains(&format!(r#""effects":{effects}"#)), "{definition}");
        (flow.hash().clone(), capability.fingerprint())
    };
    let one = hash(r#"["write_local","read_local","execute_process"]"#);
    let other = hash(r#"["execute_process","read_local","write_local"]"#);
    assert!(one.0 != other.0 && one.1 != other.1);
}

#[test]
fn the_document_itself_is_checked() {
    let shelf = shelf();
    let step = r#"[{"id":"write-article","type":"agent.task"}]"#;
    let with = |members: &str| format!(r#"{{"steps":{step}{members}}}"#);
    for (members, path) in [
        (r#","steps":[]"#, "/steps"),
        (r#","steps":{}"#, "/steps"),
        (r#","steps":null"#, "/steps"),
        (r#","steps":[1]"#, "/steps/0"),
        (r#","steps":[null]"#, "/steps/0"),
        (r#","id":1"#, "/id"),
        (r#","id":"  ""#, "/id"),
        (&format!(r#","id":"{}""#, "i".repeat(161)), "/id"),
        (r#","name":1"#, "/name"),
        (r#","name":"  ""#, "/name"),
        (&format!(r#","name":"{}""#, "n".repeat(241)), "/name"),
        (r#","inputs":[]"#, "/inputs"),
        (r#","inputs":{"topic":{}}"#, "/inputs/topic"),
        (r#","schema_version":3"#, "/schema_version"),
        (r#","schema_version":99999999999999999999"#, "/schema_version"),
        // Meant as 2: what only a graph may have would be ignored.
        (r#","schema_version":"2""#, "/schema_version"),
        (r#","schema_version":" 3.0 ""#, "/schema_version"),
        (r#","schema_version":2.0"#, "/schema_version"),
        (r#","schema_version":2.5"#, "/schema_version"),
    ] {
        assert_eq!(shelf.refusal(&with(members)), path, "{members}");
    }
    // Not checked by the origin, so not refused here.
    for members in [
        "",
        r#","schema_version":null"#,
        r#","schema_version":"1""#,
        r#","schema_version":"two""#,
        r#","schema_version":"nan""#,
        r#","schema_version":true"#,
        r#","schema_version":[2]"#,
        r#","schema_version":0"#,
        r#","schema_version":1.5"#,
        r#","name":"""#,
    ] {
        assert!(shelf.compile(&with(members)).is_ok(), "{members}");
    }
    let longest = with(&format!(r#","id":"{}","name":"{}""#, "i".repeat(160), "é".repeat(240)));
    assert!(shelf.compile(&longest).is_ok());
}

/// Contract §3: a missing id is drawn anew.
#[test]
fn a_document_without_id_gets_a_drawn_one() {
    let flow = shelf().flow(r#"{"steps":[{"id":"write-article","type":"agent.task"}]}"#);
    assert_eq!(flow.flow_id(), "console-abababababab");
    assert_eq!(flow.title(), "Untitled flow");
}

#[test]
fn ids_and_types_of_steps() {
    let shelf = shelf();
    let step = |members: &str| with_steps(&format!("[{{{members}}}]"));
    for (members, path) in [
        (r#""type":"agent.task""#, "/steps/0/id"),
        (r#""id":"","type":"agent.task""#, "/steps/0/id"),
        (r#""id":7,"type":"agent.task""#, "/steps/0/id"),
        (&format!(r#""id":"{}","type":"artifact.task""#, "i".repeat(121)), "/steps/0/id"),
        (r#""id":"a""#, "/steps/0/type"),
        (r#""id":"a","type":"agent""#, "/steps/0/type"),
        (r#""id":"a","type":"human.task","prompt":"?""#, "/steps/0/type"),
        (r#""id":"a","type":"flow.task","params":{"flow_id":"note-digest"}"#, "/steps/0/type"),
    ] {
        assert_eq!(shelf.refusal(&step(members)), path, "{members}");
    }
    let twice = r#"[{"id":"a","type":"artifact.task"},{"id":" a ","type":"artifact.task","from":"a"}]"#;
    assert_eq!(shelf.refusal(&with_steps(twice)), "/steps/1/id");
}

/// Contract §3, `from`.
#[test]
fn a_flow_of_version_1_is_a_chain() {
    let shelf = shelf();
    let two = |first: &str, second: &str| {
        with_steps(&format!(
            r#"[{{"id":"a","type":"artifact.task"{first}}},{{"id":"b","type":"artifact.task"{second}}},
                {{"id":"c","type":"artifact.task","from":"b"}}]"#
        ))
    };
    for first in ["", r#","from":null"#, r#","from":"""#] {
        assert!(shelf.compile(&two(first, r#","from":"a""#)).is_ok(), "{first}");
    }
    for first in [r#","from":"b""#, r#","from":[]"#, r#","from":0"#] {
        assert_eq!(shelf.refusal(&two(first, r#","from":"a""#)), "/steps/0/from", "{first}");
    }
    for second in ["", r#","from":null"#, r#","from":"b""#, r#","from":" a""#, r#","from":["a"]"#, r#","from":"c""#] {
        assert_eq!(shelf.refusal(&two("", second)), "/steps/1/from", "{second}");
    }
    let branch = r#"[{"id":"a","type":"artifact.task"},{"id":"b","type":"artifact.task","from":"a"},
        {"id":"c","type":"artifact.task","from":"a"}]"#;
    assert_eq!(shelf.refusal(&with_steps(branch)), "/steps/2/from");
}

/// Contract §3: `params.title` falls back to `prompt`, then to `id`.
#[test]
fn titles_and_instructions() {
    let shelf = shelf();
    let read = |members: &str| {
        let flow = shelf.flow(&with_step(members));
        (flow.nodes()[0].title.clone(), flow.nodes()[0].instruction.clone())
    };
    let params = |title: &str| format!(r#","params":{{"capability_id":"cli.write","title":{title}}}"#);
    assert_eq!(read(""), ("a".into(), None));
    assert_eq!(read(r#","prompt":" do it ""#), ("do it".into(), Some("do it".into())));
    assert_eq!(read(r#","prompt":7"#), ("a".into(), None));
    assert_eq!(read(r#","prompt":"""#), ("a".into(), Some(String::new())));
    assert_eq!(read(&params(r#"" T ""#)), ("T".into(), None));
    assert_eq!(read(&(params("\"\"") + r#","prompt":"p""#)), ("p".into(), Some("p".into())));
    assert_eq!(read(&(params("null") + r#","prompt":"p""#)), ("p".into(), Some("p".into())));
    let long = "é".repeat(241);
    assert_eq!(shelf.refusal(&with_step(&format!(r#","prompt":"{long}""#))), "/steps/0/prompt");
    assert_eq!(read(&(params("\"T\"") + &format!(r#","prompt":"{long}""#))), ("T".into(), Some(long.clone())));
    assert_eq!(shelf.refusal(&with_step(&params(&format!("\"{long}\"")))), "/steps/0/params/title");
    assert_eq!(shelf.refusal(&with_step(&params("7"))), "/steps/0/params/title");
}

/// Contract §3, node kind → executor.
#[test]
fn every_kind_is_bound_as_the_contract_says() {
    let shelf = shelf();
    let capabilities = [
        "agent.once",
        "agent.session-fixture",
        "model.local",
        "evaluator.names",
        "cli.write",
        "mcp.tool",
        "http.read",
        "acp.codex",
        "mcp.remote",
    ];
    let accepted: [(&str, &[&str]); 5] = [
        ("agent.task", &["agent.once", "agent.session-fixture"]),
        ("model.task", &["model.local"]),
        ("evaluation.task", &["evaluator.names"]),
        ("tool.task", &["cli.write", "mcp.tool", "http.read"]),
        ("capability.task", &["cli.write", "mcp.tool", "http.read"]),
    ];
    for (kind, good) in accepted {
        for capability in capabilities {
            let text = with_steps(&format!(
                r#"[{{"id":"a","type":"artifact.task"}},
                    {{"id":"b","type":"{kind}","from":"a","params":{{"capability_id":"{capability}"}}}}]"#
            ));
            if good.contains(&capability) {
                let flow = shelf.flow(&text);
                let expected = &shelf.capabilities[capability];
                assert_eq!(flow.nodes()[1].executor, expected.executor());
                assert_eq!(flow.nodes()[1].effects, expected.effects);
            } else {
                assert_eq!(shelf.refusal(&text), "/steps/1/params/capability_id", "{kind} {capability}");
            }
        }
    }
    for kind in ["model.task", "evaluation.task", "tool.task", "capability.task"] {
        let text = with_steps(&format!(
            r#"[{{"id":"write-article","type":"artifact.task"}},{{"id":"b","type":"{kind}","from":"write-article"}}]"#
        ));
        assert_eq!(shelf.refusal(&text), "/steps/1/params/capability_id", "{kind}");
    }
    let bound = |params: &str| with_step(&format!(r#","params":{params}"#));
    assert_eq!(shelf.refusal(&bound(r#"{"capability_id":7}"#)), "/steps/0/params/capability_id");
    assert_eq!(shelf.refusal(&bound(r#"{"capability_id":"nobody"}"#)), "there is no capability \"nobody\"");
    let ignored =
        r#"[{"id":"a","type":"artifact.task","params":{"capability_id":"nobody","capability_fingerprint":"x"}}]"#;
    assert!(shelf.compile(&with_steps(ignored)).is_ok());
}

#[test]
fn an_evaluation_is_not_the_first_step() {
    let text = with_steps(r#"[{"id":"a","type":"evaluation.task","params":{"capability_id":"evaluator.names"}}]"#);
    assert_eq!(shelf().refusal(&text), "/steps/0/from");
}

/// Contract §3, §14.9: agent nodes without a capability.
#[test]
fn an_unbound_agent_is_a_built_in_role_or_the_preset() {
    let mut shelf = shelf();
    let step = |id: &str| with_steps(&format!(r#"[{{"id":"{id}","type":"agent.task"}}]"#));
    for (id, role) in [
        ("research-angle", "researcher"),
        ("plan-article", "planner"),
        ("outline-article", "planner"),
        ("write-article", "solo-writer"),
        ("draft-article", "writer"),
        ("review-draft", "reviewer"),
        ("edit-article", "editor"),
        ("revise-article", "reviser"),
    ] {
        let flow = shelf.flow(&step(id));
        assert_eq!(flow.nodes()[0].executor, ExecutorRef::new(format!("builtin.deterministic-{role}"), "0.2.0"));
        assert_eq!(flow.nodes()[0].effects, [Effect::PureCompute]);
    }
    assert_eq!(shelf.refusal(&step("other")), "/steps/0/params/capability_id");
    let preset =
        Binding { executor: ExecutorRef::new("command.stdio-agent.x", "0.1.0"), effects: vec![Effect::ExecuteProcess] };
    let with_profile =
        |shelf: &Shelf| compile(&document(&step("other")), Context { profile: Profile::Codex, ..shelf.context() });
    assert_eq!(with_profile(&shelf), Err(CompileError::PresetMissing(Profile::Codex)));
    shelf.preset = Some(preset.clone());
    let flow = with_profile(&shelf).expect("compiles").flow;
    assert_eq!(flow.nodes()[0].executor, preset.executor);
    // Also of a node that the deterministic profile has a role for; a preset keeps no session.
    let of_codex = |text: &str| compile(&document(text), Context { profile: Profile::Codex, ..shelf.context() });
    assert_eq!(of_codex(&step("write-article")).expect("compiles").flow.nodes()[0].executor, preset.executor);
    let grouped = with_steps(r#"[{"id":"write-article","type":"agent.task","session_group":"g"}]"#);
    let Err(CompileError::Unsupported(problem)) = of_codex(&grouped) else { panic!("it compiles") };
    assert_eq!(problem.path, "/steps/0/session_group");
}

/// Contract §3, `params.capability_fingerprint`.
#[test]
fn a_pin_must_be_the_current_fingerprint() {
    let shelf = shelf();
    let pinned =
        |pin: &str| with_step(&format!(r#","params":{{"capability_id":"cli.write","capability_fingerprint":{pin}}}"#));
    let current = shelf.capabilities["cli.write"].fingerprint();
    assert!(shelf.compile(&pinned(&format!("\"{current}\""))).is_ok());
    assert!(shelf.compile(&pinned("null")).is_ok());
    for pin in ["\"\"", "7", "\"8e382b95313965d0b405bd70852b533f5f558c418631c36bf465ab485ce20b27\""] {
        assert_eq!(shelf.refusal(&pinned(pin)), "/steps/0/params/capability_fingerprint", "{pin}");
    }
}

/// Contract §3, `session_group`.
#[test]
fn session_groups_need_a_capability_with_sessions() {
    let shelf = shelf();
    let agent = |capability: &str, group: &str| {
        with_steps(&format!(
            r#"[{{"id":"draft-article","type":"agent.task","session_group":{group},"params":{{"capability_id":{capability}}}}}]"#
        ))
    };
    let fixture = "\"agent.session-fixture\"";
    assert_eq!(shelf.flow(&agent(fixture, "\"a_-9\"")).nodes()[0].session_group.as_deref(), Some("a_-9"));
    for none in ["null", "\"\""] {
        assert_eq!(shelf.flow(&agent(fixture, none)).nodes()[0].session_group, None);
    }
    let long = format!("\"{}\"", "g".repeat(65));
    for bad in ["\"a b\"", "7", "\"ä\"", "\" a\"", &long] {
        assert_eq!(shelf.refusal(&agent(fixture, bad)), "/steps/0/session_group", "{bad}");
    }
    for one_shot in ["\"agent.once\"", "null"] {
        assert_eq!(shelf.refusal(&agent(one_shot, "\"g\"")), "/steps/0/session_group", "{one_shot}");
    }
    assert_eq!(shelf.refusal(&with_step(r#","session_group":"g""#)), "/steps/0/session_group");
}

/// Contract §3, validation result shape.
#[test]
fn a_validation_holds_the_first_problem() {
    let shelf = shelf();
    let result = |text: &str| compile::validation(&document(text), &shelf.compile(text));
    assert_eq!(result(NOTE_DIGEST), json(r#"{"valid":true,"errors":[],"warnings":[]}"#));
    let step = with_step(r#","params":{"capability_id":"nobody"}"#).replacen(r#""id":"t""#, r#""id":"tool-flow""#, 1);
    let unknown = result(&step);
    let message = r#"there is no capability \"nobody\""#;
    let expected = format!(
        r#"{{"valid":false,"errors":[{{"severity":"error","code":"UNSUPPORTED_FLOW","message":"{message}"}}],"warnings":[]}}"#
    );
    assert_eq!(unknown, json(&expected));
    // An id that no address can hold is accepted and not passed over.
    for (id, warnings) in [("t", 1), ("..", 1), ("a/b c", 1), ("tool", 0)] {
        let step = with_step("").replacen(r#""id":"t""#, &format!(r#""id":"{id}""#), 1);
        let result = result(&step);
        assert_eq!(result.get("valid"), Some(&Json::Bool(true)), "{id}");
        assert_eq!(result.get("warnings").and_then(Json::as_array).map(<[Json]>::len), Some(warnings), "{id}");
    }
    let broken = result(r#"{"steps":[1,2]}"#);
    assert_eq!(broken.get("errors").and_then(Json::as_array).map(<[Json]>::len), Some(1));
}

/// Contract §21, §22: the flows that come with the product.
#[test]
fn built_in_flows_and_the_golden_flow() {
    for granularity in Granularity::ALL {
        let flow = granularity.flow();
        assert!(flow.is_chain());
        assert_eq!(Flow::from_definition(&flow.definition()).as_ref(), Ok(&flow));
        assert_eq!(flow.nodes().last().map(|node| node.id.as_str()), Some("publish-article"));
        assert_eq!(flow.nodes().len(), granularity.agents().len() + 1);
        assert!(flow.nodes().iter().all(|node| node.instruction.is_none()));
    }
    let golden = compile(&super::super::granularity::golden_document(), shelf().context()).expect("compiles").flow;
    let nodes: Vec<_> = golden.nodes().iter().map(|node| (node.id.as_str(), node.session_group.as_deref())).collect();
    let expected = [
        ("plan-article", None),
        ("draft-article", Some("worker_loop")),
        ("review-draft", None),
        ("revise-article", Some("worker_loop")),
        ("publish-article", None),
    ];
    assert_eq!(nodes, expected);
    assert_eq!(golden.flow_id(), "observable-golden-loop");
    let challenge = Challenge::new(&golden, Hash::of(&Json::Null), Scope::whole(&golden));
    assert!(!challenge.is_required());
}

/// Anything that JSON can say, with the words of a document in it often enough to get deep.
fn any_value() -> impl Strategy<Value = Json> {
    let words = [
        "",
        "a",
        "b",
        "id",
        "plan-article",
        "agent.task",
        "tool.task",
        "evaluation.task",
        "artifact.task",
        "human.task",
        "flow.task",
        "cli.write",
        "note-digest",
        "input.x",
        "nodes.a",
        "ask",
        "timeout",
    ];
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        (-2_i64..5).prop_map(Json::from),
        any::<f64>().prop_filter_map("finite", Number::from_f64).prop_map(Json::Number),
        prop::sample::select(words.to_vec()).prop_map(Json::from),
        any::<String>().prop_map(Json::from),
    ];
    let keys = [
        "id",
        "type",
        "from",
        "params",
        "prompt",
        "session_group",
        "capability_id",
        "when",
        "for_each",
        "items",
        "retry",
        "attempts",
        "repair",
        "max_rounds",
        "options",
        "form",
        "flow_id",
        "inputs",
        "on",
        "steps",
        "deadline",
    ];
    leaf.prop_recursive(4, 48, 5, move |inner| {
        let key = prop_oneof![prop::sample::select(keys.to_vec()).prop_map(str::to_owned), any::<String>()];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Json::from),
            prop::collection::vec((key, inner), 0..6).prop_map(|members| Json::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_document_compiles_or_is_refused(steps in prop::collection::vec(any_value(), 0..4), version in 0_i64..3, rest in any_value()) {
        let mut members = rest.as_object().cloned().unwrap_or_default();
        members.insert("steps".into(), steps.into());
        members.insert("schema_version".into(), version.into());
        let mut document = Document::from(members);
        let shelf = shelf();
        if let Ok(compiled) = compile(&document, shelf.context()) {
            let read = Flow::from_definition(&compiled.flow.definition());
            prop_assert_eq!(read, Ok(compiled.flow));
        }
        let _ = document.task_fields(None);
        document.pin_samples(&shelf);
        let _ = document.pin(&shelf);
    }
}
