//! What is left of a failure: the report, what was delivered, the question that waits, and nothing secret.

use crate::support::plan::{Planned, objection, planner, replies, writes};
use crate::support::{APPROVE, GOAL, PER_BATCH, Repo, files_below, ran};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

/// Every report for machines, the oldest first, with its path.
fn reports(repo: &Repo) -> Vec<(PathBuf, Value)> {
    let mut found: Vec<PathBuf> = files_below(&repo.root().join("logs/errors"));
    found.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    found.sort();
    let read = |path: PathBuf| {
        let report = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        (path, report)
    };
    found.into_iter().map(read).collect()
}

#[test]
fn r067_what_stayed_invalid_is_kept_with_the_faults_found_in_it() {
    let repo = Repo::with(json!([writes("SpecAgent", "spec.md", "# Nothing is specified here\n")]));
    let blocked = repo.run().exits(4).says("Goals").does_not_say("skip");
    assert_eq!(repo.starts_of("SpecAgent"), 3, "two re-runs");
    let kept = format!(".artifacts-failed/{}/dispatch-1/", repo.session_name());
    let last = format!("look at {kept}attempt-3/errors.txt");
    assert!(blocked.err.contains(&last), "{}", blocked.err);
    for attempt in 1..=3 {
        let folder = repo.root().join(&kept).join(format!("attempt-{attempt}"));
        let spec = fs::read_to_string(folder.join("session/spec.md")).unwrap();
        assert_eq!(spec, "# Nothing is specified here\n");
        assert!(fs::read_to_string(folder.join("reply.txt")).unwrap().contains("\"OK\""));
        let errors: Value =
            serde_json::from_slice(&fs::read(folder.join("errors.json")).unwrap()).unwrap();
        let text = fs::read_to_string(folder.join("errors.txt")).unwrap();
        assert!(!errors.as_array().unwrap().is_empty());
        for error in errors.as_array().unwrap() {
            for field in ["code", "path", "message"] {
                assert!(text.contains(error[field].as_str().unwrap()), "{field} of {error}");
            }
        }
    }
    let options = repo.status()["pending_decisions"][0]["options"].to_string();
    for answer in ["\"retry\"", "retry-with: AGENT", "cancel: TEXT"] {
        assert!(options.contains(answer), "{options}");
    }
    assert!(!options.contains("valid"), "nobody is offered to skip validation: {options}");
}

#[test]
fn r067_files_changed_without_right_are_kept_too() {
    let trespass = json!({"when": {"role": "Coder"}, "do": {
        "default": true, "write": {"tollgate.toml": "[roles]\n", "src/new.txt": "half made\n"}}});
    let repo = Repo::with(json!([planner(&[Planned::new("T-001", "app.txt")]), trespass]));
    repo.through(&[APPROVE, PER_BATCH]).exits(4).says("tollgate.toml");
    let number = repo.dispatch_of("Coder", 0);
    let folder = repo.root().join(format!(
        ".artifacts-failed/{}/dispatch-{number}/attempt-3/changes",
        repo.session_name()
    ));
    assert_eq!(fs::read_to_string(folder.join("src/new.txt")).unwrap(), "half made\n");
    assert!(folder.join("app.txt").is_file());
    assert_eq!(repo.git(&["status", "--porcelain"]), "", "none of it shows in the checkout");
}

#[test]
fn what_is_valid_after_a_re_run_leaves_nothing_behind() {
    let repo = Repo::with(json!([
        {"when": {"role": "SpecAgent", "attempt": 1}, "do": {"stdout": "no JSON"}}
    ]));
    repo.run().exits(3);
    assert!(!repo.root().join(".artifacts-failed").exists());
    assert_eq!(reports(&repo).len(), 1, "the failure itself is on record");
}

/// Branches, files and modes of the checkout, our own folders left out.
fn checkout(repo: &Repo) -> (String, Vec<(PathBuf, Vec<u8>)>) {
    let mut files = files_below(&repo.root());
    let root = repo.root();
    let is_ours = |path: &PathBuf| {
        let below = path.strip_prefix(&root).unwrap();
        [".git", ".agents-work", ".artifacts-failed", "logs", ".snapshots"]
            .iter()
            .any(|folder| below.starts_with(folder))
    };
    files.retain(|path| !is_ours(path));
    files.sort();
    let branches = repo.git(&["for-each-ref", "refs/heads"]);
    (branches, files.into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect())
}

