//! The only place that asks for the time.
//!
//! The time of this process follows the clock of the machine forwards and never goes back. Where that one is set back,
//! time continues from where it was: what is waited for comes when it was due.

use std::sync::{Mutex, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use tollgate_core::time::Timestamp;

/// Fixes the clock under the feature `test-hooks`, for tests of the program: an RFC 3339 time, or `shift:FILE` for the clock of the
/// machine and as many milliseconds as the file says.
pub const NOW_VARIABLE: &str = "TOLLGATE_NOW";

static RUNNING: Mutex<Option<ClockReading>> = Mutex::new(None);

pub fn now() -> Timestamp {
    fixed().unwrap_or_else(|| running(wall()))
}

/// The time, which is not before what is on record already: its clock may have been ahead of this one.
pub fn now_after(last: Timestamp) -> Timestamp {
    fixed().unwrap_or_else(|| running(wall().max(last))).max(last)
}

fn running(seen: Timestamp) -> Timestamp {
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    let instant = Instant::now();
    running.get_or_insert(ClockReading { at: seen, since: instant }).go_on(seen, instant)
}

/// A point in time and when it was.
#[derive(Debug)]
struct ClockReading {
    at: Timestamp,
    since: Instant,
}

impl ClockReading {
    fn go_on(&mut self, seen: Timestamp, instant: Instant) -> Timestamp {
        let elapsed = instant.saturating_duration_since(self.since).as_millis();
        let at = self.at.plus_ms(u64::try_from(elapsed).unwrap_or(u64::MAX));
        if seen > at {
            *self = Self { at: seen, since: instant };
        }
        at.max(seen)
    }
}

fn wall() -> Timestamp {
    let ms = ms_of(SystemTime::now());
    Timestamp::from_ms(ms.saturating_add(variable().as_deref().map_or(0, shift)))
}

/// A clock can stand at any time; what cannot be written counts as the nearest time that can.
fn ms_of(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

fn shift(variable: &str) -> i64 {
    let file = variable.strip_prefix("shift:");
    let text = file.and_then(|file| std::fs::read_to_string(file).ok());
    text.and_then(|text| text.trim().parse().ok()).unwrap_or(0)
}

/// Today where the person is, `YYYY-MM-DD`: the date in a session's name.
pub fn local_date() -> String {
    date_in(now(), jiff::tz::TimeZone::system())
}

fn date_in(at: Timestamp, zone: jiff::tz::TimeZone) -> String {
    match jiff::Timestamp::from_millisecond(at.as_ms()) {
        Ok(instant) => instant.to_zoned(zone).date().to_string(),
        Err(_) => at.date(),
    }
}

fn fixed() -> Option<Timestamp> {
    Timestamp::parse(&variable()?)
}

fn variable() -> Option<String> {
    if cfg!(feature = "test-hooks") { std::env::var(NOW_VARIABLE).ok() } else { None }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::*;

    #[test]
    fn the_date_is_that_of_the_person() {
        let late = Timestamp::parse("2026-11-15T23:30:00Z").unwrap();
        let zone = |hours| jiff::tz::TimeZone::fixed(jiff::tz::offset(hours));
        assert_eq!(date_in(late, zone(0)), "2026-11-15");
        assert_eq!(date_in(late, zone(1)), "2026-11-16");
    }

    /// Seconds of the machine's clock and of real time that passed, and seconds that this process goes by.
    #[test]
    fn r178_time_follows_the_clock_forwards_and_never_back() {
        let begin = Instant::now();
        let at = |seconds: i64| Timestamp::from_ms(seconds * 1_000);
        let mut running = ClockReading { at: at(10_000), since: begin };
        let mut seen = |clock: i64, passed: u64| {
            let now = running.go_on(at(clock), begin + std::time::Duration::from_secs(passed));
            now.as_ms() / 1_000
        };
        assert_eq!(seen(10_010, 10), 10_010, "as the clock goes");
        assert_eq!(seen(6_420, 20), 10_020, "set back by an hour: it continues");
        assert_eq!(seen(6_460, 60), 10_060);
        assert_eq!(seen(13_000, 70), 13_000, "set ahead: it follows");
        assert_eq!(seen(9_500, 80), 13_010);
        assert_eq!(seen(i64::MAX / 1_000, 90), at(i64::MAX / 1_000).as_ms() / 1_000);
    }

    #[test]
    fn r178_a_clock_at_any_time_can_be_written_and_read() {
        let year = std::time::Duration::from_secs(31_556_952);
        for time in [UNIX_EPOCH + year * 8_500, UNIX_EPOCH + year * 200_000, UNIX_EPOCH - year] {
            let at = Timestamp::from_ms(ms_of(time));
            assert_eq!(Timestamp::parse(&at.to_string()), Some(at));
            assert_eq!(date_in(at, jiff::tz::TimeZone::UTC).len(), "2026-11-15".len());
        }
    }

    #[test]
    fn r178_time_is_not_before_what_is_on_record() {
        let ahead = now().plus_ms(3_600_000);
        assert!(now_after(ahead) >= ahead);
        assert!(now() >= ahead, "and continues from there");
    }

    #[test]
    fn the_clock_continues() {
        let earlier = now();
        assert!(now() >= earlier && earlier.as_ms() > 1_700_000_000_000);
    }
}
