//! What helps against a failure: what a person does first, and which answer fits then. One row for each cause.

use crate::answer::EscalationWay;
use crate::decide::draft::Draft;
use crate::id::{DecisionId, DispatchNumber};
use crate::work::DispatchEnd;

/// What to do before the question is answered. No failure: the agent itself stopped.
pub fn words(
    draft: &Draft<'_>,
    number: DispatchNumber,
    failure: Option<&DispatchEnd>,
    id: &DecisionId,
) -> String {
    format!("{}, then answer {id}", first_step(draft, number, failure))
}

fn first_step(draft: &Draft<'_>, number: DispatchNumber, failure: Option<&DispatchEnd>) -> String {
    let folder = draft.session_path(&format!("dispatches/{number}/"));
    match failure {
        Some(DispatchEnd::MissingRole { name, .. }) => format!("write agents/{name}/SKILL.md"),
        Some(DispatchEnd::MissingContext { .. }) => {
            "create the file, or fix `context_files` in tasks.yaml".to_owned()
        }
        Some(DispatchEnd::Invalid { .. }) => format!("look into {}", draft.failed_path(number)),
        Some(DispatchEnd::OutputLimit { .. }) => {
            format!("raise limits.output_bytes in tollgate.toml, or look into {folder}")
        }
        Some(DispatchEnd::TimedOut { .. }) => {
            format!("see in {folder} how far it came, and give it more time or a smaller task")
        }
        Some(DispatchEnd::Silent { .. }) => {
            format!("see in {folder} what it did last, or raise timeout.silence in tollgate.toml")
        }
        Some(DispatchEnd::PermissionRefused { .. }) => {
            format!("allow what it was refused, or tell it another way; its words are in {folder}")
        }
        Some(DispatchEnd::CouldNotStart { program, .. }) => {
            format!("see that `{program}` is installed and can be started (`tollgate doctor`)")
        }
        Some(DispatchEnd::Unavailable { .. }) => {
            "wait until the model service answers again, or choose another agent".to_owned()
        }
        Some(DispatchEnd::Limited { .. }) => {
            "wait until the usage limit resets, or choose another agent".to_owned()
        }
        Some(DispatchEnd::UsedUp { .. }) => {
            format!("see in {folder} what it was busy with, and make the task smaller")
        }
        Some(DispatchEnd::MissingOutput { .. }) => {
            format!("see in {folder} what it wrote instead, and say where the files belong")
        }
        Some(DispatchEnd::Crashed { .. }) => {
            format!("read the end of its standard error in {folder}")
        }
        Some(DispatchEnd::Unsupervised { .. }) => {
            format!("find out what ended its supervisor; {folder} shows what it ran")
        }
        None => format!("read why it stopped in {folder}, and decide what it needs"),
        Some(_) => format!("look into {folder}"),
    }
}

/// The answer that fits the cause best. Words do not help where the agent did not come to read them.
pub fn recommended(failure: Option<&DispatchEnd>) -> EscalationWay {
    match failure {
        Some(DispatchEnd::TimedOut { .. }) => EscalationWay::Extend,
        Some(DispatchEnd::Unavailable { .. } | DispatchEnd::Limited { .. }) => {
            EscalationWay::RetryWith
        }
        Some(
            DispatchEnd::MissingRole { .. }
            | DispatchEnd::MissingContext { .. }
            | DispatchEnd::CouldNotStart { .. }
            | DispatchEnd::PermissionRefused { .. }
            | DispatchEnd::OutputLimit { .. }
            | DispatchEnd::Crashed { .. }
            | DispatchEnd::Silent { .. }
            | DispatchEnd::Unsupervised { .. },
        ) => EscalationWay::Retry,
        _ => EscalationWay::RetryWithGuidance,
    }
}
