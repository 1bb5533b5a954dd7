//! A table that is whole makes a page; every line that is not is told with its place.

use super::{FOLDER, page};
use crate::claims::{Claims, STATEMENTS};
use crate::source::SourceFile;

const HEADS: &str = "# First source\n## CONTRACT.md\n### Purpose\n";

fn made(tables: &[&str]) -> Result<String, Vec<String>> {
    let mut files = vec![
        SourceFile::new(STATEMENTS, "R001 One thing.\nR002 Not tested.\n"),
        SourceFile::new("docs/decisions/0006-rules.md", "# 6. Rules"),
        SourceFile::new(
            "crates/a/tests/a.rs",
            "#[test]\nfn r001_a() {}\n#[test]\nfn it_holds() {}\n#[test]\n#[ignore]\nfn slow() {}",
        ),
    ];
    for (index, table) in tables.iter().enumerate() {
        files.push(SourceFile::new(&format!("{FOLDER}/{index}.txt"), table));
    }
    let claims = Claims::find(&files).expect("statements can be read");
    page(&files, &claims).map_err(|faults| {
        faults.iter().map(|fault| format!("{}: {}", fault.place, fault.message)).collect()
    })
}

/// What is wrong with these clauses, below good headings.
fn faults(clauses: &str) -> Vec<String> {
    made(&[&format!("{HEADS}{clauses}")]).expect_err("something is wrong")
}

#[test]
fn each_clause_is_a_row_with_what_shows_it() {
    let page = made(&[
        &format!("{HEADS}It does. | R001 D0006\n\nIt holds. | it_holds\n"),
        "## WORKFLOW.md\n### Done\nIt ends. | r001_a\n",
        "# Second source\n## ORCHESTRATION.md\n### 1\nIt runs. | it_holds r001_a\n",
    ])
    .expect("the table is whole");
    let (beginning, rows) = page.split_once("\n## First source\n").expect("a source is a heading");
    assert!(beginning.ends_with(
        "| First source | CONTRACT.md | 2 |\n| First source | WORKFLOW.md | 1 |\n\
         | Second source | ORCHESTRATION.md | 1 |\n| all | | 4 |\n"
    ));
    assert_eq!(
        rows,
        "\n### CONTRACT.md\n\n#### Purpose · 2\n\n| what holds | shown by |\n|---|---|\n\
         | It does. | [R001](../claims.md#r001)<br>[decision 6](../decisions/0006-rules.md) |\n\
         | It holds. | [`it_holds`](../../crates/a/tests/a.rs) |\n\
         \n### WORKFLOW.md\n\n#### Done · 1\n\n| what holds | shown by |\n|---|---|\n\
         | It ends. | [`r001_a`](../../crates/a/tests/a.rs) |\n\
         \n## Second source\n\n### ORCHESTRATION.md\n\n#### 1 · 1\n\n| what holds | shown by |\n|---|---|\n\
         | It runs. | [`it_holds`](../../crates/a/tests/a.rs)<br>[`r001_a`](../../crates/a/tests/a.rs) |\n"
    );
}

#[test]
fn what_does_not_exist_shows_nothing() {
    assert_eq!(
        faults("A. | R002\nB. | it_held\nC. | slow R001\nD. | R001 D0007\n"),
        [
            "xtask/compliance/0.txt:4: no test names R002: A. | R002",
            "xtask/compliance/0.txt:5: there is no test `it_held`: B. | it_held",
            "xtask/compliance/0.txt:6: there is no test `slow`: C. | slow R001",
            "xtask/compliance/0.txt:7: there is no decision 0007: D. | R001 D0007",
        ]
    );
}

#[test]
fn a_clause_needs_a_test_and_a_decision_is_none() {
    for clause in ["A.", "A. | ", "A. | D0006"] {
        assert_eq!(
            faults(clause),
            [format!("xtask/compliance/0.txt:4: no test shows this clause: {clause}")]
        );
    }
}

#[test]
fn a_clause_stands_once_whatever_its_signs() {
    let twice = made(&[
        &format!("{HEADS}The gate holds. | R001\n"),
        "## WORKFLOW.md\n### Done\nthe gate, holds | R001\n",
    ]);
    assert_eq!(
        twice.expect_err("it stands twice"),
        [
            "xtask/compliance/1.txt:3: the same clause as xtask/compliance/0.txt:4: the gate, holds | R001"
        ]
    );
}

#[test]
fn a_clause_belongs_to_a_section_and_a_table_has_some() {
    assert_eq!(
        made(&["It does. | R001\n### Purpose\n"]).expect_err("nothing has its place"),
        [
            "xtask/compliance/0.txt:2: a heading without a clause: ### Purpose",
            "xtask/compliance/0.txt:1: a clause outside a section: It does. | R001",
            "xtask/compliance/0.txt:2: a section outside a document: ### Purpose",
        ]
    );
    assert_eq!(made(&[]).expect_err("no table"), ["xtask/compliance: there is no clause"]);
    assert_eq!(
        faults("It does. | R001\n### Empty\n## WORKFLOW.md\n"),
        [
            "xtask/compliance/0.txt:5: a heading without a clause: ### Empty",
            "xtask/compliance/0.txt:6: a heading without a clause: ## WORKFLOW.md",
        ]
    );
}
