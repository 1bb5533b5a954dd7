//! What ran in a folder counts for the record of the journal that opened it, and for no other.

use super::record::RunFolder;
use super::{Attached, StopReason, attach, runs_in};
use std::fs;
use std::io;
use std::path::Path;
use tollgate_files as files;

/// Makes the folder of a run, or of several that were opened together, fit for this opening. One that belongs to another is
/// emptied of what still runs in it and set aside as `NAME.former-N`, so that nothing of it is taken up.
pub fn belong(dir: &Path, opened_by: &str) -> io::Result<()> {
    if let Some(folder) = RunFolder::open(dir)? {
        if folder.read_opened_by()?.as_deref() == Some(opened_by) {
            return Ok(());
        }
        if fs::read_dir(dir)?.next().is_some() {
            stop_all(dir)?;
            let free = files::first_free(|number| {
                let mut name = dir.as_os_str().to_owned();
                name.push(format!(".former-{number}"));
                name.into()
            });
            fs::rename(dir, free)?;
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
        // What cannot be read is set aside all the same.
        if let Ok(Attached::Running(run)) = attach(&run) {
            run.stop(StopReason::Outdated)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use crate::hand_in;

    #[test]
    fn r165_an_outcome_counts_for_the_record_that_opened_it_alone() {
        let temp = tempfile::tempdir().unwrap();
        let run = temp.path().join("attempt-1");
        belong(&run, "one").unwrap();
        assert!(hand_in(&run, b"of the first life").unwrap());
        // The control: the same record takes it up.
        belong(&run, "one").unwrap();
        assert!(matches!(attach(&run).unwrap(), Attached::Finished(_)));

        belong(&run, "two").unwrap();
        assert!(matches!(attach(&run).unwrap(), Attached::NeverStarted));
        let kept = temp.path().join("attempt-1.former-1/stdout.log");
        assert_eq!(fs::read(kept).unwrap(), b"of the first life");
        // What does not say whose it is belongs to nobody.
        fs::remove_file(run.join("opened-by")).unwrap();
        fs::write(run.join("outcome.json"), "{}").unwrap();
        belong(&run, "two").unwrap();
        assert!(temp.path().join("attempt-1.former-2/outcome.json").exists());
        assert!(matches!(attach(&run).unwrap(), Attached::NeverStarted));
    }
}
