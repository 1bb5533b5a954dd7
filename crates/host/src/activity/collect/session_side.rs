//! The session files of an attempt: what its role may write, read and kept; claims about tasks; what it had no right to touch.

use crate::activity::documents::Documents;
use crate::activity::order::Site;
use crate::activity::outputs::{self, Declared};
use crate::activity::session_files::{self, Differences, GIVEN, Given, Written};
use crate::activity::{ActivityError, criteria, plan};
use tollgate_contract::agent_output::PlannerResult;
use tollgate_contract::plan::{TASKS, is_item, is_part};
use tollgate_contract::skill::RoleFile;
use tollgate_contract::{acceptance, sections, tasks};
use tollgate_core::id::TaskId;
use tollgate_core::limits::REPLY_BYTES_MAX;
use tollgate_core::reply::{Reply, ReplyError, ReplyStatus};
use tollgate_core::role::{Mode, Role};
use tollgate_core::work::{Artefact, Breach, DispatchEnd, StatusClaim, Work};
use tollgate_files as files;
use tollgate_files::crash;
use tollgate_files::layout::session_path;
use tollgate_files::redact::Redactor;
use tollgate_judge::globs::PathRules;

/// The session files of an attempt, sorted and read; or how it ends because of them.
pub(super) fn session_side(
    at: &Site<'_>,
    role: &RoleFile,
    declared: &Declared,
    reply: &Reply,
    planner: Option<&PlannerResult>,
) -> Result<Result<SessionWork, DispatchEnd>, ActivityError> {
    let invalid = |errors| Ok(Err(super::invalid(errors, reply)));
    let mut given: Given = serde_json::from_slice(&files::read_bounded(
        &at.folder.folder().join(GIVEN),
        REPLY_BYTES_MAX,
    )?)
    .map_err(|error| ActivityError::io("cannot read the input of the attempt")(error.into()))?;
    // A file that was there before and that no role has delivered yet is delivered by the role that leaves it there.
    given.retain(|path, _| {
        at.order.about.artefacts.contains(path) || !declared.session.contains(path)
    });
    let mut found = session_files::differences(at.workspace.tree(), &at.order.session, &given)?;
    let record = at.context.session_layout(&at.order.session);
    let made = planner
        .map(|result| plan::make(record.folder(), &at.order.session, result, &mut found))
        .transpose()?;
    let made = match made.transpose() {
        Ok(made) => made,
        Err(errors) => return invalid(errors),
    };
    if let Some(result) = planner {
        let documents = Documents::of(at, &[]);
        let errors = plan::demanded_of_result(result, &at.order.session, &documents);
        documents.finish()?;
        if !errors.is_empty() {
            return invalid(errors);
        }
    }
    session_files::take_secrets_out(&mut found, &at.context.redactor.for_work());
    let mut missing = missing_outputs(at, declared, &given, &found);
    missing.retain(|_| made.is_none());
    missing.extend(outputs::missing(at.workspace.tree(), declared));
    if reply.status == ReplyStatus::Ok && !missing.is_empty() {
        if found.breaches.is_empty() {
            let findings = reply.findings.clone();
            return Ok(Err(DispatchEnd::MissingOutput { paths: missing, findings }));
        }
        // It is there, but not as something that can be taken.
        let errors = found.breaches.iter().map(|breach| {
            ReplyError::new("work.not_allowed", breach.path.clone(), breach.why.clone())
        });
        return invalid(errors.collect());
    }
    let (mut work, mut errors) = session_work(at, role, found);
    if let Some(made) = made {
        work.add(made, &at.context.redactor.for_work());
    }
    errors.extend(check_documents(at, &work.files, planner.is_some(), &mut work.work)?);
    match errors.is_empty() {
        true => Ok(Ok(work)),
        false => invalid(errors),
    }
}

fn missing_outputs(
    at: &Site<'_>,
    declared: &Declared,
    given: &Given,
    found: &Differences,
) -> Vec<String> {
    let is_there = |output: &str| {
        let named =
            |path: &str| path == output || (output.ends_with('/') && path.starts_with(output));
        found.written.iter().any(|file| named(&file.path))
            || given.keys().any(|path| named(path) && !found.deleted.contains(path))
    };
    let folder = session_path(&at.order.session);
    let outputs = declared.session.iter();
    outputs.filter(|output| !is_there(output)).map(|output| format!("{folder}/{output}")).collect()
}

