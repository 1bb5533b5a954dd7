//! What a session needs of an agent, each shown by a session that asks for exactly that.

use super::stage::{Played, Stage, Until, session};
use super::{Grade, Verdict};
use crate::failure::Failure;
use serde_json::json;
use tollgate_core::work::DispatchEnd;
use tollgate_host::sanitize::terminal_line;
use tollgate_standin::{Answer, Fault, Rule, Script, When, crew};

const WORDS_MAX: usize = 300;

/// The name of the rule that mends a reply.
const MENDED: &str = "mended";

/// Plays the cases one after the other and tells each verdict as soon as it is known.
pub fn play(stage: &Stage<'_>, tell: &mut dyn FnMut(Verdict)) -> Result<(), Failure> {
    let played = stage.play(crew::script(&session()), Until::End)?;
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

fn delivery(played: &Played, tell: &mut dyn FnMut(Verdict)) {
    let replies = played.record.ends().filter(|(end, _)| is_reply(end)).count();
    let others: Vec<&DispatchEnd> =
        played.record.ends().map(|(end, _)| end).filter(|end| !is_reply(end)).collect();
    tell(verdict(
        "replies",
        replies > 0,
        match others.first() {
            None => format!("{replies} replies, all in the form of the contract"),
            Some(end) => format!(
                "{replies} replies; {} attempt(s) ended otherwise, the first so: {}",
                others.len(),
                in_words(end)
            ),
        },
    ));
    let has_line = played.delivered().contains("T-001");
    let words =
        if has_line { "app.txt was changed with its own tools" } else { "app.txt is as it was" };
    tell(verdict("writes files", has_line, words));
    let words = match played.is_done {
        true => "a lean session came to DONE".to_owned(),
        false => format!("the session did not come to its end: {}", last_line(&played.words)),
    };
    tell(verdict("delivers", played.is_done, words));
    let alive = played.still_alive();
    let words = match alive.first() {
        None => "no process was left behind".to_owned(),
        Some(words) => format!(
            "{} process(es) were left behind, such as {}",
            alive.len(),
            terminal_line(words, WORDS_MAX)
        ),
    };
    tell(verdict("leaves nothing", alive.is_empty(), words));
    counting(played, tell);
}

/// An agent that does not tell what it costs can be used; limits cannot be kept for it.
fn counting(played: &Played, tell: &mut dyn FnMut(Verdict)) {
    let has_tokens = played.record.ends().any(|(_, usage)| usage.input_tokens.is_some());
    let has_price = played.record.ends().any(|(_, usage)| usage.micro_usd.is_some());
    let grade = |has: bool| if has { Grade::Pass } else { Grade::Without };
    let words = |has: bool, what: &str| match has {
        true => format!("it tells {what}"),
        false => format!("it does not tell {what}; a limit on that cannot be kept for it"),
    };
    for (capability, has, what) in [
        ("counts tokens", has_tokens, "its tokens"),
        ("tells its price", has_price, "what it costs"),
    ] {
        tell(Verdict { capability, grade: grade(has), detail: words(has, what) });
    }
}

/// A reply that contradicts itself is sent back, and the agent goes on in its own session.
fn again(stage: &Stage<'_>, tell: &mut dyn FnMut(Verdict)) -> Result<(), Failure> {
    let mut script = crew::script(&session());
    let mut contradiction = crew::ok("It is written.");
    contradiction["gates"]["meets_definition_of_done"] = json!(false);
    let wrong = Answer { reply: Some(contradiction), ..script.rules[0].then.clone() };
    let mended = Answer { reply: Some(crew::ok("It is written.")), ..Answer::default() };
    let after = When { asked: Some("# Your reply was not accepted".to_owned()), ..When::default() };
    let first = Rule { name: "contradiction".to_owned(), then: wrong, ..script.rules[0].clone() };
    let mended = Rule { name: MENDED.to_owned(), when: after, then: mended, times: None };
    script.rules.splice(0..0, [mended, first]);
    let played = stage.play(script, Until::End)?;
    let ends: Vec<&DispatchEnd> = played.record.ends().map(|(end, _)| end).take(2).collect();
    let holds = matches!(ends[..], [DispatchEnd::Invalid { .. }, DispatchEnd::Replied { .. }]);
    let words = match (holds, goes_on(&played)) {
        (true, true) => {
            "a bad reply was sent back and mended in the agent's own session".to_owned()
        }
        (true, false) => "a bad reply was sent back and mended, in a new session".to_owned(),
        (false, _) => format!("a bad reply was not mended: {}", told(&played)),
    };
    tell(verdict("is asked again", holds, words));
    Ok(())
}

/// Whether the agent asked its model again with the first conversation before the second question, and not in it.
fn goes_on(played: &Played) -> bool {
    const FIRST: &str = "# You are SpecAgent";
    let mut again = played.asked.iter().filter(|asked| asked.rule.as_deref() == Some(MENDED));
    again
        .next()
        .is_some_and(|asked| !asked.asked.contains(FIRST) && asked.body.to_string().contains(FIRST))
}

/// A fault of the model service, and what must come of it.
struct Trouble {
    capability: &'static str,
    fault: Fault,
    holds: fn(&Played) -> bool,
    wanted: &'static str,
    until: Until,
    times: Option<u32>,
}

fn faults(stage: &Stage<'_>, tell: &mut dyn FnMut(Verdict)) -> Result<(), Failure> {
    for trouble in troubles() {
        let played = stage.play(faulty(&trouble), trouble.until)?;
        let (grade, detail) = match (trouble.holds)(&played) {
            _ if !played.still_alive().is_empty() => {
                (Grade::Fail, "a process was left behind".to_owned())
            }
            true => (Grade::Pass, trouble.wanted.to_owned()),
            false if trouble.until == Until::Parked && is_unavailable(&played) => (
                Grade::Without,
                "it does not tell when the limit ends; it is tried again by us".to_owned(),
            ),
            false => (Grade::Fail, format!("wanted: {}; {}", trouble.wanted, told(&played))),
        };
        tell(Verdict { capability: trouble.capability, grade, detail });
    }
    Ok(())
}

fn troubles() -> Vec<Trouble> {
    let status = |code| {
        let (headers, body) = (Default::default(), None);
        Fault::Status { code, retry_after: None, headers, body }
    };
    let for_good = |capability, fault, wanted, holds| Trouble {
        capability,
        fault,
        holds,
        wanted,
        until: Until::End,
        times: None,
    };
    vec![
        for_good(
            "server error",
            status(500),
            "told as the service's failure, tried again by us",
            is_unavailable,
        ),
        for_good(
            "rate limit",
            status(429),
            "told as the service's failure, tried again by us",
            is_unavailable,
        ),
        Trouble {
            until: Until::Parked,
            ..for_good(
                "usage limit",
                Fault::UsageLimit { resets_in_s: 3_600 },
                "parked until its reset time",
                |p| p.record.is_parked(),
            )
        },
        for_good("no login", status(401), "told as a refused login, for a person", |played| {
            matches!(played.record.ends().next(), Some((DispatchEnd::PermissionRefused { .. }, _)))
        }),
        for_good(
            "silent service",
            Fault::Hang,
            "ended by the silence limit, tried again by us",
            is_unavailable,
        ),
        Trouble {
            times: Some(1),
            ..for_good(
                "wrong arguments",
                Fault::WrongArguments,
                "the model is told and goes on",
                |p| p.is_done,
            )
        },
    ]
}

fn is_unavailable(played: &Played) -> bool {
    matches!(played.record.ends().next(), Some((DispatchEnd::Unavailable { .. }, _)))
}

/// The crew, with the fault in the way of its first role.
fn faulty(trouble: &Trouble) -> Script {
    let mut script = crew::script(&session());
    let then = Answer { fault: Some(trouble.fault.clone()), ..script.rules[0].then.clone() };
    let first =
        Rule { name: "fault".to_owned(), then, times: trouble.times, ..script.rules[0].clone() };
    script.rules.insert(0, first);
    script
}

fn verdict(capability: &'static str, holds: bool, detail: impl Into<String>) -> Verdict {
    let grade = if holds { Grade::Pass } else { Grade::Fail };
    Verdict { capability, grade, detail: detail.into() }
}

fn is_reply(end: &DispatchEnd) -> bool {
    matches!(end, DispatchEnd::Replied { .. })
}

/// How the first attempt ended, or what the run said last.
fn told(played: &Played) -> String {
    match played.record.ends().next() {
        Some((end, _)) => format!("the first attempt ended so: {}", in_words(end)),
        None => last_line(&played.words),
    }
}

fn in_words(end: &DispatchEnd) -> String {
    terminal_line(&json!(end).to_string(), WORDS_MAX)
}

fn last_line(words: &str) -> String {
    let line =
        words.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("nothing was said");
    terminal_line(line, WORDS_MAX)
}
