//! What something cost: a sum of what is known, and how often it is not.

use crate::reply::{Usage, is_default};
use crate::work::DispatchEnd;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spend {
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    pub micro_usd: Option<u64>,
    pub attempts: u32,
    /// Ended attempts whose price nobody reported: the sum is that much too small.
    pub price_unknown: u32,
    /// Ended attempts whose tokens nobody reported, or not all of them.
    pub tokens_unknown: u32,
    /// Time that agents ran, not time that people thought.
    pub wall_ms: u64,
}

/// What one attempt came to, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Cost {
    pub usage: Usage,
    /// What no agent began has cost nothing, and that is known.
    pub began: bool,
    pub wall_ms: u64,
}

impl Cost {
    /// `elapsed_ms` counts where the run time of the agent itself is unknown. A person who fixes by hand is not an agent.
    pub fn of(end: &DispatchEnd, usage: &Usage, elapsed_ms: u64, by_agent: bool) -> Self {
        let claimed = end.claimed_usage();
        // Journals of earlier versions tell costs in the reply alone; now nobody runs without its time being known.
        let usage = if is_default(usage) { &claimed } else { usage };
        let wall_ms = usage.wall_ms.unwrap_or(elapsed_ms);
        Self { usage: *usage, began: end.has_begun() && by_agent, wall_ms }
    }

    pub fn is_price_unknown(&self) -> bool {
        self.began && self.usage.micro_usd.is_none()
    }

    pub fn are_tokens_unknown(&self) -> bool {
        self.began && (self.usage.input_tokens.is_none() || self.usage.output_tokens.is_none())
    }

    /// Those that are known, read and written together.
    pub fn tokens(&self) -> Option<u64> {
        known_sum(self.usage.input_tokens, self.usage.output_tokens)
    }
}

impl Spend {
    pub(crate) fn add(&mut self, cost: &Cost) {
        self.wall_ms = self.wall_ms.saturating_add(cost.wall_ms);
        self.input_tokens = known_sum(self.input_tokens, cost.usage.input_tokens);
        self.output_tokens = known_sum(self.output_tokens, cost.usage.output_tokens);
        self.micro_usd = known_sum(self.micro_usd, cost.usage.micro_usd);
        self.price_unknown += u32::from(cost.is_price_unknown());
        self.tokens_unknown += u32::from(cost.are_tokens_unknown());
    }

    /// Those that are known, read and written together.
    pub fn tokens(&self) -> Option<u64> {
        known_sum(self.input_tokens, self.output_tokens)
    }
}

/// Unknown only where both are.
fn known_sum(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.saturating_add(b)),
        (known, None) | (None, known) => known,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    #[test]
    fn r106_costs_that_an_earlier_journal_tells_in_the_reply_alone_are_counted() {
        let end: DispatchEnd = serde_json::from_str(
            r#"{"end":"replied","work":{},"reply":{"status":"OK","summary":"done","usage":{"micro_usd":7}}}"#,
        )
        .unwrap();
        assert_eq!(Cost::of(&end, &Usage::default(), 5, true).usage.micro_usd, Some(7));
        let told = Usage { wall_ms: Some(3), ..Usage::default() };
        assert_eq!(Cost::of(&end, &told, 5, true).usage, told, "a claim beside what is known");
    }
}
