use segue_host::{AskedBy, EndRecord, Exit, How, Link, Step, start};

use crate::harness::{Place, Seen, is_alive, until};

/// Starts a script, waits until it says "ready", stops it.
async fn stop_when_ready(place: &Place, script: &str, eof_grace_ms: u64) -> (Seen, EndRecord) {
    let mut spec = place.spec(script);
    spec.config.eof_grace_ms = eof_grace_ms;
    start(spec).await.unwrap();
    let mut link = place.attach().await;
    let mut seen = ready(&mut link).await;
    link.sender.stop(Some("because".to_owned())).await.unwrap();
    let end = seen.the_end(&mut link.receiver).await;
    place.release(link).await;
    (seen, end)
}

async fn ready(link: &mut Link) -> Seen {
    let mut seen = Seen::default();
    seen.until(&mut link.receiver, "its word", |seen| seen.text().contains("ready\n")).await;
    seen
}

fn hows(end: &EndRecord) -> Vec<(&str, How, bool)> {
    let mut hows: Vec<_> = end
        .stop_receipt
        .processes
        .iter()
        .map(|process| (process.name.as_str(), process.how, process.in_group))
        .collect();
    hows.sort_by_key(|(name, ..)| *name);
    hows
}

fn steps(end: &EndRecord) -> Vec<Step> {
    end.stop_receipt.steps.iter().map(|taken| taken.step).collect()
}

#[tokio::test]
async fn one_that_goes_at_the_end_of_its_input_is_not_signalled() {
    let place = Place::new();
    let (_, end) = stop_when_ready(&place, "echo ready; while read x; do :; done; exit 5", 5_000).await;
    assert_eq!(end.exit, Exit::Code(5));
    assert_eq!(hows(&end), [("sh", How::StdinClosed, true)]);
    assert_eq!(steps(&end), [Step::StdinClosed]);
    let receipt = end.stop_receipt;
    assert_eq!(
        (receipt.asked_by, receipt.reason.as_deref(), receipt.tree_empty),
        (AskedBy::Client, Some("because"), true)
    );
    assert_eq!((receipt.unconfirmed, receipt.escaped), (None, vec![]));
}

#[tokio::test]
async fn one_that_ignores_sigterm_is_killed() {
    let place = Place::new();
    let (_, end) = stop_when_ready(&place, "trap '' TERM; echo ready; while :; do sleep 0.1; done", 100).await;
    assert_eq!((&end.exit, end.stop_receipt.tree_empty), (&Exit::Signal(9), true));
    assert_eq!(
        steps(&end),
        [Step::StdinClosed, Step::LeaderTerm, Step::LeaderKill, Step::GroupTerm]
            .into_iter()
            .take(steps(&end).len())
            .collect::<Vec<_>>()
    );
    assert!(end.stop_receipt.processes.iter().any(|process| process.name == "sh" && process.how == How::Sigkill));
}

#[tokio::test]
async fn what_left_the_group_is_found_and_ended() {
    let place = Place::new();
    // One in a session of its own, one daemon whose parents are gone, each ignoring nothing; one with a bare environment.
    let script = "setsid sleep 1000 & (setsid sh -c 'sleep 1001 & exec sleep 1002' &) ; env -i setsid sleep 1003 & sleep 0.2; echo ready; read x; read y";
    let (_, end) = stop_when_ready(&place, script, 300).await;
    assert!(end.stop_receipt.tree_empty, "{end:?}");
    let sleeps: Vec<_> = hows(&end).into_iter().filter(|(name, ..)| *name == "sleep").collect();
    assert_eq!(sleeps, [("sleep", How::Sigterm, false); 4]);
    assert_eq!(steps(&end), [Step::StdinClosed, Step::GroupTerm, Step::RestTerm]);
}

