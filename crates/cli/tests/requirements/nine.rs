//! The nine actions, row by row: what each asks for, where it stops for a person, and what it leaves behind.

use crate::support::plan::comment;
use crate::support::{Ran, Repo};
use serde_json::{Value, json};
use std::fs;

/// One action as a person meets it.
struct Row {
    action: &'static str,
    inputs: &'static [&'static str],
    /// What is said when nothing is given and the repository is empty.
    asks_for: &'static [&'static str],
    /// The gates in order: decision, state, and what its question names.
    gates: &'static [(&'static str, &'static str, &'static str)],
    /// A folder ends in `/` and holds a file at least.
    outputs: &'static [&'static str],
}

const INIT: Row = Row {
    action: "init",
    inputs: &["project=Ledger", "domain=bookkeeping", "users=owners, clerks", "entities=Account"],
    asks_for: &[
        "--input project=VALUE",
        "--input domain=VALUE",
        "--input users=VALUE",
        "--input entities=VALUE",
    ],
    gates: &[],
    outputs: &[
        "planning-mds/BLUEPRINT.md",
        "planning-mds/domain/glossary.md",
        "planning-mds/architecture/SOLUTION-PATTERNS.md",
    ],
};

const PLAN: Row = Row {
    action: "plan",
    inputs: &[],
    asks_for: &["planning-mds/BLUEPRINT.md"],
    gates: &[
        ("UD-1", "APPROVE_DESIGN", "APPROVE_REQUIREMENTS"),
        ("UD-2", "APPROVE_DESIGN", "APPROVE_ARCHITECTURE"),
    ],
    outputs: &[
        "planning-mds/BLUEPRINT.md",
        "planning-mds/features/",
        "planning-mds/stories/",
        "planning-mds/personas/",
        "planning-mds/screens/",
        "planning-mds/architecture/SOLUTION-PATTERNS.md",
        "planning-mds/architecture/data-model.md",
        "planning-mds/api/",
    ],
};

const BUILD: Row = Row {
    action: "build",
    inputs: &[],
    asks_for: &[
        "planning-mds/BLUEPRINT.md",
        "planning-mds/stories/",
        "planning-mds/architecture/SOLUTION-PATTERNS.md",
        "planning-mds/api/",
    ],
    gates: &[("UD-1", "RELEASE", "APPROVE_BUILD")],
    outputs: &[
        "src/",
        "tests/",
        "deploy/",
        "planning-mds/build/backend.md",
        "planning-mds/build/frontend.md",
        "planning-mds/build/ai.md",
        "planning-mds/build/tests.md",
        "planning-mds/build/deployment.md",
        "planning-mds/reviews/code-review.md",
        "planning-mds/reviews/security-review.md",
    ],
};

const FEATURE: Row = Row {
    action: "feature",
    inputs: &["feature=F0001"],
    asks_for: &["--input feature=VALUE", "planning-mds/stories/"],
    gates: &[("UD-1", "RELEASE", "APPROVE_FEATURE")],
    outputs: &[
        "src/feature-backend.txt",
        "tests/feature-tests.txt",
        "planning-mds/build/feature-backend.md",
        "planning-mds/build/feature-frontend.md",
        "planning-mds/build/feature-ai.md",
        "planning-mds/build/feature-tests.md",
        "planning-mds/reviews/feature-review.md",
        "planning-mds/reviews/feature-security.md",
    ],
};

const REVIEW: Row = Row {
    action: "review",
    inputs: &[],
    asks_for: &[],
    gates: &[("UD-1", "RELEASE", "APPROVE_REVIEW")],
    outputs: &["planning-mds/reviews/code-review.md", "planning-mds/reviews/security-review.md"],
};

const TEST: Row = Row {
    action: "test",
    inputs: &[],
    asks_for: &[],
    gates: &[],
    outputs: &[
        "tests/",
        "planning-mds/testing/test-plan.md",
        "planning-mds/testing/test-results.md",
        "planning-mds/testing/defects.md",
        "planning-mds/testing/quality-summary.md",
    ],
};

