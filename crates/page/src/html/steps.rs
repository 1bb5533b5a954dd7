//! What ran, a ruled line for each: when it began, how it ended, what it took and cost; the words of agents and what failed
//! commands printed stand between the lines.

use super::session::Head;
use super::{foreign, foreign_line};
use crate::when;
use maud::{Markup, html};
use tollgate_core::decision::DecisionStatus;
use tollgate_core::time::Timestamp;
use tollgate_desk::chronicle::{AttemptSpan, Chronicle, FailedCommand, Span, What};

/// Of more steps the last ones are shown.
const STEPS_MAX: usize = 400;
/// The end of what a failed command printed.
const PRINTED_LINES: usize = 20;

pub fn all(head: &Head<'_>, chronicle: &Chronicle, now: Timestamp) -> Markup {
    let left_out = chronicle.spans.len().saturating_sub(STEPS_MAX);
    let begin = chronicle.opened_at.unwrap_or(now);
    html! {
        section.card #steps data-live aria-label="Steps" {
            h2 { "Steps" }
            @if chronicle.spans.is_empty() { p.dim { "Nothing has run yet." } }
            @if left_out > 0 { p.dim { (left_out) " earlier steps are left out." } }
            ol.log.steps { @for span in chronicle.spans.iter().skip(left_out) { (step(head, span, begin, now)) } }
        }
    }
}

fn step(head: &Head<'_>, span: &Span, begin: Timestamp, now: Timestamp) -> Markup {
    html! {
        li.rule {
            time datetime=(span.from) title=(when::whole(span.from)) { "+" (when::watch(span.from.ms_since(begin))) }
            (name(head, &span.what))
            span.dots {}
            (outcome(span))
            span.took { (when::watch(span.until.unwrap_or(now).ms_since(span.from))) }
            (between(&span.what))
        }
    }
}

fn name(head: &Head<'_>, what: &What) -> Markup {
    match what {
        What::Attempt(of) => html! {
            a href=(head.link(&format!("dispatch/{}", of.number))) { (foreign_line(&of.title)) }
            @if of.attempt.0 > 1 { " " span.dim { "attempt " (of.attempt) } }
            @if let Some(agent) = &of.agent { " " span.dim { (foreign_line(agent)) } }
        },
        What::Checks { of, commands, .. } => html! {
            span { "checks of " (foreign_line(of)) } " " span.dim { (super::counted(commands.len(), "command")) }
        },
        What::Question { id, round, .. } => html! {
            span { "you: " (id) } @if *round > 1 { " " span.dim { "round " (round) } }
        },
    }
}

fn outcome(span: &Span) -> Markup {
    let lasts = span.until.is_none();
    match &span.what {
        What::Attempt(of) => html! {
            @if let Some(usd) = cost(of) { span.dim { (usd) } }
            @if lasts { span."badge run" { "at work" } }
            @else if of.replied { span."badge ok" { (of.end.unwrap_or_default()) } }
            @else { span."badge bad" { (of.end.unwrap_or_default()) } }
        },
        What::Checks { passed, .. } => match passed {
            Some(true) => html! { span."badge ok" { "passed" } },
            Some(false) => html! { span."badge bad" { "failed" } },
            None => html! { span."badge run" { "runs" } },
        },
        What::Question { status, by_person, .. } => match status {
            None | Some(DecisionStatus::Pending) => html! { span."badge wait" { "waits for you" } },
            Some(DecisionStatus::Answered) if *by_person => {
                html! { span."badge ok" { "answered" } }
            }
            Some(status) => html! { span.badge { (status) } },
        },
    }
}

fn cost(of: &AttemptSpan) -> Option<String> {
    of.usage.micro_usd.map(|micro| format!("${:.2}", micro as f64 / 1_000_000.0))
}

fn between(what: &What) -> Markup {
    match what {
        What::Attempt(of) => html! {
            @match (&of.said, &of.words) {
                (Some(said), _) if !said.trim().is_empty() => blockquote { (foreign(said)) },
                (None, Some(words)) if !of.replied => p.dim { (foreign(words)) },
                _ => {}
            }
        },
        What::Checks { failed, .. } => html! { @for one in failed { (printed(one)) } },
        What::Question { .. } => html! {},
    }
}

fn printed(one: &FailedCommand) -> Markup {
    let lines: Vec<&str> = one.output_tail.lines().collect();
    let last = &lines[lines.len().saturating_sub(PRINTED_LINES)..];
    html! {
        div.printed {
            code { "$ " (foreign_line(&one.command)) }
            @if !last.is_empty() { pre { (foreign(&last.join("\n"))) } }
        }
    }
}
