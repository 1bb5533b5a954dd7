//! Source text with comments and the insides of strings blanked, byte for byte at the same place.

use super::language::Language;
use std::collections::{HashMap, VecDeque};
use std::ops::Range;

pub(super) struct Source<'a> {
    pub text: &'a str,
    /// Without comments.
    pub bare: String,
    /// Without comments and without what is in quotes.
    pub code: String,
    pub language: Language,
    /// Behind the bracket that closes the one at this place.
    closings: HashMap<usize, usize>,
    line_breaks: Vec<usize>,
}

impl<'a> Source<'a> {
    pub(super) fn new(text: &'a str, language: Language) -> Self {
        let mut bare = text.as_bytes().to_vec();
        let mut code = bare.clone();
        let mut at = 0;
        // Texts that begin on the next line, by what ends them.
        let (mut awaited, mut endless) = (VecDeque::new(), 0);
        while at < text.len() {
            awaited.extend(here_document(text, at, language).filter(|_| endless < ENDLESS_MAX));
            if text.as_bytes()[at] == b'\n'
                && let Some(end) = awaited.pop_front()
            {
                let inner = until_line(text, at, end);
                endless += usize::from(inner.is_none());
                let inner = inner.unwrap_or(at..at + 1);
                blank(&mut code, inner.clone());
                at = inner.end;
                continue;
            }
            match token(text.as_bytes(), at, language) {
                Token::Code => at += 1,
                Token::Comment(end) => {
                    blank(&mut bare, at..end);
                    blank(&mut code, at..end);
                    at = end;
                }
                Token::Quoted { inner, end } => {
                    blank(&mut code, inner);
                    at = end;
                }
            }
        }
        let text_of = |bytes| String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned());
        let (bare, code) = (text_of(bare), text_of(code));
        let closings = closings(&code);
        let line_breaks = text.match_indices('\n').map(|(at, _)| at).collect();
        Self { text, bare, code, language, closings, line_breaks }
    }

    /// Behind the bracket that closes the one here; the end of the text where none does.
    pub(super) fn closing(&self, open: usize) -> usize {
        self.closings.get(&open).copied().unwrap_or(self.code.len())
    }

    /// What stands between the bracket here and the one that closes it, which may be missing.
    pub(super) fn inside(&self, open: usize) -> Range<usize> {
        open + 1..self.closings.get(&open).map_or(self.code.len(), |end| end - 1)
    }

    pub(super) fn line(&self, at: usize) -> u32 {
        let breaks = self.line_breaks.partition_point(|line_break| *line_break < at);
        u32::try_from(breaks + 1).unwrap_or(u32::MAX)
    }
}

/// Found once for the whole text, because a text can be made of brackets only.
fn closings(code: &str) -> HashMap<usize, usize> {
    let mut open = Vec::new();
    let mut closings = HashMap::new();
    for (at, byte) in code.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => open.push(at),
            b')' | b']' | b'}' => {
                if let Some(start) = open.pop() {
                    closings.insert(start, at + 1);
                }
            }
            _ => {}
        }
    }
    closings
}

enum Token {
    Code,
    Comment(usize),
    Quoted { inner: Range<usize>, end: usize },
}

fn blank(bytes: &mut [u8], range: Range<usize>) {
    bytes[range].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
}

/// Each costs a look through the rest of the text.
const ENDLESS_MAX: usize = 20;

/// What ends the text that `<<EOF` announces here.
fn here_document(text: &str, at: usize, language: Language) -> Option<&str> {
    let rest = &text.as_bytes()[at..];
    let marks: &[u8] = match language {
        Language::Php => b"<<<",
        Language::Ruby | Language::Shell | Language::Bats => b"<<",
        _ => return None,
    };
    // `<<<` of a shell is a text on the same line.
    let is_first = at == 0 || text.as_bytes()[at - 1] != b'<';
    if !rest.starts_with(marks) || !is_first || rest[marks.len()..].starts_with(b"<") {
        return None;
    }
    let name = text[at + marks.len()..].trim_start_matches(['-', '~', ' ']);
    let name = name.trim_start_matches(['"', '\'', '\\']);
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let end = name.find(|c| !is_name(c)).unwrap_or(name.len());
    // In Ruby `list << item` adds to a list.
    let is_written =
        language != Language::Ruby || name.starts_with(|c: char| c.is_ascii_uppercase());
    (end > 0 && is_written).then(|| &name[..end])
}

