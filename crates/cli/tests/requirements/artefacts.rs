//! Session files and what roles may write: validated by the engine, whoever wrote them.

use crate::support::plan::{Planned, comment, plan, planner, replies, writes};
use crate::support::{APPROVE, PER_BATCH, Repo, SINGLE_FINAL, files_below};
use serde_json::{Value, json};
use std::fs;

const SPEC: &str =
    "# Spec\n\n## Goals\n\nx\n\n## Acceptance Criteria\n\nx\n\n## Definition of Done\n\nx\n";

#[test]
fn r011_other_sessions_cannot_be_written() {
    let repo = Repo::new();
    repo.tollgate(&["run", "--no-input", "--slug", "a", "First"]).exits(3);
    let first = repo.session();
    let name = repo.session_name();
    let content = |folder: &std::path::Path| -> Vec<(std::path::PathBuf, Vec<u8>)> {
        let mut files = files_below(folder);
        files.sort();
        files.into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
    };
    let before = content(&first);
    let target = format!(".agents-work/{name}/spec.md");
    repo.crew(json!([{"when": {"role": "SpecAgent"}, "do": {"default": true, "write": {(target): "mine now"}}}]));
    repo.tollgate(&["run", "--no-input", "--slug", "b", "Second"])
        .exits(4)
        .says("another session")
        .says(&name);
    assert_eq!(content(&first), before);
}

#[test]
fn r012_a_missing_context_file_blocks_and_is_named() {
    let tasks = [Planned { context: "[docs/protocol.md]", ..Planned::new("T-001", "app.txt") }];
    let repo = Repo::with(json!([planner(&tasks)]));
    repo.through(&[APPROVE, PER_BATCH]).exits(4).says("docs/protocol.md");
    let (code, words) = repo.blocker();
    assert_eq!(code, "missing_context");
    assert!(words.contains("docs/protocol.md"));
    assert_eq!(repo.starts_of("Coder"), 0, "refused before an agent starts");
}

#[test]
fn r014_correction_status_begins_as_none_and_its_absence_is_none() {
    let repo = Repo::new();
    repo.run().exits(3);
    assert_eq!(repo.status_file()["gate_tracking"]["APPROVE_DESIGN"]["correction_status"], "none");
    let mut status = repo.status_file();
    status.as_object_mut().unwrap().remove("gate_tracking");
    fs::write(repo.session().join("status.json"), status.to_string()).unwrap();
    repo.answer("UD-APPROVE-DESIGN", "approved").exits(3);
    assert_eq!(repo.starts().last().unwrap(), "Planner meta", "no correction was started");
    assert_eq!(repo.status_file()["gate_tracking"]["APPROVE_DESIGN"]["correction_status"], "none");
}

#[test]
fn r015_no_task_status_in_status_json() {
    let repo = Repo::new();
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    let status = repo.session_file("status.json");
    for word in ["not-started", "in-progress", "implemented", "completed", "\"tasks\""] {
        assert!(!status.contains(word), "{word} in {status}");
    }
}

#[test]
fn r034_tasks_move_only_along_their_life() {
    let repo = Repo::new();
    repo.through(&[APPROVE]).exits(3);
    assert_eq!(repo.session_file("tasks.yaml").matches("status: not-started").count(), 2);
    repo.answer("UD-REVIEW-STRATEGY", "per-batch").exits(0);
    let moves: Vec<String> = repo
        .events("task_moved")
        .iter()
        .map(|e| format!("{} {}", e["task"].as_str().unwrap(), e["status"].as_str().unwrap()))
        .collect();
    let life = ["in-progress", "implemented", "completed"];
    let expected: Vec<String> = ["T-001", "T-002"]
        .iter()
        .flat_map(|task| life.map(|status| format!("{task} {status}")))
        .collect();
    assert_eq!(moves, expected);
    let tasks = repo.session_file("tasks.yaml");
    assert_eq!(tasks.matches("status: completed").count(), 2, "{tasks}");
}

