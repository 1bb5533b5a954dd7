//! Commands on their way to the owner of a session, and replies on their way back.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::journal_support;

use journal_support::{child, folder_of_child, wait_for};
use std::fs;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;
use tollgate_core::id::{CommandId, DecisionId};
use tollgate_core::input::Command;
use tollgate_host::inbox::{self, COMMAND_BYTES_MAX, Delivery, Inbox, InboxError, InboxReply};

fn answer(id: &str, text: &str) -> Command {
    Command::Answer {
        id: CommandId::new(id),
        decision: DecisionId::approve_design(),
        round: 1,
        answer: text.to_owned(),
        reason: None,
    }
}

fn accepted() -> InboxReply {
    InboxReply { accepted: true, message: "taken".to_owned(), hint: None }
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

const LONG: Duration = Duration::from_secs(20);

#[test]
fn a_command_of_another_process_is_taken_and_answered() {
    let folder = TempDir::new().unwrap();
    let mut owner = Inbox::open(folder.path()).unwrap();
    let mut sender = child("a_child_that_sends_a_command", folder.path());
    let mut taken = Vec::new();
    wait_for("the command", || {
        taken = owner.take().unwrap();
        !taken.is_empty()
    });
    assert_eq!(taken, [answer("from-child", "approved")]);
    assert_eq!(owner.take().unwrap(), [], "a command in hand is not taken twice");
    owner.reply(taken[0].id(), &accepted()).unwrap();
    assert!(sender.wait().unwrap().success());
    assert_eq!(names(folder.path()), [] as [&str; 0]);
}

#[test]
#[ignore = "run by a_command_of_another_process_is_taken_and_answered"]
fn a_child_that_sends_a_command() {
    let Some(folder) = folder_of_child() else { return };
    let command = answer("from-child", "approved");
    inbox::send(&folder, &command).unwrap();
    let delivery = inbox::wait(&folder, command.id(), LONG).unwrap();
    assert_eq!(delivery, Delivery::Replied(accepted()));
}

#[test]
fn commands_are_taken_in_the_order_of_their_arrival() {
    let folder = TempDir::new().unwrap();
    for (index, id) in ["c", "a", "b"].iter().enumerate() {
        inbox::send(folder.path(), &answer(id, "approved")).unwrap();
        let file = fs::OpenOptions::new()
            .write(true)
            .open(folder.path().join(format!("{id}.json")))
            .unwrap();
        let arrived = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(index as u64);
        file.set_modified(arrived).unwrap();
    }
    let commands = Inbox::open(folder.path()).unwrap().take().unwrap();
    let ids: Vec<_> = commands.iter().map(|command| command.id().as_str()).collect();
    assert_eq!(ids, ["c", "a", "b"]);
}

#[test]
fn a_command_that_nobody_takes_is_withdrawn() {
    let folder = TempDir::new().unwrap();
    let command = answer("lonely", "approved");
    inbox::send(folder.path(), &command).unwrap();
    let delivery = inbox::wait(folder.path(), command.id(), Duration::from_millis(30)).unwrap();
    assert_eq!(delivery, Delivery::Withdrawn);
    assert_eq!(Inbox::open(folder.path()).unwrap().take().unwrap(), []);
}

#[test]
fn a_command_in_hand_cannot_be_withdrawn() {
    let folder = TempDir::new().unwrap();
    let command = answer("slow", "approved");
    inbox::send(folder.path(), &command).unwrap();
    let mut owner = Inbox::open(folder.path()).unwrap();
    assert_eq!(owner.take().unwrap().len(), 1);
    let wait = |ms| inbox::wait(folder.path(), command.id(), Duration::from_millis(ms)).unwrap();
    assert_eq!(wait(30), Delivery::Taken);
    owner.reply(command.id(), &accepted()).unwrap();
    assert_eq!(wait(0), Delivery::Replied(accepted()));
}

#[test]
fn a_command_outlives_its_sender_and_an_owner_that_died_with_it() {
    let folder = TempDir::new().unwrap();
    inbox::send(folder.path(), &answer("kept", "approved")).unwrap();
    let mut dead = Inbox::open(folder.path()).unwrap();
    assert_eq!(dead.take().unwrap().len(), 1);
    drop(dead);
    let mut next = Inbox::open(folder.path()).unwrap();
    assert_eq!(next.take().unwrap(), [answer("kept", "approved")]);
    next.reply(&CommandId::new("kept"), &accepted()).unwrap();
    assert_eq!(Inbox::open(folder.path()).unwrap().take().unwrap(), []);
}

#[test]
fn what_is_not_a_command_is_put_aside() {
    let folder = TempDir::new().unwrap();
    let inbox_folder = folder.path().join("inbox");
    fs::create_dir(&inbox_folder).unwrap();
    let put = |name: &str, bytes: &[u8]| fs::write(inbox_folder.join(name), bytes).unwrap();
    put("garbage.json", b"{nonsense");
    put("big.json", &vec![b' '; COMMAND_BYTES_MAX + 1]);
    put("other.json", &serde_json::to_vec(&answer("not-other", "approved")).unwrap());
    put("readme.txt", b"hello");
    put("we ird.json", b"{}");
    fs::create_dir(inbox_folder.join("folder.json")).unwrap();
    let secret = folder.path().join("secret");
    fs::write(&secret, serde_json::to_vec(&answer("link", "approved")).unwrap()).unwrap();
    std::os::unix::fs::symlink(&secret, inbox_folder.join("link.json")).unwrap();
    inbox::send(&inbox_folder, &answer("good", "approved")).unwrap();

    let mut owner = Inbox::open(&inbox_folder).unwrap();
    assert_eq!(owner.take().unwrap(), [answer("good", "approved")]);
    assert_eq!(owner.take().unwrap(), []);
    expect_test::expect![[r#"
        [
            "big.taken",
            "folder.taken",
            "garbage.taken",
            "link.taken",
            "other.taken",
            "readme.txt",
            "we ird.json",
        ]
    "#]]
    .assert_debug_eq(&names(&inbox_folder.join("bad")));
    let told = inbox::wait(&inbox_folder, &CommandId::new("garbage"), Duration::ZERO).unwrap();
    assert!(matches!(told, Delivery::Replied(InboxReply { accepted: false, .. })), "{told:?}");
    assert!(secret.exists());
}

#[test]
fn an_id_that_is_a_path_is_refused() {
    let folder = TempDir::new().unwrap();
    for id in ["", "../up", "a/b", "x.reply", &"x".repeat(65)] {
        let sent = inbox::send(folder.path(), &answer(id, "approved"));
        assert!(matches!(sent, Err(InboxError::BadId { .. })), "{id:?}");
    }
    let sent = inbox::send(folder.path(), &answer("big", &"x".repeat(COMMAND_BYTES_MAX)));
    assert!(matches!(sent, Err(InboxError::TooBig { .. })));
}
