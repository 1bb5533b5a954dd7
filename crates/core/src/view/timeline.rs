//! What happened, in words: one line for each event of the journal.

mod asked_for;
mod checks;
mod merges;
mod unchecked;

pub(super) use self::merges::base_name;
use self::merges::{base_merged, base_merging, base_moved, brought_together, merging};
use super::FindingView;
use super::outcome::{Outcome, checked};
use crate::action::PartIndex;
use crate::action::StepKind;
use crate::decision::{Blocker, BlockerCode, CorrectionStatus, DecisionStatus, Resolution};
use crate::event::{CriterionResult, Event, FindingStatus, Purpose, RetryWhy, Verdict};
use crate::id::{Attempt, DecisionId, DispatchNumber, FindingId, TaskRef};
use crate::import::TakenOver;
use crate::input::{Edit, Opening};
use crate::role::{Mode, RepairLoop, Role, State};
use crate::sanitize::{terminal_line, visible_name};
use crate::session::Session;
use crate::time::Timestamp;
use crate::words;
use crate::work::DispatchEnd;
use crate::worker::Worker;

/// How much of an agent's words fits a line.
const WORDS_MAX: usize = 160;
/// The same with words of ours before them.
const SENTENCE_MAX: usize = 220;
const NOTICE_MAX: usize = 400;

/// One event for people: a mark, then a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub level: Level,
    pub tone: Tone,
    pub mark: &'static str,
    pub text: String,
}

/// How much a line matters to someone who watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Begins a part of the session.
    Heading,
    Detail,
    /// Too small to be told while a session runs; the log has it.
    Small,
}

/// What a line means, for a surface that has colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Strong,
    Quiet,
    Good,
    Note,
    Warning,
    Bad,
}

fn heading(tone: Tone, mark: &'static str, text: impl Into<String>) -> Line {
    Line { level: Level::Heading, tone, mark, text: text.into() }
}

fn detail(tone: Tone, mark: &'static str, text: impl Into<String>) -> Line {
    Line { level: Level::Detail, tone, mark, text: text.into() }
}

fn small(mark: &'static str, text: impl Into<String>) -> Line {
    Line { level: Level::Small, tone: Tone::Quiet, mark, text: text.into() }
}

fn short(text: &str) -> String {
    terminal_line(text, WORDS_MAX)
}

