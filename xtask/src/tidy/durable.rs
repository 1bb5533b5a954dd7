//! Durable before visible: only a journal that syncs can say that something is on disk.

use super::Problem;
use crate::source::{SourceFile, find_words, line_of};

/// The journal on a disk, and that of the simulator.
const JOURNALS: [&str; 2] = ["crates/host/src/journal.rs", "crates/sim/src/journal.rs"];

pub fn check(files: &[SourceFile]) -> Vec<Problem> {
    let others = files.iter().filter(|file| !JOURNALS.contains(&file.path.as_str()));
    others.flat_map(|file| made_elsewhere(file).collect::<Vec<_>>()).collect()
}

fn made_elsewhere(file: &SourceFile) -> impl Iterator<Item = Problem> {
    find_words(&file.shipped, "Journal for").map(|at| {
        let line = line_of(&file.shipped, at);
        let message = format!("only {} may call something durable", JOURNALS.join(" and "));
        Problem::at(file, line, message)
    })
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::source::SourceFile;

    fn bites(path: &str, text: &str) -> bool {
        !check(&[SourceFile::new(path, text)]).is_empty()
    }

    #[test]
    fn nobody_but_the_journals_calls_something_durable() {
        let text = "impl tollgate_core::engine::Journal for Nothing {}\n";
        assert!(bites("crates/host/src/serve.rs", text));
        assert!(bites("crates/cli/src/main.rs", "impl Journal for Nothing {}"));
        assert!(!bites("crates/host/src/journal.rs", text));
        assert!(!bites("crates/core/tests/story/mod.rs", text), "a test has a journal of its own");
        assert!(!bites("crates/host/src/serve.rs", "fn a() {} // impl Journal for text"));
    }
}
