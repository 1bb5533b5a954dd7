//! The address of a server that a person named: https, or this very machine.

/// Why nothing may be sent to such an address. A login in it would be written where addresses are written.
pub(super) fn why_not(text: &str) -> Option<&'static str> {
    let (is_plain, rest) = match text.split_once("://") {
        Some(("https", rest)) => (false, rest),
        Some(("http", rest)) => (true, rest),
        _ => return Some("it does not begin with https://"),
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let authority = &rest[..end];
    if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Some("it has a character that no address has");
    }
    if authority.contains('@') {
        return Some("it contains a login; put that into a header");
    }
    let host = authority.rsplit_once(':').filter(|(_, port)| is_port(port));
    let host = host.map_or(authority, |(host, _)| host);
    if host.is_empty() {
        return Some("it names no host");
    }
    let is_local = matches!(host, "localhost" | "127.0.0.1" | "[::1]");
    (is_plain && !is_local).then_some("http is only for this machine; use https://")
}

fn is_port(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::why_not;

    #[test]
    fn an_address_is_https_or_this_machine_and_has_no_login() {
        let good = [
            "https://hooks.example.com/x?y=1",
            "https://[2001:db8::1]:8443/",
            "http://127.0.0.1:8080/x",
            "http://localhost",
            "http://[::1]:9/x",
        ];
        for text in good {
            assert_eq!(why_not(text), None, "{text}");
        }
        let bad = [
            "",
            "hooks.example.com",
            "ftp://example.com",
            "https://",
            "https:///x",
            "https://:80",
            "https://me:secret@example.com/",
            "https://example.com/a b",
            "https://example.com/\n",
            "http://example.com/",
            "http://127.0.0.1.example.com/",
            "http://localhost@example.com/",
            "HTTPS://example.com",
        ];
        for text in bad {
            assert!(why_not(text).is_some(), "{text}");
        }
    }
}
