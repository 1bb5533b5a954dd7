//! Reads what a person answered: exact up to a `:`, then their own words.

use crate::decision::{Decision, DecisionKind};
use crate::refusal::Refusal;
use crate::task::Strategy;

/// An answer that fits its question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// One of the options, without its text.
    pub keyword: String,
    pub text: Option<String>,
}

impl Answer {
    /// The form that is kept on record.
    pub fn canonical(&self) -> String {
        match &self.text {
            Some(text) if self.keyword.is_empty() => text.clone(),
            Some(text) => format!("{}: {text}", self.keyword),
            None => self.keyword.clone(),
        }
    }

    pub fn words(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }
}

pub fn read(decision: &Decision, given: &str, reason: Option<&str>) -> Result<Answer, Refusal> {
    let reason = reason.map(str::trim).filter(|text| says_something(text));
    match decision.kind {
        DecisionKind::Info => read_info(decision, given),
        DecisionKind::Approve => read_approval(decision, given, reason)
            .unwrap_or_else(|| read_option(decision, given, reason)),
        DecisionKind::Strategy => match normalise_strategy(given) {
            Some(strategy) => Ok(Answer { keyword: strategy.as_str().to_owned(), text: None }),
            None => read_option(decision, given, reason),
        },
        _ => read_option(decision, given, reason),
    }
}

fn read_info(decision: &Decision, given: &str) -> Result<Answer, Refusal> {
    if !says_something(given) {
        return Err(bad(decision, given, ": it is empty"));
    }
    Ok(Answer { keyword: String::new(), text: Some(given.to_owned()) })
}

/// `approved`, alone or with words after a space or a colon. Kept as it was said.
fn read_approval(
    decision: &Decision,
    given: &str,
    reason: Option<&str>,
) -> Option<Result<Answer, Refusal>> {
    let rest = given.trim().strip_prefix("approved")?;
    if !(rest.is_empty() || rest.starts_with([' ', ':'])) {
        return Some(Err(bad(decision, given, "")));
    }
    let said = match reason {
        Some(reason) if rest.is_empty() => format!("approved: {reason}"),
        _ => given.trim().to_owned(),
    };
    Some(Ok(Answer { keyword: said, text: None }))
}

/// The strategy that an obvious synonym means.
fn normalise_strategy(given: &str) -> Option<Strategy> {
    let letters: String =
        given.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    let core = letters.strip_suffix("review").unwrap_or(&letters);
    match core {
        "perbatch" | "batch" | "perbatches" | "pertask" => Some(Strategy::PerBatch),
        "singlefinal" | "single" | "final" | "finalonly" | "onefinal" => {
            Some(Strategy::SingleFinal)
        }
        _ => None,
    }
}

fn read_option(decision: &Decision, given: &str, reason: Option<&str>) -> Result<Answer, Refusal> {
    let (keyword, inline) = match given.trim().split_once(':') {
        Some((keyword, text)) => (keyword.trim(), Some(text.trim()).filter(|t| says_something(t))),
        None => (given.trim(), None),
    };
    let plain = decision.options.iter().any(|option| option.answer == keyword);
    let with_text = decision
        .options
        .iter()
        .any(|option| option.answer.split_once(':').is_some_and(|(known, _)| known == keyword));
    if !plain && !with_text {
        return Err(bad(decision, given, ""));
    }
    if inline.is_some() && !with_text {
        return Err(bad(decision, given, ": this answer takes no text"));
    }
    let text = inline.or(reason.filter(|_| with_text)).map(str::to_owned);
    if text.is_none() && !plain {
        return Err(bad(decision, given, ": it needs words after the colon"));
    }
    Ok(Answer { keyword: keyword.to_owned(), text })
}

fn bad(decision: &Decision, given: &str, why: &str) -> Refusal {
    let expected = match decision.kind {
        DecisionKind::Info => vec!["any text".to_owned()],
        _ => decision.options.iter().map(|option| option.answer.clone()).collect(),
    };
    let shown: String = given.chars().take(80).collect();
    Refusal::BadAnswer {
        id: decision.decision_id.clone(),
        given: shown,
        why: why.to_owned(),
        expected,
    }
}

/// `70 because…`, `72.5 % because…`: a share in hundredths of a per cent, and why.
pub fn minimum(text: &str) -> Option<(u32, &str)> {
    let (number, reason) = text.trim().split_once(char::is_whitespace)?;
    let number = number.strip_suffix('%').unwrap_or(number);
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    if part.len() > 2 || !part.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let hundredths: u32 = format!("{part:0<2}").parse().ok()?;
    let share = whole.parse::<u32>().ok()?.checked_mul(100)?.checked_add(hundredths)?;
    let reason = reason.trim().trim_start_matches('%').trim();
    // Nothing at all is not a lower minimum but an override, and is called one.
    ((1..=10_000).contains(&share) && says_something(reason)).then_some((share, reason))
}

/// Whether a person could see anything of it: letters that are only there for machines say nothing.
pub fn says_something(text: &str) -> bool {
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c == '\u{1b}' {
            // A terminal sequence: up to its last letter.
            rest.next_if_eq(&'[');
            while rest.next_if(|c| !c.is_ascii_alphabetic()).is_some() {}
            rest.next();
            continue;
        }
        let is_unseen = c.is_whitespace()
            || c.is_control()
            || matches!(
                c,
                '\u{ad}'
                    | '\u{34f}'
                    | '\u{61c}'
                    | '\u{115f}'
                    | '\u{1160}'
                    | '\u{17b4}'
                    | '\u{17b5}'
            )
            || matches!(c, '\u{180b}'..='\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
            || matches!(c, '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}')
            || matches!(c, '\u{e0000}'..='\u{e0fff}');
        if !is_unseen {
            return true;
        }
    }
    false
}

/// `90s`, `30m`, `1h`, `500ms`.
pub fn duration_ms(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let amount: u64 = text[..digits].parse().ok()?;
    let unit = match &text[digits..] {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    amount.checked_mul(unit).filter(|ms| *ms > 0)
}

#[cfg(test)]
mod tests {
    use super::{minimum, says_something};

    #[test]
    fn r075_what_nobody_can_see_is_no_justification() {
        for unseen in [
            "",
            " \t",
            "\u{200b}",
            "\u{2060}\u{feff}",
            "\u{1}",
            "\u{1b}[31m",
            "\u{3164}",
            "\u{202e}\u{ad}",
        ] {
            assert!(!says_something(unseen), "{unseen:?}");
        }
        for seen in ["x", "\u{1b}[31mred", "\u{200b}é", "!"] {
            assert!(says_something(seen), "{seen:?}");
        }
    }

    #[test]
    fn r077_a_lower_minimum_has_a_number_and_a_reason() {
        assert_eq!(minimum("72.5 % old code"), Some((7_250, "old code")));
        assert_eq!(minimum("70 generated"), Some((7_000, "generated")));
        for wrong in ["0 x", "70", "101 x", "70 \u{200b}", "x y", "1.234 x"] {
            assert_eq!(minimum(wrong), None, "{wrong}");
        }
    }
}
