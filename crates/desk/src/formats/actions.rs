//! What GitHub Actions shows of our work: annotations, which are lines of a log that begin in a certain way, and the
//! summary of a step, which is Markdown.
//!
//! The runner takes every line that begins with `::`, and every `##[` anywhere in a line, for a command to itself, such as one that
//! masks a text in the log or stops all further commands. So no text of others may reach the log as it is: `defused`.

mod session;

pub use session::{annotations, summary};

use std::borrow::Cow;
use tollgate_files::sanitize::{terminal_line, terminal_text};

/// The summaries of one step may not have more bytes together, or none of them is shown.
pub const SUMMARY_BYTES_MAX: usize = 1 << 20;
const MORE: &str =
    "\nThere is more than GitHub shows; `tollgate status` and `tollgate audit` have all of it.\n";
/// The runner shows no more of one kind for a step.
const EACH_KIND_MAX: usize = 10;
/// Nobody reads more beside a line of code.
const MESSAGE_CHARS_MAX: usize = 4_000;
const TITLE_CHARS_MAX: usize = 200;
/// No system has longer paths.
const FILE_CHARS_MAX: usize = 4_096;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    Error,
    Warning,
    Notice,
}

impl Weight {
    fn command(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Notice => "notice",
        }
    }
}

/// Something that is shown beside a step, and beside a line of a file where it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotation {
    pub weight: Weight,
    /// From the root of what was checked out.
    pub file: Option<String>,
    pub line: Option<u32>,
    pub title: String,
    pub message: String,
}

impl Annotation {
    pub fn new(weight: Weight, title: impl Into<String>, message: impl Into<String>) -> Self {
        let (title, message) = (title.into(), message.into());
        Self { weight, file: None, line: None, title, message }
    }

    #[must_use]
    pub fn at(self, file: Option<String>, line: Option<u32>) -> Self {
        let line = line.filter(|_| file.is_some());
        Self { file, line, ..self }
    }

    /// The line for the log.
    pub fn command(&self) -> String {
        let mut properties = Vec::new();
        if let Some(file) = &self.file {
            properties.push(format!("file={}", property(file, FILE_CHARS_MAX)));
        }
        if let Some(line) = self.line {
            properties.push(format!("line={line}"));
        }
        properties.push(format!("title={}", property(&self.title, TITLE_CHARS_MAX)));
        let message: String =
            terminal_text(&self.message).chars().take(MESSAGE_CHARS_MAX).collect();
        // The runner decodes it and writes it to the log, where it must be as harmless as any other line.
        let message = data(&defused(message.trim()));
        format!("::{} {}::{message}", self.weight.command(), properties.join(","))
    }
}

/// As many as the runner shows, the worst first, and how many more there are.
pub fn shown(mut all: Vec<Annotation>) -> (Vec<Annotation>, usize) {
    all.sort_by_key(|annotation| annotation.weight);
    let before = all.len();
    let mut counts = [0; 3];
    all.retain(|annotation| {
        let count = &mut counts[annotation.weight as usize];
        *count += 1;
        *count <= EACH_KIND_MAX
    });
    let rest = before - all.len();
    (all, rest)
}

/// Parts of a summary, up to the first one for which there is no room.
pub fn fitting(parts: &[String], room: usize) -> String {
    let all: String = parts.iter().map(|part| format!("{part}\n")).collect();
    if all.len() <= room {
        return all;
    }
    let Some(room) = room.checked_sub(MORE.len()) else { return String::new() };
    let mut text = String::new();
    for part in parts {
        if text.len() + part.len() >= room {
            break;
        }
        text.push_str(part);
        text.push('\n');
    }
    text + MORE
}

/// A text for the log in which nothing is a command to the runner, whatever it says.
pub fn defused(text: &str) -> Cow<'_, str> {
    let is_command = |line: &str| opening(line).is_some() || line.contains("##[");
    if !text.contains("::") && !text.contains("##[") || !text.split(is_break).any(is_command) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 8);
    for line in text.split_inclusive(is_break) {
        let line = match opening(line) {
            Some(at) => format!("{}: :{}", &line[..at], &line[at + 2..]),
            None => line.to_owned(),
        };
        safe.push_str(&line.replace("##[", "# #["));
    }
    Cow::Owned(safe)
}

