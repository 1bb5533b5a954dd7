//! Agents that say what the story lets them say, and otherwise do honest work.
//!
//! A reply is one of `crash invalid timeout parked missing empty breach files sensitive fail`, or
//! `ok`, `blocked`, `decision`, `info`, each with findings such as `high:text, medium:text`,
//! with `-> Role` for a recommendation, or with questions. `wants PATH` asks for a file with BLOCKED, `insists PATH` with
//! OK and no work, `adds PATH` beside work that is done, `beyond PATH` changes it and says nothing, `refine TEXT` leaves
//! something of a plan to a person.

use super::purse::Purse;
use std::collections::{BTreeMap, VecDeque};
use tollgate_core::action::CheckSubject;
use tollgate_core::event::{CheckPurpose, Merged};
use tollgate_core::id::{CommitId, ContentHash, DispatchNumber};
use tollgate_core::input::Opening;
use tollgate_core::reply::{
    Reply, ReplyError, ReplyStatus, ReportedFinding, ScopeRequest, Severity, Usage,
};
use tollgate_core::role::{Mode, Role};
use tollgate_core::session::{Dispatch, Session};
use tollgate_core::task::{Criterion, TaskSpec};
use tollgate_core::time::Timestamp;
use tollgate_core::work::{
    Artefact, Breach, ChangeType, CheckResult, DispatchEnd, FileChange, Measured, Refinement,
    ScopeClass, Scoped, Work,
};

pub struct Crew {
    says: BTreeMap<Role, VecDeque<String>>,
    plan: Vec<TaskSpec>,
    criteria: Vec<Criterion>,
    green: u32,
    red: u32,
    clashes: u32,
    old: u32,
    covered: VecDeque<u64>,
    made: u64,
    counts_tokens: bool,
    purse: Purse,
}

impl Crew {
    pub fn new(story: &str, opening: &Opening) -> Self {
        let mut says: BTreeMap<Role, VecDeque<String>> = BTreeMap::new();
        for line in story.lines() {
            if let Some((name, reply)) = line.trim().split_once(": ")
                && let Some(role) = Role::parse(name)
            {
                says.entry(role).or_default().push_back(reply.to_owned());
            }
        }
        let red = story.lines().find_map(|line| line.trim().strip_prefix("red "));
        let green = story.lines().find_map(|line| line.trim().strip_prefix("green "));
        let old = story.lines().find_map(|line| line.trim().strip_prefix("old "));
        let covered = story.lines().find_map(|line| line.trim().strip_prefix("covered "));
        let covered = covered.into_iter().flat_map(str::split_whitespace);
        let clashes = story.lines().find_map(|line| line.trim().strip_prefix("clash "));
        Self {
            says,
            plan: super::opening::plan(story),
            criteria: super::opening::criteria(story),
            green: green.and_then(|n| n.parse().ok()).unwrap_or(0),
            red: red.and_then(|n| n.parse().ok()).unwrap_or(0),
            clashes: clashes.and_then(|n| n.parse().ok()).unwrap_or(0),
            old: old.and_then(|n| n.parse().ok()).unwrap_or(0),
            covered: covered.filter_map(|n| n.parse().ok()).collect(),
            made: 0,
            counts_tokens: opening.policy.tokens_max.is_some(),
            purse: Purse::new(story),
        }
    }

