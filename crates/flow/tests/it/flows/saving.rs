//! Contract §4, §13, §19, §22: saved flows, capabilities, bundles.

use segue_flow::{
    api::GOLDEN_ID,
    error::{BundleError, CapabilityError, FlowError},
};
use segue_model::flow::{CompileError, Json};

use super::world::*;

fn world() -> World {
    let world = World::in_memory();
    world.install("true");
    world
}

fn fixture() -> Json {
    json(
        r#"{"id":"agent.session-fixture","kind":"agent_cli","name":"Session fixture","source":"sample",
            "effects":["execute_process"],"config":{"executable":"true","input_mode":"session_json",
            "output_format":"session_json","session_protocol":"symphlo.agent-session.v1"}}"#,
    )
}

#[test]
fn a_fresh_workspace_has_the_golden_flow_and_it_runs() {
    let world = world();
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        flows.open().await.unwrap();
        flows.open().await.unwrap();
        let listed = flows.flows().await.unwrap();
        assert_eq!(listed.iter().map(|flow| flow.local_id.as_str()).collect::<Vec<_>>(), [GOLDEN_ID]);
        // Without the sample it is listed and cannot be run.
        assert!(flows.admit(admission("observable-golden-loop")).await.is_err());
        flows.install_sample(&fixture()).await.unwrap();
        let run = flows.admit(admission("observable-golden-loop")).await.unwrap();
        assert_eq!(flows.ended(&run.run_id).await.unwrap().status, "succeeded");
        assert_eq!(flows.run(run.run_id.as_str()).await.unwrap().event_count, 26);
        let refused = flows.delete_capability("agent.session-fixture").await;
        assert!(matches!(refused, Err(CapabilityError::Referenced { .. })), "{refused:?}");
        flows.delete_flow(GOLDEN_ID).await.unwrap();
        flows.open().await.unwrap();
        assert!(flows.flows().await.unwrap().is_empty(), "what was deleted stays so");
        flows.delete_capability("agent.session-fixture").await.unwrap();
    });
}

#[test]
fn saving_pins_checks_and_tells_when() {
    let world = world();
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        flows.save_capability(&tool("cli.read", "true", &["read_local"])).await.unwrap();
        let steps = [("a", "tool.task", bound("cli.read"))];
        let steps: Vec<_> = steps.iter().map(|(id, kind, rest)| (*id, *kind, rest.as_str())).collect();
        let saved = flows.save_flow(chain("flow-one", &steps), None).await.unwrap();
        let fingerprint = flows.capability("cli.read").await.unwrap().capability.fingerprint();
        let step = saved.document.members().get("steps").unwrap().as_array().unwrap()[0].clone();
        let pin = step.get("params").unwrap().get("capability_fingerprint").unwrap();
        assert_eq!(pin.as_str(), Some(fingerprint.as_str()));
        let updated = flows.update_flow(&saved.local_id, saved.document.clone(), None).await.unwrap();
        assert!(updated.updated_at > saved.updated_at && updated.created_at == saved.created_at);
        let late = flows.replace_flow(&saved.local_id, saved.document.clone(), None, Some(saved.version)).await;
        assert_eq!(late.unwrap_err(), FlowError::Changed(saved.local_id.clone()));
        assert_eq!(flows.flow(&saved.local_id).await.unwrap().version, updated.version);
        let next = flows.replace_flow(&saved.local_id, saved.document.clone(), None, Some(updated.version)).await;
        assert!(next.unwrap().version > updated.version);
        let broken = flows.save_flow(document(r#"{"id":"flow-none","steps":[]}"#), None).await;
        assert!(matches!(broken, Err(FlowError::Compile(CompileError::Unsupported(_)))), "{broken:?}");
        let agents = chain("flow-agents", &[("anything", "agent.task", r#","prompt":"Go""#)]);
        assert!(flows.save_flow(agents, None).await.is_ok(), "a profile may execute it");
        let form = document(
            r#"{"schema_version":2,"id":"flow-form","name":"F","steps":[{"id":"ask","type":"human.task","prompt":"?",
                "params":{"form":{"type":"object","properties":{"a":{"type":"nonsense"}}}}}]}"#,
        );
        let refused = flows.save_flow(form, None).await;
        assert!(matches!(refused, Err(FlowError::Invalid(_))), "{refused:?}");
        let gone = flows.update_flow("task_000000000000", saved.document, None).await;
        assert!(matches!(gone, Err(FlowError::NotFound(_))));
    });
}

