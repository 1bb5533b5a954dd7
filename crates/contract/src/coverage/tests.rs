#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::{Coverage, Measurement, read};
use crate::testing::{Shows, shown};
use expect_test::expect;

fn check(text: &str) -> String {
    said(text, "cov", &|_| true)
}

fn said(text: &str, path: &str, is_file: &dyn Fn(&str) -> bool) -> String {
    match read(text, path, "/tree", is_file) {
        Ok(Measurement { coverage, absent }) => {
            let percent = coverage.percent_hundredths().unwrap();
            let absent: String = absent.iter().map(|name| format!(" without {name}")).collect();
            format!("{}/{} {percent}{absent}\n", coverage.covered, coverage.total)
        }
        Err(report) => shown(&report),
    }
}

#[test]
fn r170_lines_of_files_that_are_not_there_count_in_no_sum() {
    let is_file = |path: &str| ["src/a.rs", "web/src/b.ts", "pkg/c.py"].contains(&path);
    let check = |path: &str, text: &str| said(text, path, &is_file);
    check("lcov.info", "SF:src/a.rs\nDA:1,0\nend_of_record\nSF:src/ghost.rs\nDA:1,1\nDA:2,1\nLF:9\nLH:9\nend_of_record\n").shows(expect![[r#"
        0/1 0 without src/ghost.rs
    "#]]);
    // By where the tree lies, from the folder of a tool, behind a package: all are the same file, and it counts once.
    check("web/coverage/lcov.info", "SF:/some/tree/web/src/b.ts\nDA:1,1\nend_of_record\nSF:src/b.ts\nDA:2,0\nend_of_record\nSF:acme.org/web/src/b.ts\nDA:1,0\nend_of_record\n").shows(expect![[r#"
        1/2 5000
    "#]]);
    check("coverage.xml", r#"<coverage><sources><source>/some/tree/pkg</source></sources><class filename="c.py"><line number="1" hits="1"/></class><class filename="d.py"><line number="1" hits="1"/></class></coverage>"#).shows(expect![[r#"
        1/1 10000 without d.py
    "#]]);
    check("coverage.xml", r#"<coverage line-rate="1"><class filename="ghost.py"/></coverage>"#).shows(expect![[r#"
        error coverage.empty coverage.xml: the coverage report names no line of a file in the workspace
          help: Check that the tests ran under the coverage tool, and that it measures this project
    "#]]);
}

#[test]
fn r170_files_of_others_that_end_like_one_of_ours_count_in_no_sum() {
    let is_file =
        |path: &str| ["src/lib.rs", "src/a.rs", "pkg/setup.py", "setup.py"].contains(&path);
    let check = |path: &str, text: &str| said(text, path, &is_file);
    let foreign = "SF:/rustc/1234/library/std/src/lib.rs\nDA:1,1\nDA:2,1\nend_of_record\nSF:/var/person/.cargo/registry/src/x/serde-1.0.0/src/lib.rs\nDA:1,1\nend_of_record\n";
    // In a container, where most files say what is cut off, and by the root itself, where there is only one.
    check("lcov.info", &format!(
            "{foreign}SF:/container/src/lib.rs\nDA:1,0\nend_of_record\nSF:/container/src/a.rs\nDA:1,1\nend_of_record\n"
        )).shows(expect![[r#"
        1/2 5000 without /rustc/1234/library/std/src/lib.rs without /var/person/.cargo/registry/src/x/serde-1.0.0/src/lib.rs
    "#]]);
    check("lcov.info", &format!("{foreign}SF:/tree/src/lib.rs\nDA:1,0\nend_of_record\n")).shows(expect![[r#"
        0/1 0 without /rustc/1234/library/std/src/lib.rs without /var/person/.cargo/registry/src/x/serde-1.0.0/src/lib.rs
    "#]]);
    check("cover.info", "SF:other.org/x/src/a.rs\nDA:1,1\nend_of_record\nSF:acme.org/src/a.rs\nDA:1,0\nend_of_record\nSF:acme.org/src/lib.rs\nDA:1,0\nend_of_record\n").shows(expect![[r#"
        0/2 0 without other.org/x/src/a.rs
    "#]]);
    check("coverage.xml", r#"<coverage><sources><source>/some/tree/pkg</source></sources><class filename="setup.py"><line number="1" hits="1"/></class><class filename="/some/tree/setup.py"><line number="1" hits="0"/></class></coverage>"#).shows(expect![[r#"
        1/2 5000
    "#]]);
}

#[test]
fn a_name_of_a_million_parts_costs_no_time() {
    let text = format!("SF:{}\nDA:1,1\nend_of_record\n", "a/".repeat(1_000_000));
    assert!(said(&text, "cov", &|_| false).contains("coverage.empty"));
}

#[test]
fn r077_lcov_counts_each_line_of_each_file_once() {
    check("TN:\nSF:src/a.rs\nFN:1,main\nDA:1,5\nDA:2,0\nDA:3,1,abc=\nLF:3\nLH:2\nend_of_record\n")
        .shows(expect![[r#"
        2/3 6666
    "#]]);
    check("SF:src/a.rs\nDA:1,0\nDA:2,0\nend_of_record\nSF:./src/a.rs\nDA:2,99999999999999999999999\nDA:3,0\nend_of_record\n").shows(expect![[r#"
        1/3 3333
    "#]]);
}

#[test]
fn r077_sums_of_lcov_count_only_where_no_lines_are_listed() {
    check("SF:a\nDA:1,0\nLF:100\nLH:100\nend_of_record\nSF:b\nLF:9\nLH:8\nend_of_record\n").shows(
        expect![[r#"
        8/10 8000
    "#]],
    );
}

#[test]
fn r077_broken_lcov_is_named_by_line_and_gives_no_number() {
    check("DA:1,1\nSF:a\nDA:x,1\nDA:3\nwhat\nLF:many\nSF:b\nLF:1\nLH:2\nend_of_record\nend_of_record\nSF:c\nDA:1,1\n").shows(expect![[r#"
        error coverage.malformed cov:1: DA: comes before any SF:
          help: Write the report again with the coverage tool
        error coverage.malformed cov:3: DA:"x,1" is not a line number and a count
          help: Write the report again with the coverage tool
        error coverage.malformed cov:4: DA:"3" is not a line number and a count
          help: Write the report again with the coverage tool
        error coverage.malformed cov:5: "what" is not a line of lcov
          help: Write the report again with the coverage tool
        error coverage.malformed cov:6: "many" is not a count
          help: Write the report again with the coverage tool
        error coverage.malformed cov:7: the record of "a" has no end_of_record
          help: Write the report again with the coverage tool
        error coverage.malformed cov:10: LH says 2 lines were hit, but LF has only 1
          help: Write the report again with the coverage tool
        error coverage.malformed cov:11: end_of_record has no record before it
          help: Write the report again with the coverage tool
        error coverage.malformed cov:13: the report ends in the middle of a record
          help: Write the report again with the coverage tool
    "#]]);
}

#[test]
fn r077_nothing_covered_out_of_nothing_is_not_coverage() {
    let empty = [
        "",
        " \n\u{feff}",
        "TN:\n",
        "SF:a\nend_of_record\n",
        "SF:a\nLF:0\nLH:0\nend_of_record\n",
        "<coverage line-rate=\"1\"><packages/></coverage>",
        "<coverage lines-valid=\"0\" lines-covered=\"0\" line-rate=\"1\"/>",
        "<coverage/>",
    ];
    for text in empty {
        let report = read(text, "cov", "/tree", &|_| true).unwrap_err();
        assert!(shown(&report).contains("coverage.empty") || text.contains('\u{feff}'), "{text:?}");
    }
    assert_eq!(Coverage { covered: 0, total: 0 }.percent_hundredths(), None);
}

#[test]
fn r077_cobertura_counts_a_line_of_a_file_once() {
    check(r#"<?xml version="1.0" ?>
<!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">
<coverage line-rate="0.9" lines-covered="90" lines-valid="100">
 <packages><package name="p"><classes>
  <class name="A" filename="a.py"><methods><method name="m"><lines><line number="1" hits="3"/></lines></method></methods>
   <lines><line number="1" hits="3"/><line number="2" hits="0"/></lines></class>
  <class name="B" filename="./a.py"><lines><line number="2" hits="1" branch="true"/></lines></class>
  <class name="C" filename="c.py"><lines><line number="1" hits="0"/></lines></class>
 </classes></package></packages>
</coverage>"#).shows(expect![[r#"
        2/3 6666
    "#]]);
}

#[test]
fn r077_without_lines_cobertura_is_read_by_its_sums_and_then_by_its_rate() {
    check(r#"<coverage lines-covered="3" lines-valid="4" line-rate="0.1"/>"#).shows(expect![[r#"
        3/4 7500
    "#]]);
    check(r#"<coverage line-rate="0.8025"><packages><package><classes><class filename="a"/></classes></package></packages></coverage>"#).shows(expect![[r#"
        8025/10000 8025
    "#]]);
}

#[test]
fn r077_broken_cobertura_gives_no_number() {
    check("<coverage>\n<line number=\"1\"/>\n<line number=\"-1\" hits=\"1\"/>\n<line number=\"3\" hits=\"NaN\"/></coverage>").shows(expect![[r#"
        error coverage.malformed cov:2: a line needs a number and hits, but number is "1" and hits is missing
          help: Write the report again with the coverage tool
        error coverage.malformed cov:3: a line needs a number and hits, but number is "-1" and hits is "1"
          help: Write the report again with the coverage tool
        error coverage.malformed cov:4: a line needs a number and hits, but number is "3" and hits is "NaN"
          help: Write the report again with the coverage tool
    "#]]);
    check(r#"<coverage lines-covered="5" lines-valid="4"/>"#).shows(expect![[r#"
        error coverage.malformed cov:1: 5 lines are covered, but there are only 4
          help: Write the report again with the coverage tool
    "#]]);
    check(r#"<coverage line-rate="80"><class/></coverage>"#).shows(expect![[r#"
        error coverage.malformed cov:1: line-rate is "80", but must be a number
          help: Write the report again with the coverage tool
    "#]]);
}

#[test]
fn r077_other_reports_are_named() {
    check("<coverage clover=\"3\"><project/></coverage>").shows(expect![[r#"
        error coverage.unknown_kind cov:1: Clover XML is neither lcov nor Cobertura
          help: Have the coverage tool write lcov (lines `SF:`, `DA:`) or Cobertura XML
    "#]]);
    check("{\"total\": 100}").shows(expect![[r#"
        error coverage.unknown_kind cov: a file that begins with "{\"total\": 100}" is neither lcov nor Cobertura
          help: Have the coverage tool write lcov (lines `SF:`, `DA:`) or Cobertura XML
    "#]]);
}

#[test]
fn r077_a_share_is_rounded_down() {
    assert_eq!(Coverage { covered: 79_999, total: 100_000 }.percent_hundredths(), Some(7_999));
    assert_eq!(Coverage { covered: u64::MAX, total: u64::MAX }.percent_hundredths(), Some(10_000));
}
