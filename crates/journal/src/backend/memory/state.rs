//! What the journal in memory holds, and how one transaction changes it.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    convert::Infallible,
    ops::Bound::{Included, Unbounded},
};

use super::flows::Flows;
use crate::{
    AppendError, Batch, Committed, EventFilter, EventPage, HoldKey, HostRow, InboxRequest, InstanceId, LeaseRow, Owner,
    Position, Row, Seq, StoredEvent, StreamName, TaskFilter, TaskPage, TaskRow, Token,
    document::DocumentKey,
    judge::{DocumentFacts, Facts, LEASE, Plan, RUN, Stop, StreamFacts, TASK, TaskFacts, judge},
};

#[derive(Debug, Default)]
pub(super) struct State {
    position: Position,
    streams: HashMap<StreamName, Stream>,
    /// Streams by the position at which each changed last.
    changed: BTreeSet<(Position, StreamName)>,
    /// Every id that ever was, in the order of creation: a task's ordinal is its index.
    order: Vec<String>,
    ordinals: HashMap<String, usize>,
    tasks: BTreeMap<usize, TaskRow>,
    prompts: HashMap<String, String>,
    keys: HashMap<String, String>,
    leases: BTreeMap<String, LeaseRow>,
    hosts: BTreeMap<String, HostRow>,
    holds: HashMap<HoldKey, String>,
    pub flows: Flows,
    inbox: BTreeMap<i64, InboxRequest>,
    requests: i64,
    instances: u64,
    living: HashSet<InstanceId>,
}

#[derive(Debug)]
struct Stream {
    facts: StreamFacts,
    events: Vec<StoredEvent>,
    changed: Position,
}

impl Facts for State {
    type Fault = Infallible;

    fn stream(&self, name: &StreamName) -> Result<Option<StreamFacts>, Infallible> {
        Ok(self.streams.get(name).map(|stream| stream.facts.clone()))
    }

    fn holder(&self, key: &HoldKey) -> Result<Option<String>, Infallible> {
        Ok(self.holds.get(key).cloned())
    }

    fn task(&self, id: &str) -> Result<TaskFacts, Infallible> {
        Ok(match self.ordinals.get(id) {
            None => TaskFacts::Absent,
            Some(ordinal) if self.tasks.contains_key(ordinal) => TaskFacts::Present,
            Some(_) => TaskFacts::Forgotten,
        })
    }

    fn task_with_key(&self, client_key: &str) -> Result<Option<String>, Infallible> {
        Ok(self.keys.get(client_key).cloned())
    }

    fn run(&self, id: &str) -> Result<bool, Infallible> {
        Ok(self.flows.run(id).is_some())
    }

    fn run_with_key(&self, workspace: &str, admission_key: &str) -> Result<Option<String>, Infallible> {
        Ok(self.flows.run_by_key(workspace, admission_key).map(|row| row.id.clone()))
    }

    fn blob(&self, sha256: &str) -> Result<bool, Infallible> {
        Ok(self.flows.blob(sha256).is_some())
    }

    fn document(&self, key: DocumentKey<'_>) -> Result<Option<DocumentFacts>, Infallible> {
        let facts = |found: &crate::Document| DocumentFacts { version: found.version, body: found.body.clone() };
        Ok(self.flows.document(key).map(facts))
    }
}

/// Writes.
impl State {
    pub fn open_instance(&mut self) -> InstanceId {
        self.instances += 1;
        let id = InstanceId(format!("inst_{:016x}", self.instances));
        self.living.insert(id.clone());
        id
    }

    pub fn set_dead(&mut self, instance: &InstanceId) {
        self.living.remove(instance);
    }

    pub fn append(&mut self, batch: Batch, me: &InstanceId) -> Result<Committed, AppendError> {
        let plan = match judge(&batch, me, self) {
            Ok(plan) => plan,
            Err(Stop::Refused(refusal)) => return Err(refusal),
            Err(Stop::Fault(never)) => match never {},
        };
        if batch != Batch::default() {
            self.position += 1;
        }
        let last = plan.streams.iter().map(|stream| stream.last).collect();
        self.apply(batch, plan);
        Ok(Committed { position: self.position, last })
    }