/// Every event has a line; `session` is the state after the commit of the event.
// table: every event stands here once, so that a new one cannot be forgotten.
pub(super) fn line(session: &Session, event: &Event) -> Line {
    match event {
        Event::SessionOpened(opening) => opened(opening),
        Event::SessionImported(taken) => imported(taken),
        Event::PolicyAdopted { .. } => {
            small("settings", "the settings changed and apply from now on")
        }
        Event::ModeChanged { mode, reason } => mode_changed(*mode, reason),
        Event::StepEntered { index } => entered(session, *index),
        Event::StepSkipped { index, reason } => {
            small("skip", about(&step(session, *index), reason))
        }
        Event::StepReopened { .. } => detail(Tone::Note, "plan", "it waits for a person"),
        Event::DispatchOpened { number, purpose, .. } => dispatched(session, *number, purpose),
        Event::AttemptStarted { number, attempt, agent, stands_in_for, .. } => {
            let player = agent.as_ref().map(Worker::as_str).zip(stands_in_for.as_deref());
            started(session, *number, *attempt, player)
        }
        Event::AttemptEnded { number, end, .. } => ended(session, *number, end),
        Event::AttemptNoted { number, given, kept, .. } => {
            let text = given.as_ref().map(|given| given.role_file.path.as_str());
            let text = text.or(kept.as_deref()).unwrap_or_default();
            small("noted", about(&who(session, *number), text))
        }
        Event::GuidanceGiven { number, text, .. } => {
            small("guide", about(&who(session, *number), text))
        }
        Event::RetryScheduled { number, due, why } => waits(session, *number, *due, *why),
        Event::DispatchClosed { number, verdict, .. } => closed(session, *number, *verdict),
        Event::MemberReady { number, .. } => ready(*number),
        Event::MergeStarted { numbers } => merging(numbers.len()),
        Event::MergeEnded { merged } => brought_together(merged),
        Event::BaseMoved { commit } => base_moved(session, commit),
        Event::BaseMergeStarted { base } => base_merging(session, base),
        Event::BaseMergeEnded { base, outcome } => base_merged(session, base, outcome),
        Event::PlanAdopted { tasks } => planned(tasks.len()),
        Event::CriteriaAdopted { criteria } => adopted(criteria.len()),
        Event::TaskMoved { task, status } => {
            detail(Tone::Quiet, "task", format!("{task} is {status}"))
        }
        Event::RepairOpened { task, repair, .. } => repairs(task, *repair),
        Event::ScopeExtended { task, paths } => extended(task, paths),
        Event::ScopeRefused { task, paths, .. } => not_extended(task, paths),
        Event::GatePassed { task, role } => passed(task, *role),
        Event::ChecksStarted { purpose, commands, tree, .. } => {
            checks::checking(purpose, commands.len(), *tree)
        }
        Event::ChecksEnded { results, .. } => checks::checked(results),
        Event::CheckWaived { command, reason } => checks::waived(command, reason),
        Event::CheckTakenOn { command } => checks::taken_on(command),
        Event::CheckReplaced { command, with } => checks::replaced(command, with),
        Event::CoverageSettled { minimum, reason } => checks::covered(*minimum, reason),
        Event::EvidenceNamed { command } => small("evidence", short(command)),
        Event::EvidenceWaived { reason } => small("evidence", about("waived", reason)),
        Event::SeverityPassed { tracked, .. } => weighed(tracked.len()),
        Event::StageDeclared { stage } => {
            small("stage", stage.as_deref().unwrap_or("none is declared"))
        }
        Event::FindingRecorded { finding } => found(&FindingView::of(finding)),
        Event::FindingSettled { id, status, reason } => settled(*id, *status, reason.as_deref()),
        Event::AssumptionNoted { text } => small("assumed", short(text)),
        Event::ManualStepNoted { number, text } => asked_for::by_hand(session, *number, text),
        Event::LookWanted { task, role, by, concerns } => {
            asked_for::look(session, task, *role, *by, concerns)
        }
        Event::KnownIssueNoted { text } => small("issue", short(text)),
        Event::CriterionSettled { id, result } => criterion(id, result),
        Event::DecisionAsked { decision } => asked(&decision.decision_id, &decision.question),
        Event::DecisionResolved { id, resolution } => resolved(id, resolution),
        Event::AnswerKept { decision, answer, .. } => kept_early(decision, answer),
        Event::CorrectionMoved { status, roles, parts, agent } => {
            corrects(session, *status, roles, parts, *agent)
        }
        Event::ManualChecksSettled { checks } => checks::checked_by_hand(checks.len()),
        Event::BudgetExtended => small("budget", "one more dispatch is allowed beyond the limits"),
        Event::Blocked { blocker, .. } => blocked(blocker),
        Event::Unblocked => small("unblocked", "the session continues"),
        Event::FilesEdited { edits } => edited(edits),
        Event::Noticed { message, .. } => noticed(message),
        Event::OlderJournalAccepted { records, known, .. } => older(*records, *known),
        Event::SessionClosed => heading(Tone::Good, "state", State::Done.as_str()),
    }
}

fn opened(opening: &Opening) -> Line {
    heading(Tone::Strong, "session", format!("{} ({})", opening.session, opening.action.name))
}

fn imported(taken: &TakenOver) -> Line {
    let count = |number: usize, what: &str| crate::count::counted(number, what);
    let (documents, tasks) = (taken.documents.len(), taken.tasks.len());
    let what = format!("{}, {}", count(documents, "document"), count(tasks, "task"));
    detail(Tone::Note, "import", format!("{} from {}", what, short(&taken.origin.folder)))
}

fn mode_changed(mode: Mode, reason: &str) -> Line {
    heading(Tone::Warning, "mode", format!("{mode} from now on: {reason}"))
}

fn entered(session: &Session, index: usize) -> Line {
    // It is DONE when it is closed, and not before.
    if session.route.steps.get(index).is_some_and(|step| step.kind == StepKind::Close) {
        return detail(Tone::Quiet, "closing", "nothing may be open any more");
    }
    let unchecked =
        session.route.steps.get(index).map(|step| unchecked::words(session, &step.kind));
    let unchecked = unchecked.unwrap_or_default();
    let steps = &session.route.steps;
    // One that is not always needed may not have been entered.
    let before = index.checked_sub(1).and_then(|before| steps.get(before));
    let before = before.filter(|before| before.when.is_none());
    let is_same = before.is_some_and(|before| {
        steps.get(index).is_some_and(|entered| entered.state == before.state)
    });
    let name = step(session, index);
    // Two steps may be one state for people.
    match (is_same, unchecked.is_empty()) {
        (true, true) => small("step", name),
        (true, false) => detail(Tone::Quiet, "checks", unchecked),
        (false, true) => heading(Tone::Strong, "state", name),
        (false, false) => heading(Tone::Strong, "state", format!("{name} ({unchecked})")),
    }
}

fn step(session: &Session, index: usize) -> String {
    session
        .route
        .steps
        .get(index)
        .map_or_else(|| format!("step {index}"), |step| step.state.to_string())
}

fn about(subject: &str, text: &str) -> String {
    format!("{subject}: {}", short(text))
}

fn dispatched(session: &Session, number: DispatchNumber, purpose: &Purpose) -> Line {
    small("dispatch", format!("{} {}", who(session, number), words::purpose(purpose)))
}

