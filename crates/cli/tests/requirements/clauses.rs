//! What the sources ask of every dispatch, every question and status.json, where no requirement of its own speaks of it.

use crate::support::plan::{Planned, objection, planner, writes};
use crate::support::{APPROVE, GOAL, PER_BATCH, Repo, SINGLE_FINAL};
use serde_json::{Value, json};

fn prompt(repo: &Repo, role: &str, nth: usize) -> String {
    repo.session_file(&format!("dispatches/{}/prompt.md", repo.dispatch_of(role, nth)))
}

/// The inputs of all dispatches, in order.
fn inputs(repo: &Repo) -> Vec<Value> {
    let numbers = repo.events("dispatch_opened").into_iter().map(|e| e["number"].as_u64().unwrap());
    numbers.map(|number| repo.input(u32::try_from(number).unwrap(), 1)).collect()
}

/// The states that the log tells, each once where several steps share it.
fn states(repo: &Repo) -> Vec<String> {
    let log = repo.tollgate(&["log"]).exits(0).out;
    let words = log.lines().map(|line| line.split_whitespace().skip(2).collect::<Vec<_>>());
    let entered = words.filter(|words| words.first() == Some(&"state"));
    let mut states: Vec<String> = entered.map(|words| words[1].to_owned()).collect();
    states.dedup();
    states
}

#[test]
fn every_prompt_is_whole_from_the_first_dispatch_to_the_last() {
    let repo = Repo::new();
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    let session = repo.session_name();
    for event in repo.events("dispatch_opened") {
        let number = u32::try_from(event["number"].as_u64().unwrap()).unwrap();
        let text = repo.session_file(&format!("dispatches/{number}/prompt.md"));
        let role = event["role"].as_str().unwrap();
        let mut rest = text.as_str();
        for part in [
            format!("# You are {role}\n"),
            format!("Session folder: `.agents-work/{session}/`"),
            "## Your role".to_owned(),
            "## Your reply".to_owned(),
            "## Your input".to_owned(),
            "## Now".to_owned(),
        ] {
            let (_, after) = rest.split_once(&part).unwrap_or_else(|| panic!("{number}: {part}"));
            rest = after;
        }
        let (_, json) = text.split_once("<data name=\"input\" form=\"JSON\">\n").unwrap();
        let (json, after) = json.split_once("\n</data>").unwrap();
        let shown: Value = serde_json::from_str(json).unwrap();
        let input = repo.input(number, 1);
        let mut rest = input.clone();
        // The files to read have a section of their own, and a program knows its own tools.
        rest["task"].as_object_mut().unwrap().remove("context_files");
        rest.as_object_mut().unwrap().remove("tools_available");
        assert_eq!(shown, rest, "the prompt has the whole input");
        for file in input["task"]["context_files"].as_array().unwrap() {
            let file = file.as_str().unwrap();
            assert!(after.contains(&format!("- {file}\n")), "{role} must read {file}");
            assert!(!file.contains("<session>"));
        }
        assert!(!text.contains("{{"), "every place is filled");
    }
}

#[test]
fn every_input_tells_the_kind_of_project_and_how_the_repository_is() {
    let checks = r#"["cmd: grep -q one app.txt"]"#;
    let plan = [Planned { checks, ..Planned::new("T-001", "app.txt") }];
    let breaks =
        json!({"when": {"role": "Coder", "nth": 1}, "do": {"write": {"app.txt": "two\n"}}});
    let fixes =
        json!({"when": {"role": "Coder", "nth": 2}, "do": {"append": {"app.txt": "one\n"}}});
    let repo = Repo::with(json!([planner(&plan), breaks, fixes]));
    repo.tollgate(&["run", "--no-input", "--project-type", "cli", GOAL]).exits(3);
    repo.answer(APPROVE.0, APPROVE.1).exits(3);
    repo.answer(PER_BATCH.0, PER_BATCH.1).exits(0);
    let all = inputs(&repo);
    for input in &all {
        assert_eq!(input["project_type"], "cli");
        assert!(input["repo_state"]["branch"].as_str().is_some_and(|name| !name.is_empty()));
        assert!(input["tools_available"].as_array().is_some_and(|tools| !tools.is_empty()));
        assert!(input["artifact_list"].is_array());
        let id = input["task"]["id"].as_str().unwrap();
        assert!(["meta", "T-001"].contains(&id), "{id}");
    }
    let repository = |input: &Value| {
        let state = &input["repo_state"];
        (state["ci_status"].as_str().unwrap().to_owned(), state["last_failed_step"].clone())
    };
    assert_eq!(repository(&all[0]), ("unknown".to_owned(), Value::Null));
    let repair = repo.input(repo.dispatch_of("Coder", 1), 1);
    let (status, step) = repository(&repair);
    assert_eq!(status, "red");
    assert!(step.to_string().contains("checks of T-001"), "{step}");
    assert_eq!(repository(all.last().unwrap()), ("green".to_owned(), Value::Null));
}

