//! What a person says beside the way that they chose: plain words, or something that is read further.

use super::way::NeedsWords;
use crate::duration;
use crate::task::Check;
use std::ops::Deref;

/// What an answer takes beside its keyword.
pub trait Said: Sized {
    const NEEDS: NeedsWords;

    /// `given` is trimmed, and a person can see something of it.
    fn read(given: Option<&str>) -> Result<Self, Unread>;

    /// The form that is kept on record.
    fn canonical(&self, keyword: &str) -> String;
}

/// Why the words of an answer cannot be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unread {
    /// There are none.
    Missing,
    /// They do not say what this answer needs; `examples` do.
    Unfit { why: &'static str, examples: &'static [&'static str] },
}

/// A person's own words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words(String);

impl Deref for Words {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Said for Words {
    const NEEDS: NeedsWords = NeedsWords::Required;

    fn read(given: Option<&str>) -> Result<Self, Unread> {
        given.map(|words| Self(words.to_owned())).ok_or(Unread::Missing)
    }

    fn canonical(&self, keyword: &str) -> String {
        format!("{keyword}: {}", self.0)
    }
}

/// An approval as it was said: `approved`, alone or with words after a space or a colon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval(String);

impl Approval {
    const KEYWORD: &str = "approved";

    /// Nothing where it does not begin as an approval does; an error where it then continues as none does.
    pub fn said(given: &str, reason: Option<&str>) -> Option<Result<Self, Unread>> {
        let given = given.trim();
        let rest = given.strip_prefix(Self::KEYWORD)?;
        let is_approval = rest.is_empty() || rest.starts_with([' ', ':']);
        Some(match (is_approval, reason) {
            (false, _) => Err(Unread::Unfit { why: "", examples: &[] }),
            (true, Some(reason)) if rest.is_empty() => Self::read(Some(reason)),
            (true, _) => Ok(Self(given.to_owned())),
        })
    }
}

impl Said for Approval {
    const NEEDS: NeedsWords = NeedsWords::Optional;

    fn read(given: Option<&str>) -> Result<Self, Unread> {
        Ok(Self(match given {
            Some(words) => format!("{}: {words}", Self::KEYWORD),
            None => Self::KEYWORD.to_owned(),
        }))
    }

    fn canonical(&self, _keyword: &str) -> String {
        self.0.clone()
    }
}

/// An answer that is nothing but words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FreeText(String);

impl Deref for FreeText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Said for FreeText {
    const NEEDS: NeedsWords = NeedsWords::Required;

    fn read(given: Option<&str>) -> Result<Self, Unread> {
        given.map(|words| Self(words.to_owned())).ok_or(Unread::Missing)
    }

    fn canonical(&self, _keyword: &str) -> String {
        self.0.clone()
    }
}

/// How long one more attempt may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extension {
    said: Words,
    pub ms: u64,
}

impl Said for Extension {
    const NEEDS: NeedsWords = NeedsWords::Required;

    fn read(given: Option<&str>) -> Result<Self, Unread> {
        let said = Words::read(given)?;
        match duration::read_ms(&said) {
            Some(ms) => Ok(Self { said, ms }),
            None => Err(Unread::Unfit {
                why: ": that is not a duration",
                examples: &["extend: 90s", "extend: 30m", "extend: 1h"],
            }),
        }
    }

    fn canonical(&self, keyword: &str) -> String {
        self.said.canonical(keyword)
    }
}

/// `70 because…`, `72.5 % because…`: a lower minimum of coverage, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Minimum {
    said: Words,
    /// A share in hundredths of a per cent, never 0.
    pub hundredths: u32,
    pub reason: String,
}

impl Said for Minimum {
    const NEEDS: NeedsWords = NeedsWords::Required;

    fn read(given: Option<&str>) -> Result<Self, Unread> {
        let said = Words::read(given)?;
        let read = minimum(&said).map(|(hundredths, reason)| (hundredths, reason.to_owned()));
        match read {
            Some((hundredths, reason)) => Ok(Self { said, hundredths, reason }),
            None => Err(Unread::Unfit {
                why: ": it needs a percentage and a reason",
                examples: &["lower: 70 generated code is not covered"],
            }),
        }
    }

    fn canonical(&self, keyword: &str) -> String {
        self.said.canonical(keyword)
    }
}

/// A command that takes the place of another one, with or without the `cmd:` of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCommand(String);

impl Deref for NewCommand {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Said for NewCommand {
    const NEEDS: NeedsWords = NeedsWords::Required;

    fn read(given: Option<&str>) -> Result<Self, Unread> {
        let said = Words::read(given)?;
        match Check::from(said.to_string()) {
            Check::Command(command) if says_something(&command) => Ok(Self(command)),
            _ => Err(Unread::Unfit {
                why: ": that is not a command",
                examples: &["fix-check: npm run test:unit", "fix-check: make check"],
            }),
        }
    }

    fn canonical(&self, keyword: &str) -> String {
        format!("{keyword}: {}", self.0)
    }
}

fn minimum(text: &str) -> Option<(u32, &str)> {
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

#[cfg(test)]
mod tests {
    use super::{minimum, says_something};

    #[test]
    fn r075_what_nobody_can_see_is_not_a_justification() {
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
