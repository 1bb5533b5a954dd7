//! Books on parallel steps: the barrier, members that are through, and changes that do not go together.

use super::{Truth, attempts};
use crate::violation::{Held, hold};
use std::collections::{BTreeMap, BTreeSet};
use tollgate_core::action::{Step, StepKind};
use tollgate_core::event::{Event, Purpose, Verdict};
use tollgate_core::finding::FindingOrigin;
use tollgate_core::id::DispatchNumber;
use tollgate_core::input::Opening;
use tollgate_core::work::Merged;

#[derive(Debug)]
pub(crate) struct Books {
    steps: Vec<Step>,
    full_steps: Vec<Step>,
    step: usize,
    /// Members of the current step that are through.
    done: BTreeSet<usize>,
    /// Members that wait at the barrier, and those that must do their part again.
    ready: BTreeSet<DispatchNumber>,
    clashed: BTreeSet<DispatchNumber>,
    merging: Vec<DispatchNumber>,
    /// Conflicts that nobody has named yet, by file.
    unnamed: BTreeMap<DispatchNumber, Vec<String>>,
}

impl Books {
    pub fn new(opening: &Opening) -> Self {
        Self {
            steps: opening.action.steps.clone(),
            full_steps: opening.full_action.as_ref().map_or(Vec::new(), |a| a.steps.clone()),
            step: 0,
            done: BTreeSet::new(),
            ready: BTreeSet::new(),
            clashed: BTreeSet::new(),
            merging: Vec::new(),
            unnamed: BTreeMap::new(),
        }
    }

    pub fn see(&mut self, event: &Event, attempts: &attempts::Books, truth: &Truth) -> Held {
        match event {
            Event::ModeChanged { .. } => {
                self.steps = std::mem::take(&mut self.full_steps);
                self.step = 0;
                self.done.clear();
            }
            Event::StepEntered { index } | Event::StepSkipped { index, .. } => {
                self.nobody_is_left_behind(*index)?;
                self.step = *index;
                self.done.clear();
            }
            Event::DispatchOpened { purpose: Purpose::Step { index, member }, .. } => {
                self.a_step_plays_its_own_parts(*index, *member)?;
            }
            Event::AttemptStarted { number, .. } => {
                self.a_ready_member_is_left_alone(*number)?;
                self.clashed.remove(number);
            }
            Event::MemberReady { number, .. } => {
                self.ready.insert(*number);
            }
            Event::MergeStarted { numbers } => {
                self.a_barrier_waits_for_all(attempts)?;
                self.merging.clone_from(numbers);
            }
            Event::MergeEnded { merged } => self.merged(merged, truth)?,
            Event::FindingRecorded { finding }
                if matches!(finding.origin, FindingOrigin::MergeConflict { .. }) =>
            {
                for files in self.unnamed.values_mut() {
                    files.retain(|file| finding.report.file.as_ref() != Some(file));
                }
            }
            Event::DispatchClosed { number, verdict, .. } => {
                self.closed(*number, *verdict, attempts)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// R070: nothing continues before every member is through.
    fn nobody_is_left_behind(&self, index: usize) -> Held {
        let Some(StepKind::Parallel { members }) = self.steps.get(self.step).map(|s| &s.kind)
        else {
            return Ok(());
        };
        let missing = (0..members.len()).find(|member| !self.done.contains(member));
        // The first step of all is entered before anyone has been called.
        let is_opening = index == 0 && self.done.is_empty();
        hold(is_opening || missing.is_none(), "nobody_is_left_behind", || {
            format!(
                "step {index} is entered and member {missing:?} of {} is not through",
                self.step
            )
        })
    }

    /// R140: what came up after the report was written brings its writer back at the end.
    fn is_report_at_the_end(&self, index: usize) -> bool {
        let kind = |at: usize| self.steps.get(at).map(|step| &step.kind);
        let reports = |kind: &StepKind| match kind {
            StepKind::Dispatch(part) => part.outputs.iter().any(|output| output == "report.md"),
            _ => false,
        };
        matches!(kind(self.step), Some(StepKind::Close)) && kind(index).is_some_and(reports)
    }

    /// R071: who is through is never called again.
    fn a_step_plays_its_own_parts(&self, index: usize, member: Option<usize>) -> Held {
        let may = index == self.step || self.is_report_at_the_end(index);
        hold(may, "a_step_plays_its_own_parts", || {
            format!("a part of step {index} is played in step {}", self.step)
        })?;
        let again = member.filter(|member| self.done.contains(member));
        hold(again.is_none(), "who_is_through_is_not_called_again", || {
            format!("member {again:?} of step {index}")
        })
    }

    fn a_ready_member_is_left_alone(&self, number: DispatchNumber) -> Held {
        hold(!self.ready.contains(&number), "who_is_through_is_not_called_again", || {
            format!("dispatch {number} is ready and starts again")
        })
    }

    /// R070.
    fn a_barrier_waits_for_all(&self, attempts: &attempts::Books) -> Held {
        let mut members = attempts.dispatches.iter().filter(|(_, record)| {
            matches!(record.purpose, Purpose::Step { member: Some(_), .. })
                && record.verdict.is_none()
        });
        let late = members.find(|(number, _)| !self.ready.contains(number));
        hold(late.is_none(), "a_barrier_waits_for_all", || format!("{late:?}"))
    }

    /// What came of the merge is what was told; where nothing was merged, files of the session clash.
    fn merged(&mut self, merged: &[Merged], truth: &Truth) -> Held {
        let by_merge = !std::mem::take(&mut self.merging).is_empty();
        let is_true = if by_merge {
            truth.merges.iter().any(|told| told == merged)
        } else {
            merged.iter().all(|one| !one.conflicts.is_empty())
        };
        hold(is_true, "a_merge_is_recorded_as_it_went", || format!("{merged:?}"))?;
        for one in merged.iter().filter(|one| !one.conflicts.is_empty()) {
            self.ready.remove(&one.number);
            self.clashed.insert(one.number);
            self.unnamed.insert(one.number, one.conflicts.clone());
        }
        Ok(())
    }

    fn closed(
        &mut self,
        number: DispatchNumber,
        verdict: Verdict,
        attempts: &attempts::Books,
    ) -> Held {
        self.ready.remove(&number);
        let is_taken = matches!(verdict, Verdict::Accepted | Verdict::Objected);
        hold(!(is_taken && self.clashed.contains(&number)), "a_clash_is_done_again", || {
            format!("dispatch {number} clashed and is taken all the same")
        })?;
        let record = &attempts.dispatches[&number];
        if let Purpose::Step { index, member: Some(member) } = record.purpose
            && index == self.step
            && (is_taken || verdict == Verdict::Skipped)
        {
            self.done.insert(member);
        }
        Ok(())
    }

    /// A conflict is a finding with a name, in the same breath.
    pub fn a_conflict_is_named(&mut self) -> Held {
        let unnamed = std::mem::take(&mut self.unnamed);
        let silent = unnamed.iter().find(|(_, files)| !files.is_empty());
        hold(silent.is_none(), "a_conflict_is_named", || format!("{silent:?}"))
    }
}
