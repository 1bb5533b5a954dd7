//! Where a server is: `https`, or this very machine. What is sent there may be a secret.

use ureq::http::Uri;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    text: String,
    host: String,
    is_plain: bool,
}

impl Address {
    /// Or why it is none.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let uri: Uri = text.parse().map_err(|_| "it is not an address")?;
        let authority = uri.authority().ok_or("it names no host")?;
        if authority.as_str().contains('@') {
            return Err("it must not contain a login");
        }
        let host = authority.host().to_ascii_lowercase();
        let is_local = matches!(host.as_str(), "localhost" | "127.0.0.1" | "[::1]");
        let is_plain = match uri.scheme_str() {
            Some("https") => false,
            Some("http") if is_local => true,
            _ => return Err("it must begin with https://"),
        };
        Ok(Self { text: text.to_owned(), host, is_plain })
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn host(&self) -> &str {
        &self.host
    }

    /// On this machine and without encryption.
    pub fn is_plain(&self) -> bool {
        self.is_plain
    }
}

#[cfg(test)]
mod tests {
    use super::Address;

    #[test]
    fn an_address_without_encryption_is_on_this_machine() {
        for good in [
            "https://a.example/x?y",
            "http://127.0.0.1:8080/",
            "http://[::1]:1",
            "http://localhost/x",
        ] {
            assert!(Address::parse(good).is_ok(), "{good}");
        }
        for bad in [
            "http://a.example",
            "https://me:x@a.example",
            "ftp://a.example",
            "/x",
            "",
            "http://127.0.0.1.a.example",
        ] {
            assert!(Address::parse(bad).is_err(), "{bad}");
        }
    }
}
