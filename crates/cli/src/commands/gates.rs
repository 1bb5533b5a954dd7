//! `tollgate gates`: runs the lifecycle gates of a stage.

mod step;
mod text;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::place::{Checkout, here};
use crate::{interrupt, output};
use clap::Args;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tollgate_contract::diagnostic::Report;
use tollgate_contract::gates::Builtin;
use tollgate_contract::lifecycle::{Lifecycle, LifecycleStage};
use tollgate_contract::nearest::nearest;
use tollgate_host::activity::StopSwitch;
use tollgate_host::lifecycle::{
    self, GATE_VARIABLE, GateResult, GateRun, LifecycleError, LifecycleSource, Progress,
};
use tollgate_host::settings;

/// Run the lifecycle gates of the declared stage
///
/// Runs every gate that the stage requires, in order, in the root of the repository; if one fails, the others still
/// run. lifecycle-stage.yaml defines stages and gates; without the file the built-in ones are used. Exit code 0: all
/// gates passed; 1: a gate failed; 2: the file is invalid or the stage is unknown.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tollgate gates\n  tollgate gates --list\n  tollgate gates --stage release-readiness --json"
)]
pub struct Gates {
    /// Run the gates of this stage instead of the declared one
    #[arg(long, value_name = "NAME")]
    pub stage: Option<String>,
    /// Read this file instead of lifecycle-stage.yaml
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// List stages and gates without running them
    #[arg(long)]
    pub list: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Run a built-in gate
    #[arg(long, hide = true, value_name = "NAME", conflicts_with_all = ["stage", "config", "list", "json"])]
    pub builtin: Option<String>,
    /// In strict mode
    #[arg(long, hide = true, requires = "builtin")]
    pub strict: bool,
}

#[derive(Serialize)]
struct GatesOutput<'a> {
    ok: bool,
    stage: &'a str,
    gates: Vec<GateLine<'a>>,
}

#[derive(Serialize)]
struct GateLine<'a> {
    name: &'a str,
    ok: bool,
    exit_code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    missing_script: Option<&'a str>,
    duration_ms: u64,
}

impl Gates {
    pub fn run(self) -> Result<Exit, Failure> {
        let is_gate = std::env::var_os(GATE_VARIABLE).is_some();
        if let Some(name) = &self.builtin {
            return builtin(name, self.strict, is_gate);
        }
        if is_gate && !self.list {
            return Err(Failure::usage("cli.gates", "a gate cannot run all gates again")
                .hint("use `tollgate gates --builtin NAME` or another program as its command"));
        }
        let place = Checkout::find()?;
        let (lifecycle, source) = self.lifecycle(place.layout.repo_root())?;
        output::report(&Report { diagnostics: lifecycle.notices.clone() });
        let stage = self.stage(&lifecycle)?;
        if self.list {
            text::list(&lifecycle, stage, &source, self.json);
            return Ok(Exit::Ok);
        }
        self.run_stage(&place, &lifecycle, stage)
    }

    /// With the name of where it comes from.
    fn lifecycle(&self, root: &Path) -> Result<(Lifecycle, String), Failure> {
        let Some(path) = &self.config else {
            let (lifecycle, source) = lifecycle::load(root)?;
            if source == LifecycleSource::BuiltIn {
                let text = "there is no lifecycle-stage.yaml; the built-in stages are used";
                output::marked(output::NOTE, "note:", text);
            }
            return Ok((lifecycle, source.to_string()));
        };
        let shown = path.display().to_string();
        // A link that a person names themselves is followed.
        let real = path.canonicalize().map_err(|cause| {
            Failure::usage("cli.lifecycle", format!("{shown} cannot be read: {cause}"))
                .hint("check the path and your permission to read it")
        })?;
        Ok((lifecycle::read(&real, &shown)?, shown))
    }

