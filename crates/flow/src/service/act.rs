//! What is said to Runs that are there: cancel, answer, decide, forget, restore.

use segue_model::{flow::RunId, run::Decision};

use super::Flows;
use crate::{
    drive::Cancelled,
    error::{AnswerError, CancelError, ForgetError, RestoreError},
    forget,
    people::{self, Answer},
};

impl Flows {
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
