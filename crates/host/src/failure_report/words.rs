//! A failure report for people; plain text that reads without colour.

use super::{FailureReport, Impacted, Member, Tried};
use std::fmt::Display;
use tollgate_files::sanitize::{terminal_line, terminal_text};

const LINE_CHARS_MAX: usize = 4_000;

/// Everything the JSON holds.
pub fn for_people(report: &FailureReport) -> String {
    let mut text = format!("FAILURE  {}\n\n{}", report.session, facts(report));
    if !report.options.is_empty() {
        text.push_str("\nOptions\n");
        for option in &report.options {
            let (answer, label) = (one_line(&option.answer), one_line(&option.label));
            text.push_str(&format!("  {answer:<20} {label}: {}\n", one_line(&option.consequence)));
        }
    }
    let excerpts = &report.excerpts;
    for (title, excerpt) in [
        ("Start of the agent input", &excerpts.agent_input),
        ("End of the agent output", &excerpts.agent_output),
        ("Stack trace or end of standard error", &excerpts.stack_trace),
    ] {
        if !excerpt.is_empty() {
            text.push_str(&format!("\n{title}\n"));
            let lines = terminal_text(excerpt);
            text.extend(lines.lines().map(|line| format!("  | {line}\n")));
        }
    }
    text.push_str(&format!("\nschema version {}\n", report.schema_version));
    text
}

/// What the sandbox refused, and how it is opened.
fn denied(path: &str) -> String {
    format!(
        "the sandbox does not let agents write {path}; `write` below [sandbox] in tollgate.toml opens it"
    )
}

/// What failed, why, what was tried and what can be done. The options follow where the person is asked.
pub fn facts(report: &FailureReport) -> String {
    let mut text = String::new();
    field(&mut text, "message", &report.message);
    optional(&mut text, "denied", report.denied.as_deref().map(denied));
    let to_fix = report.to_fix.iter().map(|text| terminal_text(text));
    let to_fix: Vec<String> =
        to_fix.flat_map(|text| text.lines().map(String::from).collect::<Vec<_>>()).collect();
    if !to_fix.is_empty() {
        section(&mut text, "What was to be fixed", to_fix.iter().map(|line| format!("| {line}")));
        text.push('\n');
    }
    field(&mut text, "action", &report.action);
    let called = report.called.as_deref().unwrap_or_default();
    let step = match report.role {
        Some(role) if called != role.as_str() && !called.is_empty() => {
            format!("{} ({called}, {role})", report.step)
        }
        Some(role) => format!("{} ({role})", report.step),
        None => report.step.to_string(),
    };
    field(&mut text, "step", &step);
    let role_file = report.role_file.as_ref();
    optional(&mut text, "role file", role_file.map(|f| format!("{} sha256 {}", f.path, f.sha256)));
    optional(&mut text, "agent", report.agent.as_deref());
    optional(&mut text, "task", report.task.as_ref());
    let attempt = report.attempt.map(|attempt| format!(", attempt {attempt}")).unwrap_or_default();
    optional(&mut text, "dispatch", report.dispatch.map(|number| format!("{number}{attempt}")));
    field(&mut text, "failed at", &report.failed_at.to_string());
    optional(&mut text, "duration", report.duration_ms.map(duration));
    optional(&mut text, "spent", Some(&report.spent).filter(|spent| !spent.is_empty()));
    let kind = &report.error_type;
    let parts = [Some(kind.class.clone()), kind.end.clone(), kind.code.map(|c| c.to_string())];
    field(&mut text, "error type", &parts.into_iter().flatten().collect::<Vec<_>>().join(", "));
    section(&mut text, "Affected artefacts", report.impacted_artifacts.iter().map(impacted));
    section(&mut text, "Members of the parallel step", report.members.iter().map(member));
    let (shown, count) = (report.tried.len(), report.tried_count);
    let tried_title = match count > shown {
        true => format!("Earlier attempts, the last {shown} of {count}"),
        false => "Earlier attempts".to_owned(),
    };
    section(&mut text, &tried_title, report.tried.iter().map(tried));
    let numbered = report.remediation.iter().zip(1..);
    section(
        &mut text,
        "What to do",
        numbered.map(|(step, number)| format!("{number}. {}", one_line(step))),
    );
    section(&mut text, "Kept", report.kept.iter().map(|path| format!("- {}", one_line(path))));
    let set_aside = report.set_aside.iter();
    section(
        &mut text,
        "Set aside, not taken into the work",
        set_aside.map(|work| format!("- {}; show it: {}", work.name, work.command)),
    );
    text.push_str(&format!("\nNext: {}\n", one_line(&report.next)));
    if let Some(decision) = &report.decision {
        text.push_str(&format!("Question: {decision}\n"));
    }
    text
}

fn impacted(impacted: &Impacted) -> String {
    let line = impacted.line.map(|line| format!(":{line}")).unwrap_or_default();
    let kept = impacted.kept.as_deref().map(|kept| format!("; what it left: {}", one_line(kept)));
    let (path, message) = (one_line(&impacted.path), one_line(&impacted.message));
    format!("- {path}{line}: {message}{}", kept.unwrap_or_default())
}

fn member(member: &Member) -> String {
    let Member { dispatch, called, task, how, next } = member;
    format!("- #{dispatch} {} {task} {}; it {next}", one_line(called), one_line(how))
}

fn tried(tried: &Tried) -> String {
    let how = one_line(&tried.how);
    let duration = duration(tried.duration_ms);
    format!("- attempt {}, ended {} after {duration}: {how}", tried.attempt, tried.ended_at)
}

fn field(text: &mut String, name: &str, value: &str) {
    text.push_str(&format!("  {name:<12} {}\n", one_line(value)));
}

fn optional(text: &mut String, name: &str, value: Option<impl Display>) {
    if let Some(value) = value {
        field(text, name, &value.to_string());
    }
}

fn section(text: &mut String, title: &str, lines: impl Iterator<Item = String>) {
    let lines: String = lines.map(|line| format!("  {line}\n")).collect();
    if !lines.is_empty() {
        text.push_str(&format!("\n{title}\n{lines}"));
    }
}

fn one_line(text: &str) -> String {
    terminal_line(text, LINE_CHARS_MAX)
}

/// `12 min 34 s`, `1.250 s`.
fn duration(ms: u64) -> String {
    match ms / 60_000 {
        0 => format!("{}.{:03} s", ms / 1_000, ms % 1_000),
        minutes => format!("{minutes} min {}.{:03} s", ms / 1_000 % 60, ms % 1_000),
    }
}
