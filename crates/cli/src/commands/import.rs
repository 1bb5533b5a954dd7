//! `tollgate import`: takes over a session that another orchestrator began.

mod tell;

use super::run::{LEAN, instructions, refuse_unsupported, warn_of_uncommitted};
use super::snapshot;
use crate::exit::Exit;
use crate::face::PlainFace;
use crate::failure::Failure;
use crate::{output, place};
use clap::Args;
use std::path::PathBuf;
use std::sync::Arc;
use tell::Told;
use tollgate_core::id::SessionName;
use tollgate_core::input::Opening;
use tollgate_core::role::{Mode, ProjectType};
use tollgate_core::view::View;
use tollgate_files::clock;
use tollgate_files::layout::{new_session_name, numbered};
use tollgate_host::context::Context;
use tollgate_host::import::{ForeignFolder, ImportLock, Prepared, expect_new, preview};
use tollgate_host::lifecycle;
use tollgate_host::serve::{OpenError, Owner};
use tollgate_host::settings::actions;

/// How often an unclear answer is asked for again.
const TRIES: usize = 3;

/// Take over a session folder that another orchestrator wrote
///
/// Copies the documents into a new session, keeps decisions, task statuses and repair counters, repairs what can be
/// repaired and lists it. What nobody can know becomes a question. The folder itself is not changed. The code is what
/// HEAD has: commit it first. Nothing runs before `tollgate resume`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tollgate import .agents-work/2026-01-31_login\n  \
tollgate import --dry-run --json ../other/.agents-work/2026-01-31_login\n  \
tollgate import --mode lean .agents-work/2026-01-31_typo\n\n\
Exit codes: 0 imported, 2 cannot be imported or the mode is not known, 4 could not be written.")]
pub struct Import {
    /// The folder with status.json and tasks.yaml in it
    pub path: PathBuf,
    /// The route of the session, where its files do not tell
    #[arg(long, value_name = "MODE", value_parser = ["full", "lean"])]
    pub mode: Option<String>,
    /// What you are building; reviewers choose their checks accordingly
    #[arg(long, value_name = "TYPE", default_value = "mixed", value_parser = ["web", "api", "cli", "lib", "mixed"])]
    pub project_type: String,
    /// The name of the new session after its date
    #[arg(long, value_name = "SLUG")]
    pub slug: Option<String>,
    /// Say what the import would do; write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

impl Import {
    pub fn run(self) -> Result<Exit, Failure> {
        let context = place::context()?;
        refuse_unsupported(&context)?;
        let root = context.repository.root();
        let path = place::here()?.join(&self.path);
        let folder = ForeignFolder::read(&path, root, &context.redactor.for_work())?;
        let mode = self.mode(&folder)?;
        let slug = self.slug.as_deref().unwrap_or(folder.slug());
        let name = new_session_name(&clock::local_date(), slug);
        if self.dry_run {
            expect_new(&context.layout, &folder)?;
            let free = numbered(&name).find(|name| !context.is_taken(name).unwrap_or(true));
            let name = free.ok_or_else(|| no_name(&name))?;
            let (opening, prepared) = self.prepare(&context, &folder, name, mode)?;
            let told = Told::of(&prepared);
            return Ok(self.told(&folder, &told, &preview(&opening, prepared.import)));
        }
        warn_of_uncommitted(&context)?;
        let _alone = ImportLock::wait(&context, &name)?;
        expect_new(&context.layout, &folder)?;
        let mut taken = None;
        for name in numbered(&name) {
            match self.open(&context, &folder, name, mode, &mut taken) {
                Err(OpenOr::Open(OpenError::Exists { .. })) => {}
                Err(OpenOr::Open(error)) => return Err(error.into()),
                Err(OpenOr::Failed(failure)) => return Err(failure),
                Ok((owner, told)) => {
                    return Ok(self.told(&folder, &told, &owner.parts().view()));
                }
            }
        }
        Err(no_name(&name))
    }

    /// The snapshot is taken once, whatever name is free.
    fn open(
        &self,
        context: &Arc<Context>,
        folder: &ForeignFolder,
        name: SessionName,
        mode: Mode,
        taken: &mut Option<String>,
    ) -> Result<(Owner, Told), OpenOr> {
        if context.is_taken(&name).map_err(OpenError::from)? {
            return Err(OpenError::Exists { session: name }.into());
        }
        let (mut opening, prepared) = self.prepare(context, folder, name, mode)?;
        if taken.is_none() {
            *taken = Some(snapshot::take(context, &opening.action.name)?);
        }
        opening.snapshot.clone_from(taken);
        let told = Told::of(&prepared);
        let owner = Owner::import(context.clone(), &opening, prepared, &mut PlainFace::silent())?;
        Ok((owner, told))
    }

    fn prepare(
        &self,
        context: &Context,
        folder: &ForeignFolder,
        session: SessionName,
        mode: Mode,
    ) -> Result<(Opening, Prepared), Failure> {
        let prepared = folder.prepare(&session, mode);
        let head = context.repository.head()?;
        let find = |name: &str| actions::find(&context.layout, name);
        let (action, full_action) = match mode {
            Mode::Full => (find("deliver")?, None),
            Mode::Lean => (find(LEAN)?, Some(find("deliver")?)),
        };
        let opening = Opening {
            session,
            goal: folder.goal(),
            mode,
            action,
            full_action,
            project_type: ProjectType::parse(&self.project_type).unwrap_or(ProjectType::Mixed),
            inputs: std::collections::BTreeMap::new(),
            stage: lifecycle::declared(context.repository.root())?,
            snapshot: None,
            requested: Vec::new(),
            instructions: instructions(context, &head.commit)?,
            base: head.commit,
            base_branch: head.branch,
            policy: context.config.policy(),
            tollgate_version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        Ok((opening, prepared))
    }

    /// As given, as its files tell, or as the person at the terminal says.
    fn mode(&self, folder: &ForeignFolder) -> Result<Mode, Failure> {
        let given = self.mode.as_deref().and_then(Mode::parse);
        if let Some(mode) = given.or_else(|| folder.mode()) {
            return Ok(mode);
        }
        if output::is_interactive() && !self.json {
            output::talk("The folder does not tell whether the session is full or lean.");
            for _ in 0..TRIES {
                output::prompt("  full or lean: ");
                let mut line = String::new();
                let read = std::io::stdin().read_line(&mut line).unwrap_or(0);
                if let Some(mode) = Mode::parse(line.trim()) {
                    return Ok(mode);
                }
                if read == 0 {
                    break;
                }
            }
        }
        let message = format!(
            "{} does not tell whether the session is full or lean; nothing was imported",
            folder.shown()
        );
        Err(Failure::usage("cli.import_mode", message)
            .hint("say it with `--mode full` or `--mode lean`"))
    }

    fn told(&self, folder: &ForeignFolder, told: &Told, view: &View) -> Exit {
        match self.json {
            true => told.json(folder, view, self.dry_run),
            false => told.text(folder, view, self.dry_run),
        }
        Exit::Ok
    }
}

/// A name that is taken is no failure: the next one is tried.
enum OpenOr {
    Open(OpenError),
    Failed(Failure),
}

impl From<OpenError> for OpenOr {
    fn from(error: OpenError) -> Self {
        Self::Open(error)
    }
}

impl From<Failure> for OpenOr {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

fn no_name(name: &SessionName) -> Failure {
    Failure::usage("cli.session", format!("every name like {name} is taken"))
}
