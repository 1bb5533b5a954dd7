//! `tollgate findings`: what was found in a session, for people, scripts and code scanning services.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{output, place};
use clap::Args;
use tollgate_contract::sarif::{self, SarifFinding};
use tollgate_core::event::FindingStatus;
use tollgate_core::id::SessionName;
use tollgate_core::sanitize::visible_name;
use tollgate_core::view::FindingView;

/// List the findings of a session
///
/// Without --all, lists only those that still matter: open, tracked and accepted ones, but not fixed ones.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tollgate findings\n  tollgate findings latest --json\n  \
                        tollgate findings --sarif > findings.sarif")]
pub struct Findings {
    /// A name, a unique part of one, a number of `tollgate sessions`, or `latest`
    #[arg(default_value = "latest")]
    pub session: String,
    /// Print JSON
    #[arg(long, conflicts_with = "sarif")]
    pub json: bool,
    /// Print SARIF 2.1.0 for code scanning services
    #[arg(long)]
    pub sarif: bool,
    /// Also list fixed findings
    #[arg(long)]
    pub all: bool,
}

impl Findings {
    pub fn run(self) -> Result<Exit, Failure> {
        let checkout = place::Checkout::find()?;
        let (_, view) = checkout.begun(&self.session)?;
        let is_shown = |finding: &&FindingView| self.all || finding.status != FindingStatus::Fixed;
        let findings: Vec<&FindingView> = view.results.findings.iter().filter(is_shown).collect();
        if self.sarif {
            let findings: Vec<SarifFinding> = findings.into_iter().map(as_sarif).collect();
            let root_file = place::root_file(checkout.layout.repo_root());
            output::json(&sarif::document(&findings, env!("CARGO_PKG_VERSION"), &root_file));
        } else if self.json {
            output::json(&findings);
        } else if findings.is_empty() {
            output::talk(&none_shown(&view.session, view.results.findings.len()));
        } else {
            output::data_rows(findings.into_iter().map(row));
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

fn row(finding: &FindingView) -> String {
    let place = match (&finding.file, &finding.line) {
        (Some(file), Some(line)) => format!("{}:{line}  ", visible_name(file)),
        (Some(file), None) => format!("{}  ", visible_name(file)),
        (None, _) => String::new(),
    };
    let FindingView { id, severity, status, source, .. } = finding;
    let message = finding.message.replace('\n', " ");
    format!("{id:<5} {severity:<8} {status:<8} {source:<10} {place}{message}")
}

fn as_sarif(finding: &FindingView) -> SarifFinding {
    SarifFinding {
        id: finding.id.clone(),
        severity: finding.severity,
        source: finding.source.as_str().to_owned(),
        category: finding.category.clone(),
        file: finding.file.clone(),
        line: finding.line.clone(),
        message: finding.message.clone(),
        status: finding.status,
    }
}
