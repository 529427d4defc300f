//! `spawn_task`: checks in the order of the contract, then a task that every path ends.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use segue_host::{
    HostConfig, HostSpec, StartError,
    acp::{Conversation, Plan, Purpose, TurnPlan},
    adapters::{Adapter, Options, locate},
};
use segue_journal::{AppendError, Batch, HoldChange, HoldKey, HostRow, Row, TaskRow};
use segue_model::{
    HostId, TaskId,
    lease::{self, Bounds, IDLE_DEFAULT, IDLE_RANGE, Lease, Reason, TURNS_DEFAULT, TURNS_RANGE},
    task::{Created, Event, Status},
};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::{
    agent::{
        AgentJob, Ask, Begin, FurtherTurn, Source, Turn,
        checkpoint::{Checkpoint, Renewal, TurnState},
        session_in_use,
    },
    api::Spawn,
    caller::Caller,
    error::{Code, Refusal},
    leases, ledger, markers,
    record::{LeaseRecord, TaskRecord},
    remnants,
    shared::{Shared, Slot},
    workspace,
};

/// The longest session id. Fixed by the channel contract.
const SESSION_CHARS: usize = 256;
/// The longest client key.
const KEY_CHARS: usize = 200;
/// The longest deadline: a week. Longer ones are mistakes of unit.
const DEADLINE_SECONDS: f64 = 7.0 * 24.0 * 3_600.0;
/// How long a claim waits for the previous turn to be handed over. Fixed by the channel contract.
const HANDOVER: std::time::Duration = std::time::Duration::from_secs(5);
/// How long to wait before a write is tried again after the journal said that it could not.
const RETRY_AFTER: std::time::Duration = std::time::Duration::from_millis(250);

/// A task, as the call that asks for one is answered.
#[derive(Debug)]
pub enum Started {
    /// An earlier call with the same key made it.
    Before(TaskId),
    Now(Box<Begun>),
}

/// A task of this call as it stood when the call was answered. What was started is told even when the journal cannot
/// be read at that moment.
#[derive(Debug)]
pub struct Begun {
    pub row: TaskRow,
    pub lease: Option<Lease>,
}

impl Begun {
    #[must_use]
    pub fn of(record: &TaskRecord, lease: Option<&LeaseRecord>) -> Started {
        Started::Now(Box::new(Self { row: record.row(), lease: lease.map(|lease| lease.lease.clone()) }))
    }
}

/// Everything that was checked.
#[derive(Debug)]
struct Checked {
    adapter: Adapter,
    options: Options,
    environment: BTreeMap<std::ffi::OsString, std::ffi::OsString>,
    workspace: String,
    keep: Option<Bounds>,
    renewal: Renewal,
}

/// The code of a batch that was refused.
#[must_use]
pub fn refusal_of(error: AppendError) -> Refusal {
    match error {
        AppendError::Held { key, holder } => session_in_use(&key, &holder),
        other => other.into(),
    }
}

/// Starts a task; it is given back once it runs or has failed.
///
/// # Errors
/// Any of the contract's codes; nothing was changed then.
pub async fn spawn(shared: &Arc<Shared>, request: Spawn, caller: &Caller) -> Result<Started, Refusal> {
    if let Some(key) = &request.client_key {
        check_key(key)?;
        let key = key.clone();
        if let Some(row) = ledger::read(shared, move |journal| journal.task_by_key(&key)).await? {
            return known(&row.id);
        }
    }
    let checked = check(shared, &request)?;
    let key = request.client_key.clone();
    let started = match request.on_agent.clone() {
        Some(handle) => further(shared, &handle, request, checked, caller).await,
        None => first(shared, request, checked, caller).await,
    };
    // A call with the same key at the same time: what stands in this one's way is the task that it asks for.
    if let (Err(_), Some(key)) = (&started, key)
        && let Some(row) = ledger::read(shared, move |journal| journal.task_by_key(&key)).await?
    {
        return known(&row.id);
    }
    started
}

fn known(id: &str) -> Result<Started, Refusal> {
    TaskId::parse(id)
        .map(Started::Before)
        .ok_or_else(|| Refusal::new(Code::Internal, format!("the journal names a task {id:?}")))
}

fn check_key(key: &str) -> Result<(), Refusal> {
    let chars = key.chars().count();
    if chars == 0 || chars > KEY_CHARS {
        return Err(Refusal::invalid(format!("client_key must have 1 to {KEY_CHARS} characters, not {chars}")));
    }
    Ok(())
}

