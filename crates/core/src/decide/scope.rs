//! What becomes of changes outside a task's scope: a warning, or a question when the Coder asks for more.

use super::{Draft, MANUAL_FIX, ask, reply, step};
use crate::answer::Answer;
use crate::event::{Event, FindingStatus};
use crate::id::{DispatchNumber, TaskRef};
use crate::reply::{Reply, ReplyStatus, ReportedFinding, ScopeRequest, Severity};
use crate::role::{RepairLoop, Role};
use crate::work::{ScopeClass, Scoped, Work};

/// The category of findings about files outside a scope. They warn, and by themselves reject nothing.
pub const CATEGORY: &str = "scope";

/// Whether the Coder cannot go on without an answer; it has then been asked.
pub(super) fn stops_for(
    draft: &mut Draft<'_>,
    number: DispatchNumber,
    reply: &Reply,
    work: &Work,
) -> bool {
    let has_nothing = match reply.status {
        ReplyStatus::Blocked => true,
        ReplyStatus::Ok => work.commit.is_none(),
        _ => false,
    };
    let requests = open_requests(draft, number, reply);
    let stops = has_nothing && !requests.is_empty();
    if stops {
        ask::scope(draft, number, &requests);
    }
    stops
}

/// Whether the Coder asks for something that nobody has decided about.
pub(super) fn asks(draft: &Draft<'_>, number: DispatchNumber, reply: &Reply) -> bool {
    !open_requests(draft, number, reply).is_empty()
}

/// The Coder has done its part and would do more.
pub(super) fn ask_beside(draft: &mut Draft<'_>, number: DispatchNumber, reply: &Reply) {
    let requests = open_requests(draft, number, reply);
    if !requests.is_empty() {
        ask::scope(draft, number, &requests);
    }
}

/// What a Coder asks for and nobody has decided about.
fn open_requests(draft: &Draft<'_>, number: DispatchNumber, reply: &Reply) -> Vec<ScopeRequest> {
    let dispatch = &draft.dispatches[&number];
    let Some(unit) = draft.unit(&dispatch.task).filter(|_| dispatch.role == Role::Coder) else {
        return Vec::new();
    };
    let is_open = |path: &String| !unit.allowed.contains(path) && !unit.refused.contains(path);
    let mut requests: Vec<ScopeRequest> = Vec::new();
    for request in reply.scope_requests.iter().filter(|request| is_open(&request.path)) {
        if requests.iter().all(|known| known.path != request.path) {
            requests.push(request.clone());
        }
    }
    requests
}

pub(super) fn answered(
    draft: &mut Draft<'_>,
    number: DispatchNumber,
    paths: &[String],
    answer: &Answer,
) {
    let task = draft.dispatches[&number].task.clone();
    let is_open = draft.open.contains(&number) && draft.dispatches[&number].ready.is_none();
    let list = paths.join(", ");
    if answer.keyword == "allow" {
        let event = Event::ScopeExtended { task: task.clone(), paths: paths.to_vec() };
        draft.emit(event);
        settle_warnings(draft, &task, paths);
        let text = format!("the person allows you to change: {list}");
        return if is_open { go_on(draft, number, text) } else { do_more(draft, task, text) };
    }
    draft.emit(Event::ScopeRefused { task, paths: paths.to_vec() });
    if is_open {
        let text = format!("the person does not allow you to change {list}: {}", answer.words());
        go_on(draft, number, text);
    }
}

fn go_on(draft: &mut Draft<'_>, number: DispatchNumber, text: String) {
    draft.emit(Event::GuidanceGiven { number, text, authorized: Vec::new() });
    // Mending by hand was for one attempt.
    let agent = draft.dispatches[&number].agent.clone().filter(|name| name != MANUAL_FIX);
    step::start_with_consent(draft, number, None, agent);
}

fn do_more(draft: &mut Draft<'_>, task: TaskRef, text: String) {
    // The task may have left the plan meanwhile.
    if draft.unit(&task).is_none() {
        return;
    }
    let feedback = vec![
        text,
        "what you changed there before was left out and is back in your tree: finish it".to_owned(),
    ];
    draft.emit(Event::RepairOpened {
        task,
        repair: RepairLoop::FixReview,
        feedback,
        consented: true,
        authorized: Vec::new(),
    });
}

/// Warnings about changes that the work item does not cover.
pub(super) fn warn(draft: &mut Draft<'_>, number: DispatchNumber, work: &Work) {
    let task = draft.dispatches[&number].task.clone();
    for scoped in &work.scoped {
        let Some(message) = warning(&task, scoped, work.rescue.as_deref()) else {
            continue;
        };
        let report = ReportedFinding {
            file: Some(scoped.path.clone()),
            ..ReportedFinding::plain(Severity::Low, CATEGORY, message)
        };
        reply::record(draft, Role::Orchestrator, &task, &report, FindingStatus::Tracked);
    }
}

