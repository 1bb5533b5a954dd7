//! An archive from its first byte to its last. Nothing in it is believed: every size has a limit before it is read, and
//! what does not have the one form that an export gives it is told by its name.

use crate::problem::Problem;
use crate::tape::{self, BLOCK, NAME_BYTES_MAX};
use crate::{
    COMMITS, COMMITS_BYTES_MAX, ENTRIES_MAX, ENTRY_BYTES_MAX, JOURNAL, JOURNAL_BYTES_MAX, MANIFEST,
    MANIFEST_BYTES_MAX, MANIFEST_SUM, SESSION, TOTAL_BYTES_MAX,
};
use flate2::bufread::GzDecoder;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use tar::{EntryType, Header};
use tollgate_core::id::{ContentHash, SessionName};
use tollgate_files as files;

/// Documents that a report shows; larger ones are not shown anywhere.
const DOCUMENT_BYTES_MAX: u64 = 2 << 20;
const DOCUMENTS_BYTES_MAX: u64 = 64 << 20;
/// Without a name, a time or a word about the machine.
const GZIP_HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
/// After so many the rest says nothing new.
const PROBLEMS_MAX: usize = 200;

/// What was in an archive.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub session: Option<SessionName>,
    pub entries: Vec<FoundEntry>,
    pub manifest: Option<Vec<u8>>,
    pub manifest_sum: Option<Vec<u8>>,
    pub problems: Vec<Problem>,
}

#[derive(Debug)]
pub(crate) struct FoundEntry {
    /// Without the folder around everything.
    pub path: String,
    pub bytes: u64,
    pub sha256: ContentHash,
}

/// Where the journal, the commits and the documents are put.
#[derive(Debug)]
pub(crate) struct Shelf<'a>(pub &'a Path);

impl Shelf<'_> {
    /// As in a repository, so that everything that reads a session reads it here.
    pub fn file(&self, session: &SessionName, path: &str) -> PathBuf {
        match path.strip_prefix(SESSION) {
            Some(below) => self.0.join(files::layout::session_path(session)).join(below),
            None => self.0.join("commits").join(path),
        }
    }
}

/// Only a failure of this machine is an error; whatever is wrong with the archive is a problem of it.
pub(crate) fn read(file: File, shelf: &Shelf<'_>) -> io::Result<Found> {
    let mut file = BufReader::with_capacity(128 << 10, file);
    let begin = file.fill_buf()?;
    if begin.get(..GZIP_HEAD.len()) != Some(&GZIP_HEAD) {
        let problems = vec![Problem::NotAnArchive { why: "it does not begin as one".to_owned() }];
        return Ok(Found { problems, ..Found::default() });
    }
    let tape = GzDecoder::new(file);
    let (found, total, documents) = (Found::default(), 0, 0);
    let mut reader =
        Reader { tape, shelf, found, names: BTreeSet::new(), total, documents, mtime: None };
    match reader.whole() {
        Ok(()) => {}
        Err(Stop::Problem(problem)) => reader.found.problems.push(problem),
        Err(Stop::Machine(error)) => return Err(error),
    }
    Ok(reader.found)
}

/// Why it cannot be read on.
enum Stop {
    Problem(Problem),
    Machine(io::Error),
}

struct Reader<'a> {
    tape: GzDecoder<BufReader<File>>,
    shelf: &'a Shelf<'a>,
    found: Found,
    names: BTreeSet<String>,
    total: u64,
    documents: u64,
    /// One for all entries.
    mtime: Option<u64>,
}

