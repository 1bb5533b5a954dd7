//! What ran in a folder counts for the record of the journal that opened it, and for no other.

use super::record::RunFolder;
use super::{Attached, attach, runs_in};
use crate::crash;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Makes the folder of a run, or of several that were opened together, fit for this opening. One that belongs to another is
/// emptied of what still runs in it and set aside as `NAME.former-N`, so that nothing of it is taken up.
pub fn belong(dir: &Path, opened_by: &str) -> io::Result<()> {
    if let Some(folder) = RunFolder::open(dir)? {
        if folder.read_opened_by()?.as_deref() == Some(opened_by) {
            return Ok(());
        }
        if fs::read_dir(dir)?.next().is_some() {
            stop_all(dir)?;
            fs::rename(dir, free_name(dir))?;
            crash::point("process.set_aside");
        }
    }
    RunFolder::create(dir)?.write_opened_by(opened_by)
}

/// Of several runs each has a folder below, and gates one more below that.
fn stop_all(dir: &Path) -> io::Result<()> {
    let mut runs = vec![dir.to_owned()];
    runs.extend(runs_in(dir)?);
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            runs.extend(runs_in(&entry.path())?);
        }
    }
    for run in runs {
        if let Attached::Running(run) = attach(&run)? {
            run.stopper().stop()?;
            run.wait()?;
        }
    }
    Ok(())
}

fn free_name(dir: &Path) -> PathBuf {
    let name = |number: u32| {
        let mut name = dir.as_os_str().to_owned();
        name.push(format!(".former-{number}"));
        PathBuf::from(name)
    };
    let free = (1..).map(name).find(|place| place.symlink_metadata().is_err());
    free.expect("there are fewer folders than numbers")
}
