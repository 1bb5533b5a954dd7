//! What was found, assumed and noticed, and whether the session can continue.

use crate::decision::Blocker;
use crate::event::Finding;
use crate::finding::FindingStatus;
use crate::id::{DispatchNumber, FindingId};
use crate::notice::NoticeCode;
use crate::time::Timestamp;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Record {
    pub findings: Vec<Finding>,
    pub assumptions: Vec<String>,
    pub known_issues: Vec<String>,
    pub manual_steps: Vec<ManualStep>,
    pub notices: Vec<Notice>,
    pub imported: Option<Imported>,
}

/// What is remembered of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    pub folder: String,
    /// The step that the session had come to.
    pub(crate) reached: usize,
}

/// What an agent leaves to a person to do by hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManualStep {
    pub dispatch: DispatchNumber,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    pub at: Timestamp,
    pub code: NoticeCode,
    pub message: String,
}

/// What stands in the way, and whether the session is done.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Standing {
    pub blocker: Option<Blocker>,
    pub closed: bool,
}

impl Record {
    /// A new finding, or a known one once more.
    pub(super) fn find(&mut self, finding: &Finding) {
        match self.findings.iter_mut().find(|known| known.id == finding.id) {
            Some(known) => *known = finding.clone(),
            None => self.findings.push(finding.clone()),
        }
    }

    pub(super) fn settle(&mut self, id: FindingId, status: FindingStatus) {
        if let Some(finding) = self.findings.iter_mut().find(|finding| finding.id == id) {
            finding.status = status;
        }
    }
}
