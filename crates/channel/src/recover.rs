//! Taking over what a dead server left.
//!
//! Every host that was started has a row that names its server. When that server is dead, one of
//! the living ones takes its streams over (the journal lets exactly one win), looks at the host, and
//! does what the model says: attach and go on, take in what is left, or end the tree and say so.

use std::{sync::Arc, time::Duration};

use segue_host::{
    HostState, Offsets,
    acp::{Conversation, Plan, Purpose, TurnPlan},
};
use segue_journal::{AppendError, Batch, HostRow, Row, StreamName};
use segue_model::{
    HostId, TaskId,
    task::{
        Because, StopReceipt,
        next::{self, Command, HostSeen},
    },
};

use crate::{
    agent::{AgentJob, Begin, Ended, Source, Turn, checkpoint::Checkpoint},
    ledger,
    record::{LeaseRecord, TaskRecord, lease_stream, task_stream},
    shared::Shared,
};

/// How often a running server looks for what others left.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// What may be done about hosts that are still alive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Adopt {
    /// A server: goes on with them.
    All,
    /// A short-lived command: only ends what is over already.
    Finished,
}

/// Looks now and every few seconds, as long as the channel lives.
pub async fn serve(shared: Arc<Shared>) {
    loop {
        once(&shared, Adopt::All).await;
        tokio::select! {
            () = tokio::time::sleep(LOOK_EVERY) => {}
            () = shared.stopped() => return,
        }
    }
}

/// Takes over every host whose server is dead.
pub async fn once(shared: &Arc<Shared>, adopt: Adopt) {
    let rows = match ledger::read(shared, |journal| journal.hosts()).await {
        Ok(rows) => rows,
        Err(refusal) => {
            tracing::warn!("look for hosts of dead servers: {refusal}");
            return;
        }
    };
    for row in rows {
        if row.server == shared.instance() || shared.journal().alive(&row.server) || shared.is_stopping() {
            continue;
        }
        if let Err(error) = one(shared, row, adopt).await {
            tracing::warn!("take over a host: {error}");
        }
    }
}

/// The stream's task has ended, or there is none.
pub async fn is_finished(shared: &Arc<Shared>, stream: &StreamName) -> bool {
    matches!(ledger::row(shared, stream.id()).await, Ok(row) if row.ended) || stream.kind() != "task"
}

