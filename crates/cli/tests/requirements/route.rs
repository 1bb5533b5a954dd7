//! Small actions of a repository, so that one behaviour stands alone.

use crate::support::{Ran, Repo};
use serde_json::{Value, json};

/// A repository with the action `x` of these steps, and a crew with these rules. A close comes last by itself.
pub fn route(rules: Value, steps: &[&str]) -> Repo {
    let repo = Repo::with(rules);
    let steps: String = steps.iter().map(|step| format!("  - {step}\n")).collect();
    let action = format!(
        "---\nname: x\ndescription: One behaviour\nsteps:\n{steps}  - {{close: done, state: DONE}}\n---\n\n# x\n"
    );
    repo.write("agents/actions/README.md", "- [x](x.md)\n");
    repo.write("agents/actions/x.md", &action);
    repo
}

/// Opens a session of the action `x`.
pub fn go(repo: &Repo) -> Ran {
    repo.tollgate(&["run", "--no-input", "--action", "x", "Make it"])
}

/// Commits everything in the checkout: work starts from HEAD.
pub fn commit(repo: &Repo) {
    repo.git(&["add", "--all"]);
    repo.git(&["commit", "--quiet", "--message", "more"]);
}

/// A rule by which a role leaves these files of the repository.
pub fn leaves(role: &str, files: Value) -> Value {
    json!({"when": {"role": role}, "do": {"write": files}})
}

/// The same for its how-manieth start.
pub fn nth(role: &str, nth: u32, act: Value) -> Value {
    json!({"when": {"role": role, "nth": nth}, "do": act})
}

/// A file as it is on the branch of the session.
#[track_caller]
pub fn on_branch(repo: &Repo, path: &str) -> String {
    repo.git(&["show", &format!("tollgate/{}:{path}", repo.session_name())])
}

/// What the agent of a dispatch was told.
pub fn prompt(repo: &Repo, dispatch: u32) -> String {
    repo.session_file(&format!("dispatches/{dispatch}/prompt.md"))
}

/// How every attempt of a dispatch ended, in order.
pub fn ends_of(repo: &Repo, dispatch: u32) -> Vec<String> {
    let ended = repo.events("attempt_ended");
    let ends = ended.iter().filter(|event| event["number"] == dispatch);
    ends.map(|event| event["end"]["end"].as_str().unwrap().to_owned()).collect()
}

/// The answers that an open question takes.
#[track_caller]
pub fn options_of(repo: &Repo, decision: &str) -> Vec<String> {
    let status = repo.status();
    let mut pending = status["pending_decisions"].as_array().unwrap().iter();
    let asked = pending.find(|asked| asked["decision_id"] == decision);
    let asked = asked.unwrap_or_else(|| panic!("{decision} is not open: {status:#}"));
    let options = asked["options"].as_array().unwrap().iter();
    options.map(|option| option["answer"].as_str().unwrap().to_owned()).collect()
}

/// Severity and status of every finding, with its words.
pub fn findings(repo: &Repo) -> Vec<String> {
    let status = repo.status();
    let list = status["findings"].as_array().unwrap().iter();
    list.map(|f| {
        format!("{} {}: {}", word(&f["severity"]), word(&f["status"]), word(&f["message"]))
    })
    .collect()
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or("none")
}
