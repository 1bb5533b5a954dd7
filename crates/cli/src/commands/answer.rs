//! `tollgate answer`: records an answer, here or through the process that owns the session.

use super::run::{drive, end_cancelled};
use crate::exit::Exit;
use crate::face::{self, PlainFace};
use crate::failure::Failure;
use crate::{output, place, summary, tracking};
use clap::Args;
use std::time::Duration;
use tollgate_core::id::DecisionId;
use tollgate_core::input::Command;
use tollgate_core::view::{Standing, View};
use tollgate_host::client::Client;
use tollgate_host::serve::{First, Owner};

/// How long the owner of a session may take to answer.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// Answer a question of a session
///
/// `tollgate status` lists the open questions and their answers. You can answer while another
/// process runs the session, which then continues. You cannot answer a question before it is asked.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tollgate answer latest UD-APPROVE-DESIGN approved --resume\n  \
tollgate answer latest UD-APPROVE-DESIGN \"changes-requested: count failures per user\"\n  \
tollgate answer 2026-01-31_login UD-3 accept-risk --reason \"the service is internal\""
)]
pub struct Answer {
    /// A name, a unique prefix, or `latest`
    pub session: String,
    /// The question, such as UD-APPROVE-DESIGN or UD-3
    pub decision: String,
    /// One of the answers that the question offers
    pub answer: String,
    /// The text that belongs to the answer, if the answer does not contain it
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    /// Continue the session right away
    #[arg(long)]
    pub resume: bool,
}

impl Answer {
    pub fn run(self) -> Result<Exit, Failure> {
        let place = place::Checkout::find()?;
        let (name, layout) = place.session(&self.session)?;
        let mut client = Client::open(layout)?;
        let decision = DecisionId::parse(&self.decision)
            .map_err(|bad| Failure::usage("cli.refused", bad.to_string()))?;
        let command = Command::Answer {
            id: face::command_id(),
            decision: decision.clone(),
            round: client.round(&decision)?,
            answer: self.answer,
            reason: self.reason,
        };
        if hand_over(&client, &command)? {
            output::talk(&format!(
                "the answer to {decision} is recorded; the process that runs {name} continues"
            ));
            tell_if_cancelled(&mut client)?;
            return Ok(Exit::Ok);
        }
        let context = place::context()?;
        let mut face = PlainFace::quiet();
        let (mut owner, _) = Owner::resume(context, &name, &mut face, First::Answer)?;
        owner.submit(&mut face, command)??;
        let is_cancelled = owner.parts().standing() == Standing::Cancelled;
        if is_cancelled {
            end_cancelled(&owner)?;
        }
        if self.resume {
            let mut face = face::fitting(false, owner.root());
            tracking::follow(&mut owner, face.as_mut())?;
            return drive(&mut owner, face.as_mut());
        }
        if is_cancelled {
            output::talk(&format!("{name} is cancelled"));
            summary::undo_offer(owner.root(), &owner.parts().view());
            return Ok(Exit::Ok);
        }
        output::talk(&format!("recorded; continue with `tollgate resume {name}`"));
        Ok(Exit::Ok)
    }
}

/// The process that runs the session tells whoever sits there; this is for who cancelled it from here.
fn tell_if_cancelled(client: &mut Client) -> Result<(), Failure> {
    if let Some(view) = client.view()?.filter(View::is_cancelled) {
        summary::undo_offer(&place::here()?, &view);
    }
    Ok(())
}

/// True when the owner took the command; false when nobody owns the session.
pub fn hand_over(client: &Client, command: &Command) -> Result<bool, Failure> {
    match client.submit(command, PATIENCE)? {
        None => Ok(false),
        Some(reply) if reply.accepted => Ok(true),
        Some(reply) => {
            let failure = Failure::usage("cli.refused", reply.message);
            Err(match reply.hint {
                Some(hint) => failure.hint(hint),
                None => failure,
            })
        }
    }
}
