//! `tollgate answer`: records an answer, here or through the process that owns the session.

use super::run::{drive, end_cancelled};
use crate::exit::Exit;
use crate::face::{self, PlainFace};
use crate::failure::Failure;
use crate::outcome::ForScripts;
use crate::{github, output, place, summary, tracking};
use clap::Args;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tollgate_core::id::{DecisionId, SessionName};
use tollgate_core::input::Command;
use tollgate_core::view::{Standing, View};
use tollgate_files::layout::{SessionLayout, state_home};
use tollgate_host::client::{Client, LockError};
use tollgate_host::serve::{First, OpenError, Owner};
use tollgate_host::sessions::{self, Measure};

/// How long the owner of a session may take to answer.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// Far more than an answer, and so much fits what is handed to the process that runs the session.
const WORDS_BYTES_MAX: u64 = 100 << 10;

/// Answer a question of a session
///
/// DECISION is the question, such as UD-APPROVE-DESIGN or UD-3, and ANSWER one of the answers that it offers. SESSION can
/// be left out when only one session has that question open.
///
/// `tollgate status` lists the open questions and their answers. You can answer while another
/// process runs the session, which then continues. You cannot answer a question before it is asked.
#[derive(Debug, Args)]
#[command(override_usage = "tollgate answer [OPTIONS] [SESSION] <DECISION> [ANSWER]")]
#[command(
    after_help = "Examples:\n  tollgate answer latest UD-APPROVE-DESIGN approved --resume\n  \
tollgate answer latest UD-APPROVE-DESIGN \"changes-requested: count failures per user\"\n  \
tollgate answer 2026-01-31_login UD-3 accept-risk --reason \"the service is internal\"\n  \
tollgate answer latest UD-APPROVE-DESIGN changes-requested --reason-file words.md"
)]
pub struct Answer {
    /// Named in the usage and described above: which of them comes first is known by its form
    #[arg(value_names = ["SESSION", "DECISION", "ANSWER"], num_args = 1..=3, required = true, hide = true)]
    pub words: Vec<String>,
    /// The text that belongs to the answer, if the answer does not contain it
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    /// The same from a file, all its lines; `-` is standard input. Without ANSWER it is the whole answer
    #[arg(long, value_name = "FILE|-", conflicts_with = "reason")]
    pub reason_file: Option<PathBuf>,
    /// Refuse the answer if the question was asked again after this round, which `status --json` tells
    #[arg(long, value_name = "N")]
    pub round: Option<u32>,
    /// Continue the session right away
    #[arg(long)]
    pub resume: bool,
    /// Print one JSON object at the end
    #[arg(long)]
    pub json: bool,
}

impl Answer {
    pub fn run(self) -> Result<Exit, Failure> {
        let for_scripts = ForScripts::of(self.json);
        let ran = self.run_for(for_scripts);
        ran.inspect_err(|failure| for_scripts.tell_failure(failure))
    }

    fn run_for(self, for_scripts: ForScripts) -> Result<Exit, Failure> {
        let place = place::Checkout::find()?;
        let Meant { session, decision, answer } = meant(self.words)?;
        let (name, layout) = match &session {
            Some(text) => place.session(text)?,
            None => waiting_for(&place, &decision)?,
        };
        let mut client = Client::open(layout)?;
        let (answer, reason) = match (answer, words(self.reason_file.as_deref())?) {
            (Some(answer), words) => (answer, words.or(self.reason)),
            (None, Some(words)) => (words, None),
            (None, None) => return Err(no_answer(&decision)),
        };
        let command = Command::Answer {
            id: face::command_id(),
            decision: decision.clone(),
            round: match self.round {
                Some(seen) => seen,
                None => client.round(&decision)?,
            },
            answer,
            reason,
        };
        let Some(mut owner) = take_or_hand_over(&client, &name, &command)? else {
            output::talk(&format!(
                "the answer to {decision} is recorded; the process that runs {name} continues"
            ));
            if let Some(view) = client.view()? {
                tell_if_cancelled(&client, &view)?;
                for_scripts.begin(&name);
                for_scripts.end(&view, Exit::Ok);
                github::tell_session(place.layout.repo_root(), &view);
            }
            return Ok(Exit::Ok);
        };
        let mut face = PlainFace::quiet();
        owner.submit(&mut face, command)??;
        let is_cancelled = owner.parts().standing() == Standing::Cancelled;
        if is_cancelled {
            end_cancelled(&owner)?;
        }
        if self.resume {
            let mut face = face::fitting(false, owner.root());
            tracking::follow(&mut owner, face.as_mut())?;
            return drive(&mut owner, face.as_mut(), for_scripts);
        }
        let view = owner.parts().view();
        if is_cancelled {
            output::talk(&format!("{name} is cancelled"));
            summary::undo_offer(owner.root(), &view);
        } else {
            output::talk(&format!(
                "recorded; {name} is not running, `tollgate resume {name}` continues it"
            ));
        }
        for_scripts.begin(&name);
        for_scripts.end(&view, Exit::Ok);
        github::tell_session(owner.root(), &view);
        Ok(Exit::Ok)
    }
}

struct Meant {
    session: Option<String>,
    decision: DecisionId,
    answer: Option<String>,
}