/// After the others: it looks at all that they left in planning-mds/.
const VALIDATE: Row = Row {
    action: "validate",
    inputs: &[],
    asks_for: &["planning-mds/BLUEPRINT.md"],
    gates: &[],
    outputs: &[
        "planning-mds/validation/requirements.md",
        "planning-mds/validation/architecture.md",
    ],
};

const DOCUMENT: Row = Row {
    action: "document",
    inputs: &[],
    asks_for: &[],
    gates: &[("UD-1", "RELEASE", "APPROVE_DOCUMENTATION")],
    outputs: &["README.md", "docs/usage.md", "docs/api.md", "docs/runbook.md"],
};

const BLOG: Row = Row {
    action: "blog",
    inputs: &["evidence=app.txt"],
    asks_for: &["--input evidence=VALUE"],
    gates: &[("UD-1", "RELEASE", "APPROVE_POST")],
    outputs: &["docs/blog/"],
};

/// In the order in which a project meets them.
const ROWS: [Row; 9] = [INIT, PLAN, BUILD, FEATURE, REVIEW, TEST, VALIDATE, DOCUMENT, BLOG];

impl Row {
    fn start(&self, repo: &Repo) -> Ran {
        let mut args = vec!["run", "--no-input", "--slug", self.action, "--action", self.action];
        args.extend(self.inputs.iter().flat_map(|input| ["--input", input]));
        repo.tollgate(&[&args[..], &["Take the next step"]].concat())
    }

    /// Starts it and answers every gate; its branch is taken over.
    #[track_caller]
    fn runs_through(&self, repo: &Repo) {
        let mut last = self.start(repo);
        for (id, state, name) in self.gates {
            last.exits(3);
            let status = repo.status();
            let [question] = status["pending_decisions"].as_array().unwrap().as_slice() else {
                panic!("{}: not one question in {status:#}", self.action);
            };
            let asked = [&question["decision_id"], &question["kind"], &question["state_context"]];
            assert_eq!(asked, [*id, "approve", *state], "{}", self.action);
            assert_eq!(status["state"], *state, "{}", self.action);
            assert!(question["question"].as_str().unwrap().contains(name), "{question:#}");
            assert_eq!(options(question), ["approved", "changes-requested: TEXT"]);
            last = repo.answer(id, "approved");
        }
        last.exits(0);
        let status = repo.status();
        assert_eq!((&status["action"], &status["state"]), (&json!(self.action), &json!("DONE")));
        let branch = status["branch"].as_str().unwrap();
        self.left_on(repo, branch);
        repo.git(&["merge", "--quiet", branch]);
    }

    #[track_caller]
    fn left_on(&self, repo: &Repo, branch: &str) {
        let listed = repo.git(&["ls-tree", "-r", "--name-only", branch]);
        for output in self.outputs {
            let is_it = |path: &str| match output.ends_with('/') {
                true => path.starts_with(output),
                false => path == *output,
            };
            assert!(listed.lines().any(is_it), "{}: {output} is not in\n{listed}", self.action);
        }
    }
}

fn options(question: &Value) -> Vec<&str> {
    let options = question["options"].as_array().unwrap();
    options.iter().map(|option| option["answer"].as_str().unwrap()).collect()
}

/// The options of the only open question, and its words.
#[track_caller]
fn asked(repo: &Repo, kind: &str) -> (Vec<String>, String) {
    let status = repo.status();
    let [question] = status["pending_decisions"].as_array().unwrap().as_slice() else {
        panic!("not one question in {status:#}");
    };
    assert_eq!(question["kind"], kind, "{question:#}");
    let answers = options(question).into_iter().map(str::to_owned).collect();
    (answers, question["question"].as_str().unwrap().to_owned())
}

fn commit(repo: &Repo, path: &str, text: &str) {
    repo.write(path, text);
    repo.git(&["add", "--all"]);
    repo.git(&["commit", "--quiet", "--message", path]);
}

/// A project whose plan is there, as `init` and `plan` leave it.
fn planned() -> Repo {
    let repo = Repo::new();
    INIT.runs_through(&repo);
    PLAN.runs_through(&repo);
    repo
}

