//! How the timeline looks to someone who watches: a heading for each state, and one line for each finished dispatch.

use crate::output::{self, BAD, BOLD, DIM, GOOD, NOTE, Verbosity, WARN};
use anstyle::Style;
use std::collections::{BTreeMap, BTreeSet};
use tollgate_core::event::{Event, Verdict};
use tollgate_core::id::DispatchNumber;
use tollgate_core::time::Timestamp;
use tollgate_core::view::{Level, Line, Outcome, Parts, Tone};
use tollgate_core::work::DispatchEnd;
use tollgate_files::sanitize::terminal_line;

const MARK_COLUMNS: usize = 7;
/// How much of an agent's summary is shown where nobody knows how wide the screen is.
const SUMMARY_CHARS: usize = 160;
/// So many lines of a failing check are shown at once; the question and the record have more.
const CHECK_LINES: usize = 4;
/// Fewer letters of a summary tell nothing.
const SUMMARY_CHARS_MIN: usize = 12;

/// Tells what happened. It remembers what an agent said until its dispatch is finished, and the work of a dispatch until its
/// checks have run.
#[derive(Debug, Default)]
pub struct Narrator {
    began: Option<Timestamp>,
    summaries: BTreeMap<DispatchNumber, String>,
    unchecked: BTreeSet<DispatchNumber>,
}

impl Narrator {
    pub fn tell(&mut self, now: Parts<'_>, event: &Event) {
        let verbosity = output::verbosity();
        let began = *self.began.get_or_insert(now.updated_at());
        if verbosity == Verbosity::Verbose {
            show(&now.line(event), true);
            return last_words(event);
        }
        match event {
            Event::AttemptEnded { number, end: DispatchEnd::Replied { reply, .. }, .. } => {
                let first = reply.summary.trim().lines().next().unwrap_or_default();
                self.summaries.insert(*number, first.to_owned());
            }
            _ if verbosity == Verbosity::Quiet && !must_be_told(event) => {}
            Event::DispatchClosed { number, verdict, .. } => {
                self.unchecked.insert(*number);
                if !is_unchecked(now, *number) {
                    self.finished(now, *number, *verdict);
                }
            }
            Event::ChecksEnded { .. } => {
                show(&now.line(event), false);
                last_words(event);
                self.checked(now, is_unchecked);
            }
            Event::DecisionAsked { .. } | Event::Blocked { .. } => {
                if verbosity != Verbosity::Quiet {
                    self.checked(now, |_, _| false);
                }
                show(&now.line(event), false);
            }
            Event::AttemptStarted { .. } | Event::TaskMoved { .. } => {}
            Event::StepEntered { .. } | Event::SessionClosed => {
                let mut line = now.line(event);
                if line.level == Level::Heading {
                    let since = now.updated_at().ms_since(began);
                    line.text.push_str(&format!("  +{}", duration(since)));
                }
                show(&line, false);
            }
            _ => show(&now.line(event), false),
        }
    }

    /// Tells of accepted work that need not, or cannot, wait for its checks any longer.
    fn checked(&mut self, now: Parts<'_>, waits: impl Fn(Parts<'_>, DispatchNumber) -> bool) {
        let numbers = self.unchecked.iter().copied().filter(|number| !waits(now, *number));
        for number in numbers.collect::<Vec<_>>() {
            self.finished(now, number, Verdict::Accepted);
        }
    }

    fn finished(&mut self, now: Parts<'_>, number: DispatchNumber, verdict: Verdict) {
        self.unchecked.remove(&number);
        let summary = self.summaries.remove(&number).unwrap_or_default();
        finished(now, number, verdict, &summary);
    }
}

/// The end of what a failing check printed: the cause is seen while the repair is still at work.
fn last_words(event: &Event) {
    let Event::ChecksEnded { results, .. } = event else { return };
    for result in results.iter().filter(|result| !result.passed) {
        let lines: Vec<&str> = result.output_tail.trim_end().lines().collect();
        for line in &lines[lines.len().saturating_sub(CHECK_LINES)..] {
            output::quoted(DIM, line);
        }
    }
}

