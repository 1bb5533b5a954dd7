#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use std::fs;
use tollgate_core::action::{Step, StepKind};
use tollgate_core::event::{CheckPurpose, Purpose};
use tollgate_core::id::{Attempt, DispatchNumber, TaskRef};
use tollgate_core::reply::ReplyError;
use tollgate_core::role::{Role, State};
use tollgate_core::session::Session;
use tollgate_core::work::DispatchEnd;
use tollgate_files::layout::SessionLayout;

fn opening() -> Event {
    let close = Step { state: State::Done, kind: StepKind::Close, when: None };
    let value = serde_json::json!({
        "type": "session_opened", "session": "2026-01-02_x", "goal": "Do it\n# Forged <b>",
        "mode": "full", "project_type": "mixed", "base": "0".repeat(40),
        "action": {"name": "deliver", "description": "d", "steps": [close]},
        "policy": tollgate_core::policy::Policy::default(), "tollgate_version": "0.1.0",
    });
    serde_json::from_value(value).unwrap()
}

fn some_events() -> Vec<Event> {
    let number = DispatchNumber(1);
    let errors = vec![ReplyError::new("work.empty", "/", "`a`\n## forged")];
    vec![
        opening(),
        Event::DispatchOpened {
            number,
            role: Role::SpecAgent,
            task: TaskRef::Meta,
            purpose: Purpose::Step { index: 0, member: None },
            feedback: vec!["see\n# this".to_owned()],
            findings: None,
            lane: None,
            starts_max: None,
        },
        Event::AttemptStarted {
            number,
            attempt: Attempt(1),
            timeout_ms: 1,
            agent: None,
            stands_in_for: None,
            allowance: Default::default(),
            ruling: None,
        },
        Event::AttemptEnded {
            number,
            attempt: Attempt(1),
            end: DispatchEnd::invalid(errors),
            usage: Default::default(),
            ruling: None,
        },
        Event::ChecksStarted {
            number: CheckNumber(1),
            purpose: CheckPurpose::Acceptance { step: 0 },
            commands: vec!["make".to_owned()],
            tree: Default::default(),
        },
        Event::ChecksEnded {
            number: CheckNumber(1),
            results: vec![CheckResult {
                command: "make\ttest\nx".to_owned(),
                passed: false,
                exit_code: Some(2),
                trouble: None,
                output_tail: String::new(),
                duration_ms: 7,
                coverage: None,
                failed_on_base: false,
                could_not_start: false,
                only_in_workspace: None,
            }],
            stage: None,
            holds: None,
        },
    ]
}

/// Takes every event as a commit of its own and writes after each.
fn written(layout: &SessionLayout, events: &[Event]) -> Vec<String> {
    let mut evidence = Evidence::new(layout);
    let at = Timestamp::from_ms(1_767_312_000_000);
    let mut session: Option<Session> = None;
    for event in events {
        match (&mut session, event) {
            (None, Event::SessionOpened(opening)) => session = Some(Session::open(at, opening)),
            (Some(session), event) => session.follow(at, event).unwrap(),
            (None, _) => panic!("no opening"),
        }
        evidence.take(Parts::of(session.as_ref().unwrap()), std::iter::once(event));
        evidence.write().unwrap();
    }
    texts(layout)
}

fn texts(layout: &SessionLayout) -> Vec<String> {
    let names = [
        layout.action_context(),
        layout.artifact_trace(),
        layout.gate_decisions(),
        layout.commands_log(),
        layout.lifecycle_gates_log(),
    ];
    names.iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}

#[test]
fn r085_no_evidence_file_is_ever_empty() {
    let folder = tempfile::tempdir().unwrap();
    let texts = written(&SessionLayout::at(folder.path()), &[opening()]);
    let says = [
        "- action: `deliver`",
        "No agent has",
        "No question has been",
        "not run any",
        "No lifecycle gate",
    ];
    for (text, words) in texts.iter().zip(says) {
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn r085_evidence_is_the_same_whether_it_grew_or_was_made_at_once() {
    let [grown, whole] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let layout = SessionLayout::at(grown.path());
    let step_by_step = written(&layout, &some_events());
    let mut evidence = Evidence::new(&SessionLayout::at(whole.path()));
    let at = Timestamp::from_ms(1_767_312_000_000);
    let events = some_events();
    let session = Session::replay(events.iter().map(|event| (at, event))).unwrap();
    evidence.take(Parts::of(&session), events.iter());
    evidence.write().unwrap();
    assert_eq!(texts(&SessionLayout::at(whole.path())), step_by_step);
    assert!(step_by_step[3].ends_with("failed\t2\t7 ms\tmake test x\n"), "{}", step_by_step[3]);
}

#[test]
fn r085_evidence_that_was_removed_or_changed_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let layout = SessionLayout::at(folder.path());
    let before = written(&layout, &some_events());
    fs::remove_file(layout.artifact_trace()).unwrap();
    fs::write(layout.commands_log(), "all green\n").unwrap();
    assert_eq!(written(&layout, &some_events()), before);
}

#[test]
fn no_text_of_others_becomes_a_heading_or_markup() {
    let folder = tempfile::tempdir().unwrap();
    for text in written(&SessionLayout::at(folder.path()), &some_events()) {
        let forged = text.lines().any(|line| line.starts_with('#') && line.contains("orged"));
        assert!(!forged && !text.contains("\n<b>"), "{text}");
    }
}

#[test]
fn what_is_new_is_put_at_the_end_of_the_same_file() {
    use std::os::unix::fs::MetadataExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.log");
    let mut ledger = Ledger::new(path.clone(), "# head\n", "nothing\n");
    ledger.write().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "# head\nnothing\n");
    ledger.add("one\n");
    ledger.write().unwrap();
    let inode = fs::metadata(&path).unwrap().ino();
    ledger.add("two\n");
    ledger.write().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "# head\none\ntwo\n");
    assert_eq!(fs::metadata(&path).unwrap().ino(), inode, "it was not written again");
    fs::remove_file(&path).unwrap();
    ledger.write().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "# head\none\ntwo\n");
}
