//! The private configuration folder of a dispatch: only the person's login is brought along, nothing else of theirs.
//!
//! The agent may do in it what it likes, so nothing is read or written here through a link.

mod login;
mod rotated;

pub use login::{LENT_SUFFIX, LoginFile};

use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, CWD, Mode, chmodat, fchmod, mkdirat, unlinkat};
use rustix::io::Errno;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tollgate_files::{create_in, open_folder};

const OWN: Mode = Mode::RWXU;

/// Where an agent of one dispatch keeps its settings, its login and its own sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    folder: PathBuf,
}

impl Home {
    /// Made when it is not there, for the person alone.
    pub fn create(folder: &Path) -> io::Result<Self> {
        match open_up(folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
        Ok(Self::at(folder))
    }

    /// One that may be there.
    pub fn at(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn path(&self, relative: &str) -> PathBuf {
        self.folder.join(relative)
    }

    /// Writes a settings file of the agent, for the person alone. Not by rename: a writer that is killed leaves nothing
    /// under another name.
    pub fn write(&self, relative: &str, content: &[u8]) -> io::Result<()> {
        let folder = self.make_way(relative)?;
        create_in(&folder, name_of(relative), 0o600)?.write_all(content)
    }

    /// Takes the login out, gives back what the agent renewed of it, and removes everything.
    pub fn discard(&self) -> io::Result<()> {
        self.take_login_out()?;
        match remove_closed(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }

    /// The folder in which a file is to lie, with nothing at the file's name. What the agent put in the way goes.
    fn make_way(&self, relative: &str) -> io::Result<OwnedFd> {
        let folder = self.way_to(relative)?;
        match unlinkat(&folder, name_of(relative), AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            // Every folder above it was just seen to be one.
            Err(Errno::ISDIR) => remove_closed(&self.path(relative))?,
            Err(errno) => return Err(errno.into()),
        }
        Ok(folder)
    }

    /// The folder of a file, with every folder down to it open to us: the agent may have closed them.
    fn way_to(&self, relative: &str) -> io::Result<OwnedFd> {
        let folders = relative.rsplit_once('/').map_or("", |(folders, _)| folders);
        open_up(&self.folder)?;
        let mut folder = open_folder(CWD, &self.folder)?;
        for step in folders.split('/').filter(|step| !step.is_empty()) {
            folder = step_into(&folder, step)?;
            fchmod(&folder, OWN)?;
        }
        Ok(folder)
    }
}

/// Makes a folder ours again. What is no folder, or a link to one, goes: then there is none.
fn open_up(folder: &Path) -> io::Result<()> {
    let found = folder.symlink_metadata()?;
    if !found.is_dir() {
        fs::remove_file(folder)?;
        return Err(io::ErrorKind::NotFound.into());
    }
    if found.permissions().mode() & 0o700 != 0o700 {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

/// Removes a folder whatever an agent has closed in it.
fn remove_closed(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
        removed => return removed,
    }
    let mut closed = vec![folder.to_owned()];
    while let Some(next) = closed.pop() {
        open_up(&next)?;
        for entry in fs::read_dir(&next)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                closed.push(entry.path());
            }
        }
    }
    fs::remove_dir_all(folder)
}

fn name_of(relative: &str) -> &str {
    relative.rsplit_once('/').map_or(relative, |(_, name)| name)
}

/// A folder, made where it is missing, closed or something else.
fn step_into(parent: impl AsFd, name: &str) -> rustix::io::Result<OwnedFd> {
    match open_folder(&parent, name) {
        Err(Errno::NOENT) => mkdirat(&parent, name, OWN)?,
        Err(Errno::NOTDIR | Errno::LOOP) => {
            unlinkat(&parent, name, AtFlags::empty())?;
            mkdirat(&parent, name, OWN)?;
        }
        // Its mode, not that of where a link leads: a link would have been told above.
        Err(Errno::ACCESS) => chmodat(&parent, name, OWN, AtFlags::empty())?,
        opened => return opened,
    }
    open_folder(&parent, name)
}

#[cfg(test)]
mod tests;
