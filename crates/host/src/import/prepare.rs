//! The files of another orchestrator, made ready: the facts for the engine, and the documents for the new folder.

use super::ForeignFolder;
use std::collections::BTreeMap;
use tollgate_contract::diagnostic::{Diagnostic, Report};
use tollgate_contract::foreign::{self, ForeignPlan, ForeignStatus, Renamed};
use tollgate_contract::plan::{is_item, with_items};
use tollgate_core::id::{DecisionId, SessionName};
use tollgate_core::import::{Import, ImportedTask, Origin, Rejection, Repairs};
use tollgate_core::limits::GOAL_BYTES_MAX;
use tollgate_core::role::{Mode, State};
use tollgate_core::task::{Criterion, TaskSpec, TaskStatus};
use tollgate_core::time::Timestamp;
use tollgate_core::work::Artefact;
use tollgate_files::layout::{Layout, session_path};
use tollgate_files::{self as files};

const STATUS: &str = "status.json";
const TASKS: &str = "tasks.yaml";
const ACCEPTANCE: &str = "acceptance.json";
const HISTORY: &str = "approve-design-history.jsonl";
/// What was repaired, or cannot be read, is kept here as it was.
const KEPT: &str = "imported";

/// Documents that are on record, and folders of such.
const RECORDED: [&str; 9] = [
    "spec.md",
    ACCEPTANCE,
    "architecture.md",
    TASKS,
    "report.md",
    "adr/",
    "research/",
    "design-specs/",
    "work-items/",
];

/// Ready to become a session.
#[derive(Debug)]
pub struct Prepared {
    pub import: Import,
    /// What lies in the new folder, by path.
    pub documents: BTreeMap<String, Vec<u8>>,
    /// What was found, one diagnosis for each cause.
    pub report: Report,
}

impl ForeignFolder {
    fn status(&self) -> (ForeignStatus, Vec<Diagnostic>) {
        match self.files().get(STATUS) {
            Some(bytes) => {
                let (status, report) = foreign::status(bytes, STATUS);
                (status, report.diagnostics)
            }
            None => (ForeignStatus::default(), vec![foreign::status_missing(STATUS)]),
        }
    }

    /// What its files say about the route; none where it could be either.
    pub fn mode(&self) -> Option<Mode> {
        let (status, _) = self.status();
        let has = |name: &str| self.files().keys().any(|path| path.starts_with(name));
        let is_gate = |id: &DecisionId| id.is_well_known();
        let of_design = |state: State| {
            use State::{ApproveDesign, Design, Intake, Plan, Release, ReviewStrategy};
            matches!(state, Intake | Design | ApproveDesign | Plan | ReviewStrategy | Release)
        };
        let contexts = status.decisions.iter().filter_map(|decision| decision.state_context);
        if status.mode.is_some() {
            return status.mode;
        }
        let mut states = contexts.chain(status.state);
        if status.state == Some(State::IntakeLean) {
            return Some(Mode::Lean);
        }
        let is_full = has("architecture.md")
            || has("adr/")
            || has("design-specs/")
            || status.decisions.iter().any(|decision| is_gate(&decision.id))
            || states.any(of_design)
            || self
                .plan(&status, Renamed { from: "", to: "" })
                .0
                .is_none_or(|p| p.tasks.len() != 1);
        is_full.then_some(Mode::Full)
    }

    /// What the session is for.
    pub fn goal(&self) -> String {
        let said = self.status().0.goal;
        let of_spec = || self.text("spec.md").and_then(foreign::goal);
        let mut goal = said.or_else(of_spec).unwrap_or_else(|| self.slug().replace('-', " "));
        let cut = (0..=goal.len().min(GOAL_BYTES_MAX)).rev().find(|at| goal.is_char_boundary(*at));
        goal.truncate(cut.unwrap_or_default());
        goal
    }

    /// Its name without the date.
    pub fn slug(&self) -> &str {
        match SessionName::parse(self.name()) {
            Ok(_) => &self.name()[11..],
            Err(_) => self.name(),
        }
    }

    fn plan(&self, status: &ForeignStatus, renamed: Renamed<'_>) -> (Option<ForeignPlan>, Report) {
        match self.files().get(TASKS).map(|bytes| String::from_utf8_lossy(bytes)) {
            Some(text) => foreign::plan(&text, renamed, &status.task_statuses),
            None => (None, Report::default()),
        }
    }

