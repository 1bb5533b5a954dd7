//! Stories of replies: what is read, what is refused, and in which words.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod claimed;
mod items;
mod results;

use super::*;
use crate::testing::{REFINEMENT, Shows, TASK, shown_errors};
use expect_test::expect;

fn said(role: Role, bytes: &[u8]) -> String {
    match read_reply(bytes, role) {
        Ok(read) => {
            let requests: String = read
                .reply
                .scope_requests
                .iter()
                .map(|r| format!("\nscope {} {}", r.path, r.reason))
                .collect();
            let json = serde_json::to_string_pretty(&read.reply).unwrap();
            format!("{:?} {json}{requests}\n", read.kind)
        }
        Err(errors) => shown_errors(&errors),
    }
}

/// A good reply with one top-level field replaced, or added.
fn with(field: &str, value: serde_json::Value) -> Vec<u8> {
    let mut reply = serde_json::json!({
        "status": "OK",
        "summary": "Done.",
        "artifacts": {"notes": []},
        "gates": {"meets_definition_of_done": true},
        "next": null,
    });
    reply[field] = value;
    reply.to_string().into_bytes()
}

fn bare(reply: serde_json::Value) -> Vec<u8> {
    reply.to_string().into_bytes()
}

const GOOD: &str =
    r#"{"status":"OK","summary":"Done.","artifacts":{},"gates":{"meets_definition_of_done":true}}"#;

const LABELS: [&str; 4] = ["task:implement", "status:pending", "priority:high", "complexity:low"];

/// A good new task, of a title of its own.
fn task(id: &str, by: &[&str]) -> serde_json::Value {
    serde_json::json!({"tempID": id, "title": format!("{id} {}", by.len()), "body": TASK, "labels": LABELS, "blockedBy": by})
}