#[test]
fn r034_comments_and_order_of_a_plan_survive_our_edits() {
    let text = format!("# the plan\n{}# the end\n", plan(&[Planned::new("T-001", "app.txt")]));
    let repo = Repo::with(json!([writes("Planner", "tasks.yaml", &text)]));
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    assert_eq!(repo.session_file("tasks.yaml"), text.replace("not-started", "completed"));
}

#[test]
fn r035_a_coder_cannot_complete_its_own_task() {
    let done = plan(&[Planned::new("T-001", "app.txt")]).replace("not-started", "completed");
    let repo = Repo::with(json!([
        planner(&[Planned::new("T-001", "app.txt")]),
        writes("Coder", "tasks.yaml", &done)
    ]));
    repo.through(&[APPROVE, PER_BATCH]).exits(0).says("Coder set T-001 to \"completed\"");
    let journal = repo.journal();
    let completed =
        journal.iter().position(|e| e["type"] == "task_moved" && e["status"] == "completed");
    for role in ["Reviewer", "QA"] {
        let passed = journal
            .iter()
            .position(|e| e["type"] == "gate_passed" && e["role"] == role && e["task"] == "T-001");
        assert!(passed.unwrap() < completed.unwrap(), "{role}");
    }
}

#[test]
fn r035_a_coder_may_say_in_progress_and_implemented() {
    let said = plan(&[Planned::new("T-001", "app.txt")]).replace("not-started", "implemented");
    let repo = Repo::with(json!([
        planner(&[Planned::new("T-001", "app.txt")]),
        writes("Coder", "tasks.yaml", &said)
    ]));
    repo.through(&[APPROVE, PER_BATCH]).exits(0).does_not_say("dropped");
}

#[test]
fn r035_a_coder_cannot_change_the_plan() {
    let other = plan(&[Planned::new("T-001", "everything.txt")]);
    let repo = Repo::with(json!([
        planner(&[Planned::new("T-001", "app.txt")]),
        writes("Coder", "tasks.yaml", &other)
    ]));
    repo.through(&[APPROVE, PER_BATCH]).exits(4).says("only the Planner may change the plan");
    assert!(repo.session_file("tasks.yaml").contains("app.txt"));
}

#[test]
fn r036_a_spec_without_a_section_goes_back_to_its_author() {
    for section in ["Goals", "Acceptance Criteria", "Definition of Done"] {
        let bad = SPEC.replace(&format!("## {section}\n"), "");
        let mut rule = writes("SpecAgent", "spec.md", &bad);
        rule["when"]["attempt"] = json!(1);
        let repo = Repo::with(json!([rule]));
        repo.run().exits(3).says(section);
        assert!(repo.input(1, 2)["previous_errors"].to_string().contains(section), "{section}");
        assert_eq!(repo.starts_of("SpecAgent"), 2);
    }
}

#[test]
fn r036_a_section_found_missing_later_blocks_and_is_named() {
    let repo = Repo::new();
    repo.through(&[APPROVE]).exits(3);
    let spec = repo.session_file("spec.md").replace("## Definition of Done", "## Whatever");
    fs::write(repo.session().join("spec.md"), &spec).unwrap();
    repo.answer("UD-REVIEW-STRATEGY", "per-batch")
        .exits(4)
        .says("Definition of Done")
        .says("spec.md");
    assert_eq!(repo.starts_of("Coder"), 0);
    // A retry alone changes nothing.
    repo.answer("UD-1", "retry").exits(4).says("Definition of Done");
    assert_eq!(repo.starts_of("Coder"), 0);
    fs::write(repo.session().join("spec.md"), spec.replace("## Whatever", "## Definition of Done"))
        .unwrap();
    repo.answer("UD-2", "retry").exits(0);
}

