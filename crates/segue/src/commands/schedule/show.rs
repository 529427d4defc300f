//! `segue schedule show`.

use std::process::ExitCode;

use clap::Args;
use segue_channel::World;
use segue_flow::api::{Recorded, Schedule};
use segue_model::schedule::Event;
use serde_json::json;

use super::find;
use crate::{
    cli::Global,
    commands::CommandError,
    exit::Exit,
    flows::{self, Workspace},
    output,
    terminal::{
        moment, plain,
        table::{self, Field},
    },
    world::Machine,
};

/// Events that are shown.
const EVENTS: usize = 20;

/// What has no need of an authorization may still publish: that is kept in the record.
const NOTHING: &str = "nothing: it writes nowhere but into Segue's own record";

#[derive(Debug, Args)]
pub struct Show {
    /// The schedule's id, or the beginning of it
    schedule: String,
    #[command(flatten)]
    workspace: Workspace,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Show {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        flows::with_flows(global, &self.workspace, async |desk| {
            let schedule = find(&desk.flows, &self.schedule).await?;
            let events = desk.flows.schedule_events(schedule.id.as_str(), EVENTS).await?;
            if self.json {
                let events: Vec<_> = events.iter().map(|event| json!(event.to_json())).collect();
                output::json(&json!({"schedule": schedule.to_json(), "events": events}));
            } else {
                page(&schedule, &events);
            }
            Ok(Exit::Succeeded)
        })
    }
}

fn page(schedule: &Schedule, events: &[Recorded]) {
    let version = match &schedule.pinned {
        Some(hash) => format!("pinned to {}", hash.prefix(12)),
        None => "as it is saved then".to_owned(),
    };
    let authorized = schedule.authorized.as_ref().and_then(|challenge| challenge.get("effects"));
    let authorized = authorized.map_or_else(|| NOTHING.to_owned(), |effects| json!(effects).to_string());
    let facts = [
        ("flow", format!("{} ({}), {version}", schedule.flow_id, schedule.local_id)),
        ("when", format!("{} in {}", schedule.cron, schedule.zone)),
        ("next", schedule.next_local.clone().unwrap_or_else(|| "disabled".to_owned())),
        ("missed", schedule.missed.to_string()),
        ("overlap", schedule.overlap.to_string()),
        ("inputs", json!(schedule.inputs).to_string()),
        ("authorized", authorized),
    ];
    for (name, value) in facts {
        output::line(&format!("{name:<11}{}", plain::line(&value)));
    }
    let now = Machine.now();
    let rows = events.iter().map(|event| [Field::from(moment::both(event.at, now)), Field::from(said(event))]);
    output::line(&table::render(["RECORDED", "WHAT"], 1, rows.collect()));
}

fn said(recorded: &Recorded) -> String {
    match &recorded.event {
        Event::Added => "added".to_owned(),
        Event::Enabled => "enabled".to_owned(),
        Event::Disabled => "disabled".to_owned(),
        Event::Removed => "removed".to_owned(),
        Event::ClockSetBack { from, .. } => format!("the clock was set back from {}", moment::absolute(*from)),
        Event::Missed { count, at_least, since, .. } => {
            let (at_least, ticks) =
                (if *at_least { "at least " } else { "" }, if *count == 1 { "tick" } else { "ticks" });
            format!("missed {at_least}{count} {ticks} since {}", moment::absolute(*since))
        }
        Event::Claimed { tick, .. } => format!("tick of {} claimed", moment::absolute(*tick)),
        Event::Started { tick, run_id } => {
            let status = recorded.run_status.as_deref().unwrap_or("forgotten");
            format!("tick of {}: run {run_id}, {status}", moment::absolute(*tick))
        }
        Event::Refused { tick, reason, .. } => format!("tick of {} has no run: {reason}", moment::absolute(*tick)),
    }
}
