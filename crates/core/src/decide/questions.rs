//! What an agent wants to know from the person. Any role may ask, with whatever status but FAIL. It is no failure: no
//! attempt, retry or repair is spent, and the role continues with the answers.

use super::draft::Draft;
use super::moves::{ask, ending, finding, repair};
use super::scope;
use crate::decision::{Decision, Subject};
use crate::event::{Purpose, Verdict};
use crate::id::{DispatchNumber, TaskRef};
use crate::limits::QUESTIONS_APART_MAX;
use crate::mutant::Mutant;
use crate::reply::{AgentQuestion, Reply, ReplyStatus};
use crate::role::Role;
use crate::work::Work;

/// Whether the role has to start again with the answers; the person has then been asked.
pub(super) fn stops_for(
    draft: &mut Draft<'_>,
    number: DispatchNumber,
    reply: &Reply,
    work: &Work,
) -> bool {
    let questions = questions_in(reply);
    if questions.is_empty() || counts_as_it_is(draft, number, reply, work) {
        return false;
    }
    if draft.dispatches[&number].role.is_reviewing() {
        finding::keep(draft, number, &reply.findings);
    }
    match draft.dispatches[&number].purpose {
        // The repair is made again; it was spent when it was opened, and not once more.
        Purpose::Repair { .. } => repair::begin_again(draft, number),
        _ => ending::close(draft, number, Verdict::SetAside),
    }
    put(draft, number, &questions);
    true
}

/// Asks beside a verdict, or beside work that is taken.
pub(super) fn ask_beside(draft: &mut Draft<'_>, number: DispatchNumber, reply: &Reply) {
    if !draft.is_over() {
        put(draft, number, &questions_in(reply));
    }
}

/// Each once. A NEEDS_INFO without a question has it in its summary.
fn questions_in(reply: &Reply) -> Vec<AgentQuestion> {
    if reply.status == ReplyStatus::Fail || Mutant::AsksNobodyWhatAnAgentNeedsToKnow.is_planted() {
        return Vec::new();
    }
    let mut questions: Vec<AgentQuestion> = Vec::new();
    for asked in &reply.questions {
        if questions.iter().all(|known| known.question != asked.question) {
            questions.push(asked.clone());
        }
    }
    if questions.is_empty() && reply.status == ReplyStatus::NeedsInfo {
        questions.push(AgentQuestion::plain(reply.summary.clone()));
    }
    questions
}

/// Objections of a reviewing role, a Coder's request for files and a Coder's finished change are not thrown away for a
/// question.
fn counts_as_it_is(draft: &Draft<'_>, number: DispatchNumber, reply: &Reply, work: &Work) -> bool {
    let dispatch = &draft.dispatches[&number];
    if dispatch.role.is_reviewing() {
        let is_grave = reply.findings.iter().any(|report| report.severity.is_grave());
        return is_grave || (reply.status == ReplyStatus::Blocked && !reply.findings.is_empty());
    }
    let is_of_task = matches!(dispatch.purpose, Purpose::Implement | Purpose::Repair { .. });
    let is_done = reply.status == ReplyStatus::Ok
        && work.code.commit.is_some()
        && draft.has_task_loop()
        && is_of_task;
    dispatch.role == Role::Coder && (is_done || scope::asks(draft, number, reply))
}

/// One question each, so that every one can be answered by itself. Where there are very many, the rest are one.
fn put(draft: &mut Draft<'_>, number: DispatchNumber, questions: &[AgentQuestion]) {
    let apart = match questions.len() {
        count if count > QUESTIONS_APART_MAX => QUESTIONS_APART_MAX - 1,
        count => count,
    };
    let (apart, rest) = questions.split_at(apart);
    for asked in apart {
        ask::information(draft, number, asked);
    }
    if !rest.is_empty() {
        let lines: Vec<String> = rest.iter().map(|asked| asked.question.clone()).collect();
        let together = AgentQuestion::plain(format!("\n{}", ask::bullets(&lines)));
        ask::information(draft, number, &together);
    }
}

/// The person answered, or let a question lapse. A Coder whose work was taken already continues with the answers.
pub(super) fn answered(draft: &mut Draft<'_>, number: DispatchNumber) {
    let is_of = |decision: &&Decision| decision.subject == Subject::Info { dispatch: number };
    if draft.pending_decisions().any(|decision| is_of(&decision)) {
        return;
    }
    let dispatch = &draft.dispatches[&number];
    let task = dispatch.task.clone();
    // The work of a lane is taken with that of the others; its verdict is known before.
    let is_taken = dispatch.verdict().or(dispatch.ready()) == Some(Verdict::Accepted);
    if dispatch.role != Role::Coder || !is_taken || draft.unit(&task).is_none() {
        return;
    }
    let said: Vec<String> = draft
        .decisions
        .asked
        .iter()
        .filter(is_of)
        .filter(|decision| decision.answered().is_some())
        .map(Decision::with_answer)
        .collect();
    if !said.is_empty() {
        repair::also_with_consent(draft, &task, said);
    }
}

/// Whether a Coder was started for nothing but answers to questions beside its finished work: it may find that nothing
/// must be changed.
pub(super) fn are_why(draft: &Draft<'_>, number: DispatchNumber) -> bool {
    let dispatch = &draft.dispatches[&number];
    if dispatch.role != Role::Coder || !matches!(dispatch.purpose, Purpose::Repair { .. }) {
        return false;
    }
    let is_of_task = |task: &TaskRef| *task == dispatch.task;
    let mut before = draft.dispatches.iter().filter(|(other, known)| {
        **other < number && known.role == Role::Coder && is_of_task(&known.task)
    });
    let Some((last, known)) = before.next_back() else {
        return false;
    };
    known.verdict() == Some(Verdict::Accepted)
        && draft.decisions.asked.iter().any(|d| d.subject == Subject::Info { dispatch: *last })
}
