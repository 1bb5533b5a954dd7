//! Takes secrets out of text before it is written: values known to be secret, tokens of well-known shapes, and the
//! addresses of people.
//!
//! What is taken out never begins or ends inside an escape, and never reaches over the edge of a text or the end of a line,
//! so that JSON stays JSON.

mod ahead;
mod between;
mod environment;
mod found;
mod json;
mod login;
mod mail;
mod named;
mod names;
mod personal;
mod shape;
mod shown;
mod value;

pub use login::secrets_in;

use crate::sanitize::terminal_text;
use ahead::{Ahead, ScanStep, Seen};
use found::{Body, Found};
use std::borrow::Cow;
use std::ffi::OsString;
use std::fmt;

const REPLACEMENT: &[u8] = b"[redacted]";
const MAIL: &[u8] = b"[e-mail]";
const PHONE: &[u8] = b"[phone]";
const CARD: &[u8] = b"[card]";
const IBAN: &[u8] = b"[iban]";
const SSN: &[u8] = b"[ssn]";
const IP: &[u8] = b"[ip]";

/// Whether something was taken out of it.
pub fn is_cut(bytes: &[u8]) -> bool {
    bytes.windows(REPLACEMENT.len()).any(|part| part == REPLACEMENT)
}

/// A shorter value would be found in innocent text all the time.
const SECRET_CHARS_MIN: usize = 6;

/// Longer values are looked for piece by piece.
const PIECE_BYTES_MAX: usize = 512;

/// What must be in sight to decide whether a secret begins here. Two pieces, because secrets may overlap.
const WINDOW_BYTES: usize = 2 * PIECE_BYTES_MAX;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum MatchStart {
    Never,
    /// Where a word begins.
    Word,
    Anywhere,
}

#[derive(Clone)]
pub struct Redactor {
    /// Longest first.
    pieces: Vec<Vec<u8>>,
    /// Where something may begin, by its first byte; all else is passed on without a closer look.
    starts: [MatchStart; 256],
    /// For work that others rely on word by word: addresses and what is called a password are left.
    certain_only: bool,
}

impl Redactor {
    /// Values of digits and punctuation alone are left: a number in JSON could not be replaced.
    pub fn new<S: AsRef<str>>(secret_values: impl IntoIterator<Item = S>) -> Self {
        let mut pieces: Vec<Vec<u8>> =
            secret_values.into_iter().flat_map(|value| pieces_of(value.as_ref())).collect();
        pieces.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        pieces.dedup();
        let mut starts = [MatchStart::Never; 256];
        shape::WORD_FIRST_BYTES
            .iter()
            .for_each(|byte| starts[usize::from(*byte)] = MatchStart::Word);
        let firsts = pieces.iter().filter_map(|piece| piece.first());
        for byte in shape::FIRST_BYTES.iter().chain(firsts) {
            starts[usize::from(*byte)] = MatchStart::Anywhere;
        }
        Self { pieces, starts, certain_only: false }
    }

    /// Knows the values of variables whose names sound secret.
    pub fn from_environment(variables: impl Iterator<Item = (OsString, OsString)>) -> Self {
        Self::new(variables.filter_map(|(name, value)| environment::secret_value(&name, value)))
    }

    /// Knows these values, too.
    pub fn knowing<S: AsRef<str>>(&self, secret_values: impl IntoIterator<Item = S>) -> Self {
        let more = Self::new(secret_values);
        let mut whole = self.clone();
        whole.pieces.extend(more.pieces);
        whole.pieces.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        whole.pieces.dedup();
        for (known, added) in whole.starts.iter_mut().zip(more.starts) {
            *known = added.max(*known);
        }
        whole
    }

