//! What the text so far says of the text ahead: a value that is in the next line, or an option of a command that holds a
//! password.

use super::between::{is_new_line, skip_blanks, skip_quote, skip_separator, value_of_pair};
use super::found::{Body, Found};
use super::names::{self, SecretKind, SecretName};
use super::value::{
    Separator, ValuePosition, bare, hidden, is_line_end, is_whole_reference, opening, quoted, run,
};
use super::{Recent, is_word};

/// A kind and a description may stand between a name and its value.
const PAIR_LINES_MAX: usize = 4;

/// What may begin at a place.
#[derive(Debug)]
pub(super) enum Seen {
    Secret(Found),
    Ahead(Ahead),
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Ahead {
    /// Up to the end of the line.
    Options(CredentialCommand),
    Lines(NextLines),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct NextLines {
    what: Expected,
    /// How many blanks the line began with so far, once its predecessor is over.
    blanks: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
enum Expected {
    /// `password: |`: every line that is indented as the first one is.
    Block { indent: usize },
    /// `password:`: one word in the next line.
    Word(ValuePosition),
    /// `name: PASSWORD`: `value: …` in one of the next lines.
    Pair { place: ValuePosition, lines_left: usize },
}

/// What a byte of the text ahead is.
pub(super) enum ScanStep {
    Pass,
    /// Nothing of it is left to wait for.
    Over,
    Hide(Found),
    /// The same, and nothing is left to wait for.
    HideLast(Found),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CredentialCommand {
    /// `-u user:password`
    Curl,
    /// `-a user:password`
    Httpie,
    /// `-a password`
    Redis,
    /// `-w password`
    Ldap,
    /// `-p password`
    Login,
    /// `-ppassword`
    Mysql,
    /// `password value`
    Netrc,
}

impl Ahead {
    fn lines(what: Expected) -> Self {
        Self::Lines(NextLines { what, blanks: None })
    }

    pub(super) fn block() -> Self {
        Self::lines(Expected::Block { indent: 0 })
    }

    pub(super) fn next_line(place: ValuePosition) -> Self {
        Self::lines(Expected::Word(place))
    }

    pub(super) fn pair(name: SecretName, is_quoted_name: bool) -> Self {
        let place = ValuePosition { name, is_quoted_name, separator: Separator::Colon };
        Self::lines(Expected::Pair { place, lines_left: PAIR_LINES_MAX })
    }
}

impl NextLines {
    /// Looks at the byte at `at`, which is not part of an escape.
    pub(super) fn step(&mut self, text: &[u8], at: usize) -> ScanStep {
        if is_new_line(text, at) {
            self.blanks = Some(0);
            return ScanStep::Pass;
        }
        let Some(blanks) = &mut self.blanks else { return ScanStep::Pass };
        if matches!(text[at], b' ' | b'\t') {
            *blanks += 1;
            return ScanStep::Pass;
        }
        let blanks = *blanks;
        let found = match &mut self.what {
            _ if blanks == 0 => None,
            Expected::Block { indent } => {
                if blanks < *indent {
                    return ScanStep::Over;
                }
                *indent = blanks;
                self.blanks = None;
                let end = Body::Line.end(text, at);
                return if end > at {
                    ScanStep::Hide(hidden(at, end, Some(Body::Line)))
                } else {
                    ScanStep::Over
                };
            }
            Expected::Word(place) => word(text, at, place),
            Expected::Pair { place, lines_left } => {
                let found = value_of_pair(text, at, place);
                *lines_left -= 1;
                if found.is_none() && *lines_left > 0 && !b"-}]".contains(&text[at]) {
                    self.blanks = None;
                    return ScanStep::Pass;
                }
                found
            }
        };
        found.map_or(ScanStep::Over, ScanStep::HideLast)
    }
}

/// One word that fills a line; a key or an entry of a list is none.
fn word(text: &[u8], at: usize, place: &ValuePosition) -> Option<Found> {
    if let Some(found) = quoted(text, at, place) {
        return found.filter(|found| {
            let after = skip_quote(text, found.end).0;
            text.get(after).is_none_or(|byte| *byte != b':')
        });
    }
    let end = run(text, at, |byte| byte.is_ascii_graphic() && !b"\"'\\".contains(&byte));
    let is_value = is_line_end(text, end)
        && !text[at..end].ends_with(b":")
        && text[at..end].iter().any(u8::is_ascii_digit)
        && skip_separator(text, run(text, at, is_word)).is_none();
    if is_value { bare(text, at, place) } else { None }
}

impl CredentialCommand {
    /// The command that begins at `at`.
    pub(super) fn find(text: &[u8], at: usize) -> Option<Self> {
        let rest = &text[at..];
        let begins = |word: &str| rest.starts_with(word.as_bytes());
        match rest[0] {
            b'c' if begins("curl ") => Some(Self::Curl),
            b's' if begins("sshpass ") => Some(Self::Login),
            b'a' if begins("az login ") => Some(Self::Login),
            b'h' if begins("http ") || begins("https ") => Some(Self::Httpie),
            b'r' if begins("redis-cli ") => Some(Self::Redis),
            b'l' if begins("ldap") => Some(Self::Ldap),
            b'd' if begins("docker login ") => Some(Self::Login),
            b'p' if begins("podman login ") => Some(Self::Login),
            b'h' if begins("helm registry login ") => Some(Self::Login),
            b'm' if begins("mysql ") || begins("mysqldump ") || begins("mysqladmin ") => {
                Some(Self::Mysql)
            }
            b'm' if begins("mariadb ") => Some(Self::Mysql),
            b'm' if begins("machine ") => {
                let host = at + "machine ".len();
                let after = run(text, host, |byte| byte.is_ascii_graphic());
                text[after..].starts_with(b" login ").then_some(Self::Netrc)
            }
            _ => None,
        }
    }

    fn takes_login(self, option: &[u8]) -> bool {
        match self {
            Self::Curl => matches!(option, b"-u" | b"--user" | b"-U" | b"--proxy-user"),
            _ => matches!(option, b"-a" | b"--auth"),
        }
    }

    /// The password of the option that begins at `at`.
    pub(super) fn password(self, text: &[u8], at: usize) -> Option<Found> {
        let end = run(text, at, |byte| is_word(byte) || byte == b'-');
        let (option, blank) = (&text[at..end], text.get(end) == Some(&b' '));
        let from = skip_blanks(text, end);
        match self {
            Self::Curl if option.starts_with(b"-u") && text.get(end) == Some(&b':') => {
                value(text, end + 1)
            }
            Self::Curl | Self::Httpie if blank && self.takes_login(option) => {
                let (start, quote) =
                    opening(text, from).map_or((from, b' '), |(start, quote, _)| (start, quote));
                let is_in = |byte: u8| {
                    byte != quote && (byte.is_ascii_graphic() || (byte == b' ' && quote != b' '))
                };
                let stop = run(text, start, |byte| is_in(byte) && byte != b'\\' && byte != b'"');
                let colon = text[start..stop].iter().position(|byte| *byte == b':')?;
                argument(start + colon + 1, stop, text)
            }
            Self::Login if option.starts_with(b"-p") && !option.starts_with(b"-pa") => {
                let from = if option == b"-p" { from } else { at + 2 };
                value(text, from)
            }
            Self::Redis if option == b"-a" && blank => value(text, from),
            Self::Ldap if option == b"-w" && blank => value(text, from),
            Self::Mysql if option.starts_with(b"-p") && (option.len() > 2 || !blank) => {
                value(text, at + 2)
            }
            _ => None,
        }
    }
}

fn value(text: &[u8], at: usize) -> Option<Found> {
    let (from, quote) = opening(text, at).map_or((at, b' '), |(from, quote, _)| (from, quote));
    let end = run(text, from, |byte| {
        byte != quote && (byte.is_ascii_graphic() || byte == b' ') && !b"\\\"".contains(&byte)
    });
    argument(from, end, text)
}

fn argument(from: usize, end: usize, text: &[u8]) -> Option<Found> {
    let value = &text[from..end];
    let is_value = !value.is_empty() && !is_whole_reference(value);
    is_value.then_some(hidden(from, end, None))
}

const POWERSHELL: &[u8] = b"ConvertTo-SecureString ";

/// `ENV DB_PASSWORD value` and `IDENTIFIED BY 'value'`.
pub(super) fn statement(text: &[u8], at: usize, recent: Recent) -> Option<Found> {
    let rest = &text[at..];
    if rest.starts_with(b"ENV ") {
        let end = run(text, at + 4, is_word);
        let from = skip_blanks(text, end);
        let is_value = from > end && names::ends(&text[at + 4..end]);
        return if is_value { value(text, from) } else { None };
    }
    if rest.starts_with(POWERSHELL) {
        let from = at + POWERSHELL.len();
        let option = usize::from(text[from..].starts_with(b"-String ")) * 8;
        return quoted(text, from + option, &ValuePosition::flag(at))?;
    }
    let is_by = rest.get(..3).is_some_and(|word| word.eq_ignore_ascii_case(b"by "));
    if !is_by || !recent.bytes().eq_ignore_ascii_case(b"ntified ") {
        return None;
    }
    opening(text, at + 3).filter(|(_, quote, _)| *quote != b'`')?;
    quoted(text, at + 3, &ValuePosition::flag(at))?
}

impl ValuePosition {
    /// Behind an option.
    pub(super) fn flag(end: usize) -> Self {
        let name = SecretName {
            kind: SecretKind::Password,
            end,
            is_upper: false,
            is_whole: false,
            begins_line: false,
            is_parsed: false,
            last: b'-',
        };
        Self { name, is_quoted_name: false, separator: Separator::Flag }
    }
}
