//! Conversations with real agents, recorded line by line: what we make of each is beside it.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::conversation::AcpConversation;
use crate::drive::DriverInput;
use crate::event::AgentEvent;
use crate::{Access, AgentExit, DriverPlan, Post, Stdin, Talk, Turn};
use expect_test::expect_file;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use tollgate_contract::config::Adapter;
use tollgate_core::reply::Usage;

/// In the recordings.
const TREE: &str = "/srv/tree";

pub fn plan(tree: &Path, argv: &[&str]) -> DriverPlan {
    DriverPlan {
        adapter: Adapter::Acp,
        argv: argv.iter().map(|word| (*word).to_owned()).collect(),
        env: BTreeMap::new(),
        stdin: Stdin::Talk,
        prompt: "Write hello.txt".to_owned(),
        tree: tree.to_owned(),
        session_folder: ".agents-work/one".to_owned(),
        access: Access::Tree,
        model: None,
        resume: None,
        before: Usage::default(),
        silence_ms: 60_000,
        output_bytes_max: 1024 * 1024,
    }
}

/// A conversation that was opened, and all that was said in it.
pub struct Open {
    talk: AcpConversation,
    pub events: Vec<AgentEvent>,
    pub said: Vec<Value>,
    pub is_over: bool,
    /// Held so that threads have someone to post to.
    _heard: Receiver<DriverInput>,
}

impl Open {
    pub fn new(plan: &DriverPlan) -> Self {
        let (sender, heard) = sync_channel(64);
        let mut turn = Turn::default();
        let mut talk = AcpConversation::new(plan);
        talk.open(Post(sender), &mut turn);
        Self { talk, events: turn.events, said: turn.say, is_over: turn.is_over, _heard: heard }
    }

    pub fn hear(&mut self, line: &Value) -> &mut Self {
        let mut turn = Turn::default();
        self.talk.heard(line, &mut turn);
        self.events.extend(turn.events);
        self.said.extend(turn.say);
        self.is_over |= turn.is_over;
        self
    }

    pub fn answer(&mut self, id: u64, result: Value) -> &mut Self {
        self.hear(&json!({"jsonrpc": "2.0", "id": id, "result": result}))
    }

    pub fn told(mut self) -> String {
        let exit = AgentExit { code: Some(1), signal: None, stderr_tail: "gone".to_owned() };
        let finished = self.talk.ended(&exit);
        self.events.push(AgentEvent::Finished(finished));
        let lines = self.events.iter().map(|event| serde_json::to_string(event).unwrap() + "\n");
        lines.collect()
    }
}

fn recordings() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agent_lines");
    let agents = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let agents =
        agents.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("acp-"));
    let files = agents.flat_map(|agent| fs::read_dir(agent).unwrap());
    let files = files.map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files.filter(|path| path.extension().unwrap() == "jsonl").collect();
    files.sort();
    files
}

fn played(recording: &Path) -> String {
    let tree = tempfile::tempdir().unwrap();
    let tree_text = tree.path().display().to_string();
    let agent = recording.parent().unwrap().file_name().unwrap().to_string_lossy().into_owned();
    let mut plan = plan(tree.path(), &[agent.split('-').nth(1).unwrap()]);
    let text = fs::read_to_string(recording).unwrap();
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let lines: Vec<Value> = lines.collect();
    match recording.file_stem().unwrap().to_str().unwrap() {
        "denied" => plan.access = Access::Read,
        "resumed" => {
            let mut names = lines.iter().filter_map(|line| line["params"]["sessionId"].as_str());
            plan.resume = names.next_back().map(str::to_owned);
            plan.before.micro_usd = Some(1_800);
        }
        _ => {}
    }
    let mut open = Open::new(&plan);
    for line in lines {
        let line = line.to_string().replace(TREE, &tree_text);
        open.hear(&serde_json::from_str(&line).unwrap());
    }
    assert!(open.is_over, "{}: the turn did not end", recording.display());
    without_times(&open.told().replace(&tree_text, TREE))
}

/// A time of day is told; which day it is depends on when the test runs.
fn without_times(told: &str) -> String {
    const TIME: &str = "\"resets_at\":\"";
    match told.split_once(TIME).and_then(|(before, rest)| Some((before, rest.split_once('"')?.1))) {
        Some((before, after)) => format!("{before}{TIME}…\"{after}"),
        None => told.to_owned(),
    }
}

