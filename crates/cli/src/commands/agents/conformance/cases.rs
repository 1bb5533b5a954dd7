//! What a session needs of an agent, each shown by a session that asks for exactly that.

use super::stage::{Played, TestSetup, Until};
use super::{CapabilityResult, Grade};
use crate::failure::Failure;
use std::time::Duration;
use tollgate_core::words;
use tollgate_core::work::DispatchEnd;
use tollgate_files::clock;
use tollgate_files::sanitize::terminal_line;
use tollgate_standin::crew::{ASKED_FIRST, FIXED};
use tollgate_standin::{ServiceFault, crew};

const WORDS_MAX: usize = 300;

/// Plays the cases one after the other and tells each verdict as soon as it is known.
pub fn play(stage: &TestSetup<'_>, tell: &mut dyn FnMut(CapabilityResult)) -> Result<(), Failure> {
    let played = stage.play(crew::script, Until::End)?;
    delivery(&played, tell);
    if !stage.stand_in {
        return Ok(());
    }
    // An agent that cannot deliver shows nothing more by failing.
    if played.is_done {
        again(stage, tell)?;
        faults(stage, tell)?;
    }
    Ok(())
}

fn delivery(played: &Played, tell: &mut dyn FnMut(CapabilityResult)) {
    let replies = played.record.ends().filter(|(end, _)| is_reply(end)).count();
    let others: Vec<&DispatchEnd> =
        played.record.ends().map(|(end, _)| end).filter(|end| !is_reply(end)).collect();
    tell(verdict(
        "replies",
        replies > 0,
        match others.first() {
            None => format!("{replies} replies, all valid"),
            Some(end) => format!(
                "{replies} replies; other attempts ended differently ({}), the first: {}",
                others.len(),
                in_words(end)
            ),
        },
    ));
    let has_line = played.delivered().contains("T-001");
    let words =
        if has_line { "app.txt was changed with its own tools" } else { "app.txt was not changed" };
    tell(verdict("writes files", has_line, words));
    let words = match played.is_done {
        true => "a lean session reached DONE".to_owned(),
        false => {
            let words = stopped(played.stopped_after, last_line(&played.words));
            format!("the session did not finish: {words}")
        }
    };
    tell(verdict("delivers", played.is_done, words));
    let alive = played.still_alive();
    let words = match alive.first() {
        None => "no process was left behind".to_owned(),
        Some(one) => format!(
            "processes were left behind ({}), such as {}",
            alive.len(),
            terminal_line(&one.words, WORDS_MAX)
        ),
    };
    tell(verdict("leaves nothing", alive.is_empty(), words));
    counting(played, tell);
}

/// An agent that does not tell what it costs can be used; limits cannot be kept for it.
fn counting(played: &Played, tell: &mut dyn FnMut(CapabilityResult)) {
    let has_tokens = played.record.ends().any(|(_, usage)| usage.input_tokens.is_some());
    let has_price = played.record.ends().any(|(_, usage)| usage.micro_usd.is_some());
    let grade = |has: bool| if has { Grade::Pass } else { Grade::None };
    let words = |has: bool, what: &str| match has {
        true => format!("it reports {what}"),
        false => format!("it does not report {what}; Tollgate cannot enforce a limit on it"),
    };
    for (capability, has, what) in [
        ("counts tokens", has_tokens, "its tokens"),
        ("reports its cost", has_price, "what it costs"),
    ] {
        tell(CapabilityResult { capability, grade: grade(has), detail: words(has, what) });
    }
}

/// A reply that contradicts itself is sent back, and the agent continues in its own session.
fn again(stage: &TestSetup<'_>, tell: &mut dyn FnMut(CapabilityResult)) -> Result<(), Failure> {
    let played = stage.play(crew::hasty, Until::End)?;
    let ends: Vec<&DispatchEnd> = played.record.ends().map(|(end, _)| end).take(2).collect();
    let is_fixed = matches!(ends[..], [DispatchEnd::Invalid { .. }, DispatchEnd::Replied { .. }]);
    let words = match (is_fixed, remembers(&played)) {
        (true, true) => {
            "an invalid reply was sent back, and the agent fixed it in the same session".to_owned()
        }
        (true, false) => "when asked again, it did not remember the first question".to_owned(),
        (false, _) => format!("an invalid reply was not fixed: {}", told(&played)),
    };
    tell(verdict("is asked again", is_fixed && remembers(&played), words));
    Ok(())
}

/// Whether the agent sent its model the first conversation along when it was asked again.
fn remembers(played: &Played) -> bool {
    let again = played.requests.iter().filter(|request| request.rule.as_deref() == Some(FIXED));
    let mut again = again.filter(|request| !request.asked.contains(ASKED_FIRST));
    again.any(|request| request.body.to_string().contains(ASKED_FIRST))
}

/// A fault of the model service, and what must come of it.
struct FaultCase {
    capability: &'static str,
    fault: ServiceFault,
    grade: fn(&Played) -> Grade,
    wanted: &'static str,
    until: Until,
    times: Option<u32>,
}

