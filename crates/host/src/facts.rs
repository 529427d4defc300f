//! The words both ends of a host share: who it is, what it was told, how its program ended.
//!
//! Everything here is data that crosses a pipe, a socket or a file as JSON, so fields are only ever added.

use serde::{Deserialize, Serialize};

/// How long a host waits with nobody attached before it ends its program: long enough to restart a server by hand.
pub const ORPHAN_GRACE_MS: u64 = 600_000;
/// How long a program has, after its standard input closed, to go by itself. The slowest agent seen took 5 s.
pub const EOF_GRACE_MS: u64 = 5_000;
/// From each SIGTERM to the SIGKILL after it. Launchers were seen to leave children that need 4 s.
pub const TERM_GRACE_MS: u64 = 5_000;
/// Unimported output at which a host stops reading its program. It never drops any.
pub const SPOOL_LIMIT_BYTES: u64 = 1 << 30;
/// Size at which a spool segment is closed: the unit in which imported output is given back to the disk.
pub const SEGMENT_BYTES: u64 = 16 << 20;

/// The name of the environment variable that marks every process of a host's tree with the host's id.
pub const HOST_MARK: &str = "SEGUE_HOST";

/// One process, told apart from a later one with the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ProcessId {
    pub pid: i32,
    /// When it started, in the kernel's clock ticks since boot; 0 where the platform does not say.
    pub start_ticks: u64,
}

/// What proves, after a crash, that a process is this host or its program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostIdentity {
    /// Changes with every boot.
    pub boot_id: String,
    /// The PID namespace the numbers below belong to (an inode number); 0 where there are none.
    pub pid_namespace: u64,
    pub host: ProcessId,
    /// The program's first process; its pid is also its process group and session.
    pub program: ProcessId,
}

/// A position in both streams of a program: bytes from its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Offsets {
    pub out: u64,
    pub err: u64,
}

impl Offsets {
    /// Both positions are at or past `other`.
    #[must_use]
    pub fn covers(self, other: Self) -> bool {
        self.out >= other.out && self.err >= other.err
    }
}

/// What a host is told once, on its standard input. Every field has a default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HostConfig {
    pub eof_grace_ms: u64,
    /// From each SIGTERM to the SIGKILL after it.
    pub term_grace_ms: u64,
    pub orphan_grace_ms: u64,
    /// Remove the folder after an end that nobody asked for, instead of leaving it for import.
    pub discard_on_orphan: bool,
    /// Count the program's stderr and keep none of it.
    pub count_only_stderr: bool,
    /// The program speaks JSON-RPC in lines: follow open permission questions, so that an orphan's can be answered.
    pub json_rpc: bool,
    pub spool_limit_bytes: u64,
    pub segment_bytes: u64,
    /// How many files the program may have open (the soft limit), where it is not to have as many as the host.
    pub open_files: Option<u64>,
}

impl Default for HostConfig {
    fn default() -> Self {
        Self {
            eof_grace_ms: EOF_GRACE_MS,
            term_grace_ms: TERM_GRACE_MS,
            orphan_grace_ms: ORPHAN_GRACE_MS,
            discard_on_orphan: false,
            count_only_stderr: false,
            json_rpc: true,
            spool_limit_bytes: SPOOL_LIMIT_BYTES,
            segment_bytes: SEGMENT_BYTES,
            open_files: None,
        }
    }
}

/// How to end a turn for which nobody came back. Sent before the prompt it belongs to; a later one replaces it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct OrphanPlan {
    /// One line for the program, written before its input closes (`session/cancel`).
    pub cancel_line: Option<String>,
    /// The JSON-RPC id whose response ends the turn; awaited for a bounded time after the line.
    pub await_reply_id: Option<serde_json::Value>,
    /// Replaces the grace of the configuration when given.
    pub grace_ms: Option<u64>,
}

/// How the program's first process ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    Code(i32),
    Signal(i32),
    /// It could not be executed; why.
    NeverStarted(String),
    /// It outlived every signal; see [`StopReceipt::unconfirmed`].
    StillRunning,
}

/// Who wanted the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskedBy {
    /// The attached server.
    Client,
    /// Nobody was attached for the whole grace.
    Orphan,
    /// The idle clock ran out with nobody attached.
    Idle,
    /// The host itself was told to go (SIGTERM, SIGINT, SIGHUP).
    Signal,
    /// The program ended by itself.
    SelfExit,
    /// The host was gone; a server ended what it left.
    Sweep,
}

/// The last thing that was done to a process before it was gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// Nothing: it went by itself.
    Exited,
    StdinClosed,
    Sigterm,
    Sigkill,
}

/// A process of the tree that was seen when the end began, or later, and is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndedProcess {
    pub pid: i32,
    pub name: String,
    pub how: How,
    /// It was in the program's process group.
    pub in_group: bool,
}

/// A process of the tree that is still there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Survivor {
    pub pid: i32,
    pub name: String,
    /// As in [`ProcessId`]; 0 in what older hosts wrote.
    #[serde(default)]
    pub start_ticks: u64,
}

impl Survivor {
    /// `None` where it is not known which process of that number it was.
    #[must_use]
    pub fn id(&self) -> Option<ProcessId> {
        (self.start_ticks != 0).then_some(ProcessId { pid: self.pid, start_ticks: self.start_ticks })
    }
}

/// A rung of the ladder that was waited on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepTaken {
    pub step: Step,
    pub ms: u64,
}

/// The rungs, in order. See `guest::ladder` for the length of each wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// The cancel line was written; its reply is awaited (orphans only; a server does this itself).
    Cancel,
    /// The program went by itself; what it left may finish.
    Drain,
    StdinClosed,
    LeaderTerm,
    LeaderKill,
    GroupTerm,
    GroupKill,
    /// Descendants outside the group.
    RestTerm,
    RestKill,
}

/// What was done to end a tree, and what is known about the result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StopReceipt {
    pub asked_by: AskedBy,
    /// The words that came with the request.
    #[serde(default)]
    pub reason: Option<String>,
    /// At most 256; `processes_unlisted` counts the others.
    pub processes: Vec<EndedProcess>,
    #[serde(default)]
    pub processes_unlisted: u64,
    /// What was alive when the last wait was over.
    pub escaped: Vec<Survivor>,
    /// The tree was seen empty.
    pub tree_empty: bool,
    /// What this platform cannot show; an empty tree is claimed without it.
    #[serde(default)]
    pub unseen: Option<String>,
    /// Why the end is not confirmed, in the words of the contract.
    pub unconfirmed: Option<String>,
    /// How much the program wrote to stderr, kept or not.
    pub stderr_bytes: u64,
    pub steps: Vec<StepTaken>,
}

/// How many processes a receipt names: more than any tree seen, and bounded.
pub const PROCESSES_LISTED: usize = 256;

/// The last record of a spool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndRecord {
    pub exit: Exit,
    pub stop_receipt: StopReceipt,
    /// The length of both streams.
    pub streams: Offsets,
    /// The number of the last input whose first byte went to the program; 0 for none.
    pub last_input: u64,
}