/// From here to the line that has only this word on it.
fn until_line(text: &str, at: usize, end: &str) -> Option<Range<usize>> {
    let mut here = at + 1;
    for line in text.get(here..)?.split_inclusive('\n') {
        let rest = line.trim_start().strip_prefix(end);
        if let Some(rest) = rest
            && rest.trim().trim_end_matches([';', ')', ',']).is_empty()
        {
            return Some(at..here + line.len() - rest.len());
        }
        here += line.len();
    }
    None
}

fn token(bytes: &[u8], at: usize, language: Language) -> Token {
    let rest = &bytes[at..];
    if let Some(length) = comment(bytes, at, language) {
        return Token::Comment(at + length);
    }
    let quoted = |open: usize, inner: usize, close: usize| Token::Quoted {
        inner: at + open..at + open + inner,
        end: at + open + inner + close,
    };
    match rest {
        [b'r' | b'b', ..] if language == Language::Rust && !follows_word(bytes, at) => {
            let Some((open, close)) = raw_rust(rest) else { return Token::Code };
            let inner = find(&rest[open..], close.as_bytes());
            quoted(open, inner, close.len().min(rest.len() - open - inner))
        }
        [b'"', b'"', b'"', ..] | [b'\'', b'\'', b'\'', ..] if has_triple(rest[0], language) => {
            let inner = find(&rest[3..], &rest[..3]);
            quoted(3, inner, 3.min(rest.len() - 3 - inner))
        }
        [b'@', b'"', ..] if language == Language::CSharp => {
            let inner = find(&rest[2..], b"\"");
            quoted(2, inner, 1.min(rest.len() - 2 - inner))
        }
        [b'`', ..] if matches!(language, Language::Go | Language::JavaScript) => {
            let inner = until_quote(&rest[1..], b'`', language == Language::JavaScript, true);
            quoted(1, inner, 1.min(rest.len() - 1 - inner))
        }
        [b'\'', ..] if has_characters(language) => {
            character(rest).map_or(Token::Code, |inner| quoted(1, inner, 1))
        }
        [quote @ (b'"' | b'\''), ..] => {
            let is_literal =
                *quote == b'\'' && matches!(language, Language::Shell | Language::Bats);
            let inner = until_quote(&rest[1..], *quote, !is_literal, spans_lines(language));
            quoted(1, inner, 1.min(rest.len() - 1 - inner))
        }
        [b'%', b'q' | b'Q', open, ..]
            if language == Language::Ruby && open.is_ascii_punctuation() =>
        {
            let close = match open {
                b'(' => b')',
                b'[' => b']',
                b'{' => b'}',
                other => *other,
            };
            let inner = until_quote(&rest[3..], close, true, true);
            quoted(3, inner, 1.min(rest.len() - 3 - inner))
        }
        [b'/', ..] if matches!(language, Language::JavaScript | Language::Ruby) => {
            regex(bytes, at).map_or(Token::Code, |inner| quoted(1, inner, 1))
        }
        _ => Token::Code,
    }
}

