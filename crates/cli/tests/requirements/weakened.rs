//! Tests that a change weakens are for a person, whoever made the change and wherever in the session.

use crate::route::{commit, findings, go, nth, on_branch, route};
use crate::support::plan::{Planned, plan, planner, writes};
use crate::support::{APPROVE, PER_BATCH, Ran, Repo, SINGLE_FINAL};
use serde_json::{Value, json};

const TESTS: &str = "import unittest\n\nclass T(unittest.TestCase):\n    def test_one(self):\n        self.assertEqual(1, 1)\n\n    def test_two(self):\n        self.assertEqual(two(), 2)\n";

fn emptied() -> String {
    TESTS.replace("self.assertEqual(two(), 2)", "pass")
}

/// A session over an app with tests, one task and these rules.
fn tested(strategy: (&str, &str), rules: &[Value]) -> (Repo, Ran) {
    with_task(Planned::new("T-001", "app.txt"), strategy, rules)
}

fn with_task(task: Planned, strategy: (&str, &str), rules: &[Value]) -> (Repo, Ran) {
    let mut all = vec![planner(&[task])];
    all.extend(rules.iter().cloned());
    let repo = Repo::with(json!(all));
    repo.write("tests/test_app.py", TESTS);
    repo.write("docs/test_guide.py", TESTS);
    repo.write("Makefile", "test:\n\tpython3 -c 'import unittest'\n");
    commit(&repo);
    let ran = repo.through(&[APPROVE, strategy]);
    (repo, ran)
}

/// A person was asked about this file, in words that name it, and the session is not done.
#[track_caller]
fn asked_about(repo: &Repo, ran: Ran, file: &str, words: &str) {
    ran.exits(3).says(file).says(words);
    let open: Vec<String> =
        findings(repo).into_iter().filter(|line| line.starts_with("medium open")).collect();
    assert!(!open.is_empty(), "{:?}", findings(repo));
    assert!(repo.events("session_closed").is_empty());
}

#[test]
fn r168_tests_that_qa_deletes_skips_or_empties_are_for_a_person() {
    let skipped = TESTS.replace("class T", "@unittest.skip(\"later\")\nclass T");
    let leaves = |text: &str| json!({"default": true, "write": {"tests/test_app.py": text}});
    for (act, words) in [
        (json!({"default": true, "delete": ["tests/test_app.py"]}), "was deleted"),
        (leaves(&skipped), "is now skipped"),
        (leaves(&emptied()), "no longer asserts anything"),
    ] {
        for strategy in [PER_BATCH, SINGLE_FINAL] {
            let (repo, ran) = tested(strategy, &[nth("QA", 1, act.clone())]);
            asked_about(&repo, ran, "tests/test_app.py", words);
            repo.answer("UD-1", "accept").exits(0);
            let issues = repo.status_file()["known_issues"].to_string();
            assert!(issues.contains("tests/test_app.py"), "{issues}");
        }
    }
}

#[test]
fn r168_tests_that_qa_weakens_are_brought_back_where_the_person_says_so() {
    let act = json!({"default": true, "delete": ["tests/test_app.py"]});
    let back = json!({"default": true, "write": {"tests/test_app.py": TESTS}});
    let (repo, ran) = tested(PER_BATCH, &[nth("QA", 1, act), nth("Coder", 2, back)]);
    asked_about(&repo, ran, "tests/test_app.py", "was deleted");
    repo.answer("UD-1", "fix: put tests/test_app.py back").exits(0);
    assert_eq!(on_branch(&repo, "tests/test_app.py"), TESTS);
    assert!(findings(&repo)[0].starts_with("medium fixed"), "{:?}", findings(&repo));
    assert_eq!(repo.events("decision_asked").len(), 3, "and nobody is asked again");
}

/// QA objects to the task, and its own change counts all the same.
#[test]
fn r168_a_verdict_that_objects_hides_nothing() {
    let act = json!({"default": true, "delete": ["tests/test_app.py"], "reply": {
        "status": "BLOCKED",
        "artifacts": {"failures": [{"test": "x", "expected": "1", "actual": "2", "severity": "major"}]}
    }});
    let (repo, ran) = tested(PER_BATCH, &[nth("QA", 1, act)]);
    asked_about(&repo, ran, "tests/test_app.py", "was deleted");
}

