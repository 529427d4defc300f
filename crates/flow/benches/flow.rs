//! The bars of flows that concern the runtime alone: its journal on the disk of the folder given by `TMPDIR`, its nodes
//! doing nothing.
//!
//! One JSON object a line; times are in milliseconds. `sync` is the measure for the others: one append of 4 KiB and
//! fdatasync on the same disk. Run with `cargo bench -p segue-flow`.

#![expect(clippy::print_stdout, reason = "figures are what this program is for")]

use std::{
    fs::File,
    io::Write,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use segue_channel::{Channel, World};
use segue_flow::{
    Config, Executors, Flows,
    api::{Admit, Target},
    bindings::{DrawHost, Seen},
    executors::{Answer, Call, Surroundings, Terms, returned},
};
use segue_host::adapters::Registry;
use segue_journal::{
    Append, Authority, Batch, EventFilter, Journal, NewEvent, OpenOptions, Row, RunRow, StreamName, open,
};
use segue_model::{
    Timestamp,
    flow::{Document, Json, Node, Object, Problem, Profile, RunId, capability::Capability},
    reading::history::Query,
    run::{Outcome, attempt::EvidenceLevel},
};
use serde_json::json;
use tempfile::TempDir;

const SYNCS: usize = 300;
/// Nodes of the long chain.
const CHAIN: usize = 200;
const CHAINS: usize = 20;
/// Runs that are under way together.
const TOGETHER: usize = 64;
const SUSTAINED: Duration = Duration::from_secs(5);
const SHORT_RUNS: usize = 300;
const STORED: usize = 100_000;
const ASKED: usize = 300;
/// Copies that are written in one transaction.
const COPIES: usize = 500;

/// Bars of the design.
const NODE_OWN_MS: f64 = 0.5;
const NODES_A_SECOND: f64 = 4_000.0;
const EVENTS_A_SECOND: f64 = 20_000.0;
const SHORT_SYNCS: f64 = 4.0;
const SHORT_OWN_MS: f64 = 2.0;
const STORED_MS: f64 = 10.0;

#[derive(Debug)]
struct Clock;

impl World for Clock {
    fn now(&self) -> Timestamp {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a clock");
        Timestamp(i64::try_from(since.as_micros()).expect("a moment"))
    }

    fn elapsed(&self) -> std::time::Duration {
        static START: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
        START.elapsed()
    }

    fn random(&self, bytes: &mut [u8]) {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        for part in bytes.chunks_mut(8) {
            let number = NEXT.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            part.copy_from_slice(&number.to_be_bytes()[..part.len()]);
        }
    }
}

/// Nodes that do nothing, and when they were called.
#[derive(Debug, Default)]
struct NoOp(Mutex<Vec<Instant>>);

impl Executors for NoOp {
    fn needs_host(&self, _: &Node, _: Option<&Capability>) -> bool {
        false
    }

    fn execute<'a>(&'a self, _: &'a Call, _: &'a dyn Surroundings) -> Answer<'a, Outcome> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(Instant::now());
        Box::pin(async { returned(Object::new(), EvidenceLevel::RealExecutor) })
    }

    fn probe<'a>(&'a self, _: &'a Capability, _: &'a Terms, _: &'a dyn Surroundings) -> Answer<'a, Seen> {
        Box::pin(async { Seen { ok: true, summary: "it does nothing".into(), details: Object::new() } })
    }

    fn discover<'a>(
        &'a self,
        _: Option<&'a Json>,
        _: DrawHost<'a>,
        _: &'a Terms,
        _: &'a dyn Surroundings,
    ) -> Answer<'a, Result<Vec<Capability>, Problem>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}

