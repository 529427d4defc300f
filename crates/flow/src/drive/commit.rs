//! What was learnt becomes durable, then what was decided is carried out.
//!
//! One transaction holds the events, the Run's row, the rows of hosts and artifacts, and the requests that are
//! answered by it.

use std::{sync::atomic::Ordering, time::Duration};

use segue_journal::{AppendError, Batch, Row};

use super::{RunJob, Stopped};
use crate::{admit, error::StorageError, payload, recover};

/// How long to wait before a write is tried again after the journal said that it could not.
const RETRY_AFTER: Duration = Duration::from_millis(250);
/// How often it is tried once the runtime stops: then the next one takes the Run over.
const TRIES_WHEN_STOPPING: u32 = 8;

/// How often a value is kept again that went with another Run. An artifact's bytes, which nobody keeps again, are found
/// missing as often.
const BLOB_TRIES: u32 = 3;

/// Why a new Run was not recorded.
#[derive(Debug)]
pub enum Refused {
    /// Another Run has its key.
    Duplicate,
    /// It exists already.
    Exists,
    /// Something that the admission was judged by has changed meanwhile.
    Stale,
    Storage(StorageError),
}

impl RunJob {
    /// Writes what there is to write, for as long as that takes, and answers who waited for it.
    pub(super) async fn settle_writes(&mut self) -> Result<(), Stopped> {
        let mut tries = 0;
        while self.has_unwritten() {
            match self.write().await {
                Ok(()) => {}
                Err(StorageError::Append(error)) if is_over(&error) => return Err(Stopped::Fenced),
                // Another Run that had the same value was forgotten this moment: the value is kept again.
                Err(StorageError::Append(AppendError::NoBlob { .. })) if tries < BLOB_TRIES => tries += 1,
                Err(StorageError::Append(error)) if is_refusal(&error) => {
                    let why = format!("what it wants to record is refused: {error}");
                    let row = self.record.row_written();
                    recover::quarantine(&self.shared, row, self.record.position(), &why).await;
                    return Err(Stopped::Fenced);
                }
                Err(error) => {
                    tries += 1;
                    tracing::warn!(run = %self.own.run, "the record has to wait: {}", chain(&error));
                    if self.shared.is_stopping() && tries >= TRIES_WHEN_STOPPING {
                        self.shared.unwritten.store(true, Ordering::Release);
                        if matches!(error, StorageError::Append(AppendError::Gone(_))) {
                            self.end_programs().await;
                        } else {
                            self.name_programs().await;
                        }
                        return Err(Stopped::Fenced);
                    }
                    tokio::time::sleep(RETRY_AFTER).await;
                }
            }
        }
        self.reply();
        self.let_hosts_go();
        Ok(())
    }

    fn has_unwritten(&self) -> bool {
        !self.record.pending().is_empty() || !self.answered.is_empty() || !self.rows.is_empty()
    }

    /// One try, for a Run that is refused when it cannot be recorded.
    ///
    /// # Errors
    /// Nothing has been stored.
    pub async fn try_create(&mut self) -> Result<(), Refused> {
        self.write().await.map_err(|error| match error {
            StorageError::Append(AppendError::DuplicateKey { .. }) => Refused::Duplicate,
            StorageError::Append(AppendError::Conflict { .. }) => Refused::Exists,
            StorageError::Append(AppendError::Stale { .. } | AppendError::NoBlob { .. }) => Refused::Stale,
            // The very first two admissions of a workspace met.
            StorageError::Append(AppendError::Exists { kind, .. }) if kind == admit::TURN => Refused::Stale,
            error => Refused::Storage(error),
        })
    }

    async fn write(&mut self) -> Result<(), StorageError> {
        let payload::Encoded { events, blobs } = payload::encode(self.shared.journal(), self.record.pending()).await?;
        let (append, row) = self.record.append(events);
        let mut rows = vec![row];
        let run = || self.record.run.id.as_str().to_owned();
        rows.extend(blobs.into_iter().map(|sha256| Row::RunBlob { run: run(), sha256 }));
        rows.extend(self.rows.iter().cloned());
        let batch = Batch {
            appends: vec![append],
            rows,
            holds: Vec::new(),
            answered: self.answered.clone(),
            documents: self.documents.clone(),
        };
        let committed = self.shared.journal().append(batch).await?;
        self.record.written(committed.last.first().copied().unwrap_or_default());
        self.rows.clear();
        self.answered.clear();
        self.documents.clear();
        Ok(())
    }
}

/// An error with its causes, in one line.
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

/// The stream is another server's, or the journal is closed.
const fn is_over(error: &AppendError) -> bool {
    matches!(
        error,
        AppendError::Fenced { .. } | AppendError::Conflict { .. } | AppendError::NoStream { .. } | AppendError::Closed
    )
}

/// It would be refused again: what was to be written is wrong.
const fn is_refusal(error: &AppendError) -> bool {
    match error {
        AppendError::Held { .. }
        | AppendError::DuplicateKey { .. }
        | AppendError::NoBlob { .. }
        | AppendError::Exists { .. }
        | AppendError::NoDocument { .. }
        | AppendError::Stale { .. } => true,
        AppendError::Conflict { .. }
        | AppendError::Fenced { .. }
        | AppendError::NoStream { .. }
        | AppendError::Gone(_)
        | AppendError::Busy(_)
        | AppendError::Full(_)
        | AppendError::Storage(_)
        | AppendError::Closed => false,
    }
}
