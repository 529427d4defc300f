//! `segue schedule add`: what the flow would write is said and asked for now; nobody is asked when a tick comes.

use std::process::ExitCode;

use clap::Args;
use segue_flow::{
    api::{AddSchedule, Admit, Schedule},
    error::{AdmitError, ScheduleError},
};
use segue_model::{
    flow::{Json, Object, Profile},
    schedule::{Missed, Overlap, Version},
};
use serde_json::json;

use crate::{
    brief,
    cli::Global,
    commands::{CommandError, asking, flow::reference, inputs::Inputs, running},
    exit::Exit,
    flows::{self, Desk, Workspace},
    output,
    terminal::{plain, style},
};

#[derive(Debug, Args)]
pub struct Add {
    /// The flow's portable id, or its local id
    flow: String,
    /// When: minute, hour, day of the month, month, day of the week; or @hourly, @daily, @weekly, @monthly, @yearly
    #[arg(long, value_name = "PATTERN")]
    cron: String,
    /// The time zone of the pattern, as in the IANA database
    #[arg(long, value_name = "ZONE", default_value = "UTC")]
    zone: String,
    /// Run the flow as it is saved now, whatever becomes of it
    #[arg(long)]
    pin: bool,
    /// What becomes of times that pass while no segue app is there: nothing, or one run for all of them
    #[arg(long, value_name = "WHAT", default_value = "skip", value_parser = ["skip", "run_once"])]
    missed: String,
    /// Start a run also while the one before it has not ended
    #[arg(long)]
    overlap: bool,
    #[command(flatten)]
    inputs: Inputs,
    /// Who does the agent nodes that name no capability
    #[arg(long, value_name = "WHO", default_value = "deterministic", value_parser = ["deterministic", "codex", "opencode"])]
    executor: String,
    /// Allow every run the writes that are listed; without it a terminal is asked, and elsewhere the schedule is refused
    #[arg(long)]
    authorize: bool,
    #[command(flatten)]
    workspace: Workspace,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Add {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        brief::refuse_nested()?;
        flows::with_flows(global, &self.workspace, async |desk| self.add(desk).await)
    }

    async fn add(&self, desk: &Desk) -> Result<Exit, CommandError> {
        let saved = reference::find(&desk.flows, &self.flow).await?;
        let inputs = self.inputs.read(Some(&saved.document))?;
        let request = |authorization: Option<Json>| AddSchedule {
            target: reference::target(&self.flow),
            version: if self.pin { Version::Pinned } else { Version::Latest },
            cron: self.cron.clone(),
            zone: self.zone.clone(),
            missed: Missed::parse(&self.missed).unwrap_or(Missed::Skip),
            overlap: if self.overlap { Overlap::Allow } else { Overlap::Skip },
            profile: Profile::parse(&self.executor).unwrap_or(Profile::Deterministic),
            inputs: inputs.clone(),
            authorization,
        };
        let added = match desk.flows.add_schedule(request(None)).await {
            Err(ScheduleError::Admit(AdmitError::AuthorizationRequired(challenge))) => {
                if !self.json {
                    running::tell(&challenge);
                    self.tell_places(desk, &inputs).await;
                    output::say(&format!("in {}, each time it runs", desk.flows.workspace().path().display()));
                }
                let agreed =
                    self.authorize || (!self.json && asking::can_ask() && asking::yes("allow this each time?").await);
                if !agreed {
                    if self.json {
                        output::json(&json!(challenge.to_json()));
                    }
                    let why = "the schedule was not added: the effects of its runs need --authorize";
                    return Err(CommandError::Unauthorized(why.to_owned()));
                }
                desk.flows.add_schedule(request(Some(challenge.authorization()))).await?
            }
            added => added?,
        };
        self.print(&added);
        Ok(Exit::Succeeded)
    }

    /// Where each node writes. What cannot be previewed is refused a moment later.
    async fn tell_places(&self, desk: &Desk, inputs: &Object) {
        let request = Admit {
            target: reference::target(&self.flow),
            profile: Profile::parse(&self.executor).unwrap_or(Profile::Deterministic),
            inputs: inputs.clone(),
            authorization: None,
            key: None,
        };
        let Ok(preview) = desk.flows.preview(request).await else { return };
        for line in preview.effects.iter().filter(|line| line.risk.is_some()) {
            output::say(&format!("    {}", plain::line(&format!("{} ({}): {}", line.node, line.what, line.place))));
        }
    }

    fn print(&self, added: &Schedule) {
        if self.json {
            return output::json(&json!(added.to_json()));
        }
        output::line(added.id.as_str());
        let next = added.next_local.as_deref().unwrap_or("never");
        output::say(&format!("next: {next} ({})", plain::line(&added.zone)));
        output::say(&style::dim("its runs are started by a running segue app of this workspace"));
    }
}
