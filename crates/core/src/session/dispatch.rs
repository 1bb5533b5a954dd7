//! One role given one input once: its attempts and what it waits for.

use super::Spend;
use crate::action::PartIndex;
use crate::allowance::Allowance;
use crate::event::{Purpose, StartRuling, Verdict};
use crate::feedback::Feedback;
use crate::id::{Attempt, CommitId, TaskRef};
use crate::reply::{Reply, ReplyError, ReportedFinding};
use crate::role::Role;
use crate::time::Timestamp;
use crate::work::{DispatchEnd, Work};
use crate::worker::Worker;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dispatch {
    pub role: Role,
    pub task: TaskRef,
    pub purpose: Purpose,
    /// Where it works beside others; none in the session's own tree.
    pub lane: Option<usize>,
    pub given: Given,
    /// How many attempts there were, the running one included.
    pub attempts: Attempt,
    pub(crate) tries: Tries,
    pub(crate) who: Who,
    pub(crate) terms: Terms,
    pub spend: Spend,
    pub(crate) past: Past,
    pub(crate) life: Life,
}

/// Where a dispatch stands. It is in one of these, and leaves the last one never.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Life {
    /// Nothing was started, or what it delivered was sent back.
    Idle,
    Running(AttemptRecord),
    Waiting(Waiting),
    /// A valid reply and its work, until the verdict.
    Delivered(Box<Delivered>),
    /// What happens to it once the other members of its step are ready too.
    Ready {
        delivered: Box<Delivered>,
        verdict: Verdict,
    },
    Closed(Verdict),
}

/// What its agent gets beyond its task.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Given {
    /// Findings, corrections, guidance.
    pub feedback: Feedback,
    /// Files that a person names in it; they count for this dispatch.
    pub authorized: Vec<String>,
    /// Paths that were put back into its tree from what had been left out before.
    pub(crate) restored: Vec<String>,
    /// Faults of the last reply, for the next attempt.
    pub previous_errors: Vec<ReplyError>,
}

/// What counts against the number of attempts that it may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Tries {
    /// Starts that count against the budget.
    pub starts: u32,
    /// Starts allowed in all; a consent raises it by one.
    pub starts_max: u32,
    pub invalid: u32,
    /// How often it was lost through no fault of the agent.
    pub interruptions: u32,
    /// How often its supervisor ended while the engine watched.
    pub supervisors_lost: u32,
    /// How often in a row its agent was out of its usage limit for next to no time.
    pub short_parks: u32,
}

impl Tries {
    /// The last start is not held against it.
    pub fn spare_start(&mut self) {
        self.starts = self.starts.saturating_sub(1);
    }
}

/// Who does the work.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Who {
    /// The agent a person chose, for all that follows.
    pub chosen: Option<Worker>,
    /// Who does the last attempt, where it is not the agent of the role.
    pub agent: Option<Worker>,
    /// Its name in the settings, also where it is the agent of the role.
    pub player: Option<Worker>,
    /// Who would have done the last attempt and is out of its usage limit.
    pub stands_in_for: Option<String>,
}

/// What the current attempt starts from and how much it may use.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Terms {
    /// The commit that it starts from.
    pub based_on: Option<CommitId>,
    /// As the role or a person has it.
    pub timeout_ms: u64,
    /// What is left of the limits for it.
    pub allowance: Allowance,
    /// Whether it got less than is left, because of others.
    pub ruling: StartRuling,
}

/// What its attempts so far have shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Past {
    /// The last attempt, when its reply was invalid.
    pub rejected: Option<Rejected>,
    /// The last end that was not a valid reply, for reports.
    pub failure: Option<Failure>,
    /// What its attempts reported, each once.
    pub reported: Vec<ReportedFinding>,
    /// The last reply asked for a file instead of bringing work.
    pub stopped_for_scope: bool,
    /// How each attempt ended, in words.
    pub ends: Vec<(Attempt, String)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub end: DispatchEnd,
    /// Its work was good by itself and did not go together with that of another one.
    pub is_clash: bool,
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
    pub player: Option<Worker>,
    pub based_on: Option<CommitId>,
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
    /// Starts again at this time: nobody who may do it is within its usage limit before.
    Parked(Timestamp),
    /// Starts again when the session is taken up.
    ForResume,
    /// Starts again when a person says so.
    ForPerson,
    /// Starts again when one of those at work has ended and what is left of the limits is known.
    ForHeadroom,
}

impl Dispatch {
    /// The part of the action it plays, when it plays one for the first time or again.
    pub fn part_index(&self) -> Option<PartIndex> {
        match &self.purpose {
            Purpose::Step { index, member } => Some(PartIndex { step: *index, member: *member }),
            Purpose::Correction { part, .. } => *part,
            _ => None,
        }
    }

