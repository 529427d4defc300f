//! What a request says, without its dialect: the turns so far and the tools on offer.
//!
//! Which reply is due is read from the turns, so the server keeps no sessions and any number of agents can
//! share it. Pure.

use serde_json::Value;

use super::script::{self, Script, ScriptError, Step};
use super::tools::Tool;

/// A request's content.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Conversation {
    pub turns: Vec<Turn>,
    pub tools: Vec<Tool>,
    /// The JSON schema that the answer has to follow, where the request names one.
    pub answer_schema: Option<Value>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Turn {
    User(String),
    /// Something the model said or called. Neighbours belong to one reply: some dialects split it.
    Assistant,
    /// What a tool returned.
    Result(String),
}

/// The reply that a conversation asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct Due {
    /// The script as written; empty for a prompt without one.
    pub script: String,
    /// How many replies of the script were given before.
    pub index: usize,
    pub steps: Vec<Step>,
}

/// What is said when there is no script, or none is left.
const NOTHING_LEFT: &str = "OK.";
/// What is said to a request without tools and without words for it: agents ask for a session's title so.
const TITLE: &str = "Scripted title";

impl Conversation {
    /// Adds a user's message. Each block of text is a turn, because an agent may join a cancelled prompt and
    /// the next one into a single message, and only the newest script counts.
    pub fn push_user(&mut self, content: &Value) {
        match content {
            Value::Array(parts) => parts.iter().for_each(|part| self.push_user(part)),
            Value::String(text) => self.push_user_text(text),
            part => {
                if let Some(text) = part["text"].as_str() {
                    self.push_user_text(text);
                }
            }
        }
    }

    fn push_user_text(&mut self, text: &str) {
        if !text.is_empty() {
            self.turns.push(Turn::User(text.to_owned()));
        }
    }

    pub fn push_result(&mut self, content: &Value) {
        self.turns.push(Turn::Result(any_text(content)));
    }

    /// Whether this is a request that an agent makes beside the conversation, for a title or a guess at the
    /// next prompt. Those offer no tools.
    pub fn is_aside(&self) -> bool {
        self.tools.is_empty()
    }

    pub fn last_user(&self) -> Option<&str> {
        self.turns.iter().rev().find_map(|turn| match turn {
            Turn::User(text) => Some(text.as_str()),
            _ => None,
        })
    }

    pub fn last_result(&self) -> Option<&str> {
        self.turns.iter().rev().find_map(|turn| match turn {
            Turn::Result(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// The reply to give now: of the newest script, the one after those that the conversation shows.
    ///
    /// # Errors
    /// When the script cannot be understood.
    pub fn due(&self) -> Result<Due, ScriptError> {
        let scripted = self.turns.iter().enumerate().rev().find_map(|(at, turn)| match turn {
            Turn::User(text) if script::is_scripted(text) => Some((at, text)),
            _ => None,
        });
        let Some((at, text)) = scripted else {
            return Ok(Due { script: String::new(), index: 0, steps: vec![Step::Say(NOTHING_LEFT.to_owned())] });
        };
        let mut script = Script::parse(text)?;
        let index =
            self.turns[at..].windows(2).filter(|pair| pair[1] == Turn::Assistant && pair[0] != Turn::Assistant).count();
        let steps = if index < script.replies.len() {
            script.replies.swap_remove(index)
        } else {
            vec![Step::Say(NOTHING_LEFT.to_owned())]
        };
        Ok(Due { script: script.text, index, steps })
    }

    /// The steps for a request made aside: words only, at once and without failure, so that a script runs
    /// in the conversation it was written for.
    pub fn aside_steps(&self, steps: Vec<Step>) -> Vec<Step> {
        if let Some(schema) = &self.answer_schema {
            return vec![Step::Say(super::tools::smallest("title", schema).to_string())];
        }
        let words: Vec<Step> = steps.into_iter().filter(|step| matches!(step, Step::Say(_))).collect();
        if words.is_empty() { vec![Step::Say(TITLE.to_owned())] } else { words }
    }
}

/// All text in a tool's result, whatever its shape.
fn any_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Vec<_> = parts.iter().map(any_text).filter(|text| !text.is_empty()).collect();
            texts.join("\n")
        }
        Value::Object(fields) => ["text", "content", "output", "error", "result"]
            .iter()
            .find_map(|key| fields.get(*key))
            .map_or_else(|| value.to_string(), any_text),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn conversation(turns: Vec<Turn>) -> Conversation {
        Conversation { turns, ..Conversation::default() }
    }

    fn user(text: &str) -> Turn {
        Turn::User(text.to_owned())
    }

    fn due(turns: Vec<Turn>) -> (usize, Vec<Step>) {
        let due = conversation(turns).due().expect("a readable script");
        (due.index, due.steps)
    }

    fn say(text: &str) -> Vec<Step> {
        vec![Step::Say(text.to_owned())]
    }

    #[test]
    fn the_newest_script_counts_and_each_reply_shown_moves_it_on() {
        let script = "[[call:t]] [[say:done]]";
        let result = || Turn::Result("r".to_owned());
        assert_eq!(due(vec![user("[[say:old]]"), Turn::Assistant, user("[[say:new]]"), user("note")]), (0, say("new")));
        assert_eq!(due(vec![user(script), Turn::Assistant, Turn::Assistant, result()]), (1, say("done")));
        assert_eq!(due(vec![user(script), Turn::Assistant, result(), Turn::Assistant, user("go on")]), (2, say("OK.")));
        assert_eq!(due(vec![user("hello")]), (0, say("OK.")));
    }

    #[test]
    fn blocks_of_one_message_are_turns_of_their_own() {
        let mut read = Conversation::default();
        read.push_user(&json!([{"type": "text", "text": "a"}, {"type": "image"}, "b", ""]));
        read.push_result(&json!([{"text": "one"}, {"content": [{"text": "two"}]}, {"exit": 1}]));
        assert_eq!(read.turns, vec![user("a"), user("b"), Turn::Result("one\ntwo\n{\"exit\":1}".to_owned())]);
    }

    #[test]
    fn asides_get_words_at_once() {
        let read = conversation(vec![user("x")]);
        let steps = vec![Step::Hang, Step::Say("a".to_owned()), Step::Drop];
        assert_eq!(read.aside_steps(steps), say("a"));
        assert_eq!(read.aside_steps(vec![Step::Hang]), say("Scripted title"));
        let asked = Conversation {
            answer_schema: Some(json!({"type": "object", "required": ["title"]})),
            ..Conversation::default()
        };
        assert_eq!(asked.aside_steps(say("a")), say(r#"{"title":"scripted title"}"#));
    }
}
