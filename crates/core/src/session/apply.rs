//! The fold: how each event changes the state. It decides nothing and cannot fail where the event fits.

use super::dispatch::{Cut, Delivered, Rejected};
use super::spend::Cost;
use super::{
    Dispatch, GateState, Notice, PendingRepair, Rejection, Session, Spend, Unit, Waiting, unit,
};
use crate::action::{Step, StepKind};
use crate::allowance::Allowance;
use crate::decide::MANUAL_FIX;
use crate::decision::{CorrectionStatus, DecisionKind, DecisionStatus, Resolution};
use crate::event::{Event, Finding, Purpose, RetryWhy, Verdict};
use crate::id::{Attempt, DecisionId, DispatchNumber, TaskRef};
use crate::reply::Usage;
use crate::role::{Mode, RepairLoop, Role};
use crate::task::TaskStatus;
use crate::time::Timestamp;
use crate::work::DispatchEnd;

impl Session {
    pub(crate) fn apply(&mut self, at: Timestamp, event: &Event) {
        self.updated_at = at;
        match event {
            Event::SessionOpened(_)
            | Event::PolicyAdopted { .. }
            | Event::ModeChanged { .. }
            | Event::StepEntered { .. }
            | Event::StepSkipped { .. }
            | Event::Blocked { .. }
            | Event::Unblocked
            | Event::BudgetExtended
            | Event::StageDeclared { .. }
            | Event::StepReopened { .. }
            | Event::FilesEdited { .. }
            | Event::Noticed { .. }
            | Event::OlderJournalAccepted { .. }
            | Event::SessionClosed => self.apply_to_session(at, event),
            Event::DispatchOpened { .. }
            | Event::AttemptStarted { .. }
            | Event::AttemptEnded { .. }
            | Event::GuidanceGiven { .. }
            | Event::RetryScheduled { .. }
            | Event::DispatchClosed { .. }
            | Event::MemberReady { .. }
            | Event::MergeStarted { .. }
            | Event::MergeEnded { .. } => self.apply_to_dispatches(at, event),
            Event::PlanAdopted { .. }
            | Event::CriteriaAdopted { .. }
            | Event::TaskMoved { .. }
            | Event::RepairOpened { .. }
            | Event::ScopeExtended { .. }
            | Event::ScopeRefused { .. }
            | Event::GatePassed { .. }
            | Event::ChecksStarted { .. }
            | Event::ChecksEnded { .. }
            | Event::CoverageSettled { .. }
            | Event::SeverityPassed { .. }
            | Event::FindingRecorded { .. }
            | Event::FindingSettled { .. }
            | Event::AssumptionNoted { .. }
            | Event::KnownIssueNoted { .. }
            | Event::CriterionSettled { .. } => self.apply_to_work(event),
            Event::DecisionAsked { .. }
            | Event::DecisionResolved { .. }
            | Event::AnswerKept { .. }
            | Event::CorrectionMoved { .. }
            | Event::ManualChecksSettled { .. } => self.apply_to_decisions(at, event),
        }
    }

    /// The session as a whole.
    fn apply_to_session(&mut self, at: Timestamp, event: &Event) {
        match event {
            Event::SessionOpened(_) | Event::OlderJournalAccepted { .. } => {}
            Event::PolicyAdopted { policy } => self.policy = policy.clone(),
            Event::ModeChanged { mode, .. } => self.change_mode(*mode),
            Event::StepEntered { index } => self.enter_step(*index),
            Event::StepSkipped { index, .. } => {
                self.enter_step(*index);
                self.step_done = true;
            }
            Event::StepReopened { index } => {
                self.step_done &= *index != self.step;
            }
            Event::Blocked { blocker } => self.blocker = Some(blocker.clone()),
            Event::Unblocked => self.blocker = None,
            Event::BudgetExtended => self.budget_consents += 1,
            Event::StageDeclared { stage } => self.declare_stage(stage.as_deref()),
            Event::FilesEdited { edits } => self.take_edits(edits),
            Event::Noticed { code, message } => {
                self.notices.push(Notice { at, code: code.clone(), message: message.clone() });
            }
            Event::SessionClosed => self.closed = true,
            other => unreachable!("not about the session as a whole: {other:?}"),
        }
    }

