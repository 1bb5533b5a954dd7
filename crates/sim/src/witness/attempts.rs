//! Books on dispatches and their attempts: how often, how soon, and whether the record is the truth.

use super::Truth;
use crate::violation::{Held, hold};
use std::collections::{BTreeMap, BTreeSet};
use tollgate_core::decision::{Resolution, Subject};
use tollgate_core::event::{Event, Purpose, RetryWhy, Verdict};
use tollgate_core::id::{Attempt, DecisionId, DispatchNumber, TaskRef};
use tollgate_core::limits::{SHORT_PARK_MS, SHORT_PARKS_MAX};
use tollgate_core::reply::ReplyStatus;
use tollgate_core::role::Role;
use tollgate_core::time::Timestamp;
use tollgate_core::work::DispatchEnd;
use tollgate_core::worker::Worker;
use tollgate_core::{FailureClass, class_of};

/// Starts of one dispatch in all (R055).
const STARTS_MAX: u32 = 3;

#[derive(Debug, Default)]
pub(crate) struct Books {
    pub dispatches: BTreeMap<DispatchNumber, Record>,
    escalations: BTreeMap<DecisionId, DispatchNumber>,
    /// Questions about checks, and the task of each.
    checks: BTreeMap<DecisionId, TaskRef>,
    /// The task whose repair a person said last that they would make.
    asked_to_repair: Option<TaskRef>,
    /// Tasks with such a repair that is not dispatched yet.
    repaired_by_hand: BTreeSet<TaskRef>,
}

#[derive(Debug)]
pub(crate) struct Record {
    pub role: Role,
    pub task: TaskRef,
    pub purpose: Purpose,
    attempts: Attempt,
    running: Option<Attempt>,
    starts: u32,
    starts_max: u32,
    invalid: u32,
    /// Short waits for a usage limit in a row.
    short_parks: u32,
    pub last_end: Option<DispatchEnd>,
    /// Why and from when the next attempt may start.
    retry: Option<(RetryWhy, Timestamp)>,
    pub verdict: Option<Verdict>,
    /// A person said that they would fix it by hand, and has not done so yet.
    asked_to_fix: bool,
    by_hand: bool,
    /// What was left of a limit was used up.
    met_a_limit: bool,
}

impl Books {
    pub fn see(&mut self, at: Timestamp, event: &Event, truth: &Truth, met_a_limit: bool) -> Held {
        match event {
            Event::DispatchOpened { number, role, task, purpose, .. } => {
                self.dispatches_are_counted(*number)?;
                let mut record = Record::new(*role, task, purpose);
                let is_repair = matches!(purpose, Purpose::Repair { .. });
                record.asked_to_fix = is_repair && self.repaired_by_hand.remove(task);
                if record.asked_to_fix {
                    record.starts_max = 1;
                }
                self.dispatches.insert(*number, record);
                Ok(())
            }
            Event::AttemptStarted { number, attempt, agent, .. } => {
                let by_hand = *agent == Some(Worker::Person);
                self.one_consent_is_one_attempt_by_hand(*number, by_hand)?;
                self.started(at, *number, *attempt)
            }
            Event::AttemptEnded { number, attempt, end, .. } => {
                the_record_is_the_truth(*number, *attempt, end, truth)?;
                self.ended(at, *number, *attempt, end, met_a_limit)
            }
            Event::MergeEnded { merged } => {
                merged.iter().try_for_each(|one| self.merged(one.number, &one.conflicts))
            }
            Event::RepairOpened { task, worker, .. } => self.repair_opened(task, worker.as_ref()),
            Event::DecisionAsked { decision } => {
                if let Subject::Check { task, .. } = &decision.subject {
                    self.checks.insert(decision.decision_id.clone(), task.clone());
                }
                if let Subject::Dispatch { dispatch } = decision.subject {
                    self.escalations.insert(decision.decision_id.clone(), dispatch);
                    self.nobody_is_asked_too_early(dispatch)?;
                }
                Ok(())
            }
            Event::DecisionResolved { id, resolution } => self.answered(id, resolution),
            Event::RetryScheduled { number, due, why } => self.scheduled(at, *number, *due, *why),
            Event::DispatchClosed { number, verdict, .. } => {
                let record = self.record(*number)?;
                record.running = None;
                let once = record.verdict.replace(*verdict).is_none();
                hold(once, "a_dispatch_closes_once", || format!("dispatch {number}"))
            }
            _ => Ok(()),
        }
    }

    /// A change that does not fit the others was not delivered.
    fn merged(&mut self, number: DispatchNumber, conflicts: &[String]) -> Held {
        let record = self.record(number)?;
        if !conflicts.is_empty() {
            record.invalid += 1;
            record.last_end = Some(DispatchEnd::invalid(Vec::new()));
        }
        Ok(())
    }

