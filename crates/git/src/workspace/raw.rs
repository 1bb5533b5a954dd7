//! Takes files into an index byte by byte, when git will not have them as the attributes of the tree say: what an agent
//! writes into `.gitattributes` must not keep its work from being kept.

use super::changes::Presence;
use super::plain::write;
use super::{Workspace, WorkspaceError};
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Copies of the files, in our git directory: no link and no name of the tree has a say there.
const COPIES: &str = "raw";

impl Workspace {
    /// Brings these paths of an index to what is in the tree, without any conversion.
    pub(super) fn stage_raw(&self, paths: &[PathBuf], index: &Path) -> Result<(), WorkspaceError> {
        let copies = self.shadow.join(COPIES);
        super::clone::remove(&copies)?;
        fs::create_dir(&copies).map_err(|cause| WorkspaceError::io(&copies, cause))?;
        let (mut names, mut standing, mut gone) = (String::new(), Vec::new(), Vec::new());
        for path in paths {
            let copy = copies.join(standing.len().to_string());
            match self.copy_raw(path, &copy)? {
                Some(mode) => {
                    names.push_str(&format!("{COPIES}/{}\n", standing.len()));
                    standing.push((mode, path));
                }
                None => gone.push(path),
            }
        }
        // One sync for all.
        let call = self.git(["-c", "core.fsync=none", "hash-object", "-w", "--no-filters"]);
        let call = call.arg("--stdin-paths");
        let hashed = call.folder(&self.shadow).input(names.into_bytes()).run()?.stdout;
        let objects = self.repository.objects_dir();
        File::open(objects)
            .and_then(|objects| Ok(rustix::fs::syncfs(objects)?))
            .map_err(|cause| WorkspaceError::io(objects, cause))?;
        let hashed = String::from_utf8_lossy(&hashed).into_owned();
        let mut entries = Vec::new();
        let nothing = "0".repeat(hashed.lines().next().map_or(40, str::len));
        for path in gone {
            add_entry(&mut entries, "0", &nothing, path);
        }
        for ((mode, path), hash) in standing.into_iter().zip(hashed.lines()) {
            add_entry(&mut entries, mode, hash, path);
        }
        self.git(["update-index", "-z", "--index-info"])
            .env("GIT_INDEX_FILE", index)
            .input(entries)
            .run()?;
        super::clone::remove(&copies)
    }

    /// Its mode for git, or None where nothing stands that git could hold.
    fn copy_raw(&self, path: &Path, to: &Path) -> Result<Option<&'static str>, WorkspaceError> {
        match self.presence(path) {
            Presence::Link => {
                let from = self.tree.join(path);
                let target = fs::read_link(&from).map_err(|e| WorkspaceError::io(&from, e))?;
                write(to, target.as_os_str().as_bytes())?;
                Ok(Some("120000"))
            }
            Presence::File => {
                let failed = |cause| WorkspaceError::io(&self.tree.join(path), cause);
                let mut from = self.open_file(path).map_err(failed)?;
                let is_program = from.metadata().map_err(failed)?.permissions().mode() & 0o100 != 0;
                let mut copy = File::create(to).map_err(|e| WorkspaceError::io(to, e))?;
                std::io::copy(&mut from, &mut copy).map_err(failed)?;
                Ok(Some(if is_program { "100755" } else { "100644" }))
            }
            _ => Ok(None),
        }
    }

    /// A file that its maker took the right to read from is given it back: the tree is ours.
    fn open_file(&self, path: &Path) -> std::io::Result<File> {
        let (folder, name) = self.place_of(path)?;
        let open = || tollgate_files::open_in(&folder, name);
        let opened = match open() {
            Err(rustix::io::Errno::ACCESS) => {
                let at = self.tree.join(path);
                let mode = at.symlink_metadata()?.permissions().mode();
                fs::set_permissions(&at, fs::Permissions::from_mode(mode | 0o600))?;
                open()
            }
            opened => opened,
        };
        Ok(opened?)
    }
}

fn add_entry(entries: &mut Vec<u8>, mode: &str, hash: &str, path: &Path) {
    entries.extend_from_slice(format!("{mode} {hash}\t").as_bytes());
    entries.extend_from_slice(path.as_os_str().as_bytes());
    entries.push(0);
}
