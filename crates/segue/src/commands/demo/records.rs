//! What a demo leaves behind: the evidence as files, and a few lines that name them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use segue_flow::api::{Evidence, Node};
use segue_model::flow::Granularity;
use serde_json::{Map, Value, json};

use super::Piece;
use crate::{
    commands::{CommandError, run_json},
    flows::Desk,
    output, report,
};

/// Every flow that is compiled has this version. Fixed by the contract.
const VERSION: &str = "1.0.0";

#[derive(Debug)]
pub struct Records<'d> {
    state_dir: &'d Path,
    granularity: Granularity,
    executor_profile: &'static str,
    /// One or two, which succeeded.
    runs: Vec<Evidence>,
}

impl<'d> Records<'d> {
    #[must_use]
    pub const fn new(state_dir: &'d Path, piece: &Piece, runs: Vec<Evidence>) -> Self {
        let Piece { granularity, executor_profile, .. } = *piece;
        Self { state_dir, granularity, executor_profile, runs }
    }

    /// Writes every file but the journal, which is there already.
    ///
    /// # Errors
    /// A file cannot be written.
    pub async fn write(&self, desk: &Desk) -> Result<(), CommandError> {
        let flows = &desk.flows;
        let evidence = self.state_dir.join("evidence");
        folder(&evidence)?;
        file(&evidence.join("flow.json"), &self.flow())?;
        for (number, run) in (1..).zip(&self.runs) {
            file(&evidence.join(format!("run-{number}.json")), &run_json::evidence(run))?;
            let artifacts = self.artifacts(run);
            folder(&artifacts)?;
            for artifact in &run.artifacts {
                let content = flows.artifact(artifact.id.as_str()).await?;
                write(&artifacts.join(&artifact.name), &content.bytes)?;
            }
        }
        file(&evidence.join("comparison.json"), &self.comparison())?;
        let ids: Vec<String> = self.runs.iter().map(|run| run.run.run_id.as_str().to_owned()).collect();
        let database = self.state_dir.join("evidence.sqlite3");
        flows.export(&ids, &database).await?;
        if report::IS_HERE {
            report::write(desk, self.state_dir, &ids, &self.report(), &database).await?;
        }
        Ok(())
    }

    fn artifacts(&self, run: &Evidence) -> PathBuf {
        self.state_dir.join("artifacts").join(run.run.run_id.as_str())
    }

    fn report(&self) -> PathBuf {
        self.state_dir.join("evidence/index.html")
    }

    /// Where the report is, for a browser; a build without the console writes none.
    #[must_use]
    pub fn report_url(&self) -> Option<String> {
        report::IS_HERE.then(|| file_url(&self.report()))
    }

    fn first(&self) -> Option<&Evidence> {
        self.runs.first()
    }

    fn word(&self, of: fn(&Evidence) -> &str) -> &str {
        self.first().map_or("", of)
    }

    fn title(&self, node: &str) -> String {
        let flow = self.granularity.flow();
        flow.node(node).map_or_else(|| node.to_owned(), |node| node.title.clone())
    }

    fn flow(&self) -> Value {
        let nodes = self.first().into_iter().flat_map(|run| &run.nodes).map(|node| {
            json!({
                "node_id": node.node_id,
                "title": self.title(node.node_id.as_str()),
                "executor": node.executor,
                "effects": node.effects,
            })
        });
        json!({
            "flow_id": self.word(|run| &run.run.flow_id),
            "flow_version": VERSION,
            "semantic_hash": self.word(|run| &run.run.flow_hash),
            "granularity": self.granularity,
            "executor_profile": self.executor_profile,
            "nodes": nodes.collect::<Vec<_>>(),
        })
    }

    /// The seed's comparison of demo runs: whether the same work came out the same.
    fn comparison(&self) -> Value {
        let (left, right) = (self.first(), self.runs.get(1));
        let nodes = left.into_iter().flat_map(|run| &run.nodes).map(|node| {
            let other = right.and_then(|run| run.nodes.iter().find(|other| other.node_id == node.node_id));
            self.compared(node, other)
        });
        json!({
            "flow_id": self.word(|run| &run.run.flow_id),
            "flow_version": VERSION,
            "semantic_hash": self.word(|run| &run.run.flow_hash),
            "run_ids": self.runs.iter().map(|run| &run.run.run_id).collect::<Vec<_>>(),
            "comparable": right.is_some(),
            "overall": self.overall(),
            "nodes": nodes.collect::<Vec<_>>(),
        })
    }

    fn compared(&self, node: &Node, other: Option<&Node>) -> Value {
        let same_output = other.map(|other| node.output == other.output);
        let same_executor = other.map(|other| node.executor == other.executor);
        let status = match other {
            None => "observed",
            Some(other) if is_stable(node, other) => "stable_success",
            Some(_) => "changed",
        };
        json!({
            "node_id": node.node_id,
            "title": self.title(node.node_id.as_str()),
            "status": status,
            "same_output": same_output,
            "same_executor": same_executor,
            "evidence_level": node.evidence_level.as_str(),
        })
    }

    fn overall(&self) -> &'static str {
        let [left, right] = self.runs.as_slice() else { return "single_run" };
        let same = left.nodes.len() == right.nodes.len()
            && left.nodes.iter().zip(&right.nodes).all(|(left, right)| is_stable(left, right));
        if same { "stable_success" } else { "changed_between_runs" }
    }

    /// The lines of the contract, or one object of them.
    pub fn print(&self, json: bool) {
        let mut lines = Map::new();
        let mut add = |key: &str, value: String| lines.insert(key.to_owned(), value.into());
        add("state_dir", self.state_dir.display().to_string());
        add("flow", format!("{}@{VERSION}", self.word(|run| &run.run.flow_id)));
        add("granularity", self.granularity.to_string());
        add("executor_profile", self.executor_profile.to_owned());
        add("semantic_hash", self.word(|run| &run.run.flow_hash).to_owned());
        for (number, run) in (1..).zip(&self.runs) {
            add(&format!("run_{number}"), run.run.run_id.as_str().to_owned());
        }
        add("comparison", self.overall().to_owned());
        let article = self.runs.last().and_then(|run| Some(self.artifacts(run).join(&run.artifacts.first()?.name)));
        add("article", article.map(|article| file_url(&article)).unwrap_or_default());
        add("report", self.report_url().unwrap_or_else(|| "none: this build has no console".to_owned()));
        if json {
            output::json(&Value::Object(lines));
            return;
        }
        for (key, value) in &lines {
            output::line(&format!("{key}={}", value.as_str().unwrap_or_default()));
        }
    }
}

/// The same executor returned the same.
fn is_stable(left: &Node, right: &Node) -> bool {
    left.node_id == right.node_id && left.executor == right.executor && left.output == right.output
}

fn folder(path: &Path) -> Result<(), CommandError> {
    fs::create_dir_all(path).map_err(|error| CommandError::Usage(format!("make {}: {error}", path.display())))
}

fn file(path: &Path, value: &Value) -> Result<(), CommandError> {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    write(path, text.as_bytes())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    fs::write(path, bytes).map_err(|error| CommandError::Usage(format!("write {}: {error}", path.display())))
}

/// Every byte that could mean something else in a URL is written as its number.
fn file_url(path: &Path) -> String {
    let mut url = "file://".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => url.push(char::from(*byte)),
            other => url.push_str(&format!("%{other:02X}")),
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_of_a_file_holds_no_sign_of_its_own() {
        assert_eq!(file_url(Path::new("/a b/ü#?.md")), "file:///a%20b/%C3%BC%23%3F.md");
    }
}
