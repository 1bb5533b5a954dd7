//! Books on scopes: who allowed what, what stays out, and that a warning is only that.

use super::attempts;
use crate::violation::{Held, hold};
use std::collections::{BTreeMap, BTreeSet};
use tollgate_core::action::StepKind;
use tollgate_core::decision::{Decision, DecisionStatus, Resolution, Subject};
use tollgate_core::event::{Event, Finding, FindingStatus, Purpose, Verdict};
use tollgate_core::id::{DecisionId, DispatchNumber, TaskRef};
use tollgate_core::input::Opening;
use tollgate_core::reply::{ReplyStatus, ReportedFinding, Severity};
use tollgate_core::role::{RepairLoop, Role};
use tollgate_core::session::Session;
use tollgate_core::work::{DispatchEnd, ScopeClass};

#[derive(Debug)]
pub(crate) struct Books {
    /// An action without an implement loop weighs remarks at its severity gates.
    is_route: bool,
    asked: BTreeMap<DecisionId, (DispatchNumber, Vec<String>)>,
    allowed: BTreeMap<TaskRef, BTreeSet<String>>,
    refused: BTreeMap<TaskRef, BTreeSet<String>>,
    /// Files that a person names for a repair that is opened, and for dispatches.
    named: BTreeMap<TaskRef, Vec<String>>,
    named_for: BTreeMap<DispatchNumber, Vec<String>>,
    /// What an answer must come to before the commit is over.
    owed: Option<Owed>,
    /// Files that were left out and that nobody has told of.
    untold: BTreeSet<(TaskRef, String)>,
    taken: BTreeSet<String>,
}

#[derive(Debug, PartialEq, Eq)]
struct Owed {
    is_allowed: bool,
    task: TaskRef,
    paths: Vec<String>,
}

impl Books {
    pub fn new(opening: &Opening) -> Self {
        let is_loop = opening.action.steps.iter().any(|s| matches!(s.kind, StepKind::Tasks));
        Self {
            is_route: !is_loop,
            asked: BTreeMap::new(),
            allowed: BTreeMap::new(),
            refused: BTreeMap::new(),
            named: BTreeMap::new(),
            named_for: BTreeMap::new(),
            owed: None,
            untold: BTreeSet::new(),
            taken: BTreeSet::new(),
        }
    }

    pub fn see(&mut self, event: &Event, attempts: &attempts::Books) -> Held {
        match event {
            Event::ModeChanged { .. } => {
                self.allowed.clear();
                self.refused.clear();
            }
            Event::DispatchOpened { number, task, purpose: Purpose::Repair { .. }, .. } => {
                self.named_for.insert(*number, self.named.remove(task).unwrap_or_default());
            }
            Event::GuidanceGiven { number, authorized, .. } => {
                self.named_for.entry(*number).or_default().extend(authorized.iter().cloned());
            }
            Event::RepairOpened { task, repair, feedback, consented, authorized, .. } => {
                self.named.insert(task.clone(), authorized.clone());
                a_warning_repairs_nothing(*repair, feedback, *consented)?;
            }
            Event::AttemptEnded { number, end, .. } => self.ended(*number, end, attempts)?,
            Event::DecisionAsked { decision } => self.asked(decision, attempts)?,
            Event::DecisionResolved { id, resolution } => {
                self.resolved(id, resolution, attempts);
            }
            Event::ScopeExtended { task, paths } => {
                self.a_person_decides_about_scope(true, task, paths)?;
                self.allowed.entry(task.clone()).or_default().extend(paths.iter().cloned());
                if let Some(refused) = self.refused.get_mut(task) {
                    refused.retain(|path| !paths.contains(path));
                }
            }
            Event::ScopeRefused { task, paths, .. } => {
                self.a_person_decides_about_scope(false, task, paths)?;
                self.refused.entry(task.clone()).or_default().extend(paths.iter().cloned());
            }
            Event::FindingRecorded { finding } => self.recorded(finding)?,
            Event::DispatchClosed { number, verdict, .. } => {
                self.closed(*number, *verdict, attempts)?
            }
            _ => {}
        }
        Ok(())
    }