#[test]
fn r080_a_validation_failure_and_a_rejection_take_nothing_back() {
    let repo = Repo::new();
    repo.write("notes.txt", "mine, not committed\n");
    repo.run().exits(3);
    let before = checkout(&repo);
    let spec = repo.session_file("spec.md");
    repo.crew(json!([writes("Architect", "architecture.md", "# Nothing\n")]));
    repo.answer("UD-APPROVE-DESIGN", "changes-requested: Architect: smaller").exits(4);
    assert_eq!(checkout(&repo), before, "neither the rejection nor what followed changed it");
    assert_eq!(repo.session_file("spec.md"), spec, "earlier work stays");
}

#[test]
fn r080_a_failure_half_way_keeps_what_was_accepted() {
    let tasks = [Planned::new("T-001", "app.txt"), Planned::new("T-002", "more.txt")];
    let second = json!({"when": {"role": "Coder", "task": "T-002"}, "do": {"exit": 77}});
    let repo = Repo::with(json!([planner(&tasks), second]));
    repo.write("notes.txt", "mine, not committed\n");
    let files = checkout(&repo).1;
    repo.through(&[APPROVE, PER_BATCH]).exits(4);
    let branch = format!("tollgate/{}", repo.session_name());
    let tip = repo.git(&["rev-parse", &branch]);
    assert!(repo.git(&["show", "--name-only", "--format=", &branch]).contains("app.txt"));
    assert_eq!(checkout(&repo).1, files);
    repo.resume().exits(4);
    assert_eq!(repo.git(&["rev-parse", &branch]), tip, "accepted work is not taken back");
}

/// Every text and number of a JSON value that is not empty.
fn leaves(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(list) => list.iter().for_each(|value| leaves(value, found)),
        Value::Object(map) => map.values().for_each(|value| leaves(value, found)),
        Value::String(text) => found.push(text.clone()),
        Value::Number(number) => found.push(number.to_string()),
        Value::Null | Value::Bool(_) => {}
    }
}

/// What both forms are compared by: digits of durations are written otherwise for people.
fn squeezed(text: &str) -> String {
    text.chars().filter(|char| char.is_alphanumeric()).collect()
}

#[test]
fn r082_a_report_has_every_field_and_both_forms_hold_the_same() {
    let repo = Repo::with(json!([
        {"when": {"role": "SpecAgent"}, "do": {
            "stderr": "Traceback (most recent call last):\n  File \"a.py\", line 7\nboom\n",
            "stdout": "half a reply", "exit": 3}}
    ]));
    let blocked = repo.run().exits(4);
    let reports = reports(&repo);
    assert_eq!(reports.len(), 3, "one for each failed attempt");
    let (path, report) = reports.last().unwrap();
    for field in [
        "action",
        "step",
        "role",
        "agent",
        "task",
        "dispatch",
        "attempt",
        "failed_at",
        "duration_ms",
        "error_type",
        "message",
        "impacted_artifacts",
        "tried",
        "remediation",
        "next",
        "decision",
        "options",
        "kept",
        "excerpts",
    ] {
        assert!(!report[field].is_null(), "{field} in {report:#}");
    }
    assert_eq!(report["action"], "deliver");
    assert_eq!(report["error_type"]["class"], "transient");
    assert_eq!(report["error_type"]["code"], "subagent_failure");
    assert_eq!(report["tried"].as_array().unwrap().len(), 3);
    assert!(report["excerpts"]["stack_trace"].as_str().unwrap().contains("line 7"));
    assert!(report["excerpts"]["agent_output"].as_str().unwrap().contains("half a reply"));
    assert!(report["excerpts"]["agent_input"].as_str().unwrap().contains("\"dispatch\": 1"));
    let text = squeezed(&fs::read_to_string(path.with_extension("txt")).unwrap());
    let mut for_people = report.clone();
    // Programs choose an option by these; people read the answer, which tells both.
    for option in for_people["options"].as_array_mut().unwrap() {
        let option = option.as_object_mut().unwrap();
        for name in ["id", "needs_words", "recommended"] {
            assert!(option.remove(name).is_some(), "{name}");
        }
    }
    let mut facts = Vec::new();
    leaves(&for_people, &mut facts);
    for fact in facts {
        assert!(text.contains(&squeezed(&fact)), "{fact:?} is not in {}", path.display());
    }
    for words in ["Earlier attempts", "What to do", "Affected artefacts", "1 (SpecAgent)"] {
        assert!(blocked.err.contains(words), "{words} in {}", blocked.err);
    }
    let name = path.file_stem().unwrap().to_str().unwrap();
    assert!(blocked.err.contains(name), "it says where the report is: {}", blocked.err);
    let at = report["failed_at"].as_str().unwrap().replace(':', "-");
    assert!(name.starts_with(&at), "{name} is named after {at}");
}

