//! Checks that findings are on record, that only a role that knows of one fixes it, and that no grave one is left at the end.

use super::{Truth, attempts};
use crate::violation::{Held, hold};
use std::collections::BTreeMap;
use tollgate_core::event::{Event, Finding, FindingStatus, Purpose};
use tollgate_core::id::FindingId;
use tollgate_core::id::{Attempt, DispatchNumber};
use tollgate_core::reply::{ReplyStatus, ReportedFinding, Severity};
use tollgate_core::role::Role;
use tollgate_core::work::DispatchEnd;

#[derive(Debug, Default)]
pub(crate) struct Books {
    findings: BTreeMap<FindingId, Finding>,
    /// What was reported and is not on record yet.
    unrecorded: Vec<(Role, ReportedFinding)>,
    /// What each dispatch was told, and what it reported.
    told: BTreeMap<DispatchNumber, Vec<String>>,
    reported: BTreeMap<DispatchNumber, Vec<ReportedFinding>>,
    /// Whose reply or work was looked at last.
    last: Option<DispatchNumber>,
}

impl Books {
    pub fn see(&mut self, event: &Event, attempts: &attempts::Books, truth: &Truth) -> Held {
        match event {
            Event::DispatchOpened { number, feedback, .. } => {
                self.told.entry(*number).or_default().extend(feedback.iter().cloned());
            }
            Event::GuidanceGiven { number, text, .. } => {
                self.told.entry(*number).or_default().push(text.clone());
            }
            Event::AttemptEnded { number, attempt, end, .. } => {
                self.last = Some(*number);
                self.reported(*number, *attempt, end, attempts, truth);
            }
            Event::DispatchClosed { number, .. } => self.last = Some(*number),
            Event::FindingRecorded { finding } => {
                let is_it = |role: &Role, report: &ReportedFinding| {
                    finding.source() == *role && finding.report.is_same_as(report)
                };
                self.unrecorded.retain(|(role, report)| !is_it(role, report));
                self.findings.insert(finding.id, finding.clone());
            }
            Event::FindingSettled { id, status, .. } => {
                self.settled(*id, *status)?;
                return self.who_fixed_it_knew_of_it(*id, *status, attempts);
            }
            Event::SessionClosed => return self.nothing_grave_is_left(),
            _ => {}
        }
        Ok(())
    }

    /// As the world told it: what is wrong with a reply takes nothing away from what it reports.
    fn reported(
        &mut self,
        number: DispatchNumber,
        attempt: Attempt,
        end: &DispatchEnd,
        attempts: &attempts::Books,
        truth: &Truth,
    ) {
        let role = attempts.dispatches[&number].role;
        let found = truth.ends.get(&(number, attempt)).unwrap_or(end).findings();
        self.reported.entry(number).or_default().extend(found.iter().cloned());
        // A verdict may have to wait for others; the books on severity and on tasks know those.
        let has_verdict = matches!(
            end,
            DispatchEnd::Replied { reply, .. } if reply.status != ReplyStatus::Fail
        );
        if !role.is_reviewing() || !has_verdict {
            let news = found.iter().filter(|report| !self.is_decided(role, report));
            let news: Vec<_> = news.map(|report| (role, report.clone())).collect();
            self.unrecorded.extend(news);
        }
    }

    /// A person took it or put it off, or it stops nothing.
    fn is_decided(&self, role: Role, report: &ReportedFinding) -> bool {
        self.findings.values().any(|known| {
            matches!(known.status, FindingStatus::Accepted | FindingStatus::Tracked)
                && known.source() == role
                && known.report.is_same_as(report)
        })
    }

    /// R122: whoever reports it, it is on record with the reply.
    pub fn nothing_reported_is_lost(&mut self) -> Held {
        let lost = std::mem::take(&mut self.unrecorded);
        hold(lost.is_empty(), "nothing_reported_is_lost", || format!("{lost:?}"))
    }

    fn settled(&mut self, id: FindingId, status: FindingStatus) -> Held {
        let Some(finding) = self.findings.get_mut(&id) else {
            return Ok(());
        };
        finding.status = status;
        // R127: a red check may be accepted with a reason.
        let is_of_check = finding.origin.command().is_some();
        let is_critical = finding.report.severity == Severity::Critical && !is_of_check;
        let is_taken = is_critical && status == FindingStatus::Accepted;
        hold(!is_taken, "nobody_accepts_what_is_critical", || format!("{finding:?}"))
    }

    /// A dispatch that does not know of a finding cannot have fixed it, whatever its role.
    fn who_fixed_it_knew_of_it(
        &self,
        id: FindingId,
        status: FindingStatus,
        attempts: &attempts::Books,
    ) -> Held {
        let (Some(finding), Some(number)) = (self.findings.get(&id), self.last) else {
            return Ok(());
        };
        if status != FindingStatus::Fixed || finding.source() == Role::Orchestrator {
            return Ok(());
        }
        let told = self.told.get(&number).into_iter().flatten();
        let mut reported = self.reported.get(&number).into_iter().flatten();
        // A reviewing role looks at all that it found, except where it plays a part for the first time.
        let purpose = &attempts.dispatches[&number].purpose;
        let looks_again = !matches!(purpose, Purpose::Step { .. } | Purpose::Correction { .. });
        let knew = (finding.source().is_reviewing() && looks_again)
            || told.into_iter().any(|text| text.contains(&finding.report.message))
            || reported.any(|report| report.is_same_as(&finding.report));
        hold(knew, "who_fixed_it_knew_of_it", || format!("dispatch {number} did not: {finding:?}"))
    }

    /// Fixed, or decided about by a person.
    fn nothing_grave_is_left(&self) -> Held {
        let left = self.findings.values().find(|finding| {
            matches!(finding.status, FindingStatus::Open | FindingStatus::Tracked)
                && finding.report.severity.is_grave()
                && finding.source() != Role::Orchestrator
        });
        hold(left.is_none(), "nothing_grave_is_left", || format!("{left:?}"))
    }
}