fn main() {
    let folder = TempDir::new().expect("a folder");
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    let syncs = sync_times(&folder);
    let sync = median(&syncs);
    report("sync", &syncs, None);
    let journal = open(&OpenOptions::new(folder.path().join("state"))).expect("a journal");
    let hands = Arc::new(NoOp::default());
    let flows = flows(&folder, &journal, &hands);
    runtime.block_on(async {
        save(&flows, "flow-short", 3).await;
        save(&flows, "flow-long", CHAIN).await;
        let transitions = transitions(&flows, &hands).await;
        report("a node's acceptance and the start of the next", &transitions, Some(sync + NODE_OWN_MS));
        let (nodes, events) = sustained(&flows).await;
        rate("nodes", nodes, NODES_A_SECOND);
        rate("events", events, EVENTS_A_SECOND);
        let short = short(&flows).await;
        report("a flow of 3 nodes, from its request to its end", &short, Some(SHORT_SYNCS * sync + SHORT_OWN_MS));
        let few = asked(&flows).await;
        let run = admit(&flows, "flow-short").await;
        flows.ended(&run).await.expect("it ends");
        store_copies(&journal, run.as_str(), STORED).await;
        let many = asked(&flows).await;
        for (what, times) in [("among few", few), ("among 100,000 stored", many)] {
            report(&format!("history {what}"), &times.0, Some(STORED_MS));
            report(&format!("admission {what}"), &times.1, Some(STORED_MS));
        }
        flows.shut_down(segue_flow::api::OnStop::Cancel).await;
    });
    journal.close();
}

fn flows(folder: &TempDir, journal: &Arc<dyn Journal>, hands: &Arc<NoOp>) -> Flows {
    let environment = vec![("PATH".into(), "/usr/bin:/bin".into())];
    let hosts = folder.path().join("hosts");
    let channel = Channel::new(segue_channel::Config {
        journal: Arc::clone(journal),
        world: Arc::new(Clock),
        agents: Registry::builtin(),
        hosts: hosts.clone(),
        exe: "/nowhere".into(),
        cwd: folder.path().to_owned(),
        environment: environment.clone(),
        nested: false,
        client: segue_host::acp::Client { name: "segue".into(), version: "1".into() },
        markers: None,
        orphan_grace: Duration::from_secs(60),
        ephemeral: false,
    });
    Flows::new(Config {
        journal: Arc::clone(journal),
        world: Arc::new(Clock),
        channel,
        executors: Arc::clone(hands) as _,
        workspace: folder.path().to_owned(),
        hosts,
        exe: "/nowhere".into(),
        environment,
        orphan_grace: Duration::from_secs(60),
        descriptors: None,
        max_active_runs: TOGETHER,
    })
}

/// A chain of so many nodes that do nothing.
async fn save(flows: &Flows, id: &str, nodes: usize) {
    let tool = json!({"id": "cli.nothing", "kind": "cli", "name": "nothing", "effects": ["execute_process"],
        "config": {"executable": "true"}});
    // The second flow has it already.
    drop(flows.save_capability(&Json::from(tool)).await);
    let steps: Vec<_> = (0..nodes)
        .map(|at| {
            let from = at.checked_sub(1).map(|before| format!("node-{before}"));
            json!({"id": format!("node-{at}"), "type": "tool.task", "from": from,
                "params": {"capability_id": "cli.nothing"}})
        })
        .collect();
    let document = Json::from(json!({"schema_version": 1, "id": id, "name": id, "steps": steps}));
    let members = document.as_object().expect("an object").clone();
    flows.save_flow(Document::from(members), None).await.expect("a flow");
}

async fn admit(flows: &Flows, flow: &str) -> RunId {
    let request = Admit {
        target: Target::Portable(flow.into()),
        profile: Profile::Deterministic,
        inputs: Object::new(),
        authorization: None,
        key: None,
    };
    flows.admit(request).await.expect("it is admitted").run_id
}

/// From the call of one node to the call of the next: the first one's result is accepted in between.
async fn transitions(flows: &Flows, hands: &NoOp) -> Vec<Duration> {
    let mut times = Vec::new();
    for _ in 0..CHAINS {
        let calls = || hands.0.lock().unwrap_or_else(PoisonError::into_inner);
        calls().clear();
        let run = admit(flows, "flow-long").await;
        flows.ended(&run).await.expect("it ends");
        times.extend(calls().windows(2).map(|pair| pair[1] - pair[0]));
    }
    times
}

