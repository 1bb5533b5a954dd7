//! The fold: how each event changes the state. It decides nothing and cannot fail where the event fits.

use super::dispatch::{Given, Life, Past, Terms, Tries, Who};
use super::{Dispatch, GateState, ManualStep, Notice, PendingRepair, Session, Spend, unit};
use crate::event::{Event, Purpose, Verdict};
use crate::feedback::Feedback;
use crate::id::{Attempt, DispatchNumber, FindingId, TaskRef};
use crate::role::{Mode, RepairLoop, Role};
use crate::time::Timestamp;

impl Session {
    pub(crate) fn apply(&mut self, at: Timestamp, event: &Event) {
        self.updated_at = at;
        self.fold(at, event);
    }

    // table: every event stands here once, so that a new one cannot be forgotten.
    fn fold(&mut self, at: Timestamp, event: &Event) {
        match event {
            // What it opens is there before the first event is applied.
            Event::SessionOpened(_) => {}
            Event::SessionImported(taken) => self.take_over(taken),
            Event::PolicyAdopted { policy } => self.policy = policy.clone(),
            Event::ModeChanged { mode, reason } => {
                let full = self.opening.full_action.as_ref();
                self.route.restart(*mode, reason, full.map(|action| action.steps.clone()));
                self.files.artefacts.remove("tasks.yaml");
                self.plan.restart();
                self.checks.subjects_hold.clear();
            }
            Event::StepEntered { index } => {
                self.route.enter(*index);
                self.branch.enter_step();
            }
            Event::StepSkipped { index, .. } => {
                self.route.skip(*index);
                self.branch.enter_step();
            }
            Event::StepReopened { index } => self.route.reopen(*index),
            Event::DispatchOpened {
                number,
                role,
                task,
                purpose,
                feedback,
                findings,
                lane,
                starts_max,
            } => {
                let feedback = told(feedback, findings);
                self.open_dispatch(*number, *role, task, purpose, feedback);
                let dispatch = self.dispatches.get_mut(*number);
                dispatch.lane = *lane;
                dispatch.tries.starts_max = starts_max.unwrap_or_default();
            }
            Event::AttemptStarted { ruling, .. } => {
                self.start_attempt(at, event, ruling.unwrap_or_default());
            }
            Event::AttemptEnded { number, attempt, end, usage, ruling } => {
                self.end_attempt(at, *number, *attempt, end, usage, ruling.unwrap_or_default());
            }
            // For the record: the audit, the evidence and reports of failures.
            Event::AttemptNoted { .. } => {}
            Event::GuidanceGiven { number, text, findings, authorized } => {
                let given = &mut self.dispatches.get_mut(*number).given;
                given.feedback.lines.push(text.clone());
                given.feedback.findings.extend(findings.iter().flatten());
                given.authorized.extend(authorized.iter().cloned());
            }
            Event::RetryScheduled { number, due, why } => {
                self.dispatches.get_mut(*number).schedule(*due, *why);
            }
            Event::DispatchClosed { number, verdict, look_again, unreviewed } => {
                self.close_dispatch(*number, *verdict);
                self.branch.unreviewed |= unreviewed.unwrap_or_default();
                self.route.look_again.extend(look_again.iter().flatten());
            }
            Event::MemberReady { number, verdict } => {
                self.dispatches.get_mut(*number).stand_by(*verdict);
            }
            Event::MergeStarted { numbers } => self.branch.merging.clone_from(numbers),
            Event::MergeEnded { merged } => self.end_merge(merged),
            Event::BaseMoved { commit } => self.branch.base.seen = Some(commit.clone()),
            Event::BaseMergeStarted { base } => self.branch.base.merging = Some(base.clone()),
            Event::BaseMergeEnded { base, outcome } => self.end_base_merge(base, outcome),
            Event::PlanAdopted { tasks } => {
                // Its checks may be others now.
                self.checks.forget_acceptance();
                self.plan.adopt(tasks);
                self.decisions.is_plan_sent_back = false;
            }
            Event::CriteriaAdopted { criteria } => {
                self.plan.adopt_criteria(criteria, &self.checks.waived);
                self.checks.forget_acceptance();
            }
            Event::TaskMoved { task, status } => self.plan.move_task(task, *status),
            Event::RepairOpened {
                task,
                repair,
                feedback,
                findings,
                consented,
                authorized,
                by,
                worker,
            } => {
                let pending = PendingRepair {
                    repair: *repair,
                    feedback: told(feedback, findings),
                    authorized: authorized.clone(),
                    by: *by,
                    worker: worker.clone(),
                };
                self.open_repair(task, pending, *consented);
            }
            Event::ScopeExtended { task, paths } => {
                if let Some(unit) = self.plan.unit_mut(task) {
                    unit.allowed.extend(paths.iter().cloned());
                    unit.refused.retain(|path, _| !paths.contains(path));
                }
            }
            Event::ScopeRefused { task, paths, reason } => {
                if let Some(unit) = self.plan.unit_mut(task) {
                    unit.refused.extend(paths.iter().map(|path| (path.clone(), reason.clone())));
                }
            }
            Event::GatePassed { task, role } => self.pass_gate(task, *role),
            Event::ChecksStarted { number, purpose, commands, tree } => {
                self.start_checks(*number, purpose, commands, *tree);
            }
            Event::ChecksEnded { number, results, stage, holds } => {
                self.end_checks(*number, results, stage.as_deref(), holds.unwrap_or_default());
            }
            Event::CheckWaived { command, reason } => {
                self.checks.waived.insert(command.clone(), reason.clone());
            }
            Event::CheckTakenOn { command } => {
                self.checks.taken_on.insert(command.clone());
            }
            Event::CheckReplaced { command, with } => self.replace_check(command, with),
            Event::CoverageSettled { minimum, .. } => self.checks.coverage_settled = Some(*minimum),
            Event::EvidenceNamed { command } => self.checks.evidence.given.push(command.clone()),
            Event::EvidenceWaived { reason } => self.checks.evidence.waived = Some(reason.clone()),
            Event::SeverityPassed { step, .. } => {
                self.route.severity_passed.insert(*step);
                self.route.look_again.clear();
            }
            Event::StageDeclared { stage } => self.declare_stage(stage.as_deref()),
            Event::FindingRecorded { finding } => self.record.find(finding),
            Event::FindingSettled { id, status, .. } => self.record.settle(*id, *status),
            Event::AssumptionNoted { text } => self.record.assumptions.push(text.clone()),
            Event::ManualStepNoted { number, text } => {
                let step = ManualStep { dispatch: *number, text: text.clone() };
                self.record.manual_steps.push(step);
            }
            Event::LookWanted { task, role, by, concerns } => {
                self.want_look(task, *role, *by, concerns);
            }
            Event::KnownIssueNoted { text } => self.record.known_issues.push(text.clone()),
            Event::CriterionSettled { id, result } => {
                self.plan.criteria_results.insert(id.clone(), result.clone());
            }
            Event::DecisionAsked { decision } => {
                self.compare(decision);
                self.decisions.ask(decision);
            }
            Event::DecisionResolved { id, resolution } => {
                self.decisions.resolve(at, id, resolution);
            }
            // Journals of earlier versions have it; nothing follows from it.
            Event::AnswerKept { .. } => {}
            Event::CorrectionMoved { status, roles, parts, agent } => {
                self.decisions.correction.move_to(at, *status, roles, parts, *agent);
            }
            Event::ManualChecksSettled { checks } => {
                self.plan.manual_settled.extend(checks.iter().cloned());
            }
            Event::BudgetExtended => self.budget.consents += 1,
            Event::Blocked { blocker, .. } => self.standing.blocker = Some(blocker.clone()),
            Event::Unblocked => self.standing.blocker = None,
            Event::FilesEdited { edits } => self.files.take_edits(edits),
            Event::Noticed { code, message } => {
                self.record.notices.push(Notice {
                    at,
                    code: code.clone(),
                    message: message.clone(),
                });
            }
            // It begins another life of the session on disk; what has happened stays the same.
            Event::OlderJournalAccepted { .. } => {}
            Event::SessionClosed => self.standing.closed = true,
        }
    }

