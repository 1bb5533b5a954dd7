//! Books on accepted work and on the end: what DONE must mean.

use super::{Truth, attempts, tasks};
use crate::violation::{Held, hold};
use std::collections::{BTreeMap, BTreeSet};
use tollgate_core::action::{CheckSubject, Step, StepKind};
use tollgate_core::decision::Subject;
use tollgate_core::event::{
    CheckPurpose, CheckTree, CriterionResult, Event, FindingStatus, Verdict,
};
use tollgate_core::id::{CheckNumber, CommitId, DecisionId, DispatchNumber, TaskRef};
use tollgate_core::input::Opening;
use tollgate_core::limits::LEAN_FILES_MAX;
use tollgate_core::role::{Mode, Role};
use tollgate_core::session::Session;
use tollgate_core::task::{Check, TaskStatus};
use tollgate_core::work::{CheckResult, DispatchEnd};

#[derive(Debug)]
pub(crate) struct Books {
    tip: CommitId,
    taken: BTreeSet<CommitId>,
    paths: BTreeSet<String>,
    roles: BTreeSet<Role>,
    /// Roles whose work changed the tree since a review of the whole.
    unseen: BTreeSet<Role>,
    is_full: bool,
    acceptance: BTreeMap<CheckNumber, CommitId>,
    /// Fresh clones in which nothing has failed yet, and their commits.
    clones: BTreeMap<CheckNumber, CommitId>,
    /// The clones that check runs are in.
    in_clone: BTreeMap<CheckNumber, CheckNumber>,
    green_tip: Option<CommitId>,
    by_hand: BTreeSet<String>,
    /// The commits that members' changes became when they were brought together.
    merged: BTreeMap<DispatchNumber, CommitId>,
    /// An action without an implement loop.
    is_route: bool,
    /// Lean work that is not lean any more, and why.
    not_lean: Option<String>,
    /// Sensitive code was taken that belongs to no task of the full plan, and Security has not seen it.
    is_unaudited: bool,
    /// Who had a concern that Security was not started for since.
    unheard: Option<DispatchNumber>,
    /// Checks that each question is about, and those that a person waived.
    asked: BTreeMap<DecisionId, Vec<String>>,
    waived: BTreeSet<String>,
    steps: Vec<Step>,
    full_steps: Vec<Step>,
    step: usize,
}

impl Books {
    pub fn new(opening: &Opening) -> Self {
        let base = opening.base.clone();
        let is_loop = |step: &Step| matches!(step.kind, StepKind::Tasks);
        Self {
            taken: BTreeSet::from([base.clone()]),
            tip: base,
            paths: BTreeSet::new(),
            roles: BTreeSet::new(),
            unseen: BTreeSet::new(),
            is_full: false,
            acceptance: BTreeMap::new(),
            clones: BTreeMap::new(),
            in_clone: BTreeMap::new(),
            green_tip: None,
            by_hand: BTreeSet::new(),
            merged: BTreeMap::new(),
            is_route: !opening.action.steps.iter().any(is_loop),
            not_lean: None,
            is_unaudited: false,
            unheard: None,
            asked: BTreeMap::new(),
            waived: BTreeSet::new(),
            steps: opening.action.steps.clone(),
            full_steps: opening.full_action.as_ref().map_or(Vec::new(), |a| a.steps.clone()),
            step: 0,
        }
    }

    pub fn tip(&self) -> &CommitId {
        &self.tip
    }

    pub fn see(&mut self, event: &Event, attempts: &attempts::Books, truth: &Truth) -> Held {
        match event {
            Event::SessionOpened(opening) => self.is_full = opening.mode == Mode::Full,
            Event::ModeChanged { .. } => {
                self.is_full = true;
                self.not_lean = None;
                self.steps = std::mem::take(&mut self.full_steps);
                self.step = 0;
            }
            Event::StepEntered { index } | Event::StepSkipped { index, .. } => {
                self.the_loop_is_left_reviewed(*index)?;
                self.step = *index;
            }
            Event::DecisionAsked { decision } => {
                if let Subject::Manual { checks, .. } = &decision.subject {
                    self.asked.insert(decision.decision_id.clone(), checks.clone());
                }
            }
            Event::DecisionResolved { id, resolution } => {
                let answer = resolution.answer.as_deref().unwrap_or_default();
                let checks = self.asked.get(id).filter(|_| answer.starts_with("waived: "));
                self.waived.extend(checks.into_iter().flatten().cloned());
            }
            Event::DispatchOpened { role, .. } => {
                self.roles.insert(*role);
                self.unheard = self.unheard.filter(|_| *role != Role::Security);
            }
            Event::DispatchClosed {
                number,
                verdict: Verdict::Accepted | Verdict::Objected,
                ..
            } => {
                self.take(*number, attempts, truth)?;
            }
            Event::MergeEnded { merged } => {
                let fits = merged.iter().filter(|one| one.conflicts.is_empty());
                self.merged.extend(fits.filter_map(|one| Some((one.number, one.commit.clone()?))));
            }
            Event::GatePassed { task: TaskRef::Meta, role: Role::Security } => {
                self.is_unaudited = false;
            }
            Event::GatePassed { task, role: Role::Reviewer }
                if *task == TaskRef::Meta || !self.is_full =>
            {
                self.unseen.clear();
            }
            Event::ChecksStarted { number, purpose, tree, .. } => {
                self.start_checks(*number, purpose, *tree)?;
            }
            Event::ChecksEnded { number, results, .. } => self.end_checks(*number, results),
            Event::CheckWaived { command, .. } => {
                self.waived.insert(command.clone());
            }
            Event::ManualChecksSettled { checks } => self.by_hand.extend(checks.iter().cloned()),
            _ => {}
        }
        Ok(())
    }

