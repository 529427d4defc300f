//! What executors use of the world, with the proof that nothing is left of it.

use std::{
    collections::HashMap,
    ffi::OsString,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use segue_channel::{Channel, World as Machine};
use segue_flow::executors::{Answer, Call, Parting, Start, Surroundings, Terms, execute};
use segue_host::{HOST_MARK, adapters::Registry};
use segue_journal::backend::memory::Memory;
use segue_model::{
    HostId, Timestamp,
    flow::{
        ArtifactId, Binding, Hash, Json, Node, NodeId, NodeKind, Object, RunId, Upstream,
        capability::{Capability, Kind},
        json::object,
    },
    run::{Attempt, Outcome},
};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// Far longer than anything here takes; a test that hits it hangs.
pub const LONG: Duration = Duration::from_secs(90);

/// One world: folders, an environment, and what executors were given by it.
#[derive(Debug)]
pub struct World {
    root: TempDir,
    pub environment: Vec<(OsString, OsString)>,
    pub grace: Duration,
    pub partings: Mutex<HashMap<HostId, Parting>>,
    pub blobs: Mutex<Vec<Vec<u8>>>,
    pub subruns: Mutex<Vec<(String, Object)>>,
    pub agents: Registry,
    /// The program that is called as a host.
    pub exe: PathBuf,
    /// Of this world; tells its processes from others.
    mark: String,
    channel: OnceLock<Channel>,
    hosts: Mutex<Vec<HostId>>,
}

#[derive(Debug)]
struct Clock;

impl Machine for Clock {
    fn now(&self) -> Timestamp {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        Timestamp(i64::try_from(since.as_micros()).unwrap())
    }

    fn elapsed(&self) -> std::time::Duration {
        static START: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
        START.elapsed()
    }

    fn random(&self, bytes: &mut [u8]) {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        for part in bytes.chunks_mut(8) {
            let number = (u64::from(std::process::id()) << 32) | NEXT.fetch_add(1, Ordering::Relaxed);
            part.copy_from_slice(&number.to_be_bytes()[8 - part.len()..]);
        }
    }
}

impl World {
    pub fn new() -> Self {
        let root = tempfile::Builder::new().prefix("segue-").tempdir().unwrap();
        for folder in ["work", "tmp", "bin", "home"] {
            std::fs::create_dir(root.path().join(folder)).unwrap();
        }
        let mark = root.path().display().to_string();
        let path = format!("{}:{}", root.path().join("bin").display(), std::env::var("PATH").unwrap());
        let environment = [
            ("PATH", path),
            ("HOME", root.path().join("home").display().to_string()),
            ("TMPDIR", root.path().join("tmp").display().to_string()),
            ("SEGUE_FLOW_TEST", mark.clone()),
        ];
        Self {
            environment: environment.map(|(name, value)| (name.into(), value.into())).to_vec(),
            root,
            grace: LONG,
            partings: Mutex::default(),
            blobs: Mutex::default(),
            subruns: Mutex::default(),
            agents: Registry::builtin(),
            exe: env!("CARGO_BIN_EXE_segue-flow-testhost").into(),
            mark,
            channel: OnceLock::new(),
            hosts: Mutex::default(),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub fn workspace(&self) -> PathBuf {
        self.path("work")
    }

    pub fn set(&mut self, name: &str, value: &str) {
        self.environment.push((name.into(), value.into()));
    }

    /// Installs a program in this world's PATH.
    pub fn install(&self, name: &str, script: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let file = self.path("bin").join(name);
        std::fs::write(&file, script).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        file
    }

    pub fn draw_host(&self) -> HostId {
        let mut bytes = [0; HostId::BYTES];
        Clock.random(&mut bytes);
        let host = HostId::from_bytes(bytes);
        self.hosts.lock().unwrap().push(host.clone());
        host
    }

    pub fn terms(&self, timeout: Duration) -> Terms {
        Terms {
            host: Some(self.draw_host()),
            workspace: self.workspace(),
            timeout,
            stop: CancellationToken::new(),
            start: Start::First,
        }
    }

    /// A first attempt of a node bound to `capability`.
    pub fn call(&self, kind: NodeKind, id: &str, capability: &Capability, input: Object) -> Call {
        let binding = Binding { executor: capability.executor(), effects: capability.effects.clone() };
        let mut call = self.unbound(kind, id, binding, input);
        call.capability = Some(Arc::new(capability.clone()));
        call
    }

    /// A first attempt of a node that is bound to no capability.
    pub fn unbound(&self, kind: NodeKind, id: &str, binding: Binding, input: Object) -> Call {
        let id = NodeId::parse(id).unwrap();
        let mut node = Node::plain(id.clone(), "Title".into(), kind, binding, Upstream::FlowInput);
        node.instruction = Some("Do it".into());
        Call {
            run_id: run_id(),
            attempt: Attempt { node_id: id, round: 1, index: None, attempt: 1 },
            node: Arc::new(node),
            input: Arc::new(input),
            flow_input: Arc::new(object([("goal", "g".into())])),
            capability: None,
            conversation_ref: None,
            workspace: self.workspace(),
            timeout: LONG,
            host: Some(self.draw_host()),
            stop: CancellationToken::new(),
            start: Start::First,
        }
    }

    /// Does an attempt, records its outcome, and lets its host go.
    pub async fn run(&self, call: &Call) -> Outcome {
        let outcome = tokio::time::timeout(LONG, execute(call, self)).await.expect("an attempt comes to an outcome");
        if let Some(host) = &call.host {
            self.let_go(host).await;
        }
        outcome
    }

    pub async fn let_go(&self, host: &HostId) {
        let parting = self.partings.lock().unwrap().remove(host);
        if let Some(parting) = parting {
            parting.let_go().await;
        }
    }

    /// Living processes of this world.
    pub fn living(&self) -> Vec<i32> {
        let mark = format!("SEGUE_FLOW_TEST={}", self.mark);
        let pids = std::fs::read_dir("/proc")
            .unwrap()
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
        pids.filter(|pid| {
            let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environ.split(|byte| *byte == 0).any(|entry| entry == mark.as_bytes())
        })
        .collect()
    }

    /// The host of an attempt among them.
    pub fn host_pid(&self, host: &HostId) -> i32 {
        let mark = format!("{HOST_MARK}={host}");
        let of_host = self.living().into_iter().find(|pid| {
            let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
            environ.split(|byte| *byte == 0).any(|entry| entry == mark.as_bytes()) && name.trim() == "segue-host"
        });
        of_host.expect("the host lives")
    }

    /// No process is left, and no folder of a host.
    pub async fn is_clean(&self) {
        until("no process is left", || self.living().is_empty()).await;
        let folders = || std::fs::read_dir(self.path("hosts")).map_or(0, |entries| entries.count());
        until("no folder of a host is left", || folders() == 0).await;
    }

    pub fn host_folder(&self, host: &HostId) -> PathBuf {
        self.path("hosts").join(host.as_str())
    }
}

impl Drop for World {
    fn drop(&mut self) {
        for pid in self.living() {
            if let Some(pid) = rustix::process::Pid::from_raw(pid) {
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        }
    }
}

impl Surroundings for World {
    fn host_dir(&self, host: &HostId) -> PathBuf {
        self.host_folder(host)
    }

    fn exe(&self) -> PathBuf {
        self.exe.clone()
    }

    fn environment(&self) -> Vec<(OsString, OsString)> {
        self.environment.clone()
    }

    fn orphan_grace(&self) -> Duration {
        self.grace
    }

    fn settle_later(&self, host: &HostId, parting: Parting) {
        self.partings.lock().unwrap().insert(host.clone(), parting);
    }

    fn put_blob(&self, bytes: Vec<u8>) -> Answer<'_, Result<Hash, String>> {
        Box::pin(async move {
            let hash = Hash::of_bytes(&bytes);
            self.blobs.lock().unwrap().push(bytes);
            Ok(hash)
        })
    }

    fn draw_artifact_id(&self) -> ArtifactId {
        ArtifactId::from_bytes([7; 16])
    }

    fn channel(&self) -> &Channel {
        self.channel.get_or_init(|| {
            Channel::new(segue_channel::Config {
                journal: Memory::new().open_instance(),
                world: Arc::new(Clock),
                agents: self.agents.clone(),
                hosts: self.path("hosts"),
                exe: self.exe(),
                cwd: self.workspace(),
                environment: self.environment.clone(),
                nested: false,
                client: segue_host::acp::Client { name: "segue".into(), version: "1".into() },
                markers: None,
                orphan_grace: LONG,
                ephemeral: false,
            })
        })
    }

    fn subrun<'a>(&'a self, _: &'a Call, flow: &'a str, inputs: Object) -> Answer<'a, Outcome> {
        Box::pin(async move {
            self.subruns.lock().unwrap().push((flow.to_owned(), inputs));
            Outcome::Aborted
        })
    }
}

pub fn run_id() -> RunId {
    RunId::from_bytes([1; 16])
}

pub fn fixture(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name).display().to_string()
}

