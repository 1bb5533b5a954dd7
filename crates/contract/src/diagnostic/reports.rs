//! Faults of reports that test runners, coverage tools and scanners wrote.

use super::{Diagnostic, Location, pages, quote};

pages! {
    XML_SYNTAX = "xml.syntax":
        "The file is not well-formed XML. Mostly the program that wrote it was ended before it was done. Run the check\n\
         again and look at its output.";
    XML_REFUSED = "xml.refused":
        "The XML file is not read because it could cost far more than its length: it declares entities or elements of its\n\
         own, nests too deeply, or is too large. Reports of tests and coverage need none of this. Have the tool write a\n\
         plain report, or several smaller ones.";
    TOO_LARGE = "import.too_large":
        "The report is larger than what is read. Have the tool write several smaller ones.";
    COVERAGE_KIND = "coverage.unknown_kind":
        "The coverage report is neither lcov nor Cobertura XML. Most tools can write one of the two: look for an option\n\
         such as --lcov, --cobertura or lcovonly.";
    COVERAGE_EMPTY = "coverage.empty":
        "The coverage report names no line that could be covered, so there is no share to speak of. Nothing covered out of\n\
         nothing is not 100 %. See that the tests ran, and that the report is of this project.";
    COVERAGE_LINE = "coverage.malformed":
        "A line or an element of the coverage report cannot be understood, so its numbers are not trusted. Mostly the file\n\
         was cut off or edited. Write it again with the tool.";
    JUNIT_KIND = "junit.unknown_kind":
        "The file is XML but no JUnit report: its outermost element is neither testsuites nor testsuite. Have the test\n\
         runner write JUnit XML; nearly every one can.";
    JUNIT_NUMBER = "junit.malformed":
        "A count in the JUnit report is no number, so the report is not trusted. Write it again with the test runner.";
    SARIF_KIND = "sarif.unknown_kind":
        "The file is JSON but no SARIF 2.1.0: it lacks the version or the list of runs. Have the scanner write SARIF 2.1.0;\n\
         older versions of the format differ too much to be guessed.";
    SARIF_RESULT = "sarif.malformed":
        "A result of the SARIF file lacks what every result has, such as a message, or holds the wrong kind of value. The\n\
         pointer after # says which.";
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
    let message = format!("the report has {bytes} bytes, but at most {bytes_max} are read");
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
        .help("See that the tests ran under the coverage tool, and that it looks at this project")
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
