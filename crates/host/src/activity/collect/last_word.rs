//! What the last word of an agent program means: a reply to be read, or how the attempt ended without one.

use super::is_reset_time;
use crate::agent::Transcript;
use crate::agent::event::{Finished, Outcome};
use tollgate_core::time::Timestamp;
use tollgate_core::work::DispatchEnd;

/// What is known beside the conversation.
#[derive(Debug, Clone, Copy)]
pub struct Circumstances {
    /// The end of the run, which may be long ago: the engine may have been gone meanwhile.
    pub ended_at: Timestamp,
    /// Whether the person has another login by now than the one that was lent.
    pub is_login_outdated: bool,
}

pub fn judge(transcript: &Transcript, known: Circumstances) -> Result<Vec<u8>, DispatchEnd> {
    let Some(Finished { outcome, reply, text }) = &transcript.finished else {
        return Err(DispatchEnd::Crashed {
            exit_code: None,
            signal: None,
            stderr_tail: "the conversation with the agent broke off".to_owned(),
        });
    };
    Err(match outcome.clone() {
        Outcome::Done => {
            let written = reply.as_ref().map(ToString::to_string).or_else(|| text.clone());
            match (written, transcript.refused.first()) {
                (None, Some(what)) => DispatchEnd::PermissionRefused { detail: what.clone() },
                (written, _) => return Ok(written.unwrap_or_default().into_bytes()),
            }
        }
        Outcome::UsageLimit { resets_at: Some(until), .. }
            if is_reset_time(until, known.ended_at) =>
        {
            DispatchEnd::Parked { until, no_time: None }
        }
        Outcome::UsageLimit { detail, .. } => DispatchEnd::Limited { detail },
        Outcome::Service { status, detail } => DispatchEnd::Unavailable {
            detail: match status {
                Some(status) => format!("{status}: {detail}"),
                None => detail,
            },
        },
        Outcome::Login { detail } => login_refused(&detail, known.is_login_outdated),
        Outcome::Denied { detail } => DispatchEnd::PermissionRefused { detail },
        Outcome::Turns { detail } | Outcome::Money { detail } => DispatchEnd::UsedUp { detail },
        Outcome::Silent { after_ms } => DispatchEnd::Unavailable {
            detail: format!("no sign of life for {} s while no tool was at work", after_ms / 1_000),
        },
        Outcome::Flooded { limit_bytes } => DispatchEnd::OutputLimit { limit_bytes },
        Outcome::Looping { requests } => DispatchEnd::Unavailable {
            detail: format!("it asked its model service {requests} times in a row and got nowhere"),
        },
        Outcome::Unclear { exit_code, signal, detail } => {
            DispatchEnd::Crashed { exit_code, signal, stderr_tail: detail }
        }
    })
}

/// A login that somebody renewed while an attempt ran is refused to that attempt, and the next one gets the new one.
fn login_refused(detail: &str, is_outdated: bool) -> DispatchEnd {
    let detail = format!("the model service refused the login: {detail}");
    match is_outdated {
        true => DispatchEnd::Unavailable { detail: format!("{detail} (it was renewed meanwhile)") },
        false => DispatchEnd::PermissionRefused { detail },
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    fn end_of(outcome: Outcome, is_login_outdated: bool) -> DispatchEnd {
        let finished = Some(Finished::without_reply(outcome));
        let transcript = Transcript { finished, ..Transcript::default() };
        judge(&transcript, Circumstances { ended_at: long_ago(), is_login_outdated }).unwrap_err()
    }

    fn long_ago() -> Timestamp {
        Timestamp::parse("2020-01-01T12:00:00Z").unwrap()
    }

    #[test]
    fn r107_a_reset_time_that_was_ahead_when_the_run_ended_parks_whenever_it_is_taken_up() {
        let limit = |resets_at| Outcome::UsageLimit { resets_at, detail: "limit".to_owned() };
        let soon = long_ago().plus_ms(600_000);
        assert_eq!(
            end_of(limit(Some(soon)), false),
            DispatchEnd::Parked { until: soon, no_time: None }
        );
        let in_years = Timestamp::parse("2023-01-01T12:00:00Z").unwrap();
        for odd in [Some(long_ago()), Some(in_years), None] {
            let end = end_of(limit(odd), false);
            assert!(matches!(end, DispatchEnd::Limited { .. }), "{odd:?}: {end:?}");
        }
    }

    #[test]
    fn only_a_refused_login_is_tried_again_with_the_renewed_one() {
        let detail = "the model service refused the login: 401".to_owned();
        let login = || Outcome::Login { detail: "401".to_owned() };
        let refused = DispatchEnd::PermissionRefused { detail: detail.clone() };
        assert_eq!(end_of(login(), false), refused);
        let end = end_of(login(), true);
        assert!(matches!(end, DispatchEnd::Unavailable { .. }), "{end:?}");
        // However an agent words it.
        assert_eq!(end_of(Outcome::Denied { detail }, true), refused);
    }
}
