//! Which action a run takes: the one that is named, or the one that the goal means.

use crate::commands::actions::notices;
use crate::failure::Failure;
use crate::output;
use tollgate_contract::intent::{self, Candidate, Route};
use tollgate_contract::{action, pack};
use tollgate_core::action::{Action, StepKind};
use tollgate_core::role::Role;
use tollgate_host::context::Context;
use tollgate_host::settings::actions::{self, FoundAction};

const DEFAULT: &str = "deliver";

/// The action of a goal, and why it is that one.
#[derive(Debug)]
pub struct Routed {
    pub action: Action,
    /// The verbs of the goal that name the action; none where it is the default.
    pub verbs: Vec<String>,
    /// What the person should know about the file of the action.
    pub note: Option<String>,
}

/// The action of a name.
pub fn by_name(context: &Context, name: &str, verbs: Vec<String>) -> Result<Routed, Failure> {
    let found = actions::found(&context.layout, name)?;
    let note = notices::summary(&found);
    Ok(Routed { action: found.read?, verbs, note })
}

/// The action of a goal, by its verbs. Inputs that it lacks are the caller's to ask for: another action is not what was meant.
pub fn by_goal(context: &Context, goal: &str) -> Result<Routed, Failure> {
    let all = actions::list(&context.layout)?;
    for found in all.iter().filter(|found| found.read.is_err()) {
        let text = format!("{} is not considered: {}", found.name, problem(found));
        output::marked(output::WARN, "note:", &text);
    }
    let intents: Vec<Vec<String>> = all.iter().map(intent_of).collect();
    let candidates: Vec<Candidate<'_>> = all
        .iter()
        .zip(&intents)
        .map(|(found, intent)| Candidate { name: &found.name, intent })
        .collect();
    let (name, verbs) = match intent::route(goal, &candidates) {
        Route::Ambiguous(names) => return Err(ambiguous(&all, &names)),
        Route::Action(name) => (name, intent::verbs(goal).into_iter().collect()),
        Route::Deliver => (DEFAULT.to_owned(), Vec::new()),
    };
    by_name(context, &name, verbs)
}

/// Says which action the goal chose, when it is not the default, and what they should know about its file.
pub fn tell(routed: &Routed) {
    if let Some(note) = &routed.note {
        output::aside(output::WARN, "note:", note);
    }
    if routed.action.name == DEFAULT || routed.verbs.is_empty() {
        return;
    }
    let text = format!(
        "{}, because the goal says {}; `--action {DEFAULT}` delivers instead",
        routed.action.name,
        routed.verbs.join(" and ")
    );
    output::aside(output::NOTE, "action:", &text);
}

/// A version of the repository that cannot be read keeps the words of the built-in one: the goal that means it must
/// meet its faults, not another action.
fn intent_of(found: &FoundAction) -> Vec<String> {
    match &found.read {
        Ok(action) => action.intent.clone(),
        Err(_) => {
            let built_in = pack::find(pack::ACTIONS, &found.name);
            let read = built_in.and_then(|built| action::read(built.text, built.name).0);
            read.map(|action| action.intent).unwrap_or_default()
        }
    }
}

fn problem(found: &FoundAction) -> String {
    match &found.read {
        Ok(_) => String::new(),
        Err(error) => format!("{error}; `tollgate actions {}` explains it", found.name),
    }
}

fn ambiguous(all: &[FoundAction], names: &[String]) -> Failure {
    let message = format!(
        "the goal matches several actions: {}; nothing was started. Which one do you mean?",
        names.join(", ")
    );
    let failure = Failure::usage("cli.ambiguous", message);
    names.iter().fold(failure, |failure, name| {
        let read = all.iter().find(|found| found.name == *name).map(|found| &found.read);
        let description = match read {
            Some(Ok(action)) => action.description.as_str(),
            _ => "its file has errors",
        };
        failure.hint(format!("`--action {name}`: {description}"))
    })
}

/// Every role that the action may send out, and those that repair in it.
pub fn roles_needed(action: &Action) -> Vec<Role> {
    if action.steps.iter().any(|step| matches!(step.kind, StepKind::Tasks)) {
        return Role::dispatched().collect();
    }
    let parts = || action.assignments().map(|(_, part)| part.role);
    let is_needed = |role: &Role| parts().any(|part| part == *role);
    let mut needed: Vec<Role> = Role::dispatched().filter(is_needed).collect();
    let can_repair = action
        .steps
        .iter()
        .any(|step| matches!(step.kind, StepKind::Severity { .. } | StepKind::Checks { .. }));
    // Where nobody makes anything, the Coder repairs.
    if can_repair && parts().all(Role::is_reviewing) {
        needed.push(Role::Coder);
    }
    needed
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    #[test]
    fn only_roles_that_an_action_sends_out_are_needed() {
        let needed = |name: &str| {
            let built_in = pack::find(pack::ACTIONS, name).unwrap();
            roles_needed(&action::read(built_in.text, name).0.unwrap())
        };
        assert_eq!(needed("init"), []);
        assert_eq!(needed("plan"), [Role::SpecAgent, Role::Architect]);
        assert_eq!(needed("review"), [Role::Reviewer, Role::Security, Role::Coder]);
        assert_eq!(needed("document"), [Role::Docs]);
        assert_eq!(needed("deliver").len(), 11);
        assert_eq!(needed("lean").len(), 11);
    }
}
