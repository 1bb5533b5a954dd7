//! Whether the criteria of spec.md and those of acceptance.json are the same ones.

use crate::diagnostic::{Report, tasks as say};
use crate::markdown::{Line, Markdown};
use crate::sections::plain_name;
use std::collections::BTreeSet;
use tollgate_core::task::Criterion;

/// A criterion that only one of the two files names is refused where it is. A specification that uses no ids is read by
/// people only, and nothing can be compared.
pub fn agree(
    (spec, spec_path): (&str, &str),
    (criteria, criteria_path): (&[Criterion], &str),
) -> Report {
    let document = Markdown::of(spec);
    let ids: BTreeSet<String> = criteria.iter().map(|one| one.id.to_lowercase()).collect();
    let entries = entries(spec, &document, &ids);
    let mut report = Report::default();
    if entries.is_empty() {
        return report;
    }
    let mut told = BTreeSet::new();
    for entry in &entries {
        if !ids.contains(&entry.id.to_lowercase()) && told.insert(entry.id.to_lowercase()) {
            report.push(say::only_in_spec(spec_path, entry.line, &entry.id, criteria_path));
        }
    }
    for line in without_id(spec, &document, &entries) {
        report.push(say::criterion_without_id(spec_path, line));
    }
    let prose = document.prose.to_lowercase();
    for (index, criterion) in criteria.iter().enumerate() {
        let id = criterion.id.to_lowercase();
        // Code inside a line is no prose, but may be how the id is written.
        let is_entry = entries.iter().any(|entry| entry.id.to_lowercase() == id);
        if !is_entry && !names(&prose, &id) {
            report.push(say::only_in_acceptance(criteria_path, index, &criterion.id, spec_path));
        }
    }
    report
}

struct Entry {
    id: String,
    line: u32,
    /// The blanks before it, for an item of a list.
    indent: Option<usize>,
}

/// The criteria that the section lists: items, rows, headings and lines that begin with an id.
fn entries(spec: &str, document: &Markdown, known: &BTreeSet<String>) -> Vec<Entry> {
    let found = section(spec, document).into_iter().filter_map(|(number, line)| {
        let text =
            line.trim_start_matches(|c: char| c.is_whitespace() || "-*+|[]x_#>`".contains(c));
        let text = after_number(text);
        let end = text.find(|c: char| c.is_whitespace() || ":|*_`)]}—–,;".contains(c));
        let word = text[..end.unwrap_or(text.len())].trim_end_matches('.');
        let is_id = is_usual(word) || known.contains(&word.to_lowercase());
        is_id.then(|| Entry { id: word.to_owned(), line: number, indent: item_indent(line) })
    });
    found.collect()
}

/// Items of the same list as criteria with ids. Criteria in other forms have no such neighbours.
fn without_id(spec: &str, document: &Markdown, entries: &[Entry]) -> Vec<u32> {
    let indents: BTreeSet<usize> = entries.iter().filter_map(|entry| entry.indent).collect();
    let is_entry = |number: u32| entries.iter().any(|entry| entry.line == number);
    let items = section(spec, document).into_iter().filter(|(number, line)| {
        item_indent(line).is_some_and(|indent| indents.contains(&indent)) && !is_entry(*number)
    });
    items.map(|(number, _)| number).collect()
}

/// The lines of prose and the headings below `Acceptance Criteria`, numbered.
fn section<'a>(spec: &'a str, document: &Markdown) -> Vec<(u32, &'a str)> {
    let is_it = |title: &str| plain_name(title).starts_with("acceptance criteri");
    let headings = (0..document.headings.len()).filter(|at| is_it(&document.headings[*at].title));
    let indexes: BTreeSet<usize> = headings.flat_map(|at| document.below(at)).collect();
    let lines = (1..).zip(spec.lines()).enumerate();
    lines
        .filter(|(index, _)| indexes.contains(index))
        .filter(|(index, _)| matches!(document.lines[*index], Line::Text | Line::Heading))
        .map(|(_, line)| line)
        .collect()
}

