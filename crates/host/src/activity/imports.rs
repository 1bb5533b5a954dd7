//! Findings that a reviewing role leaves as a report of a tool: SARIF, or test results as JUnit XML.

use super::outputs::Declared;
use crate::files;
use std::path::Path;
use tollgate_contract::{junit, sarif};
use tollgate_core::limits::ARTEFACT_BYTES_MAX;
use tollgate_core::reply::{ReplyError, ReportedFinding, Severity};

/// What the declared reports say, or what is wrong with them.
pub fn findings(tree: &Path, declared: &Declared) -> Result<Vec<ReportedFinding>, Vec<ReplyError>> {
    let mut found = Vec::new();
    let mut errors = Vec::new();
    for path in &declared.repository {
        let is_sarif = path.ends_with(".sarif") || path.ends_with(".sarif.json");
        if !is_sarif && !path.ends_with(".xml") {
            continue;
        }
        let Ok(bytes) = files::read_beneath(tree, path, ARTEFACT_BYTES_MAX) else {
            continue;
        };
        let text = String::from_utf8_lossy(&bytes);
        let read = if is_sarif { sarif::read(&text, path) } else { test_failures(&text, path) };
        match read {
            Ok(more) => found.extend(more),
            Err(report) => errors.extend(report.reply_errors()),
        }
    }
    if errors.is_empty() { Ok(found) } else { Err(errors) }
}

fn test_failures(
    text: &str,
    path: &str,
) -> Result<Vec<ReportedFinding>, tollgate_contract::diagnostic::Report> {
    let run = junit::read(text, path)?;
    let finding = |failure: junit::TestFailure| ReportedFinding {
        severity: Severity::High,
        category: "test-failure".to_owned(),
        file: failure.file,
        line: failure.line.map(|line| line.to_string()),
        message: format!("test {} {} fails: {}", failure.class, failure.name, failure.message),
        fix: None,
        is_nit: false,
    };
    Ok(run.failures.into_iter().map(finding).collect())
}
