//! Calls of executors: starting those that are recorded, ending those that nobody wants, taking what they give.

use std::{path::PathBuf, sync::Arc, time::Duration};

use segue_journal::{ArtifactRow, HostRow, Row};
use segue_model::{
    HostId,
    flow::{Json, Node, NodeId, NodeKind, Object, json::object, rules::TIMEOUT_MAX},
    run::{
        Attempt, Event, NodePhase, Outcome,
        attempt::Loss,
        settle::{Circumstances, settle},
    },
};
use serde::{Deserialize, Serialize};
use tokio::task::{Id, JoinError};
use tokio_util::sync::CancellationToken;

use super::RunJob;
use crate::{
    around::Around,
    executors::{Call, Start},
};

/// How long an attempt of a built-in executor may take. They compute, and are done at once.
const BUILT_IN_TIMEOUT: Duration = Duration::from_secs(60);

/// An attempt that is being worked on.
#[derive(Debug)]
pub struct Live {
    stop: CancellationToken,
}

/// An attempt that an executor is done with, and what it was given.
#[derive(Debug)]
pub struct Done {
    attempt: Attempt,
    outcome: Outcome,
    input: Arc<Object>,
}

impl RunJob {
    /// Calls the executors of attempts that are recorded as started.
    pub(super) fn start_open(&mut self) {
        for attempt in self.record.run.state.open_attempts(&self.record.bound.flow) {
            if !self.live.contains_key(&attempt) {
                self.start(attempt);
            }
        }
    }

    fn start(&mut self, attempt: Attempt) {
        let stop = CancellationToken::new();
        let left = self.item_inputs.get_mut(&pass_of(&attempt)).and_then(Vec::pop);
        let Some(call) = self.call(&attempt, stop.clone(), left) else { return };
        let ready = call.host.as_ref().and_then(|host| self.spare.give(host));
        let around = Around::of_attempt(&self.shared, self.outputs_for(&call.node), ready);
        let executors = Arc::clone(&self.shared.config.executors);
        let doubted = self.doubted.remove(&attempt).then(|| self.shared.config.hosts.clone());
        let handle = self.working.spawn(async move {
            let call = match (doubted, &call.host) {
                (Some(hosts), Some(host)) => {
                    let dir = hosts.join(host.as_str());
                    unless_it_ran(call, dir).await
                }
                _ => call,
            };
            let outcome = executors.execute(&call, &around).await;
            Done { attempt: call.attempt, outcome, input: call.input }
        });
        self.attempts.insert(handle.id(), attempt.clone());
        self.live.insert(attempt, Live { stop });
    }

    /// `left` is the input of an item of the same node and round that is done.
    fn call(&self, attempt: &Attempt, stop: CancellationToken, left: Option<Arc<Object>>) -> Option<Call> {
        let (record, bound) = (&self.record.run, &self.record.bound);
        let position = bound.flow.position(attempt.node_id.as_str())?;
        let (node, state) = (Arc::clone(&bound.nodes[position]), &record.state.nodes[position]);
        let accepted = state.input.clone().unwrap_or_default();
        let input = match (attempt.index, &state.items) {
            (Some(index), Some(items)) => {
                let item = items.get(index as usize).cloned().unwrap_or_default();
                input_of_item(index, item, &accepted, left)
            }
            _ => accepted,
        };
        let session = node.session_group.as_ref().and_then(|group| {
            let bound = record.state.sessions.iter().find(|session| session.group == *group)?;
            Some(bound.conversation_ref.clone())
        });
        let capability = bound.capabilities[position].clone();
        let seconds = node.rules.timeout_seconds.or(capability.as_ref().map(|capability| capability.timeout_seconds));
        let timeout = match seconds {
            Some(seconds) => Duration::from_secs(seconds.into()),
            None if node.kind == NodeKind::Flow => Duration::from_secs(TIMEOUT_MAX.into()),
            None => BUILT_IN_TIMEOUT,
        };
        Some(Call {
            run_id: record.id.clone(),
            attempt: attempt.clone(),
            input,
            flow_input: Arc::clone(&record.state.flow_input),
            capability,
            conversation_ref: session,
            workspace: self.shared.workspace.path().to_owned(),
            timeout,
            host: self.hosts.get(attempt).cloned(),
            stop,
            start: if self.again.contains(attempt) { Start::Again } else { Start::First },
            node,
        })
    }

