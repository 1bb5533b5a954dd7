//! Events in words: one line each, or none.

use crate::output::{BAD, BOLD, DIM, GOOD, NOTE, WARN};
use anstyle::Style;
use tollgate_core::action::{CheckSubject, StepKind};
use tollgate_core::decision::{CorrectionStatus, DecisionStatus};
use tollgate_core::event::{CheckTree, Event, Merged, Purpose, RetryWhy, Verdict};
use tollgate_core::id::{Attempt, DispatchNumber};
use tollgate_core::role::Role;
use tollgate_core::session::Session;
use tollgate_core::time::Timestamp;
use tollgate_core::work::DispatchEnd;
use tollgate_host::sanitize::terminal_line;

/// How much of an agent's words fits a line.
const WORDS_MAX: usize = 160;

#[derive(Debug)]
pub struct Line {
    pub style: Style,
    pub mark: &'static str,
    pub text: String,
}

fn told(style: Style, mark: &'static str, text: impl Into<String>) -> Option<Line> {
    Some(Line { style, mark, text: text.into() })
}

pub fn line(session: &Session, event: &Event) -> Option<Line> {
    match event {
        Event::SessionOpened(opening) => {
            told(BOLD, "session", format!("{} ({})", opening.session, opening.action.name))
        }
        Event::ModeChanged { mode, reason } => {
            told(WARN, "mode", format!("{mode} from now on: {reason}"))
        }
        Event::StepEntered { index } => {
            let step = session.steps.get(*index)?;
            told(BOLD, "state", format!("{}{}", step.state, not_checked(session, &step.kind)))
        }
        Event::StepSkipped { .. } | Event::PolicyAdopted { .. } => None,
        Event::AttemptStarted { number, attempt, agent, stands_in_for, .. } => {
            let player = agent.as_deref().zip(stands_in_for.as_deref());
            started(session, *number, *attempt, player)
        }
        Event::AttemptEnded { number, end, .. } => ended(session, *number, end),
        Event::RetryScheduled { number, due, why } => waits(session, *number, *due, *why),
        Event::DispatchClosed { number, verdict } => closed(session, *number, *verdict),
        Event::PlanAdopted { tasks } => told(NOTE, "   plan", format!("{} task(s)", tasks.len())),
        Event::TaskMoved { task, status } => told(DIM, "   task", format!("{task} is {status}")),
        Event::RepairOpened { task, repair, .. } => {
            told(WARN, " repair", format!("{repair} of {task}"))
        }
        Event::ScopeExtended { task, paths } => {
            told(NOTE, "  scope", format!("{task} may change {} too", paths.join(", ")))
        }
        Event::StepReopened { .. } => told(NOTE, "   plan", "it waits for a person".to_owned()),
        Event::ChecksStarted { purpose, commands, tree, .. } if !commands.is_empty() => told(
            DIM,
            " checks",
            format!("{} command(s) for {purpose}{}", commands.len(), place(*tree)),
        ),
        Event::ChecksEnded { results, .. } => checks(results),
        Event::FindingRecorded { finding } => {
            let place = finding.report.file.as_deref().unwrap_or("-");
            let words = terminal_line(&finding.report.message, WORDS_MAX);
            told(WARN, "finding", format!("[{}] {place}: {words}", finding.report.severity))
        }
        Event::DecisionAsked { decision } => {
            let words = terminal_line(&decision.question, WORDS_MAX);
            told(NOTE, "    ask", format!("{}: {words}", decision.decision_id))
        }
        Event::DecisionResolved { id, resolution } => resolved(id.as_str(), resolution),
        Event::CorrectionMoved { status: CorrectionStatus::Queued, roles, places, .. } => {
            let part = |at: usize| places.get(at).and_then(|place| session.assignment(*place));
            let name = |(at, role): (usize, &Role)| part(at).map_or(role.as_str(), |p| p.name());
            let names: Vec<&str> = roles.iter().enumerate().map(name).collect();
            told(WARN, "correct", format!("the work goes back to {}", names.join(", then ")))
        }
        Event::MergeEnded { merged } => brought_together(merged),
        Event::SeverityPassed { tracked, .. } => {
            told(GOOD, "   gate", format!("severity passed, {} finding(s) tracked", tracked.len()))
        }
        Event::Blocked { blocker } => told(BAD, "blocked", blocker.code.to_string()),
        Event::FilesEdited { edits } => {
            let paths: Vec<&str> = edits.iter().map(|edit| edit.path.as_str()).collect();
            told(
                WARN,
                " edited",
                format!("session files were changed by hand: {}", paths.join(", ")),
            )
        }
        Event::Noticed { message, .. } => told(WARN, " notice", terminal_line(message, 400)),
        Event::SessionClosed => told(GOOD, "   done", session.opening.session.to_string()),
        _ => None,
    }
}

