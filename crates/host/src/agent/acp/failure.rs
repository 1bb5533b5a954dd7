//! What an error of an agent means for the attempt.

use super::rpc::{AUTH_REQUIRED, Failure, INTERNAL_ERROR};
use crate::agent::event::Outcome;
use serde_json::Value;

/// An agent's error for a request of ours.
pub fn outcome(doing: &str, failure: &Failure) -> Outcome {
    let detail = detail(failure);
    // The words of claude-agent-acp and of codex-acp.
    let kinds = [&failure.data["errorKind"], &failure.data["codexErrorInfo"]];
    let kind = kinds.into_iter().find_map(Value::as_str).unwrap_or_default();
    match (kind, status(failure)) {
        ("authentication_failed" | "oauth_org_not_allowed" | "account_on_hold", _) => {
            Outcome::Login { detail }
        }
        ("verification_required" | "cloud_credential_error", _) => Outcome::Login { detail },
        ("billing_error", _) => Outcome::UsageLimit { resets_at: None, detail },
        ("rate_limit", status) => Outcome::Service { status: status.or(Some(429)), detail },
        ("overloaded", status) => Outcome::Service { status: status.or(Some(529)), detail },
        ("unauthorized", _) => Outcome::Login { detail },
        ("usageLimitExceeded", _) => Outcome::UsageLimit { resets_at: None, detail },
        (_, Some(401 | 403)) => Outcome::Login { detail },
        (_, Some(status)) => Outcome::Service { status: Some(status), detail },
        _ => match failure.code {
            AUTH_REQUIRED => Outcome::Login { detail },
            INTERNAL_ERROR => Outcome::Service { status: None, detail },
            code => Outcome::Unclear {
                exit_code: None,
                signal: None,
                detail: format!("{doing} was answered with error {code}: {detail}"),
            },
        },
    }
}

/// The status of the model service: some give it as the code, some beside it.
fn status(failure: &Failure) -> Option<u16> {
    let data = &failure.data;
    let told = [&data["status"], &data["statusCode"], &data["httpStatus"], &data["http_status"]];
    let inside = data["codexErrorInfo"].as_object().into_iter().flat_map(|info| info.values());
    let inside = inside.map(|info| &info["httpStatusCode"]);
    let told = told.into_iter().chain(inside).find_map(Value::as_i64).unwrap_or(failure.code);
    u16::try_from(told).ok().filter(|status| (400..600).contains(status))
}

fn detail(failure: &Failure) -> String {
    let more = match &failure.data {
        Value::String(text) => Some(text.as_str()),
        data => data["details"].as_str().or_else(|| data["message"].as_str()),
    };
    match more.filter(|more| !more.is_empty() && *more != failure.message) {
        Some(more) => format!("{}: {more}", failure.message),
        None => failure.message.clone(),
    }
}

/// goose ends its turn well and tells of the failure of its model service in a message of its own.
pub fn told_by_goose(text: &str) -> Option<Outcome> {
    const ERROR: &str = "Ran into this error: ";
    const ADVICE: &str = "Please retry if you think this is a transient or recoverable error.";
    const NETWORK: &str = "Network error: ";
    const AGAIN: &str = "Please resend your message to try again.";
    let text = text.trim();
    let error = text.strip_prefix(ERROR).map(|rest| rest.strip_suffix(ADVICE).unwrap_or(rest));
    let network = || text.strip_prefix(NETWORK).and_then(|rest| rest.strip_suffix(AGAIN));
    let detail = error.or_else(network)?.trim();
    Some(match detail.strip_prefix("Authentication error") {
        Some(_) => Outcome::Login { detail: detail.to_owned() },
        None => told_in_trouble(detail),
    })
}

/// A message about a model service that failed.
pub fn told_in_trouble(text: &str) -> Outcome {
    let detail = text.trim().to_owned();
    let status =
        if detail.starts_with("Rate limit exceeded") { Some(429) } else { status_in(&detail) };
    Outcome::Service { status, detail }
}

/// As in "(500 Internal Server Error)" or "last status: 429 Too Many Requests".
fn status_in(text: &str) -> Option<u16> {
    let words = text.split([' ', '(', ')']).filter(|word| word.len() == 3);
    words.filter_map(|word| word.parse().ok()).find(|status| (400..600).contains(status))
}
