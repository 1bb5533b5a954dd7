//! Whatever bytes a report holds, its reader answers in time and never panics.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::mutated::mutated;
use proptest::prelude::*;
use tollgate_contract::coverage::{self, Measurement};
use tollgate_contract::diagnostic::Report;
use tollgate_contract::{junit, sarif};

const REPORTS: &[&str] = &[
    "TN:\nSF:src/a.rs\nDA:1,5\nDA:2,0\nLF:2\nLH:1\nend_of_record\n",
    "<?xml version=\"1.0\"?><!DOCTYPE coverage SYSTEM \"x\"><coverage line-rate=\"0.5\" lines-valid=\"2\" lines-covered=\"1\"><packages><package><classes><class filename=\"é.py\"><lines><line number=\"1\" hits=\"1\"/><line number=\"2\" hits=\"0\"/></lines></class></classes></package></packages></coverage>",
    "<testsuites><testsuite name=\"s\" tests=\"2\" failures=\"1\"><testcase name=\"a\" file=\"x\" line=\"1\"><failure message=\"é\">t<![CDATA[x]]></failure></testcase><testcase name=\"b\"><skipped/></testcase></testsuite></testsuites>",
    r#"{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"t","rules":[{"id":"A","messageStrings":{"m":{"text":"{0} é [x](1)"}}}]}},"results":[{"ruleId":"A","ruleIndex":0,"level":"error","message":{"id":"m","arguments":["a"]},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a%20b"},"region":{"startLine":1}}}],"suppressions":[]}]}]}"#,
];

fn read_as_everything(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let reports = [
        coverage::read(&text, "r", "/tree", &|_| true).err(),
        junit::read(&text, "r").err(),
        sarif::read(&text, "r").err(),
    ];
    reports.iter().flatten().for_each(is_presentable);
    if let Ok(Measurement { coverage, .. }) = coverage::read(&text, "r", "/tree", &|_| true) {
        assert!(coverage.total > 0 && coverage.percent_hundredths().unwrap() <= 10_000);
    }
}

fn is_presentable(report: &Report) {
    assert!(!report.is_ok() && report.diagnostics.len() <= 201);
    for diagnostic in &report.diagnostics {
        assert!(tollgate_contract::explain::explain(diagnostic.code).is_some());
        assert!(!diagnostic.message.chars().any(char::is_control), "{:?}", diagnostic.message);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_are_answered(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        read_as_everything(&bytes);
    }

    #[test]
    fn arbitrary_text_is_answered(text in "\\PC{0,200}") {
        read_as_everything(text.as_bytes());
    }

    #[test]
    fn r077_mutated_reports_are_answered(
        which in 0..REPORTS.len(),
        edits in proptest::collection::vec((any::<usize>(), any::<usize>(), any::<u8>()), 1..6),
    ) {
        read_as_everything(&mutated(REPORTS[which], &edits));
    }
}

#[test]
fn reports_of_many_megabytes_are_read() {
    let lines: String = (1..300_000).map(|n| format!("DA:{n},{}\n", n % 2)).collect();
    let lcov = format!("SF:a\n{lines}end_of_record\n");
    assert_eq!(coverage::read(&lcov, "r", "/tree", &|_| true).unwrap().coverage.total, 299_999);
    let lines: String =
        (1..100_000).map(|n| format!("<line number=\"{n}\" hits=\"1\"/>")).collect();
    let xml = format!("<coverage><class filename=\"a\">{lines}</class></coverage>");
    assert_eq!(coverage::read(&xml, "r", "/tree", &|_| true).unwrap().coverage.covered, 99_999);
}
