//! Which program on this machine is at the other end of a connection: an agent's, or anybody's.
//!
//! An agent that learned the cookie, from a page that it made the person open, still gets nowhere. Its processes are below
//! a supervisor of ours and cannot leave that place, so the socket at the other end tells them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Read;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// The hidden command of the process that every agent is below.
const SUPERVISOR: &[u8] = b"supervise";
/// More than the longest path of a program and what is read behind it.
const READ_BYTES: usize = 8 << 10;

/// The processes of agents. Many requests come at once: one look is enough for all that were there when it began. An earlier
/// one is not, although the connection was open: an agent could hand it to a process that it starts after the look.
#[derive(Debug, Default)]
pub struct Agents(Mutex<Option<Look>>);

#[derive(Debug)]
struct Look {
    begun: Instant,
    pids: Arc<BTreeSet<u32>>,
}

impl Agents {
    /// True where a process below a supervisor holds the other end. The ends are as our socket has them; `since` is when the
    /// request was there.
    pub fn hold(&self, peer: SocketAddr, own: SocketAddr, since: Instant) -> bool {
        let suspects = self.pids(since);
        if suspects.is_empty() {
            return false;
        }
        let Some(inode) = socket_of(peer, own) else { return false };
        suspects.iter().any(|pid| holds(*pid, &inode))
    }

    fn pids(&self, since: Instant) -> Arc<BTreeSet<u32>> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(look) = last.as_ref().filter(|look| look.begun > since) {
            return look.pids.clone();
        }
        let begun = Instant::now();
        let pids = Arc::new(below_supervisors());
        *last = Some(Look { begun, pids: pids.clone() });
        pids
    }
}

fn below_supervisors() -> BTreeSet<u32> {
    let pid = |entry: fs::DirEntry| entry.file_name().to_str()?.parse::<u32>().ok();
    let all: Vec<u32> =
        fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(pid).collect();
    let supervisors: BTreeSet<u32> =
        all.iter().copied().filter(|pid| is_supervisor(*pid)).collect();
    if supervisors.is_empty() {
        return BTreeSet::new();
    }
    let table: BTreeMap<u32, u32> =
        all.into_iter().filter_map(|pid| Some((pid, parent(pid)?))).collect();
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
    table.keys().copied().filter(is_below).collect()
}

fn parent(pid: u32) -> Option<u32> {
    let stat = of_process(pid, "stat")?;
    // The name before it may have spaces and parentheses of its own.
    let stat = String::from_utf8_lossy(&stat);
    let (_, rest) = stat.rsplit_once(") ")?;
    rest.split(' ').nth(1)?.parse().ok()
}

fn is_supervisor(pid: u32) -> bool {
    let words = of_process(pid, "cmdline").unwrap_or_default();
    words.split(|byte| *byte == 0).nth(1) == Some(SUPERVISOR)
}

/// The begin of a file about a process, by one call: the kernel gives no size by which it could be read whole.
fn of_process(pid: u32, name: &str) -> Option<Vec<u8>> {
    let mut bytes = vec![0; READ_BYTES];
    let count = File::open(format!("/proc/{pid}/{name}")).ok()?.read(&mut bytes).ok()?;
    bytes.truncate(count);
    Some(bytes)
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
        assert!(!Agents::default().hold(peer, own, Instant::now()), "a test is no agent");
    }

    #[test]
    fn r190_a_look_counts_only_for_requests_that_were_there_before_it() {
        let agents = Agents::default();
        let before = Instant::now();
        let first = agents.pids(before);
        assert!(Arc::ptr_eq(&first, &agents.pids(before)), "one look for all that were there");
        let later = Instant::now();
        assert!(!Arc::ptr_eq(&first, &agents.pids(later)), "what came later is looked for again");
    }

    #[test]
    fn a_process_is_known_by_its_own_words_and_its_parent() {
        let own = std::process::id();
        assert_eq!(parent(own), Some(std::os::unix::process::parent_id()));
        assert!(!is_supervisor(own));
        let mut child = std::process::Command::new("sh")
            .args(["-c", "exec sleep 60"])
            .spawn()
            .expect("a child");
        assert_eq!(parent(child.id()), Some(own));
        child.kill().and_then(|()| child.wait()).expect("it ends");
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
