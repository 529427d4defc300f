//! Short-lived agent processes that answer a question: describe, list, delete. No task, no events.
//!
//! A probe's host has a row of its own, so that what a dead server left of it is ended like any
//! other agent.

use std::{sync::Arc, time::Duration};

use segue_host::{
    HostIdentity, Offsets,
    acp::{
        Act, Agent, Conversation, Fact, Failure, FailureKind, Initialized, LineBuffer, Offer, OfferedValue, Plan,
        Purpose, RawLine, StderrLines, Step,
    },
    adapters::{Adapter, Choice as Delivered, Options},
};
use segue_journal::{Append, AppendError, Authority, Batch, HoldChange, HoldKey, HostRow, Row, StreamName};
use segue_model::{HostId, task::Because};
use serde_json::{Map, Value, json};

use crate::{
    agent::{
        Ended, Heard, Source, Swept,
        checkpoint::Checkpoint,
        close,
        last_words::{LastWords, exit_told},
        silence,
    },
    api::{Checked, Choice, Deleted, Description, Session, Sessions},
    error::{Code, Refusal},
    ledger,
    remnants::{self, Held},
    shared::Shared,
    spawn, workspace,
};

/// Start and set-up of the agent together. Fixed by the channel contract.
const PROBE_LIMIT: Duration = Duration::from_secs(30);
/// How long the end of a probe's agent may take before what is left is swept: its caller has waited for the limit
/// above, and many clients give a call up after 60 s.
const PROBE_END: Duration = Duration::from_secs(20);
/// How long to wait before a write is tried again after the journal said that it could not.
const RETRY_AFTER: Duration = Duration::from_millis(250);
/// As a session's hold names a deletion under way.
const DELETE_HOLDER: &str = "a delete_session call";

/// `describe_agent`.
///
/// # Errors
/// `unknown_agent`, `invalid_request`.
pub async fn describe(shared: &Arc<Shared>, agent: &str, workspace: Option<&str>) -> Result<Description, Refusal> {
    let probe = Probe::check(shared, agent, workspace)?;
    let words = format!("could not describe {agent}");
    let learnt = probe.run(Purpose::Describe, words.clone(), "a description").await?;
    description(&probe.adapter, learnt, &words)
}

/// Whether an agent can be used, and if not, whether signing in would mend it.
///
/// # Errors
/// `unknown_agent`, `invalid_request`.
pub async fn check(shared: &Arc<Shared>, agent: &str, workspace: Option<&str>) -> Result<Checked, Refusal> {
    let probe = Probe::check(shared, agent, workspace)?;
    let words = format!("could not use {agent}");
    let (learnt, teardown) = probe.learn(Purpose::Describe, words.clone(), "a check").await?;
    match &learnt.failure {
        Some(Failure { kind: FailureKind::AuthRequired { .. }, message, .. }) if teardown.is_none() => {
            let message = message.clone();
            let Agent { name: agent_name, version: agent_version } = learnt.said.agent;
            Ok(Checked::SignIn { agent_name, agent_version, message })
        }
        _ => description(&probe.adapter, judge(learnt, teardown, &words)?, &words)
            .map(|about| Checked::Ready(Box::new(about))),
    }
}

fn description(adapter: &Adapter, learnt: Learnt, words: &str) -> Result<Description, Refusal> {
    let Some(Fact::Described { offer, .. }) = learnt.answer else {
        return Err(Refusal::invalid(format!("{words}: the agent gave no answer")));
    };
    let delivery: Map<String, Value> =
        adapter.delivery().into_iter().map(|(name, how)| (name.to_owned(), json!(how.as_str()))).collect();
    Ok(Description {
        agent: adapter.name.clone(),
        model: adapter.model.as_ref().and_then(|how| choice(how, &offer)),
        effort: adapter.effort.as_ref().and_then(|how| choice(how, &offer)),
        delivery,
        pins: adapter.pinned(false),
        pins_with_edit: adapter.pinned(true),
        agent_name: learnt.said.agent.name,
        agent_version: learnt.said.agent.version,
    })
}

fn choice(how: &Delivered, offer: &Offer) -> Option<Choice> {
    match how {
        Delivered::LaunchFlag { values, .. } => Some(Choice { current: None, values: values.clone() }),
        Delivered::Setting(name) => match offer.get(name)? {
            OfferedValue::Select { current, values } => {
                Some(Choice { current: Some(current.clone()), values: values.clone() })
            }
            OfferedValue::Boolean { .. } => None,
        },
    }
}

