//! `tollgate check`: validates documents of any origin.

mod step;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{output, place};
use clap::Args;
use serde::Serialize;
use std::path::{Path, PathBuf};
use tollgate_contract::action;
use tollgate_contract::diagnostic::{Diagnostic, Level, Report};
use tollgate_contract::document::{self, DocumentKind};
use tollgate_contract::done::{self, SessionTexts};
use tollgate_contract::nearest::nearest;
use tollgate_contract::status;
use tollgate_core::limits::ARTEFACT_BYTES_MAX;
use tollgate_core::policy::Policy;
use tollgate_core::role::Mode;
use tollgate_files::layout::{Layout, SessionLayout};
use tollgate_files::{self as files, FileError};
use tollgate_host::sessions::is_foreign;
use tollgate_host::settings::{self, actions};

const SESSION: &str = "session";
const STATUS_FILE: &str = "status.json";

/// What is checked of a session folder, where it is there.
const SESSION_FILES: [(&str, DocumentKind); 6] = [
    (STATUS_FILE, DocumentKind::Status),
    ("tasks.yaml", DocumentKind::Tasks),
    ("acceptance.json", DocumentKind::Acceptance),
    ("spec.md", DocumentKind::Spec),
    ("architecture.md", DocumentKind::Architecture),
    ("report.md", DocumentKind::Report),
];

/// Check documents: plans, work items, specifications, replies, settings, roles, actions, stages, or a session folder
///
/// Tollgate detects the kind by name and content, unless you give it with --as. It checks the format of a document,
/// not what the document refers to. The documents of a session folder are also compared: a session that says DONE has no
/// open task, pending question or unmet criterion. Exit code 0: all are valid; 1: one is invalid; 2: one cannot be read
/// or its kind is unknown.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tollgate check tollgate.toml\n  tollgate check .agents-work/2026-01-31_login\n  \
tollgate check --as agent-output reply.json\n  tollgate check --json plan/tasks.yaml spec.md"
)]
pub struct Check {
    /// The kind of the documents, such as `tasks` or `agent-output`
    #[arg(long = "as", value_name = "KIND")]
    pub kind: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Documents or session folders
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CheckAs {
    Session,
    Document(DocumentKind),
}

#[derive(Debug, Default)]
struct CheckedDocuments {
    report: Report,
    documents: usize,
    /// Something could not be looked at, which is not the same as not holding.
    is_incomplete: bool,
    /// Session folders of another orchestrator.
    foreign: Vec<String>,
}

#[derive(Serialize)]
struct CheckOutput<'a> {
    ok: bool,
    diagnostics: &'a [Diagnostic],
}

impl Check {
    pub fn run(self) -> Result<Exit, Failure> {
        let wanted = self.kind.as_deref().map(wanted).transpose()?;
        let mut findings = CheckedDocuments::default();
        for path in &self.paths {
            findings.check(path, wanted);
        }
        let ok = findings.report.is_ok();
        if self.json {
            output::json(&CheckOutput { ok, diagnostics: &findings.report.diagnostics });
        } else {
            output::report(&findings.report);
            let errors = findings.report.errors().count();
            let warnings = findings.report.warnings().count();
            let (style, mark) = if ok { (output::GOOD, "ok:") } else { (output::BAD, "failed:") };
            let documents = findings.documents;
            let text = format!(
                "{} checked, {}, {}",
                tollgate_core::count::counted(documents, "document"),
                tollgate_core::count::counted(errors, "error"),
                tollgate_core::count::counted(warnings, "warning")
            );
            output::marked(style, mark, &text);
            for path in &findings.foreign {
                let text = format!(
                    "{path} is of another orchestrator, not of Tollgate; `tollgate import {path}` takes it over"
                );
                output::marked(output::NOTE, "note:", &text);
            }
        }
        step::tell(&findings.report, findings.documents);
        Ok(match (findings.is_incomplete, ok) {
            (true, _) => Exit::Usage,
            (false, false) => Exit::Fails,
            (false, true) => Exit::Ok,
        })
    }
}

