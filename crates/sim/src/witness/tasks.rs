//! Books on the plan: lifecycle, gates, repairs and checks of every task.

use super::{Pairs, Truth, attempts, decisions, scope};
use crate::violation::{Held, hold};
use std::collections::{BTreeMap, BTreeSet};
use tollgate_core::decision::{DecisionKind, Subject};
use tollgate_core::event::{CheckPurpose, Event, FindingStatus, Purpose, Verdict};
use tollgate_core::id::FindingId;
use tollgate_core::id::{CheckNumber, DecisionId, DispatchNumber, TaskId, TaskRef};
use tollgate_core::reply::{ReplyStatus, ReportedFinding};
use tollgate_core::role::{RepairLoop, Role};
use tollgate_core::task::{Check, Strategy, TaskSpec, TaskStatus};
use tollgate_core::work::{CheckResult, DispatchEnd};

const REPAIRS_MAX: u32 = 3;

#[derive(Debug, Default)]
pub(crate) struct Books {
    pub tasks: BTreeMap<TaskId, Task>,
    gates: Pairs<TaskRef, Role>,
    repairs: BTreeMap<(TaskRef, RepairLoop), u32>,
    /// Units whose code is newer than their last green checks.
    unchecked: BTreeSet<TaskRef>,
    checks: BTreeMap<CheckNumber, CheckPurpose>,
    findings: BTreeMap<FindingId, (ReportedFinding, FindingStatus)>,
    plan_edited: bool,
    /// A person resolved something since the last dispatch was opened.
    spoken: bool,
    /// Whose notes each question is about.
    notes: BTreeMap<DecisionId, DispatchNumber>,
    /// Checks that a person can do without.
    waived: BTreeSet<String>,
}

#[derive(Debug)]
pub(crate) struct Task {
    pub status: TaskStatus,
    pub spec: TaskSpec,
    sensitive: bool,
}