    fn open_dispatch(
        &mut self,
        number: DispatchNumber,
        role: Role,
        task: &TaskRef,
        purpose: &Purpose,
        feedback: Feedback,
    ) {
        if let Some(unit) = self.plan.unit_mut(task) {
            unit.clash.clear();
        }
        let pending = match purpose {
            Purpose::Repair { .. } => self.plan.unit_mut(task).and_then(|unit| unit.pending.take()),
            _ => None,
        };
        let (authorized, chosen) =
            pending.map(|pending| (pending.authorized, pending.worker)).unwrap_or_default();
        let dispatch = Dispatch {
            role,
            task: task.clone(),
            purpose: purpose.clone(),
            lane: None,
            given: Given { feedback, authorized, ..Given::default() },
            attempts: Attempt(0),
            tries: Tries::default(),
            who: Who { chosen, ..Who::default() },
            // No ruling: each start writes the time that it gets.
            terms: Terms { timeout_ms: self.policy.timeout_ms(role), ..Terms::default() },
            spend: Spend::default(),
            past: Past::default(),
            life: Life::Idle,
        };
        self.dispatches.open(number, dispatch);
    }

    fn close_dispatch(&mut self, number: DispatchNumber, verdict: Verdict) {
        self.dispatches.close(number);
        let dispatch = self.dispatches.get_mut(number);
        let (role, task, purpose) =
            (dispatch.role, dispatch.task.clone(), dispatch.purpose.clone());
        let based_on = dispatch.based_on().cloned();
        let delivered = dispatch.close(verdict);
        let restored = std::mem::take(&mut dispatch.given.restored);
        let taken = matches!(verdict, Verdict::Accepted | Verdict::Objected);
        if let Some(unit) = self.plan.unit_mut(&task).filter(|_| taken) {
            // What was put back is in the accepted work now, as the Coder left it.
            unit.aside.retain(|path, _| !restored.contains(path));
        }
        let changed = match delivered.filter(|_| taken) {
            Some(delivered) => self.take_work(number, role, &task, &delivered),
            None => false,
        };
        if let Some(unit) = self.plan.unit_mut(&task).filter(|_| taken && !role.is_reviewing()) {
            unit.forget_looks();
        }
        if changed {
            self.note_resolved(based_on.as_ref());
        }
        let settled = matches!(verdict, Verdict::Accepted | Verdict::Skipped);
        // A reviewing role that objects has done its part of a step too.
        let played = settled || verdict == Verdict::Objected;
        if played && !self.has_task_loop() {
            self.looked_in_step(number, role);
        }
        match purpose {
            Purpose::Step { index, member } if played => {
                // Also where the same plan comes again: the person sees it and decides.
                self.decisions.is_plan_sent_back &= role != Role::Planner;
                self.route.played(index, member);
            }
            Purpose::Look { .. } if played => {
                self.route.look_again.remove(&role);
            }
            Purpose::Correction { .. } if played && !self.decisions.correction.roles.is_empty() => {
                self.decisions.correction.played();
            }
            Purpose::Implement if settled => {
                if let Some(unit) = self.plan.unit_mut(&task) {
                    unit.coded = true;
                    unit.needs_checks = true;
                }
            }
            Purpose::Repair { repair } => {
                if repair == RepairLoop::FixBuild {
                    self.checks.acceptance = None;
                }
                if let Some(unit) = self.plan.unit_mut(&task).filter(|_| changed) {
                    unit.needs_checks = true;
                }
            }
            _ => {}
        }
    }

    fn open_repair(&mut self, task: &TaskRef, pending: PendingRepair, consented: bool) {
        if let Some(unit) = self.plan.unit_mut(task) {
            if !consented {
                *unit.repairs.entry(pending.repair).or_default() += 1;
            }
            unit.pending = Some(pending);
        }
    }

    fn pass_gate(&mut self, task: &TaskRef, role: Role) {
        let Some(gate) = unit::Gate::of_role(role) else {
            return;
        };
        if let Some(unit) = self.plan.unit_mut(task) {
            unit.set_gate(gate, GateState::Passed);
        }
        self.looked(task, gate);
        if role == Role::Security && *task == TaskRef::Meta {
            self.plan.meta.needs_audit = false;
        }
        // No ruling: such a review was given all that changed, because in lean mode its task is the whole work.
        let is_comprehensive = *task == TaskRef::Meta || self.route.mode == Mode::Lean;
        if role == Role::Reviewer && is_comprehensive {
            self.branch.unreviewed = false;
        }
    }
}

fn told(lines: &[String], findings: &Option<Vec<FindingId>>) -> Feedback {
    Feedback { lines: lines.to_vec(), findings: findings.iter().flatten().copied().collect() }
}
