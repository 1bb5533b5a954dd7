//! The person's login, lent to an agent for one attempt: copied in before it, taken out after it, and what the agent
//! renewed of it given back.

use super::{Home, rotated};
use rustix::fs::fchown;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;
use tollgate_core::id::ContentHash;
use tollgate_files as files;
use tollgate_files::crash;
use tollgate_files::redact::secrets_in;

/// Logins are small; what is larger is something else.
const LOGIN_BYTES_MAX: u64 = 256 * 1024;

/// After the name of a private folder: the list of what was lent.
pub const LENT_SUFFIX: &str = ".login.json";

/// Another dispatch may be giving back the same login; it needs no longer than this.
const LOCK_TRIES: u32 = 40;
const LOCK_PAUSE: Duration = Duration::from_millis(25);

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

impl LoginFile {
    /// Where the person has it, were they to have it.
    pub fn from(
        &self,
        person: Option<&Path>,
        lookup: &impl Fn(&str) -> Option<PathBuf>,
    ) -> Option<PathBuf> {
        let moved = self.moved_by.and_then(lookup).map(|folder| folder.join(self.below_moved));
        moved.or_else(|| Some(person?.join(self.below_home)))
    }
}

/// What was lent. It lies beside the private folder, where the agent cannot write, and knows hashes, not values.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Lent {
    files: Vec<LentFile>,
}

#[derive(Debug, Serialize, Deserialize)]
struct LentFile {
    from: PathBuf,
    /// Below the private folder; none where the agent uses the person's own file.
    to: Option<String>,
    sha256: ContentHash,
}

impl Home {
    /// Copies what is there of the person's login; `lookup` gives environment variables.
    pub fn bring_login(
        &self,
        files: &[LoginFile],
        person: Option<&Path>,
        lookup: impl Fn(&str) -> Option<PathBuf>,
    ) -> io::Result<()> {
        self.take_login_out()?;
        let found = found(files, person, &lookup)?;
        let lent = |(from, file, bytes): &(PathBuf, &LoginFile, Vec<u8>)| LentFile {
            from: from.clone(),
            to: Some(file.to.to_owned()),
            sha256: files::hash_bytes(bytes),
        };
        // First what is lent, then the lending: what a killed engine has copied is known.
        self.write_lent(&Lent { files: found.iter().map(lent).collect() })?;
        crash::point("login.listed");
        for (_, file, bytes) in &found {
            self.write(file.to, bytes)?;
        }
        Ok(())
    }

    /// For an agent that uses the person's own folder: nothing is copied, but what is secret in it is known.
    pub fn use_login_in_place(
        &self,
        files: &[LoginFile],
        person: Option<&Path>,
        lookup: impl Fn(&str) -> Option<PathBuf>,
    ) -> io::Result<()> {
        self.take_login_out()?;
        let lent = found(files, person, &lookup)?.into_iter().map(|(from, _, bytes)| LentFile {
            from,
            to: None,
            sha256: files::hash_bytes(&bytes),
        });
        self.write_lent(&Lent { files: lent.collect() })
    }