    /// What it comes to as a session of this name.
    pub fn prepare(&self, session: &SessionName, mode: Mode) -> Prepared {
        let (status, mut found) = self.status();
        let mut documents = self.copied();
        let renamed = (format!("{}/{}", Layout::SESSIONS, self.name()), session_path(session));
        let (plan, report) = self.plan(&status, Renamed { from: &renamed.0, to: &renamed.1 });
        found.extend(report.diagnostics);
        let plan = self.keep_plan(plan, &mut documents, &mut found);
        let criteria = self.keep_criteria(&mut documents, &mut found);
        for name in ["spec.md", "architecture.md", "report.md"] {
            let text = self.text(name);
            let report = text.map(|text| foreign::document(name, text, mode));
            found.extend(report.unwrap_or_default().diagnostics);
        }
        found.extend(self.left_out().iter().cloned());
        let is_recorded = |path: &&String| {
            RECORDED.iter().any(|known| match known.ends_with('/') {
                true => path.starts_with(known),
                false => path.as_str() == *known,
            })
        };
        let recorded = documents.iter().filter(|(path, _)| is_recorded(path));
        let recorded = recorded
            .map(|(path, bytes)| Artefact { path: path.clone(), sha256: files::hash_bytes(bytes) });
        let line = |d: &Diagnostic| format!("{}: {} [{}]", d.path, d.message, d.code);
        let origin = Origin {
            folder: self.shown().to_owned(),
            fingerprint: self.fingerprint(),
            state: status.state,
        };
        let import = Import {
            origin,
            documents: recorded.collect(),
            criteria,
            tasks: tasks(plan, &status),
            repairs: status.repairs.get("meta").cloned().unwrap_or_default(),
            assumptions: status.assumptions,
            known_issues: status.known_issues,
            decisions: status.decisions,
            rejections: self.rejections(),
            correction: status.correction,
            blocker: status.blocker,
            repaired: found.iter().map(line).collect(),
        };
        Prepared { import, documents, report: Report { diagnostics: found } }
    }

    /// Every file as it is, but those that Tollgate writes itself; the status is kept to look at.
    fn copied(&self) -> BTreeMap<String, Vec<u8>> {
        let files = self.files().iter().filter(|(path, _)| path.as_str() != HISTORY);
        let name = |path: &String| match path.as_str() {
            STATUS => format!("{KEPT}/{STATUS}"),
            _ => path.clone(),
        };
        files.map(|(path, bytes)| (name(path), bytes.clone())).collect()
    }

    fn keep_plan(
        &self,
        plan: Option<ForeignPlan>,
        documents: &mut BTreeMap<String, Vec<u8>>,
        found: &mut Vec<Diagnostic>,
    ) -> Option<ForeignPlan> {
        let original = documents.remove(TASKS)?;
        let items = self.files().iter().filter(|(path, _)| is_item(path));
        let items: BTreeMap<String, String> = items
            .map(|(path, bytes)| (path.clone(), String::from_utf8_lossy(bytes).into_owned()))
            .collect();
        let filled = plan.map(|plan| (with_items(plan.tasks.clone(), &items), plan));
        let plan = match filled {
            Some((Ok(tasks), plan)) => Some(ForeignPlan { tasks, ..plan }),
            Some((Err(report), _)) => {
                found.extend(report.diagnostics);
                None
            }
            None => None,
        };
        let text = plan.as_ref().map(|plan| plan.text.clone().into_bytes());
        if text.as_ref() != Some(&original) {
            documents.insert(format!("{KEPT}/{TASKS}"), original);
        }
        documents.extend(text.map(|text| (TASKS.to_owned(), text)));
        plan
    }

    fn keep_criteria(
        &self,
        documents: &mut BTreeMap<String, Vec<u8>>,
        found: &mut Vec<Diagnostic>,
    ) -> Vec<Criterion> {
        let Some(original) = documents.remove(ACCEPTANCE) else { return Vec::new() };
        let (read, report) = foreign::criteria(&String::from_utf8_lossy(&original), ACCEPTANCE);
        found.extend(report.diagnostics);
        let (text, criteria) = read.unzip();
        let text = text.map(String::into_bytes);
        if text.as_ref() != Some(&original) {
            documents.insert(format!("{KEPT}/{ACCEPTANCE}"), original);
        }
        documents.extend(text.map(|text| (ACCEPTANCE.to_owned(), text)));
        criteria.unwrap_or_default()
    }

    /// One JSON line for each time that changes of the design were asked for.
    fn rejections(&self) -> Vec<Rejection> {
        let read = |line: &str| {
            let value: serde_json::Value = serde_json::from_str(line).ok()?;
            let answer = value["answer"].as_str()?.to_owned();
            Some(Rejection { at: value["at"].as_str().and_then(Timestamp::parse), answer })
        };
        self.text(HISTORY).map(|text| text.lines().filter_map(read).collect()).unwrap_or_default()
    }
}

fn tasks(plan: Option<ForeignPlan>, status: &ForeignStatus) -> Vec<ImportedTask> {
    let Some(plan) = plan else { return Vec::new() };
    let task = |spec: TaskSpec| ImportedTask {
        status: plan.statuses.get(&spec.id).copied().unwrap_or(TaskStatus::NotStarted),
        repairs: status.repairs.get(spec.id.as_str()).cloned().unwrap_or_else(Repairs::new),
        spec,
    };
    plan.tasks.into_iter().map(task).collect()
}