fn check(shared: &Shared, request: &Spawn) -> Result<Checked, Refusal> {
    let keep_bounds = || keep(request.keep_idle, request.keep_turns);
    let mut renewal = Renewal::default();
    if request.on_agent.is_some() {
        if request.session_id.is_some() {
            return Err(Refusal::invalid("on_agent and session_id exclude each other: a kept agent has its session"));
        }
        renewal = keep_bounds()?;
    }
    let adapter = agent(shared, &request.agent)?.clone();
    if let Some(session) = &request.session_id {
        check_session(session)?;
    }
    let options = Options::parse(&adapter, request.options.as_ref()).map_err(Refusal::invalid)?;
    let environment = environment(shared, &adapter)?;
    let workspace = workspace::resolve(request.workspace.as_deref(), &shared.config.cwd)?;
    let workspace = workspace
        .into_os_string()
        .into_string()
        .map_err(|path| Refusal::invalid(format!("workspace {path:?} is not valid UTF-8")))?;
    let mut bounds = None;
    if request.on_agent.is_none() && (request.keep_idle.is_some() || request.keep_turns.is_some()) {
        let given = keep_bounds()?;
        bounds = Some(Bounds {
            keep_idle: given.keep_idle.unwrap_or(IDLE_DEFAULT),
            keep_turns: given.keep_turns.unwrap_or(TURNS_DEFAULT),
        });
    }
    if let Some(seconds) = request.deadline_seconds
        && !(seconds > 0.0 && seconds <= DEADLINE_SECONDS)
    {
        return Err(Refusal::invalid(format!(
            "deadline_seconds must be above 0 and at most {DEADLINE_SECONDS}, not {seconds}"
        )));
    }
    Ok(Checked { adapter, options, environment, workspace, keep: bounds, renewal })
}

/// The adapter of an agent.
///
/// # Errors
/// `unknown_agent`.
pub fn agent<'a>(shared: &'a Shared, name: &str) -> Result<&'a Adapter, Refusal> {
    shared.config.agents.get(name).ok_or_else(|| {
        let known: Vec<&str> = shared.config.agents.names().collect();
        Refusal::new(Code::UnknownAgent, format!("no agent {:?}; known are {}", ledger::short(name), known.join(", ")))
    })
}

/// The environment of an agent.
///
/// # Errors
/// `invalid_request` naming the variable that cannot be used.
pub fn environment(
    shared: &Shared,
    adapter: &Adapter,
) -> Result<BTreeMap<std::ffi::OsString, std::ffi::OsString>, Refusal> {
    let server = shared.config.environment.iter().cloned().collect();
    adapter.environment(&server).map_err(|error| Refusal::invalid(error.to_string()))
}

/// The bounds of a lease as given.
///
/// # Errors
/// `invalid_request` naming the argument and its range.
pub fn keep(idle: Option<i64>, turns: Option<i64>) -> Result<Renewal, Refusal> {
    let within = |name: &str, value: Option<i64>, range: std::ops::RangeInclusive<u32>| {
        value
            .map(|value| {
                u32::try_from(value).ok().filter(|v| range.contains(v)).ok_or_else(|| {
                    Refusal::invalid(format!("{name} must be from {} to {}, not {value}", range.start(), range.end()))
                })
            })
            .transpose()
    };
    Ok(Renewal {
        keep_idle: within("keep_idle", idle, IDLE_RANGE)?,
        keep_turns: within("keep_turns", turns, TURNS_RANGE)?,
    })
}

fn check_session(id: &str) -> Result<(), Refusal> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "._:@/[]-".contains(c);
    let good =
        id.starts_with(|c: char| c.is_ascii_alphanumeric()) && id.chars().all(allowed) && id.len() <= SESSION_CHARS;
    if good {
        return Ok(());
    }
    Err(Refusal::invalid(format!(
        "session_id must be 1 to {SESSION_CHARS} characters of A-Z a-z 0-9 . _ : @ / [ ] - and begin with a letter or digit; not {:?}",
        ledger::short(id)
    )))
}