/// `list_sessions`.
///
/// # Errors
/// `unknown_agent`, `unsupported`, `invalid_request`.
pub async fn list(
    shared: &Arc<Shared>,
    agent: &str,
    workspace: Option<&str>,
    cursor: Option<String>,
) -> Result<Sessions, Refusal> {
    let probe = Probe::check(shared, agent, workspace)?;
    let words = format!("could not list sessions of {agent}");
    let heard = probe.run(Purpose::ListSessions { cursor }, words.clone(), "a list of sessions").await?;
    let Some(Fact::Sessions { sessions, next_cursor }) = heard.answer else {
        return Err(Refusal::invalid(format!("{words}: the agent gave no answer")));
    };
    let sessions = sessions
        .into_iter()
        .map(|s| Session {
            session_id: s.session_id,
            cwd: s.cwd,
            title: s.title,
            updated_at: s.updated_at,
            additional_directories: s.additional_directories,
        })
        .collect();
    Ok(Sessions { agent: agent.to_owned(), workspace: probe.workspace.clone(), sessions, next_cursor })
}

/// `delete_session`.
///
/// # Errors
/// `unknown_agent`, `unsupported`, `session_in_use`, `invalid_request`.
pub async fn delete(
    shared: &Arc<Shared>,
    agent: &str,
    session: &str,
    workspace: Option<&str>,
) -> Result<Deleted, Refusal> {
    if session.is_empty() || session.contains('\0') {
        return Err(Refusal::invalid("session_id must not be empty and must not contain a NUL character"));
    }
    let mut probe = Probe::check(shared, agent, workspace)?;
    probe.hold = Some(HoldKey { agent: agent.to_owned(), session: session.to_owned() });
    let words = format!("could not delete session '{}' of {agent}", ledger::short(session));
    let heard = probe.run(Purpose::DeleteSession { id: session.to_owned() }, words.clone(), "the deletion").await?;
    match heard.answer {
        Some(Fact::Deleted { session_id }) => {
            Ok(Deleted { agent: agent.to_owned(), workspace: probe.workspace.clone(), session_id })
        }
        _ => Err(Refusal::invalid(format!("{words}: the agent gave no answer"))),
    }
}

/// What a probe learnt.
#[derive(Debug, Default)]
struct Learnt {
    said: Initialized,
    answer: Option<Fact>,
    failure: Option<Failure>,
    errs: StderrLines,
    last_words: LastWords,
}

impl Learnt {
    fn stderr(&mut self, bytes: &[u8]) {
        let Self { errs, last_words, .. } = self;
        errs.push(bytes, |line| {
            tracing::debug!("stderr: {line}");
            last_words.hear(&line);
        });
    }

    /// Adds to a failure that leaves it open what the agent's end says of it.
    fn explain(&mut self, leader: Option<u32>, ended: Option<&Ended>) {
        let Self { errs, last_words, failure: Some(failure), .. } = self else { return };
        errs.finish(|line| last_words.hear(&line));
        if let (FailureKind::Closed | FailureKind::Exited, Some(ended)) = (&failure.kind, ended) {
            failure.message.push_str(&exit_told(ended.exit_code, leader, &ended.tree.receipt));
        }
        if matches!(failure.kind, FailureKind::Closed | FailureKind::Exited | FailureKind::Timeout) {
            failure.message.push_str(&last_words.told());
        }
    }
}

/// The limit passed before the agent had answered.
fn overdue(conversation: &Conversation) -> Failure {
    let step = conversation.awaiting().cloned().unwrap_or(Step::Initialize);
    let message = format!("the {} s deadline passed waiting for {step}", PROBE_LIMIT.as_secs());
    Failure { step, kind: FailureKind::Timeout, message }
}

struct Probe<'a> {
    shared: &'a Arc<Shared>,
    adapter: Adapter,
    environment: std::collections::BTreeMap<std::ffi::OsString, std::ffi::OsString>,
    workspace: String,
    hold: Option<HoldKey>,
}

impl<'a> Probe<'a> {
    fn check(shared: &'a Arc<Shared>, agent: &str, asked: Option<&str>) -> Result<Self, Refusal> {
        let adapter = spawn::agent(shared, agent)?.clone();
        let path = workspace::resolve(asked, &shared.config.cwd)?;
        if !path.is_dir() {
            return Err(Refusal::invalid(workspace::not_a_directory(&path.display().to_string())));
        }
        if shared.is_stopping() {
            return Err(Refusal::invalid("the server is shutting down"));
        }
        let workspace = path
            .into_os_string()
            .into_string()
            .map_err(|path| Refusal::invalid(format!("workspace {path:?} is not valid UTF-8")))?;
        let environment = spawn::environment(shared, &adapter)?;
        Ok(Self { shared, adapter, environment, workspace, hold: None })
    }

