//! Agents that say what the story lets them say, and otherwise do honest work.
//!
//! A reply is one of `crash invalid timeout parked missing empty breach files sensitive fail`, or
//! `ok`, `blocked`, `decision`, `info`, each with findings such as `high:text, medium:text`,
//! with `-> Role` for a recommendation, or with questions. `wants PATH` asks for a file with BLOCKED, `insists PATH` with
//! OK and no work, `adds PATH` beside work that is done, `beyond PATH` changes it and says nothing, `verifies TEXT` names a criterion, `refine TEXT` leaves
//! something of a plan to a person, `proves COMMAND` names a command that shows the work, `asks review, tests, security:TEXT`
//! asks for reviewing roles beside honest work, `leaves TEXT` leaves a step to a person.

use super::costs::Costs;
use super::words::Word;
use std::collections::{BTreeMap, VecDeque};
use tollgate_core::action::CheckSubject;
use tollgate_core::event::CheckPurpose;
use tollgate_core::id::{CommitId, ContentHash, DispatchNumber};
use tollgate_core::input::Opening;
use tollgate_core::reply::{
    AgentQuestion, LooksWanted, Reply, ReplyError, ReplyStatus, ReportedFinding, ScopeRequest,
    Severity, Usage,
};
use tollgate_core::role::{Mode, Role};
use tollgate_core::session::{Dispatch, Session};
use tollgate_core::task::{Criterion, TaskSpec};
use tollgate_core::time::Timestamp;
use tollgate_core::work::{
    Artefact, BaseMerge, Breach, ChangeType, CheckResult, DispatchEnd, FileChange, Measured,
    Merged, Refinement, ScopeClass, Scoped, Work,
};

/// As often as it can happen.
pub const ALWAYS: u32 = u32::MAX;

pub struct Crew {
    says: BTreeMap<Role, VecDeque<Said>>,
    plan: Vec<TaskSpec>,
    criteria: Vec<Criterion>,
    green: u32,
    red: u32,
    clashes: u32,
    /// Whether the person's branch merges, the next time.
    base_conflicts: bool,
    old: u32,
    missing: u32,
    covered: VecDeque<u64>,
    made: u64,
    counts_tokens: bool,
    costs: Costs,
}

