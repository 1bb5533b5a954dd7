//! The lines above a session: what it is about, how it stands, its way, its progress, what it cost, and what waits.

use crate::paint::{Ink, Paint, Words};
use crate::seen::Seen;
use crate::text::{one_line, width, wrap};
use crate::when;
use ratatui::text::Line;
use tollgate_core::count::counted;
use tollgate_core::role::State;
use tollgate_core::task::TaskStatus;
use tollgate_core::time::Timestamp;
use tollgate_core::view::{Progress, Standing, StepView};

/// A screen of fewer rows has no line for names.
const ROWS_FOR_NAMES: u16 = 20;
const BAR: usize = 10;

pub fn lines(
    seen: &Seen,
    paint: Paint,
    columns: usize,
    rows: u16,
    now: Timestamp,
) -> Vec<Line<'static>> {
    let (ink, word) = standing(Some(seen.view.route.standing), seen.is_running);
    let goal = vec![(Ink::Strong, one_line(seen.title()))];
    let mut lines = vec![paint.sides(&goal, &vec![(ink, word.to_owned())], columns)];
    if rows >= ROWS_FOR_NAMES {
        lines.push(paint.line(&names(seen), columns));
    }
    lines.push(way(&seen.view.route.steps, paint, columns));
    let until = if seen.view.route.standing.is_over() { seen.view.updated_at } else { now };
    let elapsed = format!("{} in all", when::span(until.ms_since(seen.view.opened_at)));
    lines.push(paint.sides(&progress(seen), &vec![(Ink::Dim, elapsed)], columns));
    if let Some(words) = next(seen) {
        lines.extend(two_lines(&words, paint, columns, rows));
    }
    lines
}

/// The same words as everywhere.
pub fn standing(standing: Option<Standing>, is_running: bool) -> (Ink, &'static str) {
    match standing {
        Some(Standing::YourTurn) => (Ink::Waits, "your turn"),
        Some(Standing::Working) if is_running => (Ink::Note, "at work"),
        Some(Standing::Working) => (Ink::Warning, "not running"),
        Some(Standing::Blocked) => (Ink::Bad, "blocked"),
        Some(Standing::Done) => (Ink::Good, "done"),
        Some(Standing::Cancelled) => (Ink::Dim, "cancelled"),
        None => (Ink::Bad, "unreadable"),
    }
}

fn names(seen: &Seen) -> Words {
    let view = &seen.view;
    let mut words = format!("{} · {} · {}", seen.repo.name, view.route.action, view.session);
    if view.branch.has_accepted_work() {
        words.push_str(&format!(" · branch {}", view.branch.name));
    }
    vec![(Ink::Dim, one_line(&words))]
}

/// The steps on one line; where they do not fit, those around the present one.
fn way(steps: &[StepView], paint: Paint, columns: usize) -> Line<'static> {
    let steps = joined(steps);
    let words: Vec<(Ink, String)> = steps.iter().map(step).collect();
    let at = steps.iter().position(|(_, progress)| *progress == Progress::Current);
    let at = at.unwrap_or(steps.len().saturating_sub(1));
    let widths: Vec<usize> = words.iter().map(|(_, text)| width(text) + 1).collect();
    let (mut from, mut until) = (at, (at + 1).min(words.len()));
    // Room for the two ellipses.
    let mut left = columns.saturating_sub(4 + widths.get(at).copied().unwrap_or(0));
    loop {
        let before = from.checked_sub(1).filter(|index| widths[*index] <= left);
        let after =
            Some(until).filter(|index| widths.get(*index).is_some_and(|width| *width <= left));
        // What comes next matters more than what was.
        if let Some(index) = after.filter(|_| before.is_none() || until - at <= at - from) {
            left -= widths[index];
            until += 1;
        } else if let Some(index) = before {
            left -= widths[index];
            from = index;
        } else {
            break;
        }
    }
    let mut shown: Words = Vec::new();
    if from > 0 {
        shown.push((Ink::Dim, "… ".to_owned()));
    }
    for (ink, text) in &words[from..until] {
        shown.push((*ink, text.clone()));
        shown.push((Ink::Plain, " ".to_owned()));
    }
    if until < words.len() {
        shown.push((Ink::Dim, "…".to_owned()));
    }
    paint.line(&shown, columns)
}

/// Steps of one state that follow each other are one step for who watches.
fn joined(steps: &[StepView]) -> Vec<(State, Progress)> {
    let mut joined: Vec<(State, Progress)> = Vec::new();
    for step in steps {
        match joined.last_mut().filter(|(state, _)| *state == step.state) {
            Some((_, progress)) => *progress = together(*progress, step.progress),
            None => joined.push((step.state, step.progress)),
        }
    }
    joined
}

