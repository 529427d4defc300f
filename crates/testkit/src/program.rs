//! Runs the real `segue` binary in a world of its own: fresh home, state, runtime folder and workspace, a `PATH`
//! on which every agent is the scripted one, and nothing of the environment of whoever runs the tests.
//!
//! Knows where binaries lie and which variables the program reads; refuses to know any command of it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;
use tempfile::TempDir;

use crate::leftovers::{self, Leftovers, Places};
use crate::mcp_client::{self, McpClient, PROTOCOL_VERSION};
use crate::real_agents::Mark;
use crate::scripted_agent::persona::Persona;

/// The `segue` to run, when it is not the one of this build.
pub const BINARY_VARIABLE: &str = "SEGUE_BIN";
/// The scripted agent to run, when it is not the one of this build.
pub const AGENT_VARIABLE: &str = "SEGUE_SCRIPTED_AGENT_BIN";

/// What agents' shell commands need.
const SYSTEM_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// One world. Dropping it kills whatever still carries its mark and removes its folders.
#[derive(Debug)]
pub struct Program {
    /// Before the folders: processes go first.
    mark: Mark,
    binary: PathBuf,
    root: TempDir,
    environment: BTreeMap<String, Option<String>>,
    settings: Mutex<BTreeMap<String, String>>,
}

/// What a command that was run to its end left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// `exit N` or `signal N`.
    pub ended: String,
    pub stdout: String,
    pub stderr: String,
}

impl Program {
    /// A world for the `segue` of this build, or of [`BINARY_VARIABLE`].
    ///
    /// # Panics
    /// There is no such binary, or the folders cannot be made.
    pub fn new() -> Program {
        Program::with_binary(built("segue", BINARY_VARIABLE, "segue"))
    }

    /// A world for this binary: in the tests of its own crate, `env!("CARGO_BIN_EXE_segue")`.
    ///
    /// # Panics
    /// The folders cannot be made, or there is no scripted agent.
    pub fn with_binary(binary: impl Into<PathBuf>) -> Program {
        static WORLDS: AtomicU64 = AtomicU64::new(0);
        let number = WORLDS.fetch_add(1, Ordering::Relaxed);
        // Short, because paths of sockets are.
        let root = tempfile::Builder::new().prefix("segue-").tempdir().expect("a temporary folder");
        let program = Program {
            mark: Mark::new(&format!("program-{number}")),
            binary: binary.into(),
            root,
            environment: BTreeMap::new(),
            settings: Mutex::new(BTreeMap::new()),
        };
        for folder in ["home", "state", "run", "tmp", "work", "bin", "sessions"] {
            let folder = program.path(folder);
            fs::create_dir(&folder).expect("a folder");
            fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).expect("a private folder");
        }
        let agent = scripted_agent_binary();
        for persona in Persona::ALL {
            program.install(persona.executable(), &agent);
        }
        program
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// The program that is run.
    pub fn binary(&self) -> &Path {
        &self.binary
    }

    /// `HOME`.
    pub fn home(&self) -> PathBuf {
        self.path("home")
    }

    /// Segue's state folder, `SEGUE_STATE_DIR`.
    pub fn state_dir(&self) -> PathBuf {
        self.path("state")
    }

    /// `XDG_RUNTIME_DIR`.
    pub fn runtime_dir(&self) -> PathBuf {
        self.path("run")
    }

    /// A folder to work in; also the working directory of what is run.
    pub fn workspace(&self) -> PathBuf {
        self.path("work")
    }

    /// The first folder of `PATH`, with the agents.
    pub fn agents_dir(&self) -> PathBuf {
        self.path("bin")
    }

    /// Sets a variable for what is started from now on, agents included.
    pub fn env(&mut self, name: &str, value: &str) -> &mut Program {
        self.environment.insert(name.to_owned(), Some(value.to_owned()));
        self
    }

    /// Leaves a variable out that is otherwise set.
    pub fn without_env(&mut self, name: &str) -> &mut Program {
        self.environment.insert(name.to_owned(), None);
        self
    }

