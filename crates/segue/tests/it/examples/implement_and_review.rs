//! Implement and review: two agents of the channel, and a verdict that goes back.

use std::fs;

use serde_json::{Value, json};

use super::{file, json as run, newest, node, payloads, save, text, world};
use segue_testkit::program::Program;

pub const START: &str =
    "segue run implement-and-review --input task=examples/implement-and-review/task.md --authorize --json";

/// Saves the flow again with a script added to the prompt of each agent, for agents that take one.
pub fn script(world: &Program, implement: &str, review: &str, rounds: u32) {
    let mut flow = run(world, "segue flow show implement-and-review", "exit 0");
    for step in flow["steps"].as_array_mut().expect("steps") {
        let more = match step["id"].as_str() {
            Some("implement") => implement,
            Some("review") => review,
            Some("gate") => {
                step["repair"]["max_rounds"] = json!(rounds);
                continue;
            }
            _ => continue,
        };
        step["prompt"] = json!(format!("{} {more}", step["prompt"].as_str().expect("a prompt")));
    }
    fs::write(world.workspace().join("scripted.json"), flow.to_string()).expect("a file");
    text(world, "segue flow save scripted.json --replace implement-and-review");
}

fn summaries(evidence: &Value, kind: &str) -> Vec<Value> {
    payloads(evidence, kind).iter().map(|payload| payload["summary"].clone()).collect()
}

/// The stand-ins: hasty work comes back with findings and is mended, in four tasks.
#[test]
fn the_findings_of_a_review_go_back_to_the_implementer() {
    let world = world();
    save(&world, "implement-and-review", &["capabilities", "stand-ins"]);
    run(&world, &format!("{START} --agents-file examples/implement-and-review/agents.toml"), "exit 0");
    assert_eq!(file(&world, "greeting.txt"), "Hello.\nHow are you?\nGoodbye.\n");
    let evidence = newest(&world);
    let changes = json!(["change.1", "change.2"]);
    let rejected = payloads(&evidence, "evaluation.rejected");
    let seen: Vec<_> = rejected.iter().map(|one| [&one["finding_codes"], &one["repair_from_node_id"]]).collect();
    assert_eq!(seen, [[&changes, &json!("implement")]]);
    assert_eq!(summaries(&evidence, "evaluation.passed"), ["the reviewer approves"]);
    let implement = node(&evidence, "implement");
    let messages: Vec<_> = implement["input"]["repair"]["evaluation"]["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .map(|finding| &finding["message"])
        .collect();
    let lines = ["How are you?", "Goodbye."];
    assert_eq!(messages, lines.map(|line| json!(format!("greeting.txt has no line \"{line}\"."))).each_ref());
    let receipt = &implement["output"]["receipt"];
    assert_eq!(
        [&receipt["tool_calls"], &receipt["permissions_asked"], &receipt["unasked"]],
        [&json!({"edit": 1}), &json!(1), &json!({})]
    );
    let tasks = run(&world, "segue tasks --json", "exit 0");
    assert_eq!(tasks["tasks"].as_array().map(Vec::len), Some(4), "{tasks}");
    world.assert_nothing_left();
}

/// The agents that the flow is meant for, as the scripted one plays them.
#[test]
fn claude_code_implements_and_codex_reviews() {
    let world = world();
    save(&world, "implement-and-review", &["capabilities", "claude-and-codex"]);
    let implement = "[[write:note.txt:some text\\n]] [[say:Written.]]";
    script(&world, implement, "[[say:I read it.\\nVERDICT\\: approve]]", 1);
    run(&world, START, "exit 0");
    assert_eq!(file(&world, "note.txt"), "some text\n");
    let evidence = newest(&world);
    let by = |id: &str| {
        let output = &node(&evidence, id)["output"];
        [output["executor_name"].clone(), output["executable_name"].clone(), output["agent_output"].clone()]
    };
    assert_eq!(by("implement"), [Value::Null, json!("claude_code"), json!("Written.")]);
    assert_eq!(by("review"), [Value::Null, json!("codex"), json!("I read it.\nVERDICT: approve")]);

    // A reviewer that is never content: the rounds are used up, and nothing is published.
    script(&world, "", "[[write:note.txt:mine]] [[say:- Say more.\\nVERDICT\\: changes]]", 1);
    let outcome = run(&world, START, "exit 4");
    assert_eq!(
        (&outcome["failure"], &outcome["artifacts"]),
        (&json!({"code": "evaluation_rejected", "node_id": "gate", "repair_from_node_id": "implement"}), &json!([]))
    );
    assert_eq!(payloads(&newest(&world), "evaluation.rejected").len(), 2);
    // It may not write, and the policy said so.
    assert_eq!(file(&world, "note.txt"), "some text\n");
    world.assert_nothing_left();
}

#[test]
fn a_review_without_a_verdict_is_a_failure_and_no_approval() {
    let world = world();
    save(&world, "implement-and-review", &["capabilities", "claude-and-codex"]);
    script(&world, "[[say:Done.]]", "[[say:It looks good to me.]]", 1);
    let outcome = run(&world, START, "exit 3");
    assert_eq!(outcome["failure"], json!({"code": "node_failed", "node_id": "gate", "repair_from_node_id": null}));
    world.assert_nothing_left();
}
