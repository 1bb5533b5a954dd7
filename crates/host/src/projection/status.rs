//! status.json from the state: a pure function, so that what is on disk can be told from what was edited.

use serde_json::{Map, Value, json};
use tollgate_core::decision::Decision;
use tollgate_core::event::CriterionResult;
use tollgate_core::role::{RepairLoop, State};
use tollgate_core::session::{Session, Unit};
use tollgate_core::view::SCHEMA_VERSION;

pub fn status_json(session: &Session) -> Vec<u8> {
    let correction = &session.decisions.correction;
    let state = session.state();
    let value = json!({
        "schema_version": SCHEMA_VERSION,
        "current_state": state,
        "session": session.opening.session,
        "mode": session.route.mode,
        "action": session.opening.action.name,
        "blocker": session.standing.blocker,
        "resume_state": (state == State::Blocked || state == State::AskUser)
            .then(|| session.working_state()),
        "assumptions": session.record.assumptions,
        "user_decisions": session.decisions.asked.iter().map(decision).collect::<Vec<_>>(),
        "gate_tracking": {
            "APPROVE_DESIGN": {
                "correction_status": correction.status,
                "last_correction_dispatch": {
                    "agent": correction.agent,
                    "task_id": correction.agent.map(|_| "meta"),
                    "at": correction.at,
                },
            },
        },
        "runtime_flags": {
            "copilot_instructions_exists": session
                .opening
                .instructions
                .iter()
                .any(|path| path == ".github/copilot-instructions.md"),
            "copilot_checked_at": session.opened_at,
        },
        "retry_counts": retry_counts(session),
        "session_changed_files": session.branch.changed.iter().collect::<Vec<_>>(),
        "ac_results": ac_results(session),
        "known_issues": session.record.known_issues,
        "last_ci_result": match session.checks.last_passed {
            None => "unknown",
            Some(true) => "green",
            Some(false) => "red",
        },
        "last_update": session.updated_at,
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
fn retry_counts(session: &Session) -> Value {
    let counts = |unit: &Unit| {
        let loops = RepairLoop::ALL.iter();
        let pairs = loops.map(|repair| (repair.to_string(), json!(unit.repairs_done(*repair))));
        Value::Object(pairs.collect())
    };
    let mut all = Map::new();
    for task in &session.plan.tasks {
        all.insert(task.spec.id.to_string(), counts(&task.unit));
    }
    if !session.plan.meta.repairs.is_empty() {
        all.insert("meta".to_owned(), counts(&session.plan.meta));
    }
    Value::Object(all)
}

fn ac_results(session: &Session) -> Value {
    let results = session.plan.criteria.iter().map(|criterion| {
        let (result, evidence) = match session.plan.criteria_results.get(&criterion.id) {
            None => ("open", None),
            Some(CriterionResult::Met { evidence }) => ("met", Some(evidence)),
            Some(CriterionResult::Unmet { evidence }) => ("unmet", Some(evidence)),
            Some(CriterionResult::Waived { reason }) => ("waived", Some(reason)),
        };
        json!({"id": criterion.id, "result": result, "evidence": evidence})
    });
    Value::Array(results.collect())
}
