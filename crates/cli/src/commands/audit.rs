//! `tollgate audit`: from the journal alone, who did what, what was read and written, and who decided.

mod text;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::place::{Checkout, not_begun};
use crate::{archived, output};
use clap::Args;
use serde::Serialize;
use tollgate_archive::{Archive, CommitsSeen};
use tollgate_core::count::counted;
use tollgate_core::id::{ContentHash, SessionName};
use tollgate_files::layout::SessionLayout;
use tollgate_files::sanitize::terminal_line;
use tollgate_host::client::{Client, JournalError, Told, Verified};

/// So much of a hash stands for nothing else.
const HEAD_CHARS_MIN: usize = 16;
/// Of why an archive has no commits, as it says itself.
const WHY_CHARS_MAX: usize = 200;
/// What the hash of a record stands for in an archive, and what not.
const OF_THE_JOURNAL: &str = "the hash that you know is of the journal: it stands for the journal, the commits and the recorded \
    documents, and not for the other files, such as what checks printed and the evidence; only the manifest hash stands for these";

/// Show the record of a session: roles, artefacts, decisions, commands and commits
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tollgate audit\n  tollgate audit --verify\n  tollgate audit --json | jq .decisions\n  \
                  tollgate audit --verify 2026-11-15_add-rate-limiting.tar.gz"
)]
pub struct Audit {
    /// A name, a unique part of one, a number of `tollgate sessions`, `latest`, or an archive of `tollgate export`
    #[arg(default_value = "latest")]
    pub session: String,
    /// Only check the journal: its chain of hashes is intact and no record is missing; of an archive everything in it
    #[arg(long)]
    pub verify: bool,
    /// The same, and that a record of the journal, or the manifest of an archive, has this hash, which you know from elsewhere.
    /// A record's hash stands for the journal up to it, the manifest's for every file of the archive
    #[arg(long, value_name = "HASH")]
    pub head: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

impl Audit {
    pub fn run(mut self) -> Result<Exit, Failure> {
        self.head = self.head.as_deref().map(checked).transpose()?;
        let read = match archived::is_meant(&self.session) {
            true => Subject::Archive(Box::new(self.archive()?)),
            false => Subject::of_checkout(&self.session)
                .map_err(|failure| archived::or_the_file(failure, &self.session))?,
        };
        if self.verify || self.head.is_some() {
            return self.verify(&read);
        }
        let audit = Client::open(read.layout()).and_then(|mut client| client.audit());
        let audit = audit.map_err(Failure::reading)?.ok_or_else(|| not_begun(read.name()))?;
        if self.json {
            output::json(&audit);
        } else {
            let lines: Vec<String> = text::text(&audit).lines().map(str::to_owned).collect();
            output::data_rows(lines);
        }
        Ok(Exit::Ok)
    }

    fn archive(&self) -> Result<Archive, Failure> {
        archived::open(&self.session).inspect_err(|failure| {
            if self.json && (self.verify || self.head.is_some()) {
                output::json(&Chain::broken(None, &failure.message));
            }
        })
    }

    fn verify(&self, read: &Subject) -> Result<Exit, Failure> {
        let name = read.name();
        let verified = read.verified();
        let found = match verified {
            Ok(found) => found,
            Err(error) => {
                if self.json {
                    output::json(&Chain::broken(Some(name), &error.to_string()));
                }
                return Err(Failure::reading(error));
            }
        };
        let known = self.head.as_deref().map(|head| read.known(head)).transpose()?;
        let holds = known != Some(Known::Nowhere);
        if self.json {
            let known = known.filter(|_| holds);
            let manifest_hash = read.manifest_hash();
            output::json(&Chain { ok: holds, known, manifest_hash, ..Chain::of(name, &found) });
        } else if holds {
            output::data(&words(name, &found));
            read.tell();
            known.iter().for_each(|known| read.tell_known(*known, &found));
        }
        match &self.head {
            Some(head) if !holds => Err(other_head(read, head, &found)),
            _ => Ok(Exit::Ok),
        }
    }
}

/// What has the hash that a person knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Known {
    Manifest,
    Record(u64),
    Nowhere,
}

/// What is audited.
enum Subject {
    Checkout { place: Box<Checkout>, name: SessionName, layout: SessionLayout },
    Archive(Box<Archive>),
}

impl Subject {
    fn of_checkout(text: &str) -> Result<Self, Failure> {
        let place = Box::new(Checkout::find()?);
        let (name, layout) = place.session(text)?;
        Ok(Self::Checkout { place, name, layout })
    }

    fn name(&self) -> &SessionName {
        match self {
            Self::Checkout { name, .. } => name,
            Self::Archive(archive) => &archive.manifest.session,
        }
    }

    fn layout(&self) -> SessionLayout {
        match self {
            Self::Checkout { layout, .. } => layout.clone(),
            Self::Archive(archive) => archive.layout(),
        }
    }

