//! Whether two scopes may have a file in common: by their lists, and through the tests beside listed files.

use super::entry::Entry;
use super::language::{DJANGO, Id, KINDS, LANGUAGES, Language, PROJECT_SUFFIXES, Place};
use super::pattern::{
    Part, Pattern, Text, Token, anything, ending, glob, has_gap, is_beyond_reading, literal, meet,
    one, parts_meet, path, texts_meet,
};
use std::collections::{BTreeMap, BTreeSet};

/// How many patterns one scope may have before it counts as everything.
const PATTERNS_MAX: usize = 4_000;

/// Whether some path may be in both scopes; when in doubt it says yes.
pub fn may_overlap(a: &[String], b: &[String]) -> bool {
    Reach::of(a).may_meet(&Reach::of(b))
}

/// Every path that a scope may let someone change; made once, compared with many.
#[derive(Debug, Default)]
pub struct Reach {
    listed: BTreeSet<Pattern>,
    tests: BTreeSet<Pattern>,
    groups: Vec<Group>,
    /// It is more than can be told apart.
    is_everything: bool,
}

/// Patterns that end in the same name: for most pairs of scopes their names tell them apart, and there are few names.
#[derive(Debug)]
struct Group {
    name: Option<Part>,
    patterns: Vec<Pattern>,
}

impl Group {
    fn may_meet(&self, other: &Self, effort: &mut Effort) -> bool {
        let is_apart = match (&self.name, &other.name) {
            (Some(one), Some(another)) => !parts_meet(one, another),
            _ => false,
        };
        if is_apart {
            return !effort.spend(1);
        }
        let pairs = (self.patterns.len() as u64).saturating_mul(other.patterns.len() as u64);
        !effort.spend(pairs.saturating_mul(Effort::PER_PATTERN))
            || self.patterns.iter().any(|a| other.patterns.iter().any(|b| meet(a, b)))
    }
}

/// How much may still be compared. It is counted and not timed, so that the same plan always reads the same.
#[derive(Debug)]
pub struct Effort {
    left: u64,
}

impl Default for Effort {
    /// Some seconds: hundreds of tasks with a few files each.
    fn default() -> Self {
        Self { left: 500_000_000 }
    }
}

impl Effort {
    /// Two patterns cost about as much as so many pairs of names.
    const PER_PATTERN: u64 = 16;

    /// Whether there was so much left.
    fn spend(&mut self, cost: u64) -> bool {
        let left = self.left.checked_sub(cost);
        self.left = left.unwrap_or(0);
        left.is_some()
    }
}

impl Reach {
    /// Whether some path may be in both; when in doubt it says yes.
    pub fn may_meet(&self, other: &Self) -> bool {
        self.may_meet_within(other, &mut Effort::default())
    }

    /// The same for many pairs; once the effort is spent, whatever is left meets.
    pub fn may_meet_within(&self, other: &Self, effort: &mut Effort) -> bool {
        if self.is_everything || other.is_everything {
            return !self.is_nothing() && !other.is_nothing();
        }
        self.groups
            .iter()
            .any(|ours| other.groups.iter().any(|theirs| ours.may_meet(theirs, effort)))
    }

    fn is_nothing(&self) -> bool {
        self.groups.is_empty() && !self.is_everything
    }

    pub fn of(entries: &[String]) -> Self {
        let mut reach = Self::default();
        for entry in entries {
            reach.add_entry(entry);
            if reach.is_everything {
                return Self { is_everything: true, ..Self::default() };
            }
        }
        reach.leave_out_what_is_said_twice();
        reach.group();
        reach
    }

    fn add_entry(&mut self, entry: &str) {
        self.is_everything |= is_beyond_reading(entry);
        if self.is_everything {
            return;
        }
        let entry = Entry::read(entry);
        if entry.is_path() && !entry.text.ends_with('/') {
            self.add(path(&entry.text), true);
        }
        for pattern in entry.patterns().iter().flat_map(|pattern| glob(pattern)) {
            self.add(pattern, false);
        }
    }

