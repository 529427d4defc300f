//! `segue task events`.

use std::process::ExitCode;

use clap::Args;
use segue_channel::api::{EventView, EventsQuery};
use segue_model::task::Event;

use super::{id, watching};
use crate::{
    brief,
    cli::Global,
    commands::CommandError,
    exit::Exit,
    output,
    terminal::{event_line, moment, plain, style},
    wiring::{Wanted, Wired},
};

/// The most that one read may ask for.
const PAGE: i64 = 500;
/// How wide the name of an event's type is.
const KIND: usize = 16;

#[derive(Debug, Args)]
pub struct Events {
    /// The task's id, or the beginning of it
    id: String,
    /// Only events after this number
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(i64).range(0..))]
    after: i64,
    /// Only events of this type; may be repeated
    #[arg(long = "type", value_name = "TYPE", value_parser = Event::KINDS)]
    types: Vec<String>,
    /// Also what the agent thought
    #[arg(long)]
    thoughts: bool,
    /// Also the raw input and output of tool calls
    #[arg(long)]
    raw: bool,
    /// Go on until the task has ended
    #[arg(short, long)]
    follow: bool,
    /// Print JSON: one document, or with --follow one line for each event
    #[arg(long)]
    json: bool,
}

impl Events {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        brief::with_channel(global, Wanted::default(), async |wired| self.print(wired).await)
    }

    async fn print(self, wired: &Wired) -> Result<Exit, CommandError> {
        let id = id::resolve(&wired.channel, &self.id).await?;
        let mut query = EventsQuery {
            task_id: id,
            after_seq: self.after,
            event_types: (!self.types.is_empty()).then(|| self.types.clone()),
            limit: PAGE,
            // A page ends at its number of events.
            max_chars: i64::MAX,
            include_thoughts: self.thoughts,
            include_raw: self.raw,
        };
        let mut pulse = watching::Pulse::new(wired);
        // A document is printed at once, so its events are gathered.
        let mut gathered = Vec::new();
        loop {
            pulse.mark();
            let mut page = wired.channel.get_events(query.clone()).await?;
            query.after_seq = i64::try_from(page.cursor).unwrap_or(i64::MAX);
            if self.json && !self.follow {
                gathered.append(&mut page.events);
            } else {
                page.events.drain(..).for_each(|event| self.write(event));
            }
            if page.has_more {
                continue;
            }
            if self.follow && !page.status.is_final() {
                let server = wired.channel.get_task(&page.task_id).await?.server;
                pulse.wait([server]).await;
                continue;
            }
            if self.json && !self.follow {
                page.events = gathered;
                output::json(&segue_mcp::wire::events(page));
            }
            return Ok(Exit::Succeeded);
        }
    }

    fn write(&self, event: EventView) {
        if self.json {
            output::json_line(&segue_mcp::wire::event(event));
            return;
        }
        let words = plain::block(&event_line::words(&event));
        let head = format!("{:>5} {}", event.seq, moment::clock(event.at));
        let blank = " ".repeat(head.len() + KIND + 1);
        let words = words.trim_end().replace('\n', &format!("\n{blank} "));
        output::line(&format!("{} {:KIND$} {words}", style::dim(&head), plain::line(&event.kind)));
        for key in ["rawInput", "rawOutput"] {
            if let Some(raw) = event.payload.get(key) {
                output::line(&format!("{blank} {} {}", style::dim(key), plain::line(&raw.to_string())));
            }
        }
    }
}
