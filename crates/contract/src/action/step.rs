//! Reads one step: exactly one verb, and only the keys that belong to it.

use super::Resolve;
use crate::diagnostic::{Report, action as say, quote};
use crate::node::{Node, Value};
use tollgate_core::action::{Assignment, CheckSubject, ChooseGate, Step, StepKind, When};
use tollgate_core::role::{Role, State};
use tollgate_judge::globs::PathRules;

const VERBS: [&str; 8] =
    ["dispatch", "parallel", "approve", "choose", "tasks", "severity", "checks", "close"];
/// A key and the verb it belongs to.
const KEYS: [(&str, &str); 7] = [
    ("inputs", "dispatch"),
    ("outputs", "dispatch"),
    ("writes", "dispatch"),
    ("optional", "dispatch"),
    ("when", "dispatch"),
    ("shows", "approve"),
    ("corrects", "approve"),
];

/// None when something is wrong with it; faults of form have been reported by then.
pub(super) fn read(
    node: &Node,
    file: &str,
    resolve: &Resolve<'_>,
    report: &mut Report,
) -> Option<Step> {
    let reader = StepReader { node, file, resolve };
    let verb = reader.verb(report)?;
    reader.foreign_keys(verb, report);
    let state = node.get("state").and_then(Node::as_text).and_then(State::parse);
    let kind = match verb {
        "dispatch" => reader.assignment(report).map(StepKind::Dispatch),
        "parallel" => reader.parallel(report),
        "approve" => reader.approve(report),
        "choose" => reader
            .is_word(verb, "REVIEW_STRATEGY", report)
            .then_some(StepKind::Choose { gate: ChooseGate::ReviewStrategy }),
        "tasks" => reader.is_word(verb, "plan", report).then_some(StepKind::Tasks),
        "severity" => reader.gate(verb, report).map(|gate| StepKind::Severity { gate }),
        "checks" => reader.checks(report),
        _ => reader.is_word(verb, "done", report).then_some(StepKind::Close),
    };
    let when = reader.when(report);
    Some(Step { state: state?, kind: kind?, when })
}

struct StepReader<'a> {
    node: &'a Node,
    file: &'a str,
    resolve: &'a Resolve<'a>,
}

