//! `tollgate report`: all of a session in one text, for people and for other programs.

mod formats;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{archived, output, place};
use clap::Args;
use std::path::{Path, PathBuf};
use tollgate_desk::otlp::otlp_json;
use tollgate_desk::{Opened, OpenedError};
use tollgate_files::layout::state_home;
use tollgate_files::{self as files, FileError};
use tollgate_page::report::Report as Whole;

/// Write a report on a session, as Markdown or as one HTML file
///
/// It tells the session as it is now, whether it has ended or not: who decided what, what it cost, what was changed, what proves
/// it, and the state of the journal. Without --output it goes to standard output.
///
/// The HTML file has its pictures in it and asks for nothing from anywhere. At a terminal, --html writes it to SESSION.html in
/// the current folder.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tollgate report\n  tollgate report --html\n  \
tollgate report latest --html -o /tmp/report.html\n  tollgate report --junit -o junit.xml\n  \
tollgate report --provenance -o provenance.json")]
pub struct Report {
    /// A name, a unique part of one, a number of `tollgate sessions`, `latest`, or an archive of `tollgate export`
    #[arg(default_value = "latest")]
    pub session: String,
    #[command(flatten)]
    pub format: FormatArgs,
    /// Write to this file; one that exists is replaced, and `-` is standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// At most one of them; Markdown without any.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub struct FormatArgs {
    /// One HTML file with everything in it
    #[arg(long)]
    pub html: bool,
    /// Every command that Tollgate ran as JUnit XML, for CI services
    #[arg(long)]
    pub junit: bool,
    /// Where the commit of a session that is done comes from: in-toto and SLSA provenance, not signed
    #[arg(long)]
    pub provenance: bool,
    /// The traces of the session, as `[telemetry] otlp` sends them: OTLP in JSON
    #[arg(long)]
    pub otlp: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Markdown,
    Html,
    Junit,
    Provenance,
    Otlp,
    Json,
}

impl Report {
    pub fn run(self) -> Result<Exit, Failure> {
        let format = self.format.chosen();
        let archive = match archived::is_meant(&self.session) {
            true => Some(archived::open(&self.session)?),
            false => None,
        };
        let mut opened = match &archive {
            Some(archive) => archived::session(archive, &self.session)?,
            None => place::Checkout::find()
                .and_then(|checkout| checkout.opened(&self.session))
                .map_err(|failure| archived::or_the_file(failure, &self.session))?,
        };
        let text = format.render()(&mut opened)?;
        // A terminal full of HTML helps nobody.
        let at_terminal = format == Format::Html && output::is_read_by_a_person();
        let file =
            self.output.or_else(|| at_terminal.then(|| format!("{}.html", opened.name).into()));
        match file {
            Some(file) if file.as_os_str() != "-" => write(&file, &text)?,
            Some(_) | None => output::data(&text),
        }
        Ok(Exit::Ok)
    }
}

impl FormatArgs {
    fn chosen(&self) -> Format {
        match self {
            Self { html: true, .. } => Format::Html,
            Self { junit: true, .. } => Format::Junit,
            Self { provenance: true, .. } => Format::Provenance,
            Self { otlp: true, .. } => Format::Otlp,
            Self { json: true, .. } => Format::Json,
            Self { .. } => Format::Markdown,
        }
    }
}

impl Format {
    /// What makes the text of a session.
    fn render(self) -> fn(&mut Opened) -> Result<String, Failure> {
        match self {
            Self::Markdown => |opened| Ok(whole(opened)?.markdown()),
            Self::Html => |opened| Ok(whole(opened)?.html()),
            Self::Junit => formats::junit,
            Self::Provenance => formats::provenance,
            Self::Otlp => |opened| Ok(otlp_json(opened)?),
            Self::Json => |opened| Ok(output::as_json(&whole(opened)?.json())),
        }
    }
}

fn whole(opened: &mut Opened) -> Result<Whole, Failure> {
    let state = state_home(|name| std::env::var_os(name)).ok();
    let name = opened.name.clone();
    Whole::of(opened, state.as_deref()).map_err(|error| match error {
        OpenedError::NotBegun => place::not_begun(&name),
        other => other.into(),
    })
}

/// By rename, so that a reader sees the old report or the new. What is no file, such as a device or a pipe, is written to as
/// it is.
fn write(file: &Path, text: &str) -> Result<(), Failure> {
    let real = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let is_special = real.metadata().is_ok_and(|found| !found.is_file());
    let written = match is_special {
        true => std::fs::write(&real, text).map_err(FileError::io("write", file)),
        false => files::write_atomic_as_it_is(&real, text.as_bytes()),
    };
    written.map_err(|error| Failure::usage("cli.report", error.to_string()))?;
    output::talk(&format!("written to {}", file.display()));
    Ok(())
}
