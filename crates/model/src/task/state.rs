//! What a task is after the events so far.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    because::Because,
    event::{Created, Event, Facts, Verdict},
    final_message::FinalMessage,
    receipt::Receipt,
    usage::Context,
};
use crate::{IllegalEvent, TaskId, Timestamp};

/// The label of a task's execution. It says nothing of whether anybody was content: that is the
/// [`Resolution`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Created,
    Starting,
    Running,
    Succeeded,
    Failed,
    Cancelled,
}

impl Status {
    pub const ALL: [Self; 6] =
        [Self::Created, Self::Starting, Self::Running, Self::Succeeded, Self::Failed, Self::Cancelled];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Starting => "starting",
            Self::Running => "running",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed | Self::Cancelled)
    }

    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.as_str() == text)
    }
}

/// How far a task is, with what is known only from there on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    Created,
    Starting {
        pid: Option<u32>,
    },
    Running {
        since: Timestamp,
        pid: Option<u32>,
    },
    /// The turn's end is recorded and the status follows in the same transaction.
    Closing {
        since: Timestamp,
        exit: Exit,
    },
    Ended {
        status: Status,
        since: Option<Timestamp>,
        at: Timestamp,
        exit: Option<Exit>,
    },
}

/// How the agent's part ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Exit {
    /// `None` for a kept agent and for a process whose exit was not seen; −N for signal N.
    pub exit_code: Option<i32>,
    pub stop_reason: Option<String>,
    pub kept: bool,
    pub facts: Facts,
}

/// A judgement of a finished task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolution {
    pub verdict: Verdict,
    pub note: Option<String>,
    pub actor: Option<String>,
    pub at: Timestamp,
}

/// A task, derived from its events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    pub id: TaskId,
    pub created_at: Timestamp,
    pub request: Created,
    /// Of its prompt, which is kept apart. Tasks of earlier versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub phase: Phase,
    pub session_id: Option<String>,
    pub error: Option<String>,
    pub final_message: FinalMessage,
    pub context: Option<Context>,
    pub receipt: Receipt,
    /// When the newest event was recorded.
    pub last_activity: Timestamp,
    pub resolution: Option<Resolution>,
}

impl Task {
    /// The task that its first event makes.
    #[must_use]
    pub fn create(id: TaskId, request: Created, at: Timestamp) -> Self {
        Self {
            id,
            created_at: at,
            session_id: request.session_id.clone(),
            request,
            title: None,
            phase: Phase::Created,
            error: None,
            final_message: FinalMessage::default(),
            context: None,
            receipt: Receipt::default(),
            last_activity: at,
            resolution: None,
        }
    }

    #[must_use]
    pub const fn status(&self) -> Status {
        match self.phase {
            Phase::Created => Status::Created,
            Phase::Starting { .. } => Status::Starting,
            Phase::Running { .. } | Phase::Closing { .. } => Status::Running,
            Phase::Ended { status, .. } => status,
        }
    }

    #[must_use]
    pub const fn started_at(&self) -> Option<Timestamp> {
        match self.phase {
            Phase::Created | Phase::Starting { .. } => None,
            Phase::Running { since, .. } | Phase::Closing { since, .. } => Some(since),
            Phase::Ended { since, .. } => since,
        }
    }

    #[must_use]
    pub const fn finished_at(&self) -> Option<Timestamp> {
        match self.phase {
            Phase::Ended { at, .. } => Some(at),
            _ => None,
        }
    }

    /// How the agent's part ended, once that is recorded.
    #[must_use]
    pub const fn exit(&self) -> Option<&Exit> {
        match &self.phase {
            Phase::Closing { exit, .. } => Some(exit),
            Phase::Ended { exit, .. } => exit.as_ref(),
            _ => None,
        }
    }

    /// Why the task ended, once it has. A start that failed has no exit to say so.
    #[must_use]
    pub const fn because(&self) -> Option<Because> {
        match &self.phase {
            Phase::Ended { exit: Some(exit), .. } | Phase::Closing { exit, .. } => exit.facts.because,
            Phase::Ended { exit: None, .. } => Some(Because::NotStarted),
            Phase::Created | Phase::Starting { .. } | Phase::Running { .. } => None,
        }
    }

    /// The moment the task's own deadline passes, if it has one.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "the range is checked when the request is read")]
    pub fn deadline(&self) -> Option<Timestamp> {
        let seconds = self.request.deadline_seconds?;
        Some(Timestamp(self.created_at.0.saturating_add((seconds * 1e6) as i64)))
    }