    fn end_checks(&mut self, number: CheckNumber, results: &[CheckResult]) {
        let is_waived = |result: &CheckResult| self.waived.contains(&result.command);
        let failed =
            |result: &CheckResult| !result.passed && !result.failed_on_base && !is_waived(result);
        if let Some(since) = self.in_clone.remove(&number)
            && results.iter().any(failed)
        {
            self.clones.remove(&since);
        }
        if let Some(tip) = self.acceptance.get(&number)
            && results.iter().all(|result| result.passed || is_waived(result))
        {
            self.green_tip = Some(tip.clone());
        }
    }

    /// R170: what the end rests on is seen in a clone of the tip, and nothing runs again where it failed.
    fn start_checks(
        &mut self,
        number: CheckNumber,
        purpose: &CheckPurpose,
        tree: CheckTree,
    ) -> Held {
        let rule = "the_end_is_checked_in_a_fresh_clone";
        if matches!(purpose, CheckPurpose::Task { .. }) {
            return Ok(());
        }
        let CheckTree::Fresh { since } = tree else {
            return hold(false, rule, || format!("checks {number} of {purpose} run elsewhere"));
        };
        if since == number {
            self.clones.insert(since, self.tip.clone());
        }
        let of = self.clones.get(&since);
        hold(of == Some(&self.tip), rule, || {
            format!("checks {number} run in the clone of {since}, {of:?}, not of {}", self.tip)
        })?;
        let only_reads = matches!(purpose, CheckPurpose::Subject { subject, .. } if !CheckSubject::runs_commands(subject));
        if !only_reads {
            self.in_clone.insert(number, since);
        }
        if matches!(purpose, CheckPurpose::Acceptance { .. }) {
            self.acceptance.insert(number, self.tip.clone());
        }
        Ok(())
    }

    /// One accepted dispatch is at most one commit, and no commit is taken twice.
    fn take(&mut self, number: DispatchNumber, attempts: &attempts::Books, truth: &Truth) -> Held {
        let record = &attempts.dispatches[&number];
        let Some(DispatchEnd::Replied { work, reply }) = &record.last_end else {
            return Ok(());
        };
        // Reviewing roles that call each other are heard once.
        if !record.role.is_reviewing() && !reply.looks.security.is_empty() {
            self.unheard = Some(number);
        }
        let Some(delivered) = &work.code.commit else {
            return Ok(());
        };
        let commit = self.merged.get(&number).unwrap_or(delivered);
        let below = truth.parents.get(commit);
        hold(below == Some(&self.tip), "work_is_taken_on_top_of_what_was_taken", || {
            format!("{commit} of dispatch {number} lies on {below:?}, and the tip is {}", self.tip)
        })?;
        self.tip = commit.clone();
        self.paths.extend(work.code.changes.iter().map(|change| change.path.clone()));
        if record.role != Role::QA {
            self.unseen.insert(record.role);
        }
        let is_of_no_task = record.task == TaskRef::Meta || !self.is_full;
        self.is_unaudited |= is_of_no_task && !work.code.sensitive.is_empty();
        let is_large = self.paths.len() > LEAN_FILES_MAX || !work.code.sensitive.is_empty();
        if record.role == Role::Coder && !self.is_full && is_large {
            self.not_lean = Some(format!("dispatch {number}: {:?}", self.paths));
        }
        hold(self.taken.insert(commit.clone()), "a_commit_is_taken_once", || format!("{commit}"))
    }

    /// R050: what turns out not to be lean starts over as a full session.
    pub fn lean_work_is_small(&self) -> Held {
        hold(self.not_lean.is_none(), "lean_work_is_small", || format!("{:?}", self.not_lean))
    }

    /// Nothing is integrated that no review of the whole has seen.
    fn the_loop_is_left_reviewed(&self, next: usize) -> Held {
        let is_loop =
            matches!(self.steps.get(self.step).map(|step| &step.kind), Some(StepKind::Tasks));
        // Lean work is looked at once more before it is closed.
        let leaves = is_loop && self.is_full && next > self.step;
        hold(!leaves || self.unseen.is_empty(), "the_loop_is_left_reviewed", || {
            format!("nobody reviewed {:?}", self.unseen)
        })
    }

