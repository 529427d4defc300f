//! The process table, read through `/proc`, and signals to exactly the process that was meant.
//!
//! `tree_other.rs` has the same functions for systems without it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;

use rustix::process::{Pid, PidfdFlags, Signal};

use crate::facts::{HOST_MARK, ProcessId};

/// The tree below a host can be seen whole.
pub(crate) const SEES_DESCENDANTS: bool = true;

/// A living process.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Process {
    pub id: ProcessId,
    pub parent: i32,
    pub group: i32,
    pub name: String,
}

/// What became of a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sent {
    Delivered,
    /// There is no such process any more.
    Gone,
    /// The kernel refused.
    Refused,
}

struct Stat {
    process: Process,
    /// Exited, and no thread of it runs.
    dead: bool,
}

/// The fields of `/proc/<pid>/stat`. The name is in brackets and may hold brackets and spaces itself.
fn parse_stat(pid: i32, text: &str) -> Option<Stat> {
    let (_, rest) = text.split_once('(')?;
    let (name, rest) = rest.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let number = |at: usize| fields.get(at)?.parse::<i64>().ok();
    let state = *fields.first()?;
    let threads = number(17)?;
    Some(Stat {
        process: Process {
            id: ProcessId { pid, start_ticks: fields.get(19)?.parse().ok()? },
            parent: i32::try_from(number(1)?).ok()?,
            group: i32::try_from(number(2)?).ok()?,
            name: name.to_owned(),
        },
        // A zombie whose first thread ended early still works in its other threads.
        dead: state == "X" || (state == "Z" && threads <= 1),
    })
}

/// What Node.js calls its first thread, and with it the process. Of several agents a person would see nothing else.
const NODE_THREAD: &str = "MainThread";