    fn apply(&mut self, batch: Batch, plan: Plan) {
        for (append, plan) in batch.appends.into_iter().zip(plan.streams) {
            let facts = StreamFacts { owner: plan.owner, token: plan.token, last: plan.last };
            let stream = self.streams.entry(append.stream.clone()).or_insert_with(|| Stream {
                facts: facts.clone(),
                events: Vec::new(),
                changed: 0,
            });
            stream.facts = facts;
            let stored = append.events.into_iter().zip(plan.first..).map(|(event, seq)| StoredEvent {
                seq,
                kind: event.kind.into_owned(),
                at: event.at,
                payload: event.payload,
            });
            stream.events.extend(stored);
            self.touch(&append.stream);
            if append.release {
                self.inbox.retain(|_, request| request.stream != append.stream);
            }
        }
        for (key, holder) in plan.holds {
            match holder {
                Some(holder) => self.holds.insert(key, holder),
                None => self.holds.remove(&key),
            };
        }
        let mut unnamed = Vec::new();
        for row in batch.rows {
            match row {
                Row::Task(row) => self.put_task(*row),
                Row::ForgetTask(id) => self.forget_task(&id),
                Row::Lease(row) => drop(self.leases.insert(row.handle.clone(), row)),
                Row::Host(row) => drop(self.hosts.insert(row.id.clone(), *row)),
                Row::RemoveHost(id) => drop(self.hosts.remove(&id)),
                Row::Run(row) => self.flows.put_run(*row),
                Row::Artifact(row) => self.flows.put_artifact(row),
                Row::RunBlob { run, sha256 } => self.flows.name_blob(run, sha256),
                Row::ForgetRun(id) => {
                    unnamed.extend(self.flows.forget_run(&id));
                    self.forget_stream(&StreamName::new(RUN, &id));
                }
            }
        }
        self.flows.discard(unnamed);
        for request in batch.answered {
            self.inbox.remove(&request);
        }
        for change in batch.documents {
            self.flows.change_document(change);
        }
    }

    /// Notes that a stream changed at the present position.
    fn touch(&mut self, name: &StreamName) {
        if let Some(stream) = self.streams.get_mut(name) {
            self.changed.remove(&(stream.changed, name.clone()));
            stream.changed = self.position;
            self.changed.insert((self.position, name.clone()));
        }
    }

    fn put_task(&mut self, mut row: TaskRow) {
        let ordinal = *self.ordinals.entry(row.id.clone()).or_insert_with(|| {
            self.order.push(row.id.clone());
            self.order.len() - 1
        });
        if let Some(prompt) = row.prompt.take() {
            self.prompts.entry(row.id.clone()).or_insert(prompt);
        }
        match self.tasks.get_mut(&ordinal) {
            Some(stored) => {
                row.client_key = stored.client_key.take();
                *stored = row;
            }
            None => {
                if let Some(key) = &row.client_key {
                    self.keys.insert(key.clone(), row.id.clone());
                }
                self.tasks.insert(ordinal, row);
            }
        }
    }

    fn forget_task(&mut self, id: &str) {
        let row = self.ordinals.get(id).and_then(|ordinal| self.tasks.remove(ordinal));
        if let Some(key) = row.and_then(|row| row.client_key) {
            self.keys.remove(&key);
        }
        self.prompts.remove(id);
        self.forget_stream(&StreamName::new(TASK, id));
    }

    fn forget_stream(&mut self, name: &StreamName) {
        if let Some(stream) = self.streams.remove(name) {
            self.changed.remove(&(stream.changed, name.clone()));
        }
        self.inbox.retain(|_, request| request.stream != *name);
    }

