//! One role given one input once: its attempts and what it waits for.

use super::Spend;
use crate::action::Place;
use crate::allowance::Allowance;
use crate::event::{Purpose, Verdict};
use crate::id::{Attempt, CommitId, TaskRef};
use crate::limits::PARK_BACKOFF_MS_MAX;
use crate::reply::{Reply, ReplyError, ReportedFinding};
use crate::role::Role;
use crate::time::Timestamp;
use crate::work::{DispatchEnd, Work};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dispatch {
    pub role: Role,
    pub task: TaskRef,
    pub purpose: Purpose,
    /// What the agent is told beyond its task: findings, corrections, guidance.
    pub feedback: Vec<String>,
    /// Files that a person names in it; they count for this dispatch.
    pub authorized: Vec<String>,
    /// Paths that were put back into its tree from what had been left out before.
    pub(crate) restored: Vec<String>,
    /// Where it works beside others; none in the session's own tree.
    pub lane: Option<usize>,
    /// The commit that the current attempt starts from.
    pub based_on: Option<CommitId>,
    /// How many attempts there were, the running one included.
    pub attempts: Attempt,
    pub(crate) current: Option<AttemptRecord>,
    pub(crate) waiting: Option<Waiting>,
    /// Starts that count against the budget.
    pub(crate) starts: u32,
    pub(crate) invalid: u32,
    /// How often it was lost through no fault of the agent.
    pub(crate) interruptions: u32,
    /// How often its supervisor ended while the engine watched.
    pub(crate) supervisors_lost: u32,
    /// How often in a row its agent was out of its usage limit for next to no time.
    pub(crate) short_parks: u32,
    /// Starts allowed in all; a consent raises it by one.
    pub(crate) starts_max: u32,
    /// Faults of the last reply, for the next attempt.
    pub previous_errors: Vec<ReplyError>,
    /// As the role or a person has it.
    pub(crate) timeout_ms: u64,
    /// What is left of the limits for the current attempt.
    pub(crate) allowance: Allowance,
    /// Whether the current attempt got less than is left because of others, and came to the end of it.
    pub(crate) cut: Cut,
    /// The last attempt, when its reply was invalid.
    pub(crate) rejected: Option<Rejected>,
    /// The agent a person chose, for all that follows.
    pub(crate) chosen: Option<String>,
    /// Who plays the last attempt, where it is not the agent of the role.
    pub(crate) agent: Option<String>,
    /// Its name in the settings, also where it is the agent of the role.
    pub(crate) player: Option<String>,
    /// Who would have played the last attempt and is out of its usage limit.
    pub(crate) stands_in_for: Option<String>,
    /// It waits because nobody who may play it is within its usage limit.
    pub(crate) is_parked: bool,
    pub spend: Spend,
    /// The last end that was not a valid reply, for reports.
    pub last_failure: Option<DispatchEnd>,
    /// What its attempts reported, each once.
    pub(crate) reported: Vec<ReportedFinding>,
    /// A valid reply and its work, from its end until the verdict.
    pub(crate) delivered: Option<Delivered>,
    /// What becomes of it once the other members of its step are ready too.
    pub(crate) ready: Option<Verdict>,
    pub verdict: Option<Verdict>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Delivered {
    pub work: Work,
    pub attempt: Attempt,
    pub reply: Reply,
}

/// An attempt whose reply was not valid, and in what it was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rejected {
    pub attempt: Attempt,
    /// Who played it; the settings may name another one for the next.
    pub player: Option<String>,
    pub based_on: Option<CommitId>,
}

/// What others at work took from an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Cut {
    /// It got less money or fewer tokens than were left.
    pub money: bool,
    /// It got less time than was left.
    pub time: bool,
    /// It ended for want of what others took.
    pub was_met: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttemptRecord {
    pub attempt: Attempt,
    pub started_at: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiting {
    /// Starts again at this time.
    Until(Timestamp),
    /// Starts again when the session is taken up.
    ForResume,
    /// Starts again when a person says so.
    ForPerson,
    /// Starts again when one of those at work has ended and what is left of the limits is known.
    ForRoom,
}

impl Dispatch {
    /// The part of the action it plays, when it plays one for the first time or again.
    pub fn place(&self) -> Option<Place> {
        match &self.purpose {
            Purpose::Step { index, member } => Some(Place { step: *index, member: *member }),
            Purpose::Correction { place, .. } => *place,
            _ => None,
        }
    }

    /// One of several that work at the same time.
    pub fn is_member(&self) -> bool {
        self.room().is_some()
    }

    /// Which of the trees beside the session's own it works in.
    pub fn room(&self) -> Option<usize> {
        match self.purpose {
            Purpose::Step { member, .. } => member,
            _ => self.lane,
        }
    }

    /// Whether one of its attempts reported it.
    pub(crate) fn has_reported(&self, report: &ReportedFinding) -> bool {
        self.reported.iter().any(|known| known.is_same_as(report))
    }

    /// Whether its last reply asked for a file instead of bringing work.
    pub fn stopped_for_scope(&self) -> bool {
        let delivered = self.delivered.as_ref();
        delivered.is_some_and(|delivered| !delivered.reply.scope_requests.is_empty())
    }

    /// The attempt right before the current one, when its agent is asked again: same agent, same tree, and nothing wrong but
    /// the reply or what it left behind.
    pub fn asked_again(&self) -> Option<Attempt> {
        let rejected = self.rejected.as_ref()?;
        let is_next = rejected.attempt.next() == self.attempts;
        let is_same = rejected.player == self.player && rejected.based_on == self.based_on;
        (is_next && is_same).then_some(rejected.attempt)
    }

    /// The attempt that should be running.
    pub fn running(&self) -> Option<Attempt> {
        self.current.map(|record| record.attempt)
    }

    pub fn started_at(&self) -> Option<Timestamp> {
        self.current.map(|record| record.started_at)
    }

    /// No longer than the limits leave to it.
    pub fn timeout_ms(&self) -> u64 {
        self.allowance.wall_ms.map_or(self.timeout_ms, |left| left.min(self.timeout_ms))
    }

    /// What is left of the limits for the current attempt.
    pub fn allowance(&self) -> Allowance {
        self.allowance
    }

    pub fn agent(&self) -> Option<&str> {
        self.agent.as_deref()
    }

    /// Who plays the last attempt, by the name in the settings.
    pub fn player(&self) -> Option<&str> {
        self.player.as_deref()
    }

    /// Who would have played the last attempt and is out of its usage limit.
    pub fn stands_in_for(&self) -> Option<&str> {
        self.stands_in_for.as_deref()
    }

    /// Until when nobody who may play it is within its usage limit.
    pub fn parked_until(&self) -> Option<Timestamp> {
        self.due().filter(|_| self.is_parked)
    }

    /// The least that it waits for a usage limit. A time that is always now must not become a hot loop.
    pub(crate) fn park_wait_ms(&self, base_ms: u64) -> u64 {
        let base_ms = base_ms.max(1);
        let doublings = self.short_parks.saturating_sub(1).min(20);
        base_ms.saturating_mul(1 << doublings).min(PARK_BACKOFF_MS_MAX).max(base_ms)
    }

    pub fn waiting(&self) -> Option<Waiting> {
        self.waiting
    }

    pub(crate) fn due(&self) -> Option<Timestamp> {
        match self.waiting {
            Some(Waiting::Until(due)) => Some(due),
            _ => None,
        }
    }
}
