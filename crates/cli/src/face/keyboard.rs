//! The keyboard of a person at a terminal: keys are read as they are typed, so that a pasted text comes whole and no
//! line is too long. The terminal is given back on every way out.

use super::line::{InputLine, Screen, TypedKeys};
use crate::output;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{
    self, LocalModes, OptionalActions, QueueSelector, SpecialCodeIndex, Termios,
};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tollgate_host::serve::{self, OwnerMessage};

/// What follows so soon was not typed by hand: it belongs to the same paste.
const SAME_BURST: Timespec = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };
const AT_ONCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };
/// Far more than an answer; what is longer comes in several pieces.
const BURST_BYTES_MAX: usize = 1 << 20;

/// How soon a key counts again that is typed after a pager or an editor.
const PAUSE_WHILE_LENT: Duration = Duration::from_millis(20);

/// How the terminal was before.
static BEFORE: OnceLock<Termios> = OnceLock::new();

static IS_OURS: AtomicBool = AtomicBool::new(false);
/// A program of the person has the terminal: their pager or their editor.
static IS_LENT: AtomicBool = AtomicBool::new(false);
static TYPING: Mutex<Typing> =
    Mutex::new(Typing { line: InputLine::new(), prompt: None, question: 0 });

/// What is being typed, and behind which words; none while nothing is asked, when nothing typed is shown.
struct Typing {
    line: InputLine,
    prompt: Option<String>,
    /// Changes whenever a question is shown and when nothing is asked any more.
    question: u64,
}

/// The keyboard is ours until this is dropped.
#[derive(Debug)]
pub struct Keyboard(());

impl Keyboard {
    pub fn take(lines_to: Sender<OwnerMessage>) -> Self {
        if let Ok(before) = termios::tcgetattr(std::io::stdin()) {
            let _ = BEFORE.set(before);
        }
        output::before_leaving(give_back);
        IS_OURS.store(true, Ordering::Relaxed);
        take_again();
        std::thread::spawn(move || read(&lines_to));
        Self(())
    }
}

impl Drop for Keyboard {
    fn drop(&mut self) {
        give_back();
    }
}

/// Sets the terminal up; also after the person had stopped the program and came back.
pub fn take_again() {
    let Some(mut modes) = BEFORE.get().cloned().filter(|_| IS_OURS.load(Ordering::Relaxed)) else {
        return;
    };
    // Who works in the background has no terminal, and is stopped when they change it.
    let in_front = termios::tcgetpgrp(std::io::stdin());
    if in_front.is_ok_and(|group| Some(group) != tollgate_process::own_group()) {
        return;
    }
    // Ctrl-C and Ctrl-Z are signals as ever.
    modes.local_modes -= LocalModes::ICANON | LocalModes::ECHO | LocalModes::IEXTEN;
    modes.special_codes[SpecialCodeIndex::VMIN] = 1;
    modes.special_codes[SpecialCodeIndex::VTIME] = 0;
    let _ = termios::tcsetattr(std::io::stdin(), OptionalActions::Now, &modes);
    output::mark_pastes(true);
}

/// May be called at any time and from any thread.
pub fn give_back() {
    if IS_OURS.swap(false, Ordering::Relaxed) {
        as_before();
    }
    output::release();
}

/// The person stops the program for a while, and gets the terminal as it was.
pub fn lend() {
    if IS_OURS.load(Ordering::Relaxed) {
        as_before();
    }
}

/// Lets a program of the person have the terminal. No key of it is read here, and what is told waits.
pub fn lend_out() {
    {
        let _nobody_reads = typing();
        IS_LENT.store(true, Ordering::Relaxed);
    }
    output::hold();
    lend();
}

/// The program has ended: what happened meanwhile is told. What was typed for the program answers nothing.
pub fn take_back() {
    take_again();
    let typing = typing();
    let _ = termios::tcflush(std::io::stdin(), QueueSelector::IFlush);
    IS_LENT.store(false, Ordering::Relaxed);
    drop(typing);
    output::release();
}

pub fn is_lent() -> bool {
    IS_LENT.load(Ordering::Relaxed)
}

