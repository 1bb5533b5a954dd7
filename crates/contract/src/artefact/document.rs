//! A Markdown document of planning: its front matter, what it says, and what keeps it from being well formed.

use crate::diagnostic::{Diagnostic, artefact as say, shape as words};
use crate::front_matter;
use crate::markdown::{Line, Markdown};
use crate::node::{Node, Value, read_yaml};

pub(super) struct Document {
    pub front: Option<Node>,
    pub body: Markdown,
    pub faults: Vec<Diagnostic>,
}

pub(super) fn read(text: &str, path: &str) -> Document {
    let mut faults = Vec::new();
    let (front, front_end) = front(text, path, &mut faults);
    let body = Markdown::after(text, front_end);
    faults.extend(body.open_fence.map(|line| say::fence_open(path, line)));
    for (number, (line, kind)) in (1..).zip(text.lines().zip(&body.lines)) {
        let is_told = !matches!(kind, Line::Fenced | Line::Comment | Line::Front);
        if is_told && ["<<<<<<<", ">>>>>>>", "|||||||"].iter().any(|mark| is_conflict(line, mark)) {
            faults.push(say::conflict_marker(path, number));
        }
    }
    Document { front, body, faults }
}

/// The front matter and the byte where it ends. A rule at the top of a text is not front matter.
fn front(text: &str, path: &str, faults: &mut Vec<Diagnostic>) -> (Option<Node>, usize) {
    let mut lines = text.strip_prefix('\u{feff}').unwrap_or(text).lines();
    if lines.next().map(str::trim_end) != Some("---") || !lines.next().is_some_and(is_field) {
        return (None, 0);
    }
    let Ok((yaml, prose)) = front_matter::split(text) else {
        faults.push(say::front_matter_open(path));
        return (None, 0);
    };
    let end = text.len() - prose.len();
    match read_yaml(&yaml) {
        Ok(node) if matches!(node.value, Value::Map(_)) => (Some(node), end),
        Ok(_) => (None, end),
        Err(fault) => {
            faults.push(words::yaml_syntax(path, &fault.message, fault.line));
            (None, end)
        }
    }
}

/// `name: …`, or a comment before the first field.
fn is_field(line: &str) -> bool {
    let name = line.split(':').next().unwrap_or_default().trim_matches(['"', '\'']);
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ');
    line.starts_with('#') || (line.contains(':') && !name.is_empty() && name.chars().all(is_name))
}

fn is_conflict(line: &str, mark: &str) -> bool {
    line.strip_prefix(mark).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}
