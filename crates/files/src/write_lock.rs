//! Locks that only someone who may write the file can hold, so that no agent can: it may read nearly everything, and a
//! descriptor for reading is enough for `flock`.
//!
//! What counts is a write lock on the open file (`F_OFD_SETLK`), for which the kernel wants a descriptor for writing. A
//! reader can still take a read lock, and that keeps writers out. Such a file is left to it, and the lock is taken on the
//! next of the row: `lock`, `lock.1`, `lock.2`. Every file of the row counts, and no file of it is ever removed.

use crate::{folder_of, options_nofollow};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread;
use std::time::Duration;

/// How long to wait before looking again at a lock that another holds.
const POLL: Duration = Duration::from_millis(10);

/// What came of trying to be the only one. The lock ends with the last copy of its descriptor, and with the process.
#[derive(Debug)]
pub enum Owned {
    Ours(File),
    /// By someone who may write it; the file that they hold.
    ByAnother(File),
}

/// Tries to be the only owner of a lock.
pub fn try_own(path: &Path) -> io::Result<Owned> {
    for number in 0.. {
        let file = open_or_make(path, number, OWNER)?;
        match try_lock(&file, OWNER)? {
            Locked::Ours => {}
            Locked::ByWriter => return Ok(Owned::ByAnother(file)),
            Locked::ByReader => continue,
        }
        // Someone who met a reader may own a later file of the row, or an earlier one that a reader has left since. Who
        // takes first and looks then misses nobody who does the same.
        for (other, file) in row(path)? {
            if other != number && is_write_locked(&file, OWNER)? {
                return Ok(Owned::ByAnother(file));
            }
        }
        return Ok(Owned::Ours(file));
    }
    unreachable!("there are more numbers than files")
}

/// Waits to be the only owner.
pub fn own(path: &Path) -> io::Result<File> {
    loop {
        match try_own(path)? {
            Owned::Ours(file) => return Ok(file),
            Owned::ByAnother(_) => thread::sleep(POLL),
        }
    }
}

/// One of many who hold a lock at the same time.
pub fn join(path: &Path) -> io::Result<File> {
    static NEXT: AtomicI64 = AtomicI64::new(1);
    // A place of its own for everyone: two write locks on one place would keep each other out.
    let own =
        i64::from(std::process::id()) << 31 | (NEXT.fetch_add(1, Ordering::Relaxed) & 0x7fff_ffff);
    let place = Range { start: own, len: 1 };
    for number in 0.. {
        let file = open_or_make(path, number, place)?;
        if matches!(try_lock(&file, place)?, Locked::Ours) {
            return Ok(file);
        }
    }
    unreachable!("there are more numbers than files")
}

/// Whether someone owns a lock or has joined it. Asking disturbs nobody.
pub fn is_held(path: &Path) -> io::Result<bool> {
    for (_, file) in row(path)? {
        if is_write_locked(&file, EVERYTHING)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Bytes of a lock file, there or not.
#[derive(Debug, Clone, Copy)]
struct Range {
    start: i64,
    /// 0 is up to the end, wherever that is.
    len: i64,
}

const OWNER: Range = Range { start: 0, len: 1 };
const EVERYTHING: Range = Range { start: 0, len: 0 };

enum Locked {
    Ours,
    ByWriter,
    ByReader,
}

fn name_of(path: &Path, number: u32) -> PathBuf {
    if number == 0 {
        return path.to_owned();
    }
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    PathBuf::from(name)
}

/// The files of the row that are there.
fn row(path: &Path) -> io::Result<Vec<(u32, File)>> {
    let mut files = Vec::new();
    for number in 0.. {
        match options_nofollow().read(true).open(name_of(path, number)) {
            Ok(file) => files.push((number, file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => break,
            Err(error) => return Err(error),
        }
    }
    Ok(files)
}

/// A further file of the row is locked before anyone can find it: a reader
/// that watches the folder would be first otherwise.
fn open_or_make(path: &Path, number: u32, range: Range) -> io::Result<File> {
    let place = name_of(path, number);
    let mut options = options_nofollow();
    options.read(true).write(true).create(number == 0).truncate(false);
    match options.open(&place) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && number > 0 => {}
        opened => return opened,
    }
    let fresh = tempfile::NamedTempFile::new_in(folder_of(path))?;
    try_lock(fresh.as_file(), range)?;
    match fresh.persist_noclobber(&place) {
        Ok(file) => Ok(file),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
            options_nofollow().read(true).write(true).open(&place)
        }
        Err(error) => Err(error.error),
    }
}

/// Who keeps us out may be gone before we know its kind; then it is tried again.
fn try_lock(file: &File, range: Range) -> io::Result<Locked> {
    loop {
        match fcntl(file, libc::F_OFD_SETLK, libc::F_WRLCK, range) {
            Ok(_) => return Ok(Locked::Ours),
            Err(error) if matches!(error.raw_os_error(), Some(libc::EAGAIN | libc::EACCES)) => {}
            Err(error) => return Err(error),
        }
        match fcntl(file, libc::F_OFD_GETLK, libc::F_WRLCK, range)? {
            libc::F_UNLCK => {}
            libc::F_RDLCK => return Ok(Locked::ByReader),
            _ => return Ok(Locked::ByWriter),
        }
    }
}

/// A read lock would be kept out by write locks only, so those of readers do not show.
fn is_write_locked(file: &File, range: Range) -> io::Result<bool> {
    Ok(fcntl(file, libc::F_OFD_GETLK, libc::F_RDLCK, range)? != libc::F_UNLCK)
}

/// The kind of lock that the kernel answers with.
#[expect(unsafe_code, reason = "rustix has no locks of open files")]
fn fcntl(file: &File, command: i32, kind: i32, range: Range) -> io::Result<i32> {
    // SAFETY: all zeros is a valid `flock`: it holds numbers only.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = kind as libc::c_short;
    lock.l_whence = libc::SEEK_SET as libc::c_short;
    (lock.l_start, lock.l_len) = (range.start, range.len);
    // SAFETY: the descriptor is open as long as `file` is borrowed, and `lock` outlives the call.
    let done = unsafe { libc::fcntl(file.as_raw_fd(), command, &raw mut lock) };
    if done == -1 { Err(io::Error::last_os_error()) } else { Ok(i32::from(lock.l_type)) }
}
