//! A session that another orchestrator began: what is taken over, what is asked, and where the work continues.

mod kept;
mod point;

use super::draft::Draft;
use super::moves::ask::{self, Question};
use super::moves::enter;
use crate::answer::{EscalationWay, InfoWay};
use crate::decision::{DecisionKind, Subject};
use crate::event::Event;
use crate::id::TaskId;
use crate::import::{Import, ImportedTask, Origin, TakenOver};
use crate::notice::NoticeCode;
use crate::role::State;
use crate::task::TaskStatus;

/// Decides nothing about what comes next beyond the step that it continues with: that is for `resume`.
pub(crate) fn take_over(draft: &mut Draft<'_>, import: Import) {
    let Import { origin, documents, criteria, tasks, repairs, .. } = import;
    let recorded = origin.state;
    let wanted = point::wanted(recorded, &import.decisions);
    let (tasks, again) = restarted(tasks);
    let reached = point::reached(draft, wanted);
    let taken = TakenOver { origin, reached, documents, criteria, tasks, repairs };
    let head = head_is_taken(draft, &taken.origin);
    draft.emit(Event::SessionImported(Box::new(taken)));
    draft.notice(NoticeCode::ImportRepaired, head);
    for text in import.repaired {
        draft.notice(NoticeCode::ImportRepaired, text);
    }
    for id in again {
        let text = format!(
            "{id} was in progress: how far nobody can know, so it is not started, and its Coder begins again"
        );
        draft.notice(NoticeCode::ImportAgain, text);
    }
    for text in import.assumptions {
        draft.emit(Event::AssumptionNoted { text });
    }
    for text in import.known_issues {
        draft.emit(Event::KnownIssueNoted { text });
    }
    kept::decisions(draft, import.decisions, &import.rejections);
    let index = point::of(draft, recorded, wanted, reached);
    enter::step(draft, index);
    kept::correction(draft, index, import.correction);
    ask_blocked_tasks(draft);
    ask_blocked_session(draft, recorded, import.blocker.as_deref());
}

fn head_is_taken(draft: &Draft<'_>, origin: &Origin) -> String {
    let base = draft.opening.base.as_str();
    let base: String = base.chars().take(12).collect();
    format!(
        "taken over from {}; the code written so far is what HEAD has ({base}), and no review of Tollgate has seen it",
        origin.folder
    )
}

/// Half of the work of a task cannot be told from none of it.
fn restarted(tasks: Vec<ImportedTask>) -> (Vec<ImportedTask>, Vec<TaskId>) {
    let (mut taken, mut again) = (Vec::new(), Vec::new());
    for mut task in tasks {
        if task.status == TaskStatus::InProgress {
            task.status = TaskStatus::NotStarted;
            again.push(task.spec.id.clone());
        }
        taken.push(task);
    }
    (taken, again)
}

fn ask_blocked_tasks(draft: &mut Draft<'_>) {
    let blocked: Vec<(TaskId, String)> = draft
        .plan
        .tasks
        .iter()
        .filter(|task| task.status == TaskStatus::Blocked)
        .map(|task| (task.spec.id.clone(), task.spec.title.clone()))
        .collect();
    for (id, title) in blocked {
        let options = vec![
            ask::option(EscalationWay::Retry, "Try it again", "its Coder begins from the start"),
            ask::option(
                EscalationWay::RetryWithGuidance,
                "Try it again with guidance",
                "its Coder begins from the start with your guidance",
            )
            .recommended_if(true),
            ask::cancel_option(),
        ];
        let text = format!(
            "{id} ({title}) was blocked when the session was imported. How should it continue?"
        );
        let subject = Subject::Imported { task: Some(id) };
        ask::ask(draft, Question { kind: DecisionKind::Escalation, text, options, subject });
    }
}

/// Nobody but a person knows whether what blocked it is over; another open question says it already.
fn ask_blocked_session(draft: &mut Draft<'_>, recorded: Option<State>, blocker: Option<&str>) {
    let (Some(State::Blocked), Some(why)) = (recorded, blocker) else { return };
    if draft.pending_decisions().next().is_some() {
        return;
    }
    let text = format!(
        "The session was BLOCKED when it was imported: {why}. What should agents know before they continue?"
    );
    let options =
        vec![ask::option(InfoWay::Text, "Any text", "your answer goes to every agent from now on")];
    let subject = Subject::Imported { task: None };
    ask::ask(draft, Question { kind: DecisionKind::Info, text, options, subject });
}
