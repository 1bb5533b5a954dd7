//! Licences, sources and forbidden crates, by a pinned cargo-deny that is built once and kept.

use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::{Trouble, cache, run};

/// Pinned, so that a new release cannot turn a good tree red over night.
const VERSION: &str = "0.20.2";

/// Advisories are left out: their database is fetched from elsewhere and changes by the hour, and
/// this command must give the same answer for the same sources.
const CHECKS: [&str; 3] = ["bans", "licenses", "sources"];

pub fn check(root: &Path) -> Result<(), Trouble> {
    let program = program()?;
    run::must(Command::new(program).current_dir(root).args(["--locked", "check"]).args(CHECKS))
}

/// The pinned cargo-deny; builds it where it is missing.
pub fn program() -> Result<PathBuf, Trouble> {
    let on_path = PathBuf::from("cargo-deny");
    if is_right(&on_path) {
        return Ok(on_path);
    }
    let folder = cache::folder(&format!("cargo-deny-{VERSION}"))?;
    let kept = folder.join("bin").join("cargo-deny");
    if !is_right(&kept) {
        install(&folder)?;
    }
    Ok(kept)
}

fn is_right(program: &Path) -> bool {
    run::read(Command::new(program).arg("--version"))
        .is_ok_and(|said| said.trim() == format!("cargo-deny {VERSION}"))
}

/// Without optimisation and its default features it builds in about a minute on two cores.
fn install(folder: &Path) -> Result<(), Trouble> {
    run::say(&format!("building cargo-deny {VERSION} once into {}", folder.display()));
    let build = tempfile::tempdir()?;
    run::must(
        run::cargo(&["install", "--quiet", "--locked", "--debug", "--no-default-features"])
            .arg(format!("cargo-deny@{VERSION}"))
            .arg("--root")
            .arg(folder)
            .env("CARGO_TARGET_DIR", build.path())
            .env("CARGO_PROFILE_DEV_DEBUG", "false")
            .current_dir(folder),
    )
}
