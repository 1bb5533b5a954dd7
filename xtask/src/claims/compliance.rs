//! The compliance page: each clause of the three sources that Tollgate follows, with the tests that show it.

mod table;

use crate::claims::Claims;
use crate::source::SourceFile;
use std::collections::BTreeMap;
use table::{Clause, Document, Shown};

/// Generated; what `cargo xtask claims` writes.
pub const PAGE: &str = "docs/reference/compliance.md";

/// Where the clauses stand, in the order of the names of the files.
pub const FOLDER: &str = "xtask/compliance";

/// Something wrong with a line of the table.
#[derive(Debug, PartialEq, Eq)]
pub struct Fault {
    pub place: String,
    pub message: String,
}

/// The page for people, or everything that is wrong with the table it is made from.
pub fn page(files: &[SourceFile], claims: &Claims) -> Result<String, Vec<Fault>> {
    let decisions = decisions(files);
    let known = |shown: &Shown<'_>| match shown {
        Shown::Requirement(id) => !claims.tests(*id).is_empty(),
        Shown::Test(name) => claims.file_of(name).is_some(),
        Shown::Decision(number) => decisions.contains_key(number),
    };
    let documents = table::read(files, &known)?;
    let mut page = beginning(&documents);
    let mut source = "";
    for document in &documents {
        if document.source != source {
            source = document.source;
            page.push_str(&format!("\n## {source}\n"));
        }
        page.push_str(&format!("\n### {}\n", document.name));
        for (section, clauses) in &document.sections {
            page.push_str(&format!("\n#### {section} · {}\n", clauses.len()));
            page.push_str("\n| what holds | shown by |\n|---|---|\n");
            for clause in clauses {
                page.push_str(&row(clause, claims, &decisions));
            }
        }
    }
    Ok(page)
}

fn beginning(documents: &[Document<'_>]) -> String {
    let mut page = String::from(
        "# Compliance\n\nThree sources say what an orchestrator of this kind must do. This page has each of their clauses once, as\n\
         what Tollgate does about it, with the tests that show it; an id leads to its row in [the claims](../claims.md),\n\
         where all tests of that requirement are. A decision beside the tests says why Tollgate does it in its own way.\n\n\
         Written by `cargo xtask claims` from `xtask/compliance/`. `cargo xtask tidy` fails when a clause has no test.\n\n\
         | source | document | clauses |\n|---|---|---|\n",
    );
    for Document { source, name, .. } in documents {
        page.push_str(&format!("| {source} | {name} | {} |\n", count(documents, name)));
    }
    let all: usize = documents.iter().map(|document| count(documents, document.name)).sum();
    page.push_str(&format!("| all | | {all} |\n"));
    page
}

fn count(documents: &[Document<'_>], name: &str) -> usize {
    let sections = documents.iter().filter(|document| document.name == name);
    sections.flat_map(|document| &document.sections).map(|(_, clauses)| clauses.len()).sum()
}

fn row(clause: &Clause<'_>, claims: &Claims, decisions: &BTreeMap<u32, &str>) -> String {
    let shown = clause.shown.iter().map(|shown| match shown {
        Shown::Requirement(id) => format!("[R{id:03}](../claims.md#r{id:03})"),
        Shown::Test(name) => {
            format!("[`{name}`](../../{})", claims.file_of(name).unwrap_or_default())
        }
        Shown::Decision(number) => {
            let name = decisions.get(number).copied().unwrap_or_default();
            format!("[decision {number}](../decisions/{name})")
        }
    });
    format!("| {} | {} |\n", clause.statement, shown.collect::<Vec<_>>().join("<br>"))
}

/// `docs/decisions/0007-a-title.md` by its number.
fn decisions(files: &[SourceFile]) -> BTreeMap<u32, &str> {
    let names = files.iter().filter_map(|file| file.path.strip_prefix("docs/decisions/"));
    names.filter_map(|name| Some((name.split('-').next()?.parse().ok()?, name))).collect()
}

#[cfg(test)]
mod tests;
