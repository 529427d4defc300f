//! `agent_cli`: an agent that takes a prompt and answers with text (contract §14.2).

use segue_model::{
    flow::{
        Json, Object,
        capability::{
            Capability, Config,
            config::{InputMode, OutputFormat},
        },
    },
    run::Outcome,
};

use super::{
    Answer, Call, Executor, Surroundings,
    agent_text::{self, Identity},
    malformed, presets,
    process::{self, Finished, Program},
    real,
    request::Request,
    table::unbound,
};

#[derive(Debug)]
pub struct AgentCli;

#[must_use]
pub fn interpret(
    request: Request<'_>,
    label: &str,
    capability: &Capability,
    format: OutputFormat,
    finished: &Finished,
) -> Outcome {
    let text = finished.text().and_then(|text| match format {
        OutputFormat::OpencodeJsonl => {
            text_of_events(&text).map_err(|problem| malformed(format!("the output of {}: {problem}", finished.name)))
        }
        OutputFormat::Text | OutputFormat::SessionJson => Ok(text),
    });
    match text {
        Ok(text) => {
            let identity = Identity::of_capability(label, capability);
            real(agent_text::output(request, &identity, &text, Object::new()))
        }
        Err(outcome) => outcome,
    }
}

/// The texts of events, one JSON event a line.
fn text_of_events(output: &str) -> Result<String, String> {
    let mut texts = Vec::new();
    for (index, line) in output.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let event = Json::parse(line).map_err(|_| format!("line {} is not JSON", index + 1))?;
        if event.as_object().is_none() {
            return Err(format!("line {} is not an event", index + 1));
        }
        if event.get("type").and_then(Json::as_str) == Some("text") {
            let text = event.get("part").and_then(|part| part.get("text")).and_then(Json::as_str);
            texts.extend(text.map(str::to_owned));
        }
    }
    let text = texts.join("\n").trim().to_owned();
    if text.is_empty() { Err("holds no text".to_owned()) } else { Ok(text) }
}

impl Executor for AgentCli {
    fn needs_host(&self) -> bool {
        true
    }

    fn execute<'a>(&'a self, call: &'a Call, around: &'a dyn Surroundings) -> Answer<'a, Outcome> {
        Box::pin(async move {
            let Some((capability, Config::AgentCli { command, input, output, .. })) = call.bound() else {
                return unbound();
            };
            let request = Request::of(call);
            let prompt = match agent_text::prompt(request) {
                Ok(prompt) => prompt,
                Err(outcome) => return outcome,
            };
            let mut program = Program::of(command, Vec::new());
            match input {
                InputMode::Argument => program.args.push(prompt),
                InputMode::Stdin | InputMode::SessionJson => program.input = prompt.into_bytes(),
            }
            match process::run(&call.terms(), around, program).await {
                Ok(finished) => {
                    interpret(request, &presets::label(&call.node.executor, capability), capability, *output, &finished)
                }
                Err(outcome) => outcome,
            }
        })
    }
}