/// A question is known by its form, so that the session before it can be left out.
fn meant(words: Vec<String>) -> Result<Meant, Failure> {
    let mut words = words.into_iter().peekable();
    let session = words.next_if(|first| DecisionId::parse(first).is_err());
    let decision = DecisionId::parse(&words.next().unwrap_or_default()).map_err(|bad| {
        Failure::usage("cli.refused", bad.to_string())
            .hint("`tollgate status` lists the open questions with their names")
    })?;
    let answer = words.next();
    match words.next() {
        None => Ok(Meant { session, decision, answer }),
        Some(more) => {
            let message = format!("{more:?} is one word too many; quote an answer with spaces");
            Err(Failure::usage("cli.refused", message))
        }
    }
}

fn no_answer(decision: &DecisionId) -> Failure {
    Failure::usage("cli.refused", format!("{decision} needs an answer"))
        .hint("`tollgate status` lists the answers; --reason-file takes one from a file")
}

/// The only session in which this question is open.
fn waiting_for(
    place: &place::Checkout,
    decision: &DecisionId,
) -> Result<(SessionName, SessionLayout), Failure> {
    let mut waiting = Vec::new();
    let state = state_home(|name| std::env::var_os(name)).ok();
    let listed = sessions::summaries(&place.layout, state.as_deref(), Measure::Nothing)?;
    for one in listed.into_iter().filter(|one| one.summary.waiting > 0) {
        let name = one.summary.session;
        let layout = place.layout.session(&name);
        let view = Client::open(layout.clone()).and_then(|mut client| client.view());
        let is_open = |view: View| {
            view.pending_decisions.iter().any(|question| question.decision_id == *decision)
        };
        // A session that cannot be read asks nothing, and hides no other.
        if view.is_ok_and(|view| view.is_some_and(is_open)) {
            waiting.push((name, layout));
        }
    }
    let names: Vec<String> = waiting.iter().map(|(name, _)| name.to_string()).collect();
    match (waiting.pop(), names.as_slice()) {
        (Some(one), [_]) => Ok(one),
        (None, _) => {
            let message = format!("no session here has an open question {decision}");
            Err(Failure::usage("cli.session", message)
                .hint("`tollgate sessions` lists the sessions, `tollgate status` the questions"))
        }
        _ => {
            let message = format!("{decision} is open in several sessions: {}", names.join(", "));
            Err(Failure::usage("cli.session", message).hint(format!(
                "name the one that you mean: `tollgate answer SESSION {decision} …`"
            )))
        }
    }
}

/// What stands in a file, or comes on standard input.
fn words(file: Option<&Path>) -> Result<Option<String>, Failure> {
    let Some(path) = file else {
        return Ok(None);
    };
    let is_stdin = path.as_os_str() == "-";
    let read = if is_stdin {
        std::io::read_to_string(std::io::stdin().take(WORDS_BYTES_MAX + 1))
    } else {
        std::fs::File::open(path)
            .and_then(|file| std::io::read_to_string(file.take(WORDS_BYTES_MAX + 1)))
    };
    let named = if is_stdin { "standard input".into() } else { path.display().to_string() };
    let refused = |why: String| {
        Failure::usage("cli.refused", format!("cannot read the answer from {named}: {why}"))
            .hint("give a text file, or `-` and the text on standard input".to_owned())
    };
    let text = read.map_err(|error| refused(error.to_string()))?;
    if text.len() as u64 > WORDS_BYTES_MAX {
        return Err(refused(format!("it has more than {WORDS_BYTES_MAX} bytes")));
    }
    match text.trim() {
        "" => Err(refused("it is empty".to_owned())),
        text => Ok(Some(text.to_owned())),
    }
}

/// The process that runs the session tells whoever sits there; this is for who cancelled it from here.
fn tell_if_cancelled(client: &Client, view: &View) -> Result<(), Failure> {
    if view.is_cancelled() {
        wait_for_the_end(client);
        summary::undo_offer(&place::here()?, view);
    }
    Ok(())
}

/// What agents leave is kept once they are gone: whoever runs a cancelled session ends them first.
pub fn wait_for_the_end(client: &Client) {
    if !client.wait_until_nobody_runs(PATIENCE) {
        output::talk("its agents are still being ended; `tollgate gc` names what they leave");
    }
}

/// The session, to give it the command; none when the process that runs it has taken the command.
pub fn take_or_hand_over(
    client: &Client,
    name: &SessionName,
    command: &Command,
) -> Result<Option<Owner>, Failure> {
    if hand_over(client, command)? {
        return Ok(None);
    }
    let context = place::context()?;
    match Owner::resume(context, name, &mut PlainFace::quiet(), First::Answer) {
        Ok((owner, _)) => Ok(Some(owner)),
        // Somebody has begun to run it since we looked.
        Err(OpenError::Lock(LockError::Held { .. })) if hand_over(client, command)? => Ok(None),
        Err(OpenError::Lock(error)) => {
            Err(Failure::from(error).hint("nothing was recorded: say it again then"))
        }
        Err(error) => Err(error.into()),
    }
}

/// True when the owner took the command; false when nobody owns the session.
fn hand_over(client: &Client, command: &Command) -> Result<bool, Failure> {
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
