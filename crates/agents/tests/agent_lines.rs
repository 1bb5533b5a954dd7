//! The recorded lines are of the versions that are pinned, and whole.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::path::Path;
use tollgate_programs::ALL;

const CASES: [&str; 10] = [
    "cut",
    "denied",
    "done",
    "garbage",
    "login",
    "rate_limit",
    "rate_limit_with_reset",
    "resumed",
    "server_error",
    "wrong_arguments",
];

/// Programs that speak a protocol instead of printing lines, and what others run on.
const WITHOUT_LINES: [&str; 3] = ["claude-acp", "codex-acp", "node24"];

/// What was said over ACP, by the name of its folder.
const OVER_ACP: [(&str, &str); 3] =
    [("claude-acp", "claude-agent-acp"), ("codex-acp", "codex-acp"), ("goose", "goose")];

#[test]
fn every_pinned_program_has_its_lines() {
    let mut expected = BTreeSet::new();
    for program in &ALL {
        if !WITHOUT_LINES.contains(&program.name) {
            expected.insert(format!("{}-{}", program.name, program.version));
        }
        if let Some((_, agent)) = OVER_ACP.iter().find(|(name, _)| *name == program.name) {
            expected.insert(format!("acp-{agent}-{}", program.version));
        }
    }
    let recorded: BTreeSet<String> = folders().collect();
    assert_eq!(recorded, expected, "record the lines again when a version changes");
}

#[test]
fn every_case_has_its_lines_and_its_end() {
    for program in folders().filter(|name| !name.starts_with("acp-")) {
        let folder = root().join(&program);
        for case in CASES {
            let read = |kind: &str| {
                let path = folder.join(format!("{case}.{kind}"));
                std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
            };
            read("stderr");
            let exit = read("exit");
            assert!(
                exit.trim().parse::<i32>().is_ok() || exit.starts_with("killed after "),
                "{program} {case}: {exit}"
            );
            for line in read("jsonl").lines() {
                let value: serde_json::Value = serde_json::from_str(line).unwrap();
                assert!(value["type"].is_string(), "{program} {case}: {line}");
            }
        }
    }
}

#[test]
fn every_case_is_explained() {
    let page = std::fs::read_to_string(root().join(PAGE)).unwrap();
    for program in folders() {
        for file in names(&root().join(&program)) {
            let case = file.split('.').next().unwrap();
            assert!(
                page.contains(&format!("| `{case}` |")),
                "{PAGE} has no row for {program}/{file}"
            );
        }
    }
}

const PAGE: &str = "README.md";

fn folders() -> impl Iterator<Item = String> {
    names(&root()).filter(|name| name != PAGE)
}

fn root() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agent_lines")
}

fn names(folder: &Path) -> impl Iterator<Item = String> + use<> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap())
}