    /// Sets `SCRIPTED_<name>` for every agent that starts from now on, also under servers that already run. An
    /// agent of one kind only: `LOAD__CODEX`.
    ///
    /// # Panics
    /// The file cannot be written.
    pub fn scripted(&self, name: &str, value: &str) {
        let mut settings = self.settings.lock().unwrap_or_else(PoisonError::into_inner);
        settings.insert(name.to_owned(), value.to_owned());
        self.write_settings(&settings);
    }

    /// Undoes [`Self::scripted`] for one name.
    ///
    /// # Panics
    /// The file cannot be written.
    pub fn unscripted(&self, name: &str) {
        let mut settings = self.settings.lock().unwrap_or_else(PoisonError::into_inner);
        settings.remove(name);
        self.write_settings(&settings);
    }

    fn write_settings(&self, settings: &BTreeMap<String, String>) {
        let text: String = settings.iter().map(|(name, value)| format!("{name}={value}\n")).collect();
        // Replaced in one step: an agent may be starting.
        let draft = self.path("settings.draft");
        fs::write(&draft, text).expect("settings of the scripted agents");
        fs::rename(&draft, self.path("settings")).expect("settings of the scripted agents");
    }

    /// Puts an executable under this name into [`Self::agents_dir`], in place of what is there.
    ///
    /// # Panics
    /// It cannot be linked.
    pub fn install(&self, name: &str, executable: &Path) {
        self.uninstall(name);
        symlink(executable, self.agents_dir().join(name)).expect("a link to the agent");
    }

    /// Puts a shell script under this name into [`Self::agents_dir`], in place of what is there.
    ///
    /// # Panics
    /// It cannot be written.
    pub fn install_script(&self, name: &str, body: &str) {
        self.uninstall(name);
        let path = self.agents_dir().join(name);
        fs::write(&path, format!("#!/bin/sh\n{body}\n")).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("an executable script");
    }

    /// Removes an executable from [`Self::agents_dir`]; one that is not there is fine.
    pub fn uninstall(&self, name: &str) {
        let _ = fs::remove_file(self.agents_dir().join(name));
    }

