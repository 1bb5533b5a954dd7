//! `tollgate actions`: what `tollgate run --action` takes, and what each does.

mod adopt;
pub(super) mod notices;
pub(super) mod steps;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{output, place};
use adopt::Adopt;
use clap::{Args, Subcommand};
use serde::Serialize;
use tollgate_contract::diagnostic::Diagnostic;
use tollgate_contract::nearest::nearest;
use tollgate_core::action::Action;
use tollgate_host::settings::SettingsError;
use tollgate_host::settings::actions::{self, Form, FoundAction};

/// List the actions that can be run, or show one
///
/// A repository can add its own actions, or its own versions of built-in ones, in agents/actions/: those
/// that agents/actions/README.md lists, or every file there if that list does not exist. A file without front matter is
/// read from its headings; what of it was not understood is listed with its line.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  tollgate actions\n  tollgate actions review\n  tollgate actions adopt review"
)]
pub struct Actions {
    /// Show this action: its words, inputs, outputs, steps and gates
    pub name: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(subcommand)]
    verb: Option<ActionsVerb>,
}

#[derive(Debug, Subcommand)]
enum ActionsVerb {
    Adopt(Adopt),
}

#[derive(Debug, Serialize)]
struct ActionRow {
    name: String,
    description: String,
    source: String,
    #[serde(skip_serializing_if = "Form::is_usual")]
    form: Form,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    /// A file of the repository that the built-in action is used instead of, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    unused: Option<String>,
    /// What of the file is not done as it is written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<Diagnostic>,
}

impl Actions {
    pub fn run(self) -> Result<Exit, Failure> {
        if let Some(ActionsVerb::Adopt(adopt)) = self.verb {
            return adopt.run();
        }
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
    let unused = unused(&found);
    let FoundAction { name, source, form, read, notices, .. } = found;
    let (description, problem) = match read {
        Ok(action) => (action.description, None),
        Err(error) => (String::new(), Some(problem(&error))),
    };
    ActionRow { name, source, form, description, problem, unused, notices }
}

/// Which file is not used, and why.
pub(super) fn unused(found: &FoundAction) -> Option<String> {
    let unused = found.unused.as_ref()?;
    Some(format!("{} is not used: {}", unused.path, unused.why))
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
    for ActionRow { name, description, source, problem, unused, .. } in &entries {
        output::data(&match (problem, unused) {
            (None, None) => format!("{name:<width$}  {description} ({source})"),
            (None, Some(unused)) => format!("{name:<width$}  {description} ({source}; {unused})"),
            (Some(problem), _) => format!("{name:<width$}  cannot be run: {problem} ({source})"),
        });
    }
}

/// The action of a name among all; a failure names the nearest.
fn pick(all: Vec<FoundAction>, name: &str, command: &str) -> Result<FoundAction, Failure> {
    let known: Vec<String> = all.iter().map(|found| found.name.clone()).collect();
    all.into_iter().find(|found| found.name == name).ok_or_else(|| {
        let failure = Failure::usage("cli.settings", format!("there is no action {name:?}"));
        match nearest(name, known.iter().map(String::as_str)) {
            Some(near) => failure.hint(format!("did you mean `{command} {near}`?")),
            None => failure.hint(format!("known: {}", known.join(", "))),
        }
    })
}

fn show(all: Vec<FoundAction>, name: &str, is_json: bool) -> Result<Exit, Failure> {
    let found = pick(all, name, "tollgate actions")?;
    let unused = unused(&found);
    let FoundAction { source, form, read, notices, .. } = found;
    let action = read?;
    if is_json {
        let (source, action) = (&source, &action);
        output::json(&ActionOutput { source, form, unused, notices: &notices, action });
        return Ok(Exit::Ok);
    }
    let mut lines = vec![text(&action, &source, form)];
    lines.extend(unused.map(|unused| format!("note:    {unused}")));
    lines.extend(notices::words(&notices));
    output::data(&lines.join("\n"));
    Ok(Exit::Ok)
}

#[derive(Debug, Serialize)]
struct ActionOutput<'a> {
    source: &'a str,
    #[serde(skip_serializing_if = "Form::is_usual")]
    form: Form,
    #[serde(skip_serializing_if = "Option::is_none")]
    unused: Option<String>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    notices: &'a [Diagnostic],
    #[serde(flatten)]
    action: &'a Action,
}

fn text(action: &Action, source: &str, form: Form) -> String {
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
    let how = if form == Form::Prose { ", read from its headings" } else { "" };
    let mut lines = vec![
        format!("{}: {}", action.name, action.description),
        format!("source:  {source}{how}"),
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
