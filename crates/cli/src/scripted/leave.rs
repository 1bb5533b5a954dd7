//! Writes what a step of an action asks its role to leave behind: one valid document of each kind, and the work it
//! tells of.

use super::documents;
use super::start::Start;
use super::write::{append_file, write_file};
use serde_json::Value;

/// What the step declares as its outputs. A folder ends in `/`.
pub(super) fn declared(start: &Start) -> Vec<String> {
    listed(start, "leave behind: ")
}

/// True when the step wants files of the repository, so that the usual session files are not the work.
pub(super) fn is_asked(outputs: &[String]) -> bool {
    const SESSION_FILES: [&str; 7] = [
        "spec.md",
        "acceptance.json",
        "architecture.md",
        "tasks.yaml",
        "report.md",
        "design-specs/",
        "research/",
    ];
    outputs.iter().any(|output| !SESSION_FILES.contains(&output.as_str()))
}

pub(super) fn work(start: &Start, outputs: &[String]) -> Result<(), String> {
    for path in documents::files_of(outputs, start) {
        put(start, &path, &documents::text_of(&path, outputs))?;
    }
    match product(start, outputs) {
        Some(path) => put(start, &path, documents::PRODUCT),
        None => Ok(()),
    }
}

/// The commands that show the work: the tests of a quality engineer.
pub(super) fn commands(start: &Start) -> Vec<String> {
    let outputs = declared(start);
    let tests = product(start, &outputs).filter(|_| start.role == "QA" && is_asked(&outputs));
    tests.map(|path| format!("test -s {path}")).into_iter().collect()
}

/// What is there already is added to where a line more does no harm, and kept where it would.
fn put(start: &Start, path: &str, text: &str) -> Result<(), String> {
    let line = start.fill("\n{role}: dispatch {dispatch}, attempt {attempt}.\n");
    let target = start.workspace.join(path);
    let takes_lines = path.ends_with(".md") || path.ends_with(".txt");
    let done = match (target.exists(), takes_lines) {
        (true, false) => Ok(()),
        (true, true) => append_file(&target, &line),
        (false, _) => write_file(&target, text.as_bytes()),
    };
    done.map_err(|error| format!("cannot write {path}: {error}"))
}

/// The work itself, named after the page that tells of it, so that roles side by side do not meet.
fn product(start: &Start, outputs: &[String]) -> Option<String> {
    let is_confined = !listed(start, "write nothing but: ").is_empty();
    let page = outputs.iter().find(|output| output.ends_with(".md")).filter(|_| !is_confined)?;
    let name = page.rsplit('/').next()?.trim_end_matches(".md");
    match start.role.as_str() {
        "Coder" => Some(format!("src/{name}.txt")),
        "QA" => Some(format!("tests/{name}.txt")),
        "Integrator" => Some("deploy/Dockerfile".to_owned()),
        _ => None,
    }
}

/// The entries of the constraint that begins with these words.
fn listed(start: &Start, words: &str) -> Vec<String> {
    let constraints = start.input.pointer("/task/constraints").and_then(Value::as_array);
    let mut texts = constraints.into_iter().flatten().filter_map(Value::as_str);
    let list = texts.find_map(|text| text.strip_prefix(words)).unwrap_or_default();
    list.split(", ").filter(|entry| !entry.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use serde_json::json;
    use std::fs;

    fn played(dir: &std::path::Path, role: &str, constraints: &[&str]) {
        let mut start = Start::sample(dir, role, "meta");
        start.input["task"]["constraints"] = json!(constraints);
        super::super::defaults::work(&start).unwrap();
    }

    #[test]
    fn a_step_gets_what_it_declares_and_the_work_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        played(dir.path(), "Coder", &["leave behind: planning-mds/build/backend.md"]);
        played(
            dir.path(),
            "QA",
            &["leave behind: planning-mds/build/tests.md, coverage/lcov.info"],
        );
        for path in [
            "planning-mds/build/backend.md",
            "src/backend.txt",
            "planning-mds/build/tests.md",
            "tests/tests.txt",
            "coverage/lcov.info",
        ] {
            assert!(dir.path().join(path).is_file(), "{path}");
        }
        assert!(!dir.path().join(".agents-work").exists(), "no session file was asked for");
    }

    #[test]
    fn who_is_confined_writes_nothing_beside_it_and_what_is_there_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let told = ["leave behind: plans/test-plan.md", "write nothing but: plans/**"];
        played(dir.path(), "QA", &told);
        let path = dir.path().join("plans/test-plan.md");
        let first = fs::read_to_string(&path).unwrap();
        played(dir.path(), "QA", &told);
        assert!(!dir.path().join("tests").exists());
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            format!("{first}\nQA: dispatch 7, attempt 1.\n")
        );
    }
}