/// An id that two saved flows have names neither of them any more.
#[test]
fn of_several_who_save_a_flow_that_is_to_be_the_only_one_of_its_id_one_does() {
    let world = World::on_disk();
    let (one, other) = (world.start(), world.start());
    one.run(async {
        for round in 0..8 {
            let id = format!("flow-{round}");
            let mut saves = tokio::task::JoinSet::new();
            for flows in [&one.flows, &other.flows].into_iter().cycle().take(6) {
                let (flows, document) = (flows.clone(), chain(&id, &[("a", "artifact.task", "")]));
                saves.spawn(async move { flows.save_only_flow(document, None).await });
            }
            let (saved, refused): (Vec<_>, Vec<_>) = saves.join_all().await.into_iter().partition(Result::is_ok);
            let local_id = saved.into_iter().map(|saved| saved.unwrap().local_id).collect::<Vec<_>>();
            let [local_id] = local_id.as_slice() else { panic!("{local_id:?} are saved, {refused:?} are not") };
            let taken = FlowError::Taken { id, local_id: local_id.clone() };
            let refused: Vec<_> = refused.into_iter().map(Result::unwrap_err).collect();
            assert_eq!(refused, vec![taken; 5]);
        }
        let flow = one.flows.save_flow(chain("flow-0", &[("a", "artifact.task", "")]), None).await;
        assert!(flow.is_ok(), "who does not mind others saves beside them");
    });
}

#[test]
fn capabilities_are_saved_tried_and_deleted() {
    let world = world();
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        let definition = tool("cli.read", "true", &["read_local"]);
        assert!(flows.check_capability(&definition).is_ok());
        assert!(flows.capabilities().await.unwrap().is_empty(), "a check stores nothing");
        flows.save_capability(&definition).await.unwrap();
        let twice = flows.save_capability(&definition).await;
        assert!(matches!(twice, Err(CapabilityError::Exists(_))), "{twice:?}");
        let sample = flows.save_capability(&fixture()).await;
        assert!(matches!(sample, Err(CapabilityError::Invalid(_))), "{sample:?}");
        let tried = flows.test_connection("cli.read").await.unwrap();
        assert_eq!(tried.status.as_str(), "ready");
        let listed = flows.capabilities().await.unwrap();
        assert_eq!(listed[0], tried, "what was seen is kept");
        flows.delete_capability("cli.read").await.unwrap();
        let gone = flows.delete_capability("cli.read").await;
        assert!(matches!(gone, Err(CapabilityError::NotFound(_))), "{gone:?}");
    });
}

#[test]
fn a_bundle_is_installed_whole_and_again_without_change() {
    let world = world();
    let process = world.start();
    let bundle = json(
        r#"{"contract_version":"symphlo.integration-bundle.v1","bundle_id":"notes","bundle_version":"1.0.0","name":"Notes",
            "publisher":"Us","capabilities":[{"id":"cli.notes","kind":"cli","name":"notes","effects":["read_local"],
            "config":{"executable":"true"}}],"flows":[{"schema_version":1,"id":"flow-notes","name":"Notes","steps":[
            {"id":"a","type":"tool.task","from":null,"params":{"capability_id":"cli.notes"}}]}]}"#,
    );
    process.run(async {
        let flows = &process.flows;
        let plan = flows.preview_bundle(&bundle).await.unwrap();
        let text = |name: &str| plan.get(name).and_then(Json::as_str).unwrap().to_owned();
        let (hash, phrase) = (text("bundle_hash"), text("confirmation_phrase"));
        assert!(flows.capabilities().await.unwrap().is_empty(), "a preview stores nothing");
        assert_eq!(flows.install_bundle(&bundle, &hash, "INSTALL").await, Err(BundleError::WrongPhrase));
        assert_eq!(flows.install_bundle(&bundle, "0", &phrase).await, Err(BundleError::OtherBundle));
        let first = flows.install_bundle(&bundle, &hash, &phrase).await.unwrap();
        assert_eq!((first.created_capability_ids.len(), first.created_flow_ids.len()), (1, 1));
        let again = flows.install_bundle(&bundle, &hash, &phrase).await.unwrap();
        assert_eq!((again.reused_capability_ids, again.reused_flow_ids), (vec!["cli.notes".into()], vec!["flow-notes".into()]));
        assert_eq!(flows.flows().await.unwrap().len(), 1);
        let run = flows.admit(admission("flow-notes")).await.unwrap();
        assert_eq!(flows.ended(&run.run_id).await.unwrap().status, "succeeded");
        // Another operational definition under the same id: blocked.
        let mut other = bundle.as_object().unwrap().clone();
        other.insert("capabilities".into(), json(
            r#"[{"id":"cli.notes","kind":"cli","name":"notes","effects":["write_local"],"config":{"executable":"true"}}]"#,
        ));
        let other = Json::Object(other);
        let plan = flows.preview_bundle(&other).await.unwrap();
        assert_eq!(plan.get("status"), Some(&"blocked".into()));
        let hash = plan.get("bundle_hash").and_then(Json::as_str).unwrap();
        assert_eq!(flows.install_bundle(&other, hash, &phrase).await, Err(BundleError::Blocked));
    });
}