    fn may_change(&self, number: DispatchNumber, task: &TaskRef, path: &str) -> bool {
        let is_allowed = self.allowed.get(task).is_some_and(|paths| paths.contains(path));
        let named = self.named_for.get(&number);
        let of_all = || self.allowed.values().any(|paths| paths.contains(path));
        is_allowed
            || named.is_some_and(|paths| paths.iter().any(|known| known == path))
            || (*task == TaskRef::Meta && (of_all() || self.taken.contains(path)))
    }

    /// What is left out is not among the changes, whoever wrote them down.
    fn ended(
        &mut self,
        number: DispatchNumber,
        end: &DispatchEnd,
        attempts: &attempts::Books,
    ) -> Held {
        let (Some(record), DispatchEnd::Replied { reply, work }) =
            (attempts.dispatches.get(&number), end)
        else {
            return Ok(());
        };
        let left_out =
            |path: &str| work.left_out.out_of_scope.iter().any(|change| change.path == path);
        let both = work.code.changes.iter().find(|change| left_out(&change.path));
        let is_done = reply.status == ReplyStatus::Ok && work.code.commit.is_some();
        if is_done && record.role == Role::Coder {
            let outside = work.left_out.scoped.iter().filter(|s| s.class == ScopeClass::Violation);
            let task = || record.task.clone();
            self.untold.extend(outside.map(|scoped| (task(), scoped.path.clone())));
        }
        hold(both.is_none(), "what_is_out_of_scope_stays_out", || {
            format!("dispatch {number}: {both:?}")
        })
    }

    /// Only what the Coder wants is asked for, and only what nobody has decided about.
    fn asked(&mut self, decision: &Decision, attempts: &attempts::Books) -> Held {
        let Subject::Scope { dispatch, paths } = &decision.subject else {
            return Ok(());
        };
        let Some(record) = attempts.dispatches.get(dispatch) else {
            return Ok(());
        };
        let wanted = match &record.last_end {
            Some(DispatchEnd::Replied { reply, .. }) => reply.scope_requests.as_slice(),
            _ => &[],
        };
        let is_wanted = |path: &String| wanted.iter().any(|request| request.path == *path);
        hold(!paths.is_empty() && paths.iter().all(is_wanted), "scope_is_asked_as_wanted", || {
            format!("{paths:?} is asked and {wanted:?} was wanted")
        })?;
        let known = |books: &BTreeMap<TaskRef, BTreeSet<String>>| {
            books.get(&record.task).is_some_and(|known| paths.iter().any(|p| known.contains(p)))
        };
        let is_decided = known(&self.allowed) || known(&self.refused);
        hold(!is_decided, "what_is_decided_is_not_asked_again", || {
            format!("{paths:?} of {}", record.task)
        })?;
        self.asked.insert(decision.decision_id.clone(), (*dispatch, paths.clone()));
        Ok(())
    }

    fn resolved(&mut self, id: &DecisionId, resolution: &Resolution, attempts: &attempts::Books) {
        let Some((dispatch, paths)) = self.asked.get(id) else {
            return;
        };
        let by_person = resolution.status == DecisionStatus::Answered;
        let answer = resolution.answer.as_deref().filter(|_| by_person);
        let is_allowed = match answer {
            Some("allow") => true,
            Some(words) if words.starts_with("refuse: ") => false,
            _ => return,
        };
        let task = attempts.dispatches[dispatch].task.clone();
        self.owed = Some(Owed { is_allowed, task, paths: paths.clone() });
    }

