//! `tollgate rm`: removes sessions with all that they hold.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{output, place};
use clap::Args;
use std::io::BufRead;
use tollgate_core::id::SessionName;
use tollgate_host::removal::{self, Agreed, Ahead, Held, Reason, RemovalError, Removed};
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
        // Nobody takes one of them up while the person is asked.
        let held: Result<Vec<Held<'_>>, RemovalError> =
            names.iter().map(|name| Held::of(&context, name)).collect();
        let held = held?;
        let agreed: Result<Vec<Agreed>, Failure> = held
            .iter()
            .map(|one| if self.force { Ok(Agreed::All) } else { confirm(one) })
            .collect();
        for (one, agreed) in held.into_iter().zip(agreed?) {
            let name = one.session().clone();
            tell(&name, &one.remove(&agreed)?);
        }
        Ok(Exit::Ok)
    }
}

fn tell(name: &SessionName, removed: &Removed) {
    output::talk(&format!("removed {name}, {} freed", output::size(removed.freed_bytes)));
    for stayed in &removed.stayed {
        let text = format!("{stayed} was moved just now, so it stays");
        output::marked(output::WARN, "warning:", &text);
    }
}

/// What a person could lose is removed only when they type its name.
fn confirm(held: &Held<'_>) -> Result<Agreed, Failure> {
    let name = held.session();
    let Some(reason) = held.reason()? else { return Ok(Agreed::To(None)) };
    let told = reason.told(name);
    let refused = || refusal(name, &reason);
    if !output::is_interactive() {
        return Err(refused());
    }
    output::marked(output::WARN, "warning:", &told);
    output::prompt(&format!("type {name} to remove it for good: "));
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    match read.is_ok() && line.trim() == name.as_str() {
        true => Ok(Agreed::To(Some(reason))),
        false => Err(refused()),
    }
}

fn refusal(name: &SessionName, reason: &Reason) -> Failure {
    let failure = Failure::usage("cli.rm", format!("{}; nothing was removed", reason.told(name)));
    ways_on(name, reason).into_iter().fold(failure, Failure::hint)
}

/// How a person looks at what would be lost, keeps it, or removes it all the same.
pub(super) fn ways_on(name: &SessionName, reason: &Reason) -> Vec<String> {
    let mut ways = Vec::new();
    match reason {
        Reason::Unfinished => ways.push(format!(
            "`tollgate resume {name}` continues it, `tollgate cancel {name} --reason TEXT` ends it"
        )),
        Reason::Unmerged(work) => {
            match &work.ahead {
                Ahead::Nothing => {}
                Ahead::Finished => ways.push(format!(
                    "`tollgate diff {name}` shows its work, `tollgate merge {name}` merges it"
                )),
                Ahead::Branch(branch) => ways.push(format!(
                    "`git log {branch}` shows its work, `git merge {branch}` merges it"
                )),
            }
            ways.extend(work.aside.first().map(|first| format!("`git show {first}` shows it")));
        }
        Reason::Unreadable(_) => {
            ways.push(format!("`tollgate audit {name} --verify` says what is wrong with it"));
        }
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
            RemovalError::Reason { session, reason } => refusal(&session, &reason),
            RemovalError::CheckedOut { .. } => Self::usage("cli.rm", error.to_string())
                .hint("switch to another branch there first; this session was not removed"),
            other => Self::new(Exit::Blocked, "cli.rm", other.to_string())
                .hint("what is left is removed by the next `tollgate rm` or `tollgate gc`"),
        }
    }
}
