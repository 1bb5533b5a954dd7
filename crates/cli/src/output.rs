//! The only place that prints. Data goes to stdout, talk to stderr; text of others is cleaned on the way.

mod alert;
mod fold;
mod runner;

use crate::failure::Failure;
use anstyle::{AnsiColor, Style};
use fold::{BAR, continued};
pub use runner::is_step;
use runner::{bytes_of_data, data_text, harmless_json, talk_text};
use serde::Serialize;
use std::borrow::Cow;
use std::fmt::{Arguments, Write as _};
use std::io::{IsTerminal, Write};
use std::os::fd::AsFd;
use std::process::{ExitCode, Stdio};
use std::sync::{LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};
use tollgate_contract::diagnostic::{Level, Report};
use tollgate_files::sanitize::terminal_text;
use unicode_width::UnicodeWidthStr;

pub const BOLD: Style = Style::new().bold();
pub const DIM: Style = Style::new().dimmed();
pub const GOOD: Style = AnsiColor::Green.on_default();
pub const BAD: Style = AnsiColor::Red.on_default().bold();
pub const WARN: Style = AnsiColor::Yellow.on_default();
pub const NOTE: Style = AnsiColor::Cyan.on_default();

/// From now on. By default a terminal gets colours, unless the environment (NO_COLOR, CLICOLOR, TERM) says otherwise.
pub fn use_colours(when: clap::ColorChoice) {
    let choice = match when {
        clap::ColorChoice::Auto => anstream::ColorChoice::Auto,
        clap::ColorChoice::Always => anstream::ColorChoice::Always,
        clap::ColorChoice::Never => anstream::ColorChoice::Never,
    };
    choice.write_global();
}

/// How much a person wants to be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verbosity {
    /// Questions, errors and the end.
    Quiet,
    #[default]
    Normal,
    /// Every step.
    Verbose,
}

static VERBOSITY: OnceLock<Verbosity> = OnceLock::new();

/// To be said once, when the command line was read.
pub fn set_verbosity(verbosity: Verbosity) {
    let _is_known = VERBOSITY.set(verbosity);
}

pub fn verbosity() -> Verbosity {
    VERBOSITY.get().copied().unwrap_or_default()
}

pub fn is_quiet() -> bool {
    verbosity() == Verbosity::Quiet
}

/// Something a person's script reads.
pub fn data(text: &str) {
    let mut stdout = anstream::stdout().lock();
    let written = writeln!(stdout, "{}", data_text(terminal_text(text).trim_end_matches('\n')));
    must_be_written(written.and_then(|()| stdout.flush()));
}

/// What gives the terminal back, once it was taken.
static BEFORE_LEAVING: OnceLock<fn()> = OnceLock::new();

/// From now on this is called before the program leaves because its data cannot be written.
pub fn before_leaving(give_back: fn()) {
    let _is_known = BEFORE_LEAVING.set(give_back);
}

/// A reader that went away is no error of ours; data that cannot be written is one that a script must see.
fn must_be_written(written: std::io::Result<()>) {
    if let Err(error) = written
        && error.kind() != std::io::ErrorKind::BrokenPipe
    {
        talk(&format!("error: cannot write to standard output: {error}"));
        if let Some(give_back) = BEFORE_LEAVING.get() {
            give_back();
        }
        std::process::exit(crate::exit::Exit::Fails as i32);
    }
}

/// A row of data.
#[derive(Debug)]
pub enum Row {
    /// What others wrote stays within it: a line of it that continues stands behind a bar.
    Text(String),
    /// Words of ours that a person copies. They stay whole, and the terminal wraps them.
    ToCopy(String),
}

impl From<String> for Row {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

pub fn data_rows(rows: impl IntoIterator<Item = impl Into<Row>>) {
    let columns = columns_of(std::io::stdout());
    let shown = rows.into_iter().map(|row| match row.into() {
        Row::Text(text) => continued(&text, 0, columns),
        Row::ToCopy(text) => continued(&text, 0, None),
    });
    data(&shown.collect::<Vec<_>>().join("\n"));
}

/// Text in which others have a say, each line behind a bar: no line of it can look like an option, a state or a hint.
pub fn quoted(style: Style, text: &str) {
    let text = continued(text, BAR.width(), known_columns());
    say(format_args!("{style}{BAR}{text}{style:#}\n"));
}

/// Where a person reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// On standard output, which is theirs and no script's.
    AsData,
    /// On standard error, where the talk is.
    AsTalk,
}

