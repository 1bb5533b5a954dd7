//! What an event is about to rule: asked by `decide`, which writes the result into the event, and for journals of earlier
//! versions by `older.rs`. The fold does not ask.

use super::Session;
use super::dispatch::Dispatch;
use super::ledger::Limit;
use super::spend::Cost;
use crate::action::CheckSubject;
use crate::allowance::Allowance;
use crate::event::{
    CheckPurpose, EndRuling, Finding, FindingStatus, Purpose, StartRuling, Verdict,
};
use crate::id::DispatchNumber;
use crate::limits::{PARK_BACKOFF_MS_MAX, SHORT_PARK_MS};
use crate::reply::Usage;
use crate::role::Role;
use crate::time::Timestamp;
use crate::work::{ChangeType, CheckResult, DispatchEnd, FileChange, Work};
use crate::worker::Worker;
use std::collections::BTreeSet;

impl Session {
    /// Of an attempt that starts with this allowance.
    pub(crate) fn start_ruling(&self, allowance: &Allowance) -> StartRuling {
        let is_less = |limit: Limit| {
            let given = limit.of(allowance);
            given.is_some() && given < limit.left(&self.budget.ledger, &self.policy)
        };
        StartRuling {
            spends_consent: self.over_limit().is_some(),
            less_money: is_less(Limit::Usd) || is_less(Limit::Tokens),
            less_time: is_less(Limit::Wall),
        }
    }

    /// Of the running attempt of a dispatch, which ends like this.
    pub(crate) fn end_ruling(
        &self,
        at: Timestamp,
        number: DispatchNumber,
        end: &DispatchEnd,
        usage: &Usage,
    ) -> EndRuling {
        let met_limit = self.meets_limit(number, end, &self.cost(at, number, end, usage));
        let DispatchEnd::Parked { until, .. } = end else {
            return EndRuling { met_limit, ..EndRuling::default() };
        };
        let dispatch = &self.dispatches[&number];
        let short_park = until.ms_since(at) < SHORT_PARK_MS;
        let short_parks = dispatch.short_parks_after(end, short_park);
        let soonest = at.plus_ms(park_wait_ms(short_parks, self.policy.transient_base_ms));
        let known = match &dispatch.who.player {
            Some(Worker::Agent(name)) => Some(self.budget.out.get(name).copied()),
            // A person who fixes by hand has no usage limit.
            Some(Worker::Person) | None => None,
        };
        let out_until = known.map(|known| soonest.max(*until).max(known.unwrap_or(soonest)));
        EndRuling { met_limit, short_park, out_until }
    }

    /// It was not the agent that failed: it used up what the limits, or others at work, left to it.
    fn meets_limit(&self, number: DispatchNumber, end: &DispatchEnd, cost: &Cost) -> bool {
        let dispatch = &self.dispatches[&number];
        let (allowance, ruling) = (&dispatch.terms.allowance, dispatch.terms.ruling);
        let is_all = |given: Option<u64>, spent: Option<u64>| given.is_some() && spent >= given;
        let others_took = match end {
            // An agent may also run out of turns, which nobody took from it.
            DispatchEnd::UsedUp { .. } => {
                let is_spent = is_all(allowance.micro_usd, cost.usage.micro_usd)
                    || is_all(allowance.tokens, cost.tokens());
                ruling.less_money && is_spent
            }
            DispatchEnd::TimedOut { .. } if dispatch.timeout_ms() < dispatch.terms.timeout_ms => {
                ruling.less_time
            }
            _ => return false,
        };
        others_took || self.budget.ledger.over_with(cost, &self.policy).is_some()
    }

