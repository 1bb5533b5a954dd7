//! Faults as people and agents read them: a code, a place, words that quote what was found, and help.

pub(crate) mod action;
pub(crate) mod agent_input;
pub(crate) mod artefact;
pub(crate) mod config;
pub(crate) mod done;
pub(crate) mod gates;
pub(crate) mod import;
pub(crate) mod labels;
pub(crate) mod lifecycle;
pub(crate) mod plan;
pub(crate) mod reply;
pub(crate) mod reports;
pub(crate) mod sections;
pub(crate) mod shape;
pub(crate) mod status;
pub(crate) mod tasks;
pub(crate) mod work_item;

use crate::shape::FAULTS_MAX;
use serde::Serialize;
use tollgate_core::reply::ReplyError;
pub(crate) use tollgate_judge::quote;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// Known to `explain`.
    pub code: &'static str,
    pub severity: Level,
    /// A file, a JSON pointer, or a file with a pointer after `#`.
    pub path: String,
    pub line: Option<u32>,
    pub message: String,
    pub help: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Error,
    Warning,
}

impl Diagnostic {
    fn error(code: Code, at: Location, message: impl Into<String>) -> Self {
        let Location { path, line } = at;
        let severity = Level::Error;
        let (path, message) = (plain(path), plain(message.into()));
        Self { code: code.0, severity, path, line, message, help: None }
    }

    fn warning(code: Code, at: Location, message: impl Into<String>) -> Self {
        Self { severity: Level::Warning, ..Self::error(code, at, message) }
    }

    fn help(self, help: impl Into<String>) -> Self {
        self.help_if(Some(help.into()))
    }

    fn help_if(self, help: Option<String>) -> Self {
        Self { help: help.map(plain), ..self }
    }

    pub fn is_error(&self) -> bool {
        self.severity == Level::Error
    }

    /// The path with its line, as editors and terminals open it.
    pub fn place(&self) -> String {
        match self.line {
            Some(line) => format!("{}:{line}", self.path),
            None => self.path.clone(),
        }
    }
}

impl From<Diagnostic> for ReplyError {
    fn from(diagnostic: Diagnostic) -> Self {
        let place = diagnostic.place();
        let message = match diagnostic.help {
            Some(help) => format!("{}. {help}", diagnostic.message),
            None => diagnostic.message,
        };
        Self::new(diagnostic.code, place, message)
    }
}

/// Everything that is wrong with one document, in the order of the document where that is known.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Report {
    pub diagnostics: Vec<Diagnostic>,
}

impl Report {
    /// No errors; warnings are allowed.
    pub fn is_ok(&self) -> bool {
        self.errors().next().is_none()
    }

    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(|d| d.is_error())
    }

    pub fn warnings(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(|d| !d.is_error())
    }

    /// The errors in the form that goes back to an agent.
    pub fn reply_errors(&self) -> Vec<ReplyError> {
        self.errors().cloned().map(ReplyError::from).collect()
    }

    /// Faults beyond the limit are counted out: a document made of faults must not exhaust memory.
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        match self.diagnostics.len() {
            FAULTS_MAX => self.diagnostics.push(shape::cut(&diagnostic.path, FAULTS_MAX)),
            fewer if fewer < FAULTS_MAX => self.diagnostics.push(diagnostic),
            _ => {}
        }
    }

    pub(crate) fn extend(&mut self, diagnostics: impl IntoIterator<Item = Diagnostic>) {
        diagnostics.into_iter().for_each(|diagnostic| self.push(diagnostic));
    }

    /// Tells a fault that is at several places once, with the other lines; what differs in a number only is the same.
    pub(crate) fn tell_once(&mut self) {
        let mut told: Vec<(String, Diagnostic, Vec<u32>)> = Vec::new();
        for diagnostic in std::mem::take(&mut self.diagnostics) {
            let key = format!("{} {}", diagnostic.code, without_numbers(&diagnostic.message));
            match told.iter_mut().find(|(known, first, _)| {
                *known == key && first.severity == diagnostic.severity && first.line.is_some()
            }) {
                Some((_, _, lines)) if diagnostic.line.is_some() => lines.extend(diagnostic.line),
                _ => told.push((key, diagnostic, Vec::new())),
            }
        }
        for (_, mut diagnostic, lines) in told {
            if !lines.is_empty() {
                diagnostic.message.push_str(&format!("; the same on {}", on_lines(&lines)));
            }
            self.diagnostics.push(diagnostic);
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.diagnostics.len() > FAULTS_MAX
    }
}

