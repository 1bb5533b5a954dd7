//! `tollgate actions adopt`: writes down as front matter what was understood of an action file without it.

use super::pick;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::{output, place};
use clap::Args;
use tollgate_contract::action;
use tollgate_core::action::Action;
use tollgate_files as files;
use tollgate_files::layout::Layout;
use tollgate_host::settings::actions::{self, Form, FoundAction};

/// An action file is short; a bigger one is a mistake.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// Write the flow of an action file without front matter down as front matter
///
/// The fields are put at the top of the same file, and the text below stays as it is. Before anything is written they are
/// read again and compared with what was understood.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tollgate actions adopt build --dry-run\n  tollgate actions adopt build"
)]
pub struct Adopt {
    /// The action whose file to change
    name: String,
    /// Print the front matter and write nothing
    #[arg(long)]
    dry_run: bool,
}

impl Adopt {
    pub fn run(self) -> Result<Exit, Failure> {
        let place = place::Checkout::find()?;
        let layout = &place.layout;
        let found = pick(actions::list(layout)?, &self.name, "tollgate actions adopt")?;
        let (path, action) = adoptable(found)?;
        let front = action::front_matter(&action);
        let trouble = |cause: files::FileError| {
            Failure::usage("cli.adopt", format!("{path} cannot be changed: {cause}"))
        };
        let text =
            files::read_beneath(layout.repo_root(), &path, FILE_BYTES_MAX).map_err(trouble)?;
        let whole = [front.as_bytes(), b"\n", &text[..]].concat();
        verify(layout, &path, &action, &whole)?;
        if self.dry_run {
            output::data(front.trim_end());
            return Ok(Exit::Ok);
        }
        files::write_beneath(layout.repo_root(), &path, &whole).map_err(trouble)?;
        let text = format!("{path} has front matter now; look at it and commit it");
        output::marked(output::GOOD, "done:", &text);
        Ok(Exit::Ok)
    }
}

fn adoptable(found: FoundAction) -> Result<(String, Action), Failure> {
    let refusal = |message: String| Failure::usage("cli.adopt", message);
    let FoundAction { name, source, form, read, unused, .. } = found;
    if let Some(unused) = unused {
        let message = format!("{} was not understood: {}", unused.path, unused.why);
        return Err(refusal(message).hint(format!(
            "draw its flow below a heading \"Agent Flow\"; until then the built-in {name} is used"
        )));
    }
    match form {
        Form::Prose => Ok((source, read?)),
        Form::FrontMatter => Err(refusal(format!("{source} has front matter already"))
            .hint(format!("change it by hand; `tollgate actions {name}` shows what it says"))),
        Form::BuiltIn => {
            Err(refusal(format!("{name} is built in, and no file of yours says otherwise"))
                .hint("`tollgate init --eject` writes the built-in actions as files"))
        }
    }
}

/// What is about to be written must say the same.
fn verify(layout: &Layout, path: &str, action: &Action, whole: &[u8]) -> Result<(), Failure> {
    let text = String::from_utf8_lossy(whole);
    let again = actions::read_text(layout, &text, path, &action.name);
    if again.as_ref() == Some(action) {
        return Ok(());
    }
    let message = format!("what was understood of {path} cannot be written as front matter");
    Err(Failure::usage("cli.adopt", message)
        .hint("write it by hand; `tollgate schema action` lists the fields"))
}
