//! From events to a report: what failed and how, before anything is read from disk.

use super::{ErrorType, FailureReport, SetAsideWork, Tried, members, paths};
use tollgate_core::answer::AnswerOption;
use tollgate_core::decision::{Blocker, Decision};
use tollgate_core::event::Purpose;
use tollgate_core::given::GivenFiles;
use tollgate_core::id::{Attempt, DispatchNumber};
use tollgate_core::session::Session;
use tollgate_core::view::{Parts, SCHEMA_VERSION, SpendView};
use tollgate_core::words;
use tollgate_core::work::DispatchEnd;
use tollgate_core::{FailureClass, class_of};

/// A dispatch that was sent back again and again would repeat all of it in every report.
const TRIED_MAX: usize = 10;

/// What is on record of an attempt beside its end.
#[derive(Debug, Clone, Default)]
pub(super) struct Noted {
    pub given: Option<GivenFiles>,
    pub kept: Option<String>,
}

/// What waits, or was stopped by a person, has not failed.
pub(super) fn is_failure(end: &DispatchEnd) -> bool {
    matches!(
        class_of(end),
        Some(FailureClass::Transient | FailureClass::Recoverable | FailureClass::Permanent)
    )
}

/// A report about the session as a whole, to be filled in.
pub(super) fn of_session(session: &Session) -> FailureReport {
    FailureReport {
        schema_version: SCHEMA_VERSION,
        session: session.opening.session.clone(),
        action: session.action_name().to_owned(),
        step: session.route.step + 1,
        role: None,
        called: None,
        role_file: None,
        agent: None,
        task: None,
        dispatch: None,
        attempt: None,
        failed_at: session.updated_at,
        duration_ms: None,
        spent: SpendView::of(&session.budget.ledger.total).to_string(),
        error_type: ErrorType { class: "blocked".to_owned(), end: None, code: None },
        message: String::new(),
        denied: None,
        to_fix: Vec::new(),
        impacted_artifacts: Vec::new(),
        members: Vec::new(),
        tried: Vec::new(),
        tried_count: 0,
        remediation: Vec::new(),
        next: "Tollgate tries it again automatically".to_owned(),
        decision: None,
        options: Vec::new(),
        kept: Vec::new(),
        set_aside: Vec::new(),
        excerpts: Default::default(),
    }
}

pub(super) fn of_dispatch(
    session: &Session,
    number: DispatchNumber,
    attempt: Attempt,
    agent: Option<String>,
    tried: &[Tried],
) -> FailureReport {
    let mut report = of_session(session);
    report.dispatch = Some(number);
    report.attempt = Some(attempt);
    report.agent = agent;
    report.tried_count = tried.len();
    report.tried = tried[tried.len().saturating_sub(TRIED_MAX)..].to_vec();
    report.duration_ms = tried.last().map(|last| last.duration_ms);
    if let Some(dispatch) = session.dispatches.get(&number) {
        report.role = Some(dispatch.role);
        report.called = Parts::of(session).called(number).map(str::to_owned);
        report.spent = SpendView::of(&dispatch.spend).to_string();
        report.task = Some(dispatch.task.clone());
        match dispatch.purpose {
            Purpose::Step { index, .. } => report.step = index + 1,
            Purpose::Repair { .. } => report.to_fix.clone_from(&dispatch.given.feedback.lines),
            _ => {}
        }
    }
    report.members = members::of(session, number);
    report.kept.push(session.session_path(&format!("dispatches/{number}/attempt-{attempt}/")));
    report.remediation.push("nothing to do: Tollgate tries it again automatically".to_owned());
    report
}

/// `outputs` are the files that it must leave behind.
pub(super) fn add_end(report: &mut FailureReport, outputs: &[String], end: &DispatchEnd) {
    report.error_type = ErrorType {
        class: class_of(end).map(class_word).unwrap_or("blocked").to_owned(),
        end: Some(words::end_name(end).to_owned()),
        code: None,
    };
    report.message = words::ended(end);
    report.impacted_artifacts = match end {
        DispatchEnd::Invalid { errors, .. } | DispatchEnd::MissingContext { errors } => {
            errors.iter().map(|error| paths::of_error(report, error)).collect()
        }
        DispatchEnd::MissingOutput { paths, .. } => paths::of_files(paths, "it was not written"),
        DispatchEnd::MissingRole { name, .. } => {
            paths::of_files(&[format!("agents/{name}/SKILL.md")], "it cannot be used")
        }
        _ => paths::of_files(outputs, "it should have been written"),
    };
}

/// What is on record of the attempt beside its end.
pub(super) fn add_note(report: &mut FailureReport, noted: &Noted) {
    report.role_file = noted.given.as_ref().map(|given| given.role_file.clone());
    if let Some(name) = &noted.kept {
        let command = format!("git show {name}");
        report.set_aside.push(SetAsideWork { name: name.clone(), command });
    }
}

pub(super) fn add_blocker(report: &mut FailureReport, blocker: &Blocker) {
    report.error_type.code = Some(blocker.code);
    report.message = blocker.detail.clone();
    report.next = "the session is BLOCKED and waits, with no time limit".to_owned();
    report.remediation = vec![blocker.remedy.clone()];
}

pub(super) fn add_question(report: &mut FailureReport, decision: &Decision) {
    let id = &decision.decision_id;
    report.decision = Some(id.clone());
    report.options = decision.options.clone();
    report.next = format!("the session waits for your answer to {id}, with no time limit");
    if let Some(option) = decision.options.iter().find(|option| option.recommended) {
        let AnswerOption { answer, consequence, .. } = option;
        report.remediation.push(format!("answer `{answer}`: {consequence} (recommended)"));
    }
    report.remediation.push("or choose one of the other options".to_owned());
}

fn class_word(class: FailureClass) -> &'static str {
    match class {
        FailureClass::Transient => "transient",
        FailureClass::Recoverable => "recoverable",
        FailureClass::Permanent => "permanent",
        FailureClass::Parked => "parked",
        FailureClass::Interrupted => "interrupted",
    }
}
