//! Finds the files a task expects in tasks.yaml, by its lines: enough for plans of the usual form.

/// Entries of `files_expected` of the task, or of all tasks when none is named.
pub(super) fn files_expected(tasks_yaml: &str, task: Option<&str>) -> Vec<String> {
    let mut files = Vec::new();
    let mut is_wanted = task.is_none();
    let mut list_indent = None;
    for line in tasks_yaml.lines() {
        let indent = line.len() - line.trim_start().len();
        let text = line.trim();
        if let Some(list) = list_indent {
            if let Some(item) = text.strip_prefix("- ").filter(|_| indent >= list) {
                files.push(unquoted(item));
                continue;
            }
            list_indent = None;
        }
        let text = text.strip_prefix("- ").unwrap_or(text);
        if let Some(id) = text.strip_prefix("id:") {
            is_wanted = task.is_none_or(|task| unquoted(id) == task);
        } else if let Some(list) = text.strip_prefix("files_expected:").filter(|_| is_wanted) {
            let list = list.trim();
            if list.is_empty() {
                list_indent = Some(indent);
            }
            let inner =
                list.strip_prefix('[').and_then(|list| list.split(']').next()).unwrap_or("");
            files.extend(inner.split(',').map(unquoted).filter(|file| !file.is_empty()));
        }
    }
    files
}

fn unquoted(text: &str) -> String {
    text.trim().trim_matches(['"', '\'']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_a_list_are_read_for_the_right_task() {
        let plan = "tasks:\n  - id: T-001\n    files_expected: [a.sh, \"b c.sh\"]\n    goal: x\n  - id: T-002\n    \
                    files_expected:\n      - src/\n      - 'd.sh'\n    acceptance_checks:\n      - \"cmd: true\"\n";
        assert_eq!(files_expected(plan, Some("T-001")), ["a.sh", "b c.sh"]);
        assert_eq!(files_expected(plan, Some("T-002")), ["src/", "d.sh"]);
        assert_eq!(files_expected(plan, None).len(), 4);
        assert!(files_expected(plan, Some("T-003")).is_empty());
    }
}
