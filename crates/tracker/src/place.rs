//! Which GitHub and which repository of it: from the settings, the environment and the remote `origin`.

use super::TrackerError;
use std::ffi::OsString;
use std::fmt;
use tollgate_contract::config::repository_parts;
use tollgate_git::Configuration;
use tollgate_git::repository::Repository;
use tollgate_http::Address;
use ureq::http::Uri;

const API_DEFAULT: &str = "https://api.github.com";

/// The root of the REST interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Api {
    /// Without a slash at the end.
    root: String,
    host: String,
    is_plain: bool,
}

impl Api {
    /// As `GITHUB_API_URL` says, which GitHub's own runners and users of a server of their own set.
    pub fn from_environment(
        lookup: &dyn Fn(&str) -> Option<OsString>,
    ) -> Result<Self, TrackerError> {
        let given = lookup("GITHUB_API_URL").filter(|text| !text.is_empty());
        Self::parse(&given.unwrap_or_else(|| API_DEFAULT.into()).to_string_lossy())
    }

    /// A login is sent there, so it is `https`, or this very machine.
    pub fn parse(text: &str) -> Result<Self, TrackerError> {
        let bad = |why| TrackerError::BadApi { found: without_login(text), why };
        let address = Address::parse(text).map_err(bad)?;
        if text.contains('?') {
            return Err(bad("it must not have a query"));
        }
        let (host, is_plain) = (address.host().to_owned(), address.is_plain());
        Ok(Self { root: text.trim_end_matches('/').to_owned(), host, is_plain })
    }

    pub fn root(&self) -> &str {
        &self.root
    }

    /// The host that `gh` keeps logins for and that remotes name.
    pub fn site(&self) -> &str {
        self.host.strip_prefix("api.").unwrap_or(&self.host)
    }

    pub fn host(&self) -> &str {
        &self.host
    }

    /// On this machine and without encryption: no proxy and no certificate stands between.
    pub(super) fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// Whether an address is served from the same place.
    pub(super) fn serves(&self, address: &str) -> bool {
        let place = |text: &str| {
            let uri: Uri = text.parse().ok()?;
            Some((uri.scheme()?.clone(), uri.authority()?.as_str().to_ascii_lowercase()))
        };
        place(address).is_some_and(|found| Some(found) == place(&self.root))
    }
}

/// `owner/name`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slug {
    pub owner: String,
    pub name: String,
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.name)
    }
}

impl Slug {
    pub fn parse(text: &str) -> Option<Self> {
        let (owner, name) = repository_parts(text)?;
        Some(Self { owner: owner.to_owned(), name: name.to_owned() })
    }

    /// What the settings name, else what `origin` points at.
    pub fn of(
        configured: Option<&str>,
        repository: &Repository,
        api: &Api,
    ) -> Result<Self, TrackerError> {
        let none = |why: String| TrackerError::NoRepository { why };
        if let Some(text) = configured {
            return Self::parse(text).ok_or_else(|| none(format!("{text:?} is none")));
        }
        let origin = repository
            .git()
            .call(Configuration::Theirs)
            .folder(repository.root())
            .args(["remote", "get-url", "origin"])
            .run()
            .map_err(|_| none("there is no remote called origin".to_owned()))?;
        Self::of_remote(&origin.line(), api.site()).map_err(none)
    }

    /// The repository that the address of a remote names, when it is on this site; or why not.
    fn of_remote(address: &str, site: &str) -> Result<Self, String> {
        let shown = without_login(address);
        let (host, path) = split_remote(address)
            .ok_or_else(|| format!("the remote origin is {shown:?}, which is not on a server"))?;
        let host = host.to_ascii_lowercase();
        // GitHub takes ssh at a second name too, for those whose network lets nothing else out.
        let is_there = [site.to_owned(), format!("ssh.{site}"), format!("www.{site}")];
        if !is_there.contains(&host) {
            return Err(format!("the remote origin is {shown:?}, which is not on {site}"));
        }
        let path = path.trim_matches('/');
        Self::parse(path.strip_suffix(".git").unwrap_or(path))
            .ok_or_else(|| format!("the remote origin is {shown:?}, which has no owner and name"))
    }
}

