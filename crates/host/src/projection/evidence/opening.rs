//! action-context.md: what was run, on what, and what each dispatch was for.

use super::words::{called, code, role_text};
use super::{heading, item};
use tollgate_core::event::Event;
use tollgate_core::id::CommitId;
use tollgate_core::input::Opening;
use tollgate_core::role::Role;
use tollgate_core::time::Timestamp;
use tollgate_core::view::Parts;
use tollgate_core::words;
use tollgate_core::work::BaseMerge;
use tollgate_core::worker::Worker;

pub(super) fn entry(parts: Parts<'_>, at: Timestamp, event: &Event) -> String {
    match event {
        Event::SessionOpened(opening) => opened(at, opening),
        Event::SessionImported(taken) => {
            format!("- {at} imported from {}\n", code(&taken.origin.folder))
        }
        Event::ModeChanged { mode, reason } => {
            format!("- {at} mode is {mode} from now on: {}\n", code(reason))
        }
        Event::StepEntered { index } => step(parts, at, *index, "begins"),
        Event::StepSkipped { index, reason } => {
            step(parts, at, *index, &format!("is skipped, {}", code(reason)))
        }
        Event::DispatchOpened { number, role, task, purpose, feedback, .. } => {
            let told = feedback.iter().map(|text| format!("  - told: {}\n", code(text)));
            let told: String = told.collect();
            let who = called(parts.called(*number).unwrap_or_default(), *role);
            format!(
                "- {at} dispatch {number}: {who} for {task:#}, {}\n{told}",
                words::purpose(purpose)
            )
        }
        Event::AttemptStarted { number, attempt, agent, stands_in_for, .. } => {
            let role = parts.role_of(*number);
            let player = role.and_then(|role| parts.agent_of(role));
            let by = match (agent.as_ref().map(Worker::as_str).or(player), role) {
                (Some(agent), _) => format!("agent {}", code(agent)),
                (None, Some(Role::Orchestrator)) => "Tollgate itself".to_owned(),
                (None, _) => "the agent that the settings name for the role".to_owned(),
            };
            let of = stands_in_for
                .as_deref()
                .map(|of| format!(" in place of {}, which has reached its usage limit", code(of)));
            let of = of.unwrap_or_default();
            format!("- {at} dispatch {number} attempt {attempt}: played by {by}{of}\n")
        }
        Event::AttemptNoted { number, attempt, given: Some(given), .. } => {
            let text = role_text(&given.role_file);
            format!("- {at} dispatch {number} attempt {attempt}: role file {text}\n")
        }
        Event::AttemptEnded { number, attempt, end, usage, .. } if end.has_begun() => {
            format!("- {at} dispatch {number} attempt {attempt}: cost {usage}\n")
        }
        Event::StageDeclared { stage } => {
            let stage = stage.as_deref().map_or("none is declared".to_owned(), code);
            format!("- {at} lifecycle stage: {stage}\n")
        }
        Event::MergeStarted { numbers } => {
            format!("- {at} the changes of {} members were merged\n", numbers.len())
        }
        Event::BaseMergeEnded { base, outcome } => base_merged(at, base, outcome),
        Event::Blocked { blocker, .. } => {
            format!("- {at} BLOCKED, {}: {}\n", blocker.code, code(&blocker.detail))
        }
        Event::Unblocked => format!("- {at} no longer blocked\n"),
        Event::SessionClosed => format!("- {at} DONE\n"),
        _ => String::new(),
    }
}

fn base_merged(at: Timestamp, base: &CommitId, outcome: &BaseMerge) -> String {
    let begins = format!("- {at} the base branch had moved to {base}");
    match outcome {
        BaseMerge::Clean { commit } => format!("{begins}: merged as {commit}\n"),
        BaseMerge::Conflicts { files, .. } => {
            let files: Vec<String> = files.iter().map(|file| code(file)).collect();
            format!("{begins}: conflicts in {}\n", files.join(", "))
        }
        BaseMerge::AlreadyIn => format!("{begins}: the work has it already\n"),
        BaseMerge::Unrelated => format!("{begins}: not merged, no history in common\n"),
    }
}

fn opened(at: Timestamp, opening: &Opening) -> String {
    let list = |values: &[String]| match values {
        [] => "none".to_owned(),
        values => values.iter().map(|value| code(value)).collect::<Vec<_>>().join(", "),
    };
    let mut text = "# Action context\n\n".to_owned();
    text.push_str(&item("session", opening.session.as_str()));
    text.push_str(&item("action", &opening.action.name));
    text.push_str(&item("goal", &opening.goal));
    text.push_str(&format!("- mode: {}\n", opening.mode));
    text.push_str(&format!("- project type: {}\n", opening.project_type));
    text.push_str(&format!("- inputs: {}\n", list(&opening.action.inputs)));
    for (name, value) in &opening.inputs {
        text.push_str(&item(&format!("input {name}"), value));
    }
    let stage = opening.stage.as_deref().map_or("none is declared".to_owned(), code);
    text.push_str(&format!("- lifecycle stage: {stage}\n"));
    text.push_str(&item("snapshot before it", opening.snapshot.as_deref().unwrap_or_default()));
    text.push_str(&format!("- declared outputs: {}\n", list(&opening.action.outputs)));
    text.push_str(&format!("- base commit: {}\n", opening.base));
    let branch = opening.base_branch.as_deref().map_or("detached".to_owned(), code);
    text.push_str(&format!("- base branch: {branch}\n"));
    text.push_str(&format!("- work goes to: `tollgate/{}`\n", opening.session));
    text.push_str(&format!("- instructions of the project: {}\n", list(&opening.instructions)));
    text.push_str(&item("tollgate", &opening.tollgate_version));
    text.push_str(&heading(at, "Steps and dispatches, in order"));
    text
}

fn step(parts: Parts<'_>, at: Timestamp, index: usize, how: &str) -> String {
    let state = parts.state_of_step(index).map_or("?".to_owned(), |state| state.to_string());
    format!("- {at} step {} ({state}) {how}\n", index + 1)
}
