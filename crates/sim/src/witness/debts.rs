//! Books on what must follow at once: a commit that says one thing says the other too, or a rule was left out.

use super::attempts;
use crate::violation::{Held, hold};
use std::collections::{BTreeMap, BTreeSet};
use tollgate_core::action::StepKind;
use tollgate_core::decision::{CorrectionStatus, DecisionKind, Subject};
use tollgate_core::event::{CheckPurpose, Event, Finding, FindingStatus, Verdict};
use tollgate_core::id::{CheckNumber, DecisionId, DispatchNumber, TaskId, TaskRef};
use tollgate_core::input::Opening;
use tollgate_core::limits::SAME_FINDING_MAX;
use tollgate_core::reply::ReplyStatus;
use tollgate_core::role::{RepairLoop, Role};
use tollgate_core::work::DispatchEnd;

#[derive(Debug)]
pub(crate) struct Books {
    /// An action without an implement loop weighs findings at its severity gates, as often as they come.
    is_route: bool,
    planned: BTreeSet<TaskId>,
    gates: BTreeSet<DecisionId>,
    checks: BTreeMap<CheckNumber, CheckPurpose>,
    /// A person sent the plan back, and no other one came yet.
    is_plan_owed: bool,
    owed: Vec<Debt>,
    /// What a reviewing role found again and again, in this commit.
    stubborn: Vec<(TaskRef, RepairLoop)>,
}

#[derive(Debug, PartialEq, Eq)]
enum Debt {
    /// A dispatch needs to know something.
    Question(DispatchNumber),
    /// A person rejected what a gate showed.
    Correction,
    /// A check of a task, or of the whole, is red.
    Repair(TaskRef),
}

impl Books {
    pub fn new(opening: &Opening) -> Self {
        let is_loop = opening.action.steps.iter().any(|s| matches!(s.kind, StepKind::Tasks));
        Self {
            is_route: !is_loop,
            planned: BTreeSet::new(),
            gates: BTreeSet::new(),
            checks: BTreeMap::new(),
            is_plan_owed: false,
            owed: Vec::new(),
            stubborn: Vec::new(),
        }
    }

    pub fn see(&mut self, event: &Event, attempts: &attempts::Books) -> Held {
        match event {
            Event::ModeChanged { .. } => self.planned.clear(),
            Event::PlanAdopted { tasks } => {
                self.planned = tasks.iter().map(|task| task.id.clone()).collect();
                self.is_plan_owed = false;
            }
            Event::AttemptEnded { number, end: DispatchEnd::Replied { reply, .. }, .. } => {
                let judges = attempts.dispatches[number].role.is_reviewing();
                if reply.status == ReplyStatus::NeedsInfo && !judges {
                    let questions = reply.questions.len().max(1);
                    self.owed.extend((0..questions).map(|_| Debt::Question(*number)));
                }
            }
            Event::DispatchClosed { number, verdict: Verdict::Accepted, .. } => {
                self.is_plan_owed &= attempts.dispatches[number].role != Role::Planner;
            }
            Event::DecisionAsked { decision } => {
                let is_same_plan = decision.kind == DecisionKind::Strategy && self.is_plan_owed;
                hold(!is_same_plan, "a_plan_that_was_sent_back_is_made_again", || {
                    format!("{} is asked about the same plan", decision.decision_id)
                })?;
                if decision.kind == DecisionKind::Approve {
                    self.gates.insert(decision.decision_id.clone());
                }
                match &decision.subject {
                    Subject::Info { dispatch } => self.pay(&Debt::Question(*dispatch)),
                    Subject::Repair { task, .. } | Subject::Check { task, .. } => {
                        self.pay(&Debt::Repair(task.clone()));
                    }
                    _ => {}
                }
            }
            Event::DecisionResolved { id, resolution } => {
                let answer = resolution.answer.as_deref().unwrap_or_default();
                let is_rejected = answer.starts_with("changes-requested");
                if is_rejected && self.gates.contains(id) {
                    self.owed.push(Debt::Correction);
                }
                if *id == DecisionId::review_strategy() {
                    self.is_plan_owed = is_rejected;
                }
            }
            Event::CorrectionMoved { status: CorrectionStatus::Queued, .. } => {
                self.pay(&Debt::Correction);
            }
            Event::ChecksStarted { number, purpose, .. } => {
                self.checks.insert(*number, purpose.clone());
            }
            Event::ChecksEnded { number, results, .. }
                if results.iter().any(|result| !result.passed) =>
            {
                self.red(*number);
            }
            Event::FindingRecorded { finding } => self.found(finding),
            Event::RepairOpened { task, repair, consented, .. } => {
                self.pay(&Debt::Repair(task.clone()));
                let same = (task.clone(), *repair);
                let is_endless = !consented && self.stubborn.contains(&same);
                return hold(!is_endless, "what_does_not_converge_is_asked", || {
                    format!("{repair} of {task} once more")
                });
            }
            _ => {}
        }
        Ok(())
    }

    fn pay(&mut self, debt: &Debt) {
        if let Some(at) = self.owed.iter().position(|owed| owed == debt) {
            self.owed.remove(at);
        }
    }

    fn red(&mut self, number: CheckNumber) {
        let task = match self.checks.get(&number) {
            Some(CheckPurpose::Task { task }) => task.clone(),
            Some(CheckPurpose::Acceptance { .. }) => TaskRef::Meta,
            _ => return,
        };
        let is_planned = match &task {
            TaskRef::Task(id) => self.planned.contains(id),
            TaskRef::Meta => true,
        };
        if is_planned {
            self.owed.push(Debt::Repair(task));
        }
    }

    /// R111.
    fn found(&mut self, finding: &Finding) {
        let repair = match finding.source() {
            Role::Reviewer => RepairLoop::FixReview,
            Role::QA => RepairLoop::FixTests,
            Role::Security => RepairLoop::FixSecurity,
            _ => return,
        };
        let is_grave = finding.report.severity.is_grave() && finding.status == FindingStatus::Open;
        if is_grave && finding.times >= SAME_FINDING_MAX && !self.is_route {
            self.stubborn.push((finding.task.clone(), repair));
        }
    }

    pub fn after_commit(&mut self) -> Held {
        self.stubborn.clear();
        let owed = std::mem::take(&mut self.owed);
        hold(owed.is_empty(), "what_must_follow_follows", || format!("{owed:?}"))
    }
}
