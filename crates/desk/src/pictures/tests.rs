//! The pictures of made-up sessions, and what no picture may hold.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::{STYLE, spend_by_role, timeline, workflow};
use crate::chronicle::{AttemptSpan, Chronicle, Span, What};
use tollgate_core::decision::DecisionKind;
use tollgate_core::id::{Attempt, CheckNumber, DecisionId, DispatchNumber, TaskRef};
use tollgate_core::reply::Usage;
use tollgate_core::role::{Mode, Role, State};
use tollgate_core::session::Spend;
use tollgate_core::time::Timestamp;
use tollgate_core::view::{Progress, RouteView, SpendBy, SpendView, Standing, StepDoes, StepView};

const HOSTILE: &str = "<script>alert(1)</script>\u{1b}[31m\" onload=\"x";

fn step(state: State, does: StepDoes, role: &str, progress: Progress) -> StepView {
    let roles = if role.is_empty() { Vec::new() } else { vec![role.to_owned()] };
    StepView { state, does, roles, progress, on_request: false }
}

fn route(standing: Standing, role: &str) -> RouteView {
    RouteView {
        action: "deliver".to_owned(),
        mode: Mode::Full,
        state: State::ApproveDesign,
        standing,
        steps: vec![
            step(State::Intake, StepDoes::Dispatch, role, Progress::Done),
            step(State::ApproveDesign, StepDoes::Approve, "", Progress::Current),
            step(State::Done, StepDoes::Close, "", Progress::Ahead),
        ],
    }
}

fn at(s: i64) -> Timestamp {
    Timestamp::from_ms(1_700_000_000_000 + s * 1_000)
}

fn attempt(number: u32, title: &str, from: i64, until: Option<i64>, replied: bool) -> Span {
    let end = until.map(|_| if replied { "replied" } else { "crashed" });
    let what = What::Attempt(Box::new(AttemptSpan {
        number: DispatchNumber(number),
        attempt: Attempt(1),
        title: title.to_owned(),
        role: Role::Coder,
        called: "Coder".to_owned(),
        task: TaskRef::Meta,
        agent: None,
        end,
        replied,
        words: None,
        said: None,
        usage: Usage::default(),
        changed: 0,
    }));
    Span { from: at(from), until: until.map(at), what }
}

fn night() -> Chronicle {
    let question = What::Question {
        id: DecisionId::parse("UD-APPROVE-DESIGN").unwrap(),
        kind: DecisionKind::Approve,
        round: 1,
        status: None,
        by_person: false,
    };
    let checks = What::Checks {
        number: CheckNumber(1),
        of: "T-001".to_owned(),
        commands: vec!["true".to_owned()],
        passed: Some(false),
        failed: Vec::new(),
    };
    Chronicle {
        opened_at: Some(at(0)),
        updated_at: Some(at(40_000)),
        spans: vec![
            attempt(1, "#1 Coder meta", 0, Some(10), false),
            attempt(1, "#1 Coder meta", 10, Some(20), true),
            Span { from: at(20), until: Some(at(36_000)), what: question },
            attempt(2, HOSTILE, 36_000, Some(36_020), true),
            Span { from: at(36_020), until: Some(at(36_021)), what: checks },
            attempt(3, "#3 Coder meta", 36_021, None, false),
        ],
    }
}

/// Nothing foreign is markup, and a page that forbids inline styles and scripts can show it.
#[track_caller]
fn is_safe(html: &str) {
    for forbidden in ["<script", "style=", "\u{1b}", "\" onload", "href=", "url("] {
        assert!(!html.contains(forbidden), "{forbidden} in {html}");
    }
    assert!(html.contains("role=\"img\"") && html.contains("aria-label=\""), "{html}");
}

#[test]
fn r194_a_picture_says_the_same_in_words() {
    let html = workflow(&route(Standing::YourTurn, "SpecAgent")).into_string();
    is_safe(&html);
    let words = "aria-label=\"Workflow, waits for you. Intake (SpecAgent): done; Approval (you): waits for you; Done (ready to merge): ahead\"";
    assert!(html.contains(words), "{html}");
    let html = timeline(&night(), at(36_030)).into_string();
    assert!(html.contains("UD-APPROVE-DESIGN open"), "{html}");
    assert!(html.contains("22:13:20 to 22:13:30 crashed"), "{html}");
}

#[test]
fn r194_foreign_names_are_only_text_in_pictures() {
    is_safe(&workflow(&route(Standing::Blocked, HOSTILE)).into_string());
    is_safe(&timeline(&night(), at(36_030)).into_string());
    is_safe(&timeline(&Chronicle::default(), at(0)).into_string());
    is_safe(&spend_by_role(&SpendBy::default()).into_string());
    assert!(!STYLE.contains("url(") && !STYLE.contains("@import") && !STYLE.contains("</"));
}

#[test]
fn a_night_without_work_leaves_room_for_the_work() {
    let html = timeline(&night(), at(36_030)).into_string();
    let widths: Vec<u64> = html
        .split("<rect class=\"pic-bar-ok\"")
        .skip(1)
        .filter_map(|rest| rest.split("width=\"").nth(1)?.split('"').next()?.parse().ok())
        .collect();
    assert!(widths.iter().all(|width| *width > 100), "{widths:?}");
    assert!(html.contains("times without work are drawn short"), "{html}");
}

#[test]
fn what_is_unknown_is_not_drawn_as_nothing_spent() {
    let mut by = SpendBy::default();
    by.role.insert(Role::Coder, SpendView::of(&Spend { wall_ms: 61_000, ..Spend::default() }));
    let html = spend_by_role(&by).into_string();
    assert!(html.contains("Spend by role in time at work: Coder 1 m 1 s"), "{html}");
    let known = SpendView::of(&Spend { micro_usd: Some(500_000), ..Spend::default() });
    by.role.insert(Role::QA, known);
    let html = spend_by_role(&by).into_string();
    assert!(html.contains("Coder cost unknown, 1 m 1 s"), "{html}");
}

#[test]
fn a_clock_that_went_back_draws_something() {
    let spans = vec![attempt(1, "a", 100, Some(50), true), attempt(2, "b", 60, Some(60), true)];
    let chronicle = Chronicle { opened_at: None, updated_at: None, spans };
    is_safe(&timeline(&chronicle, at(0)).into_string());
}
