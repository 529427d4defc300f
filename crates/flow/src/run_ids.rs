//! Ids of Runs by their beginnings.

use crate::{error::StorageError, service::Flows};

impl Flows {
    /// Ids of the workspace's Runs that begin with `prefix`, ascending, at most `limit`.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub async fn runs_starting_with(&self, prefix: &str, limit: usize) -> Result<Vec<String>, StorageError> {
        let (workspace, prefix) = (self.shared.workspace.key().to_owned(), prefix.to_owned());
        self.shared.read(move |journal| Ok(journal.runs_starting_with(&workspace, &prefix, limit)?)).await
    }
}
