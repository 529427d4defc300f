//! What the tests of this crate have in common: a channel's insides without agents, and a task in its record.

use std::{path::PathBuf, sync::Arc};

use segue_host::{
    acp::{Client, Conversation, Plan, Purpose, TurnPlan},
    adapters::Registry,
};
use segue_journal::{Batch, HoldChange, Journal, Memory};
use segue_model::{
    HostId, TaskId, Timestamp,
    task::{Created, Event, Status},
};
use serde_json::json;

use crate::{
    World,
    agent::{Begin, Source, checkpoint::Checkpoint},
    markers::Markers,
    record::TaskRecord,
    shared::{Config, Shared},
};

/// A world in which time stands still and all ids are the same.
#[derive(Debug)]
struct Still;

impl World for Still {
    fn now(&self) -> Timestamp {
        Timestamp(1_700_000_000_000_000)
    }
    fn elapsed(&self) -> std::time::Duration {
        std::time::Duration::ZERO
    }
    fn random(&self, bytes: &mut [u8]) {
        bytes.fill(7);
    }
}

/// What every part has in common, with a journal of its own.
pub fn shared() -> Arc<Shared> {
    shared_with(Memory::new().open_instance())
}

pub fn shared_with(journal: Arc<dyn Journal>) -> Arc<Shared> {
    Shared::new(config(journal))
}

/// The same, with markers.
pub fn shared_marking(markers: Markers) -> Arc<Shared> {
    Shared::new(Config { markers: Some(markers), ..config(Memory::new().open_instance()) })
}

fn config(journal: Arc<dyn Journal>) -> Config {
    Config {
        journal,
        world: Arc::new(Still),
        agents: Registry::builtin(),
        hosts: PathBuf::from("/nonexistent/hosts"),
        exe: PathBuf::from("/nonexistent/segue"),
        cwd: PathBuf::from("/"),
        environment: Vec::new(),
        nested: false,
        client: Client { name: "segue".into(), version: "0".into() },
        markers: None,
        orphan_grace: std::time::Duration::ZERO,
        ephemeral: true,
    }
}

/// A task of this process, with these events after its first.
pub async fn task(shared: &Arc<Shared>, events: &[Event], holds: Vec<HoldChange>) -> TaskRecord {
    let id = TaskId::from_bytes([2; 6]);
    let request = Created {
        agent: "codex".into(),
        workspace: "/".into(),
        initiator_id: None,
        executor_id: None,
        session_id: Some("S".into()),
        options: json!({}),
        keep_idle: None,
        keep_turns: None,
        agent_handle: None,
        on_agent: false,
        client_key: None,
        deadline_seconds: None,
    };
    let now = shared.now();
    let mut record = TaskRecord::create(id, request, String::new(), shared.instance(), now);
    for event in events {
        record.push(event, now).unwrap();
    }
    let over = record.task.status().is_final();
    let (append, row) = record.take(over);
    let batch = Batch { appends: vec![append], rows: vec![row], holds, ..Batch::default() };
    let committed = shared.journal().append(batch).await.unwrap();
    record.written(committed.last[0]);
    record
}

pub fn changed(from: Status, to: Status) -> Event {
    Event::StatusChanged { from, to }
}

/// What the job of an agent begins with that has said nothing yet and whose host is out of reach.
pub fn begin(shared: &Arc<Shared>) -> Begin {
    let plan = Plan {
        cwd: "/".into(),
        purpose: Purpose::Turn { resume: Some("S".into()), turn: TurnPlan::default() },
        exe: "codex-acp".into(),
        launch_flags: Vec::new(),
        client: shared.config.client.clone(),
    };
    let host = HostId::from_bytes([1; 8]);
    Begin {
        source: Source::silent(shared.host_dir(&host)),
        host,
        conversation: Conversation::begin(plan).0,
        checkpoint: Checkpoint { agent: "codex".into(), exe: "codex-acp".into(), ..Checkpoint::default() },
        turn: None,
        lease: None,
        slot: None,
        sends: Vec::new(),
        out: 0,
        err: 0,
        behind: None,
        unwritten: false,
    }
}
