//! What happens to findings of checks that nobody runs any more, and the words of those that ran.

use crate::decide::draft::Draft;
use crate::event::{Event, Finding, FindingStatus};
use crate::id::FindingId;
use crate::task::Check;
use crate::work::CheckResult;

/// Commands that left the plan: nobody runs them again, so what they found is kept for later.
pub fn left(draft: &mut Draft<'_>, commands: &[String]) {
    let criteria = draft.plan.criteria.iter().flat_map(|criterion| &criterion.verify);
    let kept: Vec<String> = criteria.filter_map(Check::command).collect();
    let left: Vec<&String> = commands.iter().filter(|command| !kept.contains(command)).collect();
    let has_left = |finding: &&Finding| {
        let command = finding.origin.command();
        command.is_some_and(|command| left.iter().any(|known| *known == command))
    };
    let gone: Vec<FindingId> = draft
        .record
        .findings
        .iter()
        .filter(|finding| finding.is_open())
        .filter(has_left)
        .map(|finding| finding.id)
        .collect();
    for id in gone {
        let reason = Some("the check is no longer in the plan".to_owned());
        draft.emit(Event::FindingSettled { id, status: FindingStatus::Tracked, reason });
    }
}

/// A person waived the check: what it found is theirs.
pub fn waived(draft: &mut Draft<'_>, command: &str, reason: &str) {
    let of_check =
        |finding: &&Finding| finding.is_open() && finding.origin.command() == Some(command);
    let open: Vec<FindingId> =
        draft.record.findings.iter().filter(of_check).map(|finding| finding.id).collect();
    for id in open {
        let (status, reason) = (FindingStatus::Accepted, Some(reason.to_owned()));
        draft.emit(Event::FindingSettled { id, status, reason });
    }
}

/// In lines of their own; nothing where it said nothing.
pub fn last_output(result: &CheckResult) -> String {
    match result.output_tail.trim_end() {
        "" => String::new(),
        tail => format!("\nIts last output:\n{tail}"),
    }
}
