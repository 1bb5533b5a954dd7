//! Which program on this machine is at the other end of a connection: an agent's, or anybody's.
//!
//! An agent that learned the cookie, from a page that it made the person open, still gets nowhere. Its processes are below
//! a supervisor of ours and cannot leave that place, so the socket at the other end tells them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;

/// The hidden command of the process that every agent is below.
const SUPERVISOR: &[u8] = b"supervise";

/// True where a process below a supervisor holds the other end. The ends are as our socket has them.
pub fn is_an_agent(peer: SocketAddr, own: SocketAddr) -> bool {
    let Ok(table) = processes() else { return false };
    let suspects = below_supervisors(&table);
    if suspects.is_empty() {
        return false;
    }
    let Some(inode) = socket_of(peer, own) else { return false };
    suspects.iter().any(|pid| holds(*pid, &inode))
}

/// Every process with its parent.
fn processes() -> std::io::Result<BTreeMap<u32, u32>> {
    let pid = |entry: fs::DirEntry| entry.file_name().to_str()?.parse::<u32>().ok();
    let all = fs::read_dir("/proc")?.flatten().filter_map(pid);
    Ok(all.filter_map(|pid| Some((pid, parent(pid)?))).collect())
}

fn parent(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name before it may have spaces and parentheses of its own.
    let (_, rest) = stat.rsplit_once(") ")?;
    rest.split(' ').nth(1)?.parse().ok()
}

fn below_supervisors(table: &BTreeMap<u32, u32>) -> BTreeSet<u32> {
    let supervisors: BTreeSet<u32> =
        table.keys().copied().filter(|pid| is_supervisor(*pid)).collect();
    let is_below = |pid: &u32| {
        let mut at = table.get(pid);
        // A chain that is read while it changes could have a circle.
        for _ in 0..table.len() {
            match at {
                Some(parent) if supervisors.contains(parent) => return true,
                Some(parent) => at = table.get(parent),
                None => return false,
            }
        }
        false
    };
    table.keys().copied().filter(|pid| !supervisors.is_empty() && is_below(pid)).collect()
}

fn is_supervisor(pid: u32) -> bool {
    let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    words.split(|byte| *byte == 0).nth(1) == Some(SUPERVISOR)
}

fn holds(pid: u32, inode: &str) -> bool {
    let wanted = format!("socket:[{inode}]");
    let open = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    open.filter_map(|entry| fs::read_link(entry.path()).ok())
        .any(|target| target == Path::new(&wanted))
}

/// The number of the socket whose own end is `peer` and whose other end is `own`.
fn socket_of(peer: SocketAddr, own: SocketAddr) -> Option<String> {
    let is_its = |line: &&str| {
        let mut words = line.split_whitespace().skip(1);
        words.next().and_then(address) == Some(plain(peer))
            && words.next().and_then(address) == Some(plain(own))
    };
    ["/proc/net/tcp", "/proc/net/tcp6"].iter().find_map(|path| {
        let table = fs::read_to_string(path).ok()?;
        let line = table.lines().skip(1).find(is_its)?;
        line.split_whitespace().nth(9).map(str::to_owned)
    })
}

fn plain(of: SocketAddr) -> SocketAddr {
    SocketAddr::new(of.ip().to_canonical(), of.port())
}

/// `0100007F:1F90`, in groups of four bytes as this machine orders them.
fn address(text: &str) -> Option<SocketAddr> {
    let (ip, port) = text.split_once(':')?;
    let groups: Vec<[u8; 4]> = (0..ip.len() / 8)
        .filter_map(|at| u32::from_str_radix(ip.get(at * 8..at * 8 + 8)?, 16).ok())
        .map(u32::to_ne_bytes)
        .collect();
    let ip = match groups.as_slice() {
        [four] => IpAddr::from(*four),
        [..] if groups.len() == 4 => {
            let mut bytes = [0; 16];
            bytes.iter_mut().zip(groups.iter().flatten()).for_each(|(to, from)| *to = *from);
            IpAddr::from(bytes)
        }
        _ => return None,
    };
    Some(plain(SocketAddr::new(ip, u16::from_str_radix(port, 16).ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn the_other_end_of_a_connection_is_found() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let stream = TcpStream::connect(listener.local_addr().expect("an address")).expect("open");
        let (taken, peer) = listener.accept().expect("a connection");
        let own = taken.local_addr().expect("an address");
        let inode = socket_of(peer, own).expect("it is listed");
        assert!(holds(std::process::id(), &inode), "{stream:?}");
        assert!(!is_an_agent(peer, own), "a test is no agent");
    }

    #[test]
    fn addresses_are_read_as_the_kernel_writes_them() {
        assert_eq!(address("0100007F:1F90"), Some("127.0.0.1:8080".parse().expect("an address")));
        let mapped = "0000000000000000FFFF00000100007F:0050";
        assert_eq!(address(mapped), Some("127.0.0.1:80".parse().expect("an address")));
        assert_eq!(
            address("00000000000000000000000001000000:0050"),
            Some("[::1]:80".parse().expect("an address"))
        );
        assert_eq!(address("xyz"), None);
    }
}
