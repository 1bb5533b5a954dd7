//! Folds what happened into an audit, event by event.

use super::{
    Audit, CommandEntry, CommitEntry, DecisionEntry, Place, ReadEntry, RoleEntry, Writer,
    WrittenEntry,
};
use crate::decision::{Decision, DecisionStatus, Resolution};
use crate::event::{Event, Verdict};
use crate::given::GivenFiles;
use crate::id::{Attempt, DecisionId, DispatchNumber};
use crate::role::Role;
use crate::session::Session;
use crate::time::Timestamp;
use crate::view::{Outcome, Parts, SCHEMA_VERSION, SpendBy, SpendView};
use crate::work::{DispatchEnd, Work};
use crate::worker::Worker;
use std::collections::BTreeMap;

const EVIDENCE: [&str; 5] = [
    "evidence/action-context.md",
    "evidence/artifact-trace.md",
    "evidence/gate-decisions.md",
    "evidence/commands.log",
    "evidence/lifecycle-gates.log",
];

/// Folds what happened into an audit.
#[derive(Debug, Default)]
pub struct Auditor {
    records: usize,
    roles: Vec<RoleEntry>,
    read: Vec<ReadEntry>,
    written: Vec<WrittenEntry>,
    /// Every asking, also of a question that was asked again.
    decisions: Vec<DecisionEntry>,
    commands: Vec<CommandEntry>,
    commits: Vec<CommitEntry>,
    /// What a dispatch delivered last, until its verdict.
    delivered: BTreeMap<DispatchNumber, Work>,
}

impl Auditor {
    /// The next event of the journal, and the state right after it.
    pub fn take(&mut self, now: Parts<'_>, at: Timestamp, event: &Event) {
        self.records += 1;
        let session = now.session;
        match event {
            Event::DispatchOpened { number, role, .. } => self.opened(session, *number, *role),
            Event::AttemptNoted { number, attempt, given: Some(given), .. } => {
                self.given(*number, *attempt, given);
            }
            Event::AttemptStarted { number, attempt, agent, .. } => {
                let agent = agent.as_ref().map(Worker::as_str);
                self.started(session, at, *number, *attempt, agent);
            }
            Event::AttemptEnded {
                number, attempt, end: DispatchEnd::Replied { work, .. }, ..
            } => {
                self.delivered(session, at, *number, *attempt, work);
            }
            Event::DispatchClosed { number, verdict, .. } => {
                self.closed(session, at, *number, *verdict)
            }
            Event::DecisionAsked { decision } => self.decisions.push(asked(decision)),
            Event::DecisionResolved { id, resolution } => self.resolved(id, resolution),
            Event::SessionImported(taken) => {
                self.written.extend(taken.documents.iter().map(|document| WrittenEntry {
                    place: Place::Session,
                    change: None,
                    path: document.path.clone(),
                    sha256: Some(document.sha256.clone()),
                    by: Writer::Import,
                    at,
                    outcome: None,
                }));
            }
            Event::FilesEdited { edits } => {
                self.written.extend(edits.iter().map(|edit| WrittenEntry {
                    path: edit.path.clone(),
                    place: Place::Session,
                    change: None,
                    sha256: edit.now.as_ref().map(|now| now.sha256.clone()),
                    by: Writer::Person,
                    at,
                    outcome: None,
                }));
            }
            Event::ChecksEnded { number, results, .. } => {
                let purpose = session.checks.runs.get(number).map(|run| &run.purpose);
                let of = purpose.map(ToString::to_string).unwrap_or_default();
                self.commands.extend(results.iter().map(|result| CommandEntry {
                    check: *number,
                    of: of.clone(),
                    command: result.command.clone(),
                    passed: result.passed,
                    exit_code: result.exit_code,
                    trouble: result.trouble.clone(),
                    duration_ms: result.duration_ms,
                    at,
                }));
            }
            _ => {}
        }
    }

    /// `now` is the state after the last event, `last_hash` the hash of its record.
    pub fn finish(mut self, now: Parts<'_>, last_hash: String) -> Audit {
        let session = now.session;
        self.look_at_checks(now);
        Audit {
            schema_version: SCHEMA_VERSION,
            session: session.opening.session.clone(),
            action: session.action_name().to_owned(),
            mode: session.route.mode,
            goal: session.opening.goal.clone(),
            base: session.opening.base.clone(),
            opened_at: session.opened_at,
            updated_at: session.updated_at,
            state: session.state(),
            records: self.records,
            last_hash,
            roles: self.roles,
            read: self.read,
            written: self.written,
            decisions: self.decisions,
            commands: self.commands,
            commits: self.commits,
            spend: SpendView::of(&session.budget.ledger.total),
            spend_by: SpendBy::of(&session.budget.ledger),
            evidence: EVIDENCE.iter().map(|name| session.session_path(name)).collect(),
        }
    }

    /// An answer that is given again stands beside the one before it.
    fn resolved(&mut self, id: &DecisionId, resolution: &Resolution) {
        let Some(last) = self.decisions.iter().rposition(|entry| entry.decision_id == *id) else {
            return;
        };
        if self.decisions[last].resolved_by.is_some() {
            self.decisions.push(self.decisions[last].clone());
        }
        let entry = self.decisions.iter_mut().rfind(|entry| entry.decision_id == *id);
        let entry = entry.expect("it was found just now");
        let by = if resolution.command.is_some() { "person" } else { "tollgate" };
        entry.status = resolution.status;
        entry.answer = resolution.answer.clone();
        entry.reason = resolution.reason.clone();
        entry.resolved_at = resolution.resolved_at;
        entry.resolved_by = Some(by);
        entry.command = resolution.command.as_ref().map(ToString::to_string);
    }

