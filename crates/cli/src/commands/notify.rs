//! `tollgate notify`: by which means a person is told that they are needed, and whether they work.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{output, place};
use clap::Args;
use serde::Serialize;
use std::sync::atomic::AtomicBool;
use tollgate_files::clock;
use tollgate_files::layout::Layout;
use tollgate_git::repository::Repository;
use tollgate_host::settings;
use tollgate_notify::{Announcement, Means, Messenger, desktop_program};

/// Show by which means you are told that a session needs you, and try them
///
/// The means are set under [notify] in tollgate.toml: a command, the desktop, the terminal bell, a webhook.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tollgate notify\n  tollgate notify --test\n\n\
Exit codes: 0 each means is ready or worked, 1 one of them is not or did not, 2 none is set.")]
pub struct Notify {
    /// Send a test by each means and say what came of it
    #[arg(long)]
    pub test: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// One of the means, and what is known of it.
#[derive(Debug, Serialize)]
struct MeansRow {
    means: &'static str,
    ok: bool,
    message: String,
}

impl MeansRow {
    fn of(means: &'static str, came_of_it: Result<String, String>) -> Self {
        let ok = came_of_it.is_ok();
        let (Ok(message) | Err(message)) = came_of_it;
        Self { means, ok, message }
    }
}

#[derive(Serialize)]
struct NotifyOutput<'a> {
    ok: bool,
    tested: bool,
    means: &'a [MeansRow],
}

impl Notify {
    pub fn run(self) -> Result<Exit, Failure> {
        let repository = Repository::discover(&place::here()?)?;
        let config = settings::config(&Layout::new(repository.root()))?;
        let messenger = messenger(&repository);
        let mut rows = terminal(&config.notify, self.test);
        for means in Means::all(&config.notify) {
            if self.test {
                output::aside(output::DIM, "trying", means.name());
            }
            let came_of_it = match self.test {
                true => tried(&messenger, &repository, &means),
                false => ready(&messenger, &means),
            };
            rows.push(MeansRow::of(means.name(), came_of_it));
        }
        if rows.is_empty() {
            let message = "tollgate.toml sets no means under [notify], so you are told by none";
            return Err(Failure::usage("cli.notify", message).hint(
                "set one, such as command = [\"./notify.sh\"] or bell = true under [notify]",
            ));
        }
        let ok = rows.iter().all(|row| row.ok);
        if self.json {
            output::json(&NotifyOutput { ok, tested: self.test, means: &rows });
        } else {
            rows.iter().for_each(show);
        }
        Ok(if ok { Exit::Ok } else { Exit::Fails })
    }
}

fn show(row: &MeansRow) {
    let (style, mark) = if row.ok { (output::GOOD, "ok  ") } else { (output::BAD, "FAIL") };
    output::row("", style, mark, &format!("{:<12} {}", row.means, row.message));
}

pub fn messenger(repository: &Repository) -> Messenger {
    Messenger { root: repository.root().to_owned(), lookup: |name| std::env::var_os(name) }
}

fn tried(messenger: &Messenger, repository: &Repository, means: &Means) -> Result<String, String> {
    let repository = tollgate_notify::Repository::at(repository.root());
    let told = Announcement::test(repository, clock::now());
    let came_of_it = messenger.deliver(means, &told, &AtomicBool::new(false));
    match means {
        Means::Desktop => or_by_terminal(came_of_it),
        Means::Command(_) | Means::Webhook { .. } => came_of_it,
    }
}

/// Without a desktop the terminal is asked, and nobody learns whether it can.
fn or_by_terminal(found: Result<String, String>) -> Result<String, String> {
    found.or_else(|why| match output::can_alert() {
        true => Ok(format!("OSC 9 through this terminal, if it knows that; {why}")),
        false if output::is_at_a_terminal() => {
            Err(format!("this terminal has no OSC 9, so nothing is sent; {why}"))
        }
        false => Err(why),
    })
}

/// Whether all is there that it needs; nothing is sent.
pub fn ready(messenger: &Messenger, means: &Means) -> Result<String, String> {
    match means {
        Means::Command(words) => {
            let found = messenger.program(words.first().map(String::as_str).unwrap_or_default())?;
            Ok(found.display().to_string())
        }
        Means::Desktop => {
            let found = desktop_program(messenger.lookup);
            or_by_terminal(found.map(|program| program.display().to_string()))
        }
        Means::Webhook { address, header_env } => {
            tollgate_http::headers(header_env, messenger.lookup)?;
            let address = tollgate_http::Address::parse(address)?;
            Ok(format!("sends to {}", address.host()))
        }
    }
}

/// What the terminal itself does.
fn terminal(settings: &tollgate_contract::config::NotifyTable, is_test: bool) -> Vec<MeansRow> {
    if is_test {
        let shows = settings.desktop.then_some("Tollgate: a test");
        output::alert(settings.bell, shows);
    }
    let bell = match output::is_at_a_terminal() {
        true => Ok("the terminal that runs the session rings".to_owned()),
        false => Err("standard error is not a terminal here, so nothing rings".to_owned()),
    };
    settings.bell.then(|| MeansRow::of("bell", bell)).into_iter().collect()
}
