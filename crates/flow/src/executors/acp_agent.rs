//! `acp_agent`: a node that is a task of the channel (design §1, §7).
//!
//! The task's client key is made of the attempt, so that an attempt that is called again finds the task of the dead
//! process instead of starting another. Turns of a session group go to the kept agent if there is one, else into the
//! same session.

use std::time::Duration;

use segue_channel::{
    Channel, Code, Refusal, SHUTDOWN,
    api::{EventsQuery, List, Spawn, TaskView, WaitReason},
};
use segue_model::{
    Timestamp,
    flow::{
        Hash, Json, Object, RunId,
        capability::{Capability, Config, config},
        json::object,
        rules::FailureClass,
    },
    lease,
    run::{
        Attempt, Outcome,
        attempt::{EvidenceLevel, Loss, Session, UNCONFIRMED_END},
    },
    task::{Because, Status, Task},
};
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::{
    Answer, Call, Executor, Surroundings,
    agent_text::{self, Identity, PROMPT_MAX_BYTES},
    failure,
    request::Request,
    table::unbound,
};

/// The longest wait that the channel grants in one call, in seconds.
const WAIT: f64 = 30.0;
/// The task ends at its own deadline; this much later it is ended from here.
const OVERDUE: Duration = Duration::from_secs(60);
/// Kept agents are looked for among this many of the newest tasks; a server keeps eight.
const LOOKED_THROUGH: i64 = 100;
/// How many tasks of one attempt may be lost while their agents start, each with its server, before that is the
/// attempt's outcome.
const LOST_STARTS: u32 = 3;
/// Events read at once when a long message is put together.
const PAGE: u64 = 500;

/// Events after which a message is no longer the last one.
const RESETS: [&str; 6] = ["agent_thought", "plan", "agent_request", "tool_call", "tool_call_update", "permission"];
const MESSAGE: &str = "agent_message";
const CANCELLED: &str = "task_cancelled";

#[derive(Debug)]
pub struct AcpAgent;

impl Executor for AcpAgent {
    fn needs_host(&self) -> bool {
        // The channel records the host of its task itself.
        false
    }

    fn execute<'a>(&'a self, call: &'a Call, around: &'a dyn Surroundings) -> Answer<'a, Outcome> {
        Box::pin(async move {
            let Some((capability, Config::AcpAgent(agent))) = call.bound() else { return unbound() };
            let channel = around.channel();
            let mut lost = 0;
            loop {
                let task = match dispatch(call, agent, channel, lost).await {
                    Ok(task) => task,
                    Err(outcome) => return outcome,
                };
                match await_end(call, channel, task).await {
                    // No prompt had gone out when its server died, so nothing is done twice.
                    Ok(task) if is_lost_start(call, &task) && lost < LOST_STARTS => lost += 1,
                    Ok(task) => return interpret(call, capability, agent, channel, &task).await,
                    Err(outcome) => return outcome,
                }
            }
        })
    }
}

/// A node that is bound to it is a task of the channel.
#[must_use]
pub const fn is_task_of_the_channel(capability: &Capability) -> bool {
    matches!(capability.config, Config::AcpAgent(_))
}

/// Names the attempt in the channel. At most 200 characters, as the channel asks.
#[must_use]
pub fn task_key(run_id: &RunId, attempt: &Attempt) -> String {
    let Attempt { node_id, round, index, attempt } = attempt;
    let index = index.map_or_else(String::new, |index| index.to_string());
    format!("{run_id}/{node_id}/{round}/{index}/{attempt}")
}

/// Names each start that an attempt can have had, the first one first.
#[must_use]
pub fn task_keys(run_id: &RunId, attempt: &Attempt) -> Vec<String> {
    (0..=LOST_STARTS).map(|lost| start_key(run_id, attempt, lost)).collect()
}

/// As [`task_key`], and which of its starts is meant.
fn start_key(run_id: &RunId, attempt: &Attempt, lost: u32) -> String {
    let key = task_key(run_id, attempt);
    if lost == 0 { key } else { format!("{key}/{lost}") }
}

/// The task of a server that died before its agent had started.
fn is_lost_start(call: &Call, task: &Task) -> bool {
    call.start == super::Start::Again && task.because() == Some(Because::NotStarted)
}

