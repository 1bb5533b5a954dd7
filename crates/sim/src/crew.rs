//! Agents and check commands that work, fail, stay silent and lie.

mod beyond;

pub(crate) use beyond::BEYOND;

use crate::chance::Chance;
use crate::workload::Workload;
use tollgate_core::action::{CheckSubject, StepKind};
use tollgate_core::event::{CheckPurpose, Purpose};
use tollgate_core::id::{CommitId, ContentHash, DispatchNumber};
use tollgate_core::reply::{
    AgentQuestion, LooksWanted, Reply, ReplyError, ReplyStatus, ReportedFinding, Severity, Usage,
};
use tollgate_core::role::{Mode, Role};
use tollgate_core::session::{Dispatch, Session};
use tollgate_core::time::Timestamp;
use tollgate_core::work::{
    Artefact, Breach, ChangeType, CheckResult, DispatchEnd, FileChange, Measured, Merged,
    StatusClaim, Work,
};

#[derive(Debug)]
pub struct Crew {
    chance: Chance,
    workload: Workload,
    trouble: u32,
    wishes: u32,
    refinements: u32,
    made: u64,
}

impl Crew {
    pub fn new(seed: u64, workload: &Workload) -> Self {
        let chance = Chance::new(seed ^ 0xFEED);
        let Workload { trouble, wishes, refinements, .. } = *workload;
        Self { chance, workload: workload.clone(), trouble, wishes, refinements, made: 0 }
    }

    /// What comes of one attempt.
    pub fn perform(
        &mut self,
        session: &Session,
        number: DispatchNumber,
        now: Timestamp,
    ) -> DispatchEnd {
        let dispatch = &session.dispatches[&number];
        if dispatch.role == Role::Coder && self.wishes > 0 && self.chance.percent(40) {
            self.wishes -= 1;
            return self.look_beyond(session, number);
        }
        if self.trouble > 0 && self.chance.percent(35) {
            self.trouble -= 1;
            return if self.chance.percent(55) {
                self.fail(now)
            } else {
                self.mislead(session, dispatch)
            };
        }
        let mut work = self.work(session, dispatch);
        self.leave_to_a_person(&mut work);
        let mut reply = self.reply(ReplyStatus::Ok);
        if matches!(dispatch.role, Role::SpecAgent | Role::Architect) && self.chance.percent(10) {
            reply.recommended_agent = Some(*self.chance.pick(&[Role::Researcher, Role::Designer]));
        }
        replied(reply, work)
    }

    pub fn check(&mut self, commands: &[String], purpose: &CheckPurpose) -> Vec<CheckResult> {
        let red = self.trouble > 0 && self.chance.percent(30);
        if red {
            self.trouble -= 1;
        }
        let coverage = self.coverage(purpose, red);
        let is_old = red && self.chance.percent(25);
        let is_missing = red && !is_old && self.chance.percent(20);
        commands
            .iter()
            .enumerate()
            .map(|(index, command)| {
                let passed = !(red && index == 0);
                CheckResult {
                    command: command.clone(),
                    passed,
                    exit_code: Some(match (passed, is_missing) {
                        (true, _) => 0,
                        (false, false) => 1,
                        (false, true) => 127,
                    }),
                    trouble: None,
                    output_tail: String::new(),
                    duration_ms: 5,
                    coverage,
                    failed_on_base: !passed && is_old,
                    could_not_start: false,
                    only_in_workspace: None,
                }
            })
            .collect()
    }

    /// What a coverage report says; a bad day brings a poor one, or none that can be read.
    fn coverage(&mut self, purpose: &CheckPurpose, red: bool) -> Option<Measured> {
        let CheckPurpose::Subject { subject: CheckSubject::Coverage, .. } = purpose else {
            return None;
        };
        let covered = if red { 40 + self.chance.below(40) } else { 80 + self.chance.below(21) };
        (!red || self.chance.percent(75)).then_some(Measured { covered, total: 100 })
    }

