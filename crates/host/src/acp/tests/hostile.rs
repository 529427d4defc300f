//! Agents that say what they should not: noise, odd questions, halves of characters, any bytes at all.

use proptest::prelude::*;

use super::*;

/// What is no message, and messages that mean nothing to us, in every phase.
#[test]
fn noise_between_messages_changes_nothing() {
    let noise: [&[u8]; 12] = [
        b"Welcome to the agent!",
        b"42",
        b"null",
        b"\"text\"",
        b"[{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"stopReason\":\"end_turn\"}}]",
        b"{\"jsonrpc\":\"2.0\",\"id\":3,\"resu",
        b"{\"jsonrpc\":\"2.0\"}",
        b"{\"jsonrpc\":\"2.0\",\"id\":3}",
        b"{\"method\":null,\"id\":3}",
        b"\xFF\xFE{\x00",
        b"{\"method\":\"x\",\"id\":[]}",
        b"[[[[",
    ];
    let silent: [&[u8]; 9] = [
        b"",
        b" \t\r",
        b"\xEF\xBB\xBF",
        br#"{"jsonrpc":"2.0","id":99,"result":{"stopReason":"end_turn"}}"#,
        br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#,
        br#"{"jsonrpc":"2.0","method":"_auth/status_update","params":{"x":1}}"#,
        br#"{"jsonrpc":"2.0","method":"elicitation/complete","params":{}}"#,
        br#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"other","update":{"sessionUpdate":"plan"}}}"#,
        br#"{"jsonrpc":"2.0","method":"session/update","params":null}"#,
    ];
    let mut driver = Driver::begin(turn(vec![]));
    let disturb = |driver: &mut Driver| {
        for line in noise {
            let acts = driver.raw(line);
            assert!(acts.len() == 1 && acts[0].get("Noise").is_some(), "{}: {acts:?}", String::from_utf8_lossy(line));
        }
        for line in silent {
            assert_eq!(driver.raw(line), [] as [Value; 0], "{}", String::from_utf8_lossy(line));
        }
    };
    disturb(&mut driver);
    driver.answer(1, initialized());
    disturb(&mut driver);
    driver.answer(2, json!({"sessionId": "s"}));
    disturb(&mut driver);
    // A mark, white space, CRLF and an id as text are all understood.
    let end = br#"{"jsonrpc":"2.0","id":"3","result":{"stopReason":"end_turn"}}"#;
    let acts = driver.raw(&[b"\xEF\xBB\xBF  ".as_slice(), end, b"\r"].concat());
    assert_eq!(acts[0]["TurnEnded"]["stop_reason"], "end_turn");
    disturb(&mut driver);
}

#[test]
fn what_is_not_offered_is_refused_and_never_a_success() {
    let mut driver = prompted();
    for method in [
        "fs/write_text_file",
        "fs/read_text_file",
        "terminal/create",
        "craft/drainMidTurnQueue",
        "_x/y",
        "session/update",
    ] {
        let acts = driver.line(json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": {"sessionId": "s"}}));
        assert_eq!(acts, [json!([7, {"code": -32601, "message": format!("{method} is not offered by this client")}])]);
    }
    // The id comes back as it was.
    for id in [json!("a\u{e9}\n"), json!(1.5), json!(-1), json!(null), json!(18_446_744_073_709_551_615_u64)] {
        let acts = driver.line(json!({"id": id, "method": "x"}));
        assert_eq!(acts[0][0], id);
    }
}

#[test]
fn elicitations_are_declined_in_the_turn_and_cancelled_outside() {
    let mut driver = prompted();
    let ask = |session: Value| json!({"id": 5, "method": "elicitation/create", "params": {"sessionId": session, "mode": "form"}});
    assert_eq!(driver.line(ask(json!("s"))), [json!("ElicitationRefused"), json!([5, {"action": "decline"}])]);
    assert_eq!(driver.line(ask(Value::Null))[1], json!([5, {"action": "decline"}]));
    assert_eq!(driver.line(ask(json!("other"))), [json!([5, {"action": "cancel"}])]);
    driver.answer(3, json!({"stopReason": "end_turn"}));
    assert_eq!(driver.line(ask(json!("s"))), [json!([5, {"action": "cancel"}])]);
}

/// See also the table beside the reading of questions.
#[test]
fn questions_that_are_odd() {
    let mut driver = prompted();
    assert_eq!(driver.ask("other", "edit"), [json!(["q", {"outcome": {"outcome": "cancelled"}}])]);
    for params in
        [json!(null), json!({}), json!({"sessionId": "s"}), json!({"sessionId": "s", "toolCall": {"toolCallId": "t"}})]
    {
        let acts = driver.line(json!({"id": "q", "method": "session/request_permission", "params": params}));
        assert_eq!(acts, [json!(["q", {"code": -32602, "message": "the permission request is not valid"}])]);
    }
    let acts = driver.line(json!({"id": "q", "method": "session/request_permission", "params": {
        "sessionId": "s",
        "toolCall": {"toolCallId": "never seen", "kind": "edit", "title": 5, "locations": "x", "rawInput": "x".repeat(1_000_000)},
        "options": [{"optionId": "y", "kind": "allow_once"}],
    }}));
    let permission = Permission {
        tool_call_id: "never seen".into(),
        title: None,
        kind: Some("edit".into()),
        decision: Decision::Cancelled,
        undecodable: true,
    };
    assert_eq!(acts[0]["Permission"], serde_json::to_value(permission).unwrap());
}

/// Joins what a turn says, as a recorder would.
fn said(conversation: &mut Conversation, lines: &[String]) -> String {
    let mut text = Text::default();
    for line in lines {
        for act in conversation.line(line.as_bytes()) {
            match act {
                Act::Fact(Fact::Update(Update::MessageChunk(piece))) => text.push(&piece),
                other => panic!("{line}: {other:?}"),
            }
        }
    }
    text.finish()
}

fn chunk_line(escaped: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"{escaped}"}}}}}}}}"#
    )
}

