//! One attempt of a dispatch, from top to bottom: taken up or prepared, started, waited for, collected.
//!
//! Each phase is a type that owns what is valid in it and is consumed by the step to the next one. A command, an agent that
//! we talk to and a person take the same way; where they differ, a phase has an arm for each.

use super::adapter::NotBegun;
use super::order::{self, DispatchOrder, Site};
use super::prepare::{self, Prepared, Ready};
use super::{ActivityError, StopSwitch, clean, collect, driven, failed, manual};
use crate::context::Context;
use tollgate_core::given::GivenFiles;
use tollgate_core::reply::Usage;
use tollgate_core::work::{DispatchEnd, SetAside};
use tollgate_files::crash;
use tollgate_files::layout::RunFolder;
use tollgate_process::{self as process, Attached, Hold, RunOutcome, SupervisedRun, Waited};

/// Somebody works on it. It continues without an engine.
#[derive(Debug)]
pub struct Running<'a> {
    site: Site<'a>,
    at_work: AtWork,
}

#[derive(Debug)]
enum AtWork {
    Program(SupervisedRun),
    Person,
}

/// Nobody works on it any more, and nobody has looked at what they left.
#[derive(Debug)]
pub struct Ended<'a> {
    site: Site<'a>,
    how: How,
}

#[derive(Debug)]
enum How {
    Outcome(RunOutcome),
    /// Its supervisor ended without an outcome while this engine watched.
    Unsupervised,
    /// Supervisor and outcome were both gone when this engine came.
    Interrupted,
}

/// What came of it: how it ended and what it cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collected {
    pub end: DispatchEnd,
    pub usage: Usage,
    /// None where nothing was begun.
    pub given: Option<GivenFiles>,
    /// The ref that keeps its changes, where they were not taken.
    pub kept: Option<String>,
    /// Files that were too large, where `end` has no room for them.
    pub set_aside: Vec<SetAside>,
}

/// None when it waits for a person and the loop did not wait with it.
pub fn run(
    context: &Context,
    order: &DispatchOrder,
    stop: &StopSwitch,
) -> Result<Option<Collected>, ActivityError> {
    let collected = from_top_to_bottom(context, order, stop);
    // However it ended, also when it never began.
    let taken_out = driven::take_login_out(context, order);
    match collected {
        // What was lent is on its list: the next attempt and the end of the session try again. An agent that closes its
        // own folder must not be able to undo what came of its work.
        Ok(Some(collected)) => Ok(Some(collected)),
        collected => collected.and_then(|collected| taken_out.map(|()| collected)),
    }
}

fn from_top_to_bottom(
    context: &Context,
    order: &DispatchOrder,
    stop: &StopSwitch,
) -> Result<Option<Collected>, ActivityError> {
    let folder = context.session_layout(&order.session).attempt(order.number, order.attempt);
    process::belong(folder.folder(), &order.opened_by).map_err(looking_at(&folder))?;
    let workspace = context
        .workspace(&order.session, order.workspace_id, &order.base, &order.tip)?
        .labelled(&order.rescue_name());
    let site = Site { context, order, workspace: &workspace, folder: &folder };
    let running = match take_up(site)? {
        Found::Ended(ended) => return ended.collect(stop).map(Some),
        Found::Running(running) => running,
        Found::Nothing(hold) => match prepare::prepare(site, hold, stop) {
            Ok(prepared) => prepared.start()?,
            Err(NotBegun::End(end)) => return Ok(Some(Collected::without_a_run(end))),
            Err(NotBegun::Fault(fault)) => return Err(fault),
        },
    };
    match running.wait(stop)? {
        Some(ended) => ended.collect(stop).map(Some),
        None => Ok(None),
    }
}

/// What is there of an attempt when an engine comes to it.
enum Found<'a> {
    /// Nothing. While the hold lives, no supervisor that comes late begins either.
    Nothing(Hold),
    Running(Running<'a>),
    Ended(Ended<'a>),
}

fn take_up(site: Site<'_>) -> Result<Found<'_>, ActivityError> {
    let folder = site.folder;
    loop {
        if manual::is_assigned(folder) {
            return Ok(Found::Running(Running { site, at_work: AtWork::Person }));
        }
        let how = match process::attach(folder.folder()).map_err(looking_at(folder))? {
            Attached::Running(run) => {
                return Ok(Found::Running(Running { site, at_work: AtWork::Program(run) }));
            }
            Attached::Finished(outcome) => How::Outcome(outcome),
            Attached::Lost => How::Interrupted,
            // A supervisor of a killed engine may come late; the tree must not be reset under its agent.
            Attached::NeverStarted => {
                match process::hold(folder.folder()).map_err(looking_at(folder))? {
                    Some(hold) => return Ok(Found::Nothing(hold)),
                    None => continue,
                }
            }
        };
        return Ok(Found::Ended(Ended { site, how }));
    }
}

impl<'a> Prepared<'a> {
    fn start(self) -> Result<Running<'a>, ActivityError> {
        let site = self.site;
        let at_work = match self.ready {
            Ready::Program { hold, spec } => {
                let run = hold
                    .start(&spec, &site.context.program)
                    .map_err(ActivityError::process("cannot start the supervisor"))?;
                crash::point("dispatch.started");
                AtWork::Program(run)
            }
            Ready::Person { hold, role } => {
                manual::assign(site.order, &role, site.workspace.tree(), site.folder)?;
                crash::point("dispatch.assigned");
                drop(hold);
                AtWork::Person
            }
        };
        Ok(Running { site, at_work })
    }
}

impl<'a> Running<'a> {
    /// None when a person works on it and the loop has left it to them.
    fn wait(self, stop: &StopSwitch) -> Result<Option<Ended<'a>>, ActivityError> {
        let site = self.site;
        let how = match self.at_work {
            AtWork::Person => manual::wait(site.folder, stop)?.map(How::Outcome),
            AtWork::Program(run) => {
                stop.arm(run.stopper());
                let problem = ActivityError::process("cannot wait for the supervisor");
                Some(match run.wait().map_err(problem)? {
                    Waited::Finished(outcome) => How::Outcome(outcome),
                    Waited::Lost => How::Unsupervised,
                })
            }
        };
        Ok(how.map(|how| Ended { site, how }))
    }
}

