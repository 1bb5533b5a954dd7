//! Whether an event can follow what has happened. The engine writes no other; but the hashes of a journal prove only who
//! wrote it last, and what cannot be must be found before it is believed.

use super::{Dispatch, Session};
use crate::action::PartIndex;
use crate::decision::Subject;
use crate::event::{CheckPurpose, Event, Finding, Purpose};
use crate::id::{
    CheckNumber, CommitId, DecisionId, DispatchNumber, FindingId, SessionName, TaskRef,
};
use crate::input::Opening;
use crate::policy::Policy;
use crate::time::Timestamp;
use crate::work::{BaseMerge, DispatchEnd, Merged};

/// The first event of a journal that cannot follow those before it, by its index in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfit {
    pub index: usize,
    pub why: String,
}

pub(super) type Fit = Result<(), String>;

/// More of anything than a session can have; counting on from it must not overflow.
const COUNT_MAX: u32 = 1_000_000;
/// Earlier versions settled this one where Security had asked without a finding.
const NO_FINDING: FindingId = FindingId(0);

impl Session {
    /// Folds a whole journal. The first event must be the opening, and each must be able to follow those before it.
    pub fn replay<'a>(
        mut events: impl Iterator<Item = (Timestamp, &'a Event)>,
    ) -> Result<Self, Unfit> {
        let Some((at, Event::SessionOpened(opening))) = events.next() else {
            return Err(Unfit { index: 0, why: "it does not open a session".to_owned() });
        };
        opening_fits(opening).map_err(|why| Unfit { index: 0, why })?;
        let mut session = Self::open(at, opening);
        for (index, (at, event)) in events.enumerate() {
            session.follow(at, event).map_err(|why| Unfit { index: index + 1, why })?;
        }
        Ok(session)
    }

    /// Takes an event of a journal, or says why it cannot follow what has happened.
    pub fn follow(&mut self, at: Timestamp, event: &Event) -> Result<(), String> {
        self.fit(event)?;
        self.apply(at, &self.completed(at, event));
        Ok(())
    }

    fn fit(&self, event: &Event) -> Fit {
        match event {
            Event::SessionOpened(_) => Err("the session is opened a second time".to_owned()),
            Event::SessionImported(taken) => self.import_fits(taken),
            Event::PolicyAdopted { policy } => policy_fits(policy),
            Event::StepEntered { index }
            | Event::StepSkipped { index, .. }
            | Event::StepReopened { index }
            | Event::SeverityPassed { step: index, .. } => self.has_step(*index),
            Event::DispatchOpened { number, task, purpose, lane, .. } => {
                let last = self.dispatches.keys().next_back().map_or(0, |last| last.0);
                follows("dispatch", last, number.0)?;
                lane.map_or(Ok(()), |lane| within("lane", lane))?;
                self.has_unit(task)?;
                self.purpose_fits(purpose)
            }
            Event::AttemptStarted { number, attempt, .. } => {
                let dispatch = self.open_dispatch_of(*number)?;
                match dispatch.running() {
                    Some(_) => Err(format!("dispatch {number} has a running attempt already")),
                    None => follows("attempt", dispatch.attempts.0, attempt.0),
                }
            }
            Event::AttemptEnded { number, attempt, end, .. } => {
                if self.open_dispatch_of(*number)?.running() != Some(*attempt) {
                    return Err(format!("dispatch {number} has no attempt {attempt} under way"));
                }
                end_fits(end)
            }
            Event::AttemptNoted { number, attempt, .. } => {
                let is_running = self.open_dispatch_of(*number)?.running() == Some(*attempt);
                require(is_running, || {
                    format!("dispatch {number} has no attempt {attempt} under way")
                })
            }
            Event::GuidanceGiven { number, .. }
            | Event::RetryScheduled { number, .. }
            | Event::DispatchClosed { number, .. }
            | Event::MemberReady { number, .. } => self.open_dispatch_of(*number).map(drop),
            Event::MergeStarted { numbers } => {
                if numbers.is_empty() {
                    return Err("a merge names no dispatch".to_owned());
                }
                numbers.iter().try_for_each(|number| self.open_dispatch_of(*number).map(drop))
            }
            Event::MergeEnded { merged } => merged.iter().try_for_each(|one| self.merge_fits(one)),
            Event::BaseMoved { commit } | Event::BaseMergeStarted { base: commit } => {
                commit_fits(commit)
            }
            Event::BaseMergeEnded { base, outcome } => {
                let is_under_way = self.branch.base.merging.as_ref() == Some(base);
                require(is_under_way, || format!("a merge of {base} is not under way"))?;
                match outcome {
                    BaseMerge::Clean { commit } | BaseMerge::Conflicts { start: commit, .. } => {
                        commit_fits(commit)
                    }
                    BaseMerge::AlreadyIn | BaseMerge::Unrelated => Ok(()),
                }
            }
            event => self.work_fits(event),
        }
    }

