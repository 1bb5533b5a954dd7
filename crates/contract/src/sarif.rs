//! Findings of scanners as SARIF 2.1.0: read into ours, and ours written for others.

mod message;
mod rules;
#[cfg(test)]
mod tests;
mod write;

pub use write::{SarifFinding, document};

use crate::diagnostic::{Report, quote, reports as say};
use crate::node::{Node, Value, pointer};
use crate::{json_file, report_path};
use rules::SarifRules;
use tollgate_core::reply::{ReportedFinding, Severity};

/// Scanners of large projects write tens of megabytes.
const BYTES_MAX: usize = 100_000_000;

/// Every result of every run that is neither suppressed nor gone; a path outside the repository stays text.
pub fn read(text: &str, path: &str) -> Result<Vec<ReportedFinding>, Report> {
    if text.len() > BYTES_MAX {
        return Err(say::too_large(path, text.len(), BYTES_MAX).into());
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (root, mut report) = json_file::parse(text, path);
    let Some(root) = root else { return Err(report) };
    let runs = runs(&root).map_err(|message| say::sarif_kind(path, message))?;
    let mut findings = Vec::new();
    for (index, run) in runs.iter().enumerate() {
        let at = pointer("/runs", index);
        let reader = RunReader { rules: SarifRules::of(run), run };
        let results = run.get("results").map(Node::items).unwrap_or_default();
        for (index, result) in results.iter().enumerate() {
            match reader.finding(result) {
                Ok(finding) => findings.extend(finding),
                Err(message) => {
                    let at = pointer(&pointer(&at, "results"), index);
                    report.push(say::sarif_result(path, &at, message));
                }
            }
        }
    }
    if report.is_ok() { Ok(findings) } else { Err(report) }
}

fn runs(root: &Node) -> Result<&[Node], String> {
    match root.get("version").and_then(Node::as_text) {
        Some(version) if version == "2.1.0" || version.starts_with("2.1.0-") => {}
        Some(version) => {
            return Err(format!(
                "the version of SARIF is {}, but must be \"2.1.0\"",
                quote(version)
            ));
        }
        None => return Err("there is no SARIF version".to_owned()),
    }
    match root.get("runs").map(|runs| &runs.value) {
        Some(Value::List(runs)) => Ok(runs),
        _ => Err("there is no list of runs".to_owned()),
    }
}

struct RunReader<'a> {
    run: &'a Node,
    rules: SarifRules<'a>,
}

impl RunReader<'_> {
    fn finding(&self, result: &Node) -> Result<Option<ReportedFinding>, String> {
        if !matches!(result.value, Value::Map(_)) {
            return Err("a result must be an object".to_owned());
        }
        if is_left_out(result) {
            return Ok(None);
        }
        let rule = self.rules.of_result(result);
        let level = level(result, rule);
        let mut message = message::of_result(result, rule, self.run).ok_or_else(|| {
            "a result has no message, and its rule has no words either".to_owned()
        })?;
        let place = self.place(result);
        let file = place.uri.and_then(report_path::from_uri);
        if let (Some(uri), None) = (place.uri, &file) {
            message = format!("{message} (at {uri})");
        }
        Ok(Some(ReportedFinding {
            severity: severity(result, rule, level),
            category: self.rules.id(result, rule).unwrap_or_default().to_owned(),
            line: place.line.filter(|_| file.is_some()).map(|line| line.to_string()),
            file,
            message,
            fix: fix(result),
            is_nit: level == "none",
        }))
    }

    fn place<'r>(&'r self, result: &'r Node) -> ResultLocation<'r> {
        let locations = result.get("locations").map(Node::items).unwrap_or_default();
        let Some(place) = locations.first().and_then(|first| first.get("physicalLocation")) else {
            return ResultLocation { uri: None, line: None };
        };
        let artifact = place.get("artifactLocation");
        let own = artifact.and_then(|artifact| artifact.get("uri"));
        let listed = || {
            let index = artifact?.get("index").and_then(index_of)?;
            self.run.get("artifacts")?.items().get(index)?.get("location")?.get("uri")
        };
        let line = place.get("region").and_then(|region| region.get("startLine"));
        let line = line.and_then(index_of).filter(|line| *line > 0);
        ResultLocation { uri: own.or_else(listed).and_then(Node::as_text), line }
    }
}

struct ResultLocation<'a> {
    uri: Option<&'a str>,
    line: Option<usize>,
}

fn index_of(node: &Node) -> Option<usize> {
    match &node.value {
        Value::Number(number) => number.as_u64().and_then(|number| usize::try_from(number).ok()),
        _ => None,
    }
}

fn text<'a>(node: &'a Node, key: &str) -> Option<&'a str> {
    node.get(key).and_then(Node::as_text)
}

/// Gone since the baseline, no complaint at all, or suppressed by someone whose word is not under review.
fn is_left_out(result: &Node) -> bool {
    let is_gone = text(result, "baselineState") == Some("absent");
    let is_no_complaint = matches!(text(result, "kind"), Some("pass" | "notApplicable"));
    let suppressions = result.get("suppressions").map(Node::items).unwrap_or_default();
    let holds = |one: &Node| matches!(text(one, "status"), None | Some("accepted"));
    let is_suppressed = !suppressions.is_empty() && suppressions.iter().all(holds);
    is_gone || is_no_complaint || is_suppressed
}

fn level<'a>(result: &'a Node, rule: Option<&'a Node>) -> &'a str {
    let of_rule = || text(rule?.get("defaultConfiguration")?, "level");
    let of_kind = || text(result, "kind").filter(|kind| *kind != "fail").map(|_| "none");
    text(result, "level").or_else(of_kind).or_else(of_rule).unwrap_or("warning")
}

/// The number that GitHub reads goes before the level, in the ranges that GitHub uses.
fn severity(result: &Node, rule: Option<&Node>, level: &str) -> Severity {
    let score = security_score(result).or_else(|| security_score(rule?));
    match (score, level) {
        (Some(score), _) if score >= 9.0 => Severity::Critical,
        (Some(score), _) if score >= 7.0 => Severity::High,
        (Some(score), _) if score >= 4.0 => Severity::Medium,
        (Some(score), _) if score > 0.0 => Severity::Low,
        (_, "error") => Severity::High,
        (_, "note" | "none") => Severity::Low,
        _ => Severity::Medium,
    }
}

fn security_score(owner: &Node) -> Option<f64> {
    let score = owner.get("properties")?.get("security-severity")?;
    let score = match &score.value {
        Value::Number(number) => number.as_f64(),
        Value::Text(text) => text.trim().parse().ok(),
        _ => None,
    };
    score.filter(|score| (0.0..=10.0).contains(score))
}

fn fix(result: &Node) -> Option<String> {
    let fixes = result.get("fixes")?.items();
    text(fixes.first()?.get("description")?, "text").map(str::to_owned)
}