/// With who plays in whose place.
fn started(
    session: &Session,
    number: DispatchNumber,
    attempt: Attempt,
    in_place_of: Option<(&str, &str)>,
) -> Line {
    let again = if attempt.0 > 1 { format!(", attempt {attempt}") } else { String::new() };
    let by = in_place_of.map(|(agent, of)| format!(" by {agent} in place of {of}"));
    let who = who(session, number);
    detail(Tone::Quiet, "start", format!("{who}{again}{}", by.unwrap_or_default()))
}

fn ended(session: &Session, number: DispatchNumber, end: &DispatchEnd) -> Line {
    let (tone, mark) = end_mark(end);
    let who = who(session, number);
    let text = match end {
        DispatchEnd::Replied { reply, .. } => {
            format!("{} – {}", reply.status, short(&reply.summary))
        }
        DispatchEnd::Unsupervised { rescue } | DispatchEnd::Interrupted { rescue } => {
            let kept = rescue.as_ref().map(|name| format!("; unfinished changes are in {name}"));
            format!("{}{}", words::ended(end), kept.unwrap_or_default())
        }
        _ => terminal_line(&words::ended(end), SENTENCE_MAX),
    };
    detail(tone, mark, format!("{who}: {text}"))
}

fn end_mark(end: &DispatchEnd) -> (Tone, &'static str) {
    match end {
        DispatchEnd::Replied { .. } => (Tone::Quiet, "reply"),
        DispatchEnd::Invalid { .. } => (Tone::Warning, "invalid"),
        DispatchEnd::MissingOutput { .. }
        | DispatchEnd::MissingRole { .. }
        | DispatchEnd::MissingContext { .. } => (Tone::Bad, "missing"),
        DispatchEnd::Crashed { .. } => (Tone::Warning, "crashed"),
        DispatchEnd::CouldNotStart { .. } => (Tone::Bad, "crashed"),
        DispatchEnd::TimedOut { .. } => (Tone::Bad, "timeout"),
        DispatchEnd::OutputLimit { .. } => (Tone::Bad, "output"),
        DispatchEnd::PermissionRefused { .. } => (Tone::Bad, "refused"),
        DispatchEnd::Unavailable { .. } | DispatchEnd::Limited { .. } => (Tone::Warning, "unavail"),
        DispatchEnd::Silent { .. } => (Tone::Warning, "silent"),
        DispatchEnd::UsedUp { .. } => (Tone::Bad, "used up"),
        DispatchEnd::Parked { .. } => (Tone::Warning, "parked"),
        DispatchEnd::Stopped => (Tone::Warning, "stopped"),
        DispatchEnd::Unsupervised { .. } | DispatchEnd::Interrupted { .. } => {
            (Tone::Warning, "lost")
        }
    }
}

fn waits(session: &Session, number: DispatchNumber, due: Timestamp, why: RetryWhy) -> Line {
    let who = who(session, number);
    let text = match why {
        RetryWhy::Transient => format!("{who} starts again at {due}"),
        RetryWhy::Parked => format!("{who} starts at {due}, {}", words::retry(why)),
        RetryWhy::Room => {
            let why = words::retry(why);
            format!("{who} starts {why}: the running agents may need the rest of the limits")
        }
        _ => return small("again", format!("{who} at {due}, {}", words::retry(why))),
    };
    detail(Tone::Warning, "wait", text)
}

fn closed(session: &Session, number: DispatchNumber, verdict: Verdict) -> Line {
    let found = session.dispatches.get(&number);
    let outcome = found.map_or(verdict.into(), |found| checked(session, number, found));
    let (tone, mark) = match (verdict, outcome) {
        (Verdict::Accepted, Outcome::Unchecked | Outcome::ChecksFailed) => (Tone::Quiet, "ended"),
        (Verdict::Accepted, _) => (Tone::Good, "ok"),
        (Verdict::Objected, _) => (Tone::Warning, "objects"),
        (Verdict::SetAside, _) => (Tone::Warning, "aside"),
        (Verdict::Skipped, _) => (Tone::Warning, "skipped"),
        (Verdict::Cancelled, _) => (Tone::Bad, "cancels"),
    };
    detail(tone, mark, who(session, number))
}

fn ready(number: DispatchNumber) -> Line {
    small("ready", format!("dispatch {number} waits for the others of its step"))
}

fn planned(count: usize) -> Line {
    detail(Tone::Note, "plan", crate::count::counted(count, "task"))
}

fn adopted(count: usize) -> Line {
    small("criteria", format!("{count} acceptance criteria"))
}

fn repairs(task: &TaskRef, repair: RepairLoop) -> Line {
    detail(Tone::Warning, "repair", format!("{repair} of {task:#}"))
}

