//! What one attempt of a dispatch is given: its order, where it runs, and the input and the prompt made from the order.

use super::{ActivityError, outputs};
use crate::context::{Context, WorkspaceId};
use crate::journal::Lineage;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use tollgate_agents::Access;
use tollgate_contract::agent_input::SpecSection;
use tollgate_contract::prompt::{below_a_section, bullets, fenced, render};
use tollgate_contract::reply_form::{self, Way};
use tollgate_contract::skill::RoleFile;
use tollgate_contract::{agent_input, pack};
use tollgate_core::brief::Brief;
use tollgate_core::given::{GivenFiles, RoleText};
use tollgate_core::id::{Attempt, CommitId, DispatchNumber, SessionName};
use tollgate_core::limits::REPLY_BYTES_MAX;
use tollgate_core::reply::ReplyError;
use tollgate_core::role::{Mode, ProjectType, Role};
use tollgate_core::session::{Dispatch, Join, Session, Wanted};
use tollgate_core::worker::Worker;
use tollgate_files as files;
use tollgate_files::layout::{Layout, RunFolder, session_path};
use tollgate_files::{ListingEntry, ListingKind, TreeLimits, crash};
use tollgate_git::workspace::Workspace;

/// Everything an attempt needs, taken from the state when it was ordered.
#[derive(Debug, Clone)]
pub struct DispatchOrder {
    pub number: DispatchNumber,
    pub attempt: Attempt,
    /// The hash of the record that opened it.
    pub opened_by: String,
    pub brief: Brief,
    pub timeout_ms: u64,
    pub agent: Option<Worker>,
    pub session: SessionName,
    /// Where it works; parallel members have workspaces of their own.
    pub workspace_id: WorkspaceId,
    pub base: CommitId,
    pub tip: CommitId,
    /// The two sides that its work brings together; `tip` has both with markers.
    pub join: Option<Join>,
    pub about: SessionFacts,
    pub repo_state: RepoState,
    /// The dispatches that are not over; the private folders of all others go.
    pub open: Vec<DispatchNumber>,
}

/// What every dispatch of a session is told alike.
#[derive(Debug, Clone)]
pub struct SessionFacts {
    pub mode: Mode,
    pub project_type: ProjectType,
    pub instructions: Vec<String>,
    pub artefacts: Vec<String>,
}

/// How the repository is, as the agent reads it under `repo_state` in its input.
#[derive(Debug, Clone, Serialize)]
pub struct RepoState {
    branch: String,
    ci_status: &'static str,
    last_failed_step: Option<String>,
    base: CommitId,
    /// Shows everything that the session changed.
    diff: String,
}

impl DispatchOrder {
    pub fn of(
        session: &Session,
        lineage: &Lineage,
        number: DispatchNumber,
        attempt: Attempt,
    ) -> Option<Self> {
        let dispatch = session.dispatches.get(&number)?;
        Some(Self {
            number,
            attempt,
            opened_by: lineage.opened_by(Wanted::Dispatch(number, attempt)).to_owned(),
            brief: session.brief(number)?,
            timeout_ms: dispatch.timeout_ms(),
            agent: dispatch.agent().cloned(),
            session: session.opening.session.clone(),
            workspace_id: workspace_id_of(dispatch),
            base: session.merged_base().clone(),
            tip: dispatch.based_on().cloned().unwrap_or_else(|| session.branch.tip.clone()),
            join: session.join_of(dispatch),
            about: SessionFacts {
                mode: session.route.mode,
                project_type: session.opening.project_type,
                instructions: session.opening.instructions.clone(),
                artefacts: session.files.artefacts.keys().cloned().collect(),
            },
            repo_state: RepoState::of(session),
            open: open_dispatches(session),
        })
    }

    pub(super) fn rescue_name(&self) -> String {
        rescue_name(self.number, self.attempt)
    }
}

impl RepoState {
    pub(super) fn branch(&self) -> &str {
        &self.branch
    }

    fn of(session: &Session) -> Self {
        let base = session.merged_base();
        Self {
            branch: match &session.opening.base_branch {
                Some(branch) if !session.has_accepted_work() => branch.clone(),
                _ => session.branch(),
            },
            ci_status: match session.checks.last_passed {
                None => "unknown",
                Some(true) => "green",
                Some(false) => "red",
            },
            last_failed_step: session.checks.last_failed_step(),
            base: base.clone(),
            diff: format!("git diff {base}"),
        }
    }
}

fn open_dispatches(session: &Session) -> Vec<DispatchNumber> {
    let open = session.dispatches.iter().filter(|(_, dispatch)| dispatch.verdict().is_none());
    open.map(|(number, _)| *number).collect()
}

fn workspace_id_of(dispatch: &Dispatch) -> WorkspaceId {
    dispatch.own_lane().map_or(WorkspaceId::Session, WorkspaceId::Member)
}

/// Under what name the changes of an attempt that was not accepted are kept.
pub fn rescue_name(number: DispatchNumber, attempt: Attempt) -> String {
    format!("dispatch-{number}-attempt-{attempt}")
}