const TWO: &str = r#"{"contract_version":"symphlo.integration-bundle.v1","bundle_id":"notes","bundle_version":"1.0.0",
    "name":"Notes","publisher":"Us","capabilities":[{"id":"cli.notes","kind":"cli","name":"notes",
    "effects":["read_local"],"config":{"executable":"true"}}],"flows":[{"schema_version":1,"id":"flow-notes","name":"Notes",
    "steps":[{"id":"a","type":"tool.task","from":null,"params":{"capability_id":"cli.notes"}}]}]}"#;

/// What is saved: capabilities and flows.
async fn saved(flows: &segue_flow::Flows) -> (usize, usize) {
    (flows.capabilities().await.unwrap().len(), flows.flows().await.unwrap().len())
}

#[test]
fn a_bundle_whose_installation_fails_leaves_nothing_and_two_at_once_install_it_once() {
    let world = world();
    let process = world.start();
    let bundle = json(TWO);
    process.run(async {
        let flows = &process.flows;
        let plan = flows.preview_bundle(&bundle).await.unwrap();
        let text = |name: &str| plan.get(name).and_then(Json::as_str).unwrap().to_owned();
        let (hash, phrase) = (text("bundle_hash"), text("confirmation_phrase"));
        process.journal.fail(1);
        let failed = flows.install_bundle(&bundle, &hash, &phrase).await;
        assert!(matches!(failed, Err(BundleError::Storage(_))), "{failed:?}");
        assert_eq!(saved(flows).await, (0, 0));
        let (one, other) =
            tokio::join!(flows.install_bundle(&bundle, &hash, &phrase), flows.install_bundle(&bundle, &hash, &phrase));
        let made = [one.unwrap(), other.unwrap()].map(|done| (done.created_flow_ids.len(), done.reused_flow_ids.len()));
        assert!(made == [(1, 0), (0, 1)] || made == [(0, 1), (1, 0)], "{made:?}");
        assert_eq!(saved(flows).await, (1, 1));
    });
}

/// Contract §4: what the runtime's own samples are follows its port, so a pin of one is that of today.
#[test]
fn a_flow_of_a_sample_is_pinned_again_when_it_is_read() {
    let world = world();
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        let sample = |port: u16| {
            json(&format!(
                r#"{{"id":"http.sample-json","kind":"http","name":"Sample","source":"sample","effects":["read_external"],
                    "config":{{"url":"http://127.0.0.1:{port}/api/v1/samples/http-json"}}}}"#
            ))
        };
        flows.install_sample(&sample(1)).await.unwrap();
        let steps = [("a", "tool.task", bound("http.sample-json"))];
        let steps: Vec<_> = steps.iter().map(|(id, kind, rest)| (*id, *kind, rest.as_str())).collect();
        let saved = flows.save_flow(chain("flow-sample", &steps), None).await.unwrap();
        let pin = |document: &segue_model::flow::Document| {
            let step = document.members().get("steps").and_then(Json::as_array).unwrap()[0].clone();
            step.get("params").and_then(|params| params.get("capability_fingerprint")).cloned().unwrap()
        };
        let today = flows.install_sample(&sample(2)).await.unwrap().capability.fingerprint();
        assert_ne!(pin(&saved.document).as_str(), Some(today.as_str()));
        let read = flows.flow(&saved.local_id).await.unwrap();
        assert_eq!(pin(&read.document).as_str(), Some(today.as_str()));
        assert_eq!(pin(&flows.flows().await.unwrap()[0].document).as_str(), Some(today.as_str()));
        let run = flows.admit(admission("flow-sample")).await.unwrap();
        assert_eq!(flows.ended(&run.run_id).await.unwrap().status, "succeeded");
    });
}

/// Contract §27.3: the interpreter of a virtual environment is a link, and works only under that name.
#[test]
fn a_program_that_is_a_link_is_kept_as_the_link() {
    let world = world();
    let link = world.path().join("bin").join("linked");
    std::os::unix::fs::symlink(world.install("behind"), &link).unwrap();
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        for program in ["linked", link.to_str().unwrap()] {
            let checked = flows.check_capability(&tool("cli.linked", program, &["read_local"])).unwrap();
            let executable = checked.config.to_json().get("executable").cloned().unwrap();
            assert_eq!(executable.as_str(), link.to_str(), "{program}");
        }
    });
}
