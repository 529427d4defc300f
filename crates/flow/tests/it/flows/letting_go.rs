//! Runs are let go when people say so, and taken back once what was wrong with them is mended.

use segue_flow::{
    Flows,
    api::Fork,
    error::{ForgetError, RestoreError, RunError},
};
use segue_journal::{Batch, DocumentChange, EventFilter, Journal, StreamName};
use segue_model::flow::{RunId, json::object};

use super::{
    driving::{self, set_up},
    journal::Place,
    world::*,
};

/// Larger than what stands in an event.
const LARGE: usize = 40_000;

/// The digests of what stands beside the events of a Run.
fn blobs(journal: &dyn Journal, run: &RunId) -> Vec<String> {
    let page = journal.events(&StreamName::new("run", run.as_str()), 0, 1000, &EventFilter::default());
    let mut digests = Vec::new();
    for event in page.unwrap().unwrap().events {
        let payload: serde_json::Value = serde_json::from_str(&event.payload).unwrap();
        let moved = payload.get("_blobs").and_then(|moved| moved.as_object()).cloned().unwrap_or_default();
        digests.extend(moved.values().filter_map(|digest| digest.as_str().map(str::to_owned)));
    }
    digests.sort();
    digests.dedup();
    digests
}

async fn run(flows: &Flows) -> RunId {
    let run = admitted(flows, admission("flow-reference")).await.run_id;
    flows.ended(&run).await.unwrap();
    run
}

fn forgets(world: &World) {
    world.scripted.set("read", &[Deed::Return(object([("text", "x".repeat(LARGE).into())]))]);
    world.scripted.set("write", &[Deed::Fail("Broken"), Deed::Return(object([("text", "y".repeat(LARGE).into())]))]);
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        set_up(flows).await;
        let parent = run(flows).await;
        let mut fork = Fork {
            parent: parent.as_str().into(),
            from_node: "write".into(),
            inputs: None,
            authorization: None,
            key: None,
        };
        if let Err(segue_flow::error::AdmitError::AuthorizationRequired(challenge)) = flows.fork(fork.clone()).await {
            fork.authorization = Some(challenge.authorization());
        }
        let child = flows.fork(fork).await.unwrap().run_id;
        assert_eq!(flows.ended(&child).await.unwrap().status, "succeeded");
        let journal = &*process.journal;
        let (of_parent, of_child) = (blobs(journal, &parent), blobs(journal, &child));
        assert!(!of_parent.is_empty() && of_parent.iter().all(|digest| of_child.contains(digest)), "{of_parent:?}");
        let there =
            |digests: &[String]| digests.iter().filter(|digest| journal.blob(digest).unwrap().is_some()).count();
        let before = flows.evidence(child.as_str()).await.unwrap();

        assert_eq!(flows.forget(parent.as_str()).await.unwrap(), parent);
        let gone = flows.run(parent.as_str()).await;
        assert!(matches!(gone, Err(RunError::NotFound(_))), "{gone:?}");
        let again = flows.forget(parent.as_str()).await;
        assert!(matches!(again, Err(ForgetError::Run(RunError::NotFound(_)))), "{again:?}");
        // What was taken over of it is the child's own.
        assert_eq!(flows.evidence(child.as_str()).await.unwrap(), before);
        assert_eq!(there(&of_child), of_child.len());
        let origin = flows.run_detail(child.as_str()).await.unwrap().origin.unwrap();
        assert_eq!((origin.parent, origin.parent_flow_hash), (parent, None));

        let artifact = before.artifacts[0].id.clone();
        flows.forget(child.as_str()).await.unwrap();
        assert_eq!(there(&of_child), 0, "nothing names them any more");
        let content = flows.artifact(artifact.as_str()).await;
        assert!(matches!(content, Err(RunError::NoArtifact(_))), "{content:?}");
        // The same values are kept again for the next Run.
        world.scripted.set("write", &[Deed::Return(object([("text", "y".repeat(LARGE).into())]))]);
        let next = run(flows).await;
        assert_eq!(flows.run(next.as_str()).await.unwrap().status, "succeeded");
        let values = flows.evidence(next.as_str()).await.unwrap();
        assert_eq!(values.nodes[1].output, before.nodes[1].output);
    });
}

#[test]
fn a_forgotten_run_takes_what_only_it_names() {
    forgets(&driving::world());
}

#[test]
fn a_forgotten_run_takes_what_only_it_names_on_the_disk() {
    let world = World::on_disk();
    world.install("true");
    world.scripted.set("gate", &[Deed::Judge(true)]);
    forgets(&world);
}