    /// Tests below a listed folder are listed with it; there are many, and each would be compared with each.
    fn leave_out_what_is_said_twice(&mut self) {
        let any_name = Part::One(vec![vec![Token::AnyMany]]);
        let whole: Vec<&[Part]> = self
            .listed
            .iter()
            .filter_map(|pattern| pattern.strip_suffix(&[Part::Deep, any_name.clone()]))
            .collect();
        self.tests.retain(|test| !whole.iter().any(|folder| test.starts_with(folder)));
    }

    fn group(&mut self) {
        let listed = std::mem::take(&mut self.listed);
        let mut by_name: BTreeMap<Option<Part>, Vec<Pattern>> = BTreeMap::new();
        for pattern in listed.into_iter().chain(std::mem::take(&mut self.tests)) {
            by_name.entry(pattern.last().cloned()).or_default().push(pattern);
        }
        let group = |(name, patterns)| Group { name, patterns };
        self.groups = by_name.into_iter().map(group).collect();
    }

    fn add(&mut self, pattern: Pattern, is_exact: bool) {
        self.is_everything |= pattern == anything() || self.tests.len() > PATTERNS_MAX;
        if self.is_everything {
            return;
        }
        if let Some((name, folder)) = pattern.split_last() {
            for language in LANGUAGES {
                for subject in subjects(language, folder, name, is_exact) {
                    self.tests.extend(tests_of(language, &subject));
                }
                self.tests.extend(unnamed_tests(language, folder, name));
            }
        }
        self.listed.insert(pattern);
    }
}

/// A file that tests are named after.
#[derive(Debug, PartialEq, Eq)]
struct Subject {
    folder: Pattern,
    stem: Text,
    is_exact: bool,
}

fn subjects(language: &Language, folder: &[Part], name: &Part, is_exact: bool) -> Vec<Subject> {
    let mut found = Vec::new();
    let mut add = |folder: &[Part], stem: Text| {
        let subject = Subject { folder: folder.to_vec(), stem, is_exact };
        if !found.contains(&subject) {
            found.push(subject);
        }
    };
    for stem in language.tested().flat_map(|extension| stems_of(name, extension)) {
        match (language.id, plain(&stem).as_deref()) {
            (Id::Python, Some(hidden)) if hidden.starts_with('_') => {
                add(folder, literal(hidden.trim_matches('_')));
            }
            (Id::Php, Some(text)) if text.starts_with("class-") => {
                add(folder, literal(&text["class-".len()..]));
            }
            (Id::Ruby, Some(text)) if text.ends_with("_controller") => {
                add(folder, literal(&text[..text.len() - "_controller".len()]));
            }
            _ => {}
        }
        add(folder, stem);
    }
    // Files that are called after the folder they are in; some are tested from beside that folder.
    let (names, is_outside): (Vec<String>, bool) = match language.id {
        Id::Rust => (vec!["mod.rs".to_owned()], true),
        Id::Python => (vec!["__init__.py".to_owned()], true),
        Id::Script => (language.tested().map(|end| format!("index.{end}")).collect(), false),
        _ => (Vec::new(), false),
    };
    let is_called = names.iter().any(|called| parts_meet(name, &one(&[called])));
    // A gap may hold that folder, or nothing.
    let without_gap = folder.strip_suffix(&[Part::Deep]);
    for folder in std::iter::once(folder).chain(without_gap).filter(|_| is_called) {
        let Some((last, above)) = folder.split_last() else { continue };
        let above = if *last == Part::Deep || !is_outside { folder } else { above };
        texts(last).into_iter().for_each(|stem| add(above, stem));
    }
    found
}

/// What is left of a name without its extension; a gap that may hold it stays.
fn stems_of(name: &Part, extension: &str) -> Vec<Text> {
    let end = format!(".{extension}");
    let stem = |text: Text| match plain(&text) {
        Some(plain) => plain.strip_suffix(&end).map(literal),
        None => texts_meet(&text, &ending(&end)).then(|| vec![Token::AnyMany]),
    };
    texts(name).into_iter().filter_map(stem).collect()
}

fn plain(text: &[Token]) -> Option<String> {
    let char = |token: &Token| match token {
        Token::Char(c) => Some(*c),
        _ => None,
    };
    text.iter().map(char).collect()
}