/// What a role says next: a word, and what belongs to it.
#[derive(Clone)]
pub struct Said {
    text: String,
    word: SaidWord,
    about: About,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SaidWord {
    Crash,
    Invalid,
    Unsupervised,
    Timeout,
    Parked,
    Limited,
    UsedUp,
    Missing,
    Empty,
    Breach,
    Files,
    Sensitive,
    Wants,
    Insists,
    Adds,
    Beyond,
    Floods,
    Refine,
    Proves,
    Asks,
    Leaves,
    Verifies,
    Ok,
    Blocked,
    Decision,
    Info,
    Fail,
}

#[derive(Clone)]
enum About {
    Nothing,
    Seconds(u64),
    /// What a refinement asks.
    Text(String),
    Path(String, Vec<ReportedFinding>),
    Questions(Vec<String>),
    Findings(Vec<ReportedFinding>),
    Recommends(Role),
    Looks(LooksWanted),
}

const SAID: [(&str, SaidWord); 27] = [
    ("crash", SaidWord::Crash),
    ("invalid", SaidWord::Invalid),
    ("unsupervised", SaidWord::Unsupervised),
    ("timeout", SaidWord::Timeout),
    ("parked", SaidWord::Parked),
    ("limited", SaidWord::Limited),
    ("used-up", SaidWord::UsedUp),
    ("missing", SaidWord::Missing),
    ("empty", SaidWord::Empty),
    ("breach", SaidWord::Breach),
    ("files", SaidWord::Files),
    ("sensitive", SaidWord::Sensitive),
    ("wants", SaidWord::Wants),
    ("insists", SaidWord::Insists),
    ("adds", SaidWord::Adds),
    ("beyond", SaidWord::Beyond),
    ("floods", SaidWord::Floods),
    ("refine", SaidWord::Refine),
    ("proves", SaidWord::Proves),
    ("asks", SaidWord::Asks),
    ("leaves", SaidWord::Leaves),
    ("verifies", SaidWord::Verifies),
    ("ok", SaidWord::Ok),
    ("blocked", SaidWord::Blocked),
    ("decision", SaidWord::Decision),
    ("info", SaidWord::Info),
    ("fail", SaidWord::Fail),
];

impl Said {
    pub fn read(text: &str) -> Result<Self, String> {
        let (name, rest) = text.split_once(' ').unwrap_or((text, ""));
        let known = SAID.iter().find(|(known, _)| *known == name);
        let (_, word) = known.ok_or_else(|| {
            let known: Vec<&str> = SAID.iter().map(|(known, _)| *known).collect();
            format!("nobody can say {name:?}; a reply is one of: {}", known.join(" "))
        })?;
        let about = About::read(*word, rest)?;
        Ok(Self { text: text.to_owned(), word: *word, about })
    }
}

impl About {
    fn read(word: SaidWord, rest: &str) -> Result<Self, String> {
        let parts = || rest.split(", ").filter(|part| !part.is_empty());
        let something = || match rest {
            "" => Err("something must follow".to_owned()),
            _ => Ok(rest.to_owned()),
        };
        Ok(match word {
            SaidWord::Parked if rest.is_empty() => Self::Seconds(60),
            SaidWord::Parked => {
                Self::Seconds(rest.parse().map_err(|_| format!("{rest:?} is not a number"))?)
            }
            SaidWord::Wants
            | SaidWord::Insists
            | SaidWord::Adds
            | SaidWord::Beyond
            | SaidWord::Floods => {
                let text = something()?;
                let (path, findings) = text.split_once(", ").unwrap_or((&text, ""));
                let findings = findings.split(", ").filter(|part| !part.is_empty());
                Self::Path(path.to_owned(), findings.map(finding).collect::<Result<_, _>>()?)
            }
            SaidWord::Refine | SaidWord::Proves | SaidWord::Leaves | SaidWord::Verifies => {
                Self::Text(something()?)
            }
            SaidWord::Asks => {
                let mut looks = LooksWanted::default();
                for part in parts() {
                    match part.split_once(':') {
                        Some(("security", concern)) => looks.security.push(concern.to_owned()),
                        None if part == "review" => looks.review = true,
                        None if part == "tests" => looks.tests = true,
                        _ => return Err(format!("nobody can be asked for by {part:?}")),
                    }
                }
                Self::Looks(looks)
            }
            SaidWord::Info => Self::Questions(parts().map(str::to_owned).collect()),
            SaidWord::Empty | SaidWord::Breach | SaidWord::Files | SaidWord::Sensitive => {
                Self::Findings(parts().map(finding).collect::<Result<_, _>>()?)
            }
            SaidWord::Ok | SaidWord::Blocked | SaidWord::Decision | SaidWord::Fail => {
                match rest.strip_prefix("-> ") {
                    Some(name) => Self::Recommends(
                        Role::parse(name).ok_or_else(|| format!("{name:?} is not a role"))?,
                    ),
                    None => Self::Findings(parts().map(finding).collect::<Result<_, _>>()?),
                }
            }
            _ if rest.is_empty() => Self::Nothing,
            _ => return Err(format!("nothing is known about {rest:?} here")),
        })
    }
}

impl Crew {
    pub fn new(story: &[Word], opening: &Opening) -> Self {
        let mut crew = Self {
            says: BTreeMap::new(),
            plan: super::opening::plan(story),
            criteria: super::opening::criteria(story),
            green: 0,
            red: 0,
            clashes: 0,
            base_conflicts: false,
            old: 0,
            missing: 0,
            covered: VecDeque::new(),
            made: 0,
            counts_tokens: opening.policy.tokens_max.is_some(),
            costs: Costs::new(story),
        };
        for word in story {
            match word {
                Word::Says(role, said) => {
                    crew.says.entry(*role).or_default().push_back(said.clone())
                }
                Word::Green(runs) => crew.green = *runs,
                Word::Red(runs) => crew.red = *runs,
                Word::Clash(merges) => crew.clashes = *merges,
                Word::Old(runs) => crew.old = *runs,
                Word::Missing(runs) => crew.missing = *runs,
                Word::Covered(runs) => crew.covered = runs.iter().copied().collect(),
                _ => {}
            }
        }
        crew
    }