    fn stage<'l>(&self, lifecycle: &'l Lifecycle) -> Result<&'l LifecycleStage, Failure> {
        let name = self.stage.as_ref().unwrap_or(&lifecycle.current_stage);
        lifecycle.stage(name).ok_or_else(|| {
            let known = lifecycle.stage_names().into_iter().map(str::to_owned).collect();
            LifecycleError::UnknownStage { name: name.clone(), known }.into()
        })
    }

    fn run_stage(
        &self,
        place: &Checkout,
        lifecycle: &Lifecycle,
        stage: &LifecycleStage,
    ) -> Result<Exit, Failure> {
        let config = settings::config(&place.layout)?;
        let trouble = |what: &'static str| {
            move |cause: std::io::Error| Failure::usage("cli.gates", format!("{what}: {cause}"))
        };
        let program =
            std::env::current_exe().map_err(trouble("cannot find the tollgate program itself"))?;
        let logs = tempfile::Builder::new()
            .prefix("tollgate-gates-")
            .tempdir()
            .map_err(trouble("cannot make a temporary folder"))?;
        let run = GateRun {
            root: place.layout.repo_root(),
            program: &program,
            runner: &config.check_runner,
            timeout_ms: config.policy().check_timeout_ms,
            output_bytes_max: config.limits.output_bytes,
            logs: logs.path(),
            sandbox: None,
        };
        let stop = Arc::new(StopSwitch::default());
        interrupt::listen(stop.clone()).map_err(trouble("cannot listen for signals"))?;
        let width = stage.required_gates.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let mut tell = |progress: Progress<'_>| match progress {
            Progress::Begins { gate, number, of } => text::begins(gate, number, of),
            Progress::Ended(result) if !self.json => text::row(result, width),
            Progress::Ended(_) => {}
        };
        let results = lifecycle::run_gates(&run, lifecycle, &stage.name, &stop, &mut tell)?;
        let Some(results) = results else {
            output::talk("interrupted: the running gate was stopped, and the rest were not run");
            return Ok(Exit::Interrupted);
        };
        Ok(self.conclude(stage, &results))
    }

    fn conclude(&self, stage: &LifecycleStage, results: &[GateResult]) -> Exit {
        let ok = results.iter().all(|result| result.ok);
        if self.json {
            let gates = results.iter().map(gate_line).collect();
            output::json(&GatesOutput { ok, stage: &stage.name, gates });
        }
        results.iter().filter(|result| !result.ok).for_each(text::failed);
        text::sum(stage, results);
        step::tell(stage, results);
        if ok { Exit::Ok } else { Exit::Fails }
    }
}

fn gate_line(result: &GateResult) -> GateLine<'_> {
    let GateResult { name, ok, exit_code, missing_script, duration_ms, .. } = result;
    let (ok, exit_code, duration_ms) = (*ok, *exit_code, *duration_ms);
    GateLine { name, ok, exit_code, missing_script: missing_script.as_deref(), duration_ms }
}

/// What a gate of the built-in lifecycle runs. As a gate it trusts the folder it is in and asks no git for a root.
fn builtin(name: &str, is_strict: bool, is_gate: bool) -> Result<Exit, Failure> {
    let Some(gate) = Builtin::parse(name) else {
        let known: Vec<&str> = Builtin::ALL.iter().map(|gate| gate.as_str()).collect();
        return Err(Failure::usage("cli.gates", format!("there is no built-in gate {name:?}"))
            .hint(format!("known: {}", known.join(", "))));
    };
    let root = if is_gate { here()? } else { Checkout::find()?.layout.repo_root().to_owned() };
    let report = lifecycle::inspect(&root, gate, is_strict);
    output::report(&report);
    Ok(if report.is_ok() { Exit::Ok } else { Exit::Fails })
}

impl From<LifecycleError> for Failure {
    fn from(error: LifecycleError) -> Self {
        let failure = Self::usage("cli.lifecycle", error.to_string());
        match error {
            LifecycleError::Invalid { report, .. } => Self { report: Some(report), ..failure }
                .hint("fix the lines above and run the command again"),
            LifecycleError::UnknownStage { name, known } => {
                match nearest(&name, known.iter().map(String::as_str)) {
                    Some(near) => failure.hint(format!("did you mean {near:?}?")),
                    None => failure.hint(format!("known: {}", known.join(", "))),
                }
            }
            LifecycleError::File(_) => {
                failure.hint("check that it is a regular file and that you may read it")
            }
            LifecycleError::Io { .. } => Self { code: "cli.gates", ..failure },
        }
    }
}
