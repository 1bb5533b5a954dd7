//! Files outside a task's scope: asked for, left out, allowed, refused.

use crate::route::{findings, on_branch, options_of};
use crate::support::plan::{Planned, planner};
use crate::support::{APPROVE, PER_BATCH, Repo};
use serde_json::{Value, json};

fn with(rules: Value) -> Repo {
    let repo = Repo::with(rules);
    repo.write("lib.txt", "old\n");
    repo.write("notes.md", "old\n");
    crate::route::commit(&repo);
    repo
}

fn one_task() -> Value {
    planner(&[Planned { kind: "chore", ..Planned::new("T-001", "app.txt") }])
}

fn request(path: &str) -> Value {
    json!([{"path": path, "reason": "the line is printed there"}])
}

fn nth(nth: u32, act: Value) -> Value {
    json!({"when": {"role": "Coder", "nth": nth}, "do": act})
}

#[test]
fn r105_a_blocked_coder_that_asks_for_a_file_continues_with_it_when_a_person_allows_it() {
    let repo = with(json!([
        one_task(),
        nth(
            1,
            json!({"append": {"app.txt": "half\n"}, "reply": {"status": "BLOCKED", "summary": "printed elsewhere", "scope_request": request("./lib.txt")}})
        ),
        nth(2, json!({"append": {"app.txt": "a\n", "lib.txt": "b\n"}})),
    ]));
    repo.through(&[APPROVE, PER_BATCH]).exits(3).says("lib.txt: the line is printed there");
    assert_eq!(options_of(&repo, "UD-1"), ["allow", "refuse: TEXT"]);
    assert_eq!(repo.status()["state"], "ASK_USER");
    repo.answer("UD-1", "perhaps").exits(2).says("allow");
    repo.answer("UD-1", "allow").exits(0);
    assert!(on_branch(&repo, "lib.txt").ends_with("b\n"));
    assert!(on_branch(&repo, "app.txt").ends_with("half\na\n"), "it continues where it stopped");
    assert_eq!(repo.starts_of("Coder"), 2);
    let allowed = repo.input(repo.dispatch_of("Coder", 0), 2)["task"]["constraints"].to_string();
    assert!(allowed.contains("a person also allows: lib.txt"), "{allowed}");
}

#[test]
fn r105_a_refusal_reaches_the_coder_and_the_file_stays_out() {
    let repo = with(json!([
        one_task(),
        nth(
            1,
            json!({"reply": {"status": "BLOCKED", "summary": "printed elsewhere", "scope_request": request("lib.txt")}})
        ),
        nth(2, json!({"append": {"app.txt": "a\n", "lib.txt": "b\n"}})),
    ]));
    repo.through(&[APPROVE, PER_BATCH]).exits(3);
    let before = repo.git(&["show", "HEAD:lib.txt"]);
    repo.answer("UD-1", "refuse: it is generated").exits(0);
    assert_eq!(on_branch(&repo, "lib.txt"), before);
    let prompt =
        repo.session_file(&format!("dispatches/{}/prompt.md", repo.dispatch_of("Coder", 0)));
    assert!(prompt.contains("does not allow you to change lib.txt: it is generated"), "{prompt}");
    let warnings = findings(&repo);
    assert!(warnings[0].starts_with("low tracked: [Warning] lib.txt is outside"), "{warnings:?}");
}

#[test]
fn r104_r105_what_was_left_out_is_back_in_the_tree_once_it_is_allowed() {
    let repo = with(json!([
        one_task(),
        nth(
            1,
            json!({"append": {"app.txt": "a\n", "lib.txt": "b\n"}, "chmod": {"lib.txt": "755"}, "delete": ["notes.md"],
             "reply": {"status": "OK", "summary": "done", "scope_request": [
                 {"path": "lib.txt", "reason": "x"}, {"path": "notes.md", "reason": "y"}]}})
        ),
        // Nothing more to do: what was left out lies in the tree.
        nth(2, json!({"reply": {"status": "OK", "summary": "finished lib.txt and notes.md"}})),
    ]));
    repo.through(&[APPROVE, PER_BATCH]).exits(3);
    let branch = format!("tollgate/{}", repo.session_name());
    assert!(!on_branch(&repo, "lib.txt").ends_with("b\n"), "not merged before it is allowed");
    assert!(on_branch(&repo, "app.txt").ends_with("a\n"), "what is in scope was accepted");
    repo.answer("UD-1", "allow").exits(0);
    assert!(on_branch(&repo, "lib.txt").ends_with("b\n"));
    let listed = repo.git(&["ls-tree", &branch]);
    assert!(listed.contains("100755 blob") && !listed.contains("notes.md"), "{listed}");
    assert_eq!(repo.starts_of("Coder"), 2);
    assert!(findings(&repo).iter().all(|f| f.starts_with("low fixed")), "{:?}", findings(&repo));
}

