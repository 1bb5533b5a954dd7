//! Text of others, made fit for a screen: no control sequence, no tab, and no line wider than its place.

use tollgate_files::sanitize::{terminal_line, terminal_text};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Far more than a line of a screen holds.
const LINE_CHARS_MAX: usize = 2_000;
const TAB: usize = 4;

pub fn width(text: &str) -> usize {
    text.width()
}

/// A text of others on one line.
pub fn one_line(text: &str) -> String {
    terminal_line(text, LINE_CHARS_MAX)
}

/// A text of others as lines, each without tabs.
pub fn lines(text: &str) -> Vec<String> {
    terminal_text(text).lines().map(without_tabs).collect()
}

fn without_tabs(line: &str) -> String {
    if !line.contains('\t') {
        return line.to_owned();
    }
    let mut plain = String::with_capacity(line.len() + 8);
    let mut column = 0;
    for char in line.chars() {
        if char == '\t' {
            let blanks = TAB - column % TAB;
            plain.push_str(&" ".repeat(blanks));
            column += blanks;
        } else {
            plain.push(char);
            column += char.width().unwrap_or(0);
        }
    }
    plain
}

/// As much of a line as fits; `…` stands for what was cut off.
pub fn fit(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    if columns == 0 {
        return String::new();
    }
    let (head, _) = split_at_width(text, columns - 1);
    format!("{head}…")
}

/// A line in pieces that fit, broken between words where there are any.
pub fn wrap(line: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let mut pieces = Vec::new();
    let mut rest = line;
    while rest.width() > columns {
        let (head, tail) = split_at_width(rest, columns);
        let is_between_words = tail.starts_with(' ');
        let blank = head.rfind(' ').filter(|at| !head[..*at].trim().is_empty());
        let end = match blank {
            Some(at) if !is_between_words => at,
            _ => head.len(),
        };
        // A character wider than the place for it is shown all the same.
        let end = if end == 0 { rest.chars().next().map_or(0, char::len_utf8) } else { end };
        pieces.push(rest[..end].trim_end().to_owned());
        rest = rest[end..].strip_prefix(' ').unwrap_or(&rest[end..]);
    }
    pieces.push(rest.to_owned());
    pieces
}

/// A line in pieces that fit, each as full as it can be: the cursor of a person moves over them.
pub fn chop(line: &str, columns: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = line;
    while rest.width() > columns.max(2) {
        let (head, tail) = split_at_width(rest, columns.max(2));
        pieces.push(head);
        rest = tail;
    }
    pieces.push(rest);
    pieces
}

fn split_at_width(text: &str, columns: usize) -> (&str, &str) {
    let mut used = 0;
    for (at, char) in text.char_indices() {
        used += char.width().unwrap_or(0);
        if used > columns {
            return text.split_at(at);
        }
    }
    (text, "")
}

#[cfg(test)]
mod tests {
    use super::{chop, fit, lines, one_line, width, wrap};

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(fit("世界世界", 5), "世界…");
        assert_eq!(fit("世界", 4), "世界");
        assert_eq!(fit("ab", 0), "");
        assert_eq!(wrap("世界世界", 5), ["世界", "世界"]);
        assert_eq!(chop("世界世", 3), ["世", "界", "世"]);
    }

    #[test]
    fn lines_break_between_words_and_keep_their_indent() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("one two", 7), ["one two"]);
        assert_eq!(wrap("  abcdefgh", 5), ["  abc", "defgh"]);
        assert_eq!(wrap("", 5), [""]);
        for columns in 1..20 {
            let pieces = wrap("aß 世界 \u{301}e  wider than wide", columns);
            assert!(pieces.iter().all(|piece| width(piece) <= columns.max(2)), "{pieces:?}");
        }
    }

    #[test]
    fn r191_no_sequence_of_others_is_left() {
        assert_eq!(lines("a\u{1b}[2J\tb\r\nc\u{202e}d"), ["a   b", "cd"]);
        assert_eq!(one_line("a\n\u{1b}]0;t\u{7}b\tc"), "a b c");
    }
}
