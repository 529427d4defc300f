//! How many files may be open: as many as the system allows for this process, and as many as the user's shell says for
//! the programs that it starts. Some of those count on descriptors being small numbers.

use std::io;
use std::sync::OnceLock;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The soft limit that this process was started with, once it was raised.
static BEFORE: OnceLock<u64> = OnceLock::new();

/// "Without a limit" is refused where the kernel has one of its own (macOS); far more than a server with all that it
/// can be asked for at once needs.
const ENOUGH: u64 = 65_536;

/// Raises the soft limit to the hard one. Programs that are started under hosts get the one from before.
pub fn raise_open_files() {
    let limit = getrlimit(Resource::Nofile);
    let Some(soft) = limit.current else { return };
    let wanted = limit.maximum.unwrap_or(ENOUGH);
    if soft < wanted && set_soft(wanted).is_ok() {
        let _ = BEFORE.set(soft);
    }
}

/// The soft limit for programs, when this process has another one.
pub(crate) fn before() -> Option<u64> {
    BEFORE.get().copied()
}

/// One system call before and one for the change; for use between fork and exec too.
pub(crate) fn set_soft(soft: u64) -> io::Result<()> {
    let maximum = getrlimit(Resource::Nofile).maximum;
    let current = maximum.map_or(soft, |maximum| soft.min(maximum));
    Ok(setrlimit(Resource::Nofile, Rlimit { current: Some(current), maximum })?)
}
