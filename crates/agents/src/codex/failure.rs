//! What the messages mean with which Codex gives up. It has no codes for them: these are its own sentences.

use crate::event::TurnOutcome;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use serde_json::Value;
use tollgate_core::time::Timestamp;

/// No way to pay for the next answer, and nobody says until when.
const USED_UP: [&str; 3] = ["Quota exceeded", "spend limit", "out of credits"];

const LOGIN: [&str; 4] =
    ["sign in again", "log in again", "Not logged in", "To use Codex with your ChatGPT plan"];

const USAGE_LIMIT: &str = "hit your usage limit";

/// Codex writes times in the person's zone.
pub fn outcome(message: &str, now: Timestamp, zone: &TimeZone) -> TurnOutcome {
    let says = |words: &str| message.contains(words);
    let detail = words(message);
    if says(USAGE_LIMIT) {
        return TurnOutcome::UsageLimit { resets_at: resets_at(message, now, zone), detail };
    }
    if USED_UP.into_iter().any(says) {
        return TurnOutcome::UsageLimit { resets_at: None, detail };
    }
    let status = status(message);
    if matches!(status, Some(401 | 403)) || LOGIN.into_iter().any(says) {
        return TurnOutcome::Login { detail };
    }
    match status {
        Some(429) => TurnOutcome::UsageLimit { resets_at: None, detail },
        status => TurnOutcome::Service { status, detail },
    }
}

/// For people: an answer of the service that Codex passes on whole tells its message.
fn words(message: &str) -> String {
    let answer: Option<Value> = serde_json::from_str(message).ok();
    let told = answer.as_ref().and_then(|answer| answer["error"]["message"].as_str());
    match told.unwrap_or(message).trim() {
        "" => "the model service failed and did not say why".to_owned(),
        words => words.to_owned(),
    }
}

/// The HTTP status that a message tells of: "unexpected status 401 Unauthorized", "last status: 429 Too Many Requests".
pub fn status(message: &str) -> Option<u16> {
    let (_, rest) = message.split_once("status")?;
    let digits = rest.trim_start_matches([':', ' ']).get(..3)?;
    digits.parse().ok().filter(|status| (100..600).contains(status))
}

/// "Reconnecting... 2/5 (why)": it will ask again.
pub fn reconnecting(message: &str) -> Option<&str> {
    let rest = message.strip_prefix("Reconnecting...")?;
    let why = rest.split_once('(').map_or(rest, |(_, why)| why);
    Some(why.strip_suffix(')').unwrap_or(why).trim())
}

/// "try again at 2:13 PM", which is today, or "try again at Sep 21st, 2026 2:13 PM".
pub fn resets_at(message: &str, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let start = ["try again at ", "Try again at "]
        .iter()
        .find_map(|words| message.find(words).map(|at| at + words.len()))?;
    let text = message.get(start..)?.trim().trim_end_matches('.');
    let today = jiff::Timestamp::from_millisecond(now.as_ms()).ok()?.to_zoned(zone.clone()).date();
    let local = match text.rsplit_once(", ") {
        None => today.to_datetime(clock_time(text)?),
        Some((day, rest)) => {
            let (year, time) = rest.split_once(' ')?;
            date(day, year)?.to_datetime(clock_time(time)?)
        }
    };
    // The seconds are left out, so the minute must be over.
    let over = DateTime::checked_add(local, jiff::Span::new().minutes(1)).ok()?;
    let at = over.to_zoned(zone.clone()).ok()?.timestamp();
    Some(Timestamp::from_ms(at.as_millisecond()))
}

fn clock_time(text: &str) -> Option<Time> {
    Time::strptime("%I:%M %p", text).ok()
}

/// "Sep 21st" and "2026".
fn date(day: &str, year: &str) -> Option<Date> {
    let day = day.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    Date::strptime("%b %d %Y", format!("{day} {year}")).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    fn meant(message: &str) -> TurnOutcome {
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        outcome(message, Timestamp::parse("2026-09-20T23:30:00Z").unwrap(), &zone)
    }

    fn parked_until(message: &str) -> Option<String> {
        match meant(message) {
            TurnOutcome::UsageLimit { resets_at, .. } => resets_at.map(|at| at.to_string()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn r107_a_usage_limit_of_codex_ends_one_minute_after_the_reported_one() {
        let told = |time: &str| {
            format!(
                "You’ve hit your usage limit. Visit https://a/b to purchase more credits or try again at {time}."
            )
        };
        let cases = [
            ("Sep 21st, 2026 2:13 PM", Some("2026-09-21T12:14:00.000Z")),
            ("Oct 3rd, 2026 12:05 AM", Some("2026-10-02T22:06:00.000Z")),
            // Today is the 21st where the person lives.
            ("2:13 PM", Some("2026-09-21T12:14:00.000Z")),
            ("the next moon", None),
        ];
        for (time, until) in cases {
            assert_eq!(parked_until(&told(time)).as_deref(), until, "{time}");
        }
        let words = "You've hit your usage limit for GPT-9. Try again at 9:00 AM.";
        assert_eq!(parked_until(words).as_deref(), Some("2026-09-21T07:01:00.000Z"));
        assert_eq!(parked_until("You’ve hit your usage limit. Try again later."), None);
    }

    #[test]
    fn limits_logins_and_failures_of_the_service_are_distinguished() {
        let credits = "Quota exceeded. Check your plan and billing details.";
        assert_eq!(parked_until(credits), None);
        for login in [
            "unexpected status 401 Unauthorized: no such key, url: http://a/v1/responses",
            "unexpected status 403 Forbidden: , url: http://a/v1/responses",
            "Your access token could not be refreshed. Please log out and sign in again.",
            "To use Codex with your ChatGPT plan, upgrade to Plus: https://a/b.",
        ] {
            assert!(matches!(meant(login), TurnOutcome::Login { .. }), "{login}");
        }
        for (service, status) in [
            ("exceeded retry limit, last status: 503 Service Unavailable", Some(503)),
            ("Selected model is at capacity. Please try a different model.", None),
            ("Connection failed: error sending request", None),
            ("status", None),
            ("status é", None),
        ] {
            let detail = service.to_owned();
            assert_eq!(meant(service), TurnOutcome::Service { status, detail });
        }
        let passed_on =
            r#"{"error": {"message": "no such model", "type": "invalid_request_error"}}"#;
        for (message, told) in
            [(passed_on, "no such model"), (" ", "the model service failed and did not say why")]
        {
            let detail = told.to_owned();
            assert_eq!(meant(message), TurnOutcome::Service { status: None, detail });
        }
        let limit = "exceeded retry limit, last status: 429 Too Many Requests";
        assert_eq!(parked_until(limit), None);
    }
}