    /// Changes of members, each on top of the ones before it; now and then one does not fit what came before it.
    pub fn merge(&mut self, session: &Session) -> Vec<Merged> {
        let mut merged: Vec<Merged> = Vec::new();
        for (number, _) in &session.merging() {
            let is_behind = session.dispatches[number].based_on() != Some(&session.branch.tip);
            let can_clash = is_behind || merged.iter().any(|before| before.commit.is_some());
            let clashes = can_clash && self.trouble > 0 && self.chance.percent(30);
            if clashes {
                self.trouble -= 1;
            }
            merged.push(Merged {
                number: *number,
                commit: (!clashes).then(|| self.commit()),
                conflicts: if clashes { vec!["src/shared".to_owned()] } else { Vec::new() },
                outputs: Vec::new(),
            });
        }
        merged
    }

    pub fn hash(&mut self) -> ContentHash {
        self.made += 1;
        ContentHash::parse(&format!("{:064x}", self.made)).expect("64 digits")
    }

    pub fn artefact(&mut self, path: &str) -> Artefact {
        Artefact { path: path.to_owned(), sha256: self.hash() }
    }

    fn commit(&mut self) -> CommitId {
        self.made += 1;
        CommitId::parse(&format!("{:040x}", self.made)).expect("40 digits")
    }

    fn reply(&mut self, status: ReplyStatus) -> Reply {
        let known = self.chance.percent(50);
        // Only some crews ask for more, so that rare ends stay as frequent among the others.
        let nth = if self.workload.plan.len().is_multiple_of(2) { self.made } else { 0 };
        Reply {
            notes: if self.chance.percent(5) { vec!["assumption: so".to_owned()] } else { vec![] },
            manual_steps: if nth % 29 == 1 { vec!["look".to_owned()] } else { vec![] },
            looks: LooksWanted {
                review: nth % 37 == 2,
                tests: nth % 41 == 3,
                security: if nth % 31 == 4 { vec!["a key".to_owned()] } else { vec![] },
            },
            usage: Usage {
                input_tokens: known.then_some(5),
                output_tokens: None,
                micro_usd: None,
                wall_ms: None,
            },
            ..Reply::plain(status, format!("said {status}"))
        }
    }

    /// What an honest attempt leaves behind.
    fn work(&mut self, session: &Session, dispatch: &Dispatch) -> Work {
        let mut work = Work::default();
        match dispatch.role {
            Role::SpecAgent => {
                work.documents.artefacts =
                    vec![self.artefact("spec.md"), self.artefact("acceptance.json")];
                work.documents.criteria = Some(self.workload.criteria.clone());
                if session.route.mode == Mode::Lean {
                    work.documents.artefacts.push(self.artefact("tasks.yaml"));
                    work.documents.plan = Some(self.workload.plan[..1].to_vec());
                }
            }
            Role::Architect => work.documents.artefacts = vec![self.artefact("architecture.md")],
            Role::Designer => work.documents.artefacts = vec![self.artefact("design-specs/one.md")],
            Role::Researcher => work.documents.artefacts = vec![self.artefact("research/one.md")],
            Role::Planner => {
                work.documents.artefacts = vec![self.artefact("tasks.yaml")];
                work.documents.plan = Some(self.workload.plan.clone());
            }
            Role::Coder => self.change(&mut work, &format!("src/{}.rs", dispatch.task)),
            Role::QA if self.chance.percent(40) => {
                self.change(&mut work, &format!("tests/{}.rs", dispatch.task));
            }
            Role::Integrator if self.chance.percent(30) => self.change(&mut work, "Makefile"),
            Role::Docs => {
                work.documents.artefacts = vec![self.artefact("report.md")];
                let points = session.report_points().into_iter();
                work.documents.reported = points.map(|point| point.id).collect();
                if self.chance.percent(50) {
                    self.change(&mut work, "README.md");
                }
            }
            _ => {}
        }
        if self.is_route() {
            self.only_what_is_declared(session, dispatch, &mut work);
        }
        self.outputs(session, dispatch, &mut work);
        self.weaken(&mut work);
        work
    }

    fn is_route(&self) -> bool {
        let steps = &self.workload.opening.action.steps;
        !steps.iter().any(|step| matches!(step.kind, StepKind::Tasks))
    }

