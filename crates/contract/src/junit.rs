//! Reads the results of a test run from JUnit XML: what ran, what was skipped, and every failure.

use crate::diagnostic::{Report, reports as say};
use crate::{report_path, xml};
use roxmltree::Node;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TestRun {
    /// May be zero: whether a run without tests is good is not for a reader to say.
    pub tests: u64,
    pub skipped: u64,
    pub failures: Vec<TestFailure>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestFailure {
    pub name: String,
    pub class: String,
    /// Only where it lies inside the repository.
    pub file: Option<String>,
    pub line: Option<u32>,
    pub message: String,
    /// The test could not be carried out, in difference to one that found a fault.
    pub is_error: bool,
}

/// Nobody reads more of one failure, and logs can be in there whole.
const MESSAGE_CHARS_MAX: usize = 2_000;

pub fn read(text: &str, path: &str) -> Result<TestRun, Report> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let document = xml::parse(text, path)?;
    let root = document.root_element();
    if !matches!(root.tag_name().name(), "testsuites" | "testsuite") {
        return Err(say::junit_kind(path, xml::line_of(root), root.tag_name().name()).into());
    }
    let mut reader = JunitReader { path, failures: Vec::new(), report: Report::default() };
    let counts = reader.suite(root);
    if !reader.report.is_ok() {
        return Err(reader.report);
    }
    let skipped = counts.skipped.min(counts.tests);
    Ok(TestRun { tests: counts.tests, skipped, failures: reader.failures })
}

struct JunitReader<'a> {
    path: &'a str,
    failures: Vec<TestFailure>,
    report: Report,
}

#[derive(Default)]
struct Counts {
    tests: u64,
    skipped: u64,
    /// Failures and errors, each counted.
    failed: u64,
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.tests = self.tests.saturating_add(other.tests);
        self.skipped = self.skipped.saturating_add(other.skipped);
        self.failed = self.failed.saturating_add(other.failed);
    }
}

impl JunitReader<'_> {
    /// What is in a suite is counted, and a suite that claims more than it shows is taken at its word.
    fn suite(&mut self, suite: Node<'_, '_>) -> Counts {
        let mut counts = Counts::default();
        for child in suite.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "testsuite" | "testsuites" => counts.add(&self.suite(child)),
                "testcase" => counts.add(&self.case(child)),
                "failure" | "error" => {
                    counts.failed += 1;
                    self.failures.push(failure(suite, child));
                }
                _ => {}
            }
        }
        let failed = self.claim(suite, "failures").saturating_add(self.claim(suite, "errors"));
        let skipped = self.claim(suite, "skipped").saturating_add(self.claim(suite, "disabled"));
        if failed > counts.failed {
            self.failures.push(unshown(suite, failed, counts.failed));
        }
        Counts {
            tests: counts.tests.max(self.claim(suite, "tests")),
            skipped: counts.skipped.max(skipped),
            failed: counts.failed.max(failed),
        }
    }

    fn case(&mut self, case: Node<'_, '_>) -> Counts {
        let mut counts = Counts { tests: 1, ..Counts::default() };
        let mut worst: Option<Node<'_, '_>> = None;
        for child in case.children() {
            match child.tag_name().name() {
                "failure" | "error" => {
                    counts.failed += 1;
                    worst.get_or_insert(child);
                }
                "skipped" => counts.skipped = 1,
                _ => {}
            }
        }
        if matches!(case.attribute("status"), Some("notrun" | "disabled" | "skipped")) {
            counts.skipped = 1;
        }
        if let Some(first) = worst {
            counts.skipped = 0;
            self.failures.push(failure(case, first));
        }
        counts
    }

    fn claim(&mut self, suite: Node<'_, '_>, name: &str) -> u64 {
        let text = suite.attribute(name).map(str::trim).unwrap_or_default();
        match text.parse() {
            Ok(count) => count,
            Err(_) if text.is_empty() => 0,
            Err(_) => {
                if !self.report.is_full() {
                    self.report.push(say::junit_number(self.path, xml::line_of(suite), name, text));
                }
                0
            }
        }
    }
}

fn failure(of: Node<'_, '_>, said: Node<'_, '_>) -> TestFailure {
    let both = |name| of.attribute(name).or_else(|| said.attribute(name));
    TestFailure {
        name: named(of),
        class: of.attribute("classname").unwrap_or_default().to_owned(),
        file: both("file").and_then(report_path::inside),
        line: both("line").and_then(|line| line.trim().parse().ok()),
        message: message(said),
        is_error: said.has_tag_name("error"),
    }
}