#[test]
fn r037_acceptance_criteria_must_be_whole() {
    let criterion = json!({"id": "AC-001", "description": "x", "verify": ["true"]});
    let without = |field: &str| {
        let mut bad = criterion.clone();
        bad.as_object_mut().unwrap().remove(field);
        json!({"acceptance_criteria": [bad]})
    };
    let cases: [(Value, &str); 5] = [
        (json!({"acceptance_criteria": []}), "acceptance_criteria"),
        (without("id"), "id"),
        (without("description"), "description"),
        (without("verify"), "verify"),
        (json!({"acceptance_criteria": [criterion, criterion]}), "AC-001"),
    ];
    for (bad, named) in cases {
        let mut rule = writes("SpecAgent", "acceptance.json", &bad.to_string());
        rule["when"]["attempt"] = json!(1);
        let repo = Repo::with(json!([rule]));
        repo.run().exits(3).says("invalid");
        let errors = repo.input(1, 2)["previous_errors"].to_string();
        assert!(errors.contains(named) && errors.contains("acceptance.json"), "{bad}: {errors}");
    }
}

#[test]
fn r038_an_architecture_needs_its_sections_in_full_mode_only() {
    for (text, section) in [
        ("# A\n\n## Overview\n\nx\n", "Modules"),
        ("# A\n\n## Modules/components\n\nx\n", "Overview"),
    ] {
        let mut rule = writes("Architect", "architecture.md", text);
        rule["when"]["attempt"] = json!(1);
        let repo = Repo::with(json!([rule]));
        repo.run().exits(3);
        assert!(repo.input(2, 2)["previous_errors"].to_string().contains(section), "{section}");
    }
    let repo = Repo::new();
    repo.lean().exits(0);
    assert!(!repo.session().join("architecture.md").exists());
}

/// The role changes this file beside its usual work; says what the run ended with.
fn changes(role: &str, path: &str) -> Repo {
    let repo = Repo::with(json!([
        {"when": {"role": role}, "do": {"default": true, "write": {(path): "changed\n"}}}
    ]));
    let mut ran = repo.run();
    for (id, answer) in [APPROVE, SINGLE_FINAL] {
        if ran.code == 3 {
            ran = repo.answer(id, answer);
        }
    }
    assert_eq!(ran.code, 4, "{role} {path}: {}", ran.err);
    assert!(ran.err.contains(path), "{role} {path}: {}", ran.err);
    assert_eq!(repo.starts_of(role), 3, "{role} {path}");
    repo
}

#[test]
fn r039_only_those_who_may_change_the_repository() {
    for role in ["Planner", "Reviewer", "Security"] {
        changes(role, "src/main.c");
    }
    changes("SpecAgent", "README.md");
}

#[test]
fn r039_qa_writes_tests_and_docs_write_documentation() {
    changes("QA", "src/main.c");
    changes("Docs", "src/main.c");
    changes("Integrator", "src/main.c");
    let repo = Repo::with(json!([
        {"when": {"role": "QA"}, "do": {"default": true, "write": {"tests/test_app.sh": "true\n"}}},
        {"when": {"role": "Docs"}, "do": {"default": true, "write": {"docs/app.md": "x\n", "README.md": "y\n"}}},
        {"when": {"role": "Integrator"}, "do": {"default": true, "write": {"Makefile": "x:\n"}}},
    ]));
    repo.through(&[APPROVE, SINGLE_FINAL]).exits(0);
    let changed = repo.status()["changed_files"].to_string();
    for path in ["tests/test_app.sh", "docs/app.md", "README.md", "Makefile"] {
        assert!(changed.contains(path), "{changed}");
    }
}

#[test]
fn r039_no_role_changes_the_settings() {
    changes("Coder", "tollgate.toml");
}

#[test]
fn r039_what_a_breach_changed_is_kept_aside() {
    let repo = changes("Reviewer", "src/main.c");
    let rescued: Vec<String> =
        repo.git(&["for-each-ref", "--format=%(refname)"]).lines().map(str::to_owned).collect();
    let kept = rescued.iter().any(|name| {
        name.contains("rescue")
            && repo.git(&["ls-tree", "-r", "--name-only", name]).contains("src/main.c")
    });
    assert!(kept, "{rescued:?}");
    assert!(!repo.root().join("src/main.c").exists());
}

