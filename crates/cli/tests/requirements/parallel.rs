//! Several roles at once: what is kept, what is run again, what goes together, and what is left when it ends early.

use crate::route::{commit, ends_of, findings, go, leaves, nth, on_branch, options_of, route};
use crate::support::processes::expect_gone;
use crate::support::{Repo, eventually};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::fs;
use std::process::Child;

const THREE: &str = "{state: IMPLEMENT_LOOP, parallel: [{dispatch: Coder, outputs: [src/a.txt]}, \
    {dispatch: Docs, outputs: [docs/b.md]}, {dispatch: QA, outputs: [tests/c.txt]}]}";
const NEXT: &str = "{dispatch: Researcher, state: INTEGRATE, outputs: [research/]}";

fn coder() -> Value {
    leaves("Coder", json!({"src/a.txt": "a {dispatch} {attempt}\n"}))
}

fn docs() -> Value {
    leaves("Docs", json!({"docs/b.md": "# B\n\nText.\n"}))
}

fn qa() -> Value {
    leaves("QA", json!({"tests/c.txt": "c {dispatch} {attempt}\n"}))
}

/// The commit and the kept outputs of a member, and how often it was started.
fn delivered(repo: &Repo, role: &str) -> (Value, usize) {
    let number = repo.dispatch_of(role, 0);
    let ended = repo.events("attempt_ended");
    let last = ended.iter().rfind(|event| event["number"] == number).unwrap();
    (last["end"]["work"].clone(), repo.starts_of(role))
}

#[test]
fn r070_r071_one_of_three_fails_and_only_it_is_run_again() {
    let broken = nth("Docs", 1, json!({"exit": 77}));
    let repo = route(json!([coder(), broken, docs(), qa()]), &[THREE, NEXT]);
    go(&repo).exits(4).says("permission");
    assert_eq!(repo.starts_of("Researcher"), 0, "nothing behind the barrier");
    let (a, c) = (delivered(&repo, "Coder"), delivered(&repo, "QA"));
    assert!(a.0["commit"].is_string(), "{a:?}");
    repo.resume().exits(4);
    assert_eq!(repo.starts_of("Researcher"), 0, "nor after another resume");
    repo.answer("UD-1", "retry").exits(0);
    assert_eq!((delivered(&repo, "Coder"), delivered(&repo, "QA")), (a, c), "kept as they were");
    assert_eq!(repo.starts().len(), 5, "{:?}", repo.starts());
    assert_eq!((repo.starts_of("Docs"), repo.starts_of("Researcher")), (2, 1));
    assert_eq!(on_branch(&repo, "src/a.txt"), "a 1 1\n");
    assert_eq!(on_branch(&repo, "tests/c.txt"), "c 3 1\n");
    assert_eq!(on_branch(&repo, "docs/b.md"), "# B\n\nText.\n");
}

#[test]
fn r070_a_failure_that_passes_is_tried_again_for_that_member_alone() {
    let rules = json!([
        coder(),
        nth("Docs", 1, json!({"exit": 3})),
        nth("Docs", 2, json!({"stdout": "no"})),
        docs(),
        qa()
    ]);
    let repo = route(rules, &[THREE, NEXT]);
    go(&repo).exits(0);
    assert_eq!(ends_of(&repo, repo.dispatch_of("Docs", 0)), ["crashed", "invalid", "replied"]);
    assert_eq!((repo.starts_of("Coder"), repo.starts_of("QA"), repo.starts_of("Docs")), (1, 1, 3));
}

#[test]
fn r071_the_next_step_waits_for_the_slowest() {
    let slow =
        json!({"when": {"role": "QA"}, "do": {"sleep_ms": 700, "write": {"tests/c.txt": "c\n"}}});
    let repo = route(json!([coder(), docs(), slow]), &[THREE, NEXT]);
    go(&repo).exits(0);
    let journal = repo.journal();
    let at = |kind: &str, number: u32| {
        journal.iter().position(|e| e["type"] == kind && e["number"] == number).unwrap()
    };
    let barrier = journal.iter().position(|event| event["type"] == "merge_ended").unwrap();
    let last = (1..=3).map(|number| at("attempt_ended", number)).max().unwrap();
    assert!(last < barrier && barrier < at("attempt_started", 4), "{journal:#?}");
    let first = (1..=3).map(|number| at("attempt_ended", number)).min().unwrap();
    assert!((1..=3).all(|number| at("attempt_started", number) < first), "they work at once");
}

