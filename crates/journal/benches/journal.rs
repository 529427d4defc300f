//! The journal's bars, measured on the disk of the folder given by `TMPDIR`.
//!
//! One JSON object a line; times are in milliseconds. `sync` is the measure for the others: one
//! append of 4 KiB and fdatasync on the same disk. Run with `cargo bench -p segue-journal`; `--bench journal -- --runs`
//! and `-- --sustained` are parts of it.

#![expect(clippy::print_stdout, reason = "figures are what this program is for")]

use std::{
    fs::{self, File},
    io::Write,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use segue_journal::{
    Append, Authority, Batch, EventFilter, Journal, NewEvent, OpenOptions, Row, RunFilter, RunRow, StreamName,
    TaskFilter, TaskRow, open,
};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

const SYNCS: usize = 300;
const SINGLE: usize = 1_000;
const PRODUCERS: usize = 64;
const SUSTAINED: Duration = Duration::from_secs(4);
const LONG_STREAM: u64 = 1_000_000;
const PAGES: u64 = 300;
const PAGE: usize = 200;
const TASKS: usize = 100_000;
const RUNS: usize = 100_000;
const STARTS: usize = 50;

fn main() {
    let folder = TempDir::new().expect("a folder");
    let runtime = Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
    let syncs = sync_times(&folder);
    report("sync", &syncs);
    let before = resident_kib();
    let options = OpenOptions::new(folder.path().join("state"));
    let journal = open(&options).expect("a journal");
    drop(journal.tasks(&TaskFilter::default(), 50));
    println!("{}", format_args!("{{\"what\":\"resident_kib\",\"by_open\":{}}}", resident_kib() - before));
    let only = |part: &str| std::env::args().any(|argument| argument == part);
    if only("--sustained") {
        println!("{}", sustained(&journal, &runtime, 1));
        return;
    }
    if only("--runs") {
        runs(&folder, &runtime);
        return;
    }
    report("append_one", &single_appends(&*journal, &runtime));
    for events in [1, 16] {
        let rate = sustained(&journal, &runtime, events);
        println!(
            "{{\"what\":\"sustained\",\"events_a_batch\":{events},\"producers\":{PRODUCERS},\"events_per_s\":{rate:.0}}}"
        );
    }
    pages(&*journal, &runtime);
    forget(&*journal, &runtime);
    lists(&*journal, &runtime);
    journal.close();
    runs(&folder, &runtime);
    report("open", &starts(&options));
}

fn report(what: &str, times: &[Duration]) {
    let mut sorted: Vec<f64> = times.iter().map(|time| time.as_secs_f64() * 1e3).collect();
    sorted.sort_by(f64::total_cmp);
    let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share) as usize];
    println!(
        "{{\"what\":\"{what}\",\"count\":{},\"p50\":{:.3},\"p99\":{:.3},\"max\":{:.3}}}",
        sorted.len(),
        at(0.5),
        at(0.99),
        at(1.0)
    );
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let started = Instant::now();
    let result = work();
    (started.elapsed(), result)
}

fn resident_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

fn sync_times(folder: &TempDir) -> Vec<Duration> {
    let mut file = File::create(folder.path().join("sync")).expect("a file");
    let mut once = || {
        file.write_all(&[7; 4096]).expect("space");
        file.sync_data().expect("a disk");
    };
    (0..SYNCS).map(|_| timed(&mut once).0).collect()
}

fn event(kind: &'static str) -> NewEvent {
    NewEvent { kind: kind.into(), at: 1, payload: format!("{{\"text\":\"{}\"}}", "x".repeat(290)) }
}

fn append(stream: &StreamName, authority: Authority, expected: u64, events: Vec<NewEvent>) -> Append {
    Append { stream: stream.clone(), authority, expected, events, release: false }
}

fn task(id: &str, journal: &dyn Journal, last_seq: u64) -> TaskRow {
    TaskRow {
        id: id.to_owned(),
        server: journal.instance().clone(),
        status: "running".to_owned(),
        ended: false,
        resolved: false,
        agent: "claude".to_owned(),
        workspace: "/home/user/project".to_owned(),
        session: None,
        handle: None,
        client_key: None,
        prompt: None,
        created_at: 1,
        finished_at: None,
        last_seq,
        body: format!("{{\"state\":\"{}\"}}", "y".repeat(600)),
    }
}

