//! The statements of one write transaction. What is written was judged before; an error here is
//! trouble with the disk, never a refusal.

mod documents;
mod rows;
mod runs;

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, params};

use super::{blobs::Blobs, instance, read};
use crate::{
    AppendError, Batch, Committed, HoldKey, InstanceId, Position, Row, Seq, StreamName, Token,
    append::{Append, InboxRequest},
    document::DocumentKey,
    judge::{self, DocumentFacts, Facts, StreamFacts, StreamPlan, TaskFacts, judge},
};

/// What one transaction of the writer works with.
#[derive(Debug)]
pub(super) struct Transaction<'c> {
    pub connection: &'c Connection,
    pub me: &'c InstanceId,
    pub kinds: &'c mut Kinds,
    pub instances: &'c std::path::Path,
    pub blobs: &'c Blobs,
    /// The position of the last part of this transaction that changed anything.
    pub position: Position,
    /// Streams were forgotten whose events are still stored.
    pub garbage: bool,
    /// Digests that artifacts of forgotten Runs named.
    pub unnamed: Vec<String>,
}

/// The numbers of event kinds that are known to be stored. Emptied when a transaction is undone,
/// which may take a new number with it.
pub(super) type Kinds = HashMap<String, i64>;

/// Refused, or the trouble that ended the transaction.
pub(super) type Judged<T> = Result<Result<T, AppendError>, rusqlite::Error>;

/// A forgotten stream with more events than this loses them after the commit, bit by bit, because
/// nobody else can write meanwhile.
const EVENTS_REMOVED_AT_ONCE: i64 = 1_000;

struct Recorded<'c>(&'c Connection, &'c Blobs);

impl Facts for Recorded<'_> {
    type Fault = rusqlite::Error;

    fn stream(&self, name: &StreamName) -> rusqlite::Result<Option<StreamFacts>> {
        read::stream(self.0, name)
    }

    fn holder(&self, key: &HoldKey) -> rusqlite::Result<Option<String>> {
        read::holder(self.0, key)
    }

    fn task(&self, id: &str) -> rusqlite::Result<TaskFacts> {
        let present: Option<bool> = self
            .0
            .prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM tasks WHERE tasks.ordinal = task_ids.ordinal) FROM task_ids WHERE id = ?1",
            )?
            .query_row([id], |row| row.get(0))
            .optional()?;
        Ok(match present {
            None => TaskFacts::Absent,
            Some(true) => TaskFacts::Present,
            Some(false) => TaskFacts::Forgotten,
        })
    }

    fn task_with_key(&self, client_key: &str) -> rusqlite::Result<Option<String>> {
        self.0
            .prepare_cached("SELECT id FROM tasks WHERE client_key = ?1")?
            .query_row([client_key], |row| row.get(0))
            .optional()
    }

    fn run(&self, id: &str) -> rusqlite::Result<bool> {
        self.0.prepare_cached("SELECT 1 FROM runs WHERE id = ?1")?.exists([id])
    }

    fn run_with_key(&self, workspace: &str, admission_key: &str) -> rusqlite::Result<Option<String>> {
        self.0
            .prepare_cached("SELECT id FROM runs WHERE workspace = ?1 AND admission_key = ?2")?
            .query_row([workspace, admission_key], |row| row.get(0))
            .optional()
    }

    fn blob(&self, sha256: &str) -> rusqlite::Result<bool> {
        Ok(self.1.has(sha256))
    }

    fn document(&self, (workspace, kind, id): DocumentKey<'_>) -> rusqlite::Result<Option<DocumentFacts>> {
        let found = read::document(self.0, workspace, kind, id)?;
        Ok(found.map(|document| DocumentFacts { version: document.version, body: document.body }))
    }
}

