//! S57: what executors are given in their environment or say on standard error is nowhere afterwards.

use std::{fs, path::Path};

use serde_json::{Value, json};

use super::{Companion, chain};
use crate::contract::served::wait_for;

const SENTINEL: &str = "sentinel-3f9c1b7e";
const ARGUMENT: &str = "--argument-5d0a2c91";

/// Files that hold the sentinel.
fn holding(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            holding(&path, found);
        } else if fs::read(&path).is_ok_and(|bytes| bytes.windows(SENTINEL.len()).any(|it| it == SENTINEL.as_bytes())) {
            found.push(path.display().to_string());
        }
    }
}

#[test]
fn nothing_of_the_environment_and_of_standard_error_is_kept() {
    let companion = Companion::with_env(&[("SENTINEL", SENTINEL)]);
    let says = "echo \"$SENTINEL\" >&2; echo \"$SENTINEL\" >&2;";
    let judged =
        r#"{"contract_version":"symphlo.evaluation-result.v1","verdict":"pass","summary":"Fine","findings":[]}"#;
    let modelled = r#"{"contract_version":"symphlo.model-inference-result.v1","output":"Fine"}"#;
    companion.add("tool.fine", "cli", &["execute_process"], &format!("{says} cat > /dev/null; echo '{{\"n\":1}}'"));
    companion.add(
        "model.fine",
        "model_cli",
        &["execute_process"],
        &format!("{says} cat > /dev/null; echo '{modelled}'"),
    );
    companion.add(
        "eval.fine",
        "evaluator_cli",
        &["execute_process"],
        &format!("{says} cat > /dev/null; echo '{judged}'"),
    );
    companion.add("agent.fine", "agent_cli", &["execute_process"], &format!("{says} cat > /dev/null; echo Fine"));
    let fails = format!("{says} cat > /dev/null; exit 3");
    let mut runs: Vec<(String, &str)> = Vec::new();
    companion.save(&chain(
        "fine-flow",
        &[
            ("tool", "tool.task", Some("tool.fine")),
            ("model", "model.task", Some("model.fine")),
            ("eval", "evaluation.task", Some("eval.fine")),
            ("agent", "agent.task", Some("agent.fine")),
            ("publish", "artifact.task", None),
        ],
    ));
    runs.push((companion.admit("fine-flow", &json!({})), "succeeded"));
    for (kind, node) in [("cli", "tool.task"), ("model_cli", "model.task"), ("agent_cli", "agent.task")] {
        let (id, flow) = (format!("{}.fails", &kind[..3]), format!("{}-fails", &kind[..3]));
        companion.add(&id, kind, &["execute_process"], &fails);
        companion.save(&chain(&flow, &[("only", node, Some(&id))]));
        runs.push((companion.admit(&flow, &json!({})), "failed"));
    }
    // A tool server that says nothing but that and ends.
    companion.world.install_script("server", &format!("{says} exit 3"));
    let server = json!({"id": "mcp.fails", "kind": "mcp_stdio", "name": "server", "effects": ["execute_process"],
        "config": {"executable": "server", "tool": "any"}});
    companion.post("/api/v1/capabilities", &json!({"capability": server}), 201);
    companion.save(&chain("mcp-fails", &[("only", "tool.task", Some("mcp.fails"))]));
    runs.push((companion.admit("mcp-fails", &json!({})), "failed"));
    // Arguments are the catalogue's; evidence does not have them.
    companion.world.install_script("argued", "cat");
    for (kind, node) in [("cli", "tool.task"), ("agent_cli", "agent.task")] {
        let id = format!("{}.argued", &kind[..3]);
        let argued = json!({"id": id, "kind": kind, "name": id, "effects": ["execute_process"],
            "config": {"executable": "argued", "args": [ARGUMENT]}});
        companion.post("/api/v1/capabilities", &json!({"capability": argued}), 201);
        companion.save(&chain(&format!("{}-argued", &kind[..3]), &[("only", node, Some(&id))]));
        runs.push((companion.admit(&format!("{}-argued", &kind[..3]), &json!({})), "succeeded"));
    }
    for (run, status) in &runs {
        let outcome = companion.ended(run);
        assert_eq!(outcome["status"], Value::from(*status), "{outcome}");
        for read in ["outcome", "evidence", "why"] {
            let shown = companion.get(&format!("/api/v1/runs/{run}/{read}"));
            for secret in [SENTINEL, ARGUMENT] {
                assert!(!shown.to_string().contains(secret), "{read}: {shown}");
            }
        }
    }
    let state = companion.world.state_dir();
    let hosts = || fs::read_dir(state.join("hosts")).map_or(0, Iterator::count);
    wait_for("the spools of what has ended to be let go", || hosts() == 0);
    let mut found = Vec::new();
    holding(&state, &mut found);
    assert_eq!(found, Vec::<String>::new());
    companion.end();
}
