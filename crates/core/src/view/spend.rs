//! The ledger as surfaces show it: what is unknown is null in JSON and a word in text, never 0.

use crate::allowance::Allowance;
use crate::id::{TaskId, TaskRef};
use crate::money::dollars;
use crate::role::Role;
use crate::session::{Ledger, Session, Spend};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

#[derive(Debug, Clone, Default, Serialize)]
pub struct SpendView {
    pub usd: Option<f64>,
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    pub attempts: u32,
    pub wall_ms: u64,
    /// Attempts that are not in `usd`, because nobody reported their price.
    pub usd_unknown: u32,
    /// Attempts whose tokens are not in the sums, or not all of them.
    pub tokens_unknown: u32,
    #[serde(skip)]
    micro_usd: Option<u64>,
}

/// So much of a limit being spent is said.
const NEAR_TENTHS: u128 = 8;

/// The same sums by what they were spent on.
#[derive(Debug, Clone, Default, Serialize)]
pub struct SpendBy {
    pub task: BTreeMap<TaskRef, SpendView>,
    pub role: BTreeMap<Role, SpendView>,
    /// Agents by the name in the settings.
    pub agent: BTreeMap<String, SpendView>,
}

impl SpendView {
    pub fn of(spend: &Spend) -> Self {
        Self {
            usd: spend.micro_usd.map(|micro| micro as f64 / 1_000_000.0),
            input_tokens: spend.input_tokens,
            output_tokens: spend.output_tokens,
            attempts: spend.attempts,
            wall_ms: spend.wall_ms,
            usd_unknown: spend.price_unknown,
            tokens_unknown: spend.tokens_unknown,
            micro_usd: spend.micro_usd,
        }
    }

    pub(super) fn of_task(session: &Session, id: &TaskId) -> Self {
        let spend = session.budget.ledger.by_task.get(&TaskRef::Task(id.clone()));
        spend.map(Self::of).unwrap_or_default()
    }

    /// Somebody reported a price or tokens.
    pub fn is_known(&self) -> bool {
        self.usd.is_some() || self.input_tokens.is_some() || self.output_tokens.is_some()
    }

    /// `1.20 (2 attempts unknown)`.
    pub fn usd_words(&self) -> String {
        with_unknown(self.micro_usd.map(dollars), self.usd_unknown)
    }

    /// `$1.20 of $5.00 · 900 tokens`: money and tokens, of how much where there is a limit.
    pub fn against(&self, limits: &Allowance) -> String {
        let mut words = match (self.money(), limits.micro_usd.map(dollars)) {
            (Some(usd), Some(limit)) => format!("{usd} of ${limit}"),
            (Some(usd), None) => usd,
            (None, Some(limit)) => format!("cost unknown, the limit is ${limit}"),
            (None, None) => "cost unknown".to_owned(),
        };
        match (self.tokens(), limits.tokens) {
            (tokens, Some(limit)) => words.push_str(&format!(" · {tokens} of {limit} tokens")),
            (0, None) => {}
            (tokens, None) => words.push_str(&format!(" · {tokens} tokens")),
        }
        words
    }

    /// `$1.20`, or `at least $1.20` where attempts gave no price; none where no attempt gave one.
    pub fn money(&self) -> Option<String> {
        let usd = dollars(self.micro_usd?);
        Some(if self.usd_unknown == 0 { format!("${usd}") } else { format!("at least ${usd}") })
    }

    /// Little is left of the money or of the tokens.
    pub fn is_near(&self, limits: &Allowance) -> bool {
        let is_near =
            |spent: u64, limit: u64| u128::from(spent) * 10 >= u128::from(limit) * NEAR_TENTHS;
        let usd = self.micro_usd.zip(limits.micro_usd);
        usd.is_some_and(|(spent, limit)| is_near(spent, limit))
            || limits.tokens.is_some_and(|limit| is_near(self.tokens(), limit))
    }

    /// Read and written together, as far as it is known.
    fn tokens(&self) -> u64 {
        let known = |tokens: Option<u64>| tokens.unwrap_or_default();
        known(self.input_tokens).saturating_add(known(self.output_tokens))
    }

    /// `in 10, out 5 (1 attempt unknown)`.
    pub fn tokens_words(&self) -> String {
        let word = |value: Option<u64>| value.map_or("unknown".to_owned(), |v| v.to_string());
        let words = format!("in {}, out {}", word(self.input_tokens), word(self.output_tokens));
        let is_known = self.input_tokens.is_some() || self.output_tokens.is_some();
        with_unknown(Some(words), if is_known { self.tokens_unknown } else { 0 })
    }
}

impl SpendBy {
    pub fn of(ledger: &Ledger) -> Self {
        let tasks = ledger.by_task.iter();
        let agents = ledger.by_agent.iter();
        Self {
            task: tasks.map(|(task, spend)| (task.clone(), SpendView::of(spend))).collect(),
            role: ledger.by_role.iter().map(|(role, s)| (*role, SpendView::of(s))).collect(),
            agent: agents.map(|(name, spend)| (name.clone(), SpendView::of(spend))).collect(),
        }
    }
}

impl SpendView {
    /// What is always known.
    pub fn effort_words(&self) -> String {
        let attempts = crate::count::counted(self.attempts, "attempt");
        format!("{attempts}, {} s of agent time", self.wall_ms / 1_000)
    }
}

impl fmt::Display for SpendView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_known() {
            false => write!(f, "cost unknown, {}", self.effort_words()),
            true => {
                let (usd, tokens) = (self.usd_words(), self.tokens_words());
                write!(f, "usd {usd}, tokens {tokens}, {}", self.effort_words())
            }
        }
    }
}

/// A sum that leaves something out says so.
fn with_unknown(known: Option<String>, unknown: u32) -> String {
    match (known, unknown) {
        (None, _) => "unknown".to_owned(),
        (Some(known), 0) => known,
        (Some(known), 1) => format!("{known} (1 attempt unknown)"),
        (Some(known), count) => format!("{known} ({count} attempts unknown)"),
    }
}