/// A definition with this config, as the catalogue would hold it.
pub fn capability(kind: Kind, config: Object) -> Capability {
    let definition = object([("kind", kind.into()), ("name", "x".into()), ("config", config.into())]);
    Capability::from_saved(&Json::Object(definition)).unwrap()
}

/// A program of that kind. `more` is what its config needs besides.
pub fn program<const N: usize>(kind: Kind, executable: &str, args: &[&str], more: [(&str, Json); N]) -> Capability {
    let mut config = object([("executable", executable.into()), ("args", args.to_vec().into())]);
    config.extend(object(more));
    capability(kind, config)
}

/// A tool that is a line of shell.
pub fn shell(script: &str) -> Capability {
    program(Kind::Cli, "/bin/sh", &["-c", script], [])
}

pub fn json(text: &str) -> Object {
    let Ok(Json::Object(members)) = Json::parse(text) else { panic!("no object: {text}") };
    members
}

/// The output of an attempt that returned one.
#[track_caller]
pub fn output(outcome: Outcome) -> Object {
    match outcome {
        Outcome::Returned { output: Json::Object(output), .. } => output,
        other => panic!("no output: {other:?}"),
    }
}

/// Class, error type and message of an attempt that failed.
#[track_caller]
pub fn failed(outcome: Outcome) -> (Option<&'static str>, String, String) {
    match outcome {
        Outcome::Failed { class, error_type, message } => (class.map(|class| class.as_str()), error_type, message),
        other => panic!("no failure: {other:?}"),
    }
}

pub fn is_failure(outcome: Outcome, class: Option<&'static str>, error_type: &str, message: &str) {
    assert_eq!(failed(outcome), (class, error_type.to_owned(), message.to_owned()));
}

/// Waits for a named condition.
pub async fn until(what: &str, condition: impl Fn() -> bool) {
    let began = Instant::now();
    while !condition() {
        assert!(began.elapsed() < LONG, "waited in vain until {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

pub async fn until_file(path: &Path) {
    until(&format!("{} is there", path.display()), || path.exists()).await;
}

pub fn kill(pid: i32) {
    rustix::process::kill_process(rustix::process::Pid::from_raw(pid).unwrap(), rustix::process::Signal::KILL).unwrap();
}
