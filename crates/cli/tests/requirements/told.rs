//! What agents are told: every fact that the text of a role relies on is in the input of its dispatches.

use crate::support::plan::{Planned, objection, planner, replies};
use crate::support::{APPROVE, PER_BATCH, Repo};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

fn nth(role: &str, nth: u32, reply: Value) -> Value {
    json!({"when": {"role": role, "nth": nth}, "do": {"default": true, "reply": reply}})
}

fn still_open(note: &str) -> Value {
    json!({"status": "BLOCKED", "summary": note,
        "artifacts": {"earlier_findings": [{"id": "F-1", "state": "open", "note": note}]}})
}

/// The prompt of the last attempt of a dispatch.
fn prompt(repo: &Repo, dispatch: u32) -> String {
    repo.session_file(&format!("dispatches/{dispatch}/prompt.md"))
}

#[test]
fn r049_a_repair_and_the_review_after_it_are_told_what_was_found_and_answered() {
    let answers = json!({"artifacts": {"notes": ["F-1: the name is from the protocol"]}});
    let repo = Repo::with(json!([
        nth("Reviewer", 1, objection("the name is wrong")),
        nth("Coder", 2, answers),
        nth(
            "Reviewer",
            2,
            json!({"artifacts": {"earlier_findings": [
            {"id": "F-1", "state": "withdrawn", "note": "the protocol has it so"}]}})
        ),
    ]));
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    let first = repo.input(repo.dispatch_of("Reviewer", 0), 1);
    assert_eq!(first["task"]["earlier_findings"], Value::Null, "nothing was found before");
    let told = json!([{"id": "F-1", "by": "Reviewer", "severity": "high", "status": "open",
        "times": 1, "file": "app.txt", "line": "1", "message": "the name is wrong"}]);
    let repair = repo.input(repo.dispatch_of("Coder", 1), 1);
    assert_eq!(repair["task"]["earlier_findings"], told);
    let again = repo.input(repo.dispatch_of("Reviewer", 1), 1);
    assert_eq!(again["task"]["earlier_findings"], told);
    let said = again["task"]["implementations"].as_array().unwrap();
    assert_eq!(said.last().unwrap()["notes"], json!(["F-1: the name is from the protocol"]));
    let settled = repo.events("finding_settled");
    assert_eq!(settled[0]["id"], 1, "{settled:?}");
    assert_eq!(settled[0]["reason"], "withdrawn: the protocol has it so");
}

#[test]
fn r111_what_is_called_open_by_its_id_is_the_same_finding_whatever_words_come_with_it() {
    let repo = Repo::with(json!([
        nth("Reviewer", 1, objection("the name is wrong")),
        nth("Reviewer", 2, still_open("it is as it was")),
        nth("Reviewer", 3, still_open("I said so before")),
    ]));
    repo.through(&[APPROVE, PER_BATCH]).exits(4).says("non_convergence").says("the name is wrong");
    assert_eq!(repo.starts_of("Coder"), 3, "two repairs, not three");
}

#[test]
fn r111_only_the_role_that_found_it_can_call_a_finding_open() {
    let repo = Repo::with(json!([
        nth("Reviewer", 1, objection("the name is wrong")),
        replies("QA", json!({"artifacts": {"earlier_findings": [{"id": "F-1", "state": "open"}]}})),
    ]));
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    // An id that nobody knows says nothing either.
    let repo = Repo::with(json!([replies(
        "Reviewer",
        json!({"artifacts": {"earlier_findings": [{"id": "F-9", "state": "open"}, {"id": "x", "state": "open"}]}})
    )]));
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    let wrong = json!({"artifacts": {"earlier_findings": [{"id": "F-1", "state": "perhaps"}]}});
    let repo = Repo::with(json!([nth("Reviewer", 1, wrong)]));
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    let errors = repo.errors_of(repo.dispatch_of("Reviewer", 0), 1);
    assert!(errors.contains("fixed") && errors.contains("withdrawn"), "{errors}");
}

