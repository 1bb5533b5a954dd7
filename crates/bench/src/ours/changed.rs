//! A whole dispatch of an agent that changed one file, from the order to the branch.

use super::dispatch::{AGENT, context, whole};
use crate::timing;
use crate::workflow::{self, Flow};
use std::path::Path;
use std::time::{Duration, Instant};
use tollgate_core::id::CommitId;
use tollgate_core::input::Opening;
use tollgate_core::role::{Role, State};
use tollgate_host::context::Context;
use xtask::{Trouble, cache};

/// The role that may write this is told to read these session files first.
const CHANGE: &str = "date +%s.%N > README.md";
const ROLE: Role = Role::Docs;
const TO_READ: [&str; 3] = ["spec.md", "tasks.yaml", "acceptance.json"];

/// The median. Workspace and branch continue from one bench to the next; the journal starts again.
pub fn measure(program: &Path, root: &Path, runs: usize) -> Result<Duration, Trouble> {
    let agent = format!("{CHANGE}; {AGENT}");
    let context = context(program, root, cache::folder("state")?, &agent)?;
    let mut flow = open(&context, runs + 1)?;
    let mut times = Vec::with_capacity(runs);
    for run in 0..=runs {
        let time = promoted(&context, &mut flow)?;
        // The first one makes the workspace.
        if run > 0 {
            times.push(time);
        }
    }
    Ok(timing::middle(&mut times))
}

fn open(context: &Context, dispatches: usize) -> Result<Flow, Trouble> {
    let steps = vec![workflow::dispatch(State::Release, ROLE); dispatches];
    let opening = workflow::opening("2026-11-15_changes", steps)?;
    let tip = context.repository.branch_tip(&opening.session)?;
    let base = match tip {
        Some(tip) => tip,
        None => context.repository.head()?.commit,
    };
    let opening = Opening { base, ..opening };
    context.repository.exclude_own(false)?;
    let folder = context.session_layout(&opening.session).folder().to_owned();
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir_all(&folder)?;
    for name in TO_READ {
        std::fs::write(folder.join(name), "Nothing.\n")?;
    }
    Flow::open(&folder, &opening)
}

fn promoted(context: &Context, flow: &mut Flow) -> Result<Duration, Trouble> {
    let before = flow.session().branch.tip.clone();
    let time = whole(context, flow)?;
    let session = flow.session();
    if session.branch.tip == before {
        return Err("the dispatch made no commit".into());
    }
    let (name, base) = (&session.opening.session, &session.opening.base);
    let old: Option<CommitId> = context.repository.branch_tip(name)?;
    let begin = Instant::now();
    context.repository.promote(name, old.as_ref(), &session.branch.tip, base)?;
    Ok(time + begin.elapsed())
}
