//! The colours of code: words, texts, numbers and comments, by a few rules for each family of languages.
//!
//! It reads what agents wrote in the process that holds the door, so it is small, has no state but a flag, and no parser in C.

use maud::{Markup, html};

#[derive(Debug, Clone, Copy)]
pub struct Language {
    line_comment: &'static [&'static str],
    block_comment: Option<(&'static str, &'static str)>,
    quotes: &'static [char],
    words: &'static [&'static str],
}

const C_LIKE: Language = Language {
    line_comment: &["//"],
    block_comment: Some(("/*", "*/")),
    quotes: &['"', '\'', '`'],
    words: &[
        "abstract",
        "as",
        "async",
        "await",
        "bool",
        "boolean",
        "break",
        "case",
        "catch",
        "char",
        "class",
        "const",
        "continue",
        "crate",
        "default",
        "defer",
        "delete",
        "do",
        "dyn",
        "else",
        "enum",
        "export",
        "extends",
        "extern",
        "false",
        "final",
        "finally",
        "float",
        "fn",
        "for",
        "from",
        "func",
        "function",
        "go",
        "if",
        "impl",
        "implements",
        "import",
        "in",
        "instanceof",
        "int",
        "interface",
        "let",
        "long",
        "loop",
        "match",
        "mod",
        "move",
        "mut",
        "namespace",
        "new",
        "nil",
        "null",
        "override",
        "package",
        "private",
        "protected",
        "pub",
        "public",
        "range",
        "readonly",
        "ref",
        "return",
        "select",
        "self",
        "static",
        "struct",
        "super",
        "switch",
        "this",
        "throw",
        "throws",
        "trait",
        "true",
        "try",
        "type",
        "typeof",
        "undefined",
        "union",
        "unsafe",
        "use",
        "using",
        "var",
        "void",
        "where",
        "while",
        "yield",
    ],
};

const SCRIPT: Language = Language {
    line_comment: &["#"],
    block_comment: None,
    quotes: &['"', '\''],
    words: &[
        "and", "as", "assert", "async", "await", "begin", "break", "case", "class", "continue",
        "def", "del", "do", "done", "elif", "else", "elsif", "end", "ensure", "esac", "except",
        "export", "False", "false", "fi", "finally", "for", "from", "function", "global", "if",
        "import", "in", "is", "lambda", "local", "module", "next", "nil", "None", "nonlocal",
        "not", "null", "or", "pass", "raise", "require", "rescue", "return", "self", "set", "then",
        "True", "true", "try", "unless", "until", "when", "while", "with", "yield",
    ],
};

const STYLE: Language = Language {
    line_comment: &[],
    block_comment: Some(("/*", "*/")),
    quotes: &['"', '\''],
    words: &[],
};
const MARKUP: Language = Language {
    line_comment: &[],
    block_comment: Some(("<!--", "-->")),
    quotes: &['"'],
    words: &[],
};
const QUERY: Language = Language {
    line_comment: &["--"],
    block_comment: Some(("/*", "*/")),
    quotes: &['\'', '"'],
    words: &[
        "ALTER", "AND", "AS", "BY", "CREATE", "DELETE", "DROP", "FROM", "GROUP", "INSERT", "INTO",
        "JOIN", "NOT", "NULL", "ON", "OR", "ORDER", "SELECT", "SET", "TABLE", "UPDATE", "VALUES",
        "WHERE",
    ],
};

/// By the end of its name; none for what has no colours.
pub fn language(path: &str) -> Option<&'static Language> {
    let name = path.rsplit('/').next().unwrap_or(path);
    Some(match name.rsplit_once('.').map(|(_, end)| end) {
        Some(
            "rs" | "ts" | "tsx" | "js" | "jsx" | "mjs" | "cjs" | "json" | "java" | "go" | "c" | "h"
            | "cc" | "cpp" | "hpp" | "cs" | "kt" | "swift" | "php" | "scala" | "dart",
        ) => &C_LIKE,
        Some("py" | "rb" | "sh" | "bash" | "zsh" | "yaml" | "yml" | "toml" | "pl" | "tf") => {
            &SCRIPT
        }
        Some("css" | "scss") => &STYLE,
        Some("html" | "xml" | "svg" | "vue") => &MARKUP,
        Some("sql") => &QUERY,
        _ if matches!(name, "Dockerfile" | "Makefile" | "Justfile") => &SCRIPT,
        _ => return None,
    })
}

