//! What follows when a tree was not seen empty: a case that no real process brings about at will.

use segue_journal::{EventFilter, Memory, MemoryInstance};
use segue_model::{AgentHandle, TaskId, lease::Bounds, task::Task};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::*;
use crate::{
    Code,
    agent::{Begin, Turn, checkpoint::Answer},
    record::task_stream,
    spawn::refusal_of,
    testing::{begin, changed, shared, shared_with, task},
};

fn session() -> HoldKey {
    HoldKey { agent: "codex".into(), session: "S".into() }
}

/// How a tree ended that something is left of.
fn survived() -> Ended {
    let receipt = StopReceipt {
        unconfirmed: Some("its group still has members after SIGKILL".into()),
        tree_empty: false,
        ..StopReceipt::default()
    };
    let tree = Swept { receipt, left: Vec::new() };
    Ended { exit_code: Some(-9), tree, orphaned: false, idle: false, unrecorded: None, lost: None }
}

/// Kinds and payloads of a task's events, without the facts.
fn events(shared: &Arc<Shared>, id: &TaskId) -> Vec<(String, Value)> {
    let page = shared.journal().events(&task_stream(id), 0, 100, &EventFilter::default()).unwrap().unwrap();
    let event = |event: segue_journal::StoredEvent| {
        let mut payload: Value = serde_json::from_str(&event.payload).unwrap();
        payload.as_object_mut().unwrap().remove("facts");
        (event.kind, payload)
    };
    page.events.into_iter().map(event).collect()
}

fn state(shared: &Arc<Shared>, id: &TaskId) -> Task {
    ledger::state(&shared.journal().task(id.as_str()).unwrap().unwrap()).unwrap()
}

/// The session is still held by whoever had it.
async fn assert_held(shared: &Arc<Shared>, holder: &str) {
    let take = HoldChange::Take { key: session(), holder: "somebody else".into() };
    let refused = shared.journal().append(Batch { holds: vec![take], ..Batch::default() }).await.unwrap_err();
    let refusal = refusal_of(refused);
    assert!(refusal.code == Code::SessionInUse && refusal.message.contains(holder), "{refusal}");
}

#[tokio::test]
async fn a_turn_fails_whatever_else_it_was_and_its_session_stays_held() {
    for cancelled in [false, true] {
        let shared = shared();
        let holder = format!("task {}", TaskId::from_bytes([2; 6]));
        let hold = HoldChange::Take { key: session(), holder: holder.clone() };
        let started = [
            changed(Status::Created, Status::Starting),
            Event::ProcessStarted { pid: 17 },
            changed(Status::Starting, Status::Running),
        ];
        let record = task(&shared, &started, vec![hold]).await;
        let id = record.task.id.clone();
        let mut turn = Turn::new(record, "".into(), shared.add_live(id.clone()), shared.now());
        let answer = Answer { stop_reason: "end_turn".into(), usage: None, meta: None };
        turn.state.answer = Some(answer);
        if cancelled {
            turn.state.stop = Some(StopAsked::Cancel { reason: "cancel_task".into(), actor: None });
        }
        let mut job = AgentJob::build(&shared, Begin { turn: Some(turn), ..begin(&shared) });
        (job.phase, job.ended) = (Phase::Stopping, Some(survived()));
        job.run().await;

        let error = "codex-acp: its group still has members after SIGKILL";
        let mut expected = vec![
            ("error".to_owned(), json!({"message": error})),
            ("process_exited".to_owned(), json!({"exit_code": -9, "stop_reason": "end_turn"})),
            ("status_changed".to_owned(), json!({"from": "running", "to": "failed"})),
        ];
        if cancelled {
            expected.insert(0, ("task_cancelled".to_owned(), json!({"reason": "cancel_task", "actor": null})));
        }
        assert_eq!(events(&shared, &id)[4..], expected);
        assert_eq!(state(&shared, &id).error.as_deref(), Some(error));
        assert_held(&shared, &holder).await;
        assert!(shared.unconfirmed.load(std::sync::atomic::Ordering::Acquire), "the exit status will say so");
    }
}

