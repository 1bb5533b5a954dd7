//! How a value of someone else is quoted in a message.

/// Short, and without control characters.
pub fn quote(text: &str) -> String {
    const SHOWN_CHARS_MAX: usize = 60;
    let mut shown: String =
        text.chars().take(SHOWN_CHARS_MAX).flat_map(char::escape_debug).collect();
    if text.chars().count() > SHOWN_CHARS_MAX {
        shown.push('…');
    }
    format!("\"{shown}\"")
}
