//! One writer per session, whatever happens to the process that writes.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::journal_support;

use journal_support::{child, folder_of_child, journal_of, wait_for};
use std::fs;
use std::process::Command;
use tempfile::TempDir;
use tollgate_host::journal;
use tollgate_host::lock::{LockError, SessionLock, is_held};

#[test]
fn r116_a_second_writer_is_refused_by_name_and_reading_continues() {
    let folder = TempDir::new().unwrap();
    let path = journal_of(&folder, &[1]);
    let mut owner = child("a_child_that_holds_the_lock", folder.path());
    wait_for("the lock of the child", || folder.path().join("ready").exists());

    assert!(is_held(folder.path()));
    let refused = SessionLock::acquire(folder.path()).unwrap_err();
    let message = refused.to_string();
    match refused {
        LockError::Held { owner: Some(named) } => assert_eq!(named.pid, owner.id()),
        other => panic!("{other:?}"),
    }
    assert!(message.contains(&format!("pid {}", owner.id())), "{message}");
    assert_eq!(journal::read(&path).unwrap().records.len(), 1);

    owner.kill().unwrap(); // SIGKILL: no destructor runs
    owner.wait().unwrap();
    assert!(!is_held(folder.path()));
    drop(SessionLock::acquire(folder.path()).unwrap());
}

#[test]
#[ignore = "run by r116_a_second_writer_is_refused_by_name_and_reading_continues"]
fn a_child_that_holds_the_lock() {
    let Some(folder) = folder_of_child() else { return };
    let _lock = SessionLock::acquire(&folder).unwrap();
    fs::write(folder.join("ready"), "").unwrap();
    std::thread::sleep(std::time::Duration::from_secs(60));
}

#[test]
fn r116_two_lockers_of_one_process_are_two() {
    let folder = TempDir::new().unwrap();
    assert!(!is_held(folder.path()));
    let lock = SessionLock::acquire(folder.path()).unwrap();
    assert!(matches!(SessionLock::acquire(folder.path()), Err(LockError::Held { .. })));
    drop(lock);
    drop(SessionLock::acquire(folder.path()).unwrap());
}

#[test]
fn r116_programs_that_we_start_do_not_keep_the_lock() {
    let folder = TempDir::new().unwrap();
    let lock = SessionLock::acquire(folder.path()).unwrap();
    let mut program = Command::new("sleep").arg("30").spawn().unwrap();
    drop(lock);
    let again = SessionLock::acquire(folder.path());
    program.kill().unwrap();
    program.wait().unwrap();
    drop(again.unwrap());
}

#[test]
fn asking_whether_it_is_held_does_not_keep_a_writer_out() {
    let folder = TempDir::new().unwrap();
    drop(SessionLock::acquire(folder.path()).unwrap());
    std::thread::scope(|scope| {
        let asker = scope.spawn(|| (0..2_000).filter(|_| is_held(folder.path())).count());
        while !asker.is_finished() {
            drop(SessionLock::acquire(folder.path()).unwrap());
        }
    });
}

#[test]
fn a_symlink_in_place_of_the_lock_is_refused() {
    let folder = TempDir::new().unwrap();
    let victim = folder.path().join("victim");
    fs::write(&victim, "precious").unwrap();
    std::os::unix::fs::symlink(&victim, folder.path().join("lock")).unwrap();
    assert!(matches!(SessionLock::acquire(folder.path()), Err(LockError::Io { .. })));
    assert_eq!(fs::read_to_string(victim).unwrap(), "precious");
}
