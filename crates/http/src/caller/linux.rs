//! The owner of a peer's socket from the kernel's tables of TCP sockets.
//!
//! The tables of `/proc` rather than `sock_diag`: they need no kernel module, which a container cannot load.

use std::{
    fs::File,
    io::{BufRead, BufReader},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
};

/// A client may hold an IPv6 socket that speaks to an IPv4 address, so both are looked at.
const TABLES: [&str; 2] = ["/proc/self/net/tcp", "/proc/self/net/tcp6"];

/// How often the tables are read for a socket that must be there: they are no snapshot, so that a line can be passed
/// over while others go.
const LOOKS: usize = 3;

/// The user id of the socket at `peer` that is connected to `own`.
pub fn owner(peer: SocketAddr, own: SocketAddr) -> Option<u32> {
    (0..LOOKS).find_map(|_| look(peer, own))
}

fn look(peer: SocketAddr, own: SocketAddr) -> Option<u32> {
    TABLES.iter().find_map(|table| {
        let lines = BufReader::new(File::open(table).ok()?).lines();
        lines.skip(1).map_while(Result::ok).find_map(|line| owner_in(&line, peer, own))
    })
}

/// One line: number, local address, remote address, state, queues, timer, retransmissions, uid, timeouts, inode.
fn owner_in(line: &str, peer: SocketAddr, own: SocketAddr) -> Option<u32> {
    let mut words = line.split_ascii_whitespace().skip(1);
    let is = |word: Option<&str>, expected: SocketAddr| address(word?).filter(|found| same(*found, expected));
    is(words.next(), peer)?;
    is(words.next(), own)?;
    let uid = words.nth(4)?.parse().ok()?;
    let inode: u64 = words.nth(1)?.parse().ok()?;
    // A socket that nobody holds any more is shown as root's.
    (inode != 0).then_some(uid)
}

fn same(a: SocketAddr, b: SocketAddr) -> bool {
    a.port() == b.port() && a.ip().to_canonical() == b.ip().to_canonical()
}

/// `0100007F:1F90`: words of 32 bits in the machine's own byte order, and the port as it is said.
fn address(text: &str) -> Option<SocketAddr> {
    let (ip, port) = text.split_once(':')?;
    let word = |at: usize| u32::from_str_radix(ip.get(at * 8..at * 8 + 8)?, 16).ok().map(u32::to_ne_bytes);
    let ip = match ip.len() {
        8 => IpAddr::V4(Ipv4Addr::from(word(0)?)),
        32 => {
            let mut bytes = [0; 16];
            for (at, chunk) in bytes.chunks_exact_mut(4).enumerate() {
                chunk.copy_from_slice(&word(at)?);
            }
            IpAddr::V6(Ipv6Addr::from(bytes))
        }
        _ => return None,
    };
    Some(SocketAddr::new(ip, u16::from_str_radix(port, 16).ok()?))
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    const LINE: &str =
        "   1: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 538 1 0 20";

    #[test]
    #[cfg(target_endian = "little")]
    fn a_line_names_both_ends_and_the_owner() {
        let at = |text: &str| text.parse::<SocketAddr>().expect("an address");
        let (peer, own) = (at("127.0.0.1:8080"), at("127.0.0.1:50000"));
        assert_eq!(owner_in(LINE, peer, own), Some(1000));
        assert_eq!(owner_in(LINE, own, peer), None, "the other direction");
        assert_eq!(owner_in(&LINE.replace(" 538 ", " 0 "), peer, own), None, "nobody holds it");
        let mapped = LINE.replace("0100007F", "0000000000000000FFFF00000100007F");
        assert_eq!(owner_in(&mapped, peer, own), Some(1000));
        assert_eq!(owner_in("  sl  local_address rem_address", peer, own), None);
    }

    #[test]
    fn a_real_connection_is_found() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(listener) = TcpListener::bind(address) else { continue };
            let own = listener.local_addr().expect("an address");
            let client = TcpStream::connect(own).expect("a connection");
            let (accepted, peer) = listener.accept().expect("accepted");
            assert_eq!(owner(peer, own), Some(rustix::process::getuid().as_raw()), "{address}");
            drop(client);
            drop(accepted);
        }
    }
}
