//! Runs, artifacts, blobs and documents of the journal in memory.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashMap},
};

use crate::{ArtifactRow, Document, DocumentChange, RunFilter, RunRow, artifacts::digest, document::DocumentKey};

#[derive(Debug, Default)]
pub(super) struct Flows {
    runs: HashMap<String, RunRow>,
    /// In the order in which they were published.
    artifacts: Vec<ArtifactRow>,
    blobs: HashMap<String, Vec<u8>>,
    /// Runs and the blobs that their events name.
    run_blobs: BTreeSet<(String, String)>,
    /// By ordinal.
    documents: BTreeMap<u64, Document>,
    /// How many documents there ever were.
    created: u64,
}

/// Writes. Everything was judged before.
impl Flows {
    pub fn put_run(&mut self, mut row: RunRow) {
        if let Some(stored) = self.runs.get(&row.id) {
            row.workspace.clone_from(&stored.workspace);
            row.admission_key.clone_from(&stored.admission_key);
        }
        self.runs.insert(row.id.clone(), row);
    }

    pub fn put_artifact(&mut self, row: ArtifactRow) {
        if self.artifact(&row.id).is_none() {
            self.artifacts.push(row);
        }
    }

    pub fn name_blob(&mut self, run: String, sha256: String) {
        self.run_blobs.insert((run, sha256));
    }

    /// Removes the rows of a Run and returns the digests that its artifacts and events named.
    pub fn forget_run(&mut self, id: &str) -> Vec<String> {
        self.runs.remove(id);
        let mut named: Vec<String> = self.artifacts.extract_if(.., |row| row.run == id).map(|row| row.sha256).collect();
        let of_run = |(run, _): &(String, String)| run == id;
        named.extend(self.run_blobs.iter().filter(|named| of_run(named)).map(|(_, sha256)| sha256.clone()));
        self.run_blobs.retain(|named| !of_run(named));
        named
    }

    /// Removes those of the blobs that no Run names any more.
    pub fn discard(&mut self, unnamed: Vec<String>) {
        for sha256 in unnamed {
            let is_named = self.artifacts.iter().any(|row| row.sha256 == sha256)
                || self.run_blobs.iter().any(|(_, named)| *named == sha256);
            if !is_named {
                self.blobs.remove(&sha256);
            }
        }
    }

    pub fn put_blob(&mut self, bytes: &[u8]) -> String {
        let sha256 = digest(bytes);
        self.blobs.entry(sha256.clone()).or_insert_with(|| bytes.to_owned());
        sha256
    }

    pub fn change_document(&mut self, change: DocumentChange) {
        let found = self.document(change.key()).map(|document| document.ordinal);
        match (change, found) {
            (
                DocumentChange::Create { workspace, kind, id, at, body }
                | DocumentChange::Ensure { workspace, kind, id, at, body },
                None,
            ) => {
                self.created += 1;
                let ordinal = self.created;
                let document =
                    Document { workspace, kind, id, version: 1, ordinal, created_at: at, updated_at: at, body };
                self.documents.insert(ordinal, document);
            }
            (DocumentChange::Update { at, body, .. }, Some(ordinal)) => {
                if let Some(document) = self.documents.get_mut(&ordinal) {
                    document.version += 1;
                    document.updated_at = at;
                    document.body = body;
                }
            }
            (DocumentChange::Delete { .. }, Some(ordinal)) => drop(self.documents.remove(&ordinal)),
            // An ensured document that is there, and what was refused.
            _ => {}
        }
    }
}

/// Reads.
impl Flows {
    pub fn run(&self, id: &str) -> Option<&RunRow> {
        self.runs.get(id)
    }

    pub fn run_mut(&mut self, id: &str) -> Option<&mut RunRow> {
        self.runs.get_mut(id)
    }

    pub fn run_by_key(&self, workspace: &str, key: &str) -> Option<&RunRow> {
        self.runs.values().find(|row| row.workspace == workspace && row.admission_key.as_deref() == Some(key))
    }

    pub fn runs(&self, filter: &RunFilter, limit: usize) -> Vec<RunRow> {
        let text = filter.text.as_ref().map(|text| text.to_ascii_lowercase());
        let mut found: Vec<_> = self.runs.values().filter(|row| wanted(row, filter, text.as_deref())).collect();
        found.sort_unstable_by_key(|row| Reverse((row.started_at, &row.id)));
        found.into_iter().take(limit).cloned().collect()
    }

    pub fn forks(&self, workspace: &str, parent: &str, limit: usize) -> Vec<String> {
        let is_fork = |row: &&RunRow| row.workspace == workspace && row.parent.as_deref() == Some(parent);
        let mut found: Vec<_> = self.runs.values().filter(is_fork).collect();
        found.sort_unstable_by_key(|row| Reverse((row.started_at, &row.id)));
        found.into_iter().take(limit).map(|row| row.id.clone()).collect()
    }

    pub fn runs_starting_with(&self, workspace: &str, prefix: &str, limit: usize) -> Vec<String> {
        let found = self.runs.values().filter(|row| row.workspace == workspace && row.id.starts_with(prefix));
        let mut ids: Vec<_> = found.map(|row| row.id.clone()).collect();
        ids.sort_unstable();
        ids.truncate(limit);
        ids
    }

    pub fn run_counts(&self, workspace: &str) -> Vec<(String, u64)> {
        super::state::counts(self.runs.values().filter(|row| row.workspace == workspace).map(|row| &row.status))
    }

    pub fn artifact(&self, id: &str) -> Option<&ArtifactRow> {
        self.artifacts.iter().find(|row| row.id == id)
    }

    pub fn artifacts_of(&self, run: &str) -> Vec<ArtifactRow> {
        self.artifacts.iter().filter(|row| row.run == run).cloned().collect()
    }

    pub fn blob(&self, sha256: &str) -> Option<&Vec<u8>> {
        self.blobs.get(sha256)
    }

    pub fn document(&self, (workspace, kind, id): DocumentKey<'_>) -> Option<&Document> {
        self.documents
            .values()
            .find(|document| document.id == id && document.kind == kind && document.workspace == workspace)
    }

    pub fn documents(&self, workspace: &str, kind: &str) -> Vec<Document> {
        let of_kind = |document: &&Document| document.kind == kind && document.workspace == workspace;
        self.documents.values().filter(of_kind).cloned().collect()
    }
}

fn wanted(row: &RunRow, filter: &RunFilter, text: Option<&str>) -> bool {
    let names = [row.flow_id.as_ref(), row.task.as_ref(), Some(&row.id)];
    let contains = |text: &str| names.iter().flatten().any(|name| name.to_ascii_lowercase().contains(text));
    row.workspace == filter.workspace
        && (filter.flow_ids.is_empty() || row.flow_id.as_ref().is_some_and(|id| filter.flow_ids.contains(id)))
        && filter.task.as_ref().is_none_or(|task| row.task.as_ref() == Some(task))
        && filter.flow_hash.as_ref().is_none_or(|hash| row.flow_hash == *hash)
        && (filter.status.is_empty() || filter.status.contains(&row.status))
        && filter.ended.is_none_or(|ended| row.ended == ended)
        && !(filter.roots_only && row.parent.is_some())
        && text.is_none_or(contains)
        && filter.before.as_ref().is_none_or(|(at, id)| (row.started_at, &row.id) < (*at, id))
}
