//! The agent's own command, found the way it will be run, with words for a person when it cannot be.

use super::record::RunFolder;
use super::spec::{RunEnd, RunSpec};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

/// Told by the child between fork and exec when the kernel would not restrict it; no exec fails with this.
pub(super) const NOT_RESTRICTED: Errno = Errno::CANCELED;

/// What could not do its work, where it is not the agent.
pub(super) const FIRST_PROCESS: &str = "the first process of its namespace";

/// Where a program is looked for when the environment has no `PATH`.
const PATH_DEFAULT: &str = "/usr/local/bin:/usr/bin:/bin";

/// Without environment and output: those belong to whoever starts it.
pub(super) fn agent_command(
    folder: &RunFolder,
    spec: &RunSpec,
    path_variable: Option<&OsStr>,
) -> Result<Command, RunEnd> {
    let Some(name) = spec.argv.first().filter(|name| !name.is_empty()) else {
        return Err(could_not_start(spec, "the command is empty"));
    };
    if !spec.cwd.is_dir() {
        let cause = format!("the working directory {} does not exist", spec.cwd.display());
        return Err(could_not_start(spec, cause));
    }
    let program = find_program(name, &spec.cwd, path_variable)
        .map_err(|cause| could_not_start(spec, cause))?;
    let stdin = match &spec.stdin_file {
        None => Stdio::null(),
        Some(file) => File::open(folder.path(file))
            .map_err(|error| {
                could_not_start(spec, format!("its input {file} cannot be read: {error}"))
            })?
            .into(),
    };
    let mut command = Command::new(program);
    command.arg0(name).args(&spec.argv[1..]).current_dir(&spec.cwd).stdin(stdin);
    // A group of its own: an agent that signals its group must not hit the supervisor.
    command.process_group(0);
    Ok(command)
}

fn find_program(name: &str, cwd: &Path, path_variable: Option<&OsStr>) -> Result<PathBuf, String> {
    if name.contains('/') {
        let program = cwd.join(name);
        return why_not_executable(&program).map_or(Ok(program), Err);
    }
    let path_variable = path_variable.unwrap_or(OsStr::new(PATH_DEFAULT));
    let mut cause = "not found on PATH".to_owned();
    for folder in path_variable.as_bytes().split(|byte| *byte == b':') {
        let program = cwd.join(OsStr::from_bytes(folder)).join(name);
        match why_not_executable(&program) {
            None => return Ok(program),
            Some(why) if program.is_file() => cause = format!("{}: {why}", program.display()),
            Some(_) => {}
        }
    }
    Err(cause)
}

fn why_not_executable(program: &Path) -> Option<String> {
    match fs::metadata(program) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Some("not found".to_owned()),
        Err(error) => Some(error.to_string()),
        Ok(metadata) if metadata.is_dir() => Some("it is a folder".to_owned()),
        Ok(metadata) if metadata.permissions().mode() & 0o111 == 0 => {
            Some("it is not executable".to_owned())
        }
        Ok(_) => None,
    }
}

pub(super) fn could_not_start(spec: &RunSpec, cause: impl Into<String>) -> RunEnd {
    let program = spec.argv.first().cloned().unwrap_or_default();
    RunEnd::CouldNotStart { program, cause: cause.into() }
}

/// The words for a program that was found and yet refused by the system.
pub(super) fn spawn_failure(spec: &RunSpec, error: &io::Error) -> RunEnd {
    const EXEC_FORMAT: i32 = Errno::NOEXEC.raw_os_error();
    const UNRESTRICTED: i32 = NOT_RESTRICTED.raw_os_error();
    let cause = match (error.kind(), error.raw_os_error()) {
        (io::ErrorKind::NotFound, _) => "its interpreter was not found".to_owned(),
        (io::ErrorKind::PermissionDenied, _) => "it is not executable by this user".to_owned(),
        (_, Some(EXEC_FORMAT)) => {
            "it is neither a program for this machine nor a script with a #! line".to_owned()
        }
        (_, Some(UNRESTRICTED)) => "the kernel could not restrict it; `enforce = \"off\"` under [sandbox] of tollgate.toml \
                                    runs it anyway"
            .to_owned(),
        _ => error.to_string(),
    };
    could_not_start(spec, cause)
}

pub(super) fn end_of(status: ExitStatus) -> RunEnd {
    match (status.code(), status.signal()) {
        (Some(code), _) => RunEnd::Exited { code },
        (None, signal) => RunEnd::Signalled { signal: signal.unwrap_or_default() },
    }
}

/// `PATH` as the agent will see it.
pub(super) fn path_variable(
    environment: &std::collections::BTreeMap<OsString, OsString>,
) -> Option<&OsStr> {
    environment.get(OsStr::new("PATH")).map(OsString::as_os_str)
}
