//! Taking over what a dead server left.
//!
//! Every active Run names its server. When that is dead, one of the living takes the Run over (the journal lets
//! exactly one win), reads its events back and goes on: what was accepted is kept, and each call that was under way
//! is called again, by which its executor goes on with what still runs, takes the result that is there, or says that
//! it is lost. What that means is for the rules.

use std::{
    collections::HashMap,
    pin::Pin,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use segue_channel::api::List;
use segue_journal::{Append, AppendError, Authority, Batch, DocumentChange, HostRow, Row, RunRow, Seq, Token};
use segue_model::{
    HostId,
    flow::RunId,
    task::{Created, Status as TaskStatus},
};
use tokio::task::JoinSet;

use crate::{
    drive::{RunJob, attempt_of, chain},
    error::{RunError, StorageError},
    payload::run_stream,
    people, reads,
    record::{Owner, RunRecord},
    row, rules,
    shared::{Busy, Shared, blocking},
};

/// A server that drives a Run, beside this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Driver {
    /// The number of its process, if it is known.
    pub process: Option<u32>,
}

/// How often a running server looks for what others left.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// Tasks of the channel that are looked through at once: as many as it lists.
const TASKS_PAGE: i64 = 100;

/// Looks now and every few seconds, until the shutdown. That waits for the first look, which `first` stands for.
pub async fn serve(shared: Arc<Shared>, first: Busy) {
    shared.has_looked.store(look(&shared).await, Ordering::Release);
    drop(first);
    loop {
        tokio::select! {
            () = tokio::time::sleep(LOOK_EVERY) => {}
            () = shared.stopped() => return,
        }
        if once(&shared).await {
            shared.has_looked.store(true, Ordering::Release);
        }
    }
}

/// Takes over every active Run of the workspace whose server is dead. Nothing once the shutdown began. True when it was
/// seen what there is.
pub async fn once(shared: &Arc<Shared>) -> bool {
    // Counted before the question: the shutdown either is seen here or waits.
    let _busy = shared.busy();
    !shared.is_stopping() && look(shared).await
}

/// A look that began before the shutdown takes over what is left even so: the shutdown ends it as everything that runs.
/// False when it could not be seen what there is.
async fn look(shared: &Arc<Shared>) -> bool {
    let workspace = shared.workspace.key().to_owned();
    let active = match shared.read(move |journal| Ok(journal.active_runs(&workspace)?)).await {
        Ok(active) => active,
        Err(error) => {
            tracing::warn!("look for runs of dead servers: {}", chain(&error));
            return false;
        }
    };
    for row in active.iter().filter(|row| is_left(shared, row)) {
        if let Some(run) = RunId::parse(&row.id) {
            take_up(shared, &run).await;
        }
    }
    true
}

/// Its server is dead, or it is this one and has no job for it: a takeover broke off.
fn is_left(shared: &Shared, row: &RunRow) -> bool {
    if row.server == shared.instance() {
        return RunId::parse(&row.id).is_some_and(|run| shared.job(&run).is_none());
    }
    !shared.journal().alive(&row.server)
}

/// Whether a living server drives a Run, or it has ended and needs none.
///
/// # Errors
/// There is no such Run.
pub async fn is_driven(shared: &Arc<Shared>, run: &str) -> Result<bool, RunError> {
    let row = reads::row_of(shared, run).await?;
    Ok(row.ended || !is_left(shared, &row))
}

/// The other living server that drives a Run.
///
/// # Errors
/// There is no such Run.
pub async fn driver(shared: &Arc<Shared>, run: &str) -> Result<Option<Driver>, RunError> {
    let row = reads::row_of(shared, run).await?;
    let is_other = !row.ended && row.server != shared.instance() && shared.journal().alive(&row.server);
    Ok(is_other.then(|| Driver { process: shared.journal().process(&row.server) }))
}

/// Takes one Run over if it is still left and the shutdown has not begun.
pub async fn adopt(shared: &Arc<Shared>, run: &RunId) {
    // As in `once`.
    let _busy = shared.busy();
    if !shared.is_stopping() {
        take_up(shared, run).await;
    }
}