fn options(agent: &config::AcpAgent) -> Map<String, Value> {
    let mut options = Map::new();
    if !agent.allow.is_empty() {
        let kinds = agent.allow.iter().map(|kind| Value::from(kind.as_str())).collect();
        options.insert("allow".to_owned(), Value::Array(kinds));
    }
    for (name, value) in [("model", &agent.model), ("effort", &agent.effort)] {
        if let Some(value) = value {
            options.insert(name.to_owned(), Value::from(value.as_str()));
        }
    }
    options
}

async fn dispatch(call: &Call, agent: &config::AcpAgent, channel: &Channel, lost: u32) -> Result<TaskView, Outcome> {
    if call.stop.is_cancelled() && call.start == super::Start::First {
        return Err(Outcome::Aborted);
    }
    let prompt = agent_text::prompt(Request::of(call))?;
    let spawn = Spawn {
        agent: agent.agent.clone(),
        prompt,
        workspace: Some(call.workspace.to_string_lossy().into_owned()),
        initiator_id: Some(call.run_id.as_str().to_owned()),
        executor_id: Some(call.node.executor.executor_id.clone()),
        keep_idle: agent.keep_idle.map(i64::from),
        keep_turns: agent.keep_turns.map(i64::from),
        options: Some(options(agent)),
        client_key: Some(start_key(&call.run_id, &call.attempt, lost)),
        deadline_seconds: Some(call.timeout.as_secs_f64()),
        ..Spawn::default()
    };
    let Some(session) = &call.conversation_ref else { return channel.spawn_task(spawn).await.map_err(refused) };
    if let Some(handle) = kept(channel, agent, session).await {
        let on_kept = Spawn { on_agent: Some(handle), ..spawn.clone() };
        match channel.spawn_task(on_kept).await {
            // It went this moment; its session is still there.
            Err(Refusal { code: Code::AgentGone | Code::AgentBusy, .. }) => {}
            done => return done.map_err(refused),
        }
    }
    channel.spawn_task(Spawn { session_id: Some(session.clone()), ..spawn }).await.map_err(refused)
}

/// The agent that was kept with a session.
async fn kept(channel: &Channel, agent: &config::AcpAgent, session: &str) -> Option<String> {
    agent.keep_idle.or(agent.keep_turns)?;
    let list = List { limit: LOOKED_THROUGH, agent: Some(agent.agent.clone()), ..List::default() };
    let tasks = channel.list_tasks(list).await.ok()?.tasks;
    let of_session = tasks.into_iter().filter(|view| view.task.session_id.as_deref() == Some(session));
    let mut leases = of_session.filter_map(|view| view.kept_agent);
    let kept = leases.find(|lease| matches!(lease.state, lease::State::Kept { turns_left: 1.., .. }))?;
    Some(kept.handle.as_str().to_owned())
}

fn refused(refusal: Refusal) -> Outcome {
    let class = match refusal.code {
        Code::SessionInUse | Code::AgentLimit | Code::AgentGone | Code::AgentBusy | Code::Internal => {
            Some(FailureClass::Unavailable)
        }
        Code::UnknownAgent
        | Code::Unsupported
        | Code::InvalidRequest
        | Code::TaskNotFound
        | Code::InvalidTransition => None,
    };
    failure(class, "AgentRefused", format!("{}: {}", refusal.code.as_str(), refusal.message))
}

async fn await_end(call: &Call, channel: &Channel, task: TaskView) -> Result<Task, Outcome> {
    let id = task.task.id.as_str().to_owned();
    let overdue = Instant::now() + call.timeout + OVERDUE;
    let ids = [id.clone()];
    loop {
        let waited = tokio::select! {
            waited = channel.wait_tasks(&ids, WAIT) => waited.map_err(refused)?,
            () = call.stop.cancelled() => {
                cancel(channel, &id, call).await?;
                return Err(Outcome::Aborted);
            }
            () = tokio::time::sleep_until(overdue) => {
                cancel(channel, &id, call).await?;
                let message = format!("the agent took longer than {} s", call.timeout.as_secs_f64());
                return Err(failure(Some(FailureClass::Timeout), "Timeout", message));
            }
        };
        match waited.reason {
            WaitReason::Terminal => {
                if let Some(view) = waited.completed.into_iter().next() {
                    return Ok(view.task);
                }
            }
            WaitReason::Timeout => {}
            // The channel ends its tasks, and this attempt with them.
            WaitReason::Shutdown => return Err(Outcome::Lost(Loss::Shutdown)),
        }
    }
}

