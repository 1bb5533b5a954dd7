//! One line of the journal: how it is written, hashed, read and doubted.

use super::{FORMAT, Record};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tollgate_core::event::Event;
use tollgate_core::reply::Usage;
use tollgate_core::time::Timestamp;
use tollgate_core::work::DispatchEnd;

/// A place between two commits, with what the next line must fit to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Position {
    pub offset: u64,
    /// Of the last record before it.
    pub seq: u64,
    pub hash: [u8; HASH_LEN],
}

pub(super) const HASH_LEN: usize = 64;
const HASH_KEY: &[u8] = b",\"hash\":\"";
const CLOSE: &[u8] = b"\"}";

impl Position {
    pub const START: Self = Self { offset: 0, seq: 0, hash: [b'0'; HASH_LEN] };

    pub fn hash_text(&self) -> String {
        String::from_utf8_lossy(&self.hash).into_owned()
    }
}

/// Why a complete line is not the next record.
#[derive(Debug)]
pub(super) enum RecordError {
    Damaged(String),
    Unknown { event_type: String, why: String },
    Newer { format: u32 },
}

/// The bytes of one commit, and the position after it. The hash of every record is added to `hashes`.
pub(super) fn encode(
    start: &Position,
    at: Timestamp,
    events: &[Event],
    hashes: &mut Vec<String>,
) -> (Vec<u8>, Position) {
    let mut bytes = Vec::new();
    let mut end = start.clone();
    for (index, event) in events.iter().enumerate() {
        let more = u32::try_from(events.len() - 1 - index).unwrap_or(u32::MAX);
        let body_start = bytes.len();
        let format = if end.seq == 0 { FORMAT } else { 0 };
        let head = Head { seq: end.seq + 1, at, format, more, event };
        serde_json::to_writer(&mut bytes, &head).expect("events are plain data with text keys");
        bytes.pop(); // the closing brace; the hash goes before it
        end.hash = link(&end.hash, &bytes[body_start..]);
        end.seq += 1;
        hashes.push(end.hash_text());
        bytes.extend_from_slice(HASH_KEY);
        bytes.extend_from_slice(&end.hash);
        bytes.extend_from_slice(CLOSE);
        bytes.push(b'\n');
    }
    end.offset += bytes.len() as u64;
    (bytes, end)
}

#[derive(Serialize, Deserialize)]
struct Head<E> {
    seq: u64,
    at: Timestamp,
    /// Of the whole journal, on its first record. Journals before format 1 do not name it.
    #[serde(default, skip_serializing_if = "is_zero")]
    format: u32,
    #[serde(default, skip_serializing_if = "is_zero")]
    more: u32,
    event: E,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Reads a line, without its line break, as the record after the given one.
pub(super) fn decode(
    previous_hash: &[u8; HASH_LEN],
    previous_seq: u64,
    line: &[u8],
) -> Result<Record, RecordError> {
    // Before the hash is looked at: a newer format may have another chain.
    if previous_seq == 0
        && let Ok(head) = serde_json::from_slice::<Head<serde::de::IgnoredAny>>(line)
        && head.format > FORMAT
    {
        return Err(RecordError::Newer { format: head.format });
    }
    let damaged = |why: &str| RecordError::Damaged(why.to_owned());
    let (body, hash) = split_hash(line)
        .ok_or_else(|| damaged("the line is not a record with a hash at its end"))?;
    if link(previous_hash, body) != *hash {
        return Err(damaged("its hash does not match its content and the record before it"));
    }
    let mut head: Head<Event> =
        serde_json::from_slice(line).map_err(|error| name_fault(line, &error))?;
    if let Event::AttemptEnded { end: DispatchEnd::Invalid { .. }, usage, .. } = &mut head.event
        && *usage == Usage::default()
    {
        *usage = usage_within(line);
    }
    if head.seq != previous_seq + 1 {
        return Err(RecordError::Damaged(format!("it has the number {}", head.seq)));
    }
    let hash = String::from_utf8_lossy(hash).into_owned();
    Ok(Record { seq: head.seq, at: head.at, more: head.more, event: head.event, hash })
}

/// Number and commit end (seq + more) of a line, believed without its hash.
pub(super) fn peek_commit_end(line: &[u8]) -> Option<u64> {
    let head: Head<serde::de::IgnoredAny> = serde_json::from_slice(line).ok()?;
    head.seq.checked_add(u64::from(head.more))
}

/// Journals of earlier versions tell what an attempt with an invalid reply cost within its end.
fn usage_within(line: &[u8]) -> Usage {
    #[derive(Deserialize)]
    struct Ended {
        end: Within,
    }
    #[derive(Deserialize)]
    struct Within {
        #[serde(default)]
        usage: Usage,
    }
    serde_json::from_slice::<Head<Ended>>(line)
        .map_or_else(|_| Usage::default(), |head| head.event.end.usage)
}

fn split_hash(line: &[u8]) -> Option<(&[u8], &[u8; HASH_LEN])> {
    let rest = line.strip_suffix(CLOSE)?;
    let (rest, hash) = rest.split_last_chunk::<HASH_LEN>()?;
    Some((rest.strip_suffix(HASH_KEY)?, hash))
}

/// SHA-256 over the previous hash, a line break and the line up to its own hash.
fn link(previous: &[u8; HASH_LEN], body: &[u8]) -> [u8; HASH_LEN] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digest =
        Sha256::new().chain_update(previous).chain_update(b"\n").chain_update(body).finalize();
    let mut hex = [0; HASH_LEN];
    for (pair, byte) in hex.chunks_exact_mut(2).zip(digest) {
        pair[0] = DIGITS[usize::from(byte >> 4)];
        pair[1] = DIGITS[usize::from(byte & 15)];
    }
    hex
}

/// The hash holds, so somebody wrote exactly this: an event of another version, or no record at all.
fn name_fault(line: &[u8], error: &serde_json::Error) -> RecordError {
    #[derive(Deserialize)]
    struct Tag {
        r#type: String,
    }
    match serde_json::from_slice::<Head<Tag>>(line) {
        Ok(head) => RecordError::Unknown { event_type: head.event.r#type, why: error.to_string() },
        Err(_) => RecordError::Damaged(format!("the line is not a record: {error}")),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use tollgate_core::id::{Attempt, DispatchNumber};

    #[test]
    fn r106_costs_within_an_invalid_end_of_an_earlier_version_are_read() {
        let told = Usage { micro_usd: Some(7), ..Usage::default() };
        let event = Event::AttemptEnded {
            number: DispatchNumber(1),
            attempt: Attempt(1),
            end: DispatchEnd::invalid(Vec::new()),
            usage: Usage::default(),
            ruling: None,
        };
        let at = Timestamp::from_ms(0);
        let mut head =
            serde_json::to_value(Head { seq: 1, at, format: 0, more: 0, event }).unwrap();
        head["event"]["end"]["usage"] = serde_json::to_value(told).unwrap();
        let mut line = serde_json::to_vec(&head).unwrap();
        line.pop();
        let hash = link(&Position::START.hash, &line);
        line = [&line, HASH_KEY, &hash, CLOSE].concat();
        let record = decode(&Position::START.hash, 0, &line).ok().unwrap();
        assert!(matches!(record.event, Event::AttemptEnded { usage, .. } if usage == told));
    }
}
