//! Agents that ask the person something: whoever asks, it is a question, and the work continues with the answer.

use crate::route::{go, leaves, nth, route};
use crate::support::plan::{Planned, objection, planner, replies};
use crate::support::pty::Terminal;
use crate::support::{APPROVE, GOAL, PER_BATCH, Repo, SINGLE_FINAL};
use serde_json::{Value, json};

/// A reply that asks one thing, with this status.
fn asks(status: &str, question: Value) -> Value {
    json!({"status": status, "summary": "Something only you can say.", "artifacts": {"questions": [question]}})
}

/// A rule by which the first start of a role asks.
fn first(role: &str, status: &str, question: &str) -> Value {
    json!({"when": {"role": role, "nth": 1}, "do": {"reply": asks(status, json!(question))}})
}

fn one_task() -> Value {
    planner(&[Planned::new("T-001", "app.txt")])
}

/// The prompt and the input that the nth dispatch of a role was started with.
fn told(repo: &Repo, role: &str, dispatch: usize) -> (String, String) {
    let number = repo.dispatch_of(role, dispatch);
    let prompt = repo.session_file(&format!("dispatches/{number}/prompt.md"));
    (prompt, repo.input(number, 1).to_string())
}

#[test]
fn r131_every_role_may_ask_the_person_and_continues_with_the_answer() {
    let statuses = [
        ("SpecAgent", "BLOCKED", "INTAKE"),
        ("Researcher", "NEEDS_INFO", "DESIGN"),
        ("Architect", "NEEDS_INFO", "DESIGN"),
        ("Designer", "BLOCKED", "DESIGN"),
        ("Planner", "OK", "PLAN"),
        ("Coder", "BLOCKED", "IMPLEMENT_LOOP"),
        ("Reviewer", "OK", "IMPLEMENT_LOOP"),
        ("QA", "BLOCKED", "IMPLEMENT_LOOP"),
        ("Security", "NEEDS_INFO", "IMPLEMENT_LOOP"),
        ("Integrator", "OK", "INTEGRATE"),
        ("Docs", "BLOCKED", "RELEASE"),
    ];
    let mut rules: Vec<Value> = statuses
        .iter()
        .map(|(role, status, _)| first(role, status, &format!("what does {role} want?")))
        .collect();
    rules.push(one_task());
    let repo = Repo::with(json!(rules));
    let mut last = repo.tollgate(&["run", "--no-input", "--research", "--design", GOAL]);
    for (at, (role, _, state)) in statuses.iter().enumerate() {
        if *role == "Planner" {
            last = repo.answer(APPROVE.0, APPROVE.1);
        }
        if *role == "Coder" {
            last = repo.answer(SINGLE_FINAL.0, SINGLE_FINAL.1);
        }
        last = last.exits(3).says(&format!("{role} needs to know: what does {role} want?"));
        let status = repo.status();
        assert_eq!(status["state"], "ASK_USER", "{role}");
        assert_eq!(status["blocker"], json!(null), "{role}");
        let asked = &status["pending_decisions"][0];
        assert_eq!((&asked["kind"], &asked["state_context"]), (&json!("info"), &json!(state)));
        drop(last);
        last = repo.answer(&format!("UD-{}", at + 1), &format!("{role} wants green"));
        let (prompt, input) = told(&repo, role, 1);
        assert!(prompt.contains(&format!("{role} wants green")), "{prompt}");
        assert!(input.contains(&format!("{role} wants green")), "{input}");
    }
    last.exits(0);
    assert!(repo.events("repair_opened").is_empty());
    assert!(repo.events("attempt_started").iter().all(|event| event["attempt"] == 1));
}

#[test]
fn r131_suggested_answers_are_options_and_the_recommended_one_is_marked() {
    let question = json!({"question": "Which store?", "options": ["redis: shared", "memory"], "recommended": "memory"});
    let rules = json!([{"when": {"role": "SpecAgent", "nth": 1}, "do": {"reply": asks("BLOCKED", question)}}]);
    let repo = Repo::with(rules.clone());
    repo.run().exits(3).says("UD-1 \"redis: shared\"").says("UD-1 \"memory\"").says("recommended");
    let asked = repo.status()["pending_decisions"][0].clone();
    let options: Vec<(String, bool)> = asked["options"]
        .as_array()
        .unwrap()
        .iter()
        .map(|o| (o["answer"].as_str().unwrap().to_owned(), o["recommended"] == true))
        .collect();
    let expected = [("redis: shared", false), ("memory", true), ("TEXT", false)];
    assert_eq!(options, expected.map(|(answer, is)| (answer.to_owned(), is)));
    repo.answer("UD-1", "redis: shared").exits(3);
    assert_eq!(repo.decision("UD-1")["answer"], "redis: shared");
    let (prompt, _) = told(&repo, "SpecAgent", 1);
    assert!(prompt.contains("Which store? The person says: redis: shared"), "{prompt}");

    let repo = Repo::with(rules);
    let mut terminal = Terminal::start(&repo, &["run", GOAL]);
    terminal.wait_for("Which store?").wait_for("> ").types("2");
    terminal.wait_for("UD-APPROVE-DESIGN (approve)").wait_for("> ").hangs_up();
    assert_eq!(terminal.ends(), 3);
    assert_eq!(repo.decision("UD-1")["answer"], "memory");
}