fn is_unchecked(now: Parts<'_>, number: DispatchNumber) -> bool {
    now.dispatch(number).is_some_and(|dispatch| dispatch.outcome == Outcome::Unchecked)
}

/// Also where nothing else is told.
pub fn must_be_told(event: &Event) -> bool {
    matches!(
        event,
        Event::Noticed { .. }
            | Event::FilesEdited { .. }
            | Event::DecisionAsked { .. }
            | Event::Blocked { .. }
    )
}

pub fn style(tone: Tone) -> Style {
    match tone {
        Tone::Strong => BOLD,
        Tone::Quiet => DIM,
        Tone::Good => GOOD,
        Tone::Note => NOTE,
        Tone::Warning => WARN,
        Tone::Bad => BAD,
    }
}

/// `✓ #5 Coder T-001  1m 12s  $0.18  Failures are counted per user`; what is not known is left out, and work that is still to be
/// checked has no `✓` yet.
fn finished(now: Parts<'_>, number: DispatchNumber, verdict: Verdict, summary: &str) {
    let Some(dispatch) = now.dispatch(number) else {
        return;
    };
    let (style, mark, cause) = match (verdict, dispatch.outcome) {
        // Somebody is asked before its checks could run.
        (Verdict::Accepted, Outcome::Unchecked) => (DIM, "·", None),
        (Verdict::Accepted, Outcome::ChecksFailed) => (BAD, "✗", Some("checks failed")),
        (Verdict::Accepted, _) => (GOOD, "✓", None),
        (Verdict::Objected, _) => (WARN, "!", Some("objects")),
        (Verdict::SetAside, _) => (WARN, "!", Some("set aside")),
        (Verdict::Skipped, _) => (WARN, "!", Some("skipped")),
        (Verdict::Cancelled, _) => (BAD, "✗", Some("cancelled")),
    };
    let mut parts = vec![dispatch.title, duration(dispatch.spend.wall_ms)];
    if dispatch.attempts > 1 {
        parts.push(format!("{} attempts", dispatch.attempts));
    }
    if dispatch.spend.usd.is_some() {
        parts.push(format!("${}", dispatch.spend.usd_words()));
    }
    parts.extend(cause.map(str::to_owned));
    let facts = parts.join("  ");
    let used = mark.chars().count() + 1 + facts.chars().count() + 2;
    let room = output::known_columns().map_or(SUMMARY_CHARS, |all| all.saturating_sub(used));
    let words = terminal_line(summary, room.min(SUMMARY_CHARS));
    match words.is_empty() || room < SUMMARY_CHARS_MIN {
        true => output::marked(style, mark, &facts),
        false => output::marked(style, mark, &format!("{facts}  {words}")),
    }
}

/// `1h 02m`, `1m 12s`, `8s`.
pub fn duration(ms: u64) -> String {
    let seconds = ms / 1_000;
    match (seconds / 3_600, seconds / 60 % 60, seconds % 60) {
        (0, 0, s) => format!("{s}s"),
        (0, m, s) => format!("{m}m {s:02}s"),
        (h, m, _) => format!("{h}h {m:02}m"),
    }
}

/// What is too small for someone who watches is left to the log, and to who wants every step.
fn show(line: &Line, every_step: bool) {
    let style = style(line.tone);
    match line.level {
        Level::Heading => output::marked(style, line.mark, &line.text),
        Level::Small if !every_step => {}
        Level::Detail | Level::Small => detail(style, line.mark, &line.text),
    }
}

/// Details stand behind their marks, which end in one column.
pub fn detail(style: Style, mark: &str, text: &str) {
    output::marked(style, &format!("{mark:>MARK_COLUMNS$}"), text);
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn r183_lengths_of_time_are_short() {
        let shown = [0, 8_999, 72_000, 3_600_000, 7_320_000].map(duration);
        assert_eq!(shown, ["0s", "8s", "1m 12s", "1h 00m", "2h 02m"]);
    }
}