#[test]
fn everybody_is_told_the_base_and_how_to_see_the_session_s_diff() {
    let looks = "git rev-parse --verify --quiet \"refs/heads/$(python3 -c 'import json,os; \
                 print(json.load(open(os.environ[\"TOLLGATE_INPUT\"]))[\"repo_state\"][\"branch\"])')\" > \"$0\"/branch.$TOLLGATE_ROLE; \
                 $(python3 -c 'import json,os; print(json.load(open(os.environ[\"TOLLGATE_INPUT\"]))[\"repo_state\"][\"diff\"])') \
                 > \"$0\"/diff.$TOLLGATE_ROLE";
    let repo = Repo::new();
    let seen = repo.open_outside("seen");
    repo.crew(json!([{"when": {}, "do": {"default": true, "run": ["sh", "-c", looks, seen]}}]));
    let base = repo.git(&["rev-parse", "HEAD"]);
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    let read = |name: &str| std::fs::read_to_string(seen.join(name)).unwrap();
    for role in ["SpecAgent", "Architect", "Planner"] {
        assert_eq!(read(&format!("branch.{role}")).trim(), base.trim(), "{role}");
    }
    for role in ["Reviewer", "Integrator", "Docs"] {
        assert_ne!(read(&format!("branch.{role}")).trim(), base.trim(), "{role}");
        assert!(!read(&format!("branch.{role}")).is_empty(), "{role}");
        assert!(read(&format!("diff.{role}")).contains("+++ b/app.txt"), "{role}");
    }
    assert_eq!(repo.input(1, 1)["repo_state"]["base"], base.trim());
}

#[test]
fn who_tests_and_audits_is_told_the_changed_files_as_the_reviewer_is() {
    let task = Planned { risk: "[security]", ..Planned::new("T-001", "app.txt") };
    let repo = Repo::with(json!([
        planner(&[task]),
        replies("Coder", json!({"gates": {"meets_definition_of_done": true, "needs_tests": true}})),
    ]));
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    let of = |role: &str| repo.input(repo.dispatch_of(role, 0), 1)["task"].clone();
    let reviewer = of("Reviewer");
    assert_eq!(reviewer["session_changed_files"][0]["path"], "app.txt");
    for role in ["QA", "Security"] {
        assert_eq!(of(role)["session_changed_files"], reviewer["session_changed_files"], "{role}");
        assert_eq!(of(role)["implementations"], reviewer["implementations"], "{role}");
    }
}

#[test]
fn a_researcher_is_told_who_asks_and_for_what() {
    let asks = json!({"next": {"recommended_agent": "Researcher", "recommended_task_id": "meta",
        "reason": "does the protocol allow two names?"}});
    let repo = Repo::with(json!([replies("SpecAgent", asks)]));
    repo.run().exits(3);
    let told = repo.input(repo.dispatch_of("Researcher", 0), 1);
    let words = told["task"]["constraints"].to_string();
    assert!(
        words.contains("SpecAgent asks for this: does the protocol allow two names?"),
        "{words}"
    );
}

#[test]
fn an_integrator_is_told_whether_it_integrates_or_releases() {
    let repo = Repo::new();
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    let told = |nth| {
        let input = repo.input(repo.dispatch_of("Integrator", nth), 1);
        let words = input["task"]["constraints"].to_string();
        (words.contains("\"integrate: "), words.contains("\"release: "))
    };
    assert_eq!((told(0), told(1)), ((true, false), (false, true)));
}

#[test]
fn the_prompt_says_nothing_twice_and_offers_one_form_of_reply() {
    let repo = Repo::new();
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    for role in ["SpecAgent", "Planner", "Coder", "Reviewer", "Integrator", "Docs"] {
        let text = prompt(&repo, repo.dispatch_of(role, 0));
        for once in
            ["\n## Your role\n", "\n## Your reply\n", "\n## Your input\n", "\"status\": \"OK\""]
        {
            assert_eq!(text.matches(once).count(), 1, "{role}: {once:?}");
        }
        let headings = text.lines().filter(|line| line.starts_with('#'));
        let mut seen = BTreeSet::new();
        assert!(headings.into_iter().all(|line| seen.insert(line)), "{role}: {seen:?}");
        for never in
            ["tools_available", "implementor result", "\"role\": \"reviewer\"", "context_files\":"]
        {
            assert!(!text.contains(never), "{role}: {never}");
        }
        assert_eq!(text.contains("review_comments"), role == "Reviewer", "{role}");
        assert_eq!(text.contains("scope_request"), role == "Coder", "{role}");
    }
}

