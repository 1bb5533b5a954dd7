//! The log: one ruled line for each event.

use super::session::Head;
use super::{foreign, steps};
use crate::when;
use maud::{Markup, html};
use tollgate_core::time::Timestamp;
use tollgate_core::view::{Level, Tone};
use tollgate_desk::LogLine;
use tollgate_desk::chronicle::Chronicle;

/// Longer logs are shown from their end.
pub const LINES_MAX: usize = 2_000;

pub fn lines<'a>(lines: impl Iterator<Item = &'a LogLine>, id: &str) -> Markup {
    html! {
        ol.log id=(id) data-log { @for one in lines { (line(one)) } }
    }
}

pub fn line(one: &LogLine) -> Markup {
    let class = format!("{} {}", tone(one.tone), level(one.level));
    html! {
        li class=(class) data-seq=(one.seq) {
            (when::clock(one.at)) " " span.mark { (one.mark) } " " span.text { (foreign(&one.text)) }
        }
    }
}

fn tone(tone: Tone) -> &'static str {
    match tone {
        Tone::Strong => "strong",
        Tone::Quiet => "quiet",
        Tone::Good => "good",
        Tone::Note => "remark",
        Tone::Warning => "warn",
        Tone::Bad => "bad",
    }
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Heading => "heading",
        Level::Detail => "detail",
        Level::Small => "small",
    }
}

pub fn whole(head: &Head<'_>, all: &[LogLine], ran: &Chronicle, now: Timestamp) -> Markup {
    html! {
        (steps::all(head, ran, now))
        section.card aria-label="Log" {
            h2 { "Events" }
            (last(all, "log"))
        }
        (head.again())
    }
}

/// Without what is around it on a page.
pub fn last(all: &[LogLine], id: &str) -> Markup {
    let left_out = all.len().saturating_sub(LINES_MAX);
    html! {
        @if left_out > 0 { p.dim { (left_out) " earlier lines are left out; " code { "tollgate log" } " prints all of them." } }
        (lines(all.iter().skip(left_out), id))
    }
}
