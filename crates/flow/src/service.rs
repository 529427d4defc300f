//! The flows of a workspace: the one object that HTTP, the command line, MCP and schedules call.

use std::{path::Path, sync::Arc, time::Duration};

use segue_journal::Position;
use segue_model::{
    flow::{
        Document, Granularity, Hash, Json, Profile, RunId,
        capability::{Capability, ProbeRecord, Saved},
        document::TaskFields,
        plan::Plan,
    },
    reading::{
        Outcome, comparison,
        history::{History, Query},
        stability,
    },
    run::Decision,
};

use crate::{
    admit::{self, Admit, Admitted, NewRun},
    bundles::{self, Installed},
    catalogue,
    drive::{Ask, Cancelled, OnStop},
    error::{
        AdmitError, AnswerError, BundleError, CancelError, CapabilityError, CompareError, ExportError, FlowError,
        ForgetError, RestoreError, RunError, StabilityError, StorageError,
    },
    events::{self, EventsPage, EventsQuery},
    evidence::{self, Evidence},
    forget,
    fork::{self, Fork, Replay, ReplayPlan},
    node_detail::{self, NodeDetail, Waiting},
    people::{self, Answer},
    plan,
    preview::{self, Preview},
    projection::{self, Projection},
    reads::{self, Content, List, Summary},
    recover, row,
    run_detail::{self, FrozenFlow, RunDetail},
    schedule,
    shared::{Config, Shared},
    store::{self, LocalTask, SavedFlow},
    versions::{self, Comparison, Version},
    watch::{self, Changes, Page, Watch},
    why::{self, Why},
    workspace::Workspace,
};

/// How long Runs may take to end when the runtime is stopped in order. Fixed by the contract.
const GRACE: Duration = Duration::from_secs(3);
/// How long what is left may take to be written down after that.
const LEAVE: Duration = Duration::from_secs(2);

/// The flows of one workspace in one process.
#[derive(Debug, Clone)]
pub struct Flows {
    pub(crate) shared: Arc<Shared>,
}

/// A Run that cannot be loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quarantined {
    pub run_id: RunId,
    pub why: String,
}

impl Flows {
    /// Flows that do nothing by themselves yet.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self { shared: Shared::new(config) }
    }

    /// Sets a fresh workspace up: it has the golden flow.
    ///
    /// # Errors
    /// The journal cannot be read or written.
    pub async fn open(&self) -> Result<(), StorageError> {
        store::seed(&self.shared).await
    }

    /// Lets it take over what dead servers left, answer other servers' requests and start the Runs of schedules. Needs
    /// a runtime.
    pub fn serve(&self) {
        tokio::spawn(schedule::serve(Arc::clone(&self.shared)));
        // Counted from here on: a shutdown before the first look waits for it.
        tokio::spawn(recover::serve(Arc::clone(&self.shared), self.shared.busy()));
        tokio::spawn(people::serve(Arc::clone(&self.shared)));
    }

    /// Lets other servers ask the Runs of this process, for one that takes over nothing. Needs a runtime.
    pub fn answer_requests(&self) {
        tokio::spawn(people::serve(Arc::clone(&self.shared)));
    }

    /// Takes over what dead servers left, once.
    pub async fn recover(&self) {
        recover::once(&self.shared).await;
    }

    /// Ends what this process drives. Runs that only wait for somebody are left for the next runtime, others as `runs`
    /// says; what does not end in time is left as well. True when nothing executes any more.
    pub async fn shut_down(&self, runs: OnStop) -> bool {
        self.shared.stopping.send_replace(true);
        self.tell_all(|| Ask::Stop(runs));
        let idle = self.idle(GRACE).await;
        if !idle {
            self.tell_all(|| Ask::Abandon);
            self.idle(LEAVE).await;
        }
        idle
    }

    fn tell_all(&self, ask: impl Fn() -> Ask) {
        for job in self.shared.all_jobs() {
            let _ = job.asks.send(ask());
        }
    }

    async fn idle(&self, limit: Duration) -> bool {
        let mut busy = self.shared.busy.subscribe();
        tokio::time::timeout(limit, busy.wait_for(|n| *n == 0)).await.is_ok_and(|idle| idle.is_ok())
    }

    #[must_use]
    pub fn workspace(&self) -> &Workspace {
        &self.shared.workspace
    }

    /// Whether a profile's agent is installed. Looks for its program only.
    #[must_use]
    pub fn is_available(&self, profile: Profile) -> bool {
        catalogue::is_available(&self.shared, profile)
    }
}

/// Saved flows and local tasks.
impl Flows {
    /// # Errors
    /// It does not compile under any profile, or names something that is not there.
    pub async fn save_flow(&self, document: Document, template: Option<Granularity>) -> Result<SavedFlow, FlowError> {
        store::save(&self.shared, document, template).await
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

/// Capabilities and bundles.
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

/// Starting Runs, and what is said to them.
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

    /// Requests a cancellation. `flow_id`, if given, must be the Run's portable id.
    ///
    /// # Errors
    /// There is no such Run, or it is of another flow.
    pub async fn cancel(
        &self,
        run: &str,
        flow_id: Option<&str>,
        actor: Option<String>,
    ) -> Result<(RunId, Cancelled), CancelError> {
        people::cancel(&self.shared, run, flow_id, actor).await
    }

    /// Removes a Run that has ended. What others took over of it stays.
    ///
    /// # Errors
    /// There is no such Run, it has not ended, or a Run that goes on still reads it.
    pub async fn forget(&self, run: &str) -> Result<RunId, ForgetError> {
        forget::forget(&self.shared, run).await
    }

    /// Loads a Run again that was set aside.
    ///
    /// # Errors
    /// There is no such Run, it is not set aside, or it still cannot be loaded.
    pub async fn restore(&self, run: &str) -> Result<RunId, RestoreError> {
        forget::restore(&self.shared, run).await
    }

    /// Answers the question of a `human.task`.
    ///
    /// # Errors
    /// Nobody waits for it, the option is not offered, or the form does not fit. It started nothing.
    pub async fn answer(&self, run: &str, answer: Answer) -> Result<(), AnswerError> {
        people::answer(&self.shared, run, answer).await
    }

    /// Decides about a node that may have written before it was lost.
    ///
    /// # Errors
    /// Nobody waits for it.
    pub async fn decide(
        &self,
        run: &str,
        node: &str,
        decision: Decision,
        actor: Option<String>,
    ) -> Result<(), AnswerError> {
        people::decide(&self.shared, run, node, decision, actor).await
    }
}

/// Reading Runs.
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
