//! What no file may say: unfinished work, a place on one machine, the address of a package registry.

use super::Problem;
use crate::source::{SourceFile, find_words, line_of};

const UNFINISHED: [&str; 3] = ["todo!", "unimplemented!", "dbg!"];

/// Folders of particular machines. Written in two halves so that this file does not break its own rule.
const MACHINE_FOLDERS: [&str; 4] =
    [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/"), concat!("/Us", "ers/")];

/// Examples that name nobody's machine.
const EXAMPLES: [&str; 2] = [concat!("/ho", "me/user/"), concat!("/ho", "me/you/")];

/// Where packages come from is a matter of the machine that builds, never of the sources.
const REGISTRIES: [&str; 6] = [
    concat!("arti", "factory"),
    concat!("index.crates", ".io"),
    concat!("static.crates", ".io"),
    concat!("registry.npmjs", ".org"),
    concat!("pypi", ".org"),
    concat!("index", "-url"),
];

/// The one source of crates that a lock file may name: it is an identity, not an address.
const LOCK_SOURCE: &str = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";

pub fn check(files: &[SourceFile]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in files {
        for word in UNFINISHED {
            for at in find_words(&file.code, word) {
                let line = line_of(&file.code, at);
                problems.push(Problem::at(file, line, format!("`{word}` is unfinished work")));
            }
        }
        for (index, line) in file.text.lines().enumerate() {
            if let Some(message) = misplaced(&file.path, line) {
                problems.push(Problem::at(file, index + 1, message));
            }
        }
    }
    problems
}

fn misplaced(path: &str, line: &str) -> Option<String> {
    let names_machine = MACHINE_FOLDERS.iter().find(|folder| {
        line.match_indices(**folder).any(|(at, _)| {
            // `src/home/` is a folder of some tree; a path of a machine begins with its slash.
            let begins =
                !line[..at].ends_with(|c: char| c.is_alphanumeric() || "-_.*>}".contains(c));
            begins && !EXAMPLES.iter().any(|example| line[at..].starts_with(example))
        })
    });
    if let Some(folder) = names_machine {
        return Some(format!("`{folder}…` is a place on one machine"));
    }
    if let Some(registry) = REGISTRIES.iter().find(|registry| line.contains(**registry)) {
        return Some(format!("`{registry}` is the address of a registry"));
    }
    let foreign = path == "Cargo.lock" && line.starts_with("source = ") && line != LOCK_SOURCE;
    foreign.then(|| format!("{line} is not the registry of crates"))
}

#[cfg(test)]
mod tests {
    use super::{EXAMPLES, MACHINE_FOLDERS, REGISTRIES, UNFINISHED, check};
    use crate::source::SourceFile;

    fn bites(path: &str, text: &str) -> bool {
        !check(&[SourceFile::new(path, text)]).is_empty()
    }

    #[test]
    fn unfinished_work_is_found_also_in_tests() {
        for word in UNFINISHED {
            assert!(bites(
                "crates/x/src/a.rs",
                &format!("#[cfg(test)] mod t {{ fn a() {{ {word}() }} }}")
            ));
            assert!(!bites("crates/x/src/a.rs", &format!("// {word}\nlet a = \"{word}\";")));
        }
    }

    #[test]
    fn no_file_names_a_machine() {
        for folder in MACHINE_FOLDERS {
            assert!(bites("docs/a.md", &format!("see {folder}x")), "{folder}");
            assert!(bites("a.rs", &format!("let a = \"{folder}x\";")), "{folder}");
            assert!(!bites("docs/a.md", &format!("see src{folder}x")), "{folder}");
        }
        for example in EXAMPLES {
            assert!(!bites("docs/a.md", &format!("see {example}x")), "{example}");
        }
    }

    #[test]
    fn no_file_names_a_registry() {
        for registry in REGISTRIES {
            assert!(bites("a.toml", &format!("x = \"https://{registry}/y\"")), "{registry}");
        }
        assert!(bites("Cargo.lock", "source = \"git+https://example.org/x\""));
        assert!(!bites("Cargo.lock", super::LOCK_SOURCE));
    }
}
