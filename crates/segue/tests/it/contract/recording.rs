//! The rules of recording: how text is joined, what is cut, what the task says of its turn.

use segue_testkit::scripted_agent::{SURROGATES_READ_AS, chunk_text};
use serde_json::{Value, json};

use super::served::{Served, updates};

fn message(text: &str) -> Value {
    json!(["agent_message", {"text": text}])
}

#[test]
fn chunks_join_until_something_else_comes() {
    let served = Served::new();
    let image = updates(&json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "image", "data": "AA=="}}));
    let with_id = |id: &str, text: &str| {
        updates(
            &json!({"sessionUpdate": "agent_message_chunk", "messageId": id, "content": {"type": "text", "text": text}}),
        )
    };
    for (prompt, expected) in [
        ("[[chunks:100:8]]".to_owned(), json!([message(&(0..100).map(|n| chunk_text(n, 8)).collect::<String>())])),
        // What is not text is nothing, and neither it nor the boundary of a message splits.
        (format!("[[say:a]]{image}[[say:b]]"), json!([message("ab")])),
        (with_id("1", "a") + &with_id("2", "b"), json!([message("ab")])),
        // An update that is not recorded still ends the run of text.
        ("[[say:a]][[commands]][[say:b]]".to_owned(), json!([message("a"), message("b")])),
        (
            "[[say:a]][[think:x]][[think:y]][[say:b]]".to_owned(),
            json!([message("a"), ["agent_thought", {"text": "xy"}], message("b")]),
        ),
        // Standard error is another stream: it does not split.
        (image, json!([])),
    ] {
        let id = served.spawn(&prompt);
        served.ended(&id);
        assert_eq!(served.turn(&id), expected, "{prompt}");
    }
    served.end();
}

#[test]
fn text_before_a_question_is_recorded_before_it() {
    let served = Served::new();
    let question = r#"{"toolCall": {"toolCallId": "q"}, "options": \[\]}"#;
    let id = served.spawn(&format!("[[say:Before]][[ask_raw:{question}]][[say:Between]][[elicit]]"));
    served.ended(&id);
    assert_eq!(
        served.turn(&id),
        json!([
            message("Before"),
            ["permission", {"tool_call_id": "q", "title": null, "kind": null, "decision": "cancelled"}],
            message("Between"),
            ["agent_request", {"method": "create_elicitation", "decision": "refused"}],
            message("elicitation: result {\"action\":\"decline\"}"),
        ])
    );
    served.end();
}

/// The bound itself is not measured; that text shows while nothing else comes is.
#[test]
fn text_shows_while_the_agent_goes_on_thinking() {
    let served = Served::new();
    let id = served.spawn("[[say:First part. ]][[wait_file:go]][[say:Second part.]]");
    served.wait_event(&id, "agent_message", |payload| payload["text"] == "First part. ");
    assert_eq!(served.task(&id)["final_message"], "First part. ");
    served.mark("go");
    assert_eq!(served.ended(&id)["final_message"], "First part. Second part.");
    assert_eq!(served.turn(&id), json!([message("First part. "), message("Second part.")]));
    served.end();
}

#[test]
fn raw_output_is_cut_and_nothing_else_is() {
    let served = Served::new();
    let output =
        |value: Value| updates(&json!({"sessionUpdate": "tool_call_update", "toolCallId": "t", "rawOutput": value}));
    // In the encoding that counts, a letter outside of ASCII is six characters, and a separator is two.
    let fits = json!({"a": [1, "x".repeat(3986)]});
    let over = json!({"a": [1, "x".repeat(3987)]});
    let text = "x".repeat(4000);
    let umlauts = "\u{e4}".repeat(700);
    let prompt: String = [&fits, &over, &json!(text), &json!(umlauts), &json!("\u{e4}".repeat(600))]
        .into_iter()
        .map(|value| output(value.clone()))
        .collect();
    let long = "y".repeat(100_000);
    let id = served.spawn(&format!("{prompt}[[say:{long}]]"));
    served.ended(&id);
    let cut = |encoded: String| json!({"truncated": true, "preview": encoded.chars().take(4000).collect::<String>()});
    let recorded = served.payloads(&id, "tool_call_update");
    let expected = [
        fits,
        cut(format!("{{\"a\": [1, \"{}\"]}}", "x".repeat(3987))),
        cut(format!("\"{text}")),
        cut(format!("\"{}", "\\u00e4".repeat(700))),
        json!("\u{e4}".repeat(600)),
    ];
    assert_eq!(recorded.len(), expected.len());
    for (at, (payload, expected)) in recorded.iter().zip(&expected).enumerate() {
        assert!(payload["rawOutput"] == *expected, "output {at}: {}", payload["rawOutput"]);
    }
    assert_eq!(served.payloads(&id, "agent_message"), [json!({"text": long})]);
    served.end();
}

