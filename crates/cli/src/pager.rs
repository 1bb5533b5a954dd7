//! A long text for a person: in their pager at a terminal, else as it is.

use crate::output::{self, BAD, BOLD, DIM, GOOD, NOTE};
use crate::place;
use anstyle::Style;
use std::io::Write;
use std::process::{Command, Stdio};

/// Shows lines in a pager. At a terminal without one they are printed.
pub fn show(lines: &[(Style, String)]) {
    let text = output::painted(lines);
    let shown = program().is_some_and(|mut pager| {
        let started = pager.stdin(Stdio::piped()).spawn();
        started.is_ok_and(|mut child| {
            if let Some(mut to) = child.stdin.take() {
                // A person who has read enough leaves early.
                let _ = to.write_all(text.as_bytes());
            }
            child.wait().is_ok()
        })
    });
    if !shown {
        output::raw(text.as_bytes());
    }
}

/// The person's pager, by its words; no shell reads them.
fn program() -> Option<Command> {
    let chosen = std::env::var("PAGER").unwrap_or_else(|_| "less -R -F -X".to_owned());
    let mut words = chosen.split_whitespace();
    let mut command = Command::new(place::program_on_path(words.next()?)?);
    command.args(words);
    Some(command)
}

/// A difference with the colours that people know.
pub fn patch(text: &str) -> Vec<(Style, String)> {
    let style = |line: &str| match line.as_bytes().first() {
        _ if line.starts_with("+++") || line.starts_with("---") => BOLD,
        Some(b'+') => GOOD,
        Some(b'-') => BAD.bold(),
        Some(b'@') => NOTE,
        Some(b' ') => Style::new(),
        _ => BOLD,
    };
    text.lines().map(|line| (style(line), line.to_owned())).collect()
}

/// Markdown for a terminal: headings stand out, and code stands back.
pub fn markdown(text: &str) -> Vec<(Style, String)> {
    let mut is_code = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
            continue;
        }
        let title = line.trim_start_matches('#');
        let is_heading = !is_code && title.len() < line.len() && title.starts_with(' ');
        lines.push(match (is_code, is_heading) {
            (true, _) => (DIM, format!("    {line}")),
            (false, true) => (BOLD, title.trim().to_owned()),
            (false, false) => (Style::new(), line.replace("**", "")),
        });
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::markdown;

    #[test]
    fn r180_markdown_is_shown_without_its_marks() {
        let shown = markdown("# Title\n\n- **one**\n```\n# not a title\n```\n#tag");
        let text: Vec<&str> = shown.iter().map(|(_, line)| line.as_str()).collect();
        assert_eq!(text, ["Title", "", "- one", "    # not a title", "#tag"]);
    }
}
