//! Who asked for a start. A caller that goes before it heard of its task would leave one behind that nobody knows of,
//! so the start, and the job that comes of it, are told.

use std::sync::{Arc, Mutex};

use segue_model::TaskId;

use crate::{
    agent::Ask,
    shared::{JobRef, lock},
};

/// One call that starts something. Clones stand for the same call.
#[derive(Debug, Clone, Default)]
pub struct Caller(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    gone: bool,
    /// Reachable from here on; a caller that goes later has its task cancelled.
    job: Option<(JobRef, TaskId)>,
}

impl Caller {
    /// The call was given up, or its answer will not be delivered. Has no meaning once its caller has the answer.
    pub fn gone(&self) {
        let mut state = lock(&self.0);
        if !std::mem::replace(&mut state.gone, true)
            && let Some((job, task)) = &state.job
        {
            let _ = job.asks.send(call_cancelled(task));
        }
    }

    #[must_use]
    pub fn is_gone(&self) -> bool {
        lock(&self.0).gone
    }

    /// From now on the job is told.
    pub(crate) fn watch(&self, job: &JobRef, task: &TaskId) {
        let mut state = lock(&self.0);
        if state.gone {
            let _ = job.asks.send(call_cancelled(task));
        }
        state.job = Some((job.clone(), task.clone()));
    }
}

/// Ends a task that nobody waits for the start of.
fn call_cancelled(task: &TaskId) -> Ask {
    let reason = "the call that started the task was cancelled".to_owned();
    Ask::Cancel { task: task.clone(), reason, actor: None, request: None }
}
