//! What `build`, `feature` and `test` end with: commands that the engine ran, or a person's reason to do without them.

use crate::route::{commit, options_of};
use crate::support::{Ran, Repo};
use serde_json::{Value, json};

/// A repository that has all that the actions ask for, and a crew whose quality engineer names these commands.
fn planned(commands: &[&str]) -> Repo {
    let reply = json!({"artifacts": {"commands_to_run": commands}});
    let repo = Repo::with(json!([
        {"when": {"role": "QA"}, "do": {"default": true, "reply": reply}},
    ]));
    let documents = [
        ("BLUEPRINT.md", "# Blueprint\n\n## Vision\n\nOne line more.\n"),
        (
            "stories/F0001-S0001-line.md",
            "# F0001-S0001 Line\n\n## Story\n\nAs a reader I want a line.\n",
        ),
        ("architecture/SOLUTION-PATTERNS.md", "# Solution patterns\n\n## Structure\n\nOne file.\n"),
        (
            "api/openapi.yaml",
            "openapi: 3.1.0\ninfo:\n  title: Lines\n  version: 1.0.0\npaths:\n  /lines: {}\n",
        ),
    ];
    for (path, text) in documents {
        repo.write(&format!("planning-mds/{path}"), text);
    }
    commit(&repo);
    repo
}

fn go(repo: &Repo, action: &str) -> Ran {
    let run = ["run", "--no-input", "--action", action, "--slug", action];
    let feature: &[&str] = if action == "feature" { &["--input", "feature=F0001"] } else { &[] };
    repo.tollgate(&[&run[..], feature, &["Take the next step"]].concat())
}

/// Command and exit code of everything that the engine ran as evidence, in order.
fn ran_as_evidence(repo: &Repo) -> Vec<(String, Value)> {
    let is_evidence = |event: &&Value| event["purpose"]["subject"] == "evidence";
    let started = repo.events("checks_started");
    let numbers: Vec<Value> =
        started.iter().filter(is_evidence).map(|event| event["number"].clone()).collect();
    let ended = repo.events("checks_ended");
    let of_evidence = ended.iter().filter(|event| numbers.contains(&event["number"]));
    let results = of_evidence.flat_map(|event| event["results"].as_array().unwrap());
    results.map(|r| (r["command"].as_str().unwrap().to_owned(), r["exit_code"].clone())).collect()
}

fn question(repo: &Repo) -> (String, String) {
    let status = repo.status();
    let [asked] = status["pending_decisions"].as_array().unwrap().as_slice() else {
        panic!("not one question: {status:#}");
    };
    let word = |key: &str| asked[key].as_str().unwrap().to_owned();
    (word("kind"), word("question"))
}

#[test]
fn r152_the_three_actions_end_with_commands_that_the_engine_ran() {
    for action in ["build", "feature", "test"] {
        let repo = planned(&["grep -q one app.txt"]);
        let mut last = go(&repo, action);
        if action != "test" {
            last.exits(3);
            let (kind, question) = question(&repo);
            assert_eq!(kind, "approve");
            assert!(question.contains("exit code 0  cmd: grep -q one app.txt"), "{question}");
            last = repo.answer("UD-1", "approved");
        }
        last.exits(0);
        let ran = ran_as_evidence(&repo);
        assert!(!ran.is_empty());
        assert!(
            ran.iter().all(|ran| *ran == ("grep -q one app.txt".to_owned(), json!(0))),
            "{ran:?}"
        );
        let log = repo.session_file("evidence/commands.log");
        assert!(log.contains("grep -q one app.txt"), "{log}");
        assert!(repo.events("decision_asked").iter().all(|e| e["decision"]["kind"] != "check"));
    }
}

#[test]
fn r152_without_a_command_a_person_names_one_or_waives_it_in_words() {
    for action in ["build", "feature", "test"] {
        let repo = planned(&[]);
        go(&repo, action).exits(3).says("no role named one").says("[check]");
        assert_eq!(question(&repo).0, "check");
        assert_eq!(
            options_of(&repo, "UD-1"),
            ["fix-check: COMMAND", "waive: TEXT", "cancel: TEXT"]
        );
        for answer in ["waive", "waive: ", "fix-check", "retry", "approved", "skip"] {
            repo.answer("UD-1", answer).exits(2);
        }
        repo.resume().exits(3);
        let mut last = repo.answer("UD-1", "waive: nothing here can be run");
        if action != "test" {
            last.exits(3);
            let (_, question) = question(&repo);
            assert!(question.contains("No command was run for this: nothing here"), "{question}");
            last = repo.answer("UD-2", "approved");
        }
        last.exits(0);
        let issues = repo.status_file()["known_issues"].to_string();
        assert!(issues.contains("nothing here can be run"), "{issues}");
        let decisions = repo.session_file("evidence/gate-decisions.md");
        assert!(decisions.contains("nothing here can be run"), "{decisions}");
    }
    let repo = planned(&[]);
    go(&repo, "test").exits(3);
    repo.answer("UD-1", "fix-check: grep -q one app.txt").exits(0);
    assert_eq!(ran_as_evidence(&repo), [("grep -q one app.txt".to_owned(), json!(0))]);
}