/// One more turn of a task's life: events and the row they change.
fn step(id: &str, journal: &dyn Journal, last: u64, events: usize) -> Batch {
    let stream = StreamName::new("task", id);
    let authority = if last == 0 { Authority::Create } else { Authority::Owner(1) };
    let row = task(id, journal, last + events as u64);
    Batch {
        appends: vec![append(&stream, authority, last, (0..events).map(|_| event("agent_message")).collect())],
        rows: vec![Row::Task(Box::new(row))],
        ..Batch::default()
    }
}

fn single_appends(journal: &dyn Journal, runtime: &Runtime) -> Vec<Duration> {
    (0..SINGLE as u64)
        .map(|last| {
            let batch = step("single", journal, last, 1);
            let (time, result) = timed(|| runtime.block_on(journal.append(batch)));
            result.expect("written");
            time
        })
        .collect()
}

fn sustained(journal: &Arc<dyn Journal>, runtime: &Runtime, events: usize) -> f64 {
    let (done, stop) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let producers: Vec<_> = (0..PRODUCERS)
        .map(|number| {
            let (journal, done, stop) = (Arc::clone(journal), Arc::clone(&done), Arc::clone(&stop));
            runtime.spawn(async move {
                let id = format!("producer_{events}_{number}");
                let mut last = 0;
                while !stop.load(Ordering::Relaxed) {
                    journal.append(step(&id, &*journal, last, events)).await.expect("written");
                    last += events as u64;
                    done.fetch_add(events, Ordering::Relaxed);
                }
            })
        })
        .collect();
    std::thread::sleep(SUSTAINED);
    let count = done.load(Ordering::Relaxed);
    stop.store(true, Ordering::Relaxed);
    for producer in producers {
        runtime.block_on(producer).expect("no panic");
    }
    count as f64 / SUSTAINED.as_secs_f64()
}

/// Pages of a long stream in which one of 1,000 events is a tool's and ten are something else.
fn pages(journal: &dyn Journal, runtime: &Runtime) {
    const BATCH: u64 = 2_000;
    let stream = StreamName::new("task", "long");
    let kind = |number: u64| match number {
        number if number % (LONG_STREAM / 10) == 0 => "rare",
        number if number % 1_000 == 0 => "tool_call",
        _ => "agent_message",
    };
    let (filled, ()) = timed(|| {
        for first in (0..LONG_STREAM).step_by(BATCH as usize) {
            let authority = if first == 0 { Authority::Create } else { Authority::Owner(1) };
            let events = (first..first + BATCH).map(|number| event(kind(number))).collect();
            let append = append(&stream, authority, first, events);
            runtime.block_on(journal.append(Batch { appends: vec![append], ..Batch::default() })).expect("written");
        }
    });
    println!(
        "{{\"what\":\"fill\",\"events\":{LONG_STREAM},\"batch\":{BATCH},\"ms\":{:.0}}}",
        filled.as_secs_f64() * 1e3
    );
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let filters = [
        ("page_plain", vec![], vec![]),
        ("page_of_rare_kinds", words(&["rare", "tool_call"]), vec![]),
        ("page_of_common_kinds", words(&["agent_message", "tool_call"]), vec![]),
        ("page_without_common", vec![], words(&["agent_message"])),
        ("page_without_rare", vec![], words(&["rare"])),
    ];
    for (what, kinds, without) in filters {
        let filter = EventFilter { kinds, without, ..EventFilter::default() };
        let times: Vec<_> = (0..PAGES)
            // Spread without order over the whole stream.
            .map(|page| timed(|| journal.events(&stream, page * 7_919_317 % LONG_STREAM, PAGE, &filter)).0)
            .collect();
        report(what, &times);
    }
}

