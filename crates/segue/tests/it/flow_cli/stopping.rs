//! Runs that are stopped: by Ctrl-C, by another process, and by the death of the command that drove them.

use segue_testkit::program::Program;

use super::{READS, json as read, newest, shell_flow, world};
use crate::{cli::Running, contract::served::wait_for};

/// A flow that goes on until somebody ends it, started and under way.
fn under_way(world: &Program, arguments: &[&str]) -> Running {
    shell_flow(world, "endless", "echo > begun; exec tail -f /dev/null", READS);
    let running = Running::start(world, &[&["run", "endless"], arguments].concat());
    wait_for("the tool to begin", || world.workspace().join("begun").exists());
    running
}

#[test]
fn an_interruption_cancels_the_run_and_ends_its_processes() {
    let world = world();
    let running = under_way(&world, &[]);
    running.signal(rustix::process::Signal::INT);
    let ended = running.finish();
    assert_eq!(ended.ended, "exit 130", "{ended:?}");
    assert_eq!(read(&world.run(["show", &newest(&world), "--json"]))["run"]["status"], "cancelled");
    world.assert_nothing_left();
}

#[test]
fn another_process_cancels() {
    let world = world();
    let running = under_way(&world, &["--json"]);
    let run = newest(&world);
    let cancelled = world.run(["cancel", &run, "--json"]);
    assert_eq!(
        read(&cancelled),
        serde_json::json!({"run_id": run, "accepted": true, "status": "cancelled", "unconfirmed": []})
    );
    let ended = running.finish();
    assert_eq!((ended.ended.as_str(), &read(&ended)["status"]), ("exit 7", &serde_json::json!("cancelled")));
    world.assert_nothing_left();
}

/// The process of the node outlives the command for a while; the same key goes on with it.
#[test]
fn a_killed_command_is_gone_on_with_by_its_key() {
    let world = world();
    shell_flow(
        &world,
        "slow",
        "echo begun >> calls; until [ -e go ]; do sleep 0.05; done; echo '{\"done\":true}'",
        READS,
    );
    let started = Running::start(&world, &["run", "slow", "--key", "k"]);
    wait_for("the tool to begin", || world.workspace().join("calls").exists());
    started.signal(rustix::process::Signal::KILL);
    started.finish();
    let again = Running::start(&world, &["run", "slow", "--key", "k", "--json"]);
    super::file(&world, "go", "");
    let ended = again.finish();
    assert_eq!(
        (ended.ended.as_str(), &read(&ended)["status"]),
        ("exit 0", &serde_json::json!("succeeded")),
        "{ended:?}"
    );
    let calls = std::fs::read_to_string(world.workspace().join("calls")).expect("calls");
    assert_eq!(calls, "begun\n");
    world.assert_nothing_left();
}

/// The command that follows by the key sees the death of the one that drives.
#[test]
fn a_command_that_follows_by_a_key_takes_over_when_the_driver_is_killed() {
    let world = world();
    shell_flow(&world, "slow", "echo begun >> calls; until [ -e go ]; do sleep 0.05; done; echo '{}'", READS);
    let started = Running::start(&world, &["run", "slow", "--key", "k"]);
    wait_for("the tool to begin", || world.workspace().join("calls").exists());
    let said = world.workspace().join("said");
    let again = Running::start_saying(&world, &["run", "slow", "--key", "k"], &said);
    let says = |words: &str| std::fs::read_to_string(&said).unwrap_or_default().contains(words);
    wait_for("the run to be followed", || says("only"));
    started.signal(rustix::process::Signal::KILL);
    started.finish();
    wait_for("it to be taken over", || says("This command goes on with it"));
    super::file(&world, "go", "");
    let ended = again.finish();
    assert_eq!(ended.ended, "exit 0", "{ended:?}");
    assert_eq!(std::fs::read_to_string(world.workspace().join("calls")).expect("calls"), "begun\n");
    world.assert_nothing_left();
}

/// A driver that stands still is named, and does what was asked when it goes on.
#[test]
fn a_cancel_says_who_it_waits_for_and_stays_recorded() {
    let world = world();
    let driver = under_way(&world, &["--json"]);
    let run = newest(&world);
    driver.signal(rustix::process::Signal::STOP);
    let said = world.workspace().join("said");
    let cancel = Running::start_saying(&world, &["cancel", &run], &said);
    let says = |words: &str| std::fs::read_to_string(&said).unwrap_or_default().contains(words);
    let named = format!("the request is recorded; process {} drives the run", driver.pid());
    wait_for("the driver to be named", || says(&named));
    cancel.signal(rustix::process::Signal::INT);
    assert_eq!(cancel.finish().ended, "exit 130");
    assert!(says(&format!("the request stays recorded, and process {} carries it out", driver.pid())));
    driver.signal(rustix::process::Signal::CONT);
    let ended = driver.finish();
    assert_eq!((ended.ended.as_str(), &read(&ended)["status"]), ("exit 7", &serde_json::json!("cancelled")));
    world.assert_nothing_left();
}

/// The driver dies while the request waits: the command that asked does it.
#[test]
fn a_cancel_outlives_the_driver() {
    let world = world();
    let driver = under_way(&world, &[]);
    let run = newest(&world);
    driver.signal(rustix::process::Signal::STOP);
    let said = world.workspace().join("said");
    let cancel = Running::start_saying(&world, &["cancel", &run, "--json"], &said);
    let says = |words: &str| std::fs::read_to_string(&said).unwrap_or_default().contains(words);
    wait_for("the request to wait", || says("the request is recorded"));
    driver.signal(rustix::process::Signal::KILL);
    driver.finish();
    let ended = cancel.finish();
    assert_eq!(
        (ended.ended.as_str(), read(&ended)),
        ("exit 0", serde_json::json!({"run_id": run, "accepted": true, "status": "cancelled", "unconfirmed": []}))
    );
    world.assert_nothing_left();
}