    /// R105.
    fn a_person_decides_about_scope(
        &mut self,
        is_allowed: bool,
        task: &TaskRef,
        paths: &[String],
    ) -> Held {
        let owed = self.owed.take();
        let done = Owed { is_allowed, task: task.clone(), paths: paths.to_vec() };
        hold(owed.as_ref() == Some(&done), "a_person_decides_about_scope", || {
            format!("{done:?} where {owed:?} was said")
        })
    }

    /// R096: what the engine says about scope is a warning.
    fn recorded(&mut self, finding: &Finding) -> Held {
        let (source, Finding { task, report, status, .. }) = (finding.source(), finding);
        if !is_about_scope(report) {
            return Ok(());
        }
        if let Some(file) = &report.file {
            self.untold.remove(&(task.clone(), file.clone()));
        }
        let stops = *status == FindingStatus::Open || report.severity > Severity::Low;
        let warns = source == Role::Orchestrator || (source == Role::Reviewer && !self.is_route);
        hold(!(warns && stops), "a_warning_stops_nothing", || format!("{finding:?}"))
    }

    fn closed(
        &mut self,
        number: DispatchNumber,
        verdict: Verdict,
        attempts: &attempts::Books,
    ) -> Held {
        let Some(record) = attempts.dispatches.get(&number) else {
            return Ok(());
        };
        let Some(DispatchEnd::Replied { reply, work }) = &record.last_end else {
            return Ok(());
        };
        let only_scope = !reply.findings.is_empty() && reply.findings.iter().all(is_about_scope);
        let warns = only_scope && record.role == Role::Reviewer && !self.is_route;
        hold(!(warns && verdict == Verdict::Objected), "a_warning_stops_nothing", || {
            format!("dispatch {number} objects and speaks of nothing but scope")
        })?;
        if record.role != Role::Coder || verdict != Verdict::Accepted {
            return Ok(());
        }
        let task = record.task.clone();
        let beyond = crate::crew::BEYOND;
        let strange = work
            .code
            .changes
            .iter()
            .map(|change| &change.path)
            .find(|path| path.starts_with(beyond) && !self.may_change(number, &task, path));
        hold(strange.is_none(), "what_is_out_of_scope_stays_out", || {
            format!("dispatch {number} of {task} changed {strange:?}")
        })?;
        self.taken.extend(work.code.changes.iter().map(|change| change.path.clone()));
        let may_be_empty =
            matches!(record.purpose, Purpose::Repair { repair: RepairLoop::FixBuild });
        let has_work = work.code.commit.is_some() || may_be_empty;
        hold(has_work, "a_wish_is_no_work", || format!("dispatch {number} of {task}"))
    }

    /// What is left out is told with the reply, and an answer takes effect at once.
    pub fn after_commit(&mut self, session: &Session) -> Held {
        let owed = self.owed.take();
        hold(owed.is_none(), "an_answer_about_scope_takes_effect", || format!("{owed:?}"))?;
        let untold = self.untold.pop_first();
        hold(untold.is_none(), "what_is_left_out_is_told", || format!("{untold:?}"))?;
        let beyond = crate::crew::BEYOND;
        let strange = session
            .branch
            .changed
            .iter()
            .map(|change| &change.path)
            .find(|path| path.starts_with(beyond) && !self.taken.contains(*path));
        hold(strange.is_none(), "what_is_out_of_scope_stays_out", || format!("{strange:?}"))
    }
}

/// R096.
fn a_warning_repairs_nothing(repair: RepairLoop, feedback: &[String], consented: bool) -> Held {
    let is_warning = |line: &String| line.contains("[Warning]");
    let only_warnings = !feedback.is_empty() && feedback.iter().all(is_warning);
    hold(consented || !only_warnings, "a_warning_stops_nothing", || {
        format!("{repair} is opened for {feedback:?}")
    })
}

pub(super) fn is_about_scope(report: &ReportedFinding) -> bool {
    matches!(report.category.to_lowercase().as_str(), "scope" | "out-of-scope")
}