fn forget(journal: &dyn Journal, runtime: &Runtime) {
    let batch = Batch { rows: vec![Row::ForgetTask("long".to_owned())], ..Batch::default() };
    let (time, result) = timed(|| runtime.block_on(journal.append(batch)));
    result.expect("written");
    report("forget_long", &[time]);
    report("append_while_sweeping", &single_steps(journal, runtime, "sweeping"));
}

fn single_steps(journal: &dyn Journal, runtime: &Runtime, id: &str) -> Vec<Duration> {
    (0..100)
        .map(|last| timed(|| runtime.block_on(journal.append(step(id, journal, last, 1))).expect("written")).0)
        .collect()
}

fn lists(journal: &dyn Journal, runtime: &Runtime) {
    for first in (0..TASKS).step_by(1_000) {
        let rows = (first..first + 1_000).map(|number| {
            let mut row = task(&format!("listed_{number}"), journal, 1);
            row.ended = true;
            row.status = if number % 5_000 == 0 { "failed" } else { "completed" }.to_owned();
            row.server.0 = format!("inst_{}", number / 100);
            Row::Task(Box::new(row))
        });
        let batch = Batch { rows: rows.collect(), ..Batch::default() };
        runtime.block_on(journal.append(batch)).expect("written");
    }
    let all = TaskFilter::default;
    let filters = [
        ("list_all", all()),
        ("list_middle", TaskFilter { after: Some("listed_50000".to_owned()), ..all() }),
        ("list_failed", TaskFilter { status: vec!["failed".to_owned(), "cancelled".to_owned()], ..all() }),
        ("list_open", TaskFilter { ended: Some(false), ..all() }),
        (
            "list_of_agent_failed",
            TaskFilter { agent: Some("claude".to_owned()), status: vec!["failed".to_owned()], ..all() },
        ),
        ("list_of_server", TaskFilter { server: Some(segue_journal::InstanceId("inst_3".to_owned())), ..all() }),
    ];
    for (what, filter) in filters {
        report(what, &(0..100).map(|_| timed(|| journal.tasks(&filter, 50)).0).collect::<Vec<_>>());
    }
}

/// Runs as small flows leave them: three nodes, 16 events.
fn run(number: usize, journal: &dyn Journal) -> RunRow {
    // Hours are spread without order; ids look like those of real Runs.
    let spread = (number * 7_919) % RUNS;
    RunRow {
        id: format!("{:08x}-{:04x}-4000-8000-{number:012x}", spread * 40_503, number % 0xffff),
        workspace: "0123456789abcdef".to_owned(),
        server: journal.instance().clone(),
        flow_id: Some(format!("flow-of-kind-{}", number % 100)),
        task: Some(format!("task_{:012x}", number % 150)),
        flow_hash: format!("{:064x}", number % 300),
        status: if number.is_multiple_of(5_000) { "failed" } else { "succeeded" }.to_owned(),
        ended: true,
        waiting: false,
        started_at: spread as i64 * 3_600_000_000,
        finished_at: Some(spread as i64 * 3_600_000_000 + 5),
        parent: number.is_multiple_of(50).then(|| "parent".to_owned()),
        forked_from: number.is_multiple_of(50).then(|| "draft".to_owned()),
        admission_key: Some(format!("key-{number}")),
        last_seq: 16,
        body: format!("{{\"state\":\"{}\"}}", "y".repeat(600)),
    }
}

fn admission(row: RunRow, events: usize) -> Batch {
    let stream = StreamName::new("run", &row.id);
    let mut created = append(&stream, Authority::Create, 0, (0..events).map(|_| event("run.created")).collect());
    created.release = row.ended;
    Batch { appends: vec![created], rows: vec![Row::Run(Box::new(row))], ..Batch::default() }
}

