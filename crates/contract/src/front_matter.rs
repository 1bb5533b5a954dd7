//! Splits a Markdown file into its YAML front matter and the prose after it.

use crate::diagnostic::{Report, shape as words};
use crate::node::{Node, read_yaml};

/// The front matter that must be there, and the prose.
pub(crate) fn read<'a>(text: &'a str, path: &str) -> Result<(Node, &'a str), Report> {
    let (yaml, prose) = split(text).map_err(|cause| words::no_front_matter(path, cause))?;
    let node =
        read_yaml(&yaml).map_err(|fault| words::yaml_syntax(path, &fault.message, fault.line))?;
    Ok((node, prose))
}

/// Whether the text means to have front matter.
pub(crate) fn begins(text: &str) -> bool {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.lines().next().is_some_and(|line| line.trim_end() == "---")
}

/// The YAML, padded so that its lines count from the top of the file, and the prose; or why not.
pub(crate) fn split(text: &str) -> Result<(String, &str), &'static str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    if first.trim_end() != "---" {
        return Err("the file does not begin with a line \"---\"");
    }
    let mut at = first.len();
    for line in lines {
        if line.trim_end() == "---" {
            let yaml = format!("\n{}", &text[first.len()..at]);
            return Ok((yaml, &text[at + line.len()..]));
        }
        at += line.len();
    }
    Err("the front matter has no line \"---\" at its end")
}