#[test]
fn r080_a_partial_failure_takes_nothing_back() {
    let repo =
        route(json!([coder(), {"when": {"role": "Docs"}, "do": {"exit": 77}}, qa()]), &[THREE]);
    repo.write("mine.txt", "not committed\n");
    let branches = repo.git(&["for-each-ref", "refs/heads"]);
    go(&repo).exits(4);
    assert_eq!(fs::read_to_string(repo.root().join("mine.txt")).unwrap(), "not committed\n");
    assert_eq!(
        repo.git(&["for-each-ref", "refs/heads"]),
        branches,
        "nothing is promoted by halves"
    );
    let undone = repo.root().join(".snapshots/undo");
    assert!(!undone.exists(), "no restore was made");
    let (a, c) = (delivered(&repo, "Coder").0, delivered(&repo, "QA").0);
    for work in [a, c] {
        repo.git(&["cat-file", "-e", work["commit"].as_str().unwrap()]);
    }
}

const LINES: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n";
const TWO: &str = "{state: IMPLEMENT_LOOP, parallel: [{dispatch: Coder, writes: ['**']}, {dispatch: Docs, writes: ['**']}]}";

fn with_lines(rules: Value) -> Repo {
    let repo = route(rules, &[TWO]);
    repo.write("lines.txt", LINES);
    commit(&repo);
    repo
}

/// A rule by which a role puts text in place of a line of lines.txt, in the file as it finds it.
fn edits(role: &str, from: &str, to: &str) -> Value {
    let command = format!("sed -i 's/^{from}$/{to}/' lines.txt");
    json!({"when": {"role": role}, "do": {"run": ["sh", "-c", command]}})
}

#[test]
fn r070_changes_apart_from_each_other_go_together() {
    let repo = with_lines(json!([edits("Coder", "2", "two"), edits("Docs", "11", "eleven")]));
    go(&repo).exits(0);
    let expected = LINES.replace("2\n3", "two\n3").replace("11", "eleven");
    assert_eq!(on_branch(&repo, "lines.txt"), expected);
    assert_eq!(repo.starts().len(), 2, "nobody had to look again");
    assert!(findings(&repo).is_empty());
    // One member one commit, each with its trailers.
    let branch = format!("tollgate/{}", repo.session_name());
    let log = repo.git(&["log", "--format=%b", &format!("main..{branch}")]);
    assert_eq!(log.matches("Role:").count(), 2, "{log}");
}

#[test]
fn r070_a_conflict_is_named_and_the_later_member_works_on_top_of_the_first() {
    let rules = json!([
        edits("Coder", "5", "five of Coder"),
        {"when": {"role": "Docs", "nth": 1}, "do": {"run": ["sh", "-c", "sed -i 's/^5$/five of Docs/' lines.txt"]}},
        {"when": {"role": "Docs"}, "do": {"run": ["sh", "-c", "sed -i 's/^five of Coder$/five of both/' lines.txt"]}},
    ]);
    let repo = with_lines(rules);
    go(&repo).exits(0);
    assert_eq!(on_branch(&repo, "lines.txt"), LINES.replace("5\n", "five of both\n"));
    assert_eq!((repo.starts_of("Coder"), repo.starts_of("Docs")), (1, 2));
    let recorded = repo.events("finding_recorded");
    assert_eq!(recorded[0]["finding"]["report"]["category"], "merge-conflict");
    assert_eq!(recorded[0]["finding"]["report"]["file"], "lines.txt");
    let found = findings(&repo);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("high fixed: dispatch 2 and one that ran"), "{found:?}");
    let docs = repo.dispatch_of("Docs", 0);
    let told = repo.input(docs, 2).to_string();
    assert!(told.contains("lines.txt"), "the conflict is told: {told}");
    repo.tollgate(&["audit", "--verify"]).exits(0);
}

