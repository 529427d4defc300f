//! Starting a Run and staying until it has ended, or only waits for somebody. What a Run may write is said and asked
//! for here.

use std::{collections::HashSet, time::Duration};

use clap::Args;
use segue_channel::World;
use segue_flow::{
    Flows,
    api::{Admitted, Summary},
    error::AdmitError,
};
use segue_model::{
    Timestamp,
    flow::{Challenge, Json, RunId},
    reading::{
        Outcome,
        outcome::{FailureCode, ProjectedStatus},
    },
};
use serde_json::json;

use super::{CommandError, asking};
use crate::{
    exit::Exit,
    flows::Desk,
    output,
    shutdown::Signals,
    terminal::{plain, run_progress::RunProgress, run_words, style},
    world::Machine,
};

/// Who cancels a Run whose command is interrupted, in the record.
const INTERRUPTED: &str = "segue, interrupted";

/// How often it is looked whether somebody drives a Run that is followed.
pub const LOOK_EVERY: Duration = Duration::from_secs(2);

/// Ways to answer that are named: what fits on a screen with the rest.
const HINTS_MAX: usize = 16;

/// What every command that starts a Run takes.
#[derive(Debug, Clone, Args)]
pub struct Starting {
    /// Allow the writes that the run lists; without it a terminal is asked, and elsewhere the run is refused
    #[arg(long)]
    pub authorize: bool,
    /// A key of your own: starting again with the same one follows the same run instead of starting a second
    #[arg(long, value_name = "KEY")]
    pub key: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

impl Starting {
    /// Has a Run admitted: once without an authorization, and again with what was asked for if somebody agrees.
    ///
    /// # Errors
    /// As the admission; a refusal to authorize.
    pub async fn admitted(
        &self,
        mut admit: impl AsyncFnMut(Option<Json>) -> Result<Admitted, AdmitError>,
    ) -> Result<Admitted, CommandError> {
        let challenge = match admit(None).await {
            Err(AdmitError::AuthorizationRequired(challenge)) => challenge,
            other => return Ok(other?),
        };
        if !self.json {
            tell(&challenge);
        }
        let agreed = self.authorize || (!self.json && asking::can_ask() && asking::yes("allow this?").await);
        if agreed {
            return Ok(admit(Some(challenge.authorization())).await?);
        }
        if self.json {
            output::json(&json!(challenge.to_json()));
        }
        Err(CommandError::Unauthorized("the run was not started: its effects need --authorize".to_owned()))
    }
}

/// What, who and at what risk.
pub fn tell(challenge: &Challenge) {
    output::say(&format!("{} would write:", plain::line(&challenge.flow_id)));
    for risk in &challenge.effects {
        let nodes: Vec<&str> = risk.node_ids.iter().map(|node| node.as_str()).collect();
        output::say(&format!("  {} by {}: {}", risk.effect, plain::line(&nodes.join(", ")), risk.risk));
    }
}

/// How a Run that was followed stands.
#[derive(Debug)]
pub struct Followed {
    pub run: Summary,
    /// None for a Run without a reading.
    pub outcome: Option<Outcome>,
    /// Somebody wanted this command to end.
    pub interrupted: bool,
}

impl Followed {
    #[must_use]
    pub fn exit(&self) -> Exit {
        let exit = exit(&self.run, self.outcome.as_ref());
        // Interrupted is how this command ended; a Run that was over already has its own end.
        if self.interrupted && matches!(exit, Exit::Cancelled | Exit::Succeeded) && self.run.status != "succeeded" {
            return Exit::Interrupted;
        }
        exit
    }

