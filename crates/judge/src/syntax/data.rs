//! JSON, YAML, TOML and XML.

use super::Parsed;
use granit_parser::{ErrorKind, Parser};
use roxmltree::{Document, ParsingOptions};
use serde::de::IgnoredAny;

/// The reader of JSON stops at 128, which is not the fault of the file.
const JSON_DEPTH_MAX: usize = 120;
const XML_NODES_MAX: u32 = 500_000;
/// The reader of XML compares each attribute of an element with all others of it.
const XML_ATTRIBUTES_MAX: usize = 20_000;

pub(super) fn json(text: &str) -> Parsed {
    if depth(text) > JSON_DEPTH_MAX {
        return Parsed::Unknown;
    }
    match serde_json::from_str::<IgnoredAny>(text) {
        Ok(_) => Parsed::Whole,
        Err(error) => Parsed::broken(error.line(), without_place(&error.to_string())),
    }
}

/// The line is told beside it.
fn without_place(message: &str) -> &str {
    message.rsplit_once(" at line ").map_or(message, |(what, _)| what)
}

pub(super) fn json_lines(text: &str) -> Parsed {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    for (index, line) in lines {
        match json(line) {
            Parsed::Whole => {}
            Parsed::Broken(fault) => return Parsed::broken(index + 1, fault.what),
            Parsed::Unknown => return Parsed::Unknown,
        }
    }
    Parsed::Whole
}

/// How deep brackets are nested, those in texts left out.
fn depth(text: &str) -> usize {
    let (mut deepest, mut depth) = (0_usize, 0_usize);
    let (mut is_text, mut is_escaped) = (false, false);
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            b'[' | b'{' if !is_text => depth += 1,
            b']' | b'}' if !is_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// Only the form counts: tags of other programs, several documents and keys given twice are their readers' business.
pub(super) fn yaml(text: &str) -> Parsed {
    for event in Parser::new_from_str(text) {
        let Err(error) = event else { continue };
        return match error.kind() {
            ErrorKind::RecursionLimitExceeded => Parsed::Unknown,
            kind => Parsed::broken(error.marker().line(), kind.to_string()),
        };
    }
    Parsed::Whole
}

pub(super) fn toml(text: &str) -> Parsed {
    match toml::from_str::<toml::Table>(text) {
        Ok(_) => Parsed::Whole,
        Err(error) => {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            Parsed::broken(before.matches('\n').count() + 1, error.message())
        }
    }
}

pub(super) fn xml(text: &str) -> Parsed {
    // A declared entity can stand for much more than its own text.
    let is_costly = text.bytes().filter(|byte| *byte == b'=').count() > XML_ATTRIBUTES_MAX;
    if is_costly || text.contains("<!ENTITY") {
        return Parsed::Unknown;
    }
    let options =
        ParsingOptions { allow_dtd: true, nodes_limit: XML_NODES_MAX, ..Default::default() };
    match Document::parse_with_options(text, options) {
        Ok(_) => Parsed::Whole,
        // Entities and prefixes may be declared elsewhere.
        Err(
            roxmltree::Error::NodesLimitReached
            | roxmltree::Error::UnknownEntityReference(..)
            | roxmltree::Error::UnknownNamespace(..),
        ) => Parsed::Unknown,
        Err(error) => {
            let what = error.to_string();
            let what = what.rsplit_once(" at ").map_or(what.as_str(), |(what, _)| what);
            Parsed::broken(error.pos().row as usize, what)
        }
    }
}
