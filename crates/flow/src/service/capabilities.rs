//! Capabilities and bundles.

use segue_model::flow::{
    Json, Profile,
    capability::{Capability, ProbeRecord, Saved},
};

use super::Flows;
use crate::{
    bundles::{self, Installed},
    catalogue,
    error::{BundleError, CapabilityError, StorageError},
};

impl Flows {
    /// Those that the runtime brings first, then by creation. One whose program has gone is unavailable.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub async fn capabilities(&self) -> Result<Vec<Saved>, StorageError> {
        catalogue::list(&self.shared).await
    }

    /// # Errors
    /// There is none of this id.
    pub async fn capability(&self, id: &str) -> Result<Saved, CapabilityError> {
        catalogue::get(&self.shared, id).await
    }

    /// Reads a definition by the rules of callers. Nothing is stored.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn check_capability(&self, definition: &Json) -> Result<Capability, CapabilityError> {
        catalogue::check(&self.shared, definition)
    }

    /// # Errors
    /// A rule is broken, or the id is taken.
    pub async fn save_capability(&self, definition: &Json) -> Result<Saved, CapabilityError> {
        catalogue::save(&self.shared, definition).await
    }

    /// Tries a capability that need not be saved. Nothing is stored.
    pub async fn probe(&self, capability: &Capability) -> ProbeRecord {
        catalogue::probe(&self.shared, capability).await
    }

    /// Tries a saved capability and keeps what was seen.
    ///
    /// # Errors
    /// There is none of this id.
    pub async fn test_connection(&self, id: &str) -> Result<Saved, CapabilityError> {
        catalogue::test_connection(&self.shared, id).await
    }

    /// # Errors
    /// A saved flow uses it, or there is none of this id.
    pub async fn delete_capability(&self, id: &str) -> Result<(), CapabilityError> {
        catalogue::delete(&self.shared, id).await
    }

    /// Installs a capability that the runtime brings; it lives as long as this process.
    ///
    /// # Errors
    /// A rule is broken, or a saved capability has its id.
    pub async fn install_sample(&self, definition: &Json) -> Result<Saved, CapabilityError> {
        catalogue::install_sample(&self.shared, definition).await
    }

    /// Installs the agent of a demo as [`Flows::install_sample`] does; nodes that are bound to it name it as they would
    /// name the agent of a profile, or a command that is none (contract §14.8).
    ///
    /// # Errors
    /// As [`Flows::install_sample`].
    pub async fn install_agent(&self, definition: &Json, profile: Profile) -> Result<Saved, CapabilityError> {
        catalogue::install_agent(&self.shared, definition, profile).await
    }

    /// Looks for agents on this machine. Nothing is stored.
    ///
    /// # Errors
    /// The user's file of descriptors is malformed, or two agents have one id.
    pub async fn discover(&self) -> Result<Vec<Capability>, CapabilityError> {
        catalogue::discover(&self.shared).await
    }

    /// The plan of an installation, in its reply shape.
    ///
    /// # Errors
    /// The bundle breaks a rule, or a flow in it does not compile.
    pub async fn preview_bundle(&self, bundle: &Json) -> Result<Json, BundleError> {
        bundles::preview(&self.shared, bundle).await
    }

    /// All of a bundle, or nothing.
    ///
    /// # Errors
    /// The plan is blocked by now, or the hash or the phrase is not that of the plan.
    pub async fn install_bundle(
        &self,
        bundle: &Json,
        bundle_hash: &str,
        confirmation_phrase: &str,
    ) -> Result<Installed, BundleError> {
        bundles::install(&self.shared, bundle, bundle_hash, confirmation_phrase).await
    }
}
