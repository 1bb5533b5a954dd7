//! `tollgate export`: a session as one file that can be checked anywhere.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{output, place};
use clap::Args;
use serde::Serialize;
use std::fs::Permissions;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tollgate_archive::{ExportError, LeftOut, Manifest, Source};
use tollgate_core::count::counted;
use tollgate_core::id::{ContentHash, SessionName};
use tollgate_files as files;
use tollgate_files::layout::state_home;

/// All of them are in the manifest.
const LEFT_OUT_SHOWN: usize = 10;

/// Write a session to one archive that can be checked anywhere
///
/// The archive has the journal, the documents, every dispatch and check, the evidence, and the commits that the session made, as
/// a git bundle. `tollgate audit --verify FILE` checks it without a repository. While the session runs, the archive has the
/// journal as far as it is now. The same session gives the same file, byte for byte.
///
/// Keep the manifest hash that it prints apart from the file, and `tollgate audit --head HASH FILE` shows later that no file of the
/// archive was changed. The last hash of the journal shows the same of the journal, the commits and the recorded documents, also in
/// an archive that was made later; it says nothing of the other files, such as what checks printed.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tollgate export\n  tollgate export rate-limit -o /backup/rate-limit.tar.gz\n  \
tollgate export latest -o - | ssh archive 'cat > session.tar.gz'\n  \
tollgate audit --verify 2026-11-15_add-rate-limiting.tar.gz"
)]
pub struct Export {
    /// A name, a unique part of one, a number of `tollgate sessions`, or `latest`
    #[arg(default_value = "latest")]
    pub session: String,
    /// Write to this file, by default SESSION.tar.gz in the current folder; `-` is standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace a file that exists
    #[arg(long)]
    pub force: bool,
    /// Print JSON: what is in the archive
    #[arg(long)]
    pub json: bool,
}

impl Export {
    pub fn run(self) -> Result<Exit, Failure> {
        let checkout = place::Checkout::find()?;
        let (name, layout) = checkout.session(&self.session)?;
        let state = state_home(|name| std::env::var_os(name)).ok();
        let source = Source {
            name: &name,
            layout: &layout,
            repository: checkout.repository(),
            state: state.as_deref(),
            version: env!("CARGO_PKG_VERSION"),
        };
        let file = self.output.unwrap_or_else(|| PathBuf::from(format!("{name}.tar.gz")));
        if file.as_os_str() == "-" {
            if output::is_read_by_a_person() {
                let message = "an archive is nothing for a terminal";
                return Err(
                    Failure::usage("cli.export", message).hint("name a file with `-o FILE`")
                );
            }
            if output::is_closed() {
                let message = "standard output is closed, so nobody would get the archive";
                return Err(
                    Failure::usage("cli.export", message).hint("name a file with `-o FILE`")
                );
            }
            let manifest = tollgate_archive::write(&source, output::raw_stream());
            tell(&manifest.map_err(|error| failed(&name, error))?, None);
            return Ok(Exit::Ok);
        }
        let manifest = to_file(&source, &file, self.force)?;
        match self.json {
            true => output::json(&Written::of(&manifest, &file)),
            false => tell(&manifest, Some(&file)),
        }
        Ok(Exit::Ok)
    }
}

/// Beside the file, and renamed: nobody ever sees half of an archive.
fn to_file(source: &Source<'_>, file: &Path, force: bool) -> Result<Manifest, Failure> {
    let exists = || {
        let message = format!("{} exists already", file.display());
        Failure::usage("cli.exists", message).hint("`--force` replaces it")
    };
    let write = |cause: io::Error| failed(source.name, ExportError::Write(cause));
    match file.symlink_metadata() {
        // A rename would replace a device, too.
        Ok(found) if !found.is_file() => {
            let message = format!("{} is not a file", file.display());
            return Err(
                Failure::usage("cli.exists", message).hint("name another one with `-o FILE`")
            );
        }
        Ok(_) if !force => return Err(exists()),
        Ok(_) | Err(_) => {}
    }
    let mut aside = tempfile::Builder::new()
        .prefix(".tollgate-")
        .suffix(".tmp")
        .permissions(Permissions::from_mode(0o644))
        .tempfile_in(files::folder_of(file))
        .map_err(write)?;
    let mut out = io::BufWriter::with_capacity(1 << 17, aside.as_file_mut());
    let manifest =
        tollgate_archive::write(source, &mut out).map_err(|error| failed(source.name, error))?;
    out.flush().map_err(write)?;
    drop(out);
    aside.as_file().sync_all().map_err(write)?;
    let done = if force { aside.persist(file) } else { aside.persist_noclobber(file) };
    match done {
        Ok(_) => Ok(manifest),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Err(exists()),
        Err(error) => Err(write(error.error)),
    }
}

fn failed(name: &SessionName, error: ExportError) -> Failure {
    match error {
        ExportError::Journal(error) => Failure::reading(error),
        ExportError::NotBegun => place::not_begun(name),
        other => Failure::usage("cli.export", other.to_string()),
    }
}

#[derive(Serialize)]
struct Written<'a> {
    file: &'a Path,
    session: &'a SessionName,
    records: u64,
    last_hash: &'a str,
    manifest_hash: ContentHash,
    entries: usize,
    commits: usize,
    left_out: &'a [LeftOut],
}

impl<'a> Written<'a> {
    fn of(manifest: &'a Manifest, file: &'a Path) -> Self {
        Self {
            file,
            session: &manifest.session,
            records: manifest.chain.records,
            last_hash: &manifest.chain.last_hash,
            manifest_hash: manifest.sha256(),
            entries: manifest.entries.len(),
            commits: manifest.commits.as_ref().map_or(0, |commits| commits.holds.len()),
            left_out: &manifest.left_out,
        }
    }
}

fn tell(manifest: &Manifest, file: Option<&Path>) {
    let written = Written::of(manifest, file.unwrap_or(Path::new("-")));
    let words = format!(
        "{}, {}, {}, last hash {}, manifest hash {}",
        counted(written.records, "record"),
        counted(written.entries, "file"),
        counted(written.commits, "commit"),
        written.last_hash,
        written.manifest_hash
    );
    match file {
        Some(file) => output::data(&format!("{}: {words}", file.display())),
        None => output::talk(&words),
    }
    for LeftOut { path, why } in manifest.left_out.iter().take(LEFT_OUT_SHOWN) {
        output::marked(output::WARN, "left out:", &format!("{path}: {why}"));
    }
    if manifest.left_out.len() > LEFT_OUT_SHOWN {
        let more = manifest.left_out.len() - LEFT_OUT_SHOWN;
        output::talk(&format!("and {more} more; the manifest names all of them"));
    }
    if let Some(file) = file {
        let how = format!("`tollgate audit --verify {}`, on any machine", file.display());
        output::aside(output::NOTE, "check it:", &how);
    }
}
