//! artifact-trace.md: what each attempt was given to read, and what it wrote.

use super::heading;
use super::words::{called, code, role_text};
use tollgate_core::event::Event;
use tollgate_core::given::GivenFiles;
use tollgate_core::id::{Attempt, DispatchNumber};
use tollgate_core::time::Timestamp;
use tollgate_core::view::{Outcome, Parts};
use tollgate_core::words;
use tollgate_core::work::{Artefact, Declaration, DispatchEnd, Work};

pub(super) fn entry(parts: Parts<'_>, at: Timestamp, event: &Event) -> String {
    match event {
        Event::AttemptStarted { number, attempt, .. } => read(parts, at, *number, *attempt),
        Event::AttemptNoted { number, attempt, given, kept } => {
            heading(at, &format!("Dispatch {number} attempt {attempt}: what it was given"))
                + &noted(given.as_ref(), kept.as_deref())
        }
        Event::AttemptEnded { number, attempt, end, .. } => {
            let title = format!("Dispatch {number} attempt {attempt} ended");
            heading(at, &title) + &ended(end)
        }
        Event::DispatchClosed { number, verdict, .. } => {
            let outcome = parts.dispatch(*number).map(|dispatch| dispatch.outcome);
            let is_unchecked = outcome == Some(Outcome::Unchecked);
            let came = if is_unchecked { "not checked yet" } else { words::verdict(*verdict) };
            format!("\n{at} Dispatch {number} is {came}.\n")
        }
        Event::SessionImported(taken) => {
            let line = |file: &Artefact| format!("- {} sha256 {}\n", code(&file.path), file.sha256);
            let lines: String = taken.documents.iter().map(line).collect();
            heading(at, "Documents of another orchestrator were imported") + &lines
        }
        Event::FilesEdited { edits } => {
            let lines = edits.iter().map(|edit| match &edit.now {
                Some(now) => format!("- {} sha256 {}\n", code(&edit.path), now.sha256),
                None => format!("- {} removed\n", code(&edit.path)),
            });
            let title = match edits.iter().all(|edit| edit.is_ours) {
                true => "A command that a person gave was written into the plan",
                false => "A person edited session files",
            };
            heading(at, title) + &lines.collect::<String>()
        }
        _ => String::new(),
    }
}

/// The state after the commit is the one that the agent's input is made from.
fn read(parts: Parts<'_>, at: Timestamp, number: DispatchNumber, attempt: Attempt) -> String {
    let Some(given) = parts.given_to(number) else {
        return String::new();
    };
    let who = called(&given.called, given.role);
    let title = format!("Dispatch {number} attempt {attempt}: {who} for {:#}", given.task);
    let mut text = heading(at, &title);
    let files = given.reads.iter();
    let reads: String = files.map(|file| format!("- to read: {}\n", code(file))).collect();
    text.push_str(if reads.is_empty() { "- to read: no files\n" } else { &reads });
    let outputs = given.must_write.iter();
    text.extend(outputs.map(|output| format!("- must write: {}\n", code(output))));
    text
}

fn noted(given: Option<&GivenFiles>, kept: Option<&str>) -> String {
    let mut text = String::new();
    if let Some(given) = given {
        text.push_str(&format!("- role file: {}\n", role_text(&given.role_file)));
        text.extend(given.files.iter().map(|file| format!("- file: {}\n", code(file))));
    }
    if let Some(kept) = kept {
        text.push_str(&format!("- what it left is kept: `git show {kept}`\n"));
    }
    text
}

fn ended(end: &DispatchEnd) -> String {
    match end {
        DispatchEnd::Replied { reply, work } => {
            format!("- reply: {} {}\n{}", reply.status, code(&reply.summary), written(work))
        }
        DispatchEnd::Invalid { errors, .. } | DispatchEnd::MissingContext { errors } => {
            let errors = errors.iter().map(|error| {
                let place = code(&error.path);
                format!("- error: {} at {place}: {}\n", error.code, code(&error.message))
            });
            format!("- {}; nothing was accepted\n{}", name(end), errors.collect::<String>())
        }
        DispatchEnd::MissingOutput { paths, .. } => {
            paths.iter().map(|path| format!("- did not write: {}\n", code(path))).collect()
        }
        other => format!("- {}; nothing was accepted\n", name(other)),
    }
}

fn name(end: &DispatchEnd) -> String {
    words::end_name(end).replace('_', " ")
}

fn written(work: &Work) -> String {
    let mut text = String::new();
    for artefact in &work.documents.artefacts {
        text.push_str(&format!("- wrote: {} sha256 {}\n", code(&artefact.path), artefact.sha256));
    }
    for change in &work.code.changes {
        let from = change.old_path.as_deref().map(|path| format!(" from {}", code(path)));
        let from = from.unwrap_or_default();
        text.push_str(&format!("- {}: {}{from}\n", change.change_type, code(&change.path)));
    }
    for declared in &work.left_out.declared {
        text.push_str(&match declared {
            Declaration::Incidental { path, motivated_by, reason } => {
                let (path, motive) = (code(path), code(motivated_by));
                format!("- declared incidental: {path} because of {motive}: {}\n", code(reason))
            }
            Declaration::ScopeCorrection { listed, actual, reason } => {
                let (listed, actual) = (code(listed), code(actual));
                format!("- scope correction: {actual} instead of {listed}: {}\n", code(reason))
            }
        });
    }
    if let Some(commit) = &work.code.commit {
        text.push_str(&format!("- commit: {commit}\n"));
    }
    for breach in &work.left_out.breaches {
        text.push_str(&format!("- refused: {}: {}\n", code(&breach.path), code(&breach.why)));
    }
    for change in &work.left_out.out_of_scope {
        text.push_str(&format!("- out of scope, set aside: {}\n", code(&change.path)));
    }
    for path in &work.documents.dropped {
        text.push_str(&format!("- put back: {}\n", code(path)));
    }
    if let Some(rescue) = &work.left_out.rescue {
        text.push_str(&format!("- kept under: {}\n", code(rescue)));
    }
    if text.is_empty() { "- wrote: nothing\n".to_owned() } else { text }
}
