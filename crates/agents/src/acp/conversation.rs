//! The conversation: initialize, a session, its mode and model, the prompt, and the answer to it; between these whatever
//! the agent asks of us.

use super::boundary::PathBoundary;
use super::choice::{self, Choice};
use super::message::Messages;
use super::rpc::{self, METHOD_NOT_FOUND, RpcError, RpcMessage, RpcRefusal};
use super::spent::AcpUsage;
use super::terminals::Terminals;
use super::tools::{Tools, is_end};
use super::wrapped::Wrapped;
use super::{failure, files, permission};
use crate::event::{AgentEvent, Finished, TurnOutcome};
use crate::{AgentExit, DriverPlan, Post, Talk, Turn};
use serde_json::{Value, json};
use std::collections::VecDeque;

/// The version of the protocol that all agents spoke when this was written.
const VERSION: u64 = 1;

/// In a row; who asks so often for what it does not get will not stop.
const REFUSALS_MAX: u32 = 100;

#[derive(Debug)]
pub struct AcpConversation {
    plan: DriverPlan,
    wrapped: Wrapped,
    boundary: PathBoundary,
    post: Option<Post>,
    /// The request of ours that is not answered yet; there is never more than one.
    asked: Option<(u64, PendingRequest)>,
    requests: u64,
    /// What it said about itself.
    agent: Value,
    /// What it said about its session, with its name.
    session: Value,
    has_logged_in: bool,
    choices: VecDeque<(PendingRequest, Choice)>,
    messages: Messages,
    tools: Tools,
    terminals: Terminals,
    spent: AcpUsage,
    refusals: u32,
    /// The last thing that it was not allowed.
    refused: Option<String>,
    /// Its own word that its model service failed.
    is_in_trouble: bool,
    finished: Option<Finished>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PendingRequest {
    Initialize,
    Login,
    Session,
    Mode,
    Model,
    Prompt,
}

impl AcpConversation {
    pub fn new(plan: &DriverPlan) -> Self {
        Self {
            wrapped: Wrapped::of(&plan.argv),
            boundary: PathBoundary::new(plan),
            spent: AcpUsage::new(plan.before),
            plan: plan.clone(),
            post: None,
            asked: None,
            requests: 0,
            agent: Value::Null,
            session: Value::Null,
            has_logged_in: false,
            choices: VecDeque::new(),
            messages: Messages::default(),
            tools: Tools::default(),
            terminals: Terminals::default(),
            refusals: 0,
            refused: None,
            is_in_trouble: false,
            finished: None,
        }
    }

    fn ask(&mut self, asked: PendingRequest, method: &str, params: Value, turn: &mut Turn) {
        self.requests += 1;
        self.asked = Some((self.requests, asked));
        turn.say.push(rpc::request(self.requests, method, params));
    }

    fn finish(&mut self, outcome: TurnOutcome, turn: &mut Turn) {
        self.messages.end(&mut turn.events);
        self.tools.end(&mut turn.events);
        self.terminals = Terminals::default();
        self.asked = None;
        turn.is_over = true;
        let text = self.messages.last();
        self.finished.get_or_insert(Finished { outcome, reply: None, text });
    }

    /// Before our own time: what is still at work is told to stop.
    fn give_up(&mut self, outcome: TurnOutcome, turn: &mut Turn) {
        if self.is_prompted() {
            let params = json!({ "sessionId": self.session["sessionId"] });
            turn.say.push(rpc::notification("session/cancel", params));
        }
        self.finish(outcome, turn);
    }

    fn is_prompted(&self) -> bool {
        matches!(self.asked, Some((_, PendingRequest::Prompt)))
    }

    // ---- what we asked

