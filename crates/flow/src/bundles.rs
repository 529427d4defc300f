//! Integration bundles: previewing what an installation would do, and doing exactly that. What is installed is one
//! transaction, so there is never half a bundle to be removed.

use std::sync::Arc;

use segue_journal::{AppendError, Batch};
use segue_model::flow::{
    Json, Profile,
    bundle::{Action, Bundle, Plan, plan},
    capability::Saved as SavedCapability,
};

use crate::{
    catalogue,
    compile::Saved,
    error::{BundleError, FlowError, StorageError},
    shared::{Shared, blocking},
    store,
};

/// How often an installation that was overtaken by another change is planned again.
const TRIES: usize = 8;

/// What an installation did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    pub bundle_id: String,
    pub bundle_version: String,
    pub bundle_hash: String,
    pub created_capability_ids: Vec<String>,
    pub reused_capability_ids: Vec<String>,
    /// Portable ids.
    pub created_flow_ids: Vec<String>,
    pub reused_flow_ids: Vec<String>,
}

/// The plan of an installation, as it is replied.
///
/// # Errors
/// The bundle breaks a rule, or a flow in it does not compile.
pub async fn preview(shared: &Arc<Shared>, bundle: &Json) -> Result<Json, BundleError> {
    let (bundle, plan) = planned(shared, bundle).await?;
    Ok(plan.to_json(&bundle))
}

async fn planned(shared: &Arc<Shared>, bundle: &Json) -> Result<(Bundle, Plan), BundleError> {
    let (reading, bundle) = (Arc::clone(shared), bundle.clone());
    blocking(move || Ok(planned_now(&reading, &bundle))).await?
}

fn planned_now(shared: &Arc<Shared>, bundle: &Json) -> Result<(Bundle, Plan), BundleError> {
    let resolve = |program: &str| catalogue::resolve(shared, program);
    let bundle = Bundle::read(bundle, &resolve).map_err(BundleError::Invalid)?;
    let saved = Saved::new(shared, Profile::Deterministic, None);
    let planned = plan(&bundle, &saved);
    // Only if every answer that the plan is made of could be had.
    if let Some(fault) = saved.take_fault() {
        return Err(fault.into());
    }
    Ok((bundle, planned?))
}

/// Installs a bundle whose plan was seen.
///
/// # Errors
/// The plan is blocked by now, or the hash or the phrase is not that of the plan; nothing has been stored.
pub async fn install(
    shared: &Arc<Shared>,
    bundle: &Json,
    bundle_hash: &str,
    confirmation_phrase: &str,
) -> Result<Installed, BundleError> {
    let _saving = shared.saving.lock().await;
    for _ in 0..TRIES {
        let (bundle, plan) = planned(shared, bundle).await?;
        if bundle.hash.as_str() != bundle_hash {
            return Err(BundleError::OtherBundle);
        }
        let phrase = plan.confirmation_phrase(&bundle).ok_or(BundleError::Blocked)?;
        if phrase != confirmation_phrase {
            return Err(BundleError::WrongPhrase);
        }
        match carry_out(shared, &plan).await? {
            Written::All => return Ok(receipt(&bundle, &plan)),
            Written::Overtaken => {}
        }
    }
    Err(StorageError::corrupt("the catalogue", "it is being changed by others without pause").into())
}

enum Written {
    All,
    Overtaken,
}

async fn carry_out(shared: &Arc<Shared>, plan: &Plan) -> Result<Written, BundleError> {
    let mut documents = Vec::new();
    for (capability, reason) in &plan.capabilities {
        if reason.action() == Action::Create {
            documents.push(catalogue::saving(shared, &SavedCapability::validated(capability.clone())));
        }
    }
    for (_, document, reason) in &plan.flows {
        if reason.action() == Action::Create {
            let saving = store::saving(shared, document.clone()).map_err(|error| match error {
                FlowError::Invalid(problem) => BundleError::Invalid(problem),
                FlowError::Compile(error) => BundleError::Compile(error),
                FlowError::Storage(error) => BundleError::Storage(error),
                FlowError::NotFound(id)
                | FlowError::Changed(id)
                | FlowError::Ambiguous { id, .. }
                | FlowError::Taken { id, .. }
                | FlowError::NoVersion { id, .. } => {
                    BundleError::Storage(StorageError::corrupt(id, "it changed while it was installed"))
                }
            });
            let (_, change) = saving?;
            documents.push(change);
        }
    }
    if documents.is_empty() {
        return Ok(Written::All);
    }
    match shared.journal().append(Batch { documents, ..Batch::default() }).await {
        Ok(_) => Ok(Written::All),
        Err(AppendError::Exists { .. }) => Ok(Written::Overtaken),
        Err(error) => Err(StorageError::from(error).into()),
    }
}

fn receipt(bundle: &Bundle, plan: &Plan) -> Installed {
    let capabilities = |action: Action| {
        let of = plan.capabilities.iter().filter(move |(_, reason)| reason.action() == action);
        of.map(|(capability, _)| capability.id.as_str().to_owned()).collect()
    };
    let flows = |action: Action| {
        let of = plan.flows.iter().filter(move |(_, _, reason)| reason.action() == action);
        of.map(|(id, _, _)| id.as_str().to_owned()).collect()
    };
    Installed {
        bundle_id: bundle.bundle_id.clone(),
        bundle_version: bundle.bundle_version.clone(),
        bundle_hash: bundle.hash.as_str().to_owned(),
        created_capability_ids: capabilities(Action::Create),
        reused_capability_ids: capabilities(Action::Reuse),
        created_flow_ids: flows(Action::Create),
        reused_flow_ids: flows(Action::Reuse),
    }
}
