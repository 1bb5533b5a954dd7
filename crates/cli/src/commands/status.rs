//! `tollgate status`: where a session stands, from its journal.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{self, Row};
use crate::{place, summary};
use clap::Args;
use tollgate_core::decision::DecisionKind;
use tollgate_core::event::RetryWhy;
use tollgate_core::id::SessionName;
use tollgate_core::sanitize::visible_name;
use tollgate_core::view::{
    CostView, DispatchView, FindingView, ManualStepView, QuestionView, Standing, View,
};
use tollgate_core::words;
use tollgate_host::activity::manual::Assigned;

/// Show the state of a session
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tollgate status\n  tollgate status 2026-11-15_add-rate-limiting --json"
)]
pub struct Status {
    /// A name, a unique part of one, a number of `tollgate sessions`, or `latest`
    #[arg(default_value = "latest")]
    pub session: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

impl Status {
    pub fn run(self) -> Result<Exit, Failure> {
        let (client, view) = place::Checkout::find()?.begun(&self.session)?;
        if self.json {
            output::json(&view);
            return Ok(Exit::Ok);
        }
        let is_running = client.is_running();
        let mut lines = text(&view, is_running);
        lines.extend(view.pending_decisions.iter().flat_map(|asked| waits(&view.session, asked)));
        lines.extend(roles_to_play(&view.session, &client.assigned()));
        if !is_running && view.route.standing == Standing::Working {
            let how = format!("tollgate resume {}", view.session);
            let text = format!("next      the session is not running; continue with `{how}`");
            lines.push(text.into());
        }
        output::data_rows(lines);
        Ok(Exit::Ok)
    }
}

/// Dispatches that wait for a person to play them.
fn roles_to_play(session: &SessionName, assigned: &[Assigned]) -> Vec<Row> {
    let mut lines: Vec<Row> = Vec::new();
    for assigned in assigned {
        let (number, role, task) = (assigned.number, assigned.role, &assigned.task);
        let how = if assigned.is_submitted { "is submitted" } else { "waits for a person" };
        let since = assigned.assignment.since;
        let text = format!("waits     dispatch {number} ({role} {task}): {how} (since {since})");
        lines.push(text.into());
        if !assigned.is_submitted {
            let play = summary::play(session, assigned);
            let line = |(mark, text)| Row::ToCopy(format!("            {mark:<8} {text}"));
            lines.extend(play.into_iter().map(line));
        }
    }
    lines
}

fn text(view: &View, is_running: bool) -> Vec<Row> {
    let mut lines = vec![
        format!("session   {}", view.session),
        format!("goal      {}", view.goal.replace('\n', " ")),
        format!("action    {} ({})", view.route.action, view.route.mode),
        format!("state     {}", state(view, is_running)),
    ];
    // There is no branch before the first accepted work.
    if view.branch.has_accepted_work() {
        lines.push(format!("branch    {}", view.branch.name));
    }
    for tag in &view.branch.tags {
        lines.push(format!("tag       {} kept as {}", tag.name, tag.kept_as));
    }
    if let Some(merged) = &view.branch.merged {
        lines.push(format!("merged    {} at {}", merged.branch, merged.commit));
    }
    if view.is_cancelled() {
        let reason = view.blocker.as_ref().map(|blocker| blocker.detail.as_str());
        lines.push(format!("ended     {}", reason.unwrap_or_default()));
    } else if let Some(blocker) = &view.blocker {
        lines.push(format!("blocker   {}: {}", blocker.code, blocker.detail));
        lines.push(format!("remedy    {}", blocker.remedy));
    }
    for task in &view.work.tasks {
        lines.push(format!(
            "task      {:<8} {:<12} {}",
            task.id.to_string(),
            task.status,
            task.title
        ));
    }
    lines.extend(view.work.dispatches.iter().map(dispatch));
    for change in &view.results.changed_files {
        lines.push(format!("changed   {:<9} {}", change.change_type, change.path));
    }
    lines.extend(view.results.findings.iter().map(finding));
    lines.extend(view.record.manual_steps.iter().map(by_hand));
    lines.extend(spend(&view.costs));
    lines.into_iter().map(Row::Text).collect()
}

/// A question, and the commands that answer it.
fn waits(session: &SessionName, asked: &QuestionView) -> Vec<Row> {
    let id = &asked.decision_id;
    let question = Row::Text(format!("waits     {id} ({}): {}", asked.kind, asked.question));
    let commands = asked.options.iter().map(|option| {
        let command = format!("            tollgate answer {session} {id} {:?}", option.answer);
        // What an agent suggests as an answer is its text.
        match asked.kind {
            DecisionKind::Info => Row::Text(command),
            _ => Row::ToCopy(command),
        }
    });
    std::iter::once(question).chain(commands).collect()
}

/// The state, and who must act.
fn state(view: &View, is_running: bool) -> String {
    let state = view.route.state;
    match view.route.standing {
        Standing::Cancelled => "CANCELLED".to_owned(),
        Standing::YourTurn if is_running => format!("{state}, your turn (running)"),
        Standing::YourTurn => format!("{state}, your turn"),
        Standing::Working if is_running => format!("{state}, running"),
        Standing::Working => format!("{state}, stopped"),
        Standing::Blocked | Standing::Done => state.to_string(),
    }
}

fn dispatch(dispatch: &DispatchView) -> String {
    let attempts = match dispatch.attempts {
        0 | 1 => String::new(),
        count => format!(" ({count} attempts)"),
    };
    let parked = match dispatch.parked_until {
        Some(until) => format!(" until {until}, {}", words::retry(RetryWhy::Parked)),
        None => String::new(),
    };
    let doing = dispatch.doing.as_ref().map(|doing| format!(": {doing}")).unwrap_or_default();
    format!(
        "dispatch  {:<4} {:<11} {:<8} {}{parked}{attempts}{doing}",
        dispatch.number.to_string(),
        dispatch.role,
        dispatch.task.to_string(),
        dispatch.outcome
    )
}

fn finding(finding: &FindingView) -> String {
    let file = finding.file.as_deref().map(|file| format!("{}: ", visible_name(file)));
    format!(
        "finding   {} {:<8} {:<8} {}{}",
        finding.id,
        finding.severity,
        finding.status,
        file.unwrap_or_default(),
        finding.message.replace('\n', " ")
    )
}

/// What an agent leaves to a person.
fn by_hand(step: &ManualStepView) -> String {
    format!("by hand   {} ({}): {}", step.role, step.task, step.text.replace('\n', " "))
}

/// The session's line, then who spent it.
fn spend(costs: &CostView) -> Vec<String> {
    let mut lines = vec![format!("spend     {}", costs.spend)];
    // What nobody knows is said once.
    let is_known = costs.spend.is_known();
    let roles = costs.spend_by.role.iter().filter(|_| is_known);
    lines.extend(roles.map(|(role, spend)| format!("  role    {role:<11} {spend}")));
    if costs.spend_by.agent.len() > 1 {
        let agents = costs.spend_by.agent.iter();
        lines.extend(agents.map(|(name, spend)| format!("  agent   {name:<11} {spend}")));
    }
    let parked = costs.parked.iter();
    lines.extend(parked.map(|out| format!("parked    {} until {}", out.agent, out.until)));
    lines
}
