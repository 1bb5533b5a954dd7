//! Times as people read them.

use jiff::tz::TimeZone;
use tollgate_core::time::Timestamp;

pub fn now() -> Timestamp {
    Timestamp::from_ms(jiff::Timestamp::now().as_millisecond())
}

/// The time of day where the person is.
pub fn clock(at: Timestamp, zone: &TimeZone) -> String {
    let at = jiff::Timestamp::from_millisecond(at.as_ms()).unwrap_or_default();
    at.to_zoned(zone.clone()).strftime("%H:%M:%S").to_string()
}

pub fn ago(at: Timestamp, now: Timestamp) -> String {
    match now.ms_since(at) / 1_000 {
        0..=59 => "just now".to_owned(),
        seconds => format!("{} ago", span(seconds * 1_000)),
    }
}

/// A length of time in its two largest units.
pub fn span(ms: u64) -> String {
    let seconds = ms / 1_000;
    match seconds {
        0..=59 => format!("{seconds} s"),
        60..=3_599 => format!("{} min", seconds / 60),
        3_600..=86_399 => format!("{} h {} min", seconds / 3_600, seconds % 3_600 / 60),
        _ => format!("{} d {} h", seconds / 86_400, seconds % 86_400 / 3_600),
    }
}

/// A length of time that somebody watches: `0:07`, `12:30`, `2:05:00`.
pub fn running(ms: u64) -> String {
    let seconds = ms / 1_000;
    match seconds / 3_600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}
