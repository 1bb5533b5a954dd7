//! Reads the headings of the steps: who is activated in each, and which of them are gates.

use super::Reader;
use super::names::{self, Named};
use super::page::Section;
use super::stage::{Player, Stage, StageKind, gate, is_conditional, is_end};
use std::ops::Range;

/// Whom a step names, it names in its first items.
const ITEMS_MAX: usize = 100;

pub(super) fn read(reader: &mut Reader<'_>, section: &Section) -> Vec<Stage> {
    let mut stages = Vec::new();
    for step in reader.page.parts(section) {
        stages.extend(step_stages(reader, &step));
    }
    stages
}

fn step_stages(reader: &mut Reader<'_>, step: &Section) -> Vec<Stage> {
    let title = without_number(&step.title);
    if let Some(kind) = gate(title) {
        return vec![Stage { line: step.line, kind }];
    }
    inner_gates(reader, step);
    let parts = reader.page.parts(step);
    let of_parts: Vec<Stage> = parts.iter().filter_map(|part| part_stage(reader, part)).collect();
    if !of_parts.is_empty() {
        return together(reader, step, of_parts);
    }
    let named = players_of(reader, step, title);
    if named.is_empty() {
        let words = match () {
            () if is_end(title) => return Vec::new(),
            () if is_informational(title) => {
                "this step is for information, and nobody is sent to do it"
            }
            () => "this step names no role and no gate, and nobody is sent to do it",
        };
        reader.not_understood(step.line, words.to_owned());
        return Vec::new();
    }
    let is_conditional = is_conditional(title) || is_informational(title);
    let player = |named: Named| Player {
        named,
        line: step.line,
        is_conditional,
        about: Some(step.below.clone()),
    };
    let work = |named| Stage { line: step.line, kind: StageKind::Work(vec![player(named)]) };
    let stages = named.into_iter().map(work).collect();
    together(reader, step, stages)
}

/// A heading inside a step: a role, or a gate.
fn part_stage(reader: &mut Reader<'_>, part: &Section) -> Option<Stage> {
    let title = without_number(&part.title);
    if let Some(kind) = gate(title) {
        return Some(Stage { line: part.line, kind });
    }
    let activated = activated(reader, part.below.clone());
    let mut named =
        if activated.is_empty() { names::in_words(title, reader.resolve) } else { activated };
    if named.is_empty() {
        return None;
    }
    let player = Player {
        named: named.swap_remove(0),
        line: part.line,
        is_conditional: is_conditional(title),
        about: Some(part.below.clone()),
    };
    Some(Stage { line: part.line, kind: StageKind::Work(vec![player]) })
}

/// Roles that a step sends out side by side become one stage, where it says so.
fn together(reader: &Reader<'_>, step: &Section, stages: Vec<Stage>) -> Vec<Stage> {
    const MARKS: [&str; 4] = ["parallel", "simultaneous", "side by side", "at the same time"];
    let introduction = reader.page.written(reader.page.introduction(step));
    let told = introduction.iter().map(|written| written.text.to_lowercase());
    let mut told = told.chain([step.title.to_lowercase()]);
    let is_parallel = told.any(|text| MARKS.iter().any(|mark| text.contains(mark)));
    if !is_parallel {
        return stages;
    }
    let mut joined: Vec<Stage> = Vec::new();
    for stage in stages {
        match (joined.last_mut().map(|last| &mut last.kind), &stage.kind) {
            (Some(StageKind::Work(players)), StageKind::Work(more)) => players.extend(more.clone()),
            _ => joined.push(stage),
        }
    }
    joined
}

/// Who does a step without headings of its own: whose role file it names, who is in its title, or whom its text names first.
fn players_of(reader: &mut Reader<'_>, step: &Section, title: &str) -> Vec<Named> {
    let activated = activated(reader, step.below.clone());
    if !activated.is_empty() {
        return activated;
    }
    let in_title = names::in_words(title, reader.resolve);
    if !in_title.is_empty() || is_end(title) || is_informational(title) {
        return in_title;
    }
    for written in reader.page.items(step.below.clone()).into_iter().take(ITEMS_MAX) {
        let mut named = names::in_words(written.text, reader.resolve);
        if named.is_empty() {
            continue;
        }
        if named.len() > 1 {
            let (first, others) = (named[0].called.clone(), named.len() - 1);
            let more = if others == 1 { "the other" } else { "the others" };
            reader.not_understood(
                written.line,
                format!("several roles are named; {first} is sent, {more} not"),
            );
        }
        named.truncate(1);
        return named;
    }
    Vec::new()
}

/// The roles whose files these lines tell to read, each once.
fn activated(reader: &mut Reader<'_>, range: Range<usize>) -> Vec<Named> {
    let mut found: Vec<Named> = Vec::new();
    for written in reader.page.written(range) {
        for path in super::items::code_in(written.text) {
            let name = path.strip_prefix("agents/").and_then(|rest| rest.strip_suffix("/SKILL.md"));
            let Some(name) = name.filter(|name| !name.contains('/')) else { continue };
            match names::in_words(name, reader.resolve).into_iter().next() {
                Some(named) if !found.contains(&named) => found.push(named),
                Some(_) => {}
                None => reader.not_understood(written.line, format!("{path} is of no known role")),
            }
        }
    }
    found
}

/// A gate in the middle of what one role does cannot stop it there.
fn inner_gates(reader: &mut Reader<'_>, step: &Section) {
    for written in reader.page.written(step.below.clone()) {
        let label = written.text.trim_start_matches('*').split(':').next().unwrap_or_default();
        let is_label = label.len() < written.text.trim_start_matches('*').len();
        if is_label && label.to_lowercase().contains("approval gate") {
            let words = "this gate is inside the work of one role; nobody is asked there";
            reader.not_understood(written.line, words.to_owned());
        }
    }
}

fn is_informational(title: &str) -> bool {
    title.to_lowercase().contains("informational")
}

/// `Step 1.5: Title`, `2. Title` and `1a. Title` without what comes before the title.
fn without_number(title: &str) -> &str {
    let title = title.trim();
    let small = title.to_lowercase();
    let rest = match small.starts_with("step") || small.starts_with("phase") {
        true => title.split_once(char::is_whitespace).map_or("", |(_, rest)| rest),
        false => title,
    };
    let number: &str = rest.split_whitespace().next().unwrap_or_default();
    let is_number = number.starts_with(|c: char| c.is_ascii_digit()) && number.len() <= 5;
    match is_number {
        true => rest[number.len()..].trim_start_matches([':', '-', '–', '—', ' ']),
        false => title,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_before_a_title_are_ignored() {
        for (title, plain) in [
            ("Step 1.5: CLARIFICATION GATE (A)", "CLARIFICATION GATE (A)"),
            ("Step 0 - Plan", "Plan"),
            ("1a. Backend Developer", "Backend Developer"),
            ("2) Review", "Review"),
            ("Step by step", "Step by step"),
            ("Phase A", "Phase A"),
        ] {
            assert_eq!(without_number(title), plain);
        }
    }
}
