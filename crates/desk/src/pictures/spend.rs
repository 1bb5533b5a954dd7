//! What each role spent, as bars: in dollars where a price is known, else in tokens, else in time at work.

use super::shape::{TRACK, duration, on_track};
use maud::{Markup, html};
use tollgate_core::role::Role;
use tollgate_core::view::{SpendBy, SpendView};

/// What the bars measure.
#[derive(Debug, Clone, Copy)]
enum Measure {
    Dollars,
    Tokens,
    Time,
}

pub fn spend_by_role(by: &SpendBy) -> Markup {
    let measure = Measure::of(by);
    let mut rows: Vec<(Role, u64, String)> = by
        .role
        .iter()
        .map(|(role, spend)| (*role, measure.amount(spend), measure.words(spend)))
        .collect();
    rows.sort_by_key(|(role, amount, _)| (std::cmp::Reverse(*amount), *role));
    let most = rows.iter().map(|(_, amount, _)| *amount).max().unwrap_or(0);
    let words: Vec<String> =
        rows.iter().map(|(role, _, words)| format!("{role} {words}")).collect();
    let label = match rows.is_empty() {
        true => "Spend by role: nothing yet".to_owned(),
        false => format!("Spend by role in {}: {}", measure.name(), words.join("; ")),
    };
    html! {
        div class="pic pic-rows" role="img" aria-label=(label) {
            @for (role, amount, words) in &rows {
                span class="pic-name" { (role) }
                span class="pic-note" { (words) }
                svg viewBox=(format!("0 0 {TRACK} 12")) preserveAspectRatio="none" {
                    rect class="pic-track" x="0" y="0" width=(TRACK) height="12" {}
                    rect class="pic-bar" x="0" y="0" width=(on_track(*amount, most)) height="12" {}
                }
            }
            @if rows.is_empty() { span class="pic-key" { "Nothing was spent yet." } }
        }
    }
}

impl Measure {
    fn of(by: &SpendBy) -> Self {
        let any = |is_known: fn(&SpendView) -> bool| by.role.values().any(is_known);
        match () {
            () if any(|spend| spend.usd.is_some()) => Self::Dollars,
            () if any(|spend| spend.input_tokens.or(spend.output_tokens).is_some()) => Self::Tokens,
            () => Self::Time,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Dollars => "dollars",
            Self::Tokens => "tokens",
            Self::Time => "time at work",
        }
    }

    /// Only for the length of a bar.
    fn amount(self, spend: &SpendView) -> u64 {
        match self {
            Self::Dollars => spend.usd.map_or(0, |usd| (usd * 1_000_000.0) as u64),
            Self::Tokens => tokens(spend),
            Self::Time => spend.wall_ms,
        }
    }

    fn words(self, spend: &SpendView) -> String {
        let time = duration(spend.wall_ms);
        match self {
            Self::Dollars if spend.usd.is_some() => format!("${}, {time}", spend.usd_words()),
            Self::Tokens if spend.input_tokens.or(spend.output_tokens).is_some() => {
                format!("{} tokens, {time}", tokens(spend))
            }
            Self::Dollars | Self::Tokens => format!("cost unknown, {time}"),
            Self::Time => time,
        }
    }
}

fn tokens(spend: &SpendView) -> u64 {
    spend.input_tokens.unwrap_or(0).saturating_add(spend.output_tokens.unwrap_or(0))
}
