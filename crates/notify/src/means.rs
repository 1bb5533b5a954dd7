//! By what a person is told: a command of theirs, the desktop, a webhook.

use super::announcement::Announcement;
use super::{PATIENCE, child};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use tollgate_contract::config::NotifyTable;
use tollgate_core::sanitize::terminal_line;
use tollgate_files as files;
use tollgate_http::{Address, Posted, post};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Means {
    /// A program and its arguments; no shell reads them.
    Command(Vec<String>),
    /// notify-send.
    Desktop,
    Webhook {
        address: String,
        /// Each header with the variable that has its value.
        header_env: BTreeMap<String, String>,
    },
}

impl Means {
    /// Those of the settings that need no terminal.
    pub fn all(settings: &NotifyTable) -> Vec<Self> {
        let NotifyTable { command, desktop, webhook, webhook_header_env, .. } = settings;
        let command = (!command.is_empty()).then(|| Self::Command(command.clone()));
        let webhook = webhook.as_ref().map(|address| Self::Webhook {
            address: address.clone(),
            header_env: webhook_header_env.clone(),
        });
        command.into_iter().chain(desktop.then_some(Self::Desktop)).chain(webhook).collect()
    }

    /// As the settings call it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Command(_) => "command",
            Self::Desktop => "desktop",
            Self::Webhook { .. } => "webhook",
        }
    }
}

/// What delivers: where the person's programs are, and their variables.
#[derive(Debug, Clone)]
pub struct Messenger {
    /// Commands start here, and their paths are relative to it.
    pub root: PathBuf,
    pub lookup: fn(&str) -> Option<OsString>,
}

impl Messenger {
    /// What came of it, or why nothing did; both are for people.
    pub fn deliver(
        &self,
        means: &Means,
        told: &Announcement,
        is_stopped: &AtomicBool,
    ) -> Result<String, String> {
        match means {
            Means::Command(words) => self.run(words, told, is_stopped),
            Means::Desktop => self.show(told, is_stopped),
            Means::Webhook { address, header_env } => self.post(address, header_env, told),
        }
    }

    /// The program that a word of the settings means.
    pub fn program(&self, word: &str) -> Result<PathBuf, String> {
        let found = match word.contains('/') {
            true => Some(self.root.join(word)).filter(|path| files::is_program(path)),
            false => files::program_on((self.lookup)("PATH"), word),
        };
        let place = if word.contains('/') { "no program there" } else { "not on PATH" };
        found.ok_or_else(|| format!("{} is {place}", terminal_line(word, 100)))
    }

    fn run(
        &self,
        words: &[String],
        told: &Announcement,
        is_stopped: &AtomicBool,
    ) -> Result<String, String> {
        let [program, arguments @ ..] = words else { return Err("no command is set".to_owned()) };
        let mut command = Command::new(self.program(program)?);
        command.args(arguments).current_dir(&self.root).envs(variables(told));
        let input = format!("{}\n", told.cloud_event());
        child::run(command, input.as_bytes(), PATIENCE, is_stopped)?;
        Ok(format!("{} ended well", terminal_line(program, 100)))
    }

    fn show(&self, told: &Announcement, is_stopped: &AtomicBool) -> Result<String, String> {
        let program = desktop_program(self.lookup)?;
        let mut command = Command::new(program);
        // The body is read as markup.
        command.args(["--app-name=Tollgate", "--", &told.title, &escaped(&told.message)]);
        child::run(command, b"", PATIENCE, is_stopped)?;
        Ok("notify-send took it".to_owned())
    }

    fn post(
        &self,
        address: &str,
        header_env: &BTreeMap<String, String>,
        told: &Announcement,
    ) -> Result<String, String> {
        let headers = tollgate_http::headers(header_env, self.lookup)?;
        let address = Address::parse(address)
            .map_err(|why| format!("the address of `webhook` cannot be used: {why}"))?;
        let body = told.cloud_event().to_string();
        let content_type = "application/cloudevents+json; charset=utf-8";
        let posted = Posted { content_type, headers: &headers, body: body.as_bytes() };
        let answered = post(&address, posted, PATIENCE).map_err(|error| error.to_string())?;
        Ok(format!("{} took it with status {}", address.host(), answered.status))
    }
}

/// notify-send, where there is a desktop to show something on; or what is missing.
pub fn desktop_program(lookup: fn(&str) -> Option<OsString>) -> Result<PathBuf, String> {
    let is_set = |name: &&str| lookup(name).is_some_and(|value| !value.is_empty());
    if ["DISPLAY", "WAYLAND_DISPLAY"].iter().find(|name| is_set(name)).is_none() {
        return Err(
            "there is no desktop here: neither DISPLAY nor WAYLAND_DISPLAY is set".to_owned()
        );
    }
    files::program_on(lookup("PATH"), "notify-send")
        .ok_or_else(|| "notify-send is not on PATH".to_owned())
}

/// For a command that reads no JSON.
fn variables(told: &Announcement) -> Vec<(&'static str, String)> {
    let question = told.questions.first();
    let root: &Path = &told.repository_root;
    vec![
        ("TOLLGATE_EVENT", told.kind.as_str().to_owned()),
        ("TOLLGATE_SESSION", told.session.clone()),
        ("TOLLGATE_REPOSITORY", told.repository.clone()),
        ("TOLLGATE_ROOT", root.display().to_string()),
        ("TOLLGATE_TITLE", told.title.clone()),
        ("TOLLGATE_MESSAGE", told.message.clone()),
        ("TOLLGATE_DECISION", question.map(|one| one.decision_id.clone()).unwrap_or_default()),
        ("TOLLGATE_COMMAND", question.map_or(&told.command, |one| &one.command).clone()),
    ]
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