fn texts(part: &Part) -> Vec<Text> {
    match part {
        Part::One(texts) => texts.clone(),
        Part::Deep | Part::Test { .. } => vec![vec![Token::AnyMany]],
    }
}

fn tests_of(language: &Language, subject: &Subject) -> Vec<Pattern> {
    let mut found = vec![with_name(subject.folder.clone(), language, &subject.stem, false)];
    let mut folders = Vec::new();
    for place in language.places {
        folders.extend(mirrors(language, place, subject));
    }
    if language.id == Id::CSharp {
        folders.push(subject.folder.clone());
        let projects: Vec<Pattern> = folders.iter().flat_map(|folder| projects(folder)).collect();
        folders.extend(projects);
    }
    found
        .extend(folders.into_iter().map(|folder| with_name(folder, language, &subject.stem, true)));
    if language.id == Id::Script {
        let kept: Vec<Pattern> = found.iter().map(|test| with_snapshots(test)).collect();
        found.extend(kept);
    }
    found
}

fn with_name(mut folder: Pattern, language: &Language, stem: &Text, is_apart: bool) -> Pattern {
    let mut names: Vec<Text> = Vec::new();
    // The extension, and that of a snapshot behind it.
    let mut add = |before: &str, after: &str| {
        let (before, after) = (literal(before), literal(after));
        names.push([before, stem.clone(), after, vec![Token::Char('.'), Token::AnyMany]].concat());
    };
    // An open stem holds them already.
    let infixes = if has_gap(stem) { &[] } else { language.infixes };
    for suffix in language.suffixes {
        add("", suffix);
        infixes.iter().for_each(|infix| add("", &format!("{infix}{suffix}")));
    }
    language.prefixes.iter().for_each(|prefix| add(prefix, ""));
    if is_apart && language.is_bare_in_folder {
        add("", "");
    }
    folder.push(Part::Test { language: language.id, stem: stem.clone(), names });
    folder
}

fn with_snapshots(test: &[Part]) -> Pattern {
    let (folder, name) = test.split_at(test.len() - 1);
    [folder, &[one(&["__snapshots__"])], name].concat()
}

/// The folders of tests that mirror a folder, wherever in it the tree of tests may begin.
fn mirrors(language: &Language, place: &Place, subject: &Subject) -> Vec<Pattern> {
    let loose = place.loose_sources.iter().filter(|_| subject.is_exact);
    let sources: Vec<Pattern> =
        place.sources.iter().chain(loose).map(|source| source_parts(source)).collect();
    let mut found = Vec::new();
    for (before, rest) in splits(&subject.folder) {
        for rest in sources.iter().flat_map(|source| behind(&rest, source)) {
            let rest = mirrored(language, rest);
            for tests in test_folders(place) {
                for kind in [None, Some(one(KINDS))] {
                    let kind: Pattern = kind.into_iter().collect();
                    found.push([before.as_slice(), &tests, &kind, &rest].concat());
                }
            }
        }
    }
    found
}

fn source_parts(source: &str) -> Pattern {
    let parts = source.split('/').filter(|part| !part.is_empty());
    let part =
        |part| if part == "*" { Part::One(vec![vec![Token::AnyMany]]) } else { one(&[part]) };
    parts.map(part).collect()
}

/// Folders of one part are one choice.
fn test_folders(place: &Place) -> Vec<Pattern> {
    let (long, short): (Vec<&str>, Vec<&str>) =
        place.tests.iter().partition(|tests| tests.contains('/'));
    let mut folders: Vec<Pattern> = long.iter().map(|tests| path(tests)).collect();
    if !short.is_empty() {
        folders.push(vec![one(&short)]);
    }
    folders
}

/// Every way to cut a folder in two; a gap may be cut within.
fn splits(folder: &[Part]) -> Vec<(Pattern, Pattern)> {
    let mut found = Vec::new();
    for at in 0..=folder.len() {
        found.push((folder[..at].to_vec(), folder[at..].to_vec()));
        if folder.get(at) == Some(&Part::Deep) {
            found.push((folder[..=at].to_vec(), folder[at..].to_vec()));
        }
    }
    found
}