/// Nodes and events a second, with many Runs under way.
async fn sustained(flows: &Flows) -> (f64, f64) {
    let begun = Instant::now();
    let mut drivers = tokio::task::JoinSet::new();
    for _ in 0..TOGETHER {
        let flows = flows.clone();
        drivers.spawn(async move {
            let (mut nodes, mut events) = (0, 0);
            while begun.elapsed() < SUSTAINED {
                let run = admit(&flows, "flow-long").await;
                let summary = flows.ended(&run).await.expect("it ends");
                nodes += CHAIN;
                events += summary.event_count;
            }
            (nodes, events)
        });
    }
    let (mut nodes, mut events) = (0, 0);
    while let Some(done) = drivers.join_next().await {
        let (of_nodes, of_events) = done.expect("a driver");
        nodes += of_nodes;
        events += of_events;
    }
    let seconds = begun.elapsed().as_secs_f64();
    (nodes as f64 / seconds, events as f64 / seconds)
}

async fn short(flows: &Flows) -> Vec<Duration> {
    let mut times = Vec::new();
    for _ in 0..SHORT_RUNS {
        let begun = Instant::now();
        let run = admit(flows, "flow-short").await;
        flows.ended(&run).await.expect("it ends");
        times.push(begun.elapsed());
    }
    times
}

/// A page of the history, and an admission, each so many times.
async fn asked(flows: &Flows) -> (Vec<Duration>, Vec<Duration>) {
    let (mut history, mut admission) = (Vec::new(), Vec::new());
    for _ in 0..ASKED {
        let query = Query::read([("flow_id", "flow-short"), ("limit", "100")]).expect("a query");
        let begun = Instant::now();
        flows.history(query).await.expect("a history");
        history.push(begun.elapsed());
        let begun = Instant::now();
        let run = admit(flows, "flow-short").await;
        admission.push(begun.elapsed());
        flows.ended(&run).await.expect("it ends");
    }
    (history, admission)
}

/// Copies of a Run that has ended.
async fn store_copies(journal: &Arc<dyn Journal>, of: &str, count: usize) {
    let row = journal.run(of).expect("a row").expect("it is stored");
    let stream = StreamName::new("run", &row.id);
    let page = journal.events(&stream, 0, 1000, &EventFilter::default()).expect("events").expect("a stream");
    let events: Vec<NewEvent> = page
        .events
        .into_iter()
        .map(|event| NewEvent { kind: event.kind.into(), at: event.at, payload: event.payload })
        .collect();
    let numbers: Vec<usize> = (0..count).collect();
    for numbers in numbers.chunks(COPIES) {
        let mut batch = Batch::default();
        for number in numbers {
            let id = format!("{number:08x}-0000-4000-8000-000000000000");
            batch.appends.push(Append {
                stream: StreamName::new("run", &id),
                authority: Authority::Create,
                expected: 0,
                events: events.clone(),
                release: true,
            });
            let started_at = row.started_at - 1 - i64::try_from(*number).expect("a number");
            batch.rows.push(Row::Run(Box::new(RunRow { id, started_at, admission_key: None, ..row.clone() })));
        }
        journal.append(batch).await.expect("copies");
    }
}

fn sync_times(folder: &TempDir) -> Vec<Duration> {
    let mut file = File::create(folder.path().join("sync")).expect("a file");
    (0..SYNCS)
        .map(|_| {
            let begun = Instant::now();
            file.write_all(&[7; 4096]).and_then(|()| file.sync_data()).expect("a synced block");
            begun.elapsed()
        })
        .collect()
}

fn median(times: &[Duration]) -> f64 {
    let mut sorted: Vec<f64> = times.iter().map(|time| time.as_secs_f64() * 1e3).collect();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

fn report(what: &str, times: &[Duration], bar: Option<f64>) {
    let mut sorted: Vec<f64> = times.iter().map(|time| time.as_secs_f64() * 1e3).collect();
    sorted.sort_by(f64::total_cmp);
    let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share) as usize];
    let rounded = |value: f64| (value * 1e3).round() / 1e3;
    let p50 = at(0.5);
    println!(
        "{}",
        json!({"what": what, "unit": "ms", "count": sorted.len(), "p50": rounded(p50), "p99": rounded(at(0.99)),
            "max": rounded(at(1.0)), "bar": bar.map(rounded), "ratio_to_bar": bar.map(|bar| rounded(p50 / bar))})
    );
}

fn rate(what: &str, seen: f64, bar: f64) {
    println!(
        "{}",
        json!({"what": format!("{what}, {TOGETHER} runs together"), "unit": "1/s", "seen": seen.round(), "bar": bar,
            "ratio_to_bar": ((bar / seen) * 1e3).round() / 1e3})
    );
}
