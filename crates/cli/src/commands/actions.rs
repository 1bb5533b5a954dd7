//! `tollgate actions`: what `tollgate run --action` takes, and what each does.

pub(super) mod steps;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{output, place};
use clap::Args;
use serde::Serialize;
use tollgate_contract::nearest::nearest;
use tollgate_core::action::Action;
use tollgate_host::settings::SettingsError;
use tollgate_host::settings::actions::{self, FoundAction};

/// List the actions that can be run, or show one
///
/// A repository can add its own actions, or its own versions of built-in ones, in agents/actions/: those
/// that agents/actions/README.md lists, or every file there if that list does not exist.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tollgate actions\n  tollgate actions review")]
pub struct Actions {
    /// Show this action: its words, inputs, outputs, steps and gates
    pub name: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Serialize)]
struct ActionRow {
    name: String,
    description: String,
    source: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

impl Actions {
    pub fn run(self) -> Result<Exit, Failure> {
        let all = match place::Checkout::find() {
            Ok(place) => actions::list(&place.layout)?,
            Err(_) => actions::built_in(),
        };
        match self.name {
            Some(name) => show(all, &name, self.json),
            None => {
                list(all.into_iter().map(entry).collect(), self.json);
                Ok(Exit::Ok)
            }
        }
    }
}

fn entry(found: FoundAction) -> ActionRow {
    let FoundAction { name, source, read } = found;
    match read {
        Ok(action) => ActionRow { name, source, description: action.description, problem: None },
        Err(error) => {
            ActionRow { name, source, description: String::new(), problem: Some(problem(&error)) }
        }
    }
}

/// Every fault of the file, on one line.
fn problem(error: &SettingsError) -> String {
    match error {
        SettingsError::Invalid(report) => {
            let faults =
                report.errors().map(|fault| format!("{}: {}", fault.place(), fault.message));
            faults.collect::<Vec<_>>().join("; ")
        }
        other => other.to_string(),
    }
}

fn list(entries: Vec<ActionRow>, is_json: bool) {
    if is_json {
        return output::json(&entries);
    }
    let width = entries.iter().map(|entry| entry.name.len()).max().unwrap_or(0);
    for ActionRow { name, description, source, problem } in &entries {
        output::data(&match problem {
            None => format!("{name:<width$}  {description} ({source})"),
            Some(problem) => format!("{name:<width$}  cannot be run: {problem} ({source})"),
        });
    }
}

fn show(all: Vec<FoundAction>, name: &str, is_json: bool) -> Result<Exit, Failure> {
    let known: Vec<String> = all.iter().map(|found| found.name.clone()).collect();
    let Some(found) = all.into_iter().find(|found| found.name == name) else {
        let failure = Failure::usage("cli.settings", format!("there is no action {name:?}"));
        return Err(match nearest(name, known.iter().map(String::as_str)) {
            Some(near) => failure.hint(format!("did you mean `tollgate actions {near}`?")),
            None => failure.hint(format!("known: {}", known.join(", "))),
        });
    };
    let action = found.read?;
    if is_json {
        output::json(&ActionOutput { source: &found.source, action: &action });
        return Ok(Exit::Ok);
    }
    output::data(&text(&action, &found.source));
    Ok(Exit::Ok)
}

#[derive(Debug, Serialize)]
struct ActionOutput<'a> {
    source: &'a str,
    #[serde(flatten)]
    action: &'a Action,
}

fn text(action: &Action, source: &str) -> String {
    let list = |words: &[String]| match words {
        [] => "none".to_owned(),
        words => words.join(", "),
    };
    let inputs: Vec<String> = action
        .inputs
        .iter()
        .map(|input| match input.contains('/') {
            true => input.clone(),
            false => format!("--input {input}=VALUE"),
        })
        .collect();
    let mut lines = vec![
        format!("{}: {}", action.name, action.description),
        format!("source:  {source}"),
        format!("words:   {}", list(&action.intent)),
        format!("inputs:  {}", list(&inputs)),
        format!("outputs: {}", list(&action.outputs)),
        "steps:".to_owned(),
    ];
    for (index, step) in action.steps.iter().enumerate() {
        let mut words = steps::words(step).into_iter();
        let first = words.next().unwrap_or_default();
        lines.push(format!("  {:>2}. {first}  [{}]", index + 1, step.state));
        lines.extend(words.map(|line| format!("        {line}")));
    }
    lines.join("\n")
}
