//! Books on approve gates, lifecycle stages and coverage: what a person let pass, and whether it still is that.

use super::attempts;
use crate::violation::{Held, hold};
use std::collections::{BTreeMap, BTreeSet};
use tollgate_core::action::{CheckSubject, Step, StepKind};
use tollgate_core::decision::{
    CorrectionStatus, Decision, DecisionKind, DecisionStatus, Resolution, Subject,
};
use tollgate_core::event::{CheckPurpose, Event, Purpose, Verdict};
use tollgate_core::id::{CheckNumber, CommitId, ContentHash, DecisionId, DispatchNumber};
use tollgate_core::input::{Edit, Opening};
use tollgate_core::role::Role;
use tollgate_core::work::{Artefact, CheckResult, DispatchEnd};

#[derive(Debug)]
pub(crate) struct Books {
    steps: Vec<Step>,
    full_steps: Vec<Step>,
    step: usize,
    /// A gate sent something back, and it has not been asked again.
    is_correcting: bool,
    stage: Option<String>,
    gates: BTreeMap<usize, Gate>,
    kinds: BTreeMap<DecisionId, (DecisionKind, Option<usize>)>,
    /// Every file that a gate can show, as it is now.
    files: BTreeMap<String, ContentHash>,
    checks: BTreeMap<CheckNumber, CheckPurpose>,
    /// The stage under which lifecycle gates ran last, and whether they held.
    evidence: Option<(String, bool)>,
    minimum: Option<u32>,
    /// What a person just said about coverage.
    said: Option<String>,
    /// Too little was covered, and nobody has been asked about it.
    unasked: Option<u32>,
    /// The plan that the strategy was chosen for.
    planned: Vec<Artefact>,
    /// The role that a rejection names.
    meant: Option<Role>,
    /// The last measurement of the step, and the commit it was made on.
    measured: Option<(Option<u32>, CommitId)>,
    /// Gates that a person can do without.
    waived: BTreeSet<String>,
}

#[derive(Debug)]
struct Gate {
    shown: Vec<Artefact>,
    resolution: Resolution,
}

impl Books {
    pub fn new(opening: &Opening) -> Self {
        Self {
            steps: opening.action.steps.clone(),
            full_steps: opening.full_action.as_ref().map_or(Vec::new(), |a| a.steps.clone()),
            step: 0,
            is_correcting: false,
            stage: opening.stage.clone(),
            gates: BTreeMap::new(),
            kinds: BTreeMap::new(),
            files: BTreeMap::new(),
            checks: BTreeMap::new(),
            evidence: None,
            minimum: opening.policy.coverage_minimum,
            said: None,
            unasked: None,
            planned: Vec::new(),
            meant: None,
            measured: None,
            waived: BTreeSet::new(),
        }
    }

    pub fn see(&mut self, event: &Event, attempts: &attempts::Books, tip: &CommitId) -> Held {
        match event {
            Event::ModeChanged { .. } => {
                self.steps = std::mem::take(&mut self.full_steps);
                self.step = 0;
            }
            Event::StageDeclared { stage } => self.stage.clone_from(stage),
            Event::CheckWaived { command, .. } => {
                self.waived.insert(command.clone());
            }
            Event::StepEntered { index } | Event::StepSkipped { index, .. } => {
                self.coverage_is_enough(*index, tip)?;
                self.gates_before_are_passed(*index)?;
                self.step = *index;
                self.measured = None;
            }
            Event::DispatchOpened { purpose, .. } => {
                if *purpose == Purpose::Implement {
                    self.the_strategy_is_for_this_plan()?;
                }
                // Lifecycle gates are repaired before a person is asked again.
                let renews = matches!(purpose, Purpose::Repair { .. })
                    && matches!(self.evidence, Some((_, false)));
                // So is what a correction came to, by those who judged the work before.
                let corrects = matches!(purpose, Purpose::Correction { .. })
                    || (self.is_correcting
                        && matches!(purpose, Purpose::Look { .. } | Purpose::Repair { .. }));
                if !renews && !corrects {
                    self.gates_before_are_passed(self.step)?;
                }
            }
            Event::CorrectionMoved { status, roles, .. } => {
                if *status == CorrectionStatus::Queued {
                    self.a_correction_goes_to_who_is_named(roles)?;
                }
                self.is_correcting =
                    matches!(status, CorrectionStatus::Queued | CorrectionStatus::Dispatched);
            }
            Event::SessionClosed => {
                self.gates_before_are_passed(self.steps.len())?;
                self.evidence_is_of_this_stage()?;
                let is_red = matches!(self.evidence, Some((_, false))) && self.stage.is_some();
                hold(!is_red, "lifecycle_gates_hold_at_the_end", || {
                    format!("{:?}", self.evidence)
                })?;
            }
            Event::DispatchClosed {
                number,
                verdict: Verdict::Accepted | Verdict::Objected,
                ..
            } => {
                self.take(*number, attempts);
            }
            Event::FilesEdited { edits } => self.edited(edits),
            Event::DecisionAsked { decision } => self.asked(decision)?,
            Event::DecisionResolved { id, resolution } => self.resolved(id, resolution)?,
            Event::ChecksStarted { number, purpose, .. } => {
                self.checks.insert(*number, purpose.clone());
            }
            Event::ChecksEnded { number, results, stage, .. } => {
                self.checked(*number, results, stage, tip);
            }
            Event::CoverageSettled { minimum, .. } => self.a_person_settles_coverage(*minimum)?,
            _ => {}
        }
        Ok(())
    }

