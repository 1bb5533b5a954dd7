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
fn r105_a_blocked_coder_that_asks_for_a_file_goes_on_with_it_when_a_person_allows_it() {
    let repo = with(json!([
        one_task(),
        nth(
            1,
            json!({"reply": {"status": "BLOCKED", "summary": "printed elsewhere", "scope_request": request("./lib.txt")}})
        ),
        nth(2, json!({"append": {"app.txt": "a\n", "lib.txt": "b\n"}})),
    ]));
    repo.through(&[APPROVE, PER_BATCH]).exits(3).says("lib.txt: the line is printed there");
    assert_eq!(options_of(&repo, "UD-1"), ["allow", "refuse: TEXT", "cancel: TEXT"]);
    assert_eq!(repo.status()["state"], "ASK_USER");
    repo.answer("UD-1", "perhaps").exits(2).says("allow");
    repo.answer("UD-1", "allow").exits(0);
    assert!(on_branch(&repo, "lib.txt").ends_with("b\n"));
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
    assert!(on_branch(&repo, "app.txt").ends_with("a\n"), "what is in scope went on");
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
