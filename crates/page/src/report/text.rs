//! Words of others in Markdown, so that they stay words: no heading, list, link, picture, table or HTML of theirs.

use tollgate_files::sanitize::{terminal_line, terminal_text};

/// Longer texts are cut where one line must do.
const LINE_CHARS_MAX: usize = 400;

/// On one line, wherever a word may stand.
pub(super) fn line(text: &str) -> String {
    escaped(&terminal_line(text, LINE_CHARS_MAX))
}

/// As a quote, with its lines.
pub(super) fn quote(text: &str) -> String {
    let text = terminal_text(text.trim_end());
    text.lines().map(|line| format!("> {}\n", escaped(line.trim_end()))).collect()
}

/// As code on one line.
pub(super) fn code(text: &str) -> String {
    let text = terminal_line(text, LINE_CHARS_MAX);
    // A vertical bar would end the cell of a table, also in code.
    let text = text.replace('|', "\\|");
    let runs = text.split(|c| c != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or(0) + 1);
    match text.starts_with('`') || text.ends_with('`') || text.trim().is_empty() {
        true => format!("{fence} {text} {fence}"),
        false => format!("{fence}{text}{fence}"),
    }
}

fn escaped(text: &str) -> String {
    // Blanks at the beginning would make code of it.
    let text = text.trim_start();
    // `1.` makes a list, but only at the beginning.
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    let mut out = String::with_capacity(text.len() + 8);
    let mut before = ' ';
    let mut chars = text.chars().enumerate().peekable();
    while let Some((at, char)) = chars.next() {
        let after = chars.peek().map_or(' ', |(_, next)| *next);
        let needs_it = match char {
            '\\' | '`' | '*' | '[' | ']' | '<' | '|' | '~' | '$' => true,
            '_' => !(before.is_alphanumeric() && after.is_alphanumeric()),
            '&' => after.is_ascii_alphanumeric() || after == '#',
            '#' | '-' | '+' | '=' | ':' | '>' => at == 0,
            '.' | ')' => at == digits && digits > 0,
            _ => false,
        };
        if needs_it {
            out.push('\\');
        }
        out.push(char);
        before = char;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{code, line, quote};
    use pulldown_cmark::{Event, Options, Parser, Tag};

    /// What a reader of Markdown sees besides text and paragraphs.
    fn structure(text: &str) -> Vec<String> {
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_TASKLISTS
            | Options::ENABLE_FOOTNOTES;
        let odd = |event: &Event<'_>| {
            let is_plain = matches!(
                event,
                Event::Text(_)
                    | Event::SoftBreak
                    | Event::End(_)
                    | Event::Start(Tag::Paragraph | Tag::BlockQuote(_))
            );
            !is_plain
        };
        Parser::new_ext(text, options).filter(odd).map(|event| format!("{event:?}")).collect()
    }

    #[test]
    fn r194_words_of_others_stay_words_in_markdown() {
        for hostile in [
            "# heading",
            "- item",
            "+ item",
            "1. one",
            "12) twelve",
            "    code",
            "> quote",
            "---",
            "===",
            "```\ncode",
            "~~~\ncode",
            "~~gone~~",
            "<script>alert(1)</script>",
            "<https://evil.example>",
            "![x](https://evil.example/p.png)",
            "[a](javascript:x)",
            "[r]: javascript:x",
            "[^1]: note",
            "*strong* __too__ `code`",
            "a | b\n--|--\n1 | 2",
            "&lt;b&gt;",
            "\\<b>",
            "- [x] done",
            ": term",
        ] {
            let found = structure(&line(hostile));
            assert!(found.is_empty(), "{hostile:?} in a line: {found:?}");
            let found = structure(&quote(hostile));
            assert!(found.is_empty(), "{hostile:?} in a quote: {found:?}");
            let cell = format!("| a |\n|---|\n| {} | \n", line(hostile));
            let cells = structure(&cell).iter().filter(|one| one.contains("TableCell")).count();
            assert_eq!(cells, 2, "{hostile:?} in a table: {cell}");
        }
    }

    #[test]
    fn r194_code_holds_whatever_it_is() {
        for hostile in ["a`b", "``", "`", "a``b`c", "x | y", "<b>", ""] {
            let found = structure(&code(hostile));
            assert!(found.iter().all(|one| one.starts_with("Code(")), "{hostile:?}: {found:?}");
            assert_eq!(found.len(), 1, "{hostile:?}: {found:?}");
        }
    }
}