#[test]
fn halves_of_characters_join_across_chunks_and_never_break_a_line() {
    let lines = ["a\\ud83d", "\\ude00b", "\\ud83d", "c\\udfffd", "e\\u0000\\u000c\\u007f\u{2028}"].map(chunk_line);
    assert_eq!(said(&mut prompted().conversation, &lines), "a\u{1F600}b\u{FFFD}c\u{FFFD}de\0\u{c}\u{7f}\u{2028}");

    let mut driver = prompted();
    let tool = br#"{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"x\ud83d"}}}"#;
    assert_eq!(driver.raw(tool)[0]["Update"]["ToolCall"]["title"], "x\u{FFFD}");
    let end = br#"{"id":3,"result":{"stopReason":"end_turn","_meta":{"x":"\ude00"}}}"#;
    assert_eq!(driver.raw(end)[0]["TurnEnded"]["meta"], json!({"x": "\u{FFFD}"}));
}

#[test]
fn chunks_of_every_shape_are_read() {
    let shapes = [
        chunk_line("a"),
        // Fields in another order, more of them, escapes in names.
        r#"{"params":{"_meta":{},"update":{"messageId":"m","content":{"annotations":null,"text":"b","type":"text"},"sessionUpdate":"agent_message_chunk"},"sessionId":"s"},"method":"session/update","jsonrpc":"2.0"}"#.into(),
        r#"{"method":"session\/update","params":{"sessionId":"\u0073","update":{"sessionUpdate":"agent_message\u005fchunk","content":{"type":"text","text":"c"}}}}"#.into(),
        r#"{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x","text":"d"}}}}"#.into(),
        r#"{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"image","data":"","mimeType":""}}}}"#.into(),
        r#"{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":null}}}"#.into(),
        r#"{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":5}}}}"#.into(),
    ];
    assert_eq!(said(&mut prompted().conversation, &shapes), "abcd");

    let mut driver = prompted();
    assert_eq!(driver.raw(chunk_line("x").replace("\"s\"", "\"other\"").as_bytes()), [] as [Value; 0]);
    let invalid = chunk_line("aXb").bytes().map(|byte| if byte == b'X' { 0xFF } else { byte }).collect::<Vec<u8>>();
    assert_eq!(driver.raw(&invalid), [json!({"Update": {"MessageChunk": {"text": "a\u{FFFD}b"}}})]);
}