    fn answered(&mut self, id: u64, answer: Result<&Value, RpcError>, turn: &mut Turn) {
        // An answer to something else is of no use to anyone.
        let Some((_, asked)) = self.asked.take_if(|(ours, _)| *ours == id) else { return };
        match (asked, answer) {
            (PendingRequest::Initialize, Ok(agent)) => self.initialized(agent, turn),
            (PendingRequest::Initialize, Err(failure)) => self.failed("initialize", &failure, turn),
            (PendingRequest::Login, Ok(_)) => self.take_session(turn),
            (PendingRequest::Login, Err(failure)) => {
                let detail = failure.message;
                self.finish(TurnOutcome::Login { detail }, turn);
            }
            (PendingRequest::Session, Ok(session)) => self.has_session(session, turn),
            (PendingRequest::Session, Err(failure)) => self.has_no_session(&failure, turn),
            // A mode that it does not take after all is no reason to stop: what it asks is answered in any mode.
            (PendingRequest::Mode, _) | (PendingRequest::Model, Ok(_)) => self.choose(turn),
            (PendingRequest::Model, Err(failure)) => {
                let detail = format!("the agent refused the model: {}", failure.message);
                self.finish(TurnOutcome::Denied { detail }, turn);
            }
            (PendingRequest::Prompt, Ok(answer)) => self.replied(answer, turn),
            (PendingRequest::Prompt, Err(failure)) => self.failed("session/prompt", &failure, turn),
        }
    }

    fn failed(&mut self, doing: &str, failure: &RpcError, turn: &mut Turn) {
        self.finish(failure::outcome(doing, failure), turn);
    }

    fn initialized(&mut self, agent: &Value, turn: &mut Turn) {
        self.agent = agent.clone();
        match agent["protocolVersion"].as_u64() {
            Some(VERSION) => self.take_session(turn),
            other => {
                let version =
                    other.map_or("an unknown version".to_owned(), |v| format!("version {v}"));
                let detail =
                    format!("the agent speaks {version} of ACP, this program version {VERSION}");
                self.finish(TurnOutcome::unclear(detail), turn);
            }
        }
    }

    /// A new one, or the one before where the agent can take it up again.
    fn take_session(&mut self, turn: &mut Turn) {
        let mut params = json!({ "cwd": self.plan.tree, "mcpServers": [] });
        if let Some(meta) = self.wrapped.session_meta(&self.plan) {
            params["_meta"] = meta;
        }
        let method = match (&self.plan.resume, self.way_back()) {
            (Some(session), Some(method)) => {
                params["sessionId"] = json!(session);
                method
            }
            _ => "session/new",
        };
        self.ask(PendingRequest::Session, method, params, turn);
    }

    /// The way to take a session up again; without the history where there is a choice.
    fn way_back(&self) -> Option<&'static str> {
        let able = &self.agent["agentCapabilities"];
        if able["sessionCapabilities"]["resume"].is_object() {
            Some("session/resume")
        } else if able["loadSession"] == true {
            Some("session/load")
        } else {
            None
        }
    }

    fn has_no_session(&mut self, failure: &RpcError, turn: &mut Turn) {
        let wants_login = matches!(failure::outcome("", failure), TurnOutcome::Login { .. });
        let method = choice::login(&self.agent["authMethods"]).map(str::to_owned);
        match method.filter(|_| wants_login && !self.has_logged_in) {
            Some(method) => {
                self.has_logged_in = true;
                self.ask(
                    PendingRequest::Login,
                    "authenticate",
                    json!({ "methodId": method }),
                    turn,
                );
            }
            None => self.failed("the request for a session", failure, turn),
        }
    }

    fn has_session(&mut self, session: &Value, turn: &mut Turn) {
        self.session = session.clone();
        if !self.session.is_object() {
            self.session = json!({});
        }
        // One that is taken up again has its name already.
        if self.session["sessionId"].as_str().is_none() {
            self.session["sessionId"] = json!(self.plan.resume);
        }
        let Some(name) = self.session["sessionId"].as_str().map(str::to_owned) else {
            let detail = "the agent did not name its session".to_owned();
            return self.finish(TurnOutcome::unclear(detail), turn);
        };
        // A name that leads nowhere is not told, so that whoever is asked again starts again.
        let session = self.way_back().map(|_| name);
        turn.events.push(AgentEvent::Started { session, model: self.plan.model.clone() });
        let mode = choice::mode(&self.session, self.plan.access);
        self.choices.extend(mode.map(|choice| (PendingRequest::Mode, choice)));
        if let Some(model) = &self.plan.model {
            match choice::model(&self.session, model) {
                Ok(model) => {
                    self.choices.extend(model.map(|choice| (PendingRequest::Model, choice)))
                }
                Err(detail) => return self.finish(TurnOutcome::Denied { detail }, turn),
            }
        }
        self.choose(turn);
    }

