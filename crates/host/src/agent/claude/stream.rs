//! The lines of Claude Code, which Qwen Code writes too.

use crate::agent::event::{AgentEvent, Finished, Outcome};
use crate::agent::{Exit, Talk, Turn};
use serde_json::Value;
use tollgate_core::reply::Usage;

#[derive(Debug)]
pub struct Stream {
    /// What the agent's session had cost before.
    before: Usage,
    finished: Option<Finished>,
}

impl Stream {
    pub fn new(before: Usage) -> Self {
        Self { before, finished: None }
    }

    fn result(&mut self, line: &Value, turn: &mut Turn) {
        let tokens = |name: &str| line["usage"][name].as_u64();
        let micro = line["total_cost_usd"].as_f64().map(|usd| (usd * 1_000_000.0).round() as u64);
        let before = self.before.micro_usd.unwrap_or(0);
        turn.events.push(AgentEvent::Usage {
            spent: Usage {
                input_tokens: tokens("input_tokens"),
                output_tokens: tokens("output_tokens"),
                micro_usd: micro.map(|total| total.saturating_sub(before)),
                wall_ms: None,
            },
        });
        let text = line["result"].as_str().map(str::to_owned);
        let outcome = match line["is_error"].as_bool() {
            Some(false) => Outcome::Done,
            _ => Outcome::Service {
                status: line["api_error_status"].as_u64().and_then(|s| u16::try_from(s).ok()),
                detail: text.clone().unwrap_or_default(),
            },
        };
        let reply = line.get("structured_output").filter(|value| !value.is_null()).cloned();
        self.finished = Some(Finished { outcome, reply, text });
    }
}

impl Talk for Stream {
    fn heard(&mut self, line: &Value, turn: &mut Turn) {
        match (line["type"].as_str(), line["subtype"].as_str()) {
            (Some("system"), Some("init")) => turn.events.push(AgentEvent::Started {
                session: line["session_id"].as_str().map(str::to_owned),
                model: line["model"].as_str().map(str::to_owned),
            }),
            (Some("result"), _) => self.result(line, turn),
            _ => {}
        }
    }

    fn ended(&mut self, exit: &Exit) -> Finished {
        self.finished.take().unwrap_or_else(|| {
            Finished::without_reply(Outcome::Unclear {
                exit_code: exit.code,
                signal: exit.signal,
                detail: exit.stderr_tail.clone(),
            })
        })
    }
}