#[derive(Debug, thiserror::Error)]
enum TakeOverError {
    #[error("{0}")]
    Refused(#[from] crate::Refusal),
    #[error("{0}")]
    Journal(#[from] AppendError),
    #[error("the row of {0} cannot be read: {1}")]
    Row(String, serde_json::Error),
}

async fn one(shared: &Arc<Shared>, row: HostRow, adopt: Adopt) -> Result<(), TakeOverError> {
    let Some(host) = HostId::parse(&row.id) else { return Ok(()) };
    let mut checkpoint: Checkpoint =
        serde_json::from_str(&row.body).map_err(|e| TakeOverError::Row(row.id.clone(), e))?;
    if checkpoint.identity.is_none() {
        // The server died between the host's start and writing down who it is.
        checkpoint.identity = segue_host::identity(&shared.host_dir(&host)).await.unwrap_or_default();
    }
    let state = ledger::host_state(shared, &host, checkpoint.identity.clone()).await;
    if adopt == Adopt::Finished && matches!(state, HostState::Alive) {
        return Ok(());
    }
    let Some(stream) = row.stream.clone() else { return probe(shared, &host, &row.body, &checkpoint, &state).await };
    let taken = match take_over(shared, &stream).await {
        Ok(taken) => taken,
        // Another server was faster.
        Err(AppendError::Fenced { .. }) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    tracing::info!(host = %host, stream = %stream, "taken over");
    match stream.kind() {
        "task" => task(shared, host, row, checkpoint, state, taken).await,
        "lease" => {
            let record = lease_of(shared, stream.id(), taken).await?;
            idle(shared, host, row, checkpoint, state, record).await;
            Ok(())
        }
        _ => probe(shared, &host, &row.body, &checkpoint, &state).await,
    }
}

async fn take_over(shared: &Arc<Shared>, stream: &StreamName) -> Result<(u64, u64), AppendError> {
    let journal = Arc::clone(shared.journal());
    let stream = stream.clone();
    tokio::task::spawn_blocking(move || journal.take_over(&stream))
        .await
        .map_err(|e| AppendError::Storage(e.to_string()))?
}

async fn lease_of(
    shared: &Arc<Shared>,
    handle: &str,
    (token, seq): (u64, u64),
) -> Result<Option<LeaseRecord>, TakeOverError> {
    let lease = ledger::lease(shared, handle).await?;
    Ok(lease.map(|(lease, _)| LeaseRecord::taken_over(lease, shared.instance(), token, seq)))
}

/// A turn, with its lease if it is under one.
async fn task(
    shared: &Arc<Shared>,
    host: HostId,
    row: HostRow,
    checkpoint: Checkpoint,
    state: HostState,
    (token, seq): (u64, u64),
) -> Result<(), TakeOverError> {
    let stream = row.stream.clone().unwrap_or_else(|| StreamName::new("task", ""));
    let found = ledger::row(shared, stream.id()).await?;
    let task = ledger::state(&found)?;
    let lease = match &task.request.agent_handle {
        Some(handle) => match take_over(shared, &lease_stream(handle)).await {
            Ok(taken) => lease_of(shared, handle.as_str(), taken).await?,
            Err(AppendError::NoStream { .. } | AppendError::Fenced { .. }) => None,
            Err(error) => return Err(error.into()),
        },
        None => None,
    };
    let seen = seen(&state, checkpoint.identity.is_some());
    let command = next::next(&task, seen);
    let record = TaskRecord::taken_over(task, shared.instance(), token, seq);
    if !matches!(record.task.phase, segue_model::task::Phase::Running { .. }) {
        return unstarted(shared, host, checkpoint, record, lease, command).await;
    }
    let prompt_of = record.task.id.as_str().to_owned();
    let prompt = ledger::read(shared, move |journal| journal.prompt(&prompt_of)).await?.unwrap_or_default();
    let live = shared.add_live(record.task.id.clone());
    let mut turn = Turn::new(record, prompt.into(), live, shared.now());
    turn.state = checkpoint.turn.clone().unwrap_or_default();
    // The work tree may have changed since: only what was read before the prompt counts.
    turn.work_tree = None;
    let slot = lease.as_ref().map(|_| shared.force_slot());
    let conversation = checkpoint.conversation.clone().unwrap_or_else(|| placeholder(shared, &checkpoint));
    let begin = Begin {
        source: Source::silent(shared.host_dir(&host)),
        conversation,
        checkpoint,
        turn: Some(turn),
        lease,
        slot,
        sends: Vec::new(),
        out: row.out,
        err: row.err,
        unwritten: false,
        host,
    };
    carry_out(shared, begin, command, Offsets { out: row.out, err: row.err }).await;
    Ok(())
}

/// A kept agent.
async fn idle(
    shared: &Arc<Shared>,
    host: HostId,
    row: HostRow,
    checkpoint: Checkpoint,
    state: HostState,
    record: Option<LeaseRecord>,
) {
    let command = match seen(&state, checkpoint.identity.is_some()) {
        HostSeen::Alive => Command::Attach,
        HostSeen::Finished => Command::Import,
        HostSeen::OtherBoot => Command::Fail(Because::MachineRestarted),
        HostSeen::Lost | HostSeen::Never => Command::SweepAndFail(Because::HostLost),
    };
    let conversation = checkpoint.conversation.clone().unwrap_or_else(|| placeholder(shared, &checkpoint));
    let begin = Begin {
        source: Source::silent(shared.host_dir(&host)),
        conversation,
        checkpoint,
        turn: None,
        slot: Some(shared.force_slot()),
        lease: record,
        sends: Vec::new(),
        out: row.out,
        err: row.err,
        unwritten: false,
        host,
    };
    carry_out(shared, begin, command, Offsets { out: row.out, err: row.err }).await;
}

/// Starts the job that does what the rule says.
async fn carry_out(shared: &Arc<Shared>, mut begin: Begin, command: Command, from: Offsets) {
    let dir = shared.host_dir(&begin.host);
    match command {
        Command::Attach => {
            begin.source = match Source::attach(&dir, from).await {
                Ok((source, hello)) => {
                    begin.sends =
                        begin.conversation.outbox().iter().filter(|out| out.n > hello.last_input).cloned().collect();
                    source
                }
                // It ended between the look and now; the job looks again.
                Err(_) => Source::retry(dir),
            };
            AgentJob::start(shared, begin);
        }
        Command::Import => {
            begin.source = Source::import(&dir, from).unwrap_or_else(|_| Source::retry(dir));
            AgentJob::start(shared, begin);
        }
        Command::SweepAndFail(because) => {
            let receipt = ledger::sweep(&begin.host, begin.checkpoint.identity.clone()).await;
            AgentJob::start_ended(shared, begin, Ended::lost(because, receipt));
        }
        Command::Fail(because) => {
            let receipt = StopReceipt { tree_empty: true, ..StopReceipt::default() };
            AgentJob::start_ended(shared, begin, Ended::lost(because, receipt));
        }
        Command::Nothing => {}
    }
}

/// A task whose server died before it ran: what was started of it is ended.
async fn unstarted(
    shared: &Arc<Shared>,
    host: HostId,
    checkpoint: Checkpoint,
    record: TaskRecord,
    lease: Option<LeaseRecord>,
    command: Command,
) -> Result<(), TakeOverError> {
    if command == Command::Nothing {
        remove_row(shared, &host).await?;
        return Ok(());
    }
    let receipt = match command {
        Command::Attach => stop(shared, &host).await,
        Command::Import | Command::Fail(_) | Command::Nothing => {
            StopReceipt { tree_empty: true, ..StopReceipt::default() }
        }
        Command::SweepAndFail(_) => ledger::sweep(&host, checkpoint.identity.clone()).await,
    };
    let _ = segue_host::remove(&shared.host_dir(&host)).await;
    AgentJob::end_unstarted(shared, host, record, lease, receipt).await?;
    Ok(())
}

/// A probe that nobody waits for any more.
async fn probe(
    shared: &Arc<Shared>,
    host: &HostId,
    body: &str,
    checkpoint: &Checkpoint,
    state: &HostState,
) -> Result<(), TakeOverError> {
    match seen(state, checkpoint.identity.is_some()) {
        HostSeen::Alive => {
            stop(shared, host).await;
        }
        HostSeen::Lost => {
            ledger::sweep(host, checkpoint.identity.clone()).await;
        }
        HostSeen::Finished | HostSeen::OtherBoot | HostSeen::Never => {}
    }
    let _ = segue_host::remove(&shared.host_dir(host)).await;
    crate::probes::free_hold(shared, host, body).await?;
    remove_row(shared, host).await?;
    Ok(())
}

async fn remove_row(shared: &Arc<Shared>, host: &HostId) -> Result<(), AppendError> {
    let batch = Batch { rows: vec![Row::RemoveHost(host.as_str().to_owned())], ..Batch::default() };
    shared.journal().append(batch).await.map(|_| ())
}

/// Has a host end its tree and waits for that.
pub async fn stop(shared: &Arc<Shared>, host: &HostId) -> StopReceipt {
    use crate::agent::Heard;
    let dir = shared.host_dir(host);
    let Ok((mut source, _)) = Source::attach(&dir, Offsets { out: u64::MAX, err: u64::MAX }).await else {
        return ledger::sweep(host, None).await;
    };
    source.stop("its server died before it was used");
    loop {
        for heard in source.next().await {
            match heard {
                Heard::End(record) => {
                    source.release().await;
                    source.gone().await;
                    return Ended::of_record(*record).receipt;
                }
                Heard::Lost => return ledger::sweep(host, None).await,
                _ => {}
            }
        }
    }
}

/// What the rule is told of a host's state.
#[must_use]
pub const fn seen(state: &HostState, started: bool) -> HostSeen {
    match state {
        // Its folder was removed under it.
        HostState::Missing if started => HostSeen::Lost,
        HostState::Alive => HostSeen::Alive,
        HostState::Ended(_) => HostSeen::Finished,
        HostState::Lost => HostSeen::Lost,
        HostState::OtherBoot => HostSeen::OtherBoot,
        HostState::Missing => HostSeen::Never,
    }
}

/// For a host whose conversation was never written down.
fn placeholder(shared: &Shared, checkpoint: &Checkpoint) -> Conversation {
    let plan = Plan {
        cwd: "/".to_owned(),
        purpose: Purpose::Turn { resume: None, turn: TurnPlan::default() },
        exe: checkpoint.exe.clone(),
        launch_flags: Vec::new(),
        client: shared.config.client.clone(),
    };
    Conversation::begin(plan).0
}

/// Takes one task over if its server is dead.
pub async fn task_of_dead_server(shared: &Arc<Shared>, id: &TaskId) {
    let Ok(rows) = ledger::read(shared, |journal| journal.hosts()).await else { return };
    let stream = task_stream(id);
    for row in rows.into_iter().filter(|row| row.stream.as_ref() == Some(&stream)) {
        if row.server != shared.instance() && !shared.journal().alive(&row.server) {
            if let Err(error) = one(shared, row, Adopt::All).await {
                tracing::warn!("take over {id}: {error}");
            }
        }
    }
}