#[tokio::test]
async fn an_escapee_that_ignores_sigterm_is_killed() {
    let place = Place::new();
    let script = "setsid sh -c 'trap \"\" TERM; echo ready; while :; do sleep 0.1; done' & wait";
    let (_, end) = stop_when_ready(&place, script, 100).await;
    assert!(end.stop_receipt.tree_empty);
    assert!(
        end.stop_receipt
            .processes
            .iter()
            .any(|process| process.name == "sh" && process.how == How::Sigkill && !process.in_group),
        "{end:?}"
    );
    assert_eq!(steps(&end).last(), Some(&Step::RestKill));
}

/// The program goes at once, a child holds its pipes and sleeps.
#[tokio::test]
async fn a_finished_program_leaves_no_child_that_holds_its_output() {
    let place = Place::new();
    place.start("sleep 3600 & echo result; exit 4").await;
    let mut link = place.attach().await;
    let mut seen = Seen::default();
    seen.until(&mut link.receiver, "the exit", |seen| seen.exit.is_some()).await;
    let end = seen.the_end(&mut link.receiver).await;
    assert_eq!((seen.text(), &end.exit, end.stop_receipt.asked_by), ("result\n", &Exit::Code(4), AskedBy::SelfExit));
    assert_eq!(hows(&end), [("sh", How::Exited, true), ("sleep", How::Sigterm, true)]);
    assert_eq!(steps(&end), [Step::Drain, Step::GroupTerm]);
    assert!(end.stop_receipt.tree_empty);
    place.release(link).await;
}

#[tokio::test]
async fn what_a_finished_program_left_may_finish_its_output() {
    let place = Place::new();
    place.start("(sleep 0.3; echo late) & echo early; exit 0").await;
    let mut link = place.attach().await;
    let mut seen = Seen::default();
    let end = seen.the_end(&mut link.receiver).await;
    assert_eq!((seen.text(), steps(&end)), ("early\nlate\n", vec![Step::Drain]));
    place.release(link).await;
}

#[tokio::test]
async fn adopted_zombies_are_reaped_while_the_program_runs() {
    let place = Place::new();
    let started = place.start("i=0; while [ $i -lt 20 ]; do (true & ) ; i=$((i+1)); done; echo ready; read x").await;
    let mut link = place.attach().await;
    let mut seen = ready(&mut link).await;
    let host = started.identity.host.pid;
    let children = || std::fs::read_to_string(format!("/proc/{host}/task/{host}/children")).unwrap();
    until("only the program is left", || children().trim() == started.identity.program.pid.to_string()).await;
    link.sender.stop(None).await.unwrap();
    seen.the_end(&mut link.receiver).await;
    place.release(link).await;
}

#[tokio::test]
async fn a_leader_that_died_alone_does_not_save_its_children() {
    let place = Place::new();
    let started = place.start("sleep 3600 & echo ready; wait").await;
    let mut link = place.attach().await;
    let mut seen = ready(&mut link).await;
    let pid = rustix::process::Pid::from_raw(started.identity.program.pid).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    let end = seen.the_end(&mut link.receiver).await;
    assert_eq!((&end.exit, end.stop_receipt.tree_empty), (&Exit::Signal(9), true));
    place.release(link).await;
}

#[tokio::test]
async fn a_stopped_program_is_not_a_dead_one_and_can_be_ended() {
    let place = Place::new();
    let started = place.start("echo ready; while read x; do echo $x; done").await;
    let mut link = place.attach().await;
    let mut seen = ready(&mut link).await;
    let pid = rustix::process::Pid::from_raw(started.identity.program.pid).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::STOP).unwrap();
    link.sender.send_line(1, bytes::Bytes::from_static(b"hello\n")).await.unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::CONT).unwrap();
    seen.until(&mut link.receiver, "the answer", |seen| seen.text().ends_with("hello\n")).await;
    rustix::process::kill_process(pid, rustix::process::Signal::STOP).unwrap();
    link.sender.stop(None).await.unwrap();
    let end = seen.the_end(&mut link.receiver).await;
    assert!(end.stop_receipt.tree_empty);
    assert!(!is_alive(started.identity.program.pid));
    place.release(link).await;
}