#[test]
fn r086_every_action_asks_for_the_inputs_of_its_row() {
    let repo = Repo::new();
    for row in ROWS.iter().filter(|row| !row.asks_for.is_empty()) {
        let run = ["run", "--no-input", "--action", row.action, "Take the next step"];
        let ran = repo.tollgate(&run).exits(2).says("nothing was started");
        for words in row.asks_for {
            assert!(ran.err.contains(words), "{}: {words:?} is not in\n{}", row.action, ran.err);
        }
    }
    assert!(!repo.root().join(".agents-work").exists());
    assert!(repo.starts().is_empty());
}

#[test]
fn r086_every_action_stops_at_its_gates_and_leaves_its_outputs() {
    let repo = Repo::new();
    ROWS.iter().for_each(|row| row.runs_through(&repo));
}

#[test]
fn r086_every_action_runs_from_the_files_that_eject_writes() {
    let repo = Repo::new();
    repo.tollgate(&["init", "--eject"]).exits(0);
    repo.git(&["add", "--all"]);
    repo.git(&["commit", "--quiet", "--message", "eject"]);
    let actions = repo.tollgate(&["actions", "--json"]).exits(0).out;
    let actions: Value = serde_json::from_str(&actions).unwrap();
    for row in &ROWS {
        let mut listed = actions.as_array().unwrap().iter();
        let found = listed.find(|action| action["name"] == row.action).unwrap();
        assert_eq!(found["source"], format!("agents/actions/{}.md", row.action));
        row.runs_through(&repo);
    }
}

#[test]
fn r086_init_needs_no_agent_keeps_what_is_there_and_can_run_again() {
    let repo = Repo::new();
    fs::remove_file(repo.root().join("tollgate.toml")).unwrap();
    let mine = "# Words\n\n## Terms\n\n- Account: mine.\n\n## Blocked terms\n\n- none so far\n";
    commit(&repo, "planning-mds/domain/glossary.md", mine);
    INIT.runs_through(&repo);
    let read = |path: &&str| fs::read(repo.root().join(path)).unwrap();
    let first: Vec<Vec<u8>> = INIT.outputs.iter().map(read).collect();
    assert_eq!(first[1], mine.as_bytes());
    let head = repo.git(&["rev-parse", "HEAD"]);
    let again = INIT.start(&repo).exits(0);
    assert!(again.err.contains("Wrote nothing"), "{}", again.err);
    assert_eq!(repo.status()["state"], "DONE");
    assert_eq!(INIT.outputs.iter().map(read).collect::<Vec<_>>(), first);
    assert_eq!(repo.git(&["rev-parse", "HEAD"]), head);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    assert!(repo.starts().is_empty());
}

#[test]
fn r086_requested_changes_go_back_to_the_role_that_did_the_work() {
    let repo = Repo::new();
    INIT.runs_through(&repo);
    PLAN.start(&repo).exits(3);
    repo.answer("UD-1", "changes-requested: a story is missing").exits(3);
    assert_eq!(repo.starts(), ["SpecAgent meta"; 2]);
    repo.answer("UD-1", "approved").exits(3);
    repo.answer("UD-2", "changes-requested: architect: smaller").exits(3);
    repo.answer("UD-2", "approved").exits(0);
    assert_eq!(repo.starts()[2..], ["Architect meta"; 2]);
}

#[test]
fn r086_the_action_names_the_role_that_does_it_again() {
    let repo = planned();
    BUILD.start(&repo).exits(3).says("`changes-requested: devops: TEXT`");
    let before = repo.starts().len();
    let words = "changes-requested: frontend-developer: larger buttons";
    repo.answer("UD-1", words).exits(3).says("#8 frontend-developer session (correction)");
    assert_eq!(
        repo.starts()[before..],
        ["Coder meta", "Reviewer meta", "QA meta", "Security meta"]
    );
    repo.answer("UD-1", "approved").exits(0);
}

/// The code reviewer leaves its report and finds this, as often as it looks.
fn finding(severity: &str) -> Value {
    let found = comment(severity, "the lock is open");
    let reply = json!({"status": "BLOCKED", "artifacts": {"review_comments": [found]}});
    json!([{"when": {"role": "Reviewer"}, "do": {"default": true, "reply": reply}}])
}

