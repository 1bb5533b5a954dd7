//! Writes an action as front matter, as a person would.

use tollgate_core::action::{Action, Assignment, CheckSubject, ChooseGate, Step, StepKind, When};

/// The lines between `---` and `---`, with both.
pub fn front_matter(action: &Action) -> String {
    let mut lines = vec![
        "---".to_owned(),
        format!("name: {}", scalar(&action.name)),
        format!("description: {}", scalar(&action.description)),
        format!("intent: {}", list(&action.intent)),
        format!("inputs: {}", list(&action.inputs)),
        format!("outputs: {}", list(&action.outputs)),
        "steps:".to_owned(),
    ];
    lines.extend(action.steps.iter().flat_map(step));
    lines.push("---".to_owned());
    lines.join("\n") + "\n"
}

fn step(step: &Step) -> Vec<String> {
    let state = format!("state: {}", step.state);
    let mut fields: Vec<String> = match &step.kind {
        StepKind::Parallel { members } => return parallel(members, &state),
        StepKind::Dispatch(part) => {
            let mut fields = assignment(part);
            fields.insert(1, state);
            fields
        }
        StepKind::Approve { gate, shows, corrects } => {
            let roles: Vec<String> = corrects.iter().map(|role| role.as_str().to_owned()).collect();
            let mut fields = vec![format!("approve: {}", scalar(gate)), state];
            fields.extend(optional_list("shows", shows));
            fields.extend(optional_list("corrects", &roles));
            fields
        }
        StepKind::Choose { gate: ChooseGate::ReviewStrategy } => {
            vec!["choose: REVIEW_STRATEGY".to_owned(), state]
        }
        StepKind::Tasks => vec!["tasks: plan".to_owned(), state],
        StepKind::Severity { gate } => vec![format!("severity: {}", scalar(gate)), state],
        StepKind::Checks { of } => {
            let of: Vec<String> = of.iter().map(subject).collect();
            vec![format!("checks: {}", list(&of)), state]
        }
        StepKind::Close => vec!["close: done".to_owned(), state],
    };
    if step.when == Some(When::Requested) {
        fields.push("when: requested".to_owned());
    }
    vec![format!("  - {{{}}}", fields.join(", "))]
}

fn parallel(members: &[Assignment], state: &str) -> Vec<String> {
    let member = |part: &Assignment| format!("      - {{{}}}", assignment(part).join(", "));
    let members = members.iter().map(member);
    let first = std::iter::once("  - parallel:".to_owned());
    first.chain(members).chain([format!("    {state}")]).collect()
}

fn assignment(part: &Assignment) -> Vec<String> {
    let name = part.called.as_deref().unwrap_or(crate::skill::folder_of(part.role));
    let mut fields = vec![format!("dispatch: {}", scalar(name))];
    fields.extend(optional_list("inputs", &part.inputs));
    fields.extend(optional_list("outputs", &part.outputs));
    fields.extend(part.writes.as_ref().map(|writes| format!("writes: {}", list(writes))));
    fields.extend(part.optional.then(|| "optional: true".to_owned()));
    fields
}

fn subject(subject: &CheckSubject) -> String {
    match subject {
        CheckSubject::Acceptance => "acceptance".to_owned(),
        CheckSubject::Evidence => "evidence".to_owned(),
        CheckSubject::Lifecycle => "lifecycle".to_owned(),
        CheckSubject::Coverage => "coverage".to_owned(),
        CheckSubject::Planning => "planning".to_owned(),
        CheckSubject::Command(command) => format!("cmd: {command}"),
    }
}

fn optional_list(key: &str, words: &[String]) -> Option<String> {
    (!words.is_empty()).then(|| format!("{key}: {}", list(words)))
}

fn list(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| scalar(word)).collect();
    format!("[{}]", words.join(", "))
}

/// Bare where nothing in it can mean something else to YAML, and else as JSON writes a text, which YAML reads.
fn scalar(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    let begins_well = text.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_word = !matches!(
        text.to_ascii_lowercase().as_str(),
        "true" | "false" | "null" | "yes" | "no" | "on" | "off" | "y" | "n"
    );
    if begins_well && is_word && text.chars().all(is_plain) {
        return text.to_owned();
    }
    serde_json::Value::String(text.to_owned()).to_string()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use crate::{action, pack};

    #[test]
    fn r147_every_built_in_action_is_the_same_after_it_was_written_down() {
        for built in pack::ACTIONS {
            let action = action::read(built.text, built.name).0.unwrap();
            let text = front_matter(&action);
            let (again, report) = action::read(&text, built.name);
            assert_eq!(again.as_ref(), Some(&action), "{text}\n{report:?}");
        }
    }

    #[test]
    fn words_that_mean_something_to_yaml_are_quoted() {
        for text in
            ["a: b", "yes", "- x", "12", "{a}", "\"", "# no", "é", "a #b", ".env", "null", "*"]
        {
            let mut action = action::read(pack::ACTIONS[1].text, "lean").0.unwrap();
            action.description = text.to_owned();
            let (again, report) = action::read(&front_matter(&action), "lean");
            assert_eq!(again, Some(action), "{report:?}");
        }
    }
}
