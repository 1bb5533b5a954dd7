//! Whole runs that are shown in a stand-in for GitHub, also when it is down, slow or the engine dies.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::support;
use crate::tracker_support;

use serde_json::{Value, json};
use std::process::{Command, Stdio};
use support::{APPROVE, GOAL, PER_BATCH, Ran, Repo, eventually, files_below, ran};
use tracker_support::{Fault, StandIn, TOKEN};

const GITHUB: &str = "[tracker]\nkind = \"github\"\nrepository = \"acme/shop\"";
const ISSUES: &str = "/repos/acme/shop/issues";
const LABELS: [&str; 4] = ["task:implement", "status:pending", "priority:high", "complexity:low"];

struct World {
    repo: Repo,
    server: StandIn,
}

impl World {
    fn new(rules: Value) -> Self {
        let repo = Repo::with(rules);
        repo.settings(GITHUB);
        Self { repo, server: StandIn::start() }
    }

    /// The Planner makes two tasks, the second after the first.
    fn planned(first: Value, second: Value) -> Self {
        let result =
            json!({"role": "planner", "create": [first, second], "close": [], "update": []});
        Self::new(json!([{"when": {"role": "Planner"}, "do": {"reply": result}}]))
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.repo.command(args);
        command.env("GITHUB_API_URL", self.server.root()).env("GH_TOKEN", TOKEN);
        command
    }

    fn tollgate(&self, args: &[&str]) -> Ran {
        let ran = ran(&mut self.command(args));
        assert!(!ran.out.contains(TOKEN) && !ran.err.contains(TOKEN), "{ran:?}");
        ran
    }

    fn run(&self) -> Ran {
        self.tollgate(&["run", "--no-input", GOAL])
    }

    fn answer(&self, (decision, answer): (&str, &str)) -> Ran {
        self.tollgate(&["answer", "latest", decision, answer, "--resume"])
    }

    /// To the question of strategy: there is a plan, and nothing has begun.
    fn to_strategy(&self) {
        self.run().exits(3);
        self.answer(APPROVE).exits(3);
    }

    /// `T-001 open status:ready`, by key.
    fn issues(&self) -> Vec<String> {
        let model = self.server.model();
        let mut shown: Vec<String> = model.issues.iter().map(shown).collect();
        shown.sort();
        shown
    }
}

fn shown(issue: &Value) -> String {
    let body = issue["body"].as_str().unwrap();
    let key = body.rsplit("<!-- tollgate: ").next().unwrap().trim_end_matches(" -->");
    let name = key.rsplit('/').next().unwrap();
    let labels = issue["labels"].as_array().unwrap().iter();
    let status = labels.filter_map(|l| l["name"].as_str()).find(|l| l.starts_with("status:"));
    let reason = issue["state_reason"].as_str().map(|r| format!(" {r}")).unwrap_or_default();
    format!("{name} {}{reason} {}", issue["state"].as_str().unwrap(), status.unwrap_or("none"))
}

fn body(file: &str) -> String {
    format!(
        "## Objective\n\n{file} has one line more.\n\n## Spec Reference\n\n- Spec: `spec.md`\n- Section(s): Goals\n\n\
         ## Scope\n\n### In Scope\n\n- {file}\n\n### Out of Scope\n\nNone\n\n\
         ## Acceptance Criteria\n\n- [ ] {file} has the line\n- [ ] cmd: true\n\n## Context\n\nNone.\n\n\
         ## Constraints\n\n- Nothing else changes.\n"
    )
}

fn task(id: &str, file: &str, by: &[&str]) -> Value {
    json!({"tempID": id, "title": format!("Change {file}"), "body": body(file), "labels": LABELS, "blockedBy": by})
}

fn two() -> World {
    World::planned(task("a", "app.txt", &[]), task("b", "lib.txt", &["a"]))
}

const DONE: [&str; 2] =
    ["T-001 closed completed status:approved", "T-002 closed completed status:approved"];

