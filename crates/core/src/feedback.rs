//! What an agent is told beyond its task, and which findings that names.

use crate::event::Finding;
use crate::id::FindingId;
use std::collections::BTreeSet;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Feedback {
    pub lines: Vec<String>,
    /// Who was told of a finding and does not report it again has fixed it.
    pub findings: BTreeSet<FindingId>,
}

impl Feedback {
    /// Tells of findings, a line for each.
    pub(crate) fn of<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Self {
        let told = findings.into_iter().map(|finding| (finding.report.in_words(), finding.id));
        let (lines, findings) = told.unzip();
        Self { lines, findings }
    }

    pub(crate) fn and(mut self, more: impl Into<Self>) -> Self {
        let more = more.into();
        self.lines.extend(more.lines);
        self.findings.extend(more.findings);
        self
    }

    /// As events have it. Where nothing is told, there is nothing to name.
    pub(crate) fn named(&self) -> Option<Vec<FindingId>> {
        (!self.lines.is_empty()).then(|| self.findings.iter().copied().collect())
    }
}

/// Lines that name no finding.
impl From<Vec<String>> for Feedback {
    fn from(lines: Vec<String>) -> Self {
        Self { lines, findings: BTreeSet::new() }
    }
}