#[test]
fn r039_what_is_outside_a_tasks_scope_is_left_out_and_said() {
    let repo = Repo::with(json!([
        {"when": {"role": "Coder", "task": "T-001"}, "do": {"default": true, "write": {"other.txt": "x\n"}}}
    ]));
    repo.through(&[APPROVE, PER_BATCH]).exits(0).says("other.txt");
    let changed = repo.status()["changed_files"].to_string();
    assert!(!changed.contains("other.txt") && changed.contains("app.txt"), "{changed}");
}

#[test]
fn r054_a_literal_session_placeholder_is_refused() {
    let tasks = [Planned {
        context: "[\".agents-work/<session>/spec.md\"]",
        ..Planned::new("T-001", "app.txt")
    }];
    let repo = Repo::with(json!([planner(&tasks)]));
    let ran = repo.through(&[APPROVE]);
    let ran = if ran.code == 3 { repo.answer("UD-REVIEW-STRATEGY", "per-batch") } else { ran };
    ran.exits(4).says("<session>");
    assert_eq!(repo.starts_of("Coder"), 0);
}

#[test]
fn r101_a_changed_design_is_approved_again() {
    let repo = Repo::new();
    repo.through(&[APPROVE]).exits(3);
    let asked = repo.events("decision_asked");
    let design =
        asked.iter().find(|e| e["decision"]["decision_id"] == "UD-APPROVE-DESIGN").unwrap();
    let shown = design["decision"]["shown"].as_array().unwrap().clone();
    assert_eq!(shown.len(), 3);
    assert!(
        shown.iter().all(|artefact| artefact["sha256"].as_str().unwrap().len() == 64),
        "{shown:?}"
    );
    let mut spec = repo.session_file("spec.md");
    spec.push_str("\nAnd it must be blue.\n");
    fs::write(repo.session().join("spec.md"), spec).unwrap();
    repo.answer("UD-REVIEW-STRATEGY", "per-batch")
        .exits(3)
        .says("has changed since you saw it: spec.md");
    assert_eq!(repo.starts_of("Coder"), 0, "nothing is built on it");
    assert_eq!(repo.decision("UD-APPROVE-DESIGN")["status"], "pending");
    repo.answer("UD-APPROVE-DESIGN", "approved").exits(0);
}

#[test]
fn r101_an_edit_is_seen_on_resume() {
    let repo = Repo::new();
    repo.through(&[APPROVE]).exits(3);
    let path = repo.session().join("architecture.md");
    fs::write(&path, fs::read_to_string(&path).unwrap() + "\nmore\n").unwrap();
    repo.resume().exits(3).says("has changed since you saw it: architecture.md");
    // What was shown at first again is no change any more, but it has to be said.
    repo.answer("UD-APPROVE-DESIGN", "approved").exits(3);
    repo.resume().exits(3).does_not_say("has changed since");
}

#[test]
fn r101_an_answer_to_what_has_changed_since_it_was_shown_is_refused() {
    let repo = Repo::new();
    repo.run().exits(3);
    let path = repo.session().join("spec.md");
    fs::write(&path, fs::read_to_string(&path).unwrap() + "\nmore\n").unwrap();
    let refused = repo.answer("UD-APPROVE-DESIGN", "approved").exits(2);
    refused.says("has changed since you saw it: spec.md").says("answer again");
    assert_eq!(repo.starts_of("Planner"), 0);
    repo.answer("UD-APPROVE-DESIGN", "approved").exits(3);
    assert_eq!(repo.starts_of("Planner"), 1);
}

#[test]
fn r003_r004_every_input_has_every_field_it_must_have() {
    let repo = Repo::new();
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    let dispatches = repo.events("dispatch_opened");
    assert!(dispatches.len() > 10);
    for event in dispatches {
        let number = u32::try_from(event["number"].as_u64().unwrap()).unwrap();
        let input = repo.input(number, 1);
        for field in [
            "project_type",
            "repo_state",
            "tools_available",
            "session",
            "mode",
            "dispatch",
            "attempt",
        ] {
            assert!(!input[field].is_null(), "{field} of {number}");
        }
        let task = &input["task"];
        for field in [
            "id",
            "title",
            "goal",
            "non_goals",
            "context_files",
            "constraints",
            "acceptance_checks",
            "risk_flags",
        ] {
            assert!(!task[field].is_null(), "{field} of {number}");
        }
        assert!(
            task["session_changed_files"].is_array() || event["role"] != "Reviewer",
            "{number}"
        );
    }
}