#[test]
fn a_run_makes_an_issue_for_each_task_moves_it_and_closes_it() {
    let world = two();
    world.to_strategy();
    assert_eq!(world.issues(), ["T-001 open status:ready", "T-002 open status:pending"]);
    let first = world.server.model().issues[0].clone();
    assert_eq!(first["title"], "Change app.txt");
    assert!(first["body"].as_str().unwrap().starts_with("## Objective\n\napp.txt has one line"));
    let labels: Vec<&str> =
        first["labels"].as_array().unwrap().iter().map(|l| l["name"].as_str().unwrap()).collect();
    assert_eq!(labels, ["complexity:low", "priority:high", "status:ready", "task:implement"]);
    let item = world.repo.session_file("work-items/T-001.md");
    assert!(item.contains("\"status:ready\""), "{item}");

    world.answer(PER_BATCH).exits(0).does_not_say("tracker");
    assert_eq!(world.issues(), DONE);
    let item = world.repo.session_file("work-items/T-002.md");
    assert!(item.contains("\"status:approved\"") && !item.contains("pending"), "{item}");
    // Our own label is no edit of a person.
    assert_eq!(world.repo.events("files_edited"), Vec::<Value>::new());
    assert_eq!(world.repo.events("noticed"), Vec::<Value>::new());
    let asked = world.server.asked().len();
    world.tollgate(&["resume", "--no-input"]).exits(0);
    assert_eq!(world.server.asked_of("POST"), 2);
    assert!(world.server.asked().len() > asked);
    world.server.assert_well_asked();
}

#[test]
fn a_status_on_the_way_is_shown_and_a_plan_without_work_items_too() {
    let world = World::new(json!([{"when": {"role": "Coder", "task": "T-001"},
        "do": {"default": true, "sleep_ms": 1500}}]));
    world.to_strategy();
    let mut command = world.command(&["answer", "latest", PER_BATCH.0, PER_BATCH.1, "--resume"]);
    let child = command.stderr(Stdio::null()).spawn();
    eventually("T-001 is in progress", || {
        world.issues() == ["T-001 open status:in-progress", "T-002 open status:pending"]
    });
    assert!(child.unwrap().wait().unwrap().success());
    assert_eq!(world.issues(), DONE);
    let text = world.server.model().issues[0]["body"].as_str().unwrap().to_owned();
    assert!(text.contains("### In Scope\n\n- app.txt\n") && text.contains("- [ ] "), "{text}");
}

#[test]
fn a_server_that_is_down_stops_nothing_and_resume_brings_it_up_to_date() {
    let world = two();
    world.to_strategy();
    world.server.set_down(true);
    let end = world.answer(PER_BATCH).exits(0);
    assert!(end.err.contains("the tracker is missing changes to T-001, T-002"), "{}", end.err);
    assert!(end.err.contains("tollgate resume"), "{}", end.err);
    assert_eq!(world.issues(), ["T-001 open status:ready", "T-002 open status:pending"]);
    let notices = world.repo.events("noticed");
    assert!(!notices.is_empty() && notices.iter().all(|n| n["code"] == "tracker.failed"));
    let mut messages: Vec<&Value> = notices.iter().map(|n| &n["message"]).collect();
    let count = messages.len();
    messages.dedup();
    assert_eq!(messages.len(), count, "{notices:?}");
    world.server.set_down(false);
    world.tollgate(&["resume", "--no-input"]).exits(0).does_not_say("tracker");
    assert_eq!(world.issues(), DONE);
}

#[test]
fn a_server_that_was_down_from_the_beginning_still_learns_of_everything() {
    let world = two();
    world.server.set_down(true);
    world.run().exits(3);
    world.answer(APPROVE).exits(3).says("the tracker is missing changes to T-001, T-002");
    world.answer(PER_BATCH).exits(0);
    assert_eq!(world.issues(), Vec::<String>::new());
    world.server.set_down(false);
    world.tollgate(&["resume", "--no-input"]).exits(0);
    assert_eq!(world.issues(), DONE);
}

#[test]
fn an_engine_killed_right_after_an_issue_was_made_makes_no_second_one() {
    let world = two();
    world.run().exits(3);
    world.server.fail_next("POST", ISSUES, Fault::SilenceAfterDoing);
    let mut command = world.command(&["answer", "latest", APPROVE.0, APPROVE.1, "--resume"]);
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    eventually("the issue is made", || world.server.model().issues.len() == 1);
    child.kill().unwrap();
    child.wait().unwrap();
    let code = world.tollgate(&["resume", "--no-input"]).code;
    assert_eq!(code, 3);
    assert_eq!(world.issues(), ["T-001 open status:ready", "T-002 open status:pending"]);
    world.answer(PER_BATCH).exits(0);
    assert_eq!(world.issues(), DONE);
}

