//! `segue app` from nothing to its first answer, with no Run stored and with many; history and admission among them;
//! and what a small Run takes of the disk.

use std::{path::Path, time::Instant};

use segue_journal::{Append, Authority, Batch, EventFilter, NewEvent, OpenOptions, Row, RunRow, StreamName, open};
use serde_json::{Value, json};

use super::{Figure, ms, world};
use crate::{app_server::AppServer, program::Program};

const STORED: usize = 100_000;
/// Copies that are written in one transaction.
const COPIES: usize = 500;
const STARTS: usize = 20;
const ASKED: usize = 100;
/// Small Runs whose place on the disk is measured.
const SMALL: usize = 200;

const START_MS: f64 = 50.0;
const ASKED_MS: f64 = 10.0;
const SMALL_KB: f64 = 20.0;

pub fn measure() -> Vec<Figure> {
    let world = world();
    let task = first_task(&world);
    let mut figures =
        vec![Figure::median("segue app: start to the first answer, no runs", "ms", starts(&world), START_MS)];
    let before = database(&world);
    let mut run = String::new();
    let server = AppServer::start(&world);
    let mut connection = server.connect();
    for _ in 0..SMALL {
        run = small_run(&mut connection, &task);
    }
    assert_eq!(server.stop(rustix::process::Signal::TERM), "exit 0");
    let each = (database(&world) - before) as f64 / SMALL as f64 / 1e3;
    figures.push(Figure {
        what: "disk of a small run",
        unit: "kB",
        seen: each,
        bar: SMALL_KB,
        runs: SMALL,
        worst: each,
    });
    store_copies(&world.state_dir(), &run);
    figures.push(Figure::median("segue app: start to the first answer, 100,000 runs", "ms", starts(&world), START_MS));
    let server = AppServer::start(&world);
    let mut connection = server.connect();
    let (mut history, mut admission) = (Vec::new(), Vec::new());
    for _ in 0..ASKED {
        let begun = Instant::now();
        let (status, found) =
            connection.ask("GET", "/api/v1/run-history?flow_id=multi-agent-writing-compact&limit=100", None);
        history.push(ms(begun.elapsed()));
        assert_eq!((status, found["items"].as_array().map(Vec::len)), (200, Some(100)));
        let begun = Instant::now();
        let (status, admitted) = connection.ask("POST", "/api/v1/runs", Some(&request(&task)));
        admission.push(ms(begun.elapsed()));
        assert_eq!(status, 202, "{admitted}");
        ended(&mut connection, &admitted);
    }
    assert_eq!(server.stop(rustix::process::Signal::TERM), "exit 0");
    figures.push(Figure::median("history over HTTP among 100,000 runs", "ms", history, ASKED_MS));
    figures.push(Figure::median("admission over HTTP among 100,000 runs", "ms", admission, ASKED_MS));
    figures
}

/// From the start of the process to an answer of the status.
fn starts(world: &Program) -> Vec<f64> {
    let start = || {
        let begun = Instant::now();
        let server = AppServer::start(world);
        let (status, _) = server.ask("GET", "/api/v1/system/status", None);
        let taken = ms(begun.elapsed());
        assert_eq!(status, 200);
        assert_eq!(server.stop(rustix::process::Signal::TERM), "exit 0");
        taken
    };
    // The first one makes the state folder, or reads it for the first time.
    (0..=STARTS).map(|_| start()).skip(1).collect()
}

/// A task whose built-in flow has two nodes that only compute.
fn first_task(world: &Program) -> Value {
    let server = AppServer::start(world);
    let task = json!({"title": "T", "goal": "G", "topic": "O", "granularity": "compact"});
    let (status, task) = server.ask("POST", "/api/v1/tasks", Some(&task));
    assert_eq!(status, 201, "{task}");
    assert_eq!(server.stop(rustix::process::Signal::TERM), "exit 0");
    task["task_id"].clone()
}

fn request(task: &Value) -> Value {
    json!({"task_id": task, "executor": "deterministic"})
}

fn small_run(connection: &mut crate::app_server::Connection, task: &Value) -> String {
    let (status, admitted) = connection.ask("POST", "/api/v1/runs", Some(&request(task)));
    assert_eq!(status, 202, "{admitted}");
    ended(connection, &admitted)
}

/// Waits for the end of a Run; its id.
fn ended(connection: &mut crate::app_server::Connection, admitted: &Value) -> String {
    let run = admitted["run_id"].as_str().expect("an id").to_owned();
    while connection.ask("GET", &format!("/api/v1/runs/{run}/outcome"), None).1["finished_at"].is_null() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    run
}

/// Bytes of the database and its log.
fn database(world: &Program) -> u64 {
    let files = std::fs::read_dir(world.state_dir()).into_iter().flatten().flatten();
    files.filter_map(|file| file.metadata().ok()).filter(|file| file.is_file()).map(|file| file.len()).sum()
}

/// Stores copies of a Run that has ended, each older than the one before.
fn store_copies(state: &Path, of: &str) {
    let journal = open(&OpenOptions::new(state)).expect("the journal");
    let row = journal.run(of).expect("a row").expect("it is stored");
    let stream = StreamName::new("run", of);
    let page = journal.events(&stream, 0, 1000, &EventFilter::default()).expect("events").expect("a stream");
    let events: Vec<NewEvent> = page
        .events
        .into_iter()
        .map(|event| NewEvent { kind: event.kind.into(), at: event.at, payload: event.payload })
        .collect();
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let numbers: Vec<usize> = (0..STORED).collect();
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
        runtime.block_on(journal.append(batch)).expect("copies");
    }
    journal.close();
}
