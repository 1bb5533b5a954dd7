//! `tollgate merge`: takes the work of a finished session over into the branch that it started from.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{interrupt, output, place};
use clap::Args;
use serde::Serialize;
use std::sync::Arc;
use tollgate_core::count::counted;
use tollgate_core::id::{CommitId, SessionName};
use tollgate_core::work::CheckResult;
use tollgate_files::sanitize::terminal_text;
use tollgate_host::activity::StopSwitch;
use tollgate_host::landing::{self, LandError, Landed, Shown, Way};
use tollgate_host::sessions;

/// So many lines of what a check printed are shown.
const OUTPUT_LINES: usize = 15;

/// Merge the work of a finished session into the branch that it started from
///
/// The branch moves forward to the work if it has not moved since. Otherwise both are merged, and the checks of the session
/// run on the result before your branch changes. A merge with conflicts is refused and changes nothing. If the branch is
/// checked out, its files follow; a file that is not committed is never overwritten.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tollgate merge\n  tollgate merge rate-limit --squash\n  tollgate merge latest --json"
)]
pub struct Merge {
    /// A name, a unique part of one, a number of `tollgate sessions`, or `latest`
    #[arg(default_value = "latest")]
    pub session: String,
    /// Make one commit of all the work
    #[arg(long)]
    pub squash: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Merged<'a> {
    schema_version: u32,
    session: &'a SessionName,
    branch: &'a str,
    commit: &'a CommitId,
    how: &'static str,
    checks: Vec<Check<'a>>,
    /// Commits that somebody added to the session's branch.
    left_out: usize,
}

#[derive(Serialize)]
struct Check<'a> {
    command: &'a str,
    passed: bool,
    failed_before: bool,
}

impl Merge {
    pub fn run(self) -> Result<Exit, Failure> {
        let context = place::context()?;
        let session = sessions::find(&context.layout, &self.session)?;
        let stop = Arc::new(StopSwitch::default());
        interrupt::listen(stop.clone()).map_err(|cause| {
            Failure::new(Exit::Bug, "cli.bug", format!("cannot listen for signals: {cause}"))
        })?;
        let landed = landing::land(&context, &session, self.squash, &stop)
            .map_err(|error| failure(&session, error))?;
        if self.json {
            output::json(&merged(&session, &landed));
        } else {
            tell(&session, &landed);
        }
        Ok(Exit::Ok)
    }
}

fn merged<'a>(session: &'a SessionName, landed: &'a Landed) -> Merged<'a> {
    let check = |result: &'a CheckResult| Check {
        command: &result.command,
        passed: result.passed,
        failed_before: result.failed_on_base,
    };
    Merged {
        schema_version: 1,
        session,
        branch: &landed.branch,
        commit: &landed.commit,
        how: landed.way.as_str(),
        checks: ran(&landed.shown).iter().map(check).collect(),
        left_out: landed.left_out,
    }
}

fn tell(session: &SessionName, landed: &Landed) {
    let Landed { branch, commit, way, .. } = landed;
    let short: String = commit.as_str().chars().take(10).collect();
    let text = match way {
        Way::Already => {
            output::talk(&format!("{branch} has the work of {session} already"));
            return tell_left_out(session, landed);
        }
        Way::FastForward => format!("{branch} moved forward to {short}"),
        Way::Merge => format!("{branch} is at {short}, a merge of both"),
        Way::Squash => format!("{branch} is at {short}, one commit with all of the work"),
    };
    tell_shown(branch, &landed.shown);
    output::marked(output::GOOD, "merged:", &text);
    tell_left_out(session, landed);
    let text = format!("`tollgate rm {session}` frees what the session still holds");
    output::marked(output::DIM, "next:", &text);
}

fn tell_shown(branch: &str, shown: &Shown) {
    for result in ran(shown).iter().filter(|result| !result.passed) {
        let text =
            format!("`{}` fails, as it did on {branch} before", self::shown(&result.command));
        output::marked(output::WARN, "warning:", &text);
    }
    match shown {
        Shown::AtTheEnd => {
            output::talk("the files are those that passed the checks at the end of the session");
        }
        Shown::Now(results) => {
            let count = counted(results.len(), "check");
            output::talk(&format!("{count} run on the merged files"));
        }
        Shown::ByNothing => output::talk("no check ran: the session has none"),
    }
}

/// Only what the session made is merged.
fn tell_left_out(session: &SessionName, landed: &Landed) {
    if landed.left_out > 0 {
        let (commits, branch) = (counted(landed.left_out, "commit"), format!("tollgate/{session}"));
        let text = format!(
            "{commits} that the session did not make stay on {branch}; `git merge {branch}` merges them, too"
        );
        output::marked(output::WARN, "warning:", &text);
    }
}

fn ran(shown: &Shown) -> &[CheckResult] {
    match shown {
        Shown::Now(results) => results,
        Shown::AtTheEnd | Shown::ByNothing => &[],
    }
}

fn failure(session: &SessionName, error: LandError) -> Failure {
    let message = error.to_string();
    let branch = format!("tollgate/{session}");
    match error {
        LandError::NotDone { .. } => Failure::usage("cli.merge", message)
            .hint(format!("`tollgate status {session}` says what it waits for"))
            .hint(format!("`tollgate diff {session}` shows what is accepted so far")),
        LandError::Nothing { .. } => Failure::usage("cli.merge", message),
        LandError::NoBranch { .. } | LandError::BranchGone { .. } | LandError::Unrelated { .. } => {
            Failure::usage("cli.merge", message)
                .hint(format!("switch to the branch that you want and run `git merge {branch}`"))
        }
        LandError::Conflicts { branch: onto, .. } => {
            Failure::new(Exit::Fails, "cli.merge_conflict", message)
                .hint("nothing was changed")
                .hint(format!("resolve it by hand: `git switch {onto} && git merge {branch}`"))
        }
        LandError::InTheWay { .. } => Failure::usage("cli.merge", message)
            .hint("nothing was changed; commit or stash these files, and run the command again"),
        LandError::Checks { ref results, .. } => {
            tell_failed(results);
            Failure::new(Exit::Fails, "cli.merge_checks", message)
                .hint("nothing was changed")
                .hint(format!("fix it by hand: `git merge {branch}` merges without the checks"))
        }
        LandError::Interrupted => Failure::new(Exit::Interrupted, "cli.merge", message),
        LandError::Lock(error) => error.into(),
        LandError::Journal(error) => error.into(),
        LandError::Repository(error) => error.into(),
        LandError::Activity(error) => error.into(),
    }
}

/// The commands that fail, each with the end of what it printed.
fn tell_failed(results: &[CheckResult]) {
    for result in results.iter().filter(|result| !result.passed && !result.failed_on_base) {
        let how = match (result.exit_code, &result.trouble) {
            (Some(code), _) => format!("exit code {code}"),
            (None, Some(trouble)) => trouble.clone(),
            (None, None) => "it did not end".to_owned(),
        };
        output::marked(output::BAD, "failed:", &format!("`{}`: {how}", shown(&result.command)));
        let output = terminal_text(&result.output_tail);
        let lines: Vec<&str> = output.lines().collect();
        for line in &lines[lines.len().saturating_sub(OUTPUT_LINES)..] {
            output::talk(&format!("  {line}"));
        }
    }
}

fn shown(command: &str) -> String {
    terminal_text(command).into_owned()
}
