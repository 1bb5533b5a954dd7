//! Reads one step: exactly one verb, and only the keys that belong to it.

use crate::diagnostic::{Report, action as say, quote};
use crate::node::{Node, Value};
use tollgate_core::action::{ApproveGate, ChooseGate, Step, StepKind, When};
use tollgate_core::role::{Role, State};

const VERBS: [&str; 6] = ["dispatch", "approve", "choose", "tasks", "checks", "close"];
const UNSUPPORTED: [&str; 4] = ["parallel", "severity", "inputs", "writes"];
/// A key and the verb it belongs to.
const KEYS: [(&str, &str); 5] = [
    ("outputs", "dispatch"),
    ("optional", "dispatch"),
    ("when", "dispatch"),
    ("shows", "approve"),
    ("corrects", "approve"),
];

/// None when something is wrong with it; faults of form have been reported by then.
pub(super) fn read(node: &Node, file: &str, report: &mut Report) -> Option<Step> {
    let reader = StepReader { node, file };
    let verb = reader.verb(report)?;
    reader.foreign_keys(verb, report);
    let state = node.get("state").and_then(Node::as_text).and_then(State::parse);
    let kind = match verb {
        "dispatch" => reader.dispatch(report),
        "approve" => reader.approve(report),
        "choose" => reader
            .is_word(verb, "REVIEW_STRATEGY", report)
            .then_some(StepKind::Choose { gate: ChooseGate::ReviewStrategy }),
        "tasks" => reader.is_word(verb, "plan", report).then_some(StepKind::Tasks),
        "checks" => reader.is_word(verb, "acceptance", report).then_some(StepKind::Checks),
        _ => reader.is_word(verb, "done", report).then_some(StepKind::Close),
    };
    let when = reader.when(report);
    let optional = matches!(node.get("optional"), Some(Node { value: Value::Bool(true), .. }));
    Some(Step { state: state?, kind: kind?, optional, when })
}

struct StepReader<'a> {
    node: &'a Node,
    file: &'a str,
}

impl<'a> StepReader<'a> {
    fn verb(&self, report: &mut Report) -> Option<&'static str> {
        let mut is_supported = true;
        for key in UNSUPPORTED.iter().filter(|key| self.node.get(key).is_some()) {
            report.push(say::step_unsupported(self.file, self.line(key), key));
            is_supported = false;
        }
        let found: Vec<&'static str> =
            VERBS.into_iter().filter(|verb| self.node.get(verb).is_some()).collect();
        match found.as_slice() {
            [verb] => Some(verb),
            [] if !is_supported => None,
            found => {
                report.push(say::step_verb(self.file, self.node.line, found));
                None
            }
        }
    }

    fn foreign_keys(&self, verb: &str, report: &mut Report) {
        for (key, owner) in KEYS {
            if owner != verb && self.node.get(key).is_some() {
                report.push(say::step_key(self.file, self.line(key), key, verb));
            }
        }
    }

    fn dispatch(&self, report: &mut Report) -> Option<StepKind> {
        let role = self.role(self.node.get("dispatch")?, report);
        let outputs = self.paths("outputs", report);
        Some(StepKind::Dispatch { role: role?, outputs })
    }

    fn approve(&self, report: &mut Report) -> Option<StepKind> {
        let is_known = self.is_word("approve", "APPROVE_DESIGN", report);
        let shows = self.paths("shows", report);
        let corrects = self.node.get("corrects").map(Node::items).unwrap_or_default();
        let corrects: Vec<Option<Role>> =
            corrects.iter().map(|role| self.role(role, report)).collect();
        let corrects = corrects.into_iter().collect::<Option<Vec<Role>>>()?;
        is_known.then_some(StepKind::Approve { gate: ApproveGate::ApproveDesign, shows, corrects })
    }

    fn role(&self, node: &Node, report: &mut Report) -> Option<Role> {
        let text = node.as_text()?;
        let role = Role::parse(text).filter(|role| *role != Role::Orchestrator);
        if role.is_none() {
            report.push(say::role_unknown(self.file, node.line, text));
        }
        role
    }

    fn paths(&self, key: &str, report: &mut Report) -> Vec<String> {
        let nodes = self.node.get(key).map(Node::items).unwrap_or_default();
        let mut paths = Vec::new();
        for node in nodes {
            let Some(text) = node.as_text() else { continue };
            if crate::globs::is_inside(text) {
                paths.push(text.to_owned());
            } else {
                report.push(say::path_invalid(self.file, node.line, text));
            }
        }
        paths
    }

    fn when(&self, report: &mut Report) -> Option<When> {
        self.node.get("when")?;
        self.is_word("when", "requested", report).then_some(When::Requested)
    }

    /// The value of a key is this one word, alone or in a list.
    fn is_word(&self, key: &str, word: &str, report: &mut Report) -> bool {
        let Some(node) = self.node.get(key) else { return false };
        let texts: Vec<&Node> = match &node.value {
            Value::List(items) => items.iter().collect(),
            _ => vec![node],
        };
        let fits = matches!(texts.as_slice(), [only] if only.as_text() == Some(word));
        if !fits {
            let found = match node.as_text() {
                Some(text) => quote(text),
                None => node.to_json().to_string(),
            };
            report.push(say::step_value(self.file, node.line, key, &found, word));
        }
        fits
    }

    fn line(&self, key: &str) -> Option<u32> {
        self.node.entries().iter().find(|entry| entry.key == key).and_then(|entry| entry.line)
    }
}
