//! Systems without `/proc`: what `ps` shows, which is the group and children still attached; receipts say so.

use std::collections::BTreeSet;
use std::io;

use rustix::process::{Pid, Signal};

use crate::facts::ProcessId;

/// Descendants that left the group cannot be seen.
pub(crate) const SEES_DESCENDANTS: bool = false;

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
    Gone,
    Refused,
}

pub(crate) fn identify(pid: i32) -> Option<ProcessId> {
    rustix::process::test_kill_process(Pid::from_raw(pid)?).ok()?;
    Some(ProcessId { pid, start_ticks: 0 })
}

pub(crate) fn dead_children(of: i32) -> io::Result<Vec<i32>> {
    Ok(table()?
        .into_iter()
        .filter(|(process, dead)| *dead && process.parent == of)
        .map(|(process, _)| process.id.pid)
        .collect())
}

/// What `ps` shows below `root`, and the groups of its children. What was re-parented and left its group is not seen.
pub(crate) fn descendants(root: i32) -> io::Result<Vec<Process>> {
    let table = table()?;
    let mut below = BTreeSet::from([root]);
    let mut groups = BTreeSet::new();
    loop {
        let before = below.len();
        for (process, _) in &table {
            if below.contains(&process.parent) || groups.contains(&process.group) {
                below.insert(process.id.pid);
                if process.parent == root && process.group == process.id.pid {
                    groups.insert(process.group);
                }
            }
        }
        if below.len() == before {
            break;
        }
    }
    Ok(table
        .into_iter()
        .filter(|(process, dead)| !dead && process.id.pid != root && below.contains(&process.id.pid))
        .map(|(process, _)| process)
        .collect())
}

fn table() -> io::Result<Vec<(Process, bool)>> {
    let ps = std::process::Command::new("/bin/ps")
        .args(["-axo", "pid=,ppid=,pgid=,state=,comm="])
        .stdout(std::process::Stdio::piped())
        .spawn()?;
    let own = i32::try_from(ps.id()).unwrap_or(0);
    let output = ps.wait_with_output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().filter_map(parse_line).filter(|(process, _)| process.id.pid != own).collect())
}

fn parse_line(line: &str) -> Option<(Process, bool)> {
    let mut fields = line.split_ascii_whitespace();
    let mut number = || fields.next()?.parse::<i32>().ok();
    let (pid, parent, group) = (number()?, number()?, number()?);
    let dead = fields.next()?.starts_with('Z');
    let name = fields.collect::<Vec<_>>().join(" ");
    Some((Process { id: ProcessId { pid, start_ticks: 0 }, parent, group, name }, dead))
}

/// Without a start time nothing can be proven, so nothing is claimed.
pub(crate) fn belongings(
    _host_id: &str,
    _leader: Option<ProcessId>,
    _known: &BTreeSet<ProcessId>,
) -> io::Result<Vec<Process>> {
    Ok(Vec::new())
}

/// The number is all there is to go by.
pub(crate) fn signal(id: ProcessId, signal: Signal) -> Sent {
    match Pid::from_raw(id.pid).map(|pid| rustix::process::kill_process(pid, signal)) {
        Some(Ok(())) => Sent::Delivered,
        Some(Err(rustix::io::Errno::SRCH)) | None => Sent::Gone,
        Some(Err(_)) => Sent::Refused,
    }
}

pub(crate) fn adopt_descendants() -> io::Result<()> {
    Ok(())
}

pub(crate) fn boot_id() -> io::Result<String> {
    let output = std::process::Command::new("/usr/sbin/sysctl").args(["-n", "kern.bootsessionuuid"]).output()?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

pub(crate) fn pid_namespace() -> io::Result<u64> {
    Ok(0)
}
