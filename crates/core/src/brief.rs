//! What a dispatch is told: its task, the files to read first, and what it may leave behind.

mod again;
mod earlier;
mod imported;
mod looks;
mod part;
mod release;
mod scope;

pub use earlier::EarlierFinding;
pub use release::{PointKind, Release, ReportPoint};
pub use scope::{Kept, Scope};

use crate::allowance::Allowance;
use crate::decision::{Decision, Subject};
use crate::event::{FindingStatus, Purpose};
use crate::id::{Attempt, DispatchNumber, TaskRef};
use crate::reply::ReplyError;
use crate::role::{Mode, RepairLoop, Role};
use crate::session::{Dispatch, Session, Task};
use crate::task::Check;
use crate::work::{FileChange, Implementation};
use serde::Serialize;

/// All that one attempt is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Brief {
    pub role: Role,
    /// The name the action calls the role by, where it is not the canonical one.
    pub called: Option<String>,
    /// It puts right what was found wrong with work before it.
    pub is_repair: bool,
    pub task: TaskBrief,
    pub files: FileRules,
    pub tests: GuardedTests,
    pub start: StartingPoint,
    pub feedback: Vec<String>,
    pub previous_errors: Vec<ReplyError>,
    /// Work items whose part of the specification a Reviewer is given, from the session's folder.
    pub referred_items: Vec<String>,
    /// What is left of the limits for this attempt.
    pub allowance: Allowance,
    /// The rules of a release, where it plays a step of RELEASE.
    pub release: Option<Release>,
}

/// What must be done, as the agent reads it under `task` in its input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskBrief {
    pub id: TaskRef,
    pub title: String,
    pub goal: String,
    pub non_goals: Vec<String>,
    /// From the repository's root; session files with their whole path.
    pub context_files: Vec<String>,
    pub constraints: Vec<String>,
    pub acceptance_checks: Vec<String>,
    pub risk_flags: Vec<String>,
    /// For who judges changes, everything that changed in the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_changed_files: Option<Vec<FileChange>>,
    /// For who judges changes, what the Coder says about them, and what it declares.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub implementations: Vec<Implementation>,
    /// For who repairs, and for who judges again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub earlier_findings: Vec<EarlierFinding>,
    /// For a Reviewer, the criteria that it verifies by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub criteria_to_verify: Vec<String>,
}

/// What it must leave behind and what it may change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileRules {
    /// Files that must exist after an OK: the role's session files, or files of the repository.
    pub outputs: Vec<String>,
    /// Globs of the repository that this step may change instead of the role's own.
    pub writes: Option<Vec<String>>,
    /// What a Coder may change; `None` leaves it to the role.
    pub scope: Option<Scope>,
    /// Files of the repository that a gate has shown; a change to one of them is reported.
    pub watched: Vec<String>,
}

/// What its change is searched for weakened tests with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GuardedTests {
    /// Every command of the session that decides about work, of all tasks.
    pub check_commands: Vec<String>,
    /// Files whose tests were weakened and not decided about.
    pub weakened: Vec<String>,
}

/// What is in its workspace beside the last accepted commit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StartingPoint {
    /// Changes that were kept aside and that a person has allowed since: they are put into the workspace again.
    pub restore: Vec<Kept>,
    /// It stopped to ask for a file: what it had done by then is in its workspace again.
    pub after_scope_request: bool,
    /// The attempt whose agent is asked again, in the workspace that it left.
    pub asked_again: Option<Attempt>,
}

impl Session {
    /// The brief of an open dispatch, from the state as it is now.
    pub fn brief(&self, number: DispatchNumber) -> Option<Brief> {
        let dispatch = self.dispatches.get(&number)?;
        let task = match &dispatch.task {
            TaskRef::Task(id) => self.task(id),
            TaskRef::Meta => None,
        };
        let part = self.part_of(dispatch);
        Some(Brief {
            role: dispatch.role,
            called: part.and_then(|part| part.called.clone()),
            is_repair: matches!(dispatch.purpose, Purpose::Repair { .. }),
            task: self.task_brief(dispatch, task),
            files: FileRules {
                outputs: part.map(|part| part.outputs.clone()).unwrap_or_default(),
                writes: self.step_writes(dispatch),
                scope: self.scope_for(dispatch, task),
                watched: self.watched(),
            },
            tests: GuardedTests {
                check_commands: self.check_commands(),
                weakened: self.weakened_files(),
            },
            start: StartingPoint {
                restore: self.to_restore(dispatch),
                after_scope_request: dispatch.stopped_for_scope(),
                asked_again: dispatch.asked_again(),
            },
            feedback: dispatch.given.feedback.lines.clone(),
            previous_errors: dispatch.given.previous_errors.clone(),
            referred_items: self.referred_items(dispatch, task),
            allowance: dispatch.allowance(),
            release: self.release_for(dispatch),
        })
    }

