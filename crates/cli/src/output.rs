//! The only place that prints. Data goes to stdout, talk to stderr; text of others is cleaned on the way.

use crate::failure::Failure;
use anstyle::{AnsiColor, Style};
use serde::Serialize;
use std::io::{IsTerminal, Write};
use tollgate_contract::diagnostic::{Report, Severity};
use tollgate_host::sanitize::terminal_text;

pub const BOLD: Style = Style::new().bold();
pub const DIM: Style = Style::new().dimmed();
pub const GOOD: Style = AnsiColor::Green.on_default();
pub const BAD: Style = AnsiColor::Red.on_default().bold();
pub const WARN: Style = AnsiColor::Yellow.on_default();
pub const NOTE: Style = AnsiColor::Cyan.on_default();

/// Something a person's script reads.
pub fn data(text: &str) {
    let mut stdout = anstream::stdout().lock();
    // A reader that went away is no error of ours.
    let _ = writeln!(stdout, "{}", terminal_text(text).trim_end_matches('\n'));
}

/// Bytes as they are, for completions and schemas.
pub fn raw(bytes: &[u8]) {
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(bytes).and_then(|()| stdout.flush());
}

pub fn json<T: Serialize>(value: &T) {
    let text = serde_json::to_string_pretty(value).expect("what we print can be written as JSON");
    raw(format!("{}\n", escaped(&text)).as_bytes());
}

/// One JSON value a line.
pub fn json_line<T: Serialize>(value: &T) {
    let text = serde_json::to_string(value).expect("what we print can be written as JSON");
    raw(format!("{}\n", escaped(&text)).as_bytes());
}

/// JSON escapes only the first 32 characters; what else a terminal would obey stands inside strings, too.
fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if c == '\n' || terminal_text(c.encode_utf8(&mut [0; 4])).contains(c) {
            text.push(c);
        } else {
            let mut units = [0; 2];
            c.encode_utf16(&mut units)
                .iter()
                .for_each(|unit| text.push_str(&format!("\\u{unit:04x}")));
        }
    }
    text
}

/// Something for the person at the terminal.
pub fn talk(text: &str) {
    let mut stderr = anstream::stderr().lock();
    let _ = writeln!(stderr, "{}", terminal_text(text));
}

/// A line in a style; the text is cleaned, the style is ours.
pub fn styled(style: Style, text: &str) {
    let mut stderr = anstream::stderr().lock();
    let _ = writeln!(stderr, "{style}{}{style:#}", terminal_text(text));
}

/// A short mark in a style, then text.
pub fn marked(style: Style, mark: &str, text: &str) {
    let mut stderr = anstream::stderr().lock();
    let _ = writeln!(stderr, "{style}{mark}{style:#} {}", terminal_text(text));
}

/// A prompt without a line break.
pub fn prompt(text: &str) {
    let mut stderr = anstream::stderr().lock();
    let _ = write!(stderr, "{BOLD}{}{BOLD:#}", terminal_text(text)).and_then(|()| stderr.flush());
}

/// A person can be asked: both what they read and what they type is a terminal.
pub fn is_interactive() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

pub fn stderr_is_terminal() -> bool {
    std::io::stderr().is_terminal()
}

pub fn failure(failure: &Failure) {
    if let Some(found) = &failure.report {
        report(found);
    }
    marked(BAD, "error:", &failure.message);
    for hint in &failure.hints {
        marked(NOTE, " help:", hint);
    }
    let explain = format!("`tollgate explain {}` tells more", failure.code);
    marked(DIM, "      ", &explain);
}

/// Every diagnostic with its place.
pub fn report(report: &Report) {
    for diagnostic in &report.diagnostics {
        let (style, word) = match diagnostic.severity {
            Severity::Error => (BAD, "error"),
            Severity::Warning => (WARN, "warning"),
        };
        let mark = format!("{word}[{}]", diagnostic.code);
        marked(style, &mark, &format!("{}: {}", diagnostic.place(), diagnostic.message));
        if let Some(help) = &diagnostic.help {
            marked(NOTE, "  help:", help);
        }
    }
}
