//! What the result line means, and why a model service was of no use.

use super::text;
use crate::event::{Finished, TurnOutcome};
use serde_json::Value;
use tollgate_core::time::Timestamp;

/// When the service takes requests again.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wait {
    /// The subscription's limit; it holds for the whole conversation.
    limit: Option<Timestamp>,
    /// What the last answer asked for.
    pub asked: Option<Timestamp>,
}

impl Wait {
    /// Told of by Claude Code when the limits of a subscription change.
    pub fn limit(&mut self, info: &Value) {
        self.limit = match text(info, "status") {
            Some("rejected") => info["resetsAt"]
                .as_i64()
                .map(|seconds| Timestamp::from_ms(seconds.saturating_mul(1_000))),
            _ => None,
        };
    }
}

pub fn finished(line: &Value, failure: Option<&str>, wait: &Wait) -> Finished {
    let words = words(line);
    let outcome = match text(line, "subtype") {
        Some("error_max_turns") => TurnOutcome::Turns { detail: words.clone() },
        Some("error_max_budget_usd") => TurnOutcome::Money { detail: words.clone() },
        // It never got its reply right, which is an invalid reply like any other.
        Some("error_max_structured_output_retries") => TurnOutcome::Done,
        _ if line["is_error"].as_bool() == Some(false) => TurnOutcome::Done,
        _ => failed(line, failure, &words, wait),
    };
    let reply = line.get("structured_output").filter(|value| !value.is_null()).cloned();
    Finished { outcome, reply, text: Some(words).filter(|words| !words.is_empty()) }
}

/// The last message of the model, or what went wrong.
fn words(line: &Value) -> String {
    let errors = line["errors"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let said = text(line, "result").or(text(&line["error"], "message")).map(str::to_owned);
    said.unwrap_or_else(|| errors.collect::<Vec<_>>().join("; "))
}

fn failed(line: &Value, failure: Option<&str>, words: &str, wait: &Wait) -> TurnOutcome {
    let status = line["api_error_status"].as_u64().or_else(|| status_in(words));
    let status = status.and_then(|status| u16::try_from(status).ok());
    let of_the_service = status.is_some()
        || failure.is_some()
        || text(line, "terminal_reason") == Some("api_error")
        || words.contains("API Error");
    if let Some(reason) = text(line, "startup_failure_reason") {
        return not_started(reason, words);
    }
    if !of_the_service {
        return TurnOutcome::unclear(words);
    }
    ServiceFailure { status, failure, words }.outcome(wait)
}

/// Qwen Code has no field for it: `[API Error: 401 Incorrect API key provided]`.
fn status_in(words: &str) -> Option<u64> {
    let (_, after) = words.split_once("[API Error: ")?;
    let digits = after.get(..3)?;
    let ends = !after[3..].starts_with(|next: char| next.is_ascii_alphanumeric());
    digits.parse().ok().filter(|status| ends && (400..600).contains(status))
}

/// Claude Code would not start; most of its reasons are about who may use it.
fn not_started(reason: &str, words: &str) -> TurnOutcome {
    let detail = format!("{reason}: {words}");
    if ["org_", "gateway_", "provider_"].iter().any(|about| reason.starts_with(about)) {
        return TurnOutcome::Login { detail };
    }
    TurnOutcome::unclear(detail)
}

/// A failure of the model service.
#[derive(Debug, Clone, Copy)]
pub struct ServiceFailure<'a> {
    pub status: Option<u16>,
    /// The program's own word for the kind of failure.
    pub failure: Option<&'a str>,
    pub words: &'a str,
}

impl ServiceFailure<'_> {
    pub fn outcome(self, wait: &Wait) -> TurnOutcome {
        let detail = self.words.to_owned();
        if self.is_login() {
            return TurnOutcome::Login { detail };
        }
        if self.is_limit() {
            return TurnOutcome::UsageLimit { resets_at: wait.limit.or(wait.asked), detail };
        }
        TurnOutcome::Service { status: self.status, detail }
    }

    fn is_login(self) -> bool {
        const KINDS: [&str; 5] = [
            "authentication_failed",
            "oauth_org_not_allowed",
            "account_on_hold",
            "verification_required",
            "cloud_credential_error",
        ];
        matches!(self.status, Some(401 | 403))
            || self.failure.is_some_and(|kind| KINDS.contains(&kind))
            || self.words.starts_with("Not logged in")
    }

    fn is_limit(self) -> bool {
        self.status == Some(429) || matches!(self.failure, Some("rate_limit" | "billing_error"))
    }
}
