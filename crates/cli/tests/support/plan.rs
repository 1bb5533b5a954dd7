//! Plans and rules for the scripted crew.

use serde_json::{Value, json};

/// One task of a plan; what is not said is plain.
#[derive(Debug, Clone)]
pub struct Planned {
    pub id: &'static str,
    pub file: &'static str,
    pub kind: &'static str,
    pub depends_on: &'static str,
    pub risk: &'static str,
    pub checks: &'static str,
    pub context: &'static str,
}

impl Planned {
    pub fn new(id: &'static str, file: &'static str) -> Self {
        Self {
            id,
            file,
            kind: "feat",
            depends_on: "[]",
            risk: "[none]",
            checks: r#"["cmd: true"]"#,
            context: "[]",
        }
    }
}

/// tasks.yaml with these tasks.
pub fn plan(tasks: &[Planned]) -> String {
    let mut text =
        "project:\n  name: app\n  definition_of_done: [\"checks pass\"]\ntasks:\n".to_owned();
    for Planned { id, file, kind, depends_on, risk, checks, context } in tasks {
        text.push_str(&format!(
            "  - id: {id}\n    status: not-started\n    type: {kind}\n    title: Change {file}\n    \
             depends_on: {depends_on}\n    goal: {file} has one line more\n    non_goals: []\n    \
             context_files: {context}\n    files_expected: [{file}]\n    acceptance_checks: {checks}\n    \
             risk_flags: {risk}\n    done_when: [\"{file} has the line\"]\n"
        ));
    }
    text
}

/// A rule by which the Planner leaves this plan.
pub fn planner(tasks: &[Planned]) -> Value {
    writes("Planner", "tasks.yaml", &plan(tasks))
}

/// A rule by which a role does its usual work and leaves a session file with this text.
pub fn writes(role: &str, file: &str, text: &str) -> Value {
    json!({
        "when": {"role": role},
        "do": {"default": true, "write": {(format!(".agents-work/{{session}}/{file}")): text}}
    })
}

/// A rule by which a role does its usual work and replies this.
pub fn replies(role: &str, reply: Value) -> Value {
    json!({"when": {"role": role}, "do": {"default": true, "reply": reply}})
}

/// A review comment; a `major` one objects, a `minor` one is a note.
pub fn comment(severity: &str, message: &str) -> Value {
    json!({"severity": severity, "category": "style", "file": "app.txt", "line": 1,
           "message": message, "suggested_fix": "fix it"})
}

/// The reply of a review that objects.
pub fn objection(message: &str) -> Value {
    json!({"status": "BLOCKED", "artifacts": {"review_comments": [comment("major", message)]}})
}

/// A medium finding, which Security asks about.
pub fn security_question(message: &str) -> Value {
    json!({"status": "NEEDS_DECISION", "artifacts": {"findings": [
        {"severity": "medium", "category": "x", "file": "app.txt", "description": message, "recommended_fix": "y"}
    ]}})
}
