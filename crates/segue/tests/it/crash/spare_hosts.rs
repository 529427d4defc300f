//! The host that is made ready for the next program of a Run: whatever ends its server, it ends as well, and the Run
//! goes on as if there had been none.

use rustix::process::Signal;
use segue_testkit::app_server::AppServer;

use super::{
    flow_scene::{Before, FlowScene},
    scene::{is_alive, kill, wait_for},
};

/// The first node is held, and the host of a later one is ready.
fn ready(flow: &FlowScene) -> (AppServer, String, i32) {
    flow.hold("read", Before::Effect);
    let app = flow.start();
    let run = flow.admit(&app);
    flow.wait_held("read", Before::Effect);
    wait_for("a host to be ready", || spares(flow).len() == 1);
    let spare = spares(flow)[0];
    (app, run, spare)
}

/// Hosts that were started before they are needed and wait, or were told since.
fn spares(flow: &FlowScene) -> Vec<i32> {
    flow.scene.processes(|command| command == "segue host --ready")
}

#[test]
fn a_host_that_is_ready_goes_when_its_server_is_killed_and_the_run_goes_on() {
    let flow = FlowScene::new();
    let (app, run, spare) = ready(&flow);
    app.kill();
    wait_for("it to go by itself", || !is_alive(spare));
    assert_eq!(flow.scene.hosts().len(), 1, "the host of the node that is held");
    let app = flow.start();
    flow.let_go("read", Before::Effect);
    flow.assert_undisturbed(&app, &run, "killed with a host ready");
    assert_eq!(app.stop(Signal::TERM), "exit 0");
    flow.scene.assert_nothing_left();
}

#[test]
fn a_host_that_is_ready_goes_when_its_server_is_stopped() {
    let flow = FlowScene::new();
    let (app, _, spare) = ready(&flow);
    assert_eq!(app.stop(Signal::TERM), "exit 0");
    wait_for("it to be gone", || !is_alive(spare));
    flow.scene.assert_nothing_left();
}

#[test]
fn a_host_that_is_ready_and_killed_is_not_missed() {
    let flow = FlowScene::new();
    let (app, run, spare) = ready(&flow);
    kill(spare);
    flow.let_go("read", Before::Effect);
    flow.assert_undisturbed(&app, &run, "with the ready host killed");
    wait_for("no host to be kept for a run that is over", || flow.scene.hosts().is_empty());
    assert_eq!(app.stop(Signal::TERM), "exit 0");
    flow.scene.assert_nothing_left();
}

/// A program under a host that was ready is taken over as any other.
#[test]
fn a_program_of_a_host_that_was_ready_outlives_its_server() {
    let flow = FlowScene::new();
    let (app, run, spare) = ready(&flow);
    for node in ["draft", "write"] {
        flow.hold(node, Before::End);
    }
    flow.let_go("read", Before::Effect);
    for node in ["draft", "write"] {
        flow.wait_held(node, Before::End);
    }
    app.kill();
    assert!(is_alive(spare), "it has a program now");
    wait_for("the next one that was ready to go", || spares(&flow) == [spare]);
    let app = flow.start();
    for node in ["draft", "write"] {
        flow.let_go(node, Before::End);
    }
    flow.assert_undisturbed(&app, &run, "with a program under a host that was ready");
    assert_eq!(app.stop(Signal::TERM), "exit 0");
    flow.scene.assert_nothing_left();
}
