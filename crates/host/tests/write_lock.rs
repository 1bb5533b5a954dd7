//! A lock that only a writer can hold.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use tempfile::TempDir;
use tollgate_files::write_lock::{self, Owned};
use tollgate_host::lock::{LockError, SessionLock, is_held};

/// What an agent can do: both kinds of lock on a descriptor for reading.
fn held_by_a_reader(path: &Path) -> File {
    let file = File::open(path).unwrap();
    file.lock().unwrap();
    assert!(is_read_locked(&file), "{}", std::io::Error::last_os_error());
    file
}

#[expect(unsafe_code, reason = "the standard library has no such lock")]
fn is_read_locked(file: &File) -> bool {
    // SAFETY: all zeros is a valid `flock`, and it outlives the call.
    unsafe {
        let mut lock: libc::flock = std::mem::zeroed();
        lock.l_type = libc::F_RDLCK as libc::c_short;
        libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLK, &raw mut lock) == 0
    }
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
    for _ in 0..200 {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("lock");
        fs::write(&path, "").unwrap();
        let _reader = held_by_a_reader(&path);
        let (is_waiting, is_over) = (AtomicBool::new(false), AtomicBool::new(false));
        std::thread::scope(|scope| {
            let watcher = scope.spawn(|| {
                while !is_over.load(SeqCst) {
                    let next = File::open(path.with_extension("1"));
                    is_waiting.store(true, SeqCst);
                    assert!(!next.is_ok_and(|next| is_read_locked(&next)), "the reader was first");
                }
            });
            while !is_waiting.load(SeqCst) {
                std::hint::spin_loop();
            }
            let ours = write_lock::try_own(&path).unwrap();
            is_over.store(true, SeqCst);
            let Owned::Ours(_until_it_ended) = ours else { panic!("no writer holds it") };
            watcher.join().unwrap();
        });
    }
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
