//! The witness: sees every event and every state, keeps books of its own, and says when a rule is broken.

mod agents;
mod attempts;
mod checks;
mod debts;
mod decisions;
mod ending;
mod gates;
mod lanes;
mod ledger;
mod members;
mod refinement;
mod reports;
mod scope;
mod severity;
mod tasks;
mod verdicts;
mod weakened;

use crate::violation::{Held, hold};
use std::collections::{BTreeMap, BTreeSet};
use tollgate_core::action::{Step, StepKind};
use tollgate_core::answer::Choice;
use tollgate_core::decision::{BlockerCode, DecisionKind};
use tollgate_core::event::Event;
use tollgate_core::id::{Attempt, CheckNumber, CommitId, DispatchNumber};
use tollgate_core::input::{Input, Opening};
use tollgate_core::reply::Usage;
use tollgate_core::role::{Mode, Role, State};
use tollgate_core::session::{Session, Waiting, Wanted};
use tollgate_core::time::Timestamp;
use tollgate_core::work::{CheckResult, DispatchEnd, Merged};

/// What the world told the engine, whatever the journal says.
#[derive(Debug, Default)]
pub(crate) struct Truth {
    pub ends: BTreeMap<(DispatchNumber, Attempt), DispatchEnd>,
    pub usages: BTreeMap<(DispatchNumber, Attempt), Usage>,
    pub checks: BTreeMap<CheckNumber, (Vec<CheckResult>, Option<String>)>,
    pub merges: Vec<Vec<Merged>>,
    /// What every commit was made on.
    pub parents: BTreeMap<CommitId, CommitId>,
}

impl Truth {
    pub fn reported(&mut self, input: &Input) {
        match input {
            Input::Ended { number, attempt, end, usage } => {
                self.ends.insert((*number, *attempt), end.clone());
                self.usages.insert((*number, *attempt), *usage);
            }
            Input::Checked { number, results, stage } => {
                self.checks.insert(*number, (results.clone(), stage.clone()));
            }
            Input::Merged(merged) => self.merges.push(merged.clone()),
            _ => {}
        }
    }

    /// An attempt made its commit on the one that it started from.
    pub fn made(&mut self, on: Option<&CommitId>, end: &DispatchEnd) {
        if let (Some(on), DispatchEnd::Replied { work, .. }) = (on, end)
            && let Some(commit) = &work.code.commit
        {
            self.parents.insert(commit.clone(), on.clone());
        }
    }

    /// Each change was put on top of the ones before it.
    pub fn brought_together(&mut self, tip: &CommitId, merged: &[Merged]) {
        let mut below = tip.clone();
        for commit in merged.iter().filter_map(|one| one.commit.clone()) {
            self.parents.insert(commit.clone(), below);
            below = commit;
        }
    }
}

#[derive(Debug)]
pub(crate) struct Witness {
    at: Timestamp,
    mode: Mode,
    full_steps: Vec<Step>,
    steps: Vec<Step>,
    changed_mode: bool,
    is_over: bool,
    ledger: ledger::Books,
    agents: agents::Books,
    attempts: attempts::Books,
    decisions: decisions::Books,
    tasks: tasks::Books,
    ending: ending::Books,
    gates: gates::Books,
    members: members::Books,
    severity: severity::Books,
    lanes: lanes::Books,
    scope: scope::Books,
    refinement: refinement::Books,
    reports: reports::Books,
    weakened: weakened::Books,
    checks: checks::Books,
    debts: debts::Books,
    verdicts: verdicts::Books,
    /// Roles that the person asked for.
    requested: Vec<Role>,
}

impl Witness {
    pub fn new(opening: &Opening) -> Self {
        Self {
            at: Timestamp::from_ms(0),
            mode: opening.mode,
            full_steps: opening.full_action.as_ref().map_or(Vec::new(), |a| a.steps.clone()),
            steps: opening.action.steps.clone(),
            changed_mode: false,
            is_over: false,
            ledger: ledger::Books::new(opening),
            agents: agents::Books::new(opening),
            attempts: attempts::Books::default(),
            decisions: decisions::Books::default(),
            tasks: tasks::Books::default(),
            ending: ending::Books::new(opening),
            gates: gates::Books::new(opening),
            members: members::Books::new(opening),
            severity: severity::Books::new(opening),
            lanes: lanes::Books::new(opening),
            scope: scope::Books::new(opening),
            refinement: refinement::Books::default(),
            reports: reports::Books::default(),
            weakened: weakened::Books::default(),
            checks: checks::Books::default(),
            debts: debts::Books::new(opening),
            verdicts: verdicts::Books::new(opening),
            requested: opening.requested.clone(),
        }
    }