/// Which is the final message is the recorder's business; what is told is in wire order.
#[test]
fn echoes_and_thoughts_are_told_apart() {
    let mut driver = prompted();
    let acts: Vec<Value> = [
        json!({"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "do it"}}),
        json!({"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": "hm"}}),
        message("one"),
        json!({"sessionUpdate": "available_commands_update", "availableCommands": []}),
        json!({"sessionUpdate": "from_the_future", "x": 1}),
    ]
    .into_iter()
    .flat_map(|update| driver.update(update))
    .map(|act| act["Update"].clone())
    .collect();
    assert_eq!(
        acts,
        [
            json!({"Other": {"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "do it"}}}),
            json!({"ThoughtChunk": {"text": "hm"}}),
            json!({"MessageChunk": {"text": "one"}}),
            json!("AvailableCommands"),
            json!({"Other": {"sessionUpdate": "from_the_future", "x": 1}}),
        ]
    );
}

#[test]
fn depth_does_not_overflow() {
    let (open, close) = ("[".repeat(200_000), "]".repeat(200_000));
    let mut driver = prompted();
    let noise = |acts: &[Value]| acts.len() == 1 && acts[0].get("Noise").is_some();
    assert!(noise(&driver.raw(format!("{open}{close}").as_bytes())));
    assert!(noise(&driver.raw("{\"a\":".repeat(200_000).as_bytes())));
    let update = |kind: &str, field: &str| {
        format!(
            r#"{{"method":"session/update","params":{{"sessionId":"s","update":{{"sessionUpdate":"{kind}","{field}":{open}{close}}}}}}}"#
        )
    };
    assert!(noise(&driver.raw(update("tool_call", "rawInput").as_bytes())));
    assert!(noise(&driver.raw(update("plan", "entries").as_bytes())));
    assert_eq!(
        driver.raw(update("agent_message_chunk", "content").as_bytes())[0]["Update"]["MessageChunk"],
        json!({"text": ""})
    );
    let request = format!(r#"{{"id":1,"method":"session/request_permission","params":{open}{close}}}"#);
    assert_eq!(driver.raw(request.as_bytes())[0][1]["code"], -32602);
    let end = format!(r#"{{"id":3,"result":{{"stopReason":"end_turn","usage":{open}{close},"_meta":{open}{close}}}}}"#);
    assert_eq!(
        driver.raw(end.as_bytes())[0]["TurnEnded"],
        json!({"stop_reason": "end_turn", "usage": null, "meta": null})
    );
}

#[test]
fn the_state_holds_neither_prompt_nor_transcript() {
    let mut driver = prompted();
    for _ in 0..100 {
        driver.update(message(&"secret ".repeat(1000)));
        driver.update(json!({"sessionUpdate": "tool_call", "toolCallId": "t", "rawInput": "secret ".repeat(1000)}));
    }
    let stored = serde_json::to_string(&driver.conversation).unwrap();
    assert!(!stored.contains("secret") && stored.len() < 2_000, "{stored}");
}

fn any_line() -> impl Strategy<Value = Vec<u8>> {
    let id = prop_oneof![Just("1"), Just("2"), Just("3"), Just("\"3\""), Just("null"), Just("{}"), Just("1e9")];
    let value = prop_oneof![
        Just("null"),
        Just("5"),
        Just("\"\\ud83d\""),
        Just("[]"),
        Just("{}"),
        Just("{\"sessionId\":\"s\"}"),
        Just("{\"stopReason\":\"end_turn\"}"),
        Just("{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"agent_message_chunk\"}}"),
        Just("{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"tool_call\",\"rawOutput\":[[1]]}}"),
        Just(
            "{\"sessionId\":\"s\",\"toolCall\":{\"toolCallId\":\"t\",\"kind\":\"edit\"},\"options\":[{\"optionId\":\"y\",\"kind\":\"allow_once\"}]}"
        ),
    ];
    let method = prop_oneof![
        Just("session/update"),
        Just("session/request_permission"),
        Just("elicitation/create"),
        Just("fs/read_text_file"),
    ];
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..60),
        "\\PC{0,40}".prop_map(String::into_bytes),
        (id.clone(), value.clone()).prop_map(|(id, value)| format!("{{\"id\":{id},\"result\":{value}}}").into_bytes()),
        (id.clone(), value.clone()).prop_map(|(id, value)| format!("{{\"id\":{id},\"error\":{value}}}").into_bytes()),
        (method.clone(), value.clone())
            .prop_map(|(method, value)| format!("{{\"method\":\"{method}\",\"params\":{value}}}").into_bytes()),
        (id, method, value)
            .prop_map(|(id, method, value)| format!("{{\"id\":{id},\"method\":\"{method}\",\"params\":{value}}}")
                .into_bytes()),
    ]
}

proptest! {
    /// Whatever an agent says: no panic, the same acts after a reload, and a question is answered
    /// exactly once.
    #[test]
    fn anything_goes(lines in proptest::collection::vec(any_line(), 0..40)) {
        let mut driver = Driver::begin(turn(vec![]));
        for line in lines {
            let mended = String::from_utf8_lossy(&line).replace("\\ud83d", "");
            let asked = serde_json::from_str::<Value>(&mended).ok().filter(|line| {
                line.get("method").is_some() && line.get("id").is_some_and(|id| !id.is_object())
            });
            let acts = driver.raw(&line);
            let answers = acts.iter().filter(|act| act.is_array() && !act[0].as_str().is_some_and(|m| m.starts_with("session/")));
            prop_assert_eq!(answers.count(), usize::from(asked.is_some()), "{}", String::from_utf8_lossy(&line));
        }
    }

    /// Text of chunks arrives as it was cut, wherever that was, also between the halves of a
    /// character.
    #[test]
    fn text_arrives_whole(text in "\\PC{0,30}", cuts in proptest::collection::vec(0usize..60, 0..6)) {
        let units: Vec<u16> = text.encode_utf16().collect();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(units.len())).collect();
        cuts.sort_unstable();
        cuts.push(units.len());
        let mut from = 0;
        let lines: Vec<String> = cuts.into_iter().map(|to| {
            let escaped: String = units[from..to].iter().map(|unit| format!("\\u{unit:04x}")).collect();
            from = to;
            chunk_line(&escaped)
        }).collect();
        prop_assert_eq!(said(&mut prompted().conversation, &lines), text);
    }
}
