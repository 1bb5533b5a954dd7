//! Paths as reports of other programs name them: taken only where they stay inside the repository.

/// The path with plain separators and without empty steps; None when it points anywhere else.
pub(crate) fn inside(path: &str) -> Option<String> {
    let path = path.trim().replace('\\', "/");
    let has_drive_or_scheme = path.split('/').next().is_some_and(|first| first.contains(':'));
    if path.starts_with('/') || has_drive_or_scheme || path.chars().any(char::is_control) {
        return None;
    }
    let steps: Vec<&str> = path.split('/').filter(|step| !matches!(*step, "" | ".")).collect();
    if steps.is_empty() || steps.contains(&"..") {
        return None;
    }
    Some(steps.join("/"))
}

/// A relative URI as a path. Whatever has a scheme, a host or a bad escape is none.
pub(crate) fn from_uri(uri: &str) -> Option<String> {
    let end = uri.find(['?', '#']).unwrap_or(uri.len());
    let encoded = &uri[..end];
    let has_scheme = encoded.split('/').next().is_some_and(|first| first.contains(':'));
    if has_scheme {
        return None;
    }
    inside(&percent_decoded(encoded)?)
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let (digits, after) = rest.split_at_checked(2)?;
        let hex = |digit: u8| char::from(digit).to_digit(16);
        let value = hex(digits[0])? * 16 + hex(digits[1])?;
        bytes.push(u8::try_from(value).ok()?);
        rest = after;
    }
    String::from_utf8(bytes).ok()
}

/// A name of ours as a relative URI, whatever its letters are; None when it points outside the repository.
pub(crate) fn uri_of_name(name: &str) -> Option<String> {
    let steps: Vec<&str> = name.split('/').filter(|step| !matches!(*step, "" | ".")).collect();
    let is_outside = name.starts_with('/') || steps.contains(&"..");
    let is_inside = !is_outside && !steps.is_empty() && !name.trim().is_empty();
    is_inside.then(|| to_uri(&steps.join("/")))
}

/// A path as a relative URI.
pub(crate) fn to_uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' => uri.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::{from_uri, inside, to_uri};

    #[test]
    fn only_what_stays_inside_is_a_path() {
        assert_eq!(inside("./src//a.rs").as_deref(), Some("src/a.rs"));
        assert_eq!(inside("src\\a.rs").as_deref(), Some("src/a.rs"));
        for outside in
            ["", ".", "/etc/passwd", "../a", "a/../b", "C:\\a", "file:///a", "a\u{0}b", "a\nb"]
        {
            assert_eq!(inside(outside), None, "{outside:?}");
        }
    }

    #[test]
    fn a_uri_is_decoded_before_it_is_judged() {
        assert_eq!(from_uri("src/a%20b.rs#L1").as_deref(), Some("src/a b.rs"));
        assert_eq!(from_uri("src/%C3%A9.rs").as_deref(), Some("src/é.rs"));
        for outside in
            ["%2e%2e/a", "%2Fetc", "file:///src/a.rs", "a%", "a%zz", "a%ff", "a%0Ab", "//host/a"]
        {
            assert_eq!(from_uri(outside), None, "{outside:?}");
        }
        assert_eq!(from_uri(&to_uri("a b/é:%#?.rs")).as_deref(), Some("a b/é:%#?.rs"));
    }
}
