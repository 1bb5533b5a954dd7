//! A whole dispatch of a command agent that exits at once: workspace, prompt, supervisor, reply, journal.

use super::{MeasuredRow, announce, ms};
use crate::workflow::{self, Flow};
use crate::{repos, scratch, timing};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tollgate_core::input::{Input, Opening};
use tollgate_core::role::{Role, State};
use tollgate_core::session::Wanted;
use tollgate_core::work::DispatchEnd;
use tollgate_files::layout::Layout;
use tollgate_files::redact::Redactor;
use tollgate_git::repository::Repository;
use tollgate_host::activity::StopSwitch;
use tollgate_host::activity::attempt;
use tollgate_host::activity::order::DispatchOrder;
use tollgate_host::context::Context;
use tollgate_host::settings;
use tollgate_process::{self as process, RunEnd, RunSpec, Waited};
use xtask::Trouble;

const FILES: u32 = 100;
const RUNS: usize = 15;
/// Dispatches that lie behind the measured ones.
const BEHIND: [usize; 2] = [10, 1_000];
pub const AGENT: &str = r#"echo '{"status":"OK","summary":"Nothing to do.","artifacts":{},"gates":{"meets_definition_of_done":true}}'"#;

pub fn measure(program: &Path) -> Result<Vec<MeasuredRow>, Trouble> {
    announce("a whole dispatch");
    let folder = scratch()?;
    let mut rows = vec![bare_supervisor(program, &folder.path().join("runs"))?];
    let repository = repos::fresh(folder.path(), FILES)?;
    let context = context(program, &repository, folder.path().join("state"), AGENT)?;
    let mut flow = open(&context)?;
    for behind in BEHIND {
        while flow.session().dispatches.len() <= behind {
            flow.step(workflow::nothing)?;
        }
        // One to make the workspace.
        whole(&context, &mut flow)?;
        let mut times = Vec::with_capacity(RUNS);
        for _ in 0..RUNS {
            times.push(whole(&context, &mut flow)?);
        }
        let what = format!("whole dispatch, {FILES} files, {behind} dispatches behind it");
        rows.push(MeasuredRow::new(what, ms(timing::middle(&mut times)), RUNS));
    }
    Ok(rows)
}

fn bare_supervisor(program: &Path, folder: &Path) -> Result<MeasuredRow, Trouble> {
    let mut number = 0;
    let time = timing::median(RUNS, || {
        number += 1;
        let run_dir = folder.join(number.to_string());
        std::fs::create_dir_all(&run_dir)?;
        let spec = RunSpec {
            argv: ["sh", "-c", AGENT].map(str::to_owned).into(),
            cwd: folder.to_owned(),
            env_names: Vec::new(),
            env: BTreeMap::new(),
            stdin_file: None,
            timeout_ms: 60_000,
            silence_ms: None,
            output_bytes_max: 1_000_000,
            isolation: None,
            secret_files: Vec::new(),
            sandbox: None,
        };
        let hold = process::hold(&run_dir)?.ok_or("a new folder is taken already")?;
        match hold.start(&spec, program)?.wait()? {
            Waited::Finished(outcome) if outcome.end == (RunEnd::Exited { code: 0 }) => Ok(()),
            other => Err(format!("the agent ended as {other:?}").into()),
        }
    })?;
    Ok(MeasuredRow::new("the supervisor and the agent alone", ms(time), RUNS))
}

/// What the program has around a session in that repository, with a shell script for every role.
pub fn context(
    program: &Path,
    repository: &Path,
    state_home: PathBuf,
    agent: &str,
) -> Result<Context, Trouble> {
    let folder = tempfile::tempdir()?;
    let command = format!("command = [\"sh\", \"-c\", '''{agent}''']");
    let text =
        format!("[roles]\ndefault = \"shell\"\n[agent.shell]\nadapter = \"command\"\n{command}\n");
    std::fs::write(folder.path().join("tollgate.toml"), text)?;
    let repository = Repository::discover(repository)?;
    let layout = Layout::new(repository.root());
    Ok(Context {
        config: settings::config(&Layout::new(folder.path()))?,
        program: program.to_owned(),
        state_home,
        home: std::env::var_os("HOME").map(PathBuf::from),
        redactor: Redactor::from_environment(std::env::vars_os()),
        lookup: |name| std::env::var_os(name),
        repository,
        layout,
    })
}

fn open(context: &Context) -> Result<Flow, Trouble> {
    let dispatches = BEHIND[1] + 2 * (RUNS + 2);
    // SpecAgent needs no file of anyone before it.
    let steps = vec![workflow::dispatch(State::Intake, Role::SpecAgent); dispatches];
    let base = context.repository.head()?.commit;
    let opening = Opening { base, ..workflow::opening("2026-11-15_dispatches", steps)? };
    context.repository.exclude_own(false)?;
    Flow::open(context.session_layout(&opening.session).folder(), &opening)
}

/// From the order to the end on disk.
pub fn whole(context: &Context, flow: &mut Flow) -> Result<Duration, Trouble> {
    let Some(Wanted::Dispatch(number, attempt)) = flow.session().outstanding().into_iter().next()
    else {
        return Err("no dispatch is wanted".into());
    };
    let begin = Instant::now();
    let order = DispatchOrder::of(flow.session(), flow.lineage(), number, attempt)
        .ok_or("there is no order")?;
    let ended = attempt::run(context, &order, &StopSwitch::default())?
        .ok_or("a program plays the role, and it waits for a person")?;
    if !matches!(ended.end, DispatchEnd::Replied { .. }) {
        return Err(format!("the dispatch ended as {ended:?}").into());
    }
    flow.handle(Input::Ended { number, attempt, end: ended.end, usage: ended.usage })?;
    Ok(begin.elapsed())
}