/// Lines in their styles, as the person's terminal takes them.
pub fn painted(lines: &[(Style, String)], shown: Shown) -> String {
    let choice = match shown {
        Shown::AsData => anstream::AutoStream::choice(&std::io::stdout()),
        Shown::AsTalk => anstream::AutoStream::choice(&std::io::stderr()),
    };
    let is_plain = choice == anstream::ColorChoice::Never;
    let mut text = String::new();
    for (style, line) in lines {
        let style = if is_plain { Style::new() } else { *style };
        text.push_str(&format!("{style}{}{style:#}\n", terminal_text(line)));
    }
    text
}

/// The runner of GitHub Actions reads standard output. A file that it goes to is no log.
fn data_is_log() -> bool {
    static IS_FILE: LazyLock<bool> = LazyLock::new(|| {
        let found = rustix::fs::fstat(std::io::stdout());
        found.is_ok_and(|found| rustix::fs::FileType::from_raw_mode(found.st_mode).is_file())
    });
    is_step() && !*IS_FILE
}

/// A command to the runner. Nothing else that we print is one.
pub fn to_runner(command: &str) {
    let mut stderr = std::io::stderr().lock();
    let _ = writeln!(stderr, "{command}").and_then(|()| stderr.flush());
}

/// What is wrong with the command line, or its help; and the exit code.
pub fn usage(error: &clap::Error) -> ExitCode {
    if error.use_stderr() && is_step() {
        say(format_args!("{}", error.render()));
    } else {
        let _ = error.print();
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Bytes as they are, for completions and schemas.
pub fn raw(bytes: &[u8]) {
    let mut stdout = std::io::stdout().lock();
    let bytes = bytes_of_data(bytes);
    must_be_written(stdout.write_all(&bytes).and_then(|()| stdout.flush()));
}

/// Nobody gets what is written to standard output. Where it was closed, Rust opens /dev/null instead, for reading, too.
pub fn is_closed() -> bool {
    use rustix::fs::{OFlags, fcntl_getfl, fstat, stat};
    let stdout = std::io::stdout();
    let is_both = fcntl_getfl(&stdout).is_ok_and(|flags| flags & OFlags::ACCMODE == OFlags::RDWR);
    let device = fstat(&stdout).map(|found| found.st_rdev);
    is_both && device == stat("/dev/null").map(|found| found.st_rdev)
}

/// The same, for what is too large to be held in memory.
pub fn raw_stream() -> impl Write {
    std::io::stdout().lock()
}

pub fn json<T: Serialize>(value: &T) {
    raw(format!("{}\n", as_json(value)).as_bytes());
}

/// The text that is printed for a value, without the line break after it.
pub fn as_json<T: Serialize>(value: &T) -> String {
    let text = serde_json::to_string_pretty(value).expect("what we print can be written as JSON");
    harmless_json(&visible_json(&text)).into_owned()
}

/// One JSON value a line.
pub fn json_line<T: Serialize>(value: &T) {
    let text = serde_json::to_string(value).expect("what we print can be written as JSON");
    raw(format!("{}\n", harmless_json(&visible_json(&text))).as_bytes());
}

/// JSON escapes only the oldest controls by itself; escaping the rest keeps its meaning and the terminal safe.
fn visible_json(text: &str) -> Cow<'_, str> {
    if matches!(terminal_text(text), Cow::Borrowed(_)) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 64);
    for char in text.chars() {
        if matches!(terminal_text(char.encode_utf8(&mut [0; 4])), Cow::Borrowed(_)) {
            escaped.push(char);
            continue;
        }
        for unit in char.encode_utf16(&mut [0; 2]) {
            escaped.push_str(&format!("\\u{unit:04x}"));
        }
    }
    Cow::Owned(escaped)
}