impl Ended<'_> {
    /// Looks at what was left, takes what can be taken, and keeps the rest under a name of its own.
    fn collect(self, stop: &StopSwitch) -> Result<Collected, ActivityError> {
        let Site { order, workspace, folder, .. } = self.site;
        // Nothing that is written from here on may show the login.
        let context = &self.site.context.knowing(&driven::secrets(self.site.context, order)?);
        let site = &Site { context, ..self.site };
        let (mut end, usage) = match &self.how {
            How::Outcome(outcome) => collect::judge(site, outcome)?,
            How::Unsupervised => {
                (DispatchEnd::Unsupervised { rescue: None }, driven::known_cost(folder)?)
            }
            How::Interrupted => {
                (DispatchEnd::Interrupted { rescue: None }, driven::known_cost(folder)?)
            }
        };
        if failed::may_be_refused(&end, order.brief.role) {
            failed::stage(site)?;
        }
        workspace.set_session_files_aside()?;
        if failed::is_no_work(&end, order.brief.role) {
            failed::keep_session_files(site)?;
        }
        // What a person made stays where it is: in the next attempt they continue from there.
        let mut kept = None;
        let is_theirs = manual::is_assigned(folder) && !matches!(end, DispatchEnd::Stopped);
        if !is_theirs && !matches!(end, DispatchEnd::Replied { .. }) {
            let rescued = site.clean_up(&order.rescue_name(), self.how.message())?;
            kept.clone_from(&rescued);
            match &mut end {
                DispatchEnd::Unsupervised { rescue } | DispatchEnd::Interrupted { rescue } => {
                    *rescue = rescued;
                }
                // Stopped by a process that did not live to record it: for this one it was interrupted.
                DispatchEnd::Stopped if stop.reason().is_none() => {
                    end = DispatchEnd::Interrupted { rescue: rescued };
                }
                _ => {}
            }
        }
        site.show_as_latest()?;
        let mut set_aside = workspace.set_aside_as_large()?;
        clean::set_aside(&context.redactor, &mut set_aside);
        if let DispatchEnd::Replied { work, .. } = &mut end {
            work.left_out.set_aside = std::mem::take(&mut set_aside);
        }
        let mut given = order::given_files(folder)?;
        given.iter_mut().for_each(|given| clean::given(&context.redactor, given));
        Ok(Collected { end, usage, given, kept, set_aside })
    }
}

impl How {
    /// What the rescue says that keeps the work.
    fn message(&self) -> &'static str {
        match self {
            Self::Outcome(_) => "work of an attempt that was not accepted",
            Self::Unsupervised | Self::Interrupted => "work of an interrupted dispatch",
        }
    }
}

impl Collected {
    /// Nobody began, so nothing must be counted.
    fn without_a_run(end: DispatchEnd) -> Self {
        Self { end, usage: Usage::default(), given: None, kept: None, set_aside: Vec::new() }
    }
}

/// Ends what nobody will finish any more; the changes that it left are kept.
pub fn abandon(context: &Context, order: &DispatchOrder) -> Result<(), ActivityError> {
    let folder = &context.session_layout(&order.session).attempt(order.number, order.attempt);
    let home = context.workspace_home(&order.session, order.workspace_id);
    if !folder.folder().exists() || !home.exists() {
        return Ok(());
    }
    process::fence(folder.folder()).map_err(looking_at(folder))?;
    let workspace =
        &context.workspace(&order.session, order.workspace_id, &order.base, &order.tip)?;
    let site = Site { context, order, workspace, folder };
    failed::keep_session_files(&site)?;
    site.clean_up(&order.rescue_name(), "work of a cancelled dispatch").map(drop)
}

fn looking_at(folder: &RunFolder) -> impl FnOnce(std::io::Error) -> ActivityError {
    ActivityError::io(format!("cannot look at {}", folder.folder().display()))
}
