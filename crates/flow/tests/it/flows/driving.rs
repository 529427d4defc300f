//! Runs from admission to their end.

use segue_flow::{
    Flows,
    api::{List, Target},
};
use segue_model::{
    flow::{Json, Object, canonical::canonical, json::object},
    reading::instant,
    run::Status,
};

use super::world::*;

/// read → write → gate → publish.
pub async fn set_up(flows: &Flows) {
    flows.save_capability(&tool("cli.read", "true", &["execute_process", "read_local"])).await.unwrap();
    flows.save_capability(&tool("cli.write", "true", &["execute_process", "write_external"])).await.unwrap();
    flows.save_capability(&evaluator("eval.gate", "true")).await.unwrap();
    let steps = [
        ("read", "tool.task", bound("cli.read")),
        ("write", "tool.task", bound("cli.write")),
        ("gate", "evaluation.task", bound("eval.gate")),
        ("publish", "artifact.task", String::new()),
    ];
    let steps: Vec<_> = steps.iter().map(|(id, kind, rest)| (*id, *kind, rest.as_str())).collect();
    flows.save_flow(chain("flow-reference", &steps), None).await.unwrap();
}

pub const REFERENCE: [&str; 21] = [
    "run.created",
    "run.effects_authorized",
    "node.ready",
    "executor.started",
    "result.accepted",
    "node.succeeded",
    "node.ready",
    "executor.started",
    "result.accepted",
    "node.succeeded",
    "node.ready",
    "executor.started",
    "evaluation.passed",
    "result.accepted",
    "node.succeeded",
    "node.ready",
    "executor.started",
    "result.accepted",
    "artifact.created",
    "node.succeeded",
    "run.succeeded",
];

pub fn world() -> World {
    let world = World::in_memory();
    world.install("true");
    world.scripted.set("gate", &[Deed::Judge(true)]);
    world
}

#[test]
fn a_chain_runs_to_its_end_and_every_reading_says_so() {
    let world = world();
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        set_up(flows).await;
        let run = admitted(flows, admission("flow-reference")).await;
        assert_eq!((run.flow_id.as_str(), run.status), ("flow-reference", Status::Running));
        let summary = flows.ended(&run.run_id).await.unwrap();
        assert_eq!((summary.status.as_str(), summary.settled_nodes, summary.event_count), ("succeeded", 4, 21));
        assert_eq!(summary.capability_ids, ["cli.read", "cli.write", "eval.gate"]);
        let evidence = flows.evidence(run.run_id.as_str()).await.unwrap();
        let kinds: Vec<_> = evidence.events.iter().map(|event| event.event_type).collect();
        assert_eq!(kinds, REFERENCE);
        assert_eq!(evidence.context.len(), 4);
        assert_eq!(evidence.nodes[2].input.as_ref(), Some(&object([("text", "write".into())])));
        let outcome = flows.outcome(run.run_id.as_str()).await.unwrap();
        assert_eq!((outcome.progress.settled_nodes, outcome.failure), (4, None));
        let artifact = flows.artifact(outcome.artifacts[0].artifact_id.as_str()).await.unwrap();
        assert_eq!(artifact.bytes, b"# An article\n");
        let file = world.path().join("evidence.sqlite3");
        flows.export(&[run.run_id.as_str().to_owned()], &file).await.unwrap();
        // Contract §8: every column of JSON is canonical. Texts this short stand in the file as they are.
        let file = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
        let mut columns: Vec<Object> = evidence.events.iter().map(|event| event.payload.clone()).collect();
        for node in &evidence.nodes {
            columns.extend([node.input.clone(), node.output.clone()].into_iter().flatten());
        }
        columns.extend(evidence.context.iter().map(|entry| entry.value.clone()));
        for column in columns {
            let column = canonical(&Json::Object(column));
            assert!(file.contains(&column), "{column}");
        }
        for at in [Some(summary.started_at), summary.finished_at] {
            assert!(file.contains(&instant::written(at.unwrap()).unwrap()), "{at:?}");
        }
        let definition =
            r#"{"flow_id":"flow-reference","nodes":[{"effects":["execute_process","read_local"],"executor":"#;
        assert!(file.contains(definition) && file.contains(r#"["execute_process","write_external"]"#));
    });
}

