//! What a run would do, without doing it: the action, why it is that one, its steps, and who plays them.

use super::route::{Routed, roles_needed};
use crate::commands::actions::steps;
use crate::output;
use serde::Serialize;
use tollgate_core::action::Action;
use tollgate_host::context::Context;

#[derive(Debug, Serialize)]
struct DryRun<'a> {
    action: &'a str,
    /// The verbs of the goal that chose the action.
    verbs: &'a [String],
    why: String,
    missing_inputs: Vec<&'a str>,
    /// Those that are there and of no use, each with its place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unusable_inputs: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
    steps: Vec<PlannedStep>,
    agents: Vec<PlannedRole>,
}

#[derive(Debug, Serialize)]
struct PlannedStep {
    state: &'static str,
    /// What it does, and below that what belongs to it.
    does: Vec<String>,
}

#[derive(Debug, Serialize)]
struct PlannedRole {
    role: &'static str,
    /// None where the settings name nobody.
    agent: Option<String>,
}

/// What keeps the action from starting.
pub struct PlannedInputs<'a> {
    pub missing: Vec<&'a str>,
    pub unusable: Vec<String>,
}

pub fn show(
    context: &Context,
    routed: &Routed,
    is_named: bool,
    inputs: PlannedInputs<'_>,
    is_json: bool,
) {
    let planned = DryRun {
        action: &routed.action.name,
        verbs: &routed.verbs,
        why: why(routed, is_named),
        missing_inputs: inputs.missing,
        unusable_inputs: inputs.unusable,
        note: routed.note.as_deref(),
        steps: steps_of(&routed.action),
        agents: agents_of(context, &routed.action),
    };
    if is_json {
        return output::json(&planned);
    }
    output::data(&text(&planned));
}

fn why(routed: &Routed, is_named: bool) -> String {
    match routed.verbs.as_slice() {
        _ if is_named => "you named it".to_owned(),
        [] => "no other action owns every verb of the goal".to_owned(),
        verbs => format!("the goal says {}", verbs.join(" and ")),
    }
}

fn steps_of(action: &Action) -> Vec<PlannedStep> {
    let planned = action.steps.iter();
    planned
        .map(|step| PlannedStep { state: step.state.as_str(), does: steps::words(step) })
        .collect()
}

fn agents_of(context: &Context, action: &Action) -> Vec<PlannedRole> {
    let planned = roles_needed(action).into_iter().map(|role| PlannedRole {
        role: role.as_str(),
        agent: context.config.agent_for(role).map(|(name, _)| name.to_owned()),
    });
    planned.collect()
}

fn text(planned: &DryRun<'_>) -> String {
    let mut lines = vec![format!("action:  {}, because {}", planned.action, planned.why)];
    if !planned.missing_inputs.is_empty() {
        lines.push(format!("missing: {}", planned.missing_inputs.join(", ")));
    }
    lines.extend(planned.unusable_inputs.iter().map(|fault| format!("unusable: {fault}")));
    lines.extend(planned.note.map(|note| format!("note:    {note}")));
    lines.push("steps:".to_owned());
    for (number, step) in (1..).zip(&planned.steps) {
        let mut words = step.does.iter();
        let first = words.next().map_or("", String::as_str);
        lines.push(format!("  {number:>2}. {first}  [{}]", step.state));
        lines.extend(words.map(|line| format!("        {line}")));
    }
    lines.push("agents:".to_owned());
    for PlannedRole { role, agent } in &planned.agents {
        lines.push(format!(
            "  {role}: {}",
            agent.as_deref().unwrap_or("nobody; tollgate.toml names no agent")
        ));
    }
    lines.join("\n")
}