fn created(request: &Spawn, checked: &Checked) -> Created {
    let on_agent = request.on_agent.is_some();
    Created {
        agent: request.agent.clone(),
        workspace: checked.workspace.clone(),
        initiator_id: request.initiator_id.clone(),
        executor_id: request.executor_id.clone(),
        session_id: request.session_id.clone(),
        options: request.options.clone().map_or_else(|| json!({}), Value::Object),
        keep_idle: if on_agent { checked.renewal.keep_idle } else { checked.keep.map(|b| b.keep_idle) },
        keep_turns: if on_agent { checked.renewal.keep_turns } else { checked.keep.map(|b| b.keep_turns) },
        agent_handle: None,
        on_agent,
        client_key: request.client_key.clone(),
        deadline_seconds: request.deadline_seconds,
    }
}

/// A turn on a kept agent.
async fn further(
    shared: &Arc<Shared>,
    handle: &str,
    request: Spawn,
    checked: Checked,
    caller: &Caller,
) -> Result<Started, Refusal> {
    let (lease, job) = leases::job(shared, handle).await?;
    let mut created = created(&request, &checked);
    created.agent_handle = Some(lease.handle.clone());
    let turn = TurnPlan { settings: checked.adapter.settings(&checked.options), allow: checked.options.allow };
    let (reply, answer) = oneshot::channel();
    let further = FurtherTurn {
        id: shared.draw_task(),
        request: created,
        prompt: request.prompt.into(),
        plan: turn,
        launch_flags: checked.adapter.launch_flags(&checked.options),
        renewal: checked.renewal,
        reply,
    };
    let gone = || Refusal::new(Code::AgentGone, format!("{} is gone", lease.handle));
    job.asks.send(Ask::Turn(Box::new(further))).map_err(|_| gone())?;
    match tokio::time::timeout(HANDOVER, answer).await {
        Ok(Ok(outcome)) => {
            if let Ok((task, _)) = &outcome {
                caller.watch(&job, task);
            }
            outcome.map(|(_, started)| started)
        }
        Ok(Err(_)) => Err(leases::lost(shared, handle).await?),
        Err(_) => {
            Err(Refusal::new(Code::AgentBusy, format!("{} is still handing over its previous turn", lease.handle)))
        }
    }
}

/// A task with an agent process of its own.
async fn first(shared: &Arc<Shared>, request: Spawn, checked: Checked, caller: &Caller) -> Result<Started, Refusal> {
    let slot = match checked.keep {
        None => None,
        Some(_) => Some(shared.take_slot().ok_or_else(|| {
            Refusal::new(
                Code::AgentLimit,
                format!("{} agents are kept, of at most {}", shared.open_leases(), lease::OPEN_LEASES),
            )
        })?),
    };
    let id = shared.draw_task();
    let handle = checked.keep.map(|_| shared.draw_handle());
    let mut created = created(&request, &checked);
    created.agent_handle.clone_from(&handle);
    let now = shared.now();
    let mut record = TaskRecord::create(id.clone(), created, request.prompt.clone(), shared.instance(), now);
    let starting = Event::StatusChanged { from: Status::Created, to: Status::Starting };
    record.push(&starting, now).expect("a new task starts so");
    let lease = handle.zip(checked.keep).map(|(handle, bounds)| {
        let reserved = lease::Reserved {
            task: id.clone(),
            agent: request.agent.clone(),
            workspace: checked.workspace.clone(),
            options: record.task.request.options.clone(),
            bounds,
        };
        LeaseRecord::create(handle, reserved, shared.instance(), now)
    });
    let mut start = Start {
        shared,
        host: shared.draw_host(),
        record,
        lease,
        slot,
        checkpoint: Checkpoint {
            agent: request.agent.clone(),
            exe: checked.adapter.exe().to_owned(),
            launch_flags: checked.adapter.launch_flags(&checked.options),
            ..Checkpoint::default()
        },
        session: request.session_id.clone(),
    };
    let holds: Vec<HoldChange> =
        start.hold_key().map(|key| HoldChange::Take { key, holder: format!("task {id}") }).into_iter().collect();
    let mut written = start.write(holds.clone(), false).await;
    if let Err(AppendError::Held { key, .. }) = &written
        && remnants::free(shared, key).await
    {
        written = start.write(holds, false).await;
    }
    match written {
        Ok(()) => {}
        Err(AppendError::DuplicateKey { task }) => return known(&task),
        Err(error) => return Err(remnants::refusal_of(shared, error).await),
    }
    let live = shared.add_live(id.clone());
    match start.launch(&checked, caller).await {
        Ok(identity) => Ok(start.running(&checked, request.prompt.into(), live, identity, caller).await),
        Err(cause) => Ok(start.failed(&cause).await),
    }
}

