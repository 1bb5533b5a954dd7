//! What `xtask` and the benchmark share: running programs, talking to the person, a folder for caches.

pub mod cache;
pub mod run;

use std::path::{Path, PathBuf};

/// Why a command did not do what was asked, in words for the person at the terminal.
pub type Trouble = Box<dyn std::error::Error>;

/// The root of the workspace; this crate lies directly below it.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("xtask is a folder of the workspace").to_owned()
}
