//! `tollgate mcp`: a client starts, follows and plays, and answers no decision.

mod client;
mod hostile;
mod settings;

use crate::support::{APPROVE, GOAL, PER_BATCH, Repo};
use client::Client;
use serde_json::{Value, json};
use std::fs;
use std::time::{Duration, Instant};

/// A repository in which this client plays the Reviewer, and the crew the others.
fn reviewed_by_the_client(rules: Value) -> Repo {
    let repo = Repo::with(rules);
    let settings = fs::read_to_string(repo.root().join("tollgate.toml")).unwrap();
    let settings =
        settings.replace("default = \"crew\"\n", "default = \"crew\"\nReviewer = \"me\"\n");
    repo.write("tollgate.toml", &format!("{settings}\n[agent.me]\nadapter = \"manual\"\n"));
    repo
}

fn ok() -> Value {
    json!({"status": "OK", "summary": "Read all of it.", "artifacts": {"review_comments": []}, "next": null,
           "gates": {"meets_definition_of_done": true, "needs_review": false, "needs_tests": false, "security_concerns": []}})
}

/// A session that waits at the gate of its design.
fn at_the_gate(repo: &Repo) -> Client {
    repo.run().exits(3);
    Client::of(repo)
}

/// A lean session whose Reviewer is asked for.
fn at_the_review(repo: &Repo) -> (Client, u64) {
    repo.lean().exits(3);
    let mut client = Client::of(repo);
    let next = client.call("next_dispatch", json!({}));
    let number = next["dispatch"]["number"].as_u64().unwrap();
    (client, number)
}

#[test]
fn r192_a_client_plays_the_reviewer_of_a_whole_session_and_the_person_answers() {
    let repo = reviewed_by_the_client(json!([]));
    let mut client = Client::of(&repo);
    let started = client.call("start_session", json!({"goal": GOAL}));
    let session = started["session"].as_str().unwrap().to_owned();
    let (mut asked, mut played) = (Vec::new(), 0);
    loop {
        let told = client.call("wait", json!({"session": session, "timeout_seconds": 50}));
        match told["reason"].as_str().unwrap() {
            "question" => {
                let question = client.call("open_questions", json!({"session": session}));
                assert_eq!(question["questions"], told["questions"]);
                let question = &question["questions"][0];
                let id = question["decision_id"].as_str().unwrap().to_owned();
                let answer = [APPROVE, PER_BATCH].into_iter().find(|(known, _)| *known == id);
                let (_, answer) = answer.expect("only the gates are asked about");
                let how = format!("tollgate answer {session} {id} '{answer}' --resume");
                assert!(question.to_string().contains(&how), "{question:#}");
                assert!(told["next"].as_str().unwrap().contains("You cannot answer"));
                repo.answer(&id, answer);
                asked.push(id);
            }
            "dispatch" => {
                let next = client.call("next_dispatch", json!({"session": session}));
                let dispatch = &next["dispatch"];
                assert_eq!(dispatch["role"], "Reviewer");
                let prompt = dispatch["prompt"].as_str().unwrap();
                assert!(prompt.contains("# You are Reviewer"), "{prompt}");
                let workspace = std::path::Path::new(dispatch["workspace"].as_str().unwrap());
                assert!(workspace.join("app.txt").exists());
                let (number, reply) = (&dispatch["number"], ok());
                let given = json!({"session": session, "number": number, "reply": reply});
                client.call("submit_reply", given);
                played += 1;
            }
            "stopped" => {
                client.call("resume_session", json!({"session": session}));
            }
            "done" => break,
            other => panic!("{other}: {told:#}"),
        }
    }
    assert_eq!(asked, [APPROVE.0, PER_BATCH.0]);
    assert_eq!(
        played,
        repo.events("dispatch_opened").iter().filter(|e| e["role"] == "Reviewer").count()
    );
    assert!(played >= 2, "each task was reviewed");
    let diff = client.call("diff", json!({"session": session}));
    assert!(diff["patch"].as_str().unwrap().contains("+++ b/lib.txt"), "{diff:#}");
    let only = client.call("diff", json!({"session": session, "path": "app.txt"}));
    assert!(!only["patch"].as_str().unwrap().contains("lib.txt"), "{only:#}");
    let of_one = client.call("diff", json!({"dispatch": repo.dispatch_of("Coder", 1)}));
    assert!(!of_one["patch"].as_str().unwrap().contains("app.txt"), "{of_one:#}");
    assert_eq!(client.leave(), (0, String::new()));
    repo.tollgate(&["audit", "--verify"]).exits(0);
}

