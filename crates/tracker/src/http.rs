//! Requests to the REST interface of GitHub: bounded in time and size, and with a login that goes to one host only.

use super::TrackerError;
use super::login::TrackerLogin;
use super::place::{Api, Slug};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::fmt;
use std::time::Duration;
use tollgate_core::time::Timestamp;
use tollgate_files::clock;
use tollgate_files::sanitize::terminal_line;
use tollgate_http::NoCertificates;
use ureq::http::{HeaderMap, Method, Request};

/// A page of a hundred issues with the longest bodies there can be is smaller.
const ANSWER_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// Of a server that takes connections and says nothing, this long.
pub(super) const WAIT_DEFAULT: Duration = Duration::from_secs(30);

pub(super) struct Http {
    agent: ureq::Agent,
    api: Api,
    slug: Slug,
    login: TrackerLogin,
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { api, slug, login, .. } = self;
        f.debug_struct("Http").field("api", api).field("slug", slug).field("login", login).finish()
    }
}

/// A good answer.
pub(super) struct Response {
    body: Vec<u8>,
    /// The address of the next page.
    pub next: Option<String>,
}

impl Response {
    pub fn read<T: DeserializeOwned>(&self, doing: &str) -> Result<T, TrackerError> {
        serde_json::from_slice(&self.body).map_err(|cause| TrackerError::Unreadable {
            doing: doing.to_owned(),
            cause: cause.to_string(),
        })
    }
}

impl Http {
    pub fn new(
        api: Api,
        slug: Slug,
        login: TrackerLogin,
        wait: Duration,
    ) -> Result<Self, TrackerError> {
        let accept = "application/vnd.github+json";
        let agent = tollgate_http::agent(api.is_plain(), wait, accept)
            .map_err(|NoCertificates| TrackerError::NoCertificates)?;
        Ok(Self { agent, api, slug, login })
    }

    /// The address of something in the repository, such as `/issues`.
    pub fn address(&self, rest: &str) -> String {
        let Slug { owner, name } = &self.slug;
        format!("{}/repos/{owner}/{name}{rest}", self.api.root())
    }

    pub fn get(&self, address: &str, doing: &str) -> Result<Response, TrackerError> {
        self.call(Method::GET, address, Vec::new(), doing)
    }

    pub fn send(
        &self,
        method: Method,
        address: &str,
        body: &serde_json::Value,
        doing: &str,
    ) -> Result<Response, TrackerError> {
        self.call(method, address, body.to_string().into_bytes(), doing)
    }

    fn call(
        &self,
        method: Method,
        address: &str,
        body: Vec<u8>,
        doing: &str,
    ) -> Result<Response, TrackerError> {
        let request = Request::builder()
            .method(method.clone())
            .uri(address)
            .header("Authorization", format!("Bearer {}", self.login.token()))
            .header("X-GitHub-Api-Version", "2022-11-28");
        let failed = |error: ureq::Error| self.failed(&error, doing);
        let unbuilt = |error: ureq::http::Error| self.failed(&error.into(), doing);
        let response = match method {
            Method::GET => self.agent.run(request.body(()).map_err(unbuilt)?),
            _ => {
                let request = request.header("Content-Type", "application/json");
                self.agent.run(request.body(body).map_err(unbuilt)?)
            }
        };
        let mut response = response.map_err(failed)?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let read = response.body_mut().with_config().limit(ANSWER_BYTES_MAX).read_to_vec();
        let body = read.map_err(failed)?;
        match status {
            200..=299 => Ok(Response { body, next: self.next(&headers, doing)? }),
            _ => Err(self.refused(status, &headers, &body, doing)),
        }
    }

    /// The login would be sent there, too.
    fn next(&self, headers: &HeaderMap, doing: &str) -> Result<Option<String>, TrackerError> {
        let Some(next) = next_page(headers) else { return Ok(None) };
        match self.api.serves(&next) {
            true => Ok(Some(next)),
            false => {
                Err(TrackerError::Moved { doing: doing.to_owned(), to: terminal_line(&next, 200) })
            }
        }
    }

    fn failed(&self, error: &ureq::Error, doing: &str) -> TrackerError {
        let doing = doing.to_owned();
        let cause = match error {
            ureq::Error::BodyExceedsLimit(max) => {
                return TrackerError::TooBig { doing, max: *max };
            }
            other => tollgate_http::why(other),
        };
        TrackerError::Unreachable { host: self.api.host().to_owned(), doing, cause }
    }