/// The length of the comment that begins here.
fn comment(bytes: &[u8], at: usize, language: Language) -> Option<usize> {
    let rest = &bytes[at..];
    let is_word_start =
        at == 0 || matches!(bytes[at - 1], b' ' | b'\t' | b'\n' | b';' | b'(' | b'{');
    let slashes =
        !matches!(language, Language::Python | Language::Ruby | Language::Shell | Language::Bats);
    let hash = match language {
        Language::Python | Language::Ruby => true,
        Language::Php => !rest.starts_with(b"#["),
        Language::Shell | Language::Bats => is_word_start,
        _ => false,
    };
    if (slashes && rest.starts_with(b"//")) || (hash && rest.starts_with(b"#")) {
        return Some(find(rest, b"\n"));
    }
    if slashes && rest.starts_with(b"/*") {
        let nests = matches!(language, Language::Rust | Language::Kotlin);
        return Some(block_comment(rest, nests));
    }
    let is_line_start = at == 0 || bytes[at - 1] == b'\n';
    if language == Language::Ruby && is_line_start && rest.starts_with(b"=begin") {
        return Some((find(rest, b"\n=end") + 5).min(rest.len()));
    }
    None
}

fn block_comment(rest: &[u8], nests: bool) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < rest.len() {
        if rest[at..].starts_with(b"/*") && (nests || depth == 0) {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    rest.len()
}

fn find(bytes: &[u8], wanted: &[u8]) -> usize {
    bytes.windows(wanted.len()).position(|window| window == wanted).unwrap_or(bytes.len())
}

fn follows_word(bytes: &[u8], at: usize) -> bool {
    at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_')
}

/// `r#"` and how it ends.
fn raw_rust(rest: &[u8]) -> Option<(usize, String)> {
    let prefix = if rest.starts_with(b"br") { 2 } else { 1 };
    if rest.get(prefix - 1) != Some(&b'r') {
        return None;
    }
    let hashes = rest[prefix..].iter().take_while(|byte| **byte == b'#').count();
    let is_raw = rest.get(prefix + hashes) == Some(&b'"');
    is_raw.then(|| (prefix + hashes + 1, format!("\"{}", "#".repeat(hashes))))
}

fn has_triple(quote: u8, language: Language) -> bool {
    match language {
        Language::Python => true,
        Language::Java | Language::Kotlin | Language::CSharp => quote == b'"',
        _ => false,
    }
}

fn has_characters(language: Language) -> bool {
    use Language::{CSharp, Go, Java, Kotlin, Rust};
    matches!(language, Rust | Java | Kotlin | CSharp | Go)
}

fn spans_lines(language: Language) -> bool {
    matches!(
        language,
        Language::Rust | Language::Ruby | Language::Php | Language::Shell | Language::Bats
    )
}

/// What stands between the quotes of a character; a lifetime has no second quote.
fn character(rest: &[u8]) -> Option<usize> {
    let text = std::str::from_utf8(&rest[1..rest.len().min(13)]);
    let text = text.unwrap_or_else(|error| {
        std::str::from_utf8(&rest[1..1 + error.valid_up_to()]).unwrap_or_default()
    });
    if text.starts_with('\\') {
        let end = text.char_indices().skip(2).find(|(_, c)| *c == '\'')?.0;
        return Some(end);
    }
    let length = text.chars().next()?.len_utf8();
    text[length..].starts_with('\'').then_some(length)
}

fn until_quote(bytes: &[u8], quote: u8, has_escapes: bool, spans_lines: bool) -> usize {
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if has_escapes => at += 1,
            b'\n' if !spans_lines => return at,
            byte if byte == quote => return at,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// A slash begins a regular expression where a value may stand, and ends on the same line.
fn regex(bytes: &[u8], at: usize) -> Option<usize> {
    let before = bytes[..at].trim_ascii_end();
    let may_stand = before.last().is_none_or(|byte| b"(,=:[!&|?{};+~".contains(byte))
        || [&b"return"[..], b"=>", b"case", b"typeof", b" if", b" when", b" match"]
            .iter()
            .any(|word| before.ends_with(word));
    if !may_stand {
        return None;
    }
    let mut in_class = false;
    let mut inner = 0;
    let rest = &bytes[at + 1..];
    while inner < rest.len() {
        match rest[inner] {
            b'\n' => return None,
            b'\\' => inner += 1,
            b'[' => in_class = true,
            b']' => in_class = false,
            b'/' if !in_class => return Some(inner),
            _ => {}
        }
        inner += 1;
    }
    None
}
