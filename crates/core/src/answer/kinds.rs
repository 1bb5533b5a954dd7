//! One enum for each kind of question: every way to answer it, what is typed for it, and the words that it takes.

use super::way::{NeedsWords, Way};
use super::words::{Approval, Extension, FreeText, Minimum, NewCommand, Said, Unread, Words};
use crate::role::spelled;
use crate::task::Strategy;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Which enum of answers belongs to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DecisionKind {
    Approve,
    Strategy,
    Notes,
    Repair,
    Security,
    Justify,
    Escalation,
    Info,
    Scope,
    ManualCheck,
    Coverage,
    Check,
}

spelled!(DecisionKind {
    Approve = "approve",
    Strategy = "strategy",
    Notes = "notes",
    Repair = "repair",
    Security = "security",
    Justify = "justify",
    Escalation = "escalation",
    Info = "info",
    Scope = "scope",
    ManualCheck = "manual-check",
    Coverage = "coverage",
    Check = "check",
});

/// An answer of one kind.
pub trait Kind: Sized {
    type Way: Way;

    fn make(way: Self::Way, words: Option<&str>) -> Result<Self, Unread>;

    fn way(&self) -> Self::Way;

    /// The form that is kept on record.
    fn canonical(&self) -> String;
}

/// Makes the answers of one kind, and the same ways without their words for the options. Each line: the answer, the words
/// that it takes, its id, and what is typed for it.
macro_rules! kind {
    ($(#[$doc:meta])* $answer:ident, $way:ident {
        $($variant:ident $(($words:ident: $said:ty))? = $id:literal, $form:literal;)+
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum $answer { $($variant $(($said))?),+ }

        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $way { $($variant),+ }

        impl Way for $way {
            const ALL: &'static [Self] = &[$(Self::$variant),+];

            fn id(self) -> &'static str {
                match self { $(Self::$variant => $id),+ }
            }

            fn form(self) -> &'static str {
                match self { $(Self::$variant => $form),+ }
            }

            fn needs_words(self) -> NeedsWords {
                match self { $(Self::$variant => kind!(@needs $($said)?)),+ }
            }
        }

        impl Kind for $answer {
            type Way = $way;

            #[allow(unused_variables, reason = "a kind may have no answer that takes words")]
            fn make(way: $way, words: Option<&str>) -> Result<Self, Unread> {
                Ok(match way {
                    $($way::$variant => Self::$variant $((<$said as Said>::read(words)?))?),+
                })
            }

            fn way(&self) -> $way {
                match self { $(Self::$variant { .. } => $way::$variant),+ }
            }

            fn canonical(&self) -> String {
                match self {
                    $(Self::$variant $(($words))? => kind!(@canonical $way::$variant $($words)?)),+
                }
            }
        }
    };
    (@needs) => { NeedsWords::No };
    (@needs $said:ty) => { <$said as Said>::NEEDS };
    (@canonical $way:ident :: $variant:ident) => { $way::$variant.keyword().to_owned() };
    (@canonical $way:ident :: $variant:ident $words:ident) => { $words.canonical($way::$variant.keyword()) };
}

kind! {
    /// Ends the session. Offered where the question is whether the work continues at all.
    Cancel, CancelWay {
        Cancel(reason: Words) = "cancel", "cancel: TEXT";
    }
}

kind! {
    /// Of an approve gate.
    ApproveAnswer, ApproveWay {
        Approved(said: Approval) = "approved", "approved";
        ChangesRequested(words: Words) = "changes-requested", "changes-requested: TEXT";
    }
}

kind! {
    /// About the notes of a review, or about weakened tests.
    NotesAnswer, NotesWay {
        Accept = "accept", "accept";
        Fix = "fix", "fix";
        FixNamed(words: Words) = "fix-named", "fix: TEXT";
    }
}

