//! The page behind every code: what it means and how to continue.

use crate::diagnostic::{
    action, agent_input, artefact, config, done, gates, import, labels, lifecycle, plan, reply,
    reports, sections, shape, status, tasks, work_item,
};

/// The pages stand beside the factories that use their codes, so that neither exists without the other.
const THEMES: &[&[(&str, &str)]] = &[
    action::PAGES,
    agent_input::PAGES,
    artefact::PAGES,
    config::PAGES,
    done::PAGES,
    gates::PAGES,
    import::PAGES,
    labels::PAGES,
    lifecycle::PAGES,
    plan::PAGES,
    reply::PAGES,
    reports::PAGES,
    sections::PAGES,
    shape::PAGES,
    status::PAGES,
    tasks::PAGES,
    work_item::PAGES,
];

pub fn explain(code: &str) -> Option<&'static str> {
    pages().find(|(known, _)| *known == code).map(|(_, page)| page)
}

pub fn codes() -> impl Iterator<Item = &'static str> {
    pages().map(|(code, _)| code)
}

fn pages() -> impl Iterator<Item = (&'static str, &'static str)> {
    THEMES.iter().flat_map(|theme| theme.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_code_has_one_page_worth_reading() {
        let mut seen = BTreeSet::new();
        for (code, page) in pages() {
            assert!(seen.insert(code), "{code} has two pages");
            assert!(page.len() > 40 && page.ends_with('.'), "the page of {code} says too little");
            let is_code = |c: char| c.is_ascii_lowercase() || matches!(c, '.' | '_' | '8');
            assert!(code.contains('.') && code.chars().all(is_code), "{code}");
        }
        assert_eq!(
            explain("reply.status_unknown").map(|page| page.contains("BLOCKED")),
            Some(true)
        );
        assert_eq!(explain("no.such_code"), None);
    }
}
