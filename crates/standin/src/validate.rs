//! What a script must not hold because it could not be put on the wire.

use crate::script::{Script, ScriptedTurn, ServiceFault};

/// Headers that the service itself sets.
const OWN_HEADERS: [&str; 3] = ["content-length", "transfer-encoding", "content-type"];

/// Why a script cannot be served, if it cannot.
pub fn problem(script: &Script) -> Option<String> {
    let rules = script.rules.iter().map(|rule| (rule.name.as_str(), &rule.then));
    let otherwise = script.otherwise.iter().map(|answer| ("otherwise", answer));
    rules
        .chain(otherwise)
        .find_map(|(name, answer)| Some(format!("rule \"{name}\": {}", fault_problem(answer)?)))
}

fn fault_problem(answer: &ScriptedTurn) -> Option<String> {
    let Some(ServiceFault::Status { code, headers, .. }) = &answer.fault else { return None };
    if !(300..=599).contains(code) {
        return Some(format!("status {code} is no error; use 300 to 599"));
    }
    headers.iter().find_map(|(name, value)| {
        let token = |c: char| c.is_ascii_alphanumeric() || "-_.!~".contains(c);
        if name.is_empty() || !name.chars().all(token) {
            return Some(format!("header name {name:?} is not a name"));
        }
        if value.chars().any(|c| c.is_control() || !c.is_ascii()) {
            return Some(format!("header {name} has a value that cannot be sent: {value:?}"));
        }
        let own = OWN_HEADERS.iter().any(|own| name.eq_ignore_ascii_case(own));
        own.then(|| format!("header {name} is set by the service itself; leave it out"))
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::*;

    fn check(fault: &str) -> Option<String> {
        let text = format!(r#"{{"rules": [{{"name": "a", "then": {{"fault": {fault}}}}}]}}"#);
        problem(&serde_json::from_str(&text).unwrap())
    }

    #[test]
    fn what_cannot_be_sent_is_refused() {
        let words = check(r#"{"status": {"code": 200}}"#).unwrap();
        assert_eq!(words, "rule \"a\": status 200 is no error; use 300 to 599");
        for headers in [r#"{"a b": "c"}"#, r#"{"a": "b\r\nc: d"}"#, r#"{"Content-Length": "9"}"#] {
            let fault = format!(r#"{{"status": {{"code": 429, "headers": {headers}}}}}"#);
            assert!(check(&fault).is_some(), "{headers}");
        }
        assert_eq!(check(r#"{"status": {"code": 429, "headers": {"x-a": "b"}}}"#), None);
    }
}