    /// What the story told that never came to pass.
    pub fn unused(&self) -> Vec<String> {
        let said = self.says.iter().flat_map(|(role, said)| said.iter().map(move |s| (role, s)));
        let mut unused: Vec<String> =
            said.map(|(role, said)| format!("{role}: {}", said.text)).collect();
        let counted = [
            ("green", self.green),
            ("red", self.red),
            ("clash", self.clashes),
            ("old", self.old),
            ("missing", self.missing),
        ];
        let left = counted.iter().filter(|(_, left)| *left > 0 && *left != ALWAYS);
        unused.extend(left.map(|(word, left)| format!("{word} {left}")));
        unused.extend(self.covered.iter().map(|percent| format!("covered {percent}")));
        unused
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
        let Some(Said { word, about, .. }) = said else {
            let (reply, work) = (self.reply(ReplyStatus::Ok, About::Nothing), Box::new(work));
            return DispatchEnd::Replied { reply: Box::new(reply), work };
        };
        if let Some(end) = ends_without_a_reply(word, &about, now) {
            return end;
        }
        let text = match &about {
            About::Text(text) | About::Path(text, _) => text.clone(),
            _ => String::new(),
        };
        match word {
            SaidWord::Empty | SaidWord::Wants | SaidWord::Insists => work = Work::default(),
            SaidWord::Breach => {
                let (path, why) = ("tollgate.toml".to_owned(), "nobody may".to_owned());
                work.left_out.breaches.push(Breach { path, why });
            }
            SaidWord::Files => {
                for name in ["a", "b", "c"] {
                    self.change(&mut work, &format!("src/{name}.rs"));
                }
            }
            SaidWord::Sensitive => work.code.sensitive.push("src/auth.rs".to_owned()),
            SaidWord::Adds => out_of_scope(&mut work, &text, true),
            SaidWord::Beyond => out_of_scope(&mut work, &text, false),
            SaidWord::Floods => {
                (0..3_000).for_each(|n| out_of_scope(&mut work, &format!("{text}/{n}"), false));
            }
            SaidWord::Refine => {
                let (item, question) = ("R-001".to_owned(), text.clone());
                work.documents.refinements = vec![Refinement { item, question }];
                work.documents.plan = Some(self.plan.clone());
            }
            _ => {}
        }
        let status = match word {
            SaidWord::Blocked | SaidWord::Wants => ReplyStatus::Blocked,
            SaidWord::Decision => ReplyStatus::NeedsDecision,
            SaidWord::Info => ReplyStatus::NeedsInfo,
            SaidWord::Fail => ReplyStatus::Fail,
            _ => ReplyStatus::Ok,
        };
        let mut reply = self.reply(status, about);
        if word == SaidWord::Proves {
            reply.commands = vec![text.clone()];
        }
        if word == SaidWord::Verifies {
            reply.verified_criteria = vec![text.clone()];
        }
        if word == SaidWord::Leaves {
            reply.manual_steps = vec![text.clone()];
        }
        if matches!(word, SaidWord::Wants | SaidWord::Insists | SaidWord::Adds) {
            let reason = "it is called there".to_owned();
            reply.scope_requests = vec![ScopeRequest { path: text, reason }];
        }
        DispatchEnd::Replied { reply: Box::new(reply), work: Box::new(work) }
    }

    /// What the engine is told that an attempt cost.
    pub fn usage(&self, session: &Session, number: DispatchNumber, end: &DispatchEnd) -> Usage {
        self.costs.usage(session.dispatches[&number].role, end)
    }

    pub fn check(&mut self, commands: &[String], purpose: &CheckPurpose) -> Vec<CheckResult> {
        let is_green = take_one(&mut self.green);
        let is_red = !is_green && !commands.is_empty() && take_one(&mut self.red);
        let is_old = is_red && take_one(&mut self.old);
        let is_missing = is_red && take_one(&mut self.missing);
        let measures =
            matches!(purpose, CheckPurpose::Subject { subject: CheckSubject::Coverage, .. });
        let covered = self.covered.pop_front().filter(|_| measures);
        let result = |command: &String| CheckResult {
            command: command.clone(),
            passed: !is_red,
            exit_code: Some(if is_missing { 127 } else { i32::from(is_red) }),
            trouble: None,
            output_tail: String::new(),
            duration_ms: 1,
            coverage: covered.map(|covered| Measured { covered, total: 100 }),
            failed_on_base: is_old,
            could_not_start: false,
            only_in_workspace: None,
        };
        commands.iter().map(result).collect()
    }

    pub fn moves_base(&mut self, conflicts: bool) -> CommitId {
        self.base_conflicts = conflicts;
        self.commit()
    }

    pub fn merge_base(&mut self) -> BaseMerge {
        let commit = self.commit();
        match std::mem::take(&mut self.base_conflicts) {
            true => BaseMerge::Conflicts { files: vec!["src/both.rs".to_owned()], start: commit },
            false => BaseMerge::Clean { commit },
        }
    }

    fn commit(&mut self) -> CommitId {
        self.made += 1;
        CommitId::parse(&format!("{:040x}", self.made)).expect("40 digits")
    }