    /// The login does not stay behind, and what the agent renewed of it comes back to the person.
    pub fn take_login_out(&self) -> io::Result<()> {
        let Some(lent) = self.lent()? else { return Ok(()) };
        for file in &lent.files {
            let Some(to) = &file.to else { continue };
            let _is_opened = self.way_to(to);
            // Without it the person may have to log in again, which is no reason to leave a copy behind.
            let _kept_as_it_was = give_back(self.folder(), to, file);
            crash::point("login.given_back");
            match self.make_way(to) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                gone => drop(gone?),
            }
        }
        fs::remove_file(self.lent_path())
    }

    /// Whether the person has another login by now than the one that was lent.
    pub fn is_login_outdated(&self) -> io::Result<bool> {
        let lent = self.lent()?.unwrap_or_default().files;
        let is_other = |file: &LentFile| {
            let theirs = read_theirs(&file.from).ok().flatten();
            theirs.is_some_and(|bytes| files::hash_bytes(&bytes) != file.sha256)
        };
        Ok(lent.iter().filter(|file| file.to.is_some()).any(is_other))
    }

    /// The files with the login that an agent now works with.
    pub fn secret_files(&self) -> io::Result<Vec<PathBuf>> {
        let place = |file: LentFile| match file.to {
            Some(to) => self.path(&to),
            None => file.from,
        };
        Ok(self.lent()?.unwrap_or_default().files.into_iter().map(place).collect())
    }

    /// What is secret in the login, as it was lent and as it is now.
    pub fn secrets(&self) -> io::Result<Vec<String>> {
        let mut secrets = Vec::new();
        for file in self.lent()?.unwrap_or_default().files {
            let copy = file.to.and_then(|to| {
                let _is_opened = self.way_to(&to);
                files::read_beneath(self.folder(), &to, LOGIN_BYTES_MAX).ok()
            });
            let original = read_theirs(&file.from).ok().flatten();
            secrets.extend(copy.into_iter().chain(original).flat_map(|bytes| secrets_in(&bytes)));
        }
        Ok(secrets)
    }

    fn lent_path(&self) -> PathBuf {
        let mut name = self.folder().file_name().unwrap_or_default().to_owned();
        name.push(LENT_SUFFIX);
        self.folder().with_file_name(name)
    }

    fn write_lent(&self, lent: &Lent) -> io::Result<()> {
        let bytes = serde_json::to_vec_pretty(lent).expect("a list of files can be written");
        files::write_atomic(&self.lent_path(), &bytes).map_err(io::Error::other)
    }

    fn lent(&self) -> io::Result<Option<Lent>> {
        match files::read_bounded(&self.lent_path(), LOGIN_BYTES_MAX) {
            Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(io::Error::other(error)),
        }
    }
}

type FoundLogins<'a> = Vec<(PathBuf, &'a LoginFile, Vec<u8>)>;

fn found<'a>(
    files: &'a [LoginFile],
    person: Option<&Path>,
    lookup: &impl Fn(&str) -> Option<PathBuf>,
) -> io::Result<FoundLogins<'a>> {
    let mut found = Vec::new();
    for file in files {
        let Some(from) = file.from(person, lookup) else { continue };
        if let Some(bytes) = read_theirs(&from)? {
            found.push((from, file, bytes));
        }
    }
    Ok(found)
}

/// A file of the person, who may have made it a link; none when it is not there.
fn read_theirs(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let is_file = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        meta => meta?.is_file(),
    };
    if !is_file {
        // A pipe of a password manager would be waited for without an end.
        let words = format!("{} is not a regular file", path.display());
        return Err(io::Error::new(io::ErrorKind::InvalidData, words));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(LOGIN_BYTES_MAX + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LOGIN_BYTES_MAX {
        let words = format!("{} is too large for a login", path.display());
        return Err(io::Error::new(io::ErrorKind::InvalidData, words));
    }
    Ok(Some(bytes))
}

/// Tokens that are used up when they are renewed would lock the person out of their own agent. False when their file
/// stays as it is: the copy did not change, is no longer a login, or the person has another one in the meantime.
fn give_back(home: &Path, to: &str, lent: &LentFile) -> io::Result<bool> {
    let copy = files::read_beneath(home, to, LOGIN_BYTES_MAX).map_err(io::Error::other)?;
    if files::hash_bytes(&copy) == lent.sha256 {
        return Ok(false);
    }
    let theirs = lent.from.canonicalize()?;
    let folder = files::folder_of(&theirs);
    let _one_at_a_time = lock(folder)?;
    let original = read_theirs(&theirs)?.unwrap_or_default();
    if files::hash_bytes(&original) != lent.sha256 || !rotated::is_renewed(&original, &copy) {
        return Ok(false);
    }
    let before = theirs.metadata()?;
    let mut temp = tempfile::NamedTempFile::new_in(folder)?;
    temp.write_all(&copy)?;
    let now = temp.as_file().metadata()?;
    if (before.uid(), before.gid()) != (now.uid(), now.gid()) {
        let owner = rustix::fs::Uid::from_raw(before.uid());
        fchown(temp.as_file(), Some(owner), Some(rustix::fs::Gid::from_raw(before.gid())))?;
    }
    temp.as_file().set_permissions(before.permissions())?;
    temp.as_file().sync_data()?;
    temp.persist(&theirs).map_err(|error| error.error)?;
    Ok(true)
}

fn lock(folder: &Path) -> io::Result<File> {
    let file = File::open(folder)?;
    for _ in 0..LOCK_TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => thread::sleep(LOCK_PAUSE),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Err(io::Error::other("another process holds it"))
}
