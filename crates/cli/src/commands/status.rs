//! `tollgate status`: where a session stands, from its journal.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{output, place, summary};
use clap::Args;
use tollgate_core::id::Attempt;
use tollgate_core::session::Session;
use tollgate_core::view::View;
use tollgate_host::activity::manual;
use tollgate_host::agent::Follower;
use tollgate_host::layout::SessionLayout;
use tollgate_host::lock;
use tollgate_host::process::{self, Attached};
use tollgate_host::sanitize::terminal_line;

/// What an agent does is told in so many letters.
const DOING_CHARS_MAX: usize = 160;

/// Show where a session stands
#[derive(Debug, Args)]
pub struct Status {
    /// A name, a unique prefix, or `latest`
    #[arg(default_value = "latest")]
    pub session: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

impl Status {
    pub fn run(self) -> Result<Exit, Failure> {
        let (_, layout, session) = place::Place::find()?.begun(&self.session)?;
        let is_running = lock::is_held(layout.folder());
        let mut view = View::of(&session);
        if !is_running {
            tell_what_runs(&mut view, &layout);
        }
        tell_what_is_done(&mut view, &layout);
        if self.json {
            output::json(&view);
            return Ok(Exit::Ok);
        }
        let mut lines = text(&view, is_running);
        lines.extend(roles_to_play(&session, &layout));
        let waits = session.pending_decisions().next().is_some() || session.blocker.is_some();
        if !is_running && !session.is_over() && !waits {
            let how = format!("tollgate resume {}", session.opening.session);
            lines.push(format!("next      the session is not running; continue with `{how}`"));
        }
        output::data_rows(&lines);
        Ok(Exit::Ok)
    }
}

/// Nobody owns the session: an attempt of the journal may run on under its supervisor, or wait for `resume`.
fn tell_what_runs(view: &mut View, layout: &SessionLayout) {
    for dispatch in view.dispatches.iter_mut().filter(|dispatch| dispatch.outcome == "running") {
        let folder = layout.attempt(dispatch.number, Attempt(dispatch.attempts));
        dispatch.outcome = match process::attach(folder.folder()) {
            Ok(Attached::Running(_)) => "running",
            Ok(Attached::Finished(_)) => "finished",
            Ok(Attached::Lost) => "interrupted",
            Ok(Attached::NeverStarted) | Err(_) => "waiting",
        };
    }
}

/// What the agents at work do right now.
fn tell_what_is_done(view: &mut View, layout: &SessionLayout) {
    for dispatch in view.dispatches.iter_mut().filter(|dispatch| dispatch.outcome == "running") {
        let folder = layout.attempt(dispatch.number, Attempt(dispatch.attempts));
        let mut follower = Follower::new(&folder.stdout());
        dispatch.doing = follower.look().map(|doing| terminal_line(doing, DOING_CHARS_MAX));
    }
}

/// Dispatches that wait for a person to play them.
fn roles_to_play(session: &Session, layout: &SessionLayout) -> Vec<String> {
    let mut lines = Vec::new();
    for assigned in manual::assigned(session, layout) {
        let (number, role, task) = (assigned.number, assigned.role, &assigned.task);
        let how = if assigned.is_submitted { "is handed in" } else { "waits for a person" };
        let since = assigned.assignment.since;
        lines.push(format!("waits     dispatch {number} ({role} {task}): {how} (since {since})"));
        if !assigned.is_submitted {
            let play = summary::play(&session.opening.session, &assigned);
            lines.extend(play.iter().map(|(mark, text)| format!("            {mark:<8} {text}")));
        }
    }
    lines
}

fn text(view: &View, is_running: bool) -> Vec<String> {
    let mut lines = vec![
        format!("session   {}", view.session),
        format!("goal      {}", view.goal.replace('\n', " ")),
        format!("action    {} ({})", view.action, view.mode),
        format!("state     {}{}", view.state, if is_running { ", running" } else { "" }),
        format!("branch    {}", view.branch),
    ];
    if let Some(blocker) = &view.blocker {
        lines.push(format!("blocker   {}: {}", blocker.code, blocker.detail));
        lines.push(format!("remedy    {}", blocker.remedy));
    }
    for task in &view.tasks {
        lines.push(format!(
            "task      {:<8} {:<12} {}",
            task.id.to_string(),
            task.status,
            task.title
        ));
    }
    for dispatch in &view.dispatches {
        let attempts = if dispatch.attempts > 1 {
            format!(" ({} attempts)", dispatch.attempts)
        } else {
            String::new()
        };
        let parked = match dispatch.parked_until {
            Some(until) => format!(" until {until}, when a usage limit resets"),
            None => String::new(),
        };
        let doing = match &dispatch.doing {
            Some(doing) => format!(": {doing}"),
            None => String::new(),
        };
        lines.push(format!(
            "dispatch  {:<4} {:<11} {:<8} {}{parked}{attempts}{doing}",
            dispatch.number.to_string(),
            dispatch.role,
            dispatch.task.to_string(),
            dispatch.outcome
        ));
    }
    for change in &view.changed_files {
        lines.push(format!("changed   {:<9} {}", change.change_type, change.path));
    }
    for finding in &view.findings {
        let file = finding.file.as_deref().unwrap_or("-");
        lines.push(format!(
            "finding   {} {:<8} {:<8} {file}: {}",
            finding.id,
            finding.severity,
            finding.status,
            finding.message.replace('\n', " ")
        ));
    }
    lines.extend(spend(view));
    for decision in &view.pending_decisions {
        lines.push(format!(
            "waits     {} ({}): {}",
            decision.decision_id, decision.kind, decision.question
        ));
        for option in &decision.options {
            lines.push(format!(
                "            tollgate answer {} {} {:?}",
                view.session, decision.decision_id, option.answer
            ));
        }
    }
    lines
}

/// The session's line, then who spent it.
fn spend(view: &View) -> Vec<String> {
    let mut lines = vec![format!("spend     {}", view.spend)];
    let roles = view.spend_by.role.iter();
    lines.extend(roles.map(|(role, spend)| format!("  role    {role:<11} {spend}")));
    if view.spend_by.agent.len() > 1 {
        let agents = view.spend_by.agent.iter();
        lines.extend(agents.map(|(name, spend)| format!("  agent   {name:<11} {spend}")));
    }
    let parked = view.parked.iter();
    lines.extend(parked.map(|out| format!("parked    {} until {}", out.agent, out.until)));
    lines
}
