//! The bound on `rawOutput` in the record.

use serde_json::{Value, json};

use super::command::{EXIT_KEPT, exit_statuses};

/// How many characters of the encoded value are kept. Fixed by the channel contract.
pub const RAW_OUTPUT_CHARS: usize = 4_000;

/// The encoding that the contract counts: ASCII only, `", "` and `": "` between parts.
#[must_use]
pub fn ascii_encoding(value: &Value) -> String {
    let mut out = String::new();
    encode(value, &mut out, usize::MAX);
    out
}

/// Writes the encoding until at least `enough` bytes are there.
fn encode(value: &Value, out: &mut String, enough: usize) {
    if out.len() >= enough {
        return;
    }
    match value {
        Value::String(text) => encode_text(text, out, enough),
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                encode(item, out, enough);
                if out.len() >= enough {
                    return;
                }
            }
            out.push(']');
        }
        Value::Object(map) => {
            out.push('{');
            for (i, (key, item)) in map.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                encode_text(key, out, enough);
                out.push_str(": ");
                encode(item, out, enough);
                if out.len() >= enough {
                    return;
                }
            }
            out.push('}');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

fn encode_text(text: &str, out: &mut String, enough: usize) {
    out.push('"');
    for c in text.chars() {
        if out.len() >= enough {
            return;
        }
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            ' '..='\u{7f}' => out.push(c),
            _ => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }
    out.push('"');
}

/// How many characters the contract's encoding has. ASCII, so bytes and characters are the same.
#[must_use]
pub fn ascii_len(value: &Value) -> usize {
    match value {
        Value::String(text) => text_len(text),
        Value::Array(items) => 2 + items.iter().map(ascii_len).sum::<usize>() + 2 * items.len().saturating_sub(1),
        Value::Object(map) => {
            2 + map.iter().map(|(k, v)| text_len(k) + 2 + ascii_len(v)).sum::<usize>() + 2 * map.len().saturating_sub(1)
        }
        Value::Null => 4,
        Value::Bool(b) => {
            if *b {
                4
            } else {
                5
            }
        }
        Value::Number(n) => n.to_string().len(),
    }
}

fn text_len(text: &str) -> usize {
    2 + text
        .chars()
        .map(|c| match c {
            '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
            ' '..='\u{7f}' => 1,
            c => 6 * c.len_utf16(),
        })
        .sum::<usize>()
}

/// Cuts `rawOutput` of a tool update as the contract says. The exit status of a command stays, as
/// `exit_status` beside the preview: it often stands behind the output.
pub fn truncate_raw_output(update: &mut Value) {
    let Some(raw) = update.get("rawOutput") else { return };
    let mut encoded = String::new();
    encode(raw, &mut encoded, RAW_OUTPUT_CHARS + 1);
    if encoded.len() > RAW_OUTPUT_CHARS {
        encoded.truncate(RAW_OUTPUT_CHARS);
        let mut cut = json!({"truncated": true, "preview": encoded});
        if let [Some(exit_status)] = exit_statuses(update)[..] {
            cut[EXIT_KEPT] = exit_status.into();
        }
        update["rawOutput"] = cut;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_encoding_is_ascii_with_spaces() {
        let value = json!({"a": [1, true, null], "ü": "x\"\n\u{1F600}\u{7f}"});
        let text = "{\"a\": [1, true, null], \"\\u00fc\": \"x\\\"\\n\\ud83d\\ude00\u{7f}\"}";
        assert_eq!(ascii_encoding(&value), text);
        assert_eq!(ascii_len(&value), text.len());
    }

    #[test]
    fn four_thousand_characters_are_kept() {
        for (text, cut) in [("x".repeat(3_998), false), ("x".repeat(3_999), true), ("x".repeat(9_000), true)] {
            let mut update = json!({"toolCallId": "1", "rawOutput": text});
            truncate_raw_output(&mut update);
            let expected = if cut {
                json!({"truncated": true, "preview": format!("\"{}", "x".repeat(3_999))})
            } else {
                json!(text)
            };
            assert_eq!(update["rawOutput"], expected);
        }
    }

    #[test]
    fn the_exit_status_behind_long_output_is_kept() {
        let mut update = json!({"rawOutput": {"output": "x".repeat(9_000), "metadata": {"exit": 3}}});
        truncate_raw_output(&mut update);
        let preview = format!("{{\"output\": \"{}", "x".repeat(RAW_OUTPUT_CHARS - 12));
        assert_eq!(update, json!({"rawOutput": {"truncated": true, "preview": preview, "exit_status": 3}}));
    }
}
