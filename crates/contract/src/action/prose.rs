//! Reads an action file without front matter: the flow from its headings, and everything that was not understood by its line.

mod given;
mod items;
mod names;
mod page;
mod parts;
mod route;
mod stage;

mod flow;
mod steps;

use super::Resolve;
use crate::diagnostic::{Report, action as say};
use crate::{pack, skill};
use page::{Page, Section};
use stage::{GateKind, Stage, StageKind};
use std::collections::BTreeMap;
use tollgate_core::action::Action;

const FLOW: [&str; 4] = ["agent flow", "agents flow", "action flow", "flow"];
const STEPS: [&str; 4] = ["execution steps", "steps", "execution", "action steps"];
const INTENT: [&str; 4] = ["user intent", "intent", "purpose", "goal"];
/// The description of an action is one line of a list.
const DESCRIPTION_CHARS_MAX: usize = 200;

/// Whether the file tells of a flow; one that does not is no action.
pub fn has_flow(text: &str) -> bool {
    let page = Page::of(text);
    page.section(&FLOW).is_some() || page.section(&STEPS).is_some()
}

/// The action where a flow with a known role is told. Warnings name what was not understood, and what the built-in action of
/// the name supplied.
pub fn read_prose(
    text: &str,
    path: &str,
    name: &str,
    resolve: &Resolve<'_>,
) -> (Option<Action>, Report) {
    let mut reader = Reader {
        page: Page::of(text),
        path,
        name,
        resolve,
        built_in: built_in(name),
        report: Report::default(),
    };
    let action = reader.action().map(super::evidence::ensured);
    let mut report = reader.report;
    report.diagnostics.sort_by_key(|diagnostic| diagnostic.line);
    (action.filter(|_| report.is_ok()), report)
}

/// As `read_prose`, for a file whose repository is not at hand: a role may go by any name whose role file is named in it.
pub(super) fn read_alone(text: &str, path: &str) -> (Option<Action>, Report) {
    let name = path.rsplit('/').next().unwrap_or_default();
    let name = name.strip_suffix(".md").unwrap_or(name);
    let by_mention = |name: &str| {
        let is_named = text.contains(&format!("agents/{name}/SKILL.md"));
        is_named.then_some(tollgate_core::role::Role::Coder)
    };
    let known = |name: &str| skill::role_known_as(name).or_else(|| by_mention(name));
    read_prose(text, path, name, &known)
}

fn built_in(name: &str) -> Option<Action> {
    let built = pack::find(pack::ACTIONS, name)?;
    super::read(built.text, built.name).0
}

struct Reader<'a> {
    page: Page<'a>,
    path: &'a str,
    name: &'a str,
    resolve: &'a Resolve<'a>,
    /// The built-in action of the same name.
    built_in: Option<Action>,
    report: Report,
}

