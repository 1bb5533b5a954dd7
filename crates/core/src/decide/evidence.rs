//! Evidence: what makes or tests code ends with commands that the engine ran, or with a person's reason to do without.

use super::draft::Draft;
use super::moves::ask::{self, Question, bullets, option};
use crate::answer::{CheckAnswer, CheckWay, DecisionKind};
use crate::decision::Subject;
use crate::event::Event;
use crate::proof::shown_command;
use crate::work::CheckResult;

/// What must be run. Where there is nothing: whether a person does without it, who is asked otherwise.
pub(super) fn commands(draft: &mut Draft<'_>) -> Result<Vec<String>, bool> {
    let commands = draft.evidence_commands();
    if !commands.is_empty() {
        return Ok(commands);
    }
    let is_waived = draft.evidence_waived().is_some();
    if !is_waived {
        ask(draft);
    }
    Err(is_waived)
}

fn ask(draft: &mut Draft<'_>) {
    let empty = draft.empty_evidence();
    let named = match empty.as_slice() {
        [] => "the settings name no command under [check], and no role named one".to_owned(),
        empty => {
            let lines: Vec<String> = empty.iter().map(|command| shown_command(command)).collect();
            format!("every command that was named always passes:\n{}\n", bullets(&lines))
        }
    };
    let text = format!(
        "Nothing shows whether the work of this session works: {named}. Which command shows it, such as the one that runs \
         the tests?"
    );
    let options = vec![
        option(
            CheckWay::FixCheck,
            "Name a command",
            "it is run in a fresh clone of the branch; the work continues when it passes",
        ),
        option(
            CheckWay::Waive,
            "Continue without evidence",
            "continues; kept as a known issue with your reason",
        ),
        ask::cancel_option(),
    ];
    let question =
        Question { kind: DecisionKind::Check, text, options, subject: Subject::Evidence };
    ask::ask(draft, question);
}

/// The person named a command, or does without one.
pub(super) fn answered(draft: &mut Draft<'_>, answer: &CheckAnswer) {
    match answer {
        CheckAnswer::FixCheck(command) => {
            draft.emit(Event::EvidenceNamed { command: command.to_string() });
        }
        CheckAnswer::Waive(reason) => {
            draft.emit(Event::EvidenceWaived { reason: reason.to_string() });
            let text = format!("no command showed whether the work works (waived: {})", &**reason);
            draft.emit(Event::KnownIssueNoted { text });
        }
        // Not offered here.
        CheckAnswer::Repair | CheckAnswer::ManualFix | CheckAnswer::Retry => {}
    }
}

/// What a person is told of it at a gate; nothing where the action asks for none.
pub(super) fn words(draft: &Draft<'_>) -> Option<String> {
    if let Some(results) = draft.current_evidence() {
        let lines: Vec<String> = results.iter().map(line).collect();
        return Some(format!("Run in a fresh clone of this commit:\n{}", bullets(&lines)));
    }
    let reason = draft.evidence_waived()?;
    Some(format!("No command was run for this: {reason}"))
}

fn line(result: &CheckResult) -> String {
    let how = match (&result.trouble, result.exit_code) {
        (Some(trouble), _) => trouble.clone(),
        (None, Some(code)) => format!("exit code {code}"),
        (None, None) => "no exit code".to_owned(),
    };
    format!("{how}  {}", shown_command(&result.command))
}
