//! Where a command works: the repository around the current folder, its settings and its sessions.

use crate::failure::Failure;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tollgate_contract::config::Config;
use tollgate_core::id::{DispatchNumber, SessionName};
use tollgate_core::view::View;
use tollgate_desk::{Opened, Repo};
use tollgate_files::layout::{Layout, SessionLayout, journal_anchors, state_home};
use tollgate_files::redact::Redactor;
use tollgate_git::repository::Repository;
use tollgate_host::client::Client;
use tollgate_host::context::Context;
use tollgate_host::sandbox;
use tollgate_host::sessions;
use tollgate_host::settings::{self, SettingsError};

/// For commands that only read: no settings are needed, and broken ones do not matter.
#[derive(Debug)]
pub struct Checkout {
    pub layout: Layout,
    repository: Repository,
}

impl Checkout {
    pub fn find() -> Result<Self, Failure> {
        let repository = Repository::discover(&here()?)?;
        Ok(Self { layout: Layout::new(repository.root()), repository })
    }

    pub fn repository(&self) -> &Repository {
        &self.repository
    }

    /// Where it stands how far a session's journal is.
    pub fn journal_anchors(&self, session: &SessionName) -> Vec<PathBuf> {
        let state = state_home(|name| std::env::var_os(name)).ok();
        journal_anchors(state.as_deref(), self.repository.common_dir(), session)
    }

    pub fn session(&self, text: &str) -> Result<(SessionName, SessionLayout), Failure> {
        let name = sessions::find(&self.layout, text)?;
        let layout = self.layout.session(&name);
        Ok((name, layout))
    }

    pub fn client(&self, text: &str) -> Result<(SessionName, Client), Failure> {
        let (name, layout) = self.session(text)?;
        Ok((name, Client::open(layout).map_err(Failure::reading)?))
    }

    /// A session with all that surfaces show of it.
    pub fn opened(&self, text: &str) -> Result<Opened, Failure> {
        let (name, _) = self.session(text)?;
        Ok(Opened::open(Repo::at(self.layout.repo_root()), name)?)
    }

    /// A session that has begun, as its journal tells it now, whoever owns it.
    pub fn begun(&self, text: &str) -> Result<(Client, View), Failure> {
        let (name, mut client) = self.client(text)?;
        let view = client.view().map_err(Failure::reading)?;
        Ok((client, view.ok_or_else(|| not_begun(&name))?))
    }
}

/// The root of the repository that a person is in; none elsewhere.
pub fn checkout_root() -> Option<PathBuf> {
    let repository = Repository::discover(&here().ok()?).ok()?;
    Some(repository.root().to_owned())
}

/// A file at the root of the repository, for services that want one for what is about no file.
pub fn root_file(root: &Path) -> String {
    const KNOWN: [&str; 2] = ["tollgate.toml", "README.md"];
    if let Some(known) = KNOWN.iter().find(|name| root.join(name).is_file()) {
        return (*known).to_owned();
    }
    let all = std::fs::read_dir(root).into_iter().flatten().flatten();
    let files = all.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    let first = files.filter_map(|entry| entry.file_name().into_string().ok()).min();
    first.unwrap_or_else(|| KNOWN[0].to_owned())
}

/// `[SESSION] [NUMBER]`: a single number is a dispatch of the latest session.
pub fn session_and_dispatch(words: &[String]) -> Result<(String, Option<DispatchNumber>), Failure> {
    let number = |text: &str| text.parse().ok().map(DispatchNumber);
    let latest = || "latest".to_owned();
    match words {
        [] => Ok((latest(), None)),
        [one] => Ok(match number(one) {
            Some(number) => (latest(), Some(number)),
            None => (one.clone(), None),
        }),
        [session, text, ..] => {
            let number = number(text).ok_or_else(|| {
                let message = format!("{text:?} is not the number of a dispatch");
                Failure::usage("cli.dispatch", message)
                    .hint("`tollgate status` lists the dispatches")
            })?;
            Ok((session.clone(), Some(number)))
        }
    }
}

pub fn not_begun(name: &SessionName) -> Failure {
    Failure::usage("cli.session", format!("{name} has not started yet"))
}

/// For commands that act.
pub fn context() -> Result<Arc<Context>, Failure> {
    let repository = Repository::discover(&here()?)?;
    let layout = Layout::new(repository.root());
    let config = settings::config(&layout)?;
    let context = context_with(repository, config)?;
    // Told before anything begins, not when the first agent is about to start.
    sandbox::added(&context.config.sandbox, &context.surroundings())
        .map_err(SettingsError::from)?;
    Ok(Arc::new(context))
}

/// For a look at settings that may be wrong in some places.
pub fn context_with(repository: Repository, config: Config) -> Result<Context, Failure> {
    let program = std::env::current_exe().map_err(|cause| {
        Failure::usage(
            "cli.repository",
            format!("cannot find the tollgate program itself: {cause}"),
        )
    })?;
    Ok(Context {
        state_home: state_home(|name| std::env::var_os(name))?,
        home: home(),
        redactor: Redactor::from_environment(std::env::vars_os()),
        lookup: |name| std::env::var_os(name),
        layout: Layout::new(repository.root()),
        repository,
        config,
        program,
    })
}

pub fn home() -> Option<PathBuf> {
    std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute())
}

pub fn here() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(|cause| {
        Failure::usage("cli.repository", format!("the current folder cannot be used: {cause}"))
    })
}

pub fn program_on_path(name: &str) -> Option<PathBuf> {
    tollgate_files::program_on(std::env::var_os("PATH"), name)
}