/// Ends the task; waits for the end of its processes.
async fn cancel(channel: &Channel, id: &str, call: &Call) -> Result<(), Outcome> {
    let ended = channel.cancel_task(id, Some(call.run_id.as_str().to_owned())).await.map_err(refused)?;
    match ended.task.because() {
        Some(Because::Unconfirmed) => Err(unconfirmed(&ended.task)),
        _ => Ok(()),
    }
}

fn unconfirmed(task: &Task) -> Outcome {
    let message = format!("the end of the agent's processes is not confirmed: see task {}", task.id.as_str());
    failure(None, UNCONFIRMED_END, message)
}

async fn interpret(
    call: &Call,
    capability: &Capability,
    agent: &config::AcpAgent,
    channel: &Channel,
    task: &Task,
) -> Outcome {
    match was_shut_down(channel, task).await {
        Ok(true) => return Outcome::Lost(Loss::Shutdown),
        Ok(false) => {}
        Err(outcome) => return outcome,
    }
    if let Some(outcome) = outcome_of_failed(task) {
        return outcome;
    }
    let text = match final_message(channel, task).await {
        Ok(text) => text,
        Err(outcome) => return outcome,
    };
    let output = agent_text::output(Request::of(call), &identity(capability, agent, task), &text, evidence(task));
    let session = task
        .session_id
        .as_ref()
        .map(|session| Session { conversation_ref: session.clone(), turn_ref: task.id.as_str().to_owned() });
    Outcome::Returned {
        output: Json::Object(output),
        level: EvidenceLevel::RealExecutor,
        session: session.filter(|_| call.node.session_group.is_some()),
        artifact: None,
    }
}

/// The channel ended the task because its server stopped, and the Run that it belongs to was not told.
async fn was_shut_down(channel: &Channel, task: &Task) -> Result<bool, Outcome> {
    if task.status() != Status::Cancelled {
        return Ok(false);
    }
    let query = EventsQuery {
        task_id: task.id.as_str().to_owned(),
        after_seq: 0,
        event_types: Some(vec![CANCELLED.to_owned()]),
        limit: 1,
        max_chars: i64::MAX,
        include_thoughts: false,
        include_raw: false,
    };
    let page = channel.get_events(query).await.map_err(refused)?;
    let reason = page.events.first().and_then(|event| event.payload.get("reason")?.as_str());
    Ok(reason == Some(SHUTDOWN))
}

/// `None` for a task that succeeded. Agents report some failures as an ordinary answer; a node that accepted one would
/// hand an error on as if it were a result.
fn outcome_of_failed(task: &Task) -> Option<Outcome> {
    let because = task.because();
    let words = |what: &str| match &task.error {
        Some(error) => format!("the agent's task {}: {error}", what),
        None => format!("the agent's task {what}"),
    };
    let failed = |class, what: &str| Some(failure(class, "AgentFailed", words(what)));
    match (task.status(), because) {
        (Status::Succeeded, None | Some(Because::Completed)) => None,
        (_, Some(Because::HostLost | Because::Orphaned)) => Some(Outcome::Lost(Loss::Crash)),
        (_, Some(Because::MachineRestarted)) => Some(Outcome::Lost(Loss::Restart)),
        (_, Some(Because::Unconfirmed)) => Some(unconfirmed(task)),
        (Status::Cancelled, _) => failed(None, "was cancelled"),
        (_, Some(Because::Deadline)) => failed(Some(FailureClass::Timeout), "reached its deadline"),
        (_, Some(Because::UsageLimit)) => failed(Some(FailureClass::RateLimited), "met a usage limit"),
        (_, Some(Because::UpstreamError)) => failed(Some(FailureClass::Unavailable), "met an error of its service"),
        (_, Some(Because::PermissionRefused)) => failed(None, "stopped where a permission was refused"),
        (_, Some(Because::SignIn)) => failed(None, "wants somebody to sign in"),
        (_, Some(Because::AgentExited)) => failed(Some(FailureClass::Exit), "ended early"),
        (_, None | Some(Because::NotStarted)) => failed(Some(FailureClass::Unavailable), "failed"),
        (_, Some(_)) => failed(None, "failed"),
    }
}

