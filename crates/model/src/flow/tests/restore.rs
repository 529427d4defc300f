//! Documents made of compiled flows compile to the same flow.

use super::{NOTE_DIGEST, RELEASE_CHECK, Shelf, document};
use crate::flow::{Profile, compile::Context, compile::compile, restore};

fn again(shelf: &Shelf, text: &str) {
    let context = Context { catalogue: shelf, profile: Profile::Deterministic, unnamed: [0; 6] };
    let flow = compile(&document(text), context).unwrap_or_else(|error| panic!("{error}: {text}")).flow;
    let restored = restore::document(&flow);
    let second = compile(&restored, context).unwrap_or_else(|error| panic!("{error}: {restored:?}")).flow;
    assert_eq!(second, flow);
}

#[test]
fn a_restored_document_is_the_same_flow() {
    let mut shelf = Shelf::default();
    for definition in [
        r#"{"kind":"model_cli","name":"m","id":"model.local","config":{"executable":"m","protocol":"symphlo.model-inference.v1"}}"#,
        r#"{"kind":"evaluator_cli","name":"e","id":"evaluator.names","config":{"executable":"e","protocol":"symphlo.evaluation.v1"}}"#,
        r#"{"kind":"cli","name":"c","id":"cli.dotted.name","effects":["execute_process"],"config":{"executable":"c"}}"#,
    ] {
        shelf.put(definition);
    }
    again(&shelf, NOTE_DIGEST);
    again(
        &shelf,
        r#"{"schema_version":2,"id":"a-graph","name":"A graph","steps":[
            {"id":"a","type":"tool.task","prompt":" Do it ","params":{"capability_id":"cli.dotted.name"},"retry":{"attempts":3},"timeout_seconds":5},
            {"id":"ask","type":"human.task","from":["a"],"prompt":"Go on?","params":{"options":[{"id":"yes","label":"Yes"}],"expires_seconds":60}},
            {"id":"b","type":"tool.task","from":["a","ask"],"when":"nodes.a.ok == true","params":{"title":"B","capability_id":"cli.dotted.name"},"on_uncertain":"ask"},
            {"id":"g","type":"evaluation.task","from":"b","repair":{"from":"b","max_rounds":2},"params":{"capability_id":"evaluator.names"}},
            {"id":"p","type":"artifact.task","from":"g"}]}"#,
    );
    again(&super::shelf(), RELEASE_CHECK);
}
