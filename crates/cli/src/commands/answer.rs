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
use tollgate_core::session::Session;
use tollgate_host::client;
use tollgate_host::layout::SessionLayout;
use tollgate_host::serve::{First, Owner};

/// How long the owner of a session may take to answer.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// Answer a question of a session
///
/// `tollgate status` lists the open questions with the answers they take. It works while another process runs the
/// session, which then continues. A question that was not asked cannot be answered, and nothing is kept for it.
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
    /// One of the answers that the question lists
    pub answer: String,
    /// The words that belong to the answer, when they are not in it
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    /// Continue with the session at once
    #[arg(long)]
    pub resume: bool,
}

impl Answer {
    pub fn run(self) -> Result<Exit, Failure> {
        let place = place::Place::find()?;
        let (name, layout) = place.session(&self.session)?;
        let decision = DecisionId::parse(&self.decision)
            .map_err(|bad| Failure::usage("cli.refused", bad.to_string()))?;
        // The answer counts for the question as it stands in the journal now, and for no later one.
        let session = client::read_session(&layout)?;
        let command = Command::Answer {
            id: face::command_id(),
            decision: decision.clone(),
            round: session.map_or(0, |session| session.round(&decision)),
            answer: self.answer,
            reason: self.reason,
        };
        if hand_over(&layout, &command)? {
            output::talk(&format!(
                "the answer to {decision} is recorded; the process that runs {name} continues"
            ));
            tell_if_cancelled(&layout)?;
            return Ok(Exit::Ok);
        }
        let context = place::context()?;
        let mut face = PlainFace::quiet();
        let (mut owner, _) = Owner::resume(context, &name, &mut face, First::Answer)?;
        owner.submit(&mut face, command)??;
        if owner.session().is_cancelled() {
            end_cancelled(&owner)?;
        }
        if self.resume {
            let mut face = face::fitting(false, owner.root());
            tracking::follow(&mut owner, face.as_mut())?;
            return drive(&mut owner, face.as_mut());
        }
        if owner.session().is_cancelled() {
            output::talk(&format!("{name} is cancelled"));
            summary::undo_offer(owner.root(), owner.session());
            return Ok(Exit::Ok);
        }
        output::talk(&format!("recorded; continue with `tollgate resume {name}`"));
        Ok(Exit::Ok)
    }
}

/// The process that runs the session tells whoever sits there; this is for who cancelled it from here.
fn tell_if_cancelled(layout: &SessionLayout) -> Result<(), Failure> {
    if let Some(session) = client::read_session(layout)?.filter(Session::is_cancelled) {
        summary::undo_offer(&place::here()?, &session);
    }
    Ok(())
}

/// True when the owner took the command; false when nobody owns the session.
pub fn hand_over(layout: &SessionLayout, command: &Command) -> Result<bool, Failure> {
    match client::hand_over(layout, command, PATIENCE)? {
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
