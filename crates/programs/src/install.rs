//! Installs the pinned packages with npm, beside the place where they belong, and moves them there when all is well.

use crate::{ALL, Programs, trouble};
use sha2::{Digest, Sha256};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Instant;

const MANIFEST: &str = include_str!("../../../xtask/agents/package.json");
const LOCK_FILE: &str = include_str!("../../../xtask/agents/package-lock.json");

/// No script of a package runs: the programs are in the packages. Peers are left out as in the
/// lock file, and the settings of the person's npm that would change the outcome are overruled.
const NPM_ARGUMENTS: [&str; 9] = [
    "ci",
    "--ignore-scripts",
    "--legacy-peer-deps",
    "--engine-strict=false",
    "--prefer-offline",
    "--no-audit",
    "--no-fund",
    "--no-progress",
    "--loglevel=error",
];

/// The folder of a half-done install ends so, with the process that made it.
const PARTIAL: &str = ".partial-";

#[derive(Debug)]
pub struct Installer {
    cache: PathBuf,
    /// The words that start npm.
    npm: Vec<String>,
    say: fn(&str),
    /// Changes with anything that is pinned, so that every pin has a folder of its own.
    key: String,
}

impl Installer {
    pub fn new(cache: PathBuf, npm: Vec<String>, say: fn(&str)) -> Self {
        let mut hash = Sha256::new();
        for part in [MANIFEST, LOCK_FILE, &platform()] {
            hash.update(part.as_bytes());
            hash.update([0]);
        }
        let key = hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        Self { cache, npm, say, key }
    }

    pub fn install(&self) -> Result<Programs, String> {
        let programs = Programs { folder: self.cache.join(&self.key) };
        if is_complete(&programs) {
            return Ok(programs);
        }
        if platform() != "linux-x86_64" {
            return Err(trouble::no_such_platform(&platform()));
        }
        std::fs::create_dir_all(&self.cache)
            .map_err(|cause| trouble::disk(&self.cache, "make", &cause))?;
        let _lock = self.lock()?;
        if !is_complete(&programs) {
            self.install_alone(&programs)?;
        }
        Ok(programs)
    }

    /// Held by whoever installs; the system lets go of it when that process ends, however it ends.
    fn lock(&self) -> Result<File, String> {
        let path = self.cache.join(format!("{}.lock", self.key));
        let lock = File::create(&path).map_err(|cause| trouble::disk(&path, "open", &cause))?;
        match lock.try_lock() {
            Ok(()) => return Ok(lock),
            Err(TryLockError::WouldBlock) => {
                (self.say)("waiting for another process that installs the agent programs");
            }
            Err(TryLockError::Error(cause)) => return Err(trouble::disk(&path, "lock", &cause)),
        }
        lock.lock().map_err(|cause| trouble::disk(&path, "lock", &cause))?;
        Ok(lock)
    }

    fn install_alone(&self, programs: &Programs) -> Result<(), String> {
        let begin = Instant::now();
        let shown = programs.folder.display();
        (self.say)(&format!("installing the agent programs once into {shown} (about 2.2 GB)"));
        self.remove_leftovers();
        let partial = self.cache.join(format!("{}{PARTIAL}{}", self.key, std::process::id()));
        let outcome = self.install_into(&partial).and_then(|()| {
            remove(&programs.folder)?;
            std::fs::rename(&partial, &programs.folder)
                .map_err(|cause| trouble::disk(&programs.folder, "move the programs to", &cause))
        });
        if outcome.is_ok() {
            let seconds = begin.elapsed().as_secs();
            (self.say)(&format!("the agent programs are installed, in {seconds} s"));
        } else {
            // What failed is told; a leftover goes with the next try.
            let _ = remove(&partial);
        }
        outcome
    }

    /// What killed installs left. Their npm may live on and write, so none is taken up again, and
    /// one that cannot be removed now is removed by a later install.
    fn remove_leftovers(&self) {
        let begins = format!("{}{PARTIAL}", self.key);
        for entry in std::fs::read_dir(&self.cache).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(&begins) {
                let _ = remove(&entry.path());
            }
        }
    }

    fn install_into(&self, partial: &Path) -> Result<(), String> {
        std::fs::create_dir_all(partial).map_err(|cause| trouble::disk(partial, "make", &cause))?;
        for (name, text) in [("package.json", MANIFEST), ("package-lock.json", LOCK_FILE)] {
            let path = partial.join(name);
            std::fs::write(&path, text).map_err(|cause| trouble::disk(&path, "write", &cause))?;
        }
        let output = Command::new(&self.npm[0])
            .args(&self.npm[1..])
            .args(NPM_ARGUMENTS)
            .current_dir(partial)
            .stdin(Stdio::null())
            .output()
            .map_err(|cause| trouble::npm_missing(&self.npm[0], &cause))?;
        if !output.status.success() {
            return Err(trouble::npm_failed(&output.status.to_string(), &text_of(&output)));
        }
        check_versions(&Programs { folder: partial.to_owned() })
    }
}

fn platform() -> String {
    format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH)
}

/// Cheap, for every process of tests asks: whole folders come by rename, so this finds what people removed.
fn is_complete(programs: &Programs) -> bool {
    ALL.iter().all(|program| program.path_below(&programs.folder).is_file())
}

/// Each runs on this machine and is what was pinned. Some write into the home they are given, so it is thrown away.
fn check_versions(programs: &Programs) -> Result<(), String> {
    let home = programs.folder.join("home");
    std::fs::create_dir_all(&home).map_err(|cause| trouble::disk(&home, "make", &cause))?;
    for program in &ALL {
        let words = programs.command_line(program);
        let said = Command::new(&words[0])
            .args(&words[1..])
            .arg("--version")
            .env_clear()
            .env("HOME", &home)
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .current_dir(&home)
            .stdin(Stdio::null())
            .output();
        let said = match said {
            Ok(output) => text_of(&output),
            Err(cause) => cause.to_string(),
        };
        if !says(&said, program.version) {
            return Err(trouble::wrong_version(program.name, program.version, &said));
        }
    }
    remove(&home)
}

/// `v24.21.0`, `2.1.325 (Claude Code)` and `GitHub Copilot CLI 1.0.102.` all say their version.
fn says(said: &str, version: &str) -> bool {
    said.split_whitespace()
        .any(|word| word.strip_prefix('v').unwrap_or(word).trim_end_matches('.') == version)
}

fn text_of(output: &Output) -> String {
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    format!("{out}\n{err}")
}

fn remove(folder: &Path) -> Result<(), String> {
    match std::fs::remove_dir_all(folder) {
        Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => {
            Err(trouble::disk(folder, "remove", &cause))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
