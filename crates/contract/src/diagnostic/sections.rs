//! Faults of Markdown documents that must have certain sections.

use super::{Diagnostic, Location, pages, quote};

pages! {
    MISSING = "sections.missing":
        "A document lacks a section that later work needs. A section is a heading of any level outside code fences; a number\n\
         before it, a colon after it and its case do not matter.";
    OTHER_WORDS = "sections.other_words":
        "A required section has a heading in other words, such as \"How to Run and Validate\" for \"How to run\". This is a notice: the\n\
         section is taken for the required one. One heading can stand for two of them.";
    EMPTY = "sections.empty":
        "A required section has a heading but nothing under it, not even under a deeper heading.";
}

pub(crate) fn other_words(file: &str, line: u32, heading: &str, section: &str) -> Diagnostic {
    let message = format!("the section {} is taken for {}", quote(heading), quote(section));
    Diagnostic::warning(OTHER_WORDS, Location::file(file, Some(line)), message)
}

pub(crate) fn missing(file: &str, section: &str) -> Diagnostic {
    let message = format!("the section {} is missing", quote(section));
    Diagnostic::error(MISSING, Location::file(file, None), message)
        .help(format!("Add a heading such as \"## {section}\" with its content below it"))
}

pub(crate) fn empty(file: &str, line: u32, section: &str) -> Diagnostic {
    let message = format!("the section {} is empty", quote(section));
    Diagnostic::error(EMPTY, Location::file(file, Some(line)), message)
        .help("Write its content, or say why there is none")
}
