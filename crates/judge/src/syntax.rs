//! Finds files that a change broke: they parsed before, or are new, and do not parse now.
//!
//! A false alarm sends an agent back for nothing, so whatever is not surely broken passes: a form that nobody here can
//! read, a file that was broken before, templates, and what tests keep as bad input.

mod code;
mod data;
mod exports;
mod form;

pub use exports::exported;
use form::Form;

/// A longer file is data or made by a program, and takes too long to read.
pub const FILE_BYTES_MAX: usize = 1024 * 1024;

/// Where a file stops making sense, and what is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxFault {
    pub line: u32,
    pub what: String,
}

/// What parsing one version of a file says.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Parsed {
    Whole,
    Broken(SyntaxFault),
    /// It is too deep, too slow or too odd to say anything about.
    Unknown,
}

impl Parsed {
    fn broken(line: usize, what: impl Into<String>) -> Self {
        let line = u32::try_from(line.max(1)).unwrap_or(u32::MAX);
        Self::Broken(SyntaxFault { line, what: what.into() })
    }
}

/// Whether a file of this name is one that can be judged.
pub fn is_judged(path: &str) -> bool {
    Form::of(path).is_some()
}

/// The fault that a change brought into the file; `before` is None for a new one.
pub fn broken_by(path: &str, before: Option<&[u8]>, after: &[u8]) -> Option<SyntaxFault> {
    let form = Form::of(path)?;
    let Parsed::Broken(fault) = parse(form, after) else { return None };
    match before {
        Some(before) if parse(form, before) != Parsed::Whole => None,
        // A template that became the file it makes never parsed.
        None if is_template(form, after) => None,
        _ => Some(SyntaxFault { what: format!("this is not {form}: {}", fault.what), ..fault }),
    }
}

/// Whether this version of the file is broken, whatever it was before.
pub fn is_broken(path: &str, bytes: &[u8]) -> bool {
    Form::of(path).is_some_and(|form| matches!(parse(form, bytes), Parsed::Broken(_)))
}

fn parse(form: Form, bytes: &[u8]) -> Parsed {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let Some(text) = std::str::from_utf8(bytes).ok().filter(|text| text.len() <= FILE_BYTES_MAX)
    else {
        return Parsed::Unknown;
    };
    match form {
        Form::Json => data::json(text),
        Form::JsonLines => data::json_lines(text),
        Form::LooseJson => code::loose_json(text),
        Form::Yaml => data::yaml(text),
        Form::Toml => data::toml(text),
        Form::Xml => data::xml(text),
        Form::Code(language) => code::parse(language, text),
    }
}

/// Whether the text is filled in by another program before anybody parses it.
fn is_template(form: Form, bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let has = |open: &str, close: &str| {
        text.split_once(open).is_some_and(|(_, rest)| rest.contains(close))
    };
    // Two braces are common in code, and mean nothing there.
    let is_code = matches!(form, Form::Code(_));
    has("{%", "%}")
        || has("<%", "%>")
        || has("{{ cookiecutter", "}}")
        || (!is_code && has("{{", "}}"))
}

#[cfg(test)]
mod tests;
