//! The agent's own `.git`: a shared clone of the person's repository without remote, hooks or any file in common.
//! The agent does with it what it likes; we write it whole and never read it.

use super::listable::make_listable;
use super::plain::{read_if_there, write};
use super::settings::clone_config;
use super::{Workspace, WorkspaceError};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use tollgate_files::crash;

impl Workspace {
    /// Gives the agent a fresh `.git`, detached at the last accepted commit. The one before is kept beside the tree
    /// until the next renewal.
    pub fn renew_clone(&self) -> Result<(), WorkspaceError> {
        self.settle_index()?;
        let fresh = self.shadow.with_file_name("clone.new");
        remove(&fresh)?;
        let info = fresh.join("objects/info");
        for folder in [&info, &fresh.join("refs/heads"), &fresh.join("info")] {
            fs::create_dir_all(folder).map_err(|cause| WorkspaceError::io(folder, cause))?;
        }
        let mut alternates = self.repository.objects_dir().as_os_str().as_bytes().to_vec();
        alternates.push(b'\n');
        write(&info.join("alternates"), &alternates)?;
        write(&fresh.join("config"), clone_config(&self.repository)?.as_bytes())?;
        write(&fresh.join("info/exclude"), &read_if_there(&self.shadow.join("info/exclude"))?)?;
        let shallow = read_if_there(&self.shadow.join("shallow"))?;
        if !shallow.is_empty() {
            write(&fresh.join("shallow"), &shallow)?;
        }
        write(&fresh.join("HEAD"), format!("{}\n", self.accepted()?).as_bytes())?;
        self.write_clone_index(&fresh.join("index"))?;
        let place = self.tree.join(".git");
        if place.symlink_metadata().is_ok() {
            let old = self.shadow.with_file_name("clone.old");
            remove(&old)?;
            fs::rename(&place, &old).map_err(|cause| WorkspaceError::io(&place, cause))?;
        }
        crash::point("clone.before_rename");
        fs::rename(&fresh, &place).map_err(|cause| WorkspaceError::io(&place, cause))
    }

    /// A copy of our index, so that the agent's first `git status` need not read every file; with its checksum,
    /// which other readers of the format ask for, and without our untracked cache.
    fn write_clone_index(&self, to: &Path) -> Result<(), WorkspaceError> {
        fs::copy(self.shadow.join("index"), to).map_err(|cause| WorkspaceError::io(to, cause))?;
        self.git(["-c", "index.skipHash=false", "-c", "core.untrackedCache=false", "update-index"])
            .arg("--force-write-index")
            .env("GIT_INDEX_FILE", to)
            .run()?;
        Ok(())
    }
}

/// Whatever is there: an agent may have made its `.git` a file or a link.
pub fn remove(path: &Path) -> Result<(), WorkspaceError> {
    let removed = match path.symlink_metadata() {
        Ok(metadata) if metadata.is_dir() => match remove_folder(path) {
            Err(cause) if cause.kind() == std::io::ErrorKind::PermissionDenied => {
                make_listable(path);
                remove_folder(path)
            }
            removed => removed,
        },
        Ok(_) => fs::remove_file(path),
        Err(_) => Ok(()),
    };
    removed.map_err(|cause| WorkspaceError::io(path, cause))
}

/// One thing in it after the other, so that a test can stop in the middle.
fn remove_folder(path: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        crash::step(REMOVING);
        match entry.file_type()?.is_dir() {
            true => fs::remove_dir_all(entry.path())?,
            false => fs::remove_file(entry.path())?,
        }
    }
    crash::step(REMOVING);
    fs::remove_dir(path)
}

/// Says at which thing that is removed a test kills this process.
const REMOVING: &str = "TOLLGATE_CRASH_REMOVING";