#[test]
fn the_final_message_is_what_was_said_last() {
    let served = Served::new();
    let ask = "[[ask:edit:Change]]";
    for (prompt, said) in [
        ("[[say:a]][[say:b]]".to_owned(), json!("ab")),
        ("[[say:a]][[tool:read:Look]]".to_owned(), json!(null)),
        ("[[say:a]][[tool:read:Look]][[say:b]]".to_owned(), json!("b")),
        ("[[say:a]][[plan]][[say:b]]".to_owned(), json!("b")),
        ("[[say:a]][[think:t]][[say:b]]".to_owned(), json!("b")),
        (format!("[[say:a]]{ask}[[say:b]]"), json!("b")),
        ("[[say:a]][[elicit]][[say:!]]".to_owned(), json!("elicitation: result {\"action\":\"decline\"}!")),
        // These do not set it back.
        ("[[say:a]][[usage_update]][[say:b]]".to_owned(), json!("ab")),
        ("[[say:a]][[stderr:x]][[say:b]]".to_owned(), json!("ab")),
        ("[[say:a]][[commands]][[say:b]]".to_owned(), json!("ab")),
        ("[[say:a]][[unknown_update]][[echo_prompt]][[say:b]]".to_owned(), json!("ab")),
        ("[[surrogates]]".to_owned(), json!(SURROGATES_READ_AS)),
    ] {
        let ended = served.run(&prompt);
        assert_eq!((&ended["final_message"], &ended["final_message_truncated"]), (&said, &json!(false)), "{prompt}");
    }
    served.end();
}

#[test]
fn the_final_message_has_four_thousand_characters_at_most() {
    let served = Served::new();
    let exact = served.run(&format!("[[say:{}]]", "\u{1f600}".repeat(4000)));
    assert_eq!(exact["final_message"], "\u{1f600}".repeat(4000));
    assert_eq!(exact["final_message_truncated"], false);
    let over = served.run(&format!("[[say:{}]][[usage_update]][[say:{}]]", "a".repeat(3000), "\u{e4}".repeat(1001)));
    assert_eq!(over["final_message"], "a".repeat(2999) + &"\u{e4}".repeat(1001));
    assert_eq!(over["final_message_truncated"], true);
    let again = served.run(&format!("[[say:{}]][[plan]][[say:short]]", "a".repeat(5000)));
    assert_eq!((&again["final_message"], &again["final_message_truncated"]), (&json!("short"), &json!(false)));
    served.end();
}

