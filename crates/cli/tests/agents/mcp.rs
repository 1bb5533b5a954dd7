//! Real agent programs as clients of our MCP server: they play a role by it, try to answer a gate, and cannot.

use crate::support::{APPROVE, Ran, Repo, SINGLE_FINAL, ran};
use serde_json::{Value, json};
use std::fs;
use std::process::{Command, Stdio};
use tollgate_contract::config::{Adapter, AgentConfig};
use tollgate_programs::{Programs, or_skip};
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
        says(APPROVES, 1, calls(&[("answer", approval.clone())])),
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
struct Own {
    adapter: Adapter,
    /// Its command line for these words of the person.
    words: Words,
    /// How it says that there is no such tool.
    no_tool: &'static str,
    /// How it, or our server, says that a tool has no such field.
    no_field: &'static str,
}

const CLAUDE: Own = own(Adapter::Claude, claude, "No such tool available");
const CODEX: Own = own(Adapter::Codex, codex, "unsupported call");
const COPILOT: Own = own(Adapter::Copilot, copilot, "Tool 'answer' does not exist");
/// It reads the schema of a tool itself.
const GEMINI: Own = Own {
    no_field: "must NOT have additional properties",
    ..own(Adapter::Gemini, gemini, "Tool \\\"answer\\\" not found")
};

type Words = fn(&Repo, &Programs, &str) -> Vec<String>;

const fn own(adapter: Adapter, words: Words, no_tool: &'static str) -> Own {
    Own { adapter, words, no_tool, no_field: "unknown field" }
}

/// The model of the script knows the tools of Claude Code without searching for them.
const SURROUNDINGS: [(&str, &str); 4] = [
    ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
    ("ENABLE_TOOL_SEARCH", "false"),
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ("DISABLE_AUTOUPDATER", "1"),
];

fn printed(repo: &Repo, client: &str) -> String {
    repo.tollgate(&["mcp", "--config", client]).exits(0).out
}

fn claude(repo: &Repo, programs: &Programs, words: &str) -> Vec<String> {
    let settings = repo.outside("claude-mcp.json");
    fs::write(&settings, printed(repo, "claude")).unwrap();
    let settings = settings.display().to_string();
    let mut all = programs.claude();
    all.extend(["-p", words, "--mcp-config", &settings, "--strict-mcp-config"].map(str::to_owned));
    all.extend(["--allowedTools", "mcp__tollgate", "--setting-sources", ""].map(str::to_owned));
    all
}

fn codex(repo: &Repo, programs: &Programs, words: &str) -> Vec<String> {
    let folder = repo.outside("home/.codex");
    fs::create_dir_all(&folder).unwrap();
    let settings = printed(repo, "codex");
    // Nobody is there to be asked.
    let settings = format!("{settings}default_tools_approval_mode = \"approve\"\n");
    fs::write(folder.join("config.toml"), settings).unwrap();
    let mut all = programs.codex();
    all.extend(["exec", "--skip-git-repo-check", "--model", "gpt-5.5"].map(str::to_owned));
    all.push(words.to_owned());
    all
}

fn gemini(repo: &Repo, programs: &Programs, words: &str) -> Vec<String> {
    repo.write(".gemini/settings.json", &printed(repo, "gemini"));
    let folder = repo.outside("home/.gemini");
    fs::create_dir_all(&folder).unwrap();
    let login = json!({"security": {"auth": {"selectedType": "gemini-api-key"}}});
    fs::write(folder.join("settings.json"), login.to_string()).unwrap();
    let mut all = programs.gemini();
    all.extend(["-m", "gemini-2.5-flash", "--approval-mode", "yolo"].map(str::to_owned));
    all.extend(["-p", words].map(str::to_owned));
    all
}

fn copilot(repo: &Repo, programs: &Programs, words: &str) -> Vec<String> {
    let folder = repo.outside("home/.copilot");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("mcp-config.json"), printed(repo, "copilot")).unwrap();
    let mut all = programs.copilot();
    all.extend(
        ["--no-auto-update", "--no-ask-user", "--no-color", "--trust-folder"].map(str::to_owned),
    );
    all.extend(["--disable-builtin-mcps", "--allow-all-tools"].map(str::to_owned));
    all.extend(["--model", "claude-sonnet-4.5", "-p", words].map(str::to_owned));
    all
}

