//! What a gate is about, at a glance: the headings of the files shown, each with its first line.

use std::path::Path;
use tollgate_core::view::{BranchView, Home, QuestionView, ShownFile};
use tollgate_files::sanitize::terminal_line;
use tollgate_git::repository::Repository;

/// A gate is read in a terminal: enough to decide whether to open the file.
const LINES_PER_FILE_MAX: usize = 14;
const WORDS_MAX: usize = 90;

pub fn digest(root: &Path, branch: &BranchView, question: &QuestionView) -> Vec<String> {
    let mut lines = Vec::new();
    let (of_session, of_repository): (Vec<&ShownFile>, Vec<&ShownFile>) =
        question.shown.iter().partition(|file| file.home == Home::Session);
    for file in of_session {
        lines.push(file.path.clone());
        if file.path.ends_with(".md")
            && let Ok(text) = std::fs::read_to_string(root.join(&file.path))
        {
            lines.extend(outline(&text));
        }
    }
    if of_repository.is_empty() {
        return lines;
    }
    let repository = Repository::discover(root).ok();
    for file in of_repository {
        lines.push(file.path.clone());
        let content = repository.as_ref().filter(|_| file.path.ends_with(".md"));
        let content = content.and_then(|found| found.content(&branch.tip, &file.path).ok());
        lines.extend(
            content.map(|text| outline(&String::from_utf8_lossy(&text))).into_iter().flatten(),
        );
    }
    lines.push(format!("read one in full with `git show {}:PATH`", branch.name));
    lines
}

fn outline(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut heading: Option<String> = None;
    let mut is_fenced = false;
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("```") {
            is_fenced = !is_fenced;
        }
        if is_fenced || line.is_empty() {
            continue;
        }
        if line.starts_with("##") {
            heading = Some(line.trim_start_matches('#').trim().to_owned());
        } else if let Some(heading) = heading.take() {
            lines.push(format!(
                "    {heading}: {}",
                terminal_line(line.trim_start_matches("- "), WORDS_MAX)
            ));
        }
    }
    if lines.len() > LINES_PER_FILE_MAX {
        lines.truncate(LINES_PER_FILE_MAX);
        lines.push("    …".to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outline_has_each_heading_with_its_first_line() {
        let text =
            "# Title\n\n## Goals\n\n- one\n- two\n\n```\n## not this\n```\n\n## Scope\nall of it\n";
        assert_eq!(outline(text), ["    Goals: one", "    Scope: all of it"]);
    }
}