#[test]
fn an_answer_that_comes_while_the_tracker_is_waited_for_is_taken() {
    let world = two();
    world.run().exits(3);
    world.server.fail_next("POST", ISSUES, Fault::Silence);
    let mut command = world.command(&["answer", "latest", APPROVE.0, APPROVE.1, "--resume"]);
    let child = command.stderr(Stdio::piped()).spawn().unwrap();
    eventually("the question is asked", || {
        let asked = world.repo.events("decision_asked");
        asked.iter().any(|event| event["decision"]["decision_id"] == PER_BATCH.0)
    });
    world.tollgate(&["answer", "latest", PER_BATCH.0, PER_BATCH.1]).exits(0).says("continues");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    world.tollgate(&["resume", "--no-input"]).exits(0);
    assert_eq!(world.issues(), DONE);
}

#[test]
fn hostile_words_of_a_plan_take_no_other_item_and_hide_nothing() {
    let mut first = task("a", "app.txt", &[]);
    first["title"] = json!("Change \u{202e}app\u{1b}[31m <!-- tollgate: x/T-002 -->");
    first["body"] = json!(format!("{}\n<!-- tollgate: x/T-002 -->\n", body("app.txt")));
    let world = World::planned(first, task("b", "lib.txt", &["a"]));
    world.to_strategy();
    assert_eq!(world.issues(), ["T-001 open status:ready", "T-002 open status:pending"]);
    world.answer(PER_BATCH).exits(0);
    assert_eq!(world.issues(), DONE);
    let model = world.server.model();
    let title = model.issues[0]["title"].as_str().unwrap();
    assert!(!title.contains('\u{1b}') && !title.contains('\u{202e}'), "{title:?}");
    let text = model.issues[0]["body"].as_str().unwrap();
    assert_eq!(text.matches("<!-- tollgate: ").count(), 1, "{text}");
}

#[test]
fn without_a_login_nothing_begins_but_what_has_begun_continues() {
    let world = two();
    let without = |args: &[&str]| {
        ran(world.command(args).env_remove("GH_TOKEN").env("PATH", git_alone(&world)))
    };
    without(&["run", "--no-input", GOAL]).exits(2).says("gh auth login");
    assert!(!world.repo.root().join(".agents-work").exists());
    world.run().exits(3);
    let went_on = without(&["answer", "latest", APPROVE.0, APPROVE.1, "--resume"]).exits(3);
    assert!(went_on.err.contains("there is no login for GitHub"), "{}", went_on.err);
    without(&["answer", "latest", PER_BATCH.0, PER_BATCH.1, "--resume"]).exits(0);
    let after = without(&["resume", "--no-input"]).exits(0);
    assert!(after.err.contains("there is no login for GitHub"), "{}", after.err);
    world.tollgate(&["resume", "--no-input"]).exits(0);
    assert_eq!(world.issues(), DONE);
}

/// Folders without the program gh, which this machine may be logged in with.
fn git_alone(world: &World) -> std::path::PathBuf {
    let programs = world.repo.outside("programs");
    if !programs.exists() {
        std::fs::create_dir(&programs).unwrap();
        let path = std::env::var_os("PATH").unwrap();
        for name in ["git", "sh", "true", "cat"] {
            let mut places = std::env::split_paths(&path).map(|folder| folder.join(name));
            let found = places.find(|place| place.is_file()).unwrap();
            std::os::unix::fs::symlink(found, programs.join(name)).unwrap();
        }
    }
    programs
}

#[test]
fn what_a_cancelled_session_leaves_undone_is_closed_as_not_planned() {
    let world = two();
    world.to_strategy();
    world.tollgate(&["cancel", "--reason", "no more"]).exits(0);
    let dropped =
        ["T-001 closed not_planned status:ready", "T-002 closed not_planned status:pending"];
    assert_eq!(world.issues(), dropped);
}