    fn choose(&mut self, turn: &mut Turn) {
        if let Some((asked, choice)) = self.choices.pop_front() {
            return self.ask(asked, choice.method, choice.params, turn);
        }
        let prompt = json!([{ "type": "text", "text": self.plan.prompt }]);
        let params = json!({ "sessionId": self.session["sessionId"], "prompt": prompt });
        self.ask(PendingRequest::Prompt, "session/prompt", params, turn);
    }

    fn replied(&mut self, answer: &Value, turn: &mut Turn) {
        self.messages.end(&mut turn.events);
        if self.wrapped.counts_whole_turns() {
            self.spent.turn(answer, &mut turn.events);
        }
        let outcome = self.stopped(answer["stopReason"].as_str());
        self.finish(outcome, turn);
        let told = self.finished.as_ref().and_then(|finished| self.told_in_words(finished));
        if let Some(failed) = told {
            self.finished = Some(Finished::without_reply(failed));
        }
    }

    fn stopped(&mut self, reason: Option<&str>) -> TurnOutcome {
        let detail = format!("the agent stopped: {}", reason.unwrap_or("it gave no reason"));
        match (reason, self.refused.take()) {
            // A refusal of the model is a message that is no reply; it is asked again.
            (Some("end_turn" | "refusal"), _) => TurnOutcome::Done,
            (Some("max_tokens" | "max_turn_requests"), _) => TurnOutcome::Turns { detail },
            (Some("cancelled"), Some(detail)) => TurnOutcome::Denied { detail },
            _ => TurnOutcome::unclear(detail),
        }
    }

    /// Some agents end a turn well in which their model service failed, and say so in a message.
    fn told_in_words(&self, finished: &Finished) -> Option<TurnOutcome> {
        let text = finished.text.as_deref().filter(|_| finished.outcome == TurnOutcome::Done)?;
        let known = self.agent["agentInfo"]["name"].as_str().and_then(Wrapped::named);
        if let Some(failed) = known.and_then(|known| known.failure_in_words(text)) {
            return Some(failed);
        }
        self.is_in_trouble.then(|| failure::told_in_trouble(text)).flatten()
    }

    // ---- what the agent tells

    fn told(&mut self, method: &str, params: &Value, turn: &mut Turn) {
        // What comes before the prompt is the history of a session that was taken up again.
        let is_ours = params["sessionId"] == self.session["sessionId"];
        if method != "session/update" || !is_ours || !self.is_prompted() {
            return;
        }
        let update = &params["update"];
        match update["sessionUpdate"].as_str() {
            Some("agent_message_chunk") => {
                self.refusals = 0;
                self.spent.piece(update);
                self.messages.heard(update, &mut turn.events);
            }
            Some("tool_call") => {
                self.messages.end(&mut turn.events);
                self.tools.heard(update, &self.boundary, &mut turn.events);
            }
            Some("tool_call_update") => {
                if is_end(update) {
                    self.messages.pause(&mut turn.events);
                }
                self.tools.heard(update, &self.boundary, &mut turn.events);
            }
            Some("session_info_update") => {
                if let Some(status) = update["_meta"]["codex"]["threadStatus"]["type"].as_str() {
                    self.is_in_trouble = status == "systemError";
                }
            }
            Some("usage_update") => self.spent.total(update, &mut turn.events),
            _ => {}
        }
    }

    // ---- what the agent asks

