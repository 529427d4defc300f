use serde_json::json;

use super::*;

#[test]
fn a_prompt_without_directives_is_answered_with_ok() {
    assert_eq!(parse("Please fix [the] bug."), Ok(vec![Directive::Say("OK.".into())]));
    assert_eq!(parse(""), Ok(vec![Directive::Say("OK.".into())]));
}

#[test]
fn directives_are_read_in_order_and_other_text_is_ignored() {
    assert_eq!(
        parse("First [[think:hm]] then\n[[tool:edit:a: b]][[chunks:3]] and [[chunks:3:40]] [[hang]]."),
        Ok(vec![
            Directive::Think("hm".into()),
            Directive::Tool { kind: "edit".into(), title: "a: b".into() },
            Directive::Chunks { count: 3, bytes: 16 },
            Directive::Chunks { count: 3, bytes: 40 },
            Directive::Hang,
        ])
    );
}

#[test]
fn the_last_argument_takes_the_rest_and_escapes_are_replaced() {
    assert_eq!(
        parse(r"[[write:/a\:b/c.txt:x:y\nz]]"),
        Ok(vec![Directive::Write { path: "/a:b/c.txt".into(), text: "x:y\nz".into() }])
    );
    assert_eq!(parse(r"[[say:a\]\]b \u{1F600} \q \\n]]"), Ok(vec![Directive::Say("a]]b 😀 \\q \\n".into())]));
}

#[test]
fn json_escapes_pass_through_raw_lines() {
    assert_eq!(parse(r#"[[raw:{"a":"\ud83d \" ü"}]]"#), Ok(vec![Directive::Raw(r#"{"a":"\ud83d \" ü"}"#.into())]));
}

#[test]
fn numbers_times_bytes_and_json_are_read() {
    assert_eq!(
        parse("[[usage:12:34]][[sleep:0.5]][[late:300:more]][[bytes:c3 A9]][[exit:-1]]"),
        Ok(vec![
            Directive::Usage { input: 12, output: 34 },
            Directive::Sleep(Duration::from_millis(500)),
            Directive::Late { after: Duration::from_millis(300), text: "more".into() },
            Directive::Bytes(vec![0xc3, 0xa9]),
            Directive::Exit(-1),
        ])
    );
    assert_eq!(
        parse(r#"[[error:-32603:Internal error: boom]][[error_data:{"details":[1]}]]"#),
        Ok(vec![
            Directive::Error { code: -32603, message: "Internal error: boom".into() },
            Directive::ErrorData(json!({"details": [1]})),
        ])
    );
    assert_eq!(
        parse("[[usage_update]][[usage_update:5:10]]"),
        Ok(vec![Directive::UsageUpdate { used: 1_000, size: 200_000 }, Directive::UsageUpdate { used: 5, size: 10 },])
    );
}

#[test]
fn optional_arguments_have_their_defaults() {
    let rests = |seconds, stubborn| Spawned { lifetime: Duration::from_secs(seconds), stubborn };
    assert_eq!(
        parse("[[spawn_child]][[spawn_setsid:5]][[spawn_daemon:5:stubborn]][[spawn_child:stubborn]]"),
        Ok(vec![
            Directive::SpawnChild(rests(3600, false)),
            Directive::SpawnSetsid(rests(5, false)),
            Directive::SpawnDaemon(rests(5, true)),
            Directive::SpawnChild(rests(3600, true)),
        ])
    );
    assert_eq!(
        parse(r#"[[unknown_request]][[unknown_request:_vendor/x]][[unknown_request:terminal/create:{"a":1}]]"#),
        Ok(vec![
            Directive::UnknownRequest { method: "fs/write_text_file".into(), params: None },
            Directive::UnknownRequest { method: "_vendor/x".into(), params: None },
            Directive::UnknownRequest { method: "terminal/create".into(), params: Some(json!({"a": 1})) },
        ])
    );
}

#[test]
fn what_cannot_be_read_is_named() {
    let failure = |prompt: &str| parse(prompt).unwrap_err().to_string();
    assert_eq!(failure("[[sya:hello]]"), "unknown directive [[sya]]");
    assert_eq!(failure("[[say:hello"), "directive without its end: [[say:hello");
    assert_eq!(failure("[[say]]"), "[[say]] takes a text");
    assert_eq!(failure("[[tools:many]]"), "[[tools:many]] takes a number");
    assert_eq!(failure("[[tool:edit]]"), "[[tool:edit]] takes a kind and a title");
    assert_eq!(failure("[[bytes:abc]]"), "[[bytes:abc]] takes bytes in hexadecimal");
    assert_eq!(failure("[[sleep:-1]]"), "[[sleep:-1]] takes a number of seconds");
}
