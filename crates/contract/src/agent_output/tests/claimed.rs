//! The findings of a refused reply.

use super::super::claimed_findings;
use super::bare;
use serde_json::{Value, json};
use tollgate_core::limits::{REPLY_BYTES_MAX, REPLY_ITEMS_MAX};

/// Every finding as its severity, place and message.
fn claimed(bytes: &[u8]) -> Vec<String> {
    let found = claimed_findings(bytes).into_iter();
    found
        .map(|f| {
            let place = [f.file, f.line].into_iter().flatten().collect::<Vec<_>>().join(":");
            format!("{} {place} {}", f.severity, f.message)
        })
        .collect()
}

fn in_artifacts(field: &str, value: Value) -> Vec<u8> {
    bare(json!({"status": "OK", "artifacts": {field: value}}))
}

#[test]
fn r122_a_refused_reply_says_what_it_found_in_whatever_form() {
    let full = json!({"severity": "critical", "file": "a.rs", "line": 3, "description": "a key"});
    for (reply, expected) in [
        (in_artifacts("findings", json!([full])), "critical a.rs:3 a key"),
        (
            bare(json!({"status": "NEEDS_INFO", "artifacts": {"findings": [full]}})),
            "critical a.rs:3 a key",
        ),
        (bare(json!({"status": "OK", "findings": [full]})), "critical a.rs:3 a key"),
        (bare(json!({"artifacts": "none", "findings": full})), "critical a.rs:3 a key"),
        (in_artifacts("findings", full.clone()), "critical a.rs:3 a key"),
        (in_artifacts("review_comments", json!([full])), "critical a.rs:3 a key"),
        (
            in_artifacts("findings", json!([{"severity": " CRITICAL ", "description": "a key"}])),
            "critical  a key",
        ),
        (
            in_artifacts("findings", json!([{"severity": "Blocker", "message": "a key"}])),
            "critical  a key",
        ),
        (in_artifacts("findings", json!([{"severity": "major", "message": "slow"}])), "high  slow"),
        (
            in_artifacts("review_comments", json!([{"severity": "MINOR", "message": "dull"}])),
            "medium  dull",
        ),
        (
            in_artifacts("review_comments", json!([{"severity": "nit", "message": "a name"}])),
            "low  a name",
        ),
        (in_artifacts("findings", json!([{"description": "a key"}])), "high  a key"),
        (
            in_artifacts("findings", json!([{"severity": "urgent", "description": "a key"}])),
            "high  a key",
        ),
        (in_artifacts("findings", json!([{"severity": 9, "description": "a key"}])), "high  a key"),
        (in_artifacts("findings", json!(["a key"])), "high  a key"),
        (in_artifacts("findings", json!("a key")), "high  a key"),
        (in_artifacts("findings", json!(["[Warning] long"])), "low  [Warning] long"),
        (
            in_artifacts(
                "findings",
                json!([{"severity": "critical", "title": "a key", "at": [1, "x\ny"]}]),
            ),
            "critical  at: 1, x\ny, severity: critical, title: a key",
        ),
        (
            bare(
                json!({"role": "reviewer", "review": {"comments": [{"path": "a.rs", "line": "3", "body": "a key"}]}}),
            ),
            "high a.rs:3 a key",
        ),
        (br#"{"findings": [], "findings": ["a key"]}"#.to_vec(), "high  a key"),
    ] {
        assert_eq!(claimed(&reply), [expected], "{}", String::from_utf8_lossy(&reply));
    }
}

#[test]
fn r122_where_nothing_is_reported_nothing_is_claimed() {
    let full = r#"{"findings": [{"severity": "critical", "description": "a key"}]}"#;
    for reply in [
        r#"{"status": "OK", "artifacts": {"findings": [], "review_comments": null}}"#.to_owned(),
        r#"{"findings": [null, "", "  ", {}, 0, false, []]}"#.to_owned(),
        r#"{"findings": false}"#.to_owned(),
        r#"{"artifacts": {"notes": ["critical"]}, "summary": "critical"}"#.to_owned(),
        String::new(),
        "I found a critical one.".to_owned(),
        format!("Here it is: {full}"),
        format!("{full} Anything else?"),
        format!("[{full}]"),
        full.replace("]}", "]"),
    ] {
        assert_eq!(claimed(reply.as_bytes()), [""; 0], "{reply}");
    }
    let deep = format!("{{\"findings\": {}{}}}", "[".repeat(10_000), "]".repeat(10_000));
    assert_eq!(claimed(deep.as_bytes()), [""; 0]);
    let huge = in_artifacts("findings", json!(["a".repeat(REPLY_BYTES_MAX as usize)]));
    assert_eq!(claimed(&huge), [""; 0]);
}

#[test]
fn r122_of_too_many_the_gravest_are_kept() {
    let mut many = vec![json!({"severity": "low", "description": "a name"}); REPLY_ITEMS_MAX + 1];
    many.push(json!({"severity": "critical", "description": "a key"}));
    let found = claimed(&in_artifacts("findings", json!(many)));
    assert_eq!((found.len(), found[0].as_str()), (REPLY_ITEMS_MAX, "critical  a key"));
}
