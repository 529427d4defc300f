//! `segue demo`, as its contract has it (§21).

use std::{collections::HashMap, fs};

use serde_json::{Value, json};

use super::{json as read, text};
use crate::contract::served;

fn lines(stdout: &str) -> Vec<(&str, &str)> {
    stdout.lines().map(|line| line.split_once('=').unwrap_or_else(|| panic!("{line:?}"))).collect()
}

#[test]
fn two_runs_leave_the_same_evidence() {
    let world = served::world();
    for (granularity, nodes) in [("compact", 2), ("balanced", 4), ("fine", 6)] {
        let dir = world.workspace().join(granularity);
        let shown = dir.display().to_string();
        let run = world.run(["demo", "--state-dir", &shown, "--granularity", granularity, "--topic", "A <topic>"]);
        let stdout = text(&run);
        let lines = lines(&stdout);
        let keys: Vec<&str> = lines.iter().map(|(key, _)| *key).collect();
        let expected = [
            "state_dir",
            "flow",
            "granularity",
            "executor_profile",
            "semantic_hash",
            "run_1",
            "run_2",
            "comparison",
            "article",
            "report",
        ];
        assert_eq!(keys, expected);
        let lines: HashMap<&str, &str> = lines.into_iter().collect();
        let flow = format!("multi-agent-writing-{granularity}");
        assert_eq!(
            [lines["state_dir"], lines["flow"], lines["executor_profile"], lines["comparison"]],
            [shown.as_str(), &format!("{flow}@1.0.0"), "deterministic", "stable_success"]
        );
        let file = |name: &str| -> Value {
            let text = fs::read_to_string(dir.join("evidence").join(name)).expect("a file of evidence");
            serde_json::from_str(&text).expect("JSON")
        };
        let comparison = file("comparison.json");
        let ids = json!([lines["run_1"], lines["run_2"]]);
        let expected = json!({
            "flow_id": flow, "flow_version": "1.0.0", "semantic_hash": lines["semantic_hash"], "run_ids": ids,
            "comparable": true, "overall": "stable_success", "nodes": comparison["nodes"],
        });
        assert_eq!(comparison, expected);
        assert_eq!(comparison["nodes"].as_array().map(Vec::len), Some(nodes));
        let last = json!({
            "node_id": "publish-article", "title": "Publish the article", "status": "stable_success", "same_output": true,
            "same_executor": true, "evidence_level": "E1_DETERMINISTIC",
        });
        assert_eq!(comparison["nodes"][nodes - 1], last);
        assert_eq!(file("flow.json")["nodes"].as_array().map(Vec::len), Some(nodes));
        for (name, key) in [("run-1.json", "run_1"), ("run-2.json", "run_2")] {
            assert_eq!(file(name)["run"]["run_id"], lines[key]);
            let article = dir.join("artifacts").join(lines[key]).join("article.md");
            assert!(fs::read_to_string(article).expect("an article").contains("A <topic>"));
        }
        assert!(dir.join("evidence.sqlite3").is_file());
        let report = fs::read_to_string(dir.join("evidence/index.html")).expect("a report");
        assert_eq!(lines["report"], format!("file://{}", dir.join("evidence/index.html").display()));
        assert_eq!(island(&report)["run_ids"], ids);
        assert!(!report.contains("A <topic>"), "what an agent wrote stands in the page as data only");
        let again = world.run(["demo", "--state-dir", &shown]);
        assert_eq!((again.ended.as_str(), again.stdout.as_str()), ("exit 2", ""));
        assert!(again.stderr.starts_with("error: ") && again.stderr.lines().count() == 1, "{again:?}");
    }
    world.assert_nothing_left();
}

#[test]
fn one_run_is_not_compared() {
    let world = served::world();
    let run = world.run(["demo", "--state-dir", "one", "--granularity", "compact", "--runs", "1", "--json"]);
    let lines = read(&run);
    assert_eq!([&lines["comparison"], &lines["run_2"]], [&json!("single_run"), &Value::Null]);
    let text = fs::read_to_string(world.workspace().join("one/evidence/comparison.json")).expect("a comparison");
    let comparison: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!([&comparison["comparable"], &comparison["overall"]], [&json!(false), &json!("single_run")]);
    let expected = json!({
        "node_id": "write-article", "title": comparison["nodes"][0]["title"], "status": "observed", "same_output": null,
        "same_executor": null, "evidence_level": "E1_DETERMINISTIC",
    });
    assert_eq!(comparison["nodes"][0], expected);
    assert!(!world.workspace().join("one/evidence/run-2.json").exists());
    // Without a folder it makes one, and says which.
    let kept = read(&world.run(["demo", "--granularity", "compact", "--runs", "1", "--json"]));
    let folder = std::path::Path::new(kept["state_dir"].as_str().expect("a folder"));
    assert!(folder.join("evidence/run-1.json").is_file() && !folder.starts_with(world.workspace()), "{kept}");
    fs::remove_dir_all(folder).expect("its folder");
}

