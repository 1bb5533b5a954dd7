//! The body of a task: what it achieves, which files it may change, and how to tell that it is done.

use super::outline::{Line, Outline, Required, Section};
use super::reference::{self, SpecReference};
use super::scope_list::{Excluded, excluded, in_scope, owner_span};
use super::{list, objective};
use crate::diagnostic::{Report, work_item as say};
use std::collections::{BTreeMap, BTreeSet};
use tollgate_core::task::Check;
use tollgate_core::work::{ChangeType, FileChange, ScopeClass};
use tollgate_judge::globs::PathRules;
use tollgate_judge::scope::{self, ScopeRules, entry_of};

pub(super) const TEMPLATE: &[Required] = &[
    Required { name: OBJECTIVE, level: 2 },
    Required { name: SPEC_REFERENCE, level: 2 },
    Required { name: IN_SCOPE, level: 3 },
    Required { name: OUT_OF_SCOPE, level: 3 },
    Required { name: CRITERIA, level: 2 },
    Required { name: CONTEXT, level: 2 },
    Required { name: CONSTRAINTS, level: 2 },
];

const OBJECTIVE: &str = "Objective";
const SPEC_REFERENCE: &str = "Spec Reference";
const IN_SCOPE: &str = "In Scope";
const OUT_OF_SCOPE: &str = "Out of Scope";
const CRITERIA: &str = "Acceptance Criteria";
const CONTEXT: &str = "Context";
const CONSTRAINTS: &str = "Constraints";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskItem {
    pub objective: String,
    pub spec_reference: SpecReference,
    /// Paths, globs, or folders ending in `/`.
    pub in_scope: Vec<String>,
    pub out_of_scope: Vec<Excluded>,
    pub criteria: Vec<AcceptanceCriterion>,
    pub context: String,
    pub constraints: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptanceCriterion {
    pub text: String,
    pub is_checked: bool,
    /// The file of `Test: file passes`.
    pub test: Option<String>,
}

impl TaskItem {
    /// Constraints one by one: the items of their list, else the whole as one.
    pub fn constraint_lines(&self) -> Vec<String> {
        let line = |text| Line { number: 0, text, is_code: false };
        let lines: Vec<Line<'_>> = self.constraints.lines().map(line).collect();
        let items = list::items(&lines);
        match items.is_empty() {
            true => vec![self.constraints.split_whitespace().collect::<Vec<_>>().join(" ")],
            false => items.into_iter().map(|item| item.text).collect(),
        }
    }
}

/// The item even where it has faults that do not hide its parts; none where parts are missing.
pub(super) fn read(
    body: &str,
    path: &str,
    first_line: u32,
    report: &mut Report,
) -> Option<TaskItem> {
    let outline = Outline::of(body, first_line, TEMPLATE);
    outline.check(TEMPLATE, path, report);
    let in_scope = outline.section(IN_SCOPE).map(|section| in_scope(section, path, report));
    let excluded = outline.section(OUT_OF_SCOPE).map(|section| excluded(section, path, report));
    let criteria = outline.section(CRITERIA).map(|section| criteria(section, path, report));
    let reference = outline.section(SPEC_REFERENCE).map(|section| {
        let reference = reference::read(section);
        if reference.specs.is_empty() {
            report.push(say::spec_field(path, section.line, "Spec"));
        }
        if reference.sections.is_empty() {
            report.push(say::spec_field(path, section.line, "Section(s)"));
        }
        reference
    });
    if let Some(section) = outline.section(OBJECTIVE) {
        objective::check(section, path, report);
    }
    let text = |name: &str| outline.section(name).map(Section::text);
    let (in_scope, excluded, criteria) = (in_scope?, excluded?, criteria?);
    contradictions(path, &in_scope, &excluded, &criteria, report);
    Some(TaskItem {
        objective: text(OBJECTIVE)?,
        spec_reference: reference?,
        in_scope: in_scope.iter().map(|(_, path)| entry_of(path)).collect(),
        out_of_scope: excluded.into_iter().map(|(_, excluded)| excluded).collect(),
        criteria: criteria.into_iter().map(|(_, criterion)| criterion).collect(),
        context: text(CONTEXT)?,
        constraints: text(CONSTRAINTS)?,
    })
}

/// The body with owners in Out of Scope called by other names, where `rename` knows one.
pub(super) fn rename_owners(body: &str, rename: impl Fn(&str) -> Option<String>) -> String {
    let outline = Outline::of(body, 1, TEMPLATE);
    let excluded = outline.sections.iter().filter(|section| section.name == OUT_OF_SCOPE);
    let lines: BTreeSet<u32> =
        excluded.flat_map(|s| &s.lines).filter(|l| !l.is_code).map(|l| l.number).collect();
    let mut renamed = String::with_capacity(body.len());
    for (number, line) in (1..).zip(body.split_inclusive('\n')) {
        let span = owner_span(line).filter(|_| lines.contains(&number));
        match span.and_then(|span| Some((rename(&line[span.clone()])?, span))) {
            Some((name, span)) => {
                renamed.extend([&line[..span.start], &name, &line[span.end..]]);
            }
            None => renamed.push_str(line),
        }
    }
    renamed
}

fn criteria(
    section: &Section<'_>,
    path: &str,
    report: &mut Report,
) -> Vec<(u32, AcceptanceCriterion)> {
    let mut found: Vec<(u32, AcceptanceCriterion)> = Vec::new();
    let items = list::items(&section.lines);
    let top = items.iter().map(|item| item.indent).min().unwrap_or_default();
    for item in &items {
        let box_of = check_box(&item.text);
        let (is_checked, text) = box_of.unwrap_or((false, item.text.as_str()));
        let text = list::unquoted(text);
        match found.last_mut() {
            // Details of a criterion, not a criterion of their own.
            Some((_, last)) if box_of.is_none() && item.indent > top => {
                last.text = format!("{} {text}", last.text);
            }
            _ if text.is_empty() => {}
            _ => {
                if box_of.is_none() {
                    report.push(say::no_box(path, item.line, text));
                }
                found.push((item.line, criterion(text, is_checked)));
            }
        }
    }
    if found.is_empty() {
        report.push(say::no_criteria(path, section.line));
    }
    found
}

fn check_box(text: &str) -> Option<(bool, &str)> {
    let mark = text.get(..3)?;
    let is_checked = match mark {
        "[ ]" => false,
        "[x]" | "[X]" => true,
        _ => return None,
    };
    Some((is_checked, text[3..].trim()))
}

fn criterion(text: &str, is_checked: bool) -> AcceptanceCriterion {
    let test = list::field(text, "test").and_then(|rest| {
        let (paths, _) = list::paths(rest)
            .or_else(|| list::paths(rest.split_whitespace().next().unwrap_or_default()))?;
        paths.into_iter().next()
    });
    AcceptanceCriterion { text: text.to_owned(), is_checked, test }
}

/// A file is in scope or out of it, and no check may need a file that is out of it.
fn contradictions(
    path: &str,
    in_scope: &[(u32, String)],
    excluded: &[(u32, Excluded)],
    criteria: &[(u32, AcceptanceCriterion)],
    report: &mut Report,
) {
    let mut first_lines: BTreeMap<&str, u32> = BTreeMap::new();
    for (line, path) in in_scope {
        first_lines.entry(path.trim_end_matches('/')).or_insert(*line);
    }
    for (line, out) in excluded {
        if let Some(listed) = first_lines.get(out.path.trim_end_matches('/')) {
            report.push(say::in_and_out(path, (*listed, *line), &out.path));
        }
    }
    let needs: Vec<Vec<String>> = criteria.iter().map(|(_, criterion)| needed(criterion)).collect();
    let refused = refused(needs.iter().flatten(), in_scope, excluded);
    for ((line, criterion), needs) in criteria.iter().zip(&needs) {
        if let Some(needed) = needs.iter().find(|file| refused.contains(file.as_str())) {
            report.push(say::check_out_of_scope(path, *line, needed, &criterion.text));
        }
    }
}

/// The files that a check cannot do without.
fn needed(criterion: &AcceptanceCriterion) -> Vec<String> {
    let words = match criterion.text.strip_prefix("cmd:") {
        Some(_) => match Check::from(criterion.text.clone()) {
            Check::Command(command) => command,
            Check::Manual(_) | Check::Test(_) => String::new(),
        },
        None => String::new(),
    };
    let ends = |c: char| c.is_whitespace() || ";|&()<>'\"=`".contains(c);
    let named = words.split(ends).filter(|word| word.contains(['/', '.'])).map(str::to_owned);
    criterion.test.iter().cloned().chain(named).collect()
}

/// The files that the task may not change because the work item excludes them.
fn refused<'a>(
    files: impl Iterator<Item = &'a String>,
    in_scope: &[(u32, String)],
    excluded: &[(u32, Excluded)],
) -> BTreeSet<&'a str> {
    let outside: Vec<&str> = excluded.iter().map(|(_, out)| out.path.as_str()).collect();
    let Ok(named) = PathRules::new(&outside) else { return BTreeSet::new() };
    let files: BTreeSet<&str> =
        files.map(String::as_str).filter(|file| named.matches(file)).collect();
    let rules = ScopeRules {
        in_scope: in_scope.iter().map(|(_, path)| entry_of(path)).collect(),
        out_of_scope: outside.iter().map(|path| entry_of(path)).collect(),
        ..ScopeRules::default()
    };
    let change = |file: &&str| FileChange {
        path: file.strip_prefix("./").unwrap_or(file).to_owned(),
        change_type: ChangeType::Modified,
        old_path: None,
    };
    let changes: Vec<FileChange> = files.iter().map(change).collect();
    let sorted = scope::sort(&rules, &changes);
    let is_refused = |(_, file): &(&str, scope::ScopedFile)| file.class == ScopeClass::Violation;
    files.into_iter().zip(sorted).filter(is_refused).map(|(file, _)| file).collect()
}