    /// Runs the probe to its end; what stood in its way is an error.
    async fn run(&self, purpose: Purpose, words: String, what: &str) -> Result<Learnt, Refusal> {
        let (learnt, teardown) = self.learn(purpose, words.clone(), what).await?;
        judge(learnt, teardown, &words)
    }

    /// Runs the probe to its end, also when its caller goes: the work is a job of its own. Also given
    /// back is what of the agent's end could not be confirmed.
    async fn learn(&self, purpose: Purpose, words: String, what: &str) -> Result<(Learnt, Option<String>), Refusal> {
        let work = Work {
            shared: Arc::clone(self.shared),
            host: self.shared.draw_host(),
            adapter: self.adapter.clone(),
            environment: self.environment.clone(),
            workspace: self.workspace.clone(),
            hold: self.hold.clone(),
            words,
            what: what.to_owned(),
        };
        tokio::spawn(work.run(purpose))
            .await
            .unwrap_or_else(|error| Err(Refusal::new(Code::Internal, format!("the probe broke off: {error}"))))
    }
}

/// What a caller is told of a probe that ran to its end; `words` say what could not be done.
fn judge(learnt: Learnt, teardown: Option<String>, words: &str) -> Result<Learnt, Refusal> {
    // What cannot be undone is told whatever came after it.
    let done = match &learnt.answer {
        Some(Fact::Deleted { session_id }) => {
            format!("the agent confirmed that session '{}' is deleted, but ", ledger::short(session_id))
        }
        _ => String::new(),
    };
    match (learnt.failure, teardown) {
        (Some(failure), teardown) => {
            let and = teardown.map(|unconfirmed| format!("; moreover {unconfirmed}")).unwrap_or_default();
            Err(match failure.kind {
                FailureKind::MissingCapability { .. } => {
                    Refusal::new(Code::Unsupported, format!("{}{and}", failure.message))
                }
                _ => Refusal::invalid(format!("{words}: {done}{}{and}", failure.message)),
            })
        }
        (None, Some(unconfirmed)) => Err(Refusal::invalid(format!("{words}: {done}{unconfirmed}"))),
        (None, None) => Ok(Learnt { failure: None, ..learnt }),
    }
}

/// What came of the talk with an agent.
struct Talked {
    learnt: Result<Learnt, Refusal>,
    identity: Option<HostIdentity>,
    /// `None`: it did not start.
    ended: Option<Ended>,
}

/// A probe under way.
struct Work {
    shared: Arc<Shared>,
    host: HostId,
    adapter: Adapter,
    environment: std::collections::BTreeMap<std::ffi::OsString, std::ffi::OsString>,
    workspace: String,
    hold: Option<HoldKey>,
    words: String,
    what: String,
}

impl Work {
    async fn run(self, purpose: Purpose) -> Result<(Learnt, Option<String>), Refusal> {
        let _busy = self.shared.busy();
        let checkpoint = Checkpoint {
            agent: self.adapter.name.clone(),
            exe: self.adapter.exe().to_owned(),
            ..Checkpoint::default()
        };
        self.open(&checkpoint).await?;
        let Talked { learnt, identity, ended } = self.talk(purpose, &checkpoint).await;
        if ended.as_ref().is_some_and(|ended| !ended.confirmed()) {
            self.shared.mark_unconfirmed();
        }
        self.close(identity, ended.as_ref()).await;
        let learnt = learnt?;
        let teardown = ended.filter(|ended| !ended.confirmed()).map(|ended| {
            ended.tree.receipt.unconfirmed.unwrap_or_else(|| "its process tree was not seen empty".to_owned())
        });
        Ok((learnt, teardown))
    }

    async fn open(&self, checkpoint: &Checkpoint) -> Result<(), Refusal> {
        let stream = self.stream();
        let row = HostRow {
            id: self.host.as_str().to_owned(),
            server: self.shared.instance(),
            stream: Some(stream.clone()),
            out: 0,
            err: 0,
            // The hold's session stands in the row, so that a successor can free it.
            body: serde_json::to_string(&ProbeBody { checkpoint: checkpoint.clone(), hold: self.hold.clone() })
                .unwrap_or_default(),
        };
        let batch = Batch {
            appends: vec![Append {
                stream,
                authority: Authority::Create,
                expected: 0,
                events: Vec::new(),
                release: false,
            }],
            rows: vec![Row::Host(Box::new(row))],
            holds: self.hold.iter().map(|key| HoldChange::Take { key: key.clone(), holder: self.holder() }).collect(),
            ..Batch::default()
        };
        let mut written = self.shared.journal().append(batch.clone()).await;
        if let (Err(AppendError::Held { .. }), Some(key)) = (&written, &self.hold)
            && remnants::free(&self.shared, key).await
        {
            written = self.shared.journal().append(batch).await;
        }
        match written {
            Ok(_) => Ok(()),
            Err(error) => Err(remnants::refusal_of(&self.shared, error).await),
        }
    }

