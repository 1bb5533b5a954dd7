//! Whether a rule fits a start.

use super::script::When;
use super::start::Start;

pub(super) fn fits(when: &When, start: &Start, nth: u32) -> bool {
    is_or_any(when.role.as_deref(), &start.role)
        && is_or_any(when.task.as_deref(), &start.task)
        && is_or_any(when.mode.as_deref(), start.mode())
        && is_or_any(when.dispatch.as_ref(), &start.dispatch)
        && is_or_any(when.attempt.as_ref(), &start.attempt)
        && is_or_any(when.nth.as_ref(), &nth)
        && when.input_has.as_ref().is_none_or(|text| start.input_text.contains(text))
        && when.prompt_has.as_ref().is_none_or(|text| start.prompt.contains(text))
        && when.exists.as_ref().is_none_or(|path| start.path(path).exists())
        && when.file_has.iter().all(|(path, text)| holds(start, path, text))
        && when.file_lacks.iter().all(|(path, text)| !holds(start, path, text))
}

fn is_or_any<T: PartialEq + ?Sized>(wanted: Option<&T>, actual: &T) -> bool {
    wanted.is_none_or(|wanted| wanted == actual)
}

fn holds(start: &Start, path: &str, text: &str) -> bool {
    std::fs::read_to_string(start.path(path)).is_ok_and(|content| content.contains(text))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    #[test]
    fn every_condition_must_hold() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("limit.sh"), "[ 3 -gt 2 ]").unwrap();
        let start = Start::sample(dir.path(), "Coder", "T-001");
        let check = |when: &str, expected: bool| {
            let when: When = serde_json::from_str(when).unwrap();
            assert_eq!(fits(&when, &start, 2), expected, "{when:?}");
        };
        check("{}", true);
        check(r#"{"role": "Coder"}"#, true);
        check(r#"{"role": "coder"}"#, false);
        check(
            r#"{"role": "Coder", "task": "T-001", "mode": "full", "dispatch": 7, "attempt": 1, "nth": 2}"#,
            true,
        );
        check(r#"{"task": "meta"}"#, false);
        check(r#"{"mode": "lean"}"#, false);
        check(r#"{"dispatch": 8}"#, false);
        check(r#"{"attempt": 2}"#, false);
        check(r#"{"role": "Coder", "nth": 1}"#, false);
        check(r#"{"input_has": "failed logins"}"#, true);
        check(r#"{"input_has": "per user"}"#, false);
        check(r#"{"prompt_has": "per user"}"#, true);
        check(r#"{"prompt_has": "absent"}"#, false);
        check(r#"{"exists": "limit.sh"}"#, true);
        check(r#"{"exists": "{task}.sh"}"#, false);
        check(r#"{"file_has": {"limit.sh": "-gt"}}"#, true);
        check(r#"{"file_has": {"limit.sh": "-ge"}}"#, false);
        check(r#"{"file_lacks": {"limit.sh": "-ge", "none.sh": "x"}}"#, true);
        check(r#"{"file_lacks": {"limit.sh": "-gt"}}"#, false);
    }
}
