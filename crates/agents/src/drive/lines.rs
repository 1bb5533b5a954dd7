//! Reads what a program writes in lines of bounded length; a line without an end costs no more memory than the longest.

use crate::words::without_half_word;
use serde_json::Value;
use std::io::{BufRead, BufReader, ErrorKind, Read};

/// Longer than any message of a model; what is beyond it is noise.
const LINE_BYTES_MAX: usize = 8 * 1024 * 1024;

/// What is kept of a line that is not JSON.
const NOISE_BYTES_MAX: usize = 4 * 1024;

/// Of one line, in values; a value takes 32 bytes, and an object room for many at once.
const WEIGHT_MAX: usize = 250_000;
const OBJECT_WEIGHT: usize = 20;

const PIECE_BYTES: usize = 16 * 1024;

#[derive(Debug, Clone, PartialEq)]
pub enum AgentLine {
    Json(Value),
    /// A banner, a warning, or a line that is too long: its beginning.
    Other(String),
}

/// Calls `take` for every line until it says no, the input ends or cannot be read.
pub fn read_lines(input: impl Read, take: &mut dyn FnMut(AgentLine) -> bool) {
    let mut input = BufReader::with_capacity(PIECE_BYTES, input);
    let mut line = Vec::new();
    let mut is_too_long = false;
    loop {
        let (count, is_whole) = match input.fill_buf() {
            Ok([]) => break,
            Ok(piece) => {
                let end = piece.iter().position(|byte| *byte == b'\n');
                let count = end.map_or(piece.len(), |end| end + 1);
                let room = LINE_BYTES_MAX.saturating_sub(line.len());
                is_too_long |= count > room;
                line.extend_from_slice(&piece[..count.min(room)]);
                (count, end.is_some())
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        input.consume(count);
        if is_whole {
            if !give(&line, is_too_long, take) {
                return;
            }
            line.clear();
            line.shrink_to(PIECE_BYTES);
            is_too_long = false;
        }
    }
    give(&line, is_too_long, take);
}

fn give(line: &[u8], is_too_long: bool, take: &mut dyn FnMut(AgentLine) -> bool) -> bool {
    let line = line.trim_ascii();
    if line.is_empty() {
        return true;
    }
    let json = || parse(line).filter(|value| !value.is_string());
    let json = if is_too_long || is_too_heavy(line) { None } else { json() };
    take(match json {
        Some(value) => AgentLine::Json(value),
        None => {
            let kept = String::from_utf8_lossy(&line[..line.len().min(NOISE_BYTES_MAX)]);
            let is_cut = is_too_long || line.len() > NOISE_BYTES_MAX;
            AgentLine::Other(if is_cut {
                without_half_word(&kept).to_owned()
            } else {
                kept.into_owned()
            })
        }
    })
}

fn parse(line: &[u8]) -> Option<Value> {
    let read = |line: &[u8]| serde_json::from_slice(line).ok();
    read(line).or_else(|| read(&with_whole_pairs(line)?))
}

/// Programs that cut a text in the middle of an emoji write half of a pair, which is no JSON; the half is replaced. None when
/// there is none.
fn with_whole_pairs(line: &[u8]) -> Option<Vec<u8>> {
    let unit = |at: usize| {
        let digits = line.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let (mut whole, mut at, mut is_fixed) = (Vec::with_capacity(line.len()), 0, false);
    while at < line.len() {
        let taken = match unit(at) {
            Some(0xD800..=0xDBFF) if matches!(unit(at + 6), Some(0xDC00..=0xDFFF)) => 12,
            Some(0xD800..=0xDFFF) => {
                whole.extend_from_slice(b"\\ufffd");
                is_fixed = true;
                at += 6;
                continue;
            }
            Some(_) => 6,
            None if line[at] == b'\\' => 2,
            None => 1,
        };
        whole.extend_from_slice(&line[at..(at + taken).min(line.len())]);
        at += taken;
    }
    is_fixed.then_some(whole)
}

/// Whether its values would take far more memory than its text: a line can be little else than empty objects.
fn is_too_heavy(line: &[u8]) -> bool {
    let (mut weight, mut is_text, mut is_escaped) = (0, false, false);
    for byte in line {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            b'{' if !is_text => weight += OBJECT_WEIGHT,
            b'[' | b',' | b':' if !is_text => weight += 1,
            _ => {}
        }
    }
    weight > WEIGHT_MAX
}

/// As it comes, for what is not made of lines.
pub fn read_pieces(mut input: impl Read, take: &mut dyn FnMut(Vec<u8>) -> bool) {
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        match input.read(&mut piece) {
            Ok(0) => return,
            Ok(count) => {
                if !take(piece[..count].to_vec()) {
                    return;
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

/// Makes lines of pieces; of a long line only the beginning is kept.
#[derive(Debug, Default)]
pub struct Asides {
    line: Vec<u8>,
}

impl Asides {
    pub fn take(&mut self, piece: &[u8], give: &mut dyn FnMut(&str)) {
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            let room = NOISE_BYTES_MAX.saturating_sub(self.line.len());
            self.line.extend_from_slice(&part[..part.len().min(room)]);
            if part.ends_with(b"\n") {
                let line = String::from_utf8_lossy(&self.line);
                let is_cut = !self.line.ends_with(b"\n");
                give(if is_cut { without_half_word(&line) } else { &line }.trim_end());
                self.line.clear();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use serde_json::json;

    fn lines(input: &[u8]) -> Vec<AgentLine> {
        let mut lines = Vec::new();
        read_lines(input, &mut |line| {
            lines.push(line);
            true
        });
        lines
    }

    #[test]
    fn a_banner_is_kept_and_the_json_after_it_is_read() {
        let found = lines(b"  __( O)>  goose\n\n{\"a\":1}\r\n{\"b\":\n\"word\"\n[2]");
        let other = |text: &str| AgentLine::Other(text.to_owned());
        assert_eq!(
            found,
            [
                other("__( O)>  goose"),
                AgentLine::Json(json!({"a": 1})),
                other("{\"b\":"),
                other("\"word\""),
                AgentLine::Json(json!([2])),
            ]
        );
    }

    #[test]
    fn a_line_that_comes_in_pieces_is_given_once_and_cut_when_it_is_long() {
        let (mut asides, mut given) = (Asides::default(), Vec::new());
        let long = [b"x ".repeat(NOISE_BYTES_MAX / 2 - 1), b"secret\n".to_vec()].concat();
        for piece in [b"one\ntw".as_slice(), b"o\r\n\n", &long, b"no end"] {
            asides.take(piece, &mut |line| given.push(line.to_owned()));
        }
        let kept = "x ".repeat(NOISE_BYTES_MAX / 2 - 1);
        assert_eq!(given, ["one", "two", "", kept.trim_end()]);
    }

    #[test]
    fn half_of_a_pair_is_replaced_and_the_line_is_read() {
        let found = lines(br#"{"a":"x\ud83d y \ud83d\ude00 \\ud83d","b":"\udc00"}"#);
        let wanted = json!({"a": "x\u{fffd} y \u{1F600} \\ud83d", "b": "\u{fffd}"});
        assert_eq!(found, [AgentLine::Json(wanted)]);
    }

    #[test]
    fn a_line_without_an_end_is_cut_and_the_next_one_is_read() {
        let mut input = b"secret ".repeat(LINE_BYTES_MAX / 7 + 10);
        input.extend_from_slice(b"\n{}\n");
        let found = lines(&input);
        let whole_words = "secret ".repeat(NOISE_BYTES_MAX / 7);
        assert!(matches!(&found[0], AgentLine::Other(text) if *text == whole_words));
        assert_eq!(found[1..], [AgentLine::Json(json!({}))]);
    }
}
