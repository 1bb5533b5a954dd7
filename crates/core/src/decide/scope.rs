//! What happens to changes outside a task's scope: a warning, or a question when the Coder asks for more.

use super::draft::Draft;
use super::moves::{ask, attempt, finding, repair};
use crate::answer::ScopeAnswer;
use crate::event::{Event, Finding, FindingOrigin, FindingStatus};
use crate::id::{DispatchNumber, FindingId, TaskRef};
use crate::limits::SCOPE_WARNINGS_MAX;
use crate::mutant::Mutant;
use crate::reply::{Concern, Reply, ReplyStatus, ReportedFinding, ScopeRequest, Severity};
use crate::role::Role;
use crate::work::{ScopeClass, Scoped, Work};
use std::collections::BTreeMap;

/// Whether the Coder cannot continue without an answer; it has then been asked.
pub(super) fn stops_for(
    draft: &mut Draft<'_>,
    number: DispatchNumber,
    reply: &Reply,
    work: &Work,
) -> bool {
    let has_nothing = match reply.status {
        ReplyStatus::Blocked => true,
        ReplyStatus::Ok => work.code.commit.is_none(),
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
    let is_open = |path: &String| {
        !unit.allowed.contains(path)
            && (!unit.refused.contains_key(path) || Mutant::AsksAgainForWhatIsRefused.is_planted())
    };
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
    answer: &ScopeAnswer,
) {
    let task = draft.dispatches[&number].task.clone();
    let is_open = draft.dispatches.open.contains(&number) && !draft.dispatches[&number].is_ready();
    let list = paths.join(", ");
    match answer {
        ScopeAnswer::Allow => {
            draft.emit(Event::ScopeExtended { task: task.clone(), paths: paths.to_vec() });
            settle_warnings(draft, &task, paths);
            let text = format!("the person allows you to change: {list}");
            match is_open {
                // It starts again when no other Coder is at work, and is told then what it may change.
                true if works_beside_a_coder(draft, number)
                    && !Mutant::ContinuesBesideACoderWithAWiderScope.is_planted() =>
                {
                    repair::begin_again(draft, number)
                }
                true => continue_dispatch(draft, number, text),
                false => do_more(draft, task, text),
            }
        }
        ScopeAnswer::Refuse(reason) => {
            let reason = reason.to_string();
            let text = format!("the person does not allow you to change {list}: {reason}");
            draft.emit(Event::ScopeRefused { task, paths: paths.to_vec(), reason });
            if is_open {
                continue_dispatch(draft, number, text);
            }
        }
    }
}

/// Whether another task's Coder is at work: what was allowed was compared with nobody's scope.
fn works_beside_a_coder(draft: &Draft<'_>, number: DispatchNumber) -> bool {
    draft.dispatches.open.iter().filter(|other| **other != number).any(|other| {
        let dispatch = &draft.dispatches[other];
        dispatch.role == Role::Coder && !dispatch.is_ready()
    })
}

fn continue_dispatch(draft: &mut Draft<'_>, number: DispatchNumber, text: String) {
    draft.emit(Event::GuidanceGiven {
        number,
        text,
        findings: Some(Vec::new()),
        authorized: Vec::new(),
    });
    let agent = draft.dispatches[&number].chosen_agent();
    attempt::start_with_consent(draft, number, None, agent);
}

fn do_more(draft: &mut Draft<'_>, task: TaskRef, text: String) {
    let said = vec![
        text,
        "your earlier changes to them were left out and are back in your tree: finish them"
            .to_owned(),
    ];
    repair::also_with_consent(draft, &task, said);
}

/// Warnings about changes that the work item does not cover: each by name, or by folder where there are very many.
pub(super) fn warn(draft: &mut Draft<'_>, number: DispatchNumber, work: &Work) {
    let task = draft.dispatches[&number].task.clone();
    let kept = work.left_out.rescue.as_deref();
    let told = |scoped: &Scoped| Some((scoped.path.clone(), warning(&task, scoped, kept)?));
    let mut warnings: Vec<(String, String)> =
        work.left_out.scoped.iter().filter_map(told).collect();
    if warnings.len() > SCOPE_WARNINGS_MAX {
        warnings = by_folder(&task, &warnings, kept);
    }
    for (path, message) in warnings {
        let report = ReportedFinding {
            file: Some(path),
            ..ReportedFinding::plain(Severity::Low, FindingOrigin::Scope.category(), message)
        };
        finding::record(draft, FindingOrigin::Scope, &task, &report, FindingStatus::Tracked);
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
            "[Warning] the changes to {} in {folder} are outside the scope of {task:#}; they were left out and are kept in {kept}",
            crate::count::counted(count, "file")
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
                "[Warning] {path} is outside the scope of {task:#} ({reason}){silent}; the change was left out and is kept in {kept}"
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
    let warns = |finding: &Finding| {
        finding.origin == FindingOrigin::Scope || finding.report.concern() == Concern::Scope
    };
    let ids: Vec<FindingId> = draft
        .record
        .findings
        .iter()
        .filter(|f| warns(f) && f.task == *task && is_about(&f.report.file))
        .map(|finding| finding.id)
        .collect();
    for id in ids {
        let reason = Some("a person allowed the file for this task".to_owned());
        draft.emit(Event::FindingSettled { id, status: FindingStatus::Fixed, reason });
    }
}