    /// Prints how it stands, on standard output; what may still run is said beside it.
    pub fn print(&self, json: bool) {
        warn(&self.run);
        match (&self.outcome, json) {
            (Some(outcome), true) => output::json(&json!(outcome)),
            (None, true) => output::json(&super::run_json::summary(&self.run)),
            (_, false) => output::line(&run_words::end_line(&self.run, Machine.now())),
        }
    }
}

/// Says what may still run of a Run that is over.
pub fn warn(run: &Summary) {
    for of in &run.unconfirmed {
        output::say(&plain::line(&run_words::may_run(of)));
    }
}

/// How a Run's end shows; one that goes on elsewhere has not failed.
#[must_use]
pub fn exit(run: &Summary, outcome: Option<&Outcome>) -> Exit {
    if !run.unconfirmed.is_empty() {
        return Exit::Internal;
    }
    let failure = outcome.and_then(|outcome| outcome.failure.as_ref());
    match run.status.as_str() {
        "failed" if failure.is_some_and(|failure| failure.code == FailureCode::EvaluationRejected) => Exit::Rejected,
        "failed" => Exit::Failed,
        "cancelled" => Exit::Cancelled,
        _ if run.waiting => Exit::Waiting,
        _ => Exit::Succeeded,
    }
}

/// What a command has to do with the Run that it follows.
#[derive(Debug, Clone, Copy)]
pub enum Part {
    /// It had it admitted, after this moment. A Run that is older was found by its key.
    Admitted(Timestamp),
    /// It said something to it, after the event of this number.
    Spoke(u64),
}

/// Follows a Run until it has ended or only waits for somebody, and drives it on when whoever drove it has died. An
/// interruption cancels it if it began here; otherwise it ends the following.
///
/// # Errors
/// The Run is not there or cannot be read.
pub async fn follow(desk: &Desk, run: &RunId, part: Part, json: bool) -> Result<Followed, CommandError> {
    // From here on an interruption ends the Run first.
    let mut signals = Signals::new().map_err(|source| CommandError::Io { what: "listen for signals", source })?;
    let flows = &desk.flows;
    flows.answer_requests();
    let before = flows.run(run.as_str()).await?;
    let (ours, seen) = match part {
        Part::Admitted(began) => (before.started_at >= began, 0),
        Part::Spoke(seen) => (false, seen),
    };
    if matches!(part, Part::Admitted(_)) && !ours && before.finished_at.is_none() {
        // Its command may have been killed: then nobody else drives it.
        flows.adopt(run).await;
    }
    // It may be killed later as well.
    let mut look = tokio::time::interval(LOOK_EVERY);
    let mut taken_over = false;
    let mut progress = RunProgress::new(!json);
    let mut watch = flows.watch(run.as_str(), 0).await?;
    let mut asked = HashSet::new();
    let mut interrupted = false;
    loop {
        tokio::select! {
            page = watch.next() => {
                let Some(page) = page? else { break };
                progress.show(page.events.iter().filter(|event| event.sequence > seen));
                for event in &page.events {
                    let node = event.node_id.as_ref().map(|node| node.as_str().to_owned());
                    match (event.event_type, node) {
                        ("person.asked" | "node.uncertain", Some(node)) => _ = asked.insert(node),
                        ("person.answered" | "node.decided", Some(node)) => _ = asked.remove(&node),
                        _ => {}
                    }
                }
                if page.waiting && only_waits(flows, run, &asked).await? {
                    break;
                }
            }
            _ = look.tick() => {
                if !flows.is_driven(run.as_str()).await? {
                    if !std::mem::replace(&mut taken_over, true) {
                        progress.say("nobody drives it: its server has ended. This command goes on with it");
                    }
                    flows.adopt(run).await;
                }
            }
            _ = signals.next() => {
                if !ours {
                    progress.say("no longer watched");
                    interrupted = true;
                    break;
                }
                if !interrupted {
                    progress.say("cancelling the run");
                    let (flows, run) = (flows.clone(), run.clone());
                    // Its end is seen by the watching, its refusal is that the Run has ended.
                    tokio::spawn(async move { flows.cancel(run.as_str(), None, Some(INTERRUPTED.to_owned())).await });
                }
                interrupted = true;
            }
        }
    }
    let run = flows.run(run.as_str()).await?;
    if run.waiting && !interrupted {
        for line in flows.why(run.run_id.as_str()).await?.lines {
            progress.say(&plain::line(&format!("{} {}", line.node, line.text)));
        }
        for waiting in flows.waiting().await?.iter().filter(|waiting| waiting.run_id == run.run_id).take(HINTS_MAX) {
            progress.say(&style::dim(&format!("to answer: {}", run_words::answer(waiting))));
        }
    }
    drop(progress);
    let outcome = flows.outcome(run.run_id.as_str()).await.ok();
    Ok(Followed { run, outcome, interrupted })
}

/// Every node that is under way waits for somebody.
async fn only_waits(flows: &Flows, run: &RunId, asked: &HashSet<String>) -> Result<bool, CommandError> {
    let outcome = flows.outcome(run.as_str()).await?;
    let running = outcome.nodes.iter().filter(|node| node.status == ProjectedStatus::Running);
    Ok(running.map(|node| node.node_id.as_str()).all(|node| asked.contains(node)))
}