/// A line of data with a short mark in a style; the style is only seen at a terminal.
pub fn row(before: &str, style: Style, mark: &str, text: &str) {
    let used = before.width() + mark.width() + 1;
    let text = continued(text, used, columns_of(std::io::stdout()));
    let mut stdout = anstream::stdout().lock();
    let line = format!("{before}{style}{mark}{style:#} {text}");
    let written = writeln!(stdout, "{}", data_text(&line));
    must_be_written(written.and_then(|()| stdout.flush()));
}

/// Many such lines without words before the mark, written in large pieces.
pub fn rows(rows: impl IntoIterator<Item = (Style, String, String)>) {
    let columns = columns_of(std::io::stdout());
    let mut stdout = std::io::BufWriter::with_capacity(1 << 16, anstream::stdout().lock());
    let mut written = Ok(());
    for (style, mark, text) in rows {
        let text = continued(&text, mark.width() + 1, columns);
        let line = format!("{style}{mark}{style:#} {text}");
        written = writeln!(stdout, "{}", data_text(&line));
        if written.is_err() {
            break;
        }
    }
    must_be_written(written.and_then(|()| stdout.flush()));
}

/// Whoever read our output has gone, as `head` does when it has enough.
pub fn reader_is_gone() -> bool {
    use rustix::event::{PollFd, PollFlags, poll};
    let stdout = std::io::stdout();
    let mut watched = [PollFd::new(&stdout, PollFlags::empty())];
    let now = rustix::event::Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut watched, Some(&now)).is_ok() && watched[0].revents().contains(PollFlags::ERR)
}

/// What is told while a program of the person has the terminal.
static HELD: Mutex<Option<String>> = Mutex::new(None);
/// Far more than happens while somebody reads.
const HELD_BYTES_MAX: usize = 1 << 20;

fn held() -> MutexGuard<'static, Option<String>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on everything that is told waits.
pub fn hold() {
    held().get_or_insert_default();
}

/// Tells what has waited.
pub fn release() {
    let Some(text) = held().take() else { return };
    say(format_args!("{text}"));
    if text.len() >= HELD_BYTES_MAX {
        talk("more happened meanwhile; `tollgate log` tells everything");
    }
}

fn say(text: Arguments<'_>) {
    let mut held = held();
    match held.as_mut() {
        Some(kept) if kept.len() < HELD_BYTES_MAX => {
            let _ = kept.write_fmt(text);
        }
        Some(_) => {}
        None => {
            let mut stderr = anstream::stderr().lock();
            let text = text.to_string();
            let _ = stderr.write_all(talk_text(&text).as_bytes()).and_then(|()| stderr.flush());
        }
    }
}

/// Calls the person at the terminal, also while a program of theirs has it: nothing moves on the screen.
pub fn alert(rings: bool, shows: Option<&str>) {
    let bytes = alert::bytes(rings, shows, |name| std::env::var(name).ok());
    if !bytes.is_empty() && std::io::stderr().is_terminal() {
        echo(&bytes);
    }
}

/// The terminal is asked to show something on the desktop; whether it can, nobody learns.
pub fn can_alert() -> bool {
    let asked = alert::bytes(false, Some("test"), |name| std::env::var(name).ok());
    !asked.is_empty() && std::io::stderr().is_terminal()
}

/// For a program of the person, where standard output is a script's.
pub fn terminal() -> std::io::Result<Stdio> {
    Ok(Stdio::from(std::io::stderr().as_fd().try_clone_to_owned()?))
}

/// A text that was painted for the talk.
pub fn show_painted(text: &str) {
    say(format_args!("{text}"));
}

/// Words of ours for the person at the terminal.
pub fn talk(text: &str) {
    say(format_args!("{}\n", terminal_text(text)));
}

/// A line in a style; the text is cleaned, the style is ours.
pub fn styled(style: Style, text: &str) {
    let text = continued(text, 0, known_columns());
    say(format_args!("{style}{text}{style:#}\n"));
}

/// A short mark in a style, then text in which others may have a say.
pub fn marked(style: Style, mark: &str, text: &str) {
    let text = continued(text, mark.width() + 1, known_columns());
    say(format_args!("{style}{mark}{style:#} {text}\n"));
}

/// Words of ours that a person copies. They stay whole, and the terminal wraps them.
pub fn to_copy(style: Style, mark: &str, text: &str) {
    let text = continued(text, 0, None);
    say(format_args!("{style}{mark}{style:#} {text}\n"));
}

