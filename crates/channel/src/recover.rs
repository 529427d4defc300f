//! Taking over what a dead server left.
//!
//! Every host that was started has a row that names its server. When that server is dead, one of
//! the living ones takes its streams over (the journal lets exactly one win), looks at the host, and
//! does what the model says: attach and go on, take in what is left, or end the tree and say so.
//!
//! What was read before a stream is one's own may be old by then: the dead server was still writing,
//! or another one took over and went on. So the row is read again once it is, and only that counts.

use std::{sync::Arc, time::Duration};

use segue_host::{
    HostState, Offsets,
    acp::{Conversation, Plan, Purpose, TurnPlan},
};
use segue_journal::{Append, AppendError, Authority, Batch, HostRow, Owner, Row, Seq, StreamName, Token};
use segue_model::{
    HostId, TaskId,
    task::{
        Because,
        next::{self, Command, HostSeen},
    },
};

use tokio::{sync::Semaphore, task::JoinSet};

use crate::{
    agent::{self, AgentJob, Begin, Ended, HOST_LIMIT, Source, Swept, Turn, checkpoint::Checkpoint, silence},
    ledger,
    record::{LeaseRecord, TaskRecord, lease_stream, task_stream},
    remnants,
    shared::Shared,
};

/// How often a running server looks for what others left.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// How many hosts are taken over at once. Most of it is waiting: for a host that is stopped, or for the
/// end of a tree.
const AT_ONCE: usize = 32;

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
    let mut told = None;
    loop {
        // What stays is told once.
        let trouble = once(&shared, Adopt::All).await.err().map(|refusal| refusal.message);
        if let Some(trouble) = trouble.as_ref().filter(|trouble| told.as_ref() != Some(*trouble)) {
            tracing::warn!("look for hosts of dead servers: {trouble}");
        }
        told = trouble;
        tokio::select! {
            () = tokio::time::sleep(LOOK_EVERY) => {}
            () = shared.stopped() => return,
        }
    }
}

/// Takes over every host whose server is dead.
///
/// # Errors
/// When the journal cannot be read.
pub async fn once(shared: &Arc<Shared>, adopt: Adopt) -> Result<(), crate::Refusal> {
    remove_forgotten(shared).await;
    let rows = ledger::read(shared, |journal| journal.hosts()).await?;
    if adopt == Adopt::All {
        remnants::look_after(shared, &rows);
    }
    let hosts: Vec<HostId> = rows.iter().filter(|row| is_left(shared, row)).filter_map(id_of).collect();
    let turns = Arc::new(Semaphore::new(AT_ONCE));
    let mut jobs = JoinSet::new();
    for host in hosts {
        let (shared, turns) = (Arc::clone(shared), Arc::clone(&turns));
        jobs.spawn(async move {
            let _turn = turns.acquire().await;
            if !shared.is_stopping() {
                one(&shared, &host, adopt).await;
            }
        });
    }
    while jobs.join_next().await.is_some() {}
    Ok(())
}

/// Removes the folders of hosts that no row names. A row is written before its folder is made, so such
/// a folder is of work whose end is recorded: its server, or its host, was killed before the folder
/// went.
pub async fn remove_forgotten(shared: &Arc<Shared>) {
    let folders = folders(shared).await;
    if folders.is_empty() {
        return;
    }
    let Ok(rows) = ledger::read(shared, |journal| journal.hosts()).await else { return };
    for folder in folders.into_iter().filter(|folder| !rows.iter().any(|row| row.id == folder.as_str())) {
        let dir = shared.host_dir(&folder);
        if !matches!(segue_host::state(&dir, None).await, Ok(HostState::Alive) | Err(_)) {
            tracing::info!(host = %folder, "the folder of a host that is over is removed");
            let _ = segue_host::remove(&dir).await;
        }
    }
}

/// Its server is dead, or it was taken over by this one and that broke off.
fn is_left(shared: &Shared, row: &HostRow) -> bool {
    // Hosts of Runs are taken over with their Runs, by whoever drives those; what is left of others is looked after
    // apart.
    if row.stream.as_ref().is_some_and(|stream| ["run", remnants::KIND].contains(&stream.kind())) {
        return false;
    }
    if row.server == shared.instance() {
        return id_of(row).is_some_and(|host| shared.has_broken_off(&host));
    }
    !shared.journal().alive(&row.server)
}

fn id_of(row: &HostRow) -> Option<HostId> {
    HostId::parse(&row.id)
}

