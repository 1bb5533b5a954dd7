//! Words for the records that are too small to be told while a session runs.

use crate::face::narrate::dispatch;
use tollgate_core::event::{CriterionResult, Event, Purpose, RetryWhy};
use tollgate_core::session::Session;
use tollgate_host::sanitize::terminal_line;

const WORDS_MAX: usize = 160;

/// A mark and a text for any event.
pub(super) fn plain(session: &Session, event: &Event) -> (&'static str, String) {
    match event {
        Event::SessionOpened(opening) => ("session", opening.session.to_string()),
        Event::PolicyAdopted { .. } => {
            ("settings", "the settings changed and count from now on".to_owned())
        }
        Event::ModeChanged { mode, .. } => ("mode", mode.to_string()),
        Event::StepEntered { index } => ("state", step(session, *index)),
        Event::StepSkipped { index, reason } => {
            ("skip", format!("{}: {}", step(session, *index), short(reason)))
        }
        Event::StepReopened { index } => {
            ("again", format!("{} is played again", step(session, *index)))
        }
        Event::DispatchOpened { number, purpose, .. } => {
            ("dispatch", format!("{} to {}", dispatch(session, *number), purpose_words(purpose)))
        }
        Event::AttemptStarted { number, attempt, .. }
        | Event::AttemptEnded { number, attempt, .. } => {
            ("attempt", format!("{} attempt {attempt}", dispatch(session, *number)))
        }
        Event::GuidanceGiven { number, text, .. } => {
            ("guide", format!("{}: {}", dispatch(session, *number), short(text)))
        }
        Event::RetryScheduled { number, due, why } => {
            ("again", format!("{} at {due}, {}", dispatch(session, *number), retry_words(*why)))
        }
        Event::DispatchClosed { number, .. } => ("closed", dispatch(session, *number)),
        Event::RepairOpened { task, repair, .. } => ("repair", format!("{repair} of {task}")),
        Event::TaskMoved { task, status } => ("task", format!("{task} is {status}")),
        Event::PlanAdopted { tasks } => ("plan", format!("{} task(s)", tasks.len())),
        Event::CriteriaAdopted { criteria } => {
            ("criteria", format!("{} acceptance criteria", criteria.len()))
        }
        Event::GatePassed { task, role } => {
            ("passed", format!("{role} has nothing left to object to in {task}"))
        }
        Event::ChecksStarted { purpose, .. } => {
            ("checks", format!("{purpose} has no commands to run"))
        }
        Event::ChecksEnded { .. } => ("checks", "ended with nothing to run".to_owned()),
        _ => about_decisions(event),
    }
}

fn about_decisions(event: &Event) -> (&'static str, String) {
    match event {
        Event::FindingSettled { id, status, reason } => {
            let why = reason.as_deref().map(|text| format!(": {}", short(text)));
            ("finding", format!("F-{id} is {status}{}", why.unwrap_or_default()))
        }
        Event::AssumptionNoted { text } => ("assumed", short(text)),
        Event::KnownIssueNoted { text } => ("issue", short(text)),
        Event::CriterionSettled { id, result } => ("criterion", criterion(id, result)),
        Event::DecisionResolved { id, resolution } => {
            ("answer", format!("{id} is {}", resolution.status))
        }
        Event::AnswerKept { decision, answer, .. } => {
            ("early", format!("{decision}: {} (given before it was asked)", short(answer)))
        }
        Event::CorrectionMoved { status, agent, .. } => {
            let who = agent.map(|role| format!(" ({role})")).unwrap_or_default();
            ("correct", format!("the correction is {status}{who}"))
        }
        Event::ManualChecksSettled { checks } => {
            ("manual", format!("{} manual check(s) are settled", checks.len()))
        }
        Event::MemberReady { number, .. } => {
            ("ready", format!("dispatch {number} waits for the others of its step"))
        }
        Event::MergeStarted { numbers } => {
            ("merge", format!("{} changes are brought together", numbers.len()))
        }
        Event::CoverageSettled { minimum, reason } => {
            ("coverage", format!("{} % is enough: {}", minimum / 100, short(reason)))
        }
        Event::ScopeExtended { task, paths } => {
            ("scope", format!("{task} may change {}", short(&paths.join(", "))))
        }
        Event::ScopeRefused { task, paths, .. } => {
            ("scope", format!("{task} may not change {}", short(&paths.join(", "))))
        }
        Event::StageDeclared { stage } => {
            ("stage", stage.clone().unwrap_or_else(|| "none is declared".to_owned()))
        }
        Event::BudgetExtended => {
            ("budget", "one more dispatch is allowed beyond the limits".to_owned())
        }
        Event::Unblocked => ("unblocked", "the session continues".to_owned()),
        Event::SessionClosed => ("done", "the session is closed".to_owned()),
        // Each of the others has a line of its own while a session runs.
        other => ("event", kind_of(other)),
    }
}

/// The name of an event as the journal spells it.
fn kind_of(event: &Event) -> String {
    let value = serde_json::to_value(event).unwrap_or_default();
    value["type"].as_str().unwrap_or_default().to_owned()
}

fn step(session: &Session, index: usize) -> String {
    session.steps.get(index).map_or_else(|| format!("step {index}"), |step| step.state.to_string())
}

fn purpose_words(purpose: &Purpose) -> &'static str {
    match purpose {
        Purpose::Step { .. } => "do the step",
        Purpose::Correction { .. } => "correct what a gate sent back",
        Purpose::Look { .. } => "look again",
        Purpose::Implement => "implement",
        Purpose::Repair { .. } => "repair",
        Purpose::Review => "review",
        Purpose::Test => "test",
        Purpose::Audit => "audit",
    }
}

fn retry_words(why: RetryWhy) -> &'static str {
    match why {
        RetryWhy::Transient => "after a failure that may pass",
        RetryWhy::Invalid => "with the errors of its reply",
        RetryWhy::Parked => "when a usage limit resets",
        RetryWhy::Fallback => "by another agent, because its own is out of its usage limit",
        RetryWhy::Interrupted => "because it was interrupted",
        RetryWhy::Budget => "once a person allows more than the limits do",
        RetryWhy::Room => "once one of those at work has ended",
        RetryWhy::Consented => "because a person said so",
    }
}

fn criterion(id: &str, result: &CriterionResult) -> String {
    match result {
        CriterionResult::Met { evidence } => format!("{id} is met: {}", short(evidence)),
        CriterionResult::Unmet { evidence } => format!("{id} is not met: {}", short(evidence)),
        CriterionResult::Waived { reason } => format!("{id} is waived: {}", short(reason)),
    }
}

fn short(text: &str) -> String {
    terminal_line(text, WORDS_MAX)
}
