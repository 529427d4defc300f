//! The channel: the one object the faces call.

use std::{
    path::Path,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use segue_journal::{AppendError, Batch, Row, TaskFilter};
use segue_model::task::{Event, Status};

use crate::{
    agent::Ask,
    api::{
        Checked, Deleted, Description, Events, EventsQuery, Extended, KeptAgent, List, Listed, Released, Resolve,
        Sessions, Spawn, TaskView, Waited,
    },
    caller::Caller,
    error::{Code, Refusal},
    inbox, leases, ledger, paging, probes,
    record::task_stream,
    recover::{self, Adopt},
    shared::{Config, Shared},
    spawn::{self, Started},
    view, wait,
};

/// How long the shutdown waits for turns, agents and markers: the ladder's 35 s and a margin.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(45);
/// How long a call waits for an end that it asked for: many clients give a call up after 60 s. The end itself takes
/// less unless the journal cannot be written or a process stands still, and it goes on.
const END_ANSWER: Duration = Duration::from_secs(50);
/// How long a call waits for a write that it asked for. Writes are repeated while the journal cannot be written.
const RECORDED: Duration = Duration::from_secs(10);
/// How long another server may take to act on a request before its liveness is looked at again.
const OWNER_LOOK: Duration = Duration::from_secs(1);

/// The channel of one process.
#[derive(Debug, Clone)]
pub struct Channel {
    shared: Arc<Shared>,
}

/// What the shutdown found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShutDown {
    /// Every process tree of this process's life was confirmed empty.
    pub confirmed: bool,
    /// Everything ended in time.
    pub complete: bool,
}

