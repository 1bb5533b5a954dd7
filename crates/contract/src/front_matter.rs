//! Splits a Markdown file into its YAML front matter and the prose after it.

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
