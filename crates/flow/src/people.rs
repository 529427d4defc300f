//! What people say to Runs: cancel, answer, decide. A Run of this process is asked directly, one of another server
//! through the journal; what came of it stands in the record.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use segue_journal::{AppendError, Batch, InboxRequest, RunRow};
use segue_model::{
    flow::{NodeId, Object, RunId},
    run::{
        AnswerError as RuleError, Decision, Status,
        answer::{answer as answer_rule, decide as decide_rule},
        event::{Asked, Event, PersonAnswered},
    },
};
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

use crate::{
    drive::{Ask, Cancelled},
    error::{AnswerError, CancelError, RunError, StorageError},
    form, payload,
    payload::run_stream,
    reads, recover, rules,
    shared::{Shared, blocking},
};

/// How long another server may take before its liveness is looked at again.
const OWNER_LOOK: Duration = Duration::from_secs(1);
/// How often the inbox is looked at, at most: own commits change the journal as well.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// How long a Run that has no job may take to get one, or to end.
const JOB_LOOK: Duration = Duration::from_millis(20);

/// What can be asked of the server that drives a Run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Request {
    Cancel { actor: Option<String> },
    Answer { answer: PersonAnswered },
    Decide { node: NodeId, decision: String, actor: Option<String> },
}

/// Requests a cancellation. `flow_id`, if given, must be that of the Run.
///
/// # Errors
/// There is no such Run, or it is of another flow.
pub async fn cancel(
    shared: &Arc<Shared>,
    id: &str,
    flow_id: Option<&str>,
    actor: Option<String>,
) -> Result<(RunId, Cancelled), CancelError> {
    let row = reads::row_of(shared, id).await?;
    let run = crate::row::run_id(&row)?;
    if let Some(expected) = flow_id {
        let found = reads::summary(shared, id).await?.flow_id;
        if found != expected {
            return Err(CancelError::OtherFlow { run, found });
        }
    }
    let ask = |asked: Asked| {
        let (reply, answer) = oneshot::channel();
        (Ask::Cancel { asked, reply: Some(reply) }, answer)
    };
    let asked = Asked { actor: actor.clone(), request: None };
    let cancelled = match reach(shared, &run, || ask(asked.clone()), Request::Cancel { actor }).await? {
        Reached::Here(cancelled) => cancelled,
        Reached::Ended(row) => {
            // One that was set aside may have begun something that a server of then did not end.
            if crate::row::quarantine_reason(&row).is_some() {
                recover::end_work(shared, &run).await;
            }
            Cancelled { accepted: false, status: status(&row)? }
        }
        Reached::Elsewhere(request) => {
            let is_ours =
                |event: &Event| matches!(event, Event::RunCancelRequested(own) if own.own.request == Some(request));
            let accepted = has_event(shared, &run, is_ours).await?;
            Cancelled { accepted, status: status(&reads::row_of(shared, id).await?)? }
        }
    };
    Ok((run, cancelled))
}

fn status(row: &RunRow) -> Result<Status, RunError> {
    let known = Status::ALL.into_iter().find(|status| status.as_str() == row.status);
    known.ok_or_else(|| StorageError::corrupt(format!("run {}", row.id), "unknown status").into())
}

/// A person's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub node: String,
    pub option: String,
    pub form: Option<Object>,
    pub actor: Option<String>,
}

/// Answers a question. It is recorded when this returns.
///
/// # Errors
/// The Run does not wait for it, the option is not offered, or the form does not fit.
pub async fn answer(shared: &Arc<Shared>, id: &str, answer: Answer) -> Result<(), AnswerError> {
    let row = reads::row_of(shared, id).await?;
    let run = crate::row::run_id(&row)?;
    refuse_newer(shared, &run).await?;
    let loaded = reads::load(shared, &run).await?;
    let (flow, state) = (&loaded.bound.flow, &loaded.run.state);
    let unknown = || RuleError::UnknownNode(answer.node.clone());
    let node = flow.node(&answer.node).ok_or_else(unknown)?;
    let says = PersonAnswered {
        node_id: node.id.clone(),
        option: answer.option.clone(),
        actor: answer.actor.clone(),
        form: answer.form.clone(),
        own: Asked::default(),
    };
    // What the rules refuse is said first: a form that nobody waits for need not fit.
    answer_rule(flow, state, says.clone())?;
    let schema = node.rules.person.as_ref().and_then(|person| person.form.as_ref());
    let problems = form::problems(schema, answer.form.as_ref());
    if !problems.is_empty() {
        return Err(AnswerError::Form { problems });
    }
    let ask = || {
        let (reply, answer) = oneshot::channel();
        (Ask::Answer { answer: says.clone(), reply: Some(reply) }, answer)
    };
    match reach(shared, &run, ask, Request::Answer { answer: says.clone() }).await? {
        Reached::Here(result) => Ok(result?),
        Reached::Ended(row) => Err(RuleError::NotRunning(status(&row)?.as_str()).into()),
        Reached::Elsewhere(request) => {
            let is_ours =
                |event: &Event| matches!(event, Event::PersonAnswered(own) if own.own.request == Some(request));
            if has_event(shared, &run, is_ours).await? {
                return Ok(());
            }
            // Somebody was faster: the rules say what it is now.
            let loaded = reads::load(shared, &run).await?;
            answer_rule(&loaded.bound.flow, &loaded.run.state, says)?;
            Err(StorageError::corrupt(format!("run {run}"), "its server passed over the answer").into())
        }
    }
}