    pub fn take_over(&mut self, name: &StreamName, me: &InstanceId) -> Result<(Token, Seq), AppendError> {
        let living = &self.living;
        let Some(stream) = self.streams.get_mut(name) else {
            return Err(AppendError::NoStream { stream: name.clone() });
        };
        let old = match &stream.facts.owner {
            Some(owner) if owner == me => return Ok((stream.facts.token, stream.facts.last)),
            Some(owner) if living.contains(owner) => {
                return Err(AppendError::Fenced { stream: name.clone() });
            }
            owner => owner.clone(),
        };
        stream.facts.owner = Some(me.clone());
        stream.facts.token += 1;
        let taken = (stream.facts.token, stream.facts.last);
        self.position += 1;
        self.touch(name);
        if let Some(old) = old {
            self.hand_rows(name, &old, me);
        }
        Ok(taken)
    }

    fn hand_rows(&mut self, name: &StreamName, old: &InstanceId, me: &InstanceId) {
        let task = match name.kind() {
            TASK => self.ordinals.get(name.id()).and_then(|ordinal| self.tasks.get_mut(ordinal)),
            _ => None,
        };
        let lease = match name.kind() {
            LEASE => self.leases.get_mut(name.id()),
            _ => None,
        };
        let run = match name.kind() {
            RUN => self.flows.run_mut(name.id()),
            _ => None,
        };
        let hosts = self.hosts.values_mut().filter(|host| host.stream.as_ref() == Some(name));
        let servers = task.map(|row| &mut row.server).into_iter();
        let servers = servers.chain(lease.map(|row| &mut row.server)).chain(run.map(|row| &mut row.server));
        let servers = servers.chain(hosts.map(|row| &mut row.server));
        for server in servers.filter(|server| *server == old) {
            *server = me.clone();
        }
    }

    pub fn request(
        &mut self,
        stream: &StreamName,
        from: &InstanceId,
        body: String,
        at: i64,
    ) -> Result<i64, AppendError> {
        let Some(found) = self.streams.get(stream) else {
            return Err(AppendError::NoStream { stream: stream.clone() });
        };
        self.requests += 1;
        self.position += 1;
        if found.facts.owner.is_some() {
            let (id, stream, from) = (self.requests, stream.clone(), from.clone());
            self.inbox.insert(id, InboxRequest { id, stream, from, at, body });
        }
        Ok(self.requests)
    }
}

/// Reads.
impl State {
    pub fn position(&self) -> Position {
        self.position
    }

    pub fn alive(&self, instance: &InstanceId) -> bool {
        self.living.contains(instance)
    }

    pub fn owner(&self, name: &StreamName, me: &InstanceId) -> Option<Owner> {
        let facts = &self.streams.get(name)?.facts;
        Some(match &facts.owner {
            None => Owner::Nobody,
            Some(owner) if owner == me => Owner::Here(facts.token),
            Some(owner) if self.living.contains(owner) => Owner::Elsewhere(owner.clone()),
            Some(owner) => Owner::Dead(owner.clone()),
        })
    }

    pub fn events(&self, name: &StreamName, after: Seq, limit: usize, filter: &EventFilter) -> Option<EventPage> {
        let stream = self.streams.get(name)?;
        let wanted = |event: &&StoredEvent| {
            (filter.kinds.is_empty() || filter.kinds.contains(&event.kind)) && !filter.without.contains(&event.kind)
        };
        // Numbers have no gaps, so a number is an index.
        let index = |seq: Seq| usize::try_from(seq).unwrap_or(usize::MAX).min(stream.events.len());
        let end = filter.before.map_or(stream.events.len(), |before| index(before.saturating_sub(1)));
        let events = stream.events[index(after).min(end)..end].iter().filter(wanted);
        Some(EventPage {
            events: if filter.newest_first {
                events.rev().take(limit).cloned().collect()
            } else {
                events.take(limit).cloned().collect()
            },
            last: stream.facts.last,
            task: if name.kind() == TASK { self.task(name.id()).cloned() } else { None },
        })
    }