/// The same for what is neither a question nor an error nor the end: not told to who wants nothing else.
pub fn aside(style: Style, mark: &str, text: &str) {
    if !is_quiet() {
        marked(style, mark, text);
    }
}

/// A prompt without a line break.
pub fn prompt(text: &str) {
    say(format_args!("{BOLD}{}{BOLD:#}", terminal_text(text)));
}

/// What a person typed, as it must be shown.
pub fn echo(text: &str) {
    let mut stderr = std::io::stderr().lock();
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}

/// Asks the terminal to mark where a paste begins and ends, or to stop that. This has nothing to do with colours.
pub fn mark_pastes(on: bool) {
    if !is_dumb() && std::io::stderr().is_terminal() {
        echo(if on { "\u{1b}[?2004h" } else { "\u{1b}[?2004l" });
    }
}

pub fn size(bytes: u64) -> String {
    let mut rest = bytes;
    let mut below = 0;
    let mut units = ["B", "KiB", "MiB", "GiB"].iter();
    let mut unit = units.next().unwrap_or(&"B");
    while rest >= 1024 {
        let Some(next) = units.next() else { break };
        below = rest % 1024 * 10 / 1024;
        rest /= 1024;
        unit = next;
    }
    if *unit == "B" { format!("{rest} B") } else { format!("{rest}.{below} {unit}") }
}

/// A person can press keys and see a whole screen.
pub fn has_a_screen() -> bool {
    !is_dumb() && std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// The person wants to see colours on standard output.
pub fn has_colours() -> bool {
    anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never
}

/// A terminal that knows no sequences.
pub fn is_dumb() -> bool {
    std::env::var_os("TERM").is_none_or(|term| term == "dumb")
}

/// How wide the person's terminal is.
pub fn columns() -> usize {
    known_columns().unwrap_or(80)
}

/// How wide the terminal is that takes the data; none where it is none.
pub fn data_columns() -> Option<usize> {
    columns_of(std::io::stdout())
}

/// The same; none where a line may have any length.
pub fn known_columns() -> Option<usize> {
    columns_of(std::io::stderr())
}

/// None when the stream is not a terminal, or the terminal does not know its width.
fn columns_of(stream: impl std::os::fd::AsFd) -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(stream).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
}

/// A person can be asked: both what they read and what they type is a terminal.
pub fn is_interactive() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// What is told is read at a terminal.
pub fn is_at_a_terminal() -> bool {
    std::io::stderr().is_terminal()
}

/// Somebody looks at standard output itself, and no script reads it.
pub fn is_read_by_a_person() -> bool {
    std::io::stdout().is_terminal()
}

pub fn failure(failure: &Failure) {
    if let Some(found) = &failure.report {
        report(found);
    }
    marked(BAD, "error:", &failure.message);
    for hint in &failure.hints {
        marked(NOTE, " help:", hint);
    }
    let explain = format!("for details, run `tollgate explain {}`", failure.code);
    marked(DIM, "      ", &explain);
}

/// Every diagnostic with its place.
pub fn report(report: &Report) {
    for diagnostic in &report.diagnostics {
        let (style, word) = match diagnostic.severity {
            Level::Error => (BAD, "error"),
            Level::Warning => (WARN, "warning"),
        };
        let mark = format!("{word}[{}]", diagnostic.code);
        marked(style, &mark, &format!("{}: {}", diagnostic.place(), diagnostic.message));
        if let Some(help) = &diagnostic.help {
            marked(NOTE, "  help:", help);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::visible_json;

    #[test]
    fn r119_json_shows_no_control_and_means_the_same() {
        let text = "\u{9b}2Jred \u{202e}nimda\u{e0041} Grüße\n";
        let json = serde_json::to_string_pretty(&[text]).unwrap_or_default();
        let shown = visible_json(&json);
        assert_eq!(shown, "[\n  \"\\u009b2Jred \\u202enimda\\udb40\\udc41 Grüße\\n\"\n]");
        let back: Vec<String> = serde_json::from_str(&shown).unwrap_or_default();
        assert_eq!(back, [text]);
    }
}
