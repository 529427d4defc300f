//! Plans of documents as they would be run here and now. Nothing is stored or run.

use std::sync::Arc;

use segue_model::flow::{Document, Profile, plan};

use crate::{
    compile::Saved,
    error::{FlowError, StorageError},
    shared::{Shared, blocking},
};

/// # Errors
/// The document's `steps` are no array of objects, or the journal cannot be read.
pub async fn plan(shared: &Arc<Shared>, document: Document) -> Result<plan::Plan, FlowError> {
    let reading = Arc::clone(shared);
    blocking(move || {
        let saved = Saved::new(&reading, Profile::Deterministic, None);
        let plan = plan::plan(&document, &saved, Profile::Deterministic);
        if let Some(fault) = saved.take_fault() {
            return Err::<_, StorageError>(fault);
        }
        Ok(plan.map_err(FlowError::Invalid))
    })
    .await?
}