impl Channel {
    /// A channel that does nothing by itself yet.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self { shared: Shared::new(config) }
    }

    /// Lets it take over what dead servers left and answer other servers' requests. Needs a runtime.
    pub fn serve(&self) {
        self.shared.takes_over.store(true, Ordering::Release);
        tokio::spawn(recover::serve(Arc::clone(&self.shared)));
        tokio::spawn(inbox::serve(Arc::clone(&self.shared)));
    }

    /// Lets other servers cancel what this process runs, for one that takes over nothing. Needs a runtime.
    pub fn answer_requests(&self) {
        tokio::spawn(inbox::serve(Arc::clone(&self.shared)));
    }

    /// Takes in what finished hosts of dead servers left, for a process that does not stay.
    pub async fn import_finished(&self) {
        if let Err(refusal) = recover::once(&self.shared, Adopt::Finished).await {
            tracing::warn!("look for hosts of dead servers: {refusal}");
        }
        let mut busy = self.shared.busy.subscribe();
        let _ = busy.wait_for(|n| *n == 0).await;
    }

    pub(crate) fn config(&self) -> &Config {
        &self.shared.config
    }

    /// Names of the agents that can be dispatched to, in the published order.
    #[must_use]
    pub fn agents(&self) -> Vec<String> {
        self.shared.config.agents.names().map(str::to_owned).collect()
    }

    /// This process runs inside an agent that Segue started: nothing may be dispatched.
    #[must_use]
    pub fn nested(&self) -> bool {
        self.shared.config.nested
    }

    /// The default workspace.
    #[must_use]
    pub fn cwd(&self) -> &Path {
        &self.shared.config.cwd
    }

    /// Starts a task and returns once it runs or has failed. When the future is dropped (the client
    /// cancelled its call), the task still ends, and says so.
    ///
    /// # Errors
    /// As the contract's `spawn_task`.
    pub async fn spawn_task(&self, request: Spawn) -> Result<TaskView, Refusal> {
        self.spawn_task_for(request, &Caller::default()).await
    }

    /// As [`Self::spawn_task`], for a caller that may go after this has returned and before it has heard of the task.
    ///
    /// # Errors
    /// As the contract's `spawn_task`.
    pub async fn spawn_task_for(&self, request: Spawn, caller: &Caller) -> Result<TaskView, Refusal> {
        let mut guard = Guard(Some(caller.clone()));
        let (shared, caller) = (Arc::clone(&self.shared), caller.clone());
        let start = tokio::spawn(async move {
            let _busy = shared.busy();
            spawn::spawn(&shared, request, &caller).await
        });
        let started =
            start.await.map_err(|error| Refusal::new(Code::Internal, format!("the start broke off: {error}")))?;
        let told = match started {
            Ok(Started::Before(id)) => self.get_task(id.as_str()).await,
            Ok(Started::Now(begun)) => match self.get_task(&begun.row.id).await {
                Err(refusal) => {
                    tracing::warn!(task = begun.row.id, "told as it was started: {refusal}");
                    view::of(&self.shared, &begun.row, begun.lease.as_ref())
                }
                told => told,
            },
            Err(refusal) => Err(refusal),
        };
        // Until here nobody knows the task's id.
        guard.0 = None;
        told
    }

    /// # Errors
    /// `task_not_found`.
    pub async fn get_task(&self, id: &str) -> Result<TaskView, Refusal> {
        let row = ledger::row(&self.shared, id).await?;
        view::task(&self.shared, &row).await
    }

    /// The task that was dispatched under a client key.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub async fn task_by_key(&self, client_key: &str) -> Result<Option<TaskView>, Refusal> {
        let key = client_key.to_owned();
        match ledger::read(&self.shared, move |journal| journal.task_by_key(&key)).await? {
            Some(row) => view::task(&self.shared, &row).await.map(Some),
            None => Ok(None),
        }
    }

    /// How many tasks there are of each status that occurs, over all servers of the state folder.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub async fn task_counts(&self) -> Result<Vec<(String, u64)>, Refusal> {
        ledger::read(&self.shared, |journal| journal.task_counts()).await
    }

    /// Kept agents of every server of the state folder, and the turns under way that will keep one, by handle.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub async fn kept_agents(&self) -> Result<Vec<KeptAgent>, Refusal> {
        let rows = ledger::read(&self.shared, |journal| journal.open_leases()).await?;
        let here = self.shared.instance();
        rows.iter()
            .map(|row| {
                let lease = ledger::lease_of(row)?;
                Ok(KeptAgent { is_here: row.server == here, server: row.server.to_string(), lease })
            })
            .collect()
    }

    /// Ids of tasks that begin with `prefix`, ascending, at most `limit`.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub async fn tasks_starting_with(&self, prefix: &str, limit: usize) -> Result<Vec<String>, Refusal> {
        let prefix = prefix.to_owned();
        ledger::read(&self.shared, move |journal| journal.tasks_starting_with(&prefix, limit)).await
    }

    /// # Errors
    /// `task_not_found`.
    pub async fn prompt(&self, id: &str) -> Result<String, Refusal> {
        let row = ledger::row(&self.shared, id).await?;
        let prompt = ledger::read(&self.shared, move |journal| journal.prompt(&row.id)).await?;
        prompt.ok_or_else(|| Refusal::no_task(id))
    }

    /// # Errors
    /// `invalid_request` for an argument out of range, `task_not_found`.
    pub async fn get_events(&self, query: EventsQuery) -> Result<Events, Refusal> {
        let checked = paging::Query::check(&query)?;
        let found = ledger::row(&self.shared, &query.task_id).await?;
        let (stream, filter) = (segue_journal::StreamName::new("task", &found.id), checked.filter.clone());
        let (after, limit) = (checked.after, checked.limit + 1);
        let page = ledger::read(&self.shared, move |journal| journal.events(&stream, after, limit, &filter)).await?;
        let page = page.ok_or_else(|| Refusal::no_task(&query.task_id))?;
        let row = page.task.as_ref().unwrap_or(&found);
        let status = Status::parse(&row.status).unwrap_or(Status::Created);
        let paging::Page { events, cursor, has_more } = paging::fill(&checked, page.events, page.last);
        Ok(Events { task_id: found.id, status, cursor, has_more, events })
    }

    /// Waits at most 30 s, whatever is asked.
    ///
    /// # Errors
    /// `invalid_request` for a bad argument, `task_not_found` for an unknown id.
    pub async fn wait_tasks(&self, ids: &[String], seconds: f64) -> Result<Waited, Refusal> {
        wait::tasks(&self.shared, ids, seconds).await
    }

    /// # Errors
    /// `invalid_request` for a limit out of range, `task_not_found` for an `after` that never was.
    pub async fn list_tasks(&self, list: List) -> Result<Listed, Refusal> {
        if !(1..=100).contains(&list.limit) {
            return Err(Refusal::invalid(format!("limit must be from 1 to 100, not {}", list.limit)));
        }
        if let Some(status) = list.status.as_deref().filter(|status| Status::parse(status).is_none()) {
            let known = Status::ALL.map(Status::as_str).join(", ");
            return Err(Refusal::invalid(format!("status must be one of {known}; not {:?}", ledger::short(status))));
        }
        let filter = TaskFilter {
            server: (!list.all).then(|| self.shared.instance()),
            status: list.status.into_iter().collect(),
            agent: list.agent,
            ended: None,
            after: list.after.clone(),
        };
        let limit = usize::try_from(list.limit).unwrap_or(100);
        let page = ledger::read(&self.shared, move |journal| journal.tasks(&filter, limit)).await?;
        let page = page.ok_or_else(|| Refusal::no_task(&ledger::short(&list.after.unwrap_or_default())))?;
        let mut tasks = Vec::with_capacity(page.rows.len());
        for row in &page.rows {
            tasks.push(view::task(&self.shared, row).await?);
        }
        let next = page.more.then(|| page.rows.last().map(|row| row.id.clone())).flatten();
        Ok(Listed { tasks, next })
    }

    /// # Errors
    /// `task_not_found`, `invalid_transition` for a task that is not finished.
    pub async fn resolve_task(&self, resolve: Resolve) -> Result<TaskView, Refusal> {
        let event = Event::TaskResolved { resolution: resolve.verdict, note: resolve.note, actor: resolve.actor };
        let row = ledger::append_finished(&self.shared, &resolve.task_id, &event, |task| {
            Refusal::new(
                Code::InvalidTransition,
                format!("{} is {}; only a finished task can be resolved", task.id, task.status().as_str()),
            )
        })
        .await?;
        view::task(&self.shared, &row).await
    }

    /// Returns once the task has ended. When the future is dropped the stop still goes on.
    ///
    /// # Errors
    /// `task_not_found`.
    pub async fn cancel_task(&self, id: &str, actor: Option<String>) -> Result<TaskView, Refusal> {
        let row = ledger::row(&self.shared, id).await?;
        let end = async {
            if !row.ended {
                self.ask_to_cancel(&row, actor).await?;
            }
            wait::end_of(&self.shared, id).await
        };
        let ended = tokio::time::timeout(END_ANSWER, end).await.map_err(|_| still_ending(id))??;
        view::task(&self.shared, &ended).await
    }

    async fn ask_to_cancel(&self, row: &segue_journal::TaskRow, actor: Option<String>) -> Result<(), Refusal> {
        let Some(id) = segue_model::TaskId::parse(&row.id) else { return Err(Refusal::no_task(&row.id)) };
        let stream = task_stream(&id);
        let mut ended = self.shared.ended.subscribe();
        loop {
            if let Some(job) = self.shared.job(&stream) {
                let _ = job.asks.send(Ask::Cancel { task: id, reason: "cancel_task".to_owned(), actor, request: None });
                return Ok(());
            }
            let row = ledger::row(&self.shared, &row.id).await?;
            if row.ended {
                return Ok(());
            }
            if row.server == self.shared.instance() {
                // It is starting: its job is there in a moment, or it fails.
                let _ = tokio::time::timeout(Duration::from_millis(20), ended.changed()).await;
                continue;
            }
            if !self.shared.journal().alive(&row.server) {
                recover::task_of_dead_server(&self.shared, &id).await;
                let _ = tokio::time::timeout(Duration::from_millis(20), ended.changed()).await;
                continue;
            }
            return self.ask_owner(&row, stream, actor).await;
        }
    }

    /// Another server runs the task: its inbox is the way. If it dies meanwhile its task is taken over.
    async fn ask_owner(
        &self,
        row: &segue_journal::TaskRow,
        stream: segue_journal::StreamName,
        actor: Option<String>,
    ) -> Result<(), Refusal> {
        let body = serde_json::to_string(&inbox::Request::Cancel { actor: actor.clone() }).unwrap_or_default();
        let (journal, at) = (Arc::clone(self.shared.journal()), self.shared.now().0);
        let request = tokio::task::spawn_blocking(move || journal.request(&stream, body, at))
            .await
            .map_err(|error| Refusal::new(Code::Internal, error.to_string()))??;
        loop {
            let waiting = ledger::read(&self.shared, move |journal| journal.waiting(request)).await?;
            let now = ledger::row(&self.shared, &row.id).await?;
            if !waiting || now.ended {
                return Ok(());
            }
            if !self.shared.journal().alive(&now.server) {
                // The new owner, whoever it is, finds the request in its inbox.
                if let Some(id) = segue_model::TaskId::parse(&row.id) {
                    recover::task_of_dead_server(&self.shared, &id).await;
                }
            }
            let mut changes = self.shared.journal().changes();
            let _ = tokio::time::timeout(OWNER_LOOK, changes.changed()).await;
        }
    }

    /// # Errors
    /// `task_not_found`; `invalid_transition` for a task that is running or unresolved, or whose
    /// kept agent is alive.
    pub async fn forget_task(&self, id: &str) -> Result<(), Refusal> {
        let row = ledger::row(&self.shared, id).await?;
        let refuse = |why: String| Err(Refusal::new(Code::InvalidTransition, why));
        if !row.ended {
            return refuse(format!("{id} is {}; only a finished task can be forgotten", row.status));
        }
        if !row.resolved {
            return refuse(format!("{id} is {} and unresolved; resolve it first", row.status));
        }
        if let Some(handle) = &row.handle
            && let Some((lease, _)) = ledger::lease(&self.shared, handle).await?
            && lease.state.is_open()
        {
            return refuse(format!("{id}: its kept agent {handle} is {}; release it first", lease.state.label()));
        }
        let batch = Batch { rows: vec![Row::ForgetTask(row.id.clone())], ..Batch::default() };
        match self.shared.journal().append(batch).await {
            Ok(_) => {}
            Err(AppendError::NoStream { .. }) => return Err(Refusal::no_task(id)),
            Err(error) => return Err(error.into()),
        }
        if let (Some(markers), Some(task)) = (&self.shared.config.markers, segue_model::TaskId::parse(&row.id)) {
            markers.remove(&task);
        }
        Ok(())
    }

    /// # Errors
    /// `unknown_agent`, `invalid_request`.
    pub async fn describe_agent(&self, agent: &str, workspace: Option<&str>) -> Result<Description, Refusal> {
        probes::describe(&self.shared, agent, workspace).await
    }

    /// Starts an agent as [`Self::describe_agent`] does, and tells an agent that wants somebody to sign
    /// in apart from one that cannot be used. Never signs in.
    ///
    /// # Errors
    /// `unknown_agent`, `invalid_request`.
    pub async fn check_agent(&self, agent: &str, workspace: Option<&str>) -> Result<Checked, Refusal> {
        probes::check(&self.shared, agent, workspace).await
    }

    /// # Errors
    /// `unknown_agent`, `unsupported`, `invalid_request`.
    pub async fn list_sessions(
        &self,
        agent: &str,
        workspace: Option<&str>,
        cursor: Option<String>,
    ) -> Result<Sessions, Refusal> {
        probes::list(&self.shared, agent, workspace, cursor).await
    }

    /// # Errors
    /// `unknown_agent`, `unsupported`, `session_in_use`, `invalid_request`.
    pub async fn delete_session(
        &self,
        agent: &str,
        session: &str,
        workspace: Option<&str>,
    ) -> Result<Deleted, Refusal> {
        probes::delete(&self.shared, agent, session, workspace).await
    }

    /// # Errors
    /// `invalid_request` for bounds out of range, `agent_gone`, `agent_busy`.
    pub async fn extend_agent(&self, handle: &str, idle: Option<i64>, turns: Option<i64>) -> Result<Extended, Refusal> {
        let bounds = spawn::keep(idle, turns)?;
        let ask = |reply| Ask::Extend { keep_idle: bounds.keep_idle, keep_turns: bounds.keep_turns, reply };
        leases::ask(&self.shared, handle, RECORDED, ask).await?.ok_or_else(|| {
            let seconds = RECORDED.as_secs();
            Refusal::new(Code::Internal, format!("{handle}: its new bounds are not recorded after {seconds} s"))
        })
    }

    /// Returns once the agent's end is known.
    ///
    /// # Errors
    /// `agent_gone`, `agent_busy`, `invalid_request` when its group was not confirmed empty.
    pub async fn release_agent(&self, handle: &str) -> Result<Released, Refusal> {
        let released = leases::ask(&self.shared, handle, END_ANSWER, |reply| Ask::Release { reply }).await?;
        released.ok_or_else(|| still_ending(handle))
    }

    /// Ends every turn and every kept agent of this process, then removes the markers.
    pub async fn shut_down(&self) -> ShutDown {
        self.shared.stopping.send_replace(true);
        for (_, job) in self.shared.all_jobs() {
            let _ = job.asks.send(Ask::Shutdown);
        }
        let mut busy = self.shared.busy.subscribe();
        let complete = tokio::time::timeout(SHUTDOWN_LIMIT, busy.wait_for(|n| *n == 0)).await.is_ok();
        recover::remove_forgotten(&self.shared).await;
        if let Some(markers) = &self.shared.config.markers {
            markers.remove_all();
        }
        // Of a job that did not end in time nobody knows what its tree does.
        let unconfirmed = self.shared.unconfirmed.load(Ordering::Acquire) || !self.shared.all_jobs().is_empty();
        ShutDown { confirmed: !unconfirmed, complete: complete && !self.shared.unwritten.load(Ordering::Acquire) }
    }
}

fn still_ending(what: &str) -> Refusal {
    let seconds = END_ANSWER.as_secs();
    Refusal::new(
        Code::Internal,
        format!("{what} was told to end, and that it has is not recorded after {seconds} s; its end goes on"),
    )
}

/// Tells a start that its caller has gone, unless it is disarmed.
struct Guard(Option<Caller>);

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(caller) = self.0.take() {
            caller.gone();
        }
    }
}
