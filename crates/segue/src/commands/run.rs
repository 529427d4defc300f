//! `segue run`: runs a saved flow in this process, and stays until it has ended.

use std::process::ExitCode;

use clap::Args;
use segue_channel::World;
use segue_flow::api::Admit;
use segue_model::flow::Profile;

use super::{
    CommandError,
    flow::reference,
    inputs::Inputs,
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
pub struct Run {
    /// The flow's portable id, or its local id
    flow: String,
    #[command(flatten)]
    inputs: Inputs,
    /// Who does the agent nodes that name no capability
    #[arg(long, value_name = "WHO", default_value = "deterministic", value_parser = ["deterministic", "codex", "opencode"])]
    executor: String,
    #[command(flatten)]
    starting: Starting,
    #[command(flatten)]
    workspace: Workspace,
}

impl Run {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        brief::refuse_nested()?;
        flows::with_flows(global, &self.workspace, async |desk| self.start(desk).await)
    }

    async fn start(&self, desk: &Desk) -> Result<Exit, CommandError> {
        let flows = &desk.flows;
        let saved = reference::find(flows, &self.flow).await?;
        let inputs = self.inputs.read(Some(&saved.document))?;
        let profile = Profile::parse(&self.executor).unwrap_or(Profile::Deterministic);
        let began = Machine.now();
        let admitted = self.starting.admitted(async |authorization| {
            let target = reference::target(&self.flow);
            let (inputs, key) = (inputs.clone(), self.starting.key.clone());
            flows.admit(Admit { target, profile, inputs, authorization, key }).await
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