/// What a step would check and cannot, because nothing says against what.
fn not_checked(session: &Session, kind: &StepKind) -> String {
    let StepKind::Checks { of } = kind else {
        return String::new();
    };
    let missing = of.iter().filter_map(|subject| match subject {
        CheckSubject::Lifecycle if session.stage.is_none() => {
            Some("lifecycle gates, because there is no lifecycle-stage.yaml")
        }
        CheckSubject::Coverage if session.coverage_minimum().is_none() => {
            Some("coverage, because tollgate.toml has no [coverage]")
        }
        _ => None,
    });
    match missing.collect::<Vec<_>>() {
        missing if missing.is_empty() => String::new(),
        missing => format!(" (not checked: {})", missing.join("; ")),
    }
}

/// `3 Coder T-001`, and why when it is not plain.
pub fn dispatch(session: &Session, number: DispatchNumber) -> String {
    let Some(dispatch) = session.dispatches.get(&number) else {
        return number.to_string();
    };
    let why = match &dispatch.purpose {
        Purpose::Repair { repair } => format!(" ({repair})"),
        Purpose::Correction { .. } => " (correction)".to_owned(),
        _ => String::new(),
    };
    let part = dispatch.place().and_then(|place| session.assignment(place));
    let name = part.map_or(dispatch.role.as_str(), |part| part.name());
    format!("#{number} {name} {}{why}", dispatch.task)
}

fn waits(session: &Session, number: DispatchNumber, due: Timestamp, why: RetryWhy) -> Option<Line> {
    let who = dispatch(session, number);
    match why {
        RetryWhy::Transient => told(WARN, "   wait", format!("{who} starts again at {due}")),
        RetryWhy::Parked => {
            told(WARN, "   wait", format!("{who} starts at {due}, when a usage limit resets"))
        }
        RetryWhy::Room => {
            let words = "starts when one of those at work has ended: they may need what is left of the limits";
            told(WARN, "   wait", format!("{who} {words}"))
        }
        _ => None,
    }
}

fn brought_together(merged: &[Merged]) -> Option<Line> {
    let clashing: Vec<&str> =
        merged.iter().flat_map(|one| &one.conflicts).map(String::as_str).collect();
    if clashing.is_empty() {
        return told(GOOD, "  merge", format!("{} changes go together", merged.len()));
    }
    told(WARN, "  merge", format!("these do not go together: {}", clashing.join(", ")))
}

/// With who plays in whose place.
fn started(
    session: &Session,
    number: DispatchNumber,
    attempt: Attempt,
    in_place_of: Option<(&str, &str)>,
) -> Option<Line> {
    let again = if attempt.0 > 1 { format!(", attempt {attempt}") } else { String::new() };
    let by = in_place_of.map(|(agent, of)| format!(" by {agent} in place of {of}"));
    let who = dispatch(session, number);
    told(DIM, "  start", format!("{who}{again}{}", by.unwrap_or_default()))
}

fn place(tree: CheckTree) -> &'static str {
    match tree {
        CheckTree::Workspace => "",
        CheckTree::Fresh { .. } => ", in a fresh clone",
    }
}

