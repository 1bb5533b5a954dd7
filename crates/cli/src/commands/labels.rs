//! `tollgate labels`: the labels that work items carry in a tracker.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::tracking::failure;
use crate::{output, place};
use clap::{Args, Subcommand};
use serde::Serialize;
use tollgate_contract::config::{Config, TrackerKind};
use tollgate_contract::labels::Label;
use tollgate_files::layout::Layout;
use tollgate_git::repository::Repository;
use tollgate_host::settings;
use tollgate_tracker::place::{Api, Slug};
use tollgate_tracker::{self as tracker, Put, labels};

/// Manage the labels of the tracker
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tollgate labels sync --dry-run\n  tollgate labels sync")]
pub struct Labels {
    #[command(subcommand)]
    what: LabelsCommand,
}

#[derive(Debug, Subcommand)]
enum LabelsCommand {
    /// Create and update the sixteen labels
    ///
    /// Other labels are not touched. With [tracker] kind = "github", Tollgate uses the login from GH_TOKEN, GITHUB_TOKEN
    /// or the program gh, in this order; with kind = "files" the labels are built in and there is nothing to do.
    #[command(after_help = "Examples:\n  tollgate labels sync --dry-run")]
    Sync {
        /// Show what would be done without doing it
        #[arg(long)]
        dry_run: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

impl Labels {
    pub fn run(self) -> Result<Exit, Failure> {
        let LabelsCommand::Sync { dry_run, json } = self.what;
        let repository = Repository::discover(&place::here()?)?;
        let config = settings::config(&Layout::new(repository.root()))?;
        let lookup = |name: &str| std::env::var_os(name);
        let tracker = tracker::open(&config, &repository, &lookup).map_err(failure)?;
        let carry_out = if dry_run { labels::plan } else { labels::sync };
        let done = carry_out(&*tracker).map_err(failure)?;
        if json {
            output::json(&LabelsOutput::of(&config, dry_run, &done));
        } else {
            show(&config, &repository, dry_run, &done);
        }
        Ok(Exit::Ok)
    }
}

#[derive(Debug, Serialize)]
struct LabelsOutput {
    tracker: TrackerKind,
    dry_run: bool,
    created: usize,
    updated: usize,
    unchanged: usize,
    labels: Vec<LabelRow>,
}

#[derive(Debug, Serialize)]
struct LabelRow {
    name: &'static str,
    colour: &'static str,
    result: Put,
}

impl LabelsOutput {
    fn of(config: &Config, dry_run: bool, done: &[(&'static Label, Put)]) -> Self {
        let row = |(label, put): &(&'static Label, Put)| LabelRow {
            name: label.name,
            colour: label.colour,
            result: *put,
        };
        Self {
            tracker: config.tracker,
            dry_run,
            created: count(done, Put::Created),
            updated: count(done, Put::Updated),
            unchanged: count(done, Put::Unchanged),
            labels: done.iter().map(row).collect(),
        }
    }
}

fn count(done: &[(&Label, Put)], put: Put) -> usize {
    done.iter().filter(|(_, found)| *found == put).count()
}

fn show(config: &Config, repository: &Repository, dry_run: bool, done: &[(&Label, Put)]) {
    for (label, put) in done {
        let (style, mark) = match put {
            Put::Created => (output::GOOD, "created  "),
            Put::Updated => (output::NOTE, "updated  "),
            Put::Unchanged => (output::DIM, "unchanged"),
        };
        output::row("", style, mark, label.name);
    }
    let [created, updated, unchanged] =
        [Put::Created, Put::Updated, Put::Unchanged].map(|put| count(done, put));
    let sum = format!("{created} created, {updated} updated, {unchanged} unchanged");
    output::talk(&match (config.tracker, dry_run) {
        (TrackerKind::Files, _) => {
            format!("{sum}: the tracker is local files, and the labels are built in")
        }
        (TrackerKind::Github, true) => format!("dry run: {sum}; nothing was changed"),
        (TrackerKind::Github, false) => match where_to(config, repository) {
            Some(slug) => format!("{sum} in {slug}"),
            None => sum,
        },
    });
}

fn where_to(config: &Config, repository: &Repository) -> Option<Slug> {
    let api = Api::from_environment(&|name| std::env::var_os(name)).ok()?;
    Slug::of(config.tracker_repository.as_deref(), repository, &api).ok()
}
