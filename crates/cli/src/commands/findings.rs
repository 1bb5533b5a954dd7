//! `tollgate findings`: what was found in a session, for people, scripts and code scanning services.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{output, place};
use clap::Args;
use serde::Serialize;
use tollgate_contract::sarif::{self, SarifFinding};
use tollgate_core::event::{Finding, FindingStatus};
use tollgate_core::id::SessionName;
use tollgate_core::reply::Severity;
use tollgate_core::role::Role;

/// List the findings of a session
///
/// Without --all only those that still matter: open, tracked and accepted ones. Fixed ones are left out.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tollgate findings\n  tollgate findings latest --json\n  \
                        tollgate findings --sarif > findings.sarif")]
pub struct Findings {
    /// A name, a unique prefix, or `latest`
    #[arg(default_value = "latest")]
    pub session: String,
    /// Print JSON
    #[arg(long, conflicts_with = "sarif")]
    pub json: bool,
    /// Print SARIF 2.1.0, as code scanning services read it
    #[arg(long)]
    pub sarif: bool,
    /// Also list what was fixed
    #[arg(long)]
    pub all: bool,
}

impl Findings {
    pub fn run(self) -> Result<Exit, Failure> {
        let (name, _, session) = place::Place::find()?.begun(&self.session)?;
        let is_shown = |finding: &&Finding| self.all || finding.status != FindingStatus::Fixed;
        let findings: Vec<&Finding> = session.findings.iter().filter(is_shown).collect();
        if self.sarif {
            let findings: Vec<SarifFinding> = findings.into_iter().map(as_sarif).collect();
            output::json(&sarif::document(&findings, env!("CARGO_PKG_VERSION")));
        } else if self.json {
            output::json(&findings.into_iter().map(Row::of).collect::<Vec<_>>());
        } else if findings.is_empty() {
            output::talk(&none_shown(&name, session.findings.len()));
        } else {
            let lines: Vec<String> =
                findings.into_iter().map(|finding| Row::of(finding).line()).collect();
            output::data_rows(&lines);
        }
        Ok(Exit::Ok)
    }
}

/// Explains an empty list. Fixed findings are not listed.
fn none_shown(name: &SessionName, fixed: usize) -> String {
    match fixed {
        0 => format!("{name} has no findings"),
        1 => format!("{name} has no open findings; 1 was fixed, `--all` lists it"),
        _ => format!("{name} has no open findings; {fixed} were fixed, `--all` lists them"),
    }
}

#[derive(Debug, Serialize)]
struct Row<'a> {
    id: String,
    severity: Severity,
    source: Role,
    category: &'a str,
    file: Option<&'a str>,
    line: Option<&'a str>,
    message: &'a str,
    status: FindingStatus,
}

impl<'a> Row<'a> {
    fn of(finding: &'a Finding) -> Self {
        Self {
            id: format!("F-{}", finding.id),
            severity: finding.report.severity,
            source: finding.source,
            category: &finding.report.category,
            file: finding.report.file.as_deref(),
            line: finding.report.line.as_deref(),
            message: &finding.report.message,
            status: finding.status,
        }
    }

    fn line(&self) -> String {
        let place = match (self.file, self.line) {
            (Some(file), Some(line)) => format!("{file}:{line}"),
            (Some(file), None) => file.to_owned(),
            (None, _) => "-".to_owned(),
        };
        let message = self.message.replace('\n', " ");
        let (severity, source, status) =
            (self.severity.as_str(), self.source.as_str(), self.status.as_str());
        format!("{:<5} {severity:<8} {status:<8} {source:<10} {place}  {message}", self.id)
    }
}

fn as_sarif(finding: &Finding) -> SarifFinding {
    SarifFinding {
        id: format!("F-{}", finding.id),
        severity: finding.report.severity,
        source: finding.source.as_str().to_owned(),
        category: finding.report.category.clone(),
        file: finding.report.file.clone(),
        line: finding.report.line.clone(),
        message: finding.report.message.clone(),
        status: finding.status,
    }
}
