//! What a person sees of a change before they decide: since the last round, of one task, and of work that is not taken.

use crate::route::{commit, leaves, nth, route};
use crate::support::plan::{Planned, objection, planner};
use crate::support::pty::Terminal;
use crate::support::{APPROVE, GOAL, PER_BATCH, Repo};
use serde_json::json;
use std::fs;

/// Types `d` and gives what the pager was handed.
fn difference(repo: &Repo, person: &mut Terminal) -> String {
    let seen = repo.outside("seen");
    let _ = fs::remove_file(&seen);
    person.types("d").wait_for("> ");
    fs::read_to_string(&seen).unwrap_or_default()
}

fn starts(repo: &Repo, args: &[&str]) -> Terminal {
    let pager = repo.program("pager", &format!("cat > {}", repo.outside("seen").display()));
    Terminal::start_with(repo, args, "PAGER", pager.to_str().unwrap())
}

#[track_caller]
fn expect(seen: &str, there: &[&str], not_there: &[&str]) {
    for words in there {
        assert!(seen.contains(words), "{words:?} is missing:\n{seen}");
    }
    for words in not_there {
        assert!(!seen.contains(words), "{words:?} is shown:\n{seen}");
    }
}

#[test]
fn r181_a_gate_about_code_shows_what_changed_since_the_last_round() {
    let rules = json!([
        nth("Coder", 1, json!({"write": {"notes.md": "one\n"}})),
        nth("Coder", 2, json!({"append": {"notes.md": "two\n"}})),
    ]);
    let steps = [
        "{dispatch: Coder, state: INTEGRATE, outputs: [notes.md]}",
        "{approve: RELEASE_IT, state: RELEASE}",
    ];
    let repo = route(rules, &steps);
    let mut person = starts(&repo, &["run", "--action", "x", GOAL]);
    person.wait_for("UD-1 (approve)").wait_for("> ");
    expect(&difference(&repo, &mut person), &["+one"], &["+two"]);
    person.types("changes-requested: Coder: more");
    person.wait_for("changed since you were last asked: notes.md").wait_for("> ");
    let seen = difference(&repo, &mut person);
    expect(&seen, &["since you were last asked", "+two"], &["+one"]);
    person.types("approved").wait_for("DONE");
    assert_eq!(person.ends(), 0);
}

/// Two tasks are worked on. The question is about the first one.
#[test]
fn r181_a_question_about_a_task_shows_its_work_and_then_what_came_since() {
    let add = |task: &str, nth: u32, file: &str| {
        json!({"when": {"role": "Coder", "task": task, "nth": nth},
               "do": {"append": {file: format!("{task} round {nth}\n")}}})
    };
    let rules = json!([
        planner(&[Planned::new("T-001", "other.txt"), Planned {
            depends_on: "[T-001]", ..Planned::new("T-002", "app.txt")
        }]),
        add("T-001", 1, "other.txt"),
        add("T-002", 1, "app.txt"), add("T-002", 2, "app.txt"), add("T-002", 3, "app.txt"),
        add("T-002", 4, "app.txt"), add("T-002", 5, "app.txt"),
        {"when": {"role": "Reviewer", "task": "T-002"}, "do": {"reply": objection("{dispatch} is wrong")}},
    ]);
    let repo = Repo::with(rules);
    repo.write("other.txt", "other\n");
    commit(&repo);
    repo.through(&[APPROVE, PER_BATCH]).exits(3).says("UD-1");
    let mut person = starts(&repo, &["resume"]);
    person.wait_for("UD-1 (repair)").wait_for("> ");
    let all: Vec<String> = (1..=4).map(|round| format!("+T-002 round {round}")).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    expect(&difference(&repo, &mut person), &all, &["+T-001 round 1"]);
    person.types("guidance: look at line 3").wait_for("UD-2 (repair)").wait_for("> ");
    let seen = difference(&repo, &mut person);
    expect(&seen, &["since you were last asked", "+T-002 round 5"], &all);
    person.hangs_up();
    person.ends();
}