    /// Every member's change on top of the ones before; `clash N` lets the later ones of N merges clash.
    pub fn merge(&mut self, changes: &[(DispatchNumber, CommitId)]) -> Vec<Merged> {
        let clashes = take_one(&mut self.clashes);
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

    fn reply(&self, status: ReplyStatus, about: About) -> Reply {
        let mut reply = Reply {
            usage: Usage {
                input_tokens: self.counts_tokens.then_some(5),
                output_tokens: None,
                micro_usd: None,
                wall_ms: None,
            },
            ..Reply::plain(status, format!("said {status}"))
        };
        match about {
            About::Questions(questions) => {
                reply.questions = questions.into_iter().map(AgentQuestion::plain).collect();
            }
            About::Findings(findings) | About::Path(_, findings) => reply.findings = findings,
            About::Recommends(role) => reply.recommended_agent = Some(role),
            About::Looks(looks) => reply.looks = looks,
            About::Nothing | About::Seconds(_) | About::Text(_) => {}
        }
        reply
    }

    fn work(&mut self, session: &Session, dispatch: &Dispatch) -> Work {
        let mut work = Work::default();
        match dispatch.role {
            Role::SpecAgent => {
                work.documents.artefacts = vec![self.artefact("spec.md")];
                work.documents.criteria = Some(self.criteria.clone());
                if session.route.mode == Mode::Lean {
                    work.documents.plan = Some(self.plan[..1].to_vec());
                }
            }
            Role::Architect => work.documents.artefacts = vec![self.artefact("architecture.md")],
            Role::Planner => {
                work.documents.artefacts = vec![self.artefact("tasks.yaml")];
                // Who plans and asks nothing has settled every question.
                let mut plan = self.plan.clone();
                plan.iter_mut().for_each(|task| task.item.waits_for.clear());
                work.documents.plan = Some(plan);
            }
            Role::Coder => self.change(&mut work, &format!("src/{}.rs", dispatch.task.as_str())),
            Role::Docs => {
                work.documents.artefacts = vec![self.artefact("report.md")];
                let points = session.report_points().into_iter();
                work.documents.reported = points.map(|point| point.id).collect();
                self.change(&mut work, "README.md");
            }
            _ => {}
        }
        work
    }

    fn change(&mut self, work: &mut Work, path: &str) {
        self.made += 1;
        let change_type = ChangeType::Modified;
        work.code.changes.push(FileChange { path: path.to_owned(), change_type, old_path: None });
        work.code.commit = CommitId::parse(&format!("{:040x}", self.made)).ok();
    }
}

/// Whether one was left of a number of times.
fn take_one(left: &mut u32) -> bool {
    let is_left = *left > 0;
    if *left != ALWAYS {
        *left -= u32::from(is_left);
    }
    is_left
}

fn ends_without_a_reply(word: SaidWord, about: &About, now: Timestamp) -> Option<DispatchEnd> {
    let error = ReplyError::new("reply.bad", "/status", "not a status");
    Some(match word {
        SaidWord::Crash => {
            let stderr_tail = String::new();
            DispatchEnd::Crashed { exit_code: Some(1), signal: None, stderr_tail }
        }
        SaidWord::Invalid => DispatchEnd::invalid(vec![error]),
        SaidWord::Unsupervised => DispatchEnd::Unsupervised { rescue: None },
        SaidWord::Timeout => DispatchEnd::TimedOut { after_ms: 60_000 },
        SaidWord::Parked => {
            let seconds = if let About::Seconds(seconds) = about { *seconds } else { 0 };
            DispatchEnd::Parked { until: now.plus_ms(seconds * 1_000), no_time: None }
        }
        SaidWord::Limited => DispatchEnd::Limited { detail: "no credit left".to_owned() },
        SaidWord::UsedUp => DispatchEnd::UsedUp { detail: "no more turns".to_owned() },
        SaidWord::Missing => DispatchEnd::MissingContext { errors: vec![error] },
        _ => return None,
    })
}

fn out_of_scope(work: &mut Work, path: &str, is_told: bool) {
    let (path, change_type) = (path.to_owned(), ChangeType::Modified);
    work.left_out.scoped.push(Scoped {
        path: path.clone(),
        class: ScopeClass::Violation,
        reason: "not listed".to_owned(),
        is_told,
    });
    work.left_out.out_of_scope.push(FileChange { path, change_type, old_path: None });
    work.left_out.rescue = Some("left-out".to_owned());
}

/// `high:text`, `high:text #scope` or `high:text #scope src/a.rs`: a remark, of a category, about a file.
fn finding(text: &str) -> Result<ReportedFinding, String> {
    let (severity, message) =
        text.split_once(':').ok_or_else(|| format!("{text:?} is not a finding (`high:text`)"))?;
    let severity =
        Severity::parse(severity).ok_or_else(|| format!("{severity:?} is not a severity"))?;
    let (message, tag) = message.split_once(" #").unwrap_or((message, ""));
    let (category, file) = tag.split_once(' ').unwrap_or((tag, ""));
    Ok(ReportedFinding {
        severity,
        category: category.to_owned(),
        file: Some(file.trim().to_owned()).filter(|file| !file.is_empty()),
        line: None,
        message: message.to_owned(),
        fix: None,
        is_nit: false,
    })
}
