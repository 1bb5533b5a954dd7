//! How commands reach the process that owns a session: a folder of small files, each moved by rename.
//!
//! `ID.json` waits, `ID.taken` is in the owner's hands, `ID.reply.json` is the answer. Taking and
//! withdrawing are renames and removals of the same name, so exactly one of them wins. A taken
//! command whose owner died is taken again; its id keeps it from acting twice.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};
use tollgate_core::id::CommandId;
use tollgate_core::input::Command;
use tollgate_files::crash;
use tollgate_files::{self as files, FileError};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InboxReply {
    pub accepted: bool,
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// What became of a command within the time given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delivery {
    Replied(InboxReply),
    /// Nobody took it; it is withdrawn and will not act.
    Withdrawn,
    /// The owner has it and has not answered yet; it may still act.
    Taken,
}

#[derive(Debug, thiserror::Error)]
pub enum InboxError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(
        "the command id {id:?} cannot be the name of a file: use letters, digits, '-' and '_', at most 64"
    )]
    BadId { id: String },
    #[error(
        "a command of {bytes} bytes is more than the limit of {COMMAND_BYTES_MAX}; put the text into a file and name the file"
    )]
    TooBig { bytes: usize },
}

/// A command carries an answer of a person, not a document.
pub const COMMAND_BYTES_MAX: usize = 256 * 1024;
const POLL: Duration = Duration::from_millis(20);
/// A reply that nobody fetched for so long has lost its sender.
const REPLY_KEPT: Duration = Duration::from_secs(3600);
const WAITING: &str = ".json";
const TAKEN: &str = ".taken";
const REPLY: &str = ".reply.json";

/// Leaves a command for the owner of the session; durable when it returns.
pub fn send(inbox: &Path, command: &Command) -> Result<(), InboxError> {
    let path = inbox.join(file_name(command.id(), WAITING)?);
    let bytes = serde_json::to_vec(command).expect("a command is plain data");
    if bytes.len() > COMMAND_BYTES_MAX {
        return Err(InboxError::TooBig { bytes: bytes.len() });
    }
    fs::create_dir_all(inbox).map_err(FileError::io("make", inbox))?;
    Ok(files::write_durable(&path, &bytes)?)
}

/// Waits for the reply to a command that was sent; at the limit withdraws it if nobody took it.
pub fn wait(inbox: &Path, id: &CommandId, limit: Duration) -> Result<Delivery, InboxError> {
    let reply = inbox.join(file_name(id, REPLY)?);
    let command = inbox.join(file_name(id, WAITING)?);
    let deadline = Instant::now() + limit;
    loop {
        if let Some(found) = fetch_reply(&reply)? {
            return Ok(Delivery::Replied(found));
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        std::thread::sleep(POLL.min(left));
    }
    match fs::remove_file(&command) {
        Ok(()) => Ok(Delivery::Withdrawn),
        // Taken: perhaps answered since we looked.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Ok(fetch_reply(&reply)?.map_or(Delivery::Taken, Delivery::Replied))
        }
        Err(error) => Err(FileError::io("withdraw", &command)(error).into()),
    }
}

fn fetch_reply(path: &Path) -> Result<Option<InboxReply>, FileError> {
    let bytes = match files::read_bounded(path, COMMAND_BYTES_MAX as u64) {
        Ok(bytes) => bytes,
        Err(error) if error.is_not_found() => return Ok(None),
        Err(error) => return Err(error),
    };
    let reply = serde_json::from_slice(&bytes)
        .map_err(|error| FileError::io("understand the reply", path)(error.into()))?;
    // One that stays is removed by the owner some time later.
    let _ = fs::remove_file(path);
    Ok(Some(reply))
}

/// The owner's side. Whoever makes one holds the session's lock.
#[derive(Debug)]
pub struct Inbox {
    folder: PathBuf,
    in_hand: BTreeSet<CommandId>,
}

impl Inbox {
    pub fn open(folder: &Path) -> Result<Self, InboxError> {
        fs::create_dir_all(folder).map_err(FileError::io("make", folder))?;
        remove_old_replies(folder);
        Ok(Self { folder: folder.to_owned(), in_hand: BTreeSet::new() })
    }

    /// The commands that arrived since the last call, in order of arrival. Each must be replied to.
    pub fn take(&mut self) -> Result<Vec<Command>, InboxError> {
        let mut commands = Vec::new();
        for found in self.waiting()? {
            if let Some(command) = self.take_one(&found)? {
                self.in_hand.insert(command.id().clone());
                commands.push(command);
            }
        }
        Ok(commands)
    }