/// A task between its creation and its agent's first word.
#[derive(Debug)]
struct Start<'a> {
    shared: &'a Arc<Shared>,
    host: HostId,
    record: TaskRecord,
    lease: Option<LeaseRecord>,
    slot: Option<Slot>,
    checkpoint: Checkpoint,
    session: Option<String>,
}

impl Start<'_> {
    fn hold_key(&self) -> Option<HoldKey> {
        self.session.clone().map(|session| HoldKey { agent: self.checkpoint.agent.clone(), session })
    }

    fn host_row(&self) -> HostRow {
        HostRow {
            id: self.host.as_str().to_owned(),
            server: self.shared.instance(),
            stream: Some(self.record.stream()),
            out: 0,
            err: 0,
            body: serde_json::to_string(&self.checkpoint).unwrap_or_default(),
        }
    }

    /// Task, lease, hold and host row in one transaction; with `end` the host row goes.
    async fn write(&mut self, holds: Vec<HoldChange>, end: bool) -> Result<(), AppendError> {
        let (append, row) = self.record.take(end);
        let mut batch = Batch { appends: vec![append], rows: vec![row], holds, ..Batch::default() };
        if let Some(lease) = self.lease.as_mut().filter(|lease| lease.has_unwritten()) {
            let (append, row) = lease.take();
            batch.appends.push(append);
            batch.rows.push(row);
        }
        batch.rows.push(if end {
            Row::RemoveHost(self.host.as_str().to_owned())
        } else {
            Row::Host(Box::new(self.host_row()))
        });
        let committed = match self.shared.journal().append(batch.clone()).await {
            Ok(committed) => committed,
            Err(error) => {
                let mut appends = batch.appends.into_iter();
                self.record.untake(appends.next().map(|append| append.events).unwrap_or_default());
                if let (Some(lease), Some(append)) = (&mut self.lease, appends.next()) {
                    lease.untake(append.events);
                }
                return Err(error);
            }
        };
        let mut last = committed.last.into_iter();
        self.record.written(last.next().unwrap_or_default());
        if let (Some(lease), Some(last)) = (&mut self.lease, last.next()) {
            lease.written(last);
        }
        Ok(())
    }

    /// Writes the end of a failed start, however long it takes: nobody else would.
    async fn write_end(&mut self, holds: Vec<HoldChange>) -> Result<(), AppendError> {
        loop {
            match self.write(holds.clone(), true).await {
                Err(error @ (AppendError::Busy(_) | AppendError::Full(_) | AppendError::Storage(_)))
                    if !self.shared.is_stopping() =>
                {
                    tracing::warn!(host = %self.host, "the end of a start has to wait: {error}");
                    tokio::time::sleep(RETRY_AFTER).await;
                }
                done => return done,
            }
        }
    }

    /// Starts the host and in it the agent.
    async fn launch(&mut self, checked: &Checked, caller: &Caller) -> Result<segue_host::HostIdentity, String> {
        let shared = self.shared;
        if shared.is_stopping() {
            return Err("the server is shutting down".to_owned());
        }
        if caller.is_gone() {
            return Err("the call was cancelled while the agent was starting".to_owned());
        }
        start_host(shared, &self.host, &checked.adapter, &checked.options, &checked.environment, &checked.workspace)
            .await
    }

    /// `starting → running`, and the job that has the agent from here on.
    async fn running(
        mut self,
        checked: &Checked,
        prompt: Arc<str>,
        live: Arc<crate::shared::LiveCell>,
        identity: segue_host::HostIdentity,
        caller: &Caller,
    ) -> Started {
        let shared = self.shared;
        let id = self.record.task.id.clone();
        let plan = Plan {
            cwd: checked.workspace.clone(),
            purpose: Purpose::Turn {
                resume: self.session.clone(),
                turn: TurnPlan { settings: checked.adapter.settings(&checked.options), allow: checked.options.allow },
            },
            exe: self.checkpoint.exe.clone(),
            launch_flags: self.checkpoint.launch_flags.clone(),
            client: shared.config.client.clone(),
        };
        let (conversation, acts) = Conversation::begin(plan);
        let now = shared.now();
        let pid = u32::try_from(identity.program.pid).unwrap_or_default();
        for event in
            [Event::ProcessStarted { pid }, Event::StatusChanged { from: Status::Starting, to: Status::Running }]
        {
            self.record.push(&event, now).expect("a starting task begins to run so");
        }
        self.checkpoint.identity = Some(identity);
        self.checkpoint.conversation = Some(conversation.clone());
        self.checkpoint.turn = Some(TurnState::default());
        // The agent runs: whatever the journal says now, the task is carried on until it is recorded.
        let recorded = self.write(Vec::new(), false).await;
        let started = Begun::of(&self.record, self.lease.as_ref());
        let dir = shared.host_dir(&self.host);
        let source = match Source::attach(&dir, segue_host::Offsets::default()).await {
            Ok((source, _)) => source,
            Err(error) => {
                tracing::warn!(host = %self.host, "attach: {}", chain(&error));
                Source::retry(dir)
            }
        };
        let turn = Turn::new(self.record, prompt, live, now);
        let sends = acts.into_iter().filter_map(|act| match act {
            segue_host::acp::Act::Send(out) => Some(out),
            segue_host::acp::Act::Fact(_) => None,
        });
        let job = AgentJob::start(
            shared,
            Begin {
                host: self.host,
                source,
                conversation,
                checkpoint: self.checkpoint,
                turn: Some(turn),
                lease: self.lease,
                slot: self.slot,
                sends: sends.collect(),
                out: 0,
                err: 0,
                behind: None,
                unwritten: recorded.is_err(),
            },
        );
        caller.watch(&job, &id);
        started
    }

    /// `starting → failed`.
    async fn failed(mut self, cause: &str) -> Started {
        let shared = self.shared;
        let id = self.record.task.id.clone();
        let now = shared.now();
        let events = [
            Event::Error { message: format!("agent could not be started: {cause}") },
            Event::StatusChanged { from: Status::Starting, to: Status::Failed },
        ];
        for event in &events {
            self.record.push(event, now).expect("a starting task fails so");
        }
        if let Some(lease) = &mut self.lease {
            let event = lease.lease.turn_not_kept(Reason::NotStarted);
            lease.push(&event, now).expect("a reserved lease ends so");
        }
        let holds =
            self.hold_key().map(|key| HoldChange::Free { key, holder: format!("task {id}") }).into_iter().collect();
        let written = self.write_end(holds).await;
        shared.remove_live(&id);
        if let Err(error) = written {
            // The next server finds the start under way, and its host gone.
            tracing::error!(task = %id, "the end of a start is not recorded: {error}");
        }
        let started = Begun::of(&self.record, self.lease.as_ref());
        shared.task_ended();
        markers::task_ended(shared, &id).await;
        started
    }
}