fn named(node: Node<'_, '_>) -> String {
    node.attribute("name").unwrap_or("unnamed").to_owned()
}

/// Its message, else what it holds, else its type.
fn message(said: Node<'_, '_>) -> String {
    let text: String = said
        .descendants()
        .filter_map(|node| if node.is_text() { node.text() } else { None })
        .collect();
    let choices = [
        said.attribute("message").unwrap_or_default(),
        &text,
        said.attribute("type").unwrap_or_default(),
    ];
    let first = choices.into_iter().map(str::trim).find(|text| !text.is_empty());
    first.unwrap_or("no reason was given").chars().take(MESSAGE_CHARS_MAX).collect()
}

fn unshown(suite: Node<'_, '_>, claimed: u64, shown: u64) -> TestFailure {
    TestFailure {
        name: named(suite),
        class: String::new(),
        file: suite.attribute("file").and_then(report_path::inside),
        line: None,
        message: format!("the suite counts {claimed} failed tests, but the report shows {shown}"),
        is_error: true,
    }
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::testing::{Shows, shown};
    use expect_test::expect;

    fn said(text: &str) -> String {
        match read(text, "j.xml") {
            Err(report) => shown(&report),
            Ok(run) => {
                let line = |f: &super::TestFailure| {
                    let sign = if f.is_error { "error" } else { "failure" };
                    format!(
                        "{sign} {} | {} | {:?} {:?} | {}\n",
                        f.name, f.class, f.file, f.line, f.message
                    )
                };
                let failures: String = run.failures.iter().map(line).collect();
                format!("{} tests, {} skipped\n{failures}", run.tests, run.skipped)
            }
        }
    }

    #[test]
    fn nested_suites_are_counted_case_by_case() {
        said(r#"<testsuites tests="4" failures="1" errors="1" skipped="1">
              <testsuite name="outer" tests="4" failures="1" errors="1" skipped="1">
                <properties><property name="a" value="b"/></properties>
                <testsuite name="inner">
                  <testcase name="good" classname="C" time="0.1"/>
                  <testcase name="bad" classname="C" file="./tests/c.py" line="7"><failure message="1 != 2" type="E">trace</failure></testcase>
                </testsuite>
                <testcase name="broken"><error type="Boom"><![CDATA[ no <db> ]]></error><system-out>x</system-out></testcase>
                <testcase name="later"><skipped/></testcase>
              </testsuite></testsuites>"#).shows(expect![[r#"
            4 tests, 1 skipped
            failure bad | C | Some("tests/c.py") Some(7) | 1 != 2
            error broken |  | None None | no <db>
        "#]]);
    }

    #[test]
    fn a_suite_that_claims_failures_without_showing_them_has_failed() {
        said(r#"<testsuites><testsuite name="s" tests="3" failures="2"><testcase name="a"/><testcase name="b" file="/etc/passwd"><failure/></testcase></testsuite></testsuites>"#).shows(expect![[r#"
            3 tests, 0 skipped
            failure b |  | None None | no reason was given
            error s |  | None None | the suite counts 2 failed tests, but the report shows 1
        "#]]);
    }

    #[test]
    fn two_failures_of_one_case_are_one_failed_test() {
        said(r#"<testsuite tests="1" failures="2"><testcase name="a"><failure message="x"/><failure message="y"/></testcase></testsuite>"#).shows(expect![[r#"
            1 tests, 0 skipped
            failure a |  | None None | x
        "#]]);
    }

    #[test]
    fn a_suite_without_cases_counts_as_it_says() {
        said(r#"<testsuite name="s" tests="5" skipped="2" errors=""/>"#).shows(expect![[r#"
            5 tests, 2 skipped
        "#]]);
        said("<testsuites/>").shows(expect![[r#"
            0 tests, 0 skipped
        "#]]);
    }

    #[test]
    fn a_file_that_is_not_a_junit_report_is_refused() {
        said("<assemblies/>").shows(expect![[r#"
            error junit.unknown_kind j.xml:1: the outermost element is "assemblies", but a JUnit report begins with testsuites or testsuite
              help: Have the test runner write JUnit XML
        "#]]);
        said("<testsuites>\n<testsuite failures=\"some\"/></testsuites>").shows(expect![[r#"
            error junit.malformed j.xml:2: failures is "some", but must be a count
        "#]]);
    }
}