    /// For files that agents author: only what is a secret for certain. A specification may name an address, and a
    /// check may log in with a password made for it.
    pub fn for_work(&self) -> Self {
        Self { certain_only: true, ..self.clone() }
    }

    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        // Signs that a terminal does not show may stand within the name of a secret. Files that agents author stay as they are.
        if let (Cow::Owned(shown), false) = (terminal_text(text), self.certain_only) {
            let clean = self.redact_bytes(shown.as_bytes());
            if clean != shown.as_bytes() {
                return Cow::Owned(String::from_utf8_lossy(&clean).into_owned());
            }
        }
        let clean = self.redact_bytes(text.as_bytes());
        if clean == text.as_bytes() {
            return Cow::Borrowed(text);
        }
        Cow::Owned(String::from_utf8_lossy(&clean).into_owned())
    }

    pub fn redact_bytes(&self, bytes: &[u8]) -> Vec<u8> {
        let (mut stream, mut clean) = (self.stream(), Vec::with_capacity(bytes.len()));
        stream.push(bytes, &mut clean);
        stream.finish(&mut clean);
        clean
    }

    /// For text that comes in pieces of any size, split anywhere.
    pub fn stream(&self) -> RedactingStream<'_> {
        RedactingStream {
            redactor: self,
            unread: Vec::new(),
            held: Vec::new(),
            state: RedactorState::default(),
        }
    }

    /// The end of the known secret that begins at `at`, together with those that overlap it.
    fn known_secret_end(&self, text: &[u8], at: usize) -> Option<usize> {
        let mut end = self.one_secret_end(text, at)?;
        let mut inside = at + 1;
        while inside < end {
            end = end.max(self.one_secret_end(text, inside).unwrap_or(0));
            inside += 1;
        }
        Some(end)
    }

    fn one_secret_end(&self, text: &[u8], at: usize) -> Option<usize> {
        let rest = &text[at..];
        let begins = |piece: &[u8]| piece.first() == rest.first() && rest.starts_with(piece);
        let piece = self.pieces.iter().find(|piece| begins(piece))?;
        Some(at + piece.len())
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redactor").field("pieces", &self.pieces.len()).finish_non_exhaustive()
    }
}

fn pieces_of(value: &str) -> Vec<Vec<u8>> {
    let mut pieces = forms_of(value.trim());
    let parts = value
        .split(['"', '\\', '\n', '\r'])
        .map(str::trim)
        .filter(|piece| piece.chars().count() >= SECRET_CHARS_MIN && !may_be_bare_json(piece))
        .flat_map(|piece| piece.as_bytes().chunks(PIECE_BYTES_MAX).map(<[u8]>::to_vec));
    pieces.extend(parts);
    pieces
}

/// JSON may stand within JSON, and that once more.
const JSON_DEPTH_MAX: usize = 3;

/// A value with what JSON writes in another way, as a whole: as it is, and as JSON has it. Only whole escapes are in it, so
/// that what is left stays JSON.
fn forms_of(value: &str) -> Vec<Vec<u8>> {
    let is_written_as_it_is =
        |char: char| char.is_ascii() && !"\"\\".contains(char) && !char.is_control();
    let is_short = value.chars().count() < SECRET_CHARS_MIN;
    if is_short || may_be_bare_json(value) || value.chars().all(is_written_as_it_is) {
        return Vec::new();
    }
    let mut forms = Vec::new();
    for is_ascii_only in [false, true] {
        let mut form = value.to_owned();
        for _ in 0..=JSON_DEPTH_MAX {
            let next = escaped(&form, is_ascii_only);
            forms.push(std::mem::replace(&mut form, next));
        }
    }
    let is_on_a_line = |form: &String| !form.contains(['\n', '\r']);
    forms.retain(|form| form.len() <= PIECE_BYTES_MAX && is_on_a_line(form) && !may_cut_json(form));
    forms.into_iter().map(String::into_bytes).collect()
}

/// Whether it can end within an escape, or reach over the beginning or the end of a text in JSON.
fn may_cut_json(form: &str) -> bool {
    let backslashes = form.bytes().rev().take_while(|byte| *byte == b'\\').count();
    let chars: Vec<char> = form.chars().collect();
    let is_edge = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| chars.get(at));
        let after = chars.get(at + 1);
        before.is_none_or(|char| "{[,: \t".contains(*char))
            || after.is_none_or(|char| ":,}] \t".contains(*char))
    };
    backslashes % 2 == 1 || (0..chars.len()).any(|at| chars[at] == '"' && is_edge(at))
}

/// As it is between quotes in JSON.
fn escaped(text: &str, is_ascii_only: bool) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    let inner = &quoted[1..quoted.len() - 1];
    if !is_ascii_only {
        return inner.to_owned();
    }
    let mut units = [0; 2];
    let mut ascii = String::new();
    for char in inner.chars() {
        match char {
            char if char.is_ascii() => ascii.push(char),
            char => {
                let units = char.encode_utf16(&mut units);
                ascii.extend(units.iter().map(|unit| format!("\\u{unit:04x}")));
            }
        }
    }
    ascii
}

