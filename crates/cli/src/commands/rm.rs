//! `tollgate rm`: removes sessions with all that they hold.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{output, place};
use clap::Args;
use std::io::BufRead;
use tollgate_core::id::SessionName;
use tollgate_host::context::Context;
use tollgate_host::removal::{self, Reason, RemovalError};
use tollgate_host::sessions;

/// Remove sessions with all that they hold
///
/// A session's folder, its branch, its workspaces and everything else that Tollgate keeps for it are removed for good. The work
/// of a session that you have merged stays in your branch. A session that has not ended, or whose work is not merged, is
/// removed only if you type its name or give --force; unfinished work that is kept aside counts as not merged.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tollgate rm rate-limit\n  tollgate rm 3 4 5\n  tollgate rm latest --force"
)]
pub struct Rm {
    /// Names, unique parts of names, numbers of `tollgate sessions`, or `latest`
    #[arg(value_name = "SESSION", required = true)]
    pub sessions: Vec<String>,
    /// Remove also what has not ended or is not merged
    #[arg(long)]
    pub force: bool,
}

impl Rm {
    pub fn run(self) -> Result<Exit, Failure> {
        let context = place::context()?;
        removal::finish(&context)?;
        // All are found before the first one goes: the numbers of the list change then.
        let mut names: Vec<SessionName> = Vec::new();
        for text in &self.sessions {
            let name = sessions::find(&context.layout, text)?;
            if !names.contains(&name) {
                names.push(name);
            }
        }
        if !self.force {
            for name in &names {
                confirm(&context, name)?;
            }
        }
        for name in &names {
            let freed = removal::remove(&context, name)?;
            output::talk(&format!("removed {name}, {} freed", output::size(freed)));
        }
        Ok(Exit::Ok)
    }
}

/// What a person could lose is removed only when they type its name.
fn confirm(context: &Context, name: &SessionName) -> Result<(), Failure> {
    let Some(reason) = removal::reason_to_ask(context, name)? else { return Ok(()) };
    let told = reason.told(name);
    let refused = || {
        let failure = Failure::usage("cli.rm", format!("{told}; nothing was removed"));
        ways_on(name, &reason).into_iter().fold(failure, Failure::hint)
    };
    if !output::is_interactive() {
        return Err(refused());
    }
    output::marked(output::WARN, "warning:", &told);
    output::prompt(&format!("type {name} to remove it for good: "));
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    match read.is_ok() && line.trim() == name.as_str() {
        true => Ok(()),
        false => Err(refused()),
    }
}

/// How a person looks at what would be lost, keeps it, or removes it all the same.
pub(super) fn ways_on(name: &SessionName, reason: &Reason) -> Vec<String> {
    let mut ways = Vec::new();
    match reason {
        Reason::Unfinished => ways.push(format!(
            "`tollgate resume {name}` continues it, `tollgate cancel {name} --reason TEXT` ends it"
        )),
        Reason::Unmerged(work) => {
            if work.is_branch_ahead {
                ways.push(format!(
                    "`tollgate diff {name}` shows its work, `tollgate merge {name}` merges it"
                ));
            }
            ways.extend(work.aside.first().map(|first| format!("`git show {first}` shows it")));
        }
        Reason::Unreadable(_) => {}
    }
    ways.push(format!("`tollgate rm {name} --force` removes it all the same"));
    ways
}

impl From<RemovalError> for Failure {
    fn from(error: RemovalError) -> Self {
        match error {
            RemovalError::Lock(error) => error.into(),
            RemovalError::Repository(error) => error.into(),
            RemovalError::Sessions(error) => error.into(),
            other => Self::new(Exit::Blocked, "cli.rm", other.to_string())
                .hint("what is left is removed by the next `tollgate rm` or `tollgate gc`"),
        }
    }
}
