//! Screens as people see them, of sessions that the program wrote.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod keys;
mod looks;

use crate::draw;
use crate::job::{Done, Job};
use crate::keys::{Key, Keys};
use crate::paint::Paint;
use crate::screen::{Screen, Wish};
use crate::seen::Seen;
use jiff::tz::TimeZone;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use std::path::Path;
use tempfile::TempDir;
use tollgate_core::id::SessionName;
use tollgate_core::time::Timestamp;
use tollgate_core::view::{Outcome, Summary};
use tollgate_desk::{LogLine, Opened, Repo, Row};
use tollgate_host::sessions::Listed;

/// A whole session; its first lines are one that waits or works.
const JOURNAL: &str =
    include_str!("../../host/tests/journals/v1/full-done-after-a-manual-check.jsonl");
/// The lines up to the first gate, and up to where the second task is worked on.
const AT_THE_GATE: usize = 16;
const AT_WORK: usize = 38;

/// Colours, a title, a cleared screen, text turned around, what nobody sees, two columns a character.
const HOSTILE: &str =
    "\u{1b}[31mred\u{1b}]0;t\u{7}\u{9b}2J\u{202e}drow\u{200b}\u{8}\r世界\t|\nnext";

fn name() -> SessionName {
    let first: serde_json::Value = serde_json::from_str(JOURNAL.lines().next().unwrap()).unwrap();
    SessionName::parse(first["event"]["session"].as_str().unwrap()).unwrap()
}

/// What is seen of the session after so many lines of its journal.
fn seen(lines: usize) -> (TempDir, Seen, Vec<LogLine>) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("project");
    let session = root.join(".agents-work").join(name().as_str());
    std::fs::create_dir_all(&session).unwrap();
    let text: String = JOURNAL.lines().take(lines).map(|line| format!("{line}\n")).collect();
    std::fs::write(session.join("journal.jsonl"), text).unwrap();
    let mut opened = Opened::open(Repo::at(&root), name()).unwrap();
    let seen = Seen::of(&mut opened).unwrap();
    let lines = opened.lines().to_vec();
    (folder, seen, lines)
}

/// A minute and a half after the last event.
fn later(seen: &Seen) -> Timestamp {
    seen.view.updated_at.plus_ms(95_000)
}

fn screen(has_colours: bool, now: Timestamp) -> Screen {
    Screen::new(Paint { has_colours }, TimeZone::UTC, now, Some(Repo::at(Path::new("/project"))))
}

/// A session on the screen.
fn opened(lines: usize) -> Screen {
    let (_folder, seen, lines) = seen(lines);
    let mut screen = screen(true, later(&seen));
    screen.open(seen, lines);
    screen
}

/// One that an agent works on just now.
fn at_work() -> Screen {
    let mut screen = opened(AT_WORK);
    let seen = &mut screen.session.as_mut().unwrap().seen;
    seen.is_running = true;
    let one = seen.view.work.dispatches.last_mut().unwrap();
    (one.outcome, one.doing) = (Outcome::Running, Some("runs cargo test".to_owned()));
    screen
}

fn row(session: &str, goal: &str, change: impl FnOnce(&mut Summary)) -> Row {
    let mut summary = Summary::unknown(SessionName::parse(session).unwrap());
    summary.goal = goal.to_owned();
    change(&mut summary);
    let listed = Listed { summary, trouble: None, is_running: false, disk_bytes: 0 };
    Row { repo: Repo::at(Path::new("/project")), listed }
}

fn drawn(screen: &mut Screen, columns: u16, rows: u16) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
    terminal.draw(|frame| draw::screen(screen, frame)).unwrap();
    terminal.backend().buffer().clone()
}

/// The rows of a screen, without blanks at their ends.
fn text(screen: &mut Screen, columns: u16, rows: u16) -> String {
    let buffer = drawn(screen, columns, rows);
    let row = |y: u16| {
        let mut skip = 0;
        let mut line = String::new();
        for x in 0..columns {
            let symbol = buffer[(x, y)].symbol();
            if skip == 0 {
                line.push_str(symbol);
                skip = crate::text::width(symbol).max(1);
            }
            skip -= 1;
        }
        format!("{}\n", line.trim_end())
    };
    (0..rows).map(row).collect()
}

/// What the keys of these bytes ask for.
fn press(screen: &mut Screen, bytes: &str) -> Vec<Wish> {
    let mut keys = Keys::default();
    let mut all: Vec<Key> = keys.take(bytes.as_bytes());
    all.extend(keys.settle());
    // Each key is pressed at what is shown.
    let mut wishes = Vec::new();
    for key in all {
        drawn(screen, 80, 24);
        wishes.extend(screen.handle(&key));
    }
    drawn(screen, 80, 24);
    wishes
}

fn job(wishes: Vec<Wish>) -> Option<(u64, Job)> {
    wishes.into_iter().find_map(|wish| match wish {
        Wish::Do(number, job) => Some((number, job)),
        _ => None,
    })
}

fn done(screen: &mut Screen, number: u64, done: Done) {
    screen.take(number, done);
    drawn(screen, 80, 24);
}
