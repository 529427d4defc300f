//! Flows on the command line, against the real program with real child processes.

mod app;
mod browser;
mod catalogue;
mod demo;
mod documents;
mod examples;
mod fixed;
mod letting_go;
mod running;
mod schedules;
mod stopping;

use std::fs;

use segue_testkit::program::{Finished, Program};
use serde_json::Value;

use crate::contract::served;

/// A world whose workspace has the examples of the repository.
fn world() -> Program {
    let world = served::world();
    crate::examples::furnish(&world);
    world
}

/// A world with the capabilities and flows of the examples saved.
fn furnished() -> Program {
    let world = world();
    for name in ["draft", "gate", "finish"] {
        text(&world.run(["capability", "add", &format!("examples/notes/capabilities/{name}.yaml")]));
    }
    for name in ["gated-note", "approved-note"] {
        text(&world.run(["flow", "save", &format!("examples/notes/{name}.yaml")]));
    }
    world
}

/// Writes a file into the workspace and gives its name back.
fn file<'n>(world: &Program, name: &'n str, content: &str) -> &'n str {
    fs::write(world.workspace().join(name), content).expect("a file");
    name
}

/// A saved flow of one tool that runs this shell script; it may do what `effects` say.
fn shell_flow(world: &Program, id: &str, script: &str, effects: &str) {
    let capability = format!(
        r#"{{"kind":"cli","id":"tool.{id}","name":"{id}","effects":{effects},
            "config":{{"executable":"sh","args":["-c",{}]}}}}"#,
        Value::from(script)
    );
    text(&world.run(["capability", "add", file(world, "capability.json", &capability)]));
    let flow = format!(
        r#"{{"schema_version":1,"id":"{id}","name":"{id}",
            "steps":[{{"id":"only","type":"tool.task","params":{{"capability_id":"tool.{id}"}}}}]}}"#
    );
    text(&world.run(["flow", "save", file(world, "flow.json", &flow)]));
}

const READS: &str = r#"["execute_process","read_local"]"#;

/// What a command printed that succeeded.
#[track_caller]
fn text(run: &Finished) -> String {
    assert_eq!(run.ended, "exit 0", "{run:?}");
    run.stdout.trim_end().to_owned()
}

/// The JSON that a command printed, whatever its status was.
#[track_caller]
fn json(run: &Finished) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error} in {run:?}"))
}

/// The newest Run's id.
#[track_caller]
fn newest(world: &Program) -> String {
    let runs = json(&world.run(["runs", "--limit", "1", "--json"]));
    runs["runs"][0]["run_id"].as_str().unwrap_or_else(|| panic!("no run in {runs}")).to_owned()
}