    /// What follows from one event. The only way a task changes, live and in recovery.
    ///
    /// # Errors
    /// When the event cannot follow; the task is left as it was.
    pub fn apply(&mut self, event: &Event, at: Timestamp) -> Result<(), IllegalEvent> {
        self.phase = self.next_phase(event, at)?;
        self.last_activity = at;
        match event {
            Event::SessionStarted { session_id } => self.session_id = Some(session_id.clone()),
            Event::Error { message } => {
                if self.error.is_none() || !self.status().is_final() {
                    self.error = Some(message.clone());
                }
            }
            Event::AgentMessage { text } => self.final_message.push(text),
            Event::AgentThought { .. } | Event::Plan(_) | Event::AgentRequest { .. } => self.final_message.reset(),
            Event::ToolCall(update) | Event::ToolCallUpdate(update) => {
                self.final_message.reset();
                self.receipt.tool(update);
            }
            Event::Permission { tool_call_id, title, kind, decision } => {
                self.final_message.reset();
                self.receipt.permission(tool_call_id, title.as_deref(), kind.as_deref(), *decision);
            }
            Event::AgentUpdate(update) => {
                if let Some(context) = Context::of_update(update) {
                    self.context = Some(context);
                }
            }
            Event::ProcessExited { .. } | Event::AgentKept { .. } => self.receipt.settle(),
            Event::TaskResolved { resolution, note, actor } => {
                self.resolution =
                    Some(Resolution { verdict: *resolution, note: note.clone(), actor: actor.clone(), at });
            }
            Event::TaskCreated(_)
            | Event::StatusChanged { .. }
            | Event::ProcessStarted { .. }
            | Event::Stderr { .. }
            | Event::LateUpdate(_)
            | Event::TaskCancelled { .. } => {}
        }
        Ok(())
    }

    fn next_phase(&self, event: &Event, at: Timestamp) -> Result<Phase, IllegalEvent> {
        let same = || Ok(self.phase.clone());
        match (&self.phase, event) {
            // Facts that can be learned at any time, also after the end.
            (_, Event::Error { .. }) => same(),
            (Phase::Ended { .. }, Event::TaskResolved { .. }) => same(),

            (Phase::Created, Event::StatusChanged { from: Status::Created, to: Status::Starting }) => {
                Ok(Phase::Starting { pid: None })
            }
            (Phase::Starting { pid: None }, Event::ProcessStarted { pid }) => Ok(Phase::Starting { pid: Some(*pid) }),
            (Phase::Starting { pid }, Event::StatusChanged { from: Status::Starting, to: Status::Running }) => {
                Ok(Phase::Running { since: at, pid: *pid })
            }
            (Phase::Starting { .. }, Event::StatusChanged { from: Status::Starting, to: Status::Failed }) => {
                Ok(Phase::Ended { status: Status::Failed, since: None, at, exit: None })
            }

            (
                Phase::Running { .. },
                Event::SessionStarted { .. }
                | Event::Stderr { .. }
                | Event::AgentMessage { .. }
                | Event::AgentThought { .. }
                | Event::ToolCall(_)
                | Event::ToolCallUpdate(_)
                | Event::Plan(_)
                | Event::AgentUpdate(_)
                | Event::LateUpdate(_)
                | Event::Permission { .. }
                | Event::AgentRequest { .. }
                | Event::TaskCancelled { .. },
            ) => same(),
            (Phase::Running { since, .. }, Event::ProcessExited { exit_code, stop_reason, facts }) => {
                Ok(Phase::Closing {
                    since: *since,
                    exit: Exit {
                        exit_code: *exit_code,
                        stop_reason: stop_reason.clone(),
                        kept: false,
                        facts: (**facts).clone(),
                    },
                })
            }
            (Phase::Running { since, .. }, Event::AgentKept { facts, .. }) => Ok(Phase::Closing {
                since: *since,
                exit: Exit {
                    exit_code: None,
                    stop_reason: Some("end_turn".to_owned()),
                    kept: true,
                    facts: (**facts).clone(),
                },
            }),
            (Phase::Closing { since, exit }, Event::StatusChanged { from: Status::Running, to }) if to.is_final() => {
                Ok(Phase::Ended { status: *to, since: Some(*since), at, exit: Some(exit.clone()) })
            }
            (phase, event) => Err(IllegalEvent { state: phase.name(), event: event.kind() }),
        }
    }
}

impl Phase {
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Starting { .. } => "starting",
            Self::Running { .. } => "running",
            Self::Closing { .. } => "closing",
            Self::Ended { .. } => "ended",
        }
    }
}

impl Task {
    /// Permission questions that were refused or answered as cancelled.
    #[must_use]
    pub const fn permissions_refused(&self) -> u64 {
        self.receipt.permissions_refused
    }

    /// The options as given.
    #[must_use]
    pub const fn options(&self) -> &Value {
        &self.request.options
    }
}
