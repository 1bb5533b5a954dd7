//! The loop, the only place where pure and impure meet: gather inputs, decide, make durable, act.

mod answers;
mod cancelled;
mod notify;
mod open;
mod promote;
mod reconcile;
mod track;

pub(crate) use cancelled::end_all;
pub use notify::Alert;
pub use open::{First, OpenError};

use crate::activity::StopSwitch;
use crate::activity::attempt::Collected;
use crate::activity::checks::Checked;
use crate::activity::manual::{self, Assigned};
use crate::context::Context;
use crate::fault::Faulty as _;
use crate::inbox::{Inbox, InboxError, InboxReply};
use crate::journal::{Journal, JournalError};
use crate::lifecycle::StageWatch;
use crate::lock::SessionLock;
use crate::projection::Projector;
use crate::record::SessionFileInspector;
use notify::Notifying;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};
use tollgate_core::engine::{Answered, Durable, Engine};
use tollgate_core::event::Event;
use tollgate_core::fault::HostFault;
use tollgate_core::id::{Attempt, CheckNumber, CommitId, DispatchNumber};
use tollgate_core::input::{Command, Input};
use tollgate_core::limits::SCOPE_WARNINGS_MAX;
use tollgate_core::notice::NoticeCode;
use tollgate_core::refusal::Refusal;
use tollgate_core::session::{Session, Wanted};
use tollgate_core::view::Parts;
use tollgate_core::work::{BaseMerge, Merged, SetAside};
use tollgate_files::FileError;
use tollgate_files::clock;
use tollgate_files::crash;
use tollgate_files::layout::SessionLayout;
use tollgate_process::{self as process, StopReason};
use track::Tracking;

/// How often the inbox is looked at while nothing else happens.
const INBOX_POLL: Duration = Duration::from_millis(100);
/// How long a stopped agent may take to be gone before the engine leaves it to its supervisor.
const STOP_PATIENCE: Duration = Duration::from_secs(5);