/// Decides about a node that may have written. It is recorded when this returns.
///
/// # Errors
/// The Run does not wait for it.
pub async fn decide(
    shared: &Arc<Shared>,
    id: &str,
    node: &str,
    decision: Decision,
    actor: Option<String>,
) -> Result<(), AnswerError> {
    let row = reads::row_of(shared, id).await?;
    let run = crate::row::run_id(&row)?;
    refuse_newer(shared, &run).await?;
    let loaded = reads::load(shared, &run).await?;
    let asked = Asked { actor: actor.clone(), request: None };
    decide_rule(&loaded.bound.flow, &loaded.run.state, node, decision, &asked)?;
    let unknown = || RuleError::UnknownNode(node.to_owned());
    let node_id = loaded.bound.flow.node(node).ok_or_else(unknown)?.id.clone();
    let ask = || {
        let (reply, answer) = oneshot::channel();
        (Ask::Decide { node: node_id.clone(), decision, asked: asked.clone(), reply: Some(reply) }, answer)
    };
    let request = Request::Decide { node: node_id.clone(), decision: decision.as_str().to_owned(), actor };
    match reach(shared, &run, ask, request).await? {
        Reached::Here(result) => Ok(result?),
        Reached::Ended(row) => Err(RuleError::NotRunning(status(&row)?.as_str()).into()),
        Reached::Elsewhere(request) => {
            let is_ours = |event: &Event| matches!(event, Event::NodeDecided(own) if own.own.request == Some(request));
            if has_event(shared, &run, is_ours).await? {
                return Ok(());
            }
            let loaded = reads::load(shared, &run).await?;
            decide_rule(&loaded.bound.flow, &loaded.run.state, node, decision, &asked)?;
            Err(StorageError::corrupt(format!("run {run}"), "its server passed over the decision").into())
        }
    }
}

/// How a request came to its Run.
enum Reached<T> {
    Here(T),
    /// The Run has ended.
    Ended(Box<RunRow>),
    /// Through another server, by the request of this number.
    Elsewhere(i64),
}

/// Asks whoever drives the Run; one whose server is dead is taken over first.
async fn reach<T>(
    shared: &Arc<Shared>,
    run: &RunId,
    ask: impl Fn() -> (Ask, oneshot::Receiver<T>),
    request: Request,
) -> Result<Reached<T>, RunError> {
    let body = serde_json::to_string(&request).expect("a request is plain data");
    loop {
        if let Some(job) = shared.job(run) {
            let (ask, answer) = ask();
            if job.asks.send(ask).is_ok()
                && let Ok(answer) = answer.await
            {
                return Ok(Reached::Here(answer));
            }
        }
        let row = reads::row_of(shared, run.as_str()).await?;
        if row.ended {
            return Ok(Reached::Ended(Box::new(row)));
        }
        if row.server != shared.instance() && shared.journal().alive(&row.server) {
            return elsewhere(shared, run, body).await.map(Reached::Elsewhere);
        }
        if shared.is_stopping() {
            return Err(StorageError::Stopping.into());
        }
        refuse_newer(shared, run).await?;
        recover::adopt(shared, run).await;
        tokio::time::sleep(JOB_LOOK).await;
    }
}

/// One of a later release is never taken over here, so nobody would ever hear what is asked.
async fn refuse_newer(shared: &Arc<Shared>, run: &RunId) -> Result<(), RunError> {
    let id = run.clone();
    match shared.read(move |journal| rules::newer(journal, &id)).await? {
        Some(why) => Err(RunError::Newer { run: run.clone(), why }),
        None => Ok(()),
    }
}

