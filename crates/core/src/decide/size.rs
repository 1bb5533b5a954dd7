//! Files that are larger than the limits: warnings about each by name, or about their number where there are very many.

use super::draft::Draft;
use super::moves::finding;
use crate::event::{FindingOrigin, FindingStatus};
use crate::id::DispatchNumber;
use crate::limits::SCOPE_WARNINGS_MAX;
use crate::reply::{ReportedFinding, Severity};
use crate::work::SetAside;

/// They warn, and by themselves reject nothing.
pub(super) fn warn(draft: &mut Draft<'_>, number: DispatchNumber, set_aside: &[SetAside]) {
    let task = draft.dispatches[&number].task.clone();
    for large in set_aside.iter().take(SCOPE_WARNINGS_MAX) {
        let message = format!("[Warning] {large}");
        let report = ReportedFinding {
            file: Some(large.path.clone()),
            ..ReportedFinding::plain(Severity::Low, FindingOrigin::Size.category(), message)
        };
        finding::record(draft, FindingOrigin::Size, &task, &report, FindingStatus::Tracked);
    }
    if let Some(first) = set_aside.get(SCOPE_WARNINGS_MAX) {
        let more = set_aside.len() - SCOPE_WARNINGS_MAX;
        let message = format!(
            "[Warning] {} like this one: {first}",
            crate::count::counted(more, "more file")
        );
        let report = ReportedFinding::plain(Severity::Low, FindingOrigin::Size.category(), message);
        finding::record(draft, FindingOrigin::Size, &task, &report, FindingStatus::Tracked);
    }
}
