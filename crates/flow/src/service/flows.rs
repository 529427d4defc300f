//! Saved flows and local tasks.

use segue_model::flow::{Document, Granularity, Json, document::TaskFields, plan::Plan};

use super::Flows;
use crate::{
    admit,
    error::{FlowError, StorageError},
    plan,
    store::{self, LocalTask, SavedFlow},
    versions::{self, Comparison, Version},
};

impl Flows {
    /// # Errors
    /// It does not compile under any profile, or names something that is not there.
    pub async fn save_flow(&self, document: Document, template: Option<Granularity>) -> Result<SavedFlow, FlowError> {
        store::save(&self.shared, document, template).await
    }

    /// As [`Flows::save_flow`], unless another saved flow has the portable id of the document.
    ///
    /// # Errors
    /// As there, and [`FlowError::Taken`].
    pub async fn save_only_flow(
        &self,
        document: Document,
        template: Option<Granularity>,
    ) -> Result<SavedFlow, FlowError> {
        store::save_only(&self.shared, document, template).await
    }

    /// # Errors
    /// There is none under this local id, or as [`Flows::save_flow`].
    pub async fn update_flow(
        &self,
        local_id: &str,
        document: Document,
        template: Option<Granularity>,
    ) -> Result<SavedFlow, FlowError> {
        store::update(&self.shared, local_id, document, template, None).await
    }

    /// As [`Flows::update_flow`], if nobody has replaced version `base` meanwhile.
    ///
    /// # Errors
    /// As there, and [`FlowError::Changed`].
    pub async fn replace_flow(
        &self,
        local_id: &str,
        document: Document,
        template: Option<Granularity>,
        base: Option<u64>,
    ) -> Result<SavedFlow, FlowError> {
        store::update(&self.shared, local_id, document, template, base).await
    }

    /// # Errors
    /// There is none under this local id.
    pub async fn delete_flow(&self, local_id: &str) -> Result<(), FlowError> {
        store::delete(&self.shared, local_id, None).await
    }

    /// As [`Flows::delete_flow`], if nobody has replaced version `base` meanwhile.
    ///
    /// # Errors
    /// As there, and [`FlowError::Changed`].
    pub async fn delete_version(&self, local_id: &str, base: Option<u64>) -> Result<(), FlowError> {
        store::delete(&self.shared, local_id, base).await
    }

    /// # Errors
    /// There is none under this local id.
    pub async fn flow(&self, local_id: &str) -> Result<SavedFlow, FlowError> {
        store::get(&self.shared, local_id).await
    }

    /// Newest first.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub async fn flows(&self) -> Result<Vec<SavedFlow>, StorageError> {
        store::list(&self.shared).await
    }

    /// Versions of the flow under a local id, or of the one with a portable id: newest first, those before the version
    /// `before`, at most `limit`; and whether there are older ones.
    ///
    /// # Errors
    /// There is no such flow, or several have its portable id.
    pub async fn versions(
        &self,
        id: &str,
        before: Option<u64>,
        limit: usize,
    ) -> Result<(Vec<Version>, bool), FlowError> {
        versions::list(&self.shared, id, before, limit).await
    }

    /// # Errors
    /// There is no such flow or version.
    pub async fn version(&self, id: &str, version: u64) -> Result<Version, FlowError> {
        versions::get(&self.shared, id, version).await
    }

    /// What is different between two versions.
    ///
    /// # Errors
    /// There is no such flow, or one of the versions is not there.
    pub async fn compare_versions(&self, id: &str, before: u64, after: u64) -> Result<Comparison, FlowError> {
        versions::compare(&self.shared, id, before, after).await
    }

    /// The validation result of the contract: at most one error. Nothing is stored.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub async fn validate_flow(&self, document: Document) -> Result<Json, StorageError> {
        admit::validation(&self.shared, document).await
    }

    /// What a document would do here and now, also of one that cannot be run. Nothing is stored.
    ///
    /// # Errors
    /// Its steps are no objects, or the journal cannot be read.
    pub async fn plan_flow(&self, document: Document) -> Result<Plan, FlowError> {
        plan::plan(&self.shared, document).await
    }

    /// Adds a local task that runs the built-in flow of its granularity.
    ///
    /// # Errors
    /// A text is blank or too long.
    pub async fn add_task(&self, task: TaskFields) -> Result<LocalTask, FlowError> {
        store::add_task(&self.shared, task).await
    }

    /// Newest first, those of saved flows included.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub async fn tasks(&self) -> Result<Vec<LocalTask>, StorageError> {
        store::tasks(&self.shared).await
    }
}
