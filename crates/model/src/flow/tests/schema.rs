//! The published schema, and that it agrees with the compiler where both can say something.

use std::path::Path;

use super::{super::schema::document_schema, *};

fn accepts(text: &str) -> bool {
    let validator = jsonschema::validator_for(&document_schema()).expect("a valid schema");
    validator.is_valid(&serde_json::from_str(text).expect("valid JSON"))
}

#[test]
fn the_published_schema_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/flow.schema.json");
    let schema = serde_json::to_string_pretty(&document_schema()).expect("serialisable") + "\n";
    if std::env::var_os("SEGUE_UPDATE_DOCS").is_some() {
        std::fs::write(&path, &schema).expect("writable");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(kept, schema, "docs/flow.schema.json is stale: run with SEGUE_UPDATE_DOCS=1 and review the change");
}

/// What compiles is valid; what is invalid does not compile.
#[test]
fn schema_and_compiler_agree() {
    let shelf = shelf();
    let chain =
        |members: &str| format!(r#"{{"id":"t","steps":[{{"id":"write-article","type":"agent.task"{members}}}]}}"#);
    let graph = |members: &str| {
        format!(r#"{{"id":"t","schema_version":2,"steps":[{{"id":"write-article","type":"agent.task"{members}}}]}}"#)
    };
    let golden = canonical::canonical(&super::super::granularity::golden_document().into());
    for text in [NOTE_DIGEST.to_owned(), RELEASE_CHECK.to_owned(), golden, chain(""), chain(r#","when":7,"params":7"#)]
    {
        assert!(shelf.compile(&text).is_ok() && accepts(&text), "{text}");
    }
    for members in [
        r#","when":null,"retry":null,"for_each":null,"repair":null,"deadline":null,"on_uncertain":null,"session_group":null"#,
        r#","from":[],"params":{"title":null},"timeout_seconds":1,"deadline":1"#,
        r#","retry":{"attempts":2,"backoff_seconds":0,"on":["exit"]},"for_each":{"items":"[1]"}"#,
    ] {
        let text = graph(members);
        assert!(shelf.compile(&text).is_ok() && accepts(&text), "{text}");
    }
    for text in [
        "{}".to_owned(),
        r#"{"steps":[]}"#.into(),
        r#"{"steps":[7]}"#.into(),
        chain("").replace(r#""id":"t""#, r#""id":7"#),
        chain("").replace(r#""id":"t""#, r#""schema_version":3"#),
        chain("").replace(r#""id":"t""#, r#""schema_version":2.5"#),
        chain("").replace(r#""id":"t""#, r#""schema_version":"2""#),
        chain("").replace(r#""id":"t""#, r#""inputs":{"goal":{}}"#),
        chain("").replace(r#""id":"t""#, r#""inputs":{"a":{"type":"date"}}"#),
        chain("").replace("agent.task", "human.task"),
        chain("").replace("agent.task", "task"),
        chain("").replace("write-article", " "),
        chain(r#","from":["a"]"#),
        chain(r#","session_group":"a b""#),
        chain(r#","params":{"title":7}"#),
        chain(r#","params":{"capability_id":7}"#),
        graph(r#","from":["a","a"]"#),
        graph(r#","when":true"#),
        graph(r#","retry":{"attempts":1}"#),
        graph(r#","retry":{"attempts":2,"on":[]}"#),
        graph(r#","for_each":{}"#),
        graph(r#","timeout_seconds":0"#),
        graph(r#","on_uncertain":"retry""#),
        graph(r#","repair":{"from":"a"}"#),
        graph("").replace("agent.task", "human.task"),
        graph("").replace("agent.task", "flow.task"),
        graph(r#","prompt":"?","params":{"options":[]}"#).replace("agent.task", "human.task"),
    ] {
        assert!(shelf.compile(&text).is_err() && !accepts(&text), "{text}");
    }
}
