//! Reading Runs, and waiting for what they record.

use std::path::Path;

use segue_journal::Position;
use segue_model::{
    flow::{Hash, RunId},
    reading::{
        Outcome, comparison,
        history::{History, Query},
        stability,
    },
};

use super::{Flows, Quarantined};
use crate::{
    error::{CompareError, ExportError, RunError, StabilityError, StorageError},
    events::{self, EventsPage, EventsQuery},
    evidence::{self, Evidence},
    node_detail::{self, NodeDetail, Waiting},
    projection::{self, Projection},
    reads::{self, Content, List, Summary},
    recover::{self, Driver},
    row,
    run_detail::{self, FrozenFlow, RunDetail},
    watch::{self, Changes, Page, Watch},
    why::{self, Why},
};

impl Flows {
    /// How many Runs there are of each status that occurs.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub async fn run_counts(&self) -> Result<Vec<(String, u64)>, StorageError> {
        reads::counts(&self.shared).await
    }

    /// Everything that waits for somebody, the longest wait first.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub async fn waiting(&self) -> Result<Vec<Waiting>, StorageError> {
        node_detail::waiting(&self.shared).await
    }

    /// One Run beside its nodes.
    ///
    /// # Errors
    /// There is no such Run, or its record cannot be read.
    pub async fn run_detail(&self, run: &str) -> Result<RunDetail, RunError> {
        run_detail::detail(&self.shared, run).await
    }

    /// What a Run executes, as it was when it was admitted.
    ///
    /// # Errors
    /// There is no such Run, or its flow is gone.
    pub async fn flow_of_run(&self, run: &str) -> Result<FrozenFlow, RunError> {
        run_detail::flow(&self.shared, run).await
    }

    /// One node of a Run in full.
    ///
    /// # Errors
    /// There is no such Run or no such node, or the record cannot be read.
    pub async fn node(&self, run: &str, node: &str) -> Result<NodeDetail, RunError> {
        node_detail::node(&self.shared, run, node).await
    }

    /// A page of a Run's events.
    ///
    /// # Errors
    /// There is no such Run, or its record cannot be read.
    pub async fn events_page(&self, run: &str, query: EventsQuery) -> Result<EventsPage, RunError> {
        events::page(&self.shared, run, query).await
    }

    /// Newest first.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub async fn runs(&self, list: List) -> Result<Vec<Summary>, StorageError> {
        reads::list(&self.shared, list).await
    }

    /// # Errors
    /// There is no such Run.
    pub async fn run(&self, run: &str) -> Result<Summary, RunError> {
        reads::summary(&self.shared, run).await
    }

    /// # Errors
    /// There is no such Run, or its evidence has no reading.
    pub async fn outcome(&self, run: &str) -> Result<Outcome, RunError> {
        reads::outcome(&self.shared, run).await
    }

    /// # Errors
    /// A Run that matches has no reading.
    pub async fn history(&self, query: Query) -> Result<History, RunError> {
        reads::history(&self.shared, query).await
    }

    /// # Errors
    /// One of the two is not there, has no reading, or they cannot be compared.
    pub async fn compare(&self, left: &str, right: &str) -> Result<comparison::Report, CompareError> {
        reads::compare(&self.shared, left, right).await
    }

    /// # Errors
    /// The task is unknown or never had a flow of this hash, or a Run that counts has no reading.
    pub async fn stability(&self, task: &str, hash: &Hash) -> Result<stability::Report, StabilityError> {
        reads::stability(&self.shared, task, hash).await
    }

    /// A Run with all that its steps returned.
    ///
    /// # Errors
    /// There is no such Run, or its record cannot be read.
    pub async fn projection(&self, run: &str) -> Result<Projection, RunError> {
        projection::projection(&self.shared, run).await
    }

    /// As [`Flows::projection`], newest first, those behind the Run `before`.
    ///
    /// # Errors
    /// There is no Run `before`, or the journal cannot be read.
    pub async fn projections(&self, before: Option<&str>, limit: usize) -> Result<Vec<Projection>, RunError> {
        projection::projections(&self.shared, before, limit).await
    }

    /// # Errors
    /// There is no such Run, or its record cannot be read.
    pub async fn evidence(&self, run: &str) -> Result<Evidence, RunError> {
        evidence::evidence(&self.shared, run).await
    }

    /// Whether a living server drives a Run, or it has ended and needs none.
    ///
    /// # Errors
    /// There is no such Run.
    pub async fn is_driven(&self, run: &str) -> Result<bool, RunError> {
        recover::is_driven(&self.shared, run).await
    }

    /// The other living server that drives a Run.
    ///
    /// # Errors
    /// There is no such Run.
    pub async fn driver(&self, run: &str) -> Result<Option<Driver>, RunError> {
        recover::driver(&self.shared, run).await
    }

    /// The events after a number that are there now.
    ///
    /// # Errors
    /// There is no such Run, or its record cannot be read.
    pub async fn events(&self, run: &str, after: u64) -> Result<Page, RunError> {
        watch::page(&self.shared, run, after).await
    }

    /// Follows a Run from the events after a number on.
    ///
    /// # Errors
    /// There is no such Run.
    pub async fn watch(&self, run: &str, after: u64) -> Result<Watch, RunError> {
        Watch::new(&self.shared, run, after).await
    }

    /// Changes whenever anything was recorded, by whomever.
    #[must_use]
    pub fn changes(&self) -> tokio::sync::watch::Receiver<Position> {
        self.shared.journal().changes()
    }

    /// Runs that changed after a position, of any workspace, and the position up to which that was looked at.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub async fn changed_runs(&self, after: Position) -> Result<(Vec<RunId>, Position), StorageError> {
        watch::changed_runs(&self.shared, after).await
    }

    /// What changed after a position: Runs of this workspace, and tasks of the channel.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub async fn changes_since(&self, after: Position) -> Result<(Changes, Position), StorageError> {
        watch::changes_since(&self.shared, after).await
    }

    /// Waits until a Run has ended, however long that takes.
    ///
    /// # Errors
    /// There is no such Run.
    pub async fn ended(&self, run: &RunId) -> Result<Summary, RunError> {
        reads::ended(&self.shared, run).await?;
        reads::summary(&self.shared, run.as_str()).await
    }

    /// What blocks a Run, or why it ended as it did.
    ///
    /// # Errors
    /// There is no such Run, or its record cannot be read.
    pub async fn why(&self, run: &str) -> Result<Why, RunError> {
        let id = row::run_id(&reads::row_of(&self.shared, run).await?)?;
        let loaded = reads::load(&self.shared, &id).await?;
        Ok(why::why(&loaded.bound.flow, &loaded.run, &loaded.events, self.shared.now()))
    }

    /// # Errors
    /// There is no such artifact, or its bytes are not what was published.
    pub async fn artifact(&self, id: &str) -> Result<Content, RunError> {
        reads::artifact(&self.shared, id).await
    }

    /// Writes the evidence of some Runs into a new SQLite file with the six published tables.
    ///
    /// # Errors
    /// A Run is not there or cannot be read, or the file exists or cannot be written.
    pub async fn export(&self, runs: &[String], path: &Path) -> Result<(), ExportError> {
        evidence::export(&self.shared, runs, path).await
    }

    /// Runs of the workspace that cannot be loaded, newest first.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub async fn quarantined(&self) -> Result<Vec<Quarantined>, StorageError> {
        reads::quarantined(&self.shared).await
    }
}
