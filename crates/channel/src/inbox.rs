//! Requests between servers: what one asks of a task that another one runs.

use std::sync::Arc;

use segue_journal::{Batch, InboxRequest};
use segue_model::TaskId;
use serde::{Deserialize, Serialize};

use crate::{agent::Ask, ledger, recover, shared::Shared};

/// What can be asked of the owner of a task's stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Request {
    Cancel { actor: Option<String> },
}

/// Hands requests to the jobs they are for, as long as the channel lives.
pub async fn serve(shared: Arc<Shared>) {
    let mut changes = shared.journal().changes();
    loop {
        changes.mark_unchanged();
        let mut early = false;
        match ledger::read(&shared, |journal| journal.inbox()).await {
            Ok(requests) => {
                // Those to Runs are for whoever drives them.
                for request in requests.into_iter().filter(|request| request.stream.kind() != "run") {
                    early |= hand_over(&shared, request).await == Handed::TooEarly;
                }
            }
            Err(refusal) => tracing::warn!("read the inbox: {refusal}"),
        }
        tokio::select! {
            changed = changes.changed() => {
                if changed.is_err() {
                    return;
                }
                // Own commits change the journal as well; a request can wait this long.
                tokio::time::sleep(LOOK_AGAIN).await;
            }
            // A job that begins is no change of the journal.
            () = tokio::time::sleep(LOOK_AGAIN), if early => {}
            () = shared.stopped() => return,
        }
    }
}

/// How often the inbox is looked at, at most.
const LOOK_AGAIN: std::time::Duration = std::time::Duration::from_millis(50);

#[derive(Debug, PartialEq, Eq)]
enum Handed {
    /// To its job, or it is answered.
    Over,
    /// The task is starting or being taken over: there is no job yet.
    TooEarly,
}

async fn hand_over(shared: &Arc<Shared>, request: InboxRequest) -> Handed {
    let understood: Result<Request, _> = serde_json::from_str(&request.body);
    match (shared.job(&request.stream), TaskId::parse(request.stream.id()), understood) {
        (Some(job), Some(task), Ok(Request::Cancel { actor })) => {
            let ask = Ask::Cancel { task, reason: "cancel_task".to_owned(), actor, request: Some(request.id) };
            if job.asks.send(ask).is_ok() {
                return Handed::Over;
            }
            // It is over just now; what it could not record is for the next owner.
            if !recover::is_finished(shared, &request.stream).await {
                return Handed::TooEarly;
            }
        }
        (None, _, Ok(_)) if !recover::is_finished(shared, &request.stream).await => return Handed::TooEarly,
        (_, _, Err(error)) => tracing::warn!(stream = %request.stream, "a request that is not understood: {error}"),
        _ => {}
    }
    // Nothing is left to be asked: the task is finished, or the request makes no sense here.
    let batch = Batch { answered: vec![request.id], ..Batch::default() };
    if let Err(error) = shared.journal().append(batch).await {
        tracing::warn!("answer a request: {error}");
    }
    Handed::Over
}

#[cfg(test)]
mod tests {
    use segue_model::task::{Event, Status};
    use serde_json::json;
    use tokio::sync::mpsc;

    use super::*;
    use crate::{
        record::TaskRecord,
        shared::JobRef,
        testing::{changed, shared, task},
    };

    async fn request(shared: &Arc<Shared>, record: &TaskRecord) -> InboxRequest {
        let (journal, stream) = (Arc::clone(shared.journal()), record.stream());
        let body = json!({"do": "cancel", "actor": "me"}).to_string();
        let number = tokio::task::spawn_blocking(move || journal.request(&stream, body, 1)).await.unwrap().unwrap();
        let inbox = shared.journal().inbox().unwrap();
        inbox.into_iter().find(|request| request.id == number).unwrap()
    }

    async fn running(shared: &Arc<Shared>) -> TaskRecord {
        let started = [
            changed(Status::Created, Status::Starting),
            Event::ProcessStarted { pid: 17 },
            changed(Status::Starting, Status::Running),
        ];
        task(shared, &started, vec![]).await
    }

    fn job() -> (JobRef, mpsc::UnboundedReceiver<Ask>) {
        let (asks, asked) = mpsc::unbounded_channel();
        (JobRef { host: segue_model::HostId::from_bytes([1; 8]), asks }, asked)
    }

    #[tokio::test]
    async fn a_request_is_given_to_the_job_that_answers_it() {
        let shared = shared();
        let record = running(&shared).await;
        let asked = request(&shared, &record).await;
        let (job, mut asks) = job();
        shared.add_job(record.stream(), job);
        assert_eq!(hand_over(&shared, asked.clone()).await, Handed::Over);
        let ask = asks.try_recv().unwrap();
        let expected = (record.task.id.clone(), "cancel_task".to_owned(), Some("me".to_owned()), Some(asked.id));
        assert!(
            matches!(&ask, Ask::Cancel { task, reason, actor, request }
                if (task.clone(), reason.clone(), actor.clone(), *request) == expected),
            "{ask:?}"
        );
        assert!(shared.journal().waiting(asked.id).unwrap(), "the job answers with what it records");
    }

    /// A job is there before its task is running, and for a moment after its end; neither may lose the request.
    #[tokio::test]
    async fn a_request_waits_while_there_is_no_job_or_one_that_is_over() {
        let shared = shared();
        let record = running(&shared).await;
        let asked = request(&shared, &record).await;
        assert_eq!(hand_over(&shared, asked.clone()).await, Handed::TooEarly, "none yet");
        let (over, asks) = job();
        drop(asks);
        shared.add_job(record.stream(), over);
        assert_eq!(hand_over(&shared, asked.clone()).await, Handed::TooEarly, "over, and what it had is taken over");
        assert!(shared.journal().waiting(asked.id).unwrap());
        let (next, mut asks) = job();
        shared.add_job(record.stream(), next);
        assert_eq!(hand_over(&shared, asked).await, Handed::Over);
        assert!(matches!(asks.try_recv(), Ok(Ask::Cancel { .. })));
    }

    #[tokio::test]
    async fn a_request_of_no_meaning_is_answered() {
        let shared = shared();
        let record = running(&shared).await;
        let asked = request(&shared, &record).await;
        let strange = InboxRequest { body: json!({"do": "sing"}).to_string(), ..asked };
        assert_eq!(hand_over(&shared, strange.clone()).await, Handed::Over);
        assert!(!shared.journal().waiting(strange.id).unwrap());
    }
}
