//! Text of agents, files and people as a terminal may show it: no control sequence, nothing invisible.

use crate::proof::is_invisible;
use std::borrow::Cow;

/// Keeps line ends and tabs, takes out every other control, whole escape sequences, and characters that change how the
/// rest is shown without being seen.
pub fn terminal_text(text: &str) -> Cow<'_, str> {
    let is_plain = |char| char == '\n' || char == '\t' || !(is_control(char) || is_invisible(char));
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\u{1b}' => skip_escape(&mut chars),
            '\u{9b}' => skip_control_sequence(&mut chars),
            '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => skip_string(&mut chars),
            _ if is_plain(char) => clean.push(char),
            _ => {}
        }
    }
    Cow::Owned(clean)
}

/// The same on one line of at most `chars_max` characters; `…` stands for what was cut off.
pub fn terminal_line(text: &str, chars_max: usize) -> String {
    let clean = terminal_text(text);
    let mut line = String::new();
    for word in clean.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    let Some((cut, _)) = line.char_indices().nth(chars_max) else {
        return line;
    };
    let last = line[..cut].char_indices().next_back().map_or(0, |(last, _)| last);
    line.truncate(last);
    if chars_max > 0 {
        line.push('…');
    }
    line
}

/// The name of a file as people may read it: one with characters that nobody sees is quoted, and has escapes for them.
pub fn visible_name(name: &str) -> Cow<'_, str> {
    match name.chars().any(|char| is_control(char) || is_invisible(char)) {
        true => Cow::Owned(format!("\"{}\"", name.chars().map(visible).collect::<String>())),
        false => Cow::Borrowed(name),
    }
}

fn visible(char: char) -> String {
    match char {
        '"' | '\\' => format!("\\{char}"),
        _ if is_control(char) || is_invisible(char) => char.escape_default().to_string(),
        _ => char.to_string(),
    }
}

type Chars<'t> = std::iter::Peekable<std::str::Chars<'t>>;

/// What follows ESC.
fn skip_escape(chars: &mut Chars<'_>) {
    match chars.peek() {
        Some('[') => {
            chars.next();
            skip_control_sequence(chars);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            chars.next();
            skip_string(chars);
        }
        Some(' '..='/') => {
            while chars.next_if(|char| matches!(char, ' '..='/')).is_some() {}
            chars.next_if(|char| matches!(char, '0'..='~'));
        }
        Some('0'..='~') => {
            chars.next();
        }
        _ => {}
    }
}

/// Parameters, then one final byte. One that is cut off ends where it breaks.
fn skip_control_sequence(chars: &mut Chars<'_>) {
    while chars.next_if(|char| matches!(char, ' '..='?')).is_some() {}
    chars.next_if(|char| matches!(char, '@'..='~'));
}

/// Up to its terminator; a line end stops it, too, so that an open one cannot swallow the rest.
fn skip_string(chars: &mut Chars<'_>) {
    while let Some(char) = chars.next_if(|char| *char != '\n') {
        match char {
            '\u{7}' | '\u{9c}' => return,
            '\u{1b}' => {
                chars.next_if_eq(&'\\');
                return;
            }
            _ => {}
        }
    }
}

fn is_control(char: char) -> bool {
    matches!(char, '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, clean: &str) {
        assert_eq!(terminal_text(text), clean);
    }

    #[test]
    fn r119_escape_sequences_are_taken_out_whole() {
        check("a\u{1b}[31mred\u{1b}[0m b", "ared b");
        check("a\u{1b}]0;title\u{7}b", "ab");
        check("a\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\b", "alinkb");
        check("a\u{1b}Pq#0\u{1b}\\b", "ab");
        check("a\u{1b}(0b\u{1b}cd", "abd");
        check("a\u{9b}2Jb\u{9d}0;t\u{9c}c", "abc");
        check("open \u{1b}]0;never closed\nnext", "open \nnext");
        check("end \u{1b}", "end ");
        check("\u{1b}\u{1b}[2Jx", "x");
        check("a\u{1b}]0;t\u{1b}[2Jb", "a[2Jb");
    }

    #[test]
    fn r119_controls_and_invisible_characters_are_taken_out() {
        check("one\r\ntwo\tthree\u{8}\u{7}\0", "one\ntwo\tthree");
        check("ad\u{202e}min\u{2066}x\u{200b}y\u{feff}", "adminxy");
        check("tag\u{e0041}", "tag");
        check("a\u{2800}\u{2800}b", "ab");
    }

    #[test]
    fn r187_a_name_is_shown_so_that_no_two_look_the_same() {
        let shown =
            ["a b.txt", "a\nb", "a\\nb", "a\\\n\"", "ad\u{202e}min", "é\u{7}"].map(visible_name);
        let expected =
            ["a b.txt", r#""a\nb""#, r"a\nb", r#""a\\\n\"""#, r#""ad\u{202e}min""#, r#""é\u{7}""#];
        assert_eq!(shown, expected);
    }

    #[test]
    fn plain_text_is_not_copied() {
        assert!(matches!(terminal_text("Grüße, 世界\n\t✓"), Cow::Borrowed(_)));
    }

    #[test]
    fn r119_a_line_is_one_line_of_limited_length() {
        assert_eq!(terminal_line(" a\n\n b\tc ", 10), "a b c");
        assert_eq!(terminal_line("abcdef", 6), "abcdef");
        assert_eq!(terminal_line("äbcdefg", 6), "äbcde…");
        assert_eq!(terminal_line("ab", 1), "…");
        assert_eq!(terminal_line("ab", 0), "");
    }
}