/// Contract §7.2: what a node accepted is recorded before its executor is called.
#[test]
fn a_node_that_is_under_way_has_accepted_its_input() {
    let world = world();
    world.scripted.set("write", &[Deed::Hold]);
    let process = world.start();
    process.run(async {
        set_up(&process.flows).await;
        let run = admitted(&process.flows, admission("flow-reference")).await;
        world.scripted.until_begun("write", 1).await;
        let evidence = process.flows.evidence(run.run_id.as_str()).await.unwrap();
        let kinds: Vec<_> = evidence.events.iter().map(|event| event.event_type).collect();
        assert_eq!(kinds, REFERENCE[..8]);
        let node = &evidence.nodes[1];
        assert_eq!((node.node_id.as_str(), node.status.as_str()), ("write", "running"));
        assert_eq!((&node.input, &node.output), (&evidence.nodes[0].output, &None));
        assert_eq!(evidence.context.len(), 1);
        world.scripted.open_gate();
        process.flows.ended(&run.run_id).await.unwrap();
    });
}

#[test]
fn a_rejection_ends_the_run_and_points_at_the_producer() {
    let world = world();
    world.scripted.set("gate", &[Deed::Judge(false)]);
    let process = world.start();
    process.run(async {
        set_up(&process.flows).await;
        let run = admitted(&process.flows, admission("flow-reference")).await;
        assert_eq!(process.flows.ended(&run.run_id).await.unwrap().status, "failed");
        let outcome = process.flows.outcome(run.run_id.as_str()).await.unwrap();
        let failure = outcome.failure.unwrap();
        let ids = [failure.node_id, failure.repair_from_node_id].map(|id| id.unwrap().as_str().to_owned());
        assert_eq!((failure.code.as_str(), ids), ("evaluation_rejected", ["gate".into(), "write".into()]));
        assert_eq!(world.scripted.begun("publish"), 0);
        let why = process.flows.why(run.run_id.as_str()).await.unwrap();
        assert_eq!(why.ways_on, [format!("fork {} from node \"write\"", run.run_id)]);
    });
}

#[test]
fn an_executor_that_breaks_off_fails_its_node_and_nothing_else() {
    let world = world();
    world.scripted.set("read", &[Deed::Panic, Deed::Return(object([]))]);
    let process = world.start();
    process.run(async {
        set_up(&process.flows).await;
        let run = admitted(&process.flows, admission("flow-reference")).await;
        assert_eq!(process.flows.ended(&run.run_id).await.unwrap().status, "failed");
        let events = process.flows.evidence(run.run_id.as_str()).await.unwrap().events;
        let failed = events.iter().find(|event| event.event_type == "node.failed").unwrap();
        assert_eq!(failed.payload.get("error_type"), Some(&"ExecutorBroken".into()));
        let next = admitted(&process.flows, admission("flow-reference")).await;
        assert_eq!(process.flows.ended(&next.run_id).await.unwrap().status, "succeeded");
    });
}

/// Also sessions of one name are each Run's own.
#[test]
fn two_hundred_runs_at_once_keep_apart() {
    for world in [World::in_memory(), World::on_disk()] {
        let world = world.with_room(200);
        world.install("true");
        let process = world.start();
        process.run(async {
            let flows = &process.flows;
            let agent = r#"{"id":"agent.kept","kind":"agent_cli","name":"kept","effects":["execute_process"],
                "config":{"executable":"true","input_mode":"session_json","output_format":"session_json",
                "session_protocol":"symphlo.agent-session.v1"}}"#;
            flows.save_capability(&json(agent)).await.unwrap();
            let kept = r#","session_group":"loop","prompt":"Go","params":{"capability_id":"agent.kept"}"#;
            let steps = [("one", "agent.task", kept), ("two", "agent.task", kept)];
            flows.save_flow(chain("flow-kept", &steps), None).await.unwrap();
            let mut runs = tokio::task::JoinSet::new();
            for _ in 0..200 {
                let flows = flows.clone();
                runs.spawn(async move {
                    let run = admitted(&flows, admission("flow-kept")).await;
                    (flows.ended(&run.run_id).await.unwrap(), kinds(&flows, run.run_id.as_str()).await)
                });
            }
            while let Some(ended) = runs.join_next().await {
                let (summary, kinds) = ended.unwrap();
                assert_eq!((summary.status.as_str(), kinds.len()), ("succeeded", 13));
                let count = |kind: &str| kinds.iter().filter(|other| **other == kind).count();
                assert_eq!((count("executor.session.bound"), count("executor.session.reused")), (1, 1));
            }
            let listed = flows.runs(List { limit: 500, ..List::default() }).await.unwrap();
            assert_eq!(listed.len(), 200);
        });
        assert_eq!(world.scripted.begun("one"), 200);
    }
}

