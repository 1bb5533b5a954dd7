//! `tollgate diff`: what a session, or one of its dispatches, changed.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{output, pager, place};
use clap::Args;
use serde::Serialize;
use tollgate_core::id::{CommitId, DispatchNumber, SessionName};
use tollgate_core::view::View;
use tollgate_files::sanitize::terminal_text;
use tollgate_git::repository::{ChangedLines, Detail, Repository};
use tollgate_host::client::Client;

/// Show what a session changed, or one of its dispatches
///
/// The accepted work on the session's branch is compared with the commit that the session started from, or with what was
/// merged of your branch since. With NUMBER only the change of that dispatch is shown. A single number is a dispatch of the latest session.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tollgate diff\n  tollgate diff 5\n  tollgate diff rate-limit --stat\n  \
tollgate diff --json\n  tollgate diff latest 5 | git apply --check"
)]
pub struct Diff {
    /// A name, a unique part of one, a number of `tollgate sessions`, or `latest`; then the number of a dispatch
    #[arg(value_names = ["SESSION", "NUMBER"], num_args = 0..=2)]
    pub of: Vec<String>,
    /// Show only how many lines changed in each file
    #[arg(long, conflicts_with = "name_only")]
    pub stat: bool,
    /// Show only the names of the changed files
    #[arg(long)]
    pub name_only: bool,
    /// Print JSON: the changed files and the whole difference
    #[arg(long, conflicts_with_all = ["stat", "name_only"])]
    pub json: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Difference<'a> {
    schema_version: u32,
    session: &'a SessionName,
    from: &'a CommitId,
    to: &'a CommitId,
    files: Vec<ChangedLines>,
    patch: String,
}

impl Diff {
    pub fn run(self) -> Result<Exit, Failure> {
        let (session, number) = place::session_and_dispatch(&self.of)?;
        let checkout = place::Checkout::find()?;
        let (client, view) = checkout.begun(&session)?;
        drop(client);
        let repository = Repository::discover(&place::here()?)?;
        let (from, to) = match number {
            None => (view.branch.compared_with().clone(), view.branch.tip.clone()),
            Some(number) => {
                let (_, mut client) = checkout.client(&session)?;
                let commit = commit_of(&mut client, &view, number)?;
                (repository.parent(&commit)?, commit)
            }
        };
        if self.json {
            output::json(&Difference {
                schema_version: 1,
                session: &view.session,
                from: &from,
                to: &to,
                files: repository.changed_lines(&from, &to)?,
                patch: lossy(&repository.difference(&from, &to, Detail::Patch)?),
            });
            return Ok(Exit::Ok);
        }
        if from == to {
            output::talk(&format!("{} has no accepted change yet", view.session));
            return Ok(Exit::Ok);
        }
        let is_read = output::is_read_by_a_person();
        let bytes = repository.difference(&from, &to, self.detail(is_read))?;
        if is_read {
            pager::show(&pager::patch(&terminal_text(&lossy(&bytes))));
        } else {
            output::raw(&bytes);
        }
        Ok(Exit::Ok)
    }

    fn detail(&self, is_read: bool) -> Detail {
        match (self.stat, self.name_only) {
            (true, _) => Detail::Stat,
            (_, true) => Detail::Names,
            _ if is_read => Detail::Reading,
            _ => Detail::Patch,
        }
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn commit_of(
    client: &mut Client,
    view: &View,
    number: DispatchNumber,
) -> Result<CommitId, Failure> {
    let audit = client.audit().map_err(Failure::reading)?;
    let commits = audit.map(|audit| audit.commits).unwrap_or_default();
    let of_it = commits.into_iter().rev().find(|entry| entry.dispatch == number);
    of_it.map(|entry| entry.commit).ok_or_else(|| {
        let message = format!("dispatch {number} of {} has no accepted change", view.session);
        Failure::usage("cli.dispatch", message)
            .hint("`tollgate audit` lists the commits with their dispatches")
    })
}