    /// On a route of its own a role writes the session files that its step asks for.
    fn only_what_is_declared(&self, session: &Session, dispatch: &Dispatch, work: &mut Work) {
        let assignment = dispatch.part_index().and_then(|at| session.assignment(at));
        let declared = assignment.map(|assignment| assignment.outputs.clone()).unwrap_or_default();
        work.documents.artefacts.retain(|artefact| declared.contains(&artefact.path));
        if work.documents.artefacts.is_empty() {
            work.documents.criteria = None;
        }
    }

    /// Files of the repository that the step declares, and now and then one that a gate has shown.
    fn outputs(&mut self, session: &Session, dispatch: &Dispatch, work: &mut Work) {
        let assignment = dispatch.part_index().and_then(|at| session.assignment(at));
        let declared = assignment.map(|assignment| assignment.outputs.clone()).unwrap_or_default();
        let mut paths: Vec<String> =
            declared.into_iter().filter(|path| path.starts_with("out/")).collect();
        let known: Vec<String> = session.files.outputs.keys().cloned().collect();
        let is_repair = matches!(dispatch.purpose, Purpose::Repair { .. });
        if is_repair && !known.is_empty() && self.chance.percent(30) {
            paths.push(self.chance.pick(&known).clone());
        }
        for path in paths {
            self.change(work, &path);
            let output = self.artefact(&path);
            work.code.outputs.push(output);
        }
    }

    /// Tests that a change weakens, and that a later one brings back.
    fn weaken(&mut self, work: &mut Work) {
        if work.code.commit.is_none() {
            return;
        }
        if self.trouble > 0 && self.chance.percent(6) {
            self.trouble -= 1;
            work.code.weakened.push(ReportedFinding {
                severity: Severity::Medium,
                category: tollgate_core::WEAKENED.to_owned(),
                file: Some("tests/a.rs".to_owned()),
                line: None,
                message: "a test is gone".to_owned(),
                fix: None,
                is_nit: false,
            });
        } else if self.chance.percent(30) {
            work.code.restored.push("tests/a.rs".to_owned());
        }
    }

    fn change(&mut self, work: &mut Work, path: &str) {
        let change_type = *self.chance.pick(&[ChangeType::Added, ChangeType::Modified]);
        work.code.changes.push(FileChange { path: path.to_owned(), change_type, old_path: None });
        work.code.commit = Some(self.commit());
    }

    /// No reply that could be used.
    fn fail(&mut self, now: Timestamp) -> DispatchEnd {
        let error = ReplyError::new("reply.bad", "/status", "not a status");
        match self.chance.below(12) {
            0 => DispatchEnd::Unsupervised { rescue: None },
            1..=2 => DispatchEnd::Crashed {
                exit_code: Some(1),
                signal: None,
                stderr_tail: "oops".to_owned(),
            },
            3 if self.chance.percent(30) => {
                DispatchEnd::MissingRole { name: "x".to_owned(), detail: "gone".to_owned() }
            }
            3 => DispatchEnd::CouldNotStart { program: "x".to_owned(), cause: "gone".to_owned() },
            4..=6 => DispatchEnd::invalid(vec![error]),
            7 => DispatchEnd::TimedOut { after_ms: 600_000 },
            8 => DispatchEnd::OutputLimit { limit_bytes: 10 },
            9 => DispatchEnd::MissingOutput {
                paths: vec!["spec.md".to_owned()],
                findings: Vec::new(),
            },
            10 => DispatchEnd::MissingContext { errors: vec![error] },
            _ if self.chance.percent(50) => {
                DispatchEnd::PermissionRefused { detail: "no".to_owned() }
            }
            _ => crate::costs::out(&mut self.chance, now),
        }
    }

