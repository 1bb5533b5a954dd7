//! What becomes of changes outside a task's scope: a warning, or a question when the Coder asks for more.

use super::{Draft, MANUAL_FIX, ask, attempt, reply, tasks};
use crate::answer::Answer;
use crate::event::{Event, FindingStatus};
use crate::id::{DispatchNumber, TaskRef};
use crate::limits::SCOPE_WARNINGS_MAX;
use crate::reply::{Reply, ReplyStatus, ReportedFinding, ScopeRequest, Severity};
use crate::role::{RepairLoop, Role};
use crate::session::Unit;
use crate::work::{ScopeClass, Scoped, Work};
use std::collections::BTreeMap;

/// The category of findings about files outside a scope. They warn, and by themselves reject nothing.
pub const CATEGORY: &str = "scope";

/// Whether the Coder cannot continue without an answer; it has then been asked.
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
    let is_open = |path: &String| !unit.allowed.contains(path) && !unit.refused.contains_key(path);
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
        draft.emit(Event::ScopeExtended { task: task.clone(), paths: paths.to_vec() });
        settle_warnings(draft, &task, paths);
        let text = format!("the person allows you to change: {list}");
        return match is_open {
            // It starts again when no other Coder is at work, and is told then what it may change.
            true if works_beside_a_coder(draft, number) => tasks::begin_again(draft, number),
            true => go_on(draft, number, text),
            false => do_more(draft, task, text),
        };
    }
    let reason = answer.words().to_owned();
    let text = format!("the person does not allow you to change {list}: {reason}");
    draft.emit(Event::ScopeRefused { task, paths: paths.to_vec(), reason });
    if is_open {
        go_on(draft, number, text);
    }
}

/// Whether another task's Coder is at work: what was allowed was compared with nobody's scope.
fn works_beside_a_coder(draft: &Draft<'_>, number: DispatchNumber) -> bool {
    draft.open.iter().filter(|other| **other != number).any(|other| {
        let dispatch = &draft.dispatches[other];
        dispatch.role == Role::Coder && dispatch.ready.is_none()
    })
}

fn go_on(draft: &mut Draft<'_>, number: DispatchNumber, text: String) {
    draft.emit(Event::GuidanceGiven { number, text, authorized: Vec::new() });
    // Fixing by hand was for one attempt.
    let agent = draft.dispatches[&number].chosen.clone().filter(|name| name != MANUAL_FIX);
    attempt::start_with_consent(draft, number, None, agent);
}

fn do_more(draft: &mut Draft<'_>, task: TaskRef, text: String) {
    // The task may have left the plan meanwhile.
    if draft.unit(&task).is_none() {
        return;
    }
    let mut feedback = vec![
        text,
        "what you changed there before was left out and is back in your tree: finish it".to_owned(),
    ];
    // A repair that waits already is made with it.
    feedback.extend(
        draft
            .unit(&task)
            .and_then(|unit| unit.pending.clone())
            .into_iter()
            .flat_map(|p| p.feedback),
    );
    draft.emit(Event::RepairOpened {
        task,
        repair: RepairLoop::FixReview,
        feedback,
        consented: true,
        authorized: Vec::new(),
    });
}

/// Warnings about changes that the work item does not cover: each by name, or by folder where there are very many.
pub(super) fn warn(draft: &mut Draft<'_>, number: DispatchNumber, work: &Work) {
    let task = draft.dispatches[&number].task.clone();
    let kept = work.rescue.as_deref();
    let told = |scoped: &Scoped| Some((scoped.path.clone(), warning(&task, scoped, kept)?));
    let mut warnings: Vec<(String, String)> = work.scoped.iter().filter_map(told).collect();
    if warnings.len() > SCOPE_WARNINGS_MAX {
        warnings = by_folder(&task, &warnings, kept);
    }
    for (path, message) in warnings {
        let report = ReportedFinding {
            file: Some(path),
            ..ReportedFinding::plain(Severity::Low, CATEGORY, message)
        };
        reply::record(draft, Role::Orchestrator, &task, &report, FindingStatus::Tracked);
    }
}

fn by_folder(
    task: &TaskRef,
    warnings: &[(String, String)],
    kept: Option<&str>,
) -> Vec<(String, String)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (path, _) in warnings {
        *counts.entry(path.split('/').next().unwrap_or(path)).or_default() += 1;
    }
    let kept = kept.unwrap_or("the dispatch's folder");
    let line = |(folder, count): (&str, usize)| {
        let message = format!(
            "[Warning] {count} file(s) in {folder} are outside the scope of {task}; they were left out and are kept in {kept}"
        );
        (folder.to_owned(), message)
    };
    counts.into_iter().take(SCOPE_WARNINGS_MAX).map(line).collect()
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

/// A Reviewer's remark that a file is out of scope warns, whatever severity it was given. Says whether there are no
/// other remarks.
pub(super) fn soften(
    draft: &Draft<'_>,
    role: Role,
    task: &TaskRef,
    reports: &mut [ReportedFinding],
) -> bool {
    if role != Role::Reviewer {
        return false;
    }
    let units: Vec<&Unit> = match task {
        TaskRef::Meta => draft.tasks.iter().map(|task| &task.unit).chain([&draft.meta]).collect(),
        task => draft.unit(task).into_iter().collect(),
    };
    let is_left_out = |file: &String| {
        let mut known = units.iter().filter_map(|unit| unit.beyond.get(file));
        known.any(|scoped| scoped.class == ScopeClass::Violation)
    };
    let mut only = !reports.is_empty();
    for report in reports {
        let warns = report.file.as_ref().is_some_and(|file| only_warns(report, is_left_out(file)));
        if warns {
            report.severity = Severity::Low;
        }
        only &= warns;
    }
    only
}

/// What the engine has left out itself cannot reject anything. A typed result has no categories: there only such a file
/// tells what a remark is about. Of files that the engine left in, a blocker stays one.
fn only_warns(report: &ReportedFinding, is_left_out: bool) -> bool {
    match report.category.trim().to_lowercase().as_str() {
        "scope" | "out-of-scope" | "scope-compliance" => {
            is_left_out || report.severity < Severity::Critical
        }
        "" => is_left_out,
        _ => false,
    }
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
    const WORDS: [&str; 20] = [
        "not",
        "never",
        "without",
        "except",
        "avoid",
        "leave",
        "dont",
        "cannot",
        "no",
        "instead",
        "keep",
        "ignore",
        "skip",
        "unchanged",
        "untouched",
        "alone",
        "stop",
        "revert",
        "nothing",
        "nor",
    ];
    sentence.split_whitespace().any(|word| {
        let word = bare(word).to_lowercase().replace('’', "'");
        WORDS.contains(&word.as_str()) || word.ends_with("n't")
    })
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
            "don’t touch src/a.ts",
            "you shouldn't change src/a.ts",
            "keep src/a.ts as it is",
        ] {
            assert_eq!(named_paths(nothing), Vec::<String>::new(), "{nothing}");
        }
    }
}
