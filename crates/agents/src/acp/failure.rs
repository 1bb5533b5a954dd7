//! What an error of an agent means for the attempt.

use super::rpc::{AUTH_REQUIRED, INTERNAL_ERROR, RpcError};
use super::wrapped::over_acp;
use crate::event::TurnOutcome;
use serde_json::Value;

/// An agent's error for a request of ours.
pub fn outcome(doing: &str, failure: &RpcError) -> TurnOutcome {
    let detail = detail(failure);
    // The words of claude-agent-acp and of codex-acp.
    let kinds = [&failure.data["errorKind"], &failure.data["codexErrorInfo"]];
    let kind = kinds.into_iter().find_map(Value::as_str).unwrap_or_default();
    match (kind, status(failure)) {
        ("authentication_failed" | "oauth_org_not_allowed" | "account_on_hold", _) => {
            TurnOutcome::Login { detail }
        }
        ("verification_required" | "cloud_credential_error", _) => TurnOutcome::Login { detail },
        ("billing_error" | "rate_limit" | "usageLimitExceeded", _) | (_, Some(402 | 429)) => {
            limit(detail)
        }
        ("overloaded", status) => TurnOutcome::Service { status: status.or(Some(529)), detail },
        ("unauthorized", _) => TurnOutcome::Login { detail },
        (_, Some(401 | 403)) => TurnOutcome::Login { detail },
        (_, Some(status)) => TurnOutcome::Service { status: Some(status), detail },
        _ => match failure.code {
            AUTH_REQUIRED => TurnOutcome::Login { detail },
            INTERNAL_ERROR => TurnOutcome::Service { status: None, detail },
            code => {
                TurnOutcome::unclear(format!("{doing} was answered with error {code}: {detail}"))
            }
        },
    }
}

/// The status of the model service: some give it as the code, some beside it.
fn status(failure: &RpcError) -> Option<u16> {
    let data = &failure.data;
    let told = [&data["status"], &data["statusCode"], &data["httpStatus"], &data["http_status"]];
    let inside = data["codexErrorInfo"].as_object().into_iter().flat_map(|info| info.values());
    let inside = inside.map(|info| &info["httpStatusCode"]);
    let told = told.into_iter().chain(inside).find_map(Value::as_i64).unwrap_or(failure.code);
    u16::try_from(told).ok().filter(|status| (400..600).contains(status))
}

fn detail(failure: &RpcError) -> String {
    let more = match &failure.data {
        Value::String(text) => Some(text.as_str()),
        data => data["details"].as_str().or_else(|| data["message"].as_str()),
    };
    match more.filter(|more| !more.is_empty() && *more != failure.message) {
        Some(more) => format!("{}: {more}", failure.message),
        None => failure.message.clone(),
    }
}

/// A limit, with the time when it ends where the words tell it. Only Codex has such words.
fn limit(detail: String) -> TurnOutcome {
    let resets_at = over_acp().find_map(|known| known.limit_ends(&detail));
    TurnOutcome::UsageLimit { resets_at, detail }
}

/// What an agent says in a message when its model service failed. Only Codex does.
pub fn told_in_trouble(text: &str) -> Option<TurnOutcome> {
    over_acp().find_map(|known| known.told_in_trouble(text))
}
