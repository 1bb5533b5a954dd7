//! What a person reads when a run comes to its end: a summary in words, never JSON.

use crate::changes;
use crate::digest::digest;
use crate::exit::Exit;
use crate::output::{self, BAD, BOLD, DIM, GOOD, NOTE};
use anstyle::Style;
use std::path::Path;
use tollgate_core::decision::DecisionKind;
use tollgate_core::event::FindingStatus;
use tollgate_core::id::SessionName;
use tollgate_core::view::{FindingView, View};
use tollgate_files::layout::Layout;
use tollgate_git::repository::Repository;
use tollgate_host::activity::manual::Assigned;
use tollgate_host::failure_report::{self, FailureReport};
use tollgate_host::removal::{self, RemovalError};
use tollgate_host::serve::ServeEnd;

/// Below the session's folder.
const REPORT: &str = "report.md";

/// Tells how it ended and what to do next.
pub fn ending(root: &Path, view: &View, assigned: &[Assigned], ending: ServeEnd) -> Exit {
    match ending {
        ServeEnd::Done => {
            done(view);
            Exit::Ok
        }
        ServeEnd::Waiting => {
            output::talk("");
            output::styled(BOLD, &format!("YOUR TURN  {} waits for you", view.session));
            questions(root, view);
            roles_to_play(view, assigned);
            Exit::Waiting
        }
        ServeEnd::Blocked => {
            blocked(root, view);
            questions(root, view);
            roles_to_play(view, assigned);
            Exit::Blocked
        }
        ServeEnd::Interrupted => {
            let how = format!("tollgate resume {}", view.session);
            output::marked(
                BOLD,
                "interrupted:",
                &format!("no work is lost; continue with `{how}`"),
            );
            Exit::Interrupted
        }
    }
}

fn done(view: &View) {
    output::talk("");
    output::styled(GOOD, &format!("DONE  {}", view.goal));
    output::talk(&counts(view));
    let is_tracked = |finding: &&FindingView| finding.status == FindingStatus::Tracked;
    let tracked = view.results.findings.iter().filter(is_tracked).count();
    if tracked > 0 {
        output::talk(&format!(
            "{} tracked for later",
            tollgate_core::count::counted(tracked, "finding")
        ));
    }
    for issue in &view.record.known_issues {
        output::marked(NOTE, "known issue:", issue);
    }
    by_hand(view);
    if view.branch.has_accepted_work() {
        let name = &view.session;
        let text =
            format!("see it with `tollgate diff {name}`, merge it with `tollgate merge {name}`");
        output::marked(BOLD, "next:", &text);
    }
    for tag in &view.branch.tags {
        let name = &tag.name;
        let text = format!(
            "{name} is kept as {}; push it with `git push REMOTE {}:refs/tags/{name}`",
            tag.kept_as, tag.kept_as
        );
        output::marked(NOTE, "tag:", &text);
    }
    if has_tasks(view) {
        output::marked(DIM, "report:", &view.path_of(REPORT));
    } else {
        output::marked(DIM, "record:", &format!("`tollgate audit {}`", view.session));
    }
    output::marked(DIM, "evidence:", &view.path_of("evidence/"));
}

/// What agents left to a person, each with who left it.
fn by_hand(view: &View) {
    for step in &view.record.manual_steps {
        let text = format!("{} ({}): {}", step.role, step.task, step.text);
        output::marked(NOTE, "by hand:", &text);
    }
}

fn counts(view: &View) -> String {
    let (files, dispatches) = (view.results.changed_files.len(), view.work.dispatches.len());
    let work = format!(
        "{} changed, {}",
        tollgate_core::count::counted(files, "file"),
        tollgate_core::count::counted(dispatches, "dispatch")
    );
    if !has_tasks(view) {
        return work;
    }
    let (tasks, criteria) = (view.work.tasks.len(), view.work.criteria.len());
    format!(
        "{} completed, {criteria} acceptance criteria met, {work}",
        tollgate_core::count::counted(tasks, "task")
    )
}

/// Only a route with tasks has criteria and a report; others leave the files that they declare.
fn has_tasks(view: &View) -> bool {
    !view.work.tasks.is_empty()
        || view.results.artefacts.iter().any(|artefact| artefact.path == REPORT)
}