fn together(one: Progress, other: Progress) -> Progress {
    use Progress::{Ahead, Current, Done, Skipped};
    match (one, other) {
        (Current, _) | (_, Current) => Current,
        // Part of it is done, and part of it comes.
        (Done, Ahead) | (Ahead, Done) => Current,
        (Ahead, _) | (_, Ahead) => Ahead,
        (Done, _) | (_, Done) => Done,
        (Skipped, Skipped) => Skipped,
    }
}

fn step((state, progress): &(State, Progress)) -> (Ink, String) {
    let name = state.as_str();
    match progress {
        Progress::Done => (Ink::Good, format!("✓{name}")),
        Progress::Skipped => (Ink::Dim, format!("-{name}")),
        Progress::Current => (Ink::Strong, format!("▶{name}")),
        Progress::Ahead => (Ink::Dim, format!("·{name}")),
    }
}

fn progress(seen: &Seen) -> Words {
    let view = &seen.view;
    let tasks = &view.work.tasks;
    let mut words: Words = Vec::new();
    if !tasks.is_empty() {
        let done = tasks.iter().filter(|task| task.status == TaskStatus::Completed).count();
        let full = BAR * done / tasks.len();
        words.push((Ink::Good, "█".repeat(full)));
        words.push((Ink::Dim, "░".repeat(BAR - full)));
        words.push((Ink::Plain, format!(" {done} of {} · ", counted(tasks.len() as u64, "task"))));
    }
    words.push(money(seen));
    words.push((Ink::Plain, format!(" · {}", counted(view.costs.spend.attempts, "attempt"))));
    let limit = seen.limits.wall_ms.map(|ms| format!(" of {}", when::span(ms)));
    words.push((Ink::Plain, format!(" · agents {}", when::span(view.costs.spend.wall_ms))));
    words.push((Ink::Plain, limit.unwrap_or_default()));
    words
}

fn money(seen: &Seen) -> (Ink, String) {
    let (spend, limits) = (&seen.view.costs.spend, &seen.limits);
    let words = spend.against(limits);
    match spend.is_near(limits) {
        true => (Ink::Warning, format!("{words} (near the limit)")),
        false => (Ink::Plain, words),
    }
}

/// What does not fit one line has a second one, where there is room for it.
fn two_lines(words: &Words, paint: Paint, columns: usize, rows: u16) -> Vec<Line<'static>> {
    let Some((last, before)) = words.split_last() else { return Vec::new() };
    let used: usize = before.iter().map(|(_, text)| width(text)).sum();
    let pieces = wrap(&last.1, columns.saturating_sub(used).max(1));
    if pieces.len() == 1 || rows < ROWS_FOR_NAMES || used >= columns {
        return vec![paint.line(words, columns)];
    }
    let rest = last.1.get(pieces[0].len()..).unwrap_or_default().trim_start().to_owned();
    let mut first = before.to_vec();
    first.push((last.0, pieces[0].clone()));
    let indent = (Ink::Plain, "  ".to_owned());
    vec![paint.line(&first, columns), paint.line(&vec![indent, (last.0, rest)], columns)]
}

/// What a person can do now, where anything waits for them.
fn next(seen: &Seen) -> Option<Words> {
    let view = &seen.view;
    if let Some(question) = view.pending_decisions.first() {
        let more = match view.pending_decisions.len() {
            0 | 1 => String::new(),
            count => format!(", and {}", counted(count as u64 - 1, "more question")),
        };
        let first = question.question.lines().next().unwrap_or_default();
        return Some(vec![
            (Ink::Waits, format!("? {}{more}: press a. ", question.decision_id)),
            (Ink::Plain, one_line(first)),
        ]);
    }
    if let Some(number) = seen.to_play.first() {
        let how = format!(
            "? You play dispatch {number}: `tollgate submit {} {number} FILE`",
            view.session
        );
        return Some(vec![(Ink::Waits, how)]);
    }
    if let Some(blocker) = &view.blocker {
        let words = one_line(&format!("{}; {}", blocker.detail, blocker.remedy));
        // What was cancelled says so by itself.
        let mark = match view.is_cancelled() {
            true => "✗ ".to_owned(),
            false => format!("✗ {}: ", blocker.code),
        };
        return Some(vec![(Ink::Bad, mark), (Ink::Plain, words)]);
    }
    if seen.is_left() {
        let words = "No process runs this session. Press r to continue it.";
        return Some(vec![(Ink::Warning, words.to_owned())]);
    }
    let is_ready = view.route.standing == Standing::Done && view.branch.has_accepted_work();
    is_ready.then(|| {
        let how = format!("The work is ready: `tollgate merge {}` takes it over.", view.session);
        vec![(Ink::Good, how)]
    })
}
