//! What a Coder may change, and what it finds in its tree from an earlier attempt.

use crate::limits::SCOPE_WARNINGS_MAX;
use crate::role::Role;
use crate::session::{Dispatch, Session, Task, Unit};
use crate::work::{ScopeClass, Scoped};
use std::collections::BTreeMap;

/// What a task may change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scope {
    /// Paths, globs, or folders ending in `/`.
    pub in_scope: Vec<String>,
    pub out_of_scope: Vec<String>,
    /// Paths that a person allowed for this task.
    pub allowed: Vec<String>,
    /// Paths that a person named in what they want repaired; they count for this dispatch alone.
    pub named: Vec<String>,
    /// Paths that a person refused, each with the reason.
    pub refused: Vec<String>,
}

/// Files of a rescue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    pub rescue: String,
    pub paths: Vec<String>,
}

impl Scope {
    /// For the agent.
    pub(super) fn words(&self) -> Vec<String> {
        let list = |paths: &[String]| paths.join(", ");
        let mut words = vec![format!(
            "change only these files and the tests beside them: {}",
            list(&self.in_scope)
        )];
        if !self.out_of_scope.is_empty() {
            words.push(format!("leave alone: {}", list(&self.out_of_scope)));
        }
        if !self.allowed.is_empty() {
            words.push(format!("a person also allows: {}", list(&self.allowed)));
        }
        if !self.refused.is_empty() {
            words.push(format!("a person does not allow: {}", list(&self.refused)));
        }
        if !self.named.is_empty() {
            let named = list(&self.named);
            words.push(format!(
                "a person also named these; if you change one, say so in your summary: {named}"
            ));
        }
        words.push("if you need another file, ask for it in scope_request".to_owned());
        words
    }
}

impl Session {
    /// What a Coder may change: its task's files; in a step without tasks what the step says.
    pub(super) fn scope_for(&self, dispatch: &Dispatch, task: Option<&Task>) -> Option<Scope> {
        if dispatch.role != Role::Coder {
            return None;
        }
        let in_scope = if task.is_some() || self.has_task_loop() {
            self.scope_of(task)
        } else {
            match self.part_of(dispatch) {
                Some(part) => [part.writes.as_ref()?.as_slice(), &part.outputs].concat(),
                None => self.scope_of_steps()?,
            }
        };
        let unit = task.map_or(&self.plan.meta, |task| &task.unit);
        Some(Scope {
            in_scope,
            out_of_scope: task.map(|task| task.spec.out_of_scope.clone()).unwrap_or_default(),
            allowed: unit.allowed.iter().cloned().collect(),
            named: dispatch.given.authorized.clone(),
            refused: unit.refused.iter().map(|(path, why)| format!("{path} ({why})")).collect(),
        })
    }

    /// A task's own scope; for the session as a whole, all tasks' and all that changed.
    fn scope_of(&self, task: Option<&Task>) -> Vec<String> {
        if let Some(task) = task {
            return task.spec.scope().to_vec();
        }
        let mut scope: Vec<String> =
            self.plan.tasks.iter().flat_map(|task| task.spec.scope().to_vec()).collect();
        scope.extend(self.plan.tasks.iter().flat_map(|task| task.unit.allowed.iter().cloned()));
        scope.extend(self.branch.changed.iter().map(|change| change.path.clone()));
        scope.extend(self.base_conflict().into_iter().flat_map(|conflict| conflict.files.clone()));
        scope.sort();
        scope.dedup();
        scope
    }

    /// What a Coder is told who finds two sides in its tree.
    pub(super) fn conflict_words(&self, dispatch: &Dispatch) -> Vec<String> {
        let Some(join) = self.join_of(dispatch) else {
            return Vec::new();
        };
        let branch = self.opening.base_branch.as_deref().unwrap_or("the base");
        let files = join.files.join(", ");
        vec![
            format!("merge: {branch} has moved since the session started from it. Your tree has the session's work and the new commits of {branch}, and they conflict in: {files}"),
            format!("merge: between <<<<<<< and ======= stands the session's side, between ======= and >>>>>>> that of {branch}; keep what both sides want and remove every marker"),
            "merge: a conflicting file without markers was deleted, renamed or replaced on one side; leave it as it should be".to_owned(),
        ]
    }

    /// What a Reviewer is told about files beyond the scope of what it looks at.
    pub(super) fn scope_words(&self, task: Option<&Task>) -> Vec<String> {
        let units: Vec<&Unit> = match task {
            Some(task) => vec![&task.unit],
            None => {
                self.plan.tasks.iter().map(|task| &task.unit).chain([&self.plan.meta]).collect()
            }
        };
        let beyond: Vec<&Scoped> =
            units.into_iter().flat_map(|unit| unit.beyond.values()).collect();
        let more = beyond.len().saturating_sub(SCOPE_WARNINGS_MAX);
        let rest = (more > 0).then(|| format!("scope: {more} more files beyond the scope"));
        let words = beyond
            .iter()
            .take(SCOPE_WARNINGS_MAX)
            .map(|Scoped { path, class, reason, .. }| match class {
                ScopeClass::Violation => format!(
                    "scope: {path} was changed outside the scope and left out ({reason}); warn, do not reject for it"
                ),
                class => format!("scope: {path} counts as {class} ({reason}); say if that is not so"),
            });
        words.chain(rest).collect()
    }

    /// What was kept aside and is allowed now, by where it is kept.
    pub(super) fn to_restore(&self, dispatch: &Dispatch) -> Vec<Kept> {
        let Some(unit) = self.unit(&dispatch.task) else {
            return Vec::new();
        };
        let mut kept: BTreeMap<&String, Vec<String>> = BTreeMap::new();
        for path in self.allowed_aside(dispatch) {
            kept.entry(&unit.aside[path]).or_default().push(path.clone());
        }
        kept.into_iter().map(|(rescue, paths)| Kept { rescue: rescue.clone(), paths }).collect()
    }
}