fn as_before() {
    let Some(before) = BEFORE.get() else { return };
    output::mark_pastes(false);
    let _ = termios::tcsetattr(std::io::stdin(), OptionalActions::Now, before);
}

/// Shows the prompt below a question and returns the number of the question. Text that was typed before does not
/// answer it.
pub fn ask(prompt: &str) -> u64 {
    let mut typing = typing();
    if !is_lent() {
        let _ = termios::tcflush(std::io::stdin(), QueueSelector::IFlush);
    }
    typing.line.clear();
    typing.question += 1;
    typing.show(prompt);
    typing.question
}

/// Shows another prompt of the same question.
pub fn ask_again(prompt: &str) {
    typing().show(prompt);
}

/// Shows the prompt that is open, when the person comes back.
pub fn show_again() {
    let mut typing = typing();
    if let Some(prompt) = typing.prompt.take() {
        typing.show(&prompt);
    }
}

/// Nothing is asked any more.
pub fn rest() {
    let mut typing = typing();
    typing.prompt = None;
    typing.question += 1;
}

fn typing() -> MutexGuard<'static, Typing> {
    TYPING.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read(lines_to: &Sender<OwnerMessage>) {
    while let Some((burst, question)) = burst() {
        let TypedKeys { entered, has_left, .. } = typing().hear(&burst, question);
        let is_gone = entered.is_some_and(|text| {
            let line = serve::TypedLine { text, question };
            lines_to.send(OwnerMessage::Line(Some(line))).is_err()
        });
        if is_gone || has_left {
            break;
        }
    }
    let _ = lines_to.send(OwnerMessage::Line(None));
}

/// What comes in one burst, and at which question it began; none when the terminal is closed.
fn burst() -> Option<(Vec<u8>, u64)> {
    let mut buffer = [0; 4096];
    let (count, question) = loop {
        comes_more(None);
        if is_lent() {
            std::thread::sleep(PAUSE_WHILE_LENT);
            continue;
        }
        // A question is shown under the same lock: what is read here was typed after this one was shown.
        let typing = typing();
        if !is_lent() && comes_more(Some(&AT_ONCE)) {
            break (read_some(&mut buffer)?, typing.question);
        }
    };
    let mut burst = buffer[..count].to_vec();
    while (2..BURST_BYTES_MAX).contains(&burst.len()) && comes_more(Some(&SAME_BURST)) {
        let Some(count) = read_some(&mut buffer) else { break };
        burst.extend_from_slice(&buffer[..count]);
    }
    Some((burst, question))
}

impl Typing {
    fn show(&mut self, prompt: &str) {
        if !is_lent() {
            output::prompt(prompt);
            output::echo(&self.line.shown());
        }
        self.prompt = Some(prompt.to_owned());
    }

    /// What began at another question is not mixed with what is typed at this one.
    fn hear(&mut self, burst: &[u8], question: u64) -> TypedKeys {
        if question != self.question {
            return InputLine::new().hear(burst, screen(""));
        }
        let prompt = self.prompt.as_deref().unwrap_or_default();
        let heard = self.line.hear(burst, screen(prompt));
        if self.prompt.is_some() {
            output::echo(&heard.echo);
            if heard.is_stale {
                output::talk("");
                output::prompt(prompt);
                output::echo(&self.line.shown());
            }
        }
        if heard.entered.is_some() {
            self.prompt = None;
        }
        heard
    }
}

fn screen(prompt: &str) -> Screen<'_> {
    Screen { prompt, columns: output::columns(), can_move: !output::is_dumb() }
}

/// None when there is nobody any more.
fn read_some(buffer: &mut [u8]) -> Option<usize> {
    loop {
        match rustix::io::read(std::io::stdin(), &mut *buffer) {
            Ok(0) => return None,
            Ok(count) => return Some(count),
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return None,
        }
    }
}

/// Without a limit it waits until something comes or a signal does.
fn comes_more(within: Option<&Timespec>) -> bool {
    let stdin = std::io::stdin();
    let mut watched = [PollFd::new(&stdin, PollFlags::IN)];
    // What is wrong with the terminal comes out when it is read.
    !matches!(poll(&mut watched, within), Ok(0) | Err(rustix::io::Errno::INTR))
}
