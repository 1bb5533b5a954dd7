//! Checks that Markdown documents have the sections that later work relies on.

use crate::diagnostic::{Report, sections as say};

/// The name to report, and every heading that counts as it.
pub(crate) struct Required {
    pub name: &'static str,
    pub headings: &'static [&'static str],
}

const SPEC: &[Required] = &[
    Required {
        name: "Goals",
        headings: &["goals", "goal", "goals and non-goals", "goals & non-goals"],
    },
    Required {
        name: "Acceptance Criteria",
        headings: &["acceptance criteria", "acceptance criterion"],
    },
    Required { name: "Definition of Done", headings: &["definition of done", "dod"] },
];

const ARCHITECTURE: &[Required] = &[
    Required {
        name: "Overview",
        headings: &["overview", "architecture overview", "system overview"],
    },
    Required {
        name: "Modules/components",
        headings: &[
            "modules/components",
            "modules / components",
            "modules",
            "components",
            "modules and components",
            "modules & components",
            "components and modules",
        ],
    },
];

const REPORT: &[Required] = &[
    Required { name: "What was done", headings: &["what was done"] },
    Required { name: "How to run", headings: &["how to run", "how to run it"] },
    Required { name: "How to test", headings: &["how to test", "how to test it"] },
    Required { name: "Known issues", headings: &["known issues", "known issues and limitations"] },
];

pub fn check_spec(text: &str, path: &str) -> Report {
    check(text, path, SPEC)
}

pub fn check_architecture(text: &str, path: &str) -> Report {
    check(text, path, ARCHITECTURE)
}

pub fn check_report(text: &str, path: &str) -> Report {
    check(text, path, REPORT)
}

pub(crate) fn check(text: &str, path: &str, required: &[Required]) -> Report {
    let headings = headings(text);
    let mut report = Report::default();
    for section in required {
        let found: Vec<&Heading> = headings
            .iter()
            .filter(|heading| section.headings.contains(&heading.name.as_str()))
            .collect();
        match found.first() {
            None => report.push(say::missing(path, section.name)),
            Some(first) if found.iter().all(|heading| !heading.has_content) => {
                report.push(say::empty(path, first.line, section.name));
            }
            Some(_) => {}
        }
    }
    report
}

struct Heading {
    /// In small letters, without numbering and a colon at the end.
    name: String,
    level: usize,
    line: u32,
    has_content: bool,
}

fn headings(text: &str) -> Vec<Heading> {
    let lines: Vec<&str> = text.lines().collect();
    let mut headings: Vec<Heading> = Vec::new();
    let mut fence: Option<&str> = None;
    let mut is_comment = false;
    let mut index = 0;
    while index < lines.len() {
        let line = lines[index];
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        index += 1;
        if let Some(open) = fence {
            if closes(line, open) {
                fence = None;
            } else if !line.trim().is_empty() {
                note_content(&mut headings);
            }
            continue;
        }
        if is_comment {
            is_comment = !line.contains("-->");
            continue;
        }
        if let Some(open) = fence_of(line) {
            fence = Some(open);
            continue;
        }
        if line.trim_start().starts_with("<!--") {
            is_comment = !line.contains("-->");
            continue;
        }
        if let Some((level, title)) = atx(line) {
            push(&mut headings, title, level, number);
        } else if let Some(level) = lines.get(index).and_then(|next| setext(line, next)) {
            push(&mut headings, line.trim(), level, number);
            index += 1;
        } else if !line.trim().is_empty() {
            note_content(&mut headings);
        }
    }
    headings
}

fn push(headings: &mut Vec<Heading>, title: &str, level: usize, line: u32) {
    headings.push(Heading { name: plain_name(title), level, line, has_content: false });
}

/// Content belongs to the last heading and to all headings above it in the outline.
fn note_content(headings: &mut [Heading]) {
    let mut below = usize::MAX;
    for heading in headings.iter_mut().rev() {
        if heading.level < below {
            if heading.has_content && below != usize::MAX {
                return;
            }
            heading.has_content = true;
            below = heading.level;
        }
    }
}

/// The fence that a line opens: three or more of ` or ~.
pub(crate) fn fence_of(line: &str) -> Option<&str> {
    let text = line.trim_start();
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = text.len() - text.trim_start_matches(mark).len();
    let is_fence = length >= 3 && !(mark == '`' && text[length..].contains('`'));
    is_fence.then(|| &text[..length])
}

pub(crate) fn closes(line: &str, open: &str) -> bool {
    let text = line.trim();
    let mark = open.chars().next().unwrap_or('`');
    text.starts_with(open) && text.chars().all(|c| c == mark)
}

pub(crate) fn atx(line: &str) -> Option<(usize, &str)> {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let text = line.trim();
    let level = text.len() - text.trim_start_matches('#').len();
    let title = &text[level..];
    let is_heading = indent <= 3 && (1..=6).contains(&level) && title.starts_with([' ', '\t']);
    is_heading.then(|| (level, title.trim().trim_end_matches('#').trim_end()))
}

