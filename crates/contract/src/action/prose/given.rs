//! What must be given before the action starts: the file itself, values that a person says, and files that nobody in the flow
//! makes first.

use super::Reader;
use super::items::{self, Listed};
use super::names::words_of;
use super::page::{Section, Written};
use super::parts::Parts;
use crate::diagnostic::action as say;
use tollgate_judge::globs::is_protected;

const PREREQUISITES: [&str; 3] = ["prerequisites", "prerequisite", "preconditions"];
const INPUTS: [&str; 3] = ["inputs", "input", "required inputs"];
const CRITERIA: [&str; 3] = ["validation criteria", "validation", "success criteria"];
/// More words than this are a sentence, not the name of a value.
const NAME_WORDS_MAX: usize = 3;

pub(super) fn of(reader: &mut Reader<'_>, parts: &Parts) -> Vec<String> {
    let mut given = vec![reader.path.to_owned()];
    let mut files: Vec<Listed> = Vec::new();
    let mut values = required(reader, &mut files);
    if values.is_empty() {
        values = spoken(reader);
    }
    given.extend(values);
    files.extend(prerequisites(reader));
    files.extend(first_reads(parts));
    for listed in files {
        let is_wanted = listed.path.contains('/') && !listed.is_conditional;
        if is_wanted && !is_protected(&listed.path, None) && !given.contains(&listed.path) {
            given.push(listed.path);
        }
    }
    for_people(reader);
    given
}

/// The values of the built-in action.
fn spoken(reader: &Reader<'_>) -> Vec<String> {
    let inputs = reader.built_in.iter().flat_map(|built_in| &built_in.inputs);
    inputs.filter(|input| !input.contains('/')).cloned().collect()
}

/// The list of required inputs: files, and values by a name. What else the section asks for is left to the goal.
fn required(reader: &mut Reader<'_>, files: &mut Vec<Listed>) -> Vec<String> {
    let Some(section) = reader.section(&INPUTS) else { return Vec::new() };
    let known = spoken(reader);
    let mut values = Vec::new();
    for part in reader.page.parts(&section) {
        let first = words_of(&part.title).into_iter().next();
        match first.as_deref() {
            Some("required") => {
                for item in reader.page.items(part.below.clone()) {
                    let paths = items::paths_of(&reader.page, &item);
                    if paths.is_empty() {
                        values.extend(value_name(&item, &known).filter(|n| !values.contains(n)));
                    }
                    files.extend(paths);
                }
            }
            Some("from") => from_elsewhere(reader, &part),
            _ => {
                let words = "what is listed here is not asked for; say it in the goal";
                reader.not_understood(part.line, words.to_owned());
            }
        }
    }
    values
}

fn from_elsewhere(reader: &mut Reader<'_>, part: &Section) {
    let is_of_person = words_of(&part.title).iter().any(|word| word == "user" || word == "person");
    if is_of_person {
        let words = "what the person should say is not asked for; say it in the goal";
        reader.not_understood(part.line, words.to_owned());
    }
}

/// `Target users (list of roles)` is `users` where the built-in action calls it so, and else `target-users`.
fn value_name(item: &Written<'_>, known: &[String]) -> Option<String> {
    let plain = item.text.split(['(', ':', '-', '–', '—']).next().unwrap_or_default();
    let words = words_of(plain);
    if let Some(known) = known.iter().find(|known| words.contains(known)) {
        return Some(known.clone());
    }
    let words: Vec<String> = words.into_iter().take(NAME_WORDS_MAX).collect();
    let name = words.join("-");
    crate::skill::is_kebab(&name).then_some(name)
}

/// Files that must be there. What else must hold is for people.
fn prerequisites(reader: &mut Reader<'_>) -> Vec<Listed> {
    let Some(section) = reader.section(&PREREQUISITES) else { return Vec::new() };
    let mut files = Vec::new();
    for item in reader.page.items(section.below.clone()) {
        let mut found = items::paths_of(&reader.page, &item);
        found.extend(items::named_files(&reader.page, &item));
        if found.is_empty() {
            let told = say::prose_prerequisite(reader.path, item.line, item.text);
            reader.report.push(told);
        }
        files.extend(found);
    }
    files
}

/// What the first stage of work reads cannot come from another.
fn first_reads(parts: &Parts) -> Vec<Listed> {
    let first = parts.values().next().into_iter().flatten();
    first.flat_map(|part| part.reads.clone()).collect()
}

fn for_people(reader: &mut Reader<'_>) {
    if let Some(section) = reader.section(&CRITERIA) {
        let words = "these criteria are for the roles, who read this file, and for you; Tollgate checks \
                     the outputs, their form and their links";
        reader.not_understood(section.line, words.to_owned());
    }
}
