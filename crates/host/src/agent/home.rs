//! The private configuration folder of a dispatch: only the person's login is brought along, nothing else of theirs.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// A file of the person's login.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoginFile {
    /// The variable that names the folder it is in, where the person may have moved it.
    pub moved_by: Option<&'static str>,
    /// Below that folder, or below the home when the variable is not set.
    pub below_moved: &'static str,
    pub below_home: &'static str,
    /// Below the private folder.
    pub to: &'static str,
}

/// Where an agent of one dispatch keeps its settings, its login and its own sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    folder: PathBuf,
}

impl Home {
    /// Made when it is not there, for the person alone.
    pub fn create(folder: &Path) -> io::Result<Self> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        Ok(Self { folder: folder.to_owned() })
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn path(&self, relative: &str) -> PathBuf {
        self.folder.join(relative)
    }

    /// Writes a settings file of the agent.
    pub fn write(&self, relative: &str, content: &[u8]) -> io::Result<()> {
        let path = self.path(relative);
        if let Some(folder) = path.parent() {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600);
        io::Write::write_all(&mut options.open(path)?, content)
    }

    /// Copies what is there of the person's login; `lookup` gives environment variables.
    pub fn bring_login(
        &self,
        files: &[LoginFile],
        person: Option<&Path>,
        lookup: impl Fn(&str) -> Option<PathBuf>,
    ) -> io::Result<()> {
        for file in files {
            let moved = file.moved_by.and_then(&lookup).map(|folder| folder.join(file.below_moved));
            let usual = || person.map(|home| home.join(file.below_home));
            let Some(from) = moved.or_else(usual) else { continue };
            match fs::read(&from) {
                Ok(content) => self.write(file.to, &content)?,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The login does not stay behind.
    pub fn remove_login(&self, files: &[LoginFile]) -> io::Result<()> {
        for file in files {
            match fs::remove_file(self.path(file.to)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}
