//! Who did what, by the names of the action: audit, evidence and reports of failures name the role, its text and its files.

use crate::route::{commit, go, route};
use crate::support::{Ran, Repo, ran};
use serde_json::{Value, json};
use std::fs;

const SKILL: &str = "---\nname: backend-developer\ndescription: Builds the server\n---\n\nBuild the server of this shop.\n";
const STEPS: [&str; 2] = [
    "{parallel: [{dispatch: backend-developer, inputs: [docs/api.md], outputs: [notes/backend.md]}, {dispatch: frontend-developer, outputs: [notes/frontend.md]}], state: IMPLEMENT_LOOP}",
    "{approve: DONE_GATE, state: RELEASE}",
];

/// Two developers side by side; the repository has a text of its own for one of them.
fn developers(rules: Value) -> Repo {
    let repo = route(rules, &STEPS);
    repo.write("agents/backend-developer/SKILL.md", SKILL);
    repo.write("docs/api.md", "# API\n\nGET /lines\n");
    commit(&repo);
    repo
}

fn audit(repo: &Repo) -> Value {
    serde_json::from_str(&repo.tollgate(&["audit", "--json"]).exits(0).out).unwrap()
}

fn sha256_of(repo: &Repo, path: &str) -> String {
    let mut command = std::process::Command::new("sha256sum");
    let Ran { out, .. } = ran(command.arg(repo.root().join(path)));
    out.split(' ').next().unwrap().to_owned()
}

/// The failure reports of the repository, oldest first: the JSON, and the text for people.
fn reports(repo: &Repo) -> Vec<(Value, String)> {
    let entries = fs::read_dir(repo.root().join("logs/errors")).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let json = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        (json, fs::read_to_string(path.with_extension("txt")).unwrap())
    };
    paths.iter().map(read).collect()
}

#[test]
fn r154_the_audit_names_the_role_of_the_action_its_text_and_every_file() {
    let repo = developers(json!([]));
    go(&repo).exits(3);
    let audit = audit(&repo);
    let roles = audit["roles"].as_array().unwrap();
    let called: Vec<&Value> = roles.iter().map(|role| &role["called"]).collect();
    assert_eq!(called, ["backend-developer", "frontend-developer"]);
    assert!(roles.iter().all(|role| role["role"] == "Coder"));
    let own = &roles[0]["role_files"][0];
    assert_eq!(own["path"], "agents/backend-developer/SKILL.md");
    assert_eq!(own["sha256"], sha256_of(&repo, "agents/backend-developer/SKILL.md"));
    assert_eq!(roles[1]["role_files"][0]["path"], "built-in frontend-developer");
    let read = &audit["read"].as_array().unwrap()[0];
    assert_eq!((&read["called"], &read["role_file"]), (&json!("backend-developer"), own));
    let files = read["files"].as_array().unwrap();
    assert!(files.contains(&json!("docs/api.md")), "{files:?}");
    // What the input names, and nothing else.
    let input = repo.input(1, 1);
    assert!(files.iter().all(|file| input.to_string().contains(file.as_str().unwrap())));
    let written = audit["written"].as_array().unwrap();
    let by_backend: Vec<&Value> =
        written.iter().filter(|w| w["by"]["dispatch"]["called"] == "backend-developer").collect();
    let paths: Vec<&Value> = by_backend.iter().map(|entry| &entry["path"]).collect();
    assert_eq!(paths, ["notes/backend.md", "src/backend.txt"], "{by_backend:#?}");
    assert!(by_backend.iter().all(|w| w["place"] == "repository" && w["change"] == "added"));
    let text = repo.tollgate(&["audit"]).exits(0).out;
    for words in [
        "backend-developer (Coder) #1",
        "by agents/backend-developer/SKILL.md",
        "#1 backend-developer (Coder) session: docs/api.md",
        "src/backend.txt added by #1 backend-developer (Coder)",
    ] {
        assert!(text.contains(words), "{words:?} is not in\n{text}");
    }
}

#[test]
fn r154_the_evidence_names_them_too() {
    let repo = developers(json!([]));
    go(&repo).exits(3);
    let sha256 = sha256_of(&repo, "agents/backend-developer/SKILL.md");
    let role_file = format!("role file `agents/backend-developer/SKILL.md` sha256 {sha256}");
    let context = repo.session_file("evidence/action-context.md");
    for words in ["dispatch 1: backend-developer (Coder) for", role_file.as_str()] {
        assert!(context.contains(words), "{words:?} is not in\n{context}");
    }
    let trace = repo.session_file("evidence/artifact-trace.md");
    for words in [
        "Dispatch 1 attempt 1: backend-developer (Coder) for",
        &role_file.replace("role file", "- role file:"),
        "- file: `docs/api.md`",
        "- added: `src/backend.txt`",
    ] {
        assert!(trace.contains(words), "{words:?} is not in\n{trace}");
    }
    // A text that is changed between two attempts is told apart.
    repo.write("agents/backend-developer/SKILL.md", &SKILL.replace("server", "machine"));
    repo.answer("UD-1", "changes-requested: backend-developer: again").exits(3);
    let files = audit(&repo)["roles"][0]["role_files"].clone();
    let hashes: Vec<&Value> =
        files.as_array().unwrap().iter().map(|file| &file["sha256"]).collect();
    assert!(hashes.len() == 2 && hashes[0] != hashes[1], "{files:#}");
}

