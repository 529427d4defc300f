//! `segue show`: one Run, what each node did, and what was made.

use std::process::ExitCode;

use clap::Args;
use segue_channel::World;
use segue_flow::api::{Evidence, Node, Summary};
use segue_model::{
    Timestamp,
    flow::{NodeId, Object, inputs::BESIDE_INPUTS},
};
use serde_json::json;

use super::{CommandError, run_id, run_json};
use crate::{
    cli::Global,
    exit::Exit,
    flows::{self, Desk, Workspace},
    output,
    terminal::{
        moment,
        page::Page,
        plain, run_words, style,
        table::{self, Field},
    },
    world::Machine,
};

/// Inputs that are shown, and how much of each: with more, the rest of the page would be off the screen.
const INPUTS: usize = 12;
const INPUT_CHARS: usize = 160;

#[derive(Debug, Args)]
pub struct Show {
    /// The run's id, or the beginning of it
    run: String,
    /// Print what was published under this name or artifact id, and nothing else
    #[arg(long, value_name = "NAME", conflicts_with = "json")]
    artifact: Option<String>,
    #[command(flatten)]
    workspace: Workspace,
    /// Print everything that is known of it as JSON: inputs, outputs, events
    #[arg(long)]
    json: bool,
}

impl Show {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        flows::with_flows(global, &self.workspace, async |desk| self.show(desk).await)
    }

    async fn show(&self, desk: &Desk) -> Result<Exit, CommandError> {
        let id = run_id::resolve(&desk.flows, &self.run).await?;
        let evidence = desk.flows.evidence(&id).await?;
        if let Some(wanted) = &self.artifact {
            let named =
                |artifact: &&segue_flow::api::Artifact| artifact.name == *wanted || artifact.id.as_str() == wanted;
            let artifact = evidence.artifacts.iter().find(named);
            let artifact =
                artifact.ok_or_else(|| CommandError::Usage(format!("the run has no artifact {wanted:?}")))?;
            let content = desk.flows.artifact(artifact.id.as_str()).await?;
            output::bytes(&content.bytes);
            return Ok(Exit::Succeeded);
        }
        let flow_input = desk.flows.run_detail(&id).await?.flow_input;
        if self.json {
            let mut shown = run_json::evidence(&evidence);
            // What its first node was given: the inputs of the Run, and what the runtime adds.
            shown["flow_input"] = json!(flow_input);
            output::json(&shown);
        } else {
            output::line(&page(&evidence, &flow_input.unwrap_or_default(), Machine.now()));
        }
        Ok(Exit::Succeeded)
    }
}

fn page(evidence: &Evidence, flow_input: &Object, now: Timestamp) -> String {
    let run = &evidence.run;
    let mut page = Page::default();
    let waiting = if run.waiting { ", waits for a person" } else { "" };
    let status = style::coloured(&run.status, run_words::colour(&run.status));
    page.own("run", &format!("{} {status}{waiting}", run.run_id));
    page.add("flow", &format!("{} ({})", run.flow_id, run.flow_hash));
    page.add("task", &format!("{} {}", run.task_id, run.task_title));
    page.add("topic", &run.topic);
    add_inputs(&mut page, flow_input);
    page.add("executor", &executor(run));
    page.own("started", &moment::both(run.started_at, now));
    if let Some(at) = run.finished_at {
        let took = moment::span(at.seconds_since(run.started_at));
        page.own("finished", &format!("{}, took {took}", moment::both(at, now)));
    }
    if let Some((parent, from)) = &run.parent {
        page.add("forked", &format!("from {parent} at {from}"));
    }
    for artifact in &run.artifacts {
        page.add("made", &format!("{} ({})", artifact.name, artifact.id));
    }
    for of in &run.unconfirmed {
        page.add("not ended", &run_words::may_run(of));
    }
    let rows = run.nodes.iter().map(|(id, kind)| {
        let node = evidence.nodes.iter().find(|node| node.node_id == *id);
        [
            Field::from(id.as_str()),
            Field::from(kind.as_str()),
            Field::from(node.map_or("", |node| node.status.as_str())),
            Field::from(node.map_or(String::new(), |node| node.attempts.to_string())),
            Field::from(node.map_or("", |node| node.evidence_level.as_str())),
            Field::from(node.map_or("", |node| node.executor.executor_id.as_str())),
            Field::from(last_words(evidence, id, node)),
        ]
    });
    let heading = ["NODE", "KIND", "STATUS", "CALLS", "EVIDENCE", "EXECUTOR", "LATEST"];
    format!("{}\n\n{}", page.finish(), table::render(heading, 3, rows.collect()))
}

/// What was given to the Run. The topic has a line of its own; the rest beside the inputs is the same for every Run of the
/// flow.
fn add_inputs(page: &mut Page, flow_input: &Object) {
    let given = || flow_input.iter().filter(|(name, _)| !BESIDE_INPUTS.contains(&name.as_str()));
    for (at, (name, value)) in given().take(INPUTS).enumerate() {
        let value = value.as_str().map_or_else(|| json!(value).to_string(), str::to_owned);
        page.add(if at == 0 { "inputs" } else { "" }, &format!("{name} = {}", plain::first_line(&value, INPUT_CHARS)));
    }
    if let more @ 1.. = given().count().saturating_sub(INPUTS) {
        page.own("", &format!("and {more} more"));
    }
}

/// Who does the steps: what they are bound to, and the profile for those that name nothing.
fn executor(run: &Summary) -> String {
    match run.capability_ids.as_slice() {
        [] => run.profile.as_str().to_owned(),
        ids => format!("{}; what is bound to nothing: {}", ids.join(", "), run.profile),
    }
}

/// The last thing that was said of a node that is not simply over.
fn last_words(evidence: &Evidence, id: &NodeId, node: Option<&Node>) -> String {
    if node.is_none_or(|node| node.status.as_str() == "succeeded") {
        return String::new();
    }
    let own = evidence.events.iter().rev().filter(|event| event.node_id.as_ref() == Some(id));
    own.filter_map(run_words::event).next().unwrap_or_default()
}
