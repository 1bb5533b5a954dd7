//! `tollgate watch`: the terminal view.

use crate::exit::Exit;
use crate::face::loan;
use crate::failure::Failure;
use crate::{output, place};
use clap::Args;
use tollgate_core::id::SessionName;
use tollgate_desk::{Desk, OpenedError, Orders, Repo};
use tollgate_files::layout::state_home;
use tollgate_watch::{End, Settings, WatchError, run};

/// Watch sessions on a whole screen, and decide there
///
/// Without a session it lists those of every repository on this machine, the ones that wait for you first. `?` shows the keys of each
/// screen. Nothing is answered by a single key, and no option is chosen beforehand. Sessions continue when you leave.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tollgate watch\n  tollgate watch latest\n  \
ssh -t build-machine tollgate -C project watch")]
pub struct Watch {
    /// A name, a unique part of one, a number of `tollgate sessions`, or `latest`; by default the list of all sessions
    pub session: Option<String>,
}

impl Watch {
    pub fn run(self) -> Result<Exit, Failure> {
        if !output::has_a_screen() {
            let message = "the terminal view needs a terminal for its keys and its screen";
            return Err(Failure::usage("cli.watch", message).hint(
                "without one: `tollgate status` shows a session, `tollgate log --follow` follows it, \
                 `tollgate answer` decides",
            ));
        }
        let session = self.session.as_deref().map(named).transpose()?;
        let program = std::env::current_exe().map_err(|cause| {
            let message = format!("cannot find the tollgate program itself: {cause}");
            Failure::usage("cli.watch", message)
        })?;
        let state = state_home(|name| std::env::var_os(name)).ok();
        let here = place::Checkout::find().ok();
        let here = here.map(|checkout| Repo::at(checkout.layout.repo_root()));
        let settings = Settings {
            desk: Desk::new(state, here.as_ref().map(|repo| repo.root.clone())),
            orders: Orders::new(program),
            here,
            session,
            has_colours: output::has_colours(),
            editor: |file| {
                let mut command = loan::editor()?;
                command.arg(file);
                Ok(command)
            },
        };
        match run(settings).map_err(failed)? {
            End::Left => Ok(Exit::Ok),
            End::Interrupted => Ok(Exit::Interrupted),
        }
    }
}

fn named(text: &str) -> Result<(Repo, SessionName), Failure> {
    let checkout = place::Checkout::find()?;
    let (name, _) = checkout.session(text)?;
    Ok((Repo::at(checkout.layout.repo_root()), name))
}

fn failed(error: WatchError) -> Failure {
    match error {
        WatchError::Session(OpenedError::Journal(error)) => Failure::reading(error),
        WatchError::Session(OpenedError::Repository(error)) => error.into(),
        WatchError::Session(_) | WatchError::Removed => {
            Failure::usage("cli.session", error.to_string())
                .hint("`tollgate sessions` lists the sessions")
        }
        WatchError::Terminal(_) => Failure::usage("cli.watch", error.to_string())
            .hint("without it: `tollgate status`, `tollgate log --follow`, `tollgate answer`"),
    }
}