    /// One of several that work at the same time.
    pub fn is_member(&self) -> bool {
        self.own_lane().is_some()
    }

    /// Which of the trees beside the session's own it works in.
    pub fn own_lane(&self) -> Option<usize> {
        match self.purpose {
            Purpose::Step { member, .. } => member,
            _ => self.lane,
        }
    }

    /// Whether one of its attempts reported it.
    pub(crate) fn has_reported(&self, report: &ReportedFinding) -> bool {
        self.past.reported.iter().any(|known| known.is_same_as(report))
    }

    /// A valid reply and its work, from its end until the verdict.
    pub(crate) fn delivered(&self) -> Option<&Delivered> {
        match &self.life {
            Life::Delivered(delivered) | Life::Ready { delivered, .. } => Some(delivered),
            Life::Idle | Life::Running(_) | Life::Waiting(_) | Life::Closed(_) => None,
        }
    }

    /// What happens to it once the other members of its step are ready too.
    pub(crate) fn ready(&self) -> Option<Verdict> {
        match self.life {
            Life::Ready { verdict, .. } => Some(verdict),
            _ => None,
        }
    }

    /// It has done its part and waits for those beside it.
    pub fn is_ready(&self) -> bool {
        self.ready().is_some()
    }

    pub fn verdict(&self) -> Option<Verdict> {
        match self.life {
            Life::Closed(verdict) => Some(verdict),
            _ => None,
        }
    }

    /// How each attempt ended, in words.
    pub(crate) fn attempt_ends(&self) -> &[(Attempt, String)] {
        &self.past.ends
    }

    /// The last end that was not a valid reply.
    pub fn last_failure(&self) -> Option<&DispatchEnd> {
        self.past.failure.as_ref().map(|failure| &failure.end)
    }

    /// Whether its last reply asked for a file instead of bringing work.
    pub fn stopped_for_scope(&self) -> bool {
        self.past.stopped_for_scope
    }

    /// The commit that the current attempt starts from.
    pub fn based_on(&self) -> Option<&CommitId> {
        self.terms.based_on.as_ref()
    }

    /// The attempt right before the current one, when its agent is asked again: same agent, same tree, and nothing wrong but
    /// the reply or what it left behind.
    pub fn asked_again(&self) -> Option<Attempt> {
        let rejected = self.past.rejected.as_ref()?;
        let is_next = rejected.attempt.next() == self.attempts;
        let is_same =
            rejected.player == self.who.player && rejected.based_on == self.terms.based_on;
        (is_next && is_same).then_some(rejected.attempt)
    }

    /// The attempt that should be running.
    pub fn running(&self) -> Option<Attempt> {
        self.current().map(|record| record.attempt)
    }

    pub(crate) fn current(&self) -> Option<AttemptRecord> {
        match self.life {
            Life::Running(record) => Some(record),
            _ => None,
        }
    }

    pub fn started_at(&self) -> Option<Timestamp> {
        self.current().map(|record| record.started_at)
    }

    /// No longer than the limits leave to it.
    pub fn timeout_ms(&self) -> u64 {
        let Terms { allowance, timeout_ms, .. } = &self.terms;
        allowance.wall_ms.map_or(*timeout_ms, |left| left.min(*timeout_ms))
    }

    /// What is left of the limits for the current attempt.
    pub fn allowance(&self) -> Allowance {
        self.terms.allowance
    }

    /// Who does the last attempt, where it is not the agent of the role.
    pub fn agent(&self) -> Option<&Worker> {
        self.who.agent.as_ref()
    }

    /// The agent a person chose for all that follows. Fixing by hand is for one attempt.
    pub(crate) fn chosen_agent(&self) -> Option<Worker> {
        self.who.chosen.clone().filter(|worker| *worker != Worker::Person)
    }

    /// Who plays the last attempt, by the name in the settings.
    pub fn player(&self) -> Option<&str> {
        self.who.player.as_ref().map(Worker::as_str)
    }

    /// Who would have played the last attempt and is out of its usage limit.
    pub fn stands_in_for(&self) -> Option<&str> {
        self.who.stands_in_for.as_deref()
    }

    /// Until when nobody who may play it is within its usage limit.
    pub fn parked_until(&self) -> Option<Timestamp> {
        match self.life {
            Life::Waiting(Waiting::Parked(until)) => Some(until),
            _ => None,
        }
    }

    pub fn waiting(&self) -> Option<Waiting> {
        match self.life {
            Life::Waiting(waiting) => Some(waiting),
            _ => None,
        }
    }

    pub(crate) fn due(&self) -> Option<Timestamp> {
        match self.life {
            Life::Waiting(Waiting::Until(due) | Waiting::Parked(due)) => Some(due),
            _ => None,
        }
    }
}
