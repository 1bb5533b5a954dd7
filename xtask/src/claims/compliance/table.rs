//! The table of clauses as it is written below `xtask/compliance/`.
//!
//! `# ` begins a source, `## ` a document, `### ` a section. Every other line is one clause: what holds, a bar, and
//! what shows it: requirements (`R021`), names of tests, and decisions (`D0006`) that explain a difference.

use super::{FOLDER, Fault};
use crate::source::SourceFile;
use std::collections::BTreeMap;

pub struct Document<'a> {
    pub source: &'a str,
    pub name: &'a str,
    pub sections: Vec<(&'a str, Vec<Clause<'a>>)>,
}

pub struct Clause<'a> {
    pub statement: &'a str,
    pub shown: Vec<Shown<'a>>,
}

pub enum Shown<'a> {
    Requirement(u32),
    Test(&'a str),
    Decision(u32),
}

impl<'a> Shown<'a> {
    fn read(word: &'a str) -> Self {
        let number = |prefix: char, digits: usize| {
            word.strip_prefix(prefix).filter(|rest| rest.len() == digits)?.parse().ok()
        };
        number('R', 3)
            .map(Shown::Requirement)
            .or_else(|| number('D', 4).map(Shown::Decision))
            .unwrap_or(Shown::Test(word))
    }

    /// A decision explains, and only tests show.
    fn is_test(&self) -> bool {
        !matches!(self, Shown::Decision(_))
    }

    fn missing(&self) -> String {
        match self {
            Shown::Requirement(id) => format!("no test names R{id:03}"),
            Shown::Test(name) => format!("there is no test `{name}`"),
            Shown::Decision(number) => format!("there is no decision {number:04}"),
        }
    }
}

/// All documents, or every fault with its file and line. `known` tells what there is.
pub fn read<'a>(
    files: &'a [SourceFile],
    known: &dyn Fn(&Shown<'a>) -> bool,
) -> Result<Vec<Document<'a>>, Vec<Fault>> {
    let mut reader = Reader { known, source: "", documents: Vec::new(), seen: BTreeMap::new() };
    let lines: Vec<(String, &str)> =
        files.iter().filter(|file| file.is_below(FOLDER)).flat_map(lines).collect();
    let mut faults = empty_headings(&lines);
    for (place, line) in &lines {
        faults.extend(reader.line(line, place).iter().map(|what| fault(place, what, line)));
    }
    if lines.is_empty() {
        faults.push(Fault { place: FOLDER.to_owned(), message: "there is no clause".to_owned() });
    }
    if faults.is_empty() { Ok(reader.documents) } else { Err(faults) }
}

fn lines(file: &SourceFile) -> impl Iterator<Item = (String, &str)> {
    let numbered = file.text.lines().enumerate().filter(|(_, line)| !line.is_empty());
    numbered.map(|(index, line)| (format!("{}:{}", file.path, index + 1), line))
}

fn fault(place: &str, what: &str, line: &str) -> Fault {
    Fault { place: place.to_owned(), message: format!("{what}: {line}") }
}

/// A source has documents, a document sections, a section clauses.
fn empty_headings(lines: &[(String, &str)]) -> Vec<Fault> {
    let level = |line: &str| line.bytes().take_while(|byte| *byte == b'#').count();
    let mut faults = Vec::new();
    for (index, (place, line)) in lines.iter().enumerate() {
        let expected = match level(line) {
            0 => continue,
            3 => 0,
            heading => heading + 1,
        };
        if lines.get(index + 1).map(|(_, next)| level(next)) != Some(expected) {
            faults.push(fault(place, "a heading without a clause", line));
        }
    }
    faults
}

struct Reader<'a, 'k> {
    known: &'k dyn Fn(&Shown<'a>) -> bool,
    source: &'a str,
    documents: Vec<Document<'a>>,
    /// Where each statement stands, whatever its capitals and signs.
    seen: BTreeMap<String, String>,
}

impl<'a> Reader<'a, '_> {
    /// What is wrong with this line.
    fn line(&mut self, line: &'a str, place: &str) -> Vec<String> {
        if let Some(source) = line.strip_prefix("# ") {
            self.source = source;
        } else if let Some(name) = line.strip_prefix("## ") {
            self.documents.push(Document { source: self.source, name, sections: Vec::new() });
        } else if let Some(section) = line.strip_prefix("### ") {
            let Some(document) = self.documents.last_mut() else {
                return vec!["a section outside a document".to_owned()];
            };
            document.sections.push((section, Vec::new()));
        } else {
            return self.clause(line, place);
        }
        Vec::new()
    }

    fn clause(&mut self, line: &'a str, place: &str) -> Vec<String> {
        let (statement, words) = line.split_once(" | ").unwrap_or((line, ""));
        let shown: Vec<Shown<'a>> = words.split_whitespace().map(Shown::read).collect();
        let mut faults: Vec<String> =
            shown.iter().filter(|shown| !(self.known)(shown)).map(Shown::missing).collect();
        if !shown.iter().any(Shown::is_test) {
            faults.push("no test shows this clause".to_owned());
        }
        if let Some(first) = self.seen.insert(plain(statement), place.to_owned()) {
            faults.push(format!("the same clause as {first}"));
        }
        let section = self.documents.last_mut().and_then(|document| document.sections.last_mut());
        match section {
            Some((_, clauses)) => clauses.push(Clause { statement, shown }),
            None => faults.push("a clause outside a section".to_owned()),
        }
        faults
    }
}

fn plain(statement: &str) -> String {
    let words = statement.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}
