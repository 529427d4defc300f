//! Bytes by digest: what artifacts consist of.
//!
//! A blob is written and synced before the row that names it, and a row that names a blob which is
//! not there is refused. It does not know what the bytes are.

use std::fmt::Write;

use sha2::{Digest, Sha256};

/// Why bytes were not kept or given back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BlobError {
    #[error("no space left on the disk of the blobs: {0}")]
    Full(String),
    /// Something changed the file; its bytes are not given out.
    #[error("blob {sha256} is not what was stored")]
    Changed { sha256: String },
    #[error("keep a blob: {0}")]
    Storage(String),
    #[error("the journal is closed")]
    Closed,
}

/// The SHA-256 of `bytes` in 64 lower-case hex digits, the name of a blob.
#[must_use]
pub(crate) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::with_capacity(DIGEST_LEN), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// Whether a text can be the name of a blob. Nothing else becomes a part of a path.
#[must_use]
pub(crate) fn is_digest(text: &str) -> bool {
    text.len() == DIGEST_LEN && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

const DIGEST_LEN: usize = 64;
