//! Which actions a repository has.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use std::fs;
use tempfile::TempDir;
use tollgate_core::role::Role;

const CLOSE: &str = "  - {close: done, state: DONE}\n---\n";

fn tree(files: &[(&str, &str)]) -> (TempDir, Layout) {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let layout = Layout::new(dir.path());
    (dir, layout)
}

fn action_of(name: &str, role: &str) -> String {
    format!(
        "---\nname: {name}\ndescription: Ours\nsteps:\n  - {{dispatch: {role}, state: DESIGN}}\n{CLOSE}"
    )
}

fn sources(layout: &Layout) -> Vec<(String, String)> {
    let own = |found: &FoundAction| found.source != roles::BUILT_IN;
    let all = list(layout).unwrap();
    all.iter().filter(|f| own(f)).map(|f| (f.name.clone(), f.source.clone())).collect()
}

#[test]
fn r056_only_what_the_readme_lists_counts_and_without_one_every_file() {
    let files = [
        ("agents/actions/quick.md", action_of("quick", "Coder")),
        ("agents/actions/lean.md", action_of("lean", "Coder")),
    ];
    let files = files.each_ref().map(|(path, text)| (*path, text.as_str()));
    let (dir, layout) = tree(&files);
    let both = [("lean", "agents/actions/lean.md"), ("quick", "agents/actions/quick.md")];
    assert_eq!(sources(&layout), both.map(|(a, b)| (a.to_owned(), b.to_owned())));
    fs::write(dir.path().join(INDEX), "- [quick](quick.md)\n").unwrap();
    assert_eq!(sources(&layout).len(), 1);
    assert_eq!(find(&layout, "lean").unwrap().steps.len(), 4, "the built-in one again");
    assert_eq!(find(&layout, "quick").unwrap().steps.len(), 2);
    let unknown = find(&layout, "other").unwrap_err().to_string();
    assert!(unknown.contains("deliver") && unknown.contains("quick"), "{unknown}");
}

#[test]
fn r056_a_listed_action_without_its_file_is_reported_and_the_others_stay() {
    let (_dir, layout) = tree(&[(INDEX, "- [ghost](ghost.md)\n- [deliver](deliver.md)\n")]);
    for name in ["ghost", "deliver"] {
        let words = find(&layout, name).unwrap_err().to_string();
        assert!(words.contains(&format!("agents/actions/{name}.md does not exist")), "{words}");
    }
    assert!(find(&layout, "lean").is_ok());
}

#[test]
fn every_fault_of_an_action_file_and_of_its_role_files_is_reported() {
    let broken = action_of("other", "wizard").replace("state: DESIGN", "state: DREAM");
    let skill = "---\nname: wizard\ndescription: x\nrole: Cook\n---\nx\n";
    let (dir, layout) = tree(&[
        (INDEX, "quick.md is [here](quick.md)"),
        ("agents/actions/quick.md", &broken),
        ("agents/wizard/SKILL.md", skill),
    ]);
    let SettingsError::Invalid(report) = find(&layout, "quick").unwrap_err() else { panic!() };
    let shown: Vec<String> = report.errors().map(|fault| fault.place()).collect();
    assert_eq!(
        shown,
        ["agents/actions/quick.md:5", "agents/actions/quick.md:5", "agents/wizard/SKILL.md:4"]
    );
    fs::write(dir.path().join("agents/wizard/SKILL.md"), skill.replace("Cook", "Docs")).unwrap();
    fs::write(dir.path().join("agents/actions/quick.md"), action_of("other", "wizard")).unwrap();
    let SettingsError::Invalid(report) = find(&layout, "quick").unwrap_err() else { panic!() };
    assert_eq!(report.diagnostics[0].code, "action.name_of_file");
    assert_eq!(report.diagnostics[0].line, Some(2));
    fs::write(dir.path().join("agents/actions/quick.md"), action_of("quick", "wizard")).unwrap();
    let quick = find(&layout, "quick").unwrap();
    let (_, part) = quick.assignments().next().unwrap();
    assert_eq!((part.role, part.called.as_deref()), (Role::Docs, Some("wizard")));
}