/// A surface over a session: it shows what happened and passes on what a person says.
pub trait Face {
    /// A person can be asked.
    fn is_interactive(&self) -> bool;
    /// Events that are on disk.
    fn happened(&mut self, now: Parts<'_>, events: &[Event]);
    /// What a person types reaches this face.
    fn reads_lines(&self) -> bool {
        self.is_interactive()
    }
    /// Nothing runs: questions wait for a person. Answers that are known at once come back.
    fn ask(&mut self, now: Parts<'_>) -> Vec<Command>;
    /// A line that the person typed: what they want done.
    fn read_line(&mut self, now: Parts<'_>, line: &TypedLine) -> Vec<Command>;
    /// The person's command was refused; what follows from that, if anything.
    fn refused(&mut self, now: Parts<'_>, command: &Command, refusal: &Refusal) -> Option<Command>;
    /// Called a few times a second while something runs.
    fn tick(&mut self, now: Parts<'_>);
    /// Where it can say later that a program of the person has ended.
    fn can_reach(&mut self, _owner: Sender<OwnerMessage>) {}
    /// A program of the person that had the terminal has ended: what they want done.
    fn terminal_is_back(&mut self, _now: Parts<'_>) -> Vec<Command> {
        Vec::new()
    }
    /// The person may be looking elsewhere: the terminal calls them, where there is one.
    fn alert(&mut self, _alert: &Alert) {}
    /// The loop has ended; what is still shown as running is not ours to watch.
    fn rest(&mut self) {}
}

/// How a run of the loop came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServeEnd {
    Done,
    Waiting,
    Blocked,
    Interrupted,
}

/// What the loop finds when it looks whether there is anything to wait for.
enum Pause {
    None,
    /// These questions wait, by id and round.
    Ask(Vec<String>),
    End(ServeEnd),
}

#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Inbox(#[from] InboxError),
}

/// What reaches the loop from other threads.
#[derive(Debug)]
pub enum OwnerMessage {
    Ended(DispatchNumber, Attempt, Result<Collected, HostFault>),
    Checked(CheckNumber, Result<Option<Checked>, HostFault>),
    Merged(DispatchNumber, Result<Vec<Merged>, HostFault>),
    /// What came of merging this commit of the person's branch.
    BaseMerged(CommitId, Result<BaseMerge, HostFault>),
    /// Why the tracker could not be brought to what the session wants shown.
    Untracked(String),
    /// A line of the person at the terminal; none when their input has ended.
    Line(Option<TypedLine>),
    /// A program of the person that had the terminal has ended.
    TerminalIsBack,
    /// Ctrl-C, or a request to end.
    Interrupt,
}

/// What a person typed, and at which question of the face: it can wait for the loop while another one comes up.
#[derive(Debug)]
pub struct TypedLine {
    pub text: String,
    pub question: u64,
}

/// The one writer of a session.
#[derive(Debug)]
pub struct Owner {
    context: Arc<Context>,
    layout: SessionLayout,
    _lock: SessionLock,
    journal: Journal,
    engine: Engine,
    projector: Projector,
    inspector: SessionFileInspector,
    stage: StageWatch,
    inbox: Inbox,
    tracking: Tracking,
    notifying: Notifying,
    /// Where the session's branch is known to be.
    promoted: Option<CommitId>,
    /// The tags that are kept, and where.
    tagged: Option<(Vec<String>, CommitId)>,
    /// What should run, as the engine said when the last commit was on disk.
    wanted: Vec<Wanted>,
    running: BTreeMap<Wanted, Arc<StopSwitch>>,
    sender: Sender<OwnerMessage>,
    receiver: Receiver<OwnerMessage>,
}

impl Owner {
    fn session(&self) -> &Session {
        self.engine.session()
    }

    /// What surfaces see of the session.
    pub fn parts(&self) -> Parts<'_> {
        Parts::of(self.engine.session())
    }

    /// What people were asked to play.
    pub fn assigned(&self) -> Vec<Assigned> {
        manual::assigned(self.session(), &self.layout)
    }

    pub fn context(&self) -> &Context {
        &self.context
    }

    /// The person's checkout.
    pub fn root(&self) -> &Path {
        self.context.repository.root()
    }

    /// For threads that read the terminal or wait for signals.
    pub fn sender(&self) -> Sender<OwnerMessage> {
        self.sender.clone()
    }

    /// Takes one command without running anything.
    pub fn submit(
        &mut self,
        face: &mut dyn Face,
        command: Command,
    ) -> Result<Answered, ServeError> {
        if let Command::Answer { decision, answer, reason, .. } = &command {
            if let Some(refusal) = self.refused_here(decision, answer, reason.as_deref())? {
                return Ok(Err(refusal));
            }
            // An answer counts for what the person was shown, not for what is there now.
            let shown = |owner: &Self| owner.session().decision(decision).map(|d| d.shown.clone());
            let before = shown(self);
            self.inspect(face)?;
            if before.is_some() && before != shown(self) {
                return Ok(Err(Refusal::ShownChanged { id: decision.clone() }));
            }
        }
        let answers = self.handle(face, vec![Input::Command(command)])?;
        Ok(answers.into_iter().next().unwrap_or(Ok(())))
    }

    /// Runs until the session is done, blocked, waits for a person who cannot be asked, or is interrupted.
    pub fn run(&mut self, face: &mut dyn Face) -> Result<ServeEnd, ServeError> {
        // Where it is refused, what a killed supervisor leaves is looked for by its variables only.
        let _ = process::adopt_orphans();
        loop {
            let ending = self.run_on(face)?;
            if !self.finish_showing(face, ending)? && !self.finish_notifying(face, ending)? {
                self.remove_what_is_over();
                return Ok(ending);
            }
        }
    }

    fn run_on(&mut self, face: &mut dyn Face) -> Result<ServeEnd, ServeError> {
        let mut asked = Vec::new();
        let mut has_left = false;
        // A question that waits is about the files as they are now, too.
        self.inspect(face)?;
        loop {
            self.reconcile(face)?;
            self.notify(face)?;
            match self.pause(face.is_interactive() && !has_left) {
                Pause::End(ending) => {
                    if self.leave_to_people() {
                        return Ok(ending);
                    }
                }
                Pause::Ask(questions) if questions != asked => {
                    asked = questions;
                    let commands = face.ask(self.parts());
                    self.take_commands(face, commands)?;
                    continue;
                }
                Pause::Ask(_) | Pause::None => {}
            }
            let message = self.receiver.recv_timeout(self.patience()).ok();
            let mut messages: Vec<OwnerMessage> = message.into_iter().collect();
            messages.extend(self.receiver.try_iter());
            if messages.iter().any(|message| matches!(message, OwnerMessage::Interrupt)) {
                return self.interrupt(face, messages);
            }
            has_left |= messages.iter().any(|message| matches!(message, OwnerMessage::Line(None)));
            self.take(face, messages)?;
            self.take_inbox(face)?;
            face.tick(self.parts());
        }
    }

    /// Turns messages into inputs and handles them in one commit where they allow it.
    fn take(&mut self, face: &mut dyn Face, messages: Vec<OwnerMessage>) -> Result<(), ServeError> {
        let mut inputs = Vec::new();
        for message in messages {
            match message {
                OwnerMessage::Ended(number, attempt, result) => {
                    self.running.remove(&Wanted::Dispatch(number, attempt));
                    inputs.extend(self.look()?);
                    match result {
                        Ok(Collected { end, usage, given, kept, set_aside }) => {
                            inputs.extend(told_large(&set_aside));
                            inputs.push(Input::Noted { number, attempt, given, kept });
                            inputs.push(Input::Ended { number, attempt, end, usage });
                        }
                        Err(fault) => inputs.push(Input::HostFailed(fault)),
                    }
                }
                OwnerMessage::Checked(number, result) => {
                    self.running.remove(&Wanted::Checks(number));
                    match result {
                        Ok(Some(Checked { results, stage, set_aside })) => {
                            inputs.extend(self.look()?);
                            inputs.extend(told_large(&set_aside));
                            inputs.push(Input::Checked { number, results, stage });
                        }
                        Ok(None) => {}
                        Err(fault) => inputs.push(Input::HostFailed(fault)),
                    }
                }
                OwnerMessage::Merged(number, result) => {
                    self.running.remove(&Wanted::Merge(number));
                    inputs.push(result.map_or_else(Input::HostFailed, Input::Merged));
                }
                OwnerMessage::BaseMerged(base, result) => {
                    self.running.remove(&Wanted::BaseMerge);
                    let told = |outcome| Input::BaseMerged { base, outcome };
                    inputs.push(result.map_or_else(Input::HostFailed, told));
                }
                OwnerMessage::Untracked(why) => inputs.extend(self.untracked(why)),
                OwnerMessage::Line(Some(line)) => {
                    let commands = face.read_line(self.parts(), &line);
                    self.take_commands(face, commands)?;
                }
                OwnerMessage::TerminalIsBack => {
                    let commands = face.terminal_is_back(self.parts());
                    self.take_commands(face, commands)?;
                }
                OwnerMessage::Line(None) | OwnerMessage::Interrupt => {}
            }
        }
        let is_due = self.session().next_deadline().is_some_and(|due| due <= clock::now());
        if is_due {
            inputs.push(Input::Tick);
        }
        if !inputs.is_empty() {
            self.handle(face, inputs)?;
        }
        Ok(())
    }

    fn take_commands(
        &mut self,
        face: &mut dyn Face,
        commands: Vec<Command>,
    ) -> Result<(), ServeError> {
        for command in commands {
            if let Err(refusal) = self.submit(face, command.clone())?
                && let Some(next) = face.refused(self.parts(), &command, &refusal)
            {
                self.handle(face, vec![Input::Command(next)])?;
            }
        }
        Ok(())
    }

    /// Commands that other processes left. True when there was one.
    fn take_inbox(&mut self, face: &mut dyn Face) -> Result<bool, ServeError> {
        let commands = self.inbox.take()?;
        let is_any = !commands.is_empty();
        for command in commands {
            let id = command.id().clone();
            let reply = match self.submit(face, command)? {
                Err(refusal) => InboxReply {
                    accepted: false,
                    message: refusal.to_string(),
                    hint: refusal.hint(),
                },
                Ok(()) => InboxReply { accepted: true, message: "recorded".to_owned(), hint: None },
            };
            self.inbox.reply(&id, &reply)?;
        }
        Ok(is_any)
    }

    /// Takes inputs. Where the branch or the files cannot follow the journal, the session is told so.
    fn handle(
        &mut self,
        face: &mut dyn Face,
        inputs: Vec<Input>,
    ) -> Result<Vec<Answered>, ServeError> {
        let (answers, followed) = self.commit(face, inputs)?;
        if let Err(fault) = followed {
            self.host_failed(face, fault)?;
        }
        Ok(answers)
    }

    fn host_failed(&mut self, face: &mut dyn Face, fault: HostFault) -> Result<(), ServeError> {
        // What can still be written says BLOCKED too; what cannot is known already.
        let (_, _followed) = self.commit(face, vec![Input::HostFailed(fault)])?;
        Ok(())
    }

    /// Decide, sync, project, show: in this order and no other. Says what each input came to, and why the branch or a file
    /// could not follow.
    fn commit(
        &mut self,
        face: &mut dyn Face,
        inputs: Vec<Input>,
    ) -> Result<(Vec<Answered>, Result<(), HostFault>), ServeError> {
        let now = clock::now_after(self.session().updated_at);
        let (commit, answers) = self.engine.handle(now, inputs);
        let durable = commit.write_to(&mut self.journal)?;
        crash::point("serve.committed");
        Ok((answers, self.follow(face, &durable)))
    }

    /// What is on disk is projected, then shown.
    fn follow(&mut self, face: &mut dyn Face, durable: &Durable) -> Result<(), HostFault> {
        self.wanted = self.engine.committed(durable);
        self.projector.take(self.engine.session(), durable.events().iter());
        let projected = self.project();
        face.happened(self.parts(), durable.events());
        self.track(durable.events());
        self.notifying.take(self.journal.last_seq(), durable.events());
        projected
    }

    /// Branch and files follow the journal.
    fn project(&mut self) -> Result<(), HostFault> {
        let promoted = self.promote().and_then(|()| self.keep_tags());
        let promoted = promoted.map_err(|error| error.fault());
        let projected = self.projector.project(self.engine.session());
        promoted.and(projected.map_err(|error| error.fault()))
    }

    fn patience(&self) -> Duration {
        let due = self.session().next_deadline();
        let until_due = due.map(|due| Duration::from_millis(due.ms_since(clock::now())));
        until_due.map_or(INBOX_POLL, |wait| wait.min(INBOX_POLL))
    }

    /// Whether there is nothing to wait for but a person, or nothing at all.
    fn pause(&self, can_ask: bool) -> Pause {
        let session = self.session();
        if self.running.values().any(|switch| !switch.awaits_person()) {
            return Pause::None;
        }
        if session.standing.closed {
            return Pause::End(ServeEnd::Done);
        }
        let questions: Vec<String> = session
            .pending_decisions()
            .map(|decision| &decision.decision_id)
            .map(|id| format!("{id} {}", session.round(id)))
            .collect();
        if !questions.is_empty() {
            return if can_ask { Pause::Ask(questions) } else { Pause::End(self.held_ending()) };
        }
        if !self.running.is_empty() {
            return Pause::End(self.held_ending());
        }
        let goes_on = !session.outstanding().is_empty() || session.next_deadline().is_some();
        match (&session.standing.blocker, goes_on) {
            (Some(_), _) => Pause::End(ServeEnd::Blocked),
            (None, true) => Pause::None,
            (None, false) => Pause::End(ServeEnd::Interrupted),
        }
    }

    fn held_ending(&self) -> ServeEnd {
        if self.session().standing.blocker.is_some() {
            ServeEnd::Blocked
        } else {
            ServeEnd::Waiting
        }
    }

    /// What waits for a person continues without us. False when one of them has come back meanwhile.
    fn leave_to_people(&mut self) -> bool {
        self.running.retain(|_, switch| !switch.leave());
        self.running.is_empty()
    }

    /// Ends every running tree at once and records that it was stopped.
    fn interrupt(
        &mut self,
        face: &mut dyn Face,
        messages: Vec<OwnerMessage>,
    ) -> Result<ServeEnd, ServeError> {
        self.leave_to_people();
        for switch in self.running.values() {
            switch.stop(StopReason::EngineEnds);
        }
        self.take(face, messages)?;
        let give_up = Instant::now() + STOP_PATIENCE;
        while !self.running.is_empty() && Instant::now() < give_up {
            if let Ok(message) = self.receiver.recv_timeout(INBOX_POLL) {
                self.take(face, vec![message])?;
            }
        }
        Ok(ServeEnd::Interrupted)
    }
}

/// Large files that nobody's work holds: a person learns where they are.
fn told_large(set_aside: &[SetAside]) -> impl Iterator<Item = Input> {
    let more = set_aside.len().saturating_sub(SCOPE_WARNINGS_MAX);
    let more = match more {
        0 => None,
        1 => Some("1 more file was moved away".to_owned()),
        more => Some(format!("{more} more files were moved away")),
    };
    let named = set_aside.iter().take(SCOPE_WARNINGS_MAX).map(ToString::to_string);
    named.chain(more).map(|message| Input::Told { code: NoticeCode::WorkTooLarge, message })
}