/// Starts a host with an agent in it. The cause of a failure reads after "could not be started:".
///
/// # Errors
/// When the workspace is no directory, the executable is not found, or the process cannot start.
pub async fn start_host(
    shared: &Arc<Shared>,
    host: &HostId,
    adapter: &Adapter,
    options: &Options,
    environment: &BTreeMap<std::ffi::OsString, std::ffi::OsString>,
    workspace: &str,
) -> Result<segue_host::HostIdentity, String> {
    if !Path::new(workspace).is_dir() {
        return Err(workspace::not_a_directory(workspace));
    }
    let path = environment.get(std::ffi::OsStr::new("PATH")).map(std::ffi::OsString::as_os_str);
    let program = locate(&adapter.program, path).map_err(|error| error.to_string())?;
    let grace = |duration: std::time::Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let spec = HostSpec {
        host_id: host.clone(),
        dir: shared.host_dir(host),
        exe: shared.config.exe.clone(),
        program,
        args: adapter.arguments(options).into_iter().map(Into::into).collect(),
        env: environment.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
        cwd: workspace.into(),
        config: HostConfig {
            eof_grace_ms: grace(adapter.eof_grace),
            orphan_grace_ms: if shared.config.ephemeral { 0 } else { grace(shared.config.orphan_grace) },
            discard_on_orphan: shared.config.ephemeral,
            ..HostConfig::default()
        },
    };
    let dir = spec.dir.clone();
    match segue_host::start(spec).await {
        Ok(started) => Ok(started.identity),
        Err(error) => {
            // An agent that was asked nothing has done nothing, however far its start had come.
            if matches!(error, StartError::Lost)
                && let Err(left) = segue_host::remove(&dir).await
            {
                tracing::warn!("remove {}: {left}", dir.display());
            }
            Err(chain(&error))
        }
    }
}

/// An error with its causes.
#[must_use]
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        cause = inner.source();
    }
    text
}