/// The hosts that have a folder.
async fn folders(shared: &Arc<Shared>) -> Vec<HostId> {
    let hosts = shared.config.hosts.clone();
    let listed = tokio::task::spawn_blocking(move || {
        let entries = std::fs::read_dir(hosts).into_iter().flatten().flatten();
        entries.filter_map(|entry| HostId::parse(entry.file_name().to_str()?)).collect()
    });
    listed.await.unwrap_or_default()
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

/// Takes one host over if it is still left. What breaks off is tried again at the next look.
async fn one(shared: &Arc<Shared>, host: &HostId, adopt: Adopt) {
    let Some(_claim) = shared.claim(host) else { return };
    // A shutdown waits for it: what was taken is not left half done.
    let _busy = shared.busy();
    match adopt_one(shared, host, adopt).await {
        Ok(()) => shared.broke_off(host, false),
        Err(error) => {
            tracing::warn!(%host, "take over: {error}");
            shared.broke_off(host, true);
        }
    }
}

async fn row(shared: &Arc<Shared>, host: &HostId) -> Result<Option<HostRow>, crate::Refusal> {
    let id = host.as_str().to_owned();
    ledger::read(shared, move |journal| journal.host(&id)).await
}

fn checkpoint_of(row: &HostRow) -> Result<Checkpoint, TakeOverError> {
    serde_json::from_str(&row.body).map_err(|error| TakeOverError::Row(row.id.clone(), error))
}

async fn adopt_one(shared: &Arc<Shared>, host: &HostId, adopt: Adopt) -> Result<(), TakeOverError> {
    let Some(seen) = row(shared, host).await?.filter(|row| is_left(shared, row)) else { return Ok(()) };
    let Some(stream) = seen.stream.clone() else { return Ok(remove_row(shared, host).await?) };
    if adopt == Adopt::Finished {
        let identity = checkpoint_of(&seen)?.identity;
        if matches!(ledger::host_state(shared, host, identity).await, HostState::Alive) {
            return Ok(());
        }
    }
    let of = stream.clone();
    match ledger::read(shared, move |journal| journal.owner(&of)).await? {
        Some(Owner::Dead(_) | Owner::Here(_)) => {}
        // Another server was faster, or the stream came to its end meanwhile.
        Some(Owner::Elsewhere(_) | Owner::Nobody) | None => return Ok(()),
    }
    let taken = match take_over(shared, &stream).await {
        Ok(taken) => taken,
        Err(AppendError::Fenced { .. } | AppendError::NoStream { .. }) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let Some(row) = row(shared, host).await?.filter(|row| row.stream.as_ref() == Some(&stream)) else {
        // The host works for another stream by now, and whoever has that one looks after it.
        return Ok(release(shared, stream, taken).await?);
    };
    tracing::info!(%host, %stream, "taken over");
    if let Some(markers) = &shared.config.markers {
        markers.remove_dead();
    }
    let mut checkpoint = checkpoint_of(&row)?;
    if checkpoint.identity.is_none() {
        // The server died between the host's start and writing down who it is.
        checkpoint.identity = segue_host::identity(&shared.host_dir(host)).await.unwrap_or_default();
    }
    let state = ledger::host_state(shared, host, checkpoint.identity.clone()).await;
    match stream.kind() {
        "task" => task(shared, host.clone(), row, checkpoint, state, taken).await,
        "lease" => {
            let record = lease_of(shared, stream.id(), taken).await?;
            idle(shared, host.clone(), row, checkpoint, state, record).await;
            Ok(())
        }
        _ => probe(shared, host, &row.body, &checkpoint, &state, stream, taken).await,
    }
}

/// Gives a stream back that was taken over by mistake.
async fn release(shared: &Arc<Shared>, stream: StreamName, (token, expected): (Token, Seq)) -> Result<(), AppendError> {
    let append = Append { stream, authority: Authority::Owner(token), expected, events: Vec::new(), release: true };
    let batch = Batch { appends: vec![append], ..Batch::default() };
    shared.journal().append(batch).await.map(|_| ())
}

/// The token of a stream that is this server's from now on, and its last event.
///
/// # Errors
/// Its owner lives, or the journal cannot be written.
pub async fn take_over(shared: &Arc<Shared>, stream: &StreamName) -> Result<(u64, u64), AppendError> {
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
            Err(AppendError::NoStream { .. }) => None,
            // Both streams or neither: tried again until whoever has the lease gave it back.
            Err(error) => return Err(error.into()),
        },
        None => None,
    };
    let seen = seen(&state, checkpoint.identity.is_some());
    let command = next::next(&task, seen);
    let record = TaskRecord::taken_over(task, shared.instance(), token, seq);
    if !matches!(record.task.phase, segue_model::task::Phase::Running { .. }) {
        return unstarted(shared, host, checkpoint, record, lease, (command, state)).await;
    }
    let prompt_of = record.task.id.as_str().to_owned();
    let prompt = ledger::read(shared, move |journal| journal.prompt(&prompt_of)).await?.unwrap_or_default();
    let live = shared.add_live(record.task.id.clone());
    let turn_state = checkpoint.turn.clone().unwrap_or_default();
    let turn = Turn::resume(record, turn_state, prompt.into(), live, shared.now());
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
        behind: None,
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
        behind: None,
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
                    begin.behind = Some(hello.end);
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
            let tree = ledger::sweep(&begin.host, begin.checkpoint.identity.clone()).await;
            AgentJob::start_ended(shared, begin, Ended::lost(because, tree));
        }
        Command::Fail(because) => {
            AgentJob::start_ended(shared, begin, Ended::lost(because, Swept::nothing()));
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
    (command, state): (Command, HostState),
) -> Result<(), TakeOverError> {
    let tree = match (command, state) {
        (Command::Nothing, _) => {
            // The end is recorded, and with it the row would have gone.
            remove_row(shared, &host).await?;
            return Ok(release(shared, record.stream(), record.position()).await?);
        }
        (Command::Attach, _) => stop(shared, &host).await,
        (Command::Import, HostState::Ended(end)) => Ended::of_record(*end).tree,
        (Command::SweepAndFail(_), _) => ledger::sweep(&host, checkpoint.identity.clone()).await,
        (Command::Import | Command::Fail(_), _) => Swept::nothing(),
    };
    let _ = segue_host::remove(&shared.host_dir(&host)).await;
    AgentJob::end_unstarted(shared, host, record, lease, checkpoint.identity, tree).await?;
    Ok(())
}

