//! What was found: by a role, or by the engine itself. What happens to a finding depends on its origin, never on its words.

use crate::id::{CommitId, DispatchNumber, FindingId, TaskRef};
use crate::reply::ReportedFinding;
use crate::role::{Role, spelled};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The category of findings about tests that a change weakens.
pub const WEAKENED: &str = "weakened-tests";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Record", into = "Record")]
pub struct Finding {
    pub id: FindingId,
    pub origin: FindingOrigin,
    pub task: TaskRef,
    pub report: ReportedFinding,
    pub status: FindingStatus,
    /// How often it was reported.
    pub times: u32,
}

impl Finding {
    /// Who found it. The engine's own findings count as the Orchestrator's.
    pub fn source(&self) -> Role {
        self.origin.role()
    }

    /// It stands until a person has decided about it or the tests are back: nothing else settles it.
    pub fn is_weakening(&self) -> bool {
        self.origin == FindingOrigin::WeakenedTest
    }

    pub fn is_open(&self) -> bool {
        self.status == FindingStatus::Open
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum FindingOrigin {
    /// A role reported it.
    Role { role: Role },
    /// A command that the engine ran fails although the work was called done.
    Check { command: String },
    /// A gate of the lifecycle stage fails.
    Gate { command: String },
    /// A command fails, and did so on the base revision already.
    PreExisting { command: String },
    /// A change weakens tests, or what decides whether they pass.
    WeakenedTest,
    /// A changed file is outside the scope of its task.
    Scope,
    /// A file is larger than the limits.
    Size,
    /// What this dispatch changed does not go together with what another one changed at the same time.
    MergeConflict { dispatch: DispatchNumber },
    /// What the session changed does not go together with this commit of the person's branch.
    BaseConflict { base: CommitId },
}

impl FindingOrigin {
    pub fn role(&self) -> Role {
        match self {
            Self::Role { role } => *role,
            Self::Check { .. }
            | Self::Gate { .. }
            | Self::PreExisting { .. }
            | Self::WeakenedTest
            | Self::Scope
            | Self::Size
            | Self::MergeConflict { .. }
            | Self::BaseConflict { .. } => Role::Orchestrator,
        }
    }

    /// The command whose next run shows whether it is still so.
    pub fn command(&self) -> Option<&str> {
        match self {
            Self::Check { command } | Self::Gate { command } => Some(command),
            _ => None,
        }
    }

    /// The category under which the engine's own findings are shown.
    pub fn category(&self) -> &'static str {
        match self {
            Self::Role { .. } => "",
            Self::Check { .. } | Self::Gate { .. } => "check",
            Self::PreExisting { .. } => "pre-existing",
            Self::WeakenedTest => WEAKENED,
            Self::Scope => "scope",
            Self::Size => "size",
            Self::MergeConflict { .. } => "merge-conflict",
            Self::BaseConflict { .. } => "base-conflict",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingStatus {
    /// Must be repaired or decided.
    Open,
    Fixed,
    /// A person took the risk.
    Accepted,
    /// Kept for later; it stops nothing.
    Tracked,
}

spelled!(FindingStatus {
    Open = "open",
    Fixed = "fixed",
    Accepted = "accepted",
    Tracked = "tracked",
});

/// A finding as journals have it. Earlier versions wrote no origin.
#[derive(Serialize, Deserialize)]
struct Record {
    id: FindingId,
    source: Role,
    task: TaskRef,
    report: ReportedFinding,
    status: FindingStatus,
    times: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    origin: Option<FindingOrigin>,
}

impl From<Record> for Finding {
    fn from(record: Record) -> Self {
        let Record { id, source, task, report, status, times, origin } = record;
        let origin = origin.unwrap_or_else(|| origin_in_earlier_journals(source, &report));
        Self { id, origin, task, report, status, times }
    }
}

impl From<Finding> for Record {
    fn from(finding: Finding) -> Self {
        let source = finding.source();
        let Finding { id, origin, task, report, status, times } = finding;
        // What a role reports is told by its source.
        let origin = (source == Role::Orchestrator).then_some(origin);
        Self { id, source, task, report, status, times, origin }
    }
}

/// The one place where words tell what a finding is: journals of earlier versions say it in no other way.
fn origin_in_earlier_journals(source: Role, report: &ReportedFinding) -> FindingOrigin {
    let by_role = FindingOrigin::Role { role: source };
    if source != Role::Orchestrator {
        return by_role;
    }
    let quoted = |before: &str, after: &str| {
        let rest = report.message.split_once(before)?.1;
        Some(rest.split_once(after)?.0.to_owned())
    };
    let origin = match report.category.as_str() {
        WEAKENED => Some(FindingOrigin::WeakenedTest),
        "scope" => Some(FindingOrigin::Scope),
        "size" => Some(FindingOrigin::Size),
        "check" => quoted(" but `", "` fails").map(|command| {
            match command.starts_with("gate ") || command == "lifecycle" {
                true => FindingOrigin::Gate { command },
                false => FindingOrigin::Check { command },
            }
        }),
        "pre-existing" => {
            quoted("`", "` failed").map(|command| FindingOrigin::PreExisting { command })
        }
        "merge-conflict" => quoted("dispatch ", " ")
            .and_then(|number| number.parse().ok())
            .map(|number| FindingOrigin::MergeConflict { dispatch: DispatchNumber(number) }),
        _ => None,
    };
    origin.unwrap_or(by_role)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    fn read(source: &str, category: &str, message: &str) -> Finding {
        let line = serde_json::json!({
            "id": 1, "source": source, "task": "meta", "status": "open", "times": 1,
            "report": {"severity": "high", "category": category, "message": message},
        });
        serde_json::from_value(line).unwrap()
    }

    #[test]
    fn an_earlier_journal_without_origins_is_read() {
        let origin = |category: &str, message: &str| read("Orchestrator", category, message).origin;
        let command = |text: &str| text.to_owned();
        assert_eq!(
            origin("check", "the work was reported as done but `make a` fails: exit code 1"),
            FindingOrigin::Check { command: command("make a") }
        );
        assert_eq!(
            origin("check", "the work was reported as done but `gate lint: x` fails: exit code 1"),
            FindingOrigin::Gate { command: command("gate lint: x") }
        );
        assert_eq!(
            origin("pre-existing", "pre-existing: `make b` failed on the base revision already"),
            FindingOrigin::PreExisting { command: command("make b") }
        );
        assert_eq!(origin(WEAKENED, "a test is gone"), FindingOrigin::WeakenedTest);
        assert_eq!(origin("scope", "[Warning] a"), FindingOrigin::Scope);
        assert_eq!(origin("size", "[Warning] a"), FindingOrigin::Size);
        assert_eq!(
            origin("merge-conflict", "dispatch 7 and one that was at work both changed a"),
            FindingOrigin::MergeConflict { dispatch: DispatchNumber(7) }
        );
        assert_eq!(origin("odd", "words"), FindingOrigin::Role { role: Role::Orchestrator });
        assert_eq!(
            read("Reviewer", "check", "the work is done but `make a` fails").origin,
            FindingOrigin::Role { role: Role::Reviewer }
        );
    }

    #[test]
    fn what_is_written_is_read_as_the_same_finding() {
        for origin in [
            FindingOrigin::Role { role: Role::Security },
            FindingOrigin::Role { role: Role::Orchestrator },
            FindingOrigin::Gate { command: "odd `name` fails".to_owned() },
            FindingOrigin::MergeConflict { dispatch: DispatchNumber(3) },
        ] {
            let finding = Finding { origin, ..read("Reviewer", "check", "words") };
            let line = serde_json::to_string(&finding).unwrap();
            assert_eq!(serde_json::from_str::<Finding>(&line).unwrap(), finding, "{line}");
        }
        let line = serde_json::to_string(&read("Coder", "", "words")).unwrap();
        assert!(!line.contains("origin"), "a role's finding is written as before: {line}");
    }
}
