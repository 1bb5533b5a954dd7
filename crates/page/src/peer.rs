//! Which program on this machine is at the other end of a connection: an agent's, or anybody's.
//!
//! An agent that learned the cookie still gets nowhere. Its processes are below a supervisor of ours and cannot leave that
//! place. A process can hide a socket, though: it may forbid others to look into it, hand the socket on from child to child, or
//! leave it on its way between two processes. So while agents are at work it does not count that none of them is seen with
//! the socket: another process must be.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Read;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// The hidden command of the process that every agent is below.
const SUPERVISOR: &[u8] = b"supervise";
/// More than the longest path of a program and what is read behind it.
const READ_BYTES: usize = 8 << 10;
/// The kernel's word for the socket of a process that is gone.
const NO_INODE: &str = "0";

/// The processes of agents. Many requests come at once: one look is enough for all that were there when it began. An earlier
/// one is not, although the connection was open: an agent could hand it to a process that it starts after the look.
#[derive(Debug, Default)]
pub struct Agents {
    look: Mutex<Option<Look>>,
    /// A program that nobody may look into counts as a person's.
    trusts_the_unseen: bool,
}

#[derive(Debug)]
struct Look {
    begun: Instant,
    pids: Arc<BTreeSet<u32>>,
}

/// A socket as the kernel lists it.
#[derive(Debug, PartialEq, Eq)]
struct Listed {
    inode: String,
    uid: u32,
}

/// Whether a process has a socket open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    Yes,
    No,
    /// It is gone, or nobody may look into it.
    Unseen,
}

impl Agents {
    pub fn new(trusts_the_unseen: bool) -> Self {
        Self { look: Mutex::default(), trusts_the_unseen }
    }

    /// True where an agent may hold the other end. The ends are as our socket has them; `since` is when the request was there.
    pub fn hold(&self, peer: SocketAddr, own: SocketAddr, since: Instant) -> bool {
        let suspects = self.pids(since);
        if suspects.is_empty() {
            return false;
        }
        let Some(socket) = socket_of(peer, own) else {
            // It is on another machine, or its process has closed it already.
            return is_of_this_machine(peer.ip());
        };
        if socket.inode == NO_INODE {
            return true;
        }
        // An agent is us, and cannot become anybody else but by our being root.
        let us = rustix::process::geteuid();
        if !us.is_root() && socket.uid != us.as_raw() {
            return false;
        }
        let seen: Vec<Holds> = suspects.iter().map(|pid| holds(*pid, &socket.inode)).collect();
        if seen.contains(&Holds::Yes) {
            return true;
        }
        let is_seen_elsewhere = all_pids()
            .into_iter()
            .filter(|pid| !suspects.contains(pid))
            .any(|pid| holds(pid, &socket.inode) == Holds::Yes && is_outside(pid));
        !is_seen_elsewhere && (!self.trusts_the_unseen || seen.contains(&Holds::Unseen))
    }

    fn pids(&self, since: Instant) -> Arc<BTreeSet<u32>> {
        let mut last = self.look.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(look) = last.as_ref().filter(|look| look.begun > since) {
            return look.pids.clone();
        }
        let begun = Instant::now();
        let pids = Arc::new(below_supervisors());
        *last = Some(Look { begun, pids: pids.clone() });
        pids
    }
}

fn all_pids() -> Vec<u32> {
    let pid = |entry: fs::DirEntry| entry.file_name().to_str()?.parse::<u32>().ok();
    fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(pid).collect()
}

/// Its line of parents is known up to the first process, and no supervisor is in it.
fn is_outside(pid: u32) -> bool {
    let mut at = pid;
    // Longer than any line of parents.
    for _ in 0..1_000 {
        match parent(at) {
            _ if is_supervisor(at) => return false,
            Some(0) => return true,
            Some(parent) => at = parent,
            None => return false,
        }
    }
    false
}

fn is_of_this_machine(ip: IpAddr) -> bool {
    UdpSocket::bind((ip, 0)).is_ok()
}

fn below_supervisors() -> BTreeSet<u32> {
    let all = all_pids();
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

fn holds(pid: u32, inode: &str) -> Holds {
    let Ok(open) = fs::read_dir(format!("/proc/{pid}/fd")) else { return Holds::Unseen };
    let wanted = format!("socket:[{inode}]");
    let mut all_seen = true;
    for entry in open {
        match entry.and_then(|entry| fs::read_link(entry.path())) {
            Ok(target) if target == Path::new(&wanted) => return Holds::Yes,
            Ok(_) => {}
            // What it closed meanwhile it does not hold.
            Err(error) => all_seen &= error.kind() == std::io::ErrorKind::NotFound,
        }
    }
    if all_seen { Holds::No } else { Holds::Unseen }
}

/// The socket whose own end is `peer` and whose other end is `own`.
fn socket_of(peer: SocketAddr, own: SocketAddr) -> Option<Listed> {
    let is_its = |line: &&str| {
        let mut words = line.split_whitespace().skip(1);
        words.next().and_then(address) == Some(plain(peer))
            && words.next().and_then(address) == Some(plain(own))
    };
    ["/proc/net/tcp", "/proc/net/tcp6"].iter().find_map(|path| {
        let table = fs::read_to_string(path).ok()?;
        let mut words = table.lines().skip(1).find(is_its)?.split_whitespace().skip(7);
        let uid = words.next()?.parse().ok()?;
        Some(Listed { uid, inode: words.nth(1)?.to_owned() })
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
        let socket = socket_of(peer, own).expect("it is listed");
        assert_eq!(socket.uid, rustix::process::geteuid().as_raw());
        assert_eq!(holds(std::process::id(), &socket.inode), Holds::Yes, "{stream:?}");
        assert!(is_outside(std::process::id()));
        assert!(!Agents::default().hold(peer, own, Instant::now()), "a test is no agent");
    }

    #[test]
    fn what_is_gone_or_elsewhere_is_told_from_what_is_here() {
        assert_eq!(holds(u32::MAX, "1"), Holds::Unseen);
        assert_eq!(holds(std::process::id(), "no number"), Holds::No);
        assert!(is_of_this_machine(IpAddr::from([127, 8, 8, 8])));
        assert!(!is_of_this_machine(IpAddr::from([192, 0, 2, 77])));
        assert!(!is_outside(u32::MAX));
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
