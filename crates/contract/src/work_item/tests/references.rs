//! Stories of what work items refer to, and of their sentences and options.

use super::super::reference::{sections_of, unfound};
use super::*;

/// The faults of a reference to a document with these words.
fn unfound_in(document: &str, reference: &str) -> String {
    let text = REFINEMENT.replace(
        "- Spec: `docs/specs/login.md`\n- Section(s): 2.1 Counting\n- Quote: \"five wrong passwords\"\n",
        reference,
    );
    let (item, report) = read(&text, "R-001.md");
    assert!(report.is_ok(), "{}", shown(&report));
    let text = |path: &str| (path == "docs/login.md").then(|| document.to_owned());
    shown(&unfound(&item.unwrap().kind, "R-001.md", &text))
}

const LOGIN: &str = "---\ntitle: x\n---\n# Login\n\n## 1. Goals, and *non*-goals\n\nAfter **five wrong\n  passwords** the \
    sixth is refused,\nwithin `60` seconds.\n\n## 2. Rules\n\n### 2.1 Counting\n\n```\n## Not a heading\n```\n\n### Data Model\n";

#[test]
fn r159_what_a_work_item_refers_to_is_found_as_people_write_it() {
    for sections in [
        "2.1 Counting",
        "2.1",
        "Counting",
        "§ 2.1",
        "Section 2.1",
        "`#data-model`",
        "2. Rules > 2.1 Counting",
        "Goals, and non-goals",
        "Goals, and non-goals; Data Model",
        "counting and DATA MODEL",
        "\n  - Counting\n  - Data Model",
    ] {
        let reference = format!(
            "- Spec: docs/login.md#rules (as of today)\n- **Section(s):** {sections}\n- Quote: \"five wrong passwords … within\n  60 seconds\"\n"
        );
        assert_eq!(unfound_in(LOGIN, &reference), "", "{sections}");
    }
}

#[test]
fn r159_what_a_work_item_refers_to_and_is_not_there_is_named_with_its_line() {
    unfound_in(
        LOGIN,
        "- Spec: `docs/login.md`\n- Section(s): 2.1 Counting, Not a heading, 3\n- Quote: \"six wrong passwords\"\n",
    )
    .shows(expect![[r#"
        error work_item.section_unknown R-001.md:8: docs/login.md has no section "Not a heading"
          help: Known: Login, 1. Goals, and *non*-goals, 2. Rules, 2.1 Counting or Data Model.
        error work_item.section_unknown R-001.md:8: docs/login.md has no section "3"
          help: Known: Login, 1. Goals, and *non*-goals, 2. Rules, 2.1 Counting or Data Model.
        error work_item.quote_unknown R-001.md:9: the words "six wrong passwords" are not in docs/login.md
          help: Quote the document word for word
    "#]]);
    unfound_in(LOGIN, "- Spec: `docs/logout.md`\n- Section(s): 9\n").shows(expect![[r#"
        error work_item.reference_missing R-001.md:5: the Spec Reference has no line "- Quote: …"
          help: Add the line
        error work_item.document_missing R-001.md:7: the document "docs/logout.md" does not exist
          help: Name a file of the repository, or a file of the session such as spec.md
    "#]]);
}

#[test]
fn r159_an_objective_is_one_sentence_and_a_refinement_has_two_options() {
    let two = TASK.replace(
        "Wrong passwords are counted and the sixth is refused.",
        "Wrong passwords are counted. The sixth\nis refused.",
    );
    shown(&read(&two, "T-001.md").1).shows(expect![[r#"
        error work_item.objective_long T-001.md:3: the Objective is more than one sentence: "The sixth" follows
          help: Keep one sentence, and put the rest into Context
    "#]]);
    for list in ["- One.\n- Two.", "One\n\nTwo"] {
        let text = TASK.replace("Wrong passwords are counted and the sixth is refused.", list);
        assert!(shown(&read(&text, "T-001.md").1).contains("work_item.objective_long"), "{list}");
    }
    let one = REFINEMENT.replace("2. **Per address** — fair\n", "");
    shown(&read(&one, "R-001.md").1).shows(expect![[r#"
        error work_item.too_few_options R-001.md:11: the refinement gives only one option
          help: List at least two, such as "1. **Count per user** — exact, but needs a table"
    "#]]);
}

#[test]
fn the_text_below_a_named_heading_is_found() {
    assert_eq!(sections_of("2. Rules", LOGIN).len(), 1);
    assert!(sections_of("Rules", LOGIN)[0].starts_with("## 2. Rules\n\n### 2.1 Counting"));
    assert_eq!(sections_of("Data Model, 7", LOGIN), ["### Data Model"]);
}
