//! The gate `boundary`: a term that belongs to the solution has no place in the generic `agents/`.

use super::terms::{Blocked, Said, Term, blocked};
use super::{Inspector, is_binary};
use crate::diagnostic::{Report, gates as say};
use crate::pack;
use std::collections::{BTreeMap, BTreeSet};

const GLOSSARY: &str = "planning-mds/domain/glossary.md";

pub(super) struct Boundary {
    is_strict: bool,
    /// None without a glossary.
    terms: Option<Terms>,
    files: usize,
}

impl Boundary {
    pub fn new(is_strict: bool) -> Self {
        Self { is_strict, terms: None, files: 0 }
    }
}

impl Inspector for Boundary {
    fn places(&self) -> &'static [&'static str] {
        &[GLOSSARY, "agents"]
    }

    fn wants(&self, _path: &str) -> bool {
        true
    }

    fn see(&mut self, path: &str, bytes: &[u8], report: &mut Report) {
        let text = String::from_utf8_lossy(bytes);
        if path == GLOSSARY {
            let blocked = blocked(&text);
            if let Said::Unclear { line } = blocked.said {
                report.push(say::terms_unclear(GLOSSARY, line));
            }
            self.terms = Some(Terms::new(blocked));
            return;
        }
        self.files += 1;
        if let Some(terms) = self.terms.as_ref().filter(|_| !is_binary(bytes)) {
            terms.look_for(path, &text, report);
        }
    }

    fn finish(&mut self, report: &mut Report) {
        if !self.is_strict || self.files == 0 {
            return;
        }
        match &self.terms {
            None => report.push(say::glossary_missing(GLOSSARY)),
            Some(terms) if terms.says_nothing => report.push(say::no_terms(GLOSSARY)),
            Some(_) => {}
        }
    }
}

struct Terms {
    by_first: BTreeMap<char, Vec<(Vec<char>, Term)>>,
    says_nothing: bool,
}

impl Terms {
    fn new(blocked: Blocked) -> Self {
        let says_nothing = blocked.terms.is_empty() && blocked.said == Said::ByDefinition;
        let mut by_first: BTreeMap<char, Vec<(Vec<char>, Term)>> = BTreeMap::new();
        for term in blocked.terms {
            let folded: Vec<char> = folded(&one_space(&term.text)).collect();
            if let Some(first) = folded.first() {
                by_first.entry(*first).or_default().push((folded, term));
            }
        }
        Self { by_first, says_nothing }
    }

    /// Each term is reported once a line. A line that the pack came with has been there before the solution.
    fn look_for(&self, path: &str, text: &str, report: &mut Report) {
        let ours: BTreeSet<&str> = pack::text_at(path).unwrap_or_default().lines().collect();
        let is_ours: Vec<bool> = text.lines().map(|line| ours.contains(line)).collect();
        let chars: Vec<char> = folded(text).collect();
        let mut line = 1;
        let mut reported: Vec<&str> = Vec::new();
        for (at, char) in chars.iter().enumerate() {
            if *char == '\n' {
                line += 1;
                reported.clear();
            }
            if is_ours.get(line as usize - 1) == Some(&true) {
                continue;
            }
            for (folded, term) in self.by_first.get(char).into_iter().flatten() {
                if stands_at(&chars, at, folded) && !reported.contains(&term.text.as_str()) {
                    let defined = (GLOSSARY, term.line);
                    report.push(say::term_blocked(path, line, &term.text, defined));
                    reported.push(&term.text);
                }
            }
            if report.is_full() {
                return;
            }
        }
    }
}

fn folded(text: &str) -> impl Iterator<Item = char> {
    text.chars().flat_map(char::to_lowercase)
}

fn one_space(text: &str) -> String {
    text.split(is_gap).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// What may stand between the words of a term: `risk class` is also `risk-class` and `risk_class`.
fn is_gap(char: char) -> bool {
    char.is_whitespace() || char == '-' || char == '_'
}

/// As a whole word.
fn stands_at(text: &[char], at: usize, term: &[char]) -> bool {
    let is_word = |char: &char| char.is_alphanumeric();
    if is_word(&term[0]) && at.checked_sub(1).is_some_and(|before| is_word(&text[before])) {
        return false;
    }
    let mut here = at;
    for wanted in term {
        match text.get(here) {
            Some(found) if *wanted == ' ' && is_gap(*found) => {
                here += text[here..].iter().take_while(|char| is_gap(**char)).count();
            }
            Some(found) if found == wanted => here += 1,
            _ => return false,
        }
    }
    !(term.last().is_some_and(is_word) && text.get(here).is_some_and(is_word))
}