/// A probe that nobody waits for any more.
async fn probe(
    shared: &Arc<Shared>,
    host: &HostId,
    body: &str,
    checkpoint: &Checkpoint,
    state: &HostState,
    stream: StreamName,
    (token, expected): (Token, Seq),
) -> Result<(), TakeOverError> {
    let tree = match seen(state, checkpoint.identity.is_some()) {
        HostSeen::Alive => stop(shared, host).await,
        HostSeen::Lost => ledger::sweep(host, checkpoint.identity.clone()).await,
        HostSeen::Finished | HostSeen::OtherBoot | HostSeen::Never => match state {
            HostState::Ended(end) => Ended::of_record((**end).clone()).tree,
            _ => Swept::nothing(),
        },
    };
    let _ = segue_host::remove(&shared.host_dir(host)).await;
    let append = Append { stream, authority: Authority::Owner(token), expected, events: Vec::new(), release: true };
    let mut batch = Batch { appends: vec![append], ..Batch::default() };
    let held = crate::probes::hold_of(host, body).into_iter().collect();
    agent::close(shared, host, &tree, checkpoint.identity.clone(), held, &mut batch);
    shared.journal().append(batch).await?;
    Ok(())
}

async fn remove_row(shared: &Arc<Shared>, host: &HostId) -> Result<(), AppendError> {
    let batch = Batch { rows: vec![Row::RemoveHost(host.as_str().to_owned())], ..Batch::default() };
    shared.journal().append(batch).await.map(|_| ())
}

/// Has a host end its tree and waits for that.
pub async fn stop(shared: &Arc<Shared>, host: &HostId) -> Swept {
    use crate::agent::Heard;
    let dir = shared.host_dir(host);
    // What it said is of no use, and a host refuses whoever claims to have heard more.
    let Ok((mut source, _)) = Source::attach(&dir, Offsets::default()).await else {
        return ledger::sweep(host, None).await;
    };
    source.stop("its server died before it was used");
    let limit = tokio::time::sleep(HOST_LIMIT);
    let silence = silence(&dir);
    tokio::pin!(limit, silence);
    loop {
        let heard = tokio::select! {
            biased;
            heard = source.next() => heard,
            // A host that stands still is swept like one that is gone.
            () = &mut limit => vec![Heard::Lost],
            () = &mut silence => vec![Heard::Lost],
        };
        for heard in heard {
            match heard {
                Heard::End(record) => {
                    source.release().await;
                    source.gone().await;
                    return Ended::of_record(*record).tree;
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
    for row in rows.iter().filter(|row| row.stream.as_ref() == Some(&stream)) {
        if let Some(host) = id_of(row) {
            one(shared, &host, Adopt::All).await;
        }
    }
}
