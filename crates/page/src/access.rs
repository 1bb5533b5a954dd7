//! Who is let in: a token per start, exchanged for a cookie; a list of names; the origin of every write; and no agent.

use axum::http::header::{COOKIE, HOST, ORIGIN};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use sha2::{Digest, Sha256};
use std::io::Read;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// As many bytes of chance as nobody can guess.
const SECRET_BYTES: usize = 32;

/// A text that nobody must learn. It is compared by its hash, so that the time of a comparison tells nothing.
struct Secret {
    text: String,
    hash: [u8; 32],
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl Secret {
    fn new() -> std::io::Result<Self> {
        let mut bytes = [0; SECRET_BYTES];
        std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let hash = Sha256::digest(text.as_bytes()).into();
        Ok(Self { text, hash })
    }

    fn is(&self, given: &str) -> bool {
        let given: [u8; 32] = Sha256::digest(given.as_bytes()).into();
        given == self.hash
    }
}

#[derive(Debug)]
pub struct Access {
    token: Secret,
    cookie: Secret,
    csrf: Secret,
    cookie_name: String,
    /// `host:port` or `host`, as a browser sends it, in lower case.
    hosts: Vec<String>,
    /// It listens on every address of this machine with this port. No page of someone else can make an address its own name.
    port_of_all: Option<u16>,
}

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denied {
    /// The name under which it was asked for is not ours: a name that someone else has pointed at this machine.
    ForeignHost,
    /// A write that does not come from our own pages.
    ForeignOrigin,
    NoEntry,
}

impl Denied {
    pub fn status(self) -> StatusCode {
        match self {
            Self::ForeignHost => StatusCode::MISDIRECTED_REQUEST,
            Self::ForeignOrigin => StatusCode::FORBIDDEN,
            Self::NoEntry => StatusCode::UNAUTHORIZED,
        }
    }
}

/// How a request gets in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// With the cookie.
    Open,
    /// With the token, which it must give for the cookie.
    Exchange,
}

impl Access {
    pub fn new(address: SocketAddr, names: &[String]) -> std::io::Result<Self> {
        let port = address.port();
        let mut hosts = vec![address.to_string()];
        let is_localhost = [IpAddr::from(Ipv4Addr::LOCALHOST), Ipv6Addr::LOCALHOST.into()];
        if address.ip().is_unspecified() || is_localhost.contains(&address.ip()) {
            let local = ["127.0.0.1", "localhost", "[::1]"];
            hosts.extend(local.map(|name| format!("{name}:{port}")));
        }
        for name in names {
            let name = name.to_ascii_lowercase();
            hosts.extend([format!("{name}:{port}"), name]);
        }
        // Browsers leave out the port that goes without saying.
        let plain = hosts.iter().filter_map(|host| host.strip_suffix(":80").map(str::to_owned));
        hosts.extend(plain.collect::<Vec<_>>());
        let cookie_name = format!("tollgate_{port}");
        let (token, cookie, csrf) = (Secret::new()?, Secret::new()?, Secret::new()?);
        let port_of_all = address.ip().is_unspecified().then_some(port);
        Ok(Self { token, cookie, csrf, cookie_name, hosts, port_of_all })
    }

    /// The part of the address that lets a person in.
    pub fn token(&self) -> &str {
        &self.token.text
    }

    pub fn csrf(&self) -> &str {
        &self.csrf.text
    }

    /// For the browser of whoever gave the token. It ends with the browser, and means nothing at the next start.
    pub fn set_cookie(&self) -> String {
        format!("{}={}; Path=/; HttpOnly; SameSite=Strict", self.cookie_name, self.cookie.text)
    }

    pub fn is_own_form(&self, csrf: &str) -> bool {
        self.csrf.is(csrf)
    }

    pub fn admit(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<Entry, Denied> {
        let host = self.known_host(uri, headers).ok_or(Denied::ForeignHost)?;
        let reads = matches!(*method, Method::GET | Method::HEAD);
        if !reads && !is_from(headers, &host) {
            return Err(Denied::ForeignOrigin);
        }
        let token = token_in(uri).filter(|_| reads);
        match token.is_some_and(|token| self.token.is(token)) {
            // Whoever has the cookie already is sent on too: the token stays in no address.
            true => Ok(Entry::Exchange),
            false if self.has_cookie(headers) => Ok(Entry::Open),
            false => Err(Denied::NoEntry),
        }
    }

    fn known_host(&self, uri: &Uri, headers: &HeaderMap) -> Option<String> {
        // A request for a proxy names a server in its first line, too.
        let named = uri.authority().map(|name| name.as_str().to_ascii_lowercase());
        if named.is_some_and(|name| !self.is_ours(&name)) {
            return None;
        }
        let mut given = headers.get_all(HOST).iter();
        let host = given.next()?.to_str().ok()?.to_ascii_lowercase();
        // Two of them are no browser's.
        let is_one = given.next().is_none();
        (is_one && self.is_ours(&host)).then_some(host)
    }

    fn is_ours(&self, host: &str) -> bool {
        let is_an_address = |port| host.parse::<SocketAddr>().is_ok_and(|at| at.port() == port);
        self.hosts.iter().any(|known| known == host) || self.port_of_all.is_some_and(is_an_address)
    }

    fn has_cookie(&self, headers: &HeaderMap) -> bool {
        let all = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs =
            all.flat_map(|value| value.split(';')).filter_map(|one| one.split_once('='));
        pairs.any(|(name, value)| name.trim() == self.cookie_name && self.cookie.is(value.trim()))
    }
}

/// A browser names the page that a write comes from, and no script can change that. Without it, it is no browser of ours.
fn is_from(headers: &HeaderMap, host: &str) -> bool {
    let mut origins = headers.get_all(ORIGIN).iter();
    let Some(origin) = origins.next().and_then(|value| value.to_str().ok()) else {
        return false;
    };
    let origin = origin.to_ascii_lowercase();
    // A server in front of this one may speak TLS.
    let named = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    origins.next().is_none() && named == Some(host)
}

fn token_in(uri: &Uri) -> Option<&str> {
    uri.query()?.split('&').find_map(|pair| pair.strip_prefix("token="))
}

/// The same address without the token, which must stay in no history.
pub fn without_token(uri: &Uri) -> String {
    let query = uri.query().unwrap_or_default().split('&');
    let kept: Vec<&str> =
        query.filter(|pair| !pair.starts_with("token=") && !pair.is_empty()).collect();
    // Two slashes at the beginning would name another server, and browsers take a backslash for one.
    let path = format!("/{}", uri.path().trim_start_matches(['/', '\\']));
    match kept.is_empty() {
        true => path,
        false => format!("{path}?{}", kept.join("&")),
    }
}

#[cfg(test)]
mod tests;
