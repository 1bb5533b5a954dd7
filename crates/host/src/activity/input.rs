//! What an agent is handed: the input JSON and the prompt around it.

use super::dispatch::DispatchOrder;
use crate::layout::session_path;
use crate::prompt::{bullets, fenced, render};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use tollgate_contract::skill::RoleFile;
use tollgate_contract::{agent_input, pack};
use tollgate_core::reply::ReplyError;

const TOOLS: [&str; 5] = ["read_file", "write_file", "apply_patch", "run_cmd", "search_repo"];

pub fn value(order: &DispatchOrder) -> Value {
    let brief = &order.brief;
    let mut task = json!({
        "id": brief.task,
        "title": brief.title,
        "goal": brief.goal,
        "non_goals": brief.non_goals,
        "context_files": brief.context_files,
        "constraints": brief.constraints,
        "acceptance_checks": brief.acceptance_checks,
        "risk_flags": brief.risk_flags,
    });
    if let Some(changed) = &brief.session_changed_files {
        task["session_changed_files"] = json!(changed);
    }
    let mut value = json!({
        "task": task,
        "project_type": order.project_type,
        "repo_state": {
            "branch": order.branch,
            "ci_status": order.ci_status,
            "last_failed_step": order.last_failed_step,
        },
        "tools_available": TOOLS,
        "artifact_list": order.artefacts,
        "session": order.session,
        "mode": order.mode,
        "dispatch": order.number,
        "attempt": order.attempt,
    });
    if !brief.previous_errors.is_empty() {
        value["previous_errors"] = json!(brief.previous_errors);
    }
    value
}

/// Why the dispatch must not start: the input breaks the contract, or a file to read is not there.
pub fn faults(value: &Value, order: &DispatchOrder, tree: &Path) -> Vec<ReplyError> {
    let bytes = serde_json::to_vec(value).expect("a JSON value can always be written");
    let (_, report) = agent_input::read(&bytes, "input.json", Some(order.brief.role));
    let mut errors = report.reply_errors();
    for path in &order.brief.context_files {
        // A folder is named with a slash at its end.
        let named = path.strip_suffix('/').unwrap_or(path);
        if crate::files::open_beneath(tree, named).is_err() {
            let message = "it must be read first and is not there";
            errors.push(ReplyError::new("input.context_missing", path.clone(), message));
        }
    }
    errors
}

/// What an agent is told whose session continues: what was wrong, and no more.
pub fn again(order: &DispatchOrder) -> String {
    let brief = &order.brief;
    let errors: Vec<String> = brief.previous_errors.iter().map(ToString::to_string).collect();
    let values = BTreeMap::from([
        ("role", brief.role.to_string()),
        ("previous_errors", fenced(&bullets(&errors))),
        ("feedback", fenced(&bullets(&brief.feedback))),
    ]);
    render(pack::PROMPT_AGAIN, &values)
}

pub fn prompt(role: &RoleFile, order: &DispatchOrder, value: &Value) -> String {
    let brief = &order.brief;
    let errors: Vec<String> = brief.previous_errors.iter().map(ToString::to_string).collect();
    let input_json =
        serde_json::to_string_pretty(value).expect("a JSON value can always be written");
    let values = BTreeMap::from([
        ("role", brief.role.to_string()),
        ("session_folder", format!("{}/", session_path(&order.session))),
        ("role_text", role.body.trim().to_owned()),
        ("input_json", fenced(&input_json)),
        ("context_files", bullets(&brief.context_files)),
        ("instructions", bullets(&order.instructions)),
        ("output_contract", pack::OUTPUT_CONTRACT.trim().to_owned()),
        ("previous_errors", fenced(&bullets(&errors))),
        ("feedback", fenced(&bullets(&brief.feedback))),
    ]);
    render(pack::PROMPT, &values)
}
