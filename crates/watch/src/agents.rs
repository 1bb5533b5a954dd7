//! The agents at work: role, task, who plays, since when, and what they do now; below them those that worked before.

use crate::paint::{Ink, Paint, Words};
use crate::seen::{Seen, is_open};
use crate::{frame, text, when};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use tollgate_core::time::Timestamp;
use tollgate_core::view::{DispatchView, Outcome};

/// How many rows the pane would like to have.
pub fn rows(seen: &Seen) -> usize {
    let open = seen.view.work.dispatches.iter().filter(|one| is_open(one.outcome)).count();
    let all = seen.view.work.dispatches.len();
    (2 * open + (all - open).min(3)).max(1)
}

/// With the chosen one, where the keys go to this pane.
pub fn draw(
    frame: &mut Frame<'_>,
    paint: Paint,
    area: Rect,
    seen: &Seen,
    now: Timestamp,
    chosen: Option<usize>,
) {
    let all = seen.dispatches();
    let at_work = all.iter().filter(|one| one.outcome == Outcome::Running).count();
    let title = match at_work {
        0 => "Agents".to_owned(),
        count => format!("Agents, {count} at work"),
    };
    let inner = frame::pane(frame, paint, area, &title, chosen.is_some());
    let columns = usize::from(inner.width);
    if all.is_empty() {
        let words = vec![(Ink::Dim, "No agent was started yet.".to_owned())];
        return frame::lines(frame, inner, vec![paint.line(&words, columns)]);
    }
    let mut lines: Vec<Line<'static>> = Vec::new();
    let mut at = 0;
    for (index, one) in all.iter().enumerate() {
        let line = head(seen, one, paint, columns, now);
        if chosen == Some(index) {
            at = lines.len();
            lines.push(paint.chosen(line, columns));
        } else {
            lines.push(line);
        }
        lines.extend(below(one, now).map(|words| paint.line(&words, columns)));
    }
    // What the chosen one does now stands below it.
    let from = frame::window(at + 1, lines.len(), usize::from(inner.height), chosen.is_some());
    frame::lines(frame, inner, lines.into_iter().skip(from.min(at)).collect());
}

fn head(
    seen: &Seen,
    one: &DispatchView,
    paint: Paint,
    columns: usize,
    now: Timestamp,
) -> Line<'static> {
    let (ink, mark) = mark(one.outcome);
    let mut left: Words =
        vec![(ink, format!("{mark} ")), (Ink::Strong, text::one_line(&one.title))];
    if let Some(agent) = &one.agent {
        left.push((Ink::Dim, format!(" {}", text::one_line(agent))));
    }
    if one.attempts > 1 {
        left.push((Ink::Dim, format!(" attempt {}", one.attempts)));
    }
    let is_running = one.outcome == Outcome::Running;
    let since = seen.since.get(&one.number).filter(|_| is_running);
    let word = match since {
        Some(since) => when::running(now.ms_since(*since)),
        None => one.outcome.to_string(),
    };
    paint.sides(&left, &vec![(ink, word)], columns)
}

/// What it does now, or why it does not.
fn below(one: &DispatchView, now: Timestamp) -> Option<Words> {
    if !is_open(one.outcome) {
        return None;
    }
    let words = match (&one.doing, one.parked_until) {
        (Some(doing), _) => text::one_line(doing),
        (None, Some(until)) => {
            format!("its usage limit ends in {}", when::span(until.ms_since(now)))
        }
        (None, None) => match one.outcome {
            Outcome::Running => "starts".to_owned(),
            _ => one.last_failure.as_deref().map(text::one_line)?,
        },
    };
    Some(vec![(Ink::Dim, format!("    {words}"))])
}

fn mark(outcome: Outcome) -> (Ink, &'static str) {
    match outcome {
        Outcome::Running => (Ink::Note, "▸"),
        Outcome::Accepted => (Ink::Good, "✓"),
        Outcome::Unchecked | Outcome::Ready | Outcome::Finished => (Ink::Note, "◦"),
        Outcome::ChecksFailed | Outcome::Failed => (Ink::Bad, "✗"),
        Outcome::Objected | Outcome::Stopped | Outcome::Interrupted => (Ink::Warning, "!"),
        Outcome::SetAside | Outcome::Skipped | Outcome::Cancelled => (Ink::Dim, "-"),
        Outcome::Waiting => (Ink::Warning, "…"),
    }
}
