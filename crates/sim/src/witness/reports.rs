//! Books on what roles report that do not review: it is on record, and nothing grave of it is left at the end.

use super::attempts;
use crate::violation::{Held, hold};
use std::collections::BTreeMap;
use tollgate_core::event::{Event, Finding, FindingStatus};
use tollgate_core::id::DispatchNumber;
use tollgate_core::reply::{ReportedFinding, Severity};
use tollgate_core::role::Role;
use tollgate_core::work::DispatchEnd;

#[derive(Debug, Default)]
pub(crate) struct Books {
    findings: BTreeMap<u32, Finding>,
    /// What was reported and is not on record yet.
    unrecorded: Vec<(Role, ReportedFinding)>,
}

impl Books {
    pub fn see(&mut self, event: &Event, attempts: &attempts::Books) -> Held {
        match event {
            Event::AttemptEnded { number, end, .. } => self.reported(*number, end, attempts),
            Event::FindingRecorded { finding } => {
                let is_it = |role: &Role, report: &ReportedFinding| {
                    finding.source == *role && finding.report.is_same_as(report)
                };
                self.unrecorded.retain(|(role, report)| !is_it(role, report));
                self.findings.insert(finding.id, finding.clone());
            }
            Event::FindingSettled { id, status, .. } => {
                if let Some(finding) = self.findings.get_mut(id) {
                    finding.status = *status;
                    let is_taken = finding.report.severity == Severity::Critical
                        && *status == FindingStatus::Accepted;
                    return hold(!is_taken, "nobody_accepts_what_is_critical", || {
                        format!("{finding:?}")
                    });
                }
            }
            Event::SessionClosed => return self.nothing_grave_is_left(),
            _ => {}
        }
        Ok(())
    }

    fn reported(&mut self, number: DispatchNumber, end: &DispatchEnd, attempts: &attempts::Books) {
        let role = attempts.dispatches[&number].role;
        let DispatchEnd::Replied { reply, .. } = end else {
            return;
        };
        if !role.is_reviewing() {
            let news = reply.findings.iter().filter(|report| !self.is_accepted(role, report));
            self.unrecorded = news.map(|report| (role, report.clone())).collect();
        }
    }

    fn is_accepted(&self, role: Role, report: &ReportedFinding) -> bool {
        self.findings.values().any(|known| {
            known.status == FindingStatus::Accepted
                && known.source == role
                && known.report.is_same_as(report)
        })
    }

    /// R122: whoever reports it, it is on record with the reply.
    pub fn nothing_reported_is_lost(&mut self) -> Held {
        let lost = std::mem::take(&mut self.unrecorded);
        hold(lost.is_empty(), "nothing_reported_is_lost", || format!("{lost:?}"))
    }

    fn nothing_grave_is_left(&self) -> Held {
        let left = self.findings.values().find(|finding| {
            finding.status == FindingStatus::Open
                && finding.report.severity >= Severity::High
                && finding.source != Role::Orchestrator
        });
        hold(left.is_none(), "nothing_grave_is_left", || format!("{left:?}"))
    }
}
