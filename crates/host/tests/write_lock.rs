//! A lock that only a writer can hold.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs::{self, File};
use std::os::fd::AsRawFd;
use tempfile::TempDir;
use tollgate_host::lock::{LockError, SessionLock, is_held};
use tollgate_host::write_lock::{self, Owned};

/// What an agent can do: both kinds of lock on a descriptor for reading.
#[expect(unsafe_code, reason = "the standard library has no such lock")]
fn held_by_a_reader(path: &std::path::Path) -> File {
    let file = File::open(path).unwrap();
    file.lock().unwrap();
    // SAFETY: all zeros is a valid `flock`, and it outlives the call.
    let done = unsafe {
        let mut lock: libc::flock = std::mem::zeroed();
        lock.l_type = libc::F_RDLCK as libc::c_short;
        libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLK, &raw mut lock)
    };
    assert_eq!(done, 0, "{}", std::io::Error::last_os_error());
    file
}

#[test]
fn r176_a_reader_cannot_hold_the_lock_of_a_session() {
    let folder = TempDir::new().unwrap();
    drop(SessionLock::acquire(folder.path()).unwrap());
    let path = folder.path().join("lock");
    let reader = held_by_a_reader(&path);
    // The control: with `flock` it keeps everybody out.
    let naive = File::options().write(true).open(&path).unwrap();
    assert!(naive.try_lock().is_err());

    assert!(!is_held(folder.path()), "nobody who counts holds it");
    let ours = SessionLock::acquire(folder.path()).unwrap();
    assert!(is_held(folder.path()));
    assert!(matches!(SessionLock::acquire(folder.path()), Err(LockError::Held { .. })));
    // The reader lets go: the first file is free, and the lock is held all the same.
    drop(reader);
    assert!(matches!(SessionLock::acquire(folder.path()), Err(LockError::Held { .. })));
    drop(ours);
    assert!(!is_held(folder.path()));
    drop(SessionLock::acquire(folder.path()).unwrap());
}

#[test]
fn r176_a_reader_cannot_wait_for_the_next_file_of_the_row() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("lock");
    let mut readers = Vec::new();
    for number in 0..4 {
        let Owned::Ours(ours) = write_lock::try_own(&path).unwrap() else { panic!("it is free") };
        let at = if number == 0 { path.clone() } else { path.with_extension(number.to_string()) };
        assert!(fs::exists(&at).unwrap(), "{}", at.display());
        let early = File::open(&at).unwrap();
        drop(ours);
        drop(early);
        readers.push(held_by_a_reader(&at));
    }
    assert!(!write_lock::is_held(&path).unwrap());
}

#[test]
fn r176_of_many_who_come_at_once_one_owns_it() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("lock");
    fs::write(&path, "").unwrap();
    let reader = held_by_a_reader(&path);
    let owners = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..50 {
                    if let Owned::Ours(_file) = write_lock::try_own(&path).unwrap() {
                        use std::sync::atomic::Ordering::SeqCst;
                        assert_eq!(owners.fetch_add(1, SeqCst), 0, "two own it");
                        std::thread::yield_now();
                        owners.fetch_sub(1, SeqCst);
                    }
                }
            });
        }
    });
    drop(reader);
}

#[test]
fn many_join_a_lock_and_it_is_free_when_the_last_is_gone() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("in-use");
    assert!(!write_lock::is_held(&path).unwrap());
    let (one, two) = (write_lock::join(&path).unwrap(), write_lock::join(&path).unwrap());
    let copy = two.try_clone().unwrap();
    drop((one, two));
    assert!(write_lock::is_held(&path).unwrap(), "a copy of the descriptor holds it too");
    drop(copy);
    let reader = held_by_a_reader(&path);
    let third = write_lock::join(&path).unwrap();
    assert!(write_lock::is_held(&path).unwrap());
    drop(third);
    assert!(!write_lock::is_held(&path).unwrap());
    drop(reader);
}