/// Another server drives the Run: its inbox is the way. If it dies meanwhile, its Run is taken over.
async fn elsewhere(shared: &Arc<Shared>, run: &RunId, body: String) -> Result<i64, RunError> {
    let (journal, stream, at) = (Arc::clone(shared.journal()), run_stream(run), shared.now().0);
    let request = blocking(move || Ok(journal.request(&stream, body, at)?)).await?;
    loop {
        let waiting = shared.read(move |journal| Ok(journal.waiting(request)?)).await?;
        let row = reads::row_of(shared, run.as_str()).await?;
        if !waiting || row.ended {
            return Ok(request);
        }
        if !shared.journal().alive(&row.server) {
            refuse_newer(shared, run).await?;
            // The new owner, whoever it is, finds the request in its inbox before it goes on.
            recover::adopt(shared, run).await;
        }
        let mut changes = shared.journal().changes();
        let _ = tokio::time::timeout(OWNER_LOOK, changes.changed()).await;
    }
}

async fn has_event(shared: &Arc<Shared>, run: &RunId, is_wanted: impl Fn(&Event) -> bool) -> Result<bool, RunError> {
    let id = run.clone();
    let events = shared.read(move |journal| payload::load(journal, &id)).await?.unwrap_or_default();
    Ok(events.iter().any(|recorded| is_wanted(&recorded.event)))
}

/// Hands requests of other servers to the jobs they are for, until the shutdown. Once is enough for a process.
pub fn serve(shared: &Arc<Shared>) {
    if !shared.answers.swap(true, Ordering::AcqRel) {
        tokio::spawn(hand_over_all(Arc::clone(shared)));
    }
}

/// What the server before did not come to, for a Run that was just taken over. They stay in the inbox until its job
/// has recorded what came of them.
///
/// # Errors
/// The inbox cannot be read.
pub async fn left_for(shared: &Arc<Shared>, run: &RunId) -> Result<Vec<Ask>, StorageError> {
    let stream = run_stream(run);
    let inbox = shared.read(|journal| Ok(journal.inbox()?)).await?;
    let of_run = inbox.into_iter().filter(|request| request.stream == stream);
    // One that is not understood is named and answered by the serving.
    Ok(of_run.filter_map(|request| Some(ask_of(serde_json::from_str(&request.body).ok()?, request.id))).collect())
}

async fn hand_over_all(shared: Arc<Shared>) {
    let mut changes = shared.journal().changes();
    loop {
        changes.mark_unchanged();
        let mut early = false;
        match shared.read(|journal| Ok(journal.inbox()?)).await {
            Ok(requests) => {
                for request in requests.into_iter().filter(|request| request.stream.kind() == "run") {
                    early |= !hand_over(&shared, request).await;
                }
            }
            Err(error) => tracing::warn!("read the inbox: {}", crate::drive::chain(&error)),
        }
        tokio::select! {
            changed = changes.changed() => {
                if changed.is_err() {
                    return;
                }
                tokio::time::sleep(LOOK_AGAIN).await;
            }
            // A job that begins is no change of the journal.
            () = tokio::time::sleep(LOOK_AGAIN), if early => {}
            () = shared.stopped() => return,
        }
    }
}

/// False when it is too early: the Run has no job yet.
async fn hand_over(shared: &Arc<Shared>, request: InboxRequest) -> bool {
    let understood: Result<Request, _> = serde_json::from_str(&request.body);
    let run = RunId::parse(request.stream.id());
    let job = run.as_ref().and_then(|run| shared.job(run));
    match (job, understood) {
        (Some(job), Ok(understood)) => {
            // One that has just ended is looked for again.
            return job.asks.send(ask_of(understood, request.id)).is_ok();
        }
        // It will have a job in a moment, or end.
        (None, Ok(_)) => {
            let ended = match &run {
                Some(run) => reads::row_of(shared, run.as_str()).await.is_ok_and(|row| row.ended),
                None => true,
            };
            if !ended {
                return false;
            }
        }
        (_, Err(error)) => tracing::warn!(stream = %request.stream, "a request that is not understood: {error}"),
    }
    let batch = Batch { answered: vec![request.id], ..Batch::default() };
    match shared.journal().append(batch).await {
        Ok(_) | Err(AppendError::Closed) => {}
        Err(error) => tracing::warn!("answer a request: {error}"),
    }
    true
}

fn ask_of(request: Request, id: i64) -> Ask {
    match request {
        Request::Cancel { actor } => Ask::Cancel { asked: Asked { actor, request: Some(id) }, reply: None },
        Request::Answer { mut answer } => {
            answer.own = Asked { actor: None, request: Some(id) };
            Ask::Answer { answer, reply: None }
        }
        Request::Decide { node, decision, actor } => {
            let decision = if decision == Decision::Repeat.as_str() { Decision::Repeat } else { Decision::Fail };
            Ask::Decide { node, decision, asked: Asked { actor, request: Some(id) }, reply: None }
        }
    }
}
