//! `cargo xtask bench`: measures and prints a table; it asserts nothing, because machines differ.

mod contender;
mod ours;
mod peers;
mod repos;
mod table;
mod timing;

use crate::Trouble;
use std::path::Path;

pub fn run(root: &Path, options: &[&str]) -> Result<(), Trouble> {
    let with_peers = match options {
        [] => false,
        ["--peers"] => true,
        _ => return Err("usage: cargo xtask bench [--peers]".into()),
    };
    if with_peers {
        contender::compare(&peers::install(root)?)?;
    }
    ours::alone(root)
}
