//! `segue fork`: a new Run that takes over what an ended one has up to a node, and runs the rest again.

use std::process::ExitCode;

use clap::Args;
use segue_channel::World;
use segue_flow::api::{Fork as Request, Summary};
use segue_model::flow::{Document, Json, NodeId, Object};

use super::{
    CommandError,
    inputs::Inputs,
    run_id,
    running::{self, Part, Starting},
};
use crate::{
    brief,
    cli::Global,
    exit::Exit,
    flows::{self, Desk, Workspace},
    output,
    terminal::plain,
    world::Machine,
};

#[derive(Debug, Args)]
pub struct Fork {
    /// The run's id, or the beginning of it
    run: String,
    /// The node from which on everything is run again
    #[arg(long, value_name = "NODE")]
    from: String,
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    starting: Starting,
    #[command(flatten)]
    workspace: Workspace,
}

impl Fork {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        brief::refuse_nested()?;
        flows::with_flows(global, &self.workspace, async |desk| self.fork(desk).await)
    }

    async fn fork(&self, desk: &Desk) -> Result<Exit, CommandError> {
        let flows = &desk.flows;
        let parent = run_id::resolve(flows, &self.run).await?;
        let inputs = changed_inputs(desk, &flows.run(&parent).await?, &self.inputs).await?;
        let request = |authorization: Option<Json>| {
            let (parent, from_node) = (parent.clone(), self.from.clone());
            let (inputs, key) = (inputs.clone(), self.starting.key.clone());
            Request { parent, from_node, inputs, authorization, key }
        };
        if inputs.is_some() {
            warn_of(&flows.kept_of_old_input(&request(None)).await?, &parent);
        }
        let began = Machine.now();
        let admitted = self.starting.admitted(async |authorization| flows.fork(request(authorization)).await);
        let run = admitted.await?.run_id;
        if !self.starting.json {
            output::say(run.as_str());
        }
        let followed = running::follow(desk, &run, Part::Admitted(began), self.starting.json).await?;
        followed.print(self.starting.json);
        Ok(followed.exit())
    }
}

/// So many nodes are named; the run shows of each whether it was taken over.
const NAMED: usize = 8;

/// Says which results never saw the inputs that were changed, before anything rests on them.
fn warn_of(kept: &[NodeId], parent: &str) {
    if kept.is_empty() {
        return;
    }
    let named: Vec<&str> = kept.iter().take(NAMED).map(NodeId::as_str).collect();
    let more = kept.len().saturating_sub(NAMED);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    output::say(&format!(
        "warning: results taken over that rest on the old input: {}{more}; segue replay {parent} with the same inputs runs \
         again what depends on them",
        plain::line(&named.join(", "))
    ));
}

/// Inputs that are to be others than the parent's; `None` when none were given.
///
/// # Errors
/// As reading them.
pub async fn changed_inputs(desk: &Desk, parent: &Summary, inputs: &Inputs) -> Result<Option<Object>, CommandError> {
    if inputs.is_empty() {
        return Ok(None);
    }
    // A flow that is gone declares nothing; that it is gone is said by the admission.
    let document: Option<Document> = desk.flows.flow(&parent.task_id).await.ok().map(|saved| saved.document);
    Ok(Some(inputs.read(document.as_ref())?))
}
