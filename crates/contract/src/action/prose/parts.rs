//! What each role of the flow reads and leaves behind: as the file says, and else as the built-in action of the name does.

use super::Reader;
use super::items::{self, Listed};
use super::names;
use super::page::Section;
use super::stage::{Player, Stage, StageKind};
use crate::skill;
use std::collections::BTreeMap;
use std::ops::Range;
use tollgate_core::action::{Action, Assignment};
use tollgate_judge::globs::is_protected;

const OUTPUTS: [&str; 3] = ["outputs", "output", "deliverables"];
const DUTIES: [&str; 3] = ["agent responsibilities", "responsibilities", "agents"];

/// The parts of each stage, by its index.
pub(super) type Parts = BTreeMap<usize, Vec<Part>>;

#[derive(Debug)]
pub(super) struct Part {
    pub assignment: Assignment,
    /// What the file tells it to read.
    pub reads: Vec<Listed>,
}

pub(super) fn of(reader: &mut Reader<'_>, stages: &[Stage]) -> Parts {
    let overall = overall(reader, stages);
    let last = last_stages(stages);
    let mut parts = Parts::new();
    for (at, stage) in stages.iter().enumerate() {
        let StageKind::Work(players) = &stage.kind else { continue };
        let mut made: Vec<Part> = Vec::new();
        for player in players {
            let called = &player.named.called;
            let is_last = last.get(called) == Some(&at);
            let mut part = part(reader, player, is_last, overall.get(called));
            let is_taken = |output: &String| {
                !output.ends_with('/')
                    && made.iter().any(|other| other.assignment.outputs.contains(output))
            };
            part.assignment.outputs.retain(|output| !is_taken(output));
            made.push(part);
        }
        parts.insert(at, made);
    }
    parts
}

/// The stage in which each role works last: what the built-in action has it leave is left there.
fn last_stages(stages: &[Stage]) -> BTreeMap<String, usize> {
    let mut last = BTreeMap::new();
    for (at, stage) in stages.iter().enumerate() {
        if let StageKind::Work(players) = &stage.kind {
            last.extend(players.iter().map(|player| (player.named.called.clone(), at)));
        }
    }
    last
}

fn part(
    reader: &mut Reader<'_>,
    player: &Player,
    is_last: bool,
    overall: Option<&Vec<Listed>>,
) -> Part {
    let about = player.about.clone().or_else(|| duties(reader, &player.named.called));
    let lists = about.map(|range| items::labelled(&reader.page, range)).unwrap_or_default();
    let own = if lists.makes.is_empty() { overall.cloned() } else { Some(lists.makes) };
    let own: Vec<Listed> = own.unwrap_or_default().into_iter().filter(is_writable).collect();
    let is_needed = |listed: &&Listed| !listed.is_conditional && !player.is_conditional;
    let mut outputs: Vec<String> =
        own.iter().filter(is_needed).map(|listed| listed.path.clone()).collect();
    let mut others: Vec<String> =
        own.iter().filter(|one| !is_needed(one)).map(|listed| listed.path.clone()).collect();
    let known = known_part(reader.built_in.as_ref(), &player.named.called);
    let is_supplied = is_last && outputs.is_empty();
    if let Some(known) = known.as_ref().filter(|known| is_supplied && !known.0.is_empty()) {
        outputs = known.0.clone();
        let words = format!(
            "no path that {} leaves is named, so it leaves {} as in the built-in action",
            player.named.called,
            outputs.join(", ")
        );
        reader.supplied(Some(player.line), &words);
    }
    others.retain(|path| !outputs.contains(path));
    let writes = writes(player, known.and_then(|known| known.1), others);
    if player.is_conditional {
        let words = format!(
            "whether {} is needed is not decided here: it is sent always, reads this file, and can answer that there is nothing to do",
            player.named.called
        );
        reader.taken_as(player.line, &words);
    }
    let role = player.named.role;
    let called = Some(player.named.called.clone())
        .filter(|called| !super::super::step::is_plain_name(role, called));
    let assignment = Assignment {
        role,
        called,
        inputs: vec![reader.path.to_owned()],
        outputs,
        writes,
        optional: player.is_conditional,
    };
    Part { assignment, reads: lists.reads }
}

/// Folders of the role's own text and settings are nothing that an agent leaves behind.
fn is_writable(listed: &Listed) -> bool {
    !is_protected(&listed.path, None)
}

