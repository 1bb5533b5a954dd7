//! Times as people read them.

use jiff::tz::TimeZone;
use maud::{Markup, html};
use tollgate_core::time::Timestamp;

pub fn now() -> Timestamp {
    Timestamp::from_ms(jiff::Timestamp::now().as_millisecond())
}

fn local(at: Timestamp, form: &str) -> String {
    let at = jiff::Timestamp::from_millisecond(at.as_ms()).unwrap_or_default();
    at.to_zoned(TimeZone::system()).strftime(form).to_string()
}

pub fn today() -> String {
    date(now())
}

/// Of a calendar where people are.
pub fn date(at: Timestamp) -> String {
    local(at, "%Y-%m-%d")
}

/// With its date.
pub fn whole(at: Timestamp) -> String {
    local(at, "%Y-%m-%d %H:%M:%S")
}

/// As the field of a form has it.
pub fn minute(at: Timestamp) -> String {
    local(at, "%Y-%m-%dT%H:%M")
}

/// The time of day, with the whole of it for machines and on demand.
pub fn clock(at: Timestamp) -> Markup {
    html! { time datetime=(at) title=(whole(at)) { (local(at, "%H:%M:%S")) } }
}

/// Day and time of day.
pub fn moment(at: Timestamp) -> Markup {
    html! { time datetime=(at) { (local(at, "%Y-%m-%d %H:%M:%S")) } }
}

/// The zone of all times that are shown: `UTC+01:00`.
pub fn zone(at: Timestamp) -> String {
    format!("UTC{}", local(at, "%:z"))
}

/// How long ago it was.
pub fn ago(at: Timestamp, now: Timestamp) -> Markup {
    let words = match now.ms_since(at) / 1_000 {
        0..=59 => "just now".to_owned(),
        seconds => format!("{} ago", span(seconds * 1_000)),
    };
    html! { time datetime=(at) title=(whole(at)) { (words) } }
}

/// A length of time as a stop-watch shows it.
pub fn watch(ms: u64) -> String {
    let seconds = ms / 1_000;
    match seconds {
        ..3_600 => format!("{:02}:{:02}", seconds / 60, seconds % 60),
        _ => format!("{}:{:02}:{:02}", seconds / 3_600, seconds % 3_600 / 60, seconds % 60),
    }
}

/// A length of time in its two largest units.
pub fn span(ms: u64) -> String {
    let seconds = ms / 1_000;
    match seconds {
        0 => format!("{ms} ms"),
        1..=59 => format!("{seconds} s"),
        60..=3_599 => format!("{} min", seconds / 60),
        3_600..=86_399 => format!("{} h {} min", seconds / 3_600, seconds % 3_600 / 60),
        _ => format!("{} d {} h", seconds / 86_400, seconds % 86_400 / 3_600),
    }
}
