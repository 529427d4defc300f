//! Streams that this process writes: the derived state beside where its stream stands.
//!
//! An event changes the state through the model's `apply` first; what it refuses is never stored.

use std::borrow::Cow;

use segue_journal::{Append, Authority, InstanceId, LeaseRow, NewEvent, Row, Seq, StreamName, TaskRow, Token};
use segue_model::{
    AgentHandle, IllegalEvent, TaskId, Timestamp,
    lease::{self, Lease},
    task::{Created, Event, Task, title},
};

/// The stream of a task.
#[must_use]
pub fn task_stream(id: &TaskId) -> StreamName {
    StreamName::new("task", id.as_str())
}

/// The stream of a lease.
#[must_use]
pub fn lease_stream(handle: &AgentHandle) -> StreamName {
    StreamName::new("lease", handle.as_str())
}

/// A task whose stream this process owns.
#[derive(Debug, Clone)]
pub struct TaskRecord {
    pub task: Task,
    pub server: InstanceId,
    seq: Seq,
    token: Option<Token>,
    events: Vec<NewEvent>,
    handle: Option<AgentHandle>,
    /// Only until the first write.
    prompt: Option<String>,
}

impl TaskRecord {
    /// A new task with its first event.
    #[must_use]
    pub fn create(id: TaskId, request: Created, prompt: String, server: InstanceId, at: Timestamp) -> Self {
        let event = Event::TaskCreated(Box::new(request.clone()));
        let handle = request.agent_handle.clone();
        let task = Task { title: title(&prompt), ..Task::create(id, request, at) };
        let events = vec![new_event(&event, at)];
        Self { task, server, seq: 0, token: None, events, handle, prompt: Some(prompt) }
    }

    /// A task whose stream was taken over.
    #[must_use]
    pub fn taken_over(task: Task, server: InstanceId, token: Token, seq: Seq) -> Self {
        let handle = task.request.agent_handle.clone();
        Self { task, server, seq, token: Some(token), events: Vec::new(), handle, prompt: None }
    }

    /// # Errors
    /// When the event cannot follow; nothing has changed.
    pub fn push(&mut self, event: &Event, at: Timestamp) -> Result<(), IllegalEvent> {
        self.task.apply(event, at)?;
        self.events.push(new_event(event, at));
        Ok(())
    }

    #[must_use]
    pub fn has_unwritten(&self) -> bool {
        !self.events.is_empty()
    }

    #[must_use]
    pub fn stream(&self) -> StreamName {
        task_stream(&self.task.id)
    }

    /// What has to be written now. [`TaskRecord::written`] says that it was.
    #[must_use]
    pub fn take(&mut self, release: bool) -> (Append, Row) {
        let events = std::mem::take(&mut self.events);
        let append = Append {
            stream: self.stream(),
            authority: self.token.map_or(Authority::Create, Authority::Owner),
            expected: self.seq,
            events,
            release,
        };
        let last_seq = self.seq + append.events.len() as u64;
        let row = task_row(&self.task, &self.server, last_seq, self.handle.as_ref(), self.prompt.take());
        (append, Row::Task(Box::new(row)))
    }

    /// The row of the state as it is, whatever of it is written.
    #[must_use]
    pub fn row(&self) -> TaskRow {
        task_row(&self.task, &self.server, self.seq + self.events.len() as u64, self.handle.as_ref(), None)
    }

    /// The write that was taken last is durable.
    pub fn written(&mut self, last: Seq) {
        self.seq = last;
        self.token.get_or_insert(1);
    }

    /// The write that was taken last was refused: its events come first in the next one.
    pub fn untake(&mut self, mut events: Vec<NewEvent>) {
        events.append(&mut self.events);
        self.events = events;
    }

    /// The token under which the stream is owned, and its last event.
    #[must_use]
    pub fn position(&self) -> (Token, Seq) {
        (self.token.unwrap_or(1), self.seq)
    }
}

/// The row of a task's state.
#[must_use]
pub fn task_row(
    task: &Task,
    server: &InstanceId,
    last_seq: Seq,
    handle: Option<&AgentHandle>,
    prompt: Option<String>,
) -> TaskRow {
    TaskRow {
        id: task.id.as_str().to_owned(),
        server: server.clone(),
        status: task.status().as_str().to_owned(),
        ended: task.status().is_final(),
        resolved: task.resolution.is_some(),
        agent: task.request.agent.clone(),
        workspace: task.request.workspace.clone(),
        session: task.session_id.clone(),
        handle: handle.map(|h| h.as_str().to_owned()),
        client_key: task.request.client_key.clone(),
        prompt,
        created_at: task.created_at.0,
        finished_at: task.finished_at().map(|at| at.0),
        last_seq,
        body: serde_json::to_string(task).unwrap_or_default(),
    }
}

/// A task event as the journal takes it.
#[must_use]
pub fn new_event(event: &Event, at: Timestamp) -> NewEvent {
    NewEvent { kind: Cow::Borrowed(event.kind()), at: at.0, payload: event.payload() }
}

/// A lease whose stream this process owns.
#[derive(Debug, Clone)]
pub struct LeaseRecord {
    pub lease: Lease,
    pub server: InstanceId,
    seq: Seq,
    token: Option<Token>,
    events: Vec<NewEvent>,
}

impl LeaseRecord {
    #[must_use]
    pub fn create(handle: AgentHandle, reserved: lease::Reserved, server: InstanceId, at: Timestamp) -> Self {
        let lease = Lease::create(handle, &reserved);
        let event = lease::Event::LeaseReserved(Box::new(reserved));
        Self { lease, server, seq: 0, token: None, events: vec![lease_event(&event, at)] }
    }

    #[must_use]
    pub const fn taken_over(lease: Lease, server: InstanceId, token: Token, seq: Seq) -> Self {
        Self { lease, server, seq, token: Some(token), events: Vec::new() }
    }

    /// # Errors
    /// When the event cannot follow; nothing has changed.
    pub fn push(&mut self, event: &lease::Event, at: Timestamp) -> Result<(), IllegalEvent> {
        self.lease.apply(event)?;
        self.events.push(lease_event(event, at));
        Ok(())
    }

    #[must_use]
    pub fn has_unwritten(&self) -> bool {
        !self.events.is_empty()
    }

    /// The write that was taken last was refused: its events come first in the next one.
    pub fn untake(&mut self, mut events: Vec<NewEvent>) {
        events.append(&mut self.events);
        self.events = events;
    }

    #[must_use]
    pub fn stream(&self) -> StreamName {
        lease_stream(&self.lease.handle)
    }

    /// What has to be written now; the stream is released with the lease's end.
    #[must_use]
    pub fn take(&mut self) -> (Append, Row) {
        let events = std::mem::take(&mut self.events);
        let ended = !self.lease.state.is_open();
        let append = Append {
            stream: self.stream(),
            authority: self.token.map_or(Authority::Create, Authority::Owner),
            expected: self.seq,
            events,
            release: ended,
        };
        let row = LeaseRow {
            handle: self.lease.handle.as_str().to_owned(),
            server: self.server.clone(),
            state: self.lease.state.label().to_owned(),
            ended,
            last_seq: self.seq + append.events.len() as u64,
            body: serde_json::to_string(&self.lease).unwrap_or_default(),
        };
        (append, Row::Lease(row))
    }

    pub fn written(&mut self, last: Seq) {
        self.seq = last;
        self.token.get_or_insert(1);
    }
}

fn lease_event(event: &lease::Event, at: Timestamp) -> NewEvent {
    NewEvent { kind: Cow::Borrowed(event.kind()), at: at.0, payload: event.payload() }
}