pub(super) struct SessionWork {
    pub work: Work,
    files: Vec<Written>,
}

impl SessionWork {
    /// A session file as the role has written it.
    pub fn written(&self, path: &str) -> Option<&[u8]> {
        self.files.iter().find(|file| file.path == path).map(|file| &*file.bytes)
    }

    /// Files that the engine made count as if the role had written them.
    fn add(&mut self, made: plan::Made, redactor: &Redactor) {
        let mut clean = Differences { written: made.files, ..Differences::default() };
        session_files::take_secrets_out(&mut clean, redactor);
        for file in clean.written {
            let artefact = Artefact { path: file.path.clone(), sha256: file.sha256.clone() };
            self.work.documents.artefacts.push(artefact);
            self.files.push(file);
        }
        self.work.documents.refinements = made.refinements;
        self.work.documents.dropped.extend(made.dropped);
    }
}

/// Sorts what was done to session files: artefacts of the role, claims about tasks, and breaches.
fn session_work(
    at: &Site<'_>,
    role: &RoleFile,
    found: Differences,
) -> (SessionWork, Vec<ReplyError>) {
    let artefacts = PathRules::new(&role.artefacts).unwrap_or_default();
    let prefix = format!("{}/", session_path(&at.order.session));
    let mut work = Work::default();
    work.left_out.breaches = found.breaches;
    let mut taken = Vec::new();
    let mut errors = Vec::new();
    for file in found.written {
        if may_write(at, &artefacts, &file.path) {
            work.documents
                .artefacts
                .push(Artefact { path: file.path.clone(), sha256: file.sha256.clone() });
            taken.push(file);
        } else if file.path == "tasks.yaml" {
            match status_claims(at, &file) {
                Some(claims) => work.documents.status_claims.extend(claims),
                None => {
                    let message =
                        "only the Planner may change the plan, and only Tollgate changes statuses";
                    errors.push(ReplyError::new(
                        "work.not_allowed",
                        format!("{prefix}tasks.yaml"),
                        message,
                    ));
                }
            }
        } else if file.path == "status.json" {
            work.documents.dropped.push(format!("{prefix}status.json"));
        } else {
            let why = "this role may not write this session file".to_owned();
            work.left_out.breaches.push(Breach { path: format!("{prefix}{}", file.path), why });
        }
    }
    // A deleted session file is put back by the next copy; only an artefact of the role may go.
    (SessionWork { work, files: taken }, errors)
}

/// In full mode the plan is the Planner's; SpecAgent writes it only for lean work.
fn may_write(at: &Site<'_>, artefacts: &PathRules, path: &str) -> bool {
    let plan_of_another = path == "tasks.yaml"
        && at.order.brief.role == Role::SpecAgent
        && at.order.about.mode == Mode::Full;
    artefacts.matches(path) && !plan_of_another
}

/// The statuses that differ, when nothing else does.
fn status_claims(at: &Site<'_>, file: &Written) -> Option<Vec<StatusClaim>> {
    let record = at.context.session_layout(&at.order.session).tasks();
    let before = std::fs::read_to_string(record).ok()?;
    let (before, _) = tasks::read(&before, "tasks.yaml");
    let (now, _) = tasks::read(std::str::from_utf8(&file.bytes).ok()?, "tasks.yaml");
    let (before, now) = (before?, now?);
    if before.tasks != now.tasks {
        return None;
    }
    let changed = |(task, status): (&TaskId, &String)| {
        (before.statuses.get(task) != Some(status))
            .then(|| StatusClaim { task: task.clone(), status: status.clone() })
    };
    Some(now.statuses.iter().filter_map(changed).collect())
}

/// Keeps the content of every artefact with the attempt that brought it.
pub(super) fn keep_outputs(at: &Site<'_>, work: &SessionWork) -> Result<(), ActivityError> {
    let outputs = at.folder.outputs();
    std::fs::create_dir_all(&outputs)
        .map_err(ActivityError::io(format!("cannot make {}", outputs.display())))?;
    for file in &work.files {
        files::write_beneath(&outputs, &file.path, &file.bytes)?;
        // The journal will say that it was accepted and cannot make it again.
        files::sync_beneath(&outputs, &file.path)?;
    }
    crash::point("collect.outputs_kept");
    Ok(())
}

