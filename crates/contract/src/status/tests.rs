//! Stories of status.json.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use crate::testing::{Shows, shown};
use expect_test::expect;
use serde_json::{Value as Json, json};

fn good() -> Json {
    json!({
        "current_state": "DESIGN",
        "session": "2026-11-15_login",
        "assumptions": [],
        "user_decisions": [],
        "retry_counts": {"T-001": {"FIX_REVIEW": 1}},
        "known_issues": [],
        "last_ci_result": "unknown",
        "last_update": "2026-11-15T09:30:00Z"
    })
}

fn record(id: &str, status: &str) -> Json {
    json!({
        "decision_id": id, "question": "?", "status": status, "answer": null,
        "asked_at": "2026-11-15T09:30:00Z", "resolved_at": null, "state_context": "DESIGN",
        "resolution_reason": null
    })
}

fn said(status: &Json) -> String {
    let (read, report) = read(status.to_string().as_bytes(), "status.json");
    assert_eq!(read.is_some(), report.is_ok());
    shown(&report)
}

#[test]
fn r013_a_state_outside_the_sixteen_is_refused() {
    let mut status = good();
    for state in State::ALL {
        status["current_state"] = state.as_str().into();
        said(&status).shows(expect![[""]]);
    }
    status["current_state"] = "CODING".into();
    status["session"] = "login".into();
    status["last_update"] = "yesterday".into();
    said(&status).shows(expect![[r#"
        error shape.value_unknown status.json#/current_state: `current_state` is "CODING", but must be INTAKE, INTAKE_LEAN, DESIGN, APPROVE_DESIGN, PLAN, REVIEW_STRATEGY, IMPLEMENT_LOOP, INTEGRATE, RELEASE, DONE, ASK_USER, FIX_REVIEW, FIX_TESTS, FIX_SECURITY, FIX_BUILD or BLOCKED
        error status.session_name status.json#/session: "login" is not the name of a session
          help: Use the form YYYY-MM-DD_slug
        error status.time_invalid status.json#/last_update: "yesterday" is not a time
          help: Write it as 2026-11-15T09:30:00Z
    "#]]);
}

#[test]
fn r014_a_correction_status_that_is_not_said_is_none() {
    let status_of = |tracking: Json| {
        let mut status = good();
        status["gate_tracking"] = tracking;
        let (read, report) = read(status.to_string().as_bytes(), "status.json");
        read.unwrap_or_else(|| panic!("{}", shown(&report))).correction_status()
    };
    for tracking in [
        Json::Null,
        json!({}),
        json!({"APPROVE_DESIGN": null}),
        json!({"APPROVE_DESIGN": {"correction_status": null}}),
        json!({"APPROVE_DESIGN": {"last_correction_dispatch": {"agent": null, "task_id": null, "at": null}}}),
    ] {
        assert_eq!(status_of(tracking), CorrectionStatus::None);
    }
    let queued = json!({"APPROVE_DESIGN": {"correction_status": "queued"}});
    assert_eq!(status_of(queued), CorrectionStatus::Queued);
    let mut status = good();
    status["gate_tracking"] = json!({"APPROVE_DESIGN": {"correction_status": "started",
        "last_correction_dispatch": {"agent": "Coder", "at": "now"}}});
    said(&status).shows(expect![[r#"
        error shape.value_unknown status.json#/gate_tracking/APPROVE_DESIGN/correction_status: `correction_status` is "started", but must be none, queued, dispatched or completed
        error status.time_invalid status.json#/gate_tracking/APPROVE_DESIGN/last_correction_dispatch/at: "now" is not a time
          help: Write it as 2026-11-15T09:30:00Z
        error status.correction_agent status.json#/gate_tracking/APPROVE_DESIGN/last_correction_dispatch/agent: "Coder" cannot correct the design
          help: Use SpecAgent, Architect or Designer
    "#]]);
}

#[test]
fn r015_no_task_status_is_allowed_in() {
    let mut status = good();
    status["tasks"] = json!([{"id": "T-001"}]);
    status["progress"] = json!({"T-001": "completed"});
    status["colour"] = "red".into();
    status["retry_counts"]["T-001"]["status"] = "in-progress".into();
    said(&status).shows(expect![[r#"
        error shape.field_unknown status.json#/colour: there is no field "colour" here
          help: Known: ac_results, action, assumptions, blocker, current_state, gate_tracking, known_issues, last_ci_result, last_update, mode, resume_state, retry_counts, runtime_flags, schema_version, session, session_changed_files or user_decisions.
        error status.task_status status.json#/progress: "progress" contains the status of tasks
          help: Remove it; tasks.yaml has these statuses
        error status.task_status status.json#/retry_counts/T-001/status: "status" contains the status of tasks
          help: Remove it; tasks.yaml has these statuses
        error status.task_status status.json#/tasks: "tasks" contains the status of tasks
          help: Remove it; tasks.yaml has these statuses
    "#]]);
}

#[test]
fn r033_every_record_fits_its_status() {
    let mut status = good();
    let mut filled = record("UD-1", "pending");
    filled["answer"] = "yes".into();
    filled["resolved_at"] = "2026-11-15T09:30:00Z".into();
    filled["resolution_reason"] = "x".into();
    let mut answered = record("UD-APPROVE-DESIGN", "answered");
    answered["answer"] = " ".into();
    let mut skipped = record("UD-4", "skipped");
    skipped["resolution_reason"] = "".into();
    status["user_decisions"] =
        json!([filled, answered, record("UD-3", "cancelled"), skipped, record("UD-5", "open")]);
    said(&status).shows(expect![[r#"
        error shape.value_unknown status.json#/user_decisions/4/status: `status` is "open", but must be pending, answered, cancelled or skipped
        error status.decision_invalid status.json#/user_decisions/0: UD-1 is pending, but it has an answer
          help: Make the record match its status
        error status.decision_invalid status.json#/user_decisions/0: UD-1 is pending, but resolved_at is set
          help: Make the record match its status
        error status.decision_invalid status.json#/user_decisions/0: UD-1 is pending, but resolution_reason is set
          help: Make the record match its status
        error status.decision_invalid status.json#/user_decisions/1: UD-APPROVE-DESIGN is answered, but its answer is empty
          help: Make the record match its status
        error status.decision_invalid status.json#/user_decisions/1: UD-APPROVE-DESIGN is answered, but resolved_at is not set
          help: Make the record match its status
        error status.decision_invalid status.json#/user_decisions/2: UD-3 is cancelled, but resolved_at is not set
          help: Make the record match its status
        error status.decision_invalid status.json#/user_decisions/2: UD-3 is cancelled, but its resolution_reason is empty
          help: Make the record match its status
        error status.decision_invalid status.json#/user_decisions/3: UD-4 is skipped, but resolved_at is not set
          help: Make the record match its status
        error status.decision_invalid status.json#/user_decisions/3: UD-4 is skipped, but its resolution_reason is empty
          help: Make the record match its status
    "#]]);

    let mut answered = record("UD-2", "answered");
    answered["answer"] = "yes\n\"quoted\"\u{7}".into();
    answered["resolved_at"] = "2026-11-15T09:31:00+01:00".into();
    let mut cancelled = record("UD-3", "cancelled");
    cancelled["resolved_at"] = "2026-11-15T09:31:00Z".into();
    cancelled["resolution_reason"] = "no response provided".into();
    status["user_decisions"] = json!([record("UD-1", "pending"), answered, cancelled]);
    said(&status).shows(expect![[""]]);
}

#[test]
fn r018_r023_r026_gates_have_one_record_with_a_canonical_answer() {
    let answered = |id: &str, answer: &str| {
        let mut record = record(id, "answered");
        record["answer"] = answer.into();
        record["resolved_at"] = "2026-11-15T09:31:00Z".into();
        record
    };
    let mut status = good();
    status["user_decisions"] = json!([
        answered("UD-APPROVE-DESIGN", "Looks fine"),
        answered("UD-APPROVE-DESIGN", "approved with thanks"),
        answered("UD-REVIEW-STRATEGY", "Per batch"),
        answered("UD-01", "x"),
    ]);
    said(&status).shows(expect![[r#"
        error status.answer_not_canonical status.json#/user_decisions/0/answer: the answer of UD-APPROVE-DESIGN is "Looks fine", but must be approved… or changes-requested: …
          help: Answer it again with `tollgate answer SESSION UD-APPROVE-DESIGN …`
        error status.decision_twice status.json#/user_decisions/1/decision_id: there are two records of UD-APPROVE-DESIGN
          help: Keep one record per decision
        error status.answer_not_canonical status.json#/user_decisions/2/answer: the answer of UD-REVIEW-STRATEGY is "Per batch", but must be per-batch, single-final or changes-requested: …
          help: Answer it again with `tollgate answer SESSION UD-REVIEW-STRATEGY …`
        error status.decision_id status.json#/user_decisions/3/decision_id: "UD-01" is not the id of a decision
          help: Use UD-APPROVE-DESIGN, UD-REVIEW-STRATEGY or UD- and a number
    "#]]);
}

#[test]
fn a_made_status_reads_back_as_it_was() {
    let mut status: StatusFile = serde_json::from_value(good()).unwrap();
    status.blocker = Some(BlockerRecord {
        code: BlockerCode::Timeout.into(),
        detail: "Coder took 30 minutes".into(),
        remedy: "extend: 1h".into(),
    });
    status.ac_results = vec![CriterionRecord {
        id: "AC-001".into(),
        result: CriterionState::Met,
        evidence: Some("npm test exits 0".into()),
    }];
    status.retry_counts.entry("meta".into()).or_default().fix_build += 1;
    let bytes = serde_json::to_vec(&status).unwrap();
    assert_eq!(read(&bytes, "status.json").0, Some(status.clone()));
    expect![[r#"
        {
          "current_state": "DESIGN",
          "session": "2026-11-15_login",
          "assumptions": [],
          "user_decisions": [],
          "gate_tracking": null,
          "runtime_flags": null,
          "retry_counts": {
            "T-001": {
              "FIX_REVIEW": 1,
              "FIX_TESTS": 0,
              "FIX_SECURITY": 0,
              "FIX_BUILD": 0
            },
            "meta": {
              "FIX_REVIEW": 0,
              "FIX_TESTS": 0,
              "FIX_SECURITY": 0,
              "FIX_BUILD": 1
            }
          },
          "known_issues": [],
          "last_ci_result": "unknown",
          "last_update": "2026-11-15T09:30:00Z",
          "schema_version": 1,
          "mode": null,
          "action": null,
          "blocker": {
            "code": "timeout",
            "detail": "Coder took 30 minutes",
            "remedy": "extend: 1h"
          },
          "resume_state": null,
          "session_changed_files": [],
          "ac_results": [
            {
              "id": "AC-001",
              "result": "met",
              "evidence": "npm test exits 0"
            }
          ]
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&status).unwrap());
    status.last_update = "soon".into();
    assert!(!read(&serde_json::to_vec(&status).unwrap(), "status.json").1.is_ok());
}
