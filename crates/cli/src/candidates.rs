//! What a shell offers to complete: sessions, open questions, actions, roles and codes. Nothing is run, and what cannot be read
//! is not offered.

use crate::explain;
use crate::place::Checkout;
use clap::Command;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use std::ffi::OsStr;
use tollgate_core::id::SessionName;
use tollgate_core::role::Role;
use tollgate_core::view::View;
use tollgate_host::client::Client;
use tollgate_host::sessions;
use tollgate_host::settings::actions;

/// So many of the newest sessions are looked at for open questions.
const LOOKED_AT: usize = 20;

type Words = fn() -> Vec<String>;

/// An argument of a command, and the words for it.
const OFFERED: [(&str, &str, Words); 17] = [
    ("status", "session", sessions_and_latest),
    ("resume", "session", sessions_and_latest),
    ("cancel", "session", sessions_and_latest),
    ("log", "session", sessions_and_latest),
    ("findings", "session", sessions_and_latest),
    ("audit", "session", sessions_and_latest),
    ("merge", "session", sessions_and_latest),
    ("rm", "sessions", sessions_and_latest),
    ("logs", "of", sessions_and_latest),
    ("diff", "of", sessions_and_latest),
    ("prompt", "session", sessions_and_latest),
    ("submit", "session", sessions_and_latest),
    ("answer", "words", answer_words),
    ("run", "action", action_names),
    ("actions", "name", action_names),
    ("roles", "name", role_names),
    ("explain", "code", codes),
];

/// The command line with what can be completed in it.
pub fn with(command: Command) -> Command {
    OFFERED.into_iter().fold(command, |command, (name, arg, words)| {
        let has_it = command
            .find_subcommand(name)
            .is_some_and(|found| found.get_arguments().any(|known| known.get_id() == arg));
        if !has_it {
            return command;
        }
        let completer = ArgValueCompleter::new(move |current: &OsStr| fitting(words(), current));
        command.mut_subcommand(name, |found| found.mut_arg(arg, |known| known.add(completer)))
    })
}

/// Any part of a session's name means it, so any part completes it.
fn fitting(words: Vec<String>, current: &OsStr) -> Vec<CompletionCandidate> {
    let current = current.to_string_lossy();
    let fitting = words.into_iter().filter(|word| word.contains(current.as_ref()));
    fitting.map(CompletionCandidate::new).collect()
}

fn names() -> Option<(Checkout, Vec<SessionName>)> {
    let checkout = Checkout::find().ok()?;
    let names = sessions::list(&checkout.layout).ok()?;
    Some((checkout, names))
}

fn sessions_and_latest() -> Vec<String> {
    let Some((_, names)) = names() else { return Vec::new() };
    names.iter().map(ToString::to_string).chain(["latest".to_owned()]).collect()
}

/// `[SESSION] DECISION [ANSWER]`: the shell does not say which of them comes.
fn answer_words() -> Vec<String> {
    let questions: Vec<_> = open().into_iter().flat_map(|view| view.pending_decisions).collect();
    let mut words: Vec<String> =
        questions.iter().map(|question| question.decision_id.to_string()).collect();
    words.extend(sessions_and_latest());
    let options = questions.iter().flat_map(|question| &question.options);
    words.extend(options.map(|option| option.answer.clone()));
    words
}

fn codes() -> Vec<String> {
    explain::pages().map(|(code, _)| code.to_owned()).collect()
}

fn open() -> Vec<View> {
    let Some((checkout, names)) = names() else { return Vec::new() };
    let view = |name| Client::open(checkout.layout.session(name)).ok()?.view().ok()?;
    names.iter().take(LOOKED_AT).filter_map(view).collect()
}

fn action_names() -> Vec<String> {
    let Ok(checkout) = Checkout::find() else { return Vec::new() };
    let found = actions::list(&checkout.layout).unwrap_or_default();
    found.into_iter().map(|action| action.name).collect()
}

fn role_names() -> Vec<String> {
    Role::dispatched().map(|role| role.to_string()).collect()
}