fn stat(pid: i32) -> io::Result<Option<Stat>> {
    match fs::read(format!("/proc/{pid}/stat")) {
        Ok(text) => {
            let mut stat = parse_stat(pid, &String::from_utf8_lossy(&text));
            if let Some(stat) = stat.as_mut().filter(|stat| stat.process.name == NODE_THREAD) {
                // One that ends meanwhile keeps the name it has.
                if let Ok(program) = fs::read_link(format!("/proc/{pid}/exe"))
                    && let Some(name) = program.file_name()
                {
                    stat.process.name = name.to_string_lossy().into_owned();
                }
            }
            Ok(stat)
        }
        Err(error) if is_gone(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

fn is_gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound || error.raw_os_error() == Some(rustix::io::Errno::SRCH.raw_os_error())
}

/// This process, or another; `None` when there is none of that number.
pub(crate) fn identify(pid: i32) -> Option<ProcessId> {
    stat(pid).ok().flatten().map(|stat| stat.process.id)
}

fn children(pid: i32) -> io::Result<Option<Vec<i32>>> {
    let mut found = Vec::new();
    let threads = match fs::read_dir(format!("/proc/{pid}/task")) {
        Ok(threads) => threads,
        Err(error) if is_gone(&error) => return Ok(Some(found)),
        Err(error) => return Err(error),
    };
    for thread in threads {
        let Ok(thread) = thread else { continue };
        match fs::read_to_string(thread.path().join("children")) {
            Ok(text) => found.extend(text.split_ascii_whitespace().filter_map(|pid| pid.parse::<i32>().ok())),
            // The thread went; or this kernel has no such file, which every process shows in its first thread.
            Err(error) if is_gone(&error) => {
                if thread.path().join("stat").exists() {
                    return Ok(None);
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(Some(found))
}

/// Direct children that have ended and wait for their parent, this process.
pub(crate) fn dead_children(of: i32) -> io::Result<Vec<i32>> {
    let pids = match children(of)? {
        Some(pids) => pids,
        None => table()?.values().filter(|stat| stat.process.parent == of).map(|stat| stat.process.id.pid).collect(),
    };
    let mut dead = Vec::new();
    for pid in pids {
        if stat(pid)?.is_some_and(|stat| stat.dead) {
            dead.push(pid);
        }
    }
    Ok(dead)
}

/// Everything that lives below `root`. One that forks while this looks may be missed once.
pub(crate) fn descendants(root: i32) -> io::Result<Vec<Process>> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::from([root]);
    let mut open = vec![root];
    while let Some(parent) = open.pop() {
        let Some(pids) = children(parent)? else { return descendants_by_table(root) };
        for pid in pids {
            if seen.insert(pid)
                && let Some(stat) = stat(pid)?
            {
                open.push(pid);
                if !stat.dead {
                    found.push(stat.process);
                }
            }
        }
    }
    Ok(found)
}

fn table() -> io::Result<BTreeMap<i32, Stat>> {
    let mut table = BTreeMap::new();
    for entry in fs::read_dir("/proc")? {
        let Some(pid) = entry?.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        if let Some(stat) = stat(pid)? {
            table.insert(pid, stat);
        }
    }
    Ok(table)
}

fn descendants_by_table(root: i32) -> io::Result<Vec<Process>> {
    let table = table()?;
    Ok(table
        .values()
        .filter(|stat| !stat.dead && descends(&table, stat.process.id.pid, |pid| pid == root))
        .map(|stat| stat.process.clone())
        .collect())
}

/// An ancestor of `pid` satisfies `is_root`.
fn descends(table: &BTreeMap<i32, Stat>, pid: i32, is_root: impl Fn(i32) -> bool) -> bool {
    let mut at = pid;
    // A chain longer than the table is a circle: parents changed while it was read.
    for _ in 0..table.len() {
        let Some(stat) = table.get(&at) else { return false };
        at = stat.process.parent;
        if is_root(at) {
            return true;
        }
        if at <= 1 {
            return false;
        }
    }
    false
}

/// What a lost host left, as far as it can be proven: `known` processes, those that carry the host's mark, those in the
/// group of a living `leader`, and all that descend from one of these. Never this process nor an ancestor of it.
pub(crate) fn belongings(
    host_id: &str,
    leader: Option<ProcessId>,
    known: &BTreeSet<ProcessId>,
) -> io::Result<Vec<Process>> {
    let table = table()?;
    let mark = format!("{HOST_MARK}={host_id}").into_bytes();
    let group = leader
        .filter(|leader| table.get(&leader.pid).is_some_and(|stat| stat.process.id == *leader))
        .map(|leader| leader.pid);
    let proven: BTreeSet<i32> = table
        .values()
        .filter(|stat| {
            let process = &stat.process;
            known.contains(&process.id) || group == Some(process.group) || is_marked(process.id.pid, &mark)
        })
        .map(|stat| stat.process.id.pid)
        .collect();
    let own = i32::try_from(std::process::id()).unwrap_or(0);
    let spared = |pid: i32| pid == own || descends(&table, own, |ancestor| ancestor == pid);
    Ok(table
        .values()
        .filter(|stat| !stat.dead)
        .map(|stat| &stat.process)
        .filter(|process| {
            proven.contains(&process.id.pid) || descends(&table, process.id.pid, |pid| proven.contains(&pid))
        })
        .filter(|process| !spared(process.id.pid))
        .cloned()
        .collect())
}

fn is_marked(pid: i32, mark: &[u8]) -> bool {
    // Another user's environment cannot be read, and is not ours.
    fs::read(format!("/proc/{pid}/environ"))
        .is_ok_and(|environ| environ.split(|byte| *byte == 0).any(|entry| entry == mark))
}

/// Signals this very process: the descriptor is taken first, then it is checked that it is the one.
pub(crate) fn signal(id: ProcessId, signal: Signal) -> Sent {
    let Some(pid) = Pid::from_raw(id.pid) else { return Sent::Gone };
    let sent = rustix::process::pidfd_open(pid, PidfdFlags::empty()).and_then(|pidfd| {
        if identify(id.pid) == Some(id) {
            rustix::process::pidfd_send_signal(&pidfd, signal)
        } else {
            Err(rustix::io::Errno::SRCH)
        }
    });
    match sent {
        Ok(()) => Sent::Delivered,
        Err(rustix::io::Errno::SRCH) => Sent::Gone,
        Err(_) => Sent::Refused,
    }
}

/// Become the parent of every descendant whose own parent ends.
pub(crate) fn adopt_descendants() -> io::Result<()> {
    Ok(rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?)
}

/// Changes with every boot.
pub(crate) fn boot_id() -> io::Result<String> {
    Ok(fs::read_to_string("/proc/sys/kernel/random/boot_id")?.trim().to_owned())
}

/// Which numbering this process's pids belong to.
pub(crate) fn pid_namespace() -> io::Result<u64> {
    use std::os::unix::fs::MetadataExt;
    Ok(fs::metadata("/proc/self/ns/pid")?.ino())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_and_spaces_does_not_shift_the_fields() {
        let text = "42 (a) b (c) S 7 40 40 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 987654 1 1";
        let stat = parse_stat(42, text).unwrap();
        assert_eq!(
            (stat.process, stat.dead),
            (
                Process {
                    id: ProcessId { pid: 42, start_ticks: 987_654 },
                    parent: 7,
                    group: 40,
                    name: "a) b (c".to_owned()
                },
                false
            )
        );
        assert!(parse_stat(42, &text.replace(" S 7", " Z 7")).unwrap().dead);
        assert!(!parse_stat(42, &text.replace(" S 7", " Z 7").replace("20 0 1 0", "20 0 3 0")).unwrap().dead);
        assert!(parse_stat(42, "42 (a").is_none());
    }

    #[test]
    fn a_process_that_node_named_after_its_thread_has_the_name_of_its_program() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join(NODE_THREAD);
        std::os::unix::fs::symlink("/bin/sh", &link).unwrap();
        let waits = ["-c", "read -r line"];
        let mut child =
            std::process::Command::new(&link).args(waits).stdin(std::process::Stdio::piped()).spawn().unwrap();
        let seen = stat(i32::try_from(child.id()).unwrap()).unwrap().unwrap();
        let shell = std::fs::canonicalize("/bin/sh").unwrap();
        assert_eq!(Some(std::ffi::OsStr::new(&seen.process.name)), shell.file_name());
        drop(child.stdin.take());
        child.wait().unwrap();
    }

    #[test]
    fn the_fallback_sees_what_the_children_files_show() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        let me = i32::try_from(std::process::id()).unwrap();
        let find = |list: Vec<Process>| list.into_iter().find(|process| process.id.pid == pid);
        let one = find(descendants(me).unwrap()).unwrap();
        assert_eq!(Some(one.clone()), find(descendants_by_table(me).unwrap()));
        assert_eq!(signal(ProcessId { start_ticks: one.id.start_ticks + 1, ..one.id }, Signal::KILL), Sent::Gone);
        assert_eq!(identify(pid), Some(one.id));
        assert_eq!(signal(one.id, Signal::KILL), Sent::Delivered);
        child.wait().unwrap();
        assert_eq!(signal(one.id, Signal::KILL), Sent::Gone);
    }
}