    /// Dispatches and their attempts.
    fn apply_to_dispatches(&mut self, at: Timestamp, event: &Event) {
        match event {
            Event::DispatchOpened { number, role, task, purpose, feedback, lane } => {
                self.open_dispatch(*number, *role, task, purpose, feedback);
                self.dispatch_mut(*number).lane = *lane;
            }
            Event::AttemptStarted { .. } => self.start_attempt(at, event),
            Event::AttemptEnded { number, attempt, end, usage } => {
                self.end_attempt(at, *number, *attempt, end, usage);
            }
            Event::GuidanceGiven { number, text, authorized } => {
                let dispatch = self.dispatch_mut(*number);
                dispatch.feedback.push(text.clone());
                dispatch.authorized.extend(authorized.iter().cloned());
            }
            Event::RetryScheduled { number, due, why } => {
                let dispatch = self.dispatch_mut(*number);
                dispatch.waiting = Some(match why {
                    RetryWhy::Room => Waiting::ForRoom,
                    _ => Waiting::Until(*due),
                });
                dispatch.is_parked = *why == RetryWhy::Parked;
                if *why == RetryWhy::Consented {
                    dispatch.starts_max = dispatch.starts + 1;
                    dispatch.short_parks = 0;
                }
            }
            Event::DispatchClosed { number, verdict } => self.close_dispatch(*number, *verdict),
            Event::MemberReady { number, verdict } => {
                self.dispatch_mut(*number).ready = Some(*verdict);
            }
            Event::MergeStarted { numbers } => self.merging.clone_from(numbers),
            Event::MergeEnded { merged } => self.end_merge(merged),
            other => unreachable!("not about a dispatch: {other:?}"),
        }
    }

    /// The plan, its checks and what was found.
    fn apply_to_work(&mut self, event: &Event) {
        match event {
            Event::PlanAdopted { tasks } => self.adopt_plan(tasks),
            Event::CriteriaAdopted { criteria } => {
                self.criteria.clone_from(criteria);
                self.criteria_results.clear();
                self.acceptance = None;
                self.checked_tip = None;
            }
            Event::TaskMoved { task, status } => {
                self.move_task(&TaskRef::Task(task.clone()), *status)
            }
            Event::RepairOpened { task, repair, feedback, consented, authorized } => {
                let pending = PendingRepair {
                    repair: *repair,
                    feedback: feedback.clone(),
                    authorized: authorized.clone(),
                };
                self.open_repair(task, pending, *consented);
            }
            Event::ScopeExtended { task, paths } => {
                if let Some(unit) = self.unit_mut(task) {
                    unit.allowed.extend(paths.iter().cloned());
                    unit.refused.retain(|path, _| !paths.contains(path));
                }
            }
            Event::ScopeRefused { task, paths, reason } => {
                if let Some(unit) = self.unit_mut(task) {
                    unit.refused.extend(paths.iter().map(|path| (path.clone(), reason.clone())));
                }
            }
            Event::GatePassed { task, role } => self.pass_gate(task, *role),
            Event::ChecksStarted { number, purpose, commands, tree } => {
                self.start_checks(*number, purpose, commands, *tree);
            }
            Event::ChecksEnded { number, results, stage } => {
                self.end_checks(*number, results, stage.as_deref());
            }
            Event::CoverageSettled { minimum, .. } => self.coverage_settled = Some(*minimum),
            Event::SeverityPassed { step, .. } => {
                self.severity_passed.insert(*step);
                self.look_again.clear();
            }
            Event::FindingRecorded { finding } => self.record_finding(finding),
            Event::FindingSettled { id, status, .. } => {
                if let Some(finding) = self.findings.iter_mut().find(|f| f.id == *id) {
                    finding.status = *status;
                }
            }
            Event::AssumptionNoted { text } => self.assumptions.push(text.clone()),
            Event::KnownIssueNoted { text } => self.known_issues.push(text.clone()),
            Event::CriterionSettled { id, result } => {
                self.criteria_results.insert(id.clone(), result.clone());
            }
            other => unreachable!("not about the work: {other:?}"),
        }
    }

    /// Questions and answers.
    fn apply_to_decisions(&mut self, at: Timestamp, event: &Event) {
        match event {
            Event::DecisionAsked { decision } => {
                let id = &decision.decision_id;
                match self.decisions.iter_mut().find(|d| d.decision_id == *id) {
                    Some(known) => *known = (**decision).clone(),
                    None => self.decisions.push((**decision).clone()),
                }
                *self.rounds.entry(id.clone()).or_default() += 1;
            }
            Event::DecisionResolved { id, resolution } => self.resolve(at, id, resolution),
            Event::AnswerKept { .. } => {}
            Event::CorrectionMoved { status, roles, places, agent } => {
                self.correction.status = *status;
                self.correction.roles.clone_from(roles);
                self.correction.places.clone_from(places);
                self.correction.agent = agent.or(self.correction.agent);
                if *status == CorrectionStatus::Dispatched {
                    self.correction.at = Some(at);
                }
            }
            Event::ManualChecksSettled { checks } => {
                self.manual_settled.extend(checks.iter().cloned());
            }
            other => unreachable!("not a question: {other:?}"),
        }
    }