#[test]
fn reviewing_roles_are_given_the_checks_of_every_kind_of_project() {
    let repo = Repo::new();
    repo.through(&[APPROVE, SINGLE_FINAL]).exits(0);
    for role in ["Reviewer", "QA", "Security"] {
        let text = prompt(&repo, role, 0);
        let (_, list) = text.split_once("fits `project_type`, and only that:").unwrap();
        for kind in ["web", "api", "cli", "lib", "mixed"] {
            assert!(list.contains(&format!("- `{kind}`: ")), "{role} {kind}");
        }
    }
    let default = repo.input(1, 1);
    assert_eq!(default["project_type"], "mixed", "where nobody says otherwise");
}

#[test]
fn every_kind_of_project_has_its_own_checks_in_the_role_texts() {
    let repo = Repo::new();
    repo.through(&[APPROVE, SINGLE_FINAL]).exits(0);
    for (role, kind, words) in [
        ("Reviewer", "web", &["output escaped", "forgery", "queries", "tenant", "api"][..]),
        ("Reviewer", "api", &["authentication", "validation", "Nothing about templates"]),
        ("Reviewer", "cli", &["hostile input", "injection", "Nothing about browsers"]),
        ("Reviewer", "lib", &["hard to misuse", "dependencies", "Nothing about browsers"]),
        ("Reviewer", "mixed", &["for each file"]),
        ("Security", "web", &["markup injection", "forged requests", "tenant", "`api`"]),
        ("Security", "api", &["rights", "validation", "limits against floods"]),
        ("Security", "cli", &["as input", "rights gained", "secrets"]),
        ("Security", "lib", &["unsafe by default", "input passed on unchecked", "dependencies"]),
        ("QA", "cli", &["exit codes", "no terminal"]),
    ] {
        let text = prompt(&repo, role, 0).replace("\n  ", " ");
        let (_, list) = text.split_once("fits `project_type`, and only that:").unwrap();
        let (_, own) = list.split_once(&format!("- `{kind}`: ")).unwrap();
        let own = own.split("\n").next().unwrap();
        for word in words {
            assert!(own.contains(word), "{role} {kind} lacks {word:?}: {own}");
        }
    }
}

#[test]
fn a_review_of_one_task_and_one_of_the_whole_are_told_apart() {
    let repo = Repo::new();
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    let told = |repo: &Repo, nth: usize| -> (String, String, String) {
        let task = repo.input(repo.dispatch_of("Reviewer", nth), 1)["task"].clone();
        let text = |field: &str| task[field].as_str().unwrap().to_owned();
        (text("id"), text("goal"), task["constraints"].to_string())
    };
    let (id, goal, constraints) = told(&repo, 0);
    assert_eq!(id, "T-001");
    assert!(goal.starts_with("Incremental review"), "{goal}");
    assert!(constraints.contains("read this task's files closely"), "{constraints}");
    let (id, goal, constraints) = told(&repo, 2);
    assert_eq!(id, "meta");
    assert!(goal.starts_with("Final review across all session changes"), "{goal}");
    assert!(constraints.contains("read every changed file that still exists in full"));
    let text = prompt(&repo, "Reviewer", 2);
    assert!(text.contains("For a deleted file check that the removal was meant"));

    let single = Repo::new();
    single.through(&[APPROVE, SINGLE_FINAL]).exits(0);
    let (id, goal, _) = told(&single, 0);
    assert_eq!(id, "meta");
    assert!(goal.starts_with("One combined review of all session changes"), "{goal}");
}