/// Where and for whom an attempt runs.
#[derive(Debug, Clone, Copy)]
pub struct Site<'a> {
    pub context: &'a Context,
    pub order: &'a DispatchOrder,
    pub workspace: &'a Workspace,
    pub folder: &'a RunFolder,
}

impl Site<'_> {
    /// Who did the work, as a commit names it.
    pub(super) fn assistant(&self) -> Option<String> {
        let by_settings = || self.context.config.agent_for(self.order.brief.role);
        match &self.order.agent {
            Some(worker) => self.context.assistant(worker.as_str()),
            None => self.context.assistant(by_settings()?.0),
        }
    }

    /// Brings the tree back to the last accepted commit; whatever was there is kept under this name.
    pub(super) fn clean_up(
        &self,
        name: &str,
        message: &str,
    ) -> Result<Option<String>, ActivityError> {
        let rescue = self.workspace.rescue(name, message)?;
        crash::point("dispatch.rescued");
        if rescue.is_some() {
            self.workspace.reset(&self.order.tip)?;
        }
        crash::point("dispatch.cleaned");
        Ok(rescue)
    }

    /// The files of the newest attempt stand in the dispatch's folder too, as links.
    pub(super) fn show_as_latest(&self) -> Result<(), ActivityError> {
        let folder = self.context.session_layout(&self.order.session).dispatch(self.order.number);
        let shown = [
            folder.input(),
            folder.prompt(),
            folder.reply(),
            folder.stdout(),
            folder.stderr(),
            folder.outputs(),
        ];
        for link in shown {
            let Some(name) = link.file_name() else {
                continue;
            };
            let target = Path::new(&format!("attempt-{}", self.order.attempt)).join(name);
            let is_there = folder.folder().join(&target).exists();
            if is_there && std::fs::read_link(&link).is_ok_and(|found| found == target) {
                continue;
            }
            let problem = || ActivityError::io(format!("cannot link {}", link.display()));
            if link.symlink_metadata().is_ok() {
                std::fs::remove_file(&link).map_err(problem())?;
            }
            if is_there {
                std::os::unix::fs::symlink(&target, &link).map_err(problem())?;
            }
        }
        Ok(())
    }
}

/// More files than this are named by their folder.
const REFERENCES_MAX: usize = 200;

/// Beside the input: what the attempt was given, for whoever collects it.
const GIVEN_FILES: &str = "given-files.json";

/// What the attempt is told to read, with the text of its role.
pub fn note_given(
    folder: &RunFolder,
    told: &DispatchOrder,
    role: (RoleText, &RoleFile),
    found: &ToRead,
) -> Result<(), ActivityError> {
    let (role_file, role) = role;
    let declared = outputs::declared(&told.brief.files, role);
    let session = session_path(&told.session);
    let mut outputs: Vec<String> =
        declared.session.iter().map(|name| format!("{session}/{name}")).collect();
    outputs.extend(declared.repository);
    let (instructions, context) = (&told.about.instructions, &told.brief.task.context_files);
    let mut named: Vec<String> = instructions.iter().chain(context).cloned().collect();
    named.extend(found.references.iter().chain(&found.earlier).cloned());
    let given = GivenFiles { role_file, files: named, outputs };
    let bytes = serde_json::to_vec_pretty(&given).expect("paths can be written as JSON");
    Ok(files::write_atomic(&folder.folder().join(GIVEN_FILES), &bytes)?)
}