    pub fn tip_is_what_was_accepted(&self, session: &Session) -> Held {
        hold(session.branch.tip == self.tip, "tip_is_what_was_accepted", || {
            format!("{} instead of {}", session.branch.tip, self.tip)
        })
    }

    /// R047.
    pub fn changed_files_are_listed(&self, session: &Session) -> Held {
        let listed: BTreeSet<&str> =
            session.branch.changed.iter().map(|c| c.path.as_str()).collect();
        let missing = self.paths.iter().find(|path| !listed.contains(path.as_str()));
        hold(missing.is_none(), "changed_files_are_listed", || format!("{missing:?} is not"))
    }

    /// R049, R050, R052, ruling 12.
    pub fn done_means_done(
        &self,
        session: &Session,
        tasks: &tasks::Books,
        changed_mode: bool,
    ) -> Held {
        let rule = "done_means_done";
        let unmet = session.plan.criteria.iter().find(|criterion| {
            !matches!(
                session.plan.criteria_results.get(&criterion.id),
                Some(CriterionResult::Met { .. } | CriterionResult::Waived { .. })
            )
        });
        hold(unmet.is_none(), rule, || format!("{unmet:?} is not met"))?;
        let met = session.plan.criteria.iter().find(|criterion| {
            let is_waived = |check: &Check| match check {
                Check::Manual(text) | Check::Command(text) => self.waived.contains(text),
                Check::Test(_) => self.waived.contains(&check.to_string()),
            };
            let result = session.plan.criteria_results.get(&criterion.id);
            criterion.verify.iter().any(is_waived)
                && matches!(result, Some(CriterionResult::Met { .. }))
        });
        hold(met.is_none(), "what_is_waived_is_not_met", || format!("{met:?}"))?;
        let has_report = self.steps.iter().enumerate().any(|(at, step)| {
            let parts = step.assignments(at);
            parts.iter().any(|(_, part)| part.outputs.iter().any(|output| output == "report.md"))
        });
        let is_there = session.files.artefacts.contains_key("report.md");
        hold(!has_report || is_there, rule, || "there is no report".to_owned())?;
        let open = session.pending_decisions().next();
        hold(open.is_none(), rule, || format!("{open:?} is open"))?;
        let unfinished = tasks.tasks.iter().find(|(_, t)| t.status != TaskStatus::Completed);
        hold(unfinished.is_none(), rule, || format!("{unfinished:?}"))?;
        let known: Vec<_> = session.plan.tasks.iter().map(|task| &task.status).collect();
        hold(known.iter().all(|s| **s == TaskStatus::Completed), rule, || format!("{known:?}"))?;
        // R123.
        hold(self.unheard.is_none(), "a_concern_is_heard", || {
            format!("Security did not come for dispatch {:?}", self.unheard)
        })?;
        if self.is_route {
            let is_green =
                session.plan.criteria.is_empty() || self.green_tip.as_ref() == Some(&self.tip);
            return hold(is_green, rule, || "the criteria were not checked on the tip".to_owned());
        }
        hold(self.unseen.is_empty(), rule, || format!("nobody reviewed {:?}", self.unseen))?;
        let is_audited = !self.is_full || !self.is_unaudited;
        hold(is_audited, rule, || "nobody audited sensitive work".to_owned())?;
        hold(self.green_tip.as_ref() == Some(&self.tip), rule, || {
            format!("checks were green on {:?}, not on {}", self.green_tip, self.tip)
        })?;
        let grave = session.record.findings.iter().find(|finding| {
            finding.status == FindingStatus::Open && finding.report.severity.is_grave()
        });
        hold(grave.is_none(), rule, || format!("{grave:?} is open"))?;
        self.checks_by_hand_are_settled(session)?;
        self.all_roles_had_their_turn(session, changed_mode)
    }

    fn checks_by_hand_are_settled(&self, session: &Session) -> Held {
        let of_tasks = session.plan.tasks.iter().flat_map(|task| &task.spec.acceptance_checks);
        let of_criteria = session.plan.criteria.iter().flat_map(|criterion| &criterion.verify);
        let open = of_tasks.chain(of_criteria).find(|check| match check {
            Check::Manual(text) => !self.by_hand.contains(text),
            Check::Command(_) | Check::Test(_) => false,
        });
        hold(open.is_none(), "done_means_done", || format!("{open:?} was never looked at"))
    }

    fn all_roles_had_their_turn(&self, session: &Session, changed_mode: bool) -> Held {
        const CORE: [Role; 9] = [
            Role::SpecAgent,
            Role::Architect,
            Role::Planner,
            Role::Coder,
            Role::Reviewer,
            Role::QA,
            Role::Security,
            Role::Integrator,
            Role::Docs,
        ];
        let must: &[Role] = match (session.route.mode, changed_mode) {
            (Mode::Full, false) => &CORE,
            _ => &[Role::Reviewer],
        };
        let absent = must.iter().find(|role| !self.roles.contains(role));
        hold(absent.is_none(), "all_roles_had_their_turn", || format!("{absent:?} had none"))
    }
}
