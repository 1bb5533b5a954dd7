//! Roles that a person plays: the run stops with everything prepared, and continues with what they submit.

use crate::support::plan::{Planned, plan};
use crate::support::pty::Terminal;
use crate::support::{APPROVE, GOAL, PER_BATCH, Ran, Repo, eventually, ran};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Stdio};

/// A repository in which a person plays these roles and the crew the others.
fn played_by_hand(roles: &[&str]) -> Repo {
    playing(roles, json!([]))
}

fn playing(roles: &[&str], rules: Value) -> Repo {
    let repo = Repo::with(rules);
    by_hand(&repo, roles);
    repo
}

fn by_hand(repo: &Repo, roles: &[&str]) {
    let toml = fs::read_to_string(repo.root().join("tollgate.toml")).unwrap();
    let named: String = roles.iter().map(|role| format!("{role} = \"me\"\n")).collect();
    let toml = toml.replace("default = \"crew\"\n", &format!("default = \"crew\"\n{named}"));
    repo.write("tollgate.toml", &format!("{toml}\n[agent.me]\nadapter = \"manual\"\n"));
}

/// What the person was told in the marker of the newest attempt.
fn assignment(repo: &Repo, dispatch: u32, attempt: u32) -> Value {
    let file = format!("dispatches/{dispatch}/attempt-{attempt}/manual.json");
    serde_json::from_str(&repo.session_file(&file)).unwrap()
}

fn workspace(repo: &Repo, dispatch: u32) -> PathBuf {
    PathBuf::from(assignment(repo, dispatch, 1)["workspace"].as_str().unwrap())
}