/// What may follow in a folder once these first parts are read.
fn behind(folder: &[Part], first: &[Part]) -> Vec<Pattern> {
    let Some((part, others)) = first.split_first() else { return vec![folder.to_vec()] };
    match folder.split_first() {
        None => Vec::new(),
        Some((Part::Deep, rest)) => {
            // The gap holds this part and stays open, or ends before it.
            let stays = behind(folder, others);
            stays.into_iter().chain(behind(rest, first)).collect()
        }
        Some((next, rest)) if parts_meet(next, part) => behind(rest, others),
        Some(_) => Vec::new(),
    }
}

/// How a mirrored folder may be called on the side of the tests.
fn mirrored(language: &Language, mut folder: Pattern) -> Pattern {
    for part in &mut folder {
        let Part::One(texts) = part else { continue };
        match language.id {
            Id::Python => {
                let marked = texts.iter().map(|text| [literal("test_"), text.clone()].concat());
                let marked: Vec<Text> = marked.collect();
                texts.extend(marked);
            }
            Id::Ruby if texts.iter().any(|text| texts_meet(text, &literal("controllers"))) => {
                texts.push(literal("requests"));
            }
            _ => {}
        }
    }
    folder
}

/// One folder is called as a C# project of tests is, perhaps with a kind below.
fn projects(folder: &[Part]) -> Vec<Pattern> {
    let mut found = Vec::new();
    for (at, part) in folder.iter().enumerate() {
        let named = |text: &Text| {
            let text = text.clone();
            PROJECT_SUFFIXES.iter().map(move |end| [text.clone(), literal(end)].concat())
        };
        let project = Part::One(texts(part).iter().flat_map(named).collect());
        let (before, after) = match part {
            Part::Deep => (&folder[..=at], &folder[at..]),
            _ => (&folder[..at], &folder[at + 1..]),
        };
        let project = vec![project];
        found.push([before, &project, after].concat());
        found.push([before, &project, &[one(KINDS)], after].concat());
    }
    found
}

/// Tests that bear no name of their own: those of a Rust module and of a Django app.
fn unnamed_tests(language: &Language, folder: &[Part], name: &Part) -> Vec<Pattern> {
    match language.id {
        Id::Python => {
            let files: Vec<String> = DJANGO.iter().map(|name| format!("{name}.py")).collect();
            let files: Vec<&str> = files.iter().map(String::as_str).collect();
            let is_app = parts_meet(name, &one(&files));
            is_app.then(|| [folder, &[one(&["tests.py"])]].concat()).into_iter().collect()
        }
        Id::Rust => {
            let mut found = tests_of_crate(folder, name);
            found.extend(modules(folder, name).iter().flat_map(|module| tests_of_module(module)));
            found
        }
        _ => Vec::new(),
    }
}

fn tests_of_crate(folder: &[Part], name: &Part) -> Vec<Pattern> {
    if !parts_meet(name, &one(&["lib.rs", "main.rs"])) {
        return Vec::new();
    }
    vec![
        [folder, &[one(&["tests.rs", "test.rs"])]].concat(),
        [folder, &[one(&["tests"]), Part::Deep, one(&["mod.rs"])]].concat(),
    ]
}

/// The modules that a Rust file may be: its own name, or that of its folder.
fn modules(folder: &[Part], name: &Part) -> Vec<Pattern> {
    let mut modules: Vec<Pattern> = Vec::new();
    let stems = stems_of(name, "rs");
    if !stems.is_empty() {
        modules.push([folder, &[Part::One(stems)]].concat());
    }
    if parts_meet(name, &one(&["mod.rs"])) {
        modules.push(folder.to_vec());
    }
    modules
}

fn tests_of_module(module: &[Part]) -> Vec<Pattern> {
    let any = || Part::One(vec![ending(".rs")]);
    let mut found = vec![
        [module, &[one(&["tests.rs", "test.rs"])]].concat(),
        [module, &[one(&["tests"]), Part::Deep, any()]].concat(),
    ];
    for (before, rest) in splits(module) {
        for target in behind(&rest, &[one(&["src"])]).iter().filter(|target| !target.is_empty()) {
            found.push(
                [before.as_slice(), &[one(&["tests"])], target, &[Part::Deep, any()]].concat(),
            );
        }
    }
    found
}

#[cfg(test)]
mod tests;
