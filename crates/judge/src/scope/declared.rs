//! What the agent declares about files outside its list: incidental changes and scope corrections.

use super::entry::{Listed, plain_path};
use super::{Effective, Incidental, ScopeCorrection, ScopeRules, is_plain};
use crate::globs::{PathRules, is_protected};
use std::collections::{BTreeMap, BTreeSet};

/// The declarations by path; of several for one path the one that lacks least counts.
#[derive(Debug)]
pub(super) struct Declared<'a> {
    incidental: BTreeMap<String, (&'a str, Vec<String>)>,
    corrections: BTreeMap<String, (&'a ScopeCorrection, Vec<String>)>,
}

impl<'a> Declared<'a> {
    pub(super) fn new(
        rules: &'a ScopeRules,
        scope: &Effective,
        motives: &BTreeSet<&str>,
        changed: &[&str],
    ) -> Self {
        let mut incidental: BTreeMap<String, (&str, Vec<String>)> = BTreeMap::new();
        for entry in &rules.incidental {
            let lacks = unmet_by(entry, motives);
            keep_best(&mut incidental, plain_path(&entry.path), (entry.reason.trim(), lacks));
        }
        let mut corrections = BTreeMap::new();
        for (correction, lacks) in self::corrections(&rules.corrections, &scope.listed, changed) {
            keep_best(&mut corrections, plain_path(&correction.actual), (correction, lacks));
        }
        Self { incidental, corrections }
    }

    /// The reason of an incidental change, or why what was declared does not count.
    pub(super) fn verdict(&self, path: &str) -> Option<Result<&str, String>> {
        let incidental = self.incidental.get(path);
        if let Some((reason, _)) = incidental.filter(|(_, unmet)| unmet.is_empty()) {
            return Some(Ok(reason));
        }
        let unmet = incidental
            .map(|(_, unmet)| format!("declared incidental, but {}", unmet.join(", and ")));
        let correction = self.corrections.get(path).map(|(_, missing)| {
            format!("the scope correction does not count: {}", missing.join(", and "))
        });
        let why: Vec<String> = unmet.into_iter().chain(correction).collect();
        (!why.is_empty()).then(|| Err(why.join("; ")))
    }

    pub(super) fn why_corrected(&self, path: &str) -> Option<String> {
        let (correction, _) = self.corrections.get(path)?;
        let listed = plain_path(&correction.listed);
        Some(format!("meant instead of {listed}: {}", correction.reason.trim()))
    }
}

fn keep_best<T>(
    known: &mut BTreeMap<String, (T, Vec<String>)>,
    path: String,
    new: (T, Vec<String>),
) {
    match known.get(&path) {
        Some((_, lacks)) if lacks.len() <= new.1.len() => {}
        _ => {
            known.insert(path, new);
        }
    }
}

/// The criteria of an incidental change that do not hold.
fn unmet_by(entry: &Incidental, motives: &BTreeSet<&str>) -> Vec<String> {
    let motive = plain_path(&entry.motivated_by);
    let mut unmet = Vec::new();
    let mut need = |holds: bool, words: String| {
        if !holds {
            unmet.push(words);
        }
    };
    need(!entry.reason.trim().is_empty(), "no reason is given".to_owned());
    need(entry.behaviour_preserving, "it is not declared to preserve behaviour".to_owned());
    need(entry.narrow, "it is not declared to be narrow".to_owned());
    if motive.is_empty() {
        need(false, "it does not name the change that motivates it".to_owned());
    } else {
        let words = format!("{motive}, which should motivate it, is not a changed file in scope");
        need(motives.contains(motive.as_str()), words);
    }
    unmet
}

/// Every correction with why it does not count; nothing where it does.
pub(super) fn corrections<'a>(
    given: &'a [ScopeCorrection],
    listed: &Listed,
    changed: &[&str],
) -> Vec<(&'a ScopeCorrection, Vec<String>)> {
    // Whether the first one holds does not matter: else one more exclusion could let another file in.
    let mut first: BTreeMap<String, String> = BTreeMap::new();
    let checked = given.iter().map(|correction| {
        let mut missing = missing_in(correction, listed);
        missing.extend(changed_as_listed(correction, changed));
        let (from, actual) = (plain_path(&correction.listed), plain_path(&correction.actual));
        if [&from, &actual, &plain_path(&correction.reason)].iter().all(|text| !text.is_empty()) {
            let meant = first.entry(from.clone()).or_insert_with(|| actual.clone());
            if *meant != actual {
                missing.push(format!("{from} is already corrected to {meant}"));
            }
        }
        (correction, missing)
    });
    checked.collect()
}

/// Who changes the file that is listed has found its code there, and needs no correction.
fn changed_as_listed(correction: &ScopeCorrection, changed: &[&str]) -> Option<String> {
    let (from, actual) = (plain_path(&correction.listed), plain_path(&correction.actual));
    let covers = PathRules::new(&[&from]).ok().filter(|_| !from.is_empty())?;
    let is_meant = |path: &&&str| **path != actual && covers.matches(path);
    let path = changed.iter().find(is_meant)?;
    Some(format!("{path}, which In Scope lists, was changed too"))
}

/// Why a correction by itself does not count; empty when it does.
fn missing_in(correction: &ScopeCorrection, listed: &Listed) -> Vec<String> {
    let ScopeCorrection { listed: from, actual, reason } = correction;
    let mut missing = Vec::new();
    let fields = [("Listed", from), ("Actual", actual), ("Reason", reason)];
    for (name, _) in fields.iter().filter(|(_, text)| plain_path(text).is_empty()) {
        missing.push(format!("{name} is missing"));
    }
    if !plain_path(from).is_empty() && !listed.has(from) {
        missing.push(format!("In Scope does not list {}", plain_path(from)));
    }
    let path = plain_path(actual);
    if path.is_empty() {
        return missing;
    }
    if path.contains('*') || !is_plain(&path) || is_protected(&path, None) {
        missing.push(format!("{path} is not a plain path of a file that an agent may change"));
    } else if let Some(entry) = listed.exclusion(&path) {
        let by = if entry.text == path { String::new() } else { format!(" as {}", entry.text) };
        missing.push(format!("Out of Scope lists {path}{by}"));
    }
    missing
}
