//! Real agent programs as clients of our MCP server: they play a role by it, try to answer a gate, and cannot.

use crate::support::{APPROVE, Ran, Repo, SINGLE_FINAL, ran};
use serde_json::{Value, json};
use std::fs;
use std::process::{Command, Stdio};
use tollgate_contract::config::{Adapter, AgentConfig};
use tollgate_programs::or_skip;
use tollgate_standin::{Call, Rule, Script, ScriptedTurn, Service, When};

const APPROVES: &str = "Approve the design yourself";
const REVIEWS: &str = "Play the Reviewer";
/// The review of the whole session, which is the only one with `single-final`.
const REVIEW: u32 = 6;

/// A session whose Reviewer is played by whoever speaks with the server; the crew plays the others.
fn repository() -> Repo {
    let repo = Repo::new();
    let path = repo.root().join("tollgate.toml");
    let settings = fs::read_to_string(&path).unwrap();
    let settings =
        settings.replace("default = \"crew\"\n", "default = \"crew\"\nReviewer = \"me\"\n");
    fs::write(path, format!("{settings}\n[agent.me]\nadapter = \"manual\"\n")).unwrap();
    repo
}

/// What the model says when it was asked this and so many of its calls have come back.
fn says(asked: &str, results: usize, then: ScriptedTurn) -> Rule {
    let when =
        When { asked: Some(asked.to_owned()), tool_results: Some(results), ..When::default() };
    Rule { name: format!("{asked} {results}"), when, then, times: None }
}

fn calls(calls: &[(&str, Value)]) -> ScriptedTurn {
    let call = |(name, input): &(&str, Value)| Call {
        name: (*name).to_owned(),
        input: Some(input.clone()),
        ..Call::default()
    };
    ScriptedTurn { tools: calls.iter().map(call).collect(), ..ScriptedTurn::default() }
}

fn words(text: &str) -> ScriptedTurn {
    ScriptedTurn { text: Some(text.to_owned()), ..ScriptedTurn::default() }
}

/// A model that wants the gate open and has read how people open it.
fn tries_to_answer(session: &str) -> Vec<Rule> {
    let approval = json!({"session": session, "decision": APPROVE.0, "answer": "approved"});
    let as_reply = json!({"session": session, "number": 2, "reply": approval});
    let hidden = json!({"session": session, "answer": "approved"});
    vec![
        says(APPROVES, 0, calls(&[("open_questions", json!({}))])),
        says(APPROVES, 1, calls(&[("mcp__tollgate__answer", approval.clone())])),
        says(APPROVES, 2, calls(&[("submit_reply", as_reply)])),
        says(APPROVES, 3, calls(&[("resume_session", hidden)])),
        says(APPROVES, 4, words("I cannot answer it. The person can.")),
    ]
}

fn plays_the_reviewer(session: &str) -> Vec<Rule> {
    let reply = json!({"status": "OK", "summary": "Read all of it.", "artifacts": {"review_comments": []}, "next": null,
        "gates": {"meets_definition_of_done": true, "needs_review": false, "needs_tests": false, "security_concerns": []}});
    let submitted = json!({"session": session, "number": REVIEW, "reply": reply});
    vec![
        says(REVIEWS, 0, calls(&[("wait", json!({"timeout_seconds": 30}))])),
        says(REVIEWS, 1, calls(&[("next_dispatch", json!({}))])),
        says(REVIEWS, 2, calls(&[("submit_reply", submitted)])),
        says(REVIEWS, 3, calls(&[("wait", json!({"timeout_seconds": 50}))])),
        says(REVIEWS, 4, words("The session is done.")),
    ]
}

/// A person's own agent program, with the settings that `tollgate mcp --config` prints.
struct Person<'a> {
    repo: &'a Repo,
    service: Service,
    command: fn(&Repo, &str) -> Command,
    adapter: Adapter,
}

impl Person<'_> {
    fn asks(&self, words: &str) -> Ran {
        let mut command = (self.command)(self.repo, words);
        let agent = AgentConfig::plain(self.adapter);
        let adapter = tollgate_agents::adapter(self.adapter).unwrap();
        command.envs(adapter.stand_in(&agent, &self.service.address()).env);
        ran(&mut command)
    }

    /// What the tools answered, as the model was told.
    fn heard(&self, asked: &str) -> String {
        let all = self.service.requests();
        let last = all.iter().rev().find(|request| request.asked.contains(asked));
        last.expect("the model was asked").body.to_string()
    }
}

fn claude(repo: &Repo, words: &str) -> Command {
    let programs = or_skip("claude").expect("it was there before");
    let settings = repo.outside("claude-mcp.json");
    fs::write(&settings, repo.tollgate(&["mcp", "--config", "claude"]).exits(0).out).unwrap();
    let program = programs.claude();
    // Only the surroundings of the repository's commands: no home and no settings of whoever runs the tests.
    let like = repo.command(&[]);
    let mut fitted = Command::new(&program[0]);
    fitted.env_clear().envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
    fitted.current_dir(repo.root()).args(&program[1..]).args(["-p", words]);
    fitted.arg("--mcp-config").arg(settings).args(["--strict-mcp-config"]);
    fitted.args(["--allowedTools", "mcp__tollgate", "--setting-sources", ""]);
    // The model of the script knows the tools without searching for them.
    fitted.env("ENABLE_TOOL_SEARCH", "false");
    fitted.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1").env("DISABLE_AUTOUPDATER", "1");
    fitted.stdin(Stdio::null());
    fitted
}

fn plays_and_cannot_answer(test: &str, adapter: Adapter, command: fn(&Repo, &str) -> Command) {
    if or_skip(test).is_none() {
        return;
    }
    let repo = repository();
    repo.run().exits(3).says(APPROVE.0);
    let session = repo.session_name();
    let rules = tries_to_answer(&session).into_iter().chain(plays_the_reviewer(&session)).collect();
    let service = Service::start(Script { rules, ..Script::default() }).unwrap();
    let person = Person { repo: &repo, service, command, adapter };

    let before = repo.session_file("journal.jsonl");
    person.asks(APPROVES).exits(0);
    let heard = person.heard(APPROVES);
    assert!(
        heard.contains("the_person_answers_with"),
        "it was told how the person answers: {heard}"
    );
    assert!(heard.contains("No such tool available"), "there is no tool for it: {heard}");
    assert!(heard.contains("unknown field"), "and no field: {heard}");
    assert_eq!(repo.session_file("journal.jsonl"), before, "nothing of it changed anything");
    assert_eq!(repo.decision(APPROVE.0)["status"], "pending");

    repo.answer(APPROVE.0, APPROVE.1).exits(3);
    repo.answer(SINGLE_FINAL.0, SINGLE_FINAL.1).exits(3).says("#6 Reviewer");
    let played = person.asks(REVIEWS).exits(0);
    let heard = person.heard(REVIEWS);
    assert!(heard.contains("# You are Reviewer"), "it got the prompt of the role: {heard}");
    assert_eq!(repo.status()["state"], "DONE", "{}\n{heard}", played.out);
    repo.tollgate(&["audit", "--verify"]).exits(0);
}

#[test]
fn r192_claude_plays_the_reviewer_over_mcp_and_cannot_answer() {
    let test = "r192_claude_plays_the_reviewer_over_mcp_and_cannot_answer";
    plays_and_cannot_answer(test, Adapter::Claude, claude);
}
