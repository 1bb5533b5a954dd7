//! Reads what a person answered, once: exact up to a `:`, then their own words. Behind this, answers are types.

mod kinds;
#[cfg(test)]
mod tests;
mod way;
mod words;

pub use kinds::{
    ApproveAnswer, ApproveWay, Cancel, CancelWay, CheckAnswer, CheckWay, CoverageAnswer,
    CoverageWay, DecisionKind, EscalationAnswer, EscalationWay, InfoAnswer, InfoWay, JustifyAnswer,
    JustifyWay, Kind, ManualCheckAnswer, ManualCheckWay, NotesAnswer, NotesWay, RepairAnswer,
    RepairWay, ScopeAnswer, ScopeWay, SecurityAnswer, SecurityWay, StrategyAnswer, StrategyWay,
};
pub use way::{AnswerOption, NeedsWords, Way};
pub use words::{
    Approval, Extension, FreeText, Minimum, NewCommand, Said, Unread, Words, says_something,
};

use crate::id::DecisionId;
use crate::refusal::Refusal;

/// What a person decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    Cancel(Cancel),
    Approve(ApproveAnswer),
    Strategy(StrategyAnswer),
    Notes(NotesAnswer),
    Repair(RepairAnswer),
    Security(SecurityAnswer),
    Justify(JustifyAnswer),
    Escalation(EscalationAnswer),
    Info(InfoAnswer),
    Scope(ScopeAnswer),
    ManualCheck(ManualCheckAnswer),
    Coverage(CoverageAnswer),
    Check(CheckAnswer),
}

impl Choice {
    /// The form that is kept on record.
    pub fn canonical(&self) -> String {
        match self {
            Self::Cancel(answer) => answer.canonical(),
            Self::Approve(answer) => answer.canonical(),
            Self::Strategy(answer) => answer.canonical(),
            Self::Notes(answer) => answer.canonical(),
            Self::Repair(answer) => answer.canonical(),
            Self::Security(answer) => answer.canonical(),
            Self::Justify(answer) => answer.canonical(),
            Self::Escalation(answer) => answer.canonical(),
            Self::Info(answer) => answer.canonical(),
            Self::Scope(answer) => answer.canonical(),
            Self::ManualCheck(answer) => answer.canonical(),
            Self::Coverage(answer) => answer.canonical(),
            Self::Check(answer) => answer.canonical(),
        }
    }

    pub fn is_approval(&self) -> bool {
        matches!(self, Self::Approve(ApproveAnswer::Approved(_)))
    }
}

/// The question that an answer is for.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    pub id: &'a DecisionId,
    pub kind: DecisionKind,
    pub options: &'a [AnswerOption],
}

impl Asked<'_> {
    pub fn offers(&self, way: impl Way) -> bool {
        self.options.iter().any(|option| option.id == way.id())
    }
}

/// What a person means by what they said. What the question does not offer is refused.
pub fn read(asked: &Asked<'_>, given: &str, reason: Option<&str>) -> Result<Choice, Refusal> {
    let reason = reason.map(str::trim).filter(|text| says_something(text));
    let offers = Offers::Listed(asked);
    choice(asked.kind, &offers, given, reason).map_err(|wrong| wrong.told(asked, given))
}

/// What an answer on record means. It was offered when it was given, and no synonym was kept.
pub fn recall(kind: DecisionKind, canonical: &str) -> Option<Choice> {
    choice(kind, &Offers::All, canonical, None).ok()
}

/// Adds to the options of a question what journals of earlier versions do not say.
pub(crate) fn complete(kind: DecisionKind, options: &mut [AnswerOption]) {
    for option in options {
        option.complete::<CancelWay>();
        match kind {
            DecisionKind::Approve => option.complete::<ApproveWay>(),
            DecisionKind::Strategy => option.complete::<StrategyWay>(),
            DecisionKind::Notes => option.complete::<NotesWay>(),
            DecisionKind::Repair => option.complete::<RepairWay>(),
            DecisionKind::Security => option.complete::<SecurityWay>(),
            DecisionKind::Justify => option.complete::<JustifyWay>(),
            DecisionKind::Escalation => option.complete::<EscalationWay>(),
            DecisionKind::Info => option.complete::<InfoWay>(),
            DecisionKind::Scope => option.complete::<ScopeWay>(),
            DecisionKind::ManualCheck => option.complete::<ManualCheckWay>(),
            DecisionKind::Coverage => option.complete::<CoverageWay>(),
            DecisionKind::Check => option.complete::<CheckWay>(),
        }
    }
}

/// Which ways to answer there are.
enum Offers<'a> {
    /// Those that the question lists; synonyms count.
    Listed(&'a Asked<'a>),
    /// All of its kind, as they are kept on record.
    All,
}

impl Offers<'_> {
    fn has<W: Way>(&self, way: W) -> bool {
        match self {
            Self::Listed(asked) => asked.offers(way),
            Self::All => true,
        }
    }
}

