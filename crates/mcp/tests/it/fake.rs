//! A stand-in for the channel that writes down what it is asked and answers from a shelf.

use std::sync::{Arc, Mutex};

use segue_channel::{
    Caller, Refusal,
    api::{
        Choice, Deleted, Description, EventView, Events, EventsQuery, Extended, LeaseView, List, Listed, Live,
        Released, Resolve, Session, Sessions, Spawn, TaskView, WaitReason, Waited,
    },
};
use segue_mcp::{Dispatch, Reply};
use segue_model::{
    AgentHandle, TaskId, Timestamp, lease,
    task::{
        Created, Event, Facts, SettingInForce, Status, StopReceipt, StoppedProcess, Task, Usage, Verdict,
        because::Because, permission::Decision,
    },
};
use serde_json::{Map, Value, json};
use tokio::sync::Notify;

pub const TASK: &str = "task_000000000001";
pub const HANDLE: &str = "agent_000000000002";

#[derive(Default)]
pub struct Fake {
    pub nested: bool,
    pub recorded: Mutex<Vec<String>>,
    /// Every call is refused with this.
    pub refusal: Mutex<Option<Refusal>>,
    /// Who called `spawn_task`, and told when somebody does.
    pub callers: Mutex<Vec<Caller>>,
    pub spawned: Notify,
    /// Told when a wait begins and when one is dropped.
    pub wait_began: Notify,
    pub wait_dropped: Arc<Notify>,
    /// Lets one wait end.
    pub wait_over: Notify,
}

impl Fake {
    pub fn new() -> Arc<Self> {
        Arc::new(Self::default())
    }

    /// What was asked since the last look.
    pub fn calls(&self) -> Vec<String> {
        std::mem::take(&mut *self.recorded.lock().unwrap())
    }

    fn answer<'a, T: Send + 'a>(&'a self, call: String, value: T) -> Reply<'a, T> {
        self.recorded.lock().unwrap().push(call);
        let refusal = self.refusal.lock().unwrap().clone();
        Box::pin(async move { refusal.map_or(Ok(value), Err) })
    }
}

/// Tells of being dropped unless it was used up.
struct Dropped(Option<Arc<Notify>>);

impl Drop for Dropped {
    fn drop(&mut self) {
        if let Some(notify) = self.0.take() {
            notify.notify_one();
        }
    }
}

impl Dispatch for Fake {
    fn agents(&self) -> Vec<String> {
        vec!["claude_code".to_owned(), "codex".to_owned()]
    }

    fn nested(&self) -> bool {
        self.nested
    }

