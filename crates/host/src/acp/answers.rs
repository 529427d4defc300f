//! What the answers to our requests hold. Missing, null and of the wrong type are all "not said".

use segue_model::task::Usage;
use serde_json::Value;

use super::read::{self, Object, cut};
use super::{Agent, AuthMethod, Capabilities, Initialized, ListedSession, TurnEnd};

/// How many ways to sign in are kept, and how many characters of each name. Real agents name four.
const AUTH_METHODS: usize = 20;
const AUTH_CHARS: usize = 200;

/// How many characters of the prompt answer's `_meta` are kept.
const META_CHARS: usize = 16_000;

/// The stop reasons of the protocol; no other can be read as an outcome.
const STOP_REASONS: [&str; 5] = ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"];

pub(super) fn initialized(result: &Object<'_>) -> Initialized {
    let agent = result.object("agentInfo").unwrap_or_default();
    let owned = |text: std::borrow::Cow<'_, str>| cut(&text, AUTH_CHARS).into_owned();
    Initialized {
        agent: Agent { name: agent.text("name").map(owned), version: agent.text("version").map(owned) },
        protocol_version: result.value("protocolVersion").and_then(|version| number(&version)),
        capabilities: capabilities(&result.object("agentCapabilities").unwrap_or_default()),
        auth_methods: result
            .array("authMethods")
            .into_iter()
            .filter_map(|method| {
                let method = Object::of(Some(method))?;
                Some(AuthMethod { id: owned(method.text("id")?), name: method.text("name").map(owned) })
            })
            .take(AUTH_METHODS)
            .collect(),
    }
}

/// What was answered when it is another protocol than version 1. Not saying one is not refusing.
pub(super) fn other_protocol(result: &Object<'_>) -> Option<String> {
    let version = result.value("protocolVersion")?;
    (number(&version) != Some(1)).then(|| cut(&version.to_string(), AUTH_CHARS).into_owned())
}

fn number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

fn capabilities(all: &Object<'_>) -> Capabilities {
    let session = all.object("sessionCapabilities").unwrap_or_default();
    // Advertised by an object, which is empty today; `true` is understood too.
    let offered = |name| session.some(name).is_some_and(|raw| raw.get() != "false");
    Capabilities {
        load_session: all.value("loadSession") == Some(Value::Bool(true)),
        list: offered("list"),
        delete: offered("delete"),
        close: offered("close"),
    }
}

/// How the prompt was answered, or else the stop reason that is none.
pub(super) fn turn_end(result: &Object<'_>) -> Result<TurnEnd, Option<String>> {
    let stop_reason = result.text("stopReason").ok_or(None)?;
    if !STOP_REASONS.contains(&&*stop_reason) {
        return Err(Some(cut(&stop_reason, AUTH_CHARS).into_owned()));
    }
    Ok(TurnEnd {
        stop_reason: stop_reason.into_owned(),
        usage: result.object("usage").and_then(|usage| read_usage(&usage)),
        meta: result.value("_meta").map(|meta| read::bounded(meta, META_CHARS)),
    })
}

/// All or nothing: half a count would be read as a whole one.
fn read_usage(usage: &Object<'_>) -> Option<Usage> {
    let count = |name| usage.value(name)?.as_u64();
    let maybe = |name| match usage.value(name) {
        None => Some(None),
        Some(value) => value.as_u64().map(Some),
    };
    Some(Usage {
        total_tokens: count("totalTokens")?,
        input_tokens: count("inputTokens")?,
        output_tokens: count("outputTokens")?,
        thought_tokens: maybe("thoughtTokens")?,
        cached_read_tokens: maybe("cachedReadTokens")?,
        cached_write_tokens: maybe("cachedWriteTokens")?,
    })
}