    /// R040, R089, R101: by an approval under the declared stage, of the files as they are.
    fn gates_before_are_passed(&self, index: usize) -> Held {
        let steps = self.steps.iter().enumerate().take(index);
        for (at, _) in steps.filter(|(_, step)| matches!(step.kind, StepKind::Approve { .. })) {
            let gate = self.gates.get(&at);
            let holds = gate.is_some_and(|gate| {
                is_approval(&gate.resolution) && gate.resolution.stage == self.stage
            });
            hold(holds, "a_gate_is_passed_by_approval", || {
                format!("gate {at} under {:?}: {gate:?}", self.stage)
            })?;
            let shown = gate.map_or(&[][..], |gate| gate.shown.as_slice());
            let changed =
                shown.iter().find(|file| self.files.get(&file.path) != Some(&file.sha256));
            hold(changed.is_none(), "what_was_approved_is_what_is_there", || {
                format!("gate {at} showed {changed:?}")
            })?;
        }
        Ok(())
    }

    /// R101: an approval is about the files that the step names, as they are when it asks.
    fn a_gate_shows_what_is_there(&self, step: usize, shown: &[Artefact]) -> Held {
        let Some(StepKind::Approve { shows, .. }) = self.steps.get(step).map(|step| &step.kind)
        else {
            return Ok(());
        };
        let is_meant = |path: &String| {
            shows.iter().any(|show| path == show || (show.ends_with('/') && path.starts_with(show)))
        };
        let is_shown = |path: &String, sha256: &ContentHash| {
            shown.iter().any(|file| file.path == *path && file.sha256 == *sha256)
        };
        let mut meant = self.files.iter().filter(|(path, _)| is_meant(path));
        let hidden = meant.find(|(path, sha256)| !is_shown(path, sha256));
        hold(hidden.is_none(), "a_gate_shows_what_is_there", || format!("gate {step}: {hidden:?}"))
    }

    /// R101.
    fn the_strategy_is_for_this_plan(&self) -> Held {
        let changed = self.planned.iter().find(|f| self.files.get(&f.path) != Some(&f.sha256));
        hold(changed.is_none(), "the_strategy_is_for_this_plan", || format!("{changed:?}"))
    }

    /// Who a rejection begins with, where that role has a part before the gate.
    fn named(&self, step: usize, resolution: &Resolution) -> Option<Role> {
        let words = resolution.answer.as_deref()?.strip_prefix("changes-requested: ")?;
        let role = Role::parse(words.split_once(':')?.0.trim())?;
        let steps = self.steps.iter().enumerate().take(step);
        let mut parts = steps.flat_map(|(at, step)| step.assignments(at));
        parts.any(|(_, part)| part.role == role).then_some(role)
    }

    fn a_correction_goes_to_who_is_named(&mut self, roles: &[Role]) -> Held {
        let meant = self.meant.take();
        let fits = meant.is_none_or(|meant| roles.iter().all(|role| *role == meant));
        hold(fits, "a_correction_goes_to_who_is_named", || format!("{roles:?}, not {meant:?}"))
    }

    /// R077.
    pub fn low_coverage_is_asked(&self) -> Held {
        hold(self.unasked.is_none(), "low_coverage_is_asked", || format!("{:?}", self.measured))
    }

    /// R089.
    fn evidence_is_of_this_stage(&self) -> Held {
        let is_stale = match (&self.evidence, &self.stage) {
            (Some((evidence, _)), Some(stage)) => evidence != stage,
            _ => false,
        };
        hold(!is_stale, "evidence_is_of_this_stage", || {
            format!("{:?} under {:?}", self.evidence, self.stage)
        })
    }

