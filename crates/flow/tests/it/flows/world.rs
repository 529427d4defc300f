//! One state folder, processes on it that can be killed, and executors that do what a script says.

use std::{
    collections::HashMap,
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use segue_channel::{Channel, World as Machine};
use segue_flow::{
    Config, Executors, Flows,
    api::{Admit, Admitted, Target},
    bindings::{DrawHost, Seen},
    error::AdmitError,
    executors::{Answer, Call, Start, Surroundings, Terms, returned},
};
use segue_host::adapters::Registry;
use segue_journal::{Journal, Memory, OpenOptions, open};
use segue_model::{
    Timestamp,
    flow::{Document, Json, Node, NodeKind, Object, Problem, Profile, capability::Capability, json::object},
    run::{
        Attempt, Outcome,
        attempt::{Artifact, EvidenceLevel, Loss, Session, UNCONFIRMED_END},
    },
};
use tempfile::TempDir;
use tokio::sync::watch;

use super::journal::Mortal;

const TEST_HOST: &str = env!("CARGO_BIN_EXE_segue-flow-testhost");
/// Far longer than anything here takes; a test that hits it hangs.
pub const LONG: Duration = Duration::from_secs(60);

/// Real time unless it is set, and ids that are never drawn twice.
#[derive(Debug, Default)]
pub struct Clock {
    /// Microseconds since 1970; 0 is real time.
    set: AtomicI64,
    /// By how many microseconds somebody has moved it, when it is not set.
    moved: AtomicI64,
}

impl Clock {
    /// It stands still at this moment.
    pub fn set(&self, now: Timestamp) {
        self.set.store(now.0, Ordering::SeqCst);
    }

    /// It goes on from another time of day.
    pub fn put_forward(&self, seconds: i64) {
        self.moved.fetch_add(seconds * 1_000_000, Ordering::SeqCst);
    }
}

impl Machine for Clock {
    fn now(&self) -> Timestamp {
        let set = self.set.load(Ordering::SeqCst);
        if set != 0 {
            return Timestamp(set);
        }
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        Timestamp(i64::try_from(since.as_micros()).unwrap() + self.moved.load(Ordering::SeqCst))
    }

    fn elapsed(&self) -> std::time::Duration {
        static START: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
        START.elapsed()
    }

    fn random(&self, bytes: &mut [u8]) {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        for part in bytes.chunks_mut(8) {
            // Each test is a process of its own, and what belongs to a host is found by its id: no two may share one.
            let number = (u64::from(std::process::id()) << 32) | NEXT.fetch_add(1, Ordering::Relaxed);
            let number = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            part.copy_from_slice(&number.to_be_bytes()[..part.len()]);
        }
    }
}

/// What a node's executor does.
#[derive(Debug, Clone)]
pub enum Deed {
    Return(Object),
    Fail(&'static str),
    /// Judges the candidate.
    Judge(bool),
    /// Returns once the world opens the gate, or is aborted.
    Hold,
    /// Holds, and leaves something running when it is aborted.
    Escape,
    /// Never ends, not even when it is asked to.
    Stuck,
    Panic,
}

/// What really happened, across all processes.
#[derive(Debug, Default)]
pub struct Log {
    /// Calls, in their order.
    pub calls: Vec<(String, Attempt, Start)>,
    /// Attempts that did their work, by Run: what a finished host would keep.
    pub finished: HashMap<(String, Attempt), Outcome>,
    /// Attempts that began.
    pub begun: Vec<(String, Attempt)>,
}

/// Executors that do what a script says.
#[derive(Debug)]
pub struct Scripted {
    script: Mutex<HashMap<String, Vec<Deed>>>,
    pub log: Mutex<Log>,
    gate: watch::Sender<bool>,
    /// A host that finished while nobody was attached keeps its result.
    remembers: Mutex<bool>,
}

impl Scripted {
    fn new() -> Self {
        Self {
            script: Mutex::default(),
            log: Mutex::default(),
            gate: watch::Sender::new(false),
            remembers: Mutex::new(true),
        }
    }

    /// What a node does, call by call; the last deed for all further ones.
    pub fn set(&self, node: &str, deeds: &[Deed]) {
        self.script.lock().unwrap().insert(node.to_owned(), deeds.to_vec());
    }

    pub fn open_gate(&self) {
        self.gate.send_replace(true);
    }

    pub fn forget_results(&self) {
        *self.remembers.lock().unwrap() = false;
    }

    /// How often the work of a node began.
    pub fn begun(&self, node: &str) -> usize {
        self.log.lock().unwrap().begun.iter().filter(|(_, attempt)| attempt.node_id.as_str() == node).count()
    }

    /// Waits until the work of a node began that often.
    pub async fn until_begun(&self, node: &str, times: usize) {
        until("the node is under way", || self.begun(node) >= times).await;
    }

    fn next_deed(&self, node: &str) -> Deed {
        let mut script = self.script.lock().unwrap();
        match script.get_mut(node) {
            None => Deed::Return(object([("text", node.into())])),
            Some(deeds) if deeds.len() > 1 => deeds.remove(0),
            Some(deeds) => deeds[0].clone(),
        }
    }

    async fn act(&self, call: &Call, around: &dyn Surroundings) -> Outcome {
        let node = call.attempt.node_id.as_str();
        match self.next_deed(node) {
            Deed::Return(output) if call.node.kind == NodeKind::Artifact => publish(output, around).await,
            Deed::Return(output) => Outcome::Returned {
                output: Json::Object(output),
                level: EvidenceLevel::RealExecutor,
                session: call.node.session_group.as_ref().map(|group| Session {
                    conversation_ref: call.conversation_ref.clone().unwrap_or_else(|| format!("conversation-{group}")),
                    turn_ref: format!("turn-{node}"),
                }),
                artifact: None,
            },
            Deed::Fail(message) => Outcome::Failed {
                class: Some(segue_model::flow::rules::FailureClass::Exit),
                error_type: "Scripted".into(),
                message: message.into(),
            },
            Deed::Judge(pass) => returned(verdict(&call.input, pass), EvidenceLevel::RealExecutor),
            Deed::Hold => {
                let mut gate = self.gate.subscribe();
                tokio::select! {
                    _ = gate.wait_for(|open| *open) => {
                        returned(object([("text", node.into())]), EvidenceLevel::RealExecutor)
                    }
                    () = call.stop.cancelled() => Outcome::Aborted,
                }
            }
            Deed::Escape => {
                call.stop.cancelled().await;
                let message = format!("the end of {node} is not confirmed");
                Outcome::Failed { class: None, error_type: UNCONFIRMED_END.into(), message }
            }
            Deed::Stuck => std::future::pending().await,
            Deed::Panic => panic!("a scripted panic"),
        }
    }
}

async fn publish(mut output: Object, around: &dyn Surroundings) -> Outcome {
    let bytes = b"# An article\n".to_vec();
    let length = bytes.len() as u64;
    let sha256 = around.put_blob(bytes).await.unwrap();
    let artifact = Artifact {
        artifact_id: around.draw_artifact_id(),
        name: "article.md".into(),
        media_type: "text/markdown".into(),
        sha256,
        bytes: length,
    };
    output.insert("artifact_name".into(), "article.md".into());
    Outcome::Returned {
        output: Json::Object(output),
        level: EvidenceLevel::Deterministic,
        session: None,
        artifact: Some(artifact),
    }
}

pub fn verdict(candidate: &Object, pass: bool) -> Object {
    let findings = if pass { "[]" } else { r#"[{"code":"names.missing","message":"a name is missing"}]"# };
    let verdict = if pass { "pass" } else { "fail" };
    let text = format!(
        r#"{{"contract_version":"symphlo.evaluation-result.v1","verdict":"{verdict}","summary":"judged","findings":{findings}}}"#
    );
    object([("candidate", Json::Object(candidate.clone())), ("evaluation", Json::parse(&text).unwrap())])
}

/// The executors of one process.
#[derive(Debug)]
pub struct Hands(Arc<Scripted>);

impl Executors for Hands {
    fn needs_host(&self, node: &Node, capability: Option<&Capability>) -> bool {
        capability.is_some() && node.kind != NodeKind::Flow
    }

    fn execute<'a>(&'a self, call: &'a Call, around: &'a dyn Surroundings) -> Answer<'a, Outcome> {
        Box::pin(async move {
            let key = (call.run_id.as_str().to_owned(), call.attempt.clone());
            if call.node.kind == NodeKind::Flow {
                return segue_flow::executors::executor_for(&call.node, None).execute(call, around).await;
            }
            {
                let mut log = self.0.log.lock().unwrap();
                log.calls.push((key.0.clone(), key.1.clone(), call.start));
                let has_begun = log.begun.contains(&key);
                if call.start == Start::Again && has_begun {
                    let remembers = *self.0.remembers.lock().unwrap();
                    let known = log.finished.get(&key).cloned().filter(|_| remembers);
                    return known.unwrap_or(Outcome::Lost(Loss::Crash));
                }
                assert!(!has_begun, "{} is called twice", call.attempt);
                log.begun.push(key.clone());
            }
            let outcome = self.0.act(call, around).await;
            self.0.log.lock().unwrap().finished.insert(key, outcome.clone());
            outcome
        })
    }

    fn probe<'a>(&'a self, _: &'a Capability, _: &'a Terms, _: &'a dyn Surroundings) -> Answer<'a, Seen> {
        Box::pin(async { Seen { ok: true, summary: "it answers".into(), details: Object::new() } })
    }

    fn discover<'a>(
        &'a self,
        _: Option<&'a Json>,
        _: DrawHost<'a>,
        _: &'a Terms,
        _: &'a dyn Surroundings,
    ) -> Answer<'a, Result<Vec<Capability>, Problem>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}

/// Where everything is kept.
#[derive(Debug)]
enum Keeping {
    Memory(Memory),
    Sqlite,
}

/// See the module's documentation.
#[derive(Debug)]
pub struct World {
    root: TempDir,
    keeping: Keeping,
    pub scripted: Arc<Scripted>,
    /// Of every process.
    pub clock: Arc<Clock>,
    max_active_runs: usize,
}

impl World {
    pub fn in_memory() -> Self {
        Self::of(Keeping::Memory(Memory::new()))
    }

    pub fn on_disk() -> Self {
        Self::of(Keeping::Sqlite)
    }

    fn of(keeping: Keeping) -> Self {
        let root = tempfile::Builder::new().prefix("segue-").tempdir().unwrap();
        for folder in ["work", "bin"] {
            std::fs::create_dir(root.path().join(folder)).unwrap();
        }
        Self { root, keeping, scripted: Arc::new(Scripted::new()), clock: Arc::default(), max_active_runs: 8 }
    }

    /// With room for that many Runs.
    pub fn with_room(self, max_active_runs: usize) -> Self {
        Self { max_active_runs, ..self }
    }

    pub fn path(&self) -> &Path {
        self.root.path()
    }

    /// A program of this name on PATH, and its path.
    pub fn install(&self, name: &str) -> std::path::PathBuf {
        self.install_script(name, "#!/bin/sh\n")
    }

    /// A program that does something.
    pub fn install_script(&self, name: &str, script: &str) -> std::path::PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let file = self.root.path().join("bin").join(name);
        std::fs::write(&file, script).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        file
    }

    /// A process that serves the workspace.
    pub fn start(&self) -> Process {
        self.start_in("work")
    }

    /// A process on another workspace of the same state folder.
    pub fn start_in(&self, workspace: &str) -> Process {
        let hands = Arc::new(Hands(Arc::clone(&self.scripted)));
        self.start_with(workspace, hands, |_| Memory::new().open_instance(), Path::new(TEST_HOST))
    }

    /// A process with the real executors and a channel on the same journal.
    pub fn start_real(&self) -> Process {
        self.start_real_with(Path::new(TEST_HOST))
    }

    /// The same, with another program in place of the host.
    pub fn start_real_with(&self, host: &Path) -> Process {
        let process = self.start_with("work", Arc::new(segue_flow::Standard), Arc::clone, host);
        process.run(async { process.channel.serve() });
        process
    }

    fn start_with(
        &self,
        workspace: &str,
        executors: Arc<dyn Executors>,
        journal_of_channel: impl Fn(&Arc<dyn Journal>) -> Arc<dyn Journal>,
        exe: &Path,
    ) -> Process {
        let journal = match &self.keeping {
            Keeping::Memory(memory) => {
                let instance = memory.open_instance();
                let mortal = Arc::clone(&instance);
                Mortal::new(instance, move || mortal.kill())
            }
            Keeping::Sqlite => {
                let journal = open(&OpenOptions::new(self.root.path().join("state"))).unwrap();
                let mortal = Arc::clone(&journal);
                Mortal::new(journal, move || mortal.close())
            }
        };
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let of_runs: Arc<dyn Journal> = journal.clone();
        let path = format!("{}:/usr/bin:/bin", self.root.path().join("bin").display());
        let environment = vec![("PATH".into(), path.into())];
        let hosts = self.root.path().join("hosts");
        let channel = Channel::new(segue_channel::Config {
            journal: journal_of_channel(&of_runs),
            world: self.clock.clone(),
            agents: Registry::builtin(),
            hosts: hosts.clone(),
            exe: exe.into(),
            cwd: self.root.path().join("work"),
            environment: environment.clone(),
            nested: false,
            client: segue_host::acp::Client { name: "segue".into(), version: "1".into() },
            markers: None,
            orphan_grace: LONG,
            ephemeral: false,
        });
        let flows = Flows::new(Config {
            journal: of_runs,
            world: self.clock.clone(),
            channel: channel.clone(),
            executors,
            workspace: self.root.path().join(workspace),
            hosts,
            exe: exe.into(),
            environment,
            orphan_grace: LONG,
            descriptors: None,
            max_active_runs: self.max_active_runs,
        });
        Process { runtime: Some(runtime), flows, channel, journal }
    }
}

