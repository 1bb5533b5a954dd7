//! The name of a snapshot: `<action>-YYYY-MM-DD-HH-MM-SS` in UTC, with `-2` and so on when that is taken.

use std::fmt;
use tollgate_core::time::Timestamp;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SnapshotId(String);

impl SnapshotId {
    /// None where the action cannot be part of a name.
    pub(super) fn new(action: &str, at: Timestamp, number: u32) -> Option<Self> {
        if !is_action(action) {
            return None;
        }
        let time = at.to_string()[..19].replace(['T', ':'], "-");
        Some(Self(match number {
            1 => format!("{action}-{time}"),
            number => format!("{action}-{time}-{number}"),
        }))
    }

    /// None for a name that is none of a snapshot, such as `store`.
    pub fn parse(text: &str) -> Option<Self> {
        let fits = |text: &str| {
            let (action, time) = text.split_at_checked(text.len().checked_sub(TIME.len())?)?;
            let is_time = TIME.bytes().zip(time.bytes()).all(|(shape, byte)| match shape {
                b'0' => byte.is_ascii_digit(),
                shape => byte == shape,
            });
            (is_time && is_action(action)).then_some(())
        };
        let numbered = || {
            let (rest, number) = text.rsplit_once('-')?;
            number.parse::<u32>().ok().filter(|number| *number > 1)?;
            fits(rest)
        };
        fits(text).or_else(numbered).map(|()| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A digit stands for any digit.
const TIME: &str = "-0000-00-00-00-00-00";

/// It becomes the name of a folder.
fn is_action(text: &str) -> bool {
    text.len() <= 64
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_".contains(&b))
}

impl fmt::Display for SnapshotId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::*;

    #[test]
    fn a_name_reads_back_as_written_and_nothing_else_does() {
        let at = Timestamp::parse("2026-02-07T10:30:00.250Z").unwrap();
        let first = SnapshotId::new("build", at, 1).unwrap();
        assert_eq!(first.as_str(), "build-2026-02-07-10-30-00");
        let third = SnapshotId::new("my-action", at, 3).unwrap();
        assert_eq!(third.as_str(), "my-action-2026-02-07-10-30-00-3");
        for id in [first, third] {
            assert_eq!(SnapshotId::parse(id.as_str()), Some(id));
        }
        for name in
            ["store", "lock", "", "build", "-2026-02-07-10-30-00", "../x-2026-02-07-10-30-00"]
        {
            assert_eq!(SnapshotId::parse(name), None, "{name}");
        }
        for action in ["", "../up", "Build", "a b", "-x"] {
            assert!(SnapshotId::new(action, at, 1).is_none(), "{action}");
        }
    }
}