    fn describe_agent<'a>(&'a self, agent: &'a str, workspace: Option<&'a str>) -> Reply<'a, Description> {
        let pins = |mode: &str| Map::from_iter([("mode".to_owned(), json!(mode))]);
        let description = Description {
            agent: agent.to_owned(),
            model: Some(Choice {
                current: Some("large".to_owned()),
                values: vec!["large".to_owned(), "small".to_owned()],
            }),
            effort: None,
            delivery: Map::from_iter([("model".to_owned(), json!("session_setting"))]),
            pins: pins("default"),
            pins_with_edit: pins("edit"),
            agent_name: Some("Agent".to_owned()),
            agent_version: None,
        };
        self.answer(format!("describe_agent {agent:?} {workspace:?}"), description)
    }

    fn list_sessions<'a>(
        &'a self,
        agent: &'a str,
        workspace: Option<&'a str>,
        cursor: Option<String>,
    ) -> Reply<'a, Sessions> {
        let session = |title: Option<&str>| Session {
            session_id: "s1".to_owned(),
            cwd: "/w".to_owned(),
            title: title.map(str::to_owned),
            updated_at: None,
            additional_directories: title.map(|_| vec!["/x".to_owned()]),
        };
        let sessions = Sessions {
            agent: agent.to_owned(),
            workspace: "/w".to_owned(),
            sessions: vec![session(Some("Größe")), session(None)],
            next_cursor: None,
        };
        self.answer(format!("list_sessions {agent:?} {workspace:?} {cursor:?}"), sessions)
    }

    fn delete_session<'a>(
        &'a self,
        agent: &'a str,
        session_id: &'a str,
        workspace: Option<&'a str>,
    ) -> Reply<'a, Deleted> {
        let deleted =
            Deleted { agent: agent.to_owned(), workspace: "/w".to_owned(), session_id: session_id.to_owned() };
        self.answer(format!("delete_session {agent:?} {session_id:?} {workspace:?}"), deleted)
    }

    fn spawn_task(&self, spawn: Spawn, caller: Caller) -> Reply<'_, TaskView> {
        self.callers.lock().unwrap().push(caller);
        self.spawned.notify_one();
        let mut view = running();
        view.notify_path = Some("/run/segue/task_000000000001".into());
        self.answer(format!("{spawn:?}"), view)
    }

    fn get_task<'a>(&'a self, task_id: &'a str) -> Reply<'a, TaskView> {
        let view = if task_id == TASK { finished() } else { running() };
        self.answer(format!("get_task {task_id:?}"), view)
    }

    fn prompt<'a>(&'a self, task_id: &'a str) -> Reply<'a, String> {
        self.answer(format!("prompt {task_id:?}"), "do it".to_owned())
    }

    fn get_events(&self, query: EventsQuery) -> Reply<'_, Events> {
        let events = Events {
            task_id: query.task_id.clone(),
            status: Status::Running,
            cursor: 2,
            has_more: true,
            events: vec![EventView {
                seq: 2,
                at: Timestamp(1_500_000),
                kind: "agent_message".to_owned(),
                payload: json!({"text": "hi"}),
            }],
        };
        self.answer(format!("{query:?}"), events)
    }

    fn wait_tasks<'a>(&'a self, task_ids: &'a [String], seconds: f64) -> Reply<'a, Waited> {
        self.recorded.lock().unwrap().push(format!("wait_tasks {task_ids:?} {seconds:?}"));
        if seconds == 0.0 {
            return Box::pin(async { Ok(Waited { reason: WaitReason::Terminal, completed: vec![finished()] }) });
        }
        Box::pin(async move {
            let mut dropped = Dropped(Some(self.wait_dropped.clone()));
            self.wait_began.notify_one();
            self.wait_over.notified().await;
            dropped.0 = None;
            Ok(Waited { reason: WaitReason::Timeout, completed: vec![] })
        })
    }

    fn list_tasks(&self, list: List) -> Reply<'_, Listed> {
        self.answer(format!("{list:?}"), Listed { tasks: vec![running()], next: Some(TASK.to_owned()) })
    }

    fn resolve_task(&self, resolve: Resolve) -> Reply<'_, TaskView> {
        self.answer(format!("{resolve:?}"), finished())
    }

    fn cancel_task<'a>(&'a self, task_id: &'a str, actor: Option<String>) -> Reply<'a, TaskView> {
        self.answer(format!("cancel_task {task_id:?} {actor:?}"), finished())
    }

    fn forget_task<'a>(&'a self, task_id: &'a str) -> Reply<'a, ()> {
        self.answer(format!("forget_task {task_id:?}"), ())
    }

    fn extend_agent<'a>(
        &'a self,
        handle: &'a str,
        keep_idle: Option<i64>,
        keep_turns: Option<i64>,
    ) -> Reply<'a, Extended> {
        let extended = Extended { handle: handle.to_owned(), expires_at: Timestamp(9_250_000), turns_left: 3 };
        self.answer(format!("extend_agent {handle:?} {keep_idle:?} {keep_turns:?}"), extended)
    }

    fn release_agent<'a>(&'a self, handle: &'a str) -> Reply<'a, Released> {
        let released =
            Released { handle: handle.to_owned(), agent: "codex".to_owned(), session_id: Some("s1".to_owned()) };
        self.answer(format!("release_agent {handle:?}"), released)
    }
}

