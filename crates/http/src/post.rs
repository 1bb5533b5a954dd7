//! Something sent to a server once, or a little later where the server is out of order.

use super::{Address, NoCertificates, agent, why};
use std::thread::sleep;
use std::time::{Duration, Instant};
use tollgate_files::sanitize::terminal_line;

/// Starts over so often where the server is out of order or cannot be reached.
const RETRIES: u32 = 2;
/// Before the first of them; the next one waits twice as long.
const PAUSE: Duration = Duration::from_millis(500);
/// More of what a server answers is not read.
const ANSWER_BYTES_MAX: u64 = 64 * 1024;

/// What is sent.
#[derive(Debug, Clone, Copy)]
pub struct Posted<'a> {
    pub content_type: &'a str,
    /// Their values may be secret and are shown by nothing.
    pub headers: &'a [(String, String)],
    pub body: &'a [u8],
}

/// What a server that took it answered. The text is empty where it broke off or was too long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    pub status: u16,
    pub body: Vec<u8>,
}

/// Names the host and not the whole address: a path can be a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PostError {
    #[error(transparent)]
    NoCertificates(#[from] NoCertificates),
    #[error("{host} cannot be reached: {cause}")]
    Unreachable { host: String, cause: String },
    #[error("{host} redirects to {to}, and Tollgate does not follow; write the new address")]
    Moved { host: String, to: String },
    #[error("{host} refused it with status {status}")]
    Refused { host: String, status: u16 },
}

impl PostError {
    fn may_be_better_soon(&self) -> bool {
        match self {
            Self::Unreachable { .. } => true,
            Self::Refused { status, .. } => *status >= 500,
            Self::NoCertificates(_) | Self::Moved { .. } => false,
        }
    }
}

/// How the server took it. After `wait` it is given up, whatever is left to try.
pub fn post(address: &Address, posted: Posted<'_>, wait: Duration) -> Result<Answered, PostError> {
    let give_up = Instant::now() + wait;
    let mut pause = PAUSE;
    let mut retries = RETRIES;
    loop {
        let left = give_up.saturating_duration_since(Instant::now());
        let sent = once(address, posted, left.max(Duration::from_millis(1)));
        let is_over = Instant::now() + pause >= give_up || retries == 0;
        match sent {
            Err(error) if error.may_be_better_soon() && !is_over => sleep(pause),
            sent => return sent,
        }
        (pause, retries) = (pause * 2, retries - 1);
    }
}

fn once(address: &Address, posted: Posted<'_>, wait: Duration) -> Result<Answered, PostError> {
    let host = || address.host().to_owned();
    let failed = |error: &ureq::Error| PostError::Unreachable { host: host(), cause: why(error) };
    let agent = agent(address.is_plain(), wait, "*/*")?;
    let mut request = agent.post(address.text()).content_type(posted.content_type);
    for (name, value) in posted.headers {
        request = request.header(name, value);
    }
    let mut response = request.send(posted.body).map_err(|error| failed(&error))?;
    let status = response.status().as_u16();
    let location = response.headers().get("location").and_then(|to| to.to_str().ok());
    let to = location.map(|to| terminal_line(to, 200)).unwrap_or_default();
    // That it was taken does not depend on what it says about it.
    let said = response.body_mut().with_config().limit(ANSWER_BYTES_MAX).read_to_vec();
    match status {
        200..=299 => Ok(Answered { status, body: said.unwrap_or_default() }),
        300..=399 => Err(PostError::Moved { host: host(), to: host_of(&to) }),
        status => Err(PostError::Refused { host: host(), status }),
    }
}

/// Of another address no more is told than its host.
fn host_of(location: &str) -> String {
    match Address::parse(location) {
        Ok(address) => address.host().to_owned(),
        Err(_) => "another address".to_owned(),
    }
}