fn ended(session: &Session, number: DispatchNumber, end: &DispatchEnd) -> Option<Line> {
    let who = dispatch(session, number);
    match end {
        DispatchEnd::Replied { reply, .. } => {
            let words = terminal_line(&reply.summary, WORDS_MAX);
            told(DIM, "  reply", format!("{who}: {} – {words}", reply.status))
        }
        DispatchEnd::Invalid { errors, .. } => {
            let first =
                errors.first().map(|e| terminal_line(&e.message, WORDS_MAX)).unwrap_or_default();
            told(WARN, "invalid", format!("{who}: {} error(s): {first}", errors.len()))
        }
        DispatchEnd::MissingOutput { paths, .. } => {
            told(BAD, "missing", format!("{who} did not write {}", paths.join(", ")))
        }
        DispatchEnd::MissingRole { detail, .. } => {
            told(BAD, "missing", format!("{who}: {}", terminal_line(detail, WORDS_MAX)))
        }
        DispatchEnd::MissingContext { errors } => {
            let paths: Vec<&str> = errors.iter().map(|error| error.path.as_str()).collect();
            let words = format!("must read what is not there: {}", paths.join(", "));
            told(BAD, "missing", format!("{who} {}", terminal_line(&words, WORDS_MAX)))
        }
        DispatchEnd::Crashed { exit_code, signal, stderr_tail } => {
            let how = match (exit_code, signal) {
                (Some(code), _) => format!("exit code {code}"),
                (_, Some(signal)) => format!("signal {signal}"),
                _ => "no reply".to_owned(),
            };
            let words = stderr_tail.trim().lines().next_back().unwrap_or_default();
            told(WARN, "crashed", format!("{who}: {how} {}", terminal_line(words, WORDS_MAX)))
        }
        DispatchEnd::CouldNotStart { program, cause } => {
            told(BAD, "crashed", format!("{who}: {program} could not be started: {cause}"))
        }
        DispatchEnd::TimedOut { after_ms } => {
            told(BAD, "timeout", format!("{who}: ended after {} s", after_ms / 1_000))
        }
        DispatchEnd::OutputLimit { limit_bytes } => {
            told(BAD, " output", format!("{who}: more than {limit_bytes} bytes; ended"))
        }
        DispatchEnd::PermissionRefused { detail } => {
            told(BAD, "refused", format!("{who}: {}", terminal_line(detail, WORDS_MAX)))
        }
        DispatchEnd::Unavailable { detail } => {
            told(WARN, "unavail", format!("{who}: {}", terminal_line(detail, WORDS_MAX)))
        }
        DispatchEnd::UsedUp { detail } => {
            told(BAD, "used up", format!("{who}: {}", terminal_line(detail, WORDS_MAX)))
        }
        DispatchEnd::Limited { detail } => {
            let words = terminal_line(detail, WORDS_MAX);
            told(WARN, "unavail", format!("{who}: out of its usage limit: {words}"))
        }
        DispatchEnd::Parked { until, no_time: None } => {
            told(WARN, " parked", format!("{who} until {until}"))
        }
        DispatchEnd::Parked { until, no_time: Some(detail) } => {
            let words = terminal_line(detail, WORDS_MAX);
            told(WARN, " parked", format!("{who}, no time told, until {until}: {words}"))
        }
        DispatchEnd::Stopped => told(WARN, "stopped", who),
        DispatchEnd::Unsupervised { rescue } => {
            told(WARN, "   lost", format!("{who}: its supervisor was killed{}", kept(rescue)))
        }
        DispatchEnd::Interrupted { rescue } => {
            told(WARN, "   lost", format!("{who} was interrupted{}", kept(rescue)))
        }
    }
}

fn kept(rescue: &Option<String>) -> String {
    let kept = rescue.as_ref().map(|name| format!("; half-made changes are in {name}"));
    kept.unwrap_or_default()
}

fn closed(session: &Session, number: DispatchNumber, verdict: Verdict) -> Option<Line> {
    let who = dispatch(session, number);
    match verdict {
        Verdict::Accepted => told(GOOD, "     ok", who),
        Verdict::Objected => told(WARN, "objects", who),
        Verdict::SetAside => told(WARN, "  aside", who),
        Verdict::Skipped => told(WARN, "skipped", who),
        Verdict::Cancelled => told(BAD, "cancels", who),
    }
}

fn checks(results: &[tollgate_core::work::CheckResult]) -> Option<Line> {
    let failed: Vec<String> = results
        .iter()
        .filter(|result| !result.passed)
        .map(|result| {
            let how = match (&result.trouble, result.exit_code) {
                (Some(trouble), _) => trouble.clone(),
                (None, code) => format!("exit code {}", code.unwrap_or(-1)),
            };
            format!("`{}`: {how}", result.command)
        })
        .collect();
    match (results.len(), failed.len()) {
        (0, _) => None,
        (all, 0) => told(GOOD, " checks", format!("{all} passed")),
        (all, bad) => told(BAD, " checks", format!("{bad} of {all} failed: {}", failed.join("; "))),
    }
}

fn resolved(id: &str, resolution: &tollgate_core::decision::Resolution) -> Option<Line> {
    let words = resolution.answer.as_deref().or(resolution.reason.as_deref()).unwrap_or_default();
    let words = terminal_line(words, WORDS_MAX);
    match resolution.status {
        DecisionStatus::Answered => told(NOTE, " answer", format!("{id}: {words}")),
        DecisionStatus::Cancelled | DecisionStatus::Skipped => {
            told(WARN, " answer", format!("{id} {}: {words}", resolution.status))
        }
        DecisionStatus::Pending => None,
    }
}
