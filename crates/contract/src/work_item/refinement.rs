//! The body of a refinement: what the specification leaves open, and what could be done about it.

use super::list;
use super::outline::{Outline, Required, Section};
use super::reference::{self, SpecReference};
use crate::diagnostic::{Report, work_item as say};

pub(super) const TEMPLATE: &[Required] = &[
    Required { name: AMBIGUITY, level: 2 },
    Required { name: SPEC_REFERENCE, level: 2 },
    Required { name: OPTIONS, level: 2 },
    Required { name: RECOMMENDATION, level: 2 },
    Required { name: BLOCKED_TASKS, level: 2 },
];

const AMBIGUITY: &str = "Ambiguity";
const SPEC_REFERENCE: &str = "Spec Reference";
const OPTIONS: &str = "Options";
const RECOMMENDATION: &str = "Recommendation";
const BLOCKED_TASKS: &str = "Blocked Tasks";

/// With one option there is nothing to choose.
const OPTIONS_MIN: usize = 2;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefinementItem {
    pub ambiguity: String,
    pub spec_reference: SpecReference,
    pub options: Vec<String>,
    pub recommendation: String,
    pub blocked_tasks: String,
}

pub(super) fn read(
    body: &str,
    path: &str,
    first_line: u32,
    report: &mut Report,
) -> Option<RefinementItem> {
    let outline = Outline::of(body, first_line, TEMPLATE);
    outline.check(TEMPLATE, path, report);
    let reference = outline.section(SPEC_REFERENCE).map(|section| {
        let reference = reference::read(section);
        let fields = [
            ("Spec", &reference.specs),
            ("Section(s)", &reference.sections),
            ("Quote", &reference.quotes),
        ];
        for (name, _) in fields.iter().filter(|(_, told)| told.is_empty()) {
            report.push(say::spec_field(path, section.line, name));
        }
        reference
    });
    let options = outline.section(OPTIONS).map(|section| options(section, path, report));
    let text = |name: &str| outline.section(name).map(Section::text);
    Some(RefinementItem {
        ambiguity: text(AMBIGUITY)?,
        spec_reference: reference?,
        options: options?,
        recommendation: text(RECOMMENDATION)?,
        blocked_tasks: text(BLOCKED_TASKS)?,
    })
}

/// Nested items are details of the option above them.
fn options(section: &Section<'_>, path: &str, report: &mut Report) -> Vec<String> {
    let items = list::items(&section.lines);
    let top = items.iter().map(|item| item.indent).min().unwrap_or_default();
    let mut options: Vec<String> = Vec::new();
    for item in items.into_iter().filter(|item| !item.text.is_empty()) {
        match options.last_mut() {
            Some(last) if item.indent > top => *last = format!("{last} {}", item.text),
            _ => options.push(item.text),
        }
    }
    if options.len() < OPTIONS_MIN {
        report.push(say::too_few_options(path, section.line, options.len()));
    }
    options
}