    /// The program with these arguments, ready to be started.
    pub fn command<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Command {
        let (mark, value) = self.mark.variable();
        let mut command = Command::new(&self.binary);
        command
            .args(arguments)
            .current_dir(self.workspace())
            .env_clear()
            .env("PATH", format!("{}:{SYSTEM_PATH}", self.agents_dir().display()))
            .env("HOME", self.home())
            .env("TMPDIR", self.path("tmp"))
            .env("LANG", "C.UTF-8")
            .env("XDG_RUNTIME_DIR", self.runtime_dir())
            .env("SEGUE_STATE_DIR", self.state_dir())
            .env("SCRIPTED_SETTINGS", self.path("settings"))
            .env("SCRIPTED_HOME", self.path("sessions"))
            .env("SCRIPTED_LOG", self.path("received.jsonl"))
            .env(mark, value);
        // Where a coverage run collects.
        if let Some(file) = std::env::var_os("LLVM_PROFILE_FILE") {
            command.env("LLVM_PROFILE_FILE", file);
        }
        for (name, value) in &self.environment {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command
    }

    /// Runs the program to its end, with nothing on its standard input.
    ///
    /// # Panics
    /// It cannot be started, or does not end within [`mcp_client::DEADLINE`].
    pub fn run<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Finished {
        let mut command = self.command(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap_or_else(|error| panic!("cannot start {}: {error}", self.binary.display()));
        let (send, finished) = channel();
        std::thread::spawn(move || {
            // Whoever waited may have given up; the mark then ends the process.
            let _ = send.send(child.wait_with_output());
        });
        let output = finished
            .recv_timeout(mcp_client::DEADLINE)
            .unwrap_or_else(|_| panic!("{command:?} does not end"))
            .unwrap_or_else(|error| panic!("{command:?}: {error}"));
        Finished {
            ended: mcp_client::ended(output.status),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Starts `segue mcp` and does the handshake.
    ///
    /// # Panics
    /// It cannot be started or refuses the handshake.
    pub fn mcp(&self) -> McpClient {
        self.mcp_with(&[])
    }

    /// Starts `segue mcp` with further arguments and does the handshake.
    ///
    /// # Panics
    /// As [`Self::mcp`].
    pub fn mcp_with(&self, arguments: &[&str]) -> McpClient {
        let client = McpClient::start(&mut self.command(["mcp"].iter().chain(arguments)));
        client.initialize(PROTOCOL_VERSION);
        client
    }

    /// Every message that scripted agents have received, as `{"pid", "received"}`, in order.
    ///
    /// # Panics
    /// The log is not what the agents write.
    pub fn received(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.path("received.jsonl")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).expect("a line of the scripted agents' log")).collect()
    }

    /// The `params` of every message of this method that scripted agents have received, in order.
    pub fn received_params(&self, method: &str) -> Vec<Value> {
        let received = self.received();
        let of_method = received.into_iter().map(|entry| entry["received"].clone()).filter(|m| m["method"] == method);
        of_method.map(|message| message["params"].clone()).collect()
    }

    /// The mark that every process of this world carries.
    pub fn mark(&self) -> &Mark {
        &self.mark
    }

    /// What is left of this world now.
    pub fn leftovers(&self) -> Leftovers {
        self.look_with(leftovers::look)
    }

    /// Waits until no process, socket, spool, host or marker folder is left.
    ///
    /// # Panics
    /// Something stays; the message lists it.
    pub fn assert_nothing_left(&self) {
        self.look_with(leftovers::assert_none);
    }

    fn look_with<T>(&self, look: impl FnOnce(Places<'_>) -> T) -> T {
        let (state_dir, runtime_dir) = (self.state_dir(), self.runtime_dir());
        look(Places { mark: &self.mark, state_dir: &state_dir, runtime_dir: &runtime_dir })
    }
}

impl Default for Program {
    fn default() -> Program {
        Program::new()
    }
}

/// The scripted agent of this build, or of [`AGENT_VARIABLE`]. Built first when it is missing or older than its
/// source: a test run of another crate does not build it.
///
/// # Panics
/// It cannot be built.
pub fn scripted_agent_binary() -> PathBuf {
    if let Some(path) = std::env::var_os(AGENT_VARIABLE) {
        return path.into();
    }
    let name = Persona::Generic.executable();
    let binary = target_dir().join(name);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/scripted_agent");
    let changed = newest(&source);
    let built = fs::metadata(&binary).and_then(|metadata| metadata.modified()).ok();
    if built.is_none() || built < changed {
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args(["build", "--quiet", "--package", "segue-testkit", "--bin", name]);
        cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
        match target_dir().file_name() {
            Some(profile) if profile != "debug" => cargo.arg("--profile").arg(profile),
            _ => &mut cargo,
        };
        let status = cargo.status().expect("cargo");
        assert!(status.success(), "cannot build the scripted agent: {status}");
        // A build that had nothing to do leaves the file as it was: say that it is current.
        if let Ok(file) = fs::File::options().append(true).open(&binary) {
            let _ = file.set_modified(std::time::SystemTime::now());
        }
    }
    binary
}

/// When the newest file of a folder was changed.
fn newest(folder: &Path) -> Option<std::time::SystemTime> {
    let entries = fs::read_dir(folder).ok()?.flatten();
    entries
        .filter_map(|entry| match entry.file_type() {
            Ok(kind) if kind.is_dir() => newest(&entry.path()),
            _ => entry.metadata().and_then(|metadata| metadata.modified()).ok(),
        })
        .max()
}

fn built(name: &str, variable: &str, package: &str) -> PathBuf {
    if let Some(path) = std::env::var_os(variable) {
        return path.into();
    }
    let path = target_dir().join(name);
    assert!(path.is_file(), "{} is missing: `cargo build --package {package}`, or set {variable}", path.display());
    path
}

/// The folder of this build's binaries: tests run from its subfolder `deps`.
fn target_dir() -> PathBuf {
    let executable = std::env::current_exe().expect("the path of the running test");
    let folder = executable.parent().unwrap_or(Path::new("."));
    let folder = if folder.file_name().is_some_and(|name| name == "deps" || name == "examples") {
        folder.parent().unwrap_or(folder)
    } else {
        folder
    };
    folder.to_path_buf()
}
