//! Who is at the other end of a connection, as the operating system says. Looked up once, when it is accepted.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
use linux as platform;
#[cfg(not(target_os = "linux"))]
mod other;
#[cfg(not(target_os = "linux"))]
use other as platform;

use std::net::SocketAddr;

/// Who a connection comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// A process of the user this one runs as, on this machine.
    SameUser,
    /// Another user's, or nobody knows whose.
    Unknown,
}

impl Caller {
    /// The one at `peer` of a connection to `own`. Reads a table of the system: call it where blocking is allowed.
    #[must_use]
    pub fn of(peer: SocketAddr, own: SocketAddr) -> Self {
        if !peer.ip().to_canonical().is_loopback() {
            return Self::Unknown;
        }
        match platform::owner(peer, own) {
            Some(uid) if uid == rustix::process::getuid().as_raw() => Self::SameUser,
            _ => Self::Unknown,
        }
    }
}