    fn asked(&mut self, id: &Value, method: &str, params: &Value, turn: &mut Turn) {
        self.messages.end(&mut turn.events);
        let answer = match method {
            "session/request_permission" => Ok(self.permission(params, turn)),
            "fs/read_text_file" => files::read(&self.boundary, params),
            "fs/write_text_file" => self.write(params, turn),
            "terminal/create" => self.create(params),
            "terminal/output" => self.terminals.output(params),
            "terminal/kill" => self.terminals.kill(params),
            "terminal/release" => self.release(params, turn),
            "terminal/wait_for_exit" => match self.terminals.wait(id, params) {
                Ok(Some(exit)) => Ok(exit),
                Ok(None) => return,
                Err(refusal) => Err(refusal),
            },
            "elicitation/create" => {
                let text = params["message"].as_str().unwrap_or_default().to_owned();
                turn.events.push(AgentEvent::Question { text });
                Ok(json!({ "action": "decline" }))
            }
            _ => Err(RpcRefusal::new(METHOD_NOT_FOUND, format!("{method} is not supported"))),
        };
        turn.say.push(match answer {
            Ok(result) => rpc::result(id, result),
            Err(refusal) => rpc::error(id, &refusal),
        });
        if self.refusals > REFUSALS_MAX {
            let detail =
                format!("it asked {REFUSALS_MAX} times in a row for something that is not allowed");
            self.give_up(TurnOutcome::Denied { detail }, turn);
        }
    }

    fn permission(&mut self, params: &Value, turn: &mut Turn) -> Value {
        let tool = self.tools.known(&params["toolCall"]);
        let decision = permission::decide(&self.boundary, &tool);
        let answer = permission::answer(&decision, &params["options"]);
        let granted = decision.is_granted && permission::is_selected(&answer);
        self.note_permission(decision.what, granted, turn);
        answer
    }

    fn note_permission(&mut self, what: String, granted: bool, turn: &mut Turn) {
        self.refusals = if granted { 0 } else { self.refusals + 1 };
        self.refused = (!granted).then(|| what.clone());
        turn.events.push(AgentEvent::Permission { what, granted });
    }

    fn write(&mut self, params: &Value, turn: &mut Turn) -> Result<Value, RpcRefusal> {
        let path = params["path"].as_str().unwrap_or_default();
        if let Err(why) = self.boundary.writable(path) {
            self.note_permission(format!("write {path}: {why}"), false, turn);
        }
        files::write(&self.boundary, params)
    }

    fn create(&mut self, params: &Value) -> Result<Value, RpcRefusal> {
        let post = self.post.as_ref();
        let post =
            post.ok_or_else(|| RpcRefusal::new(METHOD_NOT_FOUND, "there are no terminals"))?;
        self.terminals.create(&self.boundary, params, post)
    }

    fn release(&mut self, params: &Value, turn: &mut Turn) -> Result<Value, RpcRefusal> {
        let (answer, waiting) = self.terminals.release(params)?;
        let ended = json!({ "exitCode": null, "signal": "9" });
        turn.say.extend(waiting.iter().map(|id| rpc::result(id, ended.clone())));
        Ok(answer)
    }
}

impl Talk for AcpConversation {
    fn open(&mut self, post: Post, turn: &mut Turn) {
        self.post = Some(post);
        let has_files = self.wrapped.can_use_files();
        let capabilities = json!({
            "fs": { "readTextFile": has_files, "writeTextFile": has_files }, "terminal": true
        });
        let client = json!({ "name": "tollgate", "version": env!("CARGO_PKG_VERSION") });
        let params = json!({
            "protocolVersion": VERSION, "clientCapabilities": capabilities, "clientInfo": client
        });
        self.ask(PendingRequest::Initialize, "initialize", params, turn);
    }

    fn heard(&mut self, line: &Value, turn: &mut Turn) {
        if self.finished.is_some() {
            return;
        }
        match rpc::read(line) {
            RpcMessage::Request { id, method, params } => self.asked(id, method, params, turn),
            RpcMessage::Notification { method, params } => self.told(method, params, turn),
            RpcMessage::Answer { id, outcome } => self.answered(id, outcome, turn),
            RpcMessage::Other => {}
        }
    }

    fn posted(&mut self, note: Value, turn: &mut Turn) {
        if let Some((waiting, exit)) = self.terminals.noted(&note) {
            turn.say.extend(waiting.iter().map(|id| rpc::result(id, exit.clone())));
        }
    }

    fn ended(&mut self, exit: &AgentExit) -> Finished {
        self.finished.take().unwrap_or_else(|| Finished::without_reply(exit.unclear()))
    }
}