/// The host and the path of `scheme://user@host:port/path` or `user@host:path`.
fn split_remote(address: &str) -> Option<(&str, &str)> {
    let (authority, path) = match address.split_once("://") {
        Some(("https" | "http" | "ssh" | "git" | "git+ssh", rest)) => rest.split_once('/')?,
        Some(_) => return None,
        None => address.split_once(':')?,
    };
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = host.split_once(':').map_or(host, |(host, _)| host);
    (!host.is_empty() && !host.contains('/')).then_some((host, path))
}

/// An address as it may be shown: people put passwords before the `@`.
fn without_login(address: &str) -> String {
    let start = address.find("://").map_or(0, |at| at + 3);
    let (scheme, rest) = address.split_at(start);
    let end = rest.find('/').unwrap_or(rest.len());
    match rest[..end].rfind('@') {
        Some(at) => format!("{scheme}{}", &rest[at + 1..]),
        None => address.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    #[test]
    fn remotes_are_read_in_all_their_forms() {
        let found = |address: &str| {
            Slug::of_remote(address, "github.com")
                .map(|slug| slug.to_string())
                .unwrap_or_else(|e| e)
        };
        for address in [
            "https://github.com/acme/web.shop",
            "https://github.com/acme/web.shop.git",
            "https://github.com/acme/web.shop/",
            "https://me:ghp_secret@github.com/acme/web.shop.git",
            "git@github.com:acme/web.shop.git",
            "github.com:acme/web.shop",
            "ssh://git@github.com/acme/web.shop.git",
            "ssh://git@ssh.github.com:443/acme/web.shop.git",
            "git://GitHub.com/acme/web.shop.git",
        ] {
            assert_eq!(found(address), "acme/web.shop", "{address}");
        }
        for address in [
            "https://example.com/acme/web.git",
            "https://github.com.example.com/acme/web.git",
            "https://github.com@example.com/acme/web.git",
            "/srv/git/web.git",
            "../web.git",
            "file:///srv/web.git",
            "ext::sh -c x",
            "https://github.com/acme",
            "git@github.com:acme/team/web.git",
            "",
        ] {
            assert!(
                found(address).starts_with("the remote origin"),
                "{address}: {}",
                found(address)
            );
        }
        let words = found("https://me:ghp_secret@example.com/acme/web.git");
        assert!(words.contains("example.com/acme") && !words.contains("ghp_secret"), "{words}");
    }

    #[test]
    fn a_login_is_sent_only_where_nobody_listens() {
        for good in
            ["https://api.github.com", "https://git.example.com/api/v3/", "http://127.0.0.1:8080"]
        {
            assert!(Api::parse(good).is_ok(), "{good}");
        }
        for bad in [
            "http://api.github.com",
            "ftp://x",
            "",
            "api.github.com",
            "https://a:b@x.com",
            "https://x.com?q=1",
        ] {
            let error = Api::parse(bad).unwrap_err().to_string();
            assert!(error.starts_with("GITHUB_API_URL is"), "{error}");
            assert!(!error.contains("a:b"), "{error}");
        }
        assert_eq!(Api::parse("https://api.github.com").unwrap().site(), "github.com");
        assert_eq!(
            Api::parse("https://git.example.com/api/v3/").unwrap().site(),
            "git.example.com"
        );
    }

    #[test]
    fn the_next_page_is_asked_for_only_where_the_first_came_from() {
        let api = Api::parse("https://git.example.com/api/v3").unwrap();
        assert!(api.serves("https://git.example.com/api/v3/repositories/1/issues?page=2"));
        assert!(api.serves("https://GIT.example.com/x"));
        for other in [
            "http://git.example.com/x",
            "https://git.example.com:444/x",
            "https://evil.com/x",
            "/x",
        ] {
            assert!(!api.serves(other), "{other}");
        }
    }
}