/// None of an attempt that an earlier version began.
pub fn given_files(folder: &RunFolder) -> Result<Option<GivenFiles>, ActivityError> {
    match files::read_bounded(&folder.folder().join(GIVEN_FILES), REPLY_BYTES_MAX) {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// What the repository has for a role to read where its work needs it: references of the role by each of its names, and the
/// templates that all roles share.
pub fn references(tree: &Path, names: &[&str]) -> Vec<String> {
    let mut folders: Vec<String> =
        names.iter().map(|name| format!("agents/{name}/references")).collect();
    folders.push("agents/templates".to_owned());
    let mut found = Vec::new();
    for folder in folders {
        let is_folder = files::open_beneath(tree, &folder)
            .is_ok_and(|open| open.metadata().is_ok_and(|meta| meta.is_dir()));
        if !is_folder {
            continue;
        }
        let entries = files::list_files(&tree.join(&folder), TreeLimits::default());
        let plain = |entry: &ListingEntry| entry.kind == ListingKind::File;
        let listed: Vec<ListingEntry> =
            entries.unwrap_or_default().into_iter().filter(plain).collect();
        match listed.len() {
            0..=REFERENCES_MAX => {
                found.extend(listed.into_iter().map(|entry| format!("{folder}/{}", entry.path)));
            }
            _ => found.push(format!("{folder}/")),
        }
    }
    found.dedup();
    found
}

/// What the tree has for an agent to read beside the files that its task names.
#[derive(Debug, Default)]
pub struct ToRead {
    pub references: Vec<String>,
    /// Folders of earlier sessions.
    pub earlier: Vec<String>,
    pub sections: Vec<SpecSection>,
}

/// What may be done in a dispatch; each program has its own tools for it.
fn tools(access: Access) -> &'static [&'static str] {
    match access {
        Access::Read => &["read_file", "search_repo", "run_cmd"],
        Access::Session | Access::Tree => {
            &["read_file", "search_repo", "run_cmd", "write_file", "apply_patch"]
        }
    }
}

/// The input as JSON.
pub fn input(order: &DispatchOrder, found: &ToRead, access: Access) -> Value {
    let brief = &order.brief;
    let mut value = json!({
        "task": brief.task,
        "project_type": order.about.project_type,
        "repo_state": order.repo_state,
        "tools_available": tools(access),
        "artifact_list": order.about.artefacts,
        "session": order.session,
        "mode": order.about.mode,
        "dispatch": order.number,
        "attempt": order.attempt,
    });
    if !found.references.is_empty() {
        value["references"] = json!(found.references);
    }
    let points = brief.release.as_ref().map(|release| &release.points);
    if let Some(points) = points.filter(|points| brief.role == Role::Docs && !points.is_empty()) {
        value["report_points"] = json!(points);
    }
    if !found.earlier.is_empty() {
        value["earlier_sessions"] = json!(found.earlier);
    }
    if !found.sections.is_empty() {
        value["task"]["spec_sections"] = json!(found.sections);
    }
    if !brief.previous_errors.is_empty() {
        value["previous_errors"] = json!(brief.previous_errors);
    }
    value
}

/// Why the dispatch must not start: the input breaks the contract, or a file to read is not there.
pub fn faults(value: &Value, order: &DispatchOrder, tree: &Path) -> Vec<ReplyError> {
    let bytes = serde_json::to_vec(value).expect("a JSON value can always be written");
    let (_, report) = agent_input::read(&bytes, "input.json", Some(order.brief.role));
    let mut errors = report.reply_errors();
    for path in &order.brief.task.context_files {
        // A folder is named with a slash at its end.
        let named = path.strip_suffix('/').unwrap_or(path);
        if files::open_beneath(tree, named).is_err() {
            let message = "the role must read it first, and it does not exist";
            errors.push(ReplyError::new("input.context_missing", path.clone(), message));
        }
    }
    errors
}

/// What an agent is told whose session continues: what was wrong, and no more.
pub fn prompt_again(order: &DispatchOrder) -> String {
    let brief = &order.brief;
    let errors: Vec<String> = brief.previous_errors.iter().map(ToString::to_string).collect();
    let values = BTreeMap::from([
        ("role", brief.role.to_string()),
        ("previous_errors", fenced(&bullets(&errors))),
        ("feedback", fenced(&bullets(&brief.feedback))),
    ]);
    render(pack::PROMPT_AGAIN, &values)
}

/// Of the input, what no section of the prompt says. An agent program knows its own tools.
fn rest_of(value: &Value) -> Value {
    let mut rest = value.clone();
    if let Some(fields) = rest.as_object_mut() {
        const SAID: [&str; 4] =
            ["references", "earlier_sessions", "previous_errors", "tools_available"];
        fields.retain(|name, _| !SAID.contains(&name.as_str()));
    }
    if let Some(task) = rest["task"].as_object_mut() {
        task.remove("context_files");
    }
    rest
}

/// What every dispatch of a role is told alike, with a place where the rest stands.
pub fn prompt_of_role(role: &RoleFile, way: Way) -> String {
    let values = BTreeMap::from([
        ("role", role.role.to_string()),
        ("session_folder", format!("{}/SESSION/", Layout::SESSIONS)),
        ("role_text", below_a_section(role.body.trim())),
        ("input_json", "…".to_owned()),
        ("output_contract", reply_form::words(role.role, way)),
    ]);
    render(pack::PROMPT, &values)
}

pub fn prompt(role: &RoleFile, order: &DispatchOrder, value: &Value, way: Way) -> String {
    let brief = &order.brief;
    let errors: Vec<String> = brief.previous_errors.iter().map(ToString::to_string).collect();
    let named = |key: &str| -> Vec<String> {
        let values = value[key].as_array().into_iter().flatten();
        values.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let input_json =
        serde_json::to_string_pretty(&rest_of(value)).expect("a JSON value can always be written");
    let values = BTreeMap::from([
        ("role", brief.role.to_string()),
        ("session_folder", format!("{}/", session_path(&order.session))),
        ("role_text", below_a_section(role.body.trim())),
        ("input_json", fenced(&input_json)),
        ("context_files", bullets(&brief.task.context_files)),
        ("references", bullets(&named("references"))),
        ("earlier_sessions", bullets(&named("earlier_sessions"))),
        ("instructions", bullets(&order.about.instructions)),
        ("output_contract", reply_form::words(brief.role, way)),
        ("previous_errors", fenced(&bullets(&errors))),
        ("feedback", fenced(&bullets(&brief.feedback))),
    ]);
    render(pack::PROMPT, &values)
}
