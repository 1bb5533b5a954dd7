//! Checks that Markdown documents have the sections that later work relies on.

use crate::diagnostic::{Report, sections as say};
use crate::markdown::{Line, Markdown};
use tollgate_core::role::Mode;

/// The name to report, and every heading that counts as it.
pub(crate) struct Required {
    pub name: &'static str,
    pub headings: &'static [&'static str],
    /// Words of a heading that is taken for it, with a notice.
    pub also: &'static [&'static str],
}

const SPEC: &[Required] = &[
    Required {
        name: "Goals",
        headings: &["goals", "goal", "goals and non-goals", "goals & non-goals"],
        also: &["objectives", "objective", "main goals", "project goals"],
    },
    Required {
        name: "Acceptance Criteria",
        headings: &["acceptance criteria", "acceptance criterion"],
        also: &["acceptance criteria"],
    },
    Required {
        name: "Definition of Done",
        headings: &["definition of done", "dod"],
        also: &["definition of done", "done when"],
    },
];

/// The first ones of `SPEC`.
const LEAN_SECTIONS: usize = 2;

const ARCHITECTURE: &[Required] = &[
    Required {
        name: "Overview",
        headings: &["overview", "architecture overview", "system overview"],
        also: &["overview"],
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
        also: &["modules", "module", "components", "component"],
    },
];

const REPORT: &[Required] = &[
    Required {
        name: "What was done",
        headings: &["what was done"],
        also: &["done", "delivered", "changed", "changes", "summary"],
    },
    Required {
        name: "How to run",
        headings: &["how to run", "how to run it"],
        also: &["run", "running", "usage", "start"],
    },
    Required {
        name: "How to test",
        headings: &["how to test", "how to test it"],
        also: &["test", "tests", "testing", "validate", "validation", "verify", "verification"],
    },
    Required {
        name: "Known issues",
        headings: &["known issues", "known issues and limitations"],
        also: &["issues", "limitations"],
    },
];

/// In lean mode the goal and the acceptance criteria are the whole specification.
pub fn check_spec(text: &str, path: &str, mode: Mode) -> Report {
    let required = match mode {
        Mode::Full => SPEC,
        Mode::Lean => &SPEC[..LEAN_SECTIONS],
    };
    check(&Markdown::of(text), path, required)
}

pub fn check_architecture(text: &str, path: &str) -> Report {
    check(&Markdown::of(text), path, ARCHITECTURE)
}

pub fn check_report(text: &str, path: &str) -> Report {
    check(&Markdown::of(text), path, REPORT)
}

pub(crate) fn check(document: &Markdown, path: &str, required: &[Required]) -> Report {
    let names: Vec<String> =
        document.headings.iter().map(|heading| plain_name(&heading.title)).collect();
    let mut report = Report::default();
    for section in required {
        let is_it = |at: &usize| section.headings.contains(&names[*at].as_str());
        let found: Vec<usize> = (0..names.len()).filter(is_it).collect();
        match found.first() {
            None => match in_other_words(document, &names, section) {
                Some(at) => {
                    let heading = &document.headings[at];
                    report.push(say::other_words(path, heading.line, &heading.title, section.name));
                }
                None => report.push(say::missing(path, section.name)),
            },
            Some(first) if !found.iter().any(|at| has_content(document, *at)) => {
                report.push(say::empty(path, document.headings[*first].line, section.name));
            }
            Some(_) => {}
        }
    }
    report
}

/// A heading with content that is meant as the section, such as "How to Run and Validate" for "How to run".
fn in_other_words(document: &Markdown, names: &[String], section: &Required) -> Option<usize> {
    let means = |name: &str| {
        let parts = name.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
        let name = format!(" {} ", parts.collect::<Vec<_>>().join(" "));
        section.also.iter().any(|word| name.contains(&format!(" {word} ")))
    };
    // Of the title of the document no section is meant: everything is below it.
    let is_title = |at: usize| at == 0 && document.below(0).end == document.lines.len();
    (0..names.len()).find(|at| !is_title(*at) && means(&names[*at]) && has_content(document, *at))
}

