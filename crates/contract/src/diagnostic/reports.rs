//! Faults of reports that test runners, coverage tools and scanners wrote.

use super::{Diagnostic, Location, pages, quote};

pages! {
    XML_SYNTAX = "xml.syntax":
        "The file is not well-formed XML. Usually the program that wrote it was stopped before it had finished. Run the check\n\
         again and look at its output.";
    XML_REFUSED = "xml.refused":
        "The XML file is refused because it could be far more expensive to read than its size suggests: it declares its own\n\
         entities or elements, nests too deeply, or is too large. Test and coverage reports need none of this. Have the tool\n\
         write a plain report, or several smaller ones.";
    TOO_LARGE = "import.too_large":
        "The report is too large. Have the tool write several smaller ones.";
    COVERAGE_KIND = "coverage.unknown_kind":
        "The coverage report is neither lcov nor Cobertura XML. Most tools can write one of the two: look for an option\n\
         such as --lcov, --cobertura or lcovonly.";
    COVERAGE_EMPTY = "coverage.empty":
        "The coverage report names no line that could be covered, so there is no percentage. Nothing covered out of nothing\n\
         is not 100 %. Check that the tests ran, and that the report is for this project.";
    COVERAGE_LINE = "coverage.malformed":
        "A line or an element of the coverage report is invalid, so its numbers are not trusted. Usually the file was\n\
         truncated or edited. Write it again with the tool.";
    JUNIT_KIND = "junit.unknown_kind":
        "The file is XML but not a JUnit report: its outermost element is neither testsuites nor testsuite. Have the test\n\
         runner write JUnit XML; nearly every one can.";
    JUNIT_NUMBER = "junit.malformed":
        "A count in the JUnit report is not a number, so the report is not trusted. Write it again with the test runner.";
    SARIF_KIND = "sarif.unknown_kind":
        "The file is JSON but not SARIF 2.1.0: it has no version or no list of runs. Have the scanner write SARIF 2.1.0;\n\
         older versions of the format are too different.";
    SARIF_RESULT = "sarif.malformed":
        "A result in the SARIF file lacks a required value, such as a message, or has a value of the wrong type. The pointer\n\
         after # says which.";
}

pub(crate) fn xml_syntax(file: &str, line: u32, cause: &str) -> Diagnostic {
    let message = format!("this is not well-formed XML: {cause}");
    Diagnostic::error(XML_SYNTAX, Location::file(file, Some(line)), message)
        .help("Run the program that writes it again, and check that it succeeds")
}

pub(crate) fn xml_refused(file: &str, line: u32, why: &str) -> Diagnostic {
    let message = format!("this XML is not read: {why}");
    Diagnostic::error(XML_REFUSED, Location::file(file, Some(line)), message)
        .help("Have the tool write a plain report without declarations, or several smaller ones")
}

pub(crate) fn too_large(file: &str, bytes: usize, bytes_max: usize) -> Diagnostic {
    let message = format!("the report has {bytes} bytes; the limit is {bytes_max}");
    Diagnostic::error(TOO_LARGE, Location::file(file, None), message)
        .help("Have the tool write several smaller reports")
}

pub(crate) fn coverage_kind(file: &str, line: Option<u32>, found: &str) -> Diagnostic {
    let message = format!("{found} is neither lcov nor Cobertura");
    Diagnostic::error(COVERAGE_KIND, Location::file(file, line), message)
        .help("Have the coverage tool write lcov (lines `SF:`, `DA:`) or Cobertura XML")
}

pub(crate) fn coverage_empty(file: &str, why: &str) -> Diagnostic {
    Diagnostic::error(COVERAGE_EMPTY, Location::file(file, None), why)
        .help("Check that the tests ran under the coverage tool, and that it measures this project")
}

pub(crate) fn coverage_line(file: &str, line: u32, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(COVERAGE_LINE, Location::file(file, Some(line)), message)
        .help("Write the report again with the coverage tool")
}

pub(crate) fn junit_kind(file: &str, line: u32, root: &str) -> Diagnostic {
    let message = format!(
        "the outermost element is {}, but a JUnit report begins with testsuites or testsuite",
        quote(root)
    );
    Diagnostic::error(JUNIT_KIND, Location::file(file, Some(line)), message)
        .help("Have the test runner write JUnit XML")
}

pub(crate) fn junit_number(file: &str, line: u32, name: &str, found: &str) -> Diagnostic {
    let message = format!("{name} is {}, but must be a count", quote(found));
    Diagnostic::error(JUNIT_NUMBER, Location::file(file, Some(line)), message)
}

pub(crate) fn sarif_kind(file: &str, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(SARIF_KIND, Location::file(file, None), message)
        .help("Have the scanner write SARIF 2.1.0")
}

pub(crate) fn sarif_result(file: &str, pointer: &str, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(SARIF_RESULT, Location::new(file, pointer, None), message)
}
