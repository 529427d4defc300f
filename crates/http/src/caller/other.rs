//! Where the owner of a peer's socket cannot be seen: clients show the token.

use std::net::SocketAddr;

pub fn owner(_peer: SocketAddr, _own: SocketAddr) -> Option<u32> {
    None
}
