//! Every code a person can meet, with its page: of blockers, of this program, and of the documents it reads.

mod blocker;
mod cli;

use tollgate_contract::explain as contract;

pub fn pages() -> impl Iterator<Item = (&'static str, &'static str)> {
    let documents = contract::codes().filter_map(|code| Some((code, contract::explain(code)?)));
    blocker::PAGES.iter().copied().chain(cli::PAGES.iter().copied()).chain(documents)
}

/// The code as it is known, and its page. Brackets around it do not matter.
pub fn page(code: &str) -> Option<(&'static str, &'static str)> {
    let bare = code.trim().trim_matches(['[', ']', '(', ')', '`']);
    pages().find(|(known, _)| *known == bare)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;
    use tollgate_core::decision::BlockerCode;

    #[test]
    fn every_blocker_has_a_page() {
        for code in BlockerCode::ALL {
            assert!(page(code.as_str()).is_some(), "{code} has no page");
        }
        assert_eq!(blocker::PAGES.len(), BlockerCode::ALL.len());
    }

    #[test]
    fn every_code_of_this_program_has_a_page_and_every_page_a_use() {
        let mut used = BTreeSet::new();
        collect(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")), &mut used);
        let known: BTreeSet<String> =
            cli::PAGES.iter().map(|(code, _)| (*code).to_owned()).collect();
        assert_eq!(used, known);
    }

    #[test]
    fn every_page_says_enough_and_stands_alone() {
        let mut seen = BTreeSet::new();
        for (code, page) in pages() {
            assert!(seen.insert(code), "{code} has two pages");
            assert!(page.len() > 40 && page.ends_with('.'), "the page of {code} says too little");
        }
    }

    /// Codes as the sources spell them, the pages themselves left out.
    fn collect(folder: &Path, used: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, used);
            } else if !path.ends_with("explain/cli.rs") && !path.ends_with("src/explain.rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let mark = concat!('"', "cli.");
                used.extend(
                    text.split(mark)
                        .skip(1)
                        .map(|rest| format!("cli.{}", rest.split('"').next().unwrap_or_default())),
                );
            }
        }
    }
}
