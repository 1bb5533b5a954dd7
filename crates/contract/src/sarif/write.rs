//! Our findings as SARIF 2.1.0, in the form that code scanning services take.

use crate::report_path;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tollgate_core::event::FindingStatus;
use tollgate_core::reply::Severity;

/// One finding as it goes out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SarifFinding {
    /// Such as F-3.
    pub id: String,
    pub severity: Severity,
    /// The role that found it.
    pub source: String,
    /// The rule or theme; where it is empty the source is in its place.
    pub category: String,
    pub file: Option<String>,
    /// Text as given; its first number is the line.
    pub line: Option<String>,
    pub message: String,
    pub status: FindingStatus,
}

/// What was accepted is suppressed, what was fixed is absent; `version` is that of Tollgate. Services refuse the whole document
/// for one result without a place: `root_file` stands for it.
pub fn document(findings: &[SarifFinding], version: &str, root_file: &str) -> Value {
    let mut worst: BTreeMap<&str, Severity> = BTreeMap::new();
    for finding in findings {
        let severity = worst.entry(rule_id(finding)).or_insert(finding.severity);
        *severity = finding.severity.max(*severity);
    }
    let rules: Vec<Value> = worst.iter().map(|(id, severity)| rule(id, *severity)).collect();
    let index_of = |finding: &SarifFinding| worst.keys().position(|id| *id == rule_id(finding));
    let results: Vec<Value> =
        findings.iter().map(|finding| result(finding, index_of(finding), root_file)).collect();
    let driver = json!({
        "name": "Tollgate",
        "semanticVersion": version,
        "rules": rules,
    });
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}],
    })
}

fn rule_id(finding: &SarifFinding) -> &str {
    let category = finding.category.trim();
    if category.is_empty() { &finding.source } else { category }
}

fn rule(id: &str, worst: Severity) -> Value {
    json!({
        "id": id,
        "shortDescription": {"text": format!("Finding about {id}")},
        "defaultConfiguration": {"level": level(worst)},
        "properties": {"security-severity": score(worst)},
    })
}

fn result(finding: &SarifFinding, rule_index: Option<usize>, root_file: &str) -> Value {
    let mut result = json!({
        "ruleId": rule_id(finding),
        "ruleIndex": rule_index,
        "level": level(finding.severity),
        "message": {"text": finding.message},
        "locations": [location(finding, root_file)],
        "partialFingerprints": {"tollgateFinding/v1": fingerprint(finding)},
        "properties": {
            "security-severity": score(finding.severity),
            "id": finding.id,
            "source": finding.source,
            "status": finding.status.as_str(),
        },
    });
    match finding.status {
        FindingStatus::Accepted => {
            result["suppressions"] = json!([{"kind": "external", "status": "accepted"}]);
        }
        FindingStatus::Fixed => result["baselineState"] = json!("absent"),
        _ => {}
    }
    result
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical | Severity::High => "error",
        Severity::Medium => "warning",
        Severity::Low => "note",
    }
}

/// The middle of each range in which code scanning services sort.
fn score(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical => "9.5",
        Severity::High => "8.0",
        Severity::Medium => "5.5",
        Severity::Low => "2.0",
    }
}

fn location(finding: &SarifFinding, root_file: &str) -> Value {
    let uri = finding.file.as_deref().and_then(report_path::uri_of_name);
    let (uri, line) = match uri {
        Some(uri) => (uri, finding.line.as_deref().and_then(first_number)),
        None => (report_path::to_uri(root_file), Some(1)),
    };
    let mut place = json!({"artifactLocation": {"uri": uri, "uriBaseId": "%SRCROOT%"}});
    if let Some(line) = line {
        place["region"] = json!({"startLine": line});
    }
    json!({"physicalLocation": place})
}

fn first_number(text: &str) -> Option<u32> {
    let digits = text.split(|c: char| !c.is_ascii_digit()).find(|part| !part.is_empty())?;
    digits.parse().ok().filter(|line| *line > 0)
}

/// The same complaint has the same print wherever its line moves to (FNV-1a).
fn fingerprint(finding: &SarifFinding) -> String {
    let file = finding.file.as_deref().unwrap_or_default();
    let parts = [rule_id(finding), file, &finding.message];
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    let print = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |print, byte| {
        (print ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{print:016x}")
}