#[test]
fn r070_a_conflict_of_session_files_is_named_too() {
    let both = "{state: DESIGN, parallel: [{dispatch: Researcher, outputs: [research/]}, \
        {dispatch: detective, outputs: [research/]}]}";
    let rules = json!([
        {"when": {"role": "Researcher", "dispatch": 2, "attempt": 2}, "do": {"write": {".agents-work/{session}/research/two.md": "# Two\n\nMine.\n"}}},
        {"when": {"role": "Researcher"}, "do": {"write": {".agents-work/{session}/research/one.md": "# One\n\nBy {dispatch}.\n"}}},
    ]);
    let repo = route(rules, &[both]);
    let skill =
        "---\nname: detective\ndescription: Finds out\nrole: Researcher\n---\n\nFind out.\n";
    repo.write("agents/detective/SKILL.md", skill);
    go(&repo).exits(0);
    assert_eq!(repo.session_file("research/one.md"), "# One\n\nBy 1.\n");
    assert_eq!(repo.session_file("research/two.md"), "# Two\n\nMine.\n");
    assert_eq!(repo.starts().len(), 3, "{:?}", repo.starts());
    assert!(findings(&repo)[0].contains("research/one.md"), "{:?}", findings(&repo));
}

#[test]
fn r070_a_member_that_is_still_working_when_another_fails_is_not_disturbed() {
    let slow = slow("QA", json!({"tests/c.txt": "c\n"}));
    let repo =
        route(json!([coder(), nth("Docs", 1, json!({"exit": 77})), docs(), slow]), &[THREE, NEXT]);
    go(&repo).exits(4);
    assert_eq!(ends_of(&repo, repo.dispatch_of("QA", 0)), ["replied"]);
    repo.answer("UD-1", "retry").exits(0);
    assert_eq!((repo.starts_of("Coder"), repo.starts_of("Docs"), repo.starts_of("QA")), (1, 2, 1));
}

#[test]
fn r070_two_members_that_give_up_at_once_are_asked_about_one_by_one() {
    let rules = json!([
        nth("Coder", 1, json!({"exit": 77})),
        coder(),
        nth("Docs", 1, json!({"exit": 77})),
        docs(),
        qa()
    ]);
    let repo = route(rules, &[THREE, NEXT]);
    go(&repo).exits(4).says("UD-1").says("UD-2");
    assert!(options_of(&repo, "UD-1").contains(&"retry".to_owned()));
    repo.answer("UD-1", "retry").exits(4).says("UD-2");
    assert_eq!(repo.status()["state"], "BLOCKED", "one of them is still to be answered");
    assert_eq!(repo.starts_of("Researcher"), 0);
    repo.answer("UD-2", "retry").exits(0);
    assert_eq!((repo.starts_of("Coder"), repo.starts_of("Docs"), repo.starts_of("QA")), (2, 2, 1));
    assert_eq!(on_branch(&repo, "docs/b.md"), "# B\n\nText.\n");
}

#[test]
fn r070_a_member_can_be_fixed_by_hand_while_the_others_wait() {
    let wrong = json!({"when": {"role": "Docs"}, "do": {"write": {"docs/b.md": "# B\n\n[gone](gone.md)\n"}}});
    let repo = route(json!([coder(), wrong, qa()]), &[THREE, NEXT]);
    go(&repo).exits(4);
    repo.answer("UD-1", "manual-fix").exits(3).says("#2 Docs");
    let marker = repo.session_file("dispatches/2/attempt-4/manual.json");
    let workspace = serde_json::from_str::<Value>(&marker).unwrap()["workspace"].clone();
    let file = std::path::Path::new(workspace.as_str().unwrap()).join("docs/b.md");
    assert!(fs::read_to_string(&file).unwrap().contains("gone.md"));
    fs::write(&file, "# B\n\nFixed.\n").unwrap();
    let reply = repo.outside("reply.json");
    let gates = json!({"meets_definition_of_done": true, "needs_review": false, "needs_tests": false, "security_concerns": []});
    let said =
        json!({"status": "OK", "summary": "Fixed.", "artifacts": {}, "gates": gates, "next": null});
    fs::write(&reply, said.to_string()).unwrap();
    repo.tollgate(&["submit", "latest", "2", reply.to_str().unwrap(), "--resume"]).exits(0);
    assert_eq!(on_branch(&repo, "docs/b.md"), "# B\n\nFixed.\n");
    assert_eq!((repo.starts_of("Coder"), repo.starts_of("QA")), (1, 1));
    assert_eq!(on_branch(&repo, "src/a.txt"), "a 1 1\n");
}