#[test]
fn r082_a_failure_is_reported_once_and_a_lost_report_comes_back() {
    let repo = Repo::with(json!([{"when": {"role": "SpecAgent"}, "do": {"exit": 77}}]));
    repo.run().exits(4);
    let before = reports(&repo);
    assert_eq!(before.len(), 1);
    repo.resume().exits(4).says("Earlier attempts");
    assert_eq!(reports(&repo), before, "a resume writes no second one");
    fs::remove_dir_all(repo.root().join("logs")).unwrap();
    repo.resume().exits(4).says("Earlier attempts");
    assert_eq!(reports(&repo), before, "byte for byte");
}

#[test]
fn r082_a_checkout_with_something_else_called_logs_keeps_its_reports_with_the_session() {
    let repo = Repo::with(json!([{"when": {"role": "SpecAgent"}, "do": {"exit": 77}}]));
    repo.write("logs", "mine\n");
    let place = |repo: &Repo| format!(".agents-work/{}/errors/", repo.session_name());
    let blocked = repo.run().exits(4).says("permission").says("Earlier attempts");
    assert!(blocked.err.contains(&place(&repo)), "{}", blocked.err);
    assert_eq!(files_below(&repo.root().join(place(&repo))).len(), 2);
    assert_eq!(fs::read_to_string(repo.root().join("logs")).unwrap(), "mine\n");
    repo.crew(json!([]));
    repo.answer("UD-1", "retry").exits(3);
    assert!(!repo.input(2, 1).to_string().contains("errors/"), "no agent is given them");
}

#[test]
fn r082_an_agent_that_gives_up_is_reported_like_one_that_breaks() {
    let repo = Repo::with(json!([replies(
        "SpecAgent",
        json!({"status": "BLOCKED", "summary": "no key"})
    )]));
    repo.run().exits(4).says("no key").says("replied BLOCKED");
    let (_, report) = reports(&repo).pop().unwrap();
    assert_eq!(report["error_type"]["code"], "agent_blocked");
    assert_eq!(report["role"], "SpecAgent");
    assert!(report["message"].as_str().unwrap().contains("no key"));
}

const TOKENS: [&str; 6] = [
    "ghp_0123456789abcdefghijABCDEFGHIJ012345",
    "sk-ant-api03-abcDEF123456_7-xyz",
    "AKIAIOSFODNN7EXAMPLE",
    "xoxb-123456789012-abcdefABCDEF",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
    "MIIEowIBAAKCAQEAplantedKey0123456789",
];
const PASSWORD: &str = "correct-horse-battery";
const MAIL: &str = "jane.doe@example.com";
const FROM_ENVIRONMENT: &str = "value-only-known-by-its-variable";

/// A text with everything in it that must not be written.
fn planted() -> String {
    let tokens = TOKENS[..5].join(" and ");
    format!(
        "{tokens} DB_PASSWORD={PASSWORD} mail {MAIL} {FROM_ENVIRONMENT} \
         https://joe:{PASSWORD}@db.example.com/x\n-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n",
        TOKENS[5]
    )
}

fn expect_clean(repo: &Repo, shown: &str) {
    let mut files = Vec::new();
    for folder in [".agents-work", "logs", ".artifacts-failed", ".snapshots"] {
        files.extend(files_below(&repo.root().join(folder)));
    }
    assert!(files.len() > 20, "there is something to look at");
    let outside = files_below(&repo.outside("state"));
    // The agent's own tree, and git's objects of its own change, are its work.
    let is_record = |path: &PathBuf| {
        !path.components().any(|part| part.as_os_str() == "tree" || part.as_os_str() == ".git")
    };
    files.extend(outside.into_iter().filter(is_record));
    // What an agent wrote as its work is kept as it would be accepted: without tokens, and otherwise as it is.
    let is_work = |path: &PathBuf| path.components().any(|part| part.as_os_str() == "left");
    let secrets = TOKENS.iter().chain([&PASSWORD, &MAIL, &FROM_ENVIRONMENT]);
    for secret in secrets {
        assert!(!shown.contains(secret), "{secret} is shown:\n{shown}");
        let may_be_work = [PASSWORD, MAIL].contains(secret);
        for path in files.iter().filter(|path| !(may_be_work && is_work(path))) {
            let text = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
            assert!(!text.contains(secret), "{secret} is in {}:\n{text}", path.display());
        }
    }
}

