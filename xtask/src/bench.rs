//! `cargo xtask bench`: measures and prints a table; it asserts nothing, because machines differ.

mod contender;
mod ours;
mod peers;
mod repos;
mod table;
mod timing;
mod tollgate;
mod workflow;

use crate::{Trouble, cache, run};
use contender::Contender;
use std::path::{Path, PathBuf};
use std::process::Command;

pub fn run(root: &Path, options: &[&str]) -> Result<(), Trouble> {
    match options {
        [] | ["--peers"] => in_release(root, options),
        // The rest is for ourselves: the same program, built as it is shipped.
        [MEASURE, rest @ ..] => measure(root, *rest == ["--peers"]),
        [CONTEND, words @ ..] => tollgate::verb(words),
        _ => Err("usage: cargo xtask bench [--peers]".into()),
    }
}

const MEASURE: &str = "measure";
const CONTEND: &str = "contend";

/// Much is measured inside this process, so it must be a release build itself.
fn in_release(root: &Path, options: &[&str]) -> Result<(), Trouble> {
    let packages = ["--package", "tollgate", "--package", "xtask"];
    run::must(run::cargo(&["build", "--release"]).args(packages).current_dir(root))?;
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let program = target.join("release/xtask");
    run::must(Command::new(program).args(["bench", MEASURE]).args(options).current_dir(root))
}

fn measure(root: &Path, with_peers: bool) -> Result<(), Trouble> {
    let this = std::env::current_exe()?;
    let mut contenders = vec![Contender {
        name: "Tollgate".to_owned(),
        command: vec![this.to_string_lossy().into_owned(), "bench".to_owned(), CONTEND.to_owned()],
    }];
    if with_peers {
        contenders.extend(peers::install(root)?);
    }
    contender::compare(&contenders)?;
    ours::alone(&this.with_file_name("tollgate"))
}

/// A folder that goes away, beside the caches: where temporary files live, a sync may cost nothing.
fn scratch() -> Result<tempfile::TempDir, Trouble> {
    Ok(tempfile::tempdir_in(cache::folder("scratch")?)?)
}
