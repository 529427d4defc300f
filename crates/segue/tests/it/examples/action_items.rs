//! The action items: a bundle with two ways to the same end.

use std::fs;

use serde_json::{Value, json};

use super::{json as run, newest, node, shell, text, world};
use segue_testkit::program::Program;

const BUNDLE: &str = "examples/action-items/bundle.yaml";
const DOCUMENTS: &str = "--input folder=examples/action-items/documents --json";

fn installed() -> Program {
    let world = world();
    let plan = run(&world, &format!("segue bundle preview {BUNDLE} --json"), "exit 0");
    assert_eq!(
        (&plan["status"], &plan["summary"]),
        (&json!("ready"), &json!({"create": 6, "reuse": 0, "conflict": 0}))
    );
    let phrase = plan["confirmation_phrase"].as_str().expect("a phrase");
    let receipt = run(&world, &format!("segue bundle install {BUNDLE} --confirm '{phrase}' --json"), "exit 0");
    assert_eq!(
        [&receipt["created_capability_ids"], &receipt["created_flow_ids"]],
        [
            &json!(["actions.list", "actions.read", "actions.agent", "actions.model"]),
            &json!(["action-items-agents", "action-items-models"])
        ]
    );
    world
}

fn items(text: &Value) -> Vec<String> {
    let text = text.as_str().expect("a text");
    text.lines().filter_map(|line| line.strip_prefix("* ")).map(str::to_owned).collect()
}

#[test]
fn an_installation_needs_the_phrase_of_exactly_this_bundle() {
    let world = world();
    for confirm in ["", "--confirm 'INSTALL segue.action-items 000000000000'"] {
        let refused = shell(&world, &format!("segue bundle install {BUNDLE} {confirm}"));
        assert_eq!((refused.ended.as_str(), refused.stdout.as_str()), ("exit 2", ""), "{refused:?}");
    }
    // The one that Segue brings.
    assert_eq!(run(&world, "segue flow list --json", "exit 0").as_array().map(Vec::len), Some(1));
}

/// The two roles are one capability, told apart by their prompts.
#[test]
fn a_reviewer_reads_the_originals_and_not_the_extractors_word() {
    let world = installed();
    run(&world, &format!("segue run action-items-agents {DOCUMENTS}"), "exit 0");
    let evidence = newest(&world);
    let (extract, review) = (node(&evidence, "extract"), node(&evidence, "review"));
    assert_eq!(extract["executor"], review["executor"]);
    assert_eq!(extract["output"]["executor_label"], "actions.agent");
    // What agents are given are names; the text of the documents is nowhere in it.
    let given = extract["input"].to_string() + &review["input"]["documents"].to_string();
    assert!(!given.contains("The build is green"), "{given}");
    let (extracted, reviewed) = (items(&extract["output"]["agent_output"]), items(&review["output"]["agent_output"]));
    assert_eq!(extracted.len(), 4);
    let only_reviewed: Vec<&String> = reviewed.iter().filter(|item| !extracted.contains(item)).collect();
    assert_eq!(
        only_reviewed,
        [
            "Sam: call the customer in Lyon (2026-12-03) [examples/action-items/documents/1-monday.md:8]",
            "Ravi: hand over the keys (2026-12-09) [examples/action-items/documents/2-wednesday.md:6]",
        ]
    );
    world.assert_nothing_left();
}

/// An original that changed between the two is read as it is when the second role reads it.
#[test]
fn what_an_original_no_longer_says_is_struck() {
    let world = installed();
    run(&world, &format!("segue run action-items-agents {DOCUMENTS}"), "exit 0");
    let parent = newest(&world)["run"]["run_id"].as_str().expect("an id").to_owned();
    let monday = world.workspace().join("examples/action-items/documents/1-monday.md");
    let before = fs::read_to_string(&monday).expect("a document");
    fs::write(&monday, before.replace("Ravi asks legal about the new licence text", "Ravi rests")).expect("a document");
    run(&world, &format!("segue fork {parent} --from review --json"), "exit 0");
    let evidence = newest(&world);
    assert_eq!(node(&evidence, "extract")["status"], "reused");
    let review = node(&evidence, "review")["output"]["agent_output"].as_str().expect("a text").to_owned();
    assert!(review.contains("* Ravi: rests (2026-12-04)") && !review.contains("licence"), "{review}");
    assert!(review.ends_with("3 added, 1 struck, 1 said twice."), "{review}");
}

#[test]
fn two_model_calls_list_and_order() {
    let world = installed();
    run(&world, &format!("segue run action-items-models {DOCUMENTS}"), "exit 0");
    let evidence = newest(&world);
    let (list, order) = (node(&evidence, "list"), node(&evidence, "order"));
    let exact = ["capability_fingerprint", "capability_id", "contract_version", "model_output"];
    for node in [list, order] {
        let mut keys: Vec<&String> = node["output"].as_object().expect("an object").keys().collect();
        keys.sort_unstable();
        assert_eq!(keys, exact);
    }
    // The second call is given what the first one said and nothing else.
    assert_eq!(order["input"], list["output"]);
    let days = |text: &Value| -> Vec<String> {
        items(text).iter().map(|item| item.split_once("(2026-").expect("a day").1[..5].to_owned()).collect()
    };
    assert_eq!(days(&list["output"]["model_output"]), ["12-02", "12-04", "12-03", "12-02", "12-07", "12-09"]);
    assert_eq!(days(&order["output"]["model_output"]), ["12-02", "12-03", "12-04", "12-07", "12-09"]);
    let id = evidence["run"]["run_id"].as_str().expect("an id");
    let published = text(&world, &format!("segue show {id} --artifact result.md"));
    assert_eq!(json!(published.trim_end()), order["output"]["model_output"]);
    world.assert_nothing_left();
}