/// A runner on any system ends a line at these.
fn is_break(char: char) -> bool {
    matches!(char, '\n' | '\r')
}

/// Where a line opens a command: before it is nothing that a reader would see.
fn opening(line: &str) -> Option<usize> {
    let at = line.find("::")?;
    terminal_text(&line[..at]).trim().is_empty().then_some(at)
}

fn data(raw: &str) -> String {
    raw.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(raw: &str, chars_max: usize) -> String {
    data(&defused(&terminal_line(raw, chars_max))).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r194_an_annotation_says_what_it_says_and_nothing_else() {
        let title = "a: b, c\n::add-mask::d";
        let message = "50%\n::stop-commands::x\r\nend\u{1b}[1m";
        let found = Annotation::new(Weight::Warning, title, message)
            .at(Some("src/a,b:c.rs".into()), Some(7));
        assert_eq!(
            found.command(),
            "::warning file=src/a%2Cb%3Ac.rs,line=7,title=a%3A b%2C c %3A%3Aadd-mask%3A%3Ad::50%25%0A: :stop-commands::x%0Aend"
        );
        let nowhere = Annotation::new(Weight::Error, "t", "m").at(None, Some(3));
        assert_eq!(nowhere.command(), "::error title=t::m");
    }

    #[test]
    fn r194_no_part_of_an_annotation_is_a_command_to_the_runner() {
        let found = Annotation::new(
            Weight::Error,
            "t ##[add-mask]x",
            "ok\n##[group]a\n#\u{1b}[1m#[error]b",
        )
        .at(Some("##[error]\u{1b}[31ma\n.rs".into()), Some(1));
        assert_eq!(
            found.command(),
            "::error file=# #[error]a .rs,line=1,title=t # #[add-mask]x::ok%0A# #[group]a%0A# #[error]b"
        );
    }

    #[test]
    fn r194_no_line_of_others_is_a_command_to_the_runner() {
        for (said, safe) in [
            ("::set-output name=a::b", ": :set-output name=a::b"),
            ("ok\n \t\u{a0}::add-mask::x\nend", "ok\n \t\u{a0}: :add-mask::x\nend"),
            ("a ##[add-mask]b", "a # #[add-mask]b"),
            ("##[###[group]", "# #[## #[group]"),
            ("\u{1b}[1m::error::x", "\u{1b}[1m: :error::x"),
            ("a\r::stop-commands::t", "a\r: :stop-commands::t"),
            (":::error::", ": ::error::"),
        ] {
            assert_eq!(defused(said), safe, "{said:?}");
            assert_eq!(defused(safe), safe, "once is enough: {said:?}");
        }
        for harmless in ["", "std::fs::read", "a ::b", "# [x]", "│ ::error::x", "x:\n:y"] {
            assert!(matches!(defused(harmless), Cow::Borrowed(_)), "{harmless:?}");
        }
    }

    #[test]
    fn r194_as_many_are_annotated_as_are_shown_the_worst_first() {
        let of = |weight| Annotation::new(weight, "t", "m");
        let mut all = vec![of(Weight::Notice); 3];
        all.extend(vec![of(Weight::Error); 25]);
        let (some, rest) = shown(all);
        assert_eq!((some.len(), rest), (13, 15));
        assert_eq!((some[0].weight, some[12].weight), (Weight::Error, Weight::Notice));
    }

    #[test]
    fn r194_a_summary_that_is_too_long_loses_whole_parts() {
        let parts = ["first".to_owned(), "x".repeat(500), "last".to_owned()];
        assert_eq!(fitting(&parts, 1_000), format!("first\n{}\nlast\n", parts[1]));
        assert_eq!(fitting(&parts, 300), format!("first\n{MORE}"));
        assert_eq!(fitting(&parts, MORE.len()), MORE);
        assert_eq!(fitting(&parts, 3), "");
    }
}
