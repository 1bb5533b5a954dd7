//! What may be asked for in `scope_request`: a few files, by plain paths that an agent may change, with short reasons.

use super::wire;
use crate::diagnostic::{Diagnostic, reply};
use crate::node::{Node, pointer};
use tollgate_core::reply::ScopeRequest;
use tollgate_judge::globs::is_protected;
use tollgate_judge::scope::{is_plain, plain_path};

const REQUESTS_MAX: usize = 20;
const PATH_BYTES_MAX: usize = 512;
const REASON_CHARS_MAX: usize = 1_000;

/// Every fault. What has the wrong form is left to those who read the form.
pub(super) fn faults(reply: &Node) -> Vec<Diagnostic> {
    let requests = reply.get("scope_request").map(Node::items).unwrap_or_default();
    if requests.len() > REQUESTS_MAX {
        return vec![reply::scope_requests_many(requests.len(), REQUESTS_MAX)];
    }
    let mut found = Vec::new();
    for (index, request) in requests.iter().enumerate() {
        let at = pointer("/scope_request", index);
        let text = |field| request.get(field).and_then(Node::as_text);
        if let Some((path, why)) = text("path").and_then(|path| Some((path, fault_in_path(path)?)))
        {
            found.push(reply::scope_request_path(&pointer(&at, "path"), path, &why));
        }
        if let Some(why) = text("reason").and_then(fault_in_reason) {
            found.push(reply::scope_request_reason(&pointer(&at, "reason"), &why));
        }
    }
    found
}

/// Each path once, as the scope of a task compares it, with the first reason that was given.
pub(super) fn merged(requests: Vec<wire::ScopeRequest>) -> Vec<ScopeRequest> {
    let mut merged: Vec<ScopeRequest> = Vec::new();
    for request in requests {
        let path = plain_path(&request.path);
        if merged.iter().all(|known| known.path != path) {
            merged.push(ScopeRequest { path, reason: request.reason.trim().to_owned() });
        }
    }
    merged
}

fn fault_in_path(text: &str) -> Option<String> {
    let path = plain_path(text);
    if text.len() > PATH_BYTES_MAX {
        return Some(format!("it has {} bytes; the limit is {PATH_BYTES_MAX}", text.len()));
    }
    if text.contains(char::is_control) {
        return Some("it has line breaks or control characters".to_owned());
    }
    if path.ends_with('/') {
        return Some("it is a folder; name the files".to_owned());
    }
    if path.contains(['*', '?']) || (path.contains('{') && path.contains('}')) {
        return Some("it is a pattern; name the files".to_owned());
    }
    if !is_plain(&path) || path.contains('`') {
        return Some("it is not a plain path inside the repository".to_owned());
    }
    is_protected(&path, None).then(|| "no agent may change this file".to_owned())
}

fn fault_in_reason(text: &str) -> Option<String> {
    let count = text.chars().count();
    if count > REASON_CHARS_MAX {
        return Some(format!("has {count} characters; the limit is {REASON_CHARS_MAX}"));
    }
    text.trim()
        .contains(char::is_control)
        .then(|| "has line breaks or control characters".to_owned())
}