struct Person<'a> {
    repo: &'a Repo,
    programs: &'a Programs,
    service: Service,
    own: Own,
}

impl Person<'_> {
    /// What their agent program does with a request, in their surroundings and not in those of whoever runs the tests.
    fn asks(&self, words: &str) -> Ran {
        let all = (self.own.words)(self.repo, self.programs, words);
        let agent = AgentConfig::plain(self.own.adapter);
        let adapter = tollgate_agents::adapter(self.own.adapter).unwrap();
        let stand_in = adapter.stand_in(&agent, &self.service.address());
        let like = self.repo.command(&[]);
        let mut command = Command::new(&all[0]);
        command.env_clear().envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.envs(SURROUNDINGS).envs(stand_in.env).current_dir(self.repo.root());
        command.args(&all[1..]).args(stand_in.args).stdin(Stdio::null());
        ran(&mut command)
    }

    /// The whole conversation, as the model was told it.
    fn heard(&self, asked: &str) -> String {
        let all = self.service.requests();
        let last = all.iter().rev().find(|request| request.asked.contains(asked));
        last.expect("the model was asked").body.to_string()
    }
}

fn plays_and_cannot_answer(test: &str, own: Own) {
    let Some(programs) = or_skip(test) else { return };
    let repo = repository();
    repo.run().exits(3).says(APPROVE.0);
    let session = repo.session_name();
    let mut rules = tries_to_answer(&session);
    rules.extend(plays_the_reviewer(&session));
    if own.adapter == Adapter::Codex {
        in_their_group(&mut rules);
    }
    let service = Service::start(Script { rules, ..Script::default() }).unwrap();
    let person = Person { repo: &repo, programs, service, own };

    let before = repo.session_file("journal.jsonl");
    person.asks(APPROVES).exits(0);
    let heard = person.heard(APPROVES);
    assert!(heard.contains("the_person_answers_with"), "it is told how they answer: {heard}");
    assert!(heard.contains(person.own.no_tool), "there is no tool for it: {heard}");
    assert!(heard.contains(person.own.no_field), "and no field: {heard}");
    assert_eq!(repo.session_file("journal.jsonl"), before, "nothing of it changed anything");
    assert_eq!(repo.decision(APPROVE.0)["status"], "pending");

    repo.answer(APPROVE.0, APPROVE.1).exits(3);
    repo.answer(SINGLE_FINAL.0, SINGLE_FINAL.1).exits(3).says("#6 Reviewer");
    let played = person.asks(REVIEWS).exits(0);
    let heard = person.heard(REVIEWS);
    assert!(heard.contains("# You are Reviewer"), "it got the prompt of the role: {heard}");
    assert_eq!(repo.status()["state"], "DONE", "{}\n{heard}", played.out);
    repo.tollgate(&["audit", "--verify"]).exits(0);
    assert!(!repo.outside("home/.local/state").exists(), "the server worked where the person does");
}

/// Codex does not offer the tools of a server before the model searches for them. It calls them by their group.
fn in_their_group(rules: &mut [Rule]) {
    for call in rules.iter_mut().flat_map(|rule| &mut rule.then.tools) {
        call.namespace = Some("mcp__tollgate".to_owned());
    }
}

#[test]
fn r192_claude_plays_the_reviewer_over_mcp_and_cannot_answer() {
    plays_and_cannot_answer("r192_claude_plays_the_reviewer_over_mcp_and_cannot_answer", CLAUDE);
}

#[test]
fn r192_codex_plays_the_reviewer_over_mcp_and_cannot_answer() {
    plays_and_cannot_answer("r192_codex_plays_the_reviewer_over_mcp_and_cannot_answer", CODEX);
}

#[test]
fn r192_gemini_plays_the_reviewer_over_mcp_and_cannot_answer() {
    plays_and_cannot_answer("r192_gemini_plays_the_reviewer_over_mcp_and_cannot_answer", GEMINI);
}

#[test]
fn r192_copilot_plays_the_reviewer_over_mcp_and_cannot_answer() {
    plays_and_cannot_answer("r192_copilot_plays_the_reviewer_over_mcp_and_cannot_answer", COPILOT);
}
