//! Faults in the labels of a work item.

use super::{Diagnostic, Location, any_of, pages, quote};
use crate::nearest::nearest;

pages! {
    UNKNOWN = "labels.unknown":
        "A label begins with task:, status:, priority: or complexity: but is not one of the sixteen that Tollgate knows.\n\
         These four prefixes are reserved, and labels must match exactly. Labels with other prefixes, such as area:login, are\n\
         yours and always allowed.";
    MISSING = "labels.missing":
        "A work item lacks a required label. A task has exactly one label each for type, status, priority and complexity; a\n\
         refinement has one each for type, status and priority.";
    SEVERAL = "labels.several":
        "A work item has several labels from a category that allows only one. Keep the right one.";
    TYPE_WRONG = "labels.type_wrong":
        "The type label does not match the item: work to do is task:implement, a question about the specification is\n\
         task:refinement. Their bodies have different sections, too.";
    NOT_PENDING = "labels.not_pending":
        "A new work item must have status:pending. Tollgate sets the other statuses as work continues.";
    PRIORITY_LOW = "labels.priority_low":
        "A refinement has priority:low. Other work waits for its answer, so use priority:high, or priority:medium if nothing\n\
         important depends on it.";
    COMPLEXITY_REFUSED = "labels.complexity_refused":
        "A refinement has a complexity label. It is a question, not work, so it must not have one.";
}

/// Where the labels stand: a file with its line, or a pointer into a reply.
#[derive(Debug, Clone, Copy)]
pub struct LabelLocation<'a> {
    /// Empty for a reply.
    pub file: &'a str,
    pub pointer: &'a str,
    pub line: Option<u32>,
}

pub(crate) fn unknown(at: LabelLocation<'_>, found: &str, known: &[&str]) -> Diagnostic {
    let message = format!("{} is not a known label", quote(found));
    let help = match nearest_label(found, known) {
        Some(near) => format!("Did you mean {}?", quote(near)),
        None => format!("Known: {}.", any_of(known)),
    };
    Diagnostic::error(UNKNOWN, place(at), message).help(help)
}

pub(crate) fn missing(
    at: LabelLocation<'_>,
    category: &str,
    item: &str,
    choices: &[&str],
) -> Diagnostic {
    let message = format!("{item} has no {category} label");
    Diagnostic::error(MISSING, place(at), message).help(format!("Add {}", any_of(choices)))
}

pub(crate) fn several(at: LabelLocation<'_>, category: &str, found: &[&str]) -> Diagnostic {
    let message = format!("{} {category} labels: {}", found.len(), found.join(", "));
    Diagnostic::error(SEVERAL, place(at), message).help("Keep exactly one of them")
}

pub(crate) fn type_wrong(
    at: LabelLocation<'_>,
    found: &str,
    item: &str,
    label: &str,
) -> Diagnostic {
    let message = format!("{item} is labelled {}", quote(found));
    Diagnostic::error(TYPE_WRONG, place(at), message).help(format!("Use {label} instead"))
}

pub(crate) fn not_pending(at: LabelLocation<'_>, found: &str) -> Diagnostic {
    let message = format!("a new item has {}, but must start as status:pending", quote(found));
    Diagnostic::error(NOT_PENDING, place(at), message).help("Use status:pending instead")
}

pub(crate) fn priority_low(at: LabelLocation<'_>) -> Diagnostic {
    let message = "a refinement has \"priority:low\", although other work waits for its answer";
    Diagnostic::error(PRIORITY_LOW, place(at), message).help("Use priority:high or priority:medium")
}

pub(crate) fn complexity_refused(at: LabelLocation<'_>, found: &str) -> Diagnostic {
    let message = format!("a refinement has {}, but it is a question, not work", quote(found));
    Diagnostic::error(COMPLEXITY_REFUSED, place(at), message).help("Remove it")
}

/// Compares what comes after the namespace, which would make everything look near.
fn nearest_label<'a>(found: &str, known: &[&'a str]) -> Option<&'a str> {
    let rest = |name: &'a str| name.split_once(':').map_or(name, |(_, rest)| rest);
    let (_, found) = found.split_once(':')?;
    let near = nearest(found.trim(), known.iter().map(|name| rest(name)))?;
    known.iter().copied().find(|name| rest(name) == near)
}

fn place(at: LabelLocation<'_>) -> Location {
    Location::new(at.file, at.pointer, at.line)
}
