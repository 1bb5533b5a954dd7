//! A step of an action in words.

use tollgate_core::action::{Assignment, ChooseGate, Step, StepKind, When};

/// What the step does, and below it what belongs to it.
pub fn words(step: &Step) -> Vec<String> {
    let mut lines = match &step.kind {
        StepKind::Dispatch(part) => vec![assignment(part)],
        StepKind::Parallel { members } => {
            let first = format!("{} roles at the same time:", members.len());
            std::iter::once(first).chain(members.iter().map(assignment)).collect()
        }
        StepKind::Approve { gate, shows, corrects } => {
            let mut text = format!("you approve at {gate}");
            if !shows.is_empty() {
                text.push_str(&format!(" what is in {}", shows.join(", ")));
            }
            if !corrects.is_empty() {
                let roles: Vec<&str> = corrects.iter().map(|role| role.as_str()).collect();
                text.push_str(&format!("; rejected work goes to {}", roles.join(", ")));
            }
            vec![text]
        }
        StepKind::Choose { gate: ChooseGate::ReviewStrategy } => {
            vec!["you choose how the work is reviewed".to_owned()]
        }
        StepKind::Tasks => vec!["the tasks of the plan, each with reviews and repairs".to_owned()],
        StepKind::Severity { gate } => {
            vec![format!("the findings of the reviewers decide at {gate}")]
        }
        StepKind::Checks { of } => {
            let of: Vec<String> = of.iter().map(ToString::to_string).collect();
            vec![format!("Tollgate checks {}", of.join(", "))]
        }
        StepKind::Close => vec!["done".to_owned()],
    };
    if step.when == Some(When::Requested)
        && let Some(first) = lines.first_mut()
    {
        first.push_str(", when requested");
    }
    lines
}

fn assignment(part: &Assignment) -> String {
    let mut text = match &part.called {
        Some(called) => format!("{called} ({})", part.role),
        None => part.role.to_string(),
    };
    for (what, paths) in [("reads", &part.inputs), ("leaves", &part.outputs)] {
        if !paths.is_empty() {
            text.push_str(&format!(", {what} {}", paths.join(", ")));
        }
    }
    if part.optional {
        text.push_str(", optional");
    }
    text
}