/// `AC-001`, with any number of digits.
fn is_usual(word: &str) -> bool {
    let digits =
        word.get(..3).filter(|start| start.eq_ignore_ascii_case("ac-")).map(|_| &word[3..]);
    digits.is_some_and(|digits| {
        (1..=6).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit())
    })
}

/// `1. AC-001` is `AC-001`.
fn after_number(text: &str) -> &str {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_number = rest.len() < text.len();
    match rest.strip_prefix(['.', ')']).filter(|_| is_number) {
        Some(rest) => rest.trim_start_matches(|c: char| c.is_whitespace() || "*_[]`".contains(c)),
        None => text,
    }
}

fn item_indent(line: &str) -> Option<usize> {
    let text = line.trim_start();
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let mark: &[char] = if rest.len() < text.len() { &['.', ')'] } else { &['-', '*', '+'] };
    let is_item = rest.strip_prefix(mark).is_some_and(|rest| rest.starts_with([' ', '\t']));
    is_item.then(|| line.len() - text.len())
}

/// As a word of its own: `AC-1` is not in `AC-10`.
fn names(prose: &str, id: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    prose
        .match_indices(id)
        .any(|(at, _)| !prose[..at].ends_with(joins) && !prose[at + id.len()..].starts_with(joins))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Shows, shown};
    use expect_test::expect;
    use tollgate_core::task::Check;

    fn compared(section: &str, ids: &[&str]) -> String {
        let spec = format!(
            "# Goals\nAC-900 is old.\n## Acceptance Criteria\n{section}\n## Definition of Done\n- AC-901\n"
        );
        let criterion = |id: &&str| Criterion {
            id: (*id).to_owned(),
            description: "x".to_owned(),
            verify: vec![Check::Command("true".to_owned())],
        };
        let criteria: Vec<Criterion> = ids.iter().map(criterion).collect();
        shown(&agree((&spec, "spec.md"), (&criteria, "acceptance.json")))
    }

    #[test]
    fn r136_the_same_criteria_in_many_forms_agree() {
        for section in [
            "- AC-001: a\n  - more on it\n- AC-002: b",
            "* **AC-001** a\n* **ac-002** b",
            "1. AC-001 a\n2. AC-002 b",
            "- [ ] AC-001 – a\n- [x] `AC-002` b",
            "| id | fact |\n|---|---|\n| AC-001 | a |\n| AC-002 | b |",
            "### AC-001: a\n- given\n- then\n### AC-002: b\nwords",
            "AC-001: a\n\nAC-002: b",
            "- AC-001: a, unlike (AC-002)\n- AC-002: b\n```\n- AC-003: an example\n```",
        ] {
            compared(section, &["AC-001", "AC-002"]).shows(expect![[""]]);
        }
        compared("- login: a\n- logout: b", &["login", "logout"]).shows(expect![[""]]);
    }

    #[test]
    fn r136_a_specification_without_ids_is_read_by_people_only() {
        for section in ["It works.", "- It works.\n- It is fast."] {
            compared(section, &["AC-001", "AC-002", "AC-003"]).shows(expect![[""]]);
        }
    }

    #[test]
    fn r136_a_criterion_on_one_side_only_is_refused_at_its_place() {
        compared("- AC-001: a\n- AC-10: b", &["AC-001", "AC-1"]).shows(expect![[r#"
            error acceptance.one_sided spec.md:5: the criterion "AC-10" is not in acceptance.json
              help: Add it there with the same id and a way to verify it, or remove it here
            error acceptance.one_sided acceptance.json#/acceptance_criteria/1/id: the criterion "AC-1" is not in spec.md
              help: Add it to the section Acceptance Criteria there with the same id, or remove it here
        "#]]);
        compared("- AC-001: a\n- and it is fast", &["AC-001"]).shows(expect![[r#"
            error acceptance.no_id spec.md:5: this criterion has no id, but others do
              help: Begin it with the id that it has in acceptance.json, or indent it below its criterion
        "#]]);
    }
}
