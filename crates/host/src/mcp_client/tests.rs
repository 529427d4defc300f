//! The conversation, message by message.

use segue_model::flow::{Json, json::object};

use super::*;

fn call() -> Ask {
    Ask::Call { tool: "add".into(), arguments: object([("a", 1_i64.into())]) }
}

fn begin(ask: Ask, lifecycle: Lifecycle) -> (Conversation, Outgoing) {
    let (conversation, acts) = Conversation::begin("segue", "1", ask, lifecycle);
    let [Act::Send(first)] = acts.as_slice() else { panic!("{acts:?}") };
    (conversation, first.clone())
}

fn welcome(version: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"protocolVersion":"{version}","capabilities":{{"tools":{{}}}}}}}}"#)
}

/// Past `initialize`.
fn ready(ask: Ask) -> Conversation {
    let (mut conversation, _) = begin(ask, Lifecycle::Session);
    assert_eq!(conversation.message(welcome(NEWEST).as_bytes()).len(), 2);
    conversation
}

fn sent(n: u64, method: &'static str, line: &str, awaits: bool) -> Act {
    Act::Send(Outgoing { n, method, line: line.to_owned(), awaits })
}

fn failed(step: Step, kind: FailureKind) -> Vec<Act> {
    vec![Act::Failed(Failure { step, kind })]
}

#[test]
fn one_call_from_the_first_message_to_the_result() {
    let (mut conversation, first) = begin(call(), Lifecycle::Session);
    assert_eq!(
        (first.n, first.line.as_str()),
        (
            1,
            r#"{"id":1,"jsonrpc":"2.0","method":"initialize","params":{"capabilities":{},"clientInfo":{"name":"segue","version":"1"},"protocolVersion":"2025-11-25"}}"#
        )
    );
    assert_eq!(conversation.message(b"  "), []);
    assert_eq!(conversation.message(br#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#), []);
    assert_eq!(conversation.message(br#"{"jsonrpc":"2.0","id":77,"result":{}}"#), []);
    assert_eq!(
        conversation.message(welcome("2024-11-05").as_bytes()),
        [
            sent(2, "notifications/initialized", r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, false),
            sent(
                3,
                "tools/call",
                r#"{"id":2,"jsonrpc":"2.0","method":"tools/call","params":{"arguments":{"a":1},"name":"add"}}"#,
                true
            ),
        ]
    );
    assert_eq!((conversation.version(), conversation.awaiting()), ("2024-11-05", Some(Step::Call)));
    let done = conversation.message(br#"{"jsonrpc":"2.0","id":"2","result":{"content":[],"n":123456789012345678901}}"#);
    let Json::Object(result) = Json::parse(r#"{"content":[],"n":123456789012345678901}"#).unwrap() else { panic!() };
    assert_eq!(done, [Act::Done(Reply::Called(result))]);
    assert_eq!((conversation.message(b"}"), conversation.closed(), conversation.awaiting()), (vec![], vec![], None));
}

#[test]
fn every_revision_of_the_contract_is_taken_and_no_other() {
    for version in VERSIONS {
        let (mut conversation, _) = begin(call(), Lifecycle::Session);
        assert_eq!(conversation.message(welcome(version).as_bytes()).len(), 2, "{version}");
    }
    for version in ["2023-01-01", ""] {
        let (mut conversation, _) = begin(call(), Lifecycle::Session);
        assert_eq!(
            conversation.message(welcome(version).as_bytes()),
            failed(Step::Initialize, FailureKind::Version),
            "{version}"
        );
    }
}

#[test]
fn what_ends_a_conversation_before_the_call() {
    for (message, kind) in [
        ("not json", FailureKind::Malformed),
        ("[]", FailureKind::Malformed),
        (r#"{"jsonrpc":"2.0","id":1}"#, FailureKind::Malformed),
        (r#"{"jsonrpc":"2.0","id":1,"result":[]}"#, FailureKind::Malformed),
        (r#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#, FailureKind::ServerRequest),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"SECRET"}}"#, FailureKind::Error { code: -32601 }),
        (r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700}}"#, FailureKind::Error { code: -32700 }),
        (
            r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"resources":{}}}}"#,
            FailureKind::NoTools,
        ),
    ] {
        let (mut conversation, _) = begin(call(), Lifecycle::Session);
        assert_eq!(conversation.message(message.as_bytes()), failed(Step::Initialize, kind), "{message}");
        assert_eq!(conversation.awaiting(), None);
    }
}

#[test]
fn what_fails_a_call() {
    for (message, kind) in [
        (r#"{"jsonrpc":"2.0","id":2,"result":{"isError":true,"content":[]}}"#, FailureKind::Tool),
        (r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"x"}}"#, FailureKind::Error { code: -32602 }),
        (r#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"task","taskId":"t"}}"#, FailureKind::NotComplete),
        (r#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required"}}"#, FailureKind::NotComplete),
    ] {
        assert_eq!(ready(call()).message(message.as_bytes()), failed(Step::Call, kind), "{message}");
    }
    assert_eq!(ready(call()).closed(), failed(Step::Call, FailureKind::Closed));
}

#[test]
fn tools_are_listed_to_the_last_page() {
    let mut conversation = ready(Ask::List);
    let next = conversation
        .message(br#"{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a"},{"name":"b"}],"nextCursor":"p2"}}"#);
    let line = r#"{"id":3,"jsonrpc":"2.0","method":"tools/list","params":{"cursor":"p2"}}"#;
    assert_eq!(next, [sent(4, "tools/list", line, true)]);
    let last = conversation.message(br#"{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"c"}]}}"#);
    assert_eq!(last, [Act::Done(Reply::Listed(vec!["a".into(), "b".into(), "c".into()]))]);

    let mut endless = ready(Ask::List);
    let mut acts = Vec::new();
    for id in 2.. {
        acts = endless
            .message(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":[],"nextCursor":"x"}}}}"#).as_bytes());
        if endless.awaiting().is_none() {
            break;
        }
    }
    assert_eq!(acts, failed(Step::List, FailureKind::TooManyPages));
}

#[test]
fn a_server_without_sessions_is_asked_without_one() {
    let stateless = r#"{"id":2,"jsonrpc":"2.0","method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"segue","version":"1"},"io.modelcontextprotocol/protocolVersion":"2026-07-28"},"arguments":{"a":1},"name":"add"}}"#;
    let (mut by_error, _) = begin(call(), Lifecycle::SessionOrNone);
    let acts = by_error.message(br#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601}}"#);
    assert_eq!(acts, [sent(2, "tools/call", stateless, true)]);
    let (mut by_transport, _) = begin(call(), Lifecycle::SessionOrNone);
    assert_eq!(by_transport.without_session(), [sent(2, "tools/call", stateless, true)]);
    assert_eq!(by_transport.without_session(), []);
    assert_eq!(by_transport.version(), STATELESS);
    let done = by_transport.message(br#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete"}}"#);
    assert_eq!(done, [Act::Done(Reply::Called(object([("resultType", "complete".into())])))]);
}

#[test]
fn messages_of_failures_hold_nothing_of_the_server() {
    let (mut conversation, _) = begin(call(), Lifecycle::Session);
    let acts = conversation.message(br#"{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"SECRET"}}"#);
    let [Act::Failed(failure)] = acts.as_slice() else { panic!("{acts:?}") };
    assert_eq!(failure.to_string(), "initialize: the server answered with error -32000");
}
