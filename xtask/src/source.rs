//! The sources as tidy sees them: each file as written, as code without comments and texts, and as what is shipped.

use std::path::Path;
use xtask::Trouble;

/// Folders that hold no sources of ours; `samples` are files of other people.
const SKIPPED: [&str; 7] =
    [".git", "target", ".agents-work", ".snapshots", ".artifacts-failed", "logs", "samples"];

#[derive(Debug)]
pub struct SourceFile {
    /// From the root of the workspace, with `/`.
    pub path: String,
    pub text: String,
    /// The text with comments and the insides of texts blanked, line for line; empty unless Rust.
    pub code: String,
    /// `code` with everything that is only compiled for tests blanked too.
    pub shipped: String,
    /// How many lines belong to what is only compiled for tests.
    pub test_lines: usize,
}

impl SourceFile {
    pub fn new(path: &str, text: &str) -> Self {
        let code = if path.ends_with(".rs") { code_of(text) } else { String::new() };
        let (shipped, test_lines) = if is_test_file(path, &code) {
            (String::new(), text.lines().count())
        } else {
            without_tests(&code)
        };
        Self { path: path.to_owned(), text: text.to_owned(), code, shipped, test_lines }
    }

    pub fn is_below(&self, folder: &str) -> bool {
        self.path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
    }
}

/// Every text file below the root, sorted by path.
pub fn load(root: &Path) -> Result<Vec<SourceFile>, Trouble> {
    let mut files = Vec::new();
    visit(root, "", &mut files)?;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

fn visit(folder: &Path, below: &str, files: &mut Vec<SourceFile>) -> Result<(), Trouble> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if below.is_empty() { name.clone() } else { format!("{below}/{name}") };
        let kind = entry.file_type()?;
        if SKIPPED.contains(&name.as_str()) {
            continue;
        } else if kind.is_dir() {
            visit(&entry.path(), &path, files)?;
        } else if kind.is_file()
            && let Ok(text) = String::from_utf8(std::fs::read(entry.path())?)
        {
            files.push(SourceFile::new(&path, &text));
        }
    }
    Ok(())
}

fn is_test_file(path: &str, code: &str) -> bool {
    path.contains("/tests/")
        || path.ends_with("/tests.rs")
        || path.ends_with("_tests.rs")
        || code.contains("#![cfg(test)]")
}

/// The line, from 1, on which a byte of the text lies.
pub fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

pub fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Where `path`, such as `io::stdout` or `HashMap`, stands as whole words.
pub fn find_words<'a>(code: &'a str, path: &'a str) -> impl Iterator<Item = usize> + 'a {
    code.match_indices(path).map(|(at, _)| at).filter(move |&at| {
        let starts = !code[..at].ends_with(is_word) || !path.starts_with(is_word);
        let ends = !code[at + path.len()..].starts_with(is_word) || !path.ends_with(is_word);
        starts && ends
    })
}

/// The byte after the bracket that closes the one at `open`, or the end of the text.
pub fn closing(code: &str, open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in code.bytes().enumerate().skip(open) {
        match byte {
            b'{' | b'(' | b'[' => depth += 1,
            b'}' | b')' | b']' => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth == 0 {
            return at + 1;
        }
    }
    code.len()
}

/// Blanks comments and the insides of texts and characters; every line keeps its number.
fn code_of(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (length, kept) = match c {
            '/' if rest.starts_with("//") => (rest.find('\n').unwrap_or(rest.len()), ""),
            '/' if rest.starts_with("/*") => (block_comment(rest), ""),
            '"' => (1 + escaped_until(&rest[1..], '"'), "\""),
            '\'' => character(rest).map_or((0, ""), |length| (length, "'")),
            'r' if !code.ends_with(is_word) || code.ends_with(['b', 'c']) => {
                raw_text(rest).map_or((0, ""), |length| (length, "\""))
            }
            _ => (0, ""),
        };
        if length == 0 {
            code.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        }
        code.push_str(kept);
        code.extend(rest[..length].chars().filter(|c| *c == '\n'));
        code.push_str(kept);
        rest = &rest[length..];
    }
    code
}

fn block_comment(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// The length up to and with the first `end` that is not escaped.
fn escaped_until(text: &str, end: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if c == end {
            return at + c.len_utf8();
        }
    }
    text.len()
}

/// The length of a character literal; none when the quote begins a lifetime.
fn character(text: &str) -> Option<usize> {
    let inside = &text[1..];
    let first = inside.chars().next()?;
    if first == '\\' {
        return Some(1 + escaped_until(inside, '\''));
    }
    inside[first.len_utf8()..].starts_with('\'').then(|| 2 + first.len_utf8())
}

/// The length of a raw text that begins here, such as `r#"…"#`.
fn raw_text(text: &str) -> Option<usize> {
    let hashes = text[1..].bytes().take_while(|b| *b == b'#').count();
    let inside = text[1 + hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let length = inside.find(&end).map_or(inside.len(), |at| at + end.len());
    Some(2 + hashes + length)
}

/// Blanks every item under `#[cfg(test)]`, and counts the lines of those items.
fn without_tests(code: &str) -> (String, usize) {
    const MARK: &str = "#[cfg(test)]";
    let mut shipped = String::with_capacity(code.len());
    let mut test_lines = 0;
    let mut rest = code;
    while let Some(at) = rest.find(MARK) {
        shipped.push_str(&rest[..at]);
        let end = item_end(rest, at + MARK.len());
        let breaks = rest[at..end].matches('\n').count();
        shipped.extend(std::iter::repeat_n('\n', breaks));
        test_lines += breaks + 1;
        rest = &rest[end..];
    }
    shipped.push_str(rest);
    (shipped, test_lines)
}

/// The end of the item that begins at `from`: its `;`, or the bracket that closes its body.
pub fn item_end(code: &str, from: usize) -> usize {
    let mut at = from;
    while let Some(byte) = code.as_bytes().get(at) {
        match byte {
            b';' => return at + 1,
            b'{' => return closing(code, at),
            b'(' | b'[' => at = closing(code, at),
            _ => at += 1,
        }
    }
    code.len()
}

#[cfg(test)]
mod tests {
    use super::{SourceFile, code_of};

    #[test]
    fn comments_and_texts_are_blanked_and_lines_kept() {
        let text = "a /* x /* y */\n z */ b // c\nlet d = \"e\\\" // f\"; 'g' 'h'\nlet i = r#\"j\"k\n\"#; fn l<'m>() '\\''\n";
        let code = code_of(text);
        assert_eq!(code.lines().count(), text.lines().count());
        for gone in ["x", "y", "z", "c", "e", "f", "g", "j", "k"] {
            assert!(
                !code.split(|c: char| !c.is_alphanumeric()).any(|word| word == gone),
                "{gone} in {code}"
            );
        }
        assert!(code.contains("fn l<'m>()"), "{code}");
    }

    #[test]
    fn what_is_only_for_tests_is_not_shipped() {
        let file = SourceFile::new(
            "crates/core/src/x.rs",
            "fn a() {}\n#[cfg(test)]\nmod tests {\n  fn b() { if x { y } }\n}\nfn c() {}\n#[cfg(test)]\nuse d;\nfn e() {}\n",
        );
        let words: String = file.shipped.split_whitespace().collect();
        assert_eq!(words, "fna(){}fnc(){}fne(){}");
        assert_eq!(SourceFile::new("crates/core/tests/y.rs", "fn a() {}").shipped, "");
    }
}
