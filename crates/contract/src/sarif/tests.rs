#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::{SarifFinding, document, read};
use crate::testing::{Shows, shown};
use expect_test::expect;
use tollgate_core::event::FindingStatus;
use tollgate_core::reply::{ReportedFinding, Severity};

fn said(text: &str) -> String {
    match read(text, "s.sarif") {
        Err(report) => shown(&report),
        Ok(findings) => findings.iter().map(line).collect(),
    }
}

fn line(f: &ReportedFinding) -> String {
    let place =
        format!("{}:{}", f.file.as_deref().unwrap_or("-"), f.line.as_deref().unwrap_or("-"));
    let nit = if f.is_nit { " nit" } else { "" };
    let fix = f.fix.as_ref().map(|fix| format!(" fix: {fix}")).unwrap_or_default();
    format!("{}{nit} {} {place} {}{fix}\n", f.severity, f.category, f.message)
}

fn run(rules: &str, results: &str) -> String {
    format!(
        r#"{{"version": "2.1.0", "runs": [{{"tool": {{"driver": {{"name": "t", "rules": [{rules}]}}}}, "results": [{results}]}}]}}"#
    )
}

#[test]
fn levels_and_scores_become_severities() {
    said(&run(
            r#"{"id": "A", "defaultConfiguration": {"level": "error"}}, {"id": "B", "properties": {"security-severity": "9.1"}},
               {"id": "C", "properties": {"security-severity": 7}}, {"id": "D", "properties": {"security-severity": "0.0"}}"#,
            r#"{"ruleId": "A", "message": {"text": "by rule"}},
               {"ruleId": "A", "level": "note", "message": {"text": "own"}},
               {"ruleIndex": 1, "message": {"text": "by index"}},
               {"ruleId": "C/2", "level": "note", "message": {"text": "case of a rule"}},
               {"ruleId": "D", "level": "error", "message": {"text": "no score"}},
               {"ruleId": "C", "properties": {"security-severity": "4.0"}, "message": {"text": "own score"}},
               {"ruleId": "X", "level": "none", "message": {"text": "unknown rule"}},
               {"message": {"text": "nothing said"}}"#,
        )).shows(expect![[r#"
        high A -:- by rule
        low A -:- own
        critical B -:- by index
        high C/2 -:- case of a rule
        high D -:- no score
        medium C -:- own score
        low nit X -:- unknown rule
        medium  -:- nothing said
    "#]]);
}

#[test]
fn messages_are_filled_in_and_found_by_id() {
    said(&run(
            r#"{"id": "A", "messageStrings": {"m": {"text": "{1} before {0}, {{x}} and {9}"}}, "shortDescription": {"text": "Short"}}"#,
            r#"{"ruleId": "A", "message": {"id": "m", "arguments": ["one", "two"]}},
               {"ruleId": "A", "message": {"text": "code {0} as it is {{}}"}},
               {"ruleId": "A", "message": {"text": "uses a [user value](1) and [docs](https://x)"}},
               {"ruleId": "A", "message": {"id": "unknown"}, "fixes": [{"description": {"text": "do it"}}]}"#,
        )).shows(expect![[r#"
        medium A -:- two before one, {x} and {9}
        medium A -:- code {0} as it is {{}}
        medium A -:- uses a user value and [docs](https://x)
        medium A -:- Short fix: do it
    "#]]);
}

#[test]
fn only_paths_inside_the_repository_are_files() {
    let at = |uri: &str| {
        format!(
            r#"{{"message": {{"text": "m"}}, "locations": [{{"physicalLocation": {{"artifactLocation": {{"uri": "{uri}"}}, "region": {{"startLine": 7}}}}}}]}}"#
        )
    };
    let uris = [
        "src/a%20b.rs",
        "file:///etc/passwd",
        "/etc/passwd",
        "../up.rs",
        "a/%2e%2e/%2e%2e/b",
        "https://x/y",
    ];
    said(&run("", &uris.map(at).join(","))).shows(expect![[r#"
        medium  src/a b.rs:7 m
        medium  -:- m (at file:///etc/passwd)
        medium  -:- m (at /etc/passwd)
        medium  -:- m (at ../up.rs)
        medium  -:- m (at a/%2e%2e/%2e%2e/b)
        medium  -:- m (at https://x/y)
    "#]]);
}

#[test]
fn suppressed_gone_and_passed_results_are_not_findings_in_any_run() {
    said(r#"{"version": "2.1.0", "runs": [
            {"tool": {"driver": {"name": "a"}}, "artifacts": [{"location": {"uri": "x.c"}}], "results": [
              {"message": {"text": "listed"}, "locations": [{"physicalLocation": {"artifactLocation": {"index": 0}, "region": {"startLine": 0}}}]},
              {"message": {"text": "suppressed"}, "suppressions": [{"kind": "inSource"}]},
              {"message": {"text": "asked for"}, "suppressions": [{"kind": "external", "status": "underReview"}]},
              {"message": {"text": "gone"}, "baselineState": "absent"},
              {"message": {"text": "old"}, "baselineState": "unchanged"},
              {"message": {"text": "passed"}, "kind": "pass"}]},
            {"tool": {"driver": {"name": "b"}}},
            {"tool": {"driver": {"name": "c"}, "extensions": [{"name": "e", "rules": [{"id": "E", "defaultConfiguration": {"level": "error"}}]}]},
             "results": [{"rule": {"index": 0, "toolComponent": {"index": 0}}, "message": {"markdown": "**m**"}}]}]}"#).shows(expect![[r#"
        medium  x.c:- listed
        medium  -:- asked for
        medium  -:- old
        high E -:- **m**
    "#]]);
}

#[test]
fn a_file_that_is_not_sarif_is_refused_with_a_message() {
    said("{}").shows(expect![[r#"
        error sarif.unknown_kind s.sarif: there is no SARIF version
          help: Have the scanner write SARIF 2.1.0
    "#]]);
    said(r#"{"version": "1.0.0", "runs": []}"#).shows(expect![[r#"
        error sarif.unknown_kind s.sarif: the version of SARIF is "1.0.0", but must be "2.1.0"
          help: Have the scanner write SARIF 2.1.0
    "#]]);
    said(r#"{"version": "2.1.0"}"#).shows(expect![[r#"
        error sarif.unknown_kind s.sarif: there is no list of runs
          help: Have the scanner write SARIF 2.1.0
    "#]]);
    said(&run("", "7, {}")).shows(expect![[r#"
        error sarif.malformed s.sarif#/runs/0/results/0: a result must be an object
        error sarif.malformed s.sarif#/runs/0/results/1: a result has no message, and its rule has no words either
    "#]]);
}

fn ours(id: u32, severity: Severity, status: FindingStatus) -> SarifFinding {
    SarifFinding {
        id: format!("F-{id}"),
        severity,
        source: "Reviewer".to_owned(),
        category: "security".to_owned(),
        file: Some("src/a b/é.rs".to_owned()),
        line: Some("12-14".to_owned()),
        message: format!("no {{0}} [x] {id}"),
        status,
    }
}

fn write(findings: &[SarifFinding]) -> String {
    format!("{:#}\n", document(findings, "0.1.0", "a file.toml"))
}

/// GitHub refuses the whole file for one result without a place.
#[test]
fn r194_every_result_has_a_place_whatever_its_file_is_called() {
    for (file, uri) in [
        (Some("a:b.txt"), "a%3Ab.txt"),
        (Some("src/a\\b.txt"), "src/a%5Cb.txt"),
        (Some("a\u{1b}[31m\n%.txt"), "a%1B%5B31m%0A%25.txt"),
        (Some("\u{fffd}.txt"), "%EF%BF%BD.txt"),
        (Some("./src//a.rs"), "src/a.rs"),
        (Some("../a"), "a%20file.toml"),
        (Some("/etc/passwd"), "a%20file.toml"),
        (Some(" "), "a%20file.toml"),
        (None, "a%20file.toml"),
    ] {
        let file = file.map(str::to_owned);
        let finding = SarifFinding { file, ..ours(1, Severity::Low, FindingStatus::Open) };
        let document = document(&[finding], "0.1.0", "a file.toml");
        let place = &document["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], uri);
        assert!(place["region"]["startLine"].is_u64(), "{place}");
    }
}

#[test]
fn our_findings_come_back_as_they_went() {
    let severities = [Severity::Low, Severity::Medium, Severity::High, Severity::Critical];
    let all: Vec<SarifFinding> = (1..)
        .zip(severities)
        .map(|(id, severity)| ours(id, severity, FindingStatus::Open))
        .collect();
    let back = read(&write(&all), "s.sarif").unwrap();
    let expected: Vec<ReportedFinding> = all
        .iter()
        .map(|finding| ReportedFinding {
            severity: finding.severity,
            category: finding.category.clone(),
            file: finding.file.clone(),
            line: Some("12".to_owned()),
            message: finding.message.clone(),
            fix: None,
            is_nit: false,
        })
        .collect();
    assert_eq!(back, expected);
}

#[test]
fn what_was_accepted_or_fixed_does_not_come_back() {
    let statuses = [FindingStatus::Accepted, FindingStatus::Fixed, FindingStatus::Tracked];
    let all: Vec<SarifFinding> =
        (1..).zip(statuses).map(|(id, status)| ours(id, Severity::High, status)).collect();
    let back = read(&write(&all), "s.sarif").unwrap();
    assert_eq!(
        back.iter().map(|f| f.message.as_str()).collect::<Vec<_>>(),
        [all[2].message.as_str()]
    );
}

#[test]
fn our_sarif_has_the_form_that_services_take() {
    let mut outside = ours(7, Severity::Critical, FindingStatus::Accepted);
    outside.file = Some("/etc/passwd".to_owned());
    outside.category.clear();
    expect![[r#"
        {
          "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
          "runs": [
            {
              "columnKind": "unicodeCodePoints",
              "results": [
                {
                  "level": "error",
                  "locations": [
                    {
                      "physicalLocation": {
                        "artifactLocation": {
                          "uri": "a%20file.toml",
                          "uriBaseId": "%SRCROOT%"
                        },
                        "region": {
                          "startLine": 1
                        }
                      }
                    }
                  ],
                  "message": {
                    "text": "no {0} [x] 7"
                  },
                  "partialFingerprints": {
                    "tollgateFinding/v1": "a5b5237e12d21ae4"
                  },
                  "properties": {
                    "id": "F-7",
                    "security-severity": "9.5",
                    "source": "Reviewer",
                    "status": "accepted"
                  },
                  "ruleId": "Reviewer",
                  "ruleIndex": 0,
                  "suppressions": [
                    {
                      "kind": "external",
                      "status": "accepted"
                    }
                  ]
                }
              ],
              "tool": {
                "driver": {
                  "name": "Tollgate",
                  "rules": [
                    {
                      "defaultConfiguration": {
                        "level": "error"
                      },
                      "id": "Reviewer",
                      "properties": {
                        "security-severity": "9.5"
                      },
                      "shortDescription": {
                        "text": "Finding about Reviewer"
                      }
                    }
                  ],
                  "semanticVersion": "0.1.0"
                }
              }
            }
          ],
          "version": "2.1.0"
        }
    "#]]
    .assert_eq(&write(&[outside]));
}
