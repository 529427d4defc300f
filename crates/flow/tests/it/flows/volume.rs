//! Many Runs and large ones. What a request costs is counted in reads and rows, which no machine makes slower.

use segue_flow::api::List;
use segue_journal::{Append, Authority, Batch, EventFilter, Journal, NewEvent, Row, StreamName};
use segue_model::{
    flow::{Json, json::object},
    reading::history::Query,
};

use super::{
    driving::{self, set_up},
    world::*,
};

/// What is stored beside the Runs that are asked for.
const STORED: usize = 10_000;

/// Copies of a Run that has ended, as many as there are to be stored; each is older than the one before.
async fn store_copies(journal: &dyn Journal, of: &str, count: usize) {
    let row = journal.run(of).unwrap().unwrap();
    let stream = StreamName::new("run", of);
    let events = journal.events(&stream, 0, 1000, &EventFilter::default()).unwrap().unwrap().events;
    let events: Vec<NewEvent> = events
        .into_iter()
        .map(|event| NewEvent { kind: event.kind.into(), at: event.at, payload: event.payload })
        .collect();
    for number in 0..count {
        let id = format!("{number:08x}-0000-4000-8000-000000000000");
        let before = 1 + i64::try_from(number).unwrap();
        let copy = segue_journal::RunRow {
            id: id.clone(),
            started_at: row.started_at - before,
            admission_key: None,
            ..row.clone()
        };
        let append = Append {
            stream: StreamName::new("run", &id),
            authority: Authority::Create,
            expected: 0,
            events: events.clone(),
            release: true,
        };
        let batch = Batch { appends: vec![append], rows: vec![Row::Run(Box::new(copy))], ..Batch::default() };
        journal.append(batch).await.unwrap();
    }
}

/// What every request costs with so many Runs stored.
fn costs(stored: usize) -> Vec<(&'static str, usize)> {
    let world = driving::world();
    let process = world.start();
    process.run(async {
        let (flows, journal) = (&process.flows, &process.journal);
        set_up(flows).await;
        world.scripted.set("read", &[Deed::Return(members("{}"))]);
        let first = admitted(flows, admission("flow-reference")).await;
        flows.ended(&first.run_id).await.unwrap();
        store_copies(&**journal, first.run_id.as_str(), stored).await;
        let second = admitted(flows, admission("flow-reference")).await;
        flows.ended(&second.run_id).await.unwrap();
        let (left, right) = (first.run_id.as_str(), second.run_id.as_str());
        let mut costs = Vec::new();
        let mut counted = |what: &'static str, before: usize| costs.push((what, journal.read() - before));

        let before = journal.read();
        let query = Query::read([("flow_id", "flow-reference"), ("limit", "20")]).unwrap();
        assert_eq!(flows.history(query).await.unwrap().items.len(), stored.min(18) + 2);
        counted("history", before);
        let before = journal.read();
        flows.outcome(left).await.unwrap();
        counted("outcome", before);
        let before = journal.read();
        flows.run(left).await.unwrap();
        counted("one run in short", before);
        let before = journal.read();
        let list = List { limit: 20, status: vec!["succeeded".into()], ..List::default() };
        assert_eq!(flows.runs(list).await.unwrap().len(), stored.min(18) + 2);
        counted("a page of the list", before);
        let before = journal.read();
        flows.evidence(left).await.unwrap();
        counted("evidence", before);
        let before = journal.read();
        flows.compare(left, right).await.unwrap();
        counted("comparison", before);
        let before = journal.read();
        flows.why(left).await.unwrap();
        counted("why", before);
        let before = journal.read();
        let artifact = flows.outcome(left).await.unwrap().artifacts[0].artifact_id.clone();
        flows.artifact(artifact.as_str()).await.unwrap();
        counted("an artifact", before);
        let before = journal.read();
        assert!(!flows.cancel(left, None, None).await.unwrap().1.accepted);
        counted("a cancellation that comes late", before);
        let before = journal.read();
        flows.admit(admission("flow-reference")).await.unwrap_err();
        counted("a challenge", before);
        let before = journal.read();
        flows.recover().await;
        counted("a look for Runs of dead servers", before);
        let before = journal.read();
        flows.flows().await.unwrap();
        flows.capabilities().await.unwrap();
        flows.quarantined().await.unwrap();
        counted("what is saved", before);
        costs
    })
}

