//! INTEGRATE: code at fault goes to the Coder, and the person's branch is merged into the work where it has moved.

use crate::support::plan::{Planned, planner};
use crate::support::{APPROVE, PER_BATCH, Repo};
use serde_json::{Value, json};

/// A session that waits at REVIEW_STRATEGY, with a plan of one task that has this check.
fn waiting(check: &'static str, rules: &[Value]) -> Repo {
    let task = Planned { checks: check, ..Planned::new("T-001", "app.txt") };
    let repo = Repo::with(Value::Array([&[planner(&[task])], rules].concat()));
    repo.through(&[APPROVE]).exits(3);
    repo
}

/// The person commits to main while the session works.
fn commit_to_main(repo: &Repo, path: &str, text: &str) -> String {
    repo.write(path, text);
    repo.git(&["add", path]);
    repo.git(&["commit", "--quiet", "--message", "meanwhile"]);
    repo.git(&["rev-parse", "HEAD"]).trim().to_owned()
}

fn branch(repo: &Repo) -> String {
    format!("tollgate/{}", repo.session_name())
}

/// The commits of the session's branch that have two parents, each with them.
fn merges(repo: &Repo) -> Vec<String> {
    let listed = repo.git(&["log", "--min-parents=2", "--format=%H %P", &branch(repo)]);
    listed.lines().map(str::to_owned).collect()
}

fn is_untouched(repo: &Repo, head: &str) -> bool {
    let status = repo.git(&["status", "--porcelain"]);
    repo.git(&["rev-parse", "HEAD"]).trim() == head
        && repo.git(&["rev-parse", "--abbrev-ref", "HEAD"]).trim() == "main"
        && status.is_empty()
}

#[test]
fn r138_a_moved_base_is_merged_before_integrate_ends_and_the_merged_tree_is_checked() {
    let repo = waiting("['cmd: true']", &[]);
    let moved = commit_to_main(&repo, "other.txt", "of main\n");
    repo.answer(PER_BATCH.0, PER_BATCH.1).exits(0);
    let merges = merges(&repo);
    assert_eq!(merges.len(), 1, "{merges:?}");
    assert!(merges[0].ends_with(&moved), "{merges:?}");
    let branch = branch(&repo);
    assert_eq!(repo.git(&["show", &format!("{branch}:other.txt")]), "of main\n");
    // What is checked for the end is the commit with both.
    let merge = merges[0].split(' ').next().unwrap();
    let journal = repo.journal();
    let at = |kind: &str| journal.iter().position(|event| event["type"] == kind).unwrap();
    let last_check = journal.iter().rposition(|e| e["type"] == "checks_started").unwrap();
    assert!(at("base_merge_ended") < last_check, "{journal:?}");
    assert_eq!(repo.events("base_merge_ended")[0]["outcome"]["commit"], merge);
    assert!(is_untouched(&repo, &moved));
    // A merge is no change of the session.
    let changed = repo.status()["changed_files"].to_string();
    assert!(changed.contains("app.txt") && !changed.contains("other.txt"), "{changed}");
    // It is told everywhere.
    let status = repo.tollgate(&["status"]).exits(0).out;
    assert!(status.contains(&format!("merged    main at {moved}")), "{status}");
    let log = repo.tollgate(&["log"]).exits(0).out;
    let words = format!("main had moved to {}; it is merged", &moved[..10]);
    assert!(log.contains(&words), "{log}");
    let evidence = repo.session_file("evidence/action-context.md");
    assert!(evidence.contains(&format!("had moved to {moved}: merged as {merge}")), "{evidence}");
}

#[test]
fn r138_what_the_moved_base_breaks_is_found_by_the_checks_and_repaired() {
    let repair = json!({"when": {"role": "Coder", "task": "meta"},
                        "do": {"write": {"app.txt": "one\nrepaired\n"}}});
    let check = "['cmd: test ! -e other.txt || grep -q repaired app.txt']";
    let repo = waiting(check, &[repair]);
    commit_to_main(&repo, "other.txt", "of main\n");
    repo.answer(PER_BATCH.0, PER_BATCH.1).exits(0);
    let red = repo.events("checks_ended").iter().filter(|e| e["holds"] == false).count();
    assert!(red > 0, "it is red only with what main brought");
    assert!(repo.git(&["show", &format!("{}:app.txt", branch(&repo))]).contains("repaired"));
}

#[test]
fn r138_a_base_that_did_not_move_or_a_detached_head_leads_to_nothing() {
    let repo = Repo::new();
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    assert!(merges(&repo).is_empty());
    let repo = Repo::new();
    repo.git(&["checkout", "--quiet", "--detach"]);
    repo.through(&[APPROVE]).exits(3);
    repo.git(&["checkout", "--quiet", "main"]);
    commit_to_main(&repo, "other.txt", "of main\n");
    repo.answer(PER_BATCH.0, PER_BATCH.1).exits(0);
    for kind in ["base_moved", "base_merge_started", "base_merge_ended"] {
        assert_eq!(repo.events(kind), Vec::<Value>::new());
    }
    assert!(merges(&repo).is_empty());
}

/// The Coder of a conflict writes this.
fn resolves(text: &str) -> Value {
    json!({"when": {"role": "Coder", "task": "meta", "input_has": "merge: main has moved"},
           "do": {"write": {"app.txt": text}}})
}