/// Beside its outputs. A role that may write files anyway keeps its own rules.
fn writes(player: &Player, known: Option<Vec<String>>, others: Vec<String>) -> Option<Vec<String>> {
    let is_confined = skill::built_in(player.named.role).writes.is_empty();
    if known.is_none() && (others.is_empty() || !is_confined) {
        return None;
    }
    let globs = others.into_iter().map(|path| match path.ends_with('/') {
        true => format!("{path}**"),
        false => path,
    });
    Some(known.unwrap_or_default().into_iter().chain(globs).collect())
}

/// Everything that the built-in action has this role leave, and where it may write.
fn known_part(
    built_in: Option<&Action>,
    called: &str,
) -> Option<(Vec<String>, Option<Vec<String>>)> {
    let parts: Vec<&Assignment> = built_in?
        .assignments()
        .map(|(_, part)| part)
        .filter(|part| part.name() == called || skill::folder_of(part.role) == called)
        .collect();
    let outputs = parts.iter().flat_map(|part| part.outputs.clone()).collect();
    let writes: Option<Vec<Vec<String>>> = parts.iter().map(|part| part.writes.clone()).collect();
    let writes = writes.filter(|lists| !lists.is_empty()).map(|lists| lists.concat());
    (!parts.is_empty()).then_some((outputs, writes))
}

/// The lines that say what a role has to do, where no step does.
fn duties(reader: &Reader<'_>, called: &str) -> Option<Range<usize>> {
    let section = reader.section(&DUTIES)?;
    let is_it = |part: &Section| {
        names::in_words(&part.title, reader.resolve).first().is_some_and(|one| one.called == called)
    };
    reader.page.parts(&section).into_iter().find(is_it).map(|part| part.below)
}

/// The outputs that the file tells for the action as a whole, by who leaves them: the role of the heading that they are
/// below, and else who makes something last.
fn overall(reader: &mut Reader<'_>, stages: &[Stage]) -> BTreeMap<String, Vec<Listed>> {
    let mut found: BTreeMap<String, Vec<Listed>> = BTreeMap::new();
    let Some(section) = reader.section(&OUTPUTS) else { return found };
    let last = last_maker(stages);
    let headed = reader.page.parts(&section);
    let ranges = headed.iter().map(|part| {
        let named = names::in_words(&part.title, reader.resolve).into_iter().next();
        (named.map(|named| named.called), part.below.clone())
    });
    let ranges: Vec<_> =
        std::iter::once((None, reader.page.introduction(&section))).chain(ranges).collect();
    for (called, range) in ranges {
        let Some(called) = called.or_else(|| last.clone()) else { continue };
        for item in reader.page.items(range) {
            let paths = items::paths_of(&reader.page, &item);
            let list = found.entry(called.clone()).or_default();
            items::add(list, paths.into_iter().filter(is_writable));
        }
    }
    found.retain(|_, list| !list.is_empty());
    if found.is_empty() && reader.built_in.is_none() {
        let words = "no path is named here, so no file is demanded";
        reader.not_understood(section.line, words.to_owned());
    }
    found
}

fn last_maker(stages: &[Stage]) -> Option<String> {
    let players = stages.iter().filter_map(|stage| match &stage.kind {
        StageKind::Work(players) => Some(players),
        StageKind::Gate { .. } => None,
    });
    let players: Vec<&Player> = players.flatten().collect();
    let maker = players.iter().rev().find(|player| !player.named.role.is_reviewing());
    maker.or(players.last()).map(|player| player.named.called.clone())
}

/// A file that a role must read has to be there: given, or left before. Who is told nothing reads what was left last.
pub(super) fn read_what_is_there(parts: &mut Parts, given: &[String]) {
    let mut there = given.to_vec();
    let mut left_last: Vec<String> = Vec::new();
    for stage in parts.values_mut() {
        for part in stage.iter_mut() {
            let told: Vec<&String> = part.reads.iter().map(|listed| &listed.path).collect();
            let wanted = if told.is_empty() { left_last.iter().collect() } else { told };
            for path in wanted {
                if there.contains(path) && !part.assignment.inputs.contains(path) {
                    part.assignment.inputs.push(path.clone());
                }
            }
        }
        // The person may continue without what an optional part leaves.
        let sure = stage.iter().filter(|part| !part.assignment.optional);
        left_last = sure.flat_map(|part| part.assignment.outputs.clone()).collect();
        there.extend(left_last.clone());
    }
}