#[test]
fn r096_r100_r104_a_silent_change_out_of_scope_is_kept_aside_warned_about_and_rejects_nothing() {
    let repo = with(json!([
        one_task(),
        json!({"when": {"role": "Coder"}, "do": {"append": {"app.txt": "a\n", "lib.txt": "b\n"},
             "reply": {"status": "OK", "summary": "one line more"}}}),
        json!({"when": {"role": "Reviewer", "task": "T-001"}, "do": {"reply": {"status": "BLOCKED", "artifacts": {"review_comments": [
            {"severity": "major", "category": "scope", "file": "lib.txt", "message": "out of scope"}]}}}}),
    ]));
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    assert!(!on_branch(&repo, "lib.txt").ends_with("b\n"));
    let warnings = findings(&repo);
    assert!(warnings[0].contains("the summary does not mention it"), "{warnings:?}");
    assert!(warnings[1].starts_with("low tracked: out of scope"), "{warnings:?}");
    assert_eq!(repo.starts_of("Coder"), 1, "a warning repairs nothing");
    let kept = repo.git(&["for-each-ref", "--format=%(refname)", "refs/tollgate/rescue"]);
    let kept = kept.lines().find(|line| line.contains("left-out")).unwrap().to_owned();
    assert!(repo.git(&["show", &format!("{kept}:lib.txt")]).ends_with("b\n"), "nothing is lost");
    let reviewer =
        repo.input(repo.dispatch_of("Reviewer", 0), 1)["task"]["constraints"].to_string();
    assert!(reviewer.contains("scope: lib.txt was changed outside the scope"), "{reviewer}");
}

/// What a Coder did in the words of an ImplementorResult.
fn completed(summary: &str, more: Value) -> Value {
    let mut result = json!({"role": "implementor", "outcome": "completed", "summary": summary});
    for (key, value) in more.as_object().unwrap() {
        result[key] = value.clone();
    }
    json!({"stdout": result.to_string()})
}

fn coder_does(mut act: Value, append: Value) -> Value {
    act["append"] = append;
    json!({"when": {"role": "Coder"}, "do": act})
}

fn incidental(path: &str, is_narrow: bool) -> Value {
    json!({"path": path, "reason": "the call has one argument more", "behaviour_preserving": true,
           "motivated_by": "app.txt", "narrow": is_narrow})
}

#[test]
fn r093_r096_a_declared_incidental_change_is_taken_and_one_that_is_not_narrow_is_left_out() {
    let said = json!({"incidental": [incidental("lib.txt", true), incidental("notes.md", false)]});
    let append = json!({"app.txt": "a\n", "lib.txt": "b\n", "notes.md": "c\n"});
    let repo = with(json!([one_task(), coder_does(completed("all calls follow", said), append)]));
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    assert_eq!(on_branch(&repo, "lib.txt"), "old\nb\n");
    assert_eq!(on_branch(&repo, "notes.md"), "old\n");
    let warnings = findings(&repo);
    assert!(warnings.len() == 1 && warnings[0].contains("notes.md"), "{warnings:?}");
    assert!(!warnings[0].contains("does not mention"), "it was declared: {warnings:?}");
    let reviewer =
        repo.input(repo.dispatch_of("Reviewer", 0), 1)["task"]["constraints"].to_string();
    assert!(reviewer.contains("lib.txt counts as incidental"), "{reviewer}");
}

#[test]
fn r097_a_scope_correction_makes_the_actual_file_primary_and_one_without_a_reason_does_not() {
    let corrected = |reason: &str| json!({"scope_corrections": [{"listed": "gone.txt", "actual": "lib.txt", "reason": reason}]});
    let task = Planned { kind: "chore", ..Planned::new("T-001", "app.txt, gone.txt") };
    for (reason, expected) in [("the text is made there", "old\nb\n"), ("", "old\n")] {
        let append = json!({"app.txt": "a\n", "lib.txt": "b\n"});
        let does = coder_does(completed("moved on", corrected(reason)), append);
        let repo = with(json!([planner(std::slice::from_ref(&task)), does]));
        repo.through(&[APPROVE, PER_BATCH]).exits(0);
        assert_eq!(on_branch(&repo, "lib.txt"), expected, "{reason:?}");
    }
}

#[test]
fn r098_a_blocked_outcome_applies_no_patch() {
    let blocked =
        json!({"role": "implementor", "outcome": "blocked", "summary": "app.txt holds no handler"});
    let does = coder_does(json!({"stdout": blocked.to_string()}), json!({"app.txt": "half\n"}));
    let repo = with(json!([one_task(), does]));
    repo.through(&[APPROVE, PER_BATCH]).exits(4).says("app.txt holds no handler");
    let branches = repo.git(&["for-each-ref", "refs/heads/tollgate"]);
    assert_eq!(branches, "", "nothing was accepted, so there is no branch");
    assert_eq!(repo.status()["changed_files"], json!([]));
}

