//! What an agent writes, in any amount: standard output is protocol, standard error is recorded line by line.

use serde_json::{Value, json};

use super::served::Served;

/// The longest piece in which a line of standard error is recorded.
const PIECE: usize = 1_048_576;

fn lines(served: &Served, id: &str) -> Vec<String> {
    served.payloads(id, "stderr").iter().map(|payload| payload["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn standard_error_is_recorded_line_by_line_in_order_before_the_end() {
    let served = Served::new();
    let id = served.spawn(
        "[[stderr:one]][[stderr:]][[stderr_hex:74776f0d0a]][[stderr_hex:ff20c3a40a]][[stderr_hex:000c7f0a]]\
         [[stderr_hex:e2]][[stderr_hex:80a80a]][[stderr_hex:0d0d0a]][[stderr:last but one]][[stderr_bytes:4]]",
    );
    served.ended(&id);
    assert_eq!(
        lines(&served, &id),
        ["one", "", "two", "\u{fffd} \u{e4}", "\0\u{c}\u{7f}", "\u{2028}", "\r", "last but one", "eeee"]
    );
    let record = served.record(&id);
    let kinds: Vec<&str> = record.as_array().unwrap().iter().map(|event| event[0].as_str().unwrap()).collect();
    let last = kinds.iter().rposition(|kind| *kind == "stderr").unwrap();
    assert!(last < kinds.iter().position(|kind| *kind == "process_exited").unwrap());
    served.end();
}

#[test]
fn a_long_line_of_standard_error_is_recorded_in_pieces() {
    let served = Served::new();
    // A line of exactly a piece is one; a character that the boundary would cut stays whole.
    let id =
        served.spawn(&format!("[[stderr_bytes:{PIECE}]][[stderr:]][[stderr_bytes:{}]][[stderr:\u{e4}x]]", PIECE - 1));
    served.ended(&id);
    let pieces = lines(&served, &id);
    assert_eq!(pieces.iter().map(String::len).collect::<Vec<_>>(), [PIECE, PIECE - 1, 3]);
    assert_eq!(pieces[2], "\u{e4}x");
    served.end();
}

/// Twenty megabytes without a line end, before the answer and after it: the agent is never blocked, and nothing of
/// what it wrote before its end is missing.
#[test]
fn an_agent_is_never_blocked_by_what_it_writes_to_standard_error() {
    const BYTES: usize = 20_000_000;
    let served = Served::new();
    let id = served.spawn(&format!("[[stderr_bytes:{BYTES}]][[say:done]]"));
    assert_eq!(served.ended(&id)["final_message"], "done");
    let pieces = lines(&served, &id);
    assert_eq!(pieces.iter().map(String::len).sum::<usize>(), BYTES);
    assert!(pieces.iter().all(|piece| piece.len() <= PIECE));
    let id = served.spawn(&format!("[[late_stderr:0:{BYTES}]][[say:done]]"));
    assert_eq!(served.ended(&id)["status"], "succeeded");
    served.end();
}

#[test]
fn a_message_of_sixty_four_megabytes_is_read() {
    // With what is around it, the line has 64 MiB.
    const BYTES: usize = (64 << 20) - 200;
    let served = Served::new();
    let ended = served.run(&format!("[[bigline:{BYTES}]][[say:!]]"));
    assert_eq!((&ended["status"], &ended["final_message_truncated"]), (&json!("succeeded"), &json!(true)));
    assert_eq!(ended["final_message"], "x".repeat(3999) + "!");
    served.end();
}

/// Longer than what is read: the line is skipped, what follows is handled, and the server stays small.
#[test]
fn a_message_beyond_every_limit_is_skipped() {
    let served = Served::new();
    let ended = served.run("[[bigline:150000000]][[say:still here]]");
    assert_eq!((&ended["status"], &ended["final_message"]), (&json!("succeeded"), &json!("still here")));
    let status = std::fs::read_to_string(format!("/proc/{}/status", served.client.pid())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kilobytes: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(kilobytes < 500_000, "{kilobytes} kB at the most");
    served.end();
}

#[test]
fn a_large_prompt_reaches_the_agent_whole() {
    let served = Served::new();
    let filling = "\u{e4}b\\n".repeat(5_000_000 / 4);
    let prompt = format!("{filling}[[say:read]]");
    let id = served.spawn(&prompt);
    assert_eq!(served.ended(&id)["final_message"], "read");
    assert!(served.call("get_task", json!({"task_id": id, "include_prompt": true}))["prompt"] == json!(prompt));
    let sent: Vec<Value> = served.world.received_params("session/prompt");
    assert!(sent[0]["prompt"][0]["text"] == json!(prompt));
    served.end();
}

/// Nobody reads the prompt: only that task fails, and the exit is told, not a broken pipe.
#[test]
fn an_agent_that_reads_nothing_fails_its_own_task_only() {
    let served = Served::new();
    served.world.install_script("codex-acp", "exit 3");
    let ended = served.run_with(json!({"agent": "codex", "prompt": "x".repeat(20_000_000)}));
    assert_eq!((&ended["status"], &ended["exit_code"]), (&json!("failed"), &json!(3)));
    let error = ended["error"].as_str().unwrap();
    assert!(error.starts_with("codex-acp session failed: Connection closed") && error.contains("status 3"), "{error}");
    assert_eq!(served.run("")["status"], "succeeded");
    served.end();
}

#[test]
fn thousands_of_updates_are_recorded_one_by_one() {
    let served = Served::new();
    let id = served.spawn("[[tools:2000]][[chunks:20000:20]]");
    let ended = served.ended(&id);
    assert_eq!(ended["receipt"]["tool_calls"], json!({"read": 2000}));
    assert_eq!(served.payloads(&id, "tool_call").len(), 2000);
    let said: usize = served.payloads(&id, "agent_message").iter().map(|p| p["text"].as_str().unwrap().len()).sum();
    assert_eq!(said, 20_000 * 20);
    served.end();
}
