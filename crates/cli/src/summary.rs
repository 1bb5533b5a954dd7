//! What a person reads when a run comes to its end: a summary in words, never JSON.

use crate::exit::Exit;
use crate::face::digest;
use crate::face::narrate::dispatch;
use crate::output::{self, BAD, BOLD, DIM, GOOD, NOTE};
use anstyle::Style;
use std::path::Path;
use tollgate_core::decision::{Blocker, Decision, DecisionKind};
use tollgate_core::event::FindingStatus;
use tollgate_core::id::SessionName;
use tollgate_core::session::Session;
use tollgate_host::activity::manual::{self, Assigned};
use tollgate_host::failure_report::{self, FailureReport};
use tollgate_host::layout::Layout;
use tollgate_host::repository::Repository;
use tollgate_host::serve::Ending;

/// Tells how it ended and what to do next.
pub fn ending(root: &Path, session: &Session, ending: Ending) -> Exit {
    match ending {
        Ending::Done => {
            done(session);
            Exit::Ok
        }
        Ending::Waiting => {
            waiting(root, session);
            Exit::Waiting
        }
        Ending::Blocked => {
            if let Some(found) = &session.blocker {
                blocked(root, session, found);
            }
            session.pending_decisions().for_each(|decision| question(root, session, decision));
            roles_to_play(root, session);
            Exit::Blocked
        }
        Ending::Interrupted => {
            let how = format!("tollgate resume {}", session.opening.session);
            output::marked(
                BOLD,
                "interrupted:",
                &format!("nothing is lost; continue with `{how}`"),
            );
            Exit::Interrupted
        }
    }
}

pub fn done(session: &Session) {
    output::talk("");
    output::styled(GOOD, &format!("DONE  {}", session.opening.goal));
    output::talk(&counts(session));
    let tracked = session.findings.iter().filter(|f| f.status == FindingStatus::Tracked).count();
    if tracked > 0 {
        output::talk(&format!("{tracked} finding(s) are tracked for later"));
    }
    for issue in &session.known_issues {
        output::marked(NOTE, "known issue:", issue);
    }
    if session.has_accepted_work() {
        let branch = session.branch();
        output::marked(
            BOLD,
            "next:",
            &format!("look with `git log {branch}`, take over with `git merge {branch}`"),
        );
    }
    if has_tasks(session) {
        output::marked(DIM, "report:", &session.session_path("report.md"));
    } else {
        output::marked(DIM, "record:", &format!("`tollgate audit {}`", session.opening.session));
    }
    output::marked(DIM, "evidence:", &session.session_path("evidence/"));
}

fn counts(session: &Session) -> String {
    let files = session.changed.len();
    let dispatches = session.dispatches.len();
    let work = format!("{files} file(s) changed, {dispatches} dispatch(es)");
    if !has_tasks(session) {
        return work;
    }
    let (tasks, criteria) = (session.tasks.len(), session.criteria.len());
    format!("{tasks} task(s) completed, {criteria} acceptance criteria met, {work}")
}

/// Only a route with tasks has criteria and a report; others leave the files that they declare.
fn has_tasks(session: &Session) -> bool {
    !session.tasks.is_empty() || session.artefacts.contains_key("report.md")
}

fn waiting(root: &Path, session: &Session) {
    output::talk("");
    output::styled(BOLD, &format!("WAITING  {} waits for you", session.opening.session));
    session.pending_decisions().for_each(|decision| question(root, session, decision));
    roles_to_play(root, session);
}

/// What a person plays: where to read, where to work, what to leave, how to hand it in.
fn roles_to_play(root: &Path, session: &Session) {
    let name = &session.opening.session;
    for assigned in manual::assigned(session, &Layout::new(root).session(name)) {
        output::talk("");
        let who = dispatch(session, assigned.number);
        if assigned.is_submitted {
            let text = format!("is handed in; continue with `tollgate resume {name}`");
            output::marked(NOTE, &who, &text);
            continue;
        }
        output::marked(NOTE, &who, "is yours to play");
        for (mark, text) in play(name, &assigned) {
            output::marked(BOLD, &format!("  {mark:<8}"), &text);
        }
    }
}

/// The lines that tell a person how to play a role, each with a word before it.
pub fn play(session: &SessionName, assigned: &Assigned) -> Vec<(&'static str, String)> {
    let folder = &assigned.folder;
    let workspace = &assigned.assignment.workspace;
    let mut lines = vec![
        ("read", folder.prompt().display().to_string()),
        ("input", folder.input().display().to_string()),
        ("work in", workspace.display().to_string()),
    ];
    // Whole paths: the session's own folder has files of the same names.
    let outputs = assigned.assignment.outputs.iter().map(|output| workspace.join(output));
    lines.extend(outputs.map(|path| ("leave", path.display().to_string())));
    let number = assigned.number;
    lines.push(("hand in", format!("tollgate submit {session} {number} REPLY.json --resume")));
    lines
}

fn question(root: &Path, session: &Session, decision: &Decision) {
    output::talk("");
    output::marked(NOTE, decision.decision_id.as_str(), &decision.question);
    for line in digest(root, session, decision) {
        output::quoted(DIM, &line);
    }
    let name = &session.opening.session;
    for option in &decision.options {
        let command =
            format!("tollgate answer {name} {} {:?} --resume", decision.decision_id, option.answer);
        output::marked(BOLD, "  ", &command);
        output::styled(DIM, &format!("      {}: {}", option.label, option.consequence));
    }
}

pub fn blocked(root: &Path, session: &Session, blocker: &Blocker) {
    output::talk("");
    output::styled(BAD, &format!("BLOCKED  {} ({})", session.opening.session, blocker.code));
    match failure_of(root, session) {
        Some((report, path)) => {
            output::quoted(Style::new(), &failure_report::facts(&report));
            output::marked(DIM, "report:", &format!("{path}, and .txt for people"));
        }
        None => {
            output::quoted(Style::new(), &blocker.detail);
            output::marked(NOTE, "remedy:", &blocker.remedy);
        }
    }
    if session.is_cancelled() {
        undo_offer(root, session);
    } else if session.has_accepted_work() {
        output::marked(DIM, "kept:", &format!("accepted work is on branch {}", session.branch()));
    }
}

/// What would undo a cancelled session. Agents work in a clone, so the checkout holds nothing but the person's own work:
/// going back to a snapshot of it would undo that.
pub fn undo_offer(root: &Path, session: &Session) {
    output::talk("it changed nothing in your checkout: there is nothing to undo there");
    if !session.has_accepted_work() {
        return;
    }
    let branch = session.branch();
    let is_ours_alone = Repository::discover(root).and_then(|repository| {
        let tip = repository.branch_tip(&session.opening.session)?;
        let is_on_it = repository.head()?.branch.as_ref() == Some(&branch);
        Ok(tip.as_ref() == Some(&session.tip) && !is_on_it)
    });
    let how = match is_ours_alone {
        Ok(true) => format!("`git branch -D {branch}` removes it"),
        _ => "look at it before you remove it: it may hold work of yours".to_owned(),
    };
    output::talk(&format!("its accepted work stays on branch {branch}; {how}"));
}

/// What is on disk about the failure that the first open question is about.
fn failure_of(root: &Path, session: &Session) -> Option<(FailureReport, String)> {
    let mut pending = session.pending_decisions();
    let decision = pending.find(|decision| decision.kind == DecisionKind::Escalation)?;
    FailureReport::of_decision(&Layout::new(root), session, decision)
}
