//! Earlier sessions: agents read their documents and cannot change them; people may leave session folders to git.

use crate::support::{Repo, files_below};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A repository with one session that is done, and its name.
fn with_an_earlier_session() -> (Repo, String) {
    let repo = Repo::new();
    repo.lean().exits(0);
    let name = repo.session_name();
    (repo, name)
}

fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    files_below(folder).into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

fn second_session(repo: &Repo, rules: Value) -> i32 {
    repo.crew(rules);
    repo.tollgate(&["run", "--no-input", "--lean", "Add another line"]).code
}

#[test]
fn r143_agents_read_the_documents_of_earlier_sessions() {
    let (repo, first) = with_an_earlier_session();
    let spec = format!(".agents-work/{first}/spec.md");
    let said = repo.session_file("spec.md").lines().next().unwrap().to_owned();
    let reads = json!({"when": {"role": "Coder", "file_has": {(spec): said}},
                       "do": {"append": {"app.txt": "two\n"}}});
    let finds_none = json!({"when": {"role": "Coder"},
                            "do": {"reply": {"status": "FAIL", "summary": "not there"}}});
    assert_eq!(second_session(&repo, json!([reads, finds_none])), 0);
    let session = repo.status()["session"].as_str().unwrap().to_owned();
    assert_ne!(session, first);
    // They are told where, and that it is for reading.
    let dispatch = repo.root().join(".agents-work").join(&session).join("dispatches/1");
    let input: Value =
        serde_json::from_slice(&fs::read(dispatch.join("attempt-1/input.json")).unwrap()).unwrap();
    assert_eq!(input["earlier_sessions"], json!([format!(".agents-work/{first}/")]));
    let prompt = fs::read_to_string(dispatch.join("attempt-1/prompt.md")).unwrap();
    assert!(prompt.contains("## Earlier sessions"), "{prompt}");
}

#[test]
fn r143_a_first_session_is_told_of_no_earlier_one() {
    let repo = Repo::new();
    repo.lean().exits(0);
    assert_eq!(repo.input(1, 1)["earlier_sessions"], Value::Null);
}

#[test]
fn r143_r011_a_write_into_an_earlier_session_is_refused_and_its_files_stay() {
    let (repo, first) = with_an_earlier_session();
    let folder = repo.root().join(".agents-work").join(&first);
    let before = contents(&folder);
    for (nth, what) in ["echo x >> F/spec.md", "echo x > F/new.md"].iter().enumerate() {
        let script = what.replace('F', &format!(".agents-work/{first}"));
        let script = format!("chmod -R u+w .agents-work; {script}");
        let writes = json!({"when": {"role": "Coder", "attempt": 1},
            "do": {"append": {"app.txt": "two\n"}, "run": ["sh", "-c", script]}});
        repo.crew(json!([writes]));
        let goal = format!("Add line number {nth}");
        repo.tollgate(&["run", "--no-input", "--lean", &goal]).exits(0);
        let session = repo.status()["session"].as_str().unwrap().to_owned();
        let journal = repo.root().join(".agents-work").join(session).join("journal.jsonl");
        let journal = fs::read_to_string(journal).unwrap();
        assert!(journal.contains("another session, which is read-only here"), "{what}: {journal}");
        assert_eq!(contents(&folder), before, "{what}");
    }
}

fn exclude(repo: &Repo) -> String {
    fs::read_to_string(repo.root().join(".git/info/exclude")).unwrap()
}

#[test]
fn r143_tracked_session_folders_are_left_to_git_and_nothing_of_them_is_in_a_commit_of_ours() {
    let repo = Repo::new();
    repo.lean().exits(0);
    assert!(exclude(&repo).contains("/.agents-work/"), "the control");
    repo.settings("[session]\ntracked = true");
    repo.tollgate(&["run", "--no-input", "--lean", "Add another line"]).exits(0);
    let lines = exclude(&repo);
    assert!(!lines.contains(".agents-work") && lines.contains("/.snapshots/"), "{lines}");
    assert!(repo.git(&["status", "--porcelain"]).contains("?? .agents-work/"));
    // A person commits them, and the next session works as before.
    repo.git(&["add", "--all"]);
    repo.git(&["commit", "--quiet", "--message", "sessions"]);
    let kept = repo.git(&["ls-tree", "-r", "--name-only", "HEAD", ".agents-work"]);
    repo.tollgate(&["run", "--no-input", "--lean", "Add a third line"]).exits(0);
    let branch = repo.status()["branch"].as_str().unwrap().to_owned();
    let changed = repo.git(&["diff", "--name-only", "main", &branch]);
    assert_eq!(changed, "app.txt\n");
    let there = repo.git(&["ls-tree", "-r", "--name-only", &branch, ".agents-work"]);
    assert_eq!(there, kept);
    repo.git(&["merge", "--quiet", &branch]);
}