#[test]
fn r099_a_file_that_a_person_names_counts_in_the_revision_that_follows() {
    let minor = json!({"status": "OK", "artifacts": {"review_comments": [
        {"severity": "minor", "category": "style", "file": "app.txt", "message": "a word"}]}});
    let repo = with(json!([
        one_task(),
        nth(1, json!({"append": {"app.txt": "a\n", "lib.txt": "too early\n"}})),
        nth(
            2,
            json!({"append": {"app.txt": "b\n", "lib.txt": "now\n", "notes.md": "and this\n"},
                      "reply": {"status": "OK", "summary": "fixed, and lib.txt as asked"}})
        ),
        json!({"when": {"role": "Reviewer", "task": "T-001", "nth": 1}, "do": {"reply": minor}}),
    ]));
    repo.through(&[APPROVE, PER_BATCH]).exits(3);
    assert_eq!(on_branch(&repo, "lib.txt"), "old\n", "nobody had named it yet");
    repo.answer("UD-1", "fix: also say it in lib.txt, but leave notes.md alone; it is fine")
        .exits(0);
    assert_eq!(on_branch(&repo, "lib.txt"), "old\nnow\n");
    assert_eq!(on_branch(&repo, "notes.md"), "old\n");
    let warnings = findings(&repo).into_iter().filter(|f| f.contains("[Warning]"));
    let warned: Vec<String> = warnings.collect();
    assert_eq!(warned.len(), 2, "lib.txt too early, notes.md silently: {warned:?}");
}

/// The file changed while the question was open: the old change must not undo that.
#[test]
fn r104_r105_what_was_left_out_is_not_laid_over_what_others_did_since() {
    let tasks = [
        Planned { kind: "chore", ..Planned::new("T-001", "app.txt") },
        Planned { kind: "chore", ..Planned::new("T-002", "lib.txt") },
    ];
    let coder = |task: &str, nth: u32, act: Value| json!({"when": {"role": "Coder", "task": task, "nth": nth}, "do": act});
    let repo = with(json!([
        planner(&tasks),
        coder(
            "T-001",
            1,
            json!({"append": {"app.txt": "a\n", "lib.txt": "of the first\n"},
              "reply": {"status": "OK", "summary": "done"}})
        ),
        coder("T-002", 1, json!({"append": {"lib.txt": "of the second\n"}})),
        coder(
            "T-001",
            2,
            json!({"append": {"app.txt": "b\n"}, "reply": {"status": "OK", "summary": "x", "scope_request": request("lib.txt")}})
        ),
        coder("T-001", 3, json!({"append": {"app.txt": "c\n"}})),
        json!({"when": {"role": "Reviewer", "task": "meta", "nth": 1}, "do": {"reply": crate::support::plan::objection("app.txt lacks b")}}),
    ]));
    repo.through(&[APPROVE, PER_BATCH]);
    let _ = repo.answer("UD-1", "allow");
    assert_eq!(on_branch(&repo, "lib.txt"), "old\nof the second\n");
}

fn declares(incidental: &str, corrections: Value) -> Value {
    json!({"role": "implementor", "outcome": "completed", "summary": "done, with lib.txt",
        "incidental": [{"path": incidental, "reason": "it repeats the line", "behaviour_preserving": true,
                        "motivated_by": "app.txt", "narrow": true}],
        "scope_corrections": corrections})
}

#[test]
fn r161_a_declared_change_that_is_too_large_is_left_out_with_a_warning() {
    let long = "line\n".repeat(21);
    let act = json!({"append": {"app.txt": "a\n", "lib.txt": long}, "reply": declares("lib.txt", json!([]))});
    let repo = with(json!([one_task(), nth(1, act.clone())]));
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    assert_eq!(on_branch(&repo, "lib.txt"), "old\n");
    let warnings = findings(&repo);
    assert!(warnings[0].contains("21 lines of it changed, and at most 20 may"), "{warnings:?}");
    // The number is a setting.
    let repo = with(json!([one_task(), nth(1, act)]));
    repo.settings("[scope]\nincidental_lines = 21\n");
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    assert!(on_branch(&repo, "lib.txt").ends_with("line\n"));
    assert_eq!(findings(&repo), Vec::<String>::new());
}

#[test]
fn r161_a_scope_correction_counts_only_where_the_listed_file_is_left_alone() {
    let correction =
        json!([{"listed": "app.txt", "actual": "lib.txt", "reason": "the line is there"}]);
    let both = json!({"append": {"app.txt": "a\n", "lib.txt": "b\n"}, "reply": declares("x", correction.clone())});
    let repo = with(json!([one_task(), nth(1, both)]));
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    assert_eq!(on_branch(&repo, "lib.txt"), "old\n");
    assert!(findings(&repo)[0].contains("app.txt, which In Scope lists, was changed too"));
    let one = json!({"append": {"lib.txt": "b\n"}, "reply": declares("x", correction)});
    let repo = with(json!([
        planner(&[Planned {
            kind: "chore",
            checks: r#"["cmd: true"]"#,
            ..Planned::new("T-001", "app.txt")
        }]),
        nth(1, one),
    ]));
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    assert!(on_branch(&repo, "lib.txt").ends_with("b\n"));
}
