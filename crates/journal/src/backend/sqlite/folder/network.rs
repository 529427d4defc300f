//! Tells a network file system from a local one.
//!
//! Only what is clearly shared between machines is named. Folders that a virtual machine shares with
//! its host (9p, virtiofs) are one machine's disk, and FUSE is judged by the program behind it.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
pub(super) use linux::kind;

/// The name of the network file system that `dir` is on. Not looked at on this platform.
#[cfg(not(target_os = "linux"))]
#[expect(clippy::unnecessary_wraps, reason = "the same signature on every platform")]
pub(super) fn kind(_dir: &std::path::Path) -> std::io::Result<Option<String>> {
    Ok(None)
}