/// The person edits a file of the workspace.
fn edit(repo: &Repo, dispatch: u32, path: &str, text: &str) {
    let path = workspace(repo, dispatch).join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn edit_session(repo: &Repo, dispatch: u32, name: &str, text: &str) {
    edit(repo, dispatch, &format!(".agents-work/{}/{name}", repo.session_name()), text);
}

fn ok() -> Value {
    json!({"status": "OK", "summary": "Done by hand.", "artifacts": {}, "next": null,
           "gates": {"meets_definition_of_done": true, "needs_review": false, "needs_tests": false, "security_concerns": []}})
}

fn reply(repo: &Repo, reply: &Value) -> String {
    let path = repo.outside("reply.json");
    fs::write(&path, reply.to_string()).unwrap();
    path.display().to_string()
}

fn submit(repo: &Repo, dispatch: u32, value: &Value) -> Ran {
    repo.tollgate(&["submit", "latest", &dispatch.to_string(), &reply(repo, value)])
}

fn submit_and_continue(repo: &Repo, dispatch: u32, value: &Value) -> Ran {
    let file = reply(repo, value);
    repo.tollgate(&["submit", "latest", &dispatch.to_string(), &file, "--resume"])
}

const SPEC: &str = "# Specification\n\n## Goals\n\nA line.\n\n## Acceptance Criteria\n\n- AC-001: it is there.\n\n## Definition of Done\n\n- It is there.\n";
const ARCHITECTURE: &str =
    "# Architecture\n\n## Overview\n\nA file.\n\n## Modules/components\n\n- app.txt\n";

fn write_spec(repo: &Repo, dispatch: u32) {
    let criteria = json!({"acceptance_criteria": [
        {"id": "AC-001", "description": "it is there", "verify": ["cmd: grep -q one app.txt"]}]});
    edit_session(repo, dispatch, "spec.md", SPEC);
    edit_session(repo, dispatch, "acceptance.json", &criteria.to_string());
    edit_session(repo, dispatch, "tasks.yaml", &plan(&[Planned::new("T-001", "app.txt")]));
}

fn interrupt(child: Child) -> i32 {
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    child.wait_with_output().unwrap().status.code().unwrap_or(-1)
}

#[test]
fn r118_a_lean_session_with_every_role_played_by_hand_is_done() {
    let repo = played_by_hand(&["SpecAgent", "Coder", "Reviewer", "QA"]);
    repo.tollgate(&["doctor"]).exits(0);
    let told = repo.lean().exits(3).says("#1 SpecAgent").says("spec.md").says("acceptance.json");
    let folder = repo.session().join("dispatches/1/attempt-1");
    assert!(told.err.contains(&folder.join("prompt.md").display().to_string()), "{}", told.err);
    assert!(told.err.contains(&workspace(&repo, 1).display().to_string()), "{}", told.err);
    let how = format!("tollgate submit {} 1 REPLY.json --resume", repo.session_name());
    assert!(told.err.contains(&how), "{}", told.err);
    assert_eq!(repo.input(1, 1)["mode"], "lean");
    assert!(!folder.join("run.json").exists(), "no supervisor has anything to run");
    let shown = repo.tollgate(&["status"]).exits(0).out;
    assert!(shown.contains("dispatch 1 (SpecAgent session): waits for a person"), "{shown}");
    assert!(shown.contains(&how), "{shown}");
    write_spec(&repo, 1);
    submit_and_continue(&repo, 1, &ok()).exits(3).says("#2 Coder T-001");
    edit(&repo, 2, "app.txt", "one\ntwo\n");
    submit(&repo, 2, &ok()).exits(0).says("tollgate resume");
    repo.resume().exits(3).says("#3 Reviewer T-001");
    submit_and_continue(&repo, 3, &ok()).exits(3).says("#4 QA T-001");
    submit_and_continue(&repo, 4, &ok()).exits(0).says("DONE");
    let branch = format!("tollgate/{}:app.txt", repo.session_name());
    assert_eq!(repo.git(&["show", &branch]), "one\ntwo\n");
    assert_eq!(repo.status()["spend"]["wall_ms"], 0, "people who think are no agents at work");
    assert!(repo.starts().is_empty());
    let trace = repo.session_file("evidence/artifact-trace.md");
    assert!(trace.contains("Coder") && trace.contains("- wrote: `spec.md` sha256 "), "{trace}");
    repo.tollgate(&["audit", "--verify"]).exits(0);
}

#[test]
fn r187_a_session_that_waits_for_a_person_to_play_is_called_their_turn() {
    let repo = played_by_hand(&["SpecAgent"]);
    repo.lean().exits(3);
    let status = repo.tollgate(&["status"]).exits(0).out;
    assert!(status.contains("state     INTAKE_LEAN, your turn"), "{status}");
    assert!(!status.contains("is not running"), "{status}");
    let listed = repo.tollgate(&["sessions"]).exits(0).out;
    assert!(listed.contains("your turn") && !listed.contains("stopped"), "{listed}");
}

#[test]
fn one_role_by_hand_in_a_session_of_programs() {
    let repo = played_by_hand(&["Architect"]);
    let told = repo.run().exits(3).says("#2 Architect");
    assert!(!told.err.contains("UD-"), "{}", told.err);
    assert_eq!(repo.starts(), ["SpecAgent meta"]);
    edit_session(&repo, 2, "architecture.md", ARCHITECTURE);
    submit_and_continue(&repo, 2, &ok()).exits(3).says("UD-APPROVE-DESIGN");
    assert_eq!(repo.session_file("architecture.md"), ARCHITECTURE);
    repo.answer(APPROVE.0, APPROVE.1).exits(3);
    repo.answer(PER_BATCH.0, PER_BATCH.1).exits(0);
}

#[test]
fn a_reply_that_breaks_the_contract_is_refused_at_once_and_costs_nothing() {
    let repo = played_by_hand(&["SpecAgent"]);
    repo.lean().exits(3);
    let mut broken = ok();
    broken["status"] = json!("FINE");
    broken.as_object_mut().unwrap().remove("gates");
    submit(&repo, 1, &broken).exits(1).says("FINE").says("gates").says("cli.reply");
    let mut command = repo.command(&["submit", "latest", "1", "-"]);
    ran(command.stdin(Stdio::null())).exits(1).says("reply.empty");
    // A status that the contract knows and this role does not have.
    let asking = json!({"status": "NEEDS_INFO", "summary": "?", "artifacts": {}, "gates": ok()["gates"], "next": null});
    submit(&repo, 1, &asking).exits(1).says("NEEDS_INFO");
    assert_eq!(repo.events("attempt_ended").len(), 0);
    write_spec(&repo, 1);
    submit_and_continue(&repo, 1, &ok());
    assert_eq!(repo.status()["dispatches"][0]["attempts"], 1);
}

#[test]
fn a_missing_output_counts_and_the_person_continues_from_where_they_stand() {
    let repo = played_by_hand(&["SpecAgent"]);
    repo.lean().exits(3);
    edit_session(&repo, 1, "spec.md", SPEC);
    submit_and_continue(&repo, 1, &ok()).exits(4).says("acceptance.json");
    assert_eq!(repo.blocker().0, "missing_output");
    submit(&repo, 1, &ok()).exits(2).says("is not running");
    repo.answer("UD-1", "retry").exits(3).says("#1 SpecAgent").says("attempt-2");
    let kept = workspace(&repo, 1).join(".agents-work").join(repo.session_name()).join("spec.md");
    assert_eq!(fs::read_to_string(kept).unwrap(), SPEC);
    write_spec(&repo, 1);
    submit_and_continue(&repo, 1, &ok()).says("✓ #1 SpecAgent session");
    assert_eq!(repo.session_file("spec.md"), SPEC);
}

#[test]
fn what_a_person_may_not_write_is_an_invalid_reply_as_of_a_program() {
    let repo = played_by_hand(&["Coder"]);
    repo.lean().exits(3);
    edit(&repo, 2, "app.txt", "one\ntwo\n");
    edit(&repo, 2, "agents/mine.md", "no\n");
    submit_and_continue(&repo, 2, &ok()).exits(3).says("agents/mine.md").says("attempt-2");
    assert!(repo.input(2, 2)["previous_errors"].to_string().contains("agents/mine.md"));
    fs::remove_dir_all(workspace(&repo, 2).join("agents")).unwrap();
    submit_and_continue(&repo, 2, &ok()).exits(0);
    let branch = format!("tollgate/{}", repo.session_name());
    assert_eq!(repo.git(&["show", &format!("{branch}:app.txt")]), "one\ntwo\n");
    assert!(!repo.git(&["ls-tree", "-r", "--name-only", &branch]).contains("agents/"));
}

#[test]
fn a_person_who_changes_nothing_did_not_code() {
    let repo = played_by_hand(&["Coder"]);
    repo.lean().exits(3);
    for attempt in [2, 3] {
        let again = format!("attempt-{attempt}");
        submit_and_continue(&repo, 2, &ok()).exits(3).says(&again);
    }
    submit_and_continue(&repo, 2, &ok()).exits(4);
    assert_eq!(repo.status()["dispatches"][1]["attempts"], 3);
}

#[test]
fn a_reply_is_submitted_once_and_only_for_what_waits() {
    let repo = played_by_hand(&["SpecAgent"]);
    repo.tollgate(&["submit", "latest", "1", "-"]).exits(2).says("cli.session");
    repo.lean().exits(3);
    repo.tollgate(&["submit", "nothing", "1", "-"]).exits(2).says("cli.session");
    submit(&repo, 9, &ok()).exits(2).says("no dispatch 9").says("1 (SpecAgent)");
    repo.tollgate(&["submit", "latest", "1", "/nowhere/reply.json"]).exits(2).says("reply.json");
    write_spec(&repo, 1);
    submit(&repo, 1, &ok()).exits(0);
    let mut other = ok();
    other["summary"] = json!("Something else.");
    submit(&repo, 1, &other).exits(2).says("already been submitted");
    let shown = repo.tollgate(&["status"]).exits(0).out;
    assert!(shown.contains("is submitted") && !shown.contains("tollgate submit"), "{shown}");
    repo.resume().exits(0).says("Done by hand");
    submit(&repo, 1, &ok()).exits(2).says("has already ended: accepted");
    submit(&repo, 2, &ok()).exits(2).says("has already ended");
}

#[test]
fn a_program_at_work_takes_no_reply_of_a_person() {
    let repo = playing(&["SpecAgent"], json!([{"when": {"role": "Coder"}, "do": {"hang": true}}]));
    repo.lean().exits(3);
    write_spec(&repo, 1);
    let file = reply(&repo, &ok());
    let engine = repo.start(&["submit", "latest", "1", &file, "--resume"]);
    eventually("the Coder runs", || repo.starts_of("Coder") == 1);
    submit(&repo, 2, &ok()).exits(2).says("played by a program");
    assert_eq!(interrupt(engine), 130);
}

#[test]
fn r103_killed_while_a_person_works_their_half_done_work_is_untouched() {
    let points = ["dispatch.laid_out", "dispatch.prepared", "dispatch.assigned"];
    for point in points {
        let repo = played_by_hand(&["Coder"]);
        let mut run = repo.command(&["run", "--no-input", "--lean", GOAL]);
        // The first one is the SpecAgent's, who is a program; only the Coder is assigned.
        let nth = if point == "dispatch.assigned" { 1 } else { 2 };
        assert_eq!(ran(run.env("TOLLGATE_CRASH_AT", format!("{point}:{nth}"))).code, -1, "{point}");
        repo.resume().exits(3).says("#2 Coder");
        edit(&repo, 2, "app.txt", "one\nhalf\n");
        let mut engine = repo.start(&["resume", "--no-input"]);
        engine.kill().unwrap();
        engine.wait().unwrap();
        repo.resume().exits(3).says("#2 Coder");
        let half = workspace(&repo, 2).join("app.txt");
        assert_eq!(fs::read_to_string(&half).unwrap(), "one\nhalf\n", "{point}");
        submit_and_continue(&repo, 2, &ok()).exits(0);
        assert_eq!(repo.status()["dispatches"][1]["attempts"], 1);
        let branch = format!("tollgate/{}:app.txt", repo.session_name());
        assert_eq!(repo.git(&["show", &branch]), "one\nhalf\n");
    }
}

/// The settings named a program when the engine was killed; its supervisor comes when a person works there.
#[test]
fn r103_a_supervisor_that_comes_late_begins_nothing_in_the_tree_of_a_person() {
    let repo = Repo::with(json!([]));
    let mut run = repo.command(&["run", "--no-input", "--lean", GOAL]);
    assert_eq!(ran(run.env("TOLLGATE_CRASH_AT", "process.run_written")).code, -1);
    by_hand(&repo, &["SpecAgent"]);
    repo.resume().exits(3).says("#1 SpecAgent");
    write_spec(&repo, 1);
    let attempt = repo.session().join("dispatches/1/attempt-1");
    repo.tollgate(&["supervise", &attempt.display().to_string()]).exits(0);
    assert!(!attempt.join("started").exists());
    submit_and_continue(&repo, 1, &ok()).exits(0);
    assert_eq!(repo.starts_of("SpecAgent"), 0);
    assert_eq!(repo.status()["dispatches"][0]["attempts"], 1);
}

#[test]
fn r103_a_submit_that_is_killed_is_submitted_or_not_and_never_by_half() {
    for (point, is_in) in [("submit.output_written", false), ("submit.handed_in", true)] {
        let repo = played_by_hand(&["SpecAgent"]);
        repo.lean().exits(3);
        write_spec(&repo, 1);
        let file = reply(&repo, &ok());
        let mut command = repo.command(&["submit", "latest", "1", &file]);
        assert_eq!(ran(command.env("TOLLGATE_CRASH_AT", point)).code, -1, "{point}");
        if is_in {
            submit(&repo, 1, &ok()).exits(2).says("already been submitted");
        } else {
            repo.resume().exits(3).says("#1 SpecAgent");
            submit(&repo, 1, &ok()).exits(0);
        }
        repo.resume().exits(0);
        assert_eq!(repo.status()["dispatches"][0]["attempts"], 1);
    }
}

#[test]
fn a_reply_that_comes_while_the_engine_collects_it_is_collected_once() {
    let repo = played_by_hand(&["Coder"]);
    repo.lean().exits(3);
    edit(&repo, 2, "app.txt", "one\ntwo\n");
    submit(&repo, 2, &ok()).exits(0);
    for point in ["collect.before_commit", "collect.after_commit"] {
        let mut resume = repo.command(&["resume", "--no-input"]);
        assert_eq!(ran(resume.env("TOLLGATE_CRASH_AT", point)).code, -1, "{point}");
    }
    repo.resume().exits(0);
    let log = repo.git(&["log", "--format=%B", &format!("tollgate/{}", repo.session_name())]);
    assert_eq!(log.matches("Tollgate-Role: Coder").count(), 1, "{log}");
}

#[test]
fn a_reply_submitted_by_another_process_is_taken_up_by_the_one_that_runs() {
    let repo = played_by_hand(&["SpecAgent"]);
    repo.lean().exits(3);
    write_spec(&repo, 1);
    // Engines come and go while the reply is submitted; whichever runs takes it up, and nothing is done twice.
    let file = reply(&repo, &ok());
    let submitted = std::thread::scope(|scope| {
        let submitting = scope.spawn(|| repo.tollgate(&["submit", "latest", "1", &file]));
        let engines: Vec<Ran> = (0..3).map(|_| repo.resume()).collect();
        for engine in engines {
            assert!(matches!(engine.code, 0 | 3), "{engine:?}");
        }
        submitting.join().unwrap()
    });
    submitted.exits(0).says("submitted");
    repo.resume().exits(0);
    assert_eq!(repo.events("attempt_started").len(), repo.events("attempt_ended").len());
    assert_eq!(repo.status()["dispatches"][0]["attempts"], 1);
}

#[test]
fn cancelling_keeps_the_half_done_work_under_a_rescue_name() {
    let repo = played_by_hand(&["Coder"]);
    repo.lean().exits(3);
    edit(&repo, 2, "app.txt", "one\nhalf\n");
    let told = repo.tollgate(&["cancel", "--reason", "enough"]).exits(0).says("refs/tollgate/");
    let name = told.err.split_whitespace().find(|word| word.starts_with("refs/tollgate/"));
    let name = name.unwrap().trim_end_matches(';');
    assert_eq!(repo.git(&["show", &format!("{name}:app.txt")]), "one\nhalf\n");
    submit(&repo, 2, &ok()).exits(2).says("cancelled");
    repo.resume().exits(4);
}

#[test]
fn cancelling_instead_of_a_retry_keeps_what_was_not_accepted() {
    for resume in [&["--resume"][..], &[]] {
        let repo = played_by_hand(&["Coder"]);
        repo.lean().exits(3);
        edit(&repo, 2, "agents/mine.md", "mine\n");
        for _ in 0..2 {
            submit_and_continue(&repo, 2, &ok()).exits(3);
        }
        submit_and_continue(&repo, 2, &ok()).exits(4).says("UD-1");
        let answer = ["answer", "latest", "UD-1", "cancel: enough"];
        repo.tollgate(&[&answer[..], resume].concat()).says("unfinished work is kept as refs/");
        let kept = repo.git(&["for-each-ref", "--format=%(refname)", "refs/tollgate/rescue"]);
        let last = kept.lines().next_back().unwrap();
        assert_eq!(repo.git(&["show", &format!("{last}:agents/mine.md")]), "mine\n");
    }
}

#[test]
fn another_agent_can_take_over_from_a_person_and_a_person_from_an_agent() {
    let refuses =
        json!([{"when": {"role": "SpecAgent", "nth": 1}, "do": {"exit": 77, "stderr": "no\n"}}]);
    let repo = playing(&["Reviewer"], refuses);
    repo.lean().exits(4);
    repo.answer("UD-1", "retry-with: me").exits(3).says("#1 SpecAgent").says("attempt-2");
    let marker = assignment(&repo, 1, 2);
    let tree = PathBuf::from(marker["workspace"].as_str().unwrap());
    fs::write(tree.join("scribble.txt"), "half\n").unwrap();
    let mut gives_up = ok();
    gives_up["status"] = json!("FAIL");
    gives_up["gates"]["meets_definition_of_done"] = json!(false);
    submit_and_continue(&repo, 1, &gives_up).exits(4);
    repo.answer("UD-2", "retry-with: crew").exits(3).says("Reviewer T-001");
    assert_eq!(repo.starts_of("SpecAgent"), 2);
    assert!(!tree.join("scribble.txt").exists(), "a program begins in a clean tree");
    let kept = repo.git(&["for-each-ref", "--format=%(refname)", "refs/tollgate/rescue"]);
    assert!(kept.contains("dispatch-1-attempt-3"), "{kept}");
}

/// However an attempt ended, what its agent left in the session folder and in the tree is there for the person.
#[test]
fn r179_fixing_by_hand_begins_with_everything_the_agent_left() {
    let leaves = "printf 'words of the agent\\n' > .agents-work/$TOLLGATE_SESSION/spec.md; \
                  printf 'half\\n' > scribble.txt";
    let leaves = json!(["sh", "-c", leaves]);
    let failing = json!({"status": "FAIL", "gates": {"meets_definition_of_done": false}});
    let ends = [
        json!({"run": leaves, "exit": 1}),
        json!({"run": leaves, "exit": 77, "stderr": "no\n"}),
        json!({"run": leaves, "stdout": "no reply"}),
        json!({"run": leaves, "reply": {}}),
        json!({"run": leaves, "reply": failing}),
    ];
    for end in ends {
        let repo = Repo::with(json!([{"when": {"role": "SpecAgent"}, "do": end}]));
        repo.lean().exits(4);
        repo.answer("UD-1", "manual-fix").exits(3);
        let attempts = repo.events("attempt_started").len();
        let told = assignment(&repo, 1, u32::try_from(attempts).unwrap());
        let tree = PathBuf::from(told["workspace"].as_str().unwrap());
        let folder = tree.join(".agents-work").join(repo.session_name());
        let left = |path: PathBuf| fs::read_to_string(path).unwrap_or_default();
        assert_eq!(left(folder.join("spec.md")), "words of the agent\n", "{end}");
        assert_eq!(left(tree.join("scribble.txt")), "half\n", "{end}");
        fs::remove_file(tree.join("scribble.txt")).unwrap();
        fs::write(folder.join("spec.md"), format!("{SPEC}\nFixed.\n")).unwrap();
        let criteria = json!({"acceptance_criteria": [
            {"id": "AC-001", "description": "it is there", "verify": ["cmd: grep -q one app.txt"]}]});
        fs::write(folder.join("acceptance.json"), criteria.to_string()).unwrap();
        fs::write(folder.join("tasks.yaml"), plan(&[Planned::new("T-001", "app.txt")])).unwrap();
        submit_and_continue(&repo, 1, &ok()).exits(0);
        assert!(repo.session_file("spec.md").ends_with("Fixed.\n"), "{end}");
    }
}

#[test]
fn r179_an_attempt_that_left_nothing_does_not_hide_the_one_before() {
    let leaves = json!(["sh", "-c", "printf 'words\\n' > .agents-work/$TOLLGATE_SESSION/spec.md"]);
    let repo = Repo::with(json!([
        {"when": {"role": "SpecAgent", "nth": 1}, "do": {"run": leaves, "exit": 77, "stderr": "no\n"}},
        {"when": {"role": "SpecAgent"}, "do": {"exit": 77, "stderr": "no\n"}},
    ]));
    repo.lean().exits(4);
    repo.answer("UD-1", "retry").exits(4);
    repo.answer("UD-2", "manual-fix").exits(3);
    let tree = PathBuf::from(assignment(&repo, 1, 3)["workspace"].as_str().unwrap());
    let spec = tree.join(".agents-work").join(repo.session_name()).join("spec.md");
    assert_eq!(fs::read_to_string(spec).unwrap(), "words\n");
}

#[test]
fn r179_cancelling_keeps_the_session_files_that_a_person_wrote() {
    let repo = played_by_hand(&["SpecAgent"]);
    repo.lean().exits(3);
    edit_session(&repo, 1, "spec.md", SPEC);
    repo.tollgate(&["cancel", "--reason", "enough"]).exits(0);
    assert_eq!(repo.session_file("dispatches/1/attempt-1/left/spec.md"), SPEC);
}

#[test]
fn at_a_terminal_the_run_stops_too_and_leaves_nothing_moving() {
    let repo = played_by_hand(&["SpecAgent"]);
    let mut terminal = Terminal::start(&repo, &["run", "--lean", GOAL]);
    terminal.wait_for("waits for you").wait_for("tollgate submit");
    assert_eq!(terminal.ends(), 3);
}

#[test]
fn secrets_of_the_environment_are_taken_out_of_a_reply() {
    let repo = played_by_hand(&["SpecAgent"]);
    repo.lean().exits(3);
    write_spec(&repo, 1);
    let mut telling = ok();
    telling["summary"] = json!("The key is hunter2-hunter2-hunter2.");
    let file = reply(&repo, &telling);
    let mut command = repo.command(&["submit", "latest", "1", &file]);
    ran(command.env("API_TOKEN", "hunter2-hunter2-hunter2")).exits(0);
    repo.resume().exits(0);
    for path in crate::support::files_below(&repo.session()) {
        let text = crate::support::text(&fs::read(&path).unwrap());
        assert!(!text.contains("hunter2"), "{}", path.display());
    }
}
