//! `segue replay`: runs the flow as it is saved now, with every result of an earlier Run that is unchanged by that.

use std::process::ExitCode;

use clap::Args;
use segue_channel::World;
use segue_flow::api::{Replay as Request, ReplayPlan};
use segue_model::flow::Json;
use serde_json::json;

use super::{
    CommandError, fork,
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
    terminal::table::{self, Field},
    world::Machine,
};

#[derive(Debug, Args)]
pub struct Replay {
    /// The run's id, or the beginning of it
    run: String,
    /// Only say what would be taken over, and why not the rest
    #[arg(long)]
    plan: bool,
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    starting: Starting,
    #[command(flatten)]
    workspace: Workspace,
}

impl Replay {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        if !self.plan {
            brief::refuse_nested()?;
        }
        flows::with_flows(global, &self.workspace, async |desk| self.replay(desk).await)
    }

    async fn replay(&self, desk: &Desk) -> Result<Exit, CommandError> {
        let flows = &desk.flows;
        let parent = run_id::resolve(flows, &self.run).await?;
        let inputs = fork::changed_inputs(desk, &flows.run(&parent).await?, &self.inputs).await?;
        let request = |authorization: Option<Json>| {
            let (parent, inputs, key) = (parent.clone(), inputs.clone(), self.starting.key.clone());
            Request { parent, inputs, authorization, key }
        };
        if self.plan {
            print(&flows.plan_replay(&request(None)).await?, self.starting.json);
            return Ok(Exit::Succeeded);
        }
        let began = Machine.now();
        let admitted = self.starting.admitted(async |authorization| flows.replay(request(authorization)).await);
        let run = admitted.await?.run_id;
        if !self.starting.json {
            output::say(run.as_str());
        }
        let followed = running::follow(desk, &run, Part::Admitted(began), self.starting.json).await?;
        followed.print(self.starting.json);
        Ok(followed.exit())
    }
}

fn print(plan: &ReplayPlan, json: bool) {
    if json {
        let nodes = plan.nodes.iter().map(|(node, because)| {
            let (code, text) = (because.as_ref().map(|why| why.code()), because.as_ref().map(ToString::to_string));
            json!({"node_id": node, "reused": because.is_none(), "because": code, "text": text})
        });
        output::json(&json!({
            "parent_run_id": plan.parent,
            "parent_flow_hash": plan.parent_flow_hash,
            "flow_hash": plan.flow_hash,
            "nodes": nodes.collect::<Vec<_>>(),
        }));
        return;
    }
    let rows = plan.nodes.iter().map(|(node, because)| {
        let what = if because.is_none() { "taken over" } else { "run again" };
        let because = because.as_ref().map(ToString::to_string).unwrap_or_default();
        [Field::from(node.as_str()), Field::from(what), Field::from(because)]
    });
    output::line(&table::render(["NODE", "WHAT", "BECAUSE"], 2, rows.collect()));
}
