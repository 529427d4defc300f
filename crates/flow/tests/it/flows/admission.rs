//! Contract §7.1, §12.1, §15: the order of checks, and what an authorization is good for.

use segue_flow::{
    api::{Admit, Fork, List, Target},
    error::{AdmitError, FlowError},
};
use segue_model::flow::{CompileError, Object, Profile, RunId, json::object};

use super::world::*;

async fn set_up(flows: &segue_flow::Flows) {
    flows.save_capability(&tool("cli.read", "true", &["execute_process", "read_local"])).await.unwrap();
    flows.save_capability(&tool("cli.write", "true", &["execute_process", "write_external"])).await.unwrap();
    let reads = chain("flow-reads", &[("a", "tool.task", &bound("cli.read"))]);
    let writes = document(
        r#"{"schema_version":1,"id":"flow-writes","name":"W","inputs":{"n":{"type":"integer","required":true}},
            "steps":[{"id":"a","type":"tool.task","from":null,"params":{"capability_id":"cli.write"}}]}"#,
    );
    flows.save_flow(reads, None).await.unwrap();
    flows.save_flow(writes, None).await.unwrap();
}

fn writes(n: i64) -> Admit {
    Admit { inputs: object([("n", n.into())]), ..admission("flow-writes") }
}

#[test]
fn the_first_thing_that_is_wrong_is_said_and_nothing_is_stored() {
    let world = World::in_memory().with_room(1);
    world.install("true");
    world.scripted.set("a", &[Deed::Hold]);
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        set_up(flows).await;
        let first = flows.admit(admission("flow-reads")).await.unwrap();
        world.scripted.until_begun("a", 1).await;

        // With a Run active: not found, inputs, room, effects, in this order.
        let unknown = flows.admit(admission("flow-none")).await;
        assert!(matches!(unknown, Err(AdmitError::Flow(FlowError::NotFound(_)))), "{unknown:?}");
        let inputs = flows.admit(Admit { inputs: Object::new(), ..writes(1) }).await;
        assert!(matches!(inputs, Err(AdmitError::Inputs(_))), "{inputs:?}");
        let busy = flows.admit(writes(1)).await;
        assert_eq!(busy, Err(AdmitError::TooManyActive { active: 1, limit: 1 }));
        let unneeded = Admit { authorization: Some("yes".into()), ..admission("flow-reads") };
        assert_eq!(flows.admit(unneeded).await, Err(AdmitError::AuthorizationUnneeded));

        world.scripted.open_gate();
        assert_eq!(flows.ended(&first.run_id).await.unwrap().status, "succeeded");
        let challenged = flows.admit(writes(1)).await;
        assert!(matches!(challenged, Err(AdmitError::AuthorizationRequired(_))), "{challenged:?}");
        let runs = flows.runs(List { limit: 10, ..List::default() }).await.unwrap();
        assert_eq!(runs.len(), 1, "only the admitted one is stored");
    });
}

#[test]
fn an_authorization_is_good_for_exactly_its_flow_and_inputs_also_after_a_restart() {
    let world = World::in_memory();
    world.install("true");
    let process = world.start();
    let challenge = process.run(async {
        set_up(&process.flows).await;
        match process.flows.admit(writes(1)).await {
            Err(AdmitError::AuthorizationRequired(challenge)) => *challenge,
            other => panic!("{other:?}"),
        }
    });
    let with =
        |n: i64, authorization: segue_model::flow::Json| Admit { authorization: Some(authorization), ..writes(n) };
    process.run(async {
        let once = process.flows.admit(with(1, challenge.authorization())).await.unwrap();
        assert_eq!(process.flows.ended(&once.run_id).await.unwrap().status, "succeeded");
        let other = process.flows.admit(with(2, challenge.authorization())).await;
        assert!(matches!(other, Err(AdmitError::AuthorizationRequired(_))), "{other:?}");
        let mut edited = challenge.authorization().as_object().unwrap().clone();
        edited.insert("more".into(), true.into());
        let edited = process.flows.admit(with(1, edited.into())).await;
        assert!(matches!(edited, Err(AdmitError::AuthorizationRequired(_))), "{edited:?}");
    });
    process.kill();
    let process = world.start();
    process.run(async {
        let again = process.flows.admit(with(1, challenge.authorization())).await.unwrap();
        let kinds = kinds(&process.flows, again.run_id.as_str()).await;
        assert_eq!(kinds[..2], ["run.created", "run.effects_authorized"]);
    });
}

