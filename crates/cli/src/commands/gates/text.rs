//! Gates as people read them: what runs, what held, and what to do about what did not.

use crate::output;
use serde::Serialize;
use tollgate_contract::lifecycle::{Lifecycle, LifecycleGate, LifecycleStage};
use tollgate_host::lifecycle::GateResult;

/// Of a failed gate; the whole is in its logs.
const LINES_MAX: usize = 40;

#[derive(Serialize)]
struct GateList<'a> {
    stage: &'a str,
    source: &'a str,
    stages: Vec<ListedStage<'a>>,
    gates: Vec<ListedGate<'a>>,
}

#[derive(Serialize)]
struct ListedStage<'a> {
    name: &'a str,
    description: &'a str,
    required_gates: &'a [String],
}

#[derive(Serialize)]
struct ListedGate<'a> {
    name: &'a str,
    description: &'a str,
    command: &'a [String],
}

pub fn list(lifecycle: &Lifecycle, chosen: &LifecycleStage, source: &str, as_json: bool) {
    if as_json {
        output::json(&listed(lifecycle, chosen, source));
        return;
    }
    for LifecycleStage { name, description, required_gates } in &lifecycle.stages {
        let mark = if *name == chosen.name { "*" } else { " " };
        let gates = match required_gates.as_slice() {
            [] => "no gate".to_owned(),
            gates => gates.join(", "),
        };
        output::data(&format!("{mark} {name}: {gates}"));
        if !description.is_empty() {
            output::data(&format!("    {description}"));
        }
    }
    for LifecycleGate { name, description, command } in &lifecycle.gates {
        output::data(&format!("gate {name}: {}", words(command)));
        if !description.is_empty() {
            output::data(&format!("    {description}"));
        }
    }
    output::talk(&format!("* the selected stage; source: {source}"));
}

fn listed<'a>(
    lifecycle: &'a Lifecycle,
    chosen: &'a LifecycleStage,
    source: &'a str,
) -> GateList<'a> {
    let stage = |stage: &'a LifecycleStage| ListedStage {
        name: &stage.name,
        description: &stage.description,
        required_gates: &stage.required_gates,
    };
    let gate = |gate: &'a LifecycleGate| ListedGate {
        name: &gate.name,
        description: &gate.description,
        command: &gate.command,
    };
    GateList {
        stage: &chosen.name,
        source,
        stages: lifecycle.stages.iter().map(stage).collect(),
        gates: lifecycle.gates.iter().map(gate).collect(),
    }
}

pub fn begins(gate: &LifecycleGate, number: usize, of: usize) {
    output::marked(output::DIM, &format!("gate {number} of {of}:"), &gate.name);
}

pub fn row(result: &GateResult, width: usize) {
    let (style, mark) = match result.ok {
        true => (output::GOOD, "ok    "),
        false => (output::BAD, "failed"),
    };
    let text = format!("{:<width$}  {} ms", result.name, result.duration_ms);
    output::row("", style, mark, &text);
}

/// How a gate that failed came to its end.
pub fn how(result: &GateResult) -> String {
    match (&result.trouble, &result.missing_script, result.exit_code) {
        (Some(trouble), ..) => trouble.clone(),
        (None, Some(script), _) => format!("its script {script} does not exist"),
        (None, None, Some(code)) => format!("exit code {code}"),
        (None, None, None) => "no exit code".to_owned(),
    }
}

/// The end of its output, and how to see all of it.
pub fn failed(result: &GateResult) {
    let how = how(result);
    output::marked(output::BAD, "failed:", &format!("{} ({how})", result.name));
    let lines: Vec<&str> = result.output_tail.lines().collect();
    for line in &lines[lines.len().saturating_sub(LINES_MAX)..] {
        output::marked(output::DIM, "  |", line);
    }
    let again = format!("fix it, then run it alone: {}", words(&result.argv));
    output::marked(output::NOTE, "  help:", &again);
}

pub fn sum(stage: &LifecycleStage, results: &[GateResult]) {
    let (of, stage) = (results.len(), &stage.name);
    match results.iter().filter(|result| !result.ok).count() {
        0 => {
            output::marked(output::GOOD, "ok:", &format!("all gates of stage {stage} pass ({of})"));
        }
        failed => {
            let text = format!(
                "{failed} of {} of stage {stage} failed",
                tollgate_core::count::counted(of, "gate")
            );
            output::marked(output::BAD, "failed:", &text);
        }
    }
}

/// As it could be typed into a shell.
fn words(argv: &[String]) -> String {
    let word = |word: &String| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@+%".contains(c);
        match !word.is_empty() && word.chars().all(is_plain) {
            true => word.clone(),
            false => format!("'{}'", word.replace('\'', r"'\''")),
        }
    };
    argv.iter().map(word).collect::<Vec<String>>().join(" ")
}
