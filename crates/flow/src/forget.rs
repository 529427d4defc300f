//! Letting Runs go, and taking back those that were set aside.
//!
//! What a fork or a replay took over of a Run is its own; it stays as it is when the Run goes.

use std::sync::Arc;

use segue_journal::{AppendError, Batch, DocumentChange, Row, RunRow};
use segue_model::flow::RunId;

use crate::{
    drive::chain,
    error::{ForgetError, RestoreError, RunError, StorageError},
    reads, recover, row,
    shared::{Shared, blocking},
};

/// Removes everything that was recorded of a Run that has ended, and the values and files that nothing else names.
///
/// # Errors
/// There is no such Run, it has not ended, or a Run that goes on still reads it.
pub async fn forget(shared: &Arc<Shared>, id: &str) -> Result<RunId, ForgetError> {
    let row = reads::row_of(shared, id).await?;
    let run = row::run_id(&row)?;
    if !row.ended {
        return Err(ForgetError::Active(run));
    }
    if let Some(parent) = reads::summary(shared, id).await?.subrun_of
        && reads::row_of(shared, parent.as_str()).await.is_ok_and(|parent| !parent.ended)
    {
        return Err(ForgetError::NodeOf { run, parent });
    }
    let mut batch = Batch { rows: vec![Row::ForgetRun(row.id.clone())], ..Batch::default() };
    if is_listed(shared, &row).await? {
        batch.documents.push(unlist(shared, &row));
    }
    match shared.journal().append(batch).await {
        // Somebody else took it off the list meanwhile, with the Run.
        Ok(_) | Err(AppendError::NoDocument { .. }) => Ok(run),
        Err(error) => Err(ForgetError::Run(StorageError::from(error).into())),
    }
}

/// Loads a Run again that was set aside, after its reason was mended. One that was active goes on.
///
/// # Errors
/// There is no such Run, it is not set aside, or it still cannot be loaded.
pub async fn restore(shared: &Arc<Shared>, id: &str) -> Result<RunId, RestoreError> {
    let row = reads::row_of(shared, id).await?;
    let run = row::run_id(&row)?;
    if row::quarantine_reason(&row).is_none() {
        return Err(RestoreError::NotQuarantined(run));
    }
    let claim = shared.claim(&run).ok_or_else(|| RestoreError::NotQuarantined(run.clone()))?;
    let (reading, restored) = (Arc::clone(shared), RunRow { body: row::restored_body(&row), ..row.clone() });
    let loaded = blocking(move || Ok(reads::load_row_now(&reading, restored))).await.map_err(RunError::from)?;
    let loaded = match loaded {
        Ok(loaded) => loaded,
        Err(RunError::Storage(error)) if !error.is_permanent() => return Err(RunError::from(error).into()),
        Err(error) => return Err(RestoreError::StillBroken { run, why: chain(&error) }),
    };
    // Of this server from now on; one that is active is adopted as any other that was left.
    let place = row::Place {
        workspace: &row.workspace,
        server: &shared.instance(),
        admission_key: row.admission_key.as_deref(),
        last_seq: loaded.events.last().map_or(row.last_seq, |last| last.seq),
    };
    let now = row::of(&loaded.run, &loaded.bound.flow, &place);
    let active = !now.ended;
    let mut batch = Batch { rows: vec![Row::Run(Box::new(now))], ..Batch::default() };
    if is_listed(shared, &row).await.map_err(RunError::from)? {
        batch.documents.push(unlist(shared, &row));
    }
    shared.journal().append(batch).await.map_err(|error| RunError::from(StorageError::from(error)))?;
    drop(claim);
    if active {
        recover::adopt(shared, &run).await;
    }
    Ok(run)
}

async fn is_listed(shared: &Arc<Shared>, row: &RunRow) -> Result<bool, StorageError> {
    let (workspace, id) = (shared.workspace.key().to_owned(), row.id.clone());
    shared.read(move |journal| Ok(journal.document(&workspace, row::QUARANTINE, &id)?.is_some())).await
}

fn unlist(shared: &Shared, row: &RunRow) -> DocumentChange {
    DocumentChange::Delete {
        workspace: shared.workspace.key().to_owned(),
        kind: row::QUARANTINE.to_owned(),
        id: row.id.clone(),
        expected: None,
    }
}
