//! The five evidence files of a session, made from its events: what was done, by whom, with what, and who allowed it.
//!
//! They only ever grow, so a long session costs no more per step than a short one.

mod decisions;
mod ledger;
mod opening;
mod trace;
pub mod words;

use ledger::Ledger;
use std::collections::BTreeMap;
use tollgate_core::event::Event;
use tollgate_core::id::CheckNumber;
use tollgate_core::time::Timestamp;
use tollgate_core::view::Parts;
use tollgate_core::work::CheckResult;
use tollgate_files::FileError;
use tollgate_files::layout::SessionLayout;
use words::{code, line};

#[derive(Debug)]
pub struct Evidence {
    action_context: Ledger,
    artifact_trace: Ledger,
    gate_decisions: Ledger,
    commands: Ledger,
    lifecycle_gates: Ledger,
    /// What check runs that have not ended are for.
    checks: BTreeMap<CheckNumber, String>,
}

impl Evidence {
    pub fn new(layout: &SessionLayout) -> Self {
        Self {
            action_context: Ledger::new(
                layout.action_context(),
                "",
                "The session has not started.\n",
            ),
            artifact_trace: Ledger::new(
                layout.artifact_trace(),
                "# Artefacts\n\nWhat each attempt had to read, and what it wrote.\n",
                "\nNo agent has been started yet.\n",
            ),
            gate_decisions: Ledger::new(
                layout.gate_decisions(),
                "# Decisions and gates\n\nEvery question, every answer, and every gate that passed without one, in order.\n",
                "\nNo question has been asked and no gate has been passed yet.\n",
            ),
            commands: Ledger::new(
                layout.commands_log(),
                "# time\tcheck\tfor\tresult\texit code\tduration\tcommand\n",
                "# Tollgate has not run any check command yet.\n",
            ),
            lifecycle_gates: Ledger::new(
                layout.lifecycle_gates_log(),
                "# time\tstage\tgate\texit code\n",
                "# No lifecycle gate has run in this session.\n",
            ),
            checks: BTreeMap::new(),
        }
    }

    /// Takes in the events of one commit; `parts` shows the state after it.
    pub fn take<'e>(&mut self, parts: Parts<'_>, events: impl Iterator<Item = &'e Event>) {
        let at = parts.updated_at();
        for event in events {
            self.action_context.add(&opening::entry(parts, at, event));
            self.artifact_trace.add(&trace::entry(parts, at, event));
            self.gate_decisions.add(&decisions::entry(at, event));
            self.take_checks(at, event);
        }
    }

    pub fn write(&mut self) -> Result<(), FileError> {
        for ledger in [
            &mut self.action_context,
            &mut self.artifact_trace,
            &mut self.gate_decisions,
            &mut self.commands,
            &mut self.lifecycle_gates,
        ] {
            ledger.write()?;
        }
        Ok(())
    }

    fn take_checks(&mut self, at: Timestamp, event: &Event) {
        match event {
            Event::ChecksStarted { number, purpose, .. } => {
                self.checks.insert(*number, line(&purpose.to_string()));
            }
            Event::ChecksEnded { number, results, stage, .. } => {
                let purpose = self.checks.remove(number).unwrap_or_default();
                for result in results {
                    self.commands.add(&command(at, *number, &purpose, result));
                    if let Some(stage) = stage {
                        self.lifecycle_gates.add(&gate(at, stage, result));
                    }
                }
            }
            _ => {}
        }
    }
}

/// Fields between tabs; the command comes last, on one line.
fn command(at: Timestamp, number: CheckNumber, purpose: &str, result: &CheckResult) -> String {
    let passed = if result.passed { "passed" } else { "failed" };
    let (exit, command) = (exit(result), line(&result.command));
    format!("{at}\t{number}\t{purpose}\t{passed}\t{exit}\t{} ms\t{command}\n", result.duration_ms)
}

fn exit(result: &CheckResult) -> String {
    match (result.exit_code, &result.trouble) {
        (Some(code), _) => code.to_string(),
        (None, Some(trouble)) => line(trouble),
        (None, None) => "-".to_owned(),
    }
}

fn gate(at: Timestamp, stage: &str, result: &CheckResult) -> String {
    format!("{at}\t{}\t{}\t{}\n", line(stage), line(&result.command), exit(result))
}

/// A heading of ours; what others wrote stands below it.
fn heading(at: Timestamp, text: &str) -> String {
    format!("\n## {at} {text}\n\n")
}

fn item(name: &str, value: &str) -> String {
    format!("- {name}: {}\n", code(value))
}

#[cfg(test)]
mod tests;