/// With twenty Runs a page is full already; thousands more cost nothing.
#[test]
fn no_request_costs_more_among_ten_thousand_runs() {
    assert_eq!(costs(STORED), costs(20));
}

/// The admission itself goes on in the background, so what is counted is a Run from its request to its end. How often
/// its end is looked for depends on chance; nothing is read there that grows.
#[test]
fn a_run_among_ten_thousand_reads_no_list() {
    let world = driving::world();
    let process = world.start();
    process.run(async {
        set_up(&process.flows).await;
        let first = admitted(&process.flows, admission("flow-reference")).await;
        process.flows.ended(&first.run_id).await.unwrap();
        store_copies(&*process.journal, first.run_id.as_str(), STORED).await;
        let before = process.journal.read();
        let run = admitted(&process.flows, admission("flow-reference")).await;
        process.flows.ended(&run.run_id).await.unwrap();
        let read = process.journal.read() - before;
        assert!(read < STORED / 10, "{read} reads and rows");
    });
}

/// S39: a Run with tens of thousands of events is followed page by page, while others are started, listed and end.
#[test]
fn a_large_run_is_read_in_pages_and_holds_nobody_up() {
    const ITEMS: usize = 1000;
    const MAPS: usize = 10;
    const PAGE: usize = 500;
    let world = driving::world();
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        set_up(flows).await;
        let items: Vec<Json> = (0..ITEMS).map(|at| Json::from(i64::try_from(at).unwrap())).collect();
        world.scripted.set("list", &[Deed::Return(object([("items", Json::Array(items))]))]);
        world.scripted.set("map-9", &[Deed::Hold]);
        let mut steps = vec![r#"{"id":"list","type":"tool.task","params":{"capability_id":"cli.read"}}"#.to_owned()];
        for at in 0..MAPS {
            steps.push(format!(
                r#"{{"id":"map-{at}","type":"tool.task","from":"list","for_each":{{"items":"input.items","max_parallel":64}},
                    "params":{{"capability_id":"cli.read"}}}}"#
            ));
        }
        let text = format!(r#"{{"schema_version":2,"id":"flow-large","name":"L","steps":[{}]}}"#, steps.join(","));
        flows.save_flow(document(&text), None).await.unwrap();
        let large = admitted(flows, admission("flow-large")).await;
        let id = large.run_id.as_str();
        // The last map stands still until the others have been seen.
        world.scripted.until_begun("map-9", 64).await;
        for _ in 0..5 {
            let run = admitted(flows, admission("flow-reference")).await;
            assert_eq!(flows.ended(&run.run_id).await.unwrap().status, "succeeded");
        }
        assert_eq!(flows.runs(List { limit: 10, ..List::default() }).await.unwrap().len(), 6);
        assert_eq!(flows.run(id).await.unwrap().status, "running");
        world.scripted.open_gate();
        let mut watch = flows.watch(id, 0).await.unwrap();
        let mut seen = 0;
        while let Some(page) = watch.next().await.unwrap() {
            assert!(page.events.len() <= PAGE, "{}", page.events.len());
            for event in &page.events {
                seen += 1;
                assert_eq!(event.sequence, seen, "none is lost or doubled");
            }
        }
        let summary = flows.run(id).await.unwrap();
        assert_eq!((summary.status.as_str(), summary.event_count), ("succeeded", seen));
        assert!(seen >= u64::try_from(2 * ITEMS * MAPS).unwrap(), "{seen}");
    });
}