#[test]
fn r192_a_client_reads_what_a_person_reads() {
    let comment = json!({"severity": "minor", "category": "style", "file": "app.txt", "line": 1,
        "message": "a short word", "suggested_fix": "none"});
    let note = json!({"artifacts": {"review_comments": [comment]}});
    let repo = Repo::with(json!([{"when": {"role": "Reviewer"}, "do": {"reply": note}}]));
    repo.lean();
    let mut client = Client::of(&repo);
    let status = client.call("session_status", json!({}));
    assert_eq!(status["status"], repo.status(), "the same as `status --json`");
    assert_eq!(status["is_running"], false);
    let listed = client.call("list_sessions", json!({}));
    assert_eq!(listed["of"], 1);
    assert_eq!(listed["sessions"][0]["session"], repo.session_name());
    assert_eq!(listed["sessions"][0]["goal"], GOAL);
    let found = client.call("findings", json!({"include_fixed": true}));
    assert_eq!(found["findings"][0]["message"], "a short word");
    let newest = client.call("log", json!({"limit": 3}));
    let last = newest["last_seq"].as_u64().unwrap();
    assert_eq!(newest["lines"].as_array().unwrap().len(), 3);
    assert_eq!(last, repo.journal().len() as u64);
    let all = client.call("log", json!({"since": 0, "limit": 2}));
    assert_eq!((&all["last_seq"], &all["more"]), (&json!(2), &json!(true)));
    let rest = client.call("log", json!({"since": last}));
    assert_eq!((&rest["lines"], &rest["last_seq"]), (&json!([]), &json!(last)));
    let page = client.call("explain", json!({"code": "timeout"}));
    assert!(page["text"].as_str().unwrap().contains("extend: DURATION"));
    let unknown = client.refused("explain", json!({"code": "timeoot"}));
    assert!(unknown["message"].as_str().unwrap().contains("did you mean \"timeout\""), "{unknown}");
}

#[test]
fn r192_an_invalid_reply_comes_back_with_every_error_and_uses_no_attempt() {
    let repo = reviewed_by_the_client(json!([]));
    let (mut client, number) = at_the_review(&repo);
    let session = repo.session_name();
    let before = repo.session_file("journal.jsonl");
    let broken = json!({"status": "FINE", "summary": "?"});
    let given = json!({"session": session, "number": number, "reply": broken});
    let refused = client.refused("submit_reply", given);
    let message = refused["message"].as_str().unwrap();
    assert!(message.contains("reply.status_unknown") && message.contains("gates"), "{message}");
    assert_eq!(refused["code"], "cli.reply", "{refused}");
    client.call("explain", json!({"code": refused["code"]}));
    let again = client.call("next_dispatch", json!({}));
    assert_eq!(again["dispatch"]["attempt"], 1);
    assert_eq!(repo.session_file("journal.jsonl"), before);
    client.call("submit_reply", json!({"session": session, "number": number, "reply": ok()}));
    let told = client.call("wait", json!({"timeout_seconds": 50}));
    assert_eq!(told["reason"], "done", "{told:#}");
    let late = json!({"session": session, "number": number, "reply": ok()});
    let late = client.refused("submit_reply", late);
    assert!(late["message"].as_str().unwrap().contains("has already ended"), "{late}");
    let nobody = client.call("next_dispatch", json!({}));
    assert!(nobody["dispatch"].is_null(), "{nobody}");
    let over = client.refused("resume_session", json!({}));
    assert!(over["message"].as_str().unwrap().contains("is over (done)"), "{over}");
}