#[test]
fn what_real_agents_said_is_read_as_it_was_meant() {
    let recordings = recordings();
    assert!(recordings.len() >= 20, "only {} recordings", recordings.len());
    for recording in recordings {
        expect_file![recording.with_extension("events")].assert_eq(&played(&recording));
    }
}

fn initialized(agent: Value) -> Value {
    json!({"protocolVersion": 1, "agentCapabilities": agent})
}

fn chunk(session: &str, text: &str) -> Value {
    let content = json!({"type": "text", "text": text});
    let update = json!({"sessionUpdate": "agent_message_chunk", "content": content});
    json!({"method": "session/update", "params": {"sessionId": session, "update": update}})
}

#[test]
fn history_is_not_new_output_and_a_session_is_named_where_it_can_be_resumed() {
    let mut plan = plan(Path::new(TREE), &["agent"]);
    plan.resume = Some("s1".to_owned());
    let mut open = Open::new(&plan);
    open.answer(1, initialized(json!({"loadSession": true})));
    assert_eq!(open.said[1]["method"], "session/load");
    let modes = json!({"currentModeId": "auto", "availableModes": [{"id": "default"}]});
    open.hear(&chunk("s1", "an old reply")).answer(2, json!({"modes": modes}));
    open.hear(&chunk("s1", "another old one")).answer(3, json!({}));
    open.hear(&chunk("s1", "{\"new\":")).hear(&chunk("s1", " true}"));
    open.answer(4, json!({"stopReason": "end_turn"}));
    let told = open.told();
    assert!(told.contains(r#"{"event":"started","session":"s1"}"#), "{told}");
    assert!(told.contains(r#""text":"{\"new\": true}""#) && !told.contains("old"), "{told}");
}

#[test]
fn without_a_way_back_a_session_starts_again_and_has_no_name() {
    let mut plan = plan(Path::new(TREE), &["agent"]);
    plan.resume = Some("s1".to_owned());
    let mut open = Open::new(&plan);
    open.answer(1, initialized(json!({}))).answer(2, json!({"sessionId": "s2"}));
    assert_eq!(open.said[1]["method"], "session/new");
    assert!(open.told().starts_with("{\"event\":\"started\"}\n"));
}

#[test]
fn a_login_that_needs_no_person_is_tried_once() {
    let mut open = Open::new(&plan(Path::new(TREE), &["agent"]));
    let methods = json!([{"id": "browser"}, {"id": "api-key"}]);
    open.answer(1, json!({"protocolVersion": 1, "authMethods": methods}));
    let refused = |id: u64| json!({"id": id, "error": {"code": -32000, "message": "who are you?"}});
    open.hear(&refused(2));
    assert_eq!(open.said[2]["params"]["methodId"], "api-key");
    open.answer(3, json!({})).hear(&refused(4));
    assert!(open.is_over);
    assert!(open.told().contains(r#""kind":"login","detail":"who are you?""#));
}

#[test]
fn a_model_that_is_not_offered_is_an_error_that_lists_what_is() {
    let mut plan = plan(Path::new(TREE), &["agent"]);
    plan.model = Some("large".to_owned());
    let mut open = Open::new(&plan);
    let options = json!([{"id": "m", "category": "model", "currentValue": "small",
        "options": [{"value": "small"}, {"group": "g", "options": [{"value": "middle"}]}]}]);
    open.answer(1, initialized(json!({})));
    open.answer(2, json!({"sessionId": "s", "configOptions": options}));
    let told = open.told();
    assert!(told.contains("offers no model \\\"large\\\"; it offers small, middle"), "{told}");

    plan.model = Some("middle".to_owned());
    let mut open = Open::new(&plan);
    open.answer(1, initialized(json!({})));
    open.answer(2, json!({"sessionId": "s", "configOptions": options}));
    let expected = json!({"sessionId": "s", "configId": "m", "value": "middle"});
    assert_eq!(
        (&open.said[2]["method"], &open.said[2]["params"]),
        (&json!("session/set_config_option"), &expected)
    );
}

#[test]
fn a_mode_that_never_asks_is_replaced_by_one_that_asks() {
    let mode = |ids: &[&str], now: &str, access: Access| {
        let mut plan = plan(Path::new(TREE), &["agent"]);
        plan.access = access;
        let mut open = Open::new(&plan);
        let modes: Vec<Value> = ids.iter().map(|id| json!({"id": id})).collect();
        open.answer(1, initialized(json!({})));
        open.answer(
            2,
            json!({"sessionId": "s", "modes": {"currentModeId": now, "availableModes": modes}}),
        );
        let next = &open.said[2];
        next["params"]["modeId"].as_str().unwrap_or("as it is").to_owned()
    };
    let claude = ["default", "acceptEdits", "plan", "bypassPermissions"];
    assert_eq!(mode(&claude, "bypassPermissions", Access::Tree), "default");
    assert_eq!(mode(&claude, "default", Access::Read), "as it is");
    let codex = ["read-only", "workspace-write", "agent", "agent-full-access"];
    assert_eq!(mode(&codex, "agent", Access::Tree), "workspace-write");
    assert_eq!(mode(&codex, "agent", Access::Read), "read-only");
    assert_eq!(mode(&["auto", "approve", "chat"], "auto", Access::Session), "approve");
    assert_eq!(mode(&["yolo"], "yolo", Access::Tree), "as it is");
}

#[test]
fn leave_is_given_once_and_only_inside_the_boundary() {
    let mut plan = plan(Path::new(TREE), &["agent"]);
    plan.access = Access::Session;
    let mut open = Open::new(&plan);
    open.answer(1, initialized(json!({}))).answer(2, json!({"sessionId": "s"}));
    let options = json!([
        {"optionId": "ever", "kind": "allow_always"}, {"optionId": "bypass-once", "kind": "allow_once"},
        {"optionId": "once", "kind": "allow_once"}, {"optionId": "no", "kind": "reject_once"},
    ]);
    let mut asked = |tool: Value, options: &Value| {
        let params = json!({"toolCall": tool, "options": options});
        open.hear(&json!({"id": "q", "method": "session/request_permission", "params": params}));
        let outcome = &open.said.last().unwrap()["result"]["outcome"];
        outcome["optionId"].as_str().or(outcome["outcome"].as_str()).unwrap().to_owned()
    };
    let edit = |path: &str| json!({"kind": "edit", "locations": [{"path": path}]});
    assert_eq!(asked(edit(".agents-work/one/spec.md"), &options), "once");
    assert_eq!(asked(edit("src/lib.rs"), &options), "no");
    assert_eq!(asked(edit("/etc/passwd"), &options), "no");
    assert_eq!(asked(json!({"kind": "edit"}), &options), "no");
    assert_eq!(
        asked(json!({"kind": "other", "rawInput": {"path": "a", "content": ""}}), &options),
        "no"
    );
    assert_eq!(asked(json!({"kind": "execute", "rawInput": {"command": "ls"}}), &options), "once");
    let always = json!([{"optionId": "ever", "kind": "allow_always"}]);
    assert_eq!(asked(json!({"kind": "execute"}), &always), "cancelled");
    assert_eq!(asked(edit("src/lib.rs"), &always), "cancelled");
    let granted = open
        .events
        .iter()
        .filter(|event| matches!(event, AgentEvent::Permission { granted: true, .. }));
    assert_eq!(granted.count(), 2);
}

#[test]
fn r039_no_leave_is_given_for_what_a_link_leads_to() {
    let tree = tempfile::tempdir().unwrap();
    for folder in ["src", ".git"] {
        fs::create_dir(tree.path().join(folder)).unwrap();
    }
    std::os::unix::fs::symlink(tree.path().join(".git"), tree.path().join("src/h")).unwrap();
    let mut open = Open::new(&plan(tree.path(), &["agent"]));
    open.answer(1, initialized(json!({}))).answer(2, json!({"sessionId": "s"}));
    let options = json!([{"optionId": "once", "kind": "allow_once"}, {"optionId": "no", "kind": "reject_once"}]);
    for (path, expected) in [("src/a.rs", "once"), ("src/h/config", "no")] {
        let tool = json!({"kind": "edit", "locations": [{"path": path}]});
        let params = json!({"toolCall": tool, "options": options});
        open.hear(&json!({"id": "q", "method": "session/request_permission", "params": params}));
        let outcome = &open.said.last().unwrap()["result"]["outcome"];
        assert_eq!(outcome["optionId"], expected, "{path}");
    }
}