/// What breaks off is tried again at the next look.
async fn take_up(shared: &Arc<Shared>, run: &RunId) {
    let Some(_claim) = shared.claim(run) else { return };
    if let Err(error) = adopt_claimed(shared, run).await {
        tracing::warn!(%run, "take over: {}", chain(&error));
    }
}

async fn adopt_claimed(shared: &Arc<Shared>, run: &RunId) -> Result<(), RunError> {
    let row = reads::row_of(shared, run.as_str()).await?;
    // A job that came and went since the claim has ended the Run.
    if row.ended || !is_left(shared, &row) {
        return Ok(());
    }
    // Not taken over and not set aside: a newer release is to find it as its server left it.
    let (reading, known) = (Arc::clone(shared), run.clone());
    if let Some(why) = blocking(move || rules::newer(&**reading.journal(), &known)).await? {
        if shared.is_news(run) {
            tracing::warn!(%run, "left alone: {why}");
        }
        return Ok(());
    }
    let (journal, stream) = (Arc::clone(shared.journal()), run_stream(run));
    let taken = blocking(move || Ok(journal.take_over(&stream)?)).await;
    let taken = match taken {
        Ok(taken) => taken,
        // Another server was faster.
        Err(StorageError::Append(AppendError::Fenced { .. } | AppendError::NoStream { .. })) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    tracing::info!(%run, "taken over");
    let loaded = match reads::load(shared, run).await {
        Ok(loaded) => loaded,
        Err(RunError::Storage(error)) if !error.is_permanent() => return Err(error.into()),
        Err(error) => {
            quarantine(shared, row, taken, &chain(&error)).await;
            return Ok(());
        }
    };
    let hosts = hosts_of(shared, run).await?;
    let owner = Owner {
        workspace: shared.workspace.key().to_owned(),
        server: shared.instance(),
        admission_key: loaded.row.admission_key.clone(),
    };
    // A start that this very process has under way still comes to its end.
    let here = shared.place.as_deref().filter(|_| row.server != shared.instance());
    let hosts: HashMap<_, _> = hosts.iter().filter_map(|host| attempt_of(host, here)).collect();
    let recorded = loaded.events.iter().map(|event| event.at).max().unwrap_or(loaded.run.state.started_at);
    // What people asked the server before comes before anything that follows; what they ask from now on is served.
    let asked = people::left_for(shared, run).await?;
    people::serve(shared);
    let record = RunRecord::taken_over(loaded.run, loaded.bound, owner, taken);
    RunJob::resume(shared, record, recorded, hosts, asked).go();
    Ok(())
}

async fn hosts_of(shared: &Arc<Shared>, run: &RunId) -> Result<Vec<HostRow>, StorageError> {
    let stream = run_stream(run);
    let hosts = shared.read(|journal| Ok(journal.hosts()?)).await?;
    Ok(hosts.into_iter().filter(|row| row.stream.as_ref() == Some(&stream)).collect())
}

/// Sets a Run aside that cannot be driven: it is not active any more, its row says why, and what was recorded of it
/// stays as it is.
pub async fn quarantine(shared: &Arc<Shared>, row: RunRow, (token, expected): (Token, Seq), why: &str) {
    tracing::error!(run = row.id, "quarantined: {why}");
    let Ok(run) = row::run_id(&row) else { return };
    let stream = run_stream(&run);
    let hosts = hosts_of(shared, &run).await.unwrap_or_default();
    // Before their rows go: a crash in between finds both again.
    end_programs(shared, &hosts).await;
    end_work(shared, &run).await;
    let append = Append { stream, authority: Authority::Owner(token), expected, events: Vec::new(), release: true };
    let set_aside = RunRow { ended: true, waiting: false, body: row::quarantined_body(&row, why), ..row };
    let mut rows = vec![Row::Run(Box::new(set_aside))];
    rows.extend(hosts.into_iter().map(|host| Row::RemoveHost(host.id)));
    let listed = DocumentChange::Create {
        workspace: shared.workspace.key().to_owned(),
        kind: row::QUARANTINE.to_owned(),
        id: run.as_str().to_owned(),
        at: shared.now().0,
        body: serde_json::to_string(why).unwrap_or_default(),
    };
    let batch = Batch { appends: vec![append], rows, documents: vec![listed], ..Batch::default() };
    if let Err(error) = shared.journal().append(batch).await {
        tracing::warn!(%run, "set aside: {error}");
    }
}

/// Nobody takes what the programs of a Run give that is set aside, so they are ended.
async fn end_programs(shared: &Shared, hosts: &[HostRow]) {
    for host in hosts.iter().filter_map(|row| HostId::parse(&row.id)) {
        let dir = shared.config.hosts.join(host.as_str());
        let identity = segue_host::identity(&dir).await.ok().flatten();
        let receipt = segue_host::sweep(&host, identity.as_ref()).await;
        if let Some(why) = receipt.unconfirmed.filter(|_| !receipt.tree_empty) {
            tracing::warn!("the end of {} is not confirmed: {why}", dir.display());
            continue;
        }
        if let Err(error) = segue_host::remove(&dir).await {
            tracing::warn!("remove {}: {error}", dir.display());
        }
    }
}

/// Ends what a Run that is set aside has under way beside its own programs: tasks of the channel, and the Runs that are
/// nodes of it. Nobody takes what they give.
pub async fn end_work(shared: &Arc<Shared>, run: &RunId) {
    let mut ending = JoinSet::new();
    for task in tasks_of(shared, run).await {
        let (channel, actor) = (shared.config.channel.clone(), run.as_str().to_owned());
        ending.spawn(async move {
            if let Err(refusal) = channel.cancel_task(&task, Some(actor)).await {
                tracing::warn!(task, "end a task of a run that is set aside: {}", refusal.message);
            }
        });
    }
    for child in children_of(shared, run).await {
        ending.spawn(end_child(Arc::clone(shared), child));
    }
    while ending.join_next().await.is_some() {}
}

/// Its tasks that have not ended, of any server.
async fn tasks_of(shared: &Shared, run: &RunId) -> Vec<String> {
    let prefix = format!("{run}/");
    let is_of_run = |request: &Created| {
        let key = request.client_key.as_deref().is_some_and(|key| key.starts_with(&prefix));
        key && request.initiator_id.as_deref() == Some(run.as_str())
    };
    let mut found = Vec::new();
    for status in [TaskStatus::Created, TaskStatus::Starting, TaskStatus::Running] {
        let mut after = None;
        loop {
            let status = Some(status.as_str().to_owned());
            let list = List { limit: TASKS_PAGE, all: true, status, after, ..List::default() };
            let listed = match shared.config.channel.list_tasks(list).await {
                Ok(listed) => listed,
                Err(refusal) => {
                    tracing::warn!(%run, "look for the tasks of a run that is set aside: {}", refusal.message);
                    break;
                }
            };
            let own = listed.tasks.iter().filter(|view| is_of_run(&view.task.request));
            found.extend(own.map(|view| view.task.id.as_str().to_owned()));
            after = listed.next;
            if after.is_none() {
                break;
            }
        }
    }
    found
}

async fn children_of(shared: &Arc<Shared>, run: &RunId) -> Vec<RunId> {
    let workspace = shared.workspace.key().to_owned();
    let active = shared.read(move |journal| Ok(journal.active_runs(&workspace)?)).await.unwrap_or_default();
    let is_child = |row: &RunRow| {
        let body = row::read(row).ok()?;
        (body.about.subrun_of?.run_id == *run).then(|| row::run_id(row).ok())?
    };
    active.iter().filter_map(is_child).collect()
}

/// Boxed: it may have to be taken over first, and may turn out to be one that is set aside as well.
fn end_child(shared: Arc<Shared>, child: RunId) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(async move {
        if let Err(error) = people::cancel(&shared, child.as_str(), None, None).await {
            tracing::warn!(run = %child, "cancel the node of a run that is set aside: {}", chain(&error));
        }
    })
}