    fn stream(&self) -> StreamName {
        StreamName::new("probe", self.host.as_str())
    }

    fn holder(&self) -> String {
        format!("{DELETE_HOLDER} ({})", self.host)
    }

    async fn close(&self, identity: Option<HostIdentity>, ended: Option<&Ended>) {
        let append = Append {
            stream: self.stream(),
            authority: Authority::Owner(1),
            expected: 0,
            events: Vec::new(),
            release: true,
        };
        let mut batch = Batch { appends: vec![append], ..Batch::default() };
        let held = self.hold.iter().map(|key| Held { key: key.clone(), holder: self.holder() }).collect();
        // Without an end nothing was started.
        let tree = ended.map_or_else(Swept::nothing, |ended| ended.tree.clone());
        close(&self.shared, &self.host, &tree, identity, held, &mut batch);
        match self.shared.journal().append(batch.clone()).await {
            Ok(_) => {}
            Err(error @ (AppendError::Busy(_) | AppendError::Full(_) | AppendError::Storage(_))) => {
                tracing::warn!(host = %self.host, "the end of a probe has to wait: {error}");
                // Its caller has waited long enough; the session stays held until this is written.
                tokio::spawn(close_later(Arc::clone(&self.shared), batch));
            }
            Err(error) => tracing::warn!(host = %self.host, "record the end of a probe: {error}"),
        }
    }

    /// Starts the agent, asks, and ends it. The limit covers all but the end.
    async fn talk(&self, purpose: Purpose, checkpoint: &Checkpoint) -> Talked {
        let until = tokio::time::Instant::now() + PROBE_LIMIT;
        let options = Options::default();
        let start =
            spawn::start_host(&self.shared, &self.host, &self.adapter, &options, &self.environment, &self.workspace);
        let identity = match start.await {
            Ok(identity) => identity,
            Err(cause) => {
                let refusal = format!("could not start {} for {}: {cause}", self.adapter.name, self.what);
                return Talked { learnt: Err(Refusal::invalid(refusal)), identity: None, ended: None };
            }
        };
        let leader = u32::try_from(identity.program.pid).ok();
        let dir = self.shared.host_dir(&self.host);
        let mut source = match Source::attach(&dir, Offsets::default()).await {
            Ok((source, _)) => source,
            Err(error) => {
                let ended = Some(self.lost(&identity).await);
                let refusal = format!("{}: {}", self.words, spawn::chain(&error));
                return Talked { learnt: Err(Refusal::invalid(refusal)), identity: Some(identity), ended };
            }
        };
        let plan = Plan {
            cwd: self.workspace.clone(),
            purpose,
            exe: checkpoint.exe.clone(),
            launch_flags: Vec::new(),
            client: self.shared.config.client.clone(),
        };
        let (mut conversation, acts) = Conversation::begin(plan);
        let mut learnt = Learnt::default();
        let mut lines = LineBuffer::at(0);
        let mut ended = None;
        self.act(acts, &source, &mut learnt).await;
        while learnt.answer.is_none() && learnt.failure.is_none() && ended.is_none() {
            let heard = match tokio::time::timeout_at(until, source.next()).await {
                Ok(heard) => heard,
                Err(_) => {
                    learnt.failure = Some(overdue(&conversation));
                    break;
                }
            };
            for part in heard {
                let acts = match part {
                    Heard::Out(bytes) => {
                        let mut acts = Vec::new();
                        lines.push(&bytes, |line, _| {
                            if let RawLine::Line(line) = line {
                                acts.extend(conversation.line(line));
                            }
                        });
                        acts
                    }
                    Heard::OutEof => conversation.closed(),
                    Heard::End(record) => {
                        ended = Some(Ended::of_record(*record));
                        conversation.closed()
                    }
                    Heard::Lost => {
                        ended = Some(self.lost(&identity).await);
                        conversation.closed()
                    }
                    Heard::Err(bytes) => {
                        learnt.stderr(&bytes);
                        Vec::new()
                    }
                    Heard::ErrEof | Heard::Exited => Vec::new(),
                };
                self.act(acts, &source, &mut learnt).await;
            }
        }
        self.end(&mut source, &identity, &mut ended, &mut learnt).await;
        learnt.explain(leader, ended.as_ref());
        Talked { learnt: Ok(learnt), identity: Some(identity), ended }
    }

