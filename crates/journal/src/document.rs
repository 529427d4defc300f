//! Versioned documents: what people write rather than what happened, such as saved flows,
//! capabilities and settings. Only the present version is kept.

/// One document. Its key is the workspace, the kind and the id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    pub workspace: String,
    /// A plain word: `flow`, `capability`, `setting`.
    pub kind: String,
    pub id: String,
    /// 1 for the first, raised by one at each update.
    pub version: u64,
    /// Its place in the order of creation of all documents of the journal.
    pub ordinal: u64,
    /// Microseconds since the Unix epoch.
    pub created_at: i64,
    /// When the present version was written.
    pub updated_at: i64,
    pub body: String,
}

/// A document to be written or removed. `at` is in microseconds since the Unix epoch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DocumentChange {
    /// Refused with [`crate::AppendError::Exists`] when there is one.
    Create { workspace: String, kind: String, id: String, at: i64, body: String },
    /// Replaces the version `expected`. Refused with [`crate::AppendError::NoDocument`] when there is
    /// none, with [`crate::AppendError::Stale`] when it has another version by now.
    Update { workspace: String, kind: String, id: String, expected: u64, at: i64, body: String },
    /// Removes the version `expected`, or whichever there is. Refused as an update is.
    Delete { workspace: String, kind: String, id: String, expected: Option<u64> },
    /// Creates it when there is none; nothing happens when the present one has this very body.
    /// Refused with [`crate::AppendError::Exists`] when it has another one.
    Ensure { workspace: String, kind: String, id: String, at: i64, body: String },
}

/// What names a document: workspace, kind, id.
pub(crate) type DocumentKey<'d> = (&'d str, &'d str, &'d str);

impl DocumentChange {
    pub(crate) fn key(&self) -> DocumentKey<'_> {
        let (Self::Create { workspace, kind, id, .. }
        | Self::Update { workspace, kind, id, .. }
        | Self::Delete { workspace, kind, id, .. }
        | Self::Ensure { workspace, kind, id, .. }) = self;
        (workspace, kind, id)
    }
}
