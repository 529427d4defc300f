//! Conditions of rows: a key is used once, what was forgotten stays so, a blob is there before the
//! row that names it.

use std::collections::HashMap;

use super::{Facts, RUN, Stop, TASK, TaskFacts};
use crate::{
    append::{Append, AppendError, Batch},
    projection::{Row, RunRow, TaskRow},
    stream::StreamName,
};

pub(super) fn judge_rows<F: Facts>(batch: &Batch, facts: &F) -> Result<(), Stop<F::Fault>> {
    let mut tasks = TaskOverlay { facts, ids: HashMap::new(), keys: HashMap::new() };
    let mut runs = RunOverlay { facts, appends: &batch.appends, ids: HashMap::new(), keys: HashMap::new() };
    for row in &batch.rows {
        match row {
            Row::Task(row) => tasks.put(row)?,
            Row::ForgetTask(id) => tasks.forget(id)?,
            Row::Run(row) => runs.put(row)?,
            Row::Artifact(row) => runs.name(&row.run, &row.sha256)?,
            Row::RunBlob { run, sha256 } => runs.name(run, sha256)?,
            Row::ForgetRun(id) => runs.forget(id),
            Row::Lease(_) | Row::Host(_) | Row::RemoveHost(_) => {}
        }
    }
    Ok(())
}

/// The tasks as the rows of the batch judged so far leave them.
struct TaskOverlay<'b, F> {
    facts: &'b F,
    ids: HashMap<&'b str, TaskFacts>,
    /// Keys of tasks that the batch inserts.
    keys: HashMap<&'b str, &'b str>,
}

impl<'b, F: Facts> TaskOverlay<'b, F> {
    fn task(&self, id: &'b str) -> Result<TaskFacts, Stop<F::Fault>> {
        if let Some(known) = self.ids.get(id) {
            return Ok(*known);
        }
        self.facts.task(id).map_err(Stop::Fault)
    }

    fn put(&mut self, row: &'b TaskRow) -> Result<(), Stop<F::Fault>> {
        match self.task(&row.id)? {
            TaskFacts::Present => return Ok(()),
            TaskFacts::Forgotten => {
                return Err(Stop::Refused(AppendError::NoStream { stream: StreamName::new(TASK, &row.id) }));
            }
            TaskFacts::Absent => {}
        }
        if let Some(key) = row.client_key.as_deref() {
            if let Some(task) = self.with_key(key)? {
                return Err(Stop::Refused(AppendError::DuplicateKey { task }));
            }
            self.keys.insert(key, &row.id);
        }
        self.ids.insert(&row.id, TaskFacts::Present);
        Ok(())
    }

    fn forget(&mut self, id: &'b str) -> Result<(), Stop<F::Fault>> {
        if self.task(id)? != TaskFacts::Absent {
            self.ids.insert(id, TaskFacts::Forgotten);
            self.keys.retain(|_, task| *task != id);
        }
        Ok(())
    }

    fn with_key(&self, key: &str) -> Result<Option<String>, Stop<F::Fault>> {
        if let Some(task) = self.keys.get(key) {
            return Ok(Some((*task).to_owned()));
        }
        let stored = self.facts.task_with_key(key).map_err(Stop::Fault)?;
        Ok(stored.filter(|task| self.ids.get(task.as_str()) != Some(&TaskFacts::Forgotten)))
    }
}

/// The Runs as the rows of the batch judged so far leave them.
struct RunOverlay<'b, F> {
    facts: &'b F,
    /// The batch's, all found good: their streams exist once it is carried out.
    appends: &'b [Append],
    /// Whether a Run that the batch names has a row.
    ids: HashMap<&'b str, bool>,
    /// Workspaces and keys of Runs that the batch inserts.
    keys: HashMap<(&'b str, &'b str), &'b str>,
}

impl<'b, F: Facts> RunOverlay<'b, F> {
    fn put(&mut self, row: &'b RunRow) -> Result<(), Stop<F::Fault>> {
        self.stream_of(&row.id)?;
        let present = match self.ids.get(row.id.as_str()) {
            Some(present) => *present,
            None => self.facts.run(&row.id).map_err(Stop::Fault)?,
        };
        if present {
            return Ok(());
        }
        if let Some(key) = row.admission_key.as_deref() {
            if let Some(run) = self.with_key(&row.workspace, key)? {
                return Err(Stop::Refused(AppendError::DuplicateKey { task: run }));
            }
            self.keys.insert((&row.workspace, key), &row.id);
        }
        self.ids.insert(&row.id, true);
        Ok(())
    }

    /// A Run names a blob.
    fn name(&self, run: &str, sha256: &str) -> Result<(), Stop<F::Fault>> {
        self.stream_of(run)?;
        if self.facts.blob(sha256).map_err(Stop::Fault)? {
            Ok(())
        } else {
            Err(Stop::Refused(AppendError::NoBlob { sha256: sha256.to_owned() }))
        }
    }

    /// Refuses what belongs to a Run that has no stream: a late row would bring a forgotten one back.
    fn stream_of(&self, run: &str) -> Result<(), Stop<F::Fault>> {
        let name = StreamName::new(RUN, run);
        let there = match self.ids.get(run) {
            Some(present) => *present,
            None => {
                self.appends.iter().any(|append| append.stream == name)
                    || self.facts.stream(&name).map_err(Stop::Fault)?.is_some()
            }
        };
        if there { Ok(()) } else { Err(Stop::Refused(AppendError::NoStream { stream: name })) }
    }

    fn forget(&mut self, id: &'b str) {
        self.ids.insert(id, false);
        self.keys.retain(|_, run| *run != id);
    }

    fn with_key(&self, workspace: &str, key: &str) -> Result<Option<String>, Stop<F::Fault>> {
        if let Some(run) = self.keys.get(&(workspace, key)) {
            return Ok(Some((*run).to_owned()));
        }
        let stored = self.facts.run_with_key(workspace, key).map_err(Stop::Fault)?;
        Ok(stored.filter(|run| self.ids.get(run.as_str()) != Some(&false)))
    }
}
