//! The audit for people.

use tollgate_core::role::Role;
use tollgate_core::view::{
    Audit, CommandEntry, CommitEntry, DecisionEntry, Outcome, Place, ReadEntry, RoleEntry,
    SpendView, Writer, WrittenEntry,
};
use tollgate_core::words;
use tollgate_core::work::ChangeType;
use tollgate_files::sanitize::terminal_line;

const WORDS_MAX: usize = 200;
/// Enough of a hash to tell contents apart by eye; `--json` has all of it.
const HASH_SHOWN: usize = 12;

pub(super) fn text(record: &Audit) -> String {
    let mut lines = vec![
        format!("session   {}", record.session),
        format!("action    {} ({})", record.action, record.mode),
        format!("goal      {}", short(&record.goal)),
        format!("state     {}", record.state),
        format!("base      {}", record.base),
        format!("opened    {}", record.opened_at),
        format!("updated   {}", record.updated_at),
        format!(
            "journal   {}, last hash {}",
            tollgate_core::count::counted(record.records, "record"),
            record.last_hash
        ),
    ];
    section(&mut lines, "roles", record.roles.iter().map(role));
    section(&mut lines, "read", record.read.iter().map(|entry| read(record, entry)));
    section(&mut lines, "written", record.written.iter().map(written));
    section(&mut lines, "decisions", record.decisions.iter().map(decision));
    section(&mut lines, "commands", record.commands.iter().map(command));
    section(&mut lines, "commits", record.commits.iter().map(commit));
    section(&mut lines, "spend", spend(record).into_iter());
    section(&mut lines, "evidence", record.evidence.iter().cloned());
    lines.join("\n")
}

fn section(lines: &mut Vec<String>, title: &str, entries: impl Iterator<Item = String>) {
    lines.push(format!("\n{title}"));
    let before = lines.len();
    lines.extend(entries.map(|entry| format!("  {entry}")));
    if lines.len() == before {
        lines.push("  none".to_owned());
    }
}

fn spend(record: &Audit) -> Vec<String> {
    let by = &record.spend_by;
    // That nothing is known of the cost is said once.
    let words = |spend: &SpendView| match record.spend.is_known() {
        true => spend.to_string(),
        false => spend.effort_words(),
    };
    let mut lines = vec![format!("{:<11} {}", "in all", record.spend)];
    lines.extend(by.role.iter().map(|(role, spend)| format!("{role:<11} {}", words(spend))));
    lines.extend(by.task.iter().map(|(task, spend)| format!("{task:<11} {}", words(spend))));
    lines.extend(
        by.agent.iter().map(|(name, spend)| format!("{:<11} {}", short(name), words(spend))),
    );
    lines
}

fn role(entry: &RoleEntry) -> String {
    let numbers: Vec<String> = entry.dispatches.iter().map(|n| format!("#{n}")).collect();
    let mut text = format!("{:<11} {}", as_called(&entry.called, entry.role), numbers.join(" "));
    for file in &entry.role_files {
        text.push_str(&format!("\n    by {} {}", name(&file.path), head(file.sha256.as_str())));
    }
    text
}

/// `backend-developer (Coder)`, or the role alone where the action has no name of its own for it.
fn as_called(called: &str, role: Role) -> String {
    match called == role.as_str() || called.is_empty() {
        true => role.to_string(),
        false => format!("{} ({role})", name(called)),
    }
}

/// Files of the session are shown by their short name, after `…/`.
fn read(record: &Audit, entry: &ReadEntry) -> String {
    let folder = format!(".agents-work/{}/", record.session);
    let shown = |file: &String| match file.strip_prefix(&folder) {
        Some(below) => format!("…/{}", name(below)),
        None => name(file),
    };
    let files: Vec<String> = entry.files.iter().map(shown).collect();
    let files = if files.is_empty() { "no files".to_owned() } else { files.join(", ") };
    let again = match entry.attempt.0 {
        0 | 1 => String::new(),
        attempt => format!(" attempt {attempt}"),
    };
    let agent = entry.agent.as_deref().map(|name| format!(" by {}", short(name)));
    let agent = agent.unwrap_or_default();
    let who = as_called(&entry.called, entry.role);
    format!("#{} {who} {}{again}{agent}: {files}", entry.dispatch, entry.task)
}

fn written(entry: &WrittenEntry) -> String {
    let by = match &entry.by {
        Writer::Dispatch { number, role, called, .. } => {
            format!("#{number} {}", as_called(called, *role))
        }
        Writer::Person => "a person".to_owned(),
        Writer::Import => "the import".to_owned(),
    };
    let hash = entry.sha256.as_ref().map(|hash| head(hash.as_str()));
    let how = entry.change.map_or("removed", ChangeType::as_str);
    let hash = hash.unwrap_or(how);
    let fate = match entry.outcome {
        None => "",
        Some(outcome) => fate(outcome),
    };
    let place = match entry.place {
        Place::Session => "…/",
        Place::Repository => "",
    };
    format!("{place}{} {hash} by {by}{fate}", name(&entry.path))
}

/// Only what was taken and holds needs no word.
fn fate(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Accepted | Outcome::Objected => "",
        Outcome::Unchecked => ", not checked yet",
        Outcome::ChecksFailed => ", its checks failed",
        _ => ", not accepted",
    }
}

fn decision(entry: &DecisionEntry) -> String {
    let mut text = format!(
        "{} ({}) asked {} in {}: {}",
        entry.decision_id,
        entry.kind,
        entry.asked_at,
        entry.state_context,
        short(&entry.question)
    );
    for artefact in &entry.shown {
        text.push_str(&format!(
            "\n    shown {} {}",
            name(&artefact.path),
            head(artefact.sha256.as_str())
        ));
    }
    let Some(by) = entry.resolved_by else {
        return format!("{text}\n    open");
    };
    let at = entry.resolved_at.map(|at| format!(" {at}")).unwrap_or_default();
    let answer = entry.answer.as_deref().map(|answer| format!(": {}", short(answer)));
    let is_new = |reason: &&str| !entry.answer.as_deref().unwrap_or_default().contains(reason);
    let reason = entry.reason.as_deref().filter(is_new);
    let reason = reason.map(|reason| format!(" ({})", short(reason)));
    format!(
        "{text}\n    {}{at} by {by}{}{}",
        entry.status,
        answer.unwrap_or_default(),
        reason.unwrap_or_default()
    )
}

fn command(entry: &CommandEntry) -> String {
    let how = short(&words::check_ended(entry.trouble.as_deref(), entry.exit_code));
    let mark = if entry.passed { "ok  " } else { "FAIL" };
    format!("{mark} {} `{}`: {how}", entry.of, short(&entry.command))
}

fn commit(entry: &CommitEntry) -> String {
    let CommitEntry { dispatch, role, called, task, .. } = entry;
    let role = as_called(called, *role);
    let paths: Vec<String> = entry.changes.iter().map(|change| name(&change.path)).collect();
    let (commit, fate) = (head(entry.commit.as_str()), fate(entry.outcome));
    format!("{commit} #{dispatch} {role} {task}: {}{fate}", paths.join(", "))
}

fn head(hash: &str) -> &str {
    hash.get(..HASH_SHOWN).unwrap_or(hash)
}

/// A name that an agent chose, on one line.
fn name(path: &str) -> String {
    path.replace('\n', " ")
}

fn short(text: &str) -> String {
    terminal_line(text, WORDS_MAX)
}