/// What a person plays: where to read, where to work, what to leave, how to hand it in.
fn roles_to_play(view: &View, assigned: &[Assigned]) {
    let name = &view.session;
    for assigned in assigned {
        output::talk("");
        let dispatch = view.work.dispatches.iter().find(|found| found.number == assigned.number);
        let who = dispatch.map(|found| found.title.as_str()).unwrap_or_default();
        if assigned.is_submitted {
            let text = format!("is submitted; continue with `tollgate resume {name}`");
            output::marked(NOTE, who, &text);
            continue;
        }
        output::marked(NOTE, who, "waits for you to play it");
        for (mark, text) in play(name, assigned) {
            output::to_copy(BOLD, &format!("  {mark:<8}"), &text);
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

fn questions(root: &Path, view: &View) {
    for question in &view.pending_decisions {
        output::talk("");
        output::marked(NOTE, question.decision_id.as_str(), &question.question);
        for line in digest(root, &view.branch, question) {
            output::quoted(DIM, &line);
        }
        if changes::show_first_lines(root, view, question) {
            let how = format!("tollgate resume {}", view.session);
            output::styled(DIM, &format!("  `{how}` at a terminal shows all of it"));
        }
        let (name, id) = (&view.session, &question.decision_id);
        for option in &question.options {
            let command = format!("tollgate answer {name} {id} {:?} --resume", option.answer);
            // What an agent suggests as an answer is its text.
            match question.kind {
                DecisionKind::Info => output::marked(BOLD, "  ", &command),
                _ => output::to_copy(BOLD, "  ", &command),
            }
            output::styled(DIM, &format!("      {}: {}", option.label, option.consequence));
        }
    }
}

/// Why it does not continue; nothing where it does.
pub fn blocked(root: &Path, view: &View) {
    let Some(blocker) = &view.blocker else {
        return;
    };
    output::talk("");
    if view.is_cancelled() {
        output::styled(BOLD, &format!("CANCELLED  {}", view.session));
        output::quoted(Style::new(), &blocker.detail);
        by_hand(view);
        undo_offer(root, view);
        return;
    }
    output::styled(BAD, &format!("BLOCKED  {} ({})", view.session, blocker.code));
    match failure_of(root, view) {
        Some((report, path)) => {
            output::quoted(Style::new(), &failure_report::facts(&report));
            output::marked(DIM, "report:", &format!("{path}, and .txt for people"));
        }
        None => {
            output::quoted(Style::new(), &blocker.detail);
            output::marked(NOTE, "remedy:", &blocker.remedy);
        }
    }
    by_hand(view);
    if view.branch.has_accepted_work() {
        output::marked(DIM, "kept:", &format!("accepted work is on branch {}", view.branch.name));
    }
}

/// What would undo a cancelled session. Agents work in a clone, so the checkout holds nothing but the person's own work:
/// going back to a snapshot of it would undo that.
pub fn undo_offer(root: &Path, view: &View) {
    output::talk("your checkout was not changed, so there is nothing to undo there");
    kept_aside(root, view);
    if !view.branch.has_accepted_work() {
        return;
    }
    let branch = &view.branch.name;
    let is_ours_alone = Repository::discover(root).and_then(|repository| {
        let tip = repository.branch_tip(&view.session)?;
        let is_on_it = repository.head()?.branch.as_ref() == Some(branch);
        Ok(tip.as_ref() == Some(&view.branch.tip) && !is_on_it)
    });
    let how = match is_ours_alone {
        Ok(true) => format!("`git branch -D {branch}` removes it"),
        _ => "look at it before you remove it: it may contain work of yours".to_owned(),
    };
    output::talk(&format!("its accepted work is on branch {branch}; {how}"));
}

/// Where the work is that was never finished.
fn kept_aside(root: &Path, view: &View) {
    let found = Repository::discover(root).map_err(RemovalError::from);
    match found.and_then(|repository| removal::kept_aside(&repository, view)) {
        Ok(names) => names.iter().for_each(|name| {
            output::talk(&format!("unfinished work is kept as {name}; `git show {name}` shows it"));
        }),
        Err(error) => {
            output::marked(NOTE, "note:", &format!("cannot look for unfinished work: {error}"))
        }
    }
}

/// What is on disk about the failure that the first open question is about.
fn failure_of(root: &Path, view: &View) -> Option<(FailureReport, String)> {
    let mut pending = view.pending_decisions.iter();
    let question = pending.find(|question| question.kind == DecisionKind::Escalation)?;
    FailureReport::of_question(&Layout::new(root), &view.session, question)
}