    fn task_brief(&self, dispatch: &Dispatch, task: Option<&Task>) -> TaskBrief {
        let (title, goal) = self.title_and_goal(dispatch, task);
        let spec = task.map(|task| &task.spec);
        TaskBrief {
            id: dispatch.task.clone(),
            title,
            goal,
            non_goals: spec.map(|s| s.non_goals.clone()).unwrap_or_default(),
            context_files: self.context_files(dispatch, task),
            constraints: self.constraints(dispatch, task),
            acceptance_checks: self.acceptance_checks(task),
            risk_flags: self.risk_flags(task),
            session_changed_files: dispatch
                .role
                .is_reviewing()
                .then(|| self.branch.changed.iter().cloned().collect()),
            implementations: self.implementations_for(dispatch, task),
            earlier_findings: self.earlier_findings(dispatch),
            criteria_to_verify: self.criteria_to_verify(dispatch, task),
        }
    }

    /// Who looks at the whole is told about every task.
    fn implementations_for(&self, dispatch: &Dispatch, task: Option<&Task>) -> Vec<Implementation> {
        let units = match task {
            _ if !dispatch.role.is_reviewing() => Vec::new(),
            Some(task) => vec![&task.unit],
            None => {
                self.plan.tasks.iter().map(|task| &task.unit).chain([&self.plan.meta]).collect()
            }
        };
        units.into_iter().flat_map(|unit| unit.implementations.clone()).collect()
    }

    /// Who looks at the whole verifies what no review of a task did.
    fn criteria_to_verify(&self, dispatch: &Dispatch, task: Option<&Task>) -> Vec<String> {
        if dispatch.role != Role::Reviewer {
            return Vec::new();
        }
        let tasks = match task {
            Some(task) => vec![task],
            None => self.plan.tasks.iter().collect(),
        };
        let mut criteria: Vec<String> = Vec::new();
        for task in tasks {
            let open = task
                .spec
                .item
                .criteria
                .iter()
                .filter(|text| dispatch.task != TaskRef::Meta || !task.unit.has_verified(text));
            criteria.extend(open.cloned());
        }
        criteria.dedup();
        criteria
    }

    fn referred_items(&self, dispatch: &Dispatch, task: Option<&Task>) -> Vec<String> {
        if dispatch.role != Role::Reviewer {
            return Vec::new();
        }
        let tasks = match task {
            Some(task) => vec![task],
            None => self.plan.tasks.iter().collect(),
        };
        let items = tasks.into_iter().filter_map(|task| task.spec.work_item.as_deref());
        items.map(|path| path.trim_start_matches("./").to_owned()).collect()
    }

    /// Work for the whole session carries the risks of all its tasks.
    fn risk_flags(&self, task: Option<&Task>) -> Vec<String> {
        let mut flags: Vec<String> = match task {
            Some(task) => task.spec.risk_flags.clone(),
            None => self.plan.tasks.iter().flat_map(|t| t.spec.risk_flags.clone()).collect(),
        };
        if task.is_none() {
            flags.sort();
            flags.dedup();
        }
        if flags.is_empty() {
            flags.push("none".to_owned());
        }
        flags
    }

