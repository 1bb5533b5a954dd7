//! What a turn has cost: tokens as the answer to the prompt tells them, money as a running total of the agent's session.

use crate::agent::event::AgentEvent;
use serde_json::Value;
use tollgate_core::reply::Usage;

#[derive(Debug)]
pub struct Spent {
    /// What was counted up to now, in millionths of a US dollar.
    micro_usd: u64,
    /// Of pieces that carry their tokens with them, where the answer does not tell.
    in_pieces: Usage,
}

impl Spent {
    pub fn new(before: Usage) -> Self {
        Self { micro_usd: before.micro_usd.unwrap_or(0), in_pieces: Usage::default() }
    }

    /// `usage_update`: what the session has cost since it began. What it says of tokens is how full the memory of the model is.
    pub fn total(&mut self, update: &Value, events: &mut Vec<AgentEvent>) {
        let cost = &update["cost"];
        let Some(amount) = cost["amount"].as_f64().filter(|amount| *amount >= 0.0) else { return };
        if cost["currency"] != "USD" {
            return;
        }
        let total = (amount * 1_000_000.0).round() as u64;
        // A session that was taken up again may count from nothing.
        let more = total.checked_sub(self.micro_usd).unwrap_or(total);
        self.micro_usd = total;
        if more > 0 {
            let spent = Usage { micro_usd: Some(more), ..Usage::default() };
            events.push(AgentEvent::Usage { spent });
        }
    }

    /// A piece of a message; Qwen Code counts there.
    pub fn piece(&mut self, update: &Value) {
        let spent = tokens(&update["_meta"]["usage"]);
        self.in_pieces.add(&spent);
    }

    /// The answer to the prompt: the tokens of this turn.
    pub fn turn(&mut self, answer: &Value, events: &mut Vec<AgentEvent>) {
        let told =
            [&answer["usage"], &answer["_meta"]["quota"]["token_count"], &answer["_meta"]["usage"]];
        let told = told.into_iter().map(tokens).find(|spent| *spent != Usage::default());
        let spent = told.unwrap_or(self.in_pieces);
        if spent != Usage::default() {
            events.push(AgentEvent::Usage { spent });
        }
    }
}

fn tokens(told: &Value) -> Usage {
    let number = |names: [&str; 2]| names.iter().find_map(|name| told[*name].as_u64());
    Usage {
        input_tokens: number(["inputTokens", "input_tokens"]),
        output_tokens: number(["outputTokens", "output_tokens"]),
        ..Usage::default()
    }
}