#[test]
fn r131_several_questions_are_answered_one_by_one_and_all_reach_the_role() {
    let reply = json!({"status": "OK", "artifacts": {"questions": ["how fast?", {"question": "how big?"}]}});
    let repo =
        Repo::with(json!([{"when": {"role": "Architect", "nth": 1}, "do": {"reply": reply}}]));
    repo.run().exits(3);
    repo.answer("UD-1", "very").exits(3);
    assert_eq!(repo.starts_of("Architect"), 1, "one question is still open");
    repo.answer("UD-2", "small").exits(3);
    let (prompt, _) = told(&repo, "Architect", 1);
    for words in ["how fast? The person says: very", "how big? The person says: small"] {
        assert!(prompt.contains(words), "{prompt}");
    }
    assert_eq!(repo.status()["state"], "APPROVE_DESIGN");
}

#[test]
fn r131_a_question_in_a_repair_spends_no_repair() {
    let rules = json!([
        {"when": {"role": "Reviewer", "nth": 1}, "do": {"reply": objection("too slow")}},
        {"when": {"role": "Coder", "nth": 2}, "do": {"reply": asks("BLOCKED", json!("slow for whom?"))}},
        one_task(),
    ]);
    let repo = Repo::with(rules);
    repo.through(&[APPROVE, PER_BATCH]).exits(3).says("slow for whom?");
    assert_eq!(repo.status()["pending_decisions"][0]["state_context"], "FIX_REVIEW");
    assert_eq!(repo.status_file()["retry_counts"]["T-001"]["FIX_REVIEW"], 1);
    repo.answer("UD-1", "for everybody").exits(0);
    assert_eq!(repo.status_file()["retry_counts"]["T-001"]["FIX_REVIEW"], 1);
    let (prompt, _) = told(&repo, "Coder", 2);
    assert!(prompt.contains("too slow") && prompt.contains("for everybody"), "{prompt}");
    let number = repo.dispatch_of("Reviewer", 1);
    let judged = repo.input(number, 1)["task"]["constraints"].to_string();
    assert!(judged.contains("for everybody"), "who judges it knows the answer: {judged}");
}

#[test]
fn r131_finished_work_of_a_coder_is_kept_beside_its_question() {
    let beside = json!({"default": true, "reply": asks("OK", json!("shall I rename it too?"))});
    let rules = json!([
        {"when": {"role": "Coder", "nth": 1}, "do": beside},
        {"when": {"role": "Coder", "nth": 2}, "do": {"reply": {"status": "OK", "summary": "Nothing to rename."}}},
        one_task(),
    ]);
    let repo = Repo::with(rules);
    repo.through(&[APPROVE, PER_BATCH]).exits(3).says("shall I rename it too?");
    repo.answer("UD-1", "no, leave the name").exits(0);
    assert_eq!(repo.starts_of("Coder"), 2);
    assert!(told(&repo, "Coder", 1).0.contains("no, leave the name"));
    let ends = repo.events("attempt_ended");
    assert!(ends.iter().all(|event| event["end"]["end"] != "invalid"), "{ends:?}");
}

#[test]
fn r131_objections_count_beside_a_question_of_the_reviewer() {
    let mut both = objection("no test");
    both["artifacts"]["questions"] = json!(["is speed important?"]);
    let rules = json!([{"when": {"role": "Reviewer", "task": "T-001", "nth": 1}, "do": {"reply": both}}, one_task()]);
    let repo = Repo::with(rules);
    repo.through(&[APPROVE, PER_BATCH]).exits(3).says("is speed important?");
    repo.answer("UD-1", "very important").exits(0);
    assert_eq!(repo.events("repair_opened").len(), 1, "the objection was not lost");
    let input = repo.input(repo.dispatch_of("Reviewer", 1), 1).to_string();
    assert!(input.contains("very important"), "{input}");
}

#[test]
fn r131_roles_of_an_action_may_ask_alone_and_beside_others() {
    let parallel = "{state: IMPLEMENT_LOOP, parallel: [{dispatch: Coder, outputs: [src/a.txt]}, \
        {dispatch: Docs, outputs: [docs/b.md]}]}";
    let alone = "{dispatch: Integrator, state: INTEGRATE}";
    let rules = json!([
        leaves("Coder", json!({"src/a.txt": "a\n"})),
        nth("Docs", 1, json!({"reply": asks("BLOCKED", json!("for whom?"))})),
        leaves("Docs", json!({"docs/b.md": "# B\n\nText.\n"})),
        nth("Integrator", 1, json!({"reply": asks("NEEDS_INFO", json!("which version?"))})),
    ]);
    let repo = route(rules, &[parallel, alone]);
    go(&repo).exits(3).says("for whom?");
    repo.answer("UD-1", "for beginners").exits(3).says("which version?");
    assert!(told(&repo, "Docs", 1).0.contains("for beginners"));
    repo.answer("UD-2", "version 2").exits(0);
    assert!(told(&repo, "Integrator", 1).1.contains("version 2"));
    assert_eq!(repo.starts_of("Coder"), 1, "who was ready is not started again");
}

#[test]
fn r131_without_a_question_needs_info_stays_the_word_of_the_researcher() {
    let repo = Repo::with(json!([replies("SpecAgent", json!({"status": "NEEDS_INFO"}))]));
    repo.run().exits(4).says("cannot reply \"NEEDS_INFO\"");
}

#[test]
fn r135_an_assumption_is_shown_at_the_gate_however_its_word_is_spelled() {
    let notes =
        json!(["Assumption: one user", "ASSUMPTION: no network", " assumption : small files"]);
    let rule = replies("Architect", json!({"artifacts": {"notes": notes}}));
    let repo = Repo::with(json!([rule]));
    repo.run().exits(3).says("- one user").says("- no network").says("- small files");
}
