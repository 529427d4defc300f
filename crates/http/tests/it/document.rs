//! The published document.

use std::path::Path;

use segue_http::openapi;

/// Set to write the document instead of comparing it.
const BLESS: &str = "SEGUE_BLESS";

#[test]
fn the_document_that_is_checked_in_is_the_one_of_this_build() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
    let made = openapi::text();
    if std::env::var_os(BLESS).is_some() {
        std::fs::write(&path, &made).expect("written");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == made, "docs/openapi.json is stale: run this test with {BLESS}=1");
}

#[test]
fn every_operation_has_a_name_of_its_own_and_every_reference_a_schema() {
    let document = openapi::document();
    let operations =
        document["paths"].as_object().unwrap().values().flat_map(|path| path.as_object().unwrap().values());
    let mut names: Vec<&str> = operations.map(|operation| operation["operationId"].as_str().unwrap()).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
    let text = document.to_string();
    for part in text.split("#/components/schemas/").skip(1) {
        let name = part.split('"').next().unwrap();
        assert!(document["components"]["schemas"].get(name).is_some(), "{name}");
    }
}
