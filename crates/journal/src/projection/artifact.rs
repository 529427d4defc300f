//! What Runs published.

/// One artifact. It never changes: a second row with its id is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactRow {
    pub id: String,
    pub workspace: String,
    /// The Run that published it.
    pub run: String,
    pub node: String,
    /// A plain file name.
    pub name: String,
    pub media_type: String,
    /// The digest of its bytes, by which [`crate::Journal::blob`] finds them.
    pub sha256: String,
    /// How many there are.
    pub bytes: u64,
}
