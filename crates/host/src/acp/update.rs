//! Session updates: which kind one is, and what of it is kept.

use segue_model::task::truncate::truncate_raw_output;
use serde_json::Value;

use super::read::Object;
use super::{Piece, Update};

/// The kind of an update, and the update where it is kept. `None` for what is no update: no kind,
/// or nested too deeply to be read.
pub(super) fn read(update: &Object<'_>, whole: impl FnOnce() -> Option<Value>) -> Option<Update> {
    Some(match &*update.text("sessionUpdate")? {
        "agent_message_chunk" => Update::MessageChunk(piece(update)),
        "agent_thought_chunk" => Update::ThoughtChunk(piece(update)),
        "tool_call" => Update::ToolCall(tool(whole()?)),
        "tool_call_update" => Update::ToolCallUpdate(tool(whole()?)),
        "plan" => Update::Plan(whole()?),
        "available_commands_update" => Update::AvailableCommands,
        _ => Update::Other(whole()?),
    })
}

/// The text of a chunk; nothing for content that is no text.
fn piece(update: &Object<'_>) -> Piece {
    let text = update.object("content").filter(|content| content.text("type").as_deref() == Some("text"));
    text.and_then(|content| content.text("text")).map(|text| Piece::from(text.into_owned())).unwrap_or_default()
}

/// What the record keeps of a tool call: `content` repeats files and output, and null says nothing.
fn tool(mut update: Value) -> Value {
    if let Value::Object(fields) = &mut update {
        fields.retain(|name, value| name != "content" && !value.is_null());
    }
    truncate_raw_output(&mut update);
    update
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn update(text: &str) -> Option<Update> {
        read(&Object::parse(text).unwrap(), || serde_json::from_str(text).ok())
    }

    #[test]
    fn kinds_and_what_is_kept() {
        let long = "x".repeat(5000);
        for (given, expected) in [
            (
                r#"{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"}}"#.to_owned(),
                Some(Update::MessageChunk("a".into())),
            ),
            (
                r#"{"sessionUpdate":"agent_thought_chunk","content":{"type":"image","data":"…"}}"#.to_owned(),
                Some(Update::ThoughtChunk(Piece::default())),
            ),
            (r#"{"sessionUpdate":"agent_message_chunk"}"#.to_owned(), Some(Update::MessageChunk(Piece::default()))),
            (
                r#"{"sessionUpdate":"tool_call","toolCallId":"1","kind":"odd","title":null,"content":[1],"rawInput":{"a":null},"_meta":{"b":1},"x":2}"#.to_owned(),
                Some(Update::ToolCall(
                    json!({"sessionUpdate":"tool_call","toolCallId":"1","kind":"odd","rawInput":{"a":null},"_meta":{"b":1},"x":2}),
                )),
            ),
            (
                format!(r#"{{"sessionUpdate":"tool_call_update","toolCallId":"1","rawOutput":"{long}"}}"#),
                Some(Update::ToolCallUpdate(
                    json!({"sessionUpdate":"tool_call_update","toolCallId":"1","rawOutput":{"truncated":true,"preview":format!("\"{}", &long[..3999])}}),
                )),
            ),
            (
                r#"{"sessionUpdate":"plan","entries":[],"x":null}"#.to_owned(),
                Some(Update::Plan(json!({"sessionUpdate":"plan","entries":[],"x":null}))),
            ),
            (r#"{"sessionUpdate":"available_commands_update"}"#.to_owned(), Some(Update::AvailableCommands)),
            (
                r#"{"sessionUpdate":"from_the_future","x":null}"#.to_owned(),
                Some(Update::Other(json!({"sessionUpdate":"from_the_future","x":null}))),
            ),
            (r#"{"sessionUpdate":7}"#.to_owned(), None),
            ("{}".to_owned(), None),
        ] {
            assert_eq!(update(&given), expected, "{given}");
        }
    }
}
