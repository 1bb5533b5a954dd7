//! A session as a step of GitHub Actions shows it.

use super::{Annotation, Weight};
use crate::formats::junit::how_it_ended;
use crate::formats::markdown::{block, code, in_html, plain, table};
use crate::formats::{CheckHistory, CheckStanding};
use tollgate_core::event::{CriterionResult, FindingStatus};
use tollgate_core::reply::Severity;
use tollgate_core::view::{FindingView, QuestionView, Standing, View};

/// Of what one cell or line of a summary shows.
const CELL_CHARS_MAX: usize = 400;
const GOAL_CHARS_MAX: usize = 1_000;
const QUESTION_CHARS_MAX: usize = 2_000;
const ROWS_MAX: usize = 200;
const OUTPUT_LINES_MAX: usize = 40;

/// What must be seen beside the step: open findings, failed checks, why it is blocked, what it asks. `place` tells where a
/// file of the repository is in what was checked out.
pub fn annotations(
    view: &View,
    history: &CheckHistory,
    place: impl Fn(&str) -> Option<String>,
) -> Vec<Annotation> {
    let mut all: Vec<Annotation> = blocker(view).into_iter().collect();
    all.extend(history.failed().into_iter().map(|(run, result)| {
        let how = how_it_ended(result);
        let title = format!("check failed ({}): {}", run.purpose, result.command);
        Annotation::new(Weight::Error, title, format!("{how}\n{}", result.output_tail))
    }));
    let open = view.results.findings.iter().filter(|found| found.status == FindingStatus::Open);
    all.extend(open.map(|found| {
        let title =
            format!("{} ({}, {})", found.id, found.severity.as_str(), found.source.as_str());
        let file = found.file.as_deref().and_then(&place);
        let line = found.line.as_deref().and_then(first_number);
        Annotation::new(weight(found.severity), title, &found.message).at(file, line)
    }));
    all.extend(view.pending_decisions.iter().map(|question| {
        let title = format!("{} waits for your answer", question.decision_id);
        let words = format!("{}\n{}", question.question, answers(view, question).join("\n"));
        Annotation::new(Weight::Warning, title, words)
    }));
    all
}

fn blocker(view: &View) -> Option<Annotation> {
    let blocker = view.blocker.as_ref()?;
    let title = match view.route.standing {
        Standing::Cancelled => format!("{} is cancelled", view.session),
        _ => format!("{} is blocked: {}", view.session, blocker.code),
    };
    let words = format!("{}\n{}", blocker.detail, blocker.remedy);
    Some(Annotation::new(Weight::Error, title, words))
}

fn weight(severity: Severity) -> Weight {
    match severity {
        Severity::Critical | Severity::High => Weight::Error,
        Severity::Medium => Weight::Warning,
        Severity::Low => Weight::Notice,
    }
}

fn first_number(text: &str) -> Option<u32> {
    let digits = text.split(|c: char| !c.is_ascii_digit()).find(|part| !part.is_empty())?;
    digits.parse().ok().filter(|line| *line > 0)
}

/// The commands that answer a question, one for each option.
fn answers(view: &View, question: &QuestionView) -> Vec<String> {
    let (name, id) = (&view.session, &question.decision_id);
    let command = |answer: &str| format!("tollgate answer {name} {id} {answer:?} --resume");
    question.options.iter().map(|option| command(&option.answer)).collect()
}