    fn verified(&self) -> Result<Verified, JournalError> {
        match self {
            Self::Checkout { place, name, layout } => {
                Client::verify(layout, name, &place.journal_anchors(name))
            }
            Self::Archive(archive) => Ok(archive.chain.clone()),
        }
    }

    /// What was found in an archive besides its journal.
    fn tell(&self) {
        let Self::Archive(archive) = self else { return };
        let entries = counted(archive.manifest.entries.len(), "file");
        let commits = match &archive.commits {
            CommitsSeen::None => "no commits yet".to_owned(),
            CommitsSeen::All(count) => counted(*count, "commit"),
            CommitsSeen::LeftOut(why) => {
                format!("its commits were left out: {}", terminal_line(why, WHY_CHARS_MAX))
            }
            CommitsSeen::NotLookedInto(why) => {
                format!("its commits were not checked: {}", terminal_line(why, WHY_CHARS_MAX))
            }
        };
        let hash = archive.manifest.sha256();
        output::data(&format!(
            "the archive is as its manifest says: {entries}, {commits}, manifest hash {hash}"
        ));
        for path in &archive.edited {
            let text =
                format!("{path} was changed after the journal recorded it, before the export");
            output::marked(output::WARN, "note:", &text);
        }
        for path in &archive.missing {
            let text = format!("{path} was recorded in the journal, and is not in the archive");
            output::marked(output::WARN, "note:", &text);
        }
    }

    fn manifest_hash(&self) -> Option<ContentHash> {
        match self {
            Self::Checkout { .. } => None,
            Self::Archive(archive) => Some(archive.manifest.sha256()),
        }
    }

    fn known(&self, head: &str) -> Result<Known, Failure> {
        if self.manifest_hash().is_some_and(|hash| hash.as_str().starts_with(head)) {
            return Ok(Known::Manifest);
        }
        let mut found = Known::Nowhere;
        let mut client = Client::open(self.layout()).map_err(Failure::reading)?;
        let look = |told: Told<'_>| {
            if told.hash.starts_with(head) {
                found = Known::Record(told.seq);
            }
        };
        client.follow(look).map_err(Failure::reading)?;
        Ok(found)
    }

    /// What the hash stands for.
    fn tell_known(&self, known: Known, found: &Verified) {
        match known {
            Known::Manifest => {
                output::talk("the hash that you know is of the manifest: no file was changed");
            }
            Known::Record(seq) => {
                if seq < found.records {
                    let rest = counted(found.records - seq, "record");
                    output::talk(&format!(
                        "the hash that you know is of record {seq}; {rest} came after it"
                    ));
                }
                if let Self::Archive(_) = self {
                    output::talk(OF_THE_JOURNAL);
                }
            }
            Known::Nowhere => {}
        }
    }
}

/// Enough of a hash to look for.
fn checked(head: &str) -> Result<String, Failure> {
    let head = head.trim().to_ascii_lowercase();
    if head.len() < HEAD_CHARS_MIN || !head.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        let message = format!("{head:?} is not a hash, or not enough of one");
        return Err(Failure::usage("cli.archive", message)
            .hint(format!("give all of it, or at least its first {HEAD_CHARS_MIN} characters")));
    }
    Ok(head)
}

fn other_head(read: &Subject, head: &str, found: &Verified) -> Failure {
    let name = read.name();
    let manifest = read.manifest_hash().map(|hash| format!(", and the manifest has {hash}"));
    let message = format!(
        "{name}: no record has the hash {head}; the last one is {}{}",
        found.last_hash,
        manifest.unwrap_or_default()
    );
    Failure::new(Exit::Fails, "cli.other_head", message)
        .hint("the chain holds by itself, but it is not the one that you know")
}

fn words(name: &SessionName, found: &Verified) -> String {
    let torn = match found.torn_bytes {
        0 => String::new(),
        bytes => format!(
            "\nafter it there is an unfinished record of {}; a resume sets it aside",
            counted(bytes, "byte")
        ),
    };
    let records = counted(found.records, "record");
    format!("{name}: the chain is intact, {records}, last hash {}{torn}", found.last_hash)
}

#[derive(Serialize)]
struct Chain<'a> {
    ok: bool,
    session: Option<&'a SessionName>,
    records: Option<u64>,
    last_hash: Option<&'a str>,
    torn_bytes: Option<u64>,
    manifest_hash: Option<ContentHash>,
    /// What has the hash of `--head`.
    known: Option<Known>,
    error: Option<String>,
}

impl<'a> Chain<'a> {
    fn of(session: &'a SessionName, found: &'a Verified) -> Self {
        Self {
            ok: true,
            session: Some(session),
            records: Some(found.records),
            last_hash: Some(found.last_hash.as_str()),
            torn_bytes: Some(found.torn_bytes),
            manifest_hash: None,
            known: None,
            error: None,
        }
    }

    fn broken(session: Option<&'a SessionName>, why: &str) -> Self {
        let error = Some(why.to_owned());
        Self {
            ok: false,
            session,
            records: None,
            last_hash: None,
            torn_bytes: None,
            manifest_hash: None,
            known: None,
            error,
        }
    }
}