    fn refused(&self, status: u16, headers: &HeaderMap, body: &[u8], doing: &str) -> TrackerError {
        let words: ErrorBody = serde_json::from_slice(body).unwrap_or_default();
        let (said, doing) = (self.shown(&words.said()), doing.to_owned());
        let repository = self.slug.to_string();
        match status {
            300..=399 => {
                let to = text_of(headers, "location").unwrap_or_default();
                TrackerError::Moved { doing, to: self.shown(to) }
            }
            401 => TrackerError::LoginRefused { from: self.login.from().to_owned(), said },
            429 => TrackerError::Limited { again_at: again_at(headers) },
            403 if is_limit(headers) => TrackerError::Limited { again_at: again_at(headers) },
            403 => TrackerError::Forbidden { doing, said, repository },
            404 => TrackerError::NotFound { doing, said, repository },
            410 => TrackerError::Gone { doing, said, repository },
            422 => TrackerError::Invalid { doing, said, codes: words.codes() },
            status => TrackerError::Server { doing, status, said },
        }
    }

    /// Words of the server as people may see them. It knows the token, so it could say it.
    fn shown(&self, said: &str) -> String {
        let said = terminal_line(&said.replace(self.login.token(), "[redacted]"), 200);
        if said.is_empty() { "no message".to_owned() } else { said }
    }
}

/// The body of an answer that is not good.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ErrorBody {
    message: String,
    errors: Vec<serde_json::Value>,
}

impl ErrorBody {
    fn said(&self) -> String {
        let part = |error: &serde_json::Value, key: &str| {
            error.get(key).and_then(|value| value.as_str()).unwrap_or_default().to_owned()
        };
        let errors = self.errors.iter().take(5).map(|error| match error.as_str() {
            Some(text) => text.to_owned(),
            None => [part(error, "field"), part(error, "code"), part(error, "message")].join(" "),
        });
        let all: Vec<String> = std::iter::once(self.message.clone()).chain(errors).collect();
        all.join("; ").trim_end_matches("; ").to_owned()
    }

    fn codes(&self) -> Vec<String> {
        let code = |error: &serde_json::Value| Some(error.get("code")?.as_str()?.to_owned());
        self.errors.iter().filter_map(code).collect()
    }
}

fn is_limit(headers: &HeaderMap) -> bool {
    text_of(headers, "retry-after").is_some()
        || text_of(headers, "x-ratelimit-remaining") == Some("0")
}

fn again_at(headers: &HeaderMap) -> Option<Timestamp> {
    let number = |name: &str| text_of(headers, name)?.trim().parse::<u64>().ok();
    if let Some(seconds) = number("retry-after") {
        return Some(clock::now().plus_ms(seconds.saturating_mul(1000).min(DAY_MS)));
    }
    let seconds = i64::try_from(number("x-ratelimit-reset")?).ok()?;
    let at = Timestamp::from_ms(seconds.checked_mul(1000)?);
    (at.ms_since(clock::now()) <= DAY_MS).then_some(at)
}

/// No limit of GitHub lasts longer; a later time is a mistake.
const DAY_MS: u64 = 24 * 3_600_000;

fn text_of<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

/// `<https://…&page=2>; rel="next", <…>; rel="last"`.
fn next_page(headers: &HeaderMap) -> Option<String> {
    let links = text_of(headers, "link")?.split(',');
    let next = links.filter_map(|link| {
        let (address, parameters) = link.trim().strip_prefix('<')?.split_once('>')?;
        let is_next = |part: &str| matches!(part.trim(), "rel=\"next\"" | "rel=next");
        parameters.split(';').any(is_next).then(|| address.to_owned())
    });
    next.into_iter().next()
}

/// One part of a path, such as the name of a label.
pub(super) fn path_part(text: &str) -> String {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'~');
    let escaped = |b: u8| if is_plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") };
    text.bytes().map(escaped).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    #[test]
    fn the_next_page_is_found_among_links() {
        let next = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("link", text.parse().unwrap());
            next_page(&headers)
        };
        let links = r#"<https://x/a?page=1>; rel="prev", <https://x/a?page=3>; rel="next", <https://x/a?page=9>; rel="last""#;
        assert_eq!(next(links).as_deref(), Some("https://x/a?page=3"));
        assert_eq!(next(r#"<https://x/a?page=1>; rel="first""#), None);
        assert_eq!(next("nonsense"), None);
        assert_eq!(next_page(&HeaderMap::new()), None);
    }

    #[test]
    fn names_become_parts_of_a_path() {
        assert_eq!(path_part("status:in-progress"), "status%3Ain-progress");
        assert_eq!(path_part("a/../b?c#d ä"), "a%2F..%2Fb%3Fc%23d%20%C3%A4");
    }
}