#[test]
fn the_same_key_is_the_same_run() {
    let world = World::in_memory().with_room(1);
    world.install("true");
    world.scripted.set("a", &[Deed::Hold]);
    let process = world.start();
    let first = process.run(async {
        set_up(&process.flows).await;
        let keyed = Admit { key: Some("k".into()), ..admission("flow-reads") };
        let first = process.flows.admit(keyed.clone()).await.unwrap();
        // Also when there is no room for another one.
        assert_eq!(process.flows.admit(keyed).await.unwrap().run_id, first.run_id);
        first
    });
    process.kill();
    let process = world.start();
    process.run(async {
        let keyed = Admit { key: Some("k".into()), ..admission("flow-reads") };
        assert_eq!(process.flows.admit(keyed).await.unwrap().run_id, first.run_id);
    });
}

#[test]
fn a_key_is_refused_for_another_request() {
    let world = World::in_memory();
    world.install("true");
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        set_up(flows).await;
        let step = |id: &str, from: &str| {
            format!(r#"{{"id":"{id}","type":"tool.task","from":{from},"params":{{"capability_id":"cli.read"}}}}"#)
        };
        let keyed = document(&format!(
            r#"{{"schema_version":1,"id":"flow-keyed","name":"K","inputs":{{"n":{{"type":"integer","required":true}}}},
                "steps":[{},{},{}]}}"#,
            step("a", "null"),
            step("b", "\"a\""),
            step("c", "\"b\"")
        ));
        let saved = flows.save_flow(keyed, None).await.unwrap();
        let with =
            |n: i64| Admit { inputs: object([("n", n.into())]), key: Some("k".into()), ..admission("flow-keyed") };
        let keyed = with(1);
        let first = flows.admit(keyed.clone()).await.unwrap().run_id;
        flows.ended(&first).await.unwrap();
        let taken = Err(AdmitError::KeyTaken(first.clone()));
        assert_eq!(flows.admit(with(2)).await, taken);
        let other = Admit { target: Target::Portable("flow-writes".into()), ..keyed.clone() };
        assert_eq!(flows.admit(other).await, taken);
        let profile = Admit { profile: Profile::Codex, ..keyed.clone() };
        assert_eq!(flows.admit(profile).await, taken);
        let fork = |node: &str, parent: &RunId, key: &str| Fork {
            parent: parent.as_str().into(),
            from_node: node.into(),
            inputs: None,
            authorization: None,
            key: Some(key.into()),
        };
        assert_eq!(flows.fork(fork("b", &first, "k")).await, taken);
        let child = flows.fork(fork("b", &first, "f")).await.unwrap().run_id;
        flows.ended(&child).await.unwrap();
        assert_eq!(flows.fork(fork("b", &first, "f")).await.unwrap().run_id, child);
        assert_eq!(flows.fork(fork("b", &child, "f")).await, Err(AdmitError::KeyTaken(child.clone())));
        assert_eq!(flows.fork(fork("c", &first, "f")).await, Err(AdmitError::KeyTaken(child.clone())));
        // Also after the flow was changed, by which other inputs are no less others.
        let edited = |default: i64| {
            document(&format!(
                r#"{{"schema_version":1,"id":"flow-keyed","name":"Edited","inputs":{{"n":{{"type":"integer","default":{default}}}}},
                    "steps":[{},{}]}}"#,
                step("a", "null"),
                step("b", "\"a\"")
            ))
        };
        flows.update_flow(&saved.local_id, edited(1), None).await.unwrap();
        assert_eq!(flows.admit(keyed.clone()).await.unwrap().run_id, first);
        assert_eq!(flows.admit(with(2)).await, taken);
        let without = Admit { inputs: object([]), ..keyed.clone() };
        assert_eq!(flows.admit(without).await, taken, "it was required then");
        let more = Admit { inputs: object([("n", 1_i64.into()), ("m", 1_i64.into())]), ..keyed.clone() };
        assert_eq!(flows.admit(more).await, taken);
        // The same request is the same Run, however its flow is named and whatever became of it.
        let local = Admit { target: Target::Local(saved.local_id.clone()), ..keyed.clone() };
        assert_eq!(flows.admit(local).await.unwrap().run_id, first);
        flows.delete_flow(&saved.local_id).await.unwrap();
        assert_eq!(flows.admit(keyed).await.unwrap().run_id, first);
    });
}