#[test]
fn r181_work_that_was_refused_is_shown_from_where_it_is_kept() {
    let rules = json!([
        planner(&[Planned::new("T-001", "app.txt")]),
        {"when": {"role": "Coder"}, "do": {"append": {"app.txt": "half made\n"}, "exit": 77, "stderr": "no\n"}},
    ]);
    let repo = Repo::with(rules);
    repo.through(&[APPROVE, PER_BATCH]).exits(4);
    let mut person = starts(&repo, &["resume"]);
    person.wait_for("(escalation)").wait_for("> ");
    let seen = difference(&repo, &mut person);
    expect(&seen, &["not accepted", "refs/tollgate/rescue/", "+half made"], &[]);
    person.hangs_up();
    person.ends();
}

#[test]
fn r181_where_nothing_of_the_work_is_kept_it_is_said() {
    let request = json!([{"path": "lib.txt", "reason": "the line is printed there"}]);
    let rules = json!([
        planner(&[Planned::new("T-001", "app.txt")]),
        {"when": {"role": "Coder"}, "do": {"append": {"app.txt": "half\n"},
            "reply": {"status": "BLOCKED", "summary": "printed elsewhere", "scope_request": request}}},
    ]);
    let repo = Repo::with(rules);
    repo.write("lib.txt", "lib\n");
    commit(&repo);
    repo.through(&[APPROVE, PER_BATCH]).exits(3);
    let mut person = starts(&repo, &["resume"]);
    person.wait_for("UD-1 (scope)").wait_for("> ");
    person.types("d").wait_for("nothing of this work is accepted yet").wait_for("> ").hangs_up();
    person.ends();
}

fn edits_the_design(repo: &Repo) {
    let path = repo.session().join("architecture.md");
    let lines: String = (1..=40).map(|line| format!("by hand {line}\n")).collect();
    fs::write(&path, fs::read_to_string(&path).unwrap() + &lines).unwrap();
}

#[test]
fn r101_a_reopened_gate_shows_the_first_lines_of_the_difference() {
    let repo = Repo::new();
    repo.through(&[APPROVE]).exits(3);
    edits_the_design(&repo);
    let mut person = starts(&repo, &["resume"]);
    person.wait_for("UD-APPROVE-DESIGN (approve)").wait_for("+by hand 1");
    person.wait_for("`d` shows all of it").wait_for("> ");
    assert!(!person.screen().contains("+by hand 40"), "{}", person.screen());
    expect(&difference(&repo, &mut person), &["+by hand 1", "+by hand 40"], &[]);
    person.hangs_up();
    person.ends();
}

#[test]
fn r101_without_a_terminal_the_first_lines_of_the_difference_are_printed_too() {
    let repo = Repo::new();
    repo.through(&[APPROVE]).exits(3);
    edits_the_design(&repo);
    let waits = repo.resume().exits(3).says("│ +by hand 1\n").does_not_say("+by hand 40");
    assert!(!waits.err.contains("`d`"), "there is no such key here: {}", waits.err);
}

#[test]
fn r101_a_reopened_gate_about_code_shows_the_first_lines_of_the_difference() {
    let rules = json!([
        leaves("Architect", json!({"plan.md": "# Plan\n\nOne.\n"})),
        leaves("Coder", json!({"plan.md": "# Plan\n\nTwo.\n"})),
    ]);
    let steps = [
        "{dispatch: Architect, state: DESIGN, outputs: [plan.md]}",
        "{approve: LOOK, state: PLAN, shows: [plan.md]}",
        "{dispatch: Coder, state: IMPLEMENT_LOOP, outputs: [plan.md]}",
    ];
    let repo = route(rules, &steps);
    crate::route::go(&repo).exits(3).does_not_say("+Two.");
    repo.answer("UD-1", "approved").exits(3).says("│ -One.\n").says("│ +Two.\n");
}