fn run_with_secret(repo: &Repo) -> crate::support::Ran {
    let mut command = repo.command(&["run", "--no-input", GOAL]);
    ran(command.env("SOME_API_KEY", FROM_ENVIRONMENT))
}

#[test]
fn r083_secrets_and_addresses_in_a_crash_are_written_nowhere() {
    let text = planted();
    let repo = Repo::with(json!([
        {"when": {"role": "SpecAgent"}, "do": {"stderr": text, "stdout": text, "exit": 3}}
    ]));
    let blocked = run_with_secret(&repo).exits(4);
    expect_clean(&repo, &blocked.err);
    assert!(blocked.err.contains("SpecAgent"));
}

#[test]
fn r083_secrets_and_addresses_in_invalid_work_are_written_nowhere() {
    let text = planted();
    let broken = format!("# {text}\n");
    let reply = json!({"status": "OK", "summary": text, "artifacts": {"notes": [text.clone()]}});
    let repo = Repo::with(json!([{"when": {"role": "SpecAgent"}, "do": {
        "default": true, "stderr": text, "reply": reply,
        "write": {".agents-work/{session}/spec.md": broken, "code.txt": broken,
                  ".agents-work/{session}/acceptance.json": format!("{{\"{MAIL} {}\": 1}}", TOKENS[0])}}}]));
    let blocked = run_with_secret(&repo).exits(4);
    expect_clean(&repo, &blocked.err);
    let kept = files_below(&repo.root().join(".artifacts-failed"));
    assert!(kept.iter().any(|path| path.ends_with("changes/code.txt")), "{kept:?}");
}

#[test]
fn r083_secrets_and_addresses_in_replies_findings_and_checks_are_written_nowhere() {
    let text = planted();
    let mail = MAIL.replace('@', "\\u0040");
    let escaped = format!(
        r#"{{"status":"BLOCKED","summary":"ask {mail}","artifacts":{{"review_comments":[{{"severity":"major","category":"x","file":"app.txt","line":1,"message":{},"suggested_fix":"y"}}]}},"gates":{{"meets_definition_of_done":false,"needs_review":false,"needs_tests":false,"security_concerns":[]}},"next":{{"recommended_agent":"Coder","recommended_task_id":"T-001","reason":"x"}}}}"#,
        Value::String(text.clone())
    );
    let said = json!({"summary": text, "artifacts": {"notes": [format!("assumption: {text}")]}});
    let tasks = [Planned {
        checks: r#"["cmd: cat said.txt; ! grep -q mail said.txt"]"#,
        ..Planned::new("T-001", "said.txt")
    }];
    let repo = Repo::with(json!([
        planner(&tasks),
        replies("SpecAgent", said),
        {"when": {"role": "Coder", "nth": 1}, "do": {"write": {"said.txt": text}, "reply": {"summary": text}}},
        {"when": {"role": "Coder", "nth": 2}, "do": {"write": {"said.txt": "clean\n"}, "reply": {"summary": text}}},
        {"when": {"role": "Reviewer", "nth": 1}, "do": {"stdout": escaped}},
        {"when": {"role": "Coder"}, "do": {"stderr": text, "exit": 77}},
    ]));
    run_with_secret(&repo).exits(3);
    let mut shown = String::new();
    for (decision, answer) in [APPROVE, PER_BATCH] {
        let mut command = repo.command(&["answer", "latest", decision, answer, "--resume"]);
        shown = ran(command.env("SOME_API_KEY", FROM_ENVIRONMENT)).err;
    }
    assert!(repo.events("checks_ended")[0]["results"][0]["passed"] == false, "a check failed");
    assert!(!repo.events("finding_recorded").is_empty(), "{shown}");
    expect_clean(&repo, &shown);
}

