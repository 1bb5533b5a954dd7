//! The last word is a fresh clone: what proves the work holds without a file, cache or process that is in no commit.

use crate::route::{commit, findings, go, leaves, prompt, route};
use crate::support::plan::{Planned, planner};
use crate::support::{APPROVE, PER_BATCH, Repo, SINGLE_FINAL};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const BUILD: &str = "{dispatch: Coder, state: IMPLEMENT_LOOP, writes: ['**']}";

/// A plan of one task with this check, and `cache/` ignored.
fn planned(check: &'static str, rules: &[Value]) -> Repo {
    let task = Planned { checks: check, ..Planned::new("T-001", "app.txt") };
    let repo = Repo::with(Value::Array([&[planner(&[task])], rules].concat()));
    repo.write(".gitignore", "cache/\n");
    commit(&repo);
    repo
}

/// Every start of the Coder adds a line to its file and leaves something that git ignores.
fn leaves_a_cache() -> Value {
    json!({"when": {"role": "Coder"},
           "do": {"append": {"app.txt": "more\n"}, "write": {"cache/built": "x\n"}}})
}

/// Purpose and outcome of every check run: `meta failed`.
fn checks(repo: &Repo) -> Vec<String> {
    let started = repo.events("checks_started");
    let ended = repo.events("checks_ended");
    let outcome = |number: &Value| {
        let end = ended.iter().find(|end| end["number"] == *number).expect("it ended");
        let passed = end["results"].as_array().unwrap().iter().all(|r| r["passed"] == true);
        if passed { "passed" } else { "failed" }
    };
    let words = |run: &Value| {
        let of = run["purpose"]["of"].as_str().unwrap();
        format!("{of} {}", outcome(&run["number"]))
    };
    started.iter().map(words).collect()
}

/// The names of clones that are still there.
fn clones(repo: &Repo) -> Vec<String> {
    let below = |folder: &Path| -> Vec<_> {
        fs::read_dir(folder).into_iter().flatten().map(|e| e.unwrap().path()).collect()
    };
    let repositories = below(&repo.outside("state/workspaces"));
    let homes = repositories.iter().flat_map(|folder| below(folder));
    let names = homes.map(|home| home.file_name().unwrap().to_str().unwrap().to_owned());
    names.filter(|name| name.contains("~fresh")).collect()
}

#[test]
fn r170_a_check_that_passes_only_by_an_ignored_file_does_not_end_the_work() {
    for strategy in [PER_BATCH, SINGLE_FINAL] {
        let repo = planned("['cmd: test -e cache/built']", &[leaves_a_cache()]);
        repo.through(&[APPROVE, strategy])
            .exits(3)
            .says("fresh clone of the branch")
            .says("passes in the workspace");
        let ran = checks(&repo);
        // The control: in the workspace the very same command is satisfied.
        assert!(ran.contains(&"task passed".to_owned()), "{ran:?}");
        assert!(!ran.contains(&"acceptance passed".to_owned()), "{ran:?}");
        let ended = repo.events("checks_ended");
        let results = ended.last().unwrap()["results"].as_array().unwrap();
        let result = results.iter().find(|result| result["passed"] == false).unwrap();
        assert_eq!(result["only_in_workspace"], json!(["cache/"]), "{result}");
        let told = prompt(&repo, repo.dispatch_of("Integrator", 1));
        assert!(told.contains("cache/") && told.contains("fresh clone"), "{told}");
    }
}

#[test]
fn r170_lean_work_and_the_checks_of_an_action_have_their_last_word_there_too() {
    // What was red on the base already would stop nothing.
    let checks = "{checks: ['cmd: test -e cache/built || grep -q one app.txt'], state: INTEGRATE}";
    let forged = json!({"app.txt": "two\n", "cache/built": "x\n"});
    let repo = route(json!([leaves("Coder", forged)]), &[BUILD, checks]);
    repo.write(".gitignore", "cache/\n");
    commit(&repo);
    go(&repo).exits(3).says("fresh clone of the branch");
    assert_ne!(repo.status()["state"], "DONE");

    let criteria = json!({"acceptance_criteria": [{"id": "AC-001", "description": "it is built",
        "verify": ["cmd: test -e cache/built"]}]});
    let spec = json!({"when": {"role": "SpecAgent"}, "do": {"default": true,
        "write": {".agents-work/{session}/acceptance.json": criteria.to_string()}}});
    let repo = Repo::with(json!([spec, leaves_a_cache()]));
    repo.write(".gitignore", "cache/\n");
    commit(&repo);
    repo.lean().exits(3).says("fresh clone of the branch");
    assert_ne!(repo.status()["state"], "DONE");
}

#[test]
fn r170_a_check_that_passes_only_the_second_time_does_not_end_the_work() {
    let check = "['cmd: test -e cache/seen || { mkdir -p cache; touch cache/seen; exit 1; }']";
    let repo = planned(check, &[]);
    repo.through(&[APPROVE, PER_BATCH]).exits(3).says("fresh clone of the branch");
    let ran = checks(&repo);
    assert_eq!(ran[..2], ["task failed", "task passed"], "{ran:?}");
    assert!(ran.iter().filter(|run| *run == "acceptance failed").count() > 1, "{ran:?}");
}

#[test]
fn r170_what_setup_makes_and_copy_brings_is_in_the_fresh_clone() {
    let check =
        "['cmd: test -e cache/built && grep -q plain .env && test $(wc -l < cache/built) -eq 1']";
    let repo = planned(check, &[]);
    repo.settings(
        "[workspace]\nsetup = [\"mkdir -p cache; echo built >> cache/built\"]\ncopy = [\".env\"]",
    );
    repo.write(".gitignore", "cache/\n.env\n");
    commit(&repo);
    repo.write(".env", "plain");
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    assert_eq!(checks(&repo).last().unwrap(), "acceptance passed");
    assert_eq!(clones(&repo), [""; 0], "nothing of it stays");
}

