//! How a dispatch goes from one state of its life to the next.

use super::dispatch::{Delivered, Dispatch, Failure, Life, Rejected, Waiting};
use crate::event::{EndRuling, RetryWhy, Verdict};
use crate::id::Attempt;
use crate::time::Timestamp;
use crate::work::DispatchEnd;

impl Dispatch {
    pub(super) fn schedule(&mut self, due: Timestamp, why: RetryWhy) {
        self.life = Life::Waiting(match why {
            RetryWhy::Room => Waiting::ForHeadroom,
            RetryWhy::Parked => Waiting::Parked(due),
            RetryWhy::Transient
            | RetryWhy::Invalid
            | RetryWhy::Fallback
            | RetryWhy::Interrupted
            | RetryWhy::Budget
            | RetryWhy::Consented => Waiting::Until(due),
        });
        if why == RetryWhy::Consented {
            self.tries.starts_max = self.tries.starts + 1;
            self.tries.short_parks = 0;
        }
    }

    pub(super) fn end_attempt(&mut self, attempt: Attempt, end: &DispatchEnd, ruling: EndRuling) {
        self.tries.short_parks = self.short_parks_after(end, ruling.short_park);
        if ruling.met_limit {
            self.tries.spare_start();
        }
        for report in end.findings() {
            if !self.has_reported(report) {
                self.past.reported.push(report.clone());
            }
        }
        self.life = Life::Waiting(Waiting::ForPerson);
        match end {
            DispatchEnd::Replied { reply, work } => {
                self.past.stopped_for_scope = !reply.scope_requests.is_empty();
                let (work, reply) = ((**work).clone(), (**reply).clone());
                self.life = Life::Delivered(Box::new(Delivered { work, attempt, reply }));
                return;
            }
            DispatchEnd::Invalid { errors, .. } => {
                self.past.rejected = Some(Rejected {
                    attempt,
                    player: self.who.player.clone(),
                    based_on: self.terms.based_on.clone(),
                });
                self.tries.invalid += 1;
                self.given.previous_errors.clone_from(errors);
            }
            DispatchEnd::Unsupervised { .. } => self.tries.supervisors_lost += 1,
            // None of these is the agent's fault: no start is spent.
            DispatchEnd::Interrupted { .. } => {
                self.tries.spare_start();
                self.tries.interruptions += 1;
            }
            DispatchEnd::Parked { .. } => self.tries.spare_start(),
            DispatchEnd::Stopped => {
                self.tries.spare_start();
                self.life = Life::Waiting(Waiting::ForResume);
            }
            DispatchEnd::MissingRole { .. }
            | DispatchEnd::MissingOutput { .. }
            | DispatchEnd::MissingContext { .. }
            | DispatchEnd::Crashed { .. }
            | DispatchEnd::CouldNotStart { .. }
            | DispatchEnd::TimedOut { .. }
            | DispatchEnd::OutputLimit { .. }
            | DispatchEnd::Silent { .. }
            | DispatchEnd::PermissionRefused { .. }
            | DispatchEnd::Unavailable { .. }
            | DispatchEnd::UsedUp { .. }
            | DispatchEnd::Limited { .. } => {}
        }
        self.past.failure = Some(Failure { end: end.clone(), is_clash: false });
    }

    /// Only what has delivered something can stand by for those beside it.
    pub(super) fn stand_by(&mut self, verdict: Verdict) {
        self.life = match std::mem::replace(&mut self.life, Life::Idle) {
            Life::Delivered(delivered) | Life::Ready { delivered, .. } => {
                Life::Ready { delivered, verdict }
            }
            other => other,
        };
    }

    /// What it had delivered comes back: it is taken over or not.
    pub(super) fn close(&mut self, verdict: Verdict) -> Option<Delivered> {
        match std::mem::replace(&mut self.life, Life::Closed(verdict)) {
            Life::Delivered(delivered) | Life::Ready { delivered, .. } => Some(*delivered),
            Life::Idle | Life::Running(_) | Life::Waiting(_) | Life::Closed(_) => None,
        }
    }
}
