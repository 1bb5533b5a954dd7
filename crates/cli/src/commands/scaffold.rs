//! The engine's own role in an action: writes declared documents from the built-in templates, and leaves what is there.

use crate::output;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use tollgate_contract::{pack, scaffold};
use tollgate_files as files;

/// An input is a page of JSON; a bigger one is a mistake.
const INPUT_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// As an agent that is a command: the input by its path, the reply on standard output.
pub fn run() -> ExitCode {
    let reply = match order() {
        Ok((outputs, values)) => reply(Path::new("."), &outputs, &values),
        Err(words) => failed(words),
    };
    output::json_line(&reply);
    ExitCode::SUCCESS
}

type Order = (Vec<String>, BTreeMap<String, String>);

fn order() -> Result<Order, String> {
    let path = std::env::var("TOLLGATE_INPUT")
        .map_err(|_| "TOLLGATE_INPUT is not set; only Tollgate starts this command".to_owned())?;
    let bytes =
        files::read_bounded(Path::new(&path), INPUT_BYTES_MAX).map_err(|e| e.to_string())?;
    let input: Value = serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
    let constraints = input.pointer("/task/constraints").and_then(Value::as_array);
    Ok(read_constraints(constraints.into_iter().flatten().filter_map(Value::as_str)))
}

/// The constraints of a brief name what was given and what must be left behind.
fn read_constraints<'a>(lines: impl Iterator<Item = &'a str>) -> Order {
    let (mut outputs, mut values) = (Vec::new(), BTreeMap::new());
    for line in lines {
        if let Some(paths) = line.strip_prefix("leave behind: ") {
            outputs.extend(paths.split(", ").map(str::to_owned));
        } else if let Some((name, value)) =
            line.strip_prefix("input ").and_then(|rest| rest.split_once(": "))
        {
            values.insert(name.to_owned(), value.to_owned());
        }
    }
    (outputs, values)
}

fn reply(root: &Path, outputs: &[String], values: &BTreeMap<String, String>) -> Value {
    let unknown: Vec<&str> = outputs
        .iter()
        .map(String::as_str)
        .filter(|output| pack::find(pack::TEMPLATES, output).is_none())
        .filter(|output| root.join(output).symlink_metadata().is_err())
        .collect();
    if !unknown.is_empty() {
        let known: Vec<&str> = pack::TEMPLATES.iter().map(|template| template.name).collect();
        return failed(format!(
            "there is no template for {}. Known: {}.",
            unknown.join(", "),
            known.join(", ")
        ));
    }
    let (mut wrote, mut kept) = (Vec::new(), Vec::new());
    for output in outputs {
        if root.join(output).symlink_metadata().is_ok() {
            kept.push(output.as_str());
            continue;
        }
        let template = pack::find(pack::TEMPLATES, output).map_or("", |template| template.text);
        let text = scaffold::fill(template, values);
        if let Err(error) = files::write_beneath(root, output, text.as_bytes()) {
            return failed(format!("{output} cannot be written: {error}"));
        }
        wrote.push(output.as_str());
    }
    let list = |paths: &[&str]| match paths {
        [] => "nothing".to_owned(),
        paths => paths.join(", "),
    };
    let summary = format!("Wrote {}. Left unchanged: {}.", list(&wrote), list(&kept));
    let kept: Vec<String> = kept.iter().map(|path| format!("{path} already existed")).collect();
    said("OK", &summary, json!({"files_changed": wrote, "notes": kept}))
}

fn failed(words: String) -> Value {
    said("FAIL", &words, json!({"notes": [&words]}))
}

fn said(status: &str, summary: &str, artifacts: Value) -> Value {
    json!({
        "status": status,
        "summary": summary,
        "artifacts": artifacts,
        "gates": {"meets_definition_of_done": status == "OK", "needs_review": false, "needs_tests": false, "security_concerns": []},
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use tollgate_contract::agent_output;
    use tollgate_core::role::Role;

    #[test]
    fn what_is_declared_is_written_once_and_the_reply_fits_the_contract() {
        let root = tempfile::tempdir().unwrap();
        let names: Vec<&str> = pack::TEMPLATES.iter().map(|template| template.name).collect();
        let lines = [
            "input project: Ledger: the second".to_owned(),
            "input entities: Order, Invoice".to_owned(),
            format!("leave behind: {}", names.join(", ")),
        ];
        let (outputs, values) = read_constraints(lines.iter().map(String::as_str));
        assert_eq!(values["project"], "Ledger: the second");
        let first = reply(root.path(), &outputs, &values);
        assert_eq!(first["status"], "OK", "{first}");
        assert_eq!(first["artifacts"]["files_changed"].as_array().unwrap().len(), outputs.len());
        let blueprint = root.path().join("planning-mds/BLUEPRINT.md");
        assert!(std::fs::read_to_string(&blueprint).unwrap().contains("Ledger"));
        std::fs::write(&blueprint, "mine\n").unwrap();
        let again = reply(root.path(), &outputs, &values);
        assert_eq!(again["status"], "OK", "{again}");
        assert_eq!(std::fs::read_to_string(&blueprint).unwrap(), "mine\n");
        let other = reply(root.path(), &["docs/other.md".to_owned()], &values);
        assert_eq!(other["status"], "FAIL");
        for reply in [first, again, other] {
            let read = agent_output::read_reply(reply.to_string().as_bytes(), Role::Orchestrator);
            assert!(read.is_ok(), "{reply} {read:?}");
        }
    }
}
