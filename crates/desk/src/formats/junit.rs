//! The checks of a session as JUnit XML, in the form of Ant's schema, which every service reads.
//!
//! A run of checks is a suite, a command is a case. A failure that a later run has replaced fails nothing any more: it is skipped,
//! with what it said. Otherwise no session that repaired something would ever be shown as good.

use super::{CheckHistory, CheckStanding, CheckedRun};
use std::fmt::Write as _;
use tollgate_core::event::CheckTree;
use tollgate_core::id::SessionName;
use tollgate_core::work::CheckResult;
use tollgate_files::sanitize::{terminal_line, terminal_text};

/// A longer command is cut off in the name of its case.
const NAME_CHARS_MAX: usize = 500;
/// The end of an output tells why; the journal keeps no more than a little of it anyway.
const OUTPUT_CHARS_MAX: usize = 16_000;

pub fn junit(session: &SessionName, history: &CheckHistory) -> String {
    let mut xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n".to_owned();
    for index in 0..history.runs.len() {
        suite(&mut xml, session, history, index);
    }
    xml.push_str("</testsuites>\n");
    xml
}

fn suite(xml: &mut String, session: &SessionName, history: &CheckHistory, index: usize) {
    let run = &history.runs[index];
    let cases: Vec<CheckCase<'_>> = match run.held {
        Some(_) => run.results.iter().map(|result| CheckCase::of(history, index, result)).collect(),
        None => run.commands.iter().map(|command| CheckCase::without_result(command)).collect(),
    };
    let count = |is: fn(&CaseEnd) -> bool| cases.iter().filter(|case| is(&case.end)).count();
    let (failures, skipped) = (
        count(|end| matches!(end, CaseEnd::Failed)),
        count(|end| matches!(end, CaseEnd::Skipped(_))),
    );
    let of = attribute(&run.purpose.to_string());
    let time: u64 = cases.iter().map(CheckCase::duration_ms).sum();
    let _ = writeln!(
        xml,
        "  <testsuite name=\"{of}\" package=\"{}\" id=\"{index}\" timestamp=\"{}\" hostname=\"localhost\" \
         tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\" time=\"{}\">",
        attribute(session.as_str()),
        &run.started_at.to_string()[..19],
        cases.len(),
        seconds(time),
    );
    properties(xml, history, index);
    cases.iter().for_each(|case| case.write(xml, &of));
    let _ = writeln!(xml, "    <system-out>{}</system-out>", text(&said(&cases)));
    xml.push_str("    <system-err></system-err>\n  </testsuite>\n");
}

fn properties(xml: &mut String, history: &CheckHistory, index: usize) {
    let run: &CheckedRun = &history.runs[index];
    let tree = match run.tree {
        CheckTree::Workspace => "workspace",
        CheckTree::Fresh { .. } => "fresh clone",
    };
    let held = match run.held {
        None => "unfinished",
        Some(true) => "true",
        Some(false) => "false",
    };
    let last = if history.is_last(index) { "true" } else { "false" };
    let run = run.number.to_string();
    xml.push_str("    <properties>\n");
    for (name, value) in [("run", run.as_str()), ("last", last), ("holds", held), ("tree", tree)] {
        let value = attribute(value);
        let _ = writeln!(xml, "      <property name=\"tollgate.{name}\" value=\"{value}\"/>");
    }
    xml.push_str("    </properties>\n");
}

/// A command in a run.
struct CheckCase<'a> {
    command: &'a str,
    result: Option<&'a CheckResult>,
    end: CaseEnd,
}

enum CaseEnd {
    Passed,
    Failed,
    /// It proves nothing for or against the work, and why.
    Skipped(String),
}

impl<'a> CheckCase<'a> {
    fn of(history: &CheckHistory, index: usize, result: &'a CheckResult) -> Self {
        let how = how_it_ended(result);
        let end = match history.standing(index, result) {
            CheckStanding::Passed => CaseEnd::Passed,
            CheckStanding::Failed => CaseEnd::Failed,
            CheckStanding::CannotRun => CaseEnd::Skipped(format!("it cannot be run here: {how}")),
            CheckStanding::Waived { reason } => CaseEnd::Skipped(format!("waived: {reason}")),
            CheckStanding::Replaced { with } => {
                CaseEnd::Skipped(format!("failed ({how}); a person replaced it with: {with}"))
            }
            CheckStanding::RanAgain { run } => {
                CaseEnd::Skipped(format!("failed ({how}), and ran again in run {run}"))
            }
        };
        Self { command: &result.command, result: Some(result), end }
    }

    fn without_result(command: &'a str) -> Self {
        let end = CaseEnd::Skipped("it has no result yet".to_owned());
        Self { command, result: None, end }
    }

    fn duration_ms(&self) -> u64 {
        self.result.map_or(0, |result| result.duration_ms)
    }

    fn write(&self, xml: &mut String, of: &str) {
        let (name, time) = (attribute(self.command), seconds(self.duration_ms()));
        let _ = write!(xml, "    <testcase name=\"{name}\" classname=\"{of}\" time=\"{time}\"");
        match (&self.end, self.result) {
            (CaseEnd::Skipped(why), _) => {
                let why = attribute(why);
                let _ = writeln!(xml, ">\n      <skipped message=\"{why}\"/>\n    </testcase>");
            }
            (CaseEnd::Failed, Some(result)) => {
                let how = how_it_ended(result);
                let _ = writeln!(
                    xml,
                    ">\n      <failure type=\"check\" message=\"{}\">{}</failure>\n    </testcase>",
                    attribute(&how),
                    text(&format!("{how}\n\n{}", result.output_tail)),
                );
            }
            _ => xml.push_str("/>\n"),
        }
    }
}

/// `exit code 1`, and what else is known of how a check ended.
pub(super) fn how_it_ended(result: &CheckResult) -> String {
    let mut how = match (&result.trouble, result.exit_code) {
        (Some(trouble), _) => trouble.clone(),
        (None, Some(code)) => format!("exit code {code}"),
        (None, None) => "no exit code".to_owned(),
    };
    if result.failed_on_base {
        how.push_str("; it failed before the session began, too");
    }
    how
}

/// What the others printed: those that failed say it themselves.
fn said(cases: &[CheckCase<'_>]) -> String {
    let mut said = String::new();
    for case in cases.iter().filter(|case| !matches!(case.end, CaseEnd::Failed)) {
        let printed = case.result.map(|result| result.output_tail.trim_end()).unwrap_or_default();
        if !printed.is_empty() {
            let _ =
                writeln!(said, "$ {}\n{printed}\n", terminal_line(case.command, NAME_CHARS_MAX));
        }
    }
    said
}

fn seconds(ms: u64) -> String {
    format!("{}.{:03}", ms / 1_000, ms % 1_000)
}

/// One line.
fn attribute(raw: &str) -> String {
    escaped(&terminal_line(raw, NAME_CHARS_MAX))
}

/// The end of it.
fn text(raw: &str) -> String {
    let clean = terminal_text(raw);
    let over = clean.chars().count().saturating_sub(OUTPUT_CHARS_MAX);
    let from = clean.char_indices().nth(over).map_or(0, |(at, _)| at);
    escaped(&clean[from..])
}

/// Without what XML has no way to say.
fn escaped(raw: &str) -> String {
    let mut escaped = String::with_capacity(raw.len());
    for char in raw.chars() {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            '\t' | '\n' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'.. => {
                escaped.push(char);
            }
            _ => {}
        }
    }
    escaped
}