#[test]
fn r152_a_command_that_always_passes_is_no_evidence() {
    let repo = planned(&["true", "echo all tests passed"]);
    go(&repo, "test").exits(3).says("always passes").says("echo all tests passed");
    repo.answer("UD-1", "fix-check: exit 0").exits(3).says("exit 0");
    assert!(ran_as_evidence(&repo).is_empty());
    repo.answer("UD-2", "fix-check: test -s app.txt").exits(0);
    assert_eq!(ran_as_evidence(&repo), [("test -s app.txt".to_owned(), json!(0))]);
}

#[test]
fn r152_the_settings_say_what_counts_and_what_agents_name_is_then_not_run() {
    let repo = planned(&["touch somewhere"]);
    repo.settings("[check]\ncommands = [\"test -s app.txt\", \"grep -q one app.txt\"]");
    go(&repo, "test").exits(0);
    let ran = ran_as_evidence(&repo);
    assert_eq!(
        ran.iter().map(|(c, _)| c.as_str()).collect::<Vec<_>>(),
        ["test -s app.txt", "grep -q one app.txt"]
    );
}

#[test]
fn r152_what_only_passes_where_the_agent_worked_is_not_shown() {
    let repo = planned(&[]);
    repo.write(".gitignore", "cache.txt\n");
    commit(&repo);
    let reply = json!({"artifacts": {"commands_to_run": ["test -e cache.txt"]}});
    repo.crew(json!([{"when": {"role": "QA"}, "do": {"default": true, "write": {"cache.txt": "x"}, "reply": reply}}]));
    repo.settings("repairs = 0");
    go(&repo, "feature").exits(3).says("test -e cache.txt").says("in a fresh clone");
    assert_eq!(ran_as_evidence(&repo), [("test -e cache.txt".to_owned(), json!(1))]);
}

#[test]
fn r152_after_a_correction_the_commands_run_again_before_the_gate() {
    let repo = planned(&["test -s app.txt"]);
    go(&repo, "feature").exits(3);
    assert_eq!(ran_as_evidence(&repo).len(), 2, "before the reviews, and with their pages");
    repo.answer("UD-1", "changes-requested: backend-developer: more lines").exits(3);
    assert_eq!(ran_as_evidence(&repo).len(), 3);
    let (_, question) = question(&repo);
    assert!(question.contains("exit code 0  cmd: test -s app.txt"), "{question}");
    repo.answer("UD-1", "approved").exits(0);
    assert_eq!(ran_as_evidence(&repo).len(), 3, "the commit is the same as at the gate");
}

#[test]
fn r152_coverage_is_what_a_command_measured_and_never_what_was_left_or_committed() {
    let lcov = |percent: u32| {
        let lines = (1..=100).map(|line| format!("DA:{line},{}\n", u32::from(line <= percent)));
        format!("SF:app.txt\n{}end_of_record\n", lines.collect::<String>())
    };
    let check = |command: &str, says: &str| {
        let repo = planned(&[]);
        repo.write("tests/lcov.info", &lcov(100));
        repo.write("measured.txt", &lcov(70));
        commit(&repo);
        repo.settings("[coverage]\nreport = \"tests/lcov.info\"\nminimum = 80");
        let reply = json!({"artifacts": {"commands_to_run": [command]}});
        let forged = json!({"tests/lcov.info": lcov(99)});
        repo.crew(json!([{"when": {"role": "QA", "nth": 2}, "do": {"default": true, "write": forged, "reply": reply}}]));
        go(&repo, "test").exits(3).says(says);
        assert_eq!(question(&repo).0, "coverage");
    };
    check("test -s app.txt", "no check has written tests/lcov.info");
    check("cp measured.txt tests/lcov.info", "70 % of the lines");
}

#[test]
fn r152_an_action_of_the_repository_with_one_of_these_names_ends_the_same_way() {
    let repo = planned(&[]);
    let action = |steps: &str| {
        format!(
            "---\nname: test\ndescription: Tests\nsteps:\n  - {{dispatch: quality-engineer, state: IMPLEMENT_LOOP}}\n{steps}  - {{close: done, state: DONE}}\n---\n\n# test\n"
        )
    };
    repo.write("agents/actions/README.md", "- [test](test.md)\n");
    repo.write("agents/actions/test.md", &action(""));
    commit(&repo);
    go(&repo, "test").exits(3).says("no role named one");
    repo.write(
        "agents/actions/test.md",
        &action("  - {checks: ['cmd: test -s app.txt'], state: INTEGRATE}\n"),
    );
    commit(&repo);
    go(&repo, "test").exits(0);
}
