//! Books on findings and the gates behind them: what is open stops its gate, and who found it looks again.

use super::attempts;
use crate::violation::{Held, hold};
use std::collections::BTreeMap;
use tollgate_core::action::StepKind;
use tollgate_core::event::{Event, Finding, FindingOrigin, FindingStatus, Verdict};
use tollgate_core::id::{DispatchNumber, FindingId, TaskRef};
use tollgate_core::input::Opening;
use tollgate_core::reply::ReportedFinding;
use tollgate_core::role::Role;
use tollgate_core::task::TaskStatus;
use tollgate_core::work::{CheckResult, DispatchEnd};

#[derive(Debug)]
pub(crate) struct Books {
    is_route: bool,
    findings: BTreeMap<FindingId, Finding>,
    /// What the checks showed that ended last.
    results: Vec<CheckResult>,
}

impl Books {
    pub fn new(opening: &Opening) -> Self {
        let is_loop = opening.action.steps.iter().any(|s| matches!(s.kind, StepKind::Tasks));
        Self { is_route: !is_loop, findings: BTreeMap::new(), results: Vec::new() }
    }

    pub fn see(&mut self, event: &Event, attempts: &attempts::Books) -> Held {
        match event {
            Event::FindingRecorded { finding } => self.recorded(finding)?,
            Event::FindingSettled { id, status, reason } => {
                self.settled(*id, *status, reason.as_deref())?;
            }
            Event::ChecksEnded { results, .. } => self.results.clone_from(results),
            Event::GatePassed { task, role } => {
                let open = self.open().find(|f| f.source() == *role && f.task == *task);
                hold(open.is_none(), "no_gate_is_passed_over_a_finding", || {
                    format!("{role} of {task}: {open:?}")
                })?;
            }
            Event::TaskMoved { task, status: TaskStatus::Completed } => {
                let task = TaskRef::Task(task.clone());
                self.who_objected_has_looked_again(|finding| finding.task == task)?;
            }
            Event::SessionClosed => self.who_objected_has_looked_again(|_| true)?,
            Event::DispatchClosed { number, verdict, .. } => {
                self.closed(*number, *verdict, attempts)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn open(&self) -> impl Iterator<Item = &Finding> {
        self.findings.values().filter(|finding| finding.status == FindingStatus::Open)
    }

    fn who_objected_has_looked_again(&self, is_about: impl Fn(&Finding) -> bool) -> Held {
        let open = self.open().find(|finding| finding.source().is_reviewing() && is_about(finding));
        hold(open.is_none(), "who_objected_has_looked_again", || format!("{open:?}"))
    }

    fn recorded(&mut self, finding: &Finding) -> Held {
        let is_old = match &finding.origin {
            FindingOrigin::PreExisting { command } => {
                self.results.iter().any(|r| r.command == *command && r.failed_on_base)
            }
            _ => true,
        };
        hold(is_old, "only_an_old_failure_is_called_old", || format!("{finding:?}"))?;
        self.findings.insert(finding.id, finding.clone());
        Ok(())
    }

    /// What a check found is fixed when the same check passes.
    fn settled(&mut self, id: FindingId, status: FindingStatus, reason: Option<&str>) -> Held {
        let Some(finding) = self.findings.get_mut(&id) else {
            return Ok(());
        };
        finding.status = status;
        let (FindingOrigin::Check { command }, FindingStatus::Fixed, None) =
            (&finding.origin, status, reason)
        else {
            return Ok(());
        };
        let has_run = command == CheckResult::SETUP
            || self.results.iter().any(|result| result.command == *command);
        hold(has_run, "a_check_that_did_not_run_shows_nothing", || format!("{finding:?}"))
    }

    fn closed(&self, number: DispatchNumber, verdict: Verdict, attempts: &attempts::Books) -> Held {
        let record = &attempts.dispatches[&number];
        let Some(DispatchEnd::Replied { reply, .. }) = &record.last_end else {
            return Ok(());
        };
        let is_repaired = matches!(record.role, Role::Coder | Role::Integrator | Role::Docs);
        if self.is_route
            || is_repaired
            || record.role.is_reviewing()
            || verdict != Verdict::Accepted
        {
            return Ok(());
        }
        // R122: before the implement loop nobody could repair it.
        let is_decided = |report: &ReportedFinding| {
            self.findings.values().any(|known| {
                known.source() == record.role
                    && known.report.is_same_as(report)
                    && known.status == FindingStatus::Accepted
            })
        };
        let mut grave = reply.findings.iter().filter(|report| report.severity.is_grave());
        let taken = grave.find(|report| !is_decided(report));
        hold(taken.is_none(), "a_person_decides_before_grave_work_is_taken", || {
            format!("dispatch {number}: {taken:?}")
        })
    }
}
