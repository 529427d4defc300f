//! Attempts that are called again after the process that called them died, at each stage of a call.

use std::{future::Future, os::unix::fs::PermissionsExt, time::Duration};

use segue_flow::executors::{Call, Start, execute};
use segue_host::{HostConfig, HostSpec, HostState, Link, Offsets};
use segue_model::{
    flow::{NodeKind, json::object},
    run::{Outcome, attempt::Loss},
};

use super::harness::{LONG, World, failed, is_failure, kill, output, shell, until, until_file};

const WAITS: &str = "cat > input; touch ready; while [ ! -e go ]; do sleep 0.02; done; cat input";

fn go(world: &World) {
    std::fs::write(world.workspace().join("go"), "").unwrap();
}

fn call(world: &World, script: &str) -> Call {
    world.call(NodeKind::Tool, "tool", &shell(script), object([("n", 7_i64.into())]))
}

fn again(call: &Call) -> Call {
    Call { start: Start::Again, ..call.clone() }
}

/// Calls, and dies when `dies` comes true.
async fn dies_when(world: &World, call: &Call, dies: impl Future<Output = ()>) {
    tokio::select! {
        outcome = execute(call, world) => panic!("it was not to come to an outcome: {outcome:?}"),
        () = dies => {}
    }
}

async fn host_is(world: &World, call: &Call, what: &str, wanted: impl Fn(&HostState) -> bool) {
    let dir = world.host_folder(call.host.as_ref().unwrap());
    let began = std::time::Instant::now();
    while !wanted(&segue_host::state(&dir, None).await.unwrap()) {
        assert!(began.elapsed() < LONG, "waited in vain until the host is {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[track_caller]
fn is_done(call: &Call, outcome: Outcome) {
    let expected = object([
        ("run_id", call.run_id.as_str().into()),
        ("node_id", "tool".into()),
        ("instruction", "Do it".into()),
        ("context", object([("n", 7_i64.into())]).into()),
    ]);
    let output = output(outcome);
    assert_eq!(expected.keys().map(|key| (key, &output[key])).collect::<Object2>(), expected.iter().collect());
}

type Object2<'a> = std::collections::BTreeMap<&'a String, &'a segue_model::flow::Json>;

#[tokio::test]
async fn a_living_program_is_gone_on_with() {
    let world = World::new();
    let call = call(&world, WAITS);
    dies_when(&world, &call, until_file(&world.workspace().join("ready"))).await;
    let release = async {
        host_is(&world, &call, "alive", |state| *state == HostState::Alive).await;
        go(&world);
    };
    let again = again(&call);
    let (outcome, ()) = tokio::join!(world.run(&again), release);
    is_done(&call, outcome);
    world.is_clean().await;
}

#[tokio::test]
async fn a_program_that_was_told_nothing_yet_is_told_all() {
    let world = World::new();
    let call = call(&world, "cat");
    start_alone(&world, &call, "cat").await;
    is_done(&call, world.run(&again(&call)).await);
    world.is_clean().await;
}

/// The process died between the start of the host and its first word to it.
async fn start_alone(world: &World, call: &Call, script: &str) {
    use segue_flow::executors::Surroundings;
    let host = call.host.clone().unwrap();
    segue_host::start(HostSpec {
        dir: world.host_folder(&host),
        host_id: host,
        exe: world.exe(),
        program: "/bin/sh".into(),
        args: vec!["-c".into(), script.into()],
        env: world.environment(),
        cwd: world.workspace(),
        config: HostConfig { count_only_stderr: true, json_rpc: false, ..HostConfig::default() },
    })
    .await
    .unwrap();
}

#[tokio::test]
async fn a_program_whose_input_was_not_closed_is_closed() {
    let world = World::new();
    let call = call(&world, "cat");
    start_alone(&world, &call, "cat").await;
    let dir = world.host_folder(call.host.as_ref().unwrap());
    let link = Link::attach(&dir, Offsets::default()).await.unwrap();
    let request = segue_flow::executors::request::Request::of(&call);
    link.sender.send_line(1, segue_flow::executors::cli::request_of(request).into()).await.unwrap();
    let delivered = || link.sender.delivered() == 1;
    until("the input was delivered", delivered).await;
    drop(link);
    is_done(&call, world.run(&again(&call)).await);
    world.is_clean().await;
}

#[tokio::test]
async fn the_result_of_a_program_that_finished_meanwhile_is_taken() {
    let world = World::new();
    let call = call(&world, WAITS);
    dies_when(&world, &call, until_file(&world.workspace().join("ready"))).await;
    go(&world);
    host_is(&world, &call, "ended", |state| matches!(state, HostState::Ended(_))).await;
    is_done(&call, world.run(&again(&call)).await);
    world.is_clean().await;
}

#[tokio::test]
async fn an_outcome_that_was_not_recorded_is_found_again_however_often() {
    let world = World::new();
    let call = call(&world, "cat");
    for start in [Start::First, Start::Again, Start::Again] {
        let attempt = Call { start, ..call.clone() };
        is_done(&call, execute(&attempt, &world).await);
        // Dies here: the host is not let go.
        world.partings.lock().unwrap().clear();
        host_is(&world, &call, "ended", |state| matches!(state, HostState::Ended(_))).await;
    }
    is_done(&call, world.run(&again(&call)).await);
    world.is_clean().await;
}

#[tokio::test]
async fn a_failure_is_found_again_as_well() {
    let world = World::new();
    let call = call(&world, "echo x >&2; exit 4");
    let message = "sh exited with status 4 and wrote 2 bytes to stderr";
    for start in [Start::First, Start::Again] {
        let attempt = Call { start, ..call.clone() };
        is_failure(execute(&attempt, &world).await, Some("exit"), "ProcessExit", message);
        world.partings.lock().unwrap().clear();
        host_is(&world, &call, "ended", |state| matches!(state, HostState::Ended(_))).await;
    }
    is_failure(world.run(&again(&call)).await, Some("exit"), "ProcessExit", message);
    world.is_clean().await;
}

#[tokio::test]
async fn a_timeout_that_was_not_recorded_is_found_again() {
    let world = World::new();
    let mut call = call(&world, "sleep 1000");
    call.timeout = Duration::from_millis(300);
    assert_eq!(failed(execute(&call, &world).await).1, "Timeout");
    world.partings.lock().unwrap().clear();
    host_is(&world, &call, "ended", |state| matches!(state, HostState::Ended(_))).await;
    assert_eq!(failed(world.run(&again(&call)).await).1, "Timeout");
    world.is_clean().await;
}

#[tokio::test]
async fn what_was_killed_with_its_host_is_lost_and_swept() {
    let world = World::new();
    let call = call(&world, "touch ready; setsid sleep 1000 & sleep 1000");
    dies_when(&world, &call, until_file(&world.workspace().join("ready"))).await;
    kill(world.host_pid(call.host.as_ref().unwrap()));
    assert_eq!(world.run(&again(&call)).await, Outcome::Lost(Loss::Crash));
    world.is_clean().await;
}

#[tokio::test]
async fn a_host_that_never_started_is_lost() {
    let world = World::new();
    assert_eq!(world.run(&again(&call(&world, "cat"))).await, Outcome::Lost(Loss::Crash));
}

/// A host that is killed between the start of its program and its report: what its program did, nobody saw.
#[tokio::test]
async fn what_was_started_by_a_host_that_never_reported_is_lost() {
    let mut world = World::new();
    world.exe = world.path("a-host");
    std::fs::write(&world.exe, "#!/bin/sh\n: > \"$3/spool.0\"\nkill -9 $$\n").unwrap();
    std::fs::set_permissions(&world.exe, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(world.run(&call(&world, "cat")).await, Outcome::Lost(Loss::Crash));
    world.is_clean().await;
}

#[tokio::test]
async fn what_its_host_ended_because_nobody_came_back_is_lost() {
    let mut world = World::new();
    world.grace = Duration::from_millis(100);
    let call = call(&world, "touch ready; sleep 1000");
    dies_when(&world, &call, until_file(&world.workspace().join("ready"))).await;
    host_is(&world, &call, "ended", |state| matches!(state, HostState::Ended(_))).await;
    assert_eq!(world.run(&again(&call)).await, Outcome::Lost(Loss::Crash));
    world.is_clean().await;
}

#[tokio::test]
async fn a_runaway_whose_server_died_fills_no_disk() {
    let mut world = World::new();
    world.grace = LONG;
    let call = call(&world, "touch ready; exec yes");
    dies_when(&world, &call, until_file(&world.workspace().join("ready"))).await;
    let folder = world.host_folder(call.host.as_ref().unwrap());
    let spooled = || {
        let files = std::fs::read_dir(&folder).unwrap().flatten();
        files.filter_map(|file| file.metadata().ok()).map(|meta| meta.len()).sum::<u64>()
    };
    until("the spool is full", || spooled() > 4_000_000).await;
    assert!(spooled() < 8_000_000, "{}", spooled());
    assert_eq!(failed(world.run(&again(&call)).await).1, "OutputTooLarge");
    world.is_clean().await;
}

#[tokio::test]
async fn a_stop_reaches_what_is_gone_on_with() {
    let world = World::new();
    let call = call(&world, "touch ready; sleep 1000");
    dies_when(&world, &call, until_file(&world.workspace().join("ready"))).await;
    call.stop.cancel();
    assert_eq!(world.run(&again(&call)).await, Outcome::Aborted);
    world.is_clean().await;
}