fn extended(task: &TaskRef, paths: &[String]) -> Line {
    detail(Tone::Note, "scope", format!("{task} may change {} too", words::names(paths)))
}

fn not_extended(task: &TaskRef, paths: &[String]) -> Line {
    small("scope", format!("{task} may not change {}", short(&words::names(paths))))
}

fn passed(task: &TaskRef, role: Role) -> Line {
    small("passed", format!("{role} approves {task:#}"))
}

fn weighed(tracked: usize) -> Line {
    detail(
        Tone::Good,
        "gate",
        format!("severity passed, {} tracked", crate::count::counted(tracked, "finding")),
    )
}

fn found(finding: &FindingView) -> Line {
    let file = finding.file.as_deref().map(|file| format!("{}: ", visible_name(file)));
    let (file, message) = (file.unwrap_or_default(), short(&finding.message));
    let text = format!("[{}] {file}{message}", finding.severity);
    detail(Tone::Warning, "finding", text)
}

fn settled(id: FindingId, status: FindingStatus, reason: Option<&str>) -> Line {
    let why = reason.map(|text| format!(": {}", short(text)));
    small("finding", format!("F-{id} is {status}{}", why.unwrap_or_default()))
}

fn criterion(id: &str, result: &CriterionResult) -> Line {
    let (word, why) = words::criterion(result);
    small("criterion", format!("{id} is {word}: {}", short(why)))
}

fn asked(id: &DecisionId, question: &str) -> Line {
    detail(Tone::Note, "ask", about(id.as_str(), question))
}

fn resolved(id: &DecisionId, resolution: &Resolution) -> Line {
    let words = resolution.answer.as_deref().or(resolution.reason.as_deref()).unwrap_or_default();
    let status = resolution.status;
    match (status, &resolution.answer) {
        (DecisionStatus::Answered, _) => detail(Tone::Note, "answer", about(id.as_str(), words)),
        // "fix-later" is on record as cancelled, but the person who chose it has cancelled nothing.
        (DecisionStatus::Cancelled, Some(_)) => {
            detail(Tone::Warning, "answer", about(id.as_str(), words))
        }
        (DecisionStatus::Cancelled | DecisionStatus::Skipped, _) => {
            detail(Tone::Warning, "answer", about(&format!("{id} {status}"), words))
        }
        (DecisionStatus::Pending, _) => small("answer", format!("{id} is {status}")),
    }
}

fn kept_early(id: &DecisionId, answer: &str) -> Line {
    small("early", format!("{id}: {} (answered before it was asked)", short(answer)))
}

fn corrects(
    session: &Session,
    status: CorrectionStatus,
    roles: &[Role],
    parts: &[PartIndex],
    agent: Option<Role>,
) -> Line {
    if status != CorrectionStatus::Queued {
        let who = agent.map(|role| format!(" ({role})")).unwrap_or_default();
        return small("correct", format!("the correction is {status}{who}"));
    }
    let part = |at: usize| parts.get(at).and_then(|at| session.assignment(*at));
    let name = |(at, role): (usize, &Role)| part(at).map_or(role.as_str(), |part| part.name());
    let names: Vec<&str> = roles.iter().enumerate().map(name).collect();
    detail(Tone::Warning, "correct", format!("the work goes back to {}", names.join(", then ")))
}

/// Questions and findings say why a session is blocked; why a person cancelled it is nowhere else.
fn blocked(blocker: &Blocker) -> Line {
    match blocker.code {
        BlockerCode::Cancelled => detail(Tone::Note, "ended", short(&blocker.detail)),
        code => detail(Tone::Bad, "blocked", code.as_str()),
    }
}

fn edited(edits: &[Edit]) -> Line {
    let paths: Vec<&str> = edits.iter().map(|edit| edit.path.as_str()).collect();
    let paths = paths.join(", ");
    match edits.iter().all(|edit| edit.is_ours) {
        true => small("check", format!("the new command is in {paths}")),
        false => {
            let text = format!("session files were changed by hand: {paths}");
            detail(Tone::Warning, "edited", text)
        }
    }
}

fn noticed(message: &str) -> Line {
    detail(Tone::Warning, "notice", terminal_line(message, NOTICE_MAX))
}

fn older(records: u64, known: u64) -> Line {
    small("journal", format!("an older journal is used from here on: {records} of {known} records"))
}

/// `#3 Coder T-001`, and why when it is not plain.
pub(super) fn who(session: &Session, number: DispatchNumber) -> String {
    let Some(dispatch) = session.dispatches.get(&number) else {
        return number.to_string();
    };
    let why = match &dispatch.purpose {
        Purpose::Repair { repair } => format!(" ({repair})"),
        Purpose::Correction { .. } => " (correction)".to_owned(),
        _ => String::new(),
    };
    format!("#{number} {} {}{why}", session.name_of(dispatch), dispatch.task)
}
