//! How each screen looks: large, small, without colours, and with text of somebody who means harm.

use super::{AT_THE_GATE, HOSTILE, at_work, drawn, opened, press, row, screen, text};
use crate::job::Done;
use crate::screen::Screen;
use expect_test::{Expect, expect};
use ratatui::style::Color;
use tollgate_core::role::State;
use tollgate_core::time::Timestamp;
use tollgate_core::view::{AskedView, Standing};

#[track_caller]
fn check(screen: &mut Screen, columns: u16, rows: u16, expected: Expect) {
    expected.assert_eq(&text(screen, columns, rows));
}

fn list() -> Screen {
    let now = Timestamp::from_ms(1_700_000_000_000);
    let before = |minutes: i64| Timestamp::from_ms(now.as_ms() - minutes * 60_000);
    let mut screen = screen(true, now);
    let waits = row("2026-11-18_limit-failed-logins", "Limit failed logins", |summary| {
        let kind = tollgate_core::decision::DecisionKind::Approve;
        let id = tollgate_core::id::DecisionId::parse("UD-APPROVE-DESIGN").unwrap();
        summary.asked = Some(AskedView { decision_id: id, kind, asked_at: before(2) });
        (summary.waiting, summary.standing) = (1, Some(Standing::YourTurn));
    });
    let mut works = row("2026-11-18_add-search", "Add search", |summary| {
        (summary.standing, summary.at_work) = (Some(Standing::Working), 2);
        (summary.state, summary.updated_at) = (Some(State::ImplementLoop), Some(before(0)));
    });
    works.listed.is_running = true;
    let left = row("2026-11-17_left", "", |summary| {
        (summary.standing, summary.updated_at) = (Some(Standing::Working), Some(before(65)));
        summary.state = Some(State::Plan);
    });
    let over = row("2026-11-16_done", "Count visits", |summary| {
        (summary.standing, summary.updated_at) = (Some(Standing::Done), Some(before(3_000)));
        summary.state = Some(State::Done);
    });
    screen.take(1, Done::Rows(vec![waits, works, left, over]));
    screen
}

