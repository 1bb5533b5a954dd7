//! Small parts that pictures are put together from: text as it may be shown, lengths, durations.

use tollgate_core::time::Timestamp;
use tollgate_files::sanitize::terminal_line;

/// Names longer than this are cut in a picture.
pub(super) const NAME_CHARS_MAX: usize = 40;
/// A bar is drawn on a track of this many units, and stretched to the width that there is.
pub(super) const TRACK: u64 = 1_000;
/// What is too short to be seen is drawn this wide.
const SEEN_AT: u64 = 3;

/// A name of people, agents or files on one line.
pub(super) fn name(text: &str) -> String {
    terminal_line(text, NAME_CHARS_MAX)
}

/// How wide a text of 12 pixels is at most, with its margins. Wide characters count twice.
pub(super) fn box_width(texts: &[&str]) -> u32 {
    let width = |text: &&str| text.chars().map(|char| if char > '\u{10ff}' { 2 } else { 1 }).sum();
    let chars: u32 = texts.iter().map(width).max().unwrap_or(0);
    chars * 7 + 26
}

/// The part of the track that stands for `part` of `whole`.
pub(super) fn on_track(part: u64, whole: u64) -> u64 {
    match (part, whole) {
        (0, _) | (_, 0) => 0,
        _ => {
            let units = u128::from(part) * u128::from(TRACK) / u128::from(whole);
            u64::try_from(units).unwrap_or(TRACK).clamp(SEEN_AT, TRACK)
        }
    }
}

/// `850 ms`, `41 s`, `1 m 12 s`, `2 h 5 m`, `3 d 4 h`.
pub(super) fn duration(ms: u64) -> String {
    let s = ms / 1_000;
    match s {
        0 => format!("{ms} ms"),
        1..60 => format!("{s} s"),
        60..3_600 => format!("{} m {} s", s / 60, s % 60),
        3_600..86_400 => format!("{} h {} m", s / 3_600, s / 60 % 60),
        _ => format!("{} d {} h", s / 86_400, s / 3_600 % 24),
    }
}

/// `14:02:41`, in UTC.
pub(super) fn clock(at: Timestamp) -> String {
    at.to_string()[11..19].to_owned()
}