    pub(super) fn dispatch_mut(&mut self, number: DispatchNumber) -> &mut Dispatch {
        self.dispatches
            .get_mut(&number)
            .expect("the journal opens a dispatch before it speaks of it")
    }

    fn change_mode(&mut self, mode: Mode) {
        self.mode = mode;
        if let Some(action) = &self.opening.full_action {
            self.steps = action.steps.clone();
        }
        self.step = 0;
        self.entered = false;
        self.step_done = false;
        self.tasks.clear();
        self.meta = Unit::default();
        self.subjects_hold.clear();
        self.look_again.clear();
    }

    fn enter_step(&mut self, index: usize) {
        self.step = index;
        self.entered = true;
        self.step_done = false;
        self.members_done.clear();
        self.before_merge = None;
    }

    fn open_dispatch(
        &mut self,
        number: DispatchNumber,
        role: Role,
        task: &TaskRef,
        purpose: &Purpose,
        feedback: &[String],
    ) {
        if let Some(unit) = self.unit_mut(task) {
            unit.clash.clear();
        }
        let pending = match purpose {
            Purpose::Repair { .. } => self.unit_mut(task).and_then(|unit| unit.pending.take()),
            _ => None,
        };
        let dispatch = Dispatch {
            authorized: pending.map(|pending| pending.authorized).unwrap_or_default(),
            restored: Vec::new(),
            lane: None,
            role,
            task: task.clone(),
            purpose: purpose.clone(),
            feedback: feedback.to_vec(),
            based_on: None,
            attempts: Attempt(0),
            current: None,
            waiting: None,
            starts: 0,
            invalid: 0,
            interruptions: 0,
            supervisors_lost: 0,
            short_parks: 0,
            cut: Cut::default(),
            starts_max: self.policy.starts_max(),
            previous_errors: Vec::new(),
            timeout_ms: self.policy.timeout_ms(role),
            allowance: Allowance::default(),
            rejected: None,
            chosen: None,
            agent: None,
            player: None,
            stands_in_for: None,
            is_parked: false,
            spend: Spend::default(),
            last_failure: None,
            reported: Vec::new(),
            delivered: None,
            ready: None,
            verdict: None,
        };
        self.dispatches.insert(number, dispatch);
        self.open.insert(number);
    }

    fn end_attempt(
        &mut self,
        at: Timestamp,
        number: DispatchNumber,
        attempt: Attempt,
        end: &DispatchEnd,
        usage: &Usage,
    ) {
        let dispatch = self.dispatch_mut(number);
        let started_at = dispatch.current.take().map_or(at, |record| record.started_at);
        // Where nobody saw it run: it cannot have run longer than it may.
        let elapsed_ms = at.ms_since(started_at).min(dispatch.timeout_ms());
        dispatch.waiting = Some(Waiting::ForPerson);
        for report in end.findings() {
            if !dispatch.has_reported(report) {
                dispatch.reported.push(report.clone());
            }
        }
        match end {
            DispatchEnd::Replied { reply, work } => {
                dispatch.waiting = None;
                dispatch.delivered =
                    Some(Delivered { work: (**work).clone(), attempt, reply: (**reply).clone() });
            }
            DispatchEnd::Invalid { errors, .. } => {
                dispatch.rejected = Some(Rejected {
                    attempt,
                    player: dispatch.player.clone(),
                    based_on: dispatch.based_on.clone(),
                });
                dispatch.invalid += 1;
                dispatch.previous_errors.clone_from(errors);
            }
            DispatchEnd::Unsupervised { .. } => dispatch.supervisors_lost += 1,
            // None of these is the agent's fault: no start is spent.
            DispatchEnd::Interrupted { .. } => {
                dispatch.starts = dispatch.starts.saturating_sub(1);
                dispatch.interruptions += 1;
            }
            DispatchEnd::Parked { .. } => dispatch.starts = dispatch.starts.saturating_sub(1),
            DispatchEnd::Stopped => {
                dispatch.starts = dispatch.starts.saturating_sub(1);
                dispatch.waiting = Some(Waiting::ForResume);
            }
            _ => {}
        }
        if !matches!(end, DispatchEnd::Replied { .. }) {
            dispatch.last_failure = Some(end.clone());
        }
        let by_agent = self.dispatches[&number].player() != Some(MANUAL_FIX);
        let cost = Cost::of(end, usage, elapsed_ms, by_agent);
        self.count(number, &cost);
        self.note_cut(number, end, &cost);
        if self.met_a_limit(number, end) {
            let dispatch = self.dispatch_mut(number);
            dispatch.starts = dispatch.starts.saturating_sub(1);
        }
        self.park(at, number, end);
        if let DispatchEnd::Replied { work, .. } = end {
            self.note_scope(number, work);
        }
    }

