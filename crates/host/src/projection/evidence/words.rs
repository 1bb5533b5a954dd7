//! Text of agents and people inside Markdown of ours: one line, shown as it is, never read as markup.

use tollgate_core::given::RoleText;
use tollgate_core::role::Role;
use tollgate_files::sanitize::terminal_line;

/// The whole of it is in the journal.
const CHARS_MAX: usize = 2_000;

pub fn line(text: &str) -> String {
    terminal_line(text, CHARS_MAX)
}

/// As a code span, which no text can leave: its fence is longer than any run of the same mark inside.
pub fn code(text: &str) -> String {
    let text = line(text);
    if text.is_empty() {
        return "(nothing)".to_owned();
    }
    let longest = text.split(|char| char != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    // A mark at the edge would join the fence.
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

/// `backend-developer (Coder)`, or the role alone where the action has no name of its own for it.
pub fn called(name: &str, role: Role) -> String {
    match name == role.as_str() || name.is_empty() {
        true => role.to_string(),
        false => format!("{} ({role})", line(name)),
    }
}

/// Where the text of a role is from, and which one it was.
pub fn role_text(text: &RoleText) -> String {
    format!("{} sha256 {}", code(&text.path), text.sha256)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_leaves_its_span() {
        assert_eq!(code("plain"), "`plain`");
        assert_eq!(code("a\n# Forged heading\n<b>x</b>"), "`a # Forged heading <b>x</b>`");
        assert_eq!(code("`` ` `"), "``` `` ` ` ```");
        assert_eq!(code("\u{1b}[31mred"), "`red`");
        assert_eq!(code(" \n "), "(nothing)");
    }
}
