//! What a lifecycle must say beyond its form: stages and gates that exist, and programs that can be run.

use super::THIS_PROGRAM;
use crate::diagnostic::{Report, lifecycle as say};
use crate::gates::Builtin;
use crate::node::{MapEntry, Node, Value};
use std::collections::BTreeSet;

/// Looks at the node, so that it speaks also of a lifecycle whose form is wrong elsewhere.
pub(super) fn check(root: &Node, file: &str, report: &mut Report) {
    let rules = LifecycleRules { root, file };
    rules.version(report);
    rules.names(report);
    rules.current_stage(report);
    for stage in rules.entries("stages") {
        rules.required_gates(stage, report);
        rules.strict_gates(stage, report);
    }
    for gate in rules.entries("gates") {
        rules.command(gate, report);
    }
}

/// Stages in which the application exists.
const RUNNING: [&str; 2] = ["implementation", "release-readiness"];

/// What gates of such a stage must be about: by the command of ours, or by the name of another one.
struct About {
    word: &'static str,
    gates: &'static [Builtin],
    names: &'static [&'static str],
}

const ABOUT: [About; 2] = [
    About {
        word: "infrastructure",
        gates: &[Builtin::Infrastructure],
        names: &["infra", "deploy"],
    },
    About {
        word: "security",
        gates: &[Builtin::SecurityPlanning, Builtin::SecurityEvidence],
        names: &["security"],
    },
];

struct LifecycleRules<'a> {
    root: &'a Node,
    file: &'a str,
}

impl<'a> LifecycleRules<'a> {
    fn entries(&self, key: &str) -> &'a [MapEntry] {
        self.root.get(key).map(Node::entries).unwrap_or_default()
    }

    fn names_of(&self, key: &str) -> Vec<&'a str> {
        self.entries(key).iter().map(|entry| entry.key.as_str()).collect()
    }

    fn version(&self, report: &mut Report) {
        let Some(node) = self.root.get("version") else { return };
        let found = match &node.value {
            Value::Number(number) => number.to_string(),
            Value::Text(text) => text.clone(),
            _ => return,
        };
        if !matches!(found.as_str(), "1" | "1.0") {
            report.push(say::version_unknown((self.file, node.line), &found));
        }
    }

    fn names(&self, report: &mut Report) {
        for key in ["stages", "gates"] {
            let is_bad = |name: &str| name.trim().is_empty() || name.contains(char::is_control);
            for entry in self.entries(key).iter().filter(|entry| is_bad(&entry.key)) {
                report.push(say::name_invalid((self.file, entry.line), key, &entry.key));
            }
        }
    }

    fn current_stage(&self, report: &mut Report) {
        let Some(node) = self.root.get("current_stage") else { return };
        let Some(text) = node.as_text().filter(|text| !text.trim().is_empty()) else { return };
        let known = self.names_of("stages");
        if self.root.get("stages").is_some() && !known.contains(&text) {
            report.push(say::stage_unknown((self.file, node.line), text, &known));
        }
    }

    fn required_gates(&self, stage: &MapEntry, report: &mut Report) {
        let known = self.names_of("gates");
        let mut seen = BTreeSet::new();
        for node in stage.node.get("required_gates").map(Node::items).unwrap_or_default() {
            let Some(name) = node.as_text() else { continue };
            let at = (self.file, node.line);
            if !known.contains(&name) {
                report.push(say::gate_undefined(at, &stage.key, name, &known));
            } else if !seen.insert(name) {
                report.push(say::gate_twice(at, &stage.key, name));
            }
        }
    }

    /// Where the application runs, what it needs for that and to be safe must be shown.
    fn strict_gates(&self, stage: &MapEntry, report: &mut Report) {
        if !RUNNING.contains(&stage.key.as_str()) {
            return;
        }
        let gates = stage.node.get("required_gates").map(Node::items).unwrap_or_default();
        let names: Vec<&str> = gates.iter().filter_map(Node::as_text).collect();
        let is_about = |what: &About| names.iter().any(|name| self.is_about(name, what));
        let missing: Vec<&str> =
            ABOUT.iter().filter(|what| !is_about(what)).map(|what| what.word).collect();
        if !missing.is_empty() {
            report.push(say::no_strict_gate((self.file, stage.line), &stage.key, &missing));
        }
    }

    fn is_about(&self, gate: &str, what: &About) -> bool {
        let entry = self.entries("gates").iter().find(|entry| entry.key == gate);
        let words = entry.and_then(|entry| entry.node.get("command")).map(Node::items);
        let words: Vec<&str> = words.unwrap_or_default().iter().filter_map(Node::as_text).collect();
        match words.as_slice() {
            [THIS_PROGRAM, "gates", "--builtin", name, rest @ ..] => {
                Builtin::parse(name).is_some_and(|builtin| what.gates.contains(&builtin))
                    && rest.contains(&"--strict")
            }
            _ => {
                let name = gate.to_lowercase();
                what.names.iter().any(|part| name.contains(part))
            }
        }
    }

    fn command(&self, gate: &MapEntry, report: &mut Report) {
        let words = gate.node.get("command").map(Node::items).unwrap_or_default();
        let text = |index: usize| words.get(index).and_then(Node::as_text);
        if text(0).is_some_and(|program| program.trim().is_empty()) {
            let line = words.first().and_then(|word| word.line);
            report.push(say::program_blank((self.file, line), &gate.key));
        }
        if let Some(word) = words.iter().find(|w| w.as_text().is_some_and(|t| t.contains('\0'))) {
            report.push(say::zero_byte((self.file, word.line), &gate.key));
        }
        let is_ours = text(0) == Some(THIS_PROGRAM) && text(1) == Some("gates");
        let asked = words.iter().position(|word| word.as_text() == Some("--builtin"));
        if let Some(at) = asked.filter(|_| is_ours)
            && let Some(name) = text(at + 1)
            && Builtin::parse(name).is_none()
        {
            let line = words.get(at + 1).and_then(|word| word.line);
            let known: Vec<&str> = Builtin::ALL.iter().map(|gate| gate.as_str()).collect();
            report.push(say::builtin_unknown((self.file, line), name, &known));
        }
    }
}