/// Why something is no answer.
struct Wrong {
    why: &'static str,
    /// How the answer was understood, and examples of such that can be taken.
    unfit: Option<(String, &'static [&'static str])>,
}

impl Wrong {
    fn because(why: &'static str) -> Self {
        Self { why, unfit: None }
    }

    fn told(self, asked: &Asked<'_>, given: &str) -> Refusal {
        let (given, expected) = match self.unfit {
            Some((understood, examples)) => {
                (understood, examples.iter().map(|example| (*example).to_owned()).collect())
            }
            None => {
                let expected = match asked.kind {
                    DecisionKind::Info => vec!["any text".to_owned()],
                    _ => asked.options.iter().map(|option| option.answer.clone()).collect(),
                };
                (given.chars().take(80).collect(), expected)
            }
        };
        let id = asked.id.clone();
        Refusal::BadAnswer { id, given, why: self.why.to_owned(), expected }
    }
}

fn choice(
    kind: DecisionKind,
    offers: &Offers<'_>,
    given: &str,
    reason: Option<&str>,
) -> Result<Choice, Wrong> {
    if kind == DecisionKind::Info {
        return information(given).map(Choice::Info);
    }
    let typed = Typed::of(given, reason);
    if typed.means(CancelWay::Cancel) && offers.has(CancelWay::Cancel) {
        return typed.read(offers).map(Choice::Cancel);
    }
    if typed.means(CancelWay::Cancel) {
        return Err(Wrong::because(
            ": this question offers no cancel; `tollgate cancel` ends the session",
        ));
    }
    Ok(match kind {
        DecisionKind::Approve => Choice::Approve(match Approval::said(given, reason) {
            Some(Ok(approval)) => ApproveAnswer::Approved(approval),
            Some(Err(_)) => return Err(Wrong::because("")),
            None => typed.read(offers)?,
        }),
        DecisionKind::Strategy => Choice::Strategy(match offers {
            Offers::Listed(_) => {
                kinds::strategy_meant(given).map_or_else(|| typed.read(offers), Ok)?
            }
            Offers::All => typed.read(offers)?,
        }),
        DecisionKind::Notes => Choice::Notes(typed.read(offers)?),
        DecisionKind::Repair => Choice::Repair(typed.read(offers)?),
        DecisionKind::Security => Choice::Security(typed.read(offers)?),
        DecisionKind::Justify => Choice::Justify(typed.read(offers)?),
        DecisionKind::Escalation => Choice::Escalation(typed.read(offers)?),
        DecisionKind::Info => Choice::Info(information(given)?),
        DecisionKind::Scope => Choice::Scope(typed.read(offers)?),
        DecisionKind::ManualCheck => Choice::ManualCheck(typed.read(offers)?),
        DecisionKind::Coverage => Choice::Coverage(typed.read(offers)?),
        DecisionKind::Check => Choice::Check(typed.read(offers)?),
    })
}

fn information(given: &str) -> Result<InfoAnswer, Wrong> {
    let text = Some(given).filter(|text| says_something(text));
    InfoAnswer::make(InfoWay::Text, text).map_err(|_| Wrong::because(": it is empty"))
}

/// An answer as it was typed: a keyword, and words after a colon or given beside it.
struct Typed<'a> {
    keyword: &'a str,
    inline: Option<&'a str>,
    reason: Option<&'a str>,
}

impl<'a> Typed<'a> {
    fn of(given: &'a str, reason: Option<&'a str>) -> Self {
        let (keyword, text) = given.split_once(':').unwrap_or((given, ""));
        let inline = Some(text.trim()).filter(|text| says_something(text));
        Self { keyword: keyword.trim(), inline, reason }
    }

    fn means(&self, way: impl Way) -> bool {
        way.keyword() == self.keyword
    }

    /// The same keyword may stand for one way without words and another one with them.
    fn read<K: Kind>(&self, offers: &Offers<'_>) -> Result<K, Wrong> {
        let is_named = |way: &K::Way| self.means(*way) && offers.has(*way);
        let named = || K::Way::ALL.iter().copied().filter(is_named);
        let with_words = named().find(|way| way.needs_words() != NeedsWords::No);
        let alone = named().find(|way| way.needs_words() == NeedsWords::No);
        let words = self.inline.or(self.reason.filter(|_| with_words.is_some()));
        let way = match (words, alone, with_words) {
            (_, None, None) => return Err(Wrong::because("")),
            (Some(_), Some(_), None) => return Err(Wrong::because(": this answer takes no text")),
            (Some(_), _, Some(way)) | (None, Some(way), _) | (None, None, Some(way)) => way,
        };
        K::make(way, words).map_err(|unread| match unread {
            Unread::Missing => Wrong::because(": it needs text after the colon"),
            Unread::Unfit { why, examples } => {
                let understood = format!("{}: {}", self.keyword, words.unwrap_or_default());
                Wrong { why, unfit: Some((understood, examples)) }
            }
        })
    }
}
