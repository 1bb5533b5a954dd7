//! The two-way conversation: what Claude Code asks of whoever started it, and what it gets for an answer.

use super::permission::{Leave, leave};
use crate::claude_lines::{ClaudeLines, Counting, text};
use crate::event::{AgentEvent, Finished};
use crate::{AgentExit, DriverPlan, Post, Talk, Turn};
use serde_json::{Value, json};
use tollgate_files::clock;

pub struct TwoWay {
    plan: DriverPlan,
    lines: ClaudeLines,
}

impl TwoWay {
    pub fn new(plan: &DriverPlan) -> Self {
        Self { plan: plan.clone(), lines: ClaudeLines::new(plan, Counting::AtResult, clock::now) }
    }

    /// Every request gets an answer: one without would be waited for without end.
    fn asked(&mut self, line: &Value, turn: &mut Turn) {
        let request = &line["request"];
        let answer = match text(request, "subtype") {
            Some("can_use_tool") => Ok(self.may_use(request, turn)),
            Some("elicitation") => {
                let question = text(request, "message").unwrap_or_default().to_owned();
                turn.events.push(AgentEvent::Question { text: question });
                Ok(json!({ "action": "decline" }))
            }
            other => Err(format!("{} is not supported", other.unwrap_or("this request"))),
        };
        let id = &line["request_id"];
        let response = match answer {
            Ok(response) => json!({ "subtype": "success", "request_id": id, "response": response }),
            Err(error) => json!({ "subtype": "error", "request_id": id, "error": error }),
        };
        turn.say.push(json!({ "type": "control_response", "response": response }));
    }

    fn may_use(&mut self, request: &Value, turn: &mut Turn) -> Value {
        let tool = text(request, "tool_name").unwrap_or_default();
        let input = &request["input"];
        let message = match leave(&self.plan, tool, input) {
            Leave::Given => return json!({ "behavior": "allow", "updatedInput": input }),
            Leave::Refused { what, why } => {
                turn.events.push(AgentEvent::Permission { what, granted: false });
                why
            }
            Leave::NobodyAnswers { question } => {
                turn.events.push(AgentEvent::Question { text: question });
                "No one can answer while you work. Continue with what you know, or put the question in your reply."
                    .to_owned()
            }
        };
        if let Some(id) = text(request, "tool_use_id") {
            self.lines.was_refused(id);
        }
        json!({ "behavior": "deny", "message": message })
    }
}

impl Talk for TwoWay {
    fn open(&mut self, _post: Post, turn: &mut Turn) {
        let initialize = json!({ "subtype": "initialize", "hooks": null });
        turn.say.push(
            json!({ "type": "control_request", "request_id": "initialize", "request": initialize }),
        );
        turn.say.push(json!({
            "type": "user",
            "message": { "role": "user", "content": self.plan.prompt },
            "parent_tool_use_id": null,
            "session_id": "",
        }));
    }

    fn heard(&mut self, line: &Value, turn: &mut Turn) {
        match text(line, "type") {
            Some("control_request") => self.asked(line, turn),
            _ => self.lines.heard(line, turn),
        }
    }

    fn ended(&mut self, exit: &AgentExit) -> Finished {
        self.lines.ended(exit)
    }
}
