//! The first steps every JSON file shares: text to node, node to type, faults to words.

use crate::diagnostic::{Diagnostic, Report, shape as words};
use crate::node::{JsonFault, Node, read_json};
use crate::shape::{ReadError, ShapeError, check, read, schema_of};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

pub(crate) fn parse_bytes(bytes: &[u8], path: &str) -> (Option<Node>, Report) {
    match std::str::from_utf8(bytes) {
        Ok(text) => parse(text, path),
        Err(error) => (None, words::not_utf8(path, error.valid_up_to()).into()),
    }
}

pub(crate) fn parse(text: &str, path: &str) -> (Option<Node>, Report) {
    let diagnostic = match read_json(text) {
        Ok(node) => return (Some(node), Report::default()),
        Err(JsonFault::Empty) => words::json_syntax(path, "the file is empty", 1, 1),
        Err(JsonFault::TooDeep) => words::json_syntax(path, "it nests too deeply", 1, 1),
        Err(JsonFault::TextAfter { rest }) => words::json_after(path, &rest),
        Err(JsonFault::Syntax { message, line, column }) => {
            words::json_syntax(path, &message, line, column)
        }
    };
    (None, diagnostic.into())
}

pub(crate) fn typed<T: DeserializeOwned + JsonSchema>(
    node: &Node,
    path: &str,
    report: &mut Report,
    say: impl Fn(&ShapeError) -> Diagnostic,
) -> Option<T> {
    match read(node) {
        Ok(value) => Some(value),
        Err(ReadError::Faults(faults)) => {
            report.extend(faults.iter().map(say));
            None
        }
        Err(ReadError::Other(cause)) => {
            report.push(words::unreadable(path, &cause));
            None
        }
    }
}

/// As `typed`, for files that other people's tools write too: a fault that `say` only warns of does not stop it.
pub(crate) fn typed_loosely<T: DeserializeOwned + JsonSchema>(
    node: &Node,
    path: &str,
    report: &mut Report,
    say: impl Fn(&ShapeError) -> Diagnostic,
) -> Option<T> {
    let faults: Vec<Diagnostic> = check(&schema_of::<T>(), node).iter().map(say).collect();
    let is_ok = !faults.iter().any(Diagnostic::is_error);
    report.extend(faults);
    if !is_ok {
        return None;
    }
    match serde_json::from_value(node.to_json()) {
        Ok(value) => Some(value),
        Err(cause) => {
            report.push(words::unreadable(path, &cause.to_string()));
            None
        }
    }
}
