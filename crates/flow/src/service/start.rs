//! Starting Runs.

use segue_model::flow::{Document, NodeId};

use super::Flows;
use crate::{
    admit::{self, Admit, Admitted, NewRun},
    error::AdmitError,
    fork::{self, Fork, Replay, ReplayPlan},
    preview::{self, Preview},
};

impl Flows {
    /// The Run is durable and under way when this returns.
    ///
    /// # Errors
    /// The first check that fails; nothing has been stored.
    pub async fn admit(&self, request: Admit) -> Result<Admitted, AdmitError> {
        admit::admit(&self.shared, request).await
    }

    /// What a Run would do and have to be allowed. Nothing is stored.
    ///
    /// # Errors
    /// As [`Flows::admit`], but for room and authorization.
    pub async fn preview(&self, request: Admit) -> Result<Preview, AdmitError> {
        preview::preview(&self.shared, request).await
    }

    /// Saves a new flow and admits a Run of it: both, or neither.
    ///
    /// # Errors
    /// As [`Flows::save_flow`], and as [`Flows::admit`].
    pub async fn admit_new(&self, document: Document, request: NewRun) -> Result<Admitted, AdmitError> {
        admit::admit_new(&self.shared, document, request).await
    }

    /// # Errors
    /// As [`Flows::admit`], and when the parent cannot be forked there.
    pub async fn fork(&self, request: Fork) -> Result<Admitted, AdmitError> {
        fork::fork(&self.shared, request).await
    }

    /// The nodes whose results [`Flows::fork`] would take over although they rest on inputs that it changes.
    ///
    /// # Errors
    /// As [`Flows::fork`], but for room and authorization.
    pub async fn kept_of_old_input(&self, request: &Fork) -> Result<Vec<NodeId>, AdmitError> {
        fork::kept_of_old_input(&self.shared, request).await
    }

    /// What [`Flows::replay`] would take over, and why not the rest.
    ///
    /// # Errors
    /// The parent or its flow is not there, or the flow does not compile.
    pub async fn plan_replay(&self, request: &Replay) -> Result<ReplayPlan, AdmitError> {
        fork::plan_replay(&self.shared, request).await
    }

    /// Runs the flow as it is saved now, with every result of the parent that is unchanged by that.
    ///
    /// # Errors
    /// As [`Flows::admit`]; also when nothing is left to run.
    pub async fn replay(&self, request: Replay) -> Result<Admitted, AdmitError> {
        fork::replay(&self.shared, request).await
    }
}
