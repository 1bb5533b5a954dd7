//! What the session takes over: work of an attempt, a plan, a person's edits.

use super::dispatch::Delivered;
use super::{ArtefactRecord, Dispatch, GateState, Session, Task, Unit};
use crate::id::{DispatchNumber, TaskRef};
use crate::input::Edit;
use crate::role::Role;
use crate::task::{TaskSpec, TaskStatus};
use crate::work::{ChangeType, ScopeClass, Work};

impl Session {
    /// Takes over what an attempt delivered. Says whether the code changed.
    pub(super) fn take_work(
        &mut self,
        number: DispatchNumber,
        role: Role,
        task: &TaskRef,
        delivered: &Delivered,
    ) -> bool {
        let may_recommend = matches!(role, Role::SpecAgent | Role::Architect);
        self.wanted_roles.extend(delivered.reply.recommended_agent.filter(|_| may_recommend));
        let Work { changes, commit, artefacts, sensitive, outputs, .. } = &delivered.work;
        for path in delivered.work.gone() {
            self.outputs.remove(path);
        }
        for output in outputs {
            self.outputs.insert(output.path.clone(), output.sha256.clone());
        }
        for artefact in artefacts {
            let previous = self.artefacts.get(&artefact.path).map(|record| record.sha256.clone());
            let record = ArtefactRecord {
                sha256: artefact.sha256.clone(),
                previous,
                from: Some((number, delivered.attempt)),
            };
            self.artefacts.insert(artefact.path.clone(), record);
        }
        let Some(commit) = commit else {
            return false;
        };
        let before = self.has_accepted_work().then(|| self.tip.clone());
        self.tip_before = self.before_merge.clone().unwrap_or(before);
        self.tip = commit.clone();
        for change in changes {
            self.changed.absorb(change);
        }
        // Tests that QA adds belong to its verdict; everything else wants a reviewer's eye.
        let only_adds = changes.iter().all(|change| change.change_type == ChangeType::Added);
        if role != Role::QA || !only_adds {
            self.unreviewed = true;
        }
        if !sensitive.is_empty() {
            match task {
                TaskRef::Task(id) => {
                    let task = self.tasks.iter_mut().find(|task| task.spec.id == *id);
                    task.into_iter().for_each(|task| task.touched_sensitive = true);
                }
                // Nobody audited this: it belongs to no task.
                TaskRef::Meta => {
                    self.meta.needs_audit = true;
                    self.meta.audit = GateState::Open;
                }
            }
        }
        true
    }

    /// What was changed beyond the work item, and where what was left out is kept.
    pub(super) fn note_scope(&mut self, number: DispatchNumber, work: &Work) {
        let dispatch = &self.dispatches[&number];
        let (task, is_coder) = (dispatch.task.clone(), dispatch.role == Role::Coder);
        let Some(unit) = self.unit_mut(&task).filter(|_| is_coder) else {
            return;
        };
        // What was left out before is told again where it is touched again.
        unit.beyond.retain(|_, scoped| scoped.class != ScopeClass::Violation);
        for scoped in &work.scoped {
            unit.beyond.insert(scoped.path.clone(), scoped.clone());
        }
        let Some(rescue) = &work.rescue else {
            return;
        };
        for change in &work.out_of_scope {
            for path in std::iter::once(&change.path).chain(&change.old_path) {
                unit.aside.insert(path.clone(), rescue.clone());
            }
        }
    }

    /// What was left out of a unit's work and a person has allowed since.
    pub(crate) fn allowed_aside(&self, dispatch: &Dispatch) -> impl Iterator<Item = &String> {
        let unit = self.unit(&dispatch.task).filter(|_| dispatch.role == Role::Coder);
        let aside =
            unit.into_iter().flat_map(|unit| unit.aside.keys().map(move |path| (unit, path)));
        aside.filter(|(unit, path)| unit.allowed.contains(*path)).map(|(_, path)| path)
    }

    /// New tasks start; tasks that were there keep how far they are.
    pub(super) fn adopt_plan(&mut self, specs: &[TaskSpec]) {
        // Its checks may be others now.
        self.acceptance = None;
        self.checked_tip = None;
        let mut known = std::mem::take(&mut self.tasks);
        for spec in specs {
            let place = known.iter().position(|task| task.spec.id == spec.id);
            let task = match place {
                Some(index) => Task { spec: spec.clone(), ..known.swap_remove(index) },
                None => Task {
                    spec: spec.clone(),
                    status: TaskStatus::NotStarted,
                    before_block: TaskStatus::NotStarted,
                    unit: Unit::default(),
                    touched_sensitive: false,
                },
            };
            self.tasks.push(task);
        }
    }

    pub(super) fn take_edits(&mut self, edits: &[Edit]) {
        for edit in edits.iter().filter(|edit| edit.errors.is_empty()) {
            match &edit.now {
                Some(now) => {
                    let record =
                        ArtefactRecord { sha256: now.sha256.clone(), previous: None, from: None };
                    self.artefacts.insert(edit.path.clone(), record);
                }
                None => {
                    self.artefacts.remove(&edit.path);
                }
            }
        }
    }
}