    fn close_dispatch(&mut self, number: DispatchNumber, verdict: Verdict) {
        self.open.remove(&number);
        let dispatch = self.dispatch_mut(number);
        dispatch.verdict = Some(verdict);
        dispatch.current = None;
        dispatch.waiting = None;
        let (role, task, purpose) =
            (dispatch.role, dispatch.task.clone(), dispatch.purpose.clone());
        let delivered = dispatch.delivered.take();
        let restored = std::mem::take(&mut dispatch.restored);
        let taken = matches!(verdict, Verdict::Accepted | Verdict::Objected);
        if let Some(unit) = self.unit_mut(&task).filter(|_| taken) {
            // What was put back is in the accepted work now, as the Coder left it.
            unit.aside.retain(|path, _| !restored.contains(path));
        }
        let changed = match delivered.filter(|_| taken) {
            Some(delivered) => self.take_work(number, role, &task, &delivered),
            None => false,
        };
        let settled = matches!(verdict, Verdict::Accepted | Verdict::Skipped);
        // A reviewing role that objects has done its part of a step too.
        let played = settled || verdict == Verdict::Objected;
        match purpose {
            Purpose::Step { index, member } if index == self.step && played => match member {
                Some(member) => {
                    self.members_done.insert(member);
                }
                None => self.step_done = true,
            },
            Purpose::Look { .. } if played => {
                self.look_again.remove(&role);
            }
            Purpose::Correction { .. } if played && !self.correction.roles.is_empty() => {
                self.correction.roles.remove(0);
                if !self.correction.places.is_empty() {
                    self.correction.places.remove(0);
                }
                if changed && !role.is_reviewing() && !self.has_task_loop() {
                    self.look_again.extend(self.lookers(true));
                }
            }
            Purpose::Implement if settled => {
                if let Some(unit) = self.unit_mut(&task) {
                    unit.coded = true;
                    unit.needs_checks = true;
                }
            }
            Purpose::Repair { repair } => {
                if repair == RepairLoop::FixBuild {
                    self.acceptance = None;
                }
                if let Some(unit) = self.unit_mut(&task).filter(|_| changed) {
                    unit.needs_checks = true;
                }
                // A repair may be in a session file alone: who objected looks at it all the same.
                let is_at_gate = matches!(
                    self.current_step(),
                    Some(Step { kind: StepKind::Severity { .. }, .. })
                );
                if settled && (is_at_gate || !self.has_task_loop()) {
                    self.look_again.extend(self.lookers(changed));
                }
            }
            _ => {}
        }
    }

    fn move_task(&mut self, task: &TaskRef, status: TaskStatus) {
        if let TaskRef::Task(id) = task
            && let Some(task) = self.tasks.iter_mut().find(|t| t.spec.id == *id)
        {
            if status == TaskStatus::Blocked {
                task.before_block = task.status;
            }
            task.status = status;
        }
    }

    fn open_repair(&mut self, task: &TaskRef, pending: PendingRepair, consented: bool) {
        if let Some(unit) = self.unit_mut(task) {
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
        if let Some(unit) = self.unit_mut(task) {
            unit.set_gate(gate, GateState::Passed);
        }
        if role == Role::Security && *task == TaskRef::Meta {
            self.meta.needs_audit = false;
        }
        let is_comprehensive = *task == TaskRef::Meta || self.mode == Mode::Lean;
        if role == Role::Reviewer && is_comprehensive {
            self.unreviewed = false;
        }
    }

    fn record_finding(&mut self, finding: &Finding) {
        match self.findings.iter_mut().find(|known| known.id == finding.id) {
            Some(known) => *known = finding.clone(),
            None => self.findings.push(finding.clone()),
        }
    }

    fn resolve(&mut self, at: Timestamp, id: &DecisionId, resolution: &Resolution) {
        if let Some(command) = &resolution.command {
            self.commands_seen.insert(command.clone());
        }
        let Some(decision) = self.decisions.iter_mut().find(|d| d.decision_id == *id) else {
            return;
        };
        decision.resolution = resolution.clone();
        let answer = resolution.answer.as_deref().unwrap_or_default();
        let is_rejection = decision.kind == DecisionKind::Approve
            && resolution.status == DecisionStatus::Answered
            && answer.starts_with("changes-requested:");
        if is_rejection {
            self.rejections.push(Rejection {
                at,
                decision_id: id.clone(),
                answer: answer.to_owned(),
                state_context: decision.state_context,
            });
        }
    }
}
