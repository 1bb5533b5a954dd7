//! `tollgate submit`: submits the reply of a dispatch that a person plays.

use super::run::drive;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::outcome::ForScripts;
use crate::{face, output, place, tracking};
use clap::Args;
use std::fs::File;
use std::io::{self, Read};
use tollgate_core::id::DispatchNumber;
use tollgate_core::limits::REPLY_BYTES_MAX;
use tollgate_files::redact::Redactor;
use tollgate_host::activity::manual::{Assigned, HandInError, NotWaiting};
use tollgate_host::serve::{First, Owner};

/// Submit the reply of a dispatch that you play yourself (adapter = "manual")
///
/// `tollgate status` shows what waits for you: the prompt, the workspace and the files to write there. The reply is one
/// JSON object, the same as an agent's (`tollgate schema agent-output`). An invalid reply is refused with a list of all errors and does not use an attempt; your files in the workspace are checked when the session continues.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tollgate submit latest 1 reply.json --resume\n  \
echo '{\"status\": \"OK\", …}' | tollgate submit latest 4 -")]
pub struct Submit {
    /// A name, a unique part of one, a number of `tollgate sessions`, or `latest`
    pub session: String,
    /// The number of the dispatch in `tollgate status`
    pub number: u32,
    /// The reply, or - for standard input
    pub file: String,
    /// Continue the session right away
    #[arg(long)]
    pub resume: bool,
}

impl Submit {
    pub fn run(self) -> Result<Exit, Failure> {
        let (client, view) = place::Checkout::find()?.begun(&self.session)?;
        let name = view.session;
        let refused = |why: NotWaiting| not_waiting(&why, &client.assigned());
        let number = DispatchNumber(self.number);
        let assigned = client.awaited(number).map_err(refused)?;
        let reply = self.reply()?;
        let redactor = Redactor::from_environment(std::env::vars_os());
        assigned.hand_in(&reply, &redactor).map_err(|error| match error {
            HandInError::NotWaiting(why) => refused(why),
            other => cannot_hand_in(other),
        })?;
        let who = format!("the reply of dispatch {number} ({})", assigned.role);
        if client.is_running() {
            output::talk(&format!(
                "{who} is submitted; the process that runs {name} continues with it"
            ));
            return Ok(Exit::Ok);
        }
        if !self.resume {
            output::talk(&format!("{who} is submitted; continue with `tollgate resume {name}`"));
            return Ok(Exit::Ok);
        }
        let context = place::context()?;
        let mut face = face::fitting(false, context.repository.root());
        let (mut owner, _) = Owner::resume(context, &name, face.as_mut(), First::Answer)?;
        tracking::follow(&mut owner, face.as_mut())?;
        drive(&mut owner, face.as_mut(), ForScripts::Nothing)
    }

    /// Longer ones are cut where the contract sees that they are too long.
    fn reply(&self) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        let read = if self.file == "-" {
            io::stdin().lock().take(REPLY_BYTES_MAX + 1).read_to_end(&mut bytes)
        } else {
            File::open(&self.file)
                .and_then(|file| file.take(REPLY_BYTES_MAX + 1).read_to_end(&mut bytes))
        };
        read.map(|_| bytes).map_err(|cause| {
            Failure::usage("cli.unreadable", format!("cannot read {:?}: {cause}", self.file))
        })
    }
}

fn not_waiting(why: &NotWaiting, assigned: &[Assigned]) -> Failure {
    let failure = Failure::usage("cli.not_waiting", why.to_string());
    let failure = match why {
        NotWaiting::NotPrepared { .. } => failure.hint("`tollgate resume` prepares it"),
        NotWaiting::Submitted { .. } => failure.hint("`tollgate resume` continues with it"),
        NotWaiting::NotUnderWay { .. } => {
            failure.hint("`tollgate status` shows the question that is open")
        }
        _ => failure,
    };
    let waiting = assigned.iter().filter(|assigned| !assigned.is_submitted);
    let list: Vec<String> = waiting.map(|one| format!("{} ({})", one.number, one.role)).collect();
    match list[..] {
        [] => failure,
        _ => failure.hint(format!("waiting for a person: {}", list.join(", "))),
    }
}

fn cannot_hand_in(error: HandInError) -> Failure {
    match error {
        HandInError::Invalid(report) => {
            let message = "the reply breaks the contract; nothing was submitted";
            let failure = Failure::new(Exit::Fails, "cli.reply", message)
                .hint("fix the errors above and submit it again; this does not use an attempt")
                .hint("`tollgate schema agent-output` describes the format");
            Failure { report: Some(report), ..failure }
        }
        other => Failure::new(Exit::Blocked, "cli.persistence", other.to_string())
            .hint("free some space or make the session folder writable, then submit it again"),
    }
}