impl Transaction<'_> {
    pub fn append(&mut self, batch: &Batch) -> Judged<Committed> {
        let plan = match judge(batch, self.me, &Recorded(self.connection, self.blobs)) {
            Ok(plan) => plan,
            Err(judge::Stop::Refused(refusal)) => return Ok(Err(refusal)),
            Err(judge::Stop::Fault(error)) => return Err(error),
        };
        if *batch != Batch::default() {
            self.position += 1;
        }
        for (append, plan) in batch.appends.iter().zip(&plan.streams) {
            self.put_events(append, plan)?;
        }
        for (key, holder) in &plan.holds {
            self.put_hold(key, holder.as_deref())?;
        }
        for row in &batch.rows {
            match row {
                Row::Task(row) => rows::put_task(self.connection, row)?,
                Row::ForgetTask(id) => self.forget_task(id)?,
                Row::Lease(row) => rows::put_lease(self.connection, row)?,
                Row::Host(row) => rows::put_host(self.connection, row)?,
                Row::RemoveHost(id) => rows::remove_host(self.connection, id)?,
                Row::Run(row) => runs::put_run(self.connection, row)?,
                Row::Artifact(row) => runs::put_artifact(self.connection, row)?,
                Row::RunBlob { run, sha256 } => runs::name_blob(self.connection, run, sha256)?,
                Row::ForgetRun(id) => self.forget_run(id)?,
            }
        }
        for request in &batch.answered {
            self.connection.prepare_cached("DELETE FROM inbox WHERE id = ?1")?.execute([request])?;
        }
        for change in &batch.documents {
            documents::change(self.connection, change)?;
        }
        Ok(Ok(Committed { position: self.position, last: plan.streams.iter().map(|stream| stream.last).collect() }))
    }

    fn put_events(&mut self, append: &Append, plan: &StreamPlan) -> rusqlite::Result<()> {
        let owner = plan.owner.as_ref().map(|owner| &owner.0);
        let (token, last) = (plan.token.cast_signed(), plan.last.cast_signed());
        let name = append.stream.as_str();
        let stream: i64 = self
            .connection
            .prepare_cached(if plan.create {
                "INSERT INTO streams (owner, token, last, changed, name) VALUES (?1, ?2, ?3, ?4, ?5) RETURNING number"
            } else {
                "UPDATE streams SET owner = ?1, token = ?2, last = ?3, changed = ?4 WHERE name = ?5 RETURNING number"
            })?
            .query_row(params![owner, token, last, self.position.cast_signed(), name], |row| row.get(0))?;
        for (event, seq) in append.events.iter().zip(plan.first..) {
            let kind = self.kind(&event.kind)?;
            self.connection
                .prepare_cached("INSERT INTO events (stream, kind, seq, at, payload) VALUES (?1, ?2, ?3, ?4, ?5)")?
                .execute(params![stream, kind, seq.cast_signed(), event.at, event.payload])?;
        }
        if append.release {
            self.drop_requests(name)?;
        }
        Ok(())
    }

    /// The number of an event kind, given when the kind is new.
    fn kind(&mut self, name: &str) -> rusqlite::Result<i64> {
        if let Some(number) = self.kinds.get(name) {
            return Ok(*number);
        }
        let stored = self
            .connection
            .prepare_cached("SELECT number FROM kinds WHERE name = ?1")?
            .query_row([name], |row| row.get(0))
            .optional()?;
        let number = match stored {
            Some(number) => number,
            None => self
                .connection
                .prepare_cached("INSERT INTO kinds (name) VALUES (?1) RETURNING number")?
                .query_row([name], |row| row.get(0))?,
        };
        self.kinds.insert(name.to_owned(), number);
        Ok(number)
    }

    fn put_hold(&self, key: &HoldKey, holder: Option<&str>) -> rusqlite::Result<()> {
        match holder {
            Some(holder) => self
                .connection
                .prepare_cached("INSERT OR REPLACE INTO holds (agent, session, holder) VALUES (?1, ?2, ?3)")?
                .execute([&key.agent, &key.session, holder])?,
            None => self
                .connection
                .prepare_cached("DELETE FROM holds WHERE agent = ?1 AND session = ?2")?
                .execute([&key.agent, &key.session])?,
        };
        Ok(())
    }

    fn drop_requests(&self, stream: &str) -> rusqlite::Result<()> {
        self.connection.prepare_cached("DELETE FROM inbox WHERE stream = ?1")?.execute([stream])?;
        Ok(())
    }

    fn forget_task(&mut self, id: &str) -> rusqlite::Result<()> {
        rows::forget_task(self.connection, id)?;
        self.forget_stream(&StreamName::new(judge::TASK, id))
    }

    fn forget_run(&mut self, id: &str) -> rusqlite::Result<()> {
        self.unnamed.extend(runs::forget_run(self.connection, id)?);
        self.forget_stream(&StreamName::new(judge::RUN, id))
    }

    /// Those of the digests that no Run names any more.
    pub fn nameless(&mut self) -> rusqlite::Result<Vec<String>> {
        let mut nameless = Vec::new();
        for sha256 in self.unnamed.drain(..) {
            if !read::names_blob(self.connection, &sha256)? {
                nameless.push(sha256);
            }
        }
        Ok(nameless)
    }

    fn forget_stream(&mut self, name: &StreamName) -> rusqlite::Result<()> {
        self.drop_requests(name.as_str())?;
        let removed: Option<(i64, i64)> = self
            .connection
            .prepare_cached("DELETE FROM streams WHERE name = ?1 RETURNING number, last")?
            .query_row([name.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        match removed {
            Some((stream, last)) if last > EVENTS_REMOVED_AT_ONCE => {
                self.connection.prepare_cached("INSERT INTO garbage (stream) VALUES (?1)")?.execute([stream])?;
                self.garbage = true;
            }
            Some((stream, _)) => {
                self.connection.prepare_cached("DELETE FROM events WHERE stream = ?1")?.execute([stream])?;
            }
            None => {}
        }
        Ok(())
    }

    pub fn take_over(&mut self, name: &StreamName) -> Judged<(Token, Seq)> {
        let Some(found) = read::stream(self.connection, name)? else {
            return Ok(Err(AppendError::NoStream { stream: name.clone() }));
        };
        let old = match &found.owner {
            Some(owner) if owner == self.me => return Ok(Ok((found.token, found.last))),
            Some(owner) if instance::alive(self.instances, owner) => {
                return Ok(Err(AppendError::Fenced { stream: name.clone() }));
            }
            owner => owner.as_ref(),
        };
        self.position += 1;
        let token = found.token + 1;
        self.connection
            .prepare_cached("UPDATE streams SET owner = ?1, token = ?2, changed = ?3 WHERE name = ?4")?
            .execute(params![self.me.0, token.cast_signed(), self.position.cast_signed(), name.as_str()])?;
        if let Some(old) = old {
            rows::hand_over(self.connection, name, old, self.me)?;
        }
        Ok(Ok((token, found.last)))
    }

    /// Stores a request; its id is given here.
    pub fn request(&mut self, request: &InboxRequest) -> Judged<i64> {
        let Some(found) = read::stream(self.connection, &request.stream)? else {
            return Ok(Err(AppendError::NoStream { stream: request.stream.clone() }));
        };
        self.position += 1;
        let id = self
            .connection
            .prepare_cached("INSERT INTO inbox (stream, sender, at, body) VALUES (?1, ?2, ?3, ?4) RETURNING id")?
            .query_row(params![request.stream.as_str(), request.from.0, request.at, request.body], |row| row.get(0))?;
        if found.owner.is_none() {
            // Nobody will answer: it got its number, and does not wait.
            self.connection.prepare_cached("DELETE FROM inbox WHERE id = ?1")?.execute([id])?;
        }
        Ok(Ok(id))
    }

    /// Removes some events of a forgotten stream. False when there is no more garbage.
    pub fn sweep(&self) -> rusqlite::Result<bool> {
        let garbage: Option<i64> = self
            .connection
            .prepare_cached("SELECT stream FROM garbage LIMIT 1")?
            .query_row([], |row| row.get(0))
            .optional()?;
        let Some(stream) = garbage else { return Ok(false) };
        let removed = self
            .connection
            .prepare_cached(
                "DELETE FROM events WHERE (stream, kind, seq) IN \
                 (SELECT stream, kind, seq FROM events WHERE stream = ?1 LIMIT ?2)",
            )?
            .execute([stream, EVENTS_REMOVED_AT_ONCE])?;
        if removed == 0 {
            self.connection.prepare_cached("DELETE FROM garbage WHERE stream = ?1")?.execute([stream])?;
        }
        Ok(true)
    }
}
