//! What a shell offers to complete: sessions, open questions, actions, roles and codes. Nothing is run, and what cannot be read
//! is not offered.

use crate::explain;
use crate::place::Checkout;
use clap::Command;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use std::ffi::OsStr;
use tollgate_core::id::{DecisionId, SessionName};
use tollgate_core::role::Role;
use tollgate_core::view::{QuestionView, View};
use tollgate_host::client::Client;
use tollgate_host::sessions;
use tollgate_host::settings::actions;

/// So many of the newest sessions are looked at for open questions.
const LOOKED_AT: usize = 20;

/// The words of the command before the one that is completed.
type Before = [String];
type Words = fn(&Before) -> Vec<String>;

/// An argument of a command, and the words for it.
const OFFERED: [(&str, &str, Words); 18] = [
    ("status", "session", sessions_and_latest),
    ("resume", "session", sessions_and_latest),
    ("cancel", "session", sessions_and_latest),
    ("log", "session", sessions_and_latest),
    ("watch", "session", sessions_and_latest),
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
        let completer =
            ArgValueCompleter::new(move |current: &OsStr| fitting(words(&before(name)), current));
        command.mut_subcommand(name, |found| found.mut_arg(arg, |known| known.add(completer)))
    })
}

/// What stands between the command and the word that is completed, without options. A shell hands over all words after
/// `--`, and says which of them it means where that is not the last.
fn before(command: &str) -> Vec<String> {
    let words: Vec<String> = std::env::args().skip_while(|word| word != "--").skip(1).collect();
    let said = std::env::var("_CLAP_COMPLETE_INDEX").ok().and_then(|text| text.parse().ok());
    let current = said.unwrap_or(words.len().saturating_sub(1));
    let of_command = words.into_iter().take(current).skip_while(|word| word != command).skip(1);
    of_command.filter(|word| !word.starts_with('-')).collect()
}

/// Any part of a session's name means it, so any part completes it.
fn fitting(words: Vec<String>, current: &OsStr) -> Vec<CompletionCandidate> {
    let current = current.to_string_lossy();
    let fitting = words.into_iter().filter(|word| word.contains(current.as_ref()));
    fitting.map(|word| CompletionCandidate::new(as_one_word(word))).collect()
}

/// Bash takes what is offered as it is; the other shells quote by themselves.
fn as_one_word(word: String) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./:=@%+,".contains(c);
    let is_bash = std::env::var_os("COMPLETE").is_some_and(|shell| shell == "bash");
    match is_bash && !word.chars().all(is_plain) {
        true => format!("'{}'", word.replace('\'', r"'\''")),
        false => word,
    }
}

fn names() -> Option<(Checkout, Vec<SessionName>)> {
    let checkout = Checkout::find().ok()?;
    let names = sessions::list(&checkout.layout).ok()?;
    Some((checkout, names))
}

fn sessions_and_latest(_: &Before) -> Vec<String> {
    let Some((_, names)) = names() else { return Vec::new() };
    names.iter().map(ToString::to_string).chain(["latest".to_owned()]).collect()
}

/// `[SESSION] DECISION [ANSWER]`, each by the words before it.
fn answer_words(before: &Before) -> Vec<String> {
    let is_decision = |word: &String| DecisionId::parse(word).is_ok();
    match before {
        [] => who_asks(),
        [decision] if is_decision(decision) => {
            options(open().into_iter().flat_map(|view| view.pending_decisions).collect(), decision)
        }
        [session] => ids(&asked_by(session)),
        [session, decision] if !is_decision(session) => options(asked_by(session), decision),
        _ => Vec::new(),
    }
}

/// The sessions that ask something, and what they ask.
fn who_asks() -> Vec<String> {
    let asking = open();
    let sessions = asking.iter().filter(|view| !view.pending_decisions.is_empty());
    let sessions = sessions.map(|view| view.session.to_string());
    sessions.chain(asking.iter().flat_map(|view| ids(&view.pending_decisions))).collect()
}

fn ids(questions: &[QuestionView]) -> Vec<String> {
    questions.iter().map(|question| question.decision_id.to_string()).collect()
}

fn options(questions: Vec<QuestionView>, decision: &str) -> Vec<String> {
    let asked = questions.iter().filter(|question| question.decision_id.as_str() == decision);
    let options = asked.flat_map(|question| &question.options);
    options.filter_map(|option| option.typed()).map(str::to_owned).collect()
}

fn asked_by(session: &str) -> Vec<QuestionView> {
    let view = Checkout::find().and_then(|checkout| checkout.begun(session));
    view.map(|(_, view)| view.pending_decisions).unwrap_or_default()
}
fn codes(_: &Before) -> Vec<String> {
    explain::pages().map(|(code, _)| code.to_owned()).collect()
}

fn open() -> Vec<View> {
    let Some((checkout, names)) = names() else { return Vec::new() };
    let view = |name| Client::open(checkout.layout.session(name)).ok()?.view().ok()?;
    names.iter().take(LOOKED_AT).filter_map(view).collect()
}

fn action_names(_: &Before) -> Vec<String> {
    let Ok(checkout) = Checkout::find() else { return Vec::new() };
    let found = actions::list(&checkout.layout).unwrap_or_default();
    found.into_iter().map(|action| action.name).collect()
}

fn role_names(_: &Before) -> Vec<String> {
    Role::dispatched().map(|role| role.to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// It panics where an argument of the list is no longer there.
    #[test]
    fn everything_that_is_offered_belongs_to_an_argument() {
        with(crate::args::public_command()).debug_assert();
    }
}
