//! `tollgate agents trust`: a person looks at what an agent would run of their settings and the repository's, and agrees.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{output, place};
use clap::Args;
use std::io::BufRead;
use std::path::PathBuf;
use tollgate_agents::trust::{self, Inherited, TrustChange, TrustError};
use tollgate_files::clock;
use tollgate_host::activity::adapter::{self, Driven};
use tollgate_host::context::Context;

/// What is shown of one file.
const SHOWN_LINES_MAX: usize = 200;

/// Review and allow the settings that an agent with `inherit = true` uses
///
/// Shows the settings, hooks, plugins and servers, yours and the repository's, that the agent would load, and
/// remembers the content that you agree to. If one of these files is new, changed or gone, the agent does not start
/// until you agree again.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tollgate agents trust claude\n  tollgate agents trust claude --yes"
)]
pub struct Trust {
    /// An agent of tollgate.toml
    name: String,
    /// Agree without a question
    #[arg(long)]
    yes: bool,
    /// Review the files in this folder instead of those in HEAD; a refused attempt names its folder
    #[arg(long = "in", value_name = "FOLDER")]
    tree: Option<PathBuf>,
}

impl Trust {
    pub fn run(self) -> Result<Exit, Failure> {
        let context = place::context()?;
        let driven = inheriting(&context, &self.name)?;
        let inherited = self.inherited(&context, &driven)?;
        let changes =
            trust::untrusted(context.inheritance(), &self.name, &inherited).map_err(failure)?;
        let Some(changes) = changes else {
            output::talk("nothing has changed since you agreed");
            return Ok(Exit::Ok);
        };
        show(&context, &inherited, &changes);
        if !self.yes && !agrees(&self.name)? {
            output::talk("nothing was changed");
            return Ok(Exit::Fails);
        }
        trust::trust(context.inheritance(), &self.name, &inherited, clock::now())
            .map_err(failure)?;
        output::talk(&format!(
            "agreed: {} may use the current content of {}",
            self.name,
            tollgate_core::count::counted(inherited.files.len(), "file")
        ));
        Ok(Exit::Ok)
    }

    fn inherited(&self, context: &Context, driven: &Driven) -> Result<Inherited, Failure> {
        let found = match &self.tree {
            None => Inherited::at_head(context.inheritance(), (driven.adapter, &driven.agent)),
            Some(folder) => match folder.canonicalize() {
                Ok(tree) => Inherited::in_tree(
                    context.inheritance(),
                    (driven.adapter, &driven.agent),
                    &tree,
                ),
                Err(cause) => {
                    let message = format!("{} cannot be used: {cause}", folder.display());
                    return Err(Failure::usage("cli.untrusted", message));
                }
            },
        };
        found.map_err(failure)
    }
}

/// What must hold before a session starts: the person has agreed to what this agent would run.
pub fn refuse_untrusted(context: &Context, driven: &Driven) -> Result<(), Failure> {
    if !driven.agent.inherit {
        return Ok(());
    }
    let name = &driven.name;
    let changes = Inherited::at_head(context.inheritance(), (driven.adapter, &driven.agent))
        .and_then(|inherited| trust::untrusted(context.inheritance(), name, &inherited))
        .map_err(failure)?;
    let Some(changes) = changes else { return Ok(()) };
    let what = match changes.is_empty() {
        true => "there are no such files yet, but new ones would be used".to_owned(),
        false => trust::in_words(&changes),
    };
    let message = format!(
        "[agent.{name}] has inherit = true, and you have not agreed to what it would use: {what}"
    );
    Err(Failure::usage("cli.untrusted", message)
        .hint(format!("`tollgate agents trust {name}` shows these files and asks you")))
}

fn inheriting(context: &Context, name: &str) -> Result<Driven, Failure> {
    if context.config.agent(name).is_none() {
        return Err(Failure::unknown_agent(name, &context.config));
    }
    adapter::driven(context, name).filter(|driven| driven.agent.inherit).ok_or_else(|| {
        let message = format!("[agent.{name}] inherits nothing, so there is nothing to agree to");
        Failure::usage("cli.untrusted", message).hint(
            "only agent programs with `inherit = true` load settings, yours or the repository's",
        )
    })
}

fn show(context: &Context, inherited: &Inherited, changes: &[(String, TrustChange)]) {
    if inherited.files.is_empty() {
        output::data("neither you nor the repository have any settings for it");
    }
    for (name, change) in changes {
        output::row("", output::WARN, &format!("{change:<8}"), name);
        let Some(content) = inherited.files.get(name) else { continue };
        let text = context.redactor.redact_bytes(content);
        let text = String::from_utf8_lossy(&text);
        let mut lines = text.lines();
        for line in lines.by_ref().take(SHOWN_LINES_MAX) {
            output::data_rows([format!("    {line}")]);
        }
        let left = lines.count();
        if left > 0 {
            output::data(&format!("    … {left} more lines"));
        }
    }
    let is_changed = |name: &String| changes.iter().any(|(changed, _)| changed == name);
    for name in inherited.files.keys().filter(|name| !is_changed(name)) {
        output::row("", output::DIM, "same    ", name);
    }
}

fn agrees(name: &str) -> Result<bool, Failure> {
    if !output::is_interactive() {
        return Err(Failure::usage("cli.untrusted", "there is no terminal to ask you").hint(
            format!("review the files above, then run `tollgate agents trust {name} --yes`"),
        ));
    }
    output::prompt(&format!("Allow {name} to use these files? [y/N] "));
    let mut line = String::new();
    let _nothing_is_no = std::io::stdin().lock().read_line(&mut line);
    Ok(matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

fn failure(error: TrustError) -> Failure {
    match error {
        TrustError::Repository(error) => error.into(),
        error => Failure::usage("cli.untrusted", error.to_string()),
    }
}
