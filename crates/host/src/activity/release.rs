//! A dispatch at RELEASE: what its report and the README must say, and the tags that it made.

use super::ActivityError;
use super::order::Site;
use tollgate_contract::report_points;
use tollgate_core::brief::Release;
use tollgate_core::limits::ARTEFACT_BYTES_MAX;
use tollgate_core::reply::{Reply, ReplyError};
use tollgate_core::role::Role;
use tollgate_core::work::Work;
use tollgate_files as files;
use tollgate_files::layout::session_path;
use tollgate_git::workspace::RawChange;

pub(super) const REPORT: &str = "report.md";

/// Looks at what Docs left at RELEASE: what is wrong with it, and what the report names of all that it must.
pub(super) fn look(
    at: &Site<'_>,
    reply: &Reply,
    changes: &[RawChange],
    written: Option<&[u8]>,
) -> (Vec<ReplyError>, Vec<String>) {
    let Some(release) = at.order.brief.release.as_ref().filter(|_| is_writer(at)) else {
        return Default::default();
    };
    let mut errors = readme_faults(at, release, reply, changes);
    let Some(text) = report_text(at, written) else {
        return (errors, Vec::new());
    };
    let path = format!("{}/{REPORT}", session_path(&at.order.session));
    let missing = report_points::missing(&text, &release.points);
    for point in &missing {
        let message = format!(
            "it does not name this {}: {}; write {} where you speak of it",
            point.kind, point.text, point.id
        );
        errors.push(ReplyError::new("report.point_missing", path.clone(), message));
    }
    for step in &reply.manual_steps {
        if !report_points::has_words(&text, step) {
            let message = format!("it does not name this step of manual_steps: {step}");
            errors.push(ReplyError::new("report.point_missing", path.clone(), message));
        }
    }
    let named = release.points.iter().filter(|point| !missing.contains(point));
    (errors, named.map(|point| point.id.clone()).collect())
}

/// Docs, where its step leaves the report.
fn is_writer(at: &Site<'_>) -> bool {
    let brief = &at.order.brief;
    brief.role == Role::Docs && brief.files.outputs.iter().any(|output| output == REPORT)
}

/// As the role has written it now, else as it was accepted before.
fn report_text(at: &Site<'_>, written: Option<&[u8]>) -> Option<String> {
    let kept = || {
        let layout = at.context.session_layout(&at.order.session);
        files::read_beneath(layout.folder(), REPORT, ARTEFACT_BYTES_MAX).ok()
    };
    let bytes = written.map(<[u8]>::to_vec).or_else(kept)?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// A README that nobody touched in the session is right only if somebody says why.
fn readme_faults(
    at: &Site<'_>,
    release: &Release,
    reply: &Reply,
    changes: &[RawChange],
) -> Vec<ReplyError> {
    let is_changed = release.is_readme_changed
        || changes
            .iter()
            .any(|change| is_readme(change.path.rsplit('/').next().unwrap_or_default()));
    if is_changed || reply.readme_unchanged.is_some() {
        return Vec::new();
    }
    let entries = std::fs::read_dir(at.workspace.tree()).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let Some(name) = names.into_iter().find(|name| is_readme(name)) else {
        return Vec::new();
    };
    let message = format!(
        "nothing in this session changed {name}; bring it up to date, or say here why it needs no change"
    );
    vec![ReplyError::new("report.readme_unchanged", "/artifacts/readme_unchanged", message)]
}

fn is_readme(name: &str) -> bool {
    name.to_lowercase().starts_with("readme")
}

/// Tags are made by nobody but the Integrator, at RELEASE.
pub(super) fn makes_tags(at: &Site<'_>) -> bool {
    at.order.brief.role == Role::Integrator && at.order.brief.release.is_some()
}

/// Notes the tags that it made.
pub(super) fn take_tags(at: &Site<'_>, work: &mut Work) -> Result<(), ActivityError> {
    if makes_tags(at) {
        let made = at.workspace.made_tags()?;
        work.code.tags = made.new;
        work.code.refused_tags = made.refused;
    }
    Ok(())
}
