//! A point in time as milliseconds since 1970, written as RFC 3339 in UTC. The core never asks for the time.

use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Timestamp(i64);

impl Timestamp {
    /// The first and the last moment that can be written and read back: 1970 to 9999.
    const RANGE_MS: (i64, i64) = (0, 253_402_300_799_999);

    /// What lies outside of what can be written counts as the nearest that can.
    pub fn from_ms(ms: i64) -> Self {
        Self(ms.clamp(Self::RANGE_MS.0, Self::RANGE_MS.1))
    }

    pub fn as_ms(self) -> i64 {
        self.0
    }

    pub fn plus_ms(self, ms: u64) -> Self {
        Self::from_ms(self.0.saturating_add(i64::try_from(ms).unwrap_or(i64::MAX)))
    }

    /// Milliseconds from `earlier` to this; 0 when the clock went backwards.
    pub fn ms_since(self, earlier: Self) -> u64 {
        u64::try_from(self.0 - earlier.0).unwrap_or(0)
    }

    /// `YYYY-MM-DD`.
    pub fn date(self) -> String {
        self.to_string()[..10].to_owned()
    }

    /// Reads `YYYY-MM-DDTHH:MM:SS[.fff](Z|±HH:MM)`.
    pub fn parse(text: &str) -> Option<Self> {
        let (stamp, offset_minutes) = split_offset(text)?;
        let (date, clock) = stamp.split_once(['T', 't', ' '])?;
        let mut date = date.split('-');
        let year: i64 = date.next()?.parse().ok()?;
        let month: i64 = date.next()?.parse().ok()?;
        let day: i64 = date.next()?.parse().ok()?;
        let (clock, fraction) = clock.split_once('.').unwrap_or((clock, ""));
        let mut clock = clock.split(':');
        let hour: i64 = clock.next()?.parse().ok()?;
        let minute: i64 = clock.next()?.parse().ok()?;
        let second: i64 = clock.next()?.parse().ok()?;
        let in_range = (1970..=9999).contains(&year)
            && (1..=12).contains(&month)
            && (1..=31).contains(&day)
            && (0..24).contains(&hour)
            && (0..60).contains(&minute)
            && (0..=60).contains(&second)
            && fraction.bytes().all(|b| b.is_ascii_digit());
        if !in_range || date.next().is_some() || clock.next().is_some() {
            return None;
        }
        let ms: i64 = format!("{fraction:0<3}")[..3].parse().ok()?;
        let seconds = days_from_civil(year, month, day) * 86_400
            + hour * 3_600
            + (minute - offset_minutes) * 60
            + second;
        let at = Self(seconds * 1_000 + ms);
        (at == Self::from_ms(at.0)).then_some(at)
    }
}

fn split_offset(text: &str) -> Option<(&str, i64)> {
    if let Some(stamp) = text.strip_suffix(['Z', 'z']) {
        return Some((stamp, 0));
    }
    let split = text.len().checked_sub(6)?;
    let (stamp, offset) = (text.get(..split)?, text.get(split..)?);
    let sign = match offset.as_bytes()[0] {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, minutes) = offset[1..].split_once(':')?;
    Some((stamp, sign * (hours.parse::<i64>().ok()? * 60 + minutes.parse::<i64>().ok()?)))
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (days, ms) = (self.0.div_euclid(86_400_000), self.0.rem_euclid(86_400_000));
        let (year, month, day) = civil_from_days(days);
        let (hour, minute, second) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1_000 % 60);
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z",
            ms % 1_000
        )
    }
}

impl From<Timestamp> for String {
    fn from(at: Timestamp) -> Self {
        at.to_string()
    }
}

impl TryFrom<String> for Timestamp {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).ok_or_else(|| format!("{text:?} is not an RFC 3339 time"))
    }
}

/// Days since 1970-01-01 of a date of the Gregorian calendar (Hinnant's algorithm).
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year - era * 400;
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_reads_back_as_written() {
        for ms in [0, 951_826_400_123, 1_794_777_600_000, 4_102_444_799_999] {
            let at = Timestamp::from_ms(ms);
            assert_eq!(Timestamp::parse(&at.to_string()), Some(at));
        }
        let spelled = Timestamp::parse("2026-11-15T01:30:00+01:30").map(|t| t.to_string());
        assert_eq!(spelled.as_deref(), Some("2026-11-15T00:00:00.000Z"));
        assert_eq!(Timestamp::parse("2026-11-15"), None);
        assert_eq!(Timestamp::parse("2026-13-15T00:00:00Z"), None);
        assert_eq!(Timestamp::parse("1970-01-01T00:00:00+01:00"), None);
        assert_eq!(Timestamp::parse("9999-12-31T23:59:59-01:00"), None);
        let last = Timestamp::from_ms(0).plus_ms(u64::MAX);
        assert_eq!(Timestamp::parse(&last.to_string()), Some(last));
    }
}