    /// The plan, its checks, what was found and what was asked.
    fn work_fits(&self, event: &Event) -> Fit {
        match event {
            Event::PlanAdopted { tasks } => tasks.iter().enumerate().try_for_each(|(at, task)| {
                let is_double = tasks[..at].iter().any(|before| before.id == task.id);
                require(!is_double, || format!("task {} is in the plan twice", task.id))
            }),
            Event::ChecksStarted { number, purpose, .. } => {
                follows(
                    "run of checks",
                    self.checks.runs.keys().next_back().map_or(0, |n| n.0),
                    number.0,
                )?;
                match purpose {
                    CheckPurpose::Task { task } => self.has_unit(task),
                    CheckPurpose::Acceptance { step } | CheckPurpose::Subject { step, .. } => {
                        self.has_step(*step)
                    }
                }
            }
            Event::ChecksEnded { number, .. } => {
                let is_under_way =
                    self.checks.runs.get(number).is_some_and(|run| run.passed.is_none());
                require(is_under_way, || format!("run {number} of checks is not under way"))
            }
            Event::FindingRecorded { finding } => self.finding_fits(finding),
            Event::FindingSettled { id, .. } => self.knows_finding(*id),
            Event::DecisionAsked { decision } => {
                decision_fits(&decision.decision_id)?;
                self.subject_fits(&decision.subject)
            }
            Event::DecisionResolved { id, .. } => {
                require(self.decision(id).is_some(), || format!("question {id} was never asked"))
            }
            Event::AnswerKept { decision, .. } => decision_fits(decision),
            Event::ManualStepNoted { number, .. } => self.knows_dispatch(*number),
            Event::LookWanted { task, by, .. } => {
                self.has_unit(task)?;
                self.knows_dispatch(*by)
            }
            Event::CorrectionMoved { parts, .. } => {
                parts.iter().try_for_each(|part| self.part_fits(*part))
            }
            _ => Ok(()),
        }
    }

    fn has_step(&self, index: usize) -> Fit {
        let steps = self.route.steps.len();
        require(index < steps, || format!("it names step {index} of {steps}"))
    }

    /// For what begins. What was begun may end after its task has left the plan.
    fn has_unit(&self, task: &TaskRef) -> Fit {
        require(self.unit(task).is_some(), || format!("there is no task {task}"))
    }

    /// For what is asked: of a task that may have left the plan since it was worked on.
    fn knows_task(&self, task: &TaskRef) -> Fit {
        let was_worked_on = || self.dispatches.values().any(|dispatch| dispatch.task == *task);
        require(self.unit(task).is_some() || was_worked_on(), || format!("there is no task {task}"))
    }

    fn knows_dispatch(&self, number: DispatchNumber) -> Fit {
        require(self.dispatches.contains_key(&number), || {
            format!("dispatch {number} was never opened")
        })
    }

    fn knows_check(&self, number: CheckNumber) -> Fit {
        require(self.checks.runs.contains_key(&number), || {
            format!("run {number} of checks was never started")
        })
    }

    fn knows_finding(&self, id: FindingId) -> Fit {
        let is_known =
            id == NO_FINDING || self.record.findings.iter().any(|finding| finding.id == id);
        require(is_known, || format!("there is no finding {id}"))
    }

    fn part_fits(&self, part: PartIndex) -> Fit {
        self.has_step(part.step)?;
        part.member.map_or(Ok(()), |member| within("member", member))
    }

