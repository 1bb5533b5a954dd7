//! What a notice is about.

use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum NoticeCode {
    AgentFallback,
    BaseUnrelated,
    BudgetUnknown,
    ImportAgain,
    ImportContinues,
    ImportRepaired,
    JournalOlderAccepted,
    NotifyFailed,
    ProjectionPutBack,
    ReleaseTagRefused,
    ReportIncomplete,
    TasksUnreachable,
    TelemetryFailed,
    TrackerFailed,
    WorkDropped,
    WorkOddDocument,
    WorkNotAllowed,
    WorkStatusClaim,
    WorkTooLarge,
    /// Of another version; its journal stays readable.
    Unknown(String),
}

/// Each code with its word in journals.
const WORDS: [(NoticeCode, &str); 19] = [
    (NoticeCode::AgentFallback, "agent.fallback"),
    (NoticeCode::BaseUnrelated, "base.unrelated"),
    (NoticeCode::BudgetUnknown, "budget.unknown"),
    (NoticeCode::ImportAgain, "import.again"),
    (NoticeCode::ImportContinues, "import.continues"),
    (NoticeCode::ImportRepaired, "import.repaired"),
    (NoticeCode::JournalOlderAccepted, "journal.older_accepted"),
    (NoticeCode::NotifyFailed, "notify.failed"),
    (NoticeCode::ProjectionPutBack, "projection.put_back"),
    (NoticeCode::ReleaseTagRefused, "release.tag_refused"),
    (NoticeCode::ReportIncomplete, "report.incomplete"),
    (NoticeCode::TasksUnreachable, "tasks.unreachable"),
    (NoticeCode::TelemetryFailed, "telemetry.failed"),
    (NoticeCode::TrackerFailed, "tracker.failed"),
    (NoticeCode::WorkDropped, "work.dropped"),
    (NoticeCode::WorkOddDocument, "work.odd_document"),
    (NoticeCode::WorkNotAllowed, "work.not_allowed"),
    (NoticeCode::WorkStatusClaim, "work.status_claim"),
    (NoticeCode::WorkTooLarge, "work.too_large"),
];

impl NoticeCode {
    /// The words of all that this version writes.
    pub fn words() -> impl Iterator<Item = &'static str> {
        WORDS.iter().map(|(_, word)| *word)
    }

    pub fn as_str(&self) -> &str {
        match self {
            Self::Unknown(word) => word,
            known => WORDS.iter().find(|(code, _)| code == known).map_or("", |(_, word)| word),
        }
    }
}

impl From<String> for NoticeCode {
    fn from(word: String) -> Self {
        let known = WORDS.into_iter().find(|(_, known)| *known == word);
        known.map_or(Self::Unknown(word), |(code, _)| code)
    }
}

impl From<NoticeCode> for String {
    fn from(code: NoticeCode) -> Self {
        code.as_str().to_owned()
    }
}

impl fmt::Display for NoticeCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_written_as_its_word_and_read_again_also_one_of_another_version() {
        for word in WORDS.map(|(_, word)| word).into_iter().chain(["new.code"]) {
            let code = NoticeCode::from(word.to_owned());
            assert_eq!(matches!(code, NoticeCode::Unknown(_)), word == "new.code");
            assert_eq!(String::from(code), word);
        }
    }
}