    /// What the engine is told, before it decides.
    pub fn heard(&mut self, input: &Input) {
        self.decisions.heard(input);
    }

    /// One event, in the order of the journal.
    pub fn see(&mut self, at: Timestamp, event: &Event, truth: &Truth) -> Held {
        self.nothing_after_the_end(event)?;
        self.time_never_goes_back(at)?;
        self.lean_calls_only_its_roles(event)?;
        self.steps_are_entered_by_right(event)?;
        self.nobody_is_left_out(event)?;
        self.refinement.see(event, &self.attempts)?;
        self.weakened.see(event, &self.attempts)?;
        self.scope.see(event, &self.attempts)?;
        self.ledger.see(at, event, &self.attempts, truth)?;
        self.agents.see(at, event, &self.attempts)?;
        self.attempts.see(at, event, truth, self.ledger.met_a_limit())?;
        self.decisions.see(event)?;
        self.checks.see(event)?;
        self.tasks.see(event, &self.decisions, &self.attempts, truth)?;
        self.ending.see(event, &self.attempts, truth)?;
        self.gates.see(event, &self.attempts, self.ending.tip())?;
        self.members.see(event, &self.attempts, truth)?;
        self.severity.see(event, &self.attempts)?;
        self.reports.see(event, &self.attempts, truth)?;
        self.lanes.see(event, &self.attempts, &self.tasks, &self.decisions)?;
        self.debts.see(event, &self.attempts)?;
        self.verdicts.see(event, &self.attempts)?;
        match event {
            Event::ModeChanged { mode, .. } => {
                self.mode = *mode;
                self.changed_mode = true;
                self.steps = self.full_steps.clone();
            }
            Event::SessionClosed => self.is_over = true,
            Event::Blocked { blocker, .. } if blocker.code == BlockerCode::Cancelled => {
                self.is_over = true;
            }
            _ => {}
        }
        Ok(())
    }

    /// The state as the engine has it after a commit.
    pub fn after_commit(&mut self, session: &Session, grew: bool) -> Held {
        held_means_idle(session)?;
        no_deadlock(session)?;
        blocked_has_a_way_out(session)?;
        work_behind_the_gate_is_approved(session)?;
        self.decisions.records_are_valid(session)?;
        self.members.a_conflict_is_named()?;
        self.severity.nothing_found_is_lost()?;
        self.reports.nothing_reported_is_lost()?;
        self.lanes.what_fits_is_taken()?;
        self.scope.after_commit(session)?;
        self.refinement.all_is_asked()?;
        self.checks.after_commit()?;
        self.debts.after_commit()?;
        self.gates.low_coverage_is_asked()?;
        self.ending.lean_work_is_small()?;
        if session.is_over() {
            self.attempts.all_are_closed()?;
        }
        if grew {
            self.ledger.after_commit(session)?;
            self.ending.tip_is_what_was_accepted(session)?;
            self.ending.changed_files_are_listed(session)?;
        }
        if session.standing.closed {
            self.ending.done_means_done(session, &self.tasks, self.changed_mode)?;
        }
        Ok(())
    }

    fn nothing_after_the_end(&self, event: &Event) -> Held {
        hold(!self.is_over, "nothing_after_the_end", || format!("{event:?}"))
    }

    fn time_never_goes_back(&mut self, at: Timestamp) -> Held {
        let last = std::mem::replace(&mut self.at, at);
        hold(last <= at, "time_never_goes_back", || format!("{at} comes after {last}"))
    }

    /// R050.
    fn lean_calls_only_its_roles(&self, event: &Event) -> Held {
        use tollgate_core::role::Role::{Coder, QA, Reviewer, Security, SpecAgent};
        let Event::DispatchOpened { role, .. } = event else {
            return Ok(());
        };
        let fits =
            self.mode == Mode::Full || matches!(role, SpecAgent | Coder | Reviewer | QA | Security);
        hold(fits, "lean_calls_only_its_roles", || format!("{role} in lean mode"))
    }

