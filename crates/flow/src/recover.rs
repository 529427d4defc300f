//! Taking over what a dead server left.
//!
//! Every active Run names its server. When that is dead, one of the living takes the Run over (the journal lets
//! exactly one win), reads its events back and goes on: what was accepted is kept, and each call that was under way
//! is called again, by which its executor goes on with what still runs, takes the result that is there, or says that
//! it is lost. What that means is for the rules.

use std::{collections::HashMap, sync::Arc, time::Duration};

use segue_journal::{Append, AppendError, Authority, Batch, DocumentChange, HostRow, Row, RunRow, Seq, Token};
use segue_model::{HostId, flow::RunId};

use crate::{
    drive::{RunJob, attempt_of, chain},
    error::{RunError, StorageError},
    payload::run_stream,
    reads,
    record::{Owner, RunRecord},
    row, rules,
    shared::{Busy, Shared, blocking},
};

/// How often a running server looks for what others left.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// Looks now and every few seconds, until the shutdown. That waits for the first look, which `first` stands for.
pub async fn serve(shared: Arc<Shared>, first: Busy) {
    look(&shared).await;
    drop(first);
    loop {
        tokio::select! {
            () = tokio::time::sleep(LOOK_EVERY) => {}
            () = shared.stopped() => return,
        }
        once(&shared).await;
    }
}

/// Takes over every active Run of the workspace whose server is dead. Nothing once the shutdown began.
pub async fn once(shared: &Arc<Shared>) {
    // Counted before the question: the shutdown either is seen here or waits.
    let _busy = shared.busy();
    if !shared.is_stopping() {
        look(shared).await;
    }
}

/// A look that began before the shutdown takes over what is left even so: the shutdown ends it as everything that runs.
async fn look(shared: &Arc<Shared>) {
    let workspace = shared.workspace.key().to_owned();
    let active = match shared.read(move |journal| Ok(journal.active_runs(&workspace)?)).await {
        Ok(active) => active,
        Err(error) => {
            tracing::warn!("look for runs of dead servers: {}", chain(&error));
            return;
        }
    };
    for row in active.iter().filter(|row| is_left(shared, row)) {
        if let Some(run) = RunId::parse(&row.id) {
            take_up(shared, &run).await;
        }
    }
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
    let hosts: HashMap<_, _> = hosts.iter().filter_map(attempt_of).collect();
    let record = RunRecord::taken_over(loaded.run, loaded.bound, owner, taken);
    RunJob::resume(shared, record, hosts).go();
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