    /// Tells the sender and forgets the command.
    pub fn reply(&mut self, id: &CommandId, reply: &InboxReply) -> Result<(), InboxError> {
        self.write_reply(id, reply)?;
        crash::point("inbox.replied");
        let taken = self.folder.join(file_name(id, TAKEN)?);
        match fs::remove_file(&taken) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(FileError::io("remove", &taken)(error).into())
            }
            _ => {
                self.in_hand.remove(id);
                Ok(())
            }
        }
    }

    fn write_reply(&self, id: &CommandId, reply: &InboxReply) -> Result<(), InboxError> {
        let path = self.folder.join(file_name(id, REPLY)?);
        let bytes = serde_json::to_vec(reply).expect("a reply is plain data");
        Ok(files::write_durable(&path, &bytes)?)
    }

    /// Files to look at, oldest first.
    fn waiting(&self) -> Result<Vec<PathBuf>, InboxError> {
        let io = FileError::io("list", &self.folder);
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.folder).map_err(&io)? {
            let entry = entry.map_err(&io)?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let is_ours = name == BAD || name.ends_with(REPLY) || files::is_temporary(&name);
            let is_in_hand = name
                .strip_suffix(TAKEN)
                .is_some_and(|id| self.in_hand.contains(&CommandId::new(id)));
            if is_ours || is_in_hand {
                continue;
            }
            // A sender may withdraw its command at any time.
            let Ok(meta) = entry.metadata() else { continue };
            found.push((meta.modified().unwrap_or(SystemTime::UNIX_EPOCH), entry.path()));
        }
        found.sort();
        Ok(found.into_iter().map(|(_, path)| path).collect())
    }

    fn take_one(&self, path: &Path) -> Result<Option<Command>, InboxError> {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let id = name.strip_suffix(WAITING).or_else(|| name.strip_suffix(TAKEN));
        let Some(id) = id.map(CommandId::new).filter(is_file_name) else {
            return self.put_aside(path).map(|()| None);
        };
        let taken = self.folder.join(file_name(&id, TAKEN)?);
        if taken != path {
            match fs::rename(path, &taken) {
                Ok(()) => crash::point("inbox.taken"),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(_) => return self.put_aside(path).map(|()| None),
            }
        }
        match read_command(&taken, &id) {
            Ok(command) => Ok(Some(command)),
            Err(why) => {
                self.put_aside(&taken)?;
                let hint = Some(format!("the file is kept in {BAD}/ of the session's inbox"));
                self.write_reply(&id, &InboxReply { accepted: false, message: why, hint })?;
                Ok(None)
            }
        }
    }

    /// Keeps what is no command for a person to look at.
    fn put_aside(&self, path: &Path) -> Result<(), InboxError> {
        let bad = self.folder.join(BAD);
        fs::create_dir_all(&bad).map_err(FileError::io("make", &bad))?;
        let name = path.file_name().unwrap_or_default();
        let target = files::first_free(|number| match number {
            1 => bad.join(name),
            number => {
                let mut numbered = name.to_owned();
                numbered.push(format!(".{number}"));
                bad.join(numbered)
            }
        });
        match fs::rename(path, target) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(FileError::io("put aside", path)(error).into())
            }
            _ => Ok(()),
        }
    }
}

const BAD: &str = "bad";

fn read_command(path: &Path, id: &CommandId) -> Result<Command, String> {
    let bytes =
        files::read_bounded(path, COMMAND_BYTES_MAX as u64).map_err(|error| error.to_string())?;
    let command: Command = serde_json::from_slice(&bytes)
        .map_err(|error| format!("the command cannot be understood: {error}"))?;
    if command.id() == id {
        Ok(command)
    } else {
        Err(format!("the command has the id {}, its file {id}", command.id()))
    }
}

fn file_name(id: &CommandId, ending: &str) -> Result<String, InboxError> {
    if is_file_name(id) {
        Ok(format!("{id}{ending}"))
    } else {
        Err(InboxError::BadId { id: id.to_string() })
    }
}

fn is_file_name(id: &CommandId) -> bool {
    let text = id.as_str();
    (1..=64).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

/// Best effort: a reply that stays costs nothing but space.
fn remove_old_replies(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_reply = entry.file_name().to_string_lossy().ends_with(REPLY);
        let is_old = entry
            .metadata()
            .and_then(|meta| meta.modified())
            .is_ok_and(|at| at.elapsed().is_ok_and(|age| age > REPLY_KEPT));
        if is_reply && is_old {
            let _ = fs::remove_file(entry.path());
        }
    }
}
