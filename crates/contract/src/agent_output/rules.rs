//! What results of reviewer and implementor must say beyond their form.
//! The rules look at the node, so that they speak also when the form is wrong elsewhere.

use super::normal::is_warning;
use crate::diagnostic::{Report, reply};
use crate::node::{Node, Value, pointer};
use tollgate_judge::globs::is_inside;

/// A comment has a file and a line that can be; the verdict fits the comments.
pub(super) fn reviewer(node: &Node, report: &mut Report) {
    let Some(review) = node.get("review") else { return };
    let Some(comments) = review.get("comments") else { return };
    for (index, comment) in comments.items().iter().enumerate() {
        let at = pointer("/review/comments", index);
        if let Some(path) = comment.get("path").and_then(Node::as_text).filter(|p| !is_path(p)) {
            report.push(reply::path_invalid(&pointer(&at, "path"), path));
        }
        if let Some(found) = comment.get("line").and_then(wrong_line) {
            report.push(reply::line_invalid(&pointer(&at, "line"), &found));
        }
    }
    let verdict = review.get("verdict").and_then(Node::as_text);
    verdict_fits(verdict.unwrap_or_default(), comments, report);
}

/// Where the agent names a file, it is one of the repository. Empty texts count as missing and are judged with the scope.
pub(super) fn implementor(node: &Node, report: &mut Report) {
    const PATHS: [(&str, [&str; 2]); 2] =
        [("incidental", ["path", "motivated_by"]), ("scope_corrections", ["listed", "actual"])];
    for (list, fields) in PATHS {
        let entries = node.get(list).map(Node::items).unwrap_or_default();
        for (index, entry) in entries.iter().enumerate() {
            let at = pointer(&pointer("", list), index);
            for field in fields {
                let Some(path) = entry.get(field).and_then(Node::as_text) else { continue };
                if !path.trim().is_empty() && !is_path(path) {
                    report.push(reply::path_invalid(&pointer(&at, field), path));
                }
            }
        }
    }
}

fn verdict_fits(verdict: &str, comments: &Node, report: &mut Report) {
    let Value::List(comments) = &comments.value else { return };
    let body = |comment: &Node| {
        let text = comment.get("body").and_then(Node::as_text);
        text.filter(|text| !text.trim().is_empty()).map(str::to_owned)
    };
    let bodies: Vec<Option<String>> = comments.iter().map(body).collect();
    // One that cannot be read may be the one that asks.
    let may_ask = |body: &Option<String>| body.as_ref().is_none_or(|body| !is_warning(body));
    if verdict == "needs-changes" && !bodies.iter().any(may_ask) {
        report.push(reply::review_without_finding());
    }
    if verdict == "approve" {
        let asks = |body: &&String| !is_warning(body);
        for (index, body) in bodies.iter().enumerate() {
            if let Some(body) = body.as_ref().filter(asks) {
                let at = pointer(&pointer("/review/comments", index), "body");
                report.push(reply::review_approves_finding(&at, body));
            }
        }
    }
}

/// Inside the repository, however its names are divided.
fn is_path(path: &str) -> bool {
    let path = path.trim().trim_matches('`').replace('\\', "/");
    let is_drive =
        path.split('/').next().is_some_and(|part| part.len() == 2 && part.ends_with(':'));
    is_inside(&path) && !is_drive
}

/// What is where a line number or a range of them is expected, if it is none.
fn wrong_line(line: &Node) -> Option<String> {
    match &line.value {
        Value::Number(number) => {
            number.as_i64().filter(|number| *number < 1).map(|number| number.to_string())
        }
        Value::Text(text) => {
            let is_line = |part: &str| {
                let digits = part.trim().trim_start_matches(['L', 'l']);
                let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
                is_number && digits.bytes().any(|b| b != b'0')
            };
            let is_range = text.split(['-', '–', ',', ':']).all(is_line);
            (!is_range).then(|| text.clone())
        }
        _ => None,
    }
}
