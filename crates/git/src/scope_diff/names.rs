//! Names of files as text, where they are not.

/// A name that can be shown.
pub struct ShownName {
    pub shown: String,
    pub is_text: bool,
}

impl ShownName {
    /// Bytes that are no text become `\xff`.
    pub fn of(bytes: &[u8]) -> Self {
        if let Ok(text) = std::str::from_utf8(bytes) {
            return Self { shown: text.to_owned(), is_text: true };
        }
        let mut shown = String::new();
        for chunk in bytes.utf8_chunks() {
            shown.extend(chunk.valid().escape_debug());
            for byte in chunk.invalid() {
                shown.push_str(&format!("\\x{byte:02x}"));
            }
        }
        Self { shown, is_text: false }
    }
}

#[cfg(test)]
mod tests {
    use super::ShownName;

    #[test]
    fn bytes_that_are_not_text_are_spelled_out() {
        let name = ShownName::of(b"src/\xff\x1b[31m\xc3\xa4.rs");
        assert_eq!((name.shown.as_str(), name.is_text), ("src/\\xff\\u{1b}[31mä.rs", false));
        assert!(ShownName::of("src/ä.rs".as_bytes()).is_text);
    }
}
