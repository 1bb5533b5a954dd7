//! Where the files of a report really are: from the repository's root, and what of them was left is named too.

use super::{FailureReport, Impacted};
use std::path::Path;
use tollgate_core::id::{Attempt, DispatchNumber};
use tollgate_core::reply::ReplyError;
use tollgate_files as files;
use tollgate_files::layout::session_path;

/// A fault at its file. A place in the reply is one in the file that holds the reply.
pub(super) fn of_error(report: &FailureReport, error: &ReplyError) -> Impacted {
    let message = format!("{} ({})", error.message, error.code);
    if let Some(pointer) = error.path.strip_prefix('/') {
        let reply = attempt_folder(report).map(|folder| format!("{folder}/stdout.log"));
        let place = if pointer.is_empty() { String::new() } else { format!(" at /{pointer}") };
        let message = format!("the reply{place}: {message}");
        return Impacted { path: reply.unwrap_or_default(), line: None, message, kept: None };
    }
    // `path#/pointer` and `path:line`.
    let (path, _) = error.path.split_once('#').unwrap_or((&error.path, ""));
    let (path, line) = match path.rsplit_once(':') {
        Some((file, line)) if line.parse::<u32>().is_ok() => (file, line.parse().ok()),
        _ => (path, None),
    };
    Impacted { path: path.to_owned(), line, message, kept: None }
}

pub(super) fn of_files(paths: &[String], message: &str) -> Vec<Impacted> {
    let file = |path: &String| Impacted {
        path: path.clone(),
        line: None,
        message: message.to_owned(),
        kept: None,
    };
    paths.iter().map(file).collect()
}

/// Looks where each file is: session files by their whole path, and the copy of what the attempt left.
pub(super) fn resolve(report: &mut FailureReport, root: &Path) {
    let session = session_path(&report.session);
    let Some((number, attempt)) = report.dispatch.zip(report.attempt) else { return };
    let is_there = |path: &str| files::open_beneath(root, path).is_ok();
    for impacted in &mut report.impacted_artifacts {
        let whole = format!("{session}/{}", impacted.path);
        if !is_there(&impacted.path)
            && !impacted.path.starts_with(".agents-work/")
            && is_there(&whole)
        {
            impacted.path = whole;
        }
        let mut copies = copies(&session, &impacted.path, number, attempt).into_iter();
        impacted.kept = copies.find(|copy| is_there(copy));
    }
}

/// Where the copy of a file that an attempt left may be.
fn copies(session: &str, path: &str, number: DispatchNumber, attempt: Attempt) -> Vec<String> {
    let folder = format!("{session}/dispatches/{number}/attempt-{attempt}");
    match path.strip_prefix(&format!("{session}/")) {
        Some(below) => {
            vec![format!("{folder}/failed/session/{below}"), format!("{folder}/left/{below}")]
        }
        None => vec![format!("{folder}/failed/changes/{path}")],
    }
}

fn attempt_folder(report: &FailureReport) -> Option<String> {
    let (number, attempt) = report.dispatch.zip(report.attempt)?;
    Some(format!("{}/dispatches/{number}/attempt-{attempt}", session_path(&report.session)))
}
