//! Changed files as people read them: what is out of scope stands last, right above what to do about it.

use crate::output;
use anstyle::Style;
use std::borrow::Cow;
use tollgate_core::work::ScopeClass;
use tollgate_judge::scope::ScopedFile;

/// Longer paths push their reasons aside instead of everybody's.
const PATH_WIDTH_MAX: usize = 60;

pub fn table(files: &[ScopedFile]) {
    let lengths = files.iter().map(|file| shown_path(&file.path).chars().count());
    let width = lengths.max().unwrap_or(0).min(PATH_WIDTH_MAX);
    let is_violation = |file: &&ScopedFile| file.class == ScopeClass::Violation;
    let inside = files.iter().filter(|file| !is_violation(file));
    let rows = inside.chain(files.iter().filter(is_violation)).map(|file| {
        let mark = format!("{:<10}", file.class.as_str());
        (style(file.class), mark, line(file, width))
    });
    output::rows(rows);
}

fn style(class: ScopeClass) -> Style {
    match class {
        ScopeClass::Primary | ScopeClass::Test => output::GOOD,
        ScopeClass::Incidental | ScopeClass::Corrected | ScopeClass::Authorized => output::NOTE,
        ScopeClass::Violation => output::BAD,
    }
}

fn line(file: &ScopedFile, width: usize) -> String {
    let path = shown_path(&file.path);
    let reason = file.reason.as_deref().unwrap_or_default().replace('\n', " ");
    format!("{:<8}  {path:<width$}  {reason}", file.change_type.as_str()).trim_end().to_owned()
}

/// In quotes and with its controls spelled out where it is not plain: a name must not pass for another or for a row.
pub fn shown_path(path: &str) -> Cow<'_, str> {
    let is_plain = |char: char| matches!(char, '"' | '\'' | '\\') || char.escape_debug().len() == 1;
    let is_bare = path.trim() == path && !path.is_empty() && path.chars().all(is_plain);
    if is_bare { Cow::Borrowed(path) } else { Cow::Owned(format!("{path:?}")) }
}

pub fn sum(files: &[ScopedFile], item: &str) {
    let count = |class: ScopeClass| files.iter().filter(|file| file.class == class).count();
    let classes = ScopeClass::ALL.iter().filter(|class| count(**class) > 0);
    let counts: Vec<String> =
        classes.map(|class| format!("{} {}", count(*class), class.as_str())).collect();
    let violations = count(ScopeClass::Violation);
    if files.is_empty() {
        output::marked(output::GOOD, "ok:", "nothing changed");
    } else if violations == 0 {
        let text = format!("all changes are in the scope of {item}: {}", counts.join(", "));
        output::marked(output::GOOD, "ok:", &text);
    } else {
        let text = format!("not all changes are in the scope of {item}: {}", counts.join(", "));
        output::marked(output::BAD, "failed:", &text);
        let help = "undo these changes or move them to their own work item; or list them under In \
                    Scope, declare them in the result (--result), or have the owner allow them (--authorized)";
        output::marked(output::NOTE, "  help:", help);
    }
}

#[cfg(test)]
mod tests {
    use super::shown_path;

    #[test]
    fn r119_a_name_cannot_draw_on_the_terminal_or_forge_a_row() {
        for path in ["src/a b.rs", "it's", "Grüße/世界.md", "a\\b"] {
            assert_eq!(shown_path(path), path);
        }
        assert_eq!(shown_path("a\nprimary b"), "\"a\\nprimary b\"");
        assert_eq!(shown_path("\u{1b}[2Jx"), "\"\\u{1b}[2Jx\"");
        assert_eq!(shown_path("x\u{202e}y"), "\"x\\u{202e}y\"");
        assert_eq!(shown_path(" x"), "\" x\"");
    }
}