/// A person or a former life left it there; the role leaves it as it is.
#[test]
fn r060_a_file_that_was_there_before_is_delivered_by_the_role_that_leaves_it() {
    const REPORT: &str = "# Report\n\n## What was done\n\nx\n\n## How to run\n\nx\n\n## How to test\n\nx\n\n## Known issues\n\nnone\n";
    let repo = Repo::new();
    repo.run().exits(3);
    let place = format!(".agents-work/{}/report.md", repo.session_name());
    repo.write(&place, REPORT);
    repo.crew(
        json!([{"when": {"role": "Docs"}, "do": {"default": true, "write": {(place): REPORT}}}]),
    );
    repo.answer(APPROVE.0, APPROVE.1).exits(3);
    repo.answer(SINGLE_FINAL.0, SINGLE_FINAL.1).exits(0).says("DONE");
    assert_eq!(repo.session_file("report.md"), REPORT);
}

#[test]
fn r125_a_misspelt_risk_flag_is_refused_with_the_nearest_one() {
    let task = Planned { risk: "[securty]", ..Planned::new("T-001", "app.txt") };
    let repo = Repo::with(json!([planner(&[task])]));
    repo.through(&[APPROVE]).exits(4).says("securty").says("security");
    assert_eq!(repo.starts_of("Planner"), 3, "two re-runs");
}

#[test]
fn r125_work_for_the_whole_session_carries_the_flags_of_all_tasks() {
    let first = Planned { risk: "[perf, security]", ..Planned::new("T-001", "app.txt") };
    let second = Planned { risk: "[perf, breaking-change]", ..Planned::new("T-002", "more.txt") };
    let repo = Repo::with(json!([planner(&[first, second, Planned::new("T-003", "last.txt")])]));
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    let flags = |dispatch: u32| repo.input(dispatch, 1)["task"]["risk_flags"].clone();
    assert_eq!(flags(1), json!(["none"]), "there was no plan yet");
    let all = json!(["breaking-change", "perf", "security"]);
    assert_eq!(flags(repo.dispatch_of("Integrator", 0)), all);
    assert_eq!(flags(repo.dispatch_of("Coder", 2)), json!(["none"]));
}

#[test]
fn r129_a_lean_spec_needs_the_goal_and_the_criteria_and_nothing_else() {
    let short = SPEC.replace("## Definition of Done\n\nx\n", "");
    let repo = Repo::with(json!([writes("SpecAgent", "spec.md", &short)]));
    repo.lean().exits(0);
    assert_eq!(repo.starts_of("SpecAgent"), 1, "it was not sent back");
    assert_eq!(repo.session_file("spec.md"), short);
    let folder = repo.session();
    repo.tollgate(&["check", &folder.display().to_string()]).exits(0);
    repo.tollgate(&["check", &folder.join("spec.md").display().to_string()]).exits(0);

    for section in ["Goals", "Acceptance Criteria"] {
        let mut rule =
            writes("SpecAgent", "spec.md", &short.replace(&format!("## {section}\n"), ""));
        rule["when"]["attempt"] = json!(1);
        let repo = Repo::with(json!([rule]));
        repo.lean().exits(0);
        assert!(repo.input(1, 2)["previous_errors"].to_string().contains(section), "{section}");
    }
}

#[test]
fn r129_a_lean_spec_that_a_person_shortens_still_holds() {
    let note = json!({"artifacts": {"review_comments": [comment("minor", "short")]}});
    let repo = Repo::with(json!([replies("Reviewer", note)]));
    repo.lean().exits(3).says("UD-1");
    let spec = repo.session_file("spec.md");
    let (short, _) = spec.split_once("## Definition of Done").unwrap();
    fs::write(repo.session().join("spec.md"), short).unwrap();
    let told = repo.resume().exits(3);
    assert!(!told.err.contains("Definition of Done"), "{}", told.err);
}