/// History and admission among few and among many stored Runs, and what a small one takes.
fn runs(folder: &TempDir, runtime: &Runtime) {
    let dir = folder.path().join("runs");
    let journal = open(&OpenOptions::new(&dir)).expect("a journal");
    let stored = |count: usize, from: usize| {
        for first in (from..count).step_by(500) {
            let pending: Vec<_> =
                (first..first + 500).map(|number| journal.append(admission(run(number, &*journal), 16))).collect();
            pending.into_iter().for_each(|pending| drop(runtime.block_on(pending).expect("written")));
        }
    };
    for (count, from) in [(RUNS / 100, 0), (RUNS, RUNS / 100)] {
        stored(count, from);
        histories(&*journal, count);
        let admitted = (0..300).map(|number| {
            let mut row = run(RUNS + from + number, &*journal);
            (row.ended, row.status) = (false, "running".to_owned());
            timed(|| runtime.block_on(journal.append(admission(row, 2))).expect("written")).0
        });
        report(&format!("admit_among_{count}"), &admitted.collect::<Vec<_>>());
        let keys = (0..300).map(|number| timed(|| journal.run_by_key("0123456789abcdef", &format!("key-{number}"))).0);
        report(&format!("run_by_key_among_{count}"), &keys.collect::<Vec<_>>());
    }
    report("transition", &transitions(&*journal, runtime));
    journal.close();
    let bytes = fs::metadata(dir.join("journal.sqlite3")).map_or(0, |file| file.len());
    println!("{{\"what\":\"disk_per_run\",\"events\":16,\"bytes\":{}}}", bytes / RUNS as u64);
}

/// Steps of one Run: two events and the row they change.
fn transitions(journal: &dyn Journal, runtime: &Runtime) -> Vec<Duration> {
    let mut row = run(RUNS * 2, journal);
    (row.ended, row.status) = (false, "running".to_owned());
    let stream = StreamName::new("run", &row.id);
    runtime.block_on(journal.append(admission(row.clone(), 2))).expect("written");
    (1..=300)
        .map(|step| {
            row.last_seq = step * 2 + 2;
            let events = vec![event("result.accepted"), event("node.ready")];
            let batch = Batch {
                appends: vec![append(&stream, Authority::Owner(1), step * 2, events)],
                rows: vec![Row::Run(Box::new(row.clone()))],
                ..Batch::default()
            };
            timed(|| runtime.block_on(journal.append(batch)).expect("written")).0
        })
        .collect()
}

fn histories(journal: &dyn Journal, count: usize) {
    let all = || RunFilter { workspace: "0123456789abcdef".to_owned(), ..RunFilter::default() };
    let flows = |count: usize| (0..count).map(|number| format!("flow-of-kind-{number}")).collect::<Vec<_>>();
    let text = |text: &str| RunFilter { text: Some(text.to_owned()), ..all() };
    let failed = || vec!["failed".to_owned(), "cancelled".to_owned()];
    let half = Some((count as i64 / 2 * 3_600_000_000, String::new()));
    let filters = [
        ("runs_all", all()),
        ("runs_middle", RunFilter { before: half, ..all() }),
        ("runs_of_flow", RunFilter { flow_ids: flows(1), ..all() }),
        ("runs_of_32_flows", RunFilter { flow_ids: flows(32), ..all() }),
        ("runs_failed", RunFilter { status: failed(), ..all() }),
        ("runs_of_flow_failed", RunFilter { flow_ids: flows(1), status: failed(), ..all() }),
        ("runs_open", RunFilter { ended: Some(false), ..all() }),
        (
            "runs_of_hash",
            RunFilter {
                task: Some(format!("task_{:012x}", 7)),
                flow_hash: Some(format!("{:064x}", 7)),
                ended: Some(true),
                roots_only: true,
                ..all()
            },
        ),
        ("runs_text_common", text("kind-1")),
        ("runs_text_of_id", text("-000000000123")),
        ("runs_text_nowhere", text("nowhere")),
    ];
    for (what, filter) in filters {
        let times: Vec<_> = (0..100).map(|_| timed(|| journal.runs(&filter, 100).expect("readable")).0).collect();
        report(&format!("{what}_among_{count}"), &times);
    }
}

fn starts(options: &OpenOptions) -> Vec<Duration> {
    (0..STARTS)
        .map(|_| {
            let (time, journal) = timed(|| open(options).expect("a journal"));
            journal.close();
            time
        })
        .collect()
}
