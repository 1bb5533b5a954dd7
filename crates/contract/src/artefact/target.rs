//! Where a link leads: out into the network, nowhere it may, or to a path below the root of the repository.

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// Not a matter of files.
    External,
    /// It may not be followed; says why.
    Refused(&'static str),
    Path {
        /// From the root; empty for the root itself.
        path: String,
        anchor: Option<String>,
    },
}

/// A target as it is written in the file `from`.
pub(super) fn resolve(from: &str, written: &str) -> Target {
    let written = without_line_number(written.trim());
    match scheme(written) {
        Some(scheme) if scheme.eq_ignore_ascii_case("file") => {
            return Target::Refused("it names a file on one machine");
        }
        Some(drive) if drive.len() == 1 => return Target::Refused("it names a drive"),
        Some(_) => return Target::External,
        None => {}
    }
    if written.starts_with("//") {
        return Target::External;
    }
    let (place, anchor) = match written.split_once('#') {
        Some((place, anchor)) => (place, Some(anchor)),
        None => (written, None),
    };
    let (place, query) = place.split_once('?').unwrap_or((place, ""));
    // With a query it is a view of the file, such as its source with numbered lines.
    let anchor = anchor.filter(|anchor| !anchor.is_empty() && query.is_empty());
    let (Some(place), Some(anchor)) =
        (decoded(place), anchor.map_or(Some(None), |a| decoded(a).map(Some)))
    else {
        return Target::Refused("the code after % is not a valid character");
    };
    if place.starts_with(['/', '\\']) {
        return Target::Refused("it is absolute");
    }
    if place.chars().any(char::is_control) {
        return Target::Refused("it has a control character in it");
    }
    match if place.is_empty() { Some(from.to_owned()) } else { joined(from, &place) } {
        Some(path) => Target::Path { path, anchor },
        None => Target::Refused("it points outside the repository"),
    }
}

/// `src/main.rs:12` and `src/main.rs:12:3` lead to the file, as editors follow them.
fn without_line_number(written: &str) -> &str {
    let mut rest = written;
    for _ in 0..2 {
        let digits = |tail: &str| !tail.is_empty() && tail.bytes().all(|b| b.is_ascii_digit());
        match rest.rsplit_once(':') {
            Some((place, tail)) if digits(tail) => rest = place,
            _ => break,
        }
    }
    let is_file = rest.contains(['.', '/']) && !rest.contains("://") && !rest.starts_with("//");
    if is_file { rest } else { written }
}

/// `https` of `https://…`; a file name with a colon has no letters only before it.
fn scheme(written: &str) -> Option<&str> {
    let (scheme, _) = written.split_once(':')?;
    let is_scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    let begins = scheme.starts_with(|c: char| c.is_ascii_alphabetic());
    (begins && scheme.chars().all(is_scheme)).then_some(scheme)
}

/// `%20` is a blank. None when what is there is no UTF-8 text.
fn decoded(text: &str) -> Option<String> {
    let hex = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], hex(bytes.get(at + 1)), hex(bytes.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                plain.push(u8::try_from(high * 16 + low).unwrap_or_default());
                at += 3;
            }
            (byte, ..) => {
                plain.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(plain).ok()
}

/// The path from the root, seen from the folder of a file. None when it climbs above the root.
pub(super) fn joined(from: &str, relative: &str) -> Option<String> {
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(path: &str, anchor: Option<&str>) -> Target {
        Target::Path { path: path.to_owned(), anchor: anchor.map(str::to_owned) }
    }

    #[test]
    fn a_target_is_seen_from_its_file() {
        let from = "planning-mds/stories/F0001-S0001-login.md";
        assert_eq!(
            resolve(from, "../BLUEPRINT.md#scope"),
            path("planning-mds/BLUEPRINT.md", Some("scope"))
        );
        assert_eq!(resolve(from, "./a%20b.md"), path("planning-mds/stories/a b.md", None));
        assert_eq!(resolve(from, "#top"), path(from, Some("top")));
        assert_eq!(resolve(from, "../../src/"), path("src", None));
        assert_eq!(resolve(from, "x.md?plain=1#L3"), path("planning-mds/stories/x.md", None));
        assert_eq!(resolve("README.md", "100%.md"), path("100%.md", None));
        assert_eq!(resolve("README.md", "src/main.rs:12"), path("src/main.rs", None));
        assert_eq!(resolve("README.md", "main.rs:12:3"), path("main.rs", None));
        for external in [
            "https://a.example/x",
            "mailto:a@b.example",
            "//cdn.example/x",
            "HTTP://a",
            "tel:112",
            "https://a.example:80",
        ] {
            assert_eq!(resolve(from, external), Target::External, "{external}");
        }
    }

    #[test]
    fn nothing_leads_out_of_the_repository() {
        for (from, written) in [
            ("README.md", "../secret"),
            ("a/b.md", "../../c"),
            ("a/b.md", "%2e%2e/%2E%2E/c"),
            ("a/b.md", "/etc/passwd"),
            ("a/b.md", "%2fetc/passwd"),
            ("a/b.md", "file:///etc/passwd"),
            ("a/b.md", "FILE:x"),
            ("a/b.md", "c:\\x"),
            ("a/b.md", "\\\\server\\x"),
            ("a/b.md", "a%00b"),
            ("a/b.md", "%ff"),
        ] {
            assert!(matches!(resolve(from, written), Target::Refused(_)), "{written}");
        }
    }
}