    /// A repair is made by hand where the person said so about a check.
    fn repair_opened(&mut self, task: &TaskRef, by: Option<&Worker>) -> Held {
        let consented = self.asked_to_repair.take().as_ref() == Some(task);
        self.repaired_by_hand.remove(task);
        if by != Some(&Worker::Person) {
            return Ok(());
        }
        self.repaired_by_hand.insert(task.clone());
        hold(consented, "one_consent_is_one_attempt_by_hand", || format!("a repair of {task}"))
    }

    fn answered(&mut self, id: &DecisionId, resolution: &Resolution) -> Held {
        let by_hand = resolution.answer.as_deref() == Some("manual-fix");
        self.asked_to_repair = self.checks.get(id).filter(|_| by_hand).cloned();
        if let Some(number) = self.escalations.get(id).copied() {
            self.record(number)?.asked_to_fix = resolution.answer.as_deref() == Some("manual-fix");
        }
        Ok(())
    }

    /// What was lost through no fault of the person may be begun again; nothing else may.
    fn one_consent_is_one_attempt_by_hand(
        &mut self,
        number: DispatchNumber,
        by_hand: bool,
    ) -> Held {
        let record = self.record(number)?;
        let is_nobodys_fault = matches!(
            record.last_end.as_ref().and_then(class_of),
            Some(FailureClass::Interrupted | FailureClass::Parked)
        );
        let was_lost = record.by_hand && (is_nobodys_fault || record.met_a_limit);
        record.by_hand = by_hand;
        let consented = std::mem::take(&mut record.asked_to_fix);
        hold(!by_hand || consented || was_lost, "one_consent_is_one_attempt_by_hand", || {
            format!("dispatch {number} is fixed by hand and nobody said so")
        })
    }

    /// Nobody is at work in a session that is over.
    pub fn all_are_closed(&self) -> Held {
        let open = self.dispatches.iter().find(|(_, record)| record.verdict.is_none());
        hold(open.is_none(), "the_end_closes_every_dispatch", || format!("{open:?}"))
    }

    fn record(&mut self, number: DispatchNumber) -> Result<&mut Record, crate::Violation> {
        self.dispatches.get_mut(&number).ok_or_else(|| crate::Violation {
            rule: "a_dispatch_is_opened_first",
            detail: format!("dispatch {number}"),
        })
    }

    fn dispatches_are_counted(&self, number: DispatchNumber) -> Held {
        let expected = self.dispatches.len() as u64 + 1;
        hold(u64::from(number.0) == expected, "dispatches_are_counted", || {
            format!("dispatch {number} instead of {expected}")
        })
    }

    fn started(&mut self, at: Timestamp, number: DispatchNumber, attempt: Attempt) -> Held {
        let record = self.record(number)?;
        hold(record.running.is_none(), "one_attempt_runs_at_a_time", || {
            format!("attempt {attempt} of dispatch {number} beside {:?}", record.running)
        })?;
        hold(attempt == record.attempts.next(), "attempts_are_counted", || {
            format!("attempt {attempt} of dispatch {number} after {}", record.attempts)
        })?;
        record.may_start_again(at, number)?;
        record.attempts = attempt;
        record.running = Some(attempt);
        record.retry = None;
        record.starts += 1;
        hold(record.starts <= record.starts_max, "starts_stay_in_budget", || {
            format!("dispatch {number} was started {} times", record.starts)
        })
    }

    /// R107: a person is asked when the tries are spent, and never because an agent is out of its usage limit, unless
    /// that is for no time and again and again.
    fn nobody_is_asked_too_early(&mut self, number: DispatchNumber) -> Held {
        let record = self.record(number)?;
        let is_early = match record.last_end.as_ref().and_then(class_of) {
            Some(FailureClass::Parked) => record.short_parks < SHORT_PARKS_MAX,
            Some(FailureClass::Transient) => record.starts < STARTS_MAX.min(record.starts_max),
            _ => false,
        };
        // A limit that is used up is a question of its own.
        let is_early = is_early || record.met_a_limit;
        hold(!is_early, "nobody_is_asked_too_early", || {
            format!("dispatch {number} after {} starts: {:?}", record.starts, record.last_end)
        })
    }

