//! Reads lifecycle-stage.yaml: the stages of a project, the gates that each requires, and how each gate is run.

mod rules;
mod wire;

pub use wire::LifecycleFile;

use crate::diagnostic::{Diagnostic, Report, shape as words};
use crate::json_file::typed_loosely;
use crate::node::{Node, read_yaml};

/// The first word of a command that means this very program.
pub const THIS_PROGRAM: &str = "tollgate";

/// A lifecycle that holds together: every stage and gate that is named exists. Both in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lifecycle {
    pub current_stage: String,
    pub stages: Vec<LifecycleStage>,
    pub gates: Vec<LifecycleGate>,
    /// What of the file is ignored.
    pub notices: Vec<Diagnostic>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LifecycleStage {
    pub name: String,
    pub description: String,
    pub required_gates: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LifecycleGate {
    pub name: String,
    pub description: String,
    /// The program and its arguments; no shell reads them.
    pub command: Vec<String>,
}

impl Lifecycle {
    pub fn stage(&self, name: &str) -> Option<&LifecycleStage> {
        self.stages.iter().find(|stage| stage.name == name)
    }

    pub fn gate(&self, name: &str) -> Option<&LifecycleGate> {
        self.gates.iter().find(|gate| gate.name == name)
    }

    /// The gates that a stage requires, in the order it names them.
    pub fn required(&self, stage: &LifecycleStage) -> Vec<&LifecycleGate> {
        stage.required_gates.iter().filter_map(|name| self.gate(name)).collect()
    }

    pub fn stage_names(&self) -> Vec<&str> {
        self.stages.iter().map(|stage| stage.name.as_str()).collect()
    }
}

/// The lifecycle when there is no error.
pub fn read(text: &str, path: &str) -> (Option<Lifecycle>, Report) {
    let node = match read_yaml(text) {
        Ok(node) => node,
        Err(fault) => {
            return (None, words::yaml_syntax(path, &fault.message, fault.line).into());
        }
    };
    let mut report = Report::default();
    let file =
        typed_loosely::<LifecycleFile>(&node, path, &mut report, |f| words::loose_fault(path, f));
    rules::check(&node, path, &mut report);
    report.diagnostics.sort_by_key(|diagnostic| diagnostic.line);
    let lifecycle = file
        .filter(|_| report.is_ok())
        .map(|file| Lifecycle { notices: report.diagnostics.clone(), ..lifecycle(&node, file) });
    (lifecycle, report)
}

/// The names come from the node, which alone knows their order.
fn lifecycle(node: &Node, mut file: LifecycleFile) -> Lifecycle {
    let names = |key: &str| {
        let entries = node.get(key).map(Node::entries).unwrap_or_default();
        entries.iter().map(|entry| entry.key.clone()).collect::<Vec<String>>()
    };
    let stage = |name: String| {
        let entry = file.stages.remove(&name)?;
        let description = entry.description.unwrap_or_default();
        Some(LifecycleStage { name, description, required_gates: entry.required_gates })
    };
    let stages = names("stages").into_iter().filter_map(stage).collect();
    let gate = |name: String| {
        let entry = file.gates.remove(&name)?;
        let description = entry.description.unwrap_or_default();
        Some(LifecycleGate { name, description, command: entry.command })
    };
    let gates = names("gates").into_iter().filter_map(gate).collect();
    Lifecycle { current_stage: file.current_stage, stages, gates, notices: Vec::new() }
}

#[cfg(test)]
mod tests;