    fn nobody_is_left_out(&self, event: &Event) -> Held {
        let Event::StepSkipped { index, .. } = event else {
            return Ok(());
        };
        let parts = self.steps.get(*index).map(|step| step.assignments(*index));
        let mut roles = parts.into_iter().flatten().map(|(_, part)| part.role);
        let wanted = roles.find(|role| self.requested.contains(role));
        hold(wanted.is_none(), "nobody_is_left_out", || format!("{wanted:?} of step {index}"))
    }

    /// R040 and R041, and no step is left out.
    fn steps_are_entered_by_right(&self, event: &Event) -> Held {
        let (Event::StepEntered { index }, Mode::Full) = (event, self.mode) else {
            return Ok(());
        };
        match self.steps.get(*index).map(|step| step.state) {
            Some(State::Plan) => hold(self.decisions.is_approved(), "plan_needs_approval", || {
                "PLAN was entered without an approved design".to_owned()
            }),
            Some(State::ImplementLoop) => {
                hold(self.decisions.strategy().is_some(), "loop_needs_a_strategy", || {
                    "IMPLEMENT_LOOP was entered without a canonical strategy".to_owned()
                })
            }
            _ => Ok(()),
        }
    }
}

/// R030: a person comes first.
fn held_means_idle(session: &Session) -> Held {
    let held = session.standing.blocker.is_some() || session.pending_decisions().next().is_some();
    let idle = session.outstanding().is_empty() && session.next_deadline().is_none();
    hold(!held || idle, "held_means_idle", || {
        format!("{:?} while {} waits", session.outstanding(), session.state())
    })
}

fn no_deadlock(session: &Session) -> Held {
    let moves = session.is_over()
        || session.standing.blocker.is_some()
        || session.pending_decisions().next().is_some()
        || !session.outstanding().is_empty()
        || session.next_deadline().is_some()
        || session.dispatches.values().any(|d| d.waiting() == Some(Waiting::ForResume));
    hold(moves, "no_deadlock", || format!("nothing moves in {}", session.state()))
}

/// Ruling 4: whoever is blocked can answer something, or resume.
fn blocked_has_a_way_out(session: &Session) -> Held {
    let Some(blocker) = &session.standing.blocker else {
        return Ok(());
    };
    let by_resume = blocker.code.is_host_fault()
        || matches!(
            blocker.code,
            BlockerCode::MandatoryUserDecisionMissing | BlockerCode::Cancelled
        );
    let by_answer = session
        .pending_decisions()
        .any(|d| matches!(d.kind, DecisionKind::Escalation | DecisionKind::Repair));
    hold(by_resume || by_answer, "blocked_has_a_way_out", || format!("{blocker:?}"))
}

/// R040 and R101: what was approved and has changed, or was given up, stops all work behind the gate.
fn work_behind_the_gate_is_approved(session: &Session) -> Held {
    use tollgate_core::decision::CorrectionStatus::{Dispatched, Queued};
    let gate = session.route.steps.iter().position(|s| matches!(s.kind, StepKind::Approve { .. }));
    let is_route = !session.route.steps.iter().any(|s| matches!(s.kind, StepKind::Tasks));
    // The books on gates know routes with several of them.
    let Some(gate) = gate
        .filter(|gate| !is_route && session.route.step > *gate && session.route.mode == Mode::Full)
    else {
        return Ok(());
    };
    let works = session.outstanding().iter().any(|w| matches!(w, Wanted::Dispatch(..)));
    let answer = session.decisions.asked.iter().find_map(|decision| {
        (decision.kind == DecisionKind::Approve).then(|| decision.answered()).flatten()
    });
    let approved = answer.is_some_and(Choice::is_approval);
    let corrects = matches!(session.decisions.correction.status, Queued | Dispatched);
    hold(!works || approved || corrects, "work_behind_the_gate_is_approved", || {
        format!("step {} (gate {gate}) runs on {answer:?}", session.route.step)
    })
}

/// Sets that several books keep.
type Pairs<A, B> = BTreeSet<(A, B)>;