    /// Who must look again when a dispatch is closed: after a repair or a correction who objected, and where code
    /// changed all who judged it before. With an implement loop its own reviews see to that.
    pub(crate) fn who_looks_again(
        &self,
        number: DispatchNumber,
        verdict: Verdict,
    ) -> BTreeSet<Role> {
        let dispatch = &self.dispatches[&number];
        let changed = dispatch.accepted_change(verdict).is_some();
        match dispatch.purpose {
            Purpose::Correction { .. }
                if changed
                    && !self.decisions.correction.roles.is_empty()
                    && !dispatch.role.is_reviewing()
                    && !self.has_task_loop() =>
            {
                self.lookers(true)
            }
            // A repair may be in a session file alone: who objected looks at it all the same.
            Purpose::Repair { .. }
                if matches!(verdict, Verdict::Accepted | Verdict::Skipped)
                    && (self.route.is_at_severity_gate() || !self.has_task_loop()) =>
            {
                self.lookers(changed)
            }
            _ => BTreeSet::new(),
        }
    }

    /// Whether a comprehensive review must see what a closed dispatch changed. Tests that QA adds belong to its verdict.
    pub(crate) fn leaves_unreviewed(&self, number: DispatchNumber, verdict: Verdict) -> bool {
        let dispatch = &self.dispatches[&number];
        let is_added = |change: &FileChange| change.change_type == ChangeType::Added;
        dispatch.accepted_change(verdict).is_some_and(|work| {
            dispatch.role != Role::QA || !work.code.changes.iter().all(is_added)
        })
    }

    /// Whether what was checked holds with these results.
    pub(crate) fn are_good_enough(&self, purpose: &CheckPurpose, results: &[CheckResult]) -> bool {
        results.iter().all(|result| match purpose {
            CheckPurpose::Subject { subject: CheckSubject::Coverage, .. } => {
                self.covers_enough(result)
            }
            CheckPurpose::Subject { subject, .. } if subject.excuses_old_failures() => {
                self.is_good(result) || result.failed_on_base
            }
            CheckPurpose::Subject { .. }
            | CheckPurpose::Task { .. }
            | CheckPurpose::Acceptance { .. } => self.is_good(result),
        })
    }

    fn lookers(&self, changed: bool) -> BTreeSet<Role> {
        let open =
            self.record.findings.iter().filter(|finding| finding.status == FindingStatus::Open);
        let mut lookers: BTreeSet<Role> =
            open.map(Finding::source).filter(|role| role.is_reviewing()).collect();
        if changed {
            let judged = self.dispatches.values().filter(|dispatch| {
                dispatch.role.is_reviewing()
                    && dispatch.part_index().is_some()
                    && dispatch.verdict().is_some()
            });
            lookers.extend(judged.map(|dispatch| dispatch.role));
        }
        lookers
    }
}

impl Dispatch {
    /// The work that goes onto the branch when it is closed like this; none where no code changed.
    fn accepted_change(&self, verdict: Verdict) -> Option<&Work> {
        let is_taken = matches!(verdict, Verdict::Accepted | Verdict::Objected);
        let delivered = self.delivered().filter(|_| is_taken);
        delivered.map(|delivered| &delivered.work).filter(|work| work.code.commit.is_some())
    }

    /// How often in a row its usage limit lasted for next to no time, once the attempt has ended like this.
    pub(super) fn short_parks_after(&self, end: &DispatchEnd, short_park: bool) -> u32 {
        match end {
            DispatchEnd::Parked { .. } if short_park => self.tries.short_parks + 1,
            // Neither says anything about the usage limit.
            DispatchEnd::Stopped | DispatchEnd::Interrupted { .. } => self.tries.short_parks,
            _ => 0,
        }
    }
}

/// The least that a dispatch waits for a usage limit. A time that is always now must not become a hot loop.
pub(crate) fn park_wait_ms(short_parks: u32, base_ms: u64) -> u64 {
    let base_ms = base_ms.max(1);
    let doublings = short_parks.saturating_sub(1).min(20);
    base_ms.saturating_mul(1 << doublings).min(PARK_BACKOFF_MS_MAX).max(base_ms)
}
