//! The ledger: what a session cost so far. What nobody reported stays unknown.

use crate::policy::Policy;
use crate::reply::Usage;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spend {
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    pub micro_usd: Option<u64>,
    pub attempts: u32,
    /// Time that agents ran, not time that people thought.
    pub wall_ms: u64,
}

impl Spend {
    /// `elapsed_ms` counts where nobody saw how long the agent itself ran.
    pub(crate) fn add(&mut self, usage: &Usage, elapsed_ms: u64) {
        self.wall_ms = self.wall_ms.saturating_add(usage.wall_ms.unwrap_or(elapsed_ms));
        add_known(&mut self.input_tokens, usage.input_tokens);
        add_known(&mut self.output_tokens, usage.output_tokens);
        add_known(&mut self.micro_usd, usage.micro_usd);
    }

    /// Which limit is used up, in words.
    pub(crate) fn over(&self, policy: &Policy) -> Option<String> {
        let tokens = self.input_tokens.unwrap_or(0).saturating_add(self.output_tokens.unwrap_or(0));
        if let Some(max) = policy.micro_usd_max.filter(|max| self.micro_usd.unwrap_or(0) >= *max) {
            let dollars = |micro: u64| format!("{}.{:02}", micro / 1_000_000, micro / 10_000 % 100);
            let spent = dollars(self.micro_usd.unwrap_or(0));
            return Some(format!("{spent} of {} US dollars are spent", dollars(max)));
        }
        if let Some(max) = policy.tokens_max.filter(|max| tokens >= *max) {
            return Some(format!("{tokens} of {max} tokens are spent"));
        }
        let max = policy.wall_ms_max.filter(|max| self.wall_ms >= *max)?;
        Some(format!("agents ran for {} s of {} s", self.wall_ms / 1_000, max / 1_000))
    }
}

fn add_known(sum: &mut Option<u64>, more: Option<u64>) {
    if let Some(more) = more {
        *sum = Some(sum.unwrap_or(0).saturating_add(more));
    }
}
