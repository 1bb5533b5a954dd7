//! `tollgate gc`: frees what ended sessions still hold.

use super::rm;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::{output, place};
use clap::Args;
use serde::Serialize;
use tollgate_core::count::counted;
use tollgate_files::clock;
use tollgate_host::removal::{self, Freed, Item, Kept};

/// Free what ended sessions still hold
///
/// Workspaces and transcripts of sessions that have ended, branches and kept commits of sessions whose work is merged, and old
/// snapshots are removed once they are older than [gc] and [snapshot] in tollgate.toml say. The journal, the documents and
/// the evidence of a session stay; `tollgate rm` removes all of it. What is not merged is never touched.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tollgate gc --dry-run\n  tollgate gc\n  tollgate gc --json")]
pub struct Gc {
    /// Show what would be freed, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Told {
    schema_version: u32,
    dry_run: bool,
    freed_bytes: u64,
    items: Vec<ToldItem>,
    /// Sessions whose work is not merged, or that cannot be read.
    kept: Vec<ToldKept>,
}

#[derive(Serialize)]
struct ToldKept {
    session: String,
    /// `unmerged` or `unreadable`.
    why: &'static str,
    detail: String,
}

#[derive(Serialize)]
struct ToldItem {
    kind: &'static str,
    session: Option<String>,
    count: usize,
    bytes: Option<u64>,
}

impl Gc {
    pub fn run(self) -> Result<Exit, Failure> {
        let context = place::context()?;
        let now = clock::now();
        let found = match self.dry_run {
            true => removal::plan(&context, now)?,
            false => removal::collect(&context, now)?,
        };
        if self.json {
            output::json(&told(&found, self.dry_run));
            return Ok(Exit::Ok);
        }
        for item in &found.items {
            output::data(&line(item));
        }
        for Kept { session, why } in &found.kept {
            let ways = rm::ways_on(session, why).join(", ");
            output::marked(output::DIM, "kept:", &format!("{}; {ways}", why.told(session)));
        }
        output::talk(&end(&found, self.dry_run));
        Ok(Exit::Ok)
    }
}

fn end(found: &Freed, dry_run: bool) -> String {
    let bytes = output::size(found.bytes());
    match (found.items.is_empty(), dry_run) {
        (true, _) => "nothing to free".to_owned(),
        (false, true) => format!("{bytes} would be freed; nothing was changed"),
        (false, false) => format!("{bytes} freed"),
    }
}

fn line(item: &Item) -> String {
    match item {
        Item::Workspaces { session, homes, bytes } => {
            let what = counted(homes.len(), "workspace");
            format!("{session}  {what}, {}", output::size(*bytes))
        }
        Item::Transcripts { session, files, bytes } => {
            let what = counted(files.len(), "transcript");
            format!("{session}  {what}, {}", output::size(*bytes))
        }
        Item::Refs { session, tips } => {
            format!("{session}  {}, all merged", counted(tips.len(), "ref"))
        }
        Item::Snapshots { count } => format!("snapshots  {} too old", counted(*count, "snapshot")),
    }
}

fn told_kept(Kept { session, why }: &Kept) -> ToldKept {
    ToldKept { session: session.to_string(), why: why.as_str(), detail: why.told(session) }
}

fn told(found: &Freed, dry_run: bool) -> Told {
    let item = |item: &Item| match item {
        Item::Workspaces { session, homes, bytes } => ToldItem {
            kind: "workspaces",
            session: Some(session.to_string()),
            count: homes.len(),
            bytes: Some(*bytes),
        },
        Item::Transcripts { session, files, bytes } => ToldItem {
            kind: "transcripts",
            session: Some(session.to_string()),
            count: files.len(),
            bytes: Some(*bytes),
        },
        Item::Refs { session, tips } => ToldItem {
            kind: "refs",
            session: Some(session.to_string()),
            count: tips.len(),
            bytes: None,
        },
        Item::Snapshots { count } => {
            ToldItem { kind: "snapshots", session: None, count: *count, bytes: None }
        }
    };
    Told {
        schema_version: 1,
        dry_run,
        freed_bytes: found.bytes(),
        items: found.items.iter().map(item).collect(),
        kept: found.kept.iter().map(told_kept).collect(),
    }
}