    fn take(&mut self, number: DispatchNumber, attempts: &attempts::Books) {
        if let Some(DispatchEnd::Replied { work, .. }) = &attempts.dispatches[&number].last_end {
            for file in work.documents.artefacts.iter().chain(&work.code.outputs) {
                self.files.insert(file.path.clone(), file.sha256.clone());
            }
        }
    }

    fn edited(&mut self, edits: &[Edit]) {
        for edit in edits.iter().filter(|edit| edit.errors.is_empty()) {
            match &edit.now {
                Some(now) => self.files.insert(edit.path.clone(), now.sha256.clone()),
                None => self.files.remove(&edit.path),
            };
        }
    }

    fn asked(&mut self, decision: &Decision) -> Held {
        match decision.kind {
            DecisionKind::Coverage => self.unasked = None,
            DecisionKind::Strategy => self.planned.clone_from(&decision.shown),
            _ => {}
        }
        let step = match decision.subject {
            Subject::Gate { step } => Some(step),
            _ => None,
        };
        self.kinds.insert(decision.decision_id.clone(), (decision.kind, step));
        if let Some(step) = step {
            self.a_gate_shows_what_is_there(step, &decision.shown)?;
            let shown = decision.shown.clone();
            self.gates.insert(step, Gate { shown, resolution: Resolution::default() });
        }
        Ok(())
    }

    fn resolved(&mut self, id: &DecisionId, resolution: &Resolution) -> Held {
        let Some((kind, step)) = self.kinds.get(id).copied() else {
            return Ok(());
        };
        if kind == DecisionKind::Coverage {
            self.said.clone_from(&resolution.answer);
        }
        if let Some(gate) = step.and_then(|step| self.gates.get_mut(&step)) {
            gate.resolution = resolution.clone();
            self.meant = step.and_then(|step| self.named(step, resolution));
            if is_approval(resolution) {
                return self.evidence_is_of_this_stage();
            }
        }
        Ok(())
    }

    fn checked(
        &mut self,
        number: CheckNumber,
        results: &[CheckResult],
        stage: &Option<String>,
        tip: &CommitId,
    ) {
        match self.checks.get(&number) {
            Some(CheckPurpose::Subject { subject: CheckSubject::Coverage, .. }) => {
                let found = results.first().and_then(|result| result.coverage);
                let share =
                    found.map(|m| u32::try_from(m.covered * 10_000 / m.total).expect("small"));
                let minimum = self.minimum.unwrap_or(0);
                let is_enough = minimum == 0 || share.is_some_and(|share| share >= minimum);
                self.unasked = (!is_enough).then_some(minimum);
                self.measured = Some((share, tip.clone()));
            }
            Some(CheckPurpose::Subject { subject: CheckSubject::Lifecycle, .. }) => {
                let is_waived = |result: &CheckResult| self.waived.contains(&result.command);
                let held = results.iter().all(|result| result.passed || is_waived(result));
                if let Some(stage) = stage {
                    self.evidence = Some((stage.clone(), held));
                }
            }
            _ => {}
        }
    }

    /// R077: below the minimum nobody continues by themselves.
    fn a_person_settles_coverage(&mut self, minimum: u32) -> Held {
        let said = self.said.take().unwrap_or_default();
        let lowered = said.strip_prefix("lower: ").and_then(|words| {
            let number = words.split_whitespace().next()?.trim_end_matches('%');
            number.parse::<f64>().ok()
        });
        let is_said = match lowered {
            Some(share) => (share * 100.0 - f64::from(minimum)).abs() < 0.5,
            None => said.starts_with("override: ") && minimum == 0,
        };
        self.minimum = Some(minimum);
        hold(is_said, "a_person_settles_coverage", || format!("{minimum} after {said:?}"))
    }

    fn coverage_is_enough(&self, next: usize, tip: &CommitId) -> Held {
        let Some(StepKind::Checks { of }) = self.steps.get(self.step).map(|step| &step.kind) else {
            return Ok(());
        };
        let minimum = self.minimum.unwrap_or(0);
        let is_entering = next <= self.step;
        if is_entering || minimum == 0 || !of.contains(&CheckSubject::Coverage) {
            return Ok(());
        }
        let is_enough = self
            .measured
            .as_ref()
            .is_some_and(|(share, on)| share.is_some_and(|share| share >= minimum) && on == tip);
        hold(is_enough, "coverage_is_enough", || {
            format!("{:?} where {minimum} is asked for on {tip}", self.measured)
        })
    }
}

fn is_approval(resolution: &Resolution) -> bool {
    let answer = resolution.answer.as_deref().unwrap_or_default();
    let rest = answer.strip_prefix("approved");
    resolution.status == DecisionStatus::Answered
        && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ':']))
}