    /// What is asked about is there, so that the answer finds its way back.
    fn subject_fits(&self, subject: &Subject) -> Fit {
        match subject {
            Subject::Gate { step } | Subject::Severity { step } => self.has_step(*step),
            Subject::Strategy | Subject::Budget | Subject::Files | Subject::Evidence => Ok(()),
            Subject::Imported { task } => match task {
                Some(task) => self.has_unit(&TaskRef::Task(task.clone())),
                None => Ok(()),
            },
            Subject::Notes { task, dispatch } => {
                self.knows_task(task)?;
                self.knows_dispatch(*dispatch)
            }
            Subject::Repair { task, .. } | Subject::Check { task, .. } => self.knows_task(task),
            Subject::Finding { task, dispatch, finding } => {
                self.knows_task(task)?;
                self.knows_dispatch(*dispatch)?;
                finding.map_or(Ok(()), |finding| self.knows_finding(finding))
            }
            Subject::Dispatch { dispatch } => self.open_dispatch_of(*dispatch).map(drop),
            Subject::Info { dispatch }
            | Subject::Scope { dispatch, .. }
            | Subject::Refinement { dispatch, .. } => self.knows_dispatch(*dispatch),
            Subject::Coverage { check } => self.knows_check(*check),
            Subject::Manual { after, .. } => after.map_or(Ok(()), |check| self.knows_check(check)),
        }
    }

    fn open_dispatch_of(&self, number: DispatchNumber) -> Result<&Dispatch, String> {
        match self.dispatches.get(&number) {
            None => Err(format!("dispatch {number} was never opened")),
            Some(dispatch) if dispatch.verdict().is_some() => {
                Err(format!("dispatch {number} is closed already"))
            }
            Some(dispatch) => Ok(dispatch),
        }
    }

    fn purpose_fits(&self, purpose: &Purpose) -> Fit {
        match purpose {
            Purpose::Step { index, member } => {
                self.has_step(*index)?;
                member.map_or(Ok(()), |member| within("member", member))
            }
            Purpose::Correction { step, part } => {
                self.has_step(*step)?;
                part.map_or(Ok(()), |part| self.part_fits(part))
            }
            Purpose::Look { step } => self.has_step(*step),
            _ => Ok(()),
        }
    }

    fn merge_fits(&self, one: &Merged) -> Fit {
        self.open_dispatch_of(one.number)?;
        one.commit.as_ref().map_or(Ok(()), commit_fits)
    }

    fn finding_fits(&self, finding: &Finding) -> Fit {
        let (id, times) = (finding.id, finding.times);
        let next = self.next_finding_id();
        require(id >= FindingId::FIRST && id <= next && id.0 < COUNT_MAX, || {
            format!("finding {id} is recorded where {next} is next")
        })?;
        require(times > 0 && times < COUNT_MAX, || {
            format!("finding {id} was reported {times} times")
        })
    }
}

/// Of the first event.
fn opening_fits(opening: &Opening) -> Fit {
    SessionName::parse(opening.session.as_str()).map_err(|bad| bad.to_string())?;
    commit_fits(&opening.base)?;
    policy_fits(&opening.policy)
}

fn policy_fits(policy: &Policy) -> Fit {
    let counts = [
        ("attempts", policy.transient_attempts),
        ("reruns", policy.invalid_reruns),
        ("repairs", policy.repairs),
        ("parallel tasks", policy.parallel_tasks),
    ];
    counts.into_iter().try_for_each(|(what, count)| count_fits(what, count))
}

pub(super) fn count_fits(what: &str, count: u32) -> Fit {
    require(count < COUNT_MAX, || format!("it has {count} {what}"))
}

fn end_fits(end: &DispatchEnd) -> Fit {
    match end {
        DispatchEnd::Replied { work, .. } => work.code.commit.as_ref().map_or(Ok(()), commit_fits),
        _ => Ok(()),
    }
}

fn commit_fits(commit: &CommitId) -> Fit {
    CommitId::parse(commit.as_str()).map(drop).map_err(|bad| bad.to_string())
}

fn decision_fits(id: &DecisionId) -> Fit {
    let known = DecisionId::parse(id.as_str()).map_err(|bad| bad.to_string())?;
    let number = known.number().unwrap_or(0);
    require(number < COUNT_MAX, || format!("the number of question {id} is too large"))
}

fn follows(what: &str, last: u32, number: u32) -> Fit {
    require(last < COUNT_MAX && number == last + 1, || {
        format!("{what} {number} does not follow {what} {last}")
    })
}

fn within(what: &str, number: usize) -> Fit {
    require(number < COUNT_MAX as usize, || format!("there is no {what} {number}"))
}

fn require(fits: bool, why: impl FnOnce() -> String) -> Fit {
    if fits { Ok(()) } else { Err(why()) }
}