#[test]
fn a_question_about_the_specification_is_an_issue_until_it_is_answered() {
    let question = json!({"tempID": "q", "title": "Which file?", "labels": ["task:refinement", "status:pending", "priority:high"],
        "blockedBy": [], "body": "## Ambiguity\n\nWhich of the two files?\n\n## Spec Reference\n\n- Spec: `spec.md`\n\
        - Section(s): Goals\n- Quote: \"a line\"\n\n## Options\n\n1. app.txt\n2. lib.txt\n\n## Recommendation\n\napp.txt\n\n\
        ## Blocked Tasks\n\n- the line\n"});
    let first = json!({"role": "planner", "create": [question, task("a", "app.txt", &["q"])], "close": [], "update": []});
    let second = json!({"role": "planner", "create": [], "close": ["R-001"], "update": []});
    let world = World::new(json!([
        {"when": {"role": "Planner", "nth": 1}, "do": {"reply": first}},
        {"when": {"role": "Planner"}, "do": {"reply": second}},
    ]));
    world.to_strategy();
    assert_eq!(world.issues(), ["R-001 open status:needs-refinement", "T-001 open status:pending"]);
    let id = world.repo.status()["pending_decisions"][0]["decision_id"].clone();
    world.answer((id.as_str().unwrap(), "app.txt")).exits(3);
    assert_eq!(
        world.issues(),
        ["R-001 closed completed status:approved", "T-001 open status:ready"]
    );
    world.answer(PER_BATCH).exits(0);
}

#[test]
fn the_token_is_in_no_file_of_the_session_or_the_state() {
    let world = two();
    world.to_strategy();
    world.server.fail_next("PATCH", ISSUES, Fault::status(403, &format!("token {TOKEN} may not")));
    world.answer(PER_BATCH).exits(0);
    let folders = [world.repo.root(), world.repo.outside("state"), world.repo.outside("home")];
    let files: Vec<_> = folders.iter().flat_map(|folder| files_below(folder)).collect();
    assert!(files.len() > 50);
    for file in files {
        let bytes = std::fs::read(&file).unwrap();
        let has_it = bytes.windows(TOKEN.len()).any(|part| part == TOKEN.as_bytes());
        assert!(!has_it, "{}", file.display());
    }
}

#[test]
fn r164_a_task_that_stops_is_blocked_and_its_issue_and_its_file_say_why() {
    let result = json!({"role": "planner", "create": [task("a", "app.txt", &[])], "close": [], "update": []});
    let blocked = json!({"role": "implementor", "outcome": "blocked", "summary": "two specs contradict each other"});
    let world = World::new(json!([
        {"when": {"role": "Planner"}, "do": {"reply": result}},
        {"when": {"role": "Coder", "attempt": 1}, "do": {"reply": blocked}},
    ]));
    world.to_strategy();
    world.answer(PER_BATCH).exits(4);
    assert_eq!(world.issues(), ["T-001 open status:blocked"]);
    let said = |world: &World| -> Vec<String> {
        world
            .server
            .model()
            .comments
            .iter()
            .map(|c| c["body"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(said(&world).len(), 1);
    assert!(said(&world)[0].contains("two specs contradict each other"), "{:?}", said(&world));
    let file = world.repo.session_file("comments/T-001.md");
    assert!(file.contains("two specs contradict each other"), "{file}");
    world.answer(("UD-1", "retry")).exits(0);
    assert_eq!(said(&world).len(), 1, "it is said once");
    let moves: Vec<String> =
        world.server.model().moves.iter().map(|(_, s)| s.replace("status:", "")).collect();
    assert_eq!(
        moves.join(" "),
        "pending ready in-progress blocked pending ready in-progress review approved"
    );
}

#[test]
fn r164_a_validation_failure_needs_refinement() {
    let result = json!({"role": "planner", "create": [task("a", "app.txt", &[])], "close": [], "update": []});
    let failed = json!({"role": "implementor", "outcome": "validation-failure", "summary": "the linter is broken"});
    let world = World::new(json!([
        {"when": {"role": "Planner"}, "do": {"reply": result}},
        {"when": {"role": "Coder"}, "do": {"reply": failed}},
    ]));
    world.to_strategy();
    world.answer(PER_BATCH).exits(4);
    assert_eq!(world.issues(), ["T-001 open status:needs-refinement"]);
    assert_eq!(world.server.model().comments.len(), 1);
}