    fn title_and_goal(&self, dispatch: &Dispatch, task: Option<&Task>) -> (String, String) {
        let session_goal = &self.opening.goal;
        if let Some(task) = task {
            let goal = match dispatch.purpose {
                Purpose::Repair { repair } => {
                    format!("{} Repair ({repair}): see the feedback.", task.spec.goal)
                }
                Purpose::Review => format!("Incremental review of this task: {}", task.spec.goal),
                Purpose::Test => format!("Test what this task promises: {}", task.spec.goal),
                Purpose::Audit => format!("Security audit of this task: {}", task.spec.goal),
                _ => task.spec.goal.clone(),
            };
            return (task.spec.title.clone(), goal);
        }
        let title = match (&dispatch.purpose, dispatch.role) {
            (Purpose::Correction { .. }, _) if !self.has_task_loop() => {
                format!("{}: what a person wants changed", self.name_of(dispatch))
            }
            (Purpose::Correction { .. }, role) => format!("{role}: correct the design"),
            (Purpose::Repair { repair }, _) => format!("Repair the session's work ({repair})"),
            (Purpose::Review, _) => "Comprehensive review of all changes".to_owned(),
            (Purpose::Test, _) => "Test all changes".to_owned(),
            (Purpose::Audit, _) => "Security audit of all changes".to_owned(),
            (Purpose::Look { .. }, role) if self.was_asked_for(dispatch) => {
                format!("{role}: look at what was asked for")
            }
            (Purpose::Look { .. }, role) => format!("{role}: look again"),
            // The well-known titles belong to the route with an implement loop.
            (Purpose::Step { .. }, _) if !self.has_task_loop() => {
                format!("{} in {}", self.name_of(dispatch), self.action_name())
            }
            (_, Role::SpecAgent) => "Specify the work".to_owned(),
            (_, Role::Researcher) => "Research what the work needs".to_owned(),
            (_, Role::Architect) => "Design the solution".to_owned(),
            (_, Role::Designer) => "Design the user interface".to_owned(),
            (_, Role::Planner) => "Plan the tasks".to_owned(),
            (Purpose::Step { .. }, Role::Integrator) if self.release_for(dispatch).is_some() => {
                "Release: version, changelog and tag".to_owned()
            }
            (_, Role::Integrator) => "Integrate: the build and its checks are green".to_owned(),
            (_, Role::Docs) => "Document the work and write the report".to_owned(),
            (_, role) => format!("{role}"),
        };
        let goal = match (&dispatch.purpose, self.strategy()) {
            (Purpose::Review, Some(crate::task::Strategy::SingleFinal)) => {
                format!("One combined review of all session changes. Session goal: {session_goal}")
            }
            (Purpose::Review, _) => {
                format!("Final review across all session changes. Session goal: {session_goal}")
            }
            (Purpose::Step { .. }, _)
                if dispatch.role == Role::Integrator && self.release_for(dispatch).is_some() =>
            {
                format!("Prepare the release of the finished work. Session goal: {session_goal}")
            }
            _ => session_goal.clone(),
        };
        (title, goal)
    }

    /// Required files are named whether they are there or not; a missing one stops the dispatch.
    fn context_files(&self, dispatch: &Dispatch, task: Option<&Task>) -> Vec<String> {
        let (required, if_present): (&[&str], &[&str]) = match dispatch.role {
            Role::SpecAgent => (&[], &["spec.md", "acceptance.json"]),
            Role::Architect => (&["spec.md", "acceptance.json"], &["architecture.md", "research/"]),
            Role::Designer => {
                (&["spec.md", "architecture.md", "acceptance.json"], &["design-specs/"])
            }
            Role::Researcher => (&["spec.md"], &["acceptance.json", "architecture.md"]),
            Role::Planner => (
                &["spec.md", "acceptance.json", "architecture.md"],
                &["design-specs/", "research/", "tasks.yaml", "work-items/"],
            ),
            Role::Coder | Role::Reviewer => {
                (&["spec.md", "tasks.yaml"], &["architecture.md", "design-specs/"])
            }
            Role::QA => (&["spec.md", "acceptance.json", "tasks.yaml"], &["design-specs/"]),
            Role::Security => (&["tasks.yaml"], &["architecture.md"]),
            Role::Integrator => (&["tasks.yaml", "acceptance.json"], &[]),
            Role::Docs => (&["spec.md", "tasks.yaml", "acceptance.json"], &["architecture.md"]),
            Role::Orchestrator => (&[], &[]),
        };
        let is_named = |path: &str, name: &str| {
            path == name || (name.ends_with('/') && path.starts_with(name))
        };
        let present = self
            .files
            .artefacts
            .keys()
            .filter(|path| if_present.iter().any(|name| is_named(path, name)));
        // What no step of the action makes cannot be asked for.
        let required = required.iter().filter(|name| self.is_made_here(name));
        let session_files = required.map(|name| (*name).to_owned()).chain(present.cloned());
        let mut files: Vec<String> = session_files.map(|file| self.session_path(&file)).collect();
        let item = task.and_then(|task| task.spec.work_item.as_ref());
        files.extend(item.map(|item| self.session_path(item)));
        files.extend(self.step_inputs(dispatch));
        files.extend(task.map(|task| task.spec.context_files.clone()).unwrap_or_default());
        files.dedup();
        files
    }