fn created() -> Task {
    let request = Created {
        agent: "codex".to_owned(),
        workspace: "/w".to_owned(),
        initiator_id: None,
        executor_id: None,
        session_id: None,
        options: json!({}),
        keep_idle: None,
        keep_turns: None,
        agent_handle: None,
        on_agent: false,
        client_key: None,
        deadline_seconds: None,
    };
    Task::create(TaskId::parse(TASK).unwrap(), request, Timestamp(1_000_000))
}

fn apply(task: &mut Task, events: Vec<Event>) {
    for event in events {
        task.apply(&event, Timestamp(task.last_activity.0 + 250_000)).unwrap();
    }
}

fn view(task: Task) -> TaskView {
    TaskView { task, last_seq: 3, kept_agent: None, notify_path: None, server: "server_1".to_owned(), live: None }
}

/// A task under way, with a kept agent's handle.
pub fn running() -> TaskView {
    let mut task = created();
    apply(
        &mut task,
        vec![
            Event::StatusChanged { from: Status::Created, to: Status::Starting },
            Event::StatusChanged { from: Status::Starting, to: Status::Running },
        ],
    );
    let mut view = view(task);
    view.kept_agent = Some(LeaseView {
        handle: AgentHandle::parse(HANDLE).unwrap(),
        state: lease::State::Pending { turns_left: 1, further: false },
    });
    view.live = Some(Live {
        last_activity: Timestamp(1_500_000),
        quiet_seconds: 0.5,
        open_tool_call: Some(("c1".to_owned(), "execute".to_owned(), "make".to_owned())),
        waiting_for: "tool".to_owned(),
    });
    view
}

/// A task that ended and was judged, with everything that can be known of one.
pub fn finished() -> TaskView {
    let mut task = created();
    let call = |id: &str, kind: &str, status: &str| -> Value {
        json!({"toolCallId": id, "kind": kind, "title": "make", "status": status})
    };
    let mut made = call("c1", "execute", "completed");
    made["rawOutput"] = json!({"exitCode": 2});
    let facts = Facts {
        because: Some(Because::Completed),
        prompted: true,
        agent_name: Some("Codex".to_owned()),
        agent_version: Some("1.2".to_owned()),
        settings: vec![SettingInForce {
            name: "mode".to_owned(),
            asked: json!("read-only"),
            in_force: Some(json!("read-only")),
        }],
        usage: Some(Usage {
            total_tokens: 3,
            input_tokens: 2,
            output_tokens: 1,
            thought_tokens: Some(0),
            ..Usage::default()
        }),
        files_changed: Some(vec!["a.txt".to_owned()]),
        stop: Some(StopReceipt {
            processes: vec![StoppedProcess {
                pid: 7,
                name: "codex-acp".to_owned(),
                how: "sigterm".to_owned(),
                in_group: true,
            }],
            tree_empty: true,
            ..StopReceipt::default()
        }),
        ..Facts::default()
    };
    apply(
        &mut task,
        vec![
            Event::StatusChanged { from: Status::Created, to: Status::Starting },
            Event::StatusChanged { from: Status::Starting, to: Status::Running },
            Event::SessionStarted { session_id: "s1".to_owned() },
            Event::AgentUpdate(json!({"sessionUpdate": "usage_update", "used": 10, "size": 100})),
            Event::ToolCall(made),
            Event::Permission {
                tool_call_id: "c2".to_owned(),
                title: None,
                kind: Some("edit".to_owned()),
                decision: Decision::Rejected,
            },
            Event::ToolCallUpdate(call("c2", "edit", "failed")),
            Event::AgentMessage { text: "Grüße".to_owned() },
            Event::ProcessExited {
                exit_code: Some(-15),
                stop_reason: Some("end_turn".to_owned()),
                facts: Box::new(facts),
            },
            Event::StatusChanged { from: Status::Running, to: Status::Succeeded },
            Event::TaskResolved { resolution: Verdict::Accepted, note: Some("good".to_owned()), actor: None },
        ],
    );
    view(task)
}