impl Reader<'_> {
    fn action(&mut self) -> Option<Action> {
        if !skill::is_kebab(self.name) {
            self.report.push(say::name_invalid(self.path, None, self.name));
            return None;
        }
        let (flow, steps) = (self.page.section(&FLOW), self.page.section(&STEPS));
        if flow.is_none() && steps.is_none() {
            self.report.push(say::prose_without_flow(self.path));
            return None;
        }
        let drawn = flow.as_ref().map(|flow| flow::read(self, flow)).unwrap_or_default();
        let told = steps.as_ref().map(|steps| steps::read(self, steps)).unwrap_or_default();
        let stages = self.agreed(drawn, told);
        if !stages.iter().any(|stage| matches!(stage.kind, StageKind::Work(_))) {
            let line = flow.or(steps).map(|section| section.line);
            self.report.push(say::prose_without_role(self.path, line));
            return None;
        }
        let mut worked = parts::of(self, &stages);
        let given = given::of(self, &worked);
        parts::read_what_is_there(&mut worked, &given);
        let steps = route::of(self, &stages, &worked);
        let description = self.description();
        let mut outputs: Vec<String> = Vec::new();
        for output in worked.values().flatten().flat_map(|part| &part.assignment.outputs) {
            if !outputs.contains(output) {
                outputs.push(output.clone());
            }
        }
        Some(Action {
            name: self.name.to_owned(),
            description,
            intent: self.intent(),
            inputs: given,
            outputs,
            steps,
        })
    }

    /// The steps say more than the drawing. They count, unless they lack a role or an approval that is drawn.
    fn agreed(&mut self, drawn: Vec<Stage>, told: Vec<Stage>) -> Vec<Stage> {
        if told.is_empty() || drawn.is_empty() {
            return if told.is_empty() { drawn } else { told };
        }
        let missing = |from: &[Stage], of: &[Stage]| {
            let known = called(from);
            let mut missing = called(of);
            missing.retain(|name, _| !known.contains_key(name));
            missing
        };
        let (not_told, not_drawn) = (missing(&told, &drawn), missing(&drawn, &told));
        if not_told.is_empty() && approvals(&told) >= approvals(&drawn) {
            return told;
        }
        for (name, line) in not_told {
            self.not_understood(line, format!("the flow has {name}, and no step sends it"));
        }
        for (name, line) in not_drawn {
            self.not_understood(
                line,
                format!("a step sends {name}, and the flow has no such role"),
            );
        }
        let words = "the steps lack what the flow has, so the flow is followed";
        let line = told.first().map_or(1, |stage| stage.line);
        self.not_understood(line, words.to_owned());
        with_details(drawn, &told)
    }

    fn description(&self) -> String {
        let section = self.page.section(&INTENT);
        let told = section.map(|section| self.page.paragraph(self.page.introduction(&section)));
        let told = told.unwrap_or_default();
        let first = told.split_inclusive(". ").next().unwrap_or_default();
        let plain: String = first.chars().filter(|c| !"*`".contains(*c)).collect();
        let plain = plain.trim().trim_end_matches('.');
        match (plain.is_empty(), &self.built_in) {
            (true, Some(built_in)) => built_in.description.clone(),
            (true, None) => format!("The action {} of {}", self.name, self.path),
            (false, _) if plain.chars().count() > DESCRIPTION_CHARS_MAX => {
                let cut: String = plain.chars().take(DESCRIPTION_CHARS_MAX - 1).collect();
                format!("{}…", cut.trim_end())
            }
            (false, _) => plain.to_owned(),
        }
    }

    /// One plain word is what a goal begins with.
    fn intent(&self) -> Vec<String> {
        match &self.built_in {
            Some(built_in) => built_in.intent.clone(),
            None if self.name.contains('-') => Vec::new(),
            None => vec![self.name.to_owned()],
        }
    }

    fn not_understood(&mut self, line: u32, words: String) {
        self.report.push(say::prose_not_understood(self.path, line, &words));
    }

    fn taken_as(&mut self, line: u32, words: &str) {
        self.report.push(say::prose_taken_as(self.path, line, words));
    }

    fn supplied(&mut self, line: Option<u32>, words: &str) {
        self.report.push(say::prose_supplied(self.path, line, words));
    }

    fn section(&self, titles: &[&str]) -> Option<Section> {
        self.page.section(titles)
    }
}

/// What the roles of these stages are called, each with the line where it is first.
fn called(stages: &[Stage]) -> BTreeMap<String, u32> {
    let mut found = BTreeMap::new();
    for stage in stages {
        if let StageKind::Work(players) = &stage.kind {
            for player in players {
                found.entry(player.named.called.clone()).or_insert(player.line);
            }
        }
    }
    found
}

fn approvals(stages: &[Stage]) -> usize {
    let is_one = |stage: &&Stage| {
        matches!(stage.kind, StageKind::Gate { kind: GateKind::Approval | GateKind::Other, .. })
    };
    stages.iter().filter(is_one).count()
}

/// The drawing, with what the steps say about each role.
fn with_details(mut drawn: Vec<Stage>, told: &[Stage]) -> Vec<Stage> {
    let players = told.iter().filter_map(|stage| match &stage.kind {
        StageKind::Work(players) => Some(players),
        StageKind::Gate { .. } => None,
    });
    let known: Vec<_> = players.flatten().collect();
    for stage in &mut drawn {
        let StageKind::Work(players) = &mut stage.kind else { continue };
        for player in players {
            let same = known.iter().find(|known| known.named == player.named);
            player.about = same.and_then(|same| same.about.clone());
        }
    }
    drawn
}

#[cfg(test)]
mod tests;