#[test]
fn r083_a_token_in_a_session_file_is_taken_out_of_what_is_accepted() {
    let spec = format!(
        "# Spec\n\n## Goals\n\nLog in with {} and {FROM_ENVIRONMENT}; write to help@example.com\n\n\
         ## Acceptance Criteria\n\nx\n\n## Definition of Done\n\nx\n",
        TOKENS[0]
    );
    let repo = Repo::with(json!([writes("SpecAgent", "spec.md", &spec)]));
    run_with_secret(&repo).exits(3);
    let kept = repo.session_file("spec.md");
    assert!(kept.contains("Log in with [redacted] and [redacted]; write to help@example.com"));
    for path in files_below(&repo.session()) {
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
        assert!(!text.contains(TOKENS[0]), "{}", path.display());
        assert!(!text.contains(FROM_ENVIRONMENT), "{}", path.display());
    }
    repo.resume().exits(3).says("UD-APPROVE-DESIGN");
    assert!(repo.events("files_edited").is_empty(), "what is kept is what was accepted");
}

#[test]
fn r084_an_escalation_waits_for_ever_and_keeps_the_choice_and_its_reason() {
    let repo = Repo::with(json!([{"when": {"role": "SpecAgent"}, "do": {"exit": 77}}]));
    repo.run().exits(4).says("with no time limit");
    let journal = repo.session_file("journal.jsonl");
    for word in ["\"due\"", "deadline", "expires"] {
        assert!(!journal.contains(word), "nothing is due: {word}");
    }
    for _ in 0..2 {
        repo.resume().exits(4).says("UD-1");
        assert_eq!(repo.starts_of("SpecAgent"), 1, "nothing is tried while it waits");
    }
    let status = repo.status();
    let options = status["pending_decisions"][0]["options"].as_array().unwrap();
    for keyword in ["retry", "cancel"] {
        let offered = |option: &&Value| option["answer"].as_str().unwrap().starts_with(keyword);
        let option = options.iter().find(offered).unwrap_or_else(|| panic!("{keyword}"));
        assert!(!option["consequence"].as_str().unwrap().is_empty(), "{option}");
    }
    repo.answer("UD-1", "retry: use the other key").exits(4);
    assert_eq!(repo.decision("UD-1")["answer"], "retry: use the other key");
    repo.tollgate(&["answer", "latest", "UD-2", "cancel", "--reason", "we do it by hand"]).exits(0);
    let decision = repo.decision("UD-2");
    assert_eq!(decision["status"], "cancelled", "{decision}");
    assert_eq!(decision["resolution_reason"], "we do it by hand", "{decision}");
    let evidence = repo.session_file("evidence/gate-decisions.md");
    for words in ["use the other key", "we do it by hand"] {
        assert!(evidence.contains(words), "{evidence}");
    }
}

#[test]
fn r084_every_failure_that_stops_offers_another_try_and_an_end() {
    let wrong: [(&str, Value, &str); 6] = [
        ("crash", json!({"exit": 1}), ""),
        ("refused", json!({"exit": 77}), ""),
        ("invalid", json!({"stdout": "no"}), ""),
        ("missing", json!({"reply": {"status": "OK"}}), ""),
        ("timeout", json!({"hang": true}), "[timeout]\nSpecAgent = \"300ms\""),
        ("given up", json!({"reply": {"status": "FAIL", "summary": "no"}}), ""),
    ];
    for (name, what, settings) in wrong {
        let repo = Repo::with(json!([{"when": {"role": "SpecAgent"}, "do": what}]));
        repo.settings(settings);
        repo.run().exits(4);
        let status = repo.status();
        let options = status["pending_decisions"][0]["options"].as_array().unwrap().clone();
        let answers: Vec<&str> =
            options.iter().map(|option| option["answer"].as_str().unwrap()).collect();
        assert!(answers.contains(&"retry"), "{name}: {answers:?}");
        assert!(answers.iter().any(|answer| answer.starts_with("cancel")), "{name}: {answers:?}");
        assert_eq!(answers.contains(&"extend: DURATION"), name == "timeout", "{name}");
        assert!(options.iter().all(|option| option["consequence"] != ""), "{name}");
        let (_, report) = reports(&repo).pop().unwrap();
        assert_eq!(report["options"].as_array().unwrap(), &options, "{name}");
    }
}

#[test]
fn a_rejected_review_is_not_a_failure() {
    let object =
        json!({"when": {"role": "Reviewer", "nth": 1}, "do": {"reply": objection("fix it")}});
    let repo = Repo::with(json!([planner(&[Planned::new("T-001", "app.txt")]), object]));
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    assert!(reports(&repo).is_empty());
    assert!(!repo.root().join(".artifacts-failed").exists());
}