/// Text that can stand outside of quotes in JSON.
fn may_be_bare_json(piece: &str) -> bool {
    piece.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE{}[]:, \t".contains(&byte))
}

/// Redacts as it goes; holds back little, and nothing of a line that is complete.
#[derive(Debug)]
pub struct RedactingStream<'r> {
    redactor: &'r Redactor,
    unread: Vec<u8>,
    /// Passed on already, but perhaps the beginning of an address.
    held: Vec<u8>,
    state: RedactorState,
}

#[derive(Debug, Default)]
struct RedactorState {
    /// The bytes before the unread ones.
    recent: Recent,
    /// Bytes at the front of the unread ones that belong to an escape.
    escape_left: usize,
    /// A secret that was cut off continues for as long as its bytes do.
    inside: Option<Body>,
    /// Bytes left of a line that opens a private key.
    marker_left: usize,
    in_private_key: bool,
    ahead: Option<Ahead>,
}

/// The last eight bytes: enough to know the word before a name by its end.
#[derive(Debug, Clone, Copy, Default)]
struct Recent(u64);

impl Recent {
    /// Stands for what was taken out.
    const SECRET: Self = Self(u64::from_be_bytes([b']'; 8]));

    fn bytes(self) -> [u8; 8] {
        self.0.to_be_bytes()
    }

    fn last_two(self) -> [u8; 2] {
        let [.., before_last, last] = self.bytes();
        [before_last, last]
    }

    fn push(&mut self, bytes: &[u8]) {
        for byte in &bytes[bytes.len().saturating_sub(8)..] {
            self.0 = self.0 << 8 | u64::from(*byte);
        }
    }
}