#[test]
fn r001_white_space_around_the_object_is_allowed() {
    said(Role::Coder, format!("\n\t {GOOD}\r\n\n").as_bytes()).shows(expect![[r#"
        Universal {
          "status": "OK",
          "summary": "Done."
        }
    "#]]);
}

#[test]
fn r001_text_before_the_object_is_named() {
    said(Role::Coder, format!("Here is my reply:\n{GOOD}").as_bytes()).shows(expect![[r#"
        reply.text_before at the reply: before the JSON object comes "Here is my reply:". Reply with the object alone; remarks belong in `summary` or `artifacts.notes`
    "#]]);
    said(Role::Coder, format!("```json\n{GOOD}\n```").as_bytes()).shows(expect![[r#"
        reply.text_before at the reply: before the JSON object comes "```json". Leave out the Markdown fence; reply with the object alone
    "#]]);
    said(Role::Coder, format!("\u{feff}{GOOD}").as_bytes()).shows(expect![[r#"
        reply.text_before at the reply: before the JSON object comes "\u{feff}". Reply with the object alone; remarks belong in `summary` or `artifacts.notes`
    "#]]);
    said(Role::Coder, format!("\x1b[31m{GOOD}").as_bytes()).shows(expect![[r#"
        reply.text_before at the reply: before the JSON object comes "\u{1b}[31m". Reply with the object alone; remarks belong in `summary` or `artifacts.notes`
    "#]]);
}

#[test]
fn r001_text_after_the_object_is_named() {
    said(Role::Coder, format!("{GOOD}\nLet me know!").as_bytes()).shows(expect![[r#"
        reply.text_after at the reply: after the JSON object comes "Let me know!". Reply with the object alone; remarks belong in `summary` or `artifacts.notes`
    "#]]);
    said(Role::Coder, format!("{GOOD}{GOOD}").as_bytes()).shows(expect![[r#"
        reply.text_after at the reply: after the JSON object comes "{\"status\":\"OK\",\"summary\":\"Done.\",\"artifacts\":{},\"gates\":{\"me…". Reply with the object alone; remarks belong in `summary` or `artifacts.notes`
    "#]]);
}

#[test]
fn r001_something_else_than_an_object_is_refused() {
    said(Role::Coder, b"").shows(expect![[r#"
        reply.empty at the reply: the reply is empty. Write exactly one JSON object to standard output
    "#]]);
    said(Role::Coder, b" \n ").shows(expect![[r#"
        reply.empty at the reply: the reply is empty. Write exactly one JSON object to standard output
    "#]]);
    said(Role::Coder, b"[1, 2]").shows(expect![[r#"
        reply.not_an_object at the reply: the reply is not a JSON object; it begins with "[1, 2]". Reply with one object that begins with { and ends with }
    "#]]);
    said(Role::Coder, b"I could not do it.").shows(expect![[r#"
        reply.not_an_object at the reply: the reply is not a JSON object; it begins with "I could not do it.". Reply with one object that begins with { and ends with }
    "#]]);
    said(Role::Coder, b"{\"status\": \"OK\", summary: 1}").shows(expect![[r#"
        reply.not_json at the reply: this is not valid JSON: key must be a string (line 1, column 18, near "{\"status\": \"OK\", summary: 1}"). Write the reply with a JSON serializer; escape quotes and line breaks in texts
    "#]]);
    said(Role::Coder, b"{\"status\": \"OK").shows(expect![[r#"
        reply.not_json at the reply: this is not valid JSON: EOF while parsing a string (line 1, column 14, near "{\"status\": \"OK"). Write the reply with a JSON serializer; escape quotes and line breaks in texts
    "#]]);
    said(Role::Coder, b"{\"status\": \"\xff\"}").shows(expect![[r#"
        reply.not_utf8 at the reply: byte 12 is not part of UTF-8 text; before it comes "{\"status\": \"". Reply in UTF-8
    "#]]);
}

#[test]
fn r001_bombs_are_refused() {
    let deep = format!("{{\"a\":{}", "[".repeat(100_000));
    said(Role::Coder, deep.as_bytes()).shows(expect![[r#"
        reply.too_deep at the reply: the reply nests more than 128 levels deep. Flatten it
    "#]]);
    let large = vec![b' '; usize::try_from(REPLY_BYTES_MAX).unwrap() + 1];
    said(Role::Coder, &large).shows(expect![[r#"
        reply.too_large at the reply: the reply has 4194305 bytes; the limit is 4194304. Write large content to files and name them in the reply
    "#]]);
    said(Role::Coder, br#"{"status":"OK","status":"FAIL","summary":"x","artifacts":{"a":{"b":1,"b":2}},"gates":{"meets_definition_of_done":true}}"#).shows(expect![[r#"
        shape.key_twice at /status: the key "status" occurs twice. Keep one of them
        shape.key_twice at /artifacts/a/b: the key "b" occurs twice. Keep one of them
    "#]]);
}

#[test]
fn r006_a_status_outside_the_five_is_refused() {
    said(Role::Coder, &with("status", "ok".into())).shows(expect![[r#"
        reply.status_unknown at /status: the status is "ok", but must be OK, BLOCKED, NEEDS_INFO, NEEDS_DECISION or FAIL. Did you mean "OK"?
    "#]]);
    said(Role::Coder, &with("status", "DONE".into())).shows(expect![[r#"
        reply.status_unknown at /status: the status is "DONE", but must be OK, BLOCKED, NEEDS_INFO, NEEDS_DECISION or FAIL
    "#]]);
    said(Role::Coder, &with("status", serde_json::Value::Null)).shows(expect![[r#"
        shape.wrong_type at /status: `status` is null, but a text is expected
    "#]]);
}

#[test]
fn r007_r008_statuses_belong_to_their_roles() {
    said(Role::Coder, &with("status", "NEEDS_INFO".into())).shows(expect![[r#"
        reply.status_not_for_role at /status: Coder cannot reply "NEEDS_INFO". Reply OK, BLOCKED or FAIL; say in the summary what is missing
    "#]]);
    said(Role::Reviewer, &with("status", "NEEDS_DECISION".into())).shows(expect![[r#"
        reply.status_not_for_role at /status: Reviewer cannot reply "NEEDS_DECISION". Reply OK, BLOCKED or FAIL; say in the summary what is missing
    "#]]);
    for (role, status) in [(Role::Researcher, "NEEDS_INFO"), (Role::Security, "NEEDS_DECISION")] {
        assert!(read_reply(&with("status", status.into()), role).is_ok());
    }
}

#[test]
fn r009_a_recommended_agent_is_spelled_canonically() {
    said(Role::Coder, &with("next", serde_json::json!({"recommended_agent": "coder"}))).shows(expect![[r#"
        reply.agent_unknown at /next/recommended_agent: "coder" is not the name of an agent. Did you mean "Coder"?
    "#]]);
}

#[test]
fn an_ok_that_is_not_done_is_a_contradiction() {
    said(Role::Coder, &with("gates", serde_json::json!({"meets_definition_of_done": false}))).shows(expect![[r#"
        reply.done_contradicted at /gates/meets_definition_of_done: the status is "OK" but meets_definition_of_done is false. Finish the work, or reply BLOCKED or FAIL and say what is missing
    "#]]);
}

#[test]
fn all_faults_are_reported_at_once() {
    said(Role::Coder, &bare(serde_json::json!({
            "status": "FINE",
            "summry": "x",
            "artifacts": {"notes": "one", "anything": {"goes": 1}, "files_changed": [1]},
            "gates": {"meets_definition_of_done": "yes", "needs_reviews": true},
            "next": {"recommended_agent": "Qa"},
            "usage": {"usd": -1},
        }))).shows(expect![[r#"
            shape.wrong_type at /artifacts/files_changed/0: entry 0 of `files_changed` is the number 1, but a text is expected
            shape.wrong_type at /artifacts/notes: `notes` is the text "one", but a list is expected
            shape.wrong_type at /gates/meets_definition_of_done: `meets_definition_of_done` is the text "yes", but true or false is expected
            shape.field_unknown at /gates/needs_reviews: there is no field "needs_reviews" here. Did you mean "needs_review"?
            reply.agent_unknown at /next/recommended_agent: "Qa" is not the name of an agent. Did you mean "QA"?
            reply.status_unknown at /status: the status is "FINE", but must be OK, BLOCKED, NEEDS_INFO, NEEDS_DECISION or FAIL
            shape.field_unknown at /summry: there is no field "summry" here. Did you mean "summary"?
            shape.out_of_range at /usage/usd: `usd` is -1, but must be at least 0
            shape.field_missing at the reply: the field "summary" is missing. Add "summary" to the top level
        "#]]);
}

fn a_full_review() -> serde_json::Value {
    serde_json::json!({
        "status": "BLOCKED",
        "summary": "Two bugs.",
        "artifacts": {
            "review_comments": [
                {"severity": "nit", "file": "a.rs", "line": 3, "message": "name"},
                {"severity": "minor", "category": "docs", "file": "", "line": "4-6", "message": "say why"},
                "[Warning] out of scope",
                {"severity": "blocker", "message": "crash", "suggested_fix": "check", "extra": true},
                "no tests",
            ],
            "findings": [{"severity": "medium", "category": "auth", "file": "b.rs", "description": "weak hash", "recommended_fix": "argon2"}],
            "notes": ["assumption: none"],
            "questions": ["why?"],
        },
        "gates": {"meets_definition_of_done": false, "needs_review": true, "security_concerns": [{"x": 1}]},
        "next": {"recommended_agent": "Coder", "recommended_task_id": "T-001", "reason": "repair"},
        "usage": {"input_tokens": 1200, "output_tokens": null, "usd": 0.1234567},
        "scope_request": [{"path": "src/c.rs", "reason": "shared type"}],
    })
}

#[test]
fn findings_and_comments_become_one_list_worst_first() {
    said(Role::Reviewer, &bare(a_full_review())).shows(expect![[r#"
        Universal {
          "status": "BLOCKED",
          "summary": "Two bugs.",
          "findings": [
            {
              "severity": "critical",
              "message": "crash",
              "fix": "check"
            },
            {
              "severity": "high",
              "message": "no tests"
            },
            {
              "severity": "medium",
              "category": "docs",
              "line": "4-6",
              "message": "say why"
            },
            {
              "severity": "medium",
              "category": "auth",
              "file": "b.rs",
              "message": "weak hash",
              "fix": "argon2"
            },
            {
              "severity": "low",
              "file": "a.rs",
              "line": "3",
              "message": "name",
              "is_nit": true
            },
            {
              "severity": "low",
              "message": "[Warning] out of scope"
            }
          ],
          "notes": [
            "assumption: none"
          ],
          "questions": [
            {
              "question": "why?"
            }
          ],
          "scope_requests": [
            {
              "path": "src/c.rs",
              "reason": "shared type"
            }
          ],
          "recommended_agent": "Coder",
          "recommended_why": "repair",
          "looks": {
            "review": true,
            "security": [
              "x: 1"
            ]
          },
          "usage": {
            "input_tokens": 1200,
            "micro_usd": 123457
          }
        }
        scope src/c.rs shared type
    "#]]);
}

#[test]
fn r093_the_three_results_are_read_for_their_roles() {
    said(Role::Coder, &bare(
            serde_json::json!({"role": "implementor", "outcome": "validation-failure", "summary": "Tests fail.", "incidental": [{"path": "a", "reason": ""}]}),
        )).shows(expect![[r#"
        Implementor {
          "status": "FAIL",
          "summary": "Tests fail."
        }
    "#]]);
    said(Role::Reviewer, &bare(
            serde_json::json!({"role": "reviewer", "review": {"verdict": "needs-changes", "summary": "One bug.", "comments": [{"path": "a.rs", "line": 4, "body": "off by one"}, {"path": "b.rs", "line": null, "body": "[Warning] unrelated"}]}}),
        )).shows(expect![[r#"
        Reviewer {
          "status": "BLOCKED",
          "summary": "One bug.",
          "findings": [
            {
              "severity": "high",
              "file": "a.rs",
              "line": "4",
              "message": "off by one"
            },
            {
              "severity": "low",
              "file": "b.rs",
              "message": "[Warning] unrelated"
            }
          ]
        }
    "#]]);
    said(Role::Planner, &bare(
            serde_json::json!({"role": "planner", "create": [task("a", &["#7", "T-008"])], "close": [3], "update": []}),
        )).shows(expect![[r#"
        Planner {
          "status": "OK",
          "summary": "1 items to create, 1 to close, 0 to update"
        }
    "#]]);
}

#[test]
fn r093_results_of_the_wrong_role_or_shape_are_refused() {
    said(Role::Coder, &bare(serde_json::json!({"role": "reviewer"}))).shows(expect![[r#"
        reply.result_role at /role: a result of role "reviewer" came from Coder. Write "role": "implementor", or the universal output
    "#]]);
    said(Role::QA, &bare(serde_json::json!({"role": "implementor"}))).shows(expect![[r#"
        reply.result_role at /role: a result of role "implementor" came from QA. QA replies with status, summary, artifacts, gates and next
    "#]]);
    said(Role::Coder, &bare(serde_json::json!({"role": "implementor", "outcome": "done", "sumary": "x"}))).shows(expect![[r#"
        shape.value_unknown at /outcome: `outcome` is "done", but must be completed, blocked or validation-failure
        shape.field_unknown at /sumary: there is no field "sumary" here. Did you mean "summary"?
        shape.field_missing at the reply: the field "summary" is missing. Add "summary" to the top level
    "#]]);
    said(Role::Reviewer, &bare(
            serde_json::json!({"role": "reviewer", "review": {"verdict": "approve", "summary": "x", "comments": [{"path": "a", "body": "fix this"}]}}),
        )).shows(expect![[r#"
        reply.review_approves_finding at /review/comments/0/body: the verdict is "approve" but a comment says "fix this". Begin it with [Warning], or reply needs-changes
    "#]]);
    said(Role::Reviewer, &bare(
            serde_json::json!({"role": "reviewer", "review": {"verdict": "needs-changes", "summary": "x", "comments": [{"path": "a", "body": "[Warning] that"}]}}),
        )).shows(expect![[r#"
        reply.review_without_finding at /review/comments: the verdict is "needs-changes" but no comment asks for a change. Add a comment for each change, or approve
    "#]]);
}