    /// Path of a session file from the repository's root.
    pub fn session_path(&self, file: &str) -> String {
        format!(".agents-work/{}/{file}", self.opening.session)
    }

    fn constraints(&self, dispatch: &Dispatch, task: Option<&Task>) -> Vec<String> {
        let mut constraints = Vec::new();
        match dispatch.role {
            Role::Coder => {
                if let Some(scope) = self.scope_for(dispatch, task) {
                    constraints.extend(scope.words());
                }
            }
            Role::SpecAgent if self.has_become_full() => constraints.extend(self.full_words()),
            Role::Architect => constraints.extend(self.late_research(dispatch)),
            Role::Researcher | Role::Designer => constraints.extend(self.asked_for(dispatch.role)),
            Role::SpecAgent if self.route.mode == Mode::Lean => constraints
                .push("lean mode: a short spec.md, acceptance.json, and a tasks.yaml with exactly one task".to_owned()),
            Role::Reviewer if task.is_some() => constraints.push(
                "incremental review: read this task's files closely, the other changed files where they meet it".to_owned(),
            ),
            Role::Integrator if self.release_for(dispatch).is_none() => {
                constraints.push("integrate: the build and its checks are green when you are done; this is not the release".to_owned());
                constraints.extend(self.accepted_issues());
            }
            Role::Integrator => constraints.extend(self.accepted_issues()),
            Role::Reviewer => constraints.push(
                "comprehensive review: read every changed file that still exists in full, deleted ones in the diff".to_owned(),
            ),
            _ => {}
        }
        for (name, value) in &self.opening.inputs {
            constraints.push(format!("input {name}: {value}"));
        }
        if let Some(part) = self.part_of(dispatch).filter(|part| !part.outputs.is_empty()) {
            constraints.push(format!("leave behind: {}", part.outputs.join(", ")));
        }
        // A Coder is told by its scope.
        if let Some(writes) = self.step_writes(dispatch).filter(|_| dispatch.role != Role::Coder) {
            constraints.push(format!("write nothing but: {}", writes.join(", ")));
        }
        if dispatch.role == Role::Reviewer {
            let weakened = self.record.findings.iter().filter(|f| f.status == FindingStatus::Open);
            let weakened = weakened.filter(|f| f.is_weakening());
            constraints.extend(weakened.map(|f| {
                let file = f.report.file.as_deref().unwrap_or("the change");
                format!("judge this too, in {file}: {}", f.report.message)
            }));
            constraints.extend(self.scope_words(task));
        }
        constraints.extend(self.look_words(dispatch));
        constraints.extend(self.release_words(dispatch));
        constraints.extend(self.conflict_words(dispatch));
        constraints.extend(self.answers_for(dispatch));
        constraints.extend(self.imported_words(dispatch));
        if matches!(dispatch.purpose, Purpose::Repair { repair: RepairLoop::FixBuild }) {
            constraints.push("the commands in acceptance_checks must pass".to_owned());
        }
        constraints
    }

    fn accepted_issues(&self) -> impl Iterator<Item = String> {
        let issues = self.record.known_issues.iter();
        issues.map(|text| format!("accepted as a known issue, do not stop for it: {text}"))
    }

    /// What a person answered to questions of this role about the same thing. Who judges a task knows also what its Coder
    /// was answered.
    fn answers_for(&self, dispatch: &Dispatch) -> Vec<String> {
        let concerns = |asker: &Dispatch| {
            let is_other_part = match (asker.part_index(), dispatch.part_index()) {
                (Some(one), Some(other)) => one != other,
                _ => false,
            };
            let is_told = asker.role == dispatch.role
                || (dispatch.role.is_reviewing() && asker.role == Role::Coder);
            is_told && asker.task == dispatch.task && !is_other_part
        };
        let asked = self.decisions.asked.iter().filter(|decision| match &decision.subject {
            Subject::Info { dispatch } => concerns(&self.dispatches[dispatch]),
            _ => false,
        });
        asked.filter(|d| d.answered().is_some()).map(Decision::with_answer).collect()
    }

    fn acceptance_checks(&self, task: Option<&Task>) -> Vec<String> {
        let of = |checks: &[Check]| checks.iter().map(ToString::to_string).collect::<Vec<_>>();
        match task {
            Some(task) => task.spec.checks().map(ToString::to_string).collect(),
            None => self.plan.criteria.iter().flat_map(|c| of(&c.verify)).collect(),
        }
    }
}
