//! The only place that asks for the time.

use tollgate_core::time::Timestamp;

/// Fixes the clock in debug builds, for tests of the program: an RFC 3339 time.
pub const NOW_VARIABLE: &str = "TOLLGATE_NOW";

pub fn now() -> Timestamp {
    fixed().unwrap_or_else(|| Timestamp::from_ms(jiff::Timestamp::now().as_millisecond()))
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
    if !cfg!(debug_assertions) {
        return None;
    }
    Timestamp::parse(std::env::var(NOW_VARIABLE).ok()?.as_str())
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

    #[test]
    fn the_clock_goes_on() {
        let earlier = now();
        assert!(now() >= earlier && earlier.as_ms() > 1_700_000_000_000);
    }
}
