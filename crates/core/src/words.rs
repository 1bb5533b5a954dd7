//! The words for what happens, each of them once: the live display, the log, the reports, the evidence and the
//! questions say the same about the same thing.

use crate::event::{CriterionResult, Purpose, RetryWhy, Verdict};
use crate::reply::ReplyError;
use crate::sanitize::visible_name;
use crate::work::DispatchEnd;

/// How an attempt ended, in one sentence about "it".
pub fn ended(end: &DispatchEnd) -> String {
    match end {
        DispatchEnd::Replied { reply, .. } => {
            format!("it replied {}: {}", reply.status, reply.summary)
        }
        DispatchEnd::Invalid { errors, .. } => {
            format!("what it delivered is invalid: {}", faults(errors))
        }
        DispatchEnd::MissingContext { errors } => {
            format!("its input is not usable: {}", faults(errors))
        }
        DispatchEnd::MissingRole { name, detail } => {
            format!("the instructions of role {name} cannot be used: {detail}")
        }
        DispatchEnd::MissingOutput { paths, .. } => {
            format!("it said OK but did not write {}", names(paths))
        }
        DispatchEnd::Crashed { exit_code, signal, stderr_tail } => {
            let how = match (exit_code, signal) {
                (Some(code), _) => format!("it ended with exit code {code}"),
                (None, Some(signal)) => format!("it was killed by signal {signal}"),
                (None, None) => "it ended without a reply".to_owned(),
            };
            match stderr_tail.trim().lines().next_back() {
                Some(line) if !line.is_empty() => format!("{how}; the last line of its output: {line}"),
                _ => how,
            }
        }
        DispatchEnd::CouldNotStart { program, cause } => {
            format!("{program} could not be started: {cause}")
        }
        DispatchEnd::TimedOut { after_ms } => {
            format!("it ran longer than its limit of {} s and was stopped", after_ms / 1_000)
        }
        DispatchEnd::OutputLimit { limit_bytes } => {
            format!("it wrote more than {limit_bytes} bytes and was stopped")
        }
        DispatchEnd::Silent { after_ms } => {
            format!("the agent was silent for {} s and was stopped", after_ms / 1_000)
        }
        DispatchEnd::PermissionRefused { detail } => {
            format!("it was refused a permission: {detail}")
        }
        DispatchEnd::Unavailable { detail } => {
            format!("the model service failed: {detail}")
        }
        DispatchEnd::UsedUp { detail } => format!("it used up its budget: {detail}"),
        DispatchEnd::Limited { detail } => {
            format!("it has reached its usage limit and does not say when the limit resets: {detail}")
        }
        DispatchEnd::Parked { until, no_time: None } => {
            format!("its usage limit resets at {until}")
        }
        DispatchEnd::Parked { until, no_time: Some(detail) } => {
            format!("it has reached its usage limit; Tollgate tries again at {until}: {detail}")
        }
        DispatchEnd::Stopped => "it was stopped by a person".to_owned(),
        DispatchEnd::Unsupervised { .. } => {
            "its supervisor was killed while the agent ran, by the agent or from outside; all its processes were stopped"
                .to_owned()
        }
        DispatchEnd::Interrupted { .. } => "it was interrupted".to_owned(),
    }
}

/// The name of an end, as the journal spells it.
pub fn end_name(end: &DispatchEnd) -> &'static str {
    match end {
        DispatchEnd::Replied { .. } => "replied",
        DispatchEnd::Invalid { .. } => "invalid",
        DispatchEnd::MissingRole { .. } => "missing_role",
        DispatchEnd::MissingOutput { .. } => "missing_output",
        DispatchEnd::MissingContext { .. } => "missing_context",
        DispatchEnd::Crashed { .. } => "crashed",
        DispatchEnd::CouldNotStart { .. } => "could_not_start",
        DispatchEnd::TimedOut { .. } => "timed_out",
        DispatchEnd::OutputLimit { .. } => "output_limit",
        DispatchEnd::Silent { .. } => "silent",
        DispatchEnd::PermissionRefused { .. } => "permission_refused",
        DispatchEnd::Unavailable { .. } => "unavailable",
        DispatchEnd::UsedUp { .. } => "used_up",
        DispatchEnd::Limited { .. } => "limited",
        DispatchEnd::Parked { .. } => "parked",
        DispatchEnd::Stopped => "stopped",
        DispatchEnd::Unsupervised { .. } => "unsupervised",
        DispatchEnd::Interrupted { .. } => "interrupted",
    }
}

