//! The words of a command in a variable such as `$EDITOR`. No shell reads them; quotes and backslashes hold blanks together.

/// None where a quote is not closed, or nothing follows a backslash.
pub fn split(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match (quote, char) {
            (Some(open), _) if char == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(char);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => word.get_or_insert_default().push(chars.next()?),
            (None, _) if char.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(char),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn r180_quotes_and_backslashes_hold_the_words_of_a_command_together() {
        let words = |text| split(text).unwrap_or_default();
        assert_eq!(words("code --wait"), ["code", "--wait"]);
        assert_eq!(
            words(" '/my tools/vi' \"a \\\" b\"  c\\ d ''"),
            ["/my tools/vi", "a \" b", "c d", ""]
        );
        assert_eq!(words(" \t"), [""; 0]);
        assert_eq!(split("'vi"), None);
        assert_eq!(split("vi \\"), None);
    }
}