    pub fn task(&self, id: &str) -> Option<&TaskRow> {
        self.tasks.get(self.ordinals.get(id)?)
    }

    pub fn task_by_key(&self, client_key: &str) -> Option<&TaskRow> {
        self.task(self.keys.get(client_key)?)
    }

    pub fn tasks(&self, filter: &TaskFilter, limit: usize) -> Option<TaskPage> {
        let before = match &filter.after {
            Some(id) => *self.ordinals.get(id)?,
            None => self.order.len(),
        };
        let wanted = |row: &&TaskRow| {
            filter.server.as_ref().is_none_or(|server| row.server == *server)
                && (filter.status.is_empty() || filter.status.contains(&row.status))
                && filter.agent.as_ref().is_none_or(|agent| row.agent == *agent)
                && filter.ended.is_none_or(|ended| row.ended == ended)
        };
        let mut rows = self.tasks.range(..before).rev().map(|(_, row)| row).filter(wanted);
        let page = rows.by_ref().take(limit).cloned().collect();
        Some(TaskPage { rows: page, more: rows.next().is_some() })
    }

    pub fn task_counts(&self) -> Vec<(String, u64)> {
        counts(self.tasks.values().map(|row| &row.status))
    }

    pub fn tasks_starting_with(&self, prefix: &str, limit: usize) -> Vec<String> {
        let mut ids: Vec<String> =
            self.tasks.values().filter(|row| row.id.starts_with(prefix)).map(|row| row.id.clone()).collect();
        ids.sort_unstable();
        ids.truncate(limit);
        ids
    }

    pub fn prompt(&self, id: &str) -> Option<&String> {
        self.prompts.get(id)
    }

    pub fn lease(&self, handle: &str) -> Option<&LeaseRow> {
        self.leases.get(handle)
    }

    pub fn open_leases(&self) -> Vec<LeaseRow> {
        self.leases.values().filter(|row| !row.ended).cloned().collect()
    }

    pub fn host(&self, id: &str) -> Option<&HostRow> {
        self.hosts.get(id)
    }

    pub fn hosts(&self) -> Vec<HostRow> {
        self.hosts.values().cloned().collect()
    }

    pub fn held_by(&self, key: &HoldKey) -> Option<&String> {
        self.holds.get(key)
    }

    pub fn inbox(&self, me: &InstanceId) -> Vec<InboxRequest> {
        let mine = |request: &&InboxRequest| {
            self.streams.get(&request.stream).is_some_and(|stream| stream.facts.owner.as_ref() == Some(me))
        };
        self.inbox.values().filter(mine).cloned().collect()
    }

    pub fn waiting(&self, request: i64) -> bool {
        self.inbox.contains_key(&request)
    }

    pub fn changed_since(&self, position: Position, limit: usize) -> (Vec<(StreamName, Seq)>, Position) {
        let later = |entry: &&(Position, StreamName)| entry.0 > position;
        let first = (position, StreamName::from_stored(String::new()));
        let changed = || self.changed.range((Included(&first), Unbounded)).filter(later);
        // A position is never split: all streams of the last one belong to the page.
        let upto = changed().nth(limit.max(1) - 1).map_or(self.position.max(position), |(upto, _)| *upto);
        let page = changed().take_while(|(at, _)| *at <= upto);
        let last = |name: &StreamName| self.streams.get(name).map_or(0, |stream| stream.facts.last);
        (page.map(|(_, name)| (name.clone(), last(name))).collect(), upto)
    }
}

/// How often each of these occurs, by name.
pub(super) fn counts<'a>(names: impl Iterator<Item = &'a String>) -> Vec<(String, u64)> {
    let mut counts = BTreeMap::new();
    for name in names {
        *counts.entry(name.clone()).or_default() += 1;
    }
    counts.into_iter().collect()
}
