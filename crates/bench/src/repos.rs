//! Repositories of a given size to measure git on: one packed commit, about forty files a folder.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use xtask::{Trouble, cache, run};

const FILES_PER_FOLDER: u32 = 40;

/// The repository with that many files, made on first use and kept.
pub fn with_files(files: u32) -> Result<PathBuf, Trouble> {
    in_folder(&cache::folder("repos")?, files)
}

/// The same for who changes it, under a name of its own and kept.
pub fn of_its_own(name: &str, files: u32) -> Result<PathBuf, Trouble> {
    in_folder(&cache::folder(&format!("repos-{name}"))?, files)
}

/// One of its own, in a folder that goes away.
pub fn fresh(folder: &Path, files: u32) -> Result<PathBuf, Trouble> {
    in_folder(folder, files)
}

fn in_folder(folder: &Path, files: u32) -> Result<PathBuf, Trouble> {
    let repository = folder.join(format!("files-{files}"));
    if !repository.exists() {
        // Made aside and renamed, so that a broken-off attempt is never taken for a whole one.
        let making = tempfile::tempdir_in(folder)?;
        make(making.path(), files)?;
        std::fs::rename(making.keep(), &repository)?;
    }
    Ok(repository)
}

fn make(folder: &Path, files: u32) -> Result<(), Trouble> {
    run::must(git(folder).args(["init", "--quiet", "--initial-branch=main"]))?;
    import(folder, files)?;
    run::must(git(folder).args(["reset", "--quiet", "--hard", "main"]))?;
    // fast-import leaves few objects loose; a clone of a real repository has one pack.
    run::must(git(folder).args(["repack", "--quiet", "-a", "-d"]))
}

/// One stream into one process: a hundred thousand files in a few seconds.
fn import(folder: &Path, files: u32) -> Result<(), Trouble> {
    let mut child = git(folder)
        .args(["fast-import", "--quiet"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()?;
    let mut stream = std::io::BufWriter::new(child.stdin.take().expect("standard input is piped"));
    write!(
        stream,
        "commit refs/heads/main\ncommitter Bench <bench@example.org> 1700000000 +0000\n"
    )?;
    write!(stream, "data 5\nfiles\n")?;
    for number in 0..files {
        let content = format!("file {number}\n{}", "a line of some length\n".repeat(10));
        writeln!(stream, "M 100644 inline {}", path_of(number))?;
        write!(stream, "data {}\n{content}\n", content.len())?;
    }
    stream.into_inner().map_err(|e| e.into_error())?.flush()?;
    let status = child.wait()?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("git fast-import ended with {status}").into())
    }
}

/// The path of a file by its number, from 0.
pub fn path_of(number: u32) -> String {
    let (folder, file) = (number / FILES_PER_FOLDER, number % FILES_PER_FOLDER);
    format!("folder{folder:05}/file{file:02}.txt")
}

/// Git without the settings of the person who runs it.
pub fn git(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE");
    command
}

#[cfg(test)]
mod tests {
    use super::{git, in_folder};
    use xtask::run;

    #[test]
    fn a_repository_has_its_files_in_one_clean_packed_commit() {
        let folder = tempfile::tempdir().expect("a folder");
        let repository = in_folder(folder.path(), 100).expect("the repository is made");
        let ask = |words: &[&str]| run::read(git(&repository).args(words)).expect("git answers");
        assert_eq!(ask(&["ls-files"]).lines().count(), 100);
        assert_eq!(ask(&["rev-list", "--count", "HEAD"]).trim(), "1");
        assert_eq!(ask(&["status", "--porcelain"]), "");
        assert!(ask(&["count-objects", "-v"]).contains("count: 0\n"), "nothing is loose");
        let again = in_folder(folder.path(), 100).expect("the repository is found");
        assert_eq!(again, repository);
    }
}
