//! Turns the steps of one reply into beats: what is sent, and what is waited for, in order.
//!
//! Pure, and the same for all dialects and for streamed and whole answers.

use std::time::Duration;

use super::script::{ScriptError, Step, Stop, Usage};
use super::tools::{self, Arguments, Call, Input, Tool};

/// One moment of a reply.
#[derive(Debug, Clone, PartialEq)]
pub enum Beat {
    Text(String),
    Thought(String),
    Call(Call),
    Wait(Duration),
    /// A wait that the script asked for in so many words; a dialect may send a sign of life first.
    Pause(Duration),
    /// A wait that only the client's leaving ends.
    Hang,
    /// The connection is cut.
    Cut,
}

/// How a reply ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ending {
    pub stop: Option<Stop>,
    pub usage: Usage,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Performance {
    pub beats: Vec<Beat>,
    pub ending: Ending,
}

/// Lays out a reply. [`Step::Fail`] is not performed: it decides the answer's status, before there is a reply.
///
/// # Errors
/// When a call's arguments are not the JSON that its tool takes.
pub fn rehearse(steps: &[Step], tools: &[Tool], last_result: Option<&str>) -> Result<Performance, ScriptError> {
    let mut stage = Stage::default();
    for step in steps {
        match step {
            Step::Say(text) => stage.speak(text, Beat::Text),
            Step::Think(text) => stage.speak(text, Beat::Thought),
            Step::Result => stage.speak(last_result.unwrap_or("(no tool result)"), Beat::Text),
            Step::Chunks { count, bytes } => {
                for index in 0..*count {
                    let chunk = format!("c{index} ");
                    let padding = "x".repeat(bytes.saturating_sub(chunk.len()));
                    stage.piece(Beat::Text(padding + &chunk));
                }
            }
            Step::Big(bytes) => stage.piece(Beat::Text("x".repeat(*bytes))),
            Step::Delay(delay) => stage.delay = *delay,
            Step::Sleep(time) => stage.beat(Beat::Pause(*time)),
            Step::Hang => stage.beat(Beat::Hang),
            Step::Drop => stage.beat(Beat::Cut),
            Step::Stop(stop) => stage.performance.ending.stop = Some(*stop),
            Step::Usage(usage) => stage.performance.ending.usage = *usage,
            Step::Tool(errand) => stage.beat(match tools::call_for(errand, tools) {
                Some(call) => Beat::Call(call),
                None => Beat::Text(format!("(no tool offered for {})", errand.word())),
            }),
            Step::Call { tool, arguments } => stage.beat(Beat::Call(named_call(tool, arguments, tools)?)),
            Step::Fail { .. } => {}
        }
    }
    Ok(stage.performance)
}

#[derive(Default)]
struct Stage {
    performance: Performance,
    delay: Duration,
}

impl Stage {
    fn beat(&mut self, beat: Beat) {
        self.performance.beats.push(beat);
    }

    fn piece(&mut self, beat: Beat) {
        if !self.delay.is_zero() {
            self.beat(Beat::Wait(self.delay));
        }
        self.beat(beat);
    }

    /// Word by word, as a model streams.
    fn speak(&mut self, text: &str, beat: fn(String) -> Beat) {
        for word in text.split_inclusive(char::is_whitespace) {
            self.piece(beat(word.to_owned()));
        }
    }
}

fn named_call(name: &str, arguments: &str, tools: &[Tool]) -> Result<Call, ScriptError> {
    let takes_text = tools.iter().any(|tool| tool.name == name && tool.input == Input::Text);
    let arguments = if takes_text {
        Arguments::Text(arguments.to_owned())
    } else {
        Arguments::Json(serde_json::from_str(arguments).map_err(|_| ScriptError {
            directive: format!("call:{name}:{arguments}"),
            why: "the arguments are not JSON",
        })?)
    };
    Ok(Call { tool: name.to_owned(), arguments })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model_server::script::Script;

    fn beats(script: &str, tools: &[Tool], last_result: Option<&str>) -> Vec<Beat> {
        let steps = Script::parse(script).expect("readable").replies.remove(0);
        rehearse(&steps, tools, last_result).expect("playable").beats
    }

    fn text(text: &str) -> Beat {
        Beat::Text(text.to_owned())
    }

    #[test]
    fn text_comes_in_pieces_each_after_the_delay() {
        let delay = Beat::Wait(Duration::from_secs(1));
        assert_eq!(
            beats("[[say:a b]] [[delay:1]] [[chunks:2:5]] [[think:c]]", &[], None),
            vec![
                text("a "),
                text("b"),
                delay.clone(),
                text("xxc0 "),
                delay.clone(),
                text("xxc1 "),
                delay,
                Beat::Thought("c".to_owned()),
            ]
        );
    }

    #[test]
    fn waits_cuts_and_results_keep_their_place() {
        assert_eq!(
            beats("[[sleep:2]] [[result]] [[hang]] [[drop]]", &[], Some("r")),
            vec![Beat::Pause(Duration::from_secs(2)), text("r"), Beat::Hang, Beat::Cut]
        );
        assert_eq!(beats("[[result]]", &[], None).len(), 3);
    }

    #[test]
    fn a_missing_tool_is_said() {
        assert_eq!(beats("[[tool:plan:a]]", &[], None), vec![text("(no tool offered for plan)")]);
    }

    #[test]
    fn named_calls_take_json_or_text_as_the_tool_does() {
        let patch = Tool { name: "patch".to_owned(), input: Input::Text };
        let call = |tool: &str, arguments| Beat::Call(Call { tool: tool.to_owned(), arguments });
        assert_eq!(
            beats(r#"[[call+:patch:{"a"]] [[call:other:{"a":1}]]"#, &[patch], None),
            vec![call("patch", Arguments::Text(r#"{"a""#.to_owned())), call("other", Arguments::Json(json!({"a": 1}))),]
        );
        let steps = [Step::Call { tool: "other".to_owned(), arguments: "{".to_owned() }];
        assert_eq!(rehearse(&steps, &[], None).expect_err("no JSON").why, "the arguments are not JSON");
    }
}