    /// Accepted outputs by node id, for inputs of another flow that read them.
    fn outputs_for(&self, node: &Node) -> Option<Arc<Object>> {
        let rule = node.rules.subflow.as_ref()?;
        rule.inputs.iter().any(|(_, expression)| !expression.nodes().is_empty()).then(|| {
            let nodes = self.record.bound.flow.nodes().iter().zip(&self.record.run.state.nodes);
            let outputs = nodes.filter(|(_, state)| state.phase.has_output()).filter_map(|(node, state)| {
                let output = state.output.as_ref()?.as_ref().clone();
                Some((node.id.as_str().to_owned(), Json::Object(output)))
            });
            Arc::new(outputs.collect())
        })
    }

    /// Ends what nobody wants any more.
    pub(super) fn stop_unwanted(&mut self) {
        for attempt in self.record.run.state.unwanted_attempts(&self.record.bound.flow) {
            if let Some(live) = self.live.get(&attempt) {
                live.stop.cancel();
            }
        }
    }

    /// Takes an outcome.
    pub(super) fn done(&mut self, done: Result<(Id, Done), JoinError>) {
        let (attempt, outcome, input) = match done {
            Ok((id, Done { attempt, outcome, input })) => {
                self.attempts.remove(&id);
                (attempt, outcome, Some(input))
            }
            Err(error) => {
                let Some(attempt) = self.attempts.remove(&error.id()) else { return };
                tracing::error!(run = %self.own.run, %attempt, "an executor broke off: {error}");
                let message = "the executor broke off".to_owned();
                (attempt, Outcome::Failed { class: None, error_type: "ExecutorBroken".to_owned(), message }, None)
            }
        };
        self.live.remove(&attempt);
        let outcome = match outcome {
            // Only who took the Run over knows how the server before it ended.
            Outcome::Lost(Loss::Crash) if self.again.contains(&attempt) => Outcome::Lost(self.loss),
            other => other,
        };
        let jitter = u32::from_be_bytes(self.shared.draw()) % 1001;
        let at = Circumstances { now: self.clock.now(), jitter };
        let events = settle(&self.record.bound.flow, &self.record.run.state, &attempt, outcome, at);
        self.push(events);
        self.settle_host(&attempt);
        self.leave_input(&attempt, input);
    }

    /// The input of an item is kept for the next one, as long as there may be one.
    fn leave_input(&mut self, attempt: &Attempt, input: Option<Arc<Object>>) {
        let position = self.record.bound.flow.position(attempt.node_id.as_str());
        let phase = position.map(|at| &self.record.run.state.nodes[at].phase);
        if !matches!(phase, Some(NodePhase::Running(_))) {
            self.item_inputs.remove(&pass_of(attempt));
        } else if let Some(input) = input.filter(|_| attempt.index.is_some()) {
            self.item_inputs.entry(pass_of(attempt)).or_default().push(input);
        }
    }

    /// The host of an attempt that is not open any more is let go with the next commit.
    fn settle_host(&mut self, attempt: &Attempt) {
        let flow = &self.record.bound.flow;
        let open = flow.position(attempt.node_id.as_str()).is_some_and(|at| {
            let node = &flow.nodes()[at].id;
            self.record.run.state.nodes[at].open_attempts(node).any(|open| open == *attempt)
        });
        if open {
            return;
        }
        if let Some(host) = self.hosts.remove(attempt) {
            self.rows.push(Row::RemoveHost(host.as_str().to_owned()));
            self.settled_hosts.push(host);
        }
    }

    /// The rows that an event changes besides the Run's own.
    pub(super) fn row_of(&mut self, event: &Event) {
        match event {
            Event::ExecutorStarted(started) => self.draw_host(&started.attempt),
            Event::ArtifactCreated(created) => self.rows.push(Row::Artifact(ArtifactRow {
                id: created.artifact_id.as_str().to_owned(),
                workspace: self.shared.workspace.key().to_owned(),
                run: self.own.run.as_str().to_owned(),
                node: created.own.node_id.as_str().to_owned(),
                name: created.name.clone(),
                media_type: created.own.media_type.clone(),
                sha256: created.sha256.as_str().to_owned(),
                bytes: created.own.bytes,
            })),
            _ => {}
        }
    }

    /// A host is known to the record before it is started.
    fn draw_host(&mut self, attempt: &Attempt) {
        let bound = &self.record.bound;
        let Some(position) = bound.flow.position(attempt.node_id.as_str()) else { return };
        if !self.shared.config.executors.needs_host(&bound.nodes[position], bound.capability(position)) {
            return;
        }
        let host = self.spare.draw().unwrap_or_else(|| self.shared.draw_host());
        self.rows.push(Row::Host(Box::new(HostRow {
            id: host.as_str().to_owned(),
            server: self.shared.instance(),
            stream: Some(self.record.stream()),
            out: 0,
            err: 0,
            body: body_of(attempt, self.shared.place.clone()),
        })));
        self.hosts.insert(attempt.clone(), host);
    }