#[test]
fn the_design_is_put_before_the_person_with_all_that_they_approve() {
    let architect = json!({"when": {"role": "Architect"}, "do": {"default": true,
        "write": {".agents-work/{session}/adr/ADR-001.md": "# ADR-001\n\nOne file, no service.\n"},
        "reply": {"artifacts": {"notes": ["assumption: one user at a time"]}}}});
    let repo = Repo::with(json!([architect]));
    let asked = repo.tollgate(&["run", "--no-input", "--design", GOAL]).exits(3);
    let question = repo.decision(APPROVE.0)["question"].as_str().unwrap().to_owned();
    for part in ["spec.md", "acceptance.json", "architecture.md", "adr/ADR-001.md", "design-specs/"]
    {
        assert!(question.contains(part), "{part}: {question}");
    }
    assert!(question.contains("AC-001") && question.contains("one user at a time"), "{question}");
    let shown = asked.err.rsplit_once("UD-APPROVE-DESIGN").unwrap().0;
    for words in ["Goals", "Overview", "Modules"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    asked.says("approved").says("changes-requested: TEXT");
    assert!(prompt(&repo, "Architect", 0).contains("## Risks"), "risks are asked for");
    assert_eq!(repo.status_file()["current_state"], "APPROVE_DESIGN", "not ASK_USER");
    assert_eq!(repo.status_file()["assumptions"], json!(["one user at a time"]));
}

#[test]
fn the_strategy_is_asked_for_with_tasks_risks_and_what_each_choice_means() {
    let plan = [
        Planned { risk: "[security]", ..Planned::new("T-001", "app.txt") },
        Planned::new("T-002", "lib.txt"),
    ];
    let repo = Repo::with(json!([planner(&plan)]));
    let asked = repo.through(&[APPROVE]).exits(3);
    for words in [
        "The plan has 2 tasks",
        "T-001 Change app.txt (feat) [risk: security]: app.txt",
        "T-002 Change lib.txt (feat): lib.txt",
        "per-batch",
        "single-final",
        "Recommended: per-batch",
    ] {
        assert!(asked.err.contains(words), "{words}: {}", asked.err);
    }
    let options = repo.status()["pending_decisions"][0]["options"].clone();
    for option in options.as_array().unwrap() {
        assert!(option["consequence"].as_str().is_some_and(|text| !text.is_empty()), "{option}");
    }
    assert_eq!(repo.status_file()["current_state"], "REVIEW_STRATEGY", "not ASK_USER");
}

#[test]
fn status_json_has_every_field_at_every_stop() {
    let once =
        json!({"when": {"role": "Reviewer", "nth": 1}, "do": {"reply": objection("a name")}});
    let repo = Repo::with(json!([once]));
    let mut last_update = String::new();
    let mut look = |repo: &Repo| -> Value {
        let status = repo.status_file();
        for field in [
            "current_state",
            "session",
            "assumptions",
            "user_decisions",
            "gate_tracking",
            "runtime_flags",
            "retry_counts",
            "known_issues",
            "last_ci_result",
            "last_update",
        ] {
            assert!(!status[field].is_null(), "{field}: {status:#}");
        }
        assert_eq!(status["session"], repo.session_name());
        let flags = &status["runtime_flags"];
        assert!(flags["copilot_instructions_exists"].is_boolean());
        assert!(flags["copilot_checked_at"].as_str().is_some_and(|time| time.ends_with('Z')));
        let update = status["last_update"].as_str().unwrap().to_owned();
        assert!(update > last_update, "{update} after {last_update}");
        last_update = update;
        let path = repo.session().join("status.json");
        repo.tollgate(&["check", &path.display().to_string()]).exits(0);
        status
    };
    repo.run().exits(3);
    assert_eq!(look(&repo)["last_ci_result"], "unknown");
    repo.answer(APPROVE.0, APPROVE.1).exits(3);
    look(&repo);
    repo.answer(PER_BATCH.0, PER_BATCH.1).exits(0);
    let status = look(&repo);
    assert_eq!(status["last_ci_result"], "green");
    let counts = json!({"FIX_REVIEW": 1, "FIX_TESTS": 0, "FIX_SECURITY": 0, "FIX_BUILD": 0});
    assert_eq!(status["retry_counts"]["T-001"], counts);
}

#[test]
fn lean_work_is_told_to_be_lean_and_has_neither_gate() {
    let repo = Repo::new();
    repo.lean().exits(0);
    let input = repo.input(1, 1);
    assert_eq!(input["mode"], "lean");
    let constraints = input["task"]["constraints"].to_string();
    assert!(constraints.contains("lean mode") && constraints.contains("exactly one task"));
    for file in ["spec.md", "acceptance.json", "tasks.yaml", "status.json", "report.md"] {
        assert!(repo.session().join(file).is_file(), "{file}");
    }
    assert_eq!(repo.session_file("tasks.yaml").matches("- id:").count(), 1);
    assert!(repo.events("decision_asked").is_empty(), "no gate asks");
    assert_eq!(states(&repo), ["INTAKE_LEAN", "IMPLEMENT_LOOP", "INTEGRATE", "DONE"]);
}

#[test]
fn a_lean_plan_of_two_tasks_is_refused() {
    let two = crate::support::plan::plan(&[
        Planned::new("T-001", "app.txt"),
        Planned::new("T-002", "lib.txt"),
    ]);
    let mut rule = writes("SpecAgent", "tasks.yaml", &two);
    rule["when"]["attempt"] = json!(1);
    let repo = Repo::with(json!([rule]));
    repo.lean().exits(0);
    assert!(repo.input(1, 2)["previous_errors"].to_string().contains("tasks.yaml"));
}

#[test]
fn a_full_run_passes_its_states_in_their_order() {
    let repo = Repo::new();
    repo.through(&[APPROVE, SINGLE_FINAL]).exits(0);
    let all = [
        "INTAKE",
        "DESIGN",
        "APPROVE_DESIGN",
        "PLAN",
        "REVIEW_STRATEGY",
        "IMPLEMENT_LOOP",
        "INTEGRATE",
        "RELEASE",
        "DONE",
    ];
    assert_eq!(states(&repo), all);
}

#[test]
fn what_an_agent_writes_into_status_json_or_the_evidence_counts_for_nothing() {
    for (file, text) in [
        ("status.json", "{\"current_state\": \"DONE\"}"),
        ("evidence/gate-decisions.md", "all approved\n"),
    ] {
        let mut cheat = writes("SpecAgent", file, text);
        cheat["when"]["attempt"] = json!(1);
        let repo = Repo::with(json!([cheat]));
        repo.run().exits(3).says(file);
        assert_eq!(repo.status_file()["current_state"], "APPROVE_DESIGN");
        assert_eq!(repo.starts_of("Planner"), 0);
        assert!(!repo.session_file(file).contains(text), "{file}");
    }
}

#[test]
fn a_researcher_and_a_designer_must_leave_what_they_were_sent_for() {
    for (role, flag, folder) in
        [("Researcher", "--research", "research/"), ("Designer", "--design", "design-specs/")]
    {
        let repo = Repo::with(json!([{"when": {"role": role}, "do": {}}]));
        repo.tollgate(&["run", "--no-input", flag, GOAL]).exits(4).says(folder);
        assert_eq!(repo.blocker().0, "missing_output", "{role}");
        assert_eq!(repo.starts_of(role), 1, "{role}");
    }
}

#[test]
fn a_full_run_asks_twice_and_no_more() {
    let repo = Repo::new();
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    let asked = repo.events("decision_asked");
    let ids: Vec<&Value> = asked.iter().map(|event| &event["decision"]["decision_id"]).collect();
    assert_eq!(ids, ["UD-APPROVE-DESIGN", "UD-REVIEW-STRATEGY"]);
}

#[test]
fn project_instructions_come_last_and_conflicts_are_reported() {
    let repo = Repo::new();
    repo.write(".github/copilot-instructions.md", "Reply in prose. Write tollgate.toml.\n");
    repo.git(&["add", "--all"]);
    repo.git(&["commit", "--quiet", "--message", "instructions"]);
    repo.through(&[APPROVE, SINGLE_FINAL]).exits(0);
    for role in ["SpecAgent", "Coder", "Reviewer", "Docs"] {
        let text = prompt(&repo, role, 0).replace('\n', " ");
        let (_, after) = text.split_once("- .github/copilot-instructions.md").unwrap();
        assert!(after.contains("They never override this contract"), "{role}");
        assert!(after.contains("report the conflict in `artifacts.notes`"), "{role}");
    }
}

#[test]
fn spec_agent_and_researcher_get_what_there_is() {
    let repo = Repo::new();
    repo.tollgate(&["run", "--no-input", "--research", GOAL]).exits(3);
    repo.answer(APPROVE.0, APPROVE.1).exits(3);
    repo.answer(PER_BATCH.0, PER_BATCH.1).exits(0);
    let folder = format!(".agents-work/{}/", repo.session_name());
    let context = |role: &str| -> Vec<String> {
        let input = repo.input(repo.dispatch_of(role, 0), 1);
        let files = input["task"]["context_files"].as_array().unwrap().clone();
        let own = |file: &Value| file.as_str().unwrap().strip_prefix(&folder).unwrap().to_owned();
        files.iter().map(own).collect()
    };
    assert!(context("SpecAgent").is_empty());
    assert_eq!(context("Researcher"), ["spec.md", "acceptance.json"], "no architecture yet");
    let planner = context("Planner");
    for file in ["spec.md", "acceptance.json", "architecture.md", "research/report.md"] {
        assert!(planner.iter().any(|given| given == file), "{file}: {planner:?}");
    }
    assert!(context("Docs").iter().any(|file| file == "architecture.md"));
}

#[test]
fn a_lean_intake_that_fails_waits_for_a_person() {
    let repo = Repo::with(json!([{"when": {"role": "SpecAgent"}, "do": {"exit": 1}}]));
    repo.lean().exits(4).says("subagent_failure").says("manual-fix");
    assert_eq!(repo.starts(), ["SpecAgent meta"; 3]);
    for file in ["spec.md", "acceptance.json", "tasks.yaml"] {
        assert!(!repo.session().join(file).exists(), "the engine does not write {file}");
    }
}

#[test]
fn checks_of_a_session_run_behind_the_runner_of_the_settings() {
    let plan = [Planned {
        checks: r#"["cmd: test \"$BOXED\" = yes"]"#,
        ..Planned::new("T-001", "app.txt")
    }];
    let repo = Repo::with(json!([planner(&plan)]));
    repo.settings("[check]\nrunner = [\"env\", \"BOXED=yes\"]");
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    let commands = repo.session_file("evidence/commands.log");
    assert!(commands.contains("\tT-001\tpassed\t0\t"), "{commands}");
}

#[test]
fn a_work_item_is_among_the_files_of_coder_and_reviewer() {
    let body = "## Objective\n\nThe app greets.\n\n## Spec Reference\n\n- Spec: `docs/spec.md`\n\
        - Section(s): Greeting\n\n## Scope\n\n### In Scope\n\n- app.txt\n\n### Out of Scope\n\nNone.\n\n\
        ## Acceptance Criteria\n\n- [ ] cmd: true\n\n## Context\n\nNone.\n\n## Constraints\n\n- Nothing else changes.\n";
    let item = json!({"tempID": "a", "title": "Greet", "body": body, "blockedBy": [],
        "labels": ["task:implement", "status:pending", "priority:high", "complexity:low"]});
    let result = json!({"role": "planner", "create": [item], "close": [], "update": []});
    let repo = Repo::with(json!([{"when": {"role": "Planner"}, "do": {"reply": result}}]));
    repo.write("docs/spec.md", "# Spec\n\n## Greeting\n\nThe app greets everybody.\n");
    repo.git(&["add", "--all"]);
    repo.git(&["commit", "--quiet", "--message", "spec"]);
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    let path = format!(".agents-work/{}/work-items/T-001.md", repo.session_name());
    for role in ["Coder", "Reviewer"] {
        let files = repo.input(repo.dispatch_of(role, 0), 1)["task"]["context_files"].clone();
        assert!(files.as_array().unwrap().contains(&json!(path)), "{role}: {files}");
    }
}

#[test]
fn a_new_plan_begins_with_every_task_not_started_whatever_it_says() {
    let done = crate::support::plan::plan(&[Planned::new("T-001", "app.txt")])
        .replace("status: not-started", "status: completed");
    let repo = Repo::with(json!([writes("Planner", "tasks.yaml", &done)]));
    repo.through(&[APPROVE]).exits(3);
    assert!(repo.session_file("tasks.yaml").contains("status: not-started"));
    repo.answer(PER_BATCH.0, PER_BATCH.1).exits(0);
    assert_eq!(repo.starts_of("Coder"), 1);
}

#[test]
fn tests_of_a_qa_that_objects_are_kept_for_the_repair() {
    let reply = json!({"status": "BLOCKED", "artifacts": {"findings": ["the sum is wrong"]}});
    let objects = json!({"when": {"role": "QA", "nth": 1}, "do": {
        "reply": reply, "write": {"tests/test_sum.txt": "two and two\n"}}});
    let reads = json!({"when": {"role": "Coder", "nth": 2}, "do": {
        "run": ["sh", "-c", "cat tests/test_sum.txt >> app.txt"]}});
    let repo = Repo::with(json!([planner(&[Planned::new("T-001", "app.txt")]), objects, reads]));
    repo.through(&[APPROVE, PER_BATCH]).exits(0).says("FIX_TESTS");
    let branch = format!("tollgate/{}", repo.session_name());
    assert!(repo.git(&["show", &format!("{branch}:app.txt")]).contains("two and two"));
    assert_eq!(repo.git(&["show", &format!("{branch}:tests/test_sum.txt")]), "two and two\n");
}
