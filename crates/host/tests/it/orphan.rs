use bytes::Bytes;
use segue_host::{AskedBy, EndRecord, Exit, HostState, Offsets, OrphanPlan, SpoolReader, Started, Step, start, state};

use crate::harness::{Place, Seen, until};

/// Asks a question, cancels its turn when told to, and answers the prompt only after its question was answered.
const AGENT: &str = r#"
echo '{"jsonrpc":"2.0","id":"q1","method":"session/request_permission","params":{}}'
while read line; do
  echo "$line" >> heard
  case "$line" in
    *'"outcome":"cancelled"'*) echo '{"jsonrpc":"2.0","id":7,"result":{"stopReason":"cancelled"}}' ;;
  esac
done
exit 0
"#;
const CANCEL: &str = r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}"#;

async fn ended(place: &Place, started: &Started) -> (Seen, EndRecord) {
    until("the host is gone", || place.marked().is_empty()).await;
    let HostState::Ended(end) = state(&place.dir(), Some(&started.identity)).await.unwrap() else {
        panic!("not ended")
    };
    let mut seen = Seen::default();
    for event in SpoolReader::open(&place.dir(), Offsets::default()).unwrap() {
        seen.take(event.unwrap());
    }
    assert_eq!(seen.end.as_ref(), Some(end.as_ref()));
    segue_host::remove(&place.dir()).await.unwrap();
    place.is_clean().await;
    (seen, *end)
}

#[tokio::test]
async fn an_orphan_cancels_its_turn_refuses_the_question_and_goes_in_order() {
    let place = Place::new();
    let started = place.start(AGENT).await;
    let mut link = place.attach().await;
    let plan = OrphanPlan { cancel_line: Some(CANCEL.to_owned()), await_reply_id: Some(7.into()), grace_ms: Some(200) };
    link.sender.orphan_plan(plan).await.unwrap();
    link.sender.send_line(1, Bytes::from_static(b"prompt\n")).await.unwrap();
    Seen::default().until(&mut link.receiver, "the question", |seen| !seen.out.is_empty()).await;
    drop(link);
    let (seen, end) = ended(&place, &started).await;
    let refusal = r#"{"jsonrpc":"2.0","id":"q1","result":{"outcome":{"outcome":"cancelled"}}}"#;
    let heard = std::fs::read_to_string(place.workspace().join("heard")).unwrap();
    assert_eq!(heard, format!("prompt\n{CANCEL}\n{refusal}\n"));
    assert!(seen.text().ends_with("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"stopReason\":\"cancelled\"}}\n"));
    assert_eq!(
        (&end.exit, end.stop_receipt.asked_by, end.stop_receipt.tree_empty),
        (&Exit::Code(0), AskedBy::Orphan, true)
    );
    let steps: Vec<Step> = end.stop_receipt.steps.iter().map(|taken| taken.step).collect();
    assert_eq!(steps, [Step::Cancel, Step::StdinClosed]);
}

#[tokio::test]
async fn an_answered_question_is_not_answered_again() {
    let place = Place::new();
    let started = place.start(AGENT).await;
    let mut link = place.attach().await;
    let mut seen = Seen::default();
    seen.until(&mut link.receiver, "the question", |seen| !seen.out.is_empty()).await;
    link.sender.send_line(1, Bytes::from_static(b"{\"id\":\"q1\",\"result\":{}}\n")).await.unwrap();
    let plan = OrphanPlan { cancel_line: None, await_reply_id: Some(7.into()), grace_ms: Some(0) };
    link.sender.orphan_plan(plan).await.unwrap();
    until("it was heard", || place.workspace().join("heard").exists()).await;
    drop(link);
    let (_, end) = ended(&place, &started).await;
    let heard = std::fs::read_to_string(place.workspace().join("heard")).unwrap();
    assert_eq!(heard, "{\"id\":\"q1\",\"result\":{}}\n");
    assert_eq!(end.stop_receipt.asked_by, AskedBy::Orphan);
}

#[tokio::test]
async fn one_that_nobody_ever_attached_to_ends_after_the_grace() {
    let place = Place::new();
    let mut spec = place.spec("echo alone; cat");
    spec.config.orphan_grace_ms = 150;
    let started = start(spec).await.unwrap();
    let (seen, end) = ended(&place, &started).await;
    assert_eq!((seen.text(), end.stop_receipt.asked_by), ("alone\n", AskedBy::Orphan));
}

#[tokio::test]
async fn a_discarding_host_leaves_nothing() {
    let place = Place::new();
    let mut spec = place.spec("cat");
    spec.config.orphan_grace_ms = 50;
    spec.config.discard_on_orphan = true;
    start(spec).await.unwrap();
    place.is_clean().await;
}

#[tokio::test]
async fn a_kept_program_goes_when_its_idle_clock_runs_out_with_nobody_there() {
    let place = Place::new();
    let started = place.start("cat").await;
    let mut link = place.attach().await;
    link.sender.idle_clock(Some(100)).await.unwrap();
    // While somebody is attached the clock is theirs.
    link.sender.send_line(1, Bytes::from_static(b"still here\n")).await.unwrap();
    let mut seen = Seen::default();
    let two = std::time::Duration::from_millis(200);
    let early = tokio::time::timeout(two, seen.until(&mut link.receiver, "an end", |seen| seen.end.is_some())).await;
    assert!(early.is_err());
    drop(link);
    let (_, end) = ended(&place, &started).await;
    assert_eq!((end.exit, end.stop_receipt.asked_by), (Exit::Code(0), AskedBy::Idle));
}

#[tokio::test]
async fn a_host_that_is_told_to_go_ends_its_tree_first() {
    let place = Place::new();
    let started = place.start("echo up; cat").await;
    let mut link = place.attach().await;
    let mut seen = Seen::default();
    seen.until(&mut link.receiver, "its word", |seen| !seen.out.is_empty()).await;
    let host = rustix::process::Pid::from_raw(started.identity.host.pid).unwrap();
    rustix::process::kill_process(host, rustix::process::Signal::TERM).unwrap();
    let end = seen.the_end(&mut link.receiver).await;
    assert_eq!(
        (end.exit, end.stop_receipt.asked_by, end.stop_receipt.tree_empty),
        (Exit::Code(0), AskedBy::Signal, true)
    );
    place.release(link).await;
}
