//! `segue agents describe`.

use std::process::ExitCode;

use clap::Args;
use segue_channel::api::{Choice, Description};
use serde_json::{Map, Value, json};

use crate::{
    brief,
    cli::Global,
    commands::CommandError,
    exit::Exit,
    output,
    terminal::page::Page,
    wiring::{Wanted, Wired},
};

#[derive(Debug, Args)]
pub struct Describe {
    /// The agent
    agent: String,
    /// Where it is started [default: the present folder]
    #[arg(long, value_name = "DIR")]
    workspace: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Describe {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        brief::refuse_nested()?;
        let wanted = Wanted { orphan_grace: Some(brief::PROBE_GRACE), ..Wanted::default() };
        brief::with_channel(global, wanted, async |wired| self.describe(wired).await)
    }

    async fn describe(self, wired: &Wired) -> Result<Exit, CommandError> {
        let description = wired.channel.describe_agent(&self.agent, self.workspace.as_deref()).await?;
        if self.json {
            output::json(&json(description));
        } else {
            output::line(&page(&description));
        }
        Ok(Exit::Succeeded)
    }
}

/// As `describe_agent` answers, and what the agent said of itself.
#[must_use]
pub fn json(description: Description) -> Value {
    let said = json!({"agent_name": description.agent_name, "agent_version": description.agent_version});
    let mut whole = segue_mcp::wire::description(description);
    if let (Some(whole), Value::Object(said)) = (whole.as_object_mut(), said) {
        whole.extend(said);
    }
    whole
}

fn page(description: &Description) -> String {
    let mut page = Page::default();
    let said: Vec<&str> =
        description.agent_name.as_deref().into_iter().chain(description.agent_version.as_deref()).collect();
    page.add("agent", &description.agent);
    page.add("says it is", &said.join(" "));
    for (name, choice) in [("model", &description.model), ("effort", &description.effort)] {
        match (choice, description.delivery.contains_key(name)) {
            (Some(choice), _) => page.add(name, &values(choice)),
            (None, true) => page.own(name, "not offered"),
            (None, false) => {}
        }
    }
    page.add("pins", &pins(&description.pins));
    if description.pins_with_edit != description.pins {
        page.add("with edit", &pins(&description.pins_with_edit));
    }
    page.finish()
}

fn values(choice: &Choice) -> String {
    let value = |value: &String| {
        if choice.current.as_ref() == Some(value) { format!("{value} (current)") } else { value.clone() }
    };
    choice.values.iter().map(value).collect::<Vec<_>>().join("\n")
}

fn pins(pins: &Map<String, Value>) -> String {
    let pin = |(name, value): (&String, &Value)| {
        format!("{name} = {}", value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    };
    pins.iter().map(pin).collect::<Vec<_>>().join("\n")
}