    pub fn perform(
        &mut self,
        session: &Session,
        number: DispatchNumber,
        now: Timestamp,
    ) -> DispatchEnd {
        let dispatch = &session.dispatches[&number];
        let said = self.says.get_mut(&dispatch.role).and_then(VecDeque::pop_front);
        let mut work = self.work(session, dispatch);
        let said = said.unwrap_or_else(|| "ok".to_owned());
        let (word, rest) = said.split_once(' ').unwrap_or((&said, ""));
        let error = ReplyError::new("reply.bad", "/status", "not a status");
        let status = match word {
            "crash" => {
                let stderr_tail = String::new();
                return DispatchEnd::Crashed { exit_code: Some(1), signal: None, stderr_tail };
            }
            "invalid" => {
                return DispatchEnd::invalid(vec![error]);
            }
            "unsupervised" => return DispatchEnd::Unsupervised { rescue: None },
            "timeout" => return DispatchEnd::TimedOut { after_ms: 60_000 },
            "parked" => {
                let seconds = rest.parse().unwrap_or(60);
                let until = now.plus_ms(seconds * 1_000);
                return DispatchEnd::Parked { until, no_time: None };
            }
            "limited" => return DispatchEnd::Limited { detail: "no credit left".to_owned() },
            "used-up" => return DispatchEnd::UsedUp { detail: "no more turns".to_owned() },
            "missing" => return DispatchEnd::MissingContext { errors: vec![error] },
            "empty" => {
                work = Work::default();
                ReplyStatus::Ok
            }
            "breach" => {
                let (path, why) = ("tollgate.toml".to_owned(), "nobody may".to_owned());
                work.breaches.push(Breach { path, why });
                ReplyStatus::Ok
            }
            "files" => {
                for name in ["a", "b", "c"] {
                    self.change(&mut work, &format!("src/{name}.rs"));
                }
                ReplyStatus::Ok
            }
            "sensitive" => {
                work.sensitive.push("src/auth.rs".to_owned());
                ReplyStatus::Ok
            }
            "wants" | "insists" => {
                work = Work::default();
                if word == "wants" { ReplyStatus::Blocked } else { ReplyStatus::Ok }
            }
            "adds" => {
                out_of_scope(&mut work, rest, true);
                ReplyStatus::Ok
            }
            "beyond" => {
                out_of_scope(&mut work, rest, false);
                ReplyStatus::Ok
            }
            "floods" => {
                (0..3_000).for_each(|n| out_of_scope(&mut work, &format!("{rest}/{n}"), false));
                ReplyStatus::Ok
            }
            "refine" => {
                let (item, question) = ("R-001".to_owned(), rest.to_owned());
                work.refinements = vec![Refinement { item, question }];
                ReplyStatus::Ok
            }
            "ok" => ReplyStatus::Ok,
            "blocked" => ReplyStatus::Blocked,
            "decision" => ReplyStatus::NeedsDecision,
            "info" => ReplyStatus::NeedsInfo,
            "fail" => ReplyStatus::Fail,
            other => panic!("nobody can say {other:?}"),
        };
        let mut reply = self.reply(status, rest);
        if matches!(word, "wants" | "insists" | "adds") {
            let (path, reason) = (rest.to_owned(), "it is called there".to_owned());
            reply.scope_requests = vec![ScopeRequest { path, reason }];
        }
        DispatchEnd::Replied { reply: Box::new(reply), work: Box::new(work) }
    }

    /// What the engine is told that an attempt cost.
    pub fn usage(&self, session: &Session, number: DispatchNumber, end: &DispatchEnd) -> Usage {
        self.purse.usage(session.dispatches[&number].role, end)
    }

    pub fn check(&mut self, commands: &[String], purpose: &CheckPurpose) -> Vec<CheckResult> {
        let is_green = self.green > 0;
        self.green -= u32::from(is_green);
        let is_red = self.red > 0 && !is_green && !commands.is_empty();
        self.red -= u32::from(is_red);
        let is_old = is_red && self.old > 0;
        self.old -= u32::from(is_old);
        let measures =
            matches!(purpose, CheckPurpose::Subject { subject: CheckSubject::Coverage, .. });
        let covered = self.covered.pop_front().filter(|_| measures);
        let result = |command: &String| CheckResult {
            command: command.clone(),
            passed: !is_red,
            exit_code: Some(i32::from(is_red)),
            trouble: None,
            output_tail: String::new(),
            duration_ms: 1,
            coverage: covered.map(|covered| Measured { covered, total: 100 }),
            failed_on_base: is_old,
            only_in_workspace: None,
        };
        commands.iter().map(result).collect()
    }

