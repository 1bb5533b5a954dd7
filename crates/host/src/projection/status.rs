//! status.json from the view: a pure function, so that what is on disk can be told from what was edited.

use serde_json::{Value, json};
use tollgate_contract::status::makes_design;
use tollgate_core::decision::Decision;
use tollgate_core::event::CriterionResult;
use tollgate_core::view::{CriterionView, Parts, RepairsView, SCHEMA_VERSION};

pub fn status_json(parts: Parts<'_>) -> Vec<u8> {
    let status = parts.status();
    let correction = status.correction;
    // The form knows three roles; a Researcher that was sent back is in the journal.
    let corrected_by = correction.agent.filter(|role| makes_design(*role));
    let has_copilot = |path: &String| path == ".github/copilot-instructions.md";
    let value = json!({
        "schema_version": SCHEMA_VERSION,
        "current_state": status.state,
        "session": status.session,
        "mode": status.mode,
        "action": status.action,
        "blocker": status.blocker,
        "resume_state": status.resume_state,
        "assumptions": status.assumptions,
        "user_decisions": status.decisions.iter().map(decision).collect::<Vec<_>>(),
        "gate_tracking": {
            "APPROVE_DESIGN": {
                "correction_status": correction.status,
                "last_correction_dispatch": {
                    "agent": corrected_by,
                    "task_id": corrected_by.map(|_| "meta"),
                    "at": correction.at,
                },
            },
        },
        "runtime_flags": {
            "copilot_instructions_exists": status.instructions.iter().any(has_copilot),
            "copilot_checked_at": status.opened_at,
        },
        "retry_counts": Value::Object(status.repairs.iter().map(retry_count).collect()),
        "session_changed_files": status.changed_files,
        "ac_results": status.criteria.iter().map(ac_result).collect::<Vec<_>>(),
        "known_issues": status.known_issues,
        "last_ci_result": match status.last_checks_passed {
            None => "unknown",
            Some(true) => "green",
            Some(false) => "red",
        },
        "last_update": status.updated_at,
    });
    let mut bytes = serde_json::to_vec_pretty(&value).expect("a JSON value can always be written");
    bytes.push(b'\n');
    bytes
}

fn decision(decision: &Decision) -> Value {
    json!({
        "decision_id": decision.decision_id,
        "question": decision.question,
        "status": decision.resolution.status,
        "answer": decision.resolution.answer,
        "asked_at": decision.asked_at,
        "resolved_at": decision.resolution.resolved_at,
        "state_context": decision.state_context,
        "resolution_reason": decision.resolution.reason,
    })
}

/// Counters of repairs only; how far a task is stands in tasks.yaml and nowhere else.
fn retry_count(repairs: &RepairsView) -> (String, Value) {
    let counts = repairs.begun.iter().map(|(repair, times)| (repair.to_string(), json!(times)));
    (repairs.task.as_str().to_owned(), Value::Object(counts.collect()))
}

fn ac_result(criterion: &CriterionView) -> Value {
    let (result, evidence) = match &criterion.result {
        None => ("open", None),
        Some(CriterionResult::Met { evidence }) => ("met", Some(evidence)),
        Some(CriterionResult::Unmet { evidence }) => ("unmet", Some(evidence)),
        Some(CriterionResult::Waived { reason }) => ("waived", Some(reason)),
    };
    json!({"id": criterion.id, "result": result, "evidence": evidence})
}
