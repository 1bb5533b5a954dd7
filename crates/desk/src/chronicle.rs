//! What took how long: every attempt, run of checks and question of a session, with when it began and ended.

use serde::Serialize;
use tollgate_core::decision::{DecisionKind, DecisionStatus};
use tollgate_core::event::Event;
use tollgate_core::id::{Attempt, CheckNumber, DecisionId, DispatchNumber, TaskRef};
use tollgate_core::reply::Usage;
use tollgate_core::role::Role;
use tollgate_core::time::Timestamp;
use tollgate_core::view::Parts;
use tollgate_core::words;
use tollgate_core::work::{CheckResult, DispatchEnd, Work};
use tollgate_host::client::Told;

/// Folds the records of a journal, one after the other.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Chronicle {
    pub opened_at: Option<Timestamp>,
    /// When the last record was written.
    pub updated_at: Option<Timestamp>,
    /// In the order in which they began.
    pub spans: Vec<Span>,
}

/// Something that took a while.
#[derive(Debug, Clone, Serialize)]
pub struct Span {
    pub from: Timestamp,
    /// None while it lasts.
    pub until: Option<Timestamp>,
    #[serde(flatten)]
    pub what: What,
}

#[derive(Debug, Clone, Serialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum What {
    Attempt(Box<AttemptSpan>),
    Checks {
        number: CheckNumber,
        of: String,
        commands: Vec<String>,
        passed: Option<bool>,
        /// Of those that failed, the end of what they printed.
        failed: Vec<FailedCommand>,
    },
    Question {
        id: DecisionId,
        kind: DecisionKind,
        /// How often it was asked until then, with this time.
        round: u32,
        status: Option<DecisionStatus>,
        /// A person resolved it, and not a rule.
        by_person: bool,
    },
}

#[derive(Debug, Clone, Serialize)]
pub struct FailedCommand {
    pub command: String,
    pub output_tail: String,
}

/// An attempt of a dispatch.
#[derive(Debug, Clone, Serialize)]
pub struct AttemptSpan {
    pub number: DispatchNumber,
    pub attempt: Attempt,
    /// `#3 Coder T-001`.
    pub title: String,
    pub role: Role,
    /// What the action calls the role.
    pub called: String,
    pub task: TaskRef,
    /// Who plays, by the name in the settings.
    pub agent: Option<String>,
    /// How it ended, as the journal spells it; none while it lasts.
    pub end: Option<&'static str>,
    /// There was a reply that could be used.
    pub replied: bool,
    /// The same in a sentence.
    pub words: Option<String>,
    /// What the agent said of its work.
    pub said: Option<String>,
    pub usage: Usage,
    /// Files that it changed in the repository, where it replied.
    pub changed: usize,
}

impl Chronicle {
    pub fn take(&mut self, told: &Told<'_>) {
        self.note(told.now, told.at, told.event);
    }

    /// The next event of the journal, and the state right after it.
    pub fn note(&mut self, now: Parts<'_>, at: Timestamp, event: &Event) {
        self.opened_at.get_or_insert(at);
        self.updated_at = Some(at);
        match event {
            Event::AttemptStarted { number, attempt, .. } => {
                self.begin(at, attempt_of(now, *number, *attempt));
            }
            Event::AttemptEnded { number, attempt, end, usage, .. } => {
                self.attempt_ended(at, (*number, *attempt), end, usage);
            }
            Event::ChecksStarted { number, purpose, commands, .. } => {
                let (of, commands) = (purpose.to_string(), commands.clone());
                self.begin(
                    at,
                    What::Checks {
                        number: *number,
                        of,
                        commands,
                        passed: None,
                        failed: Vec::new(),
                    },
                );
            }
            Event::ChecksEnded { number, results, holds, .. } => {
                let all = || results.iter().all(|result| result.passed);
                self.checks_ended(at, *number, holds.unwrap_or_else(all), results);
            }
            Event::DecisionAsked { decision } => {
                let (id, kind) = (decision.decision_id.clone(), decision.kind);
                let (round, status) = (now.round(&id), None);
                self.begin(at, What::Question { id, kind, round, status, by_person: false });
            }
            Event::DecisionResolved { id, resolution } => {
                self.resolved(at, id, resolution.status, resolution.command.is_some());
            }
            _ => {}
        }
    }

    /// Attempts in the order in which they began.
    pub fn attempts(&self) -> impl Iterator<Item = (&Span, &AttemptSpan)> {
        self.spans.iter().filter_map(|span| match &span.what {
            What::Attempt(attempt) => Some((span, attempt.as_ref())),
            What::Checks { .. } | What::Question { .. } => None,
        })
    }

    fn begin(&mut self, from: Timestamp, what: What) {
        self.spans.push(Span { from, until: None, what });
    }

    /// The last thing that lasts and is this one.
    fn lasting(&mut self, is_it: impl Fn(&What) -> bool) -> Option<&mut Span> {
        let mut spans = self.spans.iter_mut().rev();
        spans.find(|span| span.until.is_none() && is_it(&span.what))
    }

    fn attempt_ended(
        &mut self,
        at: Timestamp,
        (number, attempt): (DispatchNumber, Attempt),
        end: &DispatchEnd,
        usage: &Usage,
    ) {
        let is_it = |what: &What| matches!(what, What::Attempt(of) if (of.number, of.attempt) == (number, attempt));
        let Some(span) = self.lasting(is_it) else {
            return;
        };
        span.until = Some(at);
        if let What::Attempt(found) = &mut span.what {
            found.end = Some(words::end_name(end));
            found.words = Some(words::ended(end));
            found.usage = *usage;
            if let DispatchEnd::Replied { reply, work } = end {
                let Work { code, .. } = work.as_ref();
                (found.replied, found.changed) = (true, code.changes.len());
                found.said = Some(reply.summary.clone());
            }
        }
    }

    fn checks_ended(
        &mut self,
        at: Timestamp,
        number: CheckNumber,
        held: bool,
        results: &[CheckResult],
    ) {
        let is_it = |what: &What| matches!(what, What::Checks { number: of, .. } if *of == number);
        let Some(span) = self.lasting(is_it) else {
            return;
        };
        span.until = Some(at);
        if let What::Checks { passed, failed, .. } = &mut span.what {
            *passed = Some(held);
            *failed = results.iter().filter(|result| !result.passed).map(failed_command).collect();
        }
    }

    fn resolved(&mut self, at: Timestamp, id: &DecisionId, how: DecisionStatus, person: bool) {
        let is_it = |what: &What| matches!(what, What::Question { id: of, .. } if of == id);
        let Some(span) = self.lasting(is_it) else {
            return;
        };
        span.until = Some(at);
        if let What::Question { status, by_person, .. } = &mut span.what {
            (*status, *by_person) = (Some(how), person);
        }
    }
}

fn attempt_of(now: Parts<'_>, number: DispatchNumber, attempt: Attempt) -> What {
    let view = now.dispatch(number).expect("an attempt that starts belongs to a dispatch");
    What::Attempt(Box::new(AttemptSpan {
        number,
        attempt,
        title: view.title,
        role: view.role,
        called: now.called(number).unwrap_or_default().to_owned(),
        task: view.task,
        agent: view.agent,
        end: None,
        replied: false,
        words: None,
        said: None,
        usage: Usage::default(),
        changed: 0,
    }))
}

fn failed_command(result: &CheckResult) -> FailedCommand {
    let CheckResult { command, output_tail, .. } = result;
    FailedCommand { command: command.clone(), output_tail: output_tail.clone() }
}
