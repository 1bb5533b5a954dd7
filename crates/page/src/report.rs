//! A session in one document for people: as Markdown, or as one HTML file that needs nothing from anywhere.

mod changed;
mod document;
mod entries;
mod markdown;
mod text;

use crate::when;
use changed::Changed;
use serde::Serialize;
use std::path::Path;
use tollgate_core::event::{CriterionResult, FindingStatus};
use tollgate_core::id::ContentHash;
use tollgate_core::time::Timestamp;
use tollgate_core::view::{Audit, CriterionView, FindingView, Standing, View};
use tollgate_desk::chronicle::Chronicle;
use tollgate_desk::{ChangedLines, LogLine, Opened, OpenedError};
use tollgate_host::client::{Since, Verified};

/// Documents of more bytes in all are named and not shown.
const DOCUMENTS_BYTES_MAX: usize = 4 << 20;

/// All that a report tells, read once.
#[derive(Debug)]
pub struct Report {
    repository: String,
    is_running: bool,
    /// It was read from an archive, and commands about the session lead nowhere.
    is_apart: bool,
    made_at: Timestamp,
    view: View,
    audit: Audit,
    chain: Verified,
    chronicle: Chronicle,
    lines: Vec<LogLine>,
    changed: Changed,
    documents: Vec<Document>,
}

/// A file of the session as it is now.
#[derive(Debug)]
struct Document {
    path: String,
    /// As the journal recorded it.
    sha256: ContentHash,
    since: Since,
    /// None where it is gone or too large.
    text: Option<String>,
}

impl Document {
    fn since_words(&self) -> &'static str {
        match self.since {
            Since::AsRecorded => "as recorded",
            Since::WrittenByUs => "as recorded, but for what Tollgate wrote into it",
            Since::Changed => "changed after it was recorded",
            Since::Missing => "missing",
        }
    }

    fn is_another(&self) -> bool {
        matches!(self.since, Since::Changed | Since::Missing)
    }
}

/// The same for programs.
#[derive(Debug, Serialize)]
pub struct ReportJson<'a> {
    pub schema_version: u32,
    pub repository: &'a str,
    pub made_at: Timestamp,
    pub chain: ChainJson<'a>,
    pub status: &'a View,
    pub audit: &'a Audit,
    pub changed_lines: &'a [ChangedLines],
}

#[derive(Debug, Serialize)]
pub struct ChainJson<'a> {
    pub records: u64,
    pub last_hash: &'a str,
}

impl Report {
    /// A journal that is damaged has no report.
    pub fn of(opened: &mut Opened, state: Option<&Path>) -> Result<Self, OpenedError> {
        let chain = opened.verify(state)?;
        Self::with(opened, chain)
    }

    /// Of a session whose journal was verified.
    pub fn with(opened: &mut Opened, chain: Verified) -> Result<Self, OpenedError> {
        let view = opened.view()?;
        Ok(Self {
            repository: opened.repo.name.clone(),
            is_running: opened.is_running(),
            is_apart: opened.is_apart(),
            made_at: when::now(),
            audit: opened.audit()?,
            chain,
            chronicle: opened.chronicle().clone(),
            lines: opened.lines().to_vec(),
            changed: Changed::of(opened, &view),
            documents: documents(opened, &view),
            view,
        })
    }

    /// One HTML file: no script, no request.
    pub fn html(&self) -> String {
        document::render(self).into_string()
    }

    pub fn markdown(&self) -> String {
        markdown::render(self)
    }

    pub fn json(&self) -> ReportJson<'_> {
        let Self { repository, made_at, view, audit, chain, .. } = self;
        ReportJson {
            schema_version: view.schema_version,
            repository,
            made_at: *made_at,
            chain: ChainJson { records: chain.records, last_hash: &chain.last_hash },
            status: view,
            audit,
            changed_lines: &self.changed.files,
        }
    }

    /// Until when it took, or takes.
    fn until(&self) -> Timestamp {
        if self.view.route.standing.is_over() { self.view.updated_at } else { self.made_at }
    }

    /// Findings that a person took the risk of.
    fn accepted_risks(&self) -> Vec<&FindingView> {
        let all = self.view.results.findings.iter();
        all.filter(|finding| finding.status == FindingStatus::Accepted).collect()
    }

    fn open_findings(&self) -> usize {
        let all = self.view.results.findings.iter();
        all.filter(|finding| finding.status == FindingStatus::Open).count()
    }

    fn criteria_met(&self) -> usize {
        let is_met = |one: &&CriterionView| matches!(one.result, Some(CriterionResult::Met { .. }));
        self.view.work.criteria.iter().filter(is_met).count()
    }

    /// Criteria that a person or a rule let go, and why.
    fn waived(&self) -> impl Iterator<Item = (&CriterionView, &str)> {
        self.view.work.criteria.iter().filter_map(|one| match &one.result {
            Some(CriterionResult::Waived { reason }) => Some((one, reason.as_str())),
            _ => None,
        })
    }

    fn standing_words(&self) -> &'static str {
        match self.view.route.standing {
            Standing::Working if self.is_running => "at work",
            Standing::Working => "not running",
            Standing::YourTurn => "waits for a person",
            Standing::Blocked => "blocked",
            Standing::Cancelled => "cancelled",
            Standing::Done => "done",
        }
    }
}

/// What is read of them is bounded.
fn documents(opened: &Opened, view: &View) -> Vec<Document> {
    let mut left = DOCUMENTS_BYTES_MAX;
    let artefacts = view.results.artefacts.iter();
    artefacts
        .map(|artefact| {
            let text = opened.artefact(view, &artefact.path).filter(|text| text.len() <= left);
            left -= text.as_ref().map_or(0, String::len);
            let since = opened.client().since_recorded(&artefact.path).unwrap_or(Since::Missing);
            Document { path: artefact.path.clone(), sha256: artefact.sha256.clone(), since, text }
        })
        .collect()
}
