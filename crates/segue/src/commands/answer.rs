//! `segue answer`: answers the question of a node, or decides about one that may have written before it was lost; then
//! it drives the Run on, if nobody else does.

use std::{path::PathBuf, process::ExitCode};

use clap::Args;
use segue_flow::api::Answer as Says;
use segue_model::{flow::RunId, run::Decision};

use super::{
    CommandError, patience, run_id,
    running::{self, Part},
};
use crate::{
    brief,
    cli::Global,
    document_file,
    exit::Exit,
    flows::{self, Desk, Workspace},
};

#[derive(Debug, Args)]
pub struct Answer {
    /// The run's id, or the beginning of it
    run: String,
    /// The node that asks; `segue why` names it
    node: String,
    /// One of the options that the node offers
    #[arg(required_unless_present = "decide", conflicts_with = "decide")]
    option: Option<String>,
    /// File with what is filled in, an object, JSON or YAML; - for standard input
    #[arg(long, value_name = "FILE", conflicts_with = "decide")]
    form: Option<PathBuf>,
    /// Instead of an answer, for a node that may have written before it was lost: repeat it, or fail the run
    #[arg(long, value_name = "WHAT", value_parser = [Decision::Repeat.as_str(), Decision::Fail.as_str()])]
    decide: Option<String>,
    /// Who says so, for the record
    #[arg(long, value_name = "WHO")]
    actor: Option<String>,
    #[command(flatten)]
    workspace: Workspace,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Answer {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        brief::refuse_nested()?;
        flows::with_flows(global, &self.workspace, async |desk| self.answer(desk).await)
    }

    async fn answer(&self, desk: &Desk) -> Result<Exit, CommandError> {
        let id = run_id::resolve(&desk.flows, &self.run).await?;
        let seen = desk.flows.run(&id).await?.event_count;
        let actor = self.actor.clone();
        let said = if let Some(word) = &self.decide {
            let decision = if word == Decision::Repeat.as_str() { Decision::Repeat } else { Decision::Fail };
            patience::asked(desk, &id, desk.flows.decide(&id, &self.node, decision, actor)).await?
        } else {
            let form = self.form.as_ref().map(|file| document_file::object(Some(file))).transpose()?;
            let option = self.option.clone().unwrap_or_default();
            let says = Says { node: self.node.clone(), option, form, actor };
            patience::asked(desk, &id, desk.flows.answer(&id, says)).await?
        };
        if said.is_none() {
            return Ok(Exit::Interrupted);
        }
        let run = RunId::parse(&id).ok_or_else(|| CommandError::Internal(format!("{id} is no id of a run")))?;
        let followed = running::follow(desk, &run, Part::Spoke(seen), self.json).await?;
        followed.print(self.json);
        Ok(followed.exit())
    }
}
