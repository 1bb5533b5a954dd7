//! `tollgate resume`: continues from where the journal ends.

use super::run::drive;
use crate::exit::Exit;
use crate::face;
use crate::failure::Failure;
use crate::outcome::ForScripts;
use crate::{output, place, tracking};
use clap::Args;
use tollgate_host::serve::{First, Owner};

/// Continue a session from where its journal ends
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tollgate resume\n  tollgate resume 2026-11-15_add-rate-limiting"
)]
pub struct Resume {
    /// A name, a unique part of one, a number of `tollgate sessions`, or `latest`
    #[arg(default_value = "latest")]
    pub session: String,
    /// Do not ask questions, as without a terminal
    #[arg(long)]
    pub no_input: bool,
    /// Print one JSON object at the end
    #[arg(long)]
    pub json: bool,
    /// Continue from a journal that lacks the latest records, such as a backup
    #[arg(long)]
    pub accept_older_journal: bool,
}

impl Resume {
    pub fn run(self) -> Result<Exit, Failure> {
        let for_scripts = ForScripts::of(self.json);
        let ran = self.run_for(for_scripts);
        ran.inspect_err(|failure| for_scripts.tell_failure(failure))
    }

    fn run_for(self, for_scripts: ForScripts) -> Result<Exit, Failure> {
        let place = place::Checkout::find()?;
        let (name, _) = place.session(&self.session)?;
        let context = place::context()?;
        let mut face = face::fitting(self.no_input, context.repository.root());
        let first = if self.accept_older_journal { First::AcceptOlder } else { First::Look };
        let (mut owner, torn) = Owner::resume(context, &name, face.as_mut(), first)?;
        if let Some(torn) = torn {
            let saved = torn.saved_as.map(|path| format!(" and kept in {}", path.display()));
            let text = format!(
                "the journal ended in the middle of a record; the last {} set aside{}",
                match torn.bytes {
                    1 => "byte was".to_owned(),
                    bytes => format!("{bytes} bytes were"),
                },
                saved.unwrap_or_default()
            );
            output::marked(output::WARN, "note:", &text);
        }
        tracking::follow(&mut owner, face.as_mut())?;
        drive(&mut owner, face.as_mut(), for_scripts)
    }
}