#[test]
fn r170_setup_that_fails_in_the_fresh_clone_is_repaired_and_named() {
    // The first workspace is made from the base, where nothing is wrong yet.
    let breaks = json!({"when": {"role": "Coder", "nth": 1},
        "do": {"append": {"app.txt": "broken\n"}}});
    let fixes = json!({"when": {"role": "Coder"}, "do": {"write": {"app.txt": "one\nfixed\n"}}});
    let idle = json!({"when": {"role": "Integrator", "input_has": "workspace.setup"}, "do": {}});
    let repo = planned("['cmd: true']", &[breaks, fixes, idle]);
    repo.settings(
        "[workspace]\nsetup = [\"if grep -q broken app.txt; then echo no such package >&2; exit 3; fi\"]",
    );
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    let told = prompt(&repo, repo.dispatch_of("Coder", 1));
    for words in ["workspace.setup", "exit code 3", "no such package", "fresh clone"] {
        assert!(told.contains(words), "{words}: {told}");
    }
    let found = findings(&repo);
    assert!(
        found.iter().any(|f| f.contains("fixed") && f.contains("workspace.setup")),
        "{found:?}"
    );
}

#[test]
fn r170_nothing_runs_twice_on_one_commit_and_everything_on_another() {
    for (docs, clones_used) in [(json!({}), 1), (json!({"README.md": "read me\n"}), 2)] {
        let rules = [json!({"when": {"role": "Docs"}, "do": {"default": true, "write": docs}})];
        let repo = planned("['cmd: pwd >> ../../../../../../log/trees']", &rules);
        let log = repo.open_outside("log").join("trees");
        repo.through(&[APPROVE, PER_BATCH]).exits(0);
        let text = fs::read_to_string(log).unwrap();
        let fresh: Vec<&str> = text.lines().filter(|tree| tree.contains("~fresh")).collect();
        assert_eq!(fresh.len(), clones_used, "{text}");
    }
}

#[test]
fn r170_an_engine_killed_in_the_middle_takes_the_fresh_clone_up_again() {
    for point in [
        "create.before_checkout:1",
        "create.before_rename:1",
        "checks.before_start:2",
        "checks.started:2",
        "checks.ended:2",
    ] {
        let repo = planned("['cmd: pwd >> ../../../../../../log/trees']", &[]);
        let log = repo.open_outside("log").join("trees");
        repo.through(&[APPROVE]).exits(3);
        repo.tollgate(&["answer", "latest", PER_BATCH.0, PER_BATCH.1]).exits(0);
        let mut killed = repo.command(&["resume", "--no-input"]);
        let killed = killed.env("TOLLGATE_CRASH_AT", point).output().unwrap();
        assert!(!killed.status.success(), "{point} was not reached");
        repo.resume().exits(0);
        let text = fs::read_to_string(log).unwrap();
        let fresh = text.lines().filter(|tree| tree.contains("~fresh")).count();
        assert_eq!(fresh, 1, "{point}: {text}");
        assert_eq!(clones(&repo), [""; 0], "{point}");
    }
}

fn lcov(file: &str, covered: u32, total: u32) -> String {
    let line = |line: u32| format!("DA:{line},{}\n", u32::from(line <= covered));
    let lines: String = (1..=total).map(line).collect();
    format!("SF:{file}\n{lines}end_of_record\n")
}

/// An action whose only command is this one, a Coder that leaves these files, and 80 per cent asked for.
fn measured(command: &str, left: Value, ignored: &str) -> Repo {
    let checks = format!("{{checks: ['cmd: {command}', coverage], state: INTEGRATE}}");
    let repo = route(json!([leaves("Coder", left)]), &[BUILD, &checks]);
    repo.write(".gitignore", ignored);
    commit(&repo);
    repo.settings("[coverage]\nreport = \"lcov.info\"\n");
    repo
}

#[test]
fn r170_coverage_is_what_a_command_measured_in_the_fresh_clone() {
    let forged = json!({"lcov.info": lcov("app.txt", 100, 100), "app.txt": "two\n"});
    for ignored in ["lcov.info\n", "\n"] {
        // A command that measures only where no report is there yet.
        let command = "test -e lcov.info || true";
        let repo = measured(command, forged.clone(), ignored);
        go(&repo).exits(3).says("no check has written lcov.info");
        let repo = measured("cp measured lcov.info", forged.clone(), ignored);
        repo.write("measured", &lcov("app.txt", 90, 100));
        commit(&repo);
        go(&repo).exits(0);
    }
    // Where an action runs no command at all, a report that an agent committed is none either.
    let repo =
        route(json!([leaves("Coder", forged)]), &[BUILD, "{checks: [coverage], state: INTEGRATE}"]);
    repo.settings("[coverage]\nreport = \"lcov.info\"\n");
    go(&repo).exits(3).says("no check has written lcov.info");
}

#[test]
fn r170_lines_of_files_that_do_not_exist_are_not_covered() {
    let repo = measured("cp measured lcov.info", json!({"app.txt": "two\n"}), "lcov.info\n");
    let ghost = lcov("src/never_written.rs", 1_000, 1_000);
    repo.write("measured", &format!("{}{ghost}", lcov("./app.txt", 70, 100)));
    commit(&repo);
    go(&repo).exits(3).says("70 % of the lines").says("src/never_written.rs");
    let repo = measured("cp measured lcov.info", json!({"app.txt": "two\n"}), "lcov.info\n");
    repo.write("measured", &ghost);
    commit(&repo);
    go(&repo).exits(3).says("names no line of a file in the workspace");
}