    fn ended(
        &mut self,
        at: Timestamp,
        number: DispatchNumber,
        attempt: Attempt,
        end: &DispatchEnd,
        met_a_limit: bool,
    ) -> Held {
        let record = self.record(number)?;
        hold(record.running == Some(attempt), "only_what_runs_ends", || {
            format!("attempt {attempt} of dispatch {number} beside {:?}", record.running)
        })?;
        record.running = None;
        record.last_end = Some(end.clone());
        record.met_a_limit = met_a_limit;
        record.starts -= u32::from(met_a_limit);
        match class_of(end) {
            Some(FailureClass::Interrupted | FailureClass::Parked) => record.starts -= 1,
            Some(FailureClass::Recoverable) => record.invalid += 1,
            _ => {}
        }
        record.short_parks = match end {
            DispatchEnd::Parked { until, .. } if until.ms_since(at) < SHORT_PARK_MS => {
                record.short_parks + 1
            }
            DispatchEnd::Stopped | DispatchEnd::Interrupted { .. } => record.short_parks,
            _ => 0,
        };
        Ok(())
    }

    fn scheduled(
        &mut self,
        at: Timestamp,
        number: DispatchNumber,
        due: Timestamp,
        why: RetryWhy,
    ) -> Held {
        let record = self.record(number)?;
        // What only holds back what was scheduled before is no reason of its own.
        let was_parked = matches!(record.last_end, Some(DispatchEnd::Parked { .. }));
        if matches!(why, RetryWhy::Budget | RetryWhy::Room)
            || (why == RetryWhy::Parked && !was_parked)
        {
            return Ok(());
        }
        record.retry = Some((why, due));
        match why {
            RetryWhy::Consented => {
                record.starts_max = record.starts + 1;
                record.short_parks = 0;
            }
            // R064.
            RetryWhy::Transient => {
                let expected = if record.starts <= 1 { 1_000 } else { 2_000 };
                return hold(due.ms_since(at) == expected, "transient_waits_1_s_then_2_s", || {
                    format!("dispatch {number} waits {} ms", due.ms_since(at))
                });
            }
            _ => {}
        }
        Ok(())
    }
}

impl Record {
    fn new(role: Role, task: &TaskRef, purpose: &Purpose) -> Self {
        Self {
            role,
            task: task.clone(),
            purpose: purpose.clone(),
            attempts: Attempt(0),
            running: None,
            starts: 0,
            starts_max: STARTS_MAX,
            invalid: 0,
            short_parks: 0,
            last_end: None,
            retry: None,
            verdict: None,
            asked_to_fix: false,
            by_hand: false,
            met_a_limit: false,
        }
    }

    /// R055, R064 to R066: what each kind of failure allows.
    fn may_start_again(&self, at: Timestamp, number: DispatchNumber) -> Held {
        let Some(end) = &self.last_end else {
            return Ok(());
        };
        let is_due = |kind: RetryWhy| self.retry.is_some_and(|(why, due)| why == kind && due <= at);
        let consented = is_due(RetryWhy::Consented);
        let allowed = match class_of(end) {
            Some(FailureClass::Transient) => is_due(RetryWhy::Transient),
            Some(FailureClass::Recoverable) => self.invalid <= 2,
            Some(FailureClass::Parked) => is_due(RetryWhy::Parked) || is_due(RetryWhy::Fallback),
            Some(FailureClass::Interrupted) => {
                !matches!(end, DispatchEnd::Stopped) || is_due(RetryWhy::Interrupted)
            }
            // The books on the ledger know whether someone allowed it.
            Some(FailureClass::Permanent) => self.met_a_limit,
            None => false,
        };
        hold(allowed || consented, "a_failure_is_retried_by_the_table", || {
            format!("dispatch {number} starts again after {end:?} with {:?}", self.retry)
        })
    }
}

/// Law 5: an OK that the work contradicts is recorded as invalid; everything else as it was.
fn the_record_is_the_truth(
    number: DispatchNumber,
    attempt: Attempt,
    end: &DispatchEnd,
    truth: &Truth,
) -> Held {
    let told = truth.ends.get(&(number, attempt));
    let lied = match told {
        Some(DispatchEnd::Replied { reply, work }) if reply.status == ReplyStatus::Ok => {
            !work.left_out.breaches.is_empty() || work.code.commit.is_none()
        }
        _ => false,
    };
    let is_breach = match told {
        Some(DispatchEnd::Replied { reply, work }) => {
            reply.status == ReplyStatus::Ok && !work.left_out.breaches.is_empty()
        }
        _ => false,
    };
    let is_true = match (told, end) {
        (_, DispatchEnd::Replied { .. }) if is_breach => false,
        // When it is tried again is in the books on who plays.
        (
            Some(DispatchEnd::Limited { detail }),
            DispatchEnd::Parked { no_time: Some(said), .. },
        ) => said == detail,
        (Some(_), DispatchEnd::Invalid { .. }) if lied => true,
        (told, end) => told == Some(end),
    };
    hold(is_true, "the_record_is_the_truth", || {
        format!("dispatch {number} attempt {attempt}: {end:?} instead of {told:?}")
    })
}