/// Entries without an id or a directory are left out.
pub(super) fn sessions(result: &Object<'_>) -> Vec<ListedSession> {
    let entries = result.array("sessions").into_iter();
    entries
        .filter_map(|entry| {
            let entry = Object::of(Some(entry))?;
            let optional = |name| entry.text(name).map(std::borrow::Cow::into_owned);
            Some(ListedSession {
                session_id: optional("sessionId")?,
                cwd: optional("cwd")?,
                title: optional("title"),
                updated_at: optional("updatedAt"),
                additional_directories: entry
                    .value("additionalDirectories")
                    .and_then(|list| serde_json::from_value(list).ok()),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn object(text: &str) -> Object<'_> {
        Object::parse(text).unwrap()
    }

    #[test]
    fn what_initialize_may_leave_out() {
        let full = initialized(&object(
            r#"{"protocolVersion":1,"agentInfo":{"name":"a","version":"1","title":null},"unknown":{"x":1},
                "agentCapabilities":{"loadSession":true,"sessionCapabilities":{"list":{},"delete":null,"close":{},"fork":{}},"promptCapabilities":null},
                "authMethods":[{"id":"key","name":"API key"},null,{"name":"no id"},{"id":"web"}]}"#,
        ));
        let expected = Initialized {
            agent: Agent { name: Some("a".into()), version: Some("1".into()) },
            protocol_version: Some(1),
            capabilities: Capabilities { load_session: true, list: true, delete: false, close: true },
            auth_methods: vec![
                AuthMethod { id: "key".into(), name: Some("API key".into()) },
                AuthMethod { id: "web".into(), name: None },
            ],
        };
        assert_eq!(full, expected);
        for odd in [
            "{}",
            r#"{"protocolVersion":null,"agentInfo":null,"agentCapabilities":null,"authMethods":null}"#,
            r#"{"agentInfo":5,"agentCapabilities":{"loadSession":"yes","sessionCapabilities":[]},"authMethods":{}}"#,
            r#"{"agentCapabilities":{"loadSession":null,"sessionCapabilities":{"list":false}}}"#,
        ] {
            assert_eq!(initialized(&object(odd)), Initialized::default(), "{odd}");
        }
    }

    #[test]
    fn only_version_one_is_spoken() {
        for (text, other) in [
            ("{}", None),
            (r#"{"protocolVersion":1}"#, None),
            (r#"{"protocolVersion":"1"}"#, None),
            (r#"{"protocolVersion":2}"#, Some("2")),
            (r#"{"protocolVersion":"2026-01-01"}"#, Some("\"2026-01-01\"")),
        ] {
            assert_eq!(other_protocol(&object(text)).as_deref(), other, "{text}");
        }
    }

    #[test]
    fn usage_is_whole_or_nothing() {
        let usage =
            |text: &str| turn_end(&object(&format!(r#"{{"stopReason":"end_turn","usage":{text}}}"#))).unwrap().usage;
        let counts = Usage { total_tokens: 3, input_tokens: 1, output_tokens: 2, ..Usage::default() };
        assert_eq!(
            usage(r#"{"totalTokens":3,"inputTokens":1,"outputTokens":2,"thoughtTokens":null,"x":1}"#),
            Some(counts.clone())
        );
        assert_eq!(
            usage(r#"{"totalTokens":3,"inputTokens":1,"outputTokens":2,"cachedReadTokens":7}"#),
            Some(Usage { cached_read_tokens: Some(7), ..counts })
        );
        for odd in [
            "null",
            "5",
            "{}",
            r#"{"totalTokens":3,"inputTokens":1}"#,
            r#"{"totalTokens":-3,"inputTokens":1,"outputTokens":2}"#,
            r#"{"totalTokens":3,"inputTokens":1,"outputTokens":2,"thoughtTokens":"1"}"#,
        ] {
            assert_eq!(usage(odd), None, "{odd}");
        }
    }

    #[test]
    fn stop_reasons_are_those_of_the_protocol() {
        let end = turn_end(&object(r#"{"stopReason":"refusal","_meta":{"a":1}}"#)).unwrap();
        assert_eq!(end, TurnEnd { stop_reason: "refusal".into(), usage: None, meta: Some(json!({"a": 1})) });
        assert_eq!(turn_end(&object(r#"{"stopReason":"tired"}"#)), Err(Some("tired".into())));
        assert_eq!(turn_end(&object(r#"{"stopReason":null}"#)), Err(None));
    }

    #[test]
    fn sessions_without_an_id_or_a_directory_are_skipped() {
        let listed = sessions(&object(
            r#"{"sessions":[{"sessionId":"a","cwd":"/w","title":5,"updatedAt":"t","additionalDirectories":["/x"],"_meta":{}},
                {"sessionId":"b"},{"cwd":"/w"},null,{"sessionId":"c","cwd":"/w","additionalDirectories":[5]}]}"#,
        ));
        let a = ListedSession {
            session_id: "a".into(),
            cwd: "/w".into(),
            title: None,
            updated_at: Some("t".into()),
            additional_directories: Some(vec!["/x".into()]),
        };
        let c = ListedSession { session_id: "c".into(), updated_at: None, additional_directories: None, ..a.clone() };
        assert_eq!(listed, [a, c]);
    }
}
