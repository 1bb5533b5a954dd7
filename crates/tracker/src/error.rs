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
        "{from} holds no token that can be sent: a token is one word of letters, digits and punctuation"
    )]
    BadToken { from: String },
    #[error(
        "GitHub does not take the login from {from} (401: {said}); run `gh auth login` again, or set GH_TOKEN to a token that is still good"
    )]
    LoginRefused { from: String, said: String },
    #[error(
        "GitHub refuses {doing} (403: {said}); the token needs the right to write issues of {repository}"
    )]
    Forbidden { doing: String, said: String, repository: String },
    #[error(
        "GitHub found nothing for {doing} (404: {said}); see that {repository} is written right and that your login may see it"
    )]
    NotFound { doing: String, said: String, repository: String },
    #[error(
        "GitHub says that what {doing} needs is gone (410: {said}); perhaps {repository} has its issues turned off"
    )]
    Gone { doing: String, said: String, repository: String },
    #[error("GitHub does not accept what was sent for {doing} (422: {said})")]
    Invalid { doing: String, said: String, codes: Vec<String> },
    #[error("GitHub allows no more requests for now{}; nothing is lost, try again then", when(.again_at))]
    Limited { again_at: Option<Timestamp> },
    #[error(
        "GitHub redirects {doing} to {to}, and a login is not sent there; write the current name of the repository as `repository` under [tracker] in tollgate.toml"
    )]
    Moved { doing: String, to: String },
    #[error("GitHub failed at {doing} ({status}: {said}); try again later")]
    Server { doing: String, status: u16, said: String },
    #[error(
        "{host} cannot be reached for {doing}: {cause}; see that the network works, and try again"
    )]
    Unreachable { host: String, doing: String, cause: String },
    #[error(
        "this machine has no CA certificates, so no server can be trusted; install ca-certificates, or name a file of them in SSL_CERT_FILE"
    )]
    NoCertificates,
    #[error("the answer to {doing} has more than {max} bytes, which is the limit")]
    TooBig { doing: String, max: u64 },
    #[error("the answer to {doing} cannot be read: {cause}")]
    Unreadable { doing: String, cause: String },
    #[error("GITHUB_API_URL is {found:?}, which cannot be used: {why}")]
    BadApi { found: String, why: &'static str },
    #[error(
        "it is not known which repository of GitHub to use: {why}; write repository = \"owner/name\" under [tracker] in tollgate.toml"
    )]
    NoRepository { why: String },
    #[error("{key:?} cannot be the key of a work item")]
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
