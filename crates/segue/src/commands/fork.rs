//! `segue fork`: a new Run that takes over what an ended one has up to a node, and runs the rest again.

use std::process::ExitCode;

use clap::Args;
use segue_channel::World;
use segue_flow::api::{Fork as Request, Summary};
use segue_model::flow::{Document, Object};

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
        let began = Machine.now();
        let admitted = self.starting.admitted(async |authorization| {
            let (parent, from_node) = (parent.clone(), self.from.clone());
            let (inputs, key) = (inputs.clone(), self.starting.key.clone());
            flows.fork(Request { parent, from_node, inputs, authorization, key }).await
        });
        let run = admitted.await?.run_id;
        if !self.starting.json {
            output::say(run.as_str());
        }
        let followed = running::follow(desk, &run, Part::Admitted(began), self.starting.json).await?;
        followed.print(self.starting.json);
        Ok(followed.exit())
    }
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