#[test]
fn a_run_that_goes_on_is_not_forgotten() {
    let world = driving::world();
    world.scripted.set("read", &[Deed::Hold]);
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        set_up(flows).await;
        let run = admitted(flows, admission("flow-reference")).await.run_id;
        let refused = flows.forget(run.as_str()).await;
        assert_eq!(refused, Err(ForgetError::Active(run.clone())));
        assert_eq!(flows.restore(run.as_str()).await, Err(RestoreError::NotQuarantined(run.clone())));
        world.scripted.open_gate();
        assert_eq!(flows.ended(&run).await.unwrap().status, "succeeded");
        flows.forget(run.as_str()).await.unwrap();
    });
}

#[test]
fn a_run_that_was_set_aside_goes_on_once_its_reason_is_mended() {
    const KIND: &str = "definition";
    let world = driving::world();
    world.scripted.set("read", &[Deed::Hold]);
    let process = world.start();
    let (run, definition) = process.run(async {
        set_up(&process.flows).await;
        let run = admitted(&process.flows, admission("flow-reference")).await.run_id;
        world.scripted.until_begun("read", 1).await;
        let row = process.journal.run(run.as_str()).unwrap().unwrap();
        let definition = process.journal.document(&row.workspace, KIND, &row.flow_hash).unwrap().unwrap();
        (run, definition)
    });
    let (workspace, kind, id) = (definition.workspace.clone(), KIND.to_owned(), definition.id.clone());
    let lost =
        DocumentChange::Delete { workspace: workspace.clone(), kind: kind.clone(), id: id.clone(), expected: None };
    process.run(process.journal.append(Batch { documents: vec![lost], ..Batch::default() })).unwrap();
    process.kill();
    world.scripted.set("read", &[Deed::Return(members("{}"))]);

    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        flows.recover().await;
        assert_eq!(flows.quarantined().await.unwrap().len(), 1);
        let still = flows.restore(run.as_str()).await;
        assert!(
            matches!(&still, Err(RestoreError::StillBroken { why, .. }) if why.contains("it is gone")),
            "{still:?}"
        );
        assert_eq!(flows.quarantined().await.unwrap().len(), 1);
        let mended = DocumentChange::Create { workspace, kind, id, at: 0, body: definition.body };
        process.journal.append(Batch { documents: vec![mended], ..Batch::default() }).await.unwrap();
        assert_eq!(flows.restore(run.as_str()).await, Ok(run.clone()));
        assert_eq!(flows.quarantined().await.unwrap(), []);
        let ended = flows.ended(&run).await.unwrap();
        assert!(ended.quarantined.is_none() && ended.finished_at.is_some(), "{ended:?}");
        let again = flows.restore(run.as_str()).await;
        assert_eq!(again, Err(RestoreError::NotQuarantined(run.clone())));
        flows.forget(run.as_str()).await.unwrap();
    });
}

#[test]
fn a_run_that_was_set_aside_can_be_let_go() {
    let world = driving::world();
    world.scripted.set("read", &[Deed::Hold]);
    let process = world.start();
    let run = process.run(async {
        set_up(&process.flows).await;
        let run = admitted(&process.flows, admission("flow-reference")).await.run_id;
        world.scripted.until_begun("read", 1).await;
        run
    });
    let row = process.journal.run(run.as_str()).unwrap().unwrap();
    let lost = DocumentChange::Delete {
        workspace: row.workspace,
        kind: "definition".into(),
        id: row.flow_hash,
        expected: None,
    };
    process.run(process.journal.append(Batch { documents: vec![lost], ..Batch::default() })).unwrap();
    process.kill();
    let process = world.start();
    process.run(async {
        process.flows.recover().await;
        assert_eq!(process.flows.quarantined().await.unwrap().len(), 1);
        process.flows.forget(run.as_str()).await.unwrap();
        assert_eq!(process.flows.quarantined().await.unwrap(), []);
    });
}

#[test]
fn a_run_that_is_forgotten_while_it_is_read_is_not_there() {
    let world = driving::world();
    let (reader, other) = (world.start(), world.start());
    let run = other.run(async {
        set_up(&other.flows).await;
        let run = admitted(&other.flows, admission("flow-reference")).await.run_id;
        other.flows.ended(&run).await.unwrap();
        run
    });
    reader.journal.hold(Place::Events);
    let (flows, id) = (reader.flows.clone(), run.clone());
    let read = reader.run(async {
        let read = tokio::spawn(async move { flows.evidence(id.as_str()).await.map(|_| ()) });
        until("its row was read", || reader.journal.holds()).await;
        other.flows.forget(run.as_str()).await.unwrap();
        reader.journal.let_go();
        read.await.unwrap()
    });
    assert!(matches!(read, Err(RunError::NotFound(_))), "{read:?}");
}
