//! Whose name commits carry.

/// A name and an address, as git takes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    name: String,
    email: String,
}

impl Identity {
    /// Reads `Name <address>`.
    pub fn parse(text: &str) -> Option<Self> {
        let (name, rest) = text.trim().split_once('<')?;
        let email = rest.strip_suffix('>')?;
        Self::new(name, email)
    }

    /// None when git would not take it.
    fn new(name: &str, email: &str) -> Option<Self> {
        let clean = |text: &str| text.trim().to_owned();
        let (name, email) = (clean(name), clean(email));
        // git drops these from a name silently, and refuses one that is nothing else.
        let is_plain =
            |text: &str| !text.is_empty() && !text.contains(['<', '>']) && !has_control(text);
        let has_letter = name.chars().any(char::is_alphanumeric);
        (is_plain(&name) && is_plain(&email) && has_letter).then_some(Self { name, email })
    }

    /// Who the person says they are in their configuration, given as `key\nvalue` records. The last value of a key counts.
    pub fn of_configuration(listing: &[u8]) -> Option<Self> {
        let records: Vec<String> = listing
            .split(|byte| *byte == 0)
            .map(|record| String::from_utf8_lossy(record).into_owned())
            .collect();
        let last = |key: &str| {
            let mut values = records.iter().filter_map(|record| record.split_once('\n'));
            values.rfind(|(found, _)| *found == key).map(|(_, value)| value.to_owned())
        };
        let either = |first: &str, second: &str| last(first).or_else(|| last(second));
        Self::new(&either("author.name", "user.name")?, &either("author.email", "user.email")?)
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn email(&self) -> &str {
        &self.email
    }
}

fn has_control(text: &str) -> bool {
    text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r188_a_name_with_an_address_is_read_and_anything_else_is_not() {
        let read = |text: &str| Identity::parse(text).map(|who| (who.name, who.email));
        let jane = Some(("Jane Doe".to_owned(), "jane@example.org".to_owned()));
        assert_eq!(read("Jane Doe <jane@example.org>"), jane);
        assert_eq!(read("  Jane Doe<jane@example.org> "), jane);
        for bad in
            ["", "Jane", "<jane@example.org>", "Jane <>", "Jane <a> <b>", "J\nD <a@b>", ". <a@b>"]
        {
            assert_eq!(read(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn r188_the_last_value_of_the_configuration_counts() {
        let listing = b"user.name\nSystem\0user.email\na@b\0user.name\nJane\0core.bare\nfalse\0";
        assert_eq!(Identity::of_configuration(listing), Identity::parse("Jane <a@b>"));
        assert_eq!(Identity::of_configuration(b"user.name\nJane\0"), None);
    }
}