/// What came out otherwise the second time is told, and by which node.
#[test]
fn runs_that_differ_are_changed() {
    let world = served::world();
    let arguments = ["demo", "--state-dir", "two", "--granularity", "compact", "--authorize-write-effects", "--json"];
    let counts = ["--agent-command", "sh -c 'cat > /dev/null; echo >> asked; echo article $(wc -l < asked)'"];
    let lines = read(&world.run([&arguments[..], &counts].concat()));
    assert_eq!(lines["comparison"], "changed_between_runs");
    let text = fs::read_to_string(world.workspace().join("two/evidence/comparison.json")).expect("a comparison");
    let comparison: Value = serde_json::from_str(&text).expect("JSON");
    let seen = ["status", "same_output", "same_executor", "evidence_level"].map(|key| &comparison["nodes"][0][key]);
    assert_eq!(seen, [&json!("changed"), &json!(false), &json!(true), &json!("E2_REAL_EXECUTOR")]);
    assert_eq!([&comparison["comparable"], &comparison["overall"]], [&json!(true), &json!("changed_between_runs")]);
    world.assert_nothing_left();
}

#[test]
fn a_command_writes_only_when_that_is_allowed() {
    let world = served::world();
    let demo = |dir: &str, command: &str, more: &[&str]| {
        world
            .run([&["demo", "--state-dir", dir, "--granularity", "compact", "--agent-command", command], more].concat())
    };
    let refused = demo("refused", "cat", &[]);
    assert_eq!((refused.ended.as_str(), refused.stdout.as_str()), ("exit 2", ""), "{refused:?}");
    assert!(refused.stderr.starts_with("error: the agent may write_local and write_external"), "{refused:?}");
    let ran = demo("ran", "sh -c 'cat > /dev/null; echo \"# From a command\"'", &["--authorize-write-effects"]);
    let stdout = text(&ran);
    let lines: HashMap<&str, &str> = lines(&stdout).into_iter().collect();
    assert_eq!([lines["executor_profile"], lines["comparison"]], ["command", "stable_success"]);
    let suffix = lines["flow"].strip_prefix("multi-agent-writing-compact-command-").expect("a suffix");
    assert_eq!(suffix.len(), "0123456789abcdef@1.0.0".len());
    // Fixed by the contract (§14.8).
    let flow = fs::read_to_string(world.workspace().join("ran/evidence/flow.json")).expect("the flow");
    let flow: Value = serde_json::from_str(&flow).expect("JSON");
    let executor = &flow["nodes"][0]["executor"];
    let digits =
        executor["executor_id"].as_str().and_then(|id| id.strip_prefix("command.stdio-agent.")).expect("a command");
    assert_eq!((digits.len(), &executor["version"]), (16, &json!("0.1.0")), "{executor}");
    for (seconds, ended) in [("3600", "exit 0"), ("3601", "exit 2"), ("0", "exit 2")] {
        let more = ["--authorize-write-effects", "--runs", "1", "--agent-timeout", seconds];
        assert_eq!(
            demo(&format!("for-{seconds}"), "sh -c 'cat > /dev/null; echo text'", &more).ended,
            ended,
            "{seconds}"
        );
    }
    let failed = demo("failed", "sh -c 'exit 3'", &["--authorize-write-effects"]);
    assert_eq!((failed.ended.as_str(), failed.stdout.as_str()), ("exit 2", ""), "{failed:?}");
    assert!(failed.stderr.lines().last().is_some_and(|line| line.starts_with("error: run ")), "{failed:?}");
    assert_eq!(demo("none", "not-on-this-machine", &["--authorize-write-effects"]).ended, "exit 2");
    assert_eq!(demo("split", "'", &["--authorize-write-effects"]).ended, "exit 2");
    assert_eq!(world.run(["demo", "--agent", "codex", "--state-dir", "codex"]).ended, "exit 2");
    world.assert_nothing_left();
}

/// The agents in the scripted world: a program of that name on PATH.
#[test]
fn an_installed_agent_writes() {
    let world = served::world();
    world.install_script(
        "codex",
        "[ \"$1\" = --version ] && echo codex-cli 9 && exit; cat > /dev/null; echo \"# By $*\"",
    );
    let arguments = ["demo", "--state-dir", "codex", "--runs", "1", "--granularity", "compact", "--agent", "codex"];
    let stdout = text(&world.run([&arguments[..], &["--agent-model", "m", "--authorize-write-effects"]].concat()));
    let lines: HashMap<&str, &str> = lines(&stdout).into_iter().collect();
    assert_eq!(lines["executor_profile"], "codex");
    let flow = fs::read_to_string(world.workspace().join("codex/evidence/flow.json")).expect("the flow");
    assert!(flow.contains("\"command.stdio-agent."), "{flow}");
    let article = world.workspace().join("codex/artifacts").join(lines["run_1"]).join("article.md");
    let article = fs::read_to_string(article).expect("an article");
    assert!(article.contains("-m m") && article.contains("read-only"), "{article}");
}

/// What a report was filled with.
fn island(report: &str) -> Value {
    let (_, rest) = report.split_once("<script id=\"recording\" type=\"application/json\">").expect("an island");
    serde_json::from_str(rest.split_once("</script>").expect("its end").0).expect("JSON")
}