impl Books {
    pub fn see(
        &mut self,
        event: &Event,
        decisions: &decisions::Books,
        attempts: &attempts::Books,
        truth: &Truth,
    ) -> Held {
        match event {
            Event::ModeChanged { .. } => {
                *self = Self { waived: std::mem::take(&mut self.waived), ..Self::default() };
            }
            Event::PlanAdopted { tasks } => self.adopt(tasks),
            Event::FilesEdited { .. } => self.plan_edited = true,
            Event::TaskMoved { task, status } => self.moved(task, *status, decisions)?,
            Event::DispatchOpened { role, purpose, .. } => {
                self.spoken = false;
                self.single_final_reviews_last(*role, purpose, decisions)?;
            }
            Event::DispatchClosed { number, verdict, .. } => {
                self.closed(*number, *verdict, attempts)?;
            }
            Event::RepairOpened { task, repair, consented: false, .. } => {
                self.repairs_stay_in_budget(task, *repair)?;
            }
            Event::DecisionAsked { decision } => {
                if let Subject::Notes { dispatch, .. } = decision.subject {
                    self.notes.insert(decision.decision_id.clone(), dispatch);
                }
            }
            Event::DecisionResolved { .. } => self.spoken = true,
            Event::GatePassed { task, role } => {
                self.a_gate_is_passed_by_right(task, *role, decisions, attempts)?;
            }
            Event::ChecksStarted { number, purpose, .. } => {
                self.checks.insert(*number, purpose.clone());
            }
            Event::ChecksEnded { number, results, stage, .. } => {
                self.checked(*number, results, stage, truth)?;
            }
            Event::CheckWaived { command, .. } => {
                self.waived.insert(command.clone());
            }
            Event::CheckReplaced { command, with } => self.replaced(command, with),
            Event::FindingRecorded { finding } => {
                self.findings.insert(finding.id, (finding.report.clone(), finding.status));
            }
            Event::FindingSettled { id, status, .. } => {
                if let Some((_, known)) = self.findings.get_mut(id) {
                    *known = *status;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn replaced(&mut self, command: &str, with: &str) {
        let (old, new) = (Check::Command(command.to_owned()), Check::Command(with.to_owned()));
        let checks = self.tasks.values_mut().flat_map(|task| &mut task.spec.acceptance_checks);
        checks.filter(|check| **check == old).for_each(|check| check.clone_from(&new));
    }

    fn adopt(&mut self, specs: &[TaskSpec]) {
        let mut known = std::mem::take(&mut self.tasks);
        for spec in specs {
            let new = Task { status: TaskStatus::NotStarted, spec: spec.clone(), sensitive: false };
            let old = known.remove(&spec.id);
            let task = old.map_or(new, |old| Task { spec: spec.clone(), ..old });
            self.tasks.insert(spec.id.clone(), task);
        }
        let is_gone =
            |task: &TaskRef| matches!(task, TaskRef::Task(id) if !self.tasks.contains_key(id));
        self.gates.retain(|(task, _)| !is_gone(task));
        self.repairs.retain(|(task, _), _| !is_gone(task));
        self.unchecked.retain(|task| !is_gone(task));
    }

    /// R034.
    fn moved(&mut self, id: &TaskId, status: TaskStatus, decisions: &decisions::Books) -> Held {
        let Some(task) = self.tasks.get_mut(id) else {
            return hold(false, "only_planned_tasks_move", || format!("{id}"));
        };
        let was = std::mem::replace(&mut task.status, status);
        hold(was.may_become(status), "tasks_follow_the_lifecycle", || {
            format!("{id} went from {was} to {status}")
        })?;
        match status {
            TaskStatus::Implemented if was == TaskStatus::InProgress => self.is_checked(id),
            TaskStatus::Completed => {
                self.is_checked(id)?;
                self.completed_means_reviewed(id, decisions)
            }
            _ => Ok(()),
        }
    }

    /// R102.
    fn is_checked(&self, id: &TaskId) -> Held {
        let is_demanded = |check: &Check| match check {
            Check::Command(command) => !self.waived.contains(command),
            Check::Test(_) => !self.waived.contains(&check.to_string()),
            Check::Manual(_) => false,
        };
        let demanded = self.tasks[id].spec.acceptance_checks.iter().any(is_demanded);
        let green = !demanded || !self.unchecked.contains(&TaskRef::Task(id.clone()));
        hold(green, "done_work_is_checked", || format!("{id} has no green check"))
    }

    /// R035: its own gates, or the combined pass over everything.
    fn completed_means_reviewed(&self, id: &TaskId, decisions: &decisions::Books) -> Held {
        let Task { spec, sensitive, .. } = &self.tasks[id];
        let passed = |task: &TaskRef, role: Role| self.gates.contains(&(task.clone(), role));
        let own = TaskRef::Task(id.clone());
        let tested = spec.kind.is_behaviour() || spec.has_command_check();
        let audited = spec.is_flagged("security") || *sensitive;
        let alone = passed(&own, Role::Reviewer)
            && (!tested || passed(&own, Role::QA))
            && (!audited || passed(&own, Role::Security));
        let together = decisions.strategy() == Some(Strategy::SingleFinal)
            && [Role::Reviewer, Role::QA, Role::Security]
                .into_iter()
                .all(|role| passed(&TaskRef::Meta, role));
        hold(alone || together, "completed_means_reviewed", || {
            format!("{id} has passed only {:?}", self.gates)
        })
    }

    /// R045, where nobody changed their mind or the plan.
    fn single_final_reviews_last(
        &self,
        role: Role,
        purpose: &Purpose,
        decisions: &decisions::Books,
    ) -> Held {
        let applies = role.is_reviewing()
            && matches!(purpose, Purpose::Review | Purpose::Test | Purpose::Audit)
            && decisions.strategy() == Some(Strategy::SingleFinal)
            && decisions.strategies == 1
            && !self.plan_edited;
        let coded =
            |task: &Task| matches!(task.status, TaskStatus::Implemented | TaskStatus::Completed);
        hold(!applies || self.tasks.values().all(coded), "single_final_reviews_last", || {
            format!("{role} came before all tasks were implemented")
        })
    }

    fn closed(
        &mut self,
        number: DispatchNumber,
        verdict: Verdict,
        attempts: &attempts::Books,
    ) -> Held {
        let record = &attempts.dispatches[&number];
        let Some(DispatchEnd::Replied { reply, work }) = record
            .last_end
            .as_ref()
            .filter(|_| matches!(verdict, Verdict::Accepted | Verdict::Objected))
        else {
            return Ok(());
        };
        let judges = record.role.is_reviewing();
        if verdict == Verdict::Accepted && !judges {
            hold(reply.status == ReplyStatus::Ok, "only_an_ok_is_accepted", || {
                format!("dispatch {number} said {}", reply.status)
            })?;
        }
        if verdict == Verdict::Accepted && judges {
            // What a Reviewer says about scope warns, whatever it calls it.
            let warns = |report: &ReportedFinding| {
                record.role == Role::Reviewer && scope::is_about_scope(report)
            };
            let mut objections = reply.findings.iter().filter(|report| !warns(report));
            let grave = objections.clone().find(|report| self.is_grave(report));
            let only_warns = !reply.findings.is_empty() && objections.next().is_none();
            let good =
                matches!(reply.status, ReplyStatus::Ok | ReplyStatus::NeedsDecision) || only_warns;
            hold(good && grave.is_none(), "an_objection_is_not_an_ok", || {
                format!("dispatch {number} said {} with {grave:?}", reply.status)
            })?;
        }
        if work.code.commit.is_some() && !judges {
            self.unchecked.insert(record.task.clone());
        }
        if let TaskRef::Task(id) = &record.task
            && let Some(task) = self.tasks.get_mut(id).filter(|_| work.code.commit.is_some())
        {
            task.sensitive |= !work.code.sensitive.is_empty();
        }
        Ok(())
    }

    /// High or worse, and no person has taken it upon themselves at that severity.
    fn is_grave(&self, report: &ReportedFinding) -> bool {
        let accepted = self.findings.values().any(|(known, status)| {
            *status == FindingStatus::Accepted
                && known.is_same_as(report)
                && known.severity >= report.severity
        });
        report.severity.is_grave() && !accepted
    }

    /// R048.
    fn repairs_stay_in_budget(&mut self, task: &TaskRef, repair: RepairLoop) -> Held {
        let count = self.repairs.entry((task.clone(), repair)).or_default();
        *count += 1;
        hold(*count <= REPAIRS_MAX, "repairs_stay_in_budget", || {
            format!("{repair} of {task} for the {count}. time")
        })
    }

    fn a_gate_is_passed_by_right(
        &mut self,
        task: &TaskRef,
        role: Role,
        decisions: &decisions::Books,
        attempts: &attempts::Books,
    ) -> Held {
        let by_person = self.spoken
            && match &decisions.last_resolved {
                Some((DecisionKind::Repair | DecisionKind::Security | DecisionKind::Check, _)) => {
                    true
                }
                // Notes are of one role, and pass no gate of another one.
                Some((DecisionKind::Notes, id)) => {
                    let asks = self.notes.get(id).and_then(|of| attempts.dispatches.get(of));
                    asks.is_some_and(|record| record.role == role)
                }
                _ => false,
            };
        let mut newest = attempts.dispatches.values().rev();
        let last = newest.find(|record| {
            record.role == role
                && record.task == *task
                && matches!(record.purpose, Purpose::Review | Purpose::Test | Purpose::Audit)
        });
        let by_verdict = last.is_some_and(|record| record.verdict == Some(Verdict::Accepted));
        self.gates.insert((task.clone(), role));
        hold(by_person || by_verdict, "a_gate_is_passed_by_right", || format!("{role} of {task}"))
    }

    fn checked(
        &mut self,
        number: CheckNumber,
        results: &[CheckResult],
        stage: &Option<String>,
        truth: &Truth,
    ) -> Held {
        let told = truth.checks.get(&number);
        let is_true = told.is_some_and(|(told, under)| told == results && under == stage);
        hold(is_true, "checks_are_recorded_as_they_ran", || {
            format!("checks {number}: {results:?} instead of {told:?}")
        })?;
        let green = results.iter().all(|result| result.passed);
        if let (Some(CheckPurpose::Task { task }), true) = (self.checks.get(&number), green) {
            self.unchecked.remove(task);
        }
        Ok(())
    }
}