/// What the texts of roles name of the input, such as `task.session_changed_files`.
fn promised(text: &str) -> BTreeSet<String> {
    let ticked = text.split('`').skip(1).step_by(2);
    let is_of_input = |word: &&str| {
        ["task.", "repo_state."].iter().any(|part| word.starts_with(part))
            || *word == "report_points"
    };
    ticked.filter(is_of_input).map(str::to_owned).collect()
}

#[test]
fn every_field_that_the_text_of_a_role_names_is_in_some_input_of_that_role() {
    let work_item = "## Objective\n\nMore.\n\n## Spec Reference\n\n- Spec: spec.md\n- Section(s): Goals\n\n## Scope\n\n### In Scope\n\n- app.txt\n\n\
                     ### Out of Scope\n\n- lib.txt\n\n## Acceptance Criteria\n\n- [ ] the text is clear\n- [ ] cmd: test -f app.txt\n\n\
                     ## Context\n\nNone.\n\n## Constraints\n\nNone.\n";
    let plan = json!({"create": [{"tempID": "a", "title": "One", "body": work_item, "blockedBy": [],
        "labels": ["task:implement", "status:pending", "priority:high", "complexity:low"]}], "close": [], "update": []});
    let fault = json!({"status": "BLOCKED", "artifacts": {"findings": [
        {"severity": "high", "file": "app.txt", "description": "it breaks"}]}});
    let next = |role: &str| json!({"next": {"recommended_agent": role, "reason": "to know"}});
    let repo = Repo::with(json!([
        replies("SpecAgent", next("Researcher")),
        replies("Architect", next("Designer")),
        replies("Planner", json!({"plan": plan})),
        nth("QA", 1, fault.clone()),
        nth("Security", 1, fault),
        nth("Reviewer", 1, objection("the name is wrong")),
        replies(
            "Coder",
            json!({"artifacts": {"manual_steps": ["restart it"]}, "gates": {"meets_definition_of_done": true,
            "needs_tests": true, "security_concerns": ["a key"]}})
        ),
    ]));
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    let mut given: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for opened in repo.events("dispatch_opened") {
        let role = opened["role"].as_str().unwrap().to_owned();
        let input = repo.input(u32::try_from(opened["number"].as_u64().unwrap()).unwrap(), 1);
        let fields = given.entry(role).or_default();
        for part in ["task", "repo_state"] {
            let names = input[part].as_object().unwrap().keys();
            fields.extend(names.map(|name| format!("{part}.{name}")));
        }
        fields.extend(input.as_object().unwrap().keys().cloned());
    }
    assert!(given.len() >= 10, "{given:?}");
    for (role, fields) in &given {
        let text = prompt(&repo, repo.dispatch_of(role, 0));
        let text =
            text.split("## Your role").nth(1).unwrap().split("\n## Your input").next().unwrap();
        let missing: Vec<String> =
            promised(text).into_iter().filter(|name| !fields.contains(name)).collect();
        assert!(missing.is_empty(), "{role} is promised {missing:?}: {:?}", repo.starts());
    }
}

#[test]
fn a_secret_in_the_goal_is_kept_nowhere_and_told_to_nobody() {
    const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let repo = Repo::new();
    let goal = format!("Call the service as jane@example.org with {TOKEN}");
    repo.tollgate(&["run", "--no-input", &goal]).exits(3).says("the goal has a secret in it");
    assert!(
        repo.status()["goal"].as_str().unwrap().contains("jane@example.org"),
        "an address stays"
    );
    for folder in [repo.root().join(".agents-work"), repo.outside("state")] {
        for file in crate::support::files_below(&folder) {
            let bytes = std::fs::read(folder.join(&file)).unwrap();
            let text = String::from_utf8_lossy(&bytes);
            assert!(!text.contains(TOKEN), "{}", file.display());
        }
    }
}
