//! GitHub Actions: a command that runs in a step shows there what came of it, as annotations and in the step's summary.

use crate::failure::Failure;
use crate::output;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Component, Path, PathBuf};
use std::sync::LazyLock;
use tollgate_core::view::View;
use tollgate_desk::formats::CheckHistory;
use tollgate_desk::formats::actions::{self, Annotation, SUMMARY_BYTES_MAX, Weight};
use tollgate_files::layout::Layout;

/// The step is told, unless `TOLLGATE_GITHUB=off` says that it must not be.
pub fn is_told() -> bool {
    static IS_OFF: LazyLock<bool> =
        LazyLock::new(|| std::env::var_os("TOLLGATE_GITHUB").is_some_and(|value| value == "off"));
    output::is_step() && !*IS_OFF
}

/// What a session has come to.
pub fn tell_session(root: &Path, view: &View) {
    if !is_told() {
        return;
    }
    // What cannot be read is left out here, and reported where it is asked for.
    let layout = Layout::new(root).session(&view.session);
    let history = CheckHistory::read(&layout).unwrap_or_default();
    annotate(actions::annotations(view, &history, |file| from_workspace(root, file)));
    summarize(&actions::summary(view, &history));
}

pub fn tell_failure(failure: &Failure) {
    if !is_told() {
        return;
    }
    let words: Vec<&str> = std::iter::once(failure.message.as_str())
        .chain(failure.hints.iter().map(String::as_str))
        .collect();
    let title = format!("tollgate: {}", failure.code);
    annotate(vec![Annotation::new(Weight::Error, title, words.join("\n"))]);
}

pub fn annotate(annotations: Vec<Annotation>) {
    if !is_told() {
        return;
    }
    let (shown, rest) = actions::shown(annotations);
    for annotation in &shown {
        output::to_runner(&annotation.command());
    }
    if rest > 0 {
        output::talk(&format!("GitHub shows no more annotations of a step; there are {rest} more"));
    }
}

/// Added to the summary of the step, as far as there is room.
pub fn summarize(parts: &[String]) {
    let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()) else {
        return;
    };
    if !is_told() {
        return;
    }
    let path = PathBuf::from(path);
    let written = OpenOptions::new().append(true).create(true).open(&path).and_then(|mut file| {
        let used = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
        let text = actions::fitting(parts, SUMMARY_BYTES_MAX.saturating_sub(used));
        file.write_all(text.as_bytes())
    });
    if let Err(cause) = written {
        let text = format!("the step's summary cannot be written to {}: {cause}", path.display());
        output::aside(output::WARN, "note:", &text);
    }
}

/// A file as annotations name it: from the root of what the workflow has checked out. None where it is not in there.
pub fn from_workspace(folder: &Path, file: &str) -> Option<String> {
    let whole = plain(&folder.canonicalize().ok()?.join(file))?;
    let workspace = std::env::var_os("GITHUB_WORKSPACE").map(PathBuf::from);
    let root = workspace.and_then(|path| path.canonicalize().ok());
    let root = root.unwrap_or(folder.canonicalize().ok()?);
    let inside = whole.strip_prefix(&root).ok()?;
    inside.to_str().filter(|path| !path.is_empty()).map(str::to_owned)
}

/// Without `.` and `..`; nothing is looked up.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop().then_some(())?;
            }
            part => plain.push(part),
        }
    }
    Some(plain)
}