#[test]
fn usage_is_that_of_the_turn() {
    let served = Served::new();
    let answer = |usage: Value| {
        let line = json!({"jsonrpc": "2.0", "id": "PROMPT", "result": {"stopReason": "end_turn", "usage": usage}});
        super::served::says(&line).replace("\"PROMPT\"", "$PROMPT") + "[[hang]]"
    };
    let context = json!({"used": 7, "size": 100, "cost": {"amount": 0.25, "currency": "USD"}});
    let all = json!({"totalTokens": 9, "inputTokens": 1, "outputTokens": 2, "thoughtTokens": 3,
                     "cachedReadTokens": 4, "cachedWriteTokens": 5, "_meta": {"x": 1}});
    for (prompt, usage) in [
        ("".to_owned(), json!({"context": null, "turn": null})),
        (
            "[[usage:100:20]]".to_owned(),
            json!({"context": null, "turn": {
            "total_tokens": 120, "input_tokens": 100, "output_tokens": 20}}),
        ),
        (
            "[[usage_update:1:2]][[usage_update:7:100]][[usage_null]]".to_owned(),
            json!({"context": context, "turn": null}),
        ),
        (
            updates(&json!({"sessionUpdate": "usage_update", "used": 1, "size": 2})),
            json!({"context": {"used": 1, "size": 2, "cost": null}, "turn": null}),
        ),
        (
            answer(all),
            json!({"context": null, "turn": {
            "total_tokens": 9, "input_tokens": 1, "output_tokens": 2, "thought_tokens": 3,
            "cached_read_tokens": 4, "cached_write_tokens": 5}}),
        ),
        (
            answer(json!({"totalTokens": 9, "inputTokens": 1, "outputTokens": 2, "thoughtTokens": null})),
            json!({"context": null, "turn": {"total_tokens": 9, "input_tokens": 1, "output_tokens": 2}}),
        ),
        (answer(json!({"totalTokens": "9"})), json!({"context": null, "turn": null})),
        (
            "[[usage:1:1]][[stop:max_tokens]]".to_owned(),
            json!({"context": null, "turn": {
            "total_tokens": 2, "input_tokens": 1, "output_tokens": 1}}),
        ),
        ("[[usage_update:7:100]][[exit:1]]".to_owned(), json!({"context": context, "turn": null})),
    ] {
        assert_eq!(served.run(&prompt)["usage"], usage, "{prompt}");
    }
    served.world.scripted("NEW", "error");
    assert_eq!(served.run("")["usage"], json!(null), "no prompt was sent");
    served.end();
}

#[test]
fn the_latest_error_is_the_tasks() {
    let served = Served::new();
    let id = served.spawn("[[error:-32603:It broke]]");
    let ended = served.ended(&id);
    let error = "claude-agent-acp session failed: It broke (code -32603)";
    assert_eq!((&ended["status"], &ended["error"]), (&json!("failed"), &json!(error)));
    assert_eq!(served.payloads(&id, "error"), [json!({"message": error})]);
    // A stop reason other than end_turn is a failure without an error.
    for reason in ["max_tokens", "max_turn_requests", "refusal", "cancelled"] {
        let ended = served.run(&format!("[[say:x]][[stop:{reason}]]"));
        assert_eq!((&ended["status"], &ended["error"]), (&json!("failed"), &json!(null)), "{reason}");
        assert_eq!(ended["stop_reason"], reason);
    }
    served.end();
}

/// The cost of an event does not grow with the prompt or with what was recorded before: the same turn with a
/// prompt of megabytes does not take many times as long. The bound is loose on purpose.
#[test]
fn a_large_prompt_is_not_written_with_each_of_its_events() {
    const PROMPT_BYTES: u64 = 3_000_000;
    let served = Served::new();
    // All that the server has handed to the system, files and sockets alike.
    let written = || {
        let io = std::fs::read_to_string(format!("/proc/{}/io", served.client.pid())).unwrap();
        let bytes = io.lines().find_map(|line| line.strip_prefix("wchar: ")).unwrap();
        bytes.parse::<u64>().unwrap()
    };
    let cost = |prompt: String| {
        let before = written();
        let id = served.spawn(&prompt);
        served.ended(&id);
        assert_eq!(served.payloads(&id, "tool_call").len(), 300);
        written() - before
    };
    let small = cost("[[tools:300]]".to_owned());
    let large = cost(format!("{}[[tools:300]]", " ".repeat(PROMPT_BYTES as usize)));
    // To the agent once and into the record a few times, and not with each of the 300 events.
    assert!(large < small + 20 * PROMPT_BYTES, "{large} bytes against {small}");
    served.end();
}