#[test]
fn r138_a_conflict_is_a_finding_with_its_file_and_the_coder_resolves_it_in_fix_build() {
    let repo = waiting("['cmd: true']", &[resolves("one\nof main\nof the session\n")]);
    let moved = commit_to_main(&repo, "app.txt", "one\nof main\n");
    repo.answer(PER_BATCH.0, PER_BATCH.1).exits(0);
    let conflict = repo.status()["findings"][0].clone();
    assert_eq!(conflict["category"], "base-conflict", "{conflict:#}");
    assert_eq!(conflict["file"], "app.txt");
    assert_eq!(conflict["status"], "fixed");
    let repairs = repo.events("repair_opened");
    assert_eq!(repairs.len(), 1);
    assert_eq!(repairs[0]["repair"], "FIX_BUILD");
    // It was told what conflicts and saw both sides.
    let told = repo.input(repo.dispatch_of("Coder", 1), 1);
    let told = told["task"]["constraints"].to_string();
    assert!(told.contains("conflict in: app.txt"), "{told}");
    let merges = merges(&repo);
    assert_eq!(merges.len(), 1, "{merges:?}");
    assert!(merges[0].ends_with(&moved), "{merges:?}");
    let text = repo.git(&["show", &format!("{}:app.txt", branch(&repo))]);
    assert_eq!(text, "one\nof main\nof the session\n");
    let all = repo.git(&["log", "-p", "-m", "--format=", &branch(&repo)]);
    assert!(!all.contains("<<<<<<<"), "no commit of the branch has a marker: {all}");
    assert!(is_untouched(&repo, &moved));
    let log = repo.tollgate(&["log"]).exits(0).out;
    assert!(log.contains("and conflicts in app.txt"), "{log}");
}

#[test]
fn r138_a_marker_that_is_left_is_an_invalid_reply_that_names_its_line() {
    let first = json!({"when": {"role": "Coder", "task": "meta", "attempt": 1},
                       "do": {"reply": {"summary": "nothing to do"}}});
    let repo = waiting("['cmd: true']", &[first, resolves("one\nboth\n")]);
    commit_to_main(&repo, "app.txt", "one\nof main\n");
    repo.answer(PER_BATCH.0, PER_BATCH.1).exits(0);
    let errors = repo.errors_of(repo.dispatch_of("Coder", 1), 1);
    assert!(errors.contains("work.conflict") && errors.contains("app.txt"), "{errors}");
    assert!(errors.contains("line 2 is still a conflict marker"), "{errors}");
    assert_eq!(repo.git(&["show", &format!("{}:app.txt", branch(&repo))]), "one\nboth\n");
}

#[test]
fn r138_a_person_may_leave_a_conflict_and_it_is_a_known_issue() {
    let blocked = json!({"when": {"role": "Coder", "task": "meta"},
                         "do": {"reply": {"status": "BLOCKED", "summary": "both are right"}}});
    let repo = waiting("['cmd: true']", &[blocked]);
    commit_to_main(&repo, "app.txt", "one\nof main\n");
    repo.answer(PER_BATCH.0, PER_BATCH.1).exits(3).says("app.txt");
    assert_eq!(repo.starts().iter().filter(|start| *start == "Coder meta").count(), 3);
    repo.answer("UD-1", "accept-with-known-issues: I merge it myself").exits(0).says("app.txt");
    assert!(merges(&repo).is_empty());
    assert!(repo.status_file()["known_issues"].to_string().contains("app.txt"));
}

#[test]
fn r138_killed_while_the_base_is_merged_or_a_conflict_resolved_it_ends_the_same() {
    for point in ["base.merged", "base.kept", "base.joined"] {
        let repo = waiting("['cmd: true']", &[resolves("one\nboth\n")]);
        commit_to_main(&repo, "app.txt", "two\n");
        let args = ["answer", "latest", PER_BATCH.0, PER_BATCH.1, "--resume"];
        let killed = repo.command(&args).env("TOLLGATE_CRASH_AT", point).output().unwrap();
        assert_eq!(killed.status.code(), None, "{point} was not reached");
        repo.resume().exits(0);
        assert_eq!(merges(&repo).len(), 1, "{point}");
        assert_eq!(repo.events("base_merge_ended").len(), 1, "{point}");
        let coders = repo.starts().iter().filter(|start| *start == "Coder meta").count();
        assert_eq!(coders, 1, "{point}");
    }
}

#[test]
fn r138_an_integrator_that_blames_the_code_opens_fix_build_for_the_coder_and_looks_again() {
    let blames = json!({"when": {"role": "Integrator", "nth": 1},
        "do": {"reply": {"status": "BLOCKED", "summary": "app.txt breaks the build",
               "next": {"recommended_agent": "Coder", "recommended_task_id": "meta", "reason": "x"}}}});
    let repair = json!({"when": {"role": "Coder", "task": "meta"},
                        "do": {"append": {"app.txt": "repaired\n"}}});
    let repo = waiting("['cmd: true']", &[blames, repair]);
    repo.answer(PER_BATCH.0, PER_BATCH.1).exits(0);
    let starts = repo.starts();
    let of_meta: Vec<&str> = starts.iter().map(String::as_str).collect();
    let at = of_meta.iter().position(|start| *start == "Integrator meta").unwrap();
    assert_eq!(of_meta[at..at + 3], ["Integrator meta", "Coder meta", "Integrator meta"]);
    let repairs = repo.events("repair_opened");
    assert_eq!(repairs[0]["repair"], "FIX_BUILD");
    assert!(repairs[0]["feedback"].to_string().contains("app.txt breaks the build"));
    assert!(repo.status_file()["retry_counts"].to_string().contains("FIX_BUILD"));
}