#[tokio::test]
async fn a_released_agent_is_an_error_of_its_latest_task_and_its_session_stays_held() {
    let shared = shared();
    let handle = AgentHandle::from_bytes([3; 6]);
    let failed = [changed(Status::Created, Status::Starting), changed(Status::Starting, Status::Failed)];
    let record = task(&shared, &failed, vec![]).await;
    let id = record.task.id.clone();
    let bounds = Bounds { keep_idle: 10, keep_turns: 1 };
    let reserved =
        lease::Reserved { task: id.clone(), agent: "codex".into(), workspace: "/".into(), options: json!({}), bounds };
    let now = shared.now();
    let mut lease = LeaseRecord::create(handle.clone(), reserved, shared.instance(), now);
    let kept =
        lease::Event::LeaseKept { session_id: "S".into(), expires_at: now.plus_seconds(10), turns_left: 1, bounds };
    for event in [kept, lease::Event::LeaseEnding { reason: Reason::Released }] {
        lease.push(&event, now).unwrap();
    }
    let (append, row) = lease.take();
    let hold = HoldChange::Take { key: session(), holder: lease_holder(&handle) };
    let batch = Batch { appends: vec![append], rows: vec![row], holds: vec![hold], ..Batch::default() };
    let committed = shared.journal().append(batch).await.unwrap();
    lease.written(committed.last[0]);
    let mut job = AgentJob::build(&shared, Begin { lease: Some(lease), ..begin(&shared) });
    let (reply, answer) = oneshot::channel();
    job.releases.push(reply);
    (job.phase, job.ended) = (Phase::Stopping, Some(survived()));
    job.run().await;

    let refusal = answer.await.unwrap().unwrap_err();
    assert_eq!(refusal.code, Code::InvalidRequest);
    for named in
        [handle.as_str(), "still has members after SIGKILL", "session stays held until they are seen to be gone"]
    {
        assert!(refusal.message.contains(named), "{refusal}");
    }
    let last = events(&shared, &id).pop().unwrap();
    let message = "the kept agent was ended, but its group still has members after SIGKILL";
    assert_eq!(last, ("error".to_owned(), json!({"message": message})));
    let (lease, _) = ledger::lease(&shared, handle.as_str()).await.unwrap().unwrap();
    assert_eq!(lease.state, lease::State::Ended { reason: Reason::Released });
    assert_held(&shared, &lease_holder(&handle)).await;
    assert!(shared.unconfirmed.load(std::sync::atomic::Ordering::Acquire));
}

/// A process that was seen to outlive its end.
struct Survivor(std::process::Child);

impl Survivor {
    fn new() -> Self {
        Self(std::process::Command::new("sleep").arg("1000").spawn().unwrap())
    }

    fn id(&self) -> ProcessId {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.0.id())).unwrap();
        let after_name = stat.rsplit_once(')').unwrap().1;
        let start_ticks = after_name.split_ascii_whitespace().nth(19).unwrap().parse().unwrap();
        ProcessId { pid: self.0.id().cast_signed(), start_ticks }
    }

    fn end(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Survivor {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A task that ended while this process of its tree lived; its id.
async fn leave(shared: &Arc<Shared>, survivor: ProcessId) -> TaskId {
    let holder = format!("task {}", TaskId::from_bytes([2; 6]));
    let started = [
        changed(Status::Created, Status::Starting),
        Event::ProcessStarted { pid: 17 },
        changed(Status::Starting, Status::Running),
    ];
    let record = task(shared, &started, vec![HoldChange::Take { key: session(), holder }]).await;
    let id = record.task.id.clone();
    let turn = Turn::new(record, "".into(), shared.add_live(id.clone()), shared.now());
    let mut job = AgentJob::build(shared, Begin { turn: Some(turn), ..begin(shared) });
    let mut ended = survived();
    ended.tree.left = vec![survivor];
    (job.phase, job.ended) = (Phase::Stopping, Some(ended));
    job.run().await;
    id
}

fn is_free(shared: &Arc<Shared>) -> bool {
    shared.journal().holder(&session()).unwrap().is_none()
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_session_is_held_as_long_as_a_process_is_left_and_no_longer() {
    let shared = shared();
    let mut survivor = Survivor::new();
    let id = leave(&shared, survivor.id()).await;
    assert!(!remnants::free(&shared, &session()).await);
    assert_held(&shared, id.as_str()).await;
    let held = || AppendError::Held { key: session(), holder: format!("task {id}") };
    let told = remnants::refusal_of(&shared, held()).await.message;
    let (pid, why) = (survivor.id().pid, "which has ended while processes of its agent lived on");
    assert_eq!(
        told,
        format!("session S of codex is in use by task {id}, {why} (seen last: {pid}); it is free once they are gone")
    );
    survivor.end();
    assert!(remnants::free(&shared, &session()).await);
    assert!(is_free(&shared));
    assert_eq!(shared.journal().hosts(), Ok(vec![]));
    assert!(!remnants::free(&shared, &session()).await, "there is nothing to free");
    let told = remnants::refusal_of(&shared, held()).await.message;
    assert_eq!(told, format!("session S of codex is in use by task {id}"));
}

/// Nobody asks for the session: the look that comes by itself frees it, also in a server that never had the task.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_a_dead_server_left_is_looked_after_by_another() {
    let memory = Memory::new();
    let first: Arc<MemoryInstance> = memory.open_instance();
    let mut survivor = Survivor::new();
    leave(&shared_with(first.clone()), survivor.id()).await;
    let next = shared_with(memory.open_instance());
    let rows = next.journal().hosts().unwrap();
    survivor.end();
    // Its server lives and looks after it.
    remnants::look_after(&next, &rows);
    assert!(!remnants::free(&next, &session()).await);
    first.lose_lock();
    let mut changes = next.journal().changes();
    changes.mark_unchanged();
    remnants::look_after(&next, &rows);
    while !is_free(&next) {
        changes.changed().await.unwrap();
    }
    assert_eq!(next.journal().hosts(), Ok(vec![]));
}