#[test]
fn r191_the_list_begins_with_what_waits() {
    check(
        &mut list(),
        80,
        24,
        expect![[r#"
        Tollgate: sessions                                               1 waits for you
        Waiting for you
          your turn   Limit failed logins        project · UD-APPROVE-DESIGN · 2 min ago

        All others
          at work     Add search                           project · 2 agents · just now
          not running 2026-11-17_left                     project · PLAN · 1 h 5 min ago
          done        Count visits                          project · DONE · 2 d 2 h ago















        Enter open  ↑↓ choose  / filter  n new session  ? help  q quit
    "#]],
    );
}

#[test]
fn r191_a_session_at_work() {
    check(
        &mut at_work(),
        80,
        24,
        expect![[r#"
            Add a line to the app                                                    at work
            project · deliver · 2026-11-18_add-a-line-to-the-app · branch tollgate/2026-11-…
            … ✓APPROVE_DESIGN ✓PLAN ✓REVIEW_STRATEGY ▶IMPLEMENT_LOOP ·INTEGRATE ·RELEASE …
            ░░░░░░░░░░ 0 of 2 tasks · cost unknown · 5 attempts · agents 0 s    1 min in all
            ┌ Tasks 0/2 ───────────────────────┐┏ Agents, 1 at work ━━━━━━━━━━━━━━━━━━━━━━━┓
            │◦ T-001 Change app.txt   in review│┃▸ #5 Coder T-002 crew                 1:35┃
            │▸ T-002 Change lib.txt     at work│┃    runs cargo test                       ┃
            │                                  │┃✓ #4 Coder T-001 crew             accepted┃
            │                                  │┃✓ #3 Planner session crew         accepted┃
            │                                  │┃✓ #2 Architect session crew       accepted┃
            └──────────────────────────────────┘┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
            ┌ Activity ────────────────────────────────────────────────────────────────────┐
            │04:44:24 dispatch #4 Coder T-001 to implement the task                        │
            │04:44:24    start #4 Coder T-001                                              │
            │04:44:25    reply #4 Coder T-001: OK – Coder did its part of T-001.           │
            │04:44:25    ended #4 Coder T-001                                              │
            │04:44:25   checks 1 command for T-001                                         │
            │04:44:25   checks 1 passed                                                    │
            │04:44:25     task T-001 is implemented                                        │
            │04:44:25     task T-002 is in-progress                                        │
            │04:44:25 dispatch #5 Coder T-002 to implement the task                        │
            │04:44:25    start #5 Coder T-002                                              │
            └──────────────────────────────────────────────────────────────────────────────┘
            Enter output  d diff  f findings  v files  Tab pane  q back  ? help
        "#]],
    );
}

#[test]
fn r191_a_question_and_the_form_of_an_answer() {
    let mut screen = opened(AT_THE_GATE);
    press(&mut screen, "a");
    check(
        &mut screen,
        80,
        24,
        expect![[r#"
        UD-APPROVE-DESIGN (approve)                                      asked 1 min ago
        │ Please review the proposed solution: acceptance.json, architecture.md,
        │ spec.md. Do you approve it?

        What it cost so far
          cost unknown, 2 attempts, 0 s of agent time

        Findings
          none open

        Acceptance criteria and what proves them
          AC-001: it looks good
              you: look at it
          … 12 lines below
        ┌ Your answer ─────────────────────────────────────────────────────────────────┐
        │1 Approve  approved                                                           │
        │    the work continues from exactly these files                               │
        │2 Request changes  changes-requested: TEXT                    needs your words│
        │    SpecAgent and Architect run again with your words; begin with `Architect:`│
        │    to send it to one of them                                                 │
        │3 Cancel the session  cancel: TEXT                            needs your words│
        │    ends the session for good; accepted work stays on its branch              │
        └──────────────────────────────────────────────────────────────────────────────┘
        ↑↓ read  Tab to your answer  v files  d diff  q back  ? help
    "#]],
    );
    press(&mut screen, "2Name the file");
    check(
        &mut screen,
        80,
        24,
        expect![[r#"
        Your answer to UD-APPROVE-DESIGN
        You answer UD-APPROVE-DESIGN with:
        │ Request changes
        │ SpecAgent and Architect run again with your words; begin with `Architect:` to
        │ send it to one of them

        ┏ Your words ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┓
        ┃Name the file                                                                 ┃
        ┃                                                                              ┃
        ┃                                                                              ┃
        ┃                                                                              ┃
        ┃                                                                              ┃
        ┃                                                                              ┃
        ┃                                                                              ┃
        ┃                                                                              ┃
        ┃                                                                              ┃
        ┃                                                                              ┃
        ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
          Back      Send this answer




        Tab to the buttons  Enter new line  Ctrl-G editor  Esc back
    "#]],
    );
}

#[test]
fn r191_the_help_of_a_session() {
    let mut screen = at_work();
    press(&mut screen, "?");
    check(
        &mut screen,
        80,
        24,
        expect![[r#"
            Ad┏ Keys (any other key closes this) ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┓rk
            pr┃A session                                                                 ┃-…
            … ┃  a          opens the question that waits for you                        ┃
            ░░┃  Tab ← →    the next pane: tasks, agents, activity                       ┃ll
            ┌ ┃  Enter      opens what is chosen: a task, the output of an agent, the log┃━┓
            │◦┃  o t        the output of the chosen agent, and what it was told         ┃5┃
            │▸┃  d          what the session changed                                     ┃ ┃
            │ ┃  f c        findings; criteria, checks and notes                         ┃d┃
            │ ┃  v l        files of the session; the whole log                          ┃d┃
            │ ┃  r          continues a session that no process runs                     ┃d┃
            └─┃  x          cancels the session; you are asked for the reason            ┃━┛
            ┌ ┃  q          back; the session continues                                  ┃─┐
            │0┃                                                                          ┃ │
            │0┃To move                                                                   ┃ │
            │0┃  ↑ ↓ j k    one line                                                     ┃ │
            │0┃  PgUp PgDn  one page                                                     ┃ │
            │0┃  g G        to the top, to the end                                       ┃ │
            │0┃                                                                          ┃ │
            │0┃Everywhere                                                                ┃ │
            │0┃  Ctrl-C     leaves; sessions continue                                    ┃ │
            │0┃  Ctrl-Z     stops this view; `fg` comes back to it                       ┃ │
            │0┃  Ctrl-L     draws the screen again                                       ┃ │
            └─┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛─┘
            Enter output  d diff  f findings  v files  Tab pane  q back  ? help
        "#]],
    );
}

#[test]
fn r191_small_screens_have_all_that_matters() {
    check(
        &mut opened(AT_THE_GATE),
        60,
        15,
        expect![[r#"
            Add a line to the app                              your turn
            ✓INTAKE ✓DESIGN ▶APPROVE_DESIGN ·PLAN ·REVIEW_STRATEGY …
            cost unknown · 2 attempts · agents 0 s          1 min in all
            ? UD-APPROVE-DESIGN: press a. Please review the proposed so…
            ┌ Tasks ──────────────────┐┏ Agents ━━━━━━━━━━━━━━━━━━━━━━━┓
            │There is no plan yet.    │┃✓ #2 Architect session accepted┃
            │                         │┃✓ #1 SpecAgent session accepted┃
            └─────────────────────────┘┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
            ┌ Activity ────────────────────────────────────────────────┐
            │04:44:24       ok #2 Architect session                    │
            │04:44:24     skip DESIGN: nobody asked for Designer       │
            │04:44:24    state APPROVE_DESIGN                          │
            │04:44:24      ask UD-APPROVE-DESIGN: Please review the pr…│
            └──────────────────────────────────────────────────────────┘
            a answer  Enter output  d diff  f findings  v files  q back
        "#]],
    );
    let mut screen = opened(AT_THE_GATE);
    press(&mut screen, "a");
    check(
        &mut screen,
        60,
        15,
        expect![[r#"
        UD-APPROVE-DESIGN (approve)                  asked 1 min ago
        │ Please review the proposed solution: acceptance.json,
        │ architecture.md, spec.md. Do you approve it?

          … 21 lines below
        ┌ Your answer ─────────────────────────────────────────────┐
        │1 Approve  approved                                       │
        │    the work continues from exactly these files           │
        │2 Request changes  changes-requested: TE… needs your words│
        │    SpecAgent and Architect run again with your words;    │
        │    begin with `Architect:` to send it to one of them     │
        │3 Cancel the session  cancel: TEXT        needs your words│
        │    ends the session for good; accepted work stays on its │
        └──────────────────────────────────────────────────────────┘
        ↑↓ read  Tab to your answer  v files  d diff  q back  ? help
    "#]],
    );
    check(
        &mut screen,
        40,
        5,
        expect![[r#"
        This screen is too small: 60 columns and
        15 rows are needed. Ctrl-C leaves.



    "#]],
    );
}

/// The keys that lead to every screen of a session.
const EVERYWHERE: [&str; 12] =
    ["", "a", "a1", "a2words", "av", "af", "f", "c", "l", "\t\t\r", "x", "?"];

#[test]
fn r191_without_colours_nothing_is_missing() {
    for keys in EVERYWHERE {
        let mut coloured = opened(AT_THE_GATE);
        press(&mut coloured, keys);
        let words = text(&mut coloured, 80, 24);
        let mut plain = opened(AT_THE_GATE);
        plain.paint.has_colours = false;
        press(&mut plain, keys);
        assert_eq!(text(&mut plain, 80, 24), words, "the same words: {keys:?}");
        let cells = drawn(&mut plain, 80, 24).content;
        assert!(
            cells.iter().all(|cell| (cell.fg, cell.bg) == (Color::Reset, Color::Reset)),
            "{keys:?}"
        );
    }
    let cells = drawn(&mut at_work(), 80, 24).content;
    assert!(cells.iter().any(|cell| cell.fg != Color::Reset), "with colours there are some");
}

#[test]
fn r191_no_size_breaks_a_screen() {
    for keys in EVERYWHERE {
        for (columns, rows) in [(1, 1), (59, 15), (60, 14), (60, 15), (61, 16), (80, 24), (250, 70)]
        {
            let mut screen = opened(AT_THE_GATE);
            press(&mut screen, keys);
            drawn(&mut screen, columns, rows);
            for key in ["j", "\u{1b}[6~", "G", "k", "g", "\t"] {
                press(&mut screen, key);
                drawn(&mut screen, columns, rows);
            }
        }
    }
    for columns in 60..140 {
        drawn(&mut at_work(), columns, 15 + columns % 20);
        drawn(&mut list(), columns, 15 + columns % 20);
    }
}

/// Everything that others have a say in says something hostile.
fn hostile() -> Screen {
    let mut screen = at_work();
    let seen = &mut screen.session.as_mut().unwrap().seen;
    let long = HOSTILE.repeat(40);
    seen.view.goal = long.clone();
    seen.repo.name = HOSTILE.to_owned();
    for task in &mut seen.view.work.tasks {
        task.title = long.clone();
    }
    for one in &mut seen.view.work.dispatches {
        (one.doing, one.agent) = (Some(long.clone()), Some(HOSTILE.to_owned()));
        (one.title, one.last_failure) = (HOSTILE.to_owned(), Some(long.clone()));
    }
    for one in &mut seen.view.work.criteria {
        one.description = long.clone();
    }
    for one in &mut seen.view.work.checks {
        one.commands = vec![long.clone()];
    }
    seen.view.record.assumptions = vec![long.clone()];
    for line in &mut screen.session.as_mut().unwrap().lines {
        line.text = long.clone();
    }
    screen
}

#[test]
fn r191_text_of_others_stays_in_its_place() {
    for keys in ["", "\r", "f", "c", "l", "\t\t\r", "\t\t\t\r", "t", "v", "x"] {
        let mut screen = hostile();
        press(&mut screen, keys);
        if keys == "\r" {
            let number = screen.session.as_ref().unwrap().seen.dispatches()[0].number;
            screen.write(number, &[HOSTILE.to_owned(), HOSTILE.repeat(100)]);
        }
        for (columns, rows) in [(80, 24), (60, 15), (133, 40)] {
            let buffer = drawn(&mut screen, columns, rows);
            for cell in &buffer.content {
                let is_harmless = |char: char| {
                    !char.is_control()
                        && !matches!(char, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
                };
                assert!(cell.symbol().chars().all(is_harmless), "{:?}", cell.symbol());
            }
        }
    }
    let shown = text(&mut hostile(), 80, 24);
    assert!(shown.starts_with("reddrow世界 | nextred"), "{shown}");
    assert!(shown.lines().all(|line| crate::text::width(line) <= 80), "{shown}");
    let rows: Vec<&str> = shown.lines().collect();
    assert!(rows[5..22].iter().all(|row| row.ends_with(['│', '┃', '┐', '┓', '┘', '┛'])), "{shown}");
}