/// The mode of the session that the document lies in; full without one.
fn mode_of(document: &Path) -> Mode {
    let status = document.with_file_name(STATUS_FILE);
    let bytes = files::read_bounded(&status, ARTEFACT_BYTES_MAX).ok();
    let status = bytes.and_then(|bytes| status::read(&bytes, STATUS_FILE).0);
    status.and_then(|status| status.mode).map_or(Mode::Full, |mode| mode.0)
}

fn wanted(name: &str) -> Result<CheckAs, Failure> {
    if name == SESSION {
        return Ok(CheckAs::Session);
    }
    let known = || [SESSION].into_iter().chain(DocumentKind::ALL.iter().map(|(_, name)| *name));
    DocumentKind::parse(name).map(CheckAs::Document).ok_or_else(|| {
        let failure =
            Failure::usage("cli.kind", format!("there is no kind of document called {name:?}"));
        match nearest(name, known()) {
            Some(near) => failure.hint(format!("did you mean `--as {near}`?")),
            None => failure.hint(format!("known: {}", known().collect::<Vec<_>>().join(", "))),
        }
    })
}

impl CheckedDocuments {
    fn check(&mut self, path: &Path, wanted: Option<CheckAs>) {
        let shown = path.display().to_string();
        // A link that a person names themselves is followed; those inside a folder are not.
        let real = match path.canonicalize() {
            Ok(real) => real,
            Err(cause) => return self.unreadable(&shown, &cause.to_string()),
        };
        match (wanted, real.is_dir()) {
            (None | Some(CheckAs::Session), true) => self.check_session(path, &real),
            (Some(CheckAs::Session), false) => {
                self.kind_unknown(&shown, "a session is a folder", "Give the session's folder");
            }
            (Some(CheckAs::Document(_)), true) => self.unreadable(&shown, "it is a folder"),
            (Some(CheckAs::Document(kind)), false) => self.check_file(&shown, &real, Some(kind)),
            (None, false) => self.check_file(&shown, &real, None),
        }
    }

    fn check_session(&mut self, path: &Path, real: &Path) {
        let shown = path.display().to_string();
        let is_there = |name: &str| real.join(name).symlink_metadata().is_ok();
        let is_session =
            is_there("journal.jsonl") || SESSION_FILES.iter().any(|(n, _)| is_there(n));
        if !is_session {
            let help = "Give a document, or the folder of a session below .agents-work";
            return self.kind_unknown(&shown, "this folder contains no session files", help);
        }
        if !is_there(STATUS_FILE) {
            let message = format!("the session has no {STATUS_FILE}");
            let help = match is_there("journal.jsonl") {
                true => "`tollgate resume` writes it again from the journal",
                false => {
                    "Another orchestrator wrote this folder; `tollgate import` can take it over without one"
                }
            };
            self.report.diagnostics.push(error("cli.status_missing", &shown, message, help));
        }
        for (name, kind) in SESSION_FILES.iter().filter(|(name, _)| is_there(name)) {
            self.check_file(&path.join(name).display().to_string(), &real.join(name), Some(*kind));
        }
        if is_foreign(&SessionLayout::at(real)) {
            self.foreign.push(shown.clone());
        }
        self.check_done(&shown, real);
        for name in work_items(real) {
            let shown = path.join(&name).display().to_string();
            self.check_file(&shown, &real.join(&name), Some(DocumentKind::WorkItem));
        }
    }

    /// A finished session is held against all its documents, whoever wrote them.
    fn check_done(&mut self, shown: &str, real: &Path) {
        let text = |name: &str| {
            let bytes = files::read_bounded(&real.join(name), ARTEFACT_BYTES_MAX).ok()?;
            String::from_utf8(bytes).ok()
        };
        let Some(status) = text(STATUS_FILE) else { return };
        let (tasks, acceptance) = (text("tasks.yaml"), text("acceptance.json"));
        let session = SessionTexts {
            folder: shown,
            status: &status,
            tasks: tasks.as_deref(),
            acceptance: acceptance.as_deref(),
            has_report: text("report.md").is_some(),
            repairs_max: repairs_max(),
        };
        self.report.diagnostics.extend(done::check(session).diagnostics);
    }