/// Reads the documents that the engine works with, and reports every fault.
fn check_documents(
    at: &Site<'_>,
    files: &[Written],
    is_made: bool,
    work: &mut Work,
) -> Result<Vec<ReplyError>, ActivityError> {
    let mut errors = Vec::new();
    let session = &at.order.session;
    let documents = Documents::of(at, files);
    work.documents.notices = files.iter().flat_map(notices_of).collect();
    for file in files.iter().filter(|file| file.path != TASKS) {
        let path = format!("{}/{}", session_path(session), file.path);
        if is_item(&file.path) {
            match plan::item(&file.path, session, &file.bytes) {
                Ok(question) if !is_made => {
                    let is_new = !at.order.about.artefacts.contains(&file.path);
                    let item = (file.path.as_str(), file.bytes.as_slice());
                    errors.extend(plan::demanded_of_item(item, session, is_new, &documents));
                    work.documents.refinements.extend(question);
                }
                Ok(_) => {}
                Err(faults) => errors.extend(faults),
            }
            continue;
        }
        match read_document(&file.path, &path, &file.bytes, at.order.about.mode) {
            Ok(Document::Criteria(criteria)) => work.documents.criteria = Some(criteria),
            Ok(Document::Plan(_) | Document::Text) => {}
            Err(faults) => errors.extend(faults),
        }
    }
    documents.finish()?;
    let record = at.context.session_layout(session);
    if errors.is_empty() {
        let written =
            |name: &str| files.iter().find(|file| file.path == name).map(|file| &*file.bytes);
        errors.extend(criteria::one_sided(&record, session, written)?);
    }
    if !is_made && !files.iter().any(|file| is_part(&file.path)) {
        return Ok(errors);
    }
    match plan::read(record.folder(), session, files)? {
        Ok(Some(plan)) if at.order.about.mode == Mode::Lean && plan.len() != 1 => {
            errors.push(plan::not_lean(session, plan.len()));
        }
        Ok(plan) => work.documents.plan = plan,
        // What is wrong with an item was told above.
        Err(mut faults) => {
            faults.retain(|fault| !errors.contains(fault));
            errors.extend(faults);
        }
    }
    Ok(errors)
}

/// What is odd about a session file and stops nothing.
fn notices_of(file: &Written) -> Vec<String> {
    let (path, text) = (file.path.as_str(), String::from_utf8_lossy(&file.bytes));
    let report = match path {
        "tasks.yaml" => tasks::read(&text, path).1,
        "report.md" => sections::check_report(&text, path),
        "spec.md" => sections::check_spec(&text, path, Mode::Full),
        "architecture.md" => sections::check_architecture(&text, path),
        _ => return Vec::new(),
    };
    report.warnings().map(|found| format!("{}: {}", found.place(), found.message)).collect()
}

/// A session file that the engine understands.
#[derive(Debug)]
pub enum Document {
    Plan(Vec<tollgate_core::task::TaskSpec>),
    Criteria(Vec<tollgate_core::task::Criterion>),
    Text,
}

pub fn read_document(
    name: &str,
    path: &str,
    bytes: &[u8],
    mode: Mode,
) -> Result<Document, Vec<ReplyError>> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Err(vec![ReplyError::new("file.not_utf8", path, "the file is not UTF-8 text")]);
    };
    let report = match name {
        "spec.md" => sections::check_spec(text, path, mode),
        "architecture.md" => sections::check_architecture(text, path),
        "report.md" => sections::check_report(text, path),
        "acceptance.json" => match acceptance::read(text, path) {
            (Some(criteria), _) => return Ok(Document::Criteria(criteria)),
            (None, report) => report,
        },
        "tasks.yaml" => match tasks::read(text, path) {
            (Some(plan), _) => return Ok(Document::Plan(plan.tasks)),
            (None, report) => report,
        },
        _ => return Ok(Document::Text),
    };
    let errors = report.reply_errors();
    if errors.is_empty() { Ok(Document::Text) } else { Err(errors) }
}