    /// Ends what the lost host left.
    async fn lost(&self, identity: &HostIdentity) -> Ended {
        Ended::lost(Because::HostLost, ledger::sweep(&self.host, Some(identity.clone())).await)
    }

    async fn end(&self, source: &mut Source, identity: &HostIdentity, ended: &mut Option<Ended>, learnt: &mut Learnt) {
        if ended.is_none() {
            source.stop("the probe is over");
        }
        let dir = self.shared.host_dir(&self.host);
        let (limit, silence) = (tokio::time::sleep(PROBE_END), silence(&dir));
        tokio::pin!(limit, silence);
        while ended.is_none() {
            let heard = tokio::select! {
                biased;
                heard = source.next() => heard,
                // A host that stands still is swept like one that is gone.
                () = &mut limit => vec![Heard::Lost],
                () = &mut silence => vec![Heard::Lost],
            };
            for heard in heard {
                match heard {
                    Heard::End(record) => *ended = Some(Ended::of_record(*record)),
                    Heard::Lost => {
                        *ended = Some(self.lost(identity).await);
                    }
                    Heard::Err(bytes) => learnt.stderr(&bytes),
                    _ => {}
                }
            }
        }
        source.release().await;
        source.gone().await;
    }

    async fn act(&self, acts: Vec<Act>, source: &Source, learnt: &mut Learnt) {
        for act in acts {
            match act {
                Act::Send(out) => source.send(out.n, out.render("")).await,
                Act::Fact(Fact::Initialized(said)) => learnt.said = said,
                Act::Fact(Fact::Failed(failure)) => learnt.failure = Some(failure),
                Act::Fact(fact @ (Fact::Described { .. } | Fact::Sessions { .. } | Fact::Deleted { .. })) => {
                    learnt.answer = Some(fact);
                }
                Act::Fact(_) => {}
            }
        }
    }
}

/// Writes the end of a probe as soon as the journal can be written again. What a server that stops
/// leaves undone, the next one does.
async fn close_later(shared: Arc<Shared>, batch: Batch) {
    while !shared.is_stopping() {
        tokio::time::sleep(RETRY_AFTER).await;
        let outcome = shared.journal().append(batch.clone()).await;
        if !matches!(outcome, Err(AppendError::Busy(_) | AppendError::Full(_) | AppendError::Storage(_))) {
            return;
        }
    }
}

/// The body of a probe's host row.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
struct ProbeBody {
    #[serde(flatten)]
    checkpoint: Checkpoint,
    #[serde(default)]
    hold: Option<HoldKey>,
}

/// The session that a dead server's probe held, if it held one.
#[must_use]
pub fn hold_of(host: &HostId, body: &str) -> Option<Held> {
    let ProbeBody { hold, .. } = serde_json::from_str(body).ok()?;
    Some(Held { key: hold?, holder: format!("{DELETE_HOLDER} ({host})") })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(answer: Option<Fact>, failure: Option<FailureKind>, left: bool) -> Result<(), String> {
        let failure = failure.map(|kind| Failure { step: Step::Initialize, kind, message: "why".to_owned() });
        let learnt = Learnt { answer, failure, ..Learnt::default() };
        let left = left.then(|| "its processes live on".to_owned());
        judge(learnt, left, "could not").map(drop).map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn what_a_probe_left_behind_is_told_beside_what_it_learnt() {
        let deleted = || Some(Fact::Deleted { session_id: "S".to_owned() });
        let missing = || {
            Some(FailureKind::MissingCapability {
                capability: "delete".to_owned(),
                method: "session/delete".to_owned(),
            })
        };
        let told = |text: &str| Err(text.to_owned());
        assert_eq!(judged(deleted(), None, false), Ok(()));
        assert_eq!(
            judged(deleted(), None, true),
            told("could not: the agent confirmed that session 'S' is deleted, but its processes live on")
        );
        assert_eq!(judged(None, None, true), told("could not: its processes live on"));
        assert_eq!(judged(None, Some(FailureKind::Closed), false), told("could not: why"));
        assert_eq!(
            judged(deleted(), Some(FailureKind::Closed), true),
            told("could not: the agent confirmed that session 'S' is deleted, but why; moreover its processes live on")
        );
        assert_eq!(judged(None, missing(), true), told("why; moreover its processes live on"));
    }
}
