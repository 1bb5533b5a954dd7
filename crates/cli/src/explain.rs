//! Every code a person can meet, with its page: of blockers, of this program, and of the documents it reads.

/// The pages of a file, each behind its code.
macro_rules! pages {
    ($($code:literal: $page:literal;)+) => {
        pub(super) const PAGES: &[(&str, &str)] = &[$(($code, $page)),+];
    };
}

mod blocker;
mod cli;
mod notice;
mod work;

use tollgate_contract::explain as contract;

pub fn pages() -> impl Iterator<Item = (&'static str, &'static str)> {
    let documents = contract::codes().filter_map(|code| Some((code, contract::explain(code)?)));
    [blocker::PAGES, cli::PAGES, notice::PAGES, work::PAGES]
        .into_iter()
        .flatten()
        .copied()
        .chain(documents)
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
    use std::path::{Path, PathBuf};
    use tollgate_core::decision::BlockerCode;
    use tollgate_core::notice::NoticeCode;

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
        for (path, text) in sources("cli") {
            if !path.ends_with("explain/cli.rs") && !path.ends_with("src/explain.rs") {
                let mark = concat!('"', "cli.");
                used.extend(text.split(mark).skip(1).map(|rest| format!("cli.{}", literal(rest))));
            }
        }
        assert_eq!(used, known(cli::PAGES));
    }

    #[test]
    fn every_code_that_goes_back_to_an_agent_has_a_page() {
        let mut used = BTreeSet::new();
        for (_, text) in sources("core").into_iter().chain(sources("host")) {
            for rest in text.split("ReplyError::new(").skip(1) {
                if let Some(rest) = rest.trim_start().strip_prefix('"') {
                    used.insert(literal(rest));
                }
            }
        }
        let documents: BTreeSet<String> = contract::codes().map(str::to_owned).collect();
        let own: BTreeSet<String> = used.difference(&documents).cloned().collect();
        assert_eq!(own, known(work::PAGES));
    }

    #[test]
    fn every_notice_has_a_page() {
        let explained: BTreeSet<&str> = pages().map(|(code, _)| code).collect();
        let missing: Vec<&str> =
            NoticeCode::words().filter(|code| !explained.contains(code)).collect();
        assert!(missing.is_empty(), "{missing:?}");
        let codes: BTreeSet<String> = NoticeCode::words().map(str::to_owned).collect();
        assert!(known(notice::PAGES).is_subset(&codes), "a page of a notice that nothing writes");
    }

    #[test]
    fn every_page_says_enough_and_stands_alone() {
        let mut seen = BTreeSet::new();
        for (code, page) in pages() {
            assert!(seen.insert(code), "{code} has two pages");
            assert!(page.len() > 40 && page.ends_with('.'), "the page of {code} says too little");
        }
    }

    fn known(pages: &[(&str, &str)]) -> BTreeSet<String> {
        pages.iter().map(|(code, _)| (*code).to_owned()).collect()
    }

    fn literal(rest: &str) -> String {
        rest.split('"').next().unwrap_or_default().to_owned()
    }

    fn sources(package: &str) -> Vec<(PathBuf, String)> {
        let mut folders =
            vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(package).join("src")];
        let mut found = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    found.push((path.clone(), std::fs::read_to_string(&path).unwrap()));
                }
            }
        }
        found
    }
}