impl StepReader<'_> {
    fn verb(&self, report: &mut Report) -> Option<&'static str> {
        let found: Vec<&'static str> =
            VERBS.into_iter().filter(|verb| self.node.get(verb).is_some()).collect();
        match found.as_slice() {
            [verb] => Some(verb),
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

    /// A role and what the step says about it.
    fn assignment(&self, report: &mut Report) -> Option<Assignment> {
        let named = self.node.get("dispatch")?;
        let role = self.role(named, report);
        let inputs = self.paths("inputs", report);
        let outputs = self.paths("outputs", report);
        let writes = self.patterns("writes", report);
        let optional =
            matches!(self.node.get("optional"), Some(Node { value: Value::Bool(true), .. }));
        let role = role?;
        let called = named.as_text().filter(|name| !is_plain_name(role, name));
        let called = called.map(str::to_owned);
        Some(Assignment { role, called, inputs, outputs, writes, optional })
    }

    fn parallel(&self, report: &mut Report) -> Option<StepKind> {
        let node = self.node.get("parallel")?;
        let members = node.items();
        if members.len() < 2 {
            report.push(say::few_members(self.file, node.line, members.len()));
        }
        let read = |member: &Node, report: &mut Report| {
            StepReader { node: member, file: self.file, resolve: self.resolve }.assignment(report)
        };
        let members: Vec<Option<Assignment>> =
            members.iter().map(|member| read(member, report)).collect();
        let members = members.into_iter().collect::<Option<Vec<Assignment>>>()?;
        let mut seen = std::collections::BTreeSet::new();
        // A folder can hold files of both.
        let files = members.iter().flat_map(|member| &member.outputs);
        for output in files.filter(|output| !output.ends_with('/')) {
            if !seen.insert(output) {
                report.push(say::output_twice(self.file, node.line, output));
            }
        }
        Some(StepKind::Parallel { members })
    }

    fn approve(&self, report: &mut Report) -> Option<StepKind> {
        let gate = self.gate("approve", report);
        let shows = self.paths("shows", report);
        let corrects = self.node.get("corrects").map(Node::items).unwrap_or_default();
        let corrects: Vec<Option<Role>> =
            corrects.iter().map(|role| self.role(role, report)).collect();
        let corrects = corrects.into_iter().collect::<Option<Vec<Role>>>()?;
        Some(StepKind::Approve { gate: gate?, shows, corrects })
    }

    /// The name of a gate: one word.
    fn gate(&self, verb: &str, report: &mut Report) -> Option<String> {
        let node = self.node.get(verb)?;
        let text = node.as_text()?;
        let is_gate_name = text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
        if !is_gate_name {
            report.push(say::gate_name(self.file, node.line, verb, text));
            return None;
        }
        Some(text.to_owned())
    }

    /// One subject, or a list of them.
    fn checks(&self, report: &mut Report) -> Option<StepKind> {
        let node = self.node.get("checks")?;
        let entries: Vec<&Node> = match &node.value {
            Value::List(items) => items.iter().collect(),
            _ => vec![node],
        };
        let of: Vec<Option<CheckSubject>> =
            entries.iter().map(|entry| self.subject(entry, report)).collect();
        if of.is_empty() {
            report.push(say::check_unknown(self.file, node.line, "[]"));
            return None;
        }
        let of = of.into_iter().collect::<Option<Vec<CheckSubject>>>()?;
        Some(StepKind::Checks { of })
    }

    fn subject(&self, node: &Node, report: &mut Report) -> Option<CheckSubject> {
        // `cmd: x` without quotes is a mapping to YAML and means the same.
        let command = match node.as_text() {
            Some(text) => text.strip_prefix("cmd:").map(str::trim),
            None => node.get("cmd").and_then(Node::as_text),
        };
        if let Some(command) = command.filter(|command| !command.is_empty()) {
            return Some(CheckSubject::Command(command.to_owned()));
        }
        match node.as_text() {
            Some("acceptance") => Some(CheckSubject::Acceptance),
            Some("lifecycle") => Some(CheckSubject::Lifecycle),
            Some("coverage") => Some(CheckSubject::Coverage),
            Some("planning") => Some(CheckSubject::Planning),
            Some("evidence") => Some(CheckSubject::Evidence),
            other => {
                let found = other.map_or_else(|| node.to_json().to_string(), quote);
                report.push(say::check_unknown(self.file, node.line, &found));
                None
            }
        }
    }

    fn role(&self, node: &Node, report: &mut Report) -> Option<Role> {
        let text = node.as_text()?;
        let role = Role::parse(text).or_else(|| (self.resolve)(text));
        if role.is_none() {
            report.push(say::role_unknown(self.file, node.line, text));
        }
        role
    }

    fn patterns(&self, key: &str, report: &mut Report) -> Option<Vec<String>> {
        let node = self.node.get(key)?;
        let mut patterns = Vec::new();
        for pattern in node.items() {
            let Some(text) = pattern.as_text() else { continue };
            for bad in PathRules::new(&[text]).err().unwrap_or_default() {
                report.push(say::pattern_invalid(self.file, pattern.line, text, &bad.cause));
            }
            patterns.push(text.to_owned());
        }
        Some(patterns)
    }

    fn paths(&self, key: &str, report: &mut Report) -> Vec<String> {
        let nodes = self.node.get(key).map(Node::items).unwrap_or_default();
        let mut paths = Vec::new();
        for node in nodes {
            let Some(text) = node.as_text() else { continue };
            if key == "outputs" && tollgate_judge::globs::is_protected(text, None) {
                report.push(say::output_protected(self.file, node.line, text));
            } else if tollgate_judge::globs::is_inside(text) {
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

/// The canonical name, or the folder of the built-in text: nothing worth remembering.
pub(super) fn is_plain_name(role: Role, name: &str) -> bool {
    name == role.as_str() || name == crate::skill::folder_of(role)
}
