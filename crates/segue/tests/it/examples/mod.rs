//! The starter flows of the repository, and the pages that explain them, against the real program.

mod action_items;
mod document_digest;
mod email_triage;
pub mod implement_and_review;
mod kinds;
mod link_check;
mod pages;
mod transcript;

use std::{
    fs,
    path::{Path, PathBuf},
};

use segue_testkit::program::{Finished, Program};
use serde_json::Value;

/// Copies of these are in the workspace: examples are started from the repository's folder.
const FOLDERS: [&str; 2] = ["docs", "examples"];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Puts the examples, and the documentation that some of them work on, into the world's workspace.
pub fn furnish(world: &Program) {
    for folder in FOLDERS {
        copy(&repository().join(folder), &world.workspace().join(folder));
    }
    fs::copy(repository().join("README.md"), world.workspace().join("README.md")).expect("a copy");
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let copied = to.join(entry.file_name());
        match entry.file_type().expect("a kind") {
            kind if kind.is_dir() => copy(&entry.path(), &copied),
            _ => drop(fs::copy(entry.path(), copied).expect("a copy")),
        }
    }
}

/// A world in which a shell is run that finds `segue` on its PATH, as a reader of the pages has it.
pub fn world() -> Program {
    let world = Program::with_binary("/bin/sh");
    world.install("segue", Path::new(env!("CARGO_BIN_EXE_segue")));
    furnish(&world);
    world
}

/// Runs one line of shell.
fn shell(world: &Program, line: &str) -> Finished {
    world.run(["-c", line])
}

/// The JSON that a line of shell prints, with the exit status that it has.
#[track_caller]
fn json(world: &Program, line: &str, ended: &str) -> Value {
    let run = shell(world, line);
    assert_eq!(run.ended, ended, "{run:?}");
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error} in {run:?}"))
}

/// The text that a line of shell prints that succeeds.
#[track_caller]
fn text(world: &Program, line: &str) -> String {
    let run = shell(world, line);
    assert_eq!(run.ended, "exit 0", "{line}: {run:?}");
    run.stdout
}

/// The capabilities and the flow of one folder, saved.
pub fn save(world: &Program, example: &str, capabilities: &[&str]) {
    for folder in capabilities {
        let line =
            format!("for file in examples/{example}/{folder}/*.yaml; do segue capability add $file || exit; done");
        text(world, &line);
    }
    text(world, &format!("segue flow save examples/{example}/flow.yaml"));
}

/// The evidence of the newest Run.
#[track_caller]
pub fn newest(world: &Program) -> Value {
    let runs = json(world, "segue runs --limit 1 --json", "exit 0");
    let run = runs["runs"][0]["run_id"].as_str().unwrap_or_else(|| panic!("no run in {runs}"));
    json(world, &format!("segue show {run} --json"), "exit 0")
}

/// What a file of the workspace holds.
pub fn file(world: &Program, name: &str) -> String {
    fs::read_to_string(world.workspace().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// What of the evidence is a node's.
#[track_caller]
pub fn node<'e>(evidence: &'e Value, id: &str) -> &'e Value {
    let nodes = evidence["nodes"].as_array().expect("nodes");
    nodes.iter().find(|node| node["node_id"] == id).unwrap_or_else(|| panic!("no node {id}"))
}

/// The payloads of the events of one type, in order.
pub fn payloads<'e>(evidence: &'e Value, kind: &str) -> Vec<&'e Value> {
    let events = evidence["events"].as_array().expect("events");
    events.iter().filter(|event| event["event_type"] == kind).map(|event| &event["payload"]).collect()
}
