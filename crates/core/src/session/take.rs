//! What the session takes over of the work of an attempt.

use super::dispatch::Delivered;
use super::plan::Recommendation;
use super::{ArtefactRecord, Dispatch, GateState, Session, Task};
use crate::id::{Attempt, DispatchNumber, TaskRef};
use crate::limits::IMPLEMENTATIONS_MAX;
use crate::proof::one_line;
use crate::reply::{Reply, ReplyStatus};
use crate::role::Role;
use crate::work::{Implementation, ScopeClass, TaskBlocker, Work};

impl Session {
    /// The commands of a task that are run: those of its plan that nobody waived.
    pub(crate) fn commands_of(&self, task: &Task) -> Vec<String> {
        let mut commands = task.commands();
        commands.retain(|command| !self.checks.waived.contains_key(command));
        commands
    }

    /// The commands of all tasks, each once.
    pub(crate) fn task_commands(&self) -> Vec<String> {
        let mut commands: Vec<String> = Vec::new();
        for command in self.plan.tasks.iter().flat_map(|task| self.commands_of(task)) {
            if !commands.contains(&command) {
                commands.push(command);
            }
        }
        commands
    }

    /// Takes over what an attempt delivered. Says whether the code changed.
    pub(super) fn take_work(
        &mut self,
        number: DispatchNumber,
        role: Role,
        task: &TaskRef,
        delivered: &Delivered,
    ) -> bool {
        let may_recommend = matches!(role, Role::SpecAgent | Role::Architect);
        if let Some(wanted) = delivered.reply.recommended_agent.filter(|_| may_recommend) {
            let why = delivered.reply.recommended_why.clone();
            let asked = self.plan.wanted_roles.entry(wanted).or_default();
            asked.push(Recommendation { by: number, why });
        }
        self.note_commands(number, &delivered.reply.commands);
        let Work { code, documents, .. } = &delivered.work;
        for path in code.gone() {
            self.files.outputs.remove(path);
        }
        for output in &code.outputs {
            self.files.outputs.insert(output.path.clone(), output.sha256.clone());
        }
        for artefact in &documents.artefacts {
            let previous =
                self.files.artefacts.get(&artefact.path).map(|record| record.sha256.clone());
            let record = ArtefactRecord {
                sha256: artefact.sha256.clone(),
                previous,
                from: Some((number, delivered.attempt)),
            };
            self.files.rewritten.remove(&artefact.path);
            self.files.artefacts.insert(artefact.path.clone(), record);
        }
        self.files.reported.extend(documents.reported.iter().cloned());
        for tag in &code.tags {
            if !self.branch.tags.contains(tag) {
                self.branch.tags.push(tag.clone());
            }
        }
        if documents.plan.is_some() || !documents.refinements.is_empty() {
            self.plan.refinements = documents.refinements.clone();
            self.plan.refined_by = Some(number);
        }
        let Some(commit) = &code.commit else {
            return false;
        };
        let before = self.has_accepted_work().then(|| self.branch.tip.clone());
        self.branch.tip_before = self.branch.before_merge.clone().unwrap_or(before);
        self.decisions.comparisons.take(task, &self.branch.tip, &code.changes);
        self.branch.tip = commit.clone();
        for change in &code.changes {
            self.branch.changed.absorb(change);
        }
        if !code.sensitive.is_empty() {
            match task {
                TaskRef::Task(id) => {
                    let task = self.plan.task_mut(id);
                    task.into_iter().for_each(|task| task.touched_sensitive = true);
                }
                // Nobody audited this: it belongs to no task.
                TaskRef::Meta => {
                    self.plan.meta.needs_audit = true;
                    self.plan.meta.audit = GateState::Open;
                }
            }
        }
        true
    }

    /// What was changed beyond the work item, and where what was left out is kept.
    pub(super) fn note_scope(&mut self, number: DispatchNumber, work: &Work) {
        let dispatch = &self.dispatches[&number];
        let (task, is_coder) = (dispatch.task.clone(), dispatch.role == Role::Coder);
        let Some(unit) = self.plan.unit_mut(&task).filter(|_| is_coder) else {
            return;
        };
        // What was left out before is told again where it is touched again.
        unit.beyond.retain(|_, scoped| scoped.class != ScopeClass::Violation);
        for scoped in &work.left_out.scoped {
            unit.beyond.insert(scoped.path.clone(), scoped.clone());
        }
        let Some(rescue) = &work.left_out.rescue else {
            return;
        };
        for change in &work.left_out.out_of_scope {
            for path in std::iter::once(&change.path).chain(&change.old_path) {
                unit.aside.insert(path.clone(), rescue.clone());
            }
        }
    }

    /// What a Coder says about the change that it delivers; the same dispatch says it once.
    pub(super) fn note_implementation(
        &mut self,
        number: DispatchNumber,
        reply: &Reply,
        work: &Work,
    ) {
        let dispatch = &self.dispatches[&number];
        let task = dispatch.task.clone();
        let delivers = dispatch.role == Role::Coder
            && reply.status == ReplyStatus::Ok
            && work.code.commit.is_some();
        let Some(unit) = self.plan.unit_mut(&task).filter(|_| delivers) else {
            return;
        };
        let said = &mut unit.implementations;
        said.retain(|known| known.dispatch != number);
        let surplus = (said.len() + 1).saturating_sub(IMPLEMENTATIONS_MAX);
        said.drain(..surplus);
        said.push(Implementation {
            dispatch: number,
            task,
            summary: reply.summary.clone(),
            notes: reply.notes.clone(),
            declarations: work.left_out.declared.clone(),
        });
    }

    /// A Coder that cannot do its task says why.
    pub(super) fn note_blocker(&mut self, number: DispatchNumber, attempt: Attempt, reply: &Reply) {
        let dispatch = &self.dispatches[&number];
        let (task, is_coder) = (dispatch.task.clone(), dispatch.role == Role::Coder);
        let stops = matches!(reply.status, ReplyStatus::Blocked | ReplyStatus::Fail);
        if let Some(unit) = self.plan.unit_mut(&task).filter(|_| is_coder && stops) {
            let summary = reply.summary.clone();
            unit.blockers.push(TaskBlocker { dispatch: number, attempt, summary });
        }
    }

    /// What the Reviewer says it has verified; a later review says it again.
    pub(super) fn note_verified(&mut self, number: DispatchNumber, reply: &Reply) {
        let dispatch = &self.dispatches[&number];
        let (task, is_review) = (dispatch.task.clone(), dispatch.role == Role::Reviewer);
        let is_ok = reply.status == ReplyStatus::Ok;
        if let Some(unit) = self.plan.unit_mut(&task).filter(|_| is_review) {
            let named = reply.verified_criteria.iter().filter(|_| is_ok);
            unit.verified = named.map(|text| one_line(text)).collect();
        }
    }

    /// What was left out of a unit's work and a person has allowed since.
    pub(crate) fn allowed_aside(&self, dispatch: &Dispatch) -> impl Iterator<Item = &String> {
        let unit = self.unit(&dispatch.task).filter(|_| dispatch.role == Role::Coder);
        let aside =
            unit.into_iter().flat_map(|unit| unit.aside.keys().map(move |path| (unit, path)));
        aside.filter(|(unit, path)| unit.allowed.contains(*path)).map(|(_, path)| path)
    }
}