/// Goes through the lines of one file in their order.
#[derive(Debug, Default)]
pub struct Painter {
    in_comment: bool,
}

impl Painter {
    pub fn line(&mut self, language: Option<&Language>, text: &str) -> Markup {
        let Some(language) = language else { return html! { (text) } };
        let parts = self.parts(language, text);
        html! {
            @for (class, part) in parts {
                @match class {
                    Some(class) => span class=(class) { (part) },
                    None => (part),
                }
            }
        }
    }

    fn parts<'t>(
        &mut self,
        language: &Language,
        text: &'t str,
    ) -> Vec<(Option<&'static str>, &'t str)> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let (class, length) = self.next(language, rest, first);
            let (part, behind) = rest.split_at(length);
            parts.push((class, part));
            rest = behind;
        }
        parts
    }

    /// What the text begins with, and how many bytes of it; at least one character.
    fn next(
        &mut self,
        language: &Language,
        rest: &str,
        first: char,
    ) -> (Option<&'static str>, usize) {
        if let Some((open, close)) = language.block_comment {
            let begins = rest.starts_with(open);
            if self.in_comment || begins {
                let from = if begins && !self.in_comment { open.len() } else { 0 };
                let end = rest[from..].find(close).map(|at| from + at + close.len());
                self.in_comment = end.is_none();
                return (Some("co"), end.unwrap_or(rest.len()));
            }
        }
        if language.line_comment.iter().any(|mark| rest.starts_with(mark)) {
            return (Some("co"), rest.len());
        }
        if language.quotes.contains(&first) {
            return (Some("st"), quoted(rest, first));
        }
        if first.is_ascii_digit() {
            return (Some("nu"), run(rest, |c| c.is_ascii_alphanumeric() || c == '.' || c == '_'));
        }
        if first.is_alphabetic() || first == '_' {
            let length = run(rest, |c| c.is_alphanumeric() || c == '_');
            let is_word = language.words.contains(&&rest[..length]);
            return (is_word.then_some("kw"), length);
        }
        (None, first.len_utf8())
    }
}

fn run(text: &str, is_of_it: impl Fn(char) -> bool) -> usize {
    text.find(|c| !is_of_it(c)).unwrap_or(text.len())
}

/// To the same quote, or to the end of the line.
fn quoted(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, char) in text.char_indices().skip(1) {
        match char {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if char == quote => return at + char.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::{Painter, language};

    fn painted(path: &str, lines: &[&str]) -> String {
        let mut painter = Painter::default();
        let lines = lines.iter().map(|line| painter.line(language(path), line).into_string());
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn words_texts_numbers_and_comments_have_classes() {
        let wanted = "<span class=\"kw\">let</span> x = <span class=\"st\">&quot;a\\&quot;b&quot;</span> + <span class=\"nu\">12</span>; <span class=\"co\">// c</span>";
        assert_eq!(painted("a.rs", &["let x = \"a\\\"b\" + 12; // c"]), wanted);
    }

    #[test]
    fn a_comment_may_have_many_lines() {
        let wanted = "<span class=\"co\">/* a</span>\n<span class=\"co\">b */</span> <span class=\"kw\">if</span>";
        assert_eq!(painted("a.ts", &["/* a", "b */ if"]), wanted);
    }

    #[test]
    fn code_is_escaped_whatever_it_is() {
        for path in ["a.rs", "a.py", "a.html", "a.txt"] {
            let html = painted(path, &["<script>alert('x')</script>\"'`", "é\u{1F600}\\"]);
            assert!(!html.contains("<script"), "{path}: {html}");
        }
    }
}