impl From<Diagnostic> for Report {
    fn from(diagnostic: Diagnostic) -> Self {
        Self { diagnostics: vec![diagnostic] }
    }
}

/// With `#` for every number.
fn without_numbers(text: &str) -> String {
    let mut plain = String::new();
    for c in text.chars() {
        match c.is_ascii_digit() {
            true if plain.ends_with('#') => {}
            true => plain.push('#'),
            false => plain.push(c),
        }
    }
    plain
}

fn on_lines(lines: &[u32]) -> String {
    const SHOWN_MAX: usize = 10;
    let shown: Vec<String> = lines.iter().take(SHOWN_MAX).map(u32::to_string).collect();
    let (word, more) = match lines.len() {
        1 => ("line", String::new()),
        count if count > SHOWN_MAX => ("lines", format!(" and {} more", count - SHOWN_MAX)),
        _ => ("lines", String::new()),
    };
    format!("{word} {}{more}", shown.join(", "))
}

/// A code that has a page. Only the tables beside the factories make one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Code(&'static str);

/// Declares the codes of a theme, each with its page; a code without a use does not compile cleanly.
macro_rules! pages {
    ($($name:ident = $code:literal: $page:literal;)+) => {
        $(const $name: $crate::diagnostic::Code = $crate::diagnostic::Code($code);)+
        pub(crate) const PAGES: &[(&str, &str)] = &[$(($code, $page)),+];
    };
}
use pages;

/// Where a fault is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Location {
    path: String,
    line: Option<u32>,
}

impl Location {
    /// A reply or another text without a file: by JSON pointer, the whole of it as `/`.
    /// A file: by line where it is known, by pointer after `#` where it is not.
    pub fn new(file: &str, pointer: &str, line: Option<u32>) -> Self {
        let path = match (file, pointer) {
            ("", "") => "/".to_owned(),
            ("", pointer) => pointer.to_owned(),
            (file, "") => file.to_owned(),
            (file, _) if line.is_some() => file.to_owned(),
            (file, pointer) => format!("{file}#{pointer}"),
        };
        Self { path, line }
    }

    pub fn file(file: &str, line: Option<u32>) -> Self {
        Self::new(file, "", line)
    }
}

/// Names of fields and words of parsers come from the document too: no control character gets out.
fn plain(text: String) -> String {
    if !text.chars().any(char::is_control) {
        return text;
    }
    let escaped =
        |c: char| if c.is_control() { c.escape_debug().to_string() } else { c.to_string() };
    text.chars().map(escaped).collect()
}

/// `a`, `b` or `c`; of a long list the beginning.
pub(crate) fn any_of<T: AsRef<str>>(words: &[T]) -> String {
    const SHOWN_MAX: usize = 30;
    match words {
        [..] if words.len() > SHOWN_MAX => {
            let first: Vec<&str> = words.iter().take(SHOWN_MAX).map(AsRef::as_ref).collect();
            format!("{}, …", first.join(", "))
        }
        [] => "nothing".to_owned(),
        [only] => only.as_ref().to_owned(),
        [first @ .., last] => {
            let first: Vec<&str> = first.iter().map(AsRef::as_ref).collect();
            format!("{} or {}", first.join(", "), last.as_ref())
        }
    }
}

/// `Did you mean "x"?`, where something is near.
fn perhaps_meant<T: AsRef<str>>(found: &str, known: &[T]) -> Option<String> {
    let near = crate::nearest::nearest(found, known.iter().map(AsRef::as_ref))?;
    Some(format!("Did you mean {}?", quote(near)))
}

/// `Did you mean "x"?`, or the whole choice when nothing is near.
fn did_you_mean<T: AsRef<str>>(found: &str, known: &[T]) -> String {
    perhaps_meant(found, known).unwrap_or_else(|| format!("Known: {}.", any_of(known)))
}