fn identity(capability: &Capability, agent: &config::AcpAgent, task: &Task) -> Identity {
    let version = task.exit().and_then(|exit| exit.facts.agent_version.clone());
    let label = capability.id.as_str();
    let fingerprint = Hash::of(&Json::Object(object([
        ("arguments", capability.config.to_json()),
        ("executable_version", version.clone().into()),
        ("identity_label", label.into()),
    ])));
    Identity { label: label.to_owned(), executable_name: agent.agent.clone(), version, fingerprint }
}

/// What the channel knows of the turn, in the output.
fn evidence(task: &Task) -> Object {
    let receipt = &task.receipt;
    let counts = |counts: &std::collections::BTreeMap<String, u64>| -> Json {
        serde_json::to_value(counts).unwrap_or_default().into()
    };
    let count = |count: u64| Json::from(i64::try_from(count).unwrap_or(i64::MAX));
    let facts = task.exit().map(|exit| &exit.facts);
    let seconds =
        task.started_at().zip(task.finished_at()).map(|(from, to): (Timestamp, Timestamp)| to.seconds_since(from));
    let receipt = object([
        ("tool_calls", counts(&receipt.tool_calls)),
        ("unasked", counts(&receipt.unasked)),
        ("commands_total", count(receipt.commands_total)),
        ("permissions_asked", count(receipt.permissions_asked)),
        ("permissions_refused", count(receipt.permissions_refused)),
        ("files_changed", facts.and_then(|facts| facts.files_changed.clone()).into()),
        (
            "because",
            facts
                .and_then(|facts| facts.because)
                .and_then(|because| serde_json::to_value(because).ok())
                .map(Json::from)
                .into(),
        ),
        ("agent_name", facts.and_then(|facts| facts.agent_name.clone()).into()),
        ("agent_version", facts.and_then(|facts| facts.agent_version.clone()).into()),
        ("duration_seconds", seconds.map(|seconds| Json::from(Value::from(seconds))).into()),
    ]);
    object([
        ("task_id", task.id.as_str().into()),
        ("session_id", task.session_id.clone().into()),
        ("receipt", receipt.into()),
    ])
}

/// The whole of the last message: the task itself keeps its end only.
async fn final_message(channel: &Channel, task: &Task) -> Result<String, Outcome> {
    let kept = task.final_message.text().unwrap_or_default();
    if !task.final_message.truncated() {
        return Ok(kept.to_owned());
    }
    let view = channel.get_task(task.id.as_str()).await.map_err(refused)?;
    let mut end = view.last_seq;
    let mut text = String::new();
    while end > 0 && text.len() <= PROMPT_MAX_BYTES {
        let from = end.saturating_sub(PAGE);
        let (piece, reset) = messages(channel, task, from, end).await?;
        text.insert_str(0, &piece);
        if reset {
            break;
        }
        end = from;
    }
    if text.len() > PROMPT_MAX_BYTES {
        let message = format!("the agent's last message is longer than {PROMPT_MAX_BYTES} bytes");
        return Err(failure(Some(FailureClass::Malformed), "OutputTooLarge", message));
    }
    Ok(text)
}

/// The text of the messages among the events `from+1..=to` after the last of them that is something else, and whether
/// there is such a one.
async fn messages(channel: &Channel, task: &Task, from: u64, to: u64) -> Result<(String, bool), Outcome> {
    let (mut text, mut reset, mut after) = (String::new(), false, from);
    while after < to {
        let query = EventsQuery {
            task_id: task.id.as_str().to_owned(),
            after_seq: i64::try_from(after).unwrap_or(i64::MAX),
            event_types: None,
            limit: i64::try_from(to - after).unwrap_or(1),
            max_chars: i64::MAX,
            include_thoughts: true,
            include_raw: false,
        };
        let page = channel.get_events(query).await.map_err(refused)?;
        let Some(last) = page.events.last().map(|event| event.seq) else { break };
        for event in &page.events {
            if event.kind == MESSAGE {
                text.push_str(event.payload.get("text").and_then(Value::as_str).unwrap_or_default());
            } else if RESETS.contains(&event.kind.as_str()) {
                text.clear();
                reset = true;
            }
        }
        after = last;
    }
    Ok((text, reset))
}
