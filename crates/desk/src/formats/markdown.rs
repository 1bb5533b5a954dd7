//! Text of others inside Markdown of ours: it is shown as it is and means nothing.

use std::fmt::Write as _;
use tollgate_files::sanitize::{terminal_line, terminal_text};

/// One line, fit for a cell of a table: no sign of it is markup, a link, a mention or the end of the cell.
pub fn plain(raw: &str, chars_max: usize) -> String {
    let line = terminal_line(raw, chars_max);
    let mut plain = String::with_capacity(line.len() + 16);
    for char in line.chars() {
        match char {
            '&' => plain.push_str("&amp;"),
            '<' => plain.push_str("&lt;"),
            '>' => plain.push_str("&gt;"),
            ' ' | ',' | ';' | '\'' | '/' => plain.push(char),
            _ if char.is_ascii_punctuation() => {
                plain.push('\\');
                plain.push(char);
            }
            _ => plain.push(char),
        }
    }
    plain
}

/// The same as code. Backticks would end at the first one within.
pub fn code(raw: &str, chars_max: usize) -> String {
    format!("<code>{}</code>", plain(raw, chars_max))
}

/// One line inside of HTML, where Markdown means nothing.
pub fn in_html(raw: &str, chars_max: usize) -> String {
    html(&terminal_line(raw, chars_max))
}

fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Lines as they are, of which at most so many are shown: the last ones.
pub fn block(raw: &str, lines_max: usize) -> String {
    let clean = terminal_text(raw);
    let lines: Vec<&str> = clean.trim_end().lines().collect();
    let mut block = "<pre>\n".to_owned();
    for line in &lines[lines.len().saturating_sub(lines_max)..] {
        let _ = writeln!(block, "{}", html(line));
    }
    block.push_str("</pre>\n");
    block
}

/// A table; its cells are Markdown already. Nothing where there are no rows.
pub fn table<const N: usize>(head: [&str; N], rows: &[[String; N]]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut table = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(N));
    for row in rows {
        let _ = writeln!(table, "| {} |", row.join(" | "));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::{block, code, in_html, plain, table};

    #[test]
    fn r194_text_of_others_is_no_markup() {
        let said = "**x** [a](http://b.c) | <img src=x> @me `c` www.d.e\n# head";
        assert_eq!(
            plain(said, 200),
            "\\*\\*x\\*\\* \\[a\\]\\(http\\://b\\.c\\) \\| &lt;img src\\=x&gt; \\@me \\`c\\` www\\.d\\.e \\# head"
        );
        assert_eq!(code("a|`b`</code>", 200), "<code>a\\|\\`b\\`&lt;/code&gt;</code>");
        assert_eq!(in_html("<a>\n*b*", 200), "&lt;a&gt; *b*");
        assert_eq!(
            block("a\n</pre>\u{1b}[1m<b>\n", 9),
            "<pre>\na\n&lt;/pre&gt;&lt;b&gt;\n</pre>\n"
        );
        assert_eq!(block("1\n2\n3", 2), "<pre>\n2\n3\n</pre>\n");
    }

    #[test]
    fn r194_a_table_without_rows_is_nothing() {
        assert_eq!(table(["a"], &[]), "");
        assert_eq!(
            table(["a", "b"], &[["1".into(), "2".into()]]),
            "| a | b |\n|---|---|\n| 1 | 2 |\n"
        );
    }
}