kind! {
    /// How a repair loop continues that has used its budget or does not converge.
    RepairAnswer, RepairWay {
        DifferentApproach(words: Words) = "different-approach", "different-approach: TEXT";
        AcceptWithKnownIssues(words: Words) = "accept-with-known-issues", "accept-with-known-issues: TEXT";
        Simplify(words: Words) = "simplify", "simplify: TEXT";
        Guidance(words: Words) = "guidance", "guidance: TEXT";
        Full(words: Words) = "full", "full: TEXT";
    }
}

kind! {
    /// About one finding of Security.
    SecurityAnswer, SecurityWay {
        FixNow = "fix-now", "fix-now";
        FixLater(reason: Words) = "fix-later", "fix-later: TEXT";
        AcceptRisk(reason: Words) = "accept-risk", "accept-risk: TEXT";
    }
}

kind! {
    /// About grave findings that stop the work.
    JustifyAnswer, JustifyWay {
        Fix = "fix", "fix";
        Approve(reason: Words) = "approve", "approve: TEXT";
    }
}

kind! {
    /// About a dispatch, a limit or a file that stopped the session.
    EscalationAnswer, EscalationWay {
        Retry = "retry", "retry";
        RetryWithGuidance(words: Words) = "retry-with-guidance", "retry: GUIDANCE";
        RetryWith(agent: Words) = "retry-with", "retry-with: AGENT";
        Extend(extension: Extension) = "extend", "extend: DURATION";
        Skip = "skip", "skip";
        ManualFix = "manual-fix", "manual-fix";
        Full(words: Words) = "full", "full: TEXT";
    }
}

kind! {
    /// To a question of an agent or of a plan.
    InfoAnswer, InfoWay {
        Text(text: FreeText) = "text", "TEXT";
    }
}

kind! {
    /// About files outside of a task's scope.
    ScopeAnswer, ScopeWay {
        Allow = "allow", "allow";
        Refuse(reason: Words) = "refuse", "refuse: TEXT";
    }
}

kind! {
    /// About checks that only a person can make.
    ManualCheckAnswer, ManualCheckWay {
        Met = "met", "met";
        NotMet(words: Words) = "not-met", "not-met: TEXT";
        Waived(reason: Words) = "waived", "waived: TEXT";
    }
}

kind! {
    /// About coverage below its minimum.
    CoverageAnswer, CoverageWay {
        Fix = "fix", "fix";
        Lower(minimum: Minimum) = "lower", "lower: N TEXT";
        Override(reason: Words) = "override", "override: TEXT";
    }
}

kind! {
    /// About a check that cannot run here, or that failed before the session began.
    CheckAnswer, CheckWay {
        FixCheck(command: NewCommand) = "fix-check", "fix-check: COMMAND";
        Waive(reason: Words) = "waive", "waive: TEXT";
        Repair = "repair", "repair";
        ManualFix = "manual-fix", "manual-fix";
        Retry = "retry", "retry";
    }
}

kind! {
    /// How the work is reviewed, or what is wrong with the plan.
    StrategyAnswer, StrategyWay {
        PerBatch = "per-batch", "per-batch";
        SingleFinal = "single-final", "single-final";
        ChangesRequested(words: Words) = "changes-requested", "changes-requested: TEXT";
    }
}

impl StrategyAnswer {
    /// None when the plan is sent back.
    pub fn strategy(&self) -> Option<Strategy> {
        match self {
            Self::PerBatch => Some(Strategy::PerBatch),
            Self::SingleFinal => Some(Strategy::SingleFinal),
            Self::ChangesRequested(_) => None,
        }
    }
}

/// The strategy that an obvious synonym means.
pub(super) fn strategy_meant(given: &str) -> Option<StrategyAnswer> {
    let letters: String =
        given.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    let core = letters.strip_suffix("review").unwrap_or(&letters);
    match core {
        "perbatch" | "batch" | "perbatches" | "pertask" => Some(StrategyAnswer::PerBatch),
        "singlefinal" | "single" | "final" | "finalonly" | "onefinal" => {
            Some(StrategyAnswer::SingleFinal)
        }
        _ => None,
    }
}
