//! What an action must be given before it starts: files of the repository, and values that a person says.

use crate::failure::Failure;
use crate::output;
use std::collections::{BTreeMap, BTreeSet};
use tollgate_core::action::Action;
use tollgate_core::id::CommitId;
use tollgate_core::limits::GOAL_BYTES_MAX;
use tollgate_git::repository::RepositoryError;
use tollgate_host::context::Context;
use tollgate_host::given::InputFault;

pub type Values = BTreeMap<String, String>;

/// Something that an action needs and does not have.
#[derive(Debug, PartialEq, Eq)]
pub enum MissingInput {
    Value {
        name: String,
    },
    /// Whether the working tree has it all the same.
    Path {
        path: String,
        is_uncommitted: bool,
    },
}

/// `NAME=VALUE` as given, each name once.
pub fn given(words: &[String]) -> Result<Values, Failure> {
    let mut values = Values::new();
    for word in words {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
                (name.trim(), value.trim())
            }
            _ => {
                return Err(Failure::usage(
                    "cli.input",
                    format!("--input {word:?} is not a name, `=` and a value"),
                )
                .hint("such as `--input project=Ledger`"));
            }
        };
        if value.len() > GOAL_BYTES_MAX {
            let message = format!("the input {name:?} has more than {GOAL_BYTES_MAX} bytes");
            return Err(Failure::usage("cli.input", message)
                .hint("put the text in a file of the repository and name the file"));
        }
        if values.insert(name.to_owned(), value.to_owned()).is_some() {
            let message = format!("the input {name:?} is given twice");
            return Err(Failure::usage("cli.input", message).hint("give each name once"));
        }
    }
    Ok(values)
}

/// Refuses values that the action does not know.
pub fn check_known(action: &Action, values: &Values) -> Result<(), Failure> {
    let known: Vec<&str> =
        action.inputs.iter().map(String::as_str).filter(|input| !is_path(input)).collect();
    let Some(name) = values.keys().find(|name| !known.contains(&name.as_str())) else {
        return Ok(());
    };
    let failure = if action.inputs.contains(name) {
        let message = format!("the input {name:?} is a path in the repository, not a value");
        return Err(Failure::usage("cli.input", message)
            .hint("remove the option and commit the file; Tollgate reads it from HEAD"));
    } else {
        let message = format!("the action {} takes no input {name:?}", action.name);
        Failure::usage("cli.input", message)
    };
    Err(match known.as_slice() {
        [] => failure.hint("it takes no values; put the details in the goal"),
        known => failure.hint(format!("it takes: {}", known.join(", "))),
    })
}

/// Everything that the action needs and that is not there.
pub fn missing(
    context: &Context,
    head: &CommitId,
    action: &Action,
    values: &Values,
) -> Result<Vec<MissingInput>, RepositoryError> {
    let mut missing = Vec::new();
    for input in &action.inputs {
        if !is_path(input) {
            if !values.contains_key(input) {
                missing.push(MissingInput::Value { name: input.clone() });
            }
        } else if !context.repository.has_path(head, input)? {
            let is_uncommitted = context.repository.root().join(input).exists();
            missing.push(MissingInput::Path { path: input.clone(), is_uncommitted });
        }
    }
    Ok(missing)
}

/// How often an input is asked for.
const TRIES: u32 = 3;

/// Asks for the values at a terminal, one line each; an empty line leaves it missing.
pub fn ask(action: &Action, missing: Vec<MissingInput>, values: &mut Values) -> Vec<MissingInput> {
    // Where a file is missing nothing starts, whatever is typed.
    if missing.iter().any(|missing| matches!(missing, MissingInput::Path { .. })) {
        return missing;
    }
    output::talk(&format!("The action {} needs to know:", action.name));
    let mut left = Vec::new();
    for entry in missing {
        let MissingInput::Value { name } = &entry else { continue };
        match read_value(name) {
            Some(value) => {
                values.insert(name.clone(), value);
            }
            None => left.push(entry),
        }
    }
    left
}

/// A slip of the finger must not cost what was typed before: an empty line is asked again.
fn read_value(name: &str) -> Option<String> {
    for _ in 0..TRIES {
        output::prompt(&format!("  {name}: "));
        let mut line = String::new();
        let read = std::io::stdin().read_line(&mut line).ok()?;
        let answer = line.trim();
        if !answer.is_empty() && answer.len() <= GOAL_BYTES_MAX {
            return Some(answer.to_owned());
        }
        // The person has closed the input.
        if read == 0 {
            return None;
        }
    }
    None
}

pub fn names(missing: &[MissingInput]) -> Vec<&str> {
    fn name(missing: &MissingInput) -> &str {
        match missing {
            MissingInput::Value { name } => name,
            MissingInput::Path { path, .. } => path,
        }
    }
    missing.iter().map(name).collect()
}

/// Nothing was started: each missing input, and how to give it.
pub fn refusal(action: &Action, missing: &[MissingInput]) -> Failure {
    let message = format!(
        "the action {} needs inputs that are missing: {}; nothing was started",
        action.name,
        names(missing).join(", ")
    );
    let failure = Failure::usage("cli.input", message);
    missing.iter().fold(failure, |failure, missing| {
        failure.hint(match missing {
            MissingInput::Value { name } => format!("give it as `--input {name}=VALUE`"),
            MissingInput::Path { path, is_uncommitted: true } => {
                format!("{path} is in the working tree but not in HEAD: commit it")
            }
            MissingInput::Path { path, is_uncommitted: false } => {
                format!(
                    "write {path} and commit it; `tollgate actions {}` explains it",
                    action.name
                )
            }
        })
    })
}

/// Nothing was started: each input that is there and cannot be used, with its place.
pub fn check_usable(action: &Action, faults: &[InputFault]) -> Result<(), Failure> {
    if faults.is_empty() {
        return Ok(());
    }
    let message = format!(
        "the action {} cannot start with these inputs: {}; nothing was started",
        action.name,
        unusable(faults).join("; ")
    );
    let helps: BTreeSet<&String> = faults.iter().filter_map(|fault| fault.help.as_ref()).collect();
    let failure = Failure::usage("cli.input", message);
    Err(helps.into_iter().fold(failure, |failure, help| failure.hint(help.clone())))
}

/// Each fault with its place.
pub fn unusable(faults: &[InputFault]) -> Vec<String> {
    faults.iter().map(|fault| format!("{}: {}", fault.place, fault.message)).collect()
}

/// An input with a slash is a file or folder; a plain word is something that a person says.
fn is_path(input: &str) -> bool {
    input.contains('/')
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn r059_values_are_read_and_odd_ones_refused() {
        let values = given(&words(&["a=1", " b = x=y "])).unwrap();
        assert_eq!(values["a"], "1");
        assert_eq!(values["b"], "x=y");
        for bad in [&["a"][..], &["=1"], &["a="], &["a= "], &["a=1", "a=2"]] {
            let failure = given(&words(bad)).unwrap_err();
            assert_eq!(failure.code, "cli.input", "{bad:?}");
        }
    }
}
