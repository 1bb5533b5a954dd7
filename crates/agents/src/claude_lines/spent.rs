//! What a conversation cost: the programs count in totals, per turn or per message, and we give differences.

use crate::words;
use serde_json::Value;
use tollgate_core::reply::Usage;

/// Where a program says what was spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    /// Claude Code: what its messages say is not final.
    AtResult,
    /// Qwen Code: its totals continue over a session, and there is none when it runs out of turns.
    ByMessage,
}

#[derive(Debug)]
pub struct ClaudeUsage {
    counting: Counting,
    /// Millionths of a US dollar that the agent's session had cost before.
    before: u64,
}

impl ClaudeUsage {
    pub fn after(before: Usage, counting: Counting) -> Self {
        Self { counting, before: before.micro_usd.unwrap_or(0) }
    }

    pub fn at_message(&self, usage: &Value) -> Option<Usage> {
        let (input, output) =
            (words::tokens(&usage["input_tokens"]), words::tokens(&usage["output_tokens"]));
        // Of one answer only the last message knows.
        let is_known = input.unwrap_or(0) > 0 || output.unwrap_or(0) > 0;
        let told = Usage { input_tokens: input, output_tokens: output, ..Usage::default() };
        // With a service of Google's, thinking is in the total alone; what was cached is part of the input.
        let total = words::tokens(&usage["total_tokens"]);
        (self.counting == Counting::ByMessage && is_known)
            .then(|| words::with_rest(told, total, None))
    }

    /// Since the result before, or since the start.
    pub fn at_result(&mut self, line: &Value) -> Option<Usage> {
        if self.counting == Counting::ByMessage {
            return None;
        }
        if let Some(models) = line["model_usage_since_last_result"].as_object() {
            return Some(of_models(models.values()));
        }
        let tokens = |names: &[&str]| {
            words::sum(names.iter().map(|name| words::tokens(&line["usage"][name])))
        };
        let total = words::micro_usd(&line["total_cost_usd"]);
        let before = self.before;
        self.before = total.unwrap_or(before);
        Some(Usage {
            input_tokens: tokens(&[
                "input_tokens",
                "cache_creation_input_tokens",
                "cache_read_input_tokens",
            ]),
            output_tokens: tokens(&["output_tokens"]),
            micro_usd: total.map(|total| total.saturating_sub(before)),
            wall_ms: None,
        })
    }
}

/// Agents within the agent and calls beside the conversation are counted here too. Where no model was asked, nothing was
/// spent; what one that was asked does not tell stays unknown.
fn of_models<'a>(models: impl Iterator<Item = &'a Value>) -> Usage {
    let none =
        Usage { input_tokens: Some(0), output_tokens: Some(0), micro_usd: Some(0), wall_ms: None };
    let all = models.map(of_model).reduce(|mut all, model| {
        all.add(&model);
        all
    });
    all.unwrap_or(none)
}

fn of_model(model: &Value) -> Usage {
    let tokens = |names: &[&str]| words::sum(names.iter().map(|name| words::tokens(&model[name])));
    Usage {
        input_tokens: tokens(&["inputTokens", "cacheCreationInputTokens", "cacheReadInputTokens"]),
        output_tokens: tokens(&["outputTokens"]),
        micro_usd: words::micro_usd(&model["costUSD"]),
        wall_ms: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn r106_a_model_without_a_price_is_not_free() {
        let spent = |models: Value| {
            let mut counted = ClaudeUsage::after(Usage::default(), Counting::AtResult);
            counted.at_result(&json!({ "model_usage_since_last_result": models }))
        };
        let unknown = spent(json!({"m": {"inputTokens": 3}}));
        let expected = Usage { input_tokens: Some(3), ..Usage::default() };
        assert_eq!(unknown, Some(expected));
        let nothing = spent(json!({})).and_then(|spent| spent.micro_usd);
        assert_eq!(nothing, Some(0), "no model was asked");
    }
}