/// What came of a dispatch.
pub fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Accepted => "accepted",
        Verdict::Objected => "objected",
        Verdict::SetAside => "set aside",
        Verdict::Skipped => "skipped",
        Verdict::Cancelled => "cancelled",
    }
}

/// Why an attempt is made again, or later.
pub fn retry(why: RetryWhy) -> &'static str {
    match why {
        RetryWhy::Transient => "after a temporary failure",
        RetryWhy::Invalid => "with the errors of its reply",
        RetryWhy::Parked => "when a usage limit resets",
        RetryWhy::Fallback => "with another agent, because its own has reached its usage limit",
        RetryWhy::Interrupted => "because it was interrupted",
        RetryWhy::Budget => "when a person allows more than the limits",
        RetryWhy::Room => "when a running agent has ended",
        RetryWhy::Consented => "because a person asked for it",
    }
}

/// What a dispatch is for.
pub fn purpose(purpose: &Purpose) -> String {
    match purpose {
        Purpose::Step { index, member: None } => format!("for step {}", index + 1),
        Purpose::Step { index, member: Some(member) } => {
            format!("for step {}, member {}", index + 1, member + 1)
        }
        Purpose::Look { step } => format!("to look again at the gate of step {}", step + 1),
        Purpose::Correction { .. } => "to correct what was rejected".to_owned(),
        Purpose::Implement => "to implement the task".to_owned(),
        Purpose::Repair { repair } => format!("to repair ({repair})"),
        Purpose::Review => "to review".to_owned(),
        Purpose::Test => "to test".to_owned(),
        Purpose::Audit => "to audit security".to_owned(),
    }
}

/// How an acceptance criterion was settled, and the reason.
pub fn criterion(result: &CriterionResult) -> (&'static str, &str) {
    match result {
        CriterionResult::Met { evidence } => ("met", evidence),
        CriterionResult::Unmet { evidence } => ("not met", evidence),
        CriterionResult::Waived { reason } => ("waived", reason),
    }
}

/// How the command of a check ended.
pub fn check_ended(trouble: Option<&str>, exit_code: Option<i32>) -> String {
    match (trouble, exit_code) {
        (Some(trouble), _) => trouble.to_owned(),
        (None, Some(code)) => format!("exit code {code}"),
        (None, None) => "no exit code".to_owned(),
    }
}

fn faults(errors: &[ReplyError]) -> String {
    let list: Vec<String> =
        errors.iter().map(|error| format!("{}: {}", error.place(), error.message)).collect();
    list.join("; ")
}

/// Files as people may read their names.
pub fn names(paths: &[String]) -> String {
    paths.iter().map(|path| visible_name(path)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_of_the_whole_reply_has_no_sign_for_its_place() {
        let fault = ReplyError::new("reply.not_json", "/", "before the JSON comes text");
        assert_eq!(fault.to_string(), "reply.not_json at the reply: before the JSON comes text");
        let told = ended(&DispatchEnd::invalid(vec![fault]));
        assert!(told.ends_with("the reply: before the JSON comes text"), "{told}");
    }

    #[test]
    fn the_name_of_an_end_is_the_journals() {
        let ends = [
            DispatchEnd::invalid(Vec::new()),
            DispatchEnd::MissingRole { name: String::new(), detail: String::new() },
            DispatchEnd::MissingOutput { paths: Vec::new(), findings: Vec::new() },
            DispatchEnd::MissingContext { errors: Vec::new() },
            DispatchEnd::Crashed { exit_code: None, signal: None, stderr_tail: String::new() },
            DispatchEnd::CouldNotStart { program: String::new(), cause: String::new() },
            DispatchEnd::TimedOut { after_ms: 0 },
            DispatchEnd::OutputLimit { limit_bytes: 0 },
            DispatchEnd::PermissionRefused { detail: String::new() },
            DispatchEnd::Unavailable { detail: String::new() },
            DispatchEnd::UsedUp { detail: String::new() },
            DispatchEnd::Limited { detail: String::new() },
            DispatchEnd::Parked { until: crate::time::Timestamp::from_ms(0), no_time: None },
            DispatchEnd::Silent { after_ms: 0 },
            DispatchEnd::Stopped,
            DispatchEnd::Unsupervised { rescue: None },
            DispatchEnd::Interrupted { rescue: None },
        ];
        for end in ends {
            assert_eq!(serde_json::json!(end)["end"], end_name(&end));
        }
    }
}
