//! XML of reports that other programs wrote: parsed only when it cannot grow, nest or repeat beyond bounds.

mod guard;

use crate::diagnostic::{Diagnostic, Report, reports as say};
use roxmltree::{Document, Node, ParsingOptions};

/// Elements, texts and comments; a report of a million covered lines has half of it.
const NODES_MAX: u32 = 5_000_000;

/// A DOCTYPE that only points elsewhere is common and fetches nothing here; one that declares anything is refused.
pub(crate) fn parse<'a>(text: &'a str, path: &str) -> Result<Document<'a>, Report> {
    let has_doctype = guard::check(text).map_err(|refused| {
        let line = line_at(text, refused.at);
        say::xml_refused(path, line, &refused.why)
    })?;
    let options =
        ParsingOptions { allow_dtd: has_doctype, nodes_limit: NODES_MAX, ..Default::default() };
    Document::parse_with_options(text, options).map_err(|error| fault(path, &error).into())
}

fn fault(path: &str, error: &roxmltree::Error) -> Diagnostic {
    match error {
        roxmltree::Error::DtdDetected => {
            say::xml_refused(path, 1, "it has a document type, which is not allowed")
        }
        roxmltree::Error::NodesLimitReached => {
            say::xml_refused(path, 1, &format!("it has more than {NODES_MAX} parts"))
        }
        other => say::xml_syntax(path, other.pos().row, &other.to_string()),
    }
}

pub(crate) fn line_of(node: Node<'_, '_>) -> u32 {
    line_at(node.document().input_text(), node.range().start)
}

fn line_at(text: &str, at: usize) -> u32 {
    let breaks = text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count();
    u32::try_from(breaks + 1).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::parse;
    use crate::testing::shown;

    fn refusal(text: &str) -> String {
        shown(&parse(text, "r.xml").unwrap_err())
    }

    #[test]
    fn a_doctype_that_declares_nothing_is_common_and_harmless() {
        let text = "<?xml version=\"1.0\"?>\n<!-- made by \"x\" > -->\n<!DOCTYPE coverage SYSTEM \"http://example.org/a>b.dtd\">\n<coverage/>";
        assert!(parse(text, "r.xml").unwrap().root_element().has_tag_name("coverage"));
    }

    #[test]
    fn entities_are_refused_before_anything_expands() {
        let laughs = "<!DOCTYPE x [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;\">]>\n<x>&b;</x>";
        assert!(refusal(laughs).starts_with("error xml.refused r.xml:1: "), "{}", refusal(laughs));
        assert!(refusal("<x/><!DOCTYPE x [<!ENTITY a \"b\">]>").contains("xml.refused"));
        assert!(refusal("<x>&b;</x>").contains("xml.syntax"));
    }

    #[test]
    fn depth_and_attributes_have_bounds() {
        assert!(refusal(&"<a>".repeat(500_000)).contains("deeper than 100"));
        let many: String = (0..100_000).map(|n| format!(" a{n}='1'")).collect();
        assert!(refusal(&format!("<a{many}/>")).contains("attributes"));
        let spaces: String = (0..50_000).map(|n| format!("<a xmlns:n{n}='u{n}'/>")).collect();
        assert!(refusal(&format!("<x>{spaces}</x>")).contains("namespaces"));
        let flat = "<a b='>'/>".repeat(50_000);
        assert!(parse(&format!("<x>{flat}</x>"), "r.xml").is_ok());
    }

    #[test]
    fn broken_xml_is_named_with_its_line() {
        assert!(refusal("<a>\n<b>\n</a>").starts_with("error xml.syntax r.xml:3: "));
        for text in
            ["", "<", "<a", "<a b", "<a b='", "<!--", "<![CDATA[", "<?", "<!DOCTYPE", "</a>"]
        {
            refusal(text);
        }
    }
}
