//! Long text in the rows of a terminal: no row of it can be taken for one of ours.

use std::ops::Range;
use tollgate_files::sanitize::terminal_text;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Text that begins behind `used` columns of ours, and whose other rows cannot be taken for one of ours.
pub fn continued(text: &str, used: usize, columns: Option<usize>) -> String {
    let text = terminal_text(text);
    folded(&text.trim_end_matches('\n').replace('\n', &format!("\n{BAR}")), used, columns)
}

/// Before each line that may be someone else's.
pub const BAR: &str = "│ ";

/// Folds long lines here, with a bar: a terminal would begin the rest where our lines begin.
fn folded(text: &str, used: usize, columns: Option<usize>) -> String {
    let Some(columns) = columns.filter(|columns| *columns > 2 * BAR.width()) else {
        return text.to_owned();
    };
    let mut folded = String::with_capacity(text.len());
    for (number, line) in text.split('\n').enumerate() {
        let mut room = columns.saturating_sub(if number == 0 { used } else { 0 });
        let whole = spans(line, columns - BAR.width());
        let mut rest = line;
        if number > 0 {
            folded.push('\n');
        }
        loop {
            let end = row_end(rest, room, line.len() - rest.len(), &whole);
            folded.push_str(&rest[..end]);
            rest = rest[end..].trim_start_matches(' ');
            if rest.is_empty() {
                break;
            }
            folded.push('\n');
            folded.push_str(BAR);
            room = columns - BAR.width();
        }
    }
    folded
}

/// What stands between backticks and is no longer than a row: people copy it, so it is not broken.
fn spans(line: &str, columns_max: usize) -> Vec<Range<usize>> {
    let ticks: Vec<usize> = line.match_indices('`').map(|(at, _)| at).collect();
    let pairs = ticks.chunks_exact(2).map(|pair| pair[0]..pair[1] + 1);
    pairs.filter(|span| line[span.clone()].width() <= columns_max).collect()
}

/// Where a row of so many columns ends: before a space, or within a word that is longer than the row. The text begins at
/// a place of its line, and the spans of that are kept whole.
fn row_end(text: &str, room: usize, begin: usize, whole: &[Range<usize>]) -> usize {
    let (mut width, mut has_word, mut space) = (0, false, None);
    let mut before = ' ';
    for (at, char) in text.char_indices() {
        width += columns_of_char(char);
        let span = whole.iter().find(|span| span.contains(&(begin + at)));
        if width > room && (char != ' ' || span.is_some()) && at > 0 {
            return space.or(span.map(|span| span.start.saturating_sub(begin))).unwrap_or(at);
        }
        if char == ' ' && span.is_none() && before != ' ' && has_word {
            space = Some(at);
        }
        has_word |= !BAR.contains(char);
        before = char;
    }
    text.len()
}

/// Not fewer than a terminal takes.
fn columns_of_char(char: char) -> usize {
    match char {
        '\t' => 8,
        // It makes the sign before it an emoji, which is one column wider.
        '\u{fe0f}' => 1,
        _ => char.width().unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use super::{continued, folded};

    #[test]
    fn r175_text_that_continues_on_another_line_comes_after_a_bar() {
        assert_eq!(continued("one\nstate     DONE\n", 0, None), "one\n│ state     DONE");
        assert_eq!(folded("one two", 2, Some(5)), "one\n│ two");
        assert_eq!(folded("one twofold", 2, Some(5)), "one\n│ two\n│ fol\n│ d");
        assert_eq!(folded("a     state DONE", 2, Some(10)), "a\n│ state\n│ DONE");
        assert_eq!(folded("ab\n│ cd ef", 2, Some(5)), "ab\n│ cd\n│ ef");
        assert_eq!(folded("ab\n│ cd", 2, Some(5)), "ab\n│ cd");
        assert_eq!(folded("one two", 2, None), "one two");
    }

    #[test]
    fn r180_what_stands_between_backticks_is_not_broken() {
        let text = "run `git a b` now";
        assert_eq!(folded(text, 0, Some(13)), "run `git a b`\n│ now");
        assert_eq!(folded(text, 0, Some(12)), "run\n│ `git a b`\n│ now");
        assert_eq!(folded(text, 0, Some(10)), "run `git a\n│ b` now");
        assert_eq!(folded("`git a b` now", 8, Some(12)), "\n│ `git a b`\n│ now");
        assert_eq!(folded("a `b c d", 0, Some(6)), "a `b c\n│ d");
    }

    #[test]
    fn r175_no_sign_takes_more_columns_than_are_counted_for_it() {
        let heart = "❤\u{fe0f}";
        assert_eq!(folded(&heart.repeat(4), 2, Some(6)), format!("{0}\n│ {0}", heart.repeat(2)));
        assert_eq!(folded("世世世", 2, Some(6)), "世世\n│ 世");
    }

    #[test]
    fn r175_what_looks_like_nothing_fills_no_row() {
        let padded = format!("ok{}  1  approved", "\u{2800}".repeat(200));
        assert_eq!(continued(&padded, 0, Some(80)), "ok  1  approved");
    }
}