#[test]
fn two_processes_together_keep_the_limit() {
    let world = World::in_memory().with_room(3);
    world.install("true");
    world.scripted.set("a", &[Deed::Hold]);
    let (one, other) = (world.start(), world.start());
    one.run(set_up(&one.flows));
    let mut admitted = 0;
    let mut asks = tokio::task::JoinSet::new();
    one.run(async {
        for flows in [&one.flows, &other.flows].into_iter().cycle().take(12) {
            let flows = flows.clone();
            asks.spawn(async move { flows.admit(admission("flow-reads")).await });
        }
        while let Some(answer) = asks.join_next().await {
            match answer.unwrap() {
                Ok(_) => admitted += 1,
                Err(AdmitError::TooManyActive { limit: 3, .. }) => {}
                Err(error) => panic!("{error}"),
            }
        }
    });
    assert_eq!(admitted, 3);
}

#[test]
fn a_flow_whose_program_has_gone_is_refused_and_others_are_not() {
    let world = World::in_memory();
    world.install("true");
    let gone = world.install("gone");
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        set_up(flows).await;
        flows.save_capability(&tool("cli.gone", "gone", &["execute_process"])).await.unwrap();
        flows.save_flow(chain("flow-gone", &[("a", "tool.task", &bound("cli.gone"))]), None).await.unwrap();
        std::fs::remove_file(&gone).unwrap();
        let refused = flows.admit(admission("flow-gone")).await;
        assert!(matches!(refused, Err(AdmitError::Unavailable { .. })), "{refused:?}");
        assert!(flows.admit(admission("flow-reads")).await.is_ok());
        let status: Vec<_> = flows.capabilities().await.unwrap().iter().map(|saved| saved.status.as_str()).collect();
        assert_eq!(status, ["validated", "validated", "unavailable"]);
    });
}

#[test]
fn a_portable_id_must_belong_to_exactly_one_flow() {
    let world = World::in_memory();
    world.install("true");
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        set_up(flows).await;
        let first = flows
            .flows()
            .await
            .unwrap()
            .into_iter()
            .find(|flow| flow.document.portable_id().is_some_and(|id| id.as_str() == "flow-reads"))
            .unwrap();
        let twin = flows.save_flow(chain("flow-reads", &[("b", "tool.task", &bound("cli.read"))]), None).await.unwrap();
        let ambiguous = flows.admit(admission("flow-reads")).await;
        let Err(AdmitError::Flow(FlowError::Ambiguous { id, mut local_ids })) = ambiguous else {
            panic!("{ambiguous:?}");
        };
        let mut both = vec![first.local_id, twin.local_id.clone()];
        both.sort();
        local_ids.sort();
        assert_eq!((id.as_str(), local_ids), ("flow-reads", both));
        let local = Admit { target: Target::Local(twin.local_id), ..admission("") };
        assert!(flows.admit(local).await.is_ok());
        let changed = Admit { target: Target::Local("task_000000000000".into()), ..admission("") };
        assert!(matches!(flows.admit(changed).await, Err(AdmitError::Flow(FlowError::NotFound(_)))));
    });
}

#[test]
fn a_pin_that_is_old_is_refused() {
    let world = World::in_memory();
    world.install("true");
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        set_up(flows).await;
        let saved = flows.flows().await.unwrap().into_iter().find(|flow| flow.name == "flow-reads").unwrap();
        // The saved flow holds on to the capability, so it is deleted first and comes back pinned as it was.
        flows.delete_flow(&saved.local_id).await.unwrap();
        flows.delete_capability("cli.read").await.unwrap();
        let validation = flows.validate_flow(saved.document.clone()).await.unwrap();
        assert_eq!(validation.get("valid"), Some(&false.into()));
        let missing = flows.save_flow(saved.document.clone(), None).await;
        assert!(matches!(missing, Err(FlowError::Compile(CompileError::UnknownCapability(_)))), "{missing:?}");
        flows.save_capability(&tool("cli.read", "true", &["read_local"])).await.unwrap();
        let validation = flows.validate_flow(saved.document.clone()).await.unwrap();
        assert_eq!(validation.get("valid"), Some(&false.into()), "the pin is that of the old definition");
        // Saving accepts the change.
        flows.save_flow(saved.document, None).await.unwrap();
        assert!(flows.admit(admission("flow-reads")).await.is_ok());
    });
}
