//! What comes into the branch of the person, and what is said of it.

use crate::support::plan::{Planned, plan, planner, writes};
use crate::support::{APPROVE, PER_BATCH, Repo};
use serde_json::{Value, json};
use std::fs;
use std::process::Command;

fn branch(repo: &Repo) -> String {
    format!("tollgate/{}", repo.session_name())
}

fn at(repo: &Repo, name: &str) -> String {
    repo.git(&["rev-parse", name]).trim().to_owned()
}

fn commit(repo: &Repo, path: &str, text: &str) {
    repo.write(path, text);
    repo.git(&["add", "--force", path]);
    repo.git(&["commit", "--quiet", "--message", "meanwhile"]);
}

#[test]
fn r188_what_others_did_meanwhile_is_not_in_the_difference() {
    let repo = Repo::with(json!([planner(&[Planned::new("T-001", "app.txt")])]));
    repo.through(&[APPROVE]).exits(3);
    commit(&repo, "other.txt", "of main\n");
    repo.answer(PER_BATCH.0, PER_BATCH.1).exits(0);
    assert_eq!(repo.events("base_merge_ended").len(), 1, "the control: main is in the work");
    let names = repo.tollgate(&["diff", "--name-only"]).exits(0).out;
    assert!(names.contains("app.txt") && !names.contains("other.txt"), "{names}");
    let told = repo.tollgate(&["diff", "--json"]).exits(0).out;
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["from"], at(&repo, "main"));
}

/// Settings under which git prints patches that it would not take itself.
const UNUSUAL: [(&str, &str); 8] = [
    ("diff.noprefix", "true"),
    ("diff.mnemonicPrefix", "true"),
    ("diff.orderFile", "order"),
    ("diff.relative", "true"),
    ("diff.context", "0"),
    ("diff.renames", "copies"),
    ("diff.submodule", "log"),
    ("diff.wsErrorHighlight", "all"),
];

#[test]
fn r188_the_printed_patch_applies_whatever_the_settings_and_files_are() {
    let act = json!({"default": true, "run": ["sh", "-c", "printf 'a\\000b\\001' > bin.dat"]});
    let text = plan(&[Planned { risk: "[none]", ..Planned::new("T-001", "app.txt") }]);
    let text = text.replace("files_expected: [app.txt]", "files_expected: [app.txt, bin.dat]");
    let coder = json!({"when": {"role": "Coder"}, "do": act});
    let repo = Repo::with(json!([writes("SpecAgent", "tasks.yaml", &text), coder]));
    repo.lean().exits(0);
    for (name, value) in UNUSUAL {
        repo.git(&["config", name, value]);
    }
    repo.write("order", "zzz\n");
    let printed = repo.tollgate(&["diff"]).exits(0).out;
    let told: Value = serde_json::from_str(&repo.tollgate(&["diff", "--json"]).out).unwrap();
    assert_eq!(told["patch"], printed);
    let patch = repo.outside("work.patch");
    fs::write(&patch, printed).unwrap();
    let clone = repo.outside("clone");
    let git = |folder: &std::path::Path, args: &[&str]| {
        let mut command = Command::new("git");
        let output = command.current_dir(folder).args(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let (from, to) = (repo.root().display().to_string(), clone.display().to_string());
    git(&repo.root(), &["clone", "--quiet", &from, &to]);
    git(&clone, &["apply", "--index", &patch.display().to_string()]);
    assert_eq!(git(&clone, &["write-tree"]), at(&repo, &format!("{}^{{tree}}", branch(&repo))));
}