/// A line of text with `===` or `---` below it.
pub(crate) fn setext(line: &str, next: &str) -> Option<usize> {
    let is_text = !line.trim().is_empty()
        && !line.starts_with("    ")
        && !line.trim_start().starts_with(['>', '-', '*', '|']);
    let next = next.trim_end();
    let is_rule = |mark: char| !next.is_empty() && next.chars().all(|c| c == mark);
    match () {
        () if !is_text => None,
        () if is_rule('=') => Some(1),
        () if is_rule('-') => Some(2),
        () => None,
    }
}

/// `2) **Goals:**` is `goals`.
pub(crate) fn plain_name(title: &str) -> String {
    let emphasis = ['*', '_', '`', ' ', '\t'];
    let title = title.trim_matches(emphasis);
    let after_number = title.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let is_numbered =
        after_number.len() < title.len() && title.starts_with(|c: char| c.is_ascii_digit());
    let title = if is_numbered {
        after_number.trim_start_matches([')', ':', '.', '-', '–', '—', ' ', '\t'])
    } else {
        title
    };
    let title = title.trim_matches(emphasis).trim_end_matches(':').trim_matches(emphasis);
    title.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::shown;
    use expect_test::{Expect, expect};

    fn check(report: Report, expected: Expect) {
        expected.assert_eq(&shown(&report));
    }

    #[test]
    fn r036_a_spec_names_its_sections_in_many_ways() {
        for spec in [
            "# Goals\na\n# Acceptance Criteria\nb\n# Definition of Done\nc\n",
            "## 1. Goals:\na\n## 2) ACCEPTANCE  criteria\nb\n### 2.3 **Definition of Done** ##\nc",
            "Goals\n=====\na\n\nAcceptance criteria\n---\n- b\n\n Definition of done\n===\n```\nc\n```\n",
            "# Goal\n## Why\nbecause\n# Acceptance Criteria\n| a |\n|---|\n# Definition of Done\n- [ ] c",
        ] {
            check(check_spec(spec, "spec.md"), expect![[""]]);
        }
    }

    #[test]
    fn r036_a_missing_section_is_named() {
        check(
            check_spec(
                "# Goals\nx\n```\n# Acceptance Criteria\ny\n```\n<!--\n# Definition of Done\nz\n-->\n",
                "spec.md",
            ),
            expect![[r###"
                error sections.missing spec.md: the section "Acceptance Criteria" is missing
                  help: Add a heading such as "## Acceptance Criteria" with its content below it
                error sections.missing spec.md: the section "Definition of Done" is missing
                  help: Add a heading such as "## Definition of Done" with its content below it
            "###]],
        );
        check(
            check_spec("", "spec.md"),
            expect![[r###"
            error sections.missing spec.md: the section "Goals" is missing
              help: Add a heading such as "## Goals" with its content below it
            error sections.missing spec.md: the section "Acceptance Criteria" is missing
              help: Add a heading such as "## Acceptance Criteria" with its content below it
            error sections.missing spec.md: the section "Definition of Done" is missing
              help: Add a heading such as "## Definition of Done" with its content below it
        "###]],
        );
        check(
            check_spec("#Goals\n#hashtag\nAcceptance Criteria\n", "spec.md"),
            expect![[r###"
            error sections.missing spec.md: the section "Goals" is missing
              help: Add a heading such as "## Goals" with its content below it
            error sections.missing spec.md: the section "Acceptance Criteria" is missing
              help: Add a heading such as "## Acceptance Criteria" with its content below it
            error sections.missing spec.md: the section "Definition of Done" is missing
              help: Add a heading such as "## Definition of Done" with its content below it
        "###]],
        );
    }

    #[test]
    fn r036_an_empty_section_is_no_section() {
        check(
            check_spec(
                "# Goals\n\n# Acceptance Criteria\n## Deeper\n\n# Definition of Done\n## How\nso\n",
                "spec.md",
            ),
            expect![[r#"
                error sections.empty spec.md:1: the section "Goals" is empty
                  help: Write its content, or say that there is none and why
                error sections.empty spec.md:3: the section "Acceptance Criteria" is empty
                  help: Write its content, or say that there is none and why
            "#]],
        );
    }

    #[test]
    fn r038_an_architecture_has_overview_and_modules() {
        for name in ["Modules", "Components", "Modules/components", "3. Modules and Components"] {
            let text = format!("# Overview\na\n# {name}\nb\n");
            check(check_architecture(&text, "architecture.md"), expect![[""]]);
        }
        check(
            check_architecture("# Intro\na\n", "architecture.md"),
            expect![[r###"
            error sections.missing architecture.md: the section "Overview" is missing
              help: Add a heading such as "## Overview" with its content below it
            error sections.missing architecture.md: the section "Modules/components" is missing
              help: Add a heading such as "## Modules/components" with its content below it
        "###]],
        );
    }

    #[test]
    fn r052_a_report_has_four_parts() {
        check(
            check_report("# What was done\nall\n## How to run\nmake\n", "report.md"),
            expect![[r###"
                error sections.missing report.md: the section "How to test" is missing
                  help: Add a heading such as "## How to test" with its content below it
                error sections.missing report.md: the section "Known issues" is missing
                  help: Add a heading such as "## Known issues" with its content below it
            "###]],
        );
    }
}
