//! What cargo says about the workspace and its dependencies.

use std::{collections::BTreeMap, path::Path, process::Command};

use serde::Deserialize;

use crate::chore::ChoreError;

#[derive(Debug, Deserialize)]
pub struct Metadata {
    pub packages: Vec<Package>,
    /// Missing when only the workspace was asked for.
    pub resolve: Option<Resolve>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Package {
    pub id: String,
    pub name: String,
    pub version: String,
    pub license: Option<String>,
    pub repository: Option<String>,
    pub dependencies: Vec<Dependency>,
}

/// A line of a manifest.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Dependency {
    pub name: String,
    /// `None` for a normal one, else `dev` or `build`.
    pub kind: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct Resolve {
    pub nodes: Vec<Node>,
}

#[derive(Debug, Deserialize)]
pub struct Node {
    pub id: String,
    pub deps: Vec<Edge>,
}

#[derive(Debug, Deserialize)]
pub struct Edge {
    pub pkg: String,
    pub dep_kinds: Vec<EdgeKind>,
}

#[derive(Debug, Deserialize)]
pub struct EdgeKind {
    pub kind: Option<String>,
}

impl Metadata {
    /// Only our own packages, with what their manifests say. Needs no network.
    pub fn workspace(root: &Path) -> Result<Self, ChoreError> {
        cargo(root, &["--no-deps", "--offline"])
    }

    /// Everything that is resolved for one platform, as the lock file has it.
    pub fn resolved_for(root: &Path, platform: &str) -> Result<Self, ChoreError> {
        cargo(root, &["--locked", "--filter-platform", platform])
    }

    /// The packages that `name` is made of: those reached over normal dependencies, itself left out.
    pub fn made_of(&self, name: &str) -> Result<Vec<&Package>, ChoreError> {
        let by_id: BTreeMap<_, _> = self.packages.iter().map(|package| (package.id.as_str(), package)).collect();
        let nodes = self.resolve.as_ref().map_or(&[][..], |resolve| &resolve.nodes);
        let edges: BTreeMap<_, _> = nodes.iter().map(|node| (node.id.as_str(), &node.deps)).collect();
        let root = self.packages.iter().find(|package| package.name == name);
        let root = root.ok_or_else(|| ChoreError::NoPackage(name.to_owned()))?;
        let mut found = BTreeMap::new();
        let mut open = vec![root.id.as_str()];
        while let Some(id) = open.pop() {
            for edge in edges.get(id).into_iter().flat_map(|deps| deps.iter()) {
                let normal = edge.dep_kinds.iter().any(|kind| kind.kind.is_none());
                if let (true, Some(package)) = (normal, by_id.get(edge.pkg.as_str()))
                    && found.insert(edge.pkg.as_str(), *package).is_none()
                {
                    open.push(&edge.pkg);
                }
            }
        }
        Ok(found.into_values().collect())
    }
}

fn cargo(root: &Path, arguments: &[&str]) -> Result<Metadata, ChoreError> {
    // The cargo that runs this chore, where one does.
    let program = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(&program)
        .current_dir(root)
        .args(["metadata", "--format-version", "1"])
        .args(arguments)
        .output()
        .map_err(|source| ChoreError::Start { program: program.clone(), source })?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(ChoreError::Refused { program: format!("{program} metadata"), stderr });
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_needed_for_tests_or_for_building_is_not_part_of_a_program() {
        let package = |name: &str| json!({"id": name, "name": name, "version": "1.0.0", "dependencies": []});
        let edge = |name: &str, kinds: &[Option<&str>]| json!({"pkg": name, "dep_kinds": kinds.iter().map(|kind| json!({"kind": kind})).collect::<Vec<_>>()});
        let packages = ["segue", "a", "b", "c", "d"].map(package);
        let metadata: Metadata = serde_json::from_value(json!({
            "packages": packages,
            "resolve": {"nodes": [
                {"id": "segue", "deps": [edge("a", &[None]), edge("b", &[Some("dev")])]},
                {"id": "a", "deps": [edge("c", &[Some("build"), None]), edge("d", &[Some("build")])]},
                {"id": "b", "deps": []}, {"id": "c", "deps": [edge("a", &[None])]}, {"id": "d", "deps": []},
            ]},
        }))
        .expect("it is metadata");
        let names: Vec<_> = metadata.made_of("segue").expect("it is there").iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names, ["a", "c"]);
        assert!(matches!(metadata.made_of("other"), Err(ChoreError::NoPackage(_))));
    }
}
