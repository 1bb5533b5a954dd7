//! `cargo xtask bench`: measures and prints a table; it asserts nothing, because machines differ.
//! Much is measured inside this process, so it must be a release build itself.

mod contender;
mod ours;
mod peers;
mod repos;
mod table;
mod timing;
mod tollgate;
mod workflow;

use contender::Contender;
use std::path::PathBuf;
use std::process::ExitCode;
use xtask::{Trouble, cache, root, run};

/// The verb that a comparison gives to each contender; the others are programs of their own.
const CONTEND: &str = "contend";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        [] => measure(false),
        ["--peers"] => measure(true),
        ["--only", part] => beside().and_then(|program| ours::some(&program, part)),
        [CONTEND, words @ ..] => tollgate::verb(words),
        _ => Err("usage: cargo xtask bench [--peers | --only PART]".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(trouble) => {
            run::say(&format!("{trouble}"));
            ExitCode::FAILURE
        }
    }
}

fn measure(with_peers: bool) -> Result<(), Trouble> {
    let this = std::env::current_exe()?;
    let mut contenders = vec![Contender {
        name: "Tollgate".to_owned(),
        command: vec![this.to_string_lossy().into_owned(), CONTEND.to_owned()],
    }];
    if with_peers {
        contenders.extend(peers::install(&root())?);
    }
    contender::compare(&contenders)?;
    ours::alone(&beside()?)
}

/// The tollgate that is measured.
fn beside() -> Result<PathBuf, Trouble> {
    Ok(std::env::current_exe()?.with_file_name("tollgate"))
}

/// A folder that goes away, beside the caches: where temporary files live, a sync may cost nothing.
fn scratch() -> Result<tempfile::TempDir, Trouble> {
    Ok(tempfile::tempdir_in(cache::folder("scratch")?)?)
}