/// The parts of the summary, what matters most first.
pub fn summary(view: &View, history: &CheckHistory) -> Vec<String> {
    let parts = [
        head(view),
        view.pending_decisions.iter().map(|question| asked(view, question)).collect(),
        blocked(view),
        criteria(view),
        findings(view),
        checks(history),
        outputs(history),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect()
}

fn head(view: &View) -> String {
    let branch = match view.branch.has_accepted_work() {
        true => code(&view.branch.name, CELL_CHARS_MAX),
        false => "no accepted work yet".to_owned(),
    };
    let mut rows = vec![
        row(
            "State",
            plain(&format!("{} ({})", view.route.state, view.route.standing), CELL_CHARS_MAX),
        ),
        row("Goal", plain(&view.goal, GOAL_CHARS_MAX)),
        row("Action", plain(&view.route.action, CELL_CHARS_MAX)),
        row("Branch", branch),
        row("Cost", plain(&view.costs.spend.to_string(), CELL_CHARS_MAX)),
    ];
    rows.extend(
        view.record
            .known_issues
            .iter()
            .take(ROWS_MAX)
            .map(|issue| row("Known issue", plain(issue, CELL_CHARS_MAX))),
    );
    let title = plain(view.session.as_str(), CELL_CHARS_MAX);
    format!("### Tollgate: {title}\n\n{}", table(["", ""], &rows))
}

fn row(name: &str, value: String) -> [String; 2] {
    [name.to_owned(), value]
}

fn asked(view: &View, question: &QuestionView) -> String {
    let mut text = format!(
        "\n#### {} waits for your answer\n\n{}\n\n",
        question.decision_id,
        plain(&question.question, QUESTION_CHARS_MAX)
    );
    for (option, command) in question.options.iter().zip(answers(view, question)) {
        let what = plain(&format!("{}: {}", option.label, option.consequence), CELL_CHARS_MAX);
        text.push_str(&format!("- {}<br>{what}\n", code(&command, CELL_CHARS_MAX)));
    }
    text
}

fn blocked(view: &View) -> String {
    let Some(blocker) = &view.blocker else { return String::new() };
    let title = match view.is_cancelled() {
        true => "Cancelled".to_owned(),
        false => format!("Blocked: {}", plain(blocker.code.as_str(), CELL_CHARS_MAX)),
    };
    let detail = plain(&blocker.detail, QUESTION_CHARS_MAX);
    format!("\n#### {title}\n\n{detail}\n\n{}\n", plain(&blocker.remedy, QUESTION_CHARS_MAX))
}

fn criteria(view: &View) -> String {
    let rows: Vec<[String; 4]> = view
        .work
        .criteria
        .iter()
        .take(ROWS_MAX)
        .map(|criterion| {
            let (result, why) = match &criterion.result {
                None => ("open", ""),
                Some(CriterionResult::Met { evidence }) => ("met", evidence.as_str()),
                Some(CriterionResult::Unmet { evidence }) => ("**not met**", evidence.as_str()),
                Some(CriterionResult::Waived { reason }) => ("waived", reason.as_str()),
            };
            let cell = |text: &str| plain(text, CELL_CHARS_MAX);
            [cell(&criterion.id), cell(&criterion.description), result.to_owned(), cell(why)]
        })
        .collect();
    titled("Criteria", table(["Criterion", "", "Result", "Evidence"], &rows))
}

fn findings(view: &View) -> String {
    let mut found: Vec<&FindingView> = view.results.findings.iter().collect();
    found.sort_by_key(|finding| {
        (finding.status != FindingStatus::Open, std::cmp::Reverse(finding.severity))
    });
    let rows: Vec<[String; 5]> = found
        .into_iter()
        .take(ROWS_MAX)
        .map(|finding| {
            let place = match (&finding.file, &finding.line) {
                (Some(file), Some(line)) => code(&format!("{file}:{line}"), CELL_CHARS_MAX),
                (Some(file), None) => code(file, CELL_CHARS_MAX),
                (None, _) => String::new(),
            };
            let cell = |text: &str| plain(text, CELL_CHARS_MAX);
            [
                cell(&finding.id),
                cell(finding.severity.as_str()),
                place,
                cell(&finding.message),
                cell(finding.status.as_str()),
            ]
        })
        .collect();
    titled("Findings", table(["Finding", "Severity", "Place", "", "Status"], &rows))
}

/// Results that no later run has replaced.
fn checks(history: &CheckHistory) -> String {
    let mut rows: Vec<[String; 4]> = Vec::new();
    for (index, run) in history.runs.iter().enumerate().rev() {
        if !history.is_last(index) {
            continue;
        }
        for result in &run.results {
            let how = match history.standing(index, result) {
                CheckStanding::Passed => "passed".to_owned(),
                CheckStanding::Failed => {
                    format!("**failed**, {}", plain(&how_it_ended(result), 200))
                }
                CheckStanding::CannotRun => {
                    format!("cannot be run here, {}", plain(&how_it_ended(result), 200))
                }
                CheckStanding::Waived { reason } => {
                    format!("waived: {}", plain(reason, CELL_CHARS_MAX))
                }
                CheckStanding::Replaced { with } => {
                    format!("replaced with {}", code(with, CELL_CHARS_MAX))
                }
                CheckStanding::RanAgain { run } => format!("ran again in run {run}"),
            };
            let time =
                format!("{}.{:03} s", result.duration_ms / 1_000, result.duration_ms % 1_000);
            let of = plain(&run.purpose.to_string(), CELL_CHARS_MAX);
            rows.push([of, code(&result.command, CELL_CHARS_MAX), how, time]);
        }
    }
    rows.truncate(ROWS_MAX);
    titled("Checks", table(["Of", "Command", "Result", "Time"], &rows))
}

fn outputs(history: &CheckHistory) -> String {
    let shown = history.failed().into_iter().take(ROWS_MAX).map(|(_, result)| {
        let command = in_html(&result.command, CELL_CHARS_MAX);
        let output = block(&result.output_tail, OUTPUT_LINES_MAX);
        format!("\n<details><summary><code>{command}</code></summary>\n\n{output}\n</details>\n")
    });
    shown.collect()
}

fn titled(title: &str, table: String) -> String {
    if table.is_empty() { table } else { format!("\n#### {title}\n\n{table}") }
}