#[test]
fn r168_integrator_and_docs_are_looked_at_too() {
    let edit = json!({"default": true, "write": {"Makefile": "test:\n\ttrue\n"}});
    let delete = json!({"default": true, "delete": ["docs/test_guide.py"]});
    for (role, act, file) in
        [("Integrator", edit, "Makefile"), ("Docs", delete, "docs/test_guide.py")]
    {
        let task = Planned { checks: r#"["cmd: make test"]"#, ..Planned::new("T-001", "app.txt") };
        let (repo, ran) = with_task(task, PER_BATCH, &[nth(role, 1, act)]);
        asked_about(&repo, ran, file, "[medium]");
        repo.answer("UD-1", "accept").exits(0);
    }
}

/// Make looks for this name before the Makefile that everybody knows.
#[test]
fn r168_a_new_file_that_takes_the_place_of_a_known_one_is_put_to_a_person() {
    let checks = r#"["cmd: make test"]"#;
    let task = Planned { checks, ..Planned::new("T-001", "app.txt, GNUmakefile") };
    let act = json!({"default": true, "write": {"GNUmakefile": "test:\n\ttrue\n"}});
    let (repo, ran) = with_task(task, PER_BATCH, &[nth("Coder", 1, act)]);
    asked_about(&repo, ran, "GNUmakefile", "make looks for this name first");
}

const SIDE_BY_SIDE: &str = "{state: IMPLEMENT_LOOP, parallel: [{dispatch: Coder, writes: ['**']}, {dispatch: QA, writes: ['**']}, {dispatch: Docs, writes: ['**']}]}";

#[test]
fn r168_members_of_a_parallel_step_are_looked_at_also_after_the_merge() {
    for role in ["Coder", "QA", "Docs"] {
        let plain = |other: &str| {
            let file = format!("{other}.txt");
            let act = match other == role {
                true => json!({"write": {file: "x\n"}, "delete": ["tests/test_app.py"]}),
                false => json!({"write": {file: "x\n"}}),
            };
            json!({"when": {"role": other}, "do": act})
        };
        let repo = route(json!([plain("Coder"), plain("QA"), plain("Docs")]), &[SIDE_BY_SIDE]);
        repo.write("tests/test_app.py", TESTS);
        commit(&repo);
        let ran = go(&repo);
        assert_eq!(repo.events("merge_ended").len(), 1, "{role}");
        asked_about(&repo, ran, "tests/test_app.py", "was deleted");
        repo.answer("UD-1", "accept").exits(0);
    }
}

#[test]
fn r168_a_step_of_any_action_is_looked_at() {
    for step in [
        "{dispatch: Docs, state: RELEASE, writes: ['**']}",
        "{dispatch: QA, state: RELEASE}",
        "{dispatch: quality-engineer, state: RELEASE}",
    ] {
        let act = json!({"write": {"tests/test_app.py": emptied()}});
        let rules =
            json!([{"when": {"role": "Docs"}, "do": act}, {"when": {"role": "QA"}, "do": act}]);
        let repo = route(rules, &[step]);
        repo.write("tests/test_app.py", TESTS);
        commit(&repo);
        let ran = go(&repo);
        asked_about(&repo, ran, "tests/test_app.py", "no longer asserts anything");
    }
}

/// A lean session that turns into a full one starts over, and what was weakened stays weakened.
#[test]
fn r168_a_change_of_mode_forgets_nothing() {
    let files = "app.txt, a.txt, b.txt, c.txt, d.txt, e.txt, f.txt, tests/test_app.py";
    let task = Planned { kind: "chore", ..Planned::new("T-001", files) };
    let many = json!({
        "write": {"app.txt": "x\n", "a.txt": "x\n", "b.txt": "x\n", "c.txt": "x\n", "d.txt": "x\n", "e.txt": "x\n", "f.txt": "x\n"},
        "delete": ["tests/test_app.py"]
    });
    let mut lean_plan = writes("SpecAgent", "tasks.yaml", &plan(&[task]));
    lean_plan["when"]["nth"] = json!(1);
    let repo = Repo::with(json!([lean_plan, nth("Coder", 1, many)]));
    repo.write("tests/test_app.py", TESTS);
    commit(&repo);
    repo.lean().exits(3);
    assert_eq!(repo.events("mode_changed").len(), 1);
    repo.answer(APPROVE.0, APPROVE.1).exits(3);
    let ran = repo.answer(PER_BATCH.0, PER_BATCH.1);
    asked_about(&repo, ran, "tests/test_app.py", "was deleted");
}

/// The check of one task is edited by the Coder of another.
#[test]
fn r168_the_checks_of_every_task_count() {
    let one = Planned::new("T-001", "app.txt, check.sh");
    let two = Planned { checks: r#"["cmd: sh check.sh"]"#, ..Planned::new("T-002", "b.txt") };
    let act = json!({"default": true, "write": {"check.sh": "true\n"}});
    let repo = Repo::with(json!([planner(&[one, two]), nth("Coder", 1, act)]));
    repo.write("check.sh", "test -e app.txt\n");
    commit(&repo);
    let ran = repo.through(&[APPROVE, PER_BATCH]);
    asked_about(&repo, ran, "check.sh", "check-command");
}

/// A check that calls a script, which calls another: the last one is edited.
#[test]
fn r168_what_a_check_script_calls_counts_as_the_script() {
    let task =
        Planned { checks: r#"["cmd: sh check.sh"]"#, ..Planned::new("T-001", "app.txt, lib.sh") };
    let act = json!({"default": true, "write": {"lib.sh": "verify() { true; }\n"}});
    let repo = Repo::with(json!([planner(&[task]), nth("Coder", 1, act)]));
    repo.write("check.sh", "sh scripts/all.sh\n");
    repo.write("scripts/all.sh", "set -e\n. ./lib.sh\nverify\n");
    repo.write("lib.sh", "verify() { test -e app.txt; }\n");
    commit(&repo);
    let ran = repo.through(&[APPROVE, PER_BATCH]);
    asked_about(&repo, ran, "lib.sh", "check-command");
}

/// One byte that is not UTF-8, or a file of many megabytes, hides nothing.
#[test]
fn r168_a_version_that_cannot_be_read_is_a_finding() {
    let bad = r"printf '# \377\nimport unittest\n' > tests/test_app.py; echo x >> app.txt";
    let big = "{ cat tests/test_app.py; head -c 6000000 /dev/zero | tr '\\0' '#'; } > t && mv t tests/test_app.py; echo x >> app.txt";
    let link = "ln -sf ../app.txt tests/test_app.py; echo x >> app.txt";
    for (script, words) in [(bad, "gone from"), (big, "unreadable"), (link, "test_app")] {
        let act = json!({"run": ["sh", "-c", script]});
        let task = Planned::new("T-001", "app.txt, tests/test_app.py");
        let (repo, ran) = with_task(task, PER_BATCH, &[nth("Coder", 1, act)]);
        asked_about(&repo, ran, "tests/test_app.py", words);
    }
}

/// Honest work of the same roles asks nobody.
#[test]
fn r168_added_tests_and_images_raise_nothing() {
    let more =
        format!("{TESTS}\n    def test_three(self):\n        self.assertEqual(three(), 3)\n");
    let qa = json!({"default": true, "write": {"tests/test_app.py": more}});
    let coder =
        json!({"run": ["sh", "-c", r"printf '\211PNG\377\376' > logo.png; echo x >> app.txt"]});
    let task = Planned::new("T-001", "app.txt, logo.png");
    let rules = [nth("QA", 1, qa), nth("Coder", 1, coder)];
    let (repo, ran) = with_task(task, PER_BATCH, &rules);
    ran.exits(0);
    assert!(findings(&repo).is_empty(), "{:?}", findings(&repo));
}