fn faults(stage: &TestSetup<'_>, tell: &mut dyn FnMut(CapabilityResult)) -> Result<(), Failure> {
    for trouble in troubles() {
        let script = |session: &str| crew::faulty(session, trouble.fault.clone(), trouble.times);
        let played = stage.play(script, trouble.until)?;
        let grade = match played.still_alive().is_empty() {
            true => (trouble.grade)(&played),
            false => Grade::Fail,
        };
        let detail = match grade {
            Grade::Pass => trouble.wanted.to_owned(),
            Grade::None => {
                format!("not {}: it reports no time; Tollgate tries again", trouble.wanted)
            }
            Grade::Fail => format!("wanted: {}; {}", trouble.wanted, told(&played)),
        };
        tell(CapabilityResult { capability: trouble.capability, grade, detail });
    }
    Ok(())
}

fn troubles() -> Vec<FaultCase> {
    let waits = |seconds| ServiceFault::Status {
        code: 429,
        retry_after: Some(seconds),
        headers: Default::default(),
        body: None,
    };
    let for_good = |capability, fault, wanted, grade| {
        let (until, times) = (Until::End, None);
        FaultCase { capability, fault, grade, wanted, until, times }
    };
    let by_us = "reported as a failure of the service; Tollgate tries again";
    let limit = ServiceFault::UsageLimit { resets_in_s: RESETS_IN_S };
    let limit = for_good("usage limit", limit, "parked until its reset time", parks);
    let short = for_good("short wait", waits(1), "the agent waits by itself", |p| {
        passes(p.is_done && p.record.first_end().is_some_and(is_reply))
    });
    let long = waits(RESETS_IN_S);
    let long = for_good("long wait", long, "parked until its end", parks);
    let login = "reported as a refused login; Tollgate asks you";
    let silent = "stopped at the silence limit; Tollgate tries again";
    let arguments = "the model gets the error and continues";
    let arguments =
        for_good("wrong arguments", ServiceFault::WrongArguments, arguments, |p| passes(p.is_done));
    vec![
        for_good("server error", ServiceFault::status(500), by_us, is_unavailable),
        for_good("rate limit", ServiceFault::status(429), by_us, is_unavailable),
        FaultCase { times: Some(1), ..short },
        FaultCase { until: Until::Parked, ..long },
        FaultCase { until: Until::Parked, ..limit },
        for_good("no login", ServiceFault::status(401), login, |p| {
            passes(matches!(p.record.first_end(), Some(DispatchEnd::PermissionRefused { .. })))
        }),
        for_good("silent service", ServiceFault::Hang, silent, is_unavailable),
        FaultCase { times: Some(1), ..arguments },
    ]
}

const RESETS_IN_S: u64 = 3_600;

/// Some tell their times in whole minutes, and some wait a little longer than they were told.
const RESET_MS: std::ops::Range<u64> = (RESETS_IN_S - 600) * 1_000..(RESETS_IN_S + 600) * 1_000;

/// An agent that keeps the time to itself can be used all the same.
fn parks(played: &Played) -> Grade {
    match played.record.first_end() {
        Some(DispatchEnd::Parked { until, .. }) => {
            passes(RESET_MS.contains(&until.ms_since(clock::now())))
        }
        Some(
            DispatchEnd::Unavailable { .. }
            | DispatchEnd::Limited { .. }
            | DispatchEnd::UsedUp { .. },
        ) => Grade::None,
        _ => Grade::Fail,
    }
}

fn is_unavailable(played: &Played) -> Grade {
    let end = played.record.first_end();
    passes(matches!(end, Some(DispatchEnd::Unavailable { .. } | DispatchEnd::Limited { .. })))
}

fn passes(holds: bool) -> Grade {
    if holds { Grade::Pass } else { Grade::Fail }
}

fn verdict(capability: &'static str, holds: bool, detail: impl Into<String>) -> CapabilityResult {
    CapabilityResult { capability, grade: passes(holds), detail: detail.into() }
}

fn is_reply(end: &DispatchEnd) -> bool {
    matches!(end, DispatchEnd::Replied { .. })
}

/// How the first attempt ended, or what the run said last.
fn told(played: &Played) -> String {
    let words = match played.record.first_end() {
        Some(end) => format!("the first attempt ended like this: {}", in_words(end)),
        None => last_line(&played.words),
    };
    stopped(played.stopped_after, words)
}

/// A run that was ended by us says nothing of that itself.
fn stopped(after: Option<Duration>, words: String) -> String {
    match after {
        None => words,
        Some(after) => format!("stopped after {} minutes; {words}", after.as_secs() / 60),
    }
}

fn in_words(end: &DispatchEnd) -> String {
    terminal_line(&words::ended(end), WORDS_MAX)
}

fn last_line(words: &str) -> String {
    let line = words.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no output");
    terminal_line(line, WORDS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_was_cut_off_says_so() {
        let words = |after| stopped(after, "the Coder is at work".to_owned());
        assert_eq!(words(None), "the Coder is at work");
        let cut_off = words(Some(Duration::from_secs(30 * 60)));
        assert_eq!(cut_off, "stopped after 30 minutes; the Coder is at work");
    }
}