/// Below the heading, or below one that belongs to it. Headings and comments are no content.
fn has_content(document: &Markdown, heading: usize) -> bool {
    let is_content =
        |line: &Line| matches!(line, Line::Text | Line::Fenced | Line::Indented | Line::Rule);
    document.lines[document.below(heading)].iter().any(is_content)
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
    use crate::testing::{Shows, shown};
    use expect_test::expect;

    fn full(text: &str) -> Report {
        check_spec(text, "spec.md", Mode::Full)
    }

    #[test]
    fn r129_a_lean_spec_needs_goal_and_criteria_only() {
        let lean = |text| shown(&check_spec(text, "spec.md", Mode::Lean));
        lean("# Goal\na\n# Acceptance Criteria\nb\n").shows(expect![[""]]);
        lean("# Definition of Done\n").shows(expect![[r###"
            error sections.missing spec.md: the section "Goals" is missing
              help: Add a heading such as "## Goals" with its content below it
            error sections.missing spec.md: the section "Acceptance Criteria" is missing
              help: Add a heading such as "## Acceptance Criteria" with its content below it
        "###]]);
    }

    #[test]
    fn r036_a_spec_names_its_sections_in_many_ways() {
        for spec in [
            "# Goals\na\n# Acceptance Criteria\nb\n# Definition of Done\nc\n",
            "## 1. Goals:\na\n## 2) ACCEPTANCE  criteria\nb\n### 2.3 **Definition of Done** ##\nc",
            "Goals\n=====\na\n\nAcceptance criteria\n---\n- b\n\n Definition of done\n===\n```\nc\n```\n",
            "# Goal\n## Why\nbecause\n# Acceptance Criteria\n| a |\n|---|\n# Definition of Done\n- [ ] c",
        ] {
            shown(&full(spec)).shows(expect![[""]]);
        }
    }

    #[test]
    fn r036_a_missing_section_is_named() {
        shown(&full(
            "# Goals\nx\n```\n# Acceptance Criteria\ny\n```\n<!--\n# Definition of Done\nz\n-->\n",
        ))
        .shows(expect![[r###"
            error sections.missing spec.md: the section "Acceptance Criteria" is missing
              help: Add a heading such as "## Acceptance Criteria" with its content below it
            error sections.missing spec.md: the section "Definition of Done" is missing
              help: Add a heading such as "## Definition of Done" with its content below it
        "###]]);
        shown(&full("")).shows(expect![[r###"
            error sections.missing spec.md: the section "Goals" is missing
              help: Add a heading such as "## Goals" with its content below it
            error sections.missing spec.md: the section "Acceptance Criteria" is missing
              help: Add a heading such as "## Acceptance Criteria" with its content below it
            error sections.missing spec.md: the section "Definition of Done" is missing
              help: Add a heading such as "## Definition of Done" with its content below it
        "###]]);
        shown(&full("#Goals\n#hashtag\nAcceptance Criteria\n")).shows(expect![[r###"
            error sections.missing spec.md: the section "Goals" is missing
              help: Add a heading such as "## Goals" with its content below it
            error sections.missing spec.md: the section "Acceptance Criteria" is missing
              help: Add a heading such as "## Acceptance Criteria" with its content below it
            error sections.missing spec.md: the section "Definition of Done" is missing
              help: Add a heading such as "## Definition of Done" with its content below it
        "###]]);
    }

    #[test]
    fn r036_an_empty_section_does_not_count() {
        shown(&full(
            "# Goals\n\n# Acceptance Criteria\n## Deeper\n\n# Definition of Done\n## How\nso\n",
        ))
        .shows(expect![[r#"
            error sections.empty spec.md:1: the section "Goals" is empty
              help: Write its content, or say why there is none
            error sections.empty spec.md:3: the section "Acceptance Criteria" is empty
              help: Write its content, or say why there is none
        "#]]);
    }

    #[test]
    fn r038_an_architecture_has_overview_and_modules() {
        for name in ["Modules", "Components", "Modules/components", "3. Modules and Components"] {
            let text = format!("# Overview\na\n# {name}\nb\n");
            shown(&check_architecture(&text, "architecture.md")).shows(expect![[""]]);
        }
        shown(&check_architecture("# Intro\na\n", "architecture.md")).shows(expect![[r###"
            error sections.missing architecture.md: the section "Overview" is missing
              help: Add a heading such as "## Overview" with its content below it
            error sections.missing architecture.md: the section "Modules/components" is missing
              help: Add a heading such as "## Modules/components" with its content below it
        "###]]);
    }

    #[test]
    fn r052_a_report_has_four_parts() {
        shown(&check_report("# What was done\nall\n## How to run\nmake\n", "report.md")).shows(
            expect![[r###"
            error sections.missing report.md: the section "How to test" is missing
              help: Add a heading such as "## How to test" with its content below it
            error sections.missing report.md: the section "Known issues" is missing
              help: Add a heading such as "## Known issues" with its content below it
        "###]],
        );
    }
}
