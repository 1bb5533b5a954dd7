//! Writing the journal, reading it back and following it, also when the disk is full.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::journal_support;

use journal_support::{at, child, folder_of_child, journal_of, note, opened};
use proptest::prelude::*;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use tempfile::TempDir;
use tollgate_core::event::{Event, Finding, FindingStatus, Purpose, RetryWhy, Verdict};
use tollgate_core::finding::FindingOrigin;
use tollgate_core::id::FindingId;
use tollgate_core::id::{Attempt, CheckNumber, DispatchNumber, TaskRef};
use tollgate_core::reply::{ReplyError, ReportedFinding, Severity};
use tollgate_core::role::Role;
use tollgate_core::work::{CheckResult, DispatchEnd};
use tollgate_host::journal::{self, Journal, JournalError, JournalFollower};

#[test]
fn a_line_has_the_documented_form() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("journal.jsonl");
    let mut journal = Journal::create(&path).unwrap();
    let durable = journal.append(at(0), &[note("a"), Event::Unblocked]).unwrap();
    assert_eq!((durable.first_seq(), durable.last_seq(), journal.last_seq()), (1, 2, 2));
    expect_test::expect![[r#"
        {"seq":1,"at":"2026-11-15T21:20:00.000Z","format":1,"more":1,"event":{"type":"assumption_noted","text":"a"},"hash":"7efb1daebd4f317fe5f01f261290055ab7e7fdc274c30d8220c43a90108f4cac"}
        {"seq":2,"at":"2026-11-15T21:20:00.000Z","event":{"type":"unblocked"},"hash":"907cccfa613c6e416b9a803ee5b6d69b0477a5e5b42df6232b012ceea4f4112f"}
    "#]]
    .assert_eq(&fs::read_to_string(&path).unwrap());
}

#[test]
fn a_commit_without_events_writes_nothing() {
    let folder = TempDir::new().unwrap();
    let path = journal_of(&folder, &[2]);
    let before = fs::read(&path).unwrap();
    let (mut journal, _, _) = opened(&path).unwrap();
    let durable = journal.append(at(9), &[]).unwrap();
    assert_eq!((durable.first_seq(), durable.last_seq()), (3, 2));
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_journal_that_exists_is_not_made_again() {
    let folder = TempDir::new().unwrap();
    let path = journal_of(&folder, &[1]);
    assert!(matches!(Journal::create(&path), Err(JournalError::Io { .. })));
    assert_eq!(journal::read(&path).unwrap().records.len(), 1);
}

/// A journal of lines that somebody wrote by hand, with hashes that fit.
fn forge(folder: &TempDir, bodies: &[&str]) -> PathBuf {
    use sha2::{Digest, Sha256};
    let path = folder.path().join("journal.jsonl");
    let (mut hash, mut text) = ("0".repeat(64), String::new());
    for body in bodies {
        let digest = Sha256::digest(format!("{hash}\n{body}"));
        hash = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        text += &format!("{body},\"hash\":\"{hash}\"}}\n");
    }
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn an_event_of_a_newer_version_is_named() {
    let folder = TempDir::new().unwrap();
    let body = r#"{"seq":1,"at":"2026-11-15T20:00:00.000Z","event":{"type":"teleported","to":"x"}"#;
    let error = opened(&forge(&folder, &[body])).unwrap_err();
    assert!(
        matches!(&error, JournalError::Unknown { line: 1, event_type, .. } if event_type == "teleported"),
        "{error}"
    );
    assert!(error.to_string().contains("newer"), "{error}");
}

#[test]
fn r115_a_chain_that_fits_does_not_excuse_records_that_do_not() {
    let folder = TempDir::new().unwrap();
    let line = |seq: u32, more: u32| {
        format!(
            r#"{{"seq":{seq},"at":"2026-11-15T20:00:00Z","more":{more},"event":{{"type":"unblocked"}}"#
        )
    };
    let open = |lines: &[String]| {
        let bodies: Vec<&str> = lines.iter().map(String::as_str).collect();
        opened(&forge(&folder, &bodies)).map(|(journal, ..)| journal.last_seq())
    };
    assert_eq!(open(&[line(1, 1), line(2, 0)]).unwrap(), 2);
    for lines in [
        [line(1, 2), line(2, 0)],
        [line(1, 1), line(2, 1)],
        [line(1, 1), line(2, u32::MAX)],
        [line(1, 0), line(3, 0)],
        [line(1, 0), "{\"seq\":2".to_owned()],
        [line(1, 0), "nonsense".to_owned()],
    ] {
        let error = open(&lines).unwrap_err();
        assert!(matches!(error, JournalError::Damaged { line: 2, .. }), "{lines:?}: {error}");
    }
}

#[test]
fn a_symlink_is_not_a_journal() {
    let folder = TempDir::new().unwrap();
    let path = journal_of(&folder, &[1]);
    let link = folder.path().join("link.jsonl");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    assert!(opened(&link).is_err() && journal::read(&link).is_err());
}

#[test]
fn a_journal_changed_behind_the_writer_takes_no_more() {
    let folder = TempDir::new().unwrap();
    let path = journal_of(&folder, &[1]);
    let (mut journal, _, _) = opened(&path).unwrap();
    let mut changed = fs::read(&path).unwrap();
    changed.extend_from_slice(b"by someone else\n");
    fs::write(&path, &changed).unwrap();
    let error = journal.append(at(1), &[note("x")]).unwrap_err();
    assert!(matches!(error, JournalError::Damaged { .. }), "{error}");
    let error = journal.append(at(1), &[note("x")]).unwrap_err();
    assert!(matches!(error, JournalError::Poisoned { .. }), "{error}");
    assert_eq!(fs::read(&path).unwrap(), changed, "what others wrote was touched");
}

#[test]
fn a_removed_journal_takes_no_more() {
    let folder = TempDir::new().unwrap();
    let path = journal_of(&folder, &[1]);
    let (mut journal, _, _) = opened(&path).unwrap();
    fs::remove_file(&path).unwrap();
    assert!(matches!(journal.append(at(1), &[note("x")]), Err(JournalError::Io { .. })));
}

#[test]
fn r115_a_full_disk_poisons_the_journal_and_leaves_it_valid() {
    let folder = TempDir::new().unwrap();
    let path = journal_of(&folder, &[1, 2]);
    let before = fs::read(&path).unwrap();
    let status = child("a_child_that_may_write_little", folder.path()).wait().unwrap();
    assert!(status.success(), "signal {:?}", status.signal());
    assert_eq!(fs::read(&path).unwrap(), before);
    let (mut journal, records, torn) = opened(&path).unwrap();
    assert_eq!((records.len(), torn), (3, None));
    assert_eq!(journal.append(at(5), &[note("on")]).unwrap().last_seq(), 4);
}

#[test]
#[ignore = "run by r115_a_full_disk_poisons_the_journal_and_leaves_it_valid"]
fn a_child_that_may_write_little() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    const SIGXFSZ: i32 = 25;
    let Some(folder) = folder_of_child() else { return };
    let path = folder.join("journal.jsonl");
    let seen = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    signal_hook::flag::register(SIGXFSZ, seen).unwrap();
    let (mut journal, _, _) = opened(&path).unwrap();
    let limit = fs::metadata(&path).unwrap().len() + 100;
    setrlimit(Resource::Fsize, Rlimit { current: Some(limit), maximum: Some(limit) }).unwrap();
    let error = journal.append(at(3), &[note(&"long ".repeat(100))]).unwrap_err();
    assert!(matches!(error, JournalError::Io { .. }), "{error}");
    // Small enough to fit, and refused all the same.
    let error = journal.append(at(4), &[Event::Unblocked]).unwrap_err();
    assert!(matches!(error, JournalError::Poisoned { .. }), "{error}");
}

#[test]
fn r116_a_follower_sees_whole_commits_only() {
    let folder = TempDir::new().unwrap();
    let whole = fs::read(journal_of(&folder, &[1, 2, 1])).unwrap();
    let path = folder.path().join("live.jsonl");
    fs::write(&path, b"").unwrap();
    let mut follower = JournalFollower::open(&path).unwrap();
    let mut commits = Vec::new();
    for end in 1..=whole.len() {
        fs::write(&path, &whole[..end]).unwrap();
        let records = follower.poll().unwrap();
        if !records.is_empty() {
            commits.push(records.iter().map(|record| record.seq).collect::<Vec<_>>());
        }
    }
    assert_eq!(commits, [vec![1], vec![2, 3], vec![4]]);
    fs::write(&path, &whole[..10]).unwrap();
    assert!(matches!(follower.poll(), Err(JournalError::Damaged { .. })));
}

fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec(any::<char>(), 0..40).prop_map(String::from_iter)
}

fn event() -> impl Strategy<Value = Event> {
    let number = any::<u32>().prop_map(DispatchNumber);
    let role = proptest::sample::select(Role::ALL);
    let error = (text(), text(), text())
        .prop_map(|(code, path, message)| ReplyError::new(&code, path, message));
    let end = prop_oneof![
        proptest::collection::vec(error, 0..3).prop_map(DispatchEnd::invalid),
        (any::<Option<i32>>(), any::<Option<i32>>(), text()).prop_map(
            |(exit_code, signal, stderr_tail)| DispatchEnd::Crashed {
                exit_code,
                signal,
                stderr_tail
            }
        ),
        any::<u64>().prop_map(|after_ms| DispatchEnd::TimedOut { after_ms }),
        Just(DispatchEnd::Stopped),
    ];
    let result = (text(), any::<bool>(), any::<Option<i32>>(), text(), any::<u64>()).prop_map(
        |(command, passed, exit_code, output_tail, duration_ms)| CheckResult {
            command,
            passed,
            exit_code,
            trouble: None,
            output_tail,
            duration_ms,
            coverage: None,
            failed_on_base: passed,
            could_not_start: false,
            only_in_workspace: None,
        },
    );
    prop_oneof![
        (text(), text()).prop_map(|(code, message)| Event::Noticed { code: code.into(), message }),
        (number.clone(), role, text(), proptest::collection::vec(text(), 0..3)).prop_map(
            |(number, role, task, feedback)| Event::DispatchOpened {
                number,
                role,
                task: TaskRef::from(task),
                purpose: Purpose::Implement,
                findings: Some(feedback.iter().map(|_| FindingId::FIRST).collect()),
                feedback,
                lane: None,
                starts_max: Some(3),
            }
        ),
        (number.clone(), any::<u32>(), end).prop_map(|(number, attempt, end)| {
            Event::AttemptEnded {
                number,
                attempt: Attempt(attempt),
                usage: end.claimed_usage(),
                ruling: None,
                end,
            }
        }),
        (number.clone(), 0..4_000_000_000_000_i64).prop_map(|(number, ms)| Event::RetryScheduled {
            number,
            due: tollgate_core::time::Timestamp::from_ms(ms),
            why: RetryWhy::Parked,
        }),
        number.prop_map(|number| Event::DispatchClosed {
            number,
            verdict: Verdict::Objected,
            look_again: None,
            unreviewed: None
        }),
        (any::<u32>(), proptest::collection::vec(result, 0..3)).prop_map(|(n, results)| {
            Event::ChecksEnded { number: CheckNumber(n), results, stage: None, holds: None }
        }),
        (any::<u32>(), text(), proptest::option::of(text())).prop_map(|(id, message, file)| {
            let report = ReportedFinding {
                severity: Severity::High,
                category: String::new(),
                file,
                line: None,
                message,
                fix: None,
                is_nit: false,
            };
            let (id, origin) = (FindingId(id), FindingOrigin::Role { role: Role::QA });
            let (task, status) = (TaskRef::Meta, FindingStatus::Open);
            Event::FindingRecorded {
                finding: Finding { id, origin, task, report, status, times: 1 },
            }
        }),
        Just(Event::SessionClosed),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_was_written_is_read(
        commits in proptest::collection::vec(proptest::collection::vec(event(), 1..5), 1..5),
    ) {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("journal.jsonl");
        let mut journal = Journal::create(&path).unwrap();
        for (index, events) in commits.iter().enumerate() {
            let _ = journal.append(at(index as i64), events).unwrap();
        }
        let read = journal::read(&path).unwrap();
        prop_assert_eq!(&read.torn, &None);
        let (journal, records, torn) = opened(&path).unwrap();
        prop_assert_eq!(torn, None);
        prop_assert_eq!(&records, &read.records);
        prop_assert_eq!(journal.last_seq(), records.len() as u64);
        let events: Vec<Event> = records.iter().map(|record| record.event.clone()).collect();
        prop_assert_eq!(events, commits.concat());
        let more: Vec<u32> = records.iter().map(|record| record.more).collect();
        let expected: Vec<u32> =
            commits.iter().flat_map(|commit| (0..commit.len() as u32).rev()).collect();
        prop_assert_eq!(more, expected);
    }
}
