//! Books on findings where a severity gate decides: what is grave, and who let it pass.

use super::attempts;
use crate::violation::{Held, hold};
use std::collections::BTreeMap;
use tollgate_core::action::StepKind;
use tollgate_core::answer::JustifyWay;
use tollgate_core::decision::{Decision, DecisionKind, DecisionStatus, Resolution};
use tollgate_core::event::{Event, Finding, FindingStatus, Purpose};
use tollgate_core::id::FindingId;
use tollgate_core::id::{DecisionId, DispatchNumber};
use tollgate_core::input::Opening;
use tollgate_core::reply::{ReplyStatus, ReportedFinding, Severity};
use tollgate_core::role::Role;
use tollgate_core::work::DispatchEnd;

#[derive(Debug)]
pub(crate) struct Books {
    /// Only an action without an implement loop leaves its findings to severity gates.
    applies: bool,
    findings: BTreeMap<FindingId, Finding>,
    kinds: BTreeMap<DecisionId, DecisionKind>,
    /// The words of the justification that was given last, until a gate is passed with it.
    words: Option<String>,
    /// What was reported and is not on record yet.
    unrecorded: Vec<(Role, ReportedFinding)>,
}

impl Books {
    pub fn new(opening: &Opening) -> Self {
        let is_loop = opening.action.steps.iter().any(|s| matches!(s.kind, StepKind::Tasks));
        Self {
            applies: !is_loop,
            findings: BTreeMap::new(),
            kinds: BTreeMap::new(),
            words: None,
            unrecorded: Vec::new(),
        }
    }

    pub fn see(&mut self, event: &Event, attempts: &attempts::Books) -> Held {
        if !self.applies {
            return Ok(());
        }
        match event {
            Event::AttemptEnded { number, end, .. } => self.reported(*number, end, attempts),
            Event::FindingRecorded { finding } => self.recorded(finding),
            Event::FindingSettled { id, status, .. } => self.settled(*id, *status),
            Event::DecisionAsked { decision } => self.asked(decision),
            Event::DecisionResolved { id, resolution } => {
                self.resolved(id, resolution);
                Ok(())
            }
            Event::SeverityPassed { step, justification, .. } => {
                self.nothing_grave_is_passed(&format!("severity gate {step}"))?;
                self.a_justification_is_a_persons(justification.as_deref())
            }
            Event::SessionClosed => self.nothing_grave_is_passed("the end"),
            _ => Ok(()),
        }
    }

    /// R074 to R076.
    fn nothing_grave_is_passed(&self, place: &str) -> Held {
        let grave = self.worst_open().filter(|severity| severity.is_grave());
        hold(grave.is_none(), "nothing_grave_is_passed", || {
            format!("a {grave:?} finding is open at {place}")
        })
    }

    fn worst_open(&self) -> Option<Severity> {
        let open = self.findings.values().filter(|f| f.status == FindingStatus::Open);
        open.map(|finding| finding.report.severity).max()
    }

    fn a_justification_is_a_persons(&mut self, justification: Option<&str>) -> Held {
        let said = self.words.take();
        let fits = justification
            .is_none_or(|words| !words.trim().is_empty() && said.as_deref() == Some(words));
        hold(fits, "a_justification_is_a_persons", || {
            format!("{justification:?} while a person said {said:?}")
        })
    }

    fn reported(
        &mut self,
        number: DispatchNumber,
        end: &DispatchEnd,
        attempts: &attempts::Books,
    ) -> Held {
        let record = &attempts.dispatches[&number];
        let DispatchEnd::Replied { reply, .. } = end else {
            return Ok(());
        };
        let judges = record.role.is_reviewing()
            && matches!(
                record.purpose,
                Purpose::Step { .. } | Purpose::Look { .. } | Purpose::Correction { .. }
            );
        if judges && reply.status != ReplyStatus::Fail {
            let grave = reply.findings.iter().filter(|report| report.severity.is_grave());
            let news = grave.filter(|report| !self.is_accepted(record.role, report));
            self.unrecorded = news.map(|report| (record.role, report.clone())).collect();
        }
        Ok(())
    }

    /// A person has taken it upon themselves at that severity.
    fn is_accepted(&self, role: Role, report: &ReportedFinding) -> bool {
        self.findings.values().any(|known| {
            known.status == FindingStatus::Accepted
                && known.source() == role
                && known.report.is_same_as(report)
                && known.report.severity >= report.severity
        })
    }

    fn recorded(&mut self, finding: &Finding) -> Held {
        self.unrecorded.retain(|(role, report)| {
            !(finding.source() == *role
                && finding.report.is_same_as(report)
                && finding.report.severity >= report.severity)
        });
        let is_grave = finding.report.severity.is_grave();
        let is_open = finding.status == FindingStatus::Open;
        self.findings.insert(finding.id, finding.clone());
        hold(is_open || !is_grave, "what_is_grave_is_open", || format!("{finding:?}"))
    }

    /// A critical finding is only ever fixed; a high one is accepted by words of a person.
    fn settled(&mut self, id: FindingId, status: FindingStatus) -> Held {
        let Some(finding) = self.findings.get_mut(&id) else {
            return hold(false, "only_what_was_found_is_settled", || format!("{id}"));
        };
        finding.status = status;
        let is_fixed = status == FindingStatus::Fixed;
        let may = match finding.report.severity {
            // R127: a red check may be accepted with a reason, and one that left the plan is told no more.
            Severity::Critical => is_fixed || finding.origin.command().is_some(),
            Severity::High => {
                is_fixed || (status == FindingStatus::Accepted && self.words.is_some())
            }
            Severity::Low | Severity::Medium => true,
        };
        hold(may, "nothing_grave_is_passed", || format!("{finding:?}"))
    }

    /// Small findings stop nobody, and nobody is offered to approve a critical one.
    fn asked(&mut self, decision: &Decision) -> Held {
        self.kinds.insert(decision.decision_id.clone(), decision.kind);
        if decision.kind != DecisionKind::Justify {
            return Ok(());
        }
        let worst = self.worst_open();
        hold(worst >= Some(Severity::High), "small_findings_stop_nothing", || {
            format!("{} is asked and the worst is {worst:?}", decision.decision_id)
        })?;
        let may_approve = decision.offers(JustifyWay::Approve);
        hold(!may_approve || worst < Some(Severity::Critical), "nothing_grave_is_passed", || {
            format!("{} offers to approve a critical finding", decision.decision_id)
        })
    }

    /// The words of an approval at the gate, or of known issues after too many repairs.
    fn resolved(&mut self, id: &DecisionId, resolution: &Resolution) {
        let prefix = match self.kinds.get(id) {
            Some(DecisionKind::Justify) => "approve: ",
            Some(DecisionKind::Repair) => "accept-with-known-issues: ",
            _ => return,
        };
        let answer = resolution.answer.as_deref().unwrap_or_default();
        let words = answer.strip_prefix(prefix).filter(|words| !words.trim().is_empty());
        let is_answered = resolution.status == DecisionStatus::Answered;
        self.words = words.filter(|_| is_answered).map(str::to_owned);
    }

    /// What a reviewing role calls grave is on record with its reply.
    pub fn nothing_found_is_lost(&mut self) -> Held {
        let lost = std::mem::take(&mut self.unrecorded);
        hold(lost.is_empty(), "nothing_found_is_lost", || format!("{lost:?}"))
    }
}
