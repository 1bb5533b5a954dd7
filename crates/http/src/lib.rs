//! Calls to servers: bounded in time and size, trusting what this machine trusts, and never redirected.

mod address;
mod headers;
mod post;

pub use address::Address;
pub use headers::headers;
pub use post::{Answered, PostError, Posted, post};

use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;
use tollgate_files::sanitize::terminal_line;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

/// This machine trusts no authority, so no server can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "this machine has no CA certificates, so it cannot trust any server; install ca-certificates, or set SSL_CERT_FILE to a file with certificates"
)]
pub struct NoCertificates;

/// Asks servers, each call for so long at most. Without encryption no proxy and no certificate stands between: that is for
/// this very machine.
pub fn agent(is_plain: bool, wait: Duration, accept: &str) -> Result<ureq::Agent, NoCertificates> {
    let config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        // A redirect could lead a login or what is said to another host.
        .max_redirects(0)
        .max_redirects_will_error(false)
        .timeout_global(Some(wait))
        .https_only(!is_plain)
        .user_agent(concat!("tollgate/", env!("CARGO_PKG_VERSION")))
        .accept(accept);
    let config = match is_plain {
        true => config.proxy(None),
        false => config.tls_config(tls()?),
    };
    Ok(config.build().new_agent())
}

/// What this machine trusts, because a company's own server has a company's own authority.
fn tls() -> Result<TlsConfig, NoCertificates> {
    let found = rustls_native_certs::load_native_certs();
    let roots: Vec<Certificate<'static>> =
        found.certs.iter().map(|cert| Certificate::from_der(cert).to_owned()).collect();
    if roots.is_empty() {
        return Err(NoCertificates);
    }
    Ok(TlsConfig::builder()
        .root_certs(RootCerts::Specific(Arc::new(roots)))
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build())
}

/// Why a server could not be asked, in words for people.
pub fn why(error: &ureq::Error) -> String {
    match error {
        ureq::Error::Timeout(_) => "it did not respond in time".to_owned(),
        ureq::Error::HostNotFound => "the host does not exist".to_owned(),
        ureq::Error::Io(cause) => match cause.kind() {
            ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => {
                "the connection broke off".to_owned()
            }
            ErrorKind::InvalidData => format!(
                "{cause}; to trust other certificate authorities than this machine's, set SSL_CERT_FILE"
            ),
            _ => cause.to_string(),
        },
        other => terminal_line(&other.to_string(), 200),
    }
}