fn warning(task: &TaskRef, scoped: &Scoped, kept: Option<&str>) -> Option<String> {
    let Scoped { path, class, reason, is_told } = scoped;
    match class {
        ScopeClass::Violation => {
            let silent = if *is_told { "" } else { ", and the summary does not mention it" };
            let kept = kept.unwrap_or("the dispatch's folder");
            Some(format!(
                "[Warning] {path} is outside the scope of {task} ({reason}){silent}; the change was left out and is kept in {kept}"
            ))
        }
        ScopeClass::Authorized if !is_told => Some(format!(
            "[Warning] {path} was changed because a person named it, but the summary does not mention it"
        )),
        _ => None,
    }
}

fn settle_warnings(draft: &mut Draft<'_>, task: &TaskRef, paths: &[String]) {
    let is_about = |file: &Option<String>| file.as_ref().is_some_and(|file| paths.contains(file));
    let ids: Vec<u32> = draft
        .findings
        .iter()
        .filter(|f| f.report.category == CATEGORY && f.task == *task && is_about(&f.report.file))
        .map(|finding| finding.id)
        .collect();
    for id in ids {
        let reason = Some("a person allowed the file for this task".to_owned());
        draft.emit(Event::FindingSettled { id, status: FindingStatus::Fixed, reason });
    }
}

/// A Reviewer's remark about scope warns, whatever severity it was given.
pub(super) fn soften(role: Role, reports: &mut [ReportedFinding]) {
    for report in reports.iter_mut().filter(|_| role == Role::Reviewer) {
        if is_about_scope(report) {
            report.severity = Severity::Low;
        }
    }
}

pub(super) fn is_about_scope(report: &ReportedFinding) -> bool {
    let category = report.category.trim().to_lowercase();
    matches!(category.as_str(), "scope" | "out-of-scope" | "scope-compliance")
}

/// Files that a person names in what they want done, unless they name them to be left alone.
pub(super) fn named_paths(words: &str) -> Vec<String> {
    let mut named = Vec::new();
    let parts = words.split([';', '\n']).flat_map(|part| part.split(". "));
    for sentence in parts.flat_map(|part| part.split(" but ")) {
        if is_forbidding(sentence) {
            continue;
        }
        for word in sentence.split_whitespace().map(bare) {
            if is_path(word) && named.iter().all(|known| known != word) {
                named.push(word.to_owned());
            }
        }
    }
    named
}

fn bare(word: &str) -> &str {
    let quotes = ['`', '"', '\'', '(', ')', '[', ']', '<', '>', ',', ';', ':', '!', '?', '*'];
    word.trim_matches(quotes).trim_end_matches('.').trim_matches(quotes)
}

fn is_forbidding(sentence: &str) -> bool {
    const WORDS: [&str; 10] =
        ["not", "never", "without", "except", "avoid", "leave", "don't", "dont", "no", "instead"];
    sentence.split_whitespace().any(|word| WORDS.contains(&bare(word).to_lowercase().as_str()))
}

/// A plain path from the repository's root: with a folder, or with an extension.
fn is_path(word: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '+' | '@');
    let has_extension = || {
        let (name, extension) = word.rsplit_once('.').unwrap_or(("", ""));
        let is_code = |c: char| c.is_ascii_alphanumeric();
        !name.is_empty()
            && (1..=8).contains(&extension.len())
            && extension.chars().all(is_code)
            && extension.chars().any(|c| c.is_ascii_alphabetic())
    };
    word.chars().all(plain)
        && !word.starts_with('/')
        && !word.ends_with('/')
        && !word.contains("//")
        && !word.split('/').any(|part| matches!(part, "" | "." | ".."))
        && (word.contains('/') || has_extension())
}

#[cfg(test)]
mod tests {
    use super::named_paths;

    #[test]
    fn r099_files_that_a_person_names_are_found_and_those_to_leave_alone_are_not() {
        let words =
            "also fix the limit in `src/limits/rate.ts`, and README.md. Do not touch src/auth.ts.";
        assert_eq!(named_paths(words), ["src/limits/rate.ts", "README.md"]);
        for nothing in [
            "make it faster",
            "see https://example.org/a.html",
            "/etc/passwd",
            "../up/x.ts",
            "never src/a.ts",
            "version 1.2 and 3.14",
            "leave src/a.ts alone",
        ] {
            assert_eq!(named_paths(nothing), Vec::<String>::new(), "{nothing}");
        }
    }
}
