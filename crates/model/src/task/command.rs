//! What agents say of a command in a tool call: what is run, and how it ended.
//!
//! The protocol has no place for either, so each agent has its own. What is read here was seen; what is
//! not said stays unknown, and nothing is concluded from words of success.

use serde_json::Value;

/// Keys under which an exit status was seen. The last is what Segue keeps of output that it cuts.
const EXIT_KEYS: [&str; 5] = ["exitCode", "exit_code", "exitStatus", "exit", EXIT_KEPT];

/// The key under which the exit status stays when the output around it is cut.
pub(super) const EXIT_KEPT: &str = "exit_status";

/// How texts that begin with an exit status begin: Claude's output, Cline's error.
const EXIT_TEXTS: [&str; 2] = ["Exit code ", "Command exited with code "];

/// The command lines in `rawInput`, in order. Cline has several in one call.
pub(super) fn command_lines(update: &Value) -> Vec<String> {
    let Some(input) = update.get("rawInput") else { return Vec::new() };
    let words = |list: &[Value]| list.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>();
    match (input.get("command"), input.get("commands")) {
        (Some(Value::String(line)), _) => vec![line.clone()],
        // One command in words.
        (Some(Value::Array(list)), _) if !list.is_empty() => vec![words(list).join(" ")],
        (_, Some(Value::Array(list))) => words(list),
        _ => Vec::new(),
    }
}

/// The exit statuses in an update, one for each command of the call; `None` where none is said.
pub(super) fn exit_statuses(update: &Value) -> Vec<Option<i64>> {
    // Codex reports beside the output.
    let beside = update.get("_meta").and_then(|meta| meta.get("terminal_exit")).and_then(by_key);
    match update.get("rawOutput") {
        Some(Value::Array(parts)) => parts.iter().map(of_output).collect(),
        Some(output) => vec![beside.or_else(|| of_output(output))],
        None => vec![beside],
    }
}

fn by_key(object: &Value) -> Option<i64> {
    EXIT_KEYS.iter().find_map(|key| object.get(key)?.as_i64())
}

fn of_output(output: &Value) -> Option<i64> {
    if let Value::String(text) = output {
        return of_text(text);
    }
    let parts = output.get("contents").and_then(Value::as_array);
    by_key(output)
        .or_else(|| by_key(output.get("metadata")?))
        .or_else(|| by_key(output.get("output")?))
        .or_else(|| parts?.iter().find_map(by_key))
        .or_else(|| of_text(output.get("error")?.as_str()?))
}

fn of_text(text: &str) -> Option<i64> {
    let rest = EXIT_TEXTS.iter().find_map(|start| text.strip_prefix(start))?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_agent_says_the_exit_status_in_its_own_place() {
        let cases = [
            // Claude
            (json!({"rawOutput": "Exit code 3\nnot found"}), vec![Some(3)]),
            (json!({"rawOutput": "Exit codes are numbers"}), vec![None]),
            // Codex
            (json!({"_meta": {"terminal_exit": {"exit_code": 3, "signal": null}}}), vec![Some(3)]),
            (json!({"_meta": {"terminal_exit": {"exit_code": null}}}), vec![None]),
            (json!({"rawOutput": {"exit_code": 0}}), vec![Some(0)]),
            // Copilot
            (json!({"rawOutput": {"content": "x", "contents": [{"type": "text"}, {"exitCode": 3}]}}), vec![Some(3)]),
            (json!({"rawOutput": {"message": "The user rejected this tool call.", "code": "rejected"}}), vec![None]),
            // Cline
            (json!({"rawOutput": [{"error": "Command exited with code 3"}, {"success": true}]}), vec![Some(3), None]),
            // opencode
            (json!({"rawOutput": {"output": "", "metadata": {"exit": 3}}}), vec![Some(3)]),
            // what was cut
            (json!({"rawOutput": {"truncated": true, "preview": "", "exit_status": 3}}), vec![Some(3)]),
            (json!({}), vec![None]),
        ];
        for (update, expected) in cases {
            assert_eq!(exit_statuses(&update), expected, "{update}");
        }
    }

    #[test]
    fn command_lines_are_one_several_or_words() {
        let cases = [
            (json!({"rawInput": {"command": "ls -l", "cwd": "/"}}), vec!["ls -l"]),
            (json!({"rawInput": {"command": ["sh", "-c", "ls"]}}), vec!["sh -c ls"]),
            (json!({"rawInput": {"commands": ["a", "b"]}}), vec!["a", "b"]),
            (json!({"rawInput": {"path": "x"}}), vec![]),
            (json!({"rawInput": "x"}), vec![]),
            (json!({}), vec![]),
        ];
        for (update, expected) in cases {
            assert_eq!(command_lines(&update), expected, "{update}");
        }
    }
}
