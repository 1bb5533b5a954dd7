//! A long text for a person: in their pager at a terminal, else as it is.

use crate::output::{self, BAD, BOLD, DIM, GOOD, NOTE, Shown};
use crate::place;
use anstyle::Style;
use signal_hook::consts::{SIGINT, SIGQUIT};
use std::io::{self, Seek as _, Write as _};
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What the person's pager is told where they told it nothing: to show colours, and to leave when all fits the screen.
const SETTINGS: [(&str, &str); 2] = [("LESS", "FRX"), ("LV", "-c")];
/// A shell did not find the program, or cannot run it.
const CANNOT_RUN: [i32; 2] = [126, 127];

/// Shows lines in a pager and waits until it is left. Where there is none they are printed.
pub fn show(lines: &[(Style, String)]) {
    let text = output::painted(lines, Shown::AsData);
    let shown = over(&text).is_some_and(|mut pager| {
        let _until_it_is_left = KeysForThePager::begin();
        has_shown(&pager.status())
    });
    if !shown {
        output::raw(text.as_bytes());
    }
}

/// The person's pager over a text; none where there is no such program. No shell reads its words.
pub fn over(text: &str) -> Option<Command> {
    let chosen = std::env::var("PAGER").unwrap_or_else(|_| "less -R -F -X".to_owned());
    let words = shlex::split(&chosen)?;
    let (program, args) = words.split_first()?;
    let mut command = Command::new(place::program_on_path(program)?);
    command.args(args).stdin(input(text).ok()?);
    for (name, value) in SETTINGS {
        if std::env::var_os(name).is_none() {
            command.env(name, value);
        }
    }
    Some(command)
}

/// A file that nobody else can open, so that a person may leave before the end.
fn input(text: &str) -> io::Result<std::fs::File> {
    let mut file = tempfile::tempfile()?;
    file.write_all(text.as_bytes())?;
    file.rewind()?;
    Ok(file)
}

pub fn has_shown(ended: &io::Result<ExitStatus>) -> bool {
    let code = ended.as_ref().map(ExitStatus::code);
    code.is_ok_and(|code| !code.is_some_and(|code| CANNOT_RUN.contains(&code)))
}

/// Ctrl-C and Ctrl-\ are the pager's until this is dropped.
struct KeysForThePager {
    is_over: Arc<AtomicBool>,
}

impl KeysForThePager {
    fn begin() -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGQUIT] {
            let _ = signal_hook::flag::register_conditional_default(signal, is_over.clone());
        }
        Self { is_over }
    }
}

impl Drop for KeysForThePager {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
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