    /// Every member's change on top of the ones before; `clash N` lets the later ones of N merges clash.
    pub fn merge(&mut self, changes: &[(DispatchNumber, CommitId)]) -> Vec<Merged> {
        let clashes = self.clashes > 0;
        self.clashes -= u32::from(clashes);
        let mut merged = Vec::new();
        for (index, (number, _)) in changes.iter().enumerate() {
            self.made += 1;
            let commit = CommitId::parse(&format!("{:040x}", self.made)).expect("40 digits");
            let fits = index == 0 || !clashes;
            merged.push(Merged {
                number: *number,
                commit: fits.then_some(commit),
                conflicts: if fits { Vec::new() } else { vec!["src/shared".to_owned()] },
                outputs: Vec::new(),
            });
        }
        merged
    }

    pub fn artefact(&mut self, path: &str) -> Artefact {
        self.made += 1;
        let sha256 = ContentHash::parse(&format!("{:064x}", self.made)).expect("64 digits");
        Artefact { path: path.to_owned(), sha256 }
    }

    fn reply(&self, status: ReplyStatus, rest: &str) -> Reply {
        let recommended_agent = rest.strip_prefix("-> ").and_then(Role::parse);
        let asks = status == ReplyStatus::NeedsInfo;
        let parts = rest.split(", ").filter(|part| !part.is_empty());
        let findings = parts.clone().filter_map(finding).collect();
        Reply {
            scope_requests: Vec::new(),
            status,
            summary: format!("said {status}"),
            findings,
            notes: Vec::new(),
            questions: if asks { parts.map(str::to_owned).collect() } else { Vec::new() },
            recommended_agent,
            usage: Usage {
                input_tokens: self.counts_tokens.then_some(5),
                output_tokens: None,
                micro_usd: None,
                wall_ms: None,
            },
        }
    }

    fn work(&mut self, session: &Session, dispatch: &Dispatch) -> Work {
        let mut work = Work::default();
        match dispatch.role {
            Role::SpecAgent => {
                work.artefacts = vec![self.artefact("spec.md")];
                work.criteria = Some(self.criteria.clone());
                if session.mode == Mode::Lean {
                    work.plan = Some(self.plan[..1].to_vec());
                }
            }
            Role::Architect => work.artefacts = vec![self.artefact("architecture.md")],
            Role::Planner => {
                work.artefacts = vec![self.artefact("tasks.yaml")];
                work.plan = Some(self.plan.clone());
            }
            Role::Coder => self.change(&mut work, &format!("src/{}.rs", dispatch.task)),
            Role::Docs => {
                work.artefacts = vec![self.artefact("report.md")];
                self.change(&mut work, "README.md");
            }
            _ => {}
        }
        work
    }

    fn change(&mut self, work: &mut Work, path: &str) {
        self.made += 1;
        let change_type = ChangeType::Modified;
        work.changes.push(FileChange { path: path.to_owned(), change_type, old_path: None });
        work.commit = CommitId::parse(&format!("{:040x}", self.made)).ok();
    }
}

fn out_of_scope(work: &mut Work, path: &str, is_told: bool) {
    let (path, change_type) = (path.to_owned(), ChangeType::Modified);
    work.scoped.push(Scoped {
        path: path.clone(),
        class: ScopeClass::Violation,
        reason: "not listed".to_owned(),
        is_told,
    });
    work.out_of_scope.push(FileChange { path, change_type, old_path: None });
    work.rescue = Some("left-out".to_owned());
}

fn finding(text: &str) -> Option<ReportedFinding> {
    let (severity, message) = text.split_once(':')?;
    // `high:text #scope` or `high:text #scope src/a.rs`: a remark of a category, perhaps about a file.
    let (message, tag) = message.split_once(" #").unwrap_or((message, ""));
    let (category, file) = tag.split_once(' ').unwrap_or((tag, ""));
    let category = category.to_owned();
    let file = Some(file.trim().to_owned()).filter(|file| !file.is_empty());
    Some(ReportedFinding {
        severity: Severity::parse(severity)?,
        category,
        file,
        line: None,
        message: message.to_owned(),
        fix: None,
        is_nit: false,
    })
}
