//! How a tracker can fail, in words for people. No token is ever part of them.

use tollgate_core::time::Timestamp;
use tollgate_files::FileError;

#[derive(Debug, thiserror::Error)]
pub enum TrackerError {
    #[error(
        "there is no login for GitHub: {tried}; run `gh auth login`, or set GH_TOKEN to a token that may write issues"
    )]
    NoLogin { tried: String },
    #[error(
        "{from} does not contain a valid token: a token is one word of letters, digits and punctuation"
    )]
    BadToken { from: String },
    #[error(
        "GitHub rejects the login from {from} (401: {said}); run `gh auth login` again, or set GH_TOKEN to a valid token"
    )]
    LoginRefused { from: String, said: String },
    #[error(
        "GitHub refuses {doing} (403: {said}); the token needs permission to write issues of {repository}"
    )]
    Forbidden { doing: String, said: String, repository: String },
    #[error(
        "GitHub found nothing for {doing} (404: {said}); check the spelling of {repository} and that your login has access to it"
    )]
    NotFound { doing: String, said: String, repository: String },
    #[error(
        "GitHub says that {doing} is gone (410: {said}); perhaps issues are turned off in {repository}"
    )]
    Gone { doing: String, said: String, repository: String },
    #[error("GitHub rejects the data for {doing} (422: {said})")]
    Invalid { doing: String, said: String, codes: Vec<String> },
    #[error("the rate limit of GitHub is reached{}; nothing is lost, try again later", when(.again_at))]
    Limited { again_at: Option<Timestamp> },
    #[error(
        "GitHub redirects {doing} to {to}, and Tollgate does not send a login there; set `repository` under [tracker] in tollgate.toml to the current name"
    )]
    Moved { doing: String, to: String },
    #[error("GitHub failed at {doing} ({status}: {said}); try again later")]
    Server { doing: String, status: u16, said: String },
    #[error("{host} cannot be reached for {doing}: {cause}; check the network and try again")]
    Unreachable { host: String, doing: String, cause: String },
    #[error(
        "this machine has no CA certificates, so it cannot trust any server; install ca-certificates, or set SSL_CERT_FILE to a file with certificates"
    )]
    NoCertificates,
    #[error("the response to {doing} has more than {max} bytes, which is the limit")]
    TooBig { doing: String, max: u64 },
    #[error("the response to {doing} cannot be read: {cause}")]
    Unreadable { doing: String, cause: String },
    #[error("GITHUB_API_URL is {found:?}, which cannot be used: {why}")]
    BadApi { found: String, why: &'static str },
    #[error(
        "Tollgate does not know which GitHub repository to use: {why}; write repository = \"owner/name\" under [tracker] in tollgate.toml"
    )]
    NoRepository { why: String },
    #[error("{key:?} is not a valid key for a work item")]
    BadKey { key: String },
    #[error("there is no work item {id:?}")]
    NoItem { id: String },
    #[error("{path} is not a work item that can be read: {cause}; fix it by hand")]
    BadItem { path: String, cause: String },
    #[error(transparent)]
    File(#[from] FileError),
}

fn when(again_at: &Option<Timestamp>) -> String {
    again_at.map(|at| format!(" until {at}")).unwrap_or_default()
}
