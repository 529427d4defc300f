//! Contract §19.

use super::{
    super::bundle::{Bundle, Plan, plan},
    *,
};

const CAPABILITY: &str = r#"{"id":"cli.new","kind":"cli","name":"New","config":{"executable":"new"}}"#;
const FLOW: &str =
    r#"{"id":"new-flow","name":"New","steps":[{"id":"a","type":"tool.task","params":{"capability_id":"cli.new"}}]}"#;

fn text(capabilities: &str, flows: &str) -> String {
    format!(
        r#"{{"contract_version":"symphlo.integration-bundle.v1","bundle_id":"acme.tools","bundle_version":"1.0+a",
            "name":"Tools","publisher":"Acme","capabilities":[{capabilities}],"flows":[{flows}]}}"#
    )
}

fn read(text: &str) -> Result<Bundle, Problem> {
    Bundle::read(&json(text), &|name| Some(format!("/bin/{name}")))
}

fn planned(shelf: &Shelf, text: &str) -> (Bundle, Plan) {
    let bundle = read(text).expect("valid");
    let plan = plan(&bundle, shelf).expect("plannable");
    (bundle, plan)
}

#[test]
fn the_manifest_is_exact() {
    let base = text(CAPABILITY, FLOW);
    assert!(read(&base).is_ok());
    let long = "x".repeat(161);
    assert!(read(&base.replace("Tools", &long[1..]).replace("acme.tools", &"b".repeat(80))).is_ok());
    for (from, to, path) in [
        (r#""name":"Tools","#, "", "/name"),
        (r#""name":"Tools""#, r#""name":"""#, "/name"),
        (r#""publisher":"Acme""#, r#""publisher":"Acme","extra":1"#, "/extra"),
        ("bundle.v1", "bundle.v2", "/contract_version"),
        ("acme.tools", "Acme", "/bundle_id"),
        ("acme.tools", "ac", "/bundle_id"),
        ("1.0+a", "+1", "/bundle_version"),
        (r#""kind":"cli""#, r#""kind":"cli","source":"discovered""#, "/capabilities/0/source"),
        (r#""kind":"cli""#, r#""kind":"none""#, "/capabilities/0/kind"),
        ("\"new-flow\"", "\"n\"", "/flows/0/id"),
        ("\"flows\":[{", "\"flows\":[7,{", "/flows/0"),
        (r#""name":"Tools""#, &format!(r#""name":"{long}""#), "/name"),
        (r#""publisher":"Acme""#, &format!(r#""publisher":"{long}""#), "/publisher"),
        ("1.0+a", &format!("1{}", "0".repeat(64)), "/bundle_version"),
        ("acme.tools", &format!("a{}", "b".repeat(80)), "/bundle_id"),
    ] {
        assert!(base.contains(from), "{from}");
        assert_eq!(read(&base.replacen(from, to, 1)).expect_err(to).path, path, "{to}");
    }
    assert_eq!(read(&text("", "")).expect_err("empty").path, "");
    assert_eq!(read(&text(&format!("{CAPABILITY},{CAPABILITY}"), "")).expect_err("twice").path, "/capabilities/1/id");
    assert_eq!(read(&text("", &format!("{FLOW},{FLOW}"))).expect_err("twice").path, "/flows/1/id");
    assert_eq!(read(&text("", &vec![FLOW; 33].join(","))).expect_err("many").path, "/flows");
    assert_eq!(read(&text(&vec![CAPABILITY; 33].join(","), "")).expect_err("many").path, "/capabilities");
}

#[test]
fn a_new_bundle_is_ready() {
    let (bundle, plan) = planned(&shelf(), &text(CAPABILITY, FLOW));
    let fingerprint = bundle.capabilities[0].fingerprint();
    let hash = &bundle.hash;
    assert_eq!(*hash, Hash::of(&json(&text(CAPABILITY, FLOW))));
    let expected = format!(
        r#"{{"contract_version":"symphlo.integration-bundle-plan.v1","bundle_id":"acme.tools","bundle_version":"1.0+a",
            "name":"Tools","publisher":"Acme","bundle_hash":"{hash}","status":"ready",
            "summary":{{"create":2,"reuse":0,"conflict":0}},
            "capabilities":[{{"id":"cli.new","kind":"cli","action":"create","reason":"not_installed","fingerprint":"{fingerprint}"}}],
            "flows":[{{"id":"new-flow","action":"create","reason":"not_installed"}}],
            "confirmation_phrase":"INSTALL acme.tools {}"}}"#,
        hash.prefix(12)
    );
    assert_eq!(plan.to_json(&bundle), json(&expected));
}

#[test]
fn what_is_there_is_reused_or_in_conflict() {
    let reasons = |shelf: &Shelf| {
        let (bundle, plan) = planned(shelf, &text(CAPABILITY, FLOW));
        let (capability, flow) = (plan.capabilities[0].1.as_str(), plan.flows[0].2.as_str());
        (capability, flow, plan.confirmation_phrase(&bundle).is_some())
    };
    let mut installed = shelf();
    installed.put(CAPABILITY);
    let (_, made) = planned(&installed, &text(CAPABILITY, FLOW));
    installed.documents.push(made.flows[0].1.clone());
    assert_eq!(reasons(&installed), ("same_operational_fingerprint", "same_canonical_flow", true));
    installed.documents.push(made.flows[0].1.clone());
    assert_eq!(reasons(&installed), ("same_operational_fingerprint", "ambiguous_existing_portable_id", false));
    installed.documents = vec![document(r#"{"id":"new-flow"}"#)];
    assert_eq!(reasons(&installed), ("same_operational_fingerprint", "different_canonical_flow", false));
    installed.documents.clear();
    installed.capabilities.get_mut("cli.new").expect("known").timeout_seconds += 1;
    assert_eq!(reasons(&installed), ("different_operational_fingerprint", "not_installed", false));
}

#[test]
fn a_flow_that_does_not_compile_has_no_plan() {
    let shelf = shelf();
    let refused = |flow: &str| plan(&read(&text(CAPABILITY, flow)).expect("valid"), &shelf).expect_err(flow);
    let unknown = FLOW.replace("cli.new", "cli.other");
    assert_eq!(refused(&unknown), CompileError::UnknownCapability("cli.other".into()));
    let broken = FLOW.replace(r#""type":"tool.task""#, r#""type":"model.task""#);
    assert!(matches!(refused(&broken), CompileError::Unsupported(_)));
}