impl Reader<'_> {
    fn whole(&mut self) -> Result<(), Stop> {
        loop {
            let block = self.block()?;
            if block == [0; BLOCK] {
                break;
            }
            self.entry(block)?;
            if self.found.problems.len() > PROBLEMS_MAX {
                return Ok(());
            }
        }
        if self.block()? != [0; BLOCK] {
            return Err(Stop::Problem(Problem::Trailing));
        }
        self.expect_end()
    }

    /// The sum of what is compressed is checked where it ends.
    fn expect_end(&mut self) -> Result<(), Stop> {
        let more = self.tape.read(&mut [0]).map_err(|error| self.unreadable(&error))?;
        let behind = self.tape.get_mut().read(&mut [0]).map_err(Stop::Machine)?;
        match more == 0 && behind == 0 {
            true => Ok(()),
            false => Err(Stop::Problem(Problem::Trailing)),
        }
    }

    fn entry(&mut self, block: [u8; BLOCK]) -> Result<(), Stop> {
        let mut blocks = block.to_vec();
        let mut header = Header::from_byte_slice(&block).clone();
        let mut long = None;
        if header.entry_type() == EntryType::GNULongName {
            let name = self.long_name(&header, &mut blocks)?;
            let next = self.block()?;
            blocks.extend_from_slice(&next);
            header = Header::from_byte_slice(&next).clone();
            long = Some(name);
        }
        let bytes = header.entry_size().map_err(|error| self.unreadable(&error))?;
        self.count(bytes)?;
        let name = long.unwrap_or_else(|| {
            header.as_old().name.split(|byte| *byte == 0).next().unwrap_or_default().to_vec()
        });
        let path = self.own_path(&name);
        let shown = path.clone().unwrap_or_else(|| String::from_utf8_lossy(&name).into_owned());
        let is_file = header.entry_type() == EntryType::Regular && header.as_bytes()[156] == b'0';
        if !is_file {
            let kind = kind(header.entry_type());
            self.found.problems.push(Problem::NotAFile { path: shown.clone(), kind });
        } else if path.is_none() {
            self.found.problems.push(Problem::BadName { path: shown.clone() });
        } else if !self.names.insert(shown.clone()) {
            self.found.problems.push(Problem::Twice { path: shown.clone() });
        } else if !self.is_our_form(&header, &name, bytes, &blocks) {
            self.found.problems.push(Problem::Wrapped { path: shown.clone() });
        }
        let is_wanted = is_file && path.is_some();
        self.content(is_wanted.then_some(shown.as_str()), &shown, bytes)
    }

    fn long_name(&mut self, header: &Header, blocks: &mut Vec<u8>) -> Result<Vec<u8>, Stop> {
        let length = header.entry_size().map_err(|error| self.unreadable(&error))?;
        if length > NAME_BYTES_MAX {
            return Err(Stop::Problem(Problem::TooLarge { what: "a name", max: NAME_BYTES_MAX }));
        }
        let length = usize::try_from(length).unwrap_or(0);
        let mut name = vec![0; length + tape::padding(length as u64)];
        self.fill(&mut name)?;
        blocks.extend_from_slice(&name);
        name.truncate(length);
        if name.last() == Some(&0) {
            name.pop();
        }
        Ok(name)
    }

    fn count(&mut self, bytes: u64) -> Result<(), Stop> {
        self.total = self.total.saturating_add(bytes);
        let too_large = |what, max| Err(Stop::Problem(Problem::TooLarge { what, max }));
        if bytes > ENTRY_BYTES_MAX {
            return too_large("the size of an entry", ENTRY_BYTES_MAX);
        }
        if self.total > TOTAL_BYTES_MAX {
            return too_large("the size of all entries", TOTAL_BYTES_MAX);
        }
        if self.names.len() >= ENTRIES_MAX {
            return too_large("the number of entries", ENTRIES_MAX as u64);
        }
        Ok(())
    }

    /// The name without the folder that all names begin with; none where an export gives no such name.
    fn own_path(&mut self, name: &[u8]) -> Option<String> {
        let text = std::str::from_utf8(name).ok().filter(|_| files::is_inside(name))?;
        let (folder, path) = text.split_once('/')?;
        let session = SessionName::parse(folder).ok()?;
        let first = self.found.session.get_or_insert_with(|| session.clone());
        let is_known =
            path.starts_with(SESSION) || [COMMITS, MANIFEST, MANIFEST_SUM].contains(&path);
        (*first == session && is_known).then(|| path.to_owned())
    }

    fn is_our_form(&mut self, header: &Header, name: &[u8], bytes: u64, blocks: &[u8]) -> bool {
        let Ok(mtime) = header.mtime() else { return false };
        let mtime = *self.mtime.get_or_insert(mtime);
        std::str::from_utf8(name).is_ok_and(|name| tape::head(name, bytes, mtime) == blocks)
    }

    /// Reads what an entry holds, and puts it where it belongs.
    fn content(&mut self, wanted: Option<&str>, shown: &str, bytes: u64) -> Result<(), Stop> {
        let mut place = match wanted {
            Some(path) => self.place_for(path, bytes)?,
            None => Place::Nowhere,
        };
        let mut hash = Sha256::new();
        let mut left = bytes;
        let mut buffer = vec![0; 64 << 10];
        while left > 0 {
            let some = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            self.fill(&mut buffer[..some])?;
            hash.update(&buffer[..some]);
            place.take(&buffer[..some]).map_err(Stop::Machine)?;
            left -= some as u64;
        }
        let mut padding = vec![0; tape::padding(bytes)];
        self.fill(&mut padding)?;
        if padding.iter().any(|byte| *byte != 0) {
            self.found.problems.push(Problem::Wrapped { path: shown.to_owned() });
        }
        let Some(path) = wanted else { return Ok(()) };
        match (path, place) {
            (MANIFEST, Place::Memory(bytes)) => self.found.manifest = Some(bytes),
            (MANIFEST_SUM, Place::Memory(bytes)) => self.found.manifest_sum = Some(bytes),
            _ => {}
        }
        let digest: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        let sha256 = ContentHash::parse(&digest).expect("a SHA-256 has 64 hex digits");
        self.found.entries.push(FoundEntry { path: path.to_owned(), bytes, sha256 });
        Ok(())
    }

    fn place_for(&mut self, path: &str, bytes: u64) -> Result<Place, Stop> {
        let limit = |what, max| match bytes > max {
            true => Err(Stop::Problem(Problem::TooLarge { what, max })),
            false => Ok(()),
        };
        match path {
            MANIFEST | MANIFEST_SUM => {
                limit("the manifest", MANIFEST_BYTES_MAX)?;
                return Ok(Place::Memory(Vec::new()));
            }
            JOURNAL => limit("the journal", JOURNAL_BYTES_MAX)?,
            COMMITS => limit("the bundle of commits", COMMITS_BYTES_MAX)?,
            _ => {
                let below = path.strip_prefix(SESSION).unwrap_or_default();
                let is_document =
                    !below.starts_with("dispatches/") && !below.starts_with("checks/");
                let fits =
                    bytes <= DOCUMENT_BYTES_MAX && self.documents + bytes <= DOCUMENTS_BYTES_MAX;
                if !is_document || !fits {
                    return Ok(Place::Nowhere);
                }
                self.documents += bytes;
            }
        }
        let session = self.found.session.clone().expect("a path of an entry begins with it");
        let file = self.shelf.file(&session, path);
        let made = std::fs::create_dir_all(files::folder_of(&file))
            .and_then(|()| File::create_new(&file).map(Place::Disk));
        made.or_else(|error| match error.kind() {
            // A name that no disk takes, or one below another entry: only shown documents have to be on the disk.
            io::ErrorKind::AlreadyExists
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::InvalidFilename => Ok(Place::Nowhere),
            _ => Err(Stop::Machine(error)),
        })
    }

    fn block(&mut self) -> Result<[u8; BLOCK], Stop> {
        let mut block = [0; BLOCK];
        self.fill(&mut block)?;
        Ok(block)
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), Stop> {
        self.tape.read_exact(bytes).map_err(|error| self.unreadable(&error))
    }

    fn unreadable(&self, error: &io::Error) -> Stop {
        let after = self.found.entries.last().map(|entry| entry.path.clone());
        let is_disk = error.raw_os_error().is_some();
        match error.kind() {
            _ if is_disk => Stop::Machine(io::Error::new(error.kind(), error.to_string())),
            _ if after.is_none() && self.names.is_empty() => {
                Stop::Problem(Problem::NotAnArchive { why: error.to_string() })
            }
            io::ErrorKind::UnexpectedEof => Stop::Problem(Problem::Truncated { after }),
            _ => Stop::Problem(Problem::Unreadable { after, why: error.to_string() }),
        }
    }
}

enum Place {
    Nowhere,
    Memory(Vec<u8>),
    Disk(File),
}

impl Place {
    fn take(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Nowhere => Ok(()),
            Self::Memory(held) => {
                held.extend_from_slice(bytes);
                Ok(())
            }
            Self::Disk(file) => file.write_all(bytes),
        }
    }
}

fn kind(kind: EntryType) -> &'static str {
    match kind {
        EntryType::Symlink => "a symbolic link",
        EntryType::Link => "a link",
        EntryType::Directory => "a folder",
        EntryType::Char | EntryType::Block => "a device",
        EntryType::Fifo => "a pipe",
        _ => "an entry of another kind",
    }
}
