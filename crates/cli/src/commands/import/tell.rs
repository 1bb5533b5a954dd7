//! What an import tells: what was kept, what was repaired, what is asked, and how to continue.

use crate::output;
use serde::Serialize;
use std::collections::BTreeMap;
use tollgate_contract::diagnostic::{Diagnostic, Report};
use tollgate_core::count::counted;
use tollgate_core::decision::DecisionStatus;
use tollgate_core::import::Repairs;
use tollgate_core::notice::NoticeCode;
use tollgate_core::role::State;
use tollgate_core::view::{NoticeView, QuestionView, View};
use tollgate_host::import::{ForeignFolder, Prepared};

/// What the session that came of it does not tell any more.
pub struct Told {
    recorded: Option<State>,
    decisions: usize,
    decisions_open: usize,
    repairs: BTreeMap<String, Repairs>,
    documents: Vec<String>,
    report: Report,
}

#[derive(Serialize)]
struct Imported<'a> {
    schema_version: u32,
    dry_run: bool,
    session: &'a str,
    from: &'a str,
    /// What its status.json named.
    recorded_state: Option<State>,
    mode: &'a str,
    action: &'a str,
    goal: &'a str,
    state: &'a str,
    base: &'a str,
    decisions: usize,
    decisions_open: usize,
    tasks: Vec<Task<'a>>,
    repair_counters: &'a BTreeMap<String, Repairs>,
    documents: &'a [String],
    repaired: &'a [Diagnostic],
    notices: Vec<&'a NoticeView>,
    questions: &'a [QuestionView],
}

#[derive(Serialize)]
struct Task<'a> {
    id: &'a str,
    status: &'a str,
}

impl Told {
    pub fn of(prepared: &Prepared) -> Self {
        let import = &prepared.import;
        let is_open = |status: DecisionStatus| status == DecisionStatus::Pending;
        let of_tasks = import.tasks.iter().map(|task| (task.spec.id.to_string(), &task.repairs));
        let all = of_tasks.chain([("meta".to_owned(), &import.repairs)]);
        let repairs = all.filter(|(_, repairs)| !repairs.is_empty());
        Self {
            recorded: import.origin.state,
            decisions: import.decisions.len(),
            decisions_open: import.decisions.iter().filter(|d| is_open(d.status)).count(),
            repairs: repairs.map(|(task, repairs)| (task, repairs.clone())).collect(),
            documents: prepared.documents.keys().cloned().collect(),
            report: prepared.report.clone(),
        }
    }

    pub fn json(&self, folder: &ForeignFolder, view: &View, dry_run: bool) {
        let tasks = view.work.tasks.iter();
        output::json(&Imported {
            schema_version: view.schema_version,
            dry_run,
            session: view.session.as_str(),
            from: folder.shown(),
            recorded_state: self.recorded,
            mode: view.route.mode.as_str(),
            action: &view.route.action,
            goal: &view.goal,
            state: view.route.state.as_str(),
            base: view.branch.base.as_str(),
            decisions: self.decisions,
            decisions_open: self.decisions_open,
            tasks: tasks.map(|t| Task { id: t.id.as_str(), status: t.status.as_str() }).collect(),
            repair_counters: &self.repairs,
            documents: &self.documents,
            repaired: &self.report.diagnostics,
            notices: view.record.notices.iter().filter(|n| !is_repair(n)).collect(),
            questions: &view.pending_decisions,
        });
    }

    pub fn text(&self, folder: &ForeignFolder, view: &View, dry_run: bool) {
        output::report(&self.report);
        for notice in view.record.notices.iter().filter(|notice| !is_repair(notice)) {
            output::marked(output::NOTE, "note:", &notice.message);
        }
        let would = if dry_run { "would import" } else { "imported" };
        let base: String = view.branch.base.as_str().chars().take(12).collect();
        let mut lines = vec![
            format!("{would}  {} as {}", folder.shown(), view.session),
            format!("route     {} ({})", view.route.action, view.route.mode),
            format!("state     {}", view.route.state),
            format!("kept      {}", self.kept(view)),
            format!("code      what HEAD has ({base})"),
        ];
        for question in &view.pending_decisions {
            let first = question.question.lines().next().unwrap_or_default();
            lines.push(format!("asks      {}: {first}", question.decision_id));
        }
        output::data_rows(lines);
        let next = match dry_run {
            true => "nothing was written; without --dry-run it is imported".to_owned(),
            false => format!("continue with `tollgate resume {}`", view.session),
        };
        output::talk(&next);
    }

    fn kept(&self, view: &View) -> String {
        let mut by_status: BTreeMap<&str, usize> = BTreeMap::new();
        for task in &view.work.tasks {
            *by_status.entry(task.status.as_str()).or_default() += 1;
        }
        let statuses: Vec<String> =
            by_status.iter().map(|(status, count)| format!("{count} {status}")).collect();
        let statuses = match statuses.is_empty() {
            true => String::new(),
            false => format!(" ({})", statuses.join(", ")),
        };
        let counters: usize = self.repairs.values().map(BTreeMap::len).sum();
        format!(
            "{}, {}{statuses}, {}, {}",
            counted(self.decisions, "decision"),
            counted(view.work.tasks.len(), "task"),
            counted(counters, "repair counter"),
            counted(self.documents.len(), "file"),
        )
    }
}

/// Told already, with its place and help.
fn is_repair(notice: &NoticeView) -> bool {
    notice.code == NoticeCode::ImportRepaired
}