#[test]
fn r070_a_file_that_one_deletes_and_another_changes_is_a_conflict() {
    let rules = json!([
        {"when": {"role": "Coder"}, "do": {"delete": ["lines.txt"]}},
        {"when": {"role": "Docs", "nth": 1}, "do": {"run": ["sed", "-i", "s/^5$/five/", "lines.txt"]}},
        {"when": {"role": "Docs"}, "do": {"write": {"other.txt": "five\n"}}},
    ]);
    let repo = with_lines(rules);
    go(&repo).exits(0);
    assert_eq!((repo.starts_of("Coder"), repo.starts_of("Docs")), (1, 2));
    assert_eq!(findings(&repo).len(), 1, "{:?}", findings(&repo));
    assert_eq!(on_branch(&repo, "other.txt"), "five\n");
    let branch = format!("tollgate/{}", repo.session_name());
    assert!(!repo.git(&["ls-tree", "-r", "--name-only", &branch]).contains("lines.txt"));
}

#[test]
fn r101_a_member_that_changes_a_shown_file_reopens_its_gate_at_the_barrier() {
    let plan = "{dispatch: Integrator, state: PLAN, outputs: [planning-mds/plan.md], writes: ['planning-mds/**']}";
    let gate = "{approve: APPROVE_PLAN, state: PLAN, shows: [planning-mds/plan.md]}";
    let rules = json!([
        leaves("Integrator", json!({"planning-mds/plan.md": "# P\n\nOne.\n"})),
        leaves("Coder", json!({"src/a.txt": "a\n", "planning-mds/plan.md": "# P\n\nTwo.\n"})),
        docs(),
        qa()
    ]);
    let repo = route(rules, &[plan, gate, THREE, NEXT]);
    go(&repo).exits(3);
    repo.answer("UD-1", "approved").exits(3).says("has changed since");
    assert_eq!(repo.starts_of("Researcher"), 0);
    repo.answer("UD-1", "approved").exits(0);
    assert_eq!(repo.starts().len(), 5, "{:?}", repo.starts());
}

fn kill_nine(mut engine: Child) {
    kill_process(Pid::from_child(&engine), Signal::KILL).unwrap();
    engine.wait().unwrap();
}

fn slow(role: &str, files: Value) -> Value {
    json!({"when": {"role": role}, "do": {"sleep_ms": 800, "write": files}})
}

#[test]
fn r103_an_engine_killed_while_three_work_starts_none_of_them_twice() {
    let rules = json!([
        slow("Coder", json!({"src/a.txt": "a\n"})),
        slow("Docs", json!({"docs/b.md": "# B\n\nText.\n"})),
        slow("QA", json!({"tests/c.txt": "c\n"}))
    ]);
    let repo = route(rules, &[THREE, NEXT]);
    let engine = repo.start(&["run", "--no-input", "--action", "x", "Make it"]);
    eventually("three agents at work", || repo.starts().len() == 3);
    kill_nine(engine);
    repo.resume().exits(0);
    assert_eq!(repo.starts().len(), 4, "{:?}", repo.starts());
    for (path, text) in
        [("src/a.txt", "a\n"), ("docs/b.md", "# B\n\nText.\n"), ("tests/c.txt", "c\n")]
    {
        assert_eq!(on_branch(&repo, path), text);
    }
    repo.tollgate(&["audit", "--verify"]).exits(0);
}

#[test]
fn r112_a_cancel_while_three_work_leaves_no_process() {
    let hangs = |role: &str| json!({"when": {"role": role}, "do": {"spawn_daemon": role == "QA", "hang": true}});
    let repo = route(json!([hangs("Coder"), hangs("Docs"), hangs("QA")]), &[THREE]);
    let engine = repo.start(&["run", "--no-input", "--action", "x", "Make it"]);
    eventually("three agents at work", || repo.starts().len() == 3);
    eventually("a daemon", || repo.counts().join("daemon.alive").exists());
    repo.tollgate(&["cancel", "latest", "--reason", "enough"]).exits(0);
    let ended = engine.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(4));
    expect_gone(&repo.outside("crew.json").display().to_string());
    assert_eq!(repo.status()["blocker"]["code"], "cancelled");
}
