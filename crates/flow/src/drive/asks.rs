//! What people and the runtime want from a Run under way, and what they are told once it is durable.

use segue_model::{
    flow::NodeId,
    run::{
        AnswerError, Decision, Status,
        answer::{RUNTIME_SHUTDOWN, answer, cancel, decide},
        event::{Asked, Event, PersonAnswered, RunLeft},
        next::USER_REQUESTED,
    },
};
use tokio::sync::oneshot;

use super::RunJob;

/// What becomes of Runs when the runtime is stopped in order. One that only waits is left in any case: the next
/// runtime goes on with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnStop {
    /// What executes is cancelled.
    Cancel,
    /// What executes goes on in its hosts for a while, and the next runtime takes it over.
    Leave,
}

/// The answer to a request to cancel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancelled {
    /// This request is the one that moved the Run from running.
    pub accepted: bool,
    pub status: Status,
}

/// Requests. A reply is absent for those of other servers, which look at the record.
#[derive(Debug)]
pub enum Ask {
    Cancel {
        asked: Asked,
        reply: Option<oneshot::Sender<Cancelled>>,
    },
    Answer {
        answer: PersonAnswered,
        reply: Option<oneshot::Sender<Result<(), AnswerError>>>,
    },
    Decide {
        node: NodeId,
        decision: Decision,
        asked: Asked,
        reply: Option<oneshot::Sender<Result<(), AnswerError>>>,
    },
    /// The runtime is being stopped.
    Stop(OnStop),
    /// The time for that is over.
    Abandon,
}

/// Somebody who is told once everything before is durable.
#[derive(Debug)]
pub enum Reply {
    Cancel(oneshot::Sender<Cancelled>, bool),
    Done(oneshot::Sender<Result<(), AnswerError>>, Result<(), AnswerError>),
}

impl Ask {
    /// The number in the inbox, of one that came from another server.
    fn request(&self) -> Option<i64> {
        match self {
            Self::Cancel { asked, .. } | Self::Decide { asked, .. } => asked.request,
            Self::Answer { answer, .. } => answer.own.request,
            Self::Stop(_) | Self::Abandon => None,
        }
    }
}

impl RunJob {
    pub(super) fn asked(&mut self, ask: Ask) {
        // The inbox is read again before its answer is durable; a second answer would be one to the next question.
        if ask.request().is_some_and(|request| !self.heard.insert(request)) {
            return;
        }
        match ask {
            Ask::Cancel { asked, reply } => {
                self.answered.extend(asked.request);
                let event = cancel(&self.record.run.state, USER_REQUESTED, asked);
                let accepted = event.is_some();
                self.push(event.into_iter().collect());
                self.replies.extend(reply.map(|reply| Reply::Cancel(reply, accepted)));
            }
            Ask::Answer { answer: says, reply } => {
                self.answered.extend(says.own.request);
                let events = answer(&self.record.bound.flow, &self.record.run.state, says);
                self.take(events, reply);
            }
            Ask::Decide { node, decision, asked, reply } => {
                self.answered.extend(asked.request);
                let (flow, state) = (&self.record.bound.flow, &self.record.run.state);
                let events = decide(flow, state, node.as_str(), decision, &asked);
                self.take(events, reply);
            }
            Ask::Stop(OnStop::Cancel) if !self.is_idle() => {
                let event = cancel(&self.record.run.state, RUNTIME_SHUTDOWN, Asked::default());
                self.push(event.into_iter().collect());
            }
            Ask::Stop(_) | Ask::Abandon => self.leave(),
        }
    }

    fn take(
        &mut self,
        events: Result<Vec<Event>, AnswerError>,
        reply: Option<oneshot::Sender<Result<(), AnswerError>>>,
    ) {
        let result = events.map(|events| self.push(events));
        self.replies.extend(reply.map(|reply| Reply::Done(reply, result)));
    }

    fn leave(&mut self) {
        if !self.leaving && !self.record.run.state.status.is_terminal() {
            self.push(vec![RunLeft { reason: RUNTIME_SHUTDOWN.to_owned() }.into()]);
        }
        self.leaving = true;
    }

    /// Tells who waited. A caller that is gone needs no answer.
    pub(super) fn reply(&mut self) {
        let status = self.record.run.state.status;
        for reply in std::mem::take(&mut self.replies) {
            match reply {
                Reply::Cancel(reply, accepted) => drop(reply.send(Cancelled { accepted, status })),
                Reply::Done(reply, result) => drop(reply.send(result)),
            }
        }
    }
}
