//! The sessions of this process and, when a folder is given, of every process before it.
//!
//! Owns what a session remembers and where it is kept: one JSON file per session. Refuses to know the wire.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::settings::Chosen;
use super::turn::TurnEvent;
use super::wire::lock;

/// Enough of a prompt to recognise a session by, in characters.
const TITLE_CHARS: usize = 60;

/// What outlives the process.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    pub session_id: String,
    pub cwd: String,
    pub title: Option<String>,
    pub updated_at: String,
    pub chosen: Chosen,
    pub memory: BTreeMap<String, String>,
    pub prompts: Vec<String>,
    /// Session updates, replayed by a load.
    pub history: Vec<Value>,
}

impl Record {
    pub fn begin_prompt(&mut self, prompt: &str) {
        self.title.get_or_insert_with(|| prompt.chars().take(TITLE_CHARS).collect());
        self.prompts.push(prompt.to_owned());
    }
}

/// A session that is open in this process.
#[derive(Debug)]
pub struct Session {
    pub id: String,
    pub record: Mutex<Record>,
    /// Reaches the turn that is running, if one is.
    pub turn: Mutex<Option<Sender<TurnEvent>>>,
}

#[derive(Debug)]
pub struct Sessions {
    folder: Option<PathBuf>,
    open: Mutex<HashMap<String, Arc<Session>>>,
}

impl Sessions {
    /// `home` is the folder of all personas; each keeps its sessions in a folder of its own.
    pub fn new(home: Option<&Path>, persona: &str) -> Sessions {
        Sessions { folder: home.map(|home| home.join(persona)), open: Mutex::new(HashMap::new()) }
    }

    pub fn get(&self, id: &str) -> Option<Arc<Session>> {
        lock(&self.open).get(id).cloned()
    }

    pub fn open(&self, record: Record) -> Arc<Session> {
        let session =
            Arc::new(Session { id: record.session_id.clone(), record: Mutex::new(record), turn: Mutex::new(None) });
        lock(&self.open).insert(session.id.clone(), Arc::clone(&session));
        self.save(&session);
        session
    }

    /// What is known of a session, whether it is open or only stored.
    pub fn record(&self, id: &str) -> Option<Record> {
        if let Some(session) = self.get(id) {
            return Some(lock(&session.record).clone());
        }
        let text = std::fs::read(self.file(id)?).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// Keeps the session for later processes. Failure is told on stderr: the agent works without.
    pub fn save(&self, session: &Session) {
        let Some(file) = self.file(&session.id) else {
            return;
        };
        let mut record = lock(&session.record);
        record.updated_at = jiff::Timestamp::now().to_string();
        if let Err(error) = write_whole(&file, &record) {
            super::complain(&format!("cannot keep {}: {error}", file.display()));
        }
    }

    pub fn close(&self, id: &str) -> Option<Arc<Session>> {
        lock(&self.open).remove(id)
    }

    /// Forgets a session; one that does not exist is no error, as with the real agents.
    pub fn delete(&self, id: &str) {
        self.close(id);
        if let Some(file) = self.file(id) {
            let _ = std::fs::remove_file(file);
        }
    }

    /// All sessions of a working directory, or all; in the order of their ids.
    pub fn list(&self, cwd: Option<&str>) -> Vec<Record> {
        let mut records: BTreeMap<String, Record> = BTreeMap::new();
        for entry in self.folder.iter().filter_map(|dir| std::fs::read_dir(dir).ok()).flatten() {
            let text = entry.ok().and_then(|entry| std::fs::read(entry.path()).ok());
            if let Some(record) = text.and_then(|text| serde_json::from_slice::<Record>(&text).ok()) {
                records.insert(record.session_id.clone(), record);
            }
        }
        for session in lock(&self.open).values() {
            records.insert(session.id.clone(), lock(&session.record).clone());
        }
        records.into_values().filter(|record| cwd.is_none_or(|cwd| record.cwd == cwd)).collect()
    }

    fn file(&self, id: &str) -> Option<PathBuf> {
        let name: String = id
            .bytes()
            .map(|byte| match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' => char::from(byte).to_string(),
                other => format!("%{other:02x}"),
            })
            .collect();
        Some(self.folder.as_ref()?.join(format!("{name}.json")))
    }
}

/// Another process may read the file at any time, so it is replaced, never rewritten.
fn write_whole(file: &Path, record: &Record) -> std::io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let draft = file.with_extension(format!("draft-{}", std::process::id()));
    std::fs::write(&draft, serde_json::to_vec(record)?)?;
    std::fs::rename(draft, file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(id: &str, cwd: &str) -> Record {
        Record { session_id: id.to_owned(), cwd: cwd.to_owned(), ..Record::default() }
    }

    #[test]
    fn a_stored_session_is_known_to_the_next_process_until_it_is_deleted() {
        let home = tempfile::tempdir().unwrap();
        let first = Sessions::new(Some(home.path()), "codex");
        lock(&first.open(record("a/../b", "/w")).record).begin_prompt("hello");
        first.save(&first.get("a/../b").unwrap());
        first.open(record("other", "/elsewhere"));

        let second = Sessions::new(Some(home.path()), "codex");
        assert_eq!(second.record("a/../b").unwrap().prompts, ["hello"]);
        let ids = |cwd| -> Vec<String> { second.list(cwd).into_iter().map(|record| record.session_id).collect() };
        assert_eq!(ids(None), ["a/../b", "other"]);
        assert_eq!(ids(Some("/w")), ["a/../b"]);

        second.delete("a/../b");
        second.delete("a/../b");
        assert!(Sessions::new(Some(home.path()), "codex").record("a/../b").is_none());
        assert!(Sessions::new(Some(home.path()), "cline").record("other").is_none());
    }
}