#[test]
fn r192_a_start_is_refused_in_the_words_of_the_command_line() {
    let repo = Repo::new();
    let mut client = Client::of(&repo);
    let words = |refused: &Value| refused["message"].as_str().unwrap().to_owned();
    let empty = client.refused("start_session", json!({"goal": " "}));
    assert!(words(&empty).contains("goal is empty"), "{empty}");
    let ambiguous = json!({"goal": "review and test everything"});
    let ambiguous = client.refused("start_session", ambiguous);
    assert!(words(&ambiguous).contains("review"), "{ambiguous}");
    let unknown = json!({"goal": GOAL, "agent": "nobody"});
    let unknown = client.refused("start_session", unknown);
    assert!(words(&unknown).contains("there is no [agent.nobody]"), "{unknown}");
    assert_eq!(unknown["code"], "cli.no_agent", "{unknown}");
    assert!(!words(&unknown).contains("tollgate explain"), "{unknown}");
    let dashes = json!({"goal": GOAL, "action": "--help"});
    client.refused("start_session", dashes);
    let odd = json!({"goal": GOAL, "inputs": {"a=b": "c"}});
    client.refused("start_session", odd);
    let elsewhere = json!({"goal": GOAL, "repository": "other-1234"});
    client.refused("start_session", elsewhere);
    let listed = client.call("list_sessions", json!({}));
    assert_eq!(listed["sessions"], json!([]), "nothing was started");
}

#[test]
fn r192_a_waiting_call_keeps_nobody() {
    let repo = Repo::new();
    let mut client = at_the_gate(&repo);
    let given = json!({"until_answered": APPROVE.0, "timeout_seconds": 600});
    let waits: Vec<u64> = (0..40).map(|_| client.begin_call("wait", given.clone())).collect();
    client.call("session_status", json!({}));
    assert!(client.still_waits_for(waits[0]), "the person has not answered");
    client.tell("notifications/cancelled", json!({"requestId": waits[0], "reason": "enough"}));
    repo.answer(APPROVE.0, APPROVE.1).exits(3);
    for id in &waits[1..] {
        let told = client.answer_to(*id)["result"]["structuredContent"].clone();
        assert_eq!(told["reason"], "answered", "{told:#}");
    }
    assert!(client.still_waits_for(waits[0]), "what was cancelled is not answered");
    let early = client.refused("wait", json!({"until_answered": "UD-77", "timeout_seconds": 600}));
    assert!(early["message"].as_str().unwrap().contains("was never asked \"UD-77\""), "{early}");
    let answered = json!({"until_answered": APPROVE.0, "timeout_seconds": 600});
    assert_eq!(client.call("wait", answered)["reason"], "answered");
    let short = client.call("wait", json!({"until_answered": PER_BATCH.0, "timeout_seconds": 0}));
    assert_eq!(short["reason"], "timeout");
    client.begin_call("wait", json!({"until_answered": PER_BATCH.0, "timeout_seconds": 600}));
    let gone = Instant::now();
    assert_eq!(client.leave().0, 0);
    assert!(gone.elapsed() < Duration::from_secs(30), "the end of its input ends the server");
}

#[test]
fn r192_what_a_client_started_continues_without_it() {
    let repo = Repo::with(
        json!([{"when": {"role": "SpecAgent"}, "do": {"default": true, "sleep_ms": 500}}]),
    );
    let mut client = Client::of(&repo);
    client.call("start_session", json!({"goal": GOAL}));
    drop(client);
    crate::support::eventually("the gate", || {
        let status = repo.tollgate(&["status", "--json"]);
        status.code == 0 && status.out.contains(APPROVE.0)
    });
}
