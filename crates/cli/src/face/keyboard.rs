//! The keyboard of a person at a terminal: keys are read as they are typed, so that a pasted text comes whole and no
//! line is too long. The terminal is given back on every way out.

use super::line::{Heard, Line};
use crate::output;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{self, LocalModes, OptionalActions, SpecialCodeIndex, Termios};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;
use tollgate_host::serve::{self, Message};

/// What follows so soon was not typed by hand: it belongs to the same paste.
const SAME_BURST: Timespec = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };
/// Far more than an answer; what is longer comes in several pieces.
const BURST_BYTES_MAX: usize = 1 << 20;

/// How the terminal was before.
static BEFORE: OnceLock<Termios> = OnceLock::new();

static IS_OURS: AtomicBool = AtomicBool::new(false);
static TYPING: Mutex<Typing> = Mutex::new(Typing { line: Line::new(), prompt: None });

/// What is being typed, and behind which words; none while nothing is asked, when nothing typed is shown.
struct Typing {
    line: Line,
    prompt: Option<String>,
}

/// The keyboard is ours until this is dropped.
#[derive(Debug)]
pub struct Keyboard(());

impl Keyboard {
    pub fn take(lines_to: Sender<Message>) -> Self {
        if let Ok(before) = termios::tcgetattr(std::io::stdin()) {
            let _ = BEFORE.set(before);
        }
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
    if in_front.is_ok_and(|group| Some(group) != tollgate_host::process::own_group()) {
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
    let Some(before) = BEFORE.get().filter(|_| IS_OURS.swap(false, Ordering::Relaxed)) else {
        return;
    };
    output::mark_pastes(false);
    let _ = termios::tcsetattr(std::io::stdin(), OptionalActions::Now, before);
}

/// Shows a prompt. What was typed before it is no answer to it.
pub fn ask(prompt: &str) {
    let mut typing = typing();
    *typing = Typing { line: Line::new(), prompt: Some(prompt.to_owned()) };
    output::prompt(prompt);
}

/// Nothing is asked any more.
pub fn rest() {
    typing().prompt = None;
}

fn typing() -> MutexGuard<'static, Typing> {
    TYPING.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read(lines_to: &Sender<Message>) {
    let mut buffer = [0; 4096];
    while let Some(count) = read_some(&mut buffer) {
        let mut burst = buffer[..count].to_vec();
        while (2..BURST_BYTES_MAX).contains(&burst.len()) && comes_more() {
            let Some(count) = read_some(&mut buffer) else { break };
            burst.extend_from_slice(&buffer[..count]);
        }
        let Heard { entered, has_left, .. } = typing().hear(&burst);
        let is_gone = entered.is_some_and(|text| {
            let line = serve::Line { text, read_at: Instant::now() };
            lines_to.send(Message::Line(Some(line))).is_err()
        });
        if is_gone || has_left {
            break;
        }
    }
    let _ = lines_to.send(Message::Line(None));
}

impl Typing {
    fn hear(&mut self, burst: &[u8]) -> Heard {
        let prompt = self.prompt.as_deref().unwrap_or_default();
        let heard = self.line.hear(burst, prompt, output::columns());
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

fn comes_more() -> bool {
    let stdin = std::io::stdin();
    let mut watched = [PollFd::new(&stdin, PollFlags::IN)];
    poll(&mut watched, Some(&SAME_BURST)).is_ok_and(|count| count > 0)
}