impl RedactingStream<'_> {
    pub fn push(&mut self, bytes: &[u8], clean: &mut Vec<u8>) {
        self.unread.extend_from_slice(bytes);
        let after_last_line =
            self.unread.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
        let decidable = after_last_line.max(self.unread.len().saturating_sub(WINDOW_BYTES));
        self.advance(decidable, clean);
        self.hold_back(clean);
    }

    /// The text is at its end: what was held back is decided.
    pub fn finish(&mut self, clean: &mut Vec<u8>) {
        self.advance(self.unread.len(), clean);
    }

    fn hold_back(&mut self, clean: &mut Vec<u8>) {
        if clean.last().is_some_and(|last| mail::may_continue(*last)) {
            let seen = &clean[clean.len().saturating_sub(mail::LOOK_BACK_BYTES)..];
            let held = seen
                .iter()
                .rposition(|byte| *byte == b'\n')
                .map_or(seen.len(), |newline| seen.len() - newline - 1);
            self.held.extend(clean.drain(clean.len() - held..));
        }
    }

    fn advance(&mut self, decidable: usize, clean: &mut Vec<u8>) {
        clean.append(&mut self.held);
        let text = std::mem::take(&mut self.unread);
        let mut at = 0;
        while at < decidable {
            let plain_bytes = self.plain_bytes(&text[at..decidable]);
            self.pass_on(&text[at..at + plain_bytes], clean);
            at += plain_bytes;
            if at < decidable {
                at = self.step(&text, at, clean);
            }
        }
        self.unread.extend_from_slice(&text[at..]);
    }

    /// How many bytes can be passed on without a closer look.
    fn plain_bytes(&self, text: &[u8]) -> usize {
        let state = &self.state;
        let is_ordinary = state.escape_left == 0
            && state.inside.is_none()
            && state.marker_left == 0
            && !state.in_private_key
            && state.ahead.is_none();
        if !is_ordinary {
            return 0;
        }
        let starts = &self.redactor.starts;
        let mut before = state.recent.last_two();
        let begins = |byte: &u8| {
            let begins = match starts[usize::from(*byte)] {
                MatchStart::Never => false,
                MatchStart::Word => is_word_start(before),
                MatchStart::Anywhere => true,
            };
            before = [before[1], *byte];
            begins
        };
        text.iter().position(begins).unwrap_or(text.len())
    }

    fn pass_on(&mut self, text: &[u8], clean: &mut Vec<u8>) {
        clean.extend_from_slice(text);
        self.state.recent.push(text);
    }

    /// Passes on, or takes out, what begins at `at`; returns where the rest begins.
    fn step(&mut self, text: &[u8], at: usize, clean: &mut Vec<u8>) -> usize {
        if let Some(body) = self.state.inside {
            let end = body.end(text, at);
            if end + body.open_bytes(text) < text.len() {
                self.state.inside = None;
            }
            if end > at {
                self.state.recent = Recent::SECRET;
                return end;
            }
        }
        if let Some(found) = self.ahead_at(text, at).or_else(|| self.secret_at(text, at)) {
            let escape_end = at + self.state.escape_left;
            clean.extend_from_slice(&text[at..escape_end]);
            let shown = (escape_end, found.hidden_from);
            let end = shown::pass_on(self.redactor, text, shown, clean);
            clean.extend_from_slice(found.mark);
            self.state.recent = Recent::SECRET;
            self.state.escape_left = 0;
            return found.end.max(end);
        }
        if text[at] == b'@'
            && !self.redactor.certain_only
            && self.state.escape_left == 0
            && let Some((local_bytes, end)) = mail::find(clean, text, at)
        {
            clean.truncate(clean.len() - local_bytes);
            clean.extend_from_slice(MAIL);
            self.state.recent = Recent::SECRET;
            return end;
        }
        self.track(text, at);
        self.pass_on(&text[at..=at], clean);
        at + 1
    }

    /// What is hidden at `at` because of what stood before it.
    fn ahead_at(&mut self, text: &[u8], at: usize) -> Option<Found> {
        if self.state.escape_left > 0 {
            return None;
        }
        let found = match self.state.ahead.as_mut()? {
            Ahead::Options(_) if between::is_new_line(text, at) => None,
            Ahead::Options(_) => return None,
            Ahead::Lines(lines) => match lines.step(text, at) {
                ScanStep::Pass => return None,
                ScanStep::Hide(found) => {
                    self.go_on_inside(found.body, found.end, text);
                    return Some(found);
                }
                ScanStep::HideLast(found) => Some(found),
                ScanStep::Over => None,
            },
        };
        self.state.ahead = None;
        self.go_on_inside(found.as_ref()?.body, found.as_ref()?.end, text);
        found
    }

    /// What is hidden if a secret begins at `at`.
    fn secret_at(&mut self, text: &[u8], at: usize) -> Option<Found> {
        if self.state.in_private_key
            && self.state.escape_left == 0
            && let Some(end) = shape::private_key_run(text, at)
        {
            self.go_on_inside(Some(Body::Base64), end, text);
            return Some(value::hidden(at, end, None));
        }
        if self.redactor.starts[usize::from(text[at])] == MatchStart::Never {
            return None;
        }
        let known =
            self.redactor.known_secret_end(text, at).map(|end| value::hidden(at, end, None));
        let command = match self.state.ahead {
            Some(Ahead::Options(command)) => Some(command),
            _ => None,
        };
        let certain_only = self.redactor.certain_only;
        let found = match shape::find(text, at, self.state.recent, command, certain_only) {
            None => return known,
            Some(Seen::Ahead(ahead)) => {
                self.state.ahead = Some(ahead);
                return known;
            }
            Some(Seen::Secret(found)) => found,
        };
        if known.as_ref().is_some_and(|known| known.end >= found.end) {
            return known;
        }
        self.go_on_inside(found.body, found.end, text);
        let hidden_from = if known.is_some() { at } else { found.hidden_from };
        Some(Found { hidden_from, ..found })
    }

    fn go_on_inside(&mut self, body: Option<Body>, end: usize, text: &[u8]) {
        self.state.inside = body.filter(|body| end + body.open_bytes(text) == text.len());
    }

    fn track(&mut self, text: &[u8], at: usize) {
        let state = &mut self.state;
        state.escape_left = shown::escape_left_after(text, at, state.escape_left);
        if state.marker_left > 0 {
            state.marker_left -= 1;
            state.in_private_key = state.marker_left == 0;
        } else if let Some(length) = shape::private_key_marker(text, at) {
            state.marker_left = length - 1;
        } else {
            state.in_private_key &= shape::private_key_continues(text, at);
        }
    }
}

/// Also after an escape such as `\n`, whose letter is no part of the word.
fn is_word_start([before_last, last]: [u8; 2]) -> bool {
    let after_escape = before_last == b'\\' && b"ntrbf".contains(&last);
    after_escape || !is_word(last)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
#[path = "redact/tests.rs"]
mod tests;