#[test]
fn r154_a_report_of_a_failure_names_the_role_of_the_action_and_its_text() {
    let repo = developers(json!([
        {"when": {"role": "Coder", "dispatch": 1}, "do": {"exit": 77, "stderr": "no right\n"}},
    ]));
    go(&repo)
        .exits(4)
        .says("backend-developer for the session failed once")
        .says("1 (backend-developer, Coder)");
    let (report, text) = reports(&repo).pop().unwrap();
    assert_eq!(
        (&report["called"], &report["role"]),
        (&json!("backend-developer"), &json!("Coder"))
    );
    assert_eq!(report["role_file"]["path"], "agents/backend-developer/SKILL.md");
    assert_eq!(
        report["role_file"]["sha256"],
        sha256_of(&repo, "agents/backend-developer/SKILL.md")
    );
    assert!(text.contains("agents/backend-developer/SKILL.md sha256"), "{text}");
}

#[test]
fn r155_a_parallel_failure_shows_all_members_and_how_each_stands() {
    let repo = developers(json!([
        {"when": {"role": "Coder", "dispatch": 1}, "do": {"exit": 77, "stderr": "no right\n"}},
    ]));
    go(&repo).exits(4);
    let all = reports(&repo);
    let (report, text) = all.last().unwrap();
    let members = report["members"].as_array().unwrap();
    let line = |member: &Value| {
        let word = |key: &str| member[key].as_str().unwrap().to_owned();
        format!("{}: {}; {}", word("called"), word("how"), word("next"))
    };
    let lines: Vec<String> = members.iter().map(line).collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(
        lines[0].starts_with("backend-developer: failed: it was refused a permission"),
        "{lines:?}"
    );
    assert!(lines[0].ends_with("waits for your answer"), "{lines:?}");
    assert!(lines[1].starts_with("frontend-developer: "), "{lines:?}");
    assert!(text.contains("Members of the parallel step"), "{text}");
}

#[test]
fn r155_impacted_files_are_named_where_they_are_and_what_was_left_can_be_looked_at() {
    let broken =
        json!({"notes/backend.md": "# Done\n\nAll of it.\n", "src/data.json": "{\n  \"a\": 1,\n"});
    let repo = developers(json!([
        {"when": {"role": "Coder", "dispatch": 1}, "do": {"write": broken}},
    ]));
    go(&repo).exits(4);
    let (report, text) = reports(&repo).into_iter().rfind(|(r, _)| r["dispatch"] == 1).unwrap();
    let impacted = report["impacted_artifacts"].as_array().unwrap();
    let json_file = impacted.iter().find(|i| i["path"] == "src/data.json");
    let json_file = json_file.unwrap_or_else(|| panic!("{report:#}"));
    assert!(json_file["line"].as_u64().is_some(), "{json_file:#}");
    for entry in impacted {
        let kept = entry["kept"].as_str().unwrap_or_else(|| panic!("nothing is kept of {entry:#}"));
        assert!(repo.root().join(kept).is_file(), "{kept} does not exist");
    }
    let kept = json_file["kept"].as_str().unwrap();
    assert_eq!(fs::read_to_string(repo.root().join(kept)).unwrap(), "{\n  \"a\": 1,\n");
    assert!(text.contains("src/data.json:"), "{text}");
    let [aside] = report["set_aside"].as_array().unwrap().as_slice() else {
        panic!("one thing is set aside: {report:#}");
    };
    // The command works as it is printed.
    let command = aside["command"].as_str().unwrap();
    assert!(text.contains(command), "{text}");
    let words: Vec<&str> = command.split(' ').collect();
    assert_eq!(words[0], "git");
    let shown = repo.git(&words[1..]);
    assert!(shown.contains("src/data.json") && shown.contains("+  \"a\": 1,"), "{shown}");
}

#[test]
fn r155_declared_files_of_the_repository_are_not_looked_for_in_the_session() {
    let repo = developers(json!([
        {"when": {"role": "Coder", "dispatch": 1}, "do": {"exit": 77}},
    ]));
    go(&repo).exits(4);
    let (report, _) = reports(&repo).pop().unwrap();
    assert_eq!(report["impacted_artifacts"][0]["path"], "notes/backend.md", "{report:#}");
}

#[test]
fn r155_the_remedy_fits_the_cause() {
    let case = |act: Value, settings: &str, remedy: &str, recommended: &str| {
        let rules = json!([{"when": {"role": "SpecAgent"}, "do": act}]);
        let repo = Repo::with(rules);
        repo.settings(settings);
        repo.run().exits(4).says(remedy);
        let status = repo.status();
        let options = status["pending_decisions"][0]["options"].as_array().unwrap();
        let fitting: Vec<&Value> =
            options.iter().filter(|o| o["recommended"] == true).map(|o| &o["id"]).collect();
        assert_eq!(fitting, [recommended], "{remedy}");
        let (report, text) = reports(&repo).pop().unwrap();
        let steps = report["remediation"].to_string();
        assert!(steps.contains(remedy) && steps.contains("(recommended)"), "{steps}");
        assert!(!text.contains("free some space"), "{text}");
    };
    case(json!({"hang": true}), "[timeout]\nSpecAgent = \"1s\"", "give it more time", "extend");
    case(json!({"exit": 77}), "", "allow what it was refused", "retry");
    case(json!({"exit": 3}), "", "read the end of its standard error", "retry");
    case(json!({"stdout": "no JSON"}), "", "look into .artifacts-failed/", "retry-with-guidance");
    case(
        json!({"reply": {"status": "BLOCKED", "summary": "which one?"}}),
        "",
        "read why it stopped",
        "retry-with-guidance",
    );
    case(
        json!({"flood_bytes": 300_000}),
        "[limits]\noutput_bytes = 100000",
        "raise limits.output_bytes",
        "retry",
    );
}
