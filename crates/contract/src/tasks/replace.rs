//! Puts another command in place of a check in tasks.yaml, without touching anything else a person wrote.

use super::edit;
use crate::node::{Node, Value, read_yaml};
use tollgate_core::task::Check;

/// The text with every check of the command replaced where it stands. None where that would change something else too.
pub fn replace_check(text: &str, command: &str, with: &str) -> Option<String> {
    let mut wanted = read_yaml(text).ok()?;
    let mut edits = Vec::new();
    for task in wanted.get_mut("tasks")?.items_mut() {
        let Some(checks) = task.get_mut("acceptance_checks") else { continue };
        for check in checks.items_mut() {
            let Some((scalar, new)) = scalar_of(check, command, with) else { continue };
            edits.push((scalar.span?, serde_json::to_string(&new).ok()?));
            scalar.value = Value::Text(new);
        }
    }
    let edited = edit::replace(text, edits)?;
    let after = read_yaml(&edited).ok()?;
    (after.to_json() == wanted.to_json()).then_some(edited)
}

/// Where a check of the command stands, and what takes its place: `"cmd: x"`, `x`, or the value of `cmd: x`.
fn scalar_of<'a>(check: &'a mut Node, command: &str, with: &str) -> Option<(&'a mut Node, String)> {
    if let Some(text) = check.as_text() {
        let is_it = Check::from(text.to_owned()).command().as_deref() == Some(command);
        return is_it.then(|| (check, Check::Command(with.to_owned()).to_string()));
    }
    let value = check.get_mut("cmd")?;
    (value.as_text()?.trim() == command).then(|| (value, with.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::replace_check;

    #[test]
    fn a_check_is_replaced_where_it_stands_and_nothing_else_is_touched() {
        let plan = |one: &str, two: &str, flow: &str| {
            format!(
                "# mine\ntasks:\n  - id: T-001   # first\n    goal: vitest run\n    acceptance_checks:\n      - {one}\n      - manual: look\n  \
                 - id: T-002\n    acceptance_checks:\n    - cmd: {two} # why\n  - {{id: T-003, acceptance_checks: [{flow}, 'cmd: b']}}\n"
            )
        };
        let before = plan("'cmd: vitest run'", "vitest run", "vitest run");
        let after = plan(
            r#""cmd: npx vitest: \"a\"""#,
            r#""npx vitest: \"a\"""#,
            r#""cmd: npx vitest: \"a\"""#,
        );
        assert_eq!(replace_check(&before, "vitest run", "npx vitest: \"a\""), Some(after));
        assert_eq!(replace_check(&before, "absent", "x"), Some(before.clone()));
        assert_eq!(replace_check("tasks: [", "a", "b"), None);
    }

    #[test]
    fn a_check_that_another_task_shares_by_an_alias_is_replaced_in_both_or_not_at_all() {
        let plan = |second: &str| {
            format!(
                "tasks:\n  - id: T-001\n    acceptance_checks: [&c 'cmd: a']\n  - id: T-002\n    {second}: [*c]\n"
            )
        };
        let both = "tasks:\n  - id: T-001\n    acceptance_checks: [&c \"cmd: b\"]\n  - id: T-002\n    acceptance_checks: [\"cmd: b\"]\n";
        assert_eq!(replace_check(&plan("acceptance_checks"), "a", "b").as_deref(), Some(both));
        assert_eq!(
            replace_check(&plan("done_when"), "a", "b"),
            None,
            "what it is done when would change"
        );
    }
}
