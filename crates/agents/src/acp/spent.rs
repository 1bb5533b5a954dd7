//! What a turn has cost: tokens as the answer to the prompt tells them, money as a running total of the agent's session.

use crate::event::AgentEvent;
use crate::words;
use serde_json::Value;
use tollgate_core::reply::Usage;

#[derive(Debug)]
pub struct AcpUsage {
    /// What was counted up to now, in millionths of a US dollar.
    micro_usd: u64,
    has_total: bool,
    /// Of pieces that carry their tokens with them, where the answer does not tell.
    in_pieces: Usage,
}

impl AcpUsage {
    pub fn new(before: Usage) -> Self {
        let micro_usd = before.micro_usd.unwrap_or(0);
        Self { micro_usd, has_total: false, in_pieces: Usage::default() }
    }

    /// `usage_update`: what the session has cost since it began. What it says of tokens is how full the memory of the model is.
    pub fn total(&mut self, update: &Value, events: &mut Vec<AgentEvent>) {
        let cost = &update["cost"];
        let Some(total) = words::micro_usd(&cost["amount"]) else { return };
        if cost["currency"] != "USD" {
            return;
        }
        // A session that was taken up again may count from nothing.
        if !self.has_total && total < self.micro_usd {
            self.micro_usd = 0;
        }
        self.has_total = true;
        let more = total.saturating_sub(self.micro_usd);
        self.micro_usd += more;
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

/// Most tell cached tokens beside the input, some thinking beside the output: the total knows what is missing.
fn tokens(told: &Value) -> Usage {
    let number = |names: [&str; 2]| names.iter().find_map(|name| words::tokens(&told[*name]));
    let parts = Usage {
        input_tokens: number(["inputTokens", "input_tokens"]),
        output_tokens: number(["outputTokens", "output_tokens"]),
        ..Usage::default()
    };
    let cached = [
        number(["cachedReadTokens", "cachedInputTokens"]),
        number(["cachedWriteTokens", "cacheWriteInputTokens"]),
    ];
    words::with_rest(parts, words::tokens(&told["totalTokens"]), words::sum(cached))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn r106_cached_tokens_and_separate_thinking_tokens_are_counted() {
        let counted = |told: Value| {
            let spent = tokens(&told);
            (spent.input_tokens, spent.output_tokens)
        };
        let codex = json!({"totalTokens": 120, "inputTokens": 70, "cachedReadTokens": 25,
            "cachedWriteTokens": 5, "outputTokens": 20, "thoughtTokens": 8});
        assert_eq!(counted(codex), (Some(100), Some(20)), "thinking is part of its output");
        let opencode = json!({"totalTokens": 128, "inputTokens": 100, "outputTokens": 20,
            "thoughtTokens": 8});
        assert_eq!(counted(opencode), (Some(100), Some(28)));
        let gemini = json!({"input_tokens": 100, "output_tokens": 20});
        assert_eq!(counted(gemini), (Some(100), Some(20)), "no total, nothing to add");
    }
}