/// One process on a world.
#[derive(Debug)]
pub struct Process {
    runtime: Option<tokio::runtime::Runtime>,
    pub flows: Flows,
    pub channel: Channel,
    pub journal: Arc<Mortal>,
}

impl Process {
    pub fn run<T>(&self, work: impl Future<Output = T>) -> T {
        let runtime = self.runtime.as_ref().unwrap();
        runtime.block_on(async { tokio::time::timeout(LONG, work).await.expect("it comes to an end") })
    }

    /// Ends it as `kill -9` does.
    pub fn kill(mut self) {
        self.journal.die();
        self.runtime.take().unwrap().shutdown_background();
    }

    /// Ends it in order, its journal closed.
    pub fn stop(mut self, runs: segue_flow::api::OnStop) -> bool {
        let ended = self.run(self.flows.shut_down(runs));
        self.journal.die();
        self.runtime.take().unwrap().shutdown_background();
        ended
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Polls a named condition.
pub async fn until(what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < LONG, "{what}: not seen");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

pub fn json(text: &str) -> Json {
    Json::parse(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

pub fn members(text: &str) -> Object {
    json(text).as_object().unwrap().clone()
}

pub fn document(text: &str) -> Document {
    Document::from(members(text))
}

/// A tool with these effects, its program `program`.
pub fn tool(id: &str, program: &str, effects: &[&str]) -> Json {
    let effects = effects.iter().map(|effect| format!("{effect:?}")).collect::<Vec<_>>().join(",");
    json(&format!(
        r#"{{"id":"{id}","kind":"cli","name":"{id}","effects":[{effects}],"config":{{"executable":"{program}"}}}}"#
    ))
}

pub fn evaluator(id: &str, program: &str) -> Json {
    json(&format!(
        r#"{{"id":"{id}","kind":"evaluator_cli","name":"{id}",
            "config":{{"executable":"{program}","protocol":"symphlo.evaluation.v1"}}}}"#
    ))
}

/// Steps one after the other: id, type, and the rest of the step.
pub fn chain(flow_id: &str, steps: &[(&str, &str, &str)]) -> Document {
    let mut from = "null".to_owned();
    let steps: Vec<String> = steps
        .iter()
        .map(|(id, kind, rest)| {
            let step = format!(r#"{{"id":"{id}","type":"{kind}","from":{from}{rest}}}"#);
            from = format!("{id:?}");
            step
        })
        .collect();
    document(&format!(r#"{{"schema_version":1,"id":"{flow_id}","name":"{flow_id}","steps":[{}]}}"#, steps.join(",")))
}

/// The rest of a step that is bound to a capability.
pub fn bound(capability: &str) -> String {
    format!(r#","params":{{"capability_id":"{capability}"}}"#)
}

pub fn admission(flow_id: &str) -> Admit {
    Admit {
        target: Target::Portable(flow_id.into()),
        profile: Profile::Deterministic,
        inputs: Object::new(),
        authorization: None,
        key: None,
    }
}

/// Admits, saying yes to every effect.
pub async fn admitted(flows: &Flows, mut request: Admit) -> Admitted {
    match flows.admit(request.clone()).await {
        Ok(admitted) => admitted,
        Err(AdmitError::AuthorizationRequired(challenge)) => {
            request.authorization = Some(challenge.authorization());
            flows.admit(request).await.unwrap()
        }
        Err(error) => panic!("{error}"),
    }
}

/// Types of the events of a Run.
pub async fn kinds(flows: &Flows, run: &str) -> Vec<&'static str> {
    flows.evidence(run).await.unwrap().events.iter().map(|event| event.event_type).collect()
}
