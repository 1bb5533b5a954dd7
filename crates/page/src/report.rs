//! A session in one document for people: as Markdown, or as one HTML file that needs nothing from anywhere.

use serde::Serialize;
use std::path::Path;
use tollgate_core::view::{Audit, View};
use tollgate_desk::{Opened, OpenedError};
use tollgate_host::client::Verified;

/// All that a report tells, read once.
#[derive(Debug)]
pub struct Report {
    view: View,
    audit: Audit,
    chain: Verified,
}

/// The same for programs.
#[derive(Debug, Serialize)]
pub struct ReportJson<'a> {
    pub status: &'a View,
    pub audit: &'a Audit,
    pub chain: ChainJson<'a>,
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
        let view = opened.view()?;
        let audit = opened.audit()?;
        Ok(Self { view, audit, chain })
    }

    pub fn markdown(&self) -> String {
        format!("# {}\n", self.view.goal)
    }

    pub fn html(&self) -> String {
        format!("<!doctype html><title>{}</title>\n", self.view.session)
    }

    pub fn json(&self) -> ReportJson<'_> {
        let Self { view, audit, chain } = self;
        let chain = ChainJson { records: chain.records, last_hash: &chain.last_hash };
        ReportJson { status: view, audit, chain }
    }
}
