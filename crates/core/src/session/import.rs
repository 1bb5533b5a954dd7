//! How the state begins where another orchestrator had come to.

use super::fit::{Fit, count_fits};
use super::record::Imported;
use super::{ArtefactRecord, Session, Task, Unit};
use crate::import::{ImportedTask, Repairs, TakenOver};
use crate::task::TaskStatus;

impl Session {
    pub(super) fn take_over(&mut self, taken: &TakenOver) {
        let folder = taken.origin.folder.clone();
        self.record.imported = Some(Imported { folder, reached: taken.reached });
        for document in &taken.documents {
            let record =
                ArtefactRecord { sha256: document.sha256.clone(), previous: None, from: None };
            self.files.artefacts.insert(document.path.clone(), record);
        }
        self.plan.criteria.clone_from(&taken.criteria);
        self.plan.tasks = taken.tasks.iter().map(task).collect();
        self.plan.meta.repairs.clone_from(&taken.repairs);
    }

    /// It comes right after the opening, and everything in it once.
    pub(super) fn import_fits(&self, taken: &TakenOver) -> Fit {
        let is_first = self.record.imported.is_none()
            && self.dispatches.is_empty()
            && self.decisions.asked.is_empty()
            && self.plan.tasks.is_empty();
        if !is_first {
            return Err("a session that has begun is imported".to_owned());
        }
        for (at, task) in taken.tasks.iter().enumerate() {
            if taken.tasks[..at].iter().any(|before| before.spec.id == task.spec.id) {
                return Err(format!("task {} is imported twice", task.spec.id));
            }
        }
        let all = taken.tasks.iter().map(|task| &task.repairs).chain([&taken.repairs]);
        all.flat_map(Repairs::values).try_for_each(|count| count_fits("repairs", *count))
    }
}

fn task(imported: &ImportedTask) -> Task {
    let ImportedTask { spec, status, repairs } = imported.clone();
    let is_coded = matches!(status, TaskStatus::Implemented | TaskStatus::Completed);
    let unit = Unit {
        repairs,
        coded: is_coded,
        // Nobody of ours has run them on it.
        needs_checks: status == TaskStatus::Implemented,
        ..Unit::default()
    };
    let before_block = if status == TaskStatus::Blocked { TaskStatus::NotStarted } else { status };
    Task { spec, status, before_block, unit, touched_sensitive: false }
}
