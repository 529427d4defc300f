//! `segue fixture`: programs that sample flows start. Real child processes, and neither models nor agents; they say so.

use std::{io::Read, process::ExitCode};

use clap::{Args, Subcommand};
use segue_model::flow::{Hash, Json, json::object};
use serde_json::json;

use super::CommandError;
use crate::{exit::Exit, output};

/// The version of `symphlo.agent-session.v1` that is spoken.
const VERSION: &str = "1.0";
/// Hexadecimal digits of a reference.
const DIGITS: usize = 16;
/// The longest prompt of the protocol, and the rest of a request beside it, in bytes.
const REQUEST_MAX: u64 = 4 * 1024 * 1024;

#[derive(Debug, Args)]
pub struct Fixture {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// One turn of an agent session: a request on standard input, the reply on standard output
    Session,
}

impl Fixture {
    pub fn run(self) -> Result<ExitCode, CommandError> {
        match self.what {
            What::Session => session(),
        }
    }
}

fn session() -> Result<ExitCode, CommandError> {
    let mut text = String::new();
    let read = std::io::stdin().take(REQUEST_MAX).read_to_string(&mut text);
    read.map_err(|source| CommandError::Io { what: "read the request", source })?;
    let request =
        Json::parse(&text).map_err(|error| CommandError::Usage(format!("the request is no JSON: {error}")))?;
    output::json_line(&reply(&request).map_err(CommandError::Usage)?);
    Ok(Exit::Succeeded.into())
}

/// The same request gives the same reply: a conversation is named by its Run and group, a turn by its node.
fn reply(request: &Json) -> Result<serde_json::Value, String> {
    let text = |name: &str| request.get(name).and_then(Json::as_str);
    let needed = |name: &str| text(name).ok_or_else(|| format!("the request has no {name}"));
    if (needed("protocol_version")?, needed("operation")?) != (VERSION, "invoke") {
        return Err("the request is not an invocation of version 1.0".to_owned());
    }
    let (run, node, prompt) = (needed("run_id")?, needed("node_id")?, needed("prompt")?);
    let group = text("session_group").unwrap_or_default();
    let named = |parts: [&str; 3]| {
        let [run, group, node] = parts.map(Json::from);
        let hash = Hash::of(&Json::Object(object([("run", run), ("group", group), ("node", node)])));
        hash.prefix(DIGITS).to_owned()
    };
    let conversation = text("conversation_ref").map(str::to_owned);
    let goes_on = conversation.is_some();
    let conversation = conversation.unwrap_or_else(|| format!("fixture-{}", named([run, group, ""])));
    Ok(json!({
        "protocol_version": VERSION,
        "conversation_ref": conversation,
        "turn_ref": format!("turn-{}", named([run, group, node])),
        "output_text": article(node, goes_on, prompt),
    }))
}

/// What the prompt ends with: one line of the accepted context.
fn article(node: &str, goes_on: bool, prompt: &str) -> String {
    let context = prompt.trim_end().lines().next_back().and_then(|line| Json::parse(line).ok()).unwrap_or_default();
    let text = |name: &str| context.get(name).and_then(Json::non_blank).map(str::trim);
    let topic = text("topic").unwrap_or("a topic that was not given");
    let turn = if goes_on { "A later turn of the same conversation" } else { "The first turn of a conversation" };
    let notice = format!("_{turn}, by a fixture. No model took part in it._");
    match text("article_markdown") {
        Some(draft) => format!("{draft}\n\n## {node}\n\n{notice}\n"),
        None => format!("# {topic}\n\n{notice}\n\n## {node}\n\nHere stands what is known of {topic}.\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(node: &str, conversation: Option<&str>) -> Json {
        json!({
            "protocol_version": "1.0", "operation": "invoke", "run_id": "run_1", "node_id": node,
            "session_group": "loop", "conversation_ref": conversation, "workspace": "/w",
            "prompt": "Accepted context JSON:\n{\"topic\":\"hand-offs\"}",
        })
        .into()
    }

    #[test]
    fn a_conversation_is_gone_on_with_and_turns_differ() {
        let first = reply(&request("draft", None)).unwrap();
        let second = reply(&request("revise", first["conversation_ref"].as_str())).unwrap();
        assert_eq!(second["conversation_ref"], first["conversation_ref"]);
        assert_ne!(second["turn_ref"], first["turn_ref"]);
        assert_eq!(reply(&request("draft", None)).unwrap(), first);
        assert!(first["output_text"].as_str().unwrap().starts_with("# hand-offs\n\n_The first turn"));
    }

    #[test]
    fn what_is_no_request_is_refused() {
        assert_eq!(reply(&Json::Null).unwrap_err(), "the request has no protocol_version");
    }
}