#[test]
fn a_journal_that_fails_for_a_while_costs_no_outcome() {
    let world = world();
    world.scripted.set("write", &[Deed::Hold]);
    let process = world.start();
    process.run(async {
        set_up(&process.flows).await;
        let run = admitted(&process.flows, admission("flow-reference")).await;
        world.scripted.until_begun("write", 1).await;
        process.journal.fail(3);
        world.scripted.open_gate();
        assert_eq!(process.flows.ended(&run.run_id).await.unwrap().status, "succeeded");
        assert!(!process.journal.is_failing(), "it did fail");
        assert_eq!(kinds(&process.flows, run.run_id.as_str()).await, REFERENCE);
        assert_eq!(world.scripted.begun("write"), 1);
    });
}

#[test]
fn deletions_and_edits_do_not_reach_a_run_under_way() {
    let world = world();
    world.scripted.set("read", &[Deed::Hold]);
    let process = world.start();
    let run = process.run(async {
        let flows = &process.flows;
        set_up(flows).await;
        let run = admitted(flows, admission("flow-reference")).await;
        world.scripted.until_begun("read", 1).await;
        let saved = flows.flows().await.unwrap();
        flows.delete_flow(&saved[0].local_id).await.unwrap();
        for id in ["cli.read", "cli.write", "eval.gate"] {
            flows.delete_capability(id).await.unwrap();
        }
        run
    });
    process.kill();
    let process = world.start();
    process.run(async {
        process.flows.recover().await;
        world.scripted.open_gate();
        assert_eq!(process.flows.ended(&run.run_id).await.unwrap().status, "succeeded");
        let again = process.flows.admit(admission("flow-reference")).await;
        assert!(again.is_err(), "the flow itself is gone");
    });
}

/// Design §12: what a small Run may take.
#[test]
fn a_local_task_runs_the_built_in_flow() {
    let world = World::in_memory();
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        for granularity in segue_model::flow::Granularity::ALL {
            let task = segue_model::flow::document::TaskFields {
                title: "T".into(),
                goal: "G".into(),
                topic: "O".into(),
                granularity: *granularity,
            };
            let task = flows.add_task(task).await.unwrap();
            let request = segue_flow::api::Admit { target: Target::Task(task.id.clone()), ..admission("") };
            let run = flows.admit(request).await.unwrap();
            let ended = flows.ended(&run.run_id).await.unwrap();
            let flow = granularity.flow();
            assert_eq!((ended.status.as_str(), ended.flow_hash.as_str()), ("succeeded", flow.hash().as_str()));
            let stable = flows.stability(&task.id, flow.hash()).await.unwrap();
            assert_eq!(stable.comparable_run_count, 1);
        }
    });
}

#[test]
fn large_outputs_travel_as_blobs_and_read_the_same() {
    let world = world();
    let large = object([("text", "x".repeat(300_000).into())]);
    world.scripted.set("read", &[Deed::Return(large.clone())]);
    let process = world.start();
    let run = process.run(async {
        set_up(&process.flows).await;
        let run = admitted(&process.flows, admission("flow-reference")).await;
        process.flows.ended(&run.run_id).await.unwrap();
        run
    });
    process.kill();
    let process = world.start();
    process.run(async {
        let evidence = process.flows.evidence(run.run_id.as_str()).await.unwrap();
        assert_eq!(evidence.nodes[0].output.as_ref(), Some(&large));
        assert_eq!(evidence.nodes[1].input.as_ref(), Some(&large));
    });
    use segue_journal::{EventFilter, Journal, StreamName};
    let stream = StreamName::new("run", run.run_id.as_str());
    let stored = process.journal.events(&stream, 0, 100, &EventFilter::default()).unwrap().unwrap().events;
    let bytes: usize = stored.iter().map(|event| event.payload.len()).sum();
    assert!(bytes < 10_000, "{bytes} bytes of events");
}

/// Design §12: 20 kB.
#[test]
fn a_small_run_takes_little_of_the_disk() {
    const RUNS: u64 = 100;
    let world = World::on_disk().with_room(RUNS as usize);
    world.install("true");
    world.scripted.set("gate", &[Deed::Judge(true)]);
    let size = || -> u64 {
        let files = std::fs::read_dir(world.path().join("state")).unwrap().flatten();
        files.filter_map(|file| file.metadata().ok()).filter(|file| file.is_file()).map(|file| file.len()).sum()
    };
    let process = world.start();
    process.run(set_up(&process.flows));
    process.stop(segue_flow::api::OnStop::Cancel);
    let before = size();
    let process = world.start();
    process.run(async {
        for _ in 0..RUNS {
            let run = admitted(&process.flows, admission("flow-reference")).await;
            process.flows.ended(&run.run_id).await.unwrap();
        }
    });
    process.stop(segue_flow::api::OnStop::Cancel);
    let each = (size() - before) / RUNS;
    assert!(each <= 20_000, "{each} bytes for each");
}
