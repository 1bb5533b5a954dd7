//! What a surface sees of a session while its journal grows.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::journal_support::{at, note};
use std::fs;
use tempfile::TempDir;
use tollgate_core::event::Event;
use tollgate_core::role::State;
use tollgate_files::layout::SessionLayout;
use tollgate_host::client::{Client, JournalError};
use tollgate_host::journal::Journal;

const NAME: &str = "2026-01-02_x";

fn opening(session: &str) -> Event {
    let opening = serde_json::json!({
        "session": session, "goal": "Do it", "mode": "full", "project_type": "mixed",
        "base": "0".repeat(40), "tollgate_version": "0.1.0",
        "action": {"name": "deliver", "description": "d", "steps": []},
        "policy": tollgate_core::policy::Policy::default(),
    });
    Event::SessionOpened(Box::new(serde_json::from_value(opening).unwrap()))
}

fn journal(folder: &TempDir) -> (SessionLayout, Journal) {
    let layout = SessionLayout::at(folder.path().join(NAME));
    fs::create_dir(layout.folder()).unwrap();
    let journal = Journal::create(&layout.journal()).unwrap();
    (layout, journal)
}

/// The numbers of the records that came since the last look.
fn seen(client: &mut Client) -> Vec<u64> {
    let mut seen = Vec::new();
    client.follow(|told| seen.push(told.seq)).unwrap();
    seen
}

#[test]
fn each_record_is_reported_once_and_the_view_goes_along() {
    let folder = TempDir::new().unwrap();
    let (layout, mut journal) = journal(&folder);
    let mut client = Client::open(layout).unwrap();
    assert!(client.view().unwrap().is_none() && client.parts().is_none(), "it has not begun");
    let _ = journal.append(at(0), &[opening(NAME), note("one")]).unwrap();
    assert_eq!(seen(&mut client), [1, 2]);
    assert_eq!(seen(&mut client), [0_u64; 0], "nothing new");
    let _ = journal.append(at(1), &[note("two")]).unwrap();
    let view = client.view().unwrap().unwrap();
    assert_eq!(view.record.assumptions, ["one", "two"]);
    assert_eq!((view.session.as_str(), view.updated_at), (NAME, at(1)));
    assert_eq!(seen(&mut client), [0_u64; 0], "the view has read it");
    let summary = client.summary().unwrap().unwrap();
    assert_eq!((summary.state, summary.waiting), (Some(State::Done), 0));
}

#[test]
fn a_journal_of_another_session_is_refused() {
    let folder = TempDir::new().unwrap();
    let (layout, mut journal) = journal(&folder);
    let _ = journal.append(at(0), &[opening("2026-01-02_y")]).unwrap();
    let refused = Client::open(layout).unwrap().view();
    assert!(matches!(refused, Err(JournalError::Foreign { .. })), "{refused:?}");
}

#[test]
fn a_record_that_cannot_follow_is_named() {
    let folder = TempDir::new().unwrap();
    let (layout, mut journal) = journal(&folder);
    let _ = journal.append(at(0), &[opening(NAME), note("one"), opening(NAME)]).unwrap();
    let mut client = Client::open(layout).unwrap();
    let mut told = 0;
    let refused = client.follow(|_| told += 1);
    assert!(matches!(refused, Err(JournalError::Damaged { seq: 3, .. })), "{refused:?}");
    assert_eq!(told, 2, "what came before it counts");
}