    fn opened(&mut self, session: &Session, number: DispatchNumber, role: Role) {
        let called = name_of(session, number);
        let known =
            self.roles.iter_mut().find(|entry| entry.role == role && entry.called == called);
        match known {
            Some(entry) => entry.dispatches.push(number),
            None => {
                let (dispatches, role_files) = (vec![number], Vec::new());
                self.roles.push(RoleEntry { role, called, dispatches, role_files });
            }
        }
    }

    /// What it really was told to read, with the text of its role.
    fn given(&mut self, number: DispatchNumber, attempt: Attempt, given: &GivenFiles) {
        let mut read = self.read.iter_mut().rev();
        if let Some(entry) = read.find(|e| e.dispatch == number && e.attempt == attempt) {
            entry.role_file = Some(given.role_file.clone());
            entry.files.clone_from(&given.files);
        }
        let mut roles = self.roles.iter_mut();
        if let Some(entry) = roles.find(|entry| entry.dispatches.contains(&number))
            && !entry.role_files.contains(&given.role_file)
        {
            entry.role_files.push(given.role_file.clone());
        }
    }

    /// The state just now is the one that the agent's input was made from.
    fn started(
        &mut self,
        session: &Session,
        at: Timestamp,
        number: DispatchNumber,
        attempt: Attempt,
        agent: Option<&str>,
    ) {
        let Some(brief) = session.brief(number) else {
            return;
        };
        let instructions = session.opening.instructions.iter().cloned();
        self.read.push(ReadEntry {
            dispatch: number,
            attempt,
            role: brief.role,
            called: name_of(session, number),
            task: brief.task.id,
            agent: agent.map(str::to_owned),
            at,
            role_file: None,
            files: instructions.chain(brief.task.context_files).collect(),
        });
    }

    fn delivered(
        &mut self,
        session: &Session,
        at: Timestamp,
        number: DispatchNumber,
        attempt: Attempt,
        work: &Work,
    ) {
        let Some(dispatch) = session.dispatches.get(&number) else {
            return;
        };
        let called = name_of(session, number);
        let by = Writer::Dispatch { number, attempt, role: dispatch.role, called };
        self.written.extend(work.documents.artefacts.iter().map(|artefact| WrittenEntry {
            path: artefact.path.clone(),
            place: Place::Session,
            sha256: Some(artefact.sha256.clone()),
            change: None,
            by: by.clone(),
            at,
            outcome: None,
        }));
        let hash_of = |path: &str| {
            let declared = work.code.outputs.iter().find(|output| output.path == path);
            declared.map(|output| output.sha256.clone())
        };
        self.written.extend(work.code.changes.iter().map(|change| WrittenEntry {
            path: change.path.clone(),
            place: Place::Repository,
            sha256: hash_of(&change.path),
            change: Some(change.change_type),
            by: by.clone(),
            at,
            outcome: None,
        }));
        self.delivered.insert(number, work.clone());
    }

    /// What was taken is called as it is now, after the checks that ran on it.
    fn look_at_checks(&mut self, now: Parts<'_>) {
        let outcome_of = |number| now.dispatch(number).map(|dispatch| dispatch.outcome);
        for entry in &mut self.written {
            if let (&Writer::Dispatch { number, .. }, Some(Outcome::Accepted)) =
                (&entry.by, entry.outcome)
            {
                entry.outcome = outcome_of(number);
            }
        }
        for entry in &mut self.commits {
            entry.outcome = outcome_of(entry.dispatch).unwrap_or(entry.outcome);
        }
    }

    fn closed(
        &mut self,
        session: &Session,
        at: Timestamp,
        number: DispatchNumber,
        verdict: Verdict,
    ) {
        let last_attempt = self.written.iter().rev().find_map(|entry| match entry.by {
            Writer::Dispatch { number: of, attempt, .. } if of == number => Some(attempt),
            _ => None,
        });
        for entry in &mut self.written {
            if let Writer::Dispatch { number: of, attempt, .. } = entry.by
                && of == number
            {
                let is_last = Some(attempt) == last_attempt;
                entry.outcome = Some(if is_last { verdict.into() } else { Outcome::SetAside });
            }
        }
        let is_taken = matches!(verdict, Verdict::Accepted | Verdict::Objected);
        let delivered = self.delivered.remove(&number).filter(|_| is_taken);
        let (Some(work), Some(dispatch)) = (delivered, session.dispatches.get(&number)) else {
            return;
        };
        if let Some(commit) = work.code.commit {
            self.commits.push(CommitEntry {
                commit,
                dispatch: number,
                role: dispatch.role,
                called: name_of(session, number),
                task: dispatch.task.clone(),
                at,
                outcome: verdict.into(),
                changes: work.code.changes,
            });
        }
    }
}

fn name_of(session: &Session, number: DispatchNumber) -> String {
    let dispatch = session.dispatches.get(&number);
    dispatch.map(|dispatch| session.name_of(dispatch).to_owned()).unwrap_or_default()
}

fn asked(decision: &Decision) -> DecisionEntry {
    DecisionEntry {
        decision_id: decision.decision_id.clone(),
        kind: decision.kind,
        question: decision.question.clone(),
        state_context: decision.state_context,
        asked_at: decision.asked_at,
        shown: decision.shown.clone(),
        status: DecisionStatus::Pending,
        answer: None,
        reason: None,
        resolved_at: None,
        resolved_by: None,
        command: None,
    }
}
