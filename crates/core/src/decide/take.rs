//! Work that is taken: what it brings beyond its files, and what a person says about it first.

use super::draft::Draft;
use super::moves::{ask, attempt, ending, finding};
use super::{base, gate, looks, plan, report, scope, weakened};
use crate::answer::JustifyAnswer;
use crate::decision::{DecisionStatus, Resolution};
use crate::event::{Event, Verdict};
use crate::feedback::Feedback;
use crate::id::{DecisionId, DispatchNumber};
use crate::limits::LEAN_FILES_MAX;
use crate::mutant::Mutant;
use crate::reply::Reply;
use crate::role::{Mode, Role};
use crate::session::Delivered;
use crate::task::TaskStatus;
use crate::work::{Refinement, Work};

pub(super) fn accept(draft: &mut Draft<'_>, number: DispatchNumber, reply: &Reply, work: &Work) {
    let role = draft.dispatches[&number].role;
    note_assumptions(draft, reply);
    scope::warn(draft, number, work);
    conclude(draft, number, Verdict::Accepted);
    scope::ask_beside(draft, number, reply);
    if role == Role::Coder && draft.route.mode == Mode::Lean {
        if draft.branch.changed.len() > LEAN_FILES_MAX
            && !Mutant::StaysLeanWithManyFiles.is_planted()
        {
            let files = draft.branch.changed.len();
            return go_full(
                draft,
                format!("{files} files changed; lean work changes at most {LEAN_FILES_MAX}"),
            );
        }
        let sensitive = work.code.sensitive.first();
        if let Some(path) = sensitive.filter(|_| !Mutant::StaysLeanOnASensitivePath.is_planted()) {
            go_full(draft, format!("{path} is a sensitive path"));
        }
    }
}

/// A dispatch has done its part. That of a parallel member counts once all are ready.
pub(super) fn conclude(draft: &mut Draft<'_>, number: DispatchNumber, verdict: Verdict) {
    if draft.dispatches[&number].is_member() {
        return draft.emit(Event::MemberReady { number, verdict });
    }
    let delivered = draft.dispatches[&number].delivered().cloned();
    base::settle(draft, number);
    ending::close(draft, number, verdict);
    if let Some(Delivered { reply, work, .. }) = delivered {
        adopt(draft, number, &reply, &work);
    }
}

/// Takes over what the work says beyond its files: criteria, a plan, what a gate has shown, weakened tests, findings.
pub(super) fn adopt(draft: &mut Draft<'_>, number: DispatchNumber, reply: &Reply, work: &Work) {
    if let Some(criteria) = work.documents.criteria.clone() {
        draft.emit(Event::CriteriaAdopted { criteria });
    }
    if let Some(tasks) = work.documents.plan.clone() {
        plan::adopt(draft, tasks);
    }
    refine(draft, number, &work.documents.refinements);
    weakened::note(draft, number, work);
    report::follow(draft, number, reply);
    looks::follow(draft, number, reply);
    let made = work
        .code
        .outputs
        .iter()
        .chain(&work.documents.artefacts)
        .map(|output| output.path.as_str());
    let changed: Vec<String> = made.chain(work.code.gone()).map(str::to_owned).collect();
    gate::reopen(draft, &changed);
}

/// What the plan leaves to a person is asked, and the plan made again with the answers. Work that does not wait for it
/// comes first.
fn refine(draft: &mut Draft<'_>, number: DispatchNumber, refinements: &[Refinement]) {
    let can_begin = draft.has_task_loop()
        && draft.plan.tasks.iter().any(|task| {
            task.status != TaskStatus::Completed && task.spec.item.waits_for.is_empty()
        });
    if refinements.is_empty() || can_begin {
        return;
    }
    let index = draft.route.step;
    draft.emit(Event::StepReopened { index });
    for refinement in refinements {
        ask::refinement(draft, number, refinement);
    }
}

pub(super) fn note_assumptions(draft: &mut Draft<'_>, reply: &Reply) {
    for note in &reply.notes {
        let (word, text) = note.split_once(':').unwrap_or_default();
        let text = text.trim().to_owned();
        // A role that plays again says again what it assumes.
        let is_new = !draft.record.assumptions.contains(&text);
        if is_new && word.trim().eq_ignore_ascii_case("assumption") {
            draft.emit(Event::AssumptionNoted { text });
        }
    }
}

/// Notes what the agent leaves to a person, each thing once.
pub(super) fn note_manual_steps(draft: &mut Draft<'_>, number: DispatchNumber, said: &Reply) {
    let who = |number: &DispatchNumber| {
        let dispatch = &draft.dispatches[number];
        (dispatch.role, dispatch.task.clone())
    };
    let mut new: Vec<String> = Vec::new();
    for text in &said.manual_steps {
        let mut known = draft.record.manual_steps.iter();
        let is_known = known.any(|step| step.text == *text && who(&step.dispatch) == who(&number));
        if !is_known && !new.contains(text) {
            new.push(text.clone());
        }
    }
    for text in new {
        draft.emit(Event::ManualStepNoted { number, text });
    }
}

/// A person ends lean mode, because it did not work out.
pub(super) fn full_by_person(draft: &mut Draft<'_>, words: &str) {
    go_full(draft, format!("a person decided so: {words}"));
}

/// A lean session that is not lean starts over as a full one, with what it has.
pub(super) fn go_full(draft: &mut Draft<'_>, reason: String) {
    if !draft.can_become_full() {
        return;
    }
    let why = "the session starts over in full mode, where the work is reviewed again";
    plan::leave_behind(draft, why, |_| true);
    // Questions about the lean plan have lost their object.
    let asked: Vec<DecisionId> =
        draft.pending_decisions().map(|decision| decision.decision_id.clone()).collect();
    for id in asked {
        let resolution = Resolution {
            status: DecisionStatus::Skipped,
            resolved_at: Some(draft.now()),
            reason: Some("the session starts over in full mode".to_owned()),
            ..Resolution::default()
        };
        draft.emit(Event::DecisionResolved { id, resolution });
    }
    draft.emit(Event::ModeChanged { mode: Mode::Full, reason });
}

/// The person decided about what was reported with work that waits to be taken.
pub(super) fn answered(draft: &mut Draft<'_>, number: DispatchNumber, answer: &JustifyAnswer) {
    let Some(delivered) = draft.dispatches[&number].delivered().cloned() else {
        return;
    };
    let grave = report::grave(draft, number, &delivered.reply);
    if let JustifyAnswer::Approve(reason) = answer {
        finding::approve_findings(draft, &grave, reason);
        return accept(draft, number, &delivered.reply, &delivered.work);
    }
    let told = Feedback::of(&grave);
    let text = format!("fix what you reported:\n{}", ask::bullets(&told.lines));
    let findings = told.named();
    draft.emit(Event::GuidanceGiven { number, text, findings, authorized: Vec::new() });
    let agent = draft.dispatches[&number].chosen_agent();
    attempt::start_with_consent(draft, number, None, agent);
}