#[test]
fn r086_a_critical_finding_blocks_build_feature_and_review_by_every_route() {
    let repo = planned();
    // Continues in the table at the end, which is [retry].
    repo.settings("repairs = 1");
    repo.crew(finding("blocker"));
    for row in [BUILD, FEATURE, REVIEW] {
        row.start(&repo).exits(3).says("critical");
        let (answers, question) = asked(&repo, "justify");
        assert_eq!(answers, ["fix", "cancel: TEXT"], "{}", row.action);
        assert!(question.contains("the lock is open"), "{question}");
        for answer in ["approve: it is fine", "approved", "accept-with-known-issues: yes"] {
            repo.answer("UD-1", answer).exits(2).says("UD-1");
        }
        assert!(repo.events("severity_passed").is_empty());
        repo.answer("UD-1", "cancel: enough").exits(4);
    }
}

#[test]
fn r086_a_high_finding_passes_with_a_justification_and_not_without() {
    let repo = planned();
    repo.crew(finding("major"));
    for row in [BUILD, FEATURE, REVIEW] {
        row.start(&repo).exits(3);
        let (answers, _) = asked(&repo, "justify");
        assert_eq!(answers, ["fix", "approve: TEXT", "cancel: TEXT"], "{}", row.action);
        repo.answer("UD-1", "approve").exits(2);
        repo.answer("UD-1", "approve:  ").exits(2);
        repo.answer("UD-1", "approve: the door behind it is shut").exits(3);
        asked(&repo, "approve");
        repo.answer("UD-2", "approved").exits(0);
        let issues = repo.status()["known_issues"].to_string();
        assert!(issues.contains("the door behind it is shut"), "{issues}");
    }
}

#[test]
fn r086_validate_reports_a_broken_reference_and_cannot_skip_it() {
    let repo = planned();
    let blueprint = fs::read_to_string(repo.root().join("planning-mds/BLUEPRINT.md")).unwrap();
    let broken = blueprint.clone() + "\nSee [the screen](screens/nowhere.md) of F0099.\n";
    commit(&repo, "planning-mds/BLUEPRINT.md", &broken);
    VALIDATE.start(&repo).exits(3);
    let (answers, question) = asked(&repo, "repair");
    for part in ["planning-mds/BLUEPRINT.md", "screens/nowhere.md", "F0099"] {
        assert!(question.contains(part), "{part} is not in {question}");
    }
    assert!(!answers.iter().any(|answer| answer.starts_with("skip")), "{answers:?}");
    for answer in ["skip", "approved"] {
        repo.answer("UD-1", answer).exits(2);
    }
    repo.answer("UD-1", "accept-with-known-issues: later").exits(2).says("critical");
    let fixed = json!({"planning-mds/BLUEPRINT.md": blueprint});
    repo.crew(json!([{"when": {"role": "Architect"}, "do": {"write": fixed}}]));
    repo.answer("UD-1", "guidance: take the line out").exits(0);
    assert_eq!(repo.status()["state"], "DONE");
}

#[test]
fn r086_test_asks_when_coverage_is_not_measured() {
    let repo = planned();
    repo.settings("[coverage]\nreport = \"tests/lcov.info\"\nminimum = 80");
    // A report that the agent left measures nothing, and the command that it names makes none.
    let forged = "SF:app.txt\nDA:1,1\nend_of_record\n";
    repo.crew(json!([{"when": {"role": "QA", "nth": 2}, "do": {"default": true, "write": {"tests/lcov.info": forged}}}]));
    TEST.start(&repo)
        .exits(3)
        .says("no check has written tests/lcov.info")
        .says("not one written by an agent");
    let (answers, _) = asked(&repo, "coverage");
    assert_eq!(answers, ["fix", "lower: N TEXT", "override: TEXT"]);
    repo.answer("UD-1", "override").exits(2);
    repo.answer("UD-1", "override: the rest is generated").exits(0);
    assert!(repo.status()["known_issues"].to_string().contains("the rest is generated"));
}
