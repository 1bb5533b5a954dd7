//! What happens to the files that a reply asks for.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::read_as;
use serde_json::{Value, json};

/// The same requests in every form of reply that may carry them.
fn in_every_form(requests: &Value) -> [Value; 4] {
    let usage = Value::Null;
    [
        json!({"status": "BLOCKED", "summary": "s", "artifacts": {}, "gates": {"meets_definition_of_done": false},
            "scope_request": requests}),
        json!({"role": "planner", "create": [], "close": [], "update": [], "usage": usage, "scope_request": requests}),
        json!({"role": "implementor", "outcome": "blocked", "summary": "s", "usage": usage,
            "scope_request": requests}),
        json!({"role": "reviewer", "review": {"verdict": "approve", "summary": "s", "comments": []}, "usage": usage,
            "scope_request": requests}),
    ]
}

fn faults(requests: &Value) -> Vec<Vec<(String, String, String)>> {
    let read = |reply: Value| {
        let report = read_as(reply.to_string().as_bytes(), None).unwrap_err();
        let errors = report.reply_errors().into_iter();
        errors.map(|error| (error.code, error.path, error.message)).collect()
    };
    in_every_form(requests).into_iter().map(read).collect()
}

#[test]
fn r104_a_file_that_cannot_be_allowed_cannot_be_asked_for() {
    let long = format!("src/{}", "x".repeat(600));
    let cases = [
        ("src/", "name the files"),
        ("./src//a/ ", "name the files"),
        ("src/*.rs", "name the files"),
        ("src/{a,b}.rs", "name the files"),
        ("/etc/passwd", "plain path"),
        ("../x", "plain path"),
        ("src/../../x", "plain path"),
        ("C:/x", "plain path"),
        (".", "plain path"),
        (".git/config", "no agent may change"),
        (".//agents/coder/SKILL.md", "no agent may change"),
        ("tollgate.toml", "no agent may change"),
        (".agents-work/x/spec.md", "no agent may change"),
        ("src/a\n.rs", "line breaks"),
        ("src/\u{1b}[2J.rs", "control characters"),
        (long.as_str(), "the limit is 512"),
    ];
    for (path, words) in cases {
        let requests = json!([{"path": "ok.rs", "reason": "r"}, {"path": path, "reason": "r"}]);
        for form in faults(&requests) {
            let [(code, at, message)] = form.as_slice() else { panic!("{path:?}: {form:?}") };
            assert_eq!(
                (code.as_str(), at.as_str()),
                ("reply.scope_request_path", "/scope_request/1/path")
            );
            assert!(message.contains(words), "{path:?}: {message}");
        }
    }
}

#[test]
fn r104_reasons_and_the_number_of_requests_have_bounds() {
    for reason in ["x".repeat(1_001), "one\ntwo".to_owned(), "\u{1b}[31m".to_owned()] {
        for form in faults(&json!([{"path": "a.rs", "reason": reason}])) {
            let [(code, at, _)] = form.as_slice() else { panic!("{form:?}") };
            assert_eq!(
                (code.as_str(), at.as_str()),
                ("reply.scope_request_reason", "/scope_request/0/reason")
            );
        }
    }
    let many: Vec<Value> =
        (0..21).map(|n| json!({"path": format!("{n}.rs"), "reason": "r"})).collect();
    for form in faults(&Value::Array(many)) {
        let [(code, at, _)] = form.as_slice() else { panic!("{form:?}") };
        assert_eq!((code.as_str(), at.as_str()), ("reply.scope_requests_many", "/scope_request"));
    }
}

#[test]
fn r104_a_path_is_asked_for_once_and_as_the_scope_compares_it() {
    let spellings = ["./src/a.rs", "src//a.rs ", "`src/a.rs`", "src/./a.rs", "app/[id]/page.tsx"];
    let requests: Vec<Value> = spellings
        .iter()
        .enumerate()
        .map(|(n, path)| json!({"path": path, "reason": format!("r{n}")}))
        .collect();
    for reply in in_every_form(&Value::Array(requests)) {
        let read = read_as(reply.to_string().as_bytes(), None).unwrap();
        let asked: Vec<(&str, &str)> = read
            .reply
            .scope_requests
            .iter()
            .map(|r| (r.path.as_str(), r.reason.as_str()))
            .collect();
        assert_eq!(asked, [("src/a.rs", "r0"), ("app/[id]/page.tsx", "r4")]);
    }
}
