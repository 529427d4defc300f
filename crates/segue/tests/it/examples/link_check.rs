//! The link check: many items, one join.

use std::fs;

use serde_json::{Value, json};

use super::{json as run, newest, node, payloads, save, text, world};
use segue_testkit::program::Program;

const FILES: usize = 24;

/// A folder with [`FILES`] pages. Each links to the one after it, and the last to one that is not there.
fn pages(world: &Program) -> Vec<String> {
    fs::create_dir(world.workspace().join("pages")).expect("a folder");
    let names: Vec<String> = (1..=FILES).map(|number| format!("pages/{number:02}.md")).collect();
    for (index, name) in names.iter().enumerate() {
        let page = format!("# Page\n\n[next]({:02}.md)\n", index + 2);
        fs::write(world.workspace().join(name), page).expect("a page");
    }
    names
}

#[test]
fn every_file_is_looked_at_and_the_join_is_in_their_order() {
    let world = world();
    save(&world, "link-check", &["capabilities"]);
    let names = pages(&world);
    // Those in front take longer than those behind them.
    let slow = "case $(cat) in *'\"item\":\"pages/0'*) until [ -e pages/24.seen ]; do sleep 0.05; done;; esac";
    let check = "awk -f examples/lib/json.awk -f examples/lib/files.awk -f examples/link-check/check.awk";
    let script = format!(
        "input=$(cat); printf %s \"$input\" | {{ {slow}; }}; \
         case $input in *'\"item\":\"pages/24'*) : > pages/24.seen;; esac; printf %s \"$input\" | {check}"
    );
    let capability = json!({
        "kind": "cli", "id": "links.slow", "name": "slow", "effects": ["execute_process", "read_local"],
        "timeout_seconds": 300, "config": {"executable": "sh", "args": ["-c", script]},
    });
    fs::write(world.workspace().join("slow.json"), capability.to_string()).expect("a file");
    text(&world, "segue capability add slow.json");
    let flow = fs::read_to_string(world.workspace().join("examples/link-check/flow.yaml")).expect("the flow");
    let flow = flow.replace("links.check", "links.slow").replace("max_parallel: 4", "max_parallel: 12");
    let flow = flow.replace("timeout_seconds: 20", "timeout_seconds: 300");
    fs::write(world.workspace().join("slow.yaml"), flow).expect("a file");
    text(&world, "segue flow save slow.yaml --replace link-check");
    run(&world, "segue run link-check --input folder=pages --json", "exit 0");
    let evidence = newest(&world);
    let seen = |item: &Value| [item["file"].clone(), item["links"].clone(), item["broken"].clone()];
    let items = node(&evidence, "check")["output"]["items"].as_array().expect("items").clone();
    let broken = |name: &str| if name == "pages/24.md" { json!([{"line": 3, "target": "25.md"}]) } else { json!([]) };
    assert_eq!(
        items.iter().map(seen).collect::<Vec<_>>(),
        names.iter().map(|name| [json!(name), json!(1), broken(name)]).collect::<Vec<_>>()
    );
    let row = |name: &String| format!("| {name} | 1 | {} |\n", u8::from(name == "pages/24.md"));
    let table: String = names.iter().map(row).collect();
    let report = format!(
        "# Links\n\n24 files, 24 links, 1 broken.\n\n| File | Links | Broken |\n| --- | --- | --- |\n{table}\n\
         ## Broken\n\n* pages/24.md:3: 25.md\n"
    );
    let run = evidence["run"]["run_id"].as_str().expect("an id");
    assert_eq!(text(&world, &format!("segue show {run} --artifact article.md")).trim_end(), report.trim_end());
    world.assert_nothing_left();
}

#[test]
fn one_file_that_fails_fails_the_run_and_a_fork_goes_on_when_it_is_mended() {
    let world = world();
    save(&world, "link-check", &["capabilities"]);
    let names = pages(&world);
    let bad = world.workspace().join(&names[9]);
    let page = fs::read_to_string(&bad).expect("a page");
    fs::write(&bad, "").expect("a page");
    let outcome = run(&world, "segue run link-check --input folder=pages --json", "exit 3");
    let nodes: Vec<_> = outcome["nodes"].as_array().expect("nodes").iter().map(|node| &node["status"]).collect();
    assert_eq!(nodes, ["succeeded", "failed", "skipped", "skipped"]);
    assert_eq!(outcome["failure"], json!({"code": "node_failed", "node_id": "check", "repair_from_node_id": null}));
    let evidence = newest(&world);
    let failed = payloads(&evidence, "node.failed");
    assert_eq!(failed.len(), 1);
    assert_eq!(failed[0]["error_type"], "ProcessExit");
    fs::write(&bad, page).expect("a page");
    let parent = evidence["run"]["run_id"].as_str().expect("an id");
    let forked = run(&world, &format!("segue fork {parent} --from check --json"), "exit 0");
    let nodes: Vec<_> = forked["nodes"].as_array().expect("nodes").iter().map(|node| &node["status"]).collect();
    assert_eq!(nodes, ["reused", "succeeded", "succeeded", "succeeded"]);
    assert_eq!(node(&newest(&world), "report")["output"]["files"], FILES);
    world.assert_nothing_left();
}