    fn check_file(&mut self, shown: &str, real: &Path, kind: Option<DocumentKind>) {
        let bytes = match files::read_bounded(real, ARTEFACT_BYTES_MAX) {
            Ok(bytes) => bytes,
            Err(FileError::Io { source, .. }) => {
                return self.unreadable(shown, &source.to_string());
            }
            Err(FileError::TooBig { max, .. }) => {
                return self.unreadable(shown, &format!("it is larger than {max} bytes"));
            }
            Err(FileError::NotAFile { .. }) => {
                return self.unreadable(shown, "it is not a regular file");
            }
            Err(other) => return self.unreadable(shown, &other.to_string()),
        };
        let guessed = kind.or_else(|| document::guess(shown, &bytes));
        if guessed.is_none() && is_page_beside_actions(real) {
            let text =
                format!("{shown} is a page for people, not an action; there is nothing to check");
            return output::marked(output::NOTE, "note:", &text);
        }
        let Some(kind) = guessed else {
            let help = "Give the kind with --as, such as `--as tasks`";
            let message = "neither its name nor its content shows what kind of document this is";
            return self.kind_unknown(shown, message, help);
        };
        self.documents += 1;
        let in_repository = action_report(shown, real, kind, &bytes);
        let report =
            in_repository.unwrap_or_else(|| document::check_in(mode_of(real), kind, shown, &bytes));
        self.report.diagnostics.extend(report.diagnostics);
    }

    fn unreadable(&mut self, shown: &str, why: &str) {
        self.is_incomplete = true;
        let help = "Check the path and your permission to read it";
        let message = format!("it cannot be read: {why}");
        self.report.diagnostics.push(error("cli.unreadable", shown, message, help));
    }

    fn kind_unknown(&mut self, shown: &str, message: &str, help: &str) {
        self.is_incomplete = true;
        self.report.diagnostics.push(error("cli.kind", shown, message.to_owned(), help));
    }
}

/// People keep pages in capitals, such as README.md, beside their actions.
fn is_page_beside_actions(real: &Path) -> bool {
    let is_beside = real.parent().is_some_and(|folder| folder.ends_with("agents/actions"));
    let stem = real.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let is_page = real.extension().is_some_and(|extension| extension == "md");
    is_beside && is_page && !stem.contains(|c: char| c.is_lowercase())
}

/// An action file without front matter names roles in the words of people; which there are is known in its repository.
fn action_report(shown: &str, real: &Path, kind: DocumentKind, bytes: &[u8]) -> Option<Report> {
    let text = std::str::from_utf8(bytes).ok().filter(|_| kind == DocumentKind::Action)?;
    if action::has_front_matter(text) {
        return None;
    }
    let folder = real.parent().filter(|folder| folder.ends_with("agents/actions"))?;
    let root = folder.parent()?.parent()?;
    let name = real.file_stem()?.to_str()?;
    Some(actions::check(&Layout::new(root), name, text, shown))
}

/// What the settings of this repository allow, and never less than usual.
fn repairs_max() -> u32 {
    let usual = Policy::default().repairs;
    let layout = place::Checkout::find().ok().map(|checkout| checkout.layout);
    let config = layout.and_then(|layout| settings::config(&layout).ok());
    config.map_or(usual, |config| config.policy().repairs.max(usual))
}

/// The pages of a session's work items, from its folder and in their order.
fn work_items(session: &Path) -> Vec<PathBuf> {
    let folder = Path::new("work-items");
    let is_folder = session.join(folder).symlink_metadata().is_ok_and(|found| found.is_dir());
    let listed = std::fs::read_dir(session.join(folder)).ok().filter(|_| is_folder);
    let names = listed.into_iter().flatten().flatten().map(|entry| entry.file_name());
    let mut items: Vec<PathBuf> = names.map(|name| folder.join(name)).collect();
    items.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    items.sort();
    items
}

fn error(code: &'static str, path: &str, message: String, help: &str) -> Diagnostic {
    let (path, help) = (path.to_owned(), Some(help.to_owned()));
    Diagnostic { code, severity: Level::Error, path, line: None, message, help }
}
