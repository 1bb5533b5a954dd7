//! `cargo xtask claims`: requirement → statement → the tests that prove it, gathered from the sources.

pub mod compliance;

use crate::source::{self, SourceFile, find_words, is_word};
use std::collections::BTreeMap;
use std::path::Path;
use xtask::{Trouble, run};

/// Generated; what `cargo xtask claims` writes.
pub const PAGE: &str = "docs/claims.md";

/// `R001 what holds, in our words`, one a line.
pub const STATEMENTS: &str = "xtask/claims.txt";

pub fn run(root: &Path) -> Result<(), Trouble> {
    let files = source::load(root)?;
    let claims = Claims::find(&files)?;
    std::fs::create_dir_all(root.join("docs"))?;
    std::fs::write(root.join(PAGE), claims.page())?;
    match compliance::page(&files, &claims) {
        Ok(page) => std::fs::write(root.join(compliance::PAGE), page)?,
        Err(faults) => {
            for fault in &faults {
                run::say(&format!("{}: {}", fault.place, fault.message));
            }
            return Err(
                format!("{}: {} faults in its table", compliance::PAGE, faults.len()).into()
            );
        }
    }
    run::say(&format!(
        "{PAGE}: {} statements, {} proved",
        claims.statements.len(),
        claims.proofs.len()
    ));
    Ok(())
}

#[derive(Debug)]
pub struct Claims {
    statements: BTreeMap<u32, String>,
    proofs: BTreeMap<u32, Vec<Proof>>,
    /// Every test and the first file that has it, in the order of paths.
    files: BTreeMap<String, String>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Proof {
    file: String,
    pub test: String,
}

impl Claims {
    pub fn find(files: &[SourceFile]) -> Result<Self, Trouble> {
        let text = files.iter().find(|file| file.path == STATEMENTS).map_or("", |file| &file.text);
        let mut proofs: BTreeMap<u32, Vec<Proof>> = BTreeMap::new();
        let mut first = BTreeMap::new();
        for file in files {
            for test in tests(&file.code) {
                first.entry(test.to_owned()).or_insert_with(|| file.path.clone());
                for id in ids(test) {
                    let proof = Proof { file: file.path.clone(), test: test.to_owned() };
                    proofs.entry(id).or_default().push(proof);
                }
            }
        }
        proofs.values_mut().for_each(|list| list.sort());
        Ok(Self { statements: statements(text)?, proofs, files: first })
    }

    pub fn statement(&self, id: u32) -> Option<&str> {
        self.statements.get(&id).map(String::as_str)
    }

    pub fn tests(&self, id: u32) -> &[Proof] {
        self.proofs.get(&id).map_or(&[], Vec::as_slice)
    }

    /// The file of a test; none where there is no test of this name.
    pub fn file_of(&self, test: &str) -> Option<&str> {
        self.files.get(test).map(String::as_str)
    }

    /// The requirements that some test names.
    pub fn proved(&self) -> impl Iterator<Item = u32> {
        self.proofs.keys().copied()
    }

    /// The page for people, as text.
    pub fn page(&self) -> String {
        let mut page = String::from(
            "# Claims\n\nWhat Tollgate promises, and the tests that prove it. Written by `cargo xtask claims`;\n\
             `cargo xtask tidy` fails when a row here has no test, or a test no row.\n\n\
             | id | what holds | proved by |\n|---|---|---|\n",
        );
        for (id, statement) in &self.statements {
            let tests = self.tests(*id);
            if tests.is_empty() {
                continue;
            }
            let tests: Vec<String> =
                tests.iter().map(|p| format!("`{}` in {}", p.test, p.file)).collect();
            let anchor = format!("<a id=\"r{id:03}\"></a>R{id:03}");
            page.push_str(&format!("| {anchor} | {statement} | {} |\n", tests.join("<br>")));
        }
        page
    }
}

fn statements(text: &str) -> Result<BTreeMap<u32, String>, Trouble> {
    let mut statements = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let wrong = |what: &str| format!("{STATEMENTS}:{}: {what}: {line}", index + 1);
        let (id, statement) = line.split_once(' ').ok_or_else(|| wrong("no statement"))?;
        let id = id
            .strip_prefix('R')
            .filter(|digits| digits.len() == 3)
            .and_then(|digits| digits.parse::<u32>().ok())
            .ok_or_else(|| wrong("an id is R and three digits"))?;
        if statements.insert(id, statement.trim().to_owned()).is_some() {
            return Err(wrong("twice").into());
        }
    }
    Ok(statements)
}

/// Names of the test functions in code; an ignored test proves nothing.
fn tests(code: &str) -> impl Iterator<Item = &str> {
    find_words(code, "fn ").filter_map(|at| {
        let before = &code[..at];
        let item = before.rfind([';', '{', '}']).map_or(before, |end| &before[end..]);
        let runs = item.contains("#[test]") && !item.contains("#[ignore");
        let name = &code[at + 3..];
        runs.then(|| &name[..name.find(|c| !is_word(c)).unwrap_or(name.len())])
    })
}

/// The requirements a test name begins with: `r013_r115_a_kill_loses_nothing` proves two.
fn ids(test: &str) -> Vec<u32> {
    let id = |part: &str| {
        let digits = part.strip_prefix('r').filter(|digits| digits.len() == 3)?;
        digits.parse::<u32>().ok()
    };
    test.split('_').map_while(id).collect()
}

#[cfg(test)]
mod tests {
    use super::{Claims, STATEMENTS, ids, tests};
    use crate::source::SourceFile;

    #[test]
    fn only_tests_that_run_are_found() {
        let code = "#[test]\nfn r001_a() {}\nfn r002_b() {}\n#[test]\n#[ignore]\nfn r003_c() {}\n\
                    proptest! { #![x] #[test] fn r004_d(x in y) {} }";
        assert_eq!(tests(code).collect::<Vec<_>>(), ["r001_a", "r004_d"]);
    }

    #[test]
    fn a_name_may_prove_several_requirements() {
        assert_eq!(ids("r013_r115_a_kill"), [13, 115]);
        assert_eq!(ids("round_r001"), [0_u32; 0]);
        assert_eq!(ids("r1_x"), [0_u32; 0]);
    }

    #[test]
    fn the_page_has_one_row_per_proved_requirement() {
        let files = [
            SourceFile::new(STATEMENTS, "# words\nR001 One thing.\nR002 Another.\n"),
            SourceFile::new("crates/b/tests/b.rs", "#[test]\nfn r001_b() {}"),
            SourceFile::new(
                "crates/a/src/a.rs",
                "#[cfg(test)]\nmod t {\n#[test]\nfn r001_a() {} }",
            ),
        ];
        let page = Claims::find(&files).expect("statements can be read").page();
        let row = "| <a id=\"r001\"></a>R001 | One thing. | `r001_a` in crates/a/src/a.rs<br>`r001_b` in crates/b/tests/b.rs |";
        assert!(page.ends_with(&format!("{row}\n")), "{page}");
    }
}