    /// A valid reply that is not the whole truth, or not good news.
    fn mislead(&mut self, session: &Session, dispatch: &Dispatch) -> DispatchEnd {
        let mut work = self.work(session, dispatch);
        match self.chance.below(10) {
            0 => {
                let mut reply = self.reply(ReplyStatus::Fail);
                self.report_too(&mut reply, dispatch);
                return replied(reply, Work::default());
            }
            1 => {
                work.left_out.breaches.push(Breach {
                    path: "tollgate.toml".to_owned(),
                    why: "nobody may".to_owned(),
                });
                let mut reply = self.reply(ReplyStatus::Ok);
                self.report_too(&mut reply, dispatch);
                return replied(reply, work);
            }
            2..=3 if !dispatch.role.is_reviewing() => {
                let mut reply = self.reply(ReplyStatus::Ok);
                for _ in 0..=self.chance.below(2) {
                    reply.findings.push(self.finding(&dispatch.purpose));
                }
                return replied(reply, work);
            }
            _ => {}
        }
        match dispatch.role {
            Role::Coder => self.mislead_as_coder(session, dispatch, work),
            Role::Reviewer | Role::QA | Role::Security => self.object(dispatch, work),
            Role::Researcher => {
                let mut reply = self.reply(ReplyStatus::NeedsInfo);
                reply.questions = (0..self.chance.below(4))
                    .map(|n| AgentQuestion::plain(format!("why {n}?")))
                    .collect();
                replied(reply, work)
            }
            _ => replied(self.reply(ReplyStatus::Blocked), Work::default()),
        }
    }

    fn mislead_as_coder(
        &mut self,
        session: &Session,
        dispatch: &Dispatch,
        mut work: Work,
    ) -> DispatchEnd {
        match self.chance.below(7) {
            0 => {
                let mut reply = self.reply(ReplyStatus::Ok);
                self.report_too(&mut reply, dispatch);
                return replied(reply, Work::default());
            }
            1 => return replied(self.reply(ReplyStatus::Blocked), Work::default()),
            2 if session.route.mode == Mode::Lean => {
                let mut reply = self.reply(ReplyStatus::Blocked);
                reply.recommended_agent = Some(Role::SpecAgent);
                return replied(reply, work);
            }
            3 => {
                work.left_out.out_of_scope = std::mem::take(&mut work.code.changes);
                work.code.commit = None;
            }
            4 => {
                if let Some(task) = session.plan.tasks.first().map(|task| task.spec.id.clone()) {
                    work.documents
                        .status_claims
                        .push(StatusClaim { task, status: "completed".to_owned() });
                }
            }
            5 => {
                for number in 0..4 {
                    self.change(&mut work, &format!("src/{}/{number}.rs", dispatch.task));
                }
            }
            _ => work
                .code
                .sensitive
                .extend(work.code.changes.first().map(|change| change.path.clone())),
        }
        replied(self.reply(ReplyStatus::Ok), work)
    }

    /// Sometimes it reports a finding anyway.
    fn report_too(&mut self, reply: &mut Reply, dispatch: &Dispatch) {
        if self.chance.percent(50) {
            reply.findings.push(self.finding(&dispatch.purpose));
        }
    }

    fn object(&mut self, dispatch: &Dispatch, work: Work) -> DispatchEnd {
        let mut statuses = vec![ReplyStatus::Ok, ReplyStatus::Blocked];
        if dispatch.role == Role::Security {
            statuses.push(ReplyStatus::NeedsDecision);
        }
        let status = *self.chance.pick(&statuses);
        let mut reply = self.reply(status);
        for _ in 0..self.chance.below(4) {
            reply.findings.push(self.finding(&dispatch.purpose));
        }
        if dispatch.role == Role::Reviewer && !self.is_route() && self.chance.percent(15) {
            self.remark_on_scope(&mut reply);
        }
        replied(reply, work)
    }

    /// Few enough different ones that the same comes back forever.
    fn finding(&mut self, purpose: &Purpose) -> ReportedFinding {
        let severities = [Severity::Low, Severity::Medium, Severity::High, Severity::Critical];
        ReportedFinding {
            severity: *self.chance.pick(&severities),
            category: "rule".to_owned(),
            file: Some("src/a.rs".to_owned()),
            line: Some(self.chance.below(90).to_string()),
            message: format!("flaw {} ({purpose:?})", self.chance.below(3)),
            fix: None,
            is_nit: false,
        }
    }
}

fn replied(reply: Reply, work: Work) -> DispatchEnd {
    DispatchEnd::Replied { reply: Box::new(reply), work: Box::new(work) }
}