    /// Lets hosts go whose attempts are settled, once that is durable.
    pub(super) fn let_hosts_go(&mut self) {
        for host in std::mem::take(&mut self.settled_hosts) {
            if let Some(parting) = self.shared.take_parting(&host) {
                let busy = self.shared.busy();
                tokio::spawn(async move {
                    parting.let_go().await;
                    drop(busy);
                });
            }
        }
    }

    /// Nothing of the Run is under way.
    pub(super) fn is_idle(&self) -> bool {
        self.record.run.state.nodes.iter().all(|node| match &node.phase {
            NodePhase::Running(slots) => {
                slots.iter().all(|slot| slot.state != segue_model::run::state::SlotState::Running)
            }
            _ => true,
        })
    }
}

/// What an item receives: `{item, index, input}`. What the node accepted may be large, and the calls of executors own
/// their inputs; so whoever is done leaves its copy to the next item, and there are as many as run at the same time.
fn input_of_item(index: u32, item: Json, accepted: &Object, left: Option<Arc<Object>>) -> Arc<Object> {
    let mut input = left.unwrap_or_else(|| {
        let accepted = Json::Object(accepted.clone());
        Arc::new(object([("item", Json::Null), ("index", Json::Null), ("input", accepted)]))
    });
    let members = Arc::make_mut(&mut input);
    members.insert("item".to_owned(), item);
    members.insert("index".to_owned(), index.into());
    input
}

/// Where all items have the same accepted input: one round of a node.
fn pass_of(attempt: &Attempt) -> (NodeId, u32) {
    (attempt.node_id.clone(), attempt.round)
}

/// What a host's row says: the attempt that it was drawn for, and where.
#[derive(Debug, Serialize, Deserialize)]
struct Drawn {
    #[serde(flatten)]
    attempt: Attempt,
    /// See [`segue_host::place`]; absent in older rows, and where the system does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    place: Option<String>,
}

fn body_of(attempt: &Attempt, place: Option<String>) -> String {
    serde_json::to_string(&Drawn { attempt: attempt.clone(), place }).unwrap_or_default()
}

/// A host that a dead server had recorded for an attempt.
#[derive(Debug, Clone)]
pub struct Left {
    pub host: HostId,
    /// It was drawn where this process is, so what its folder lacks never was.
    pub is_of_here: bool,
}

/// The attempt of a host's row, and the host; `None` for a row that is not of a Run.
#[must_use]
pub fn attempt_of(row: &HostRow, here: Option<&str>) -> Option<(Attempt, Left)> {
    let drawn: Drawn = serde_json::from_str(&row.body).ok()?;
    let is_of_here = here.is_some() && drawn.place.as_deref() == here;
    Some((drawn.attempt, Left { host: HostId::parse(&row.id)?, is_of_here }))
}

/// A call whose command is proven to have never run is a first one. What is left of its start is removed.
async fn unless_it_ran(call: Call, dir: PathBuf) -> Call {
    let Some(host) = &call.host else { return call };
    match segue_host::never_ran(host, &dir).await {
        Ok(true) => match segue_host::remove(&dir).await {
            Ok(()) => Call { start: Start::First, ..call },
            Err(_) => call,
        },
        Ok(false) | Err(_) => call,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_takes_the_copy_of_one_that_is_done_and_leaves_others_alone() {
        let accepted = object([("text", "as large as you like".into())]);
        let whole = |index: u32, item: &str| {
            object([("item", item.into()), ("index", index.into()), ("input", Json::Object(accepted.clone()))])
        };
        let first = input_of_item(0, "a".into(), &accepted, None);
        assert_eq!(*first, whole(0, "a"));
        let (place, held) = (Arc::as_ptr(&first), Arc::clone(&first));
        let second = input_of_item(1, "b".into(), &accepted, Some(first));
        // Somebody still reads the first one.
        assert_eq!((&*held, &*second), (&whole(0, "a"), &whole(1, "b")));
        assert_eq!(Arc::as_ptr(&held), place);
        let third = input_of_item(2, "c".into(), &accepted, Some(held));
        assert_eq!((Arc::as_ptr(&third), &*third), (place, &whole(2, "c")));
    }
}
