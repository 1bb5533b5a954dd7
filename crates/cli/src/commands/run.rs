//! `tollgate run`: opens a session and runs it.

mod dry;
mod inputs;
mod route;
pub(super) mod whole;

use super::agents::refuse_untrusted;
use crate::exit::Exit;
use crate::face;
use crate::failure::Failure;
use crate::outcome::ForScripts;
use crate::{estimate, github, output, place, progress, summary, telemetry, tracking};
use clap::Args;
use route::Routed;
use std::collections::BTreeSet;
use std::sync::Arc;
use tollgate_contract::config::Isolation;
use tollgate_core::action::Action;
use tollgate_core::id::{CommitId, SessionName};
use tollgate_core::input::Opening;
use tollgate_core::limits::GOAL_BYTES_MAX;
use tollgate_core::role::{Mode, ProjectType, Role};
use tollgate_core::worker::Worker;
use tollgate_files::clock;
use tollgate_files::layout::{new_session_name, numbered};
use tollgate_host::activity::adapter::{self, Player};
use tollgate_host::context::Context;
use tollgate_host::given;
use tollgate_host::lifecycle;
use tollgate_host::serve::{Face, OpenError, Owner};
use tollgate_host::settings::actions;

/// The action whose sessions are lean.
pub(super) const LEAN: &str = "lean";

/// Files in which projects keep instructions for agents.
const INSTRUCTIONS: [&str; 3] = [".github/copilot-instructions.md", "AGENTS.md", "CLAUDE.md"];

/// Open a session for a goal and run it until it is done, blocked or waits for you
///
/// Agents work in a clone of the repository, and accepted work ends up on the branch tollgate/SESSION; your checkout
/// is not touched. In a terminal, Tollgate asks its questions right there; without one, the command exits with code 3
/// and says how to answer.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tollgate run \"Add rate limiting to the login command\"\n  \
tollgate run --lean \"Fix the typo in the usage message\"\n  \
tollgate run --no-input --project-type api \"Add a health endpoint\"\n  \
tollgate run \"Review the login code\"\n  \
tollgate run --action init --input project=Ledger --input domain=Accounting --input users=clerks --input entities=Invoice\n\n\
Exit codes: 0 done, 3 waits for you, 4 blocked, 130 interrupted; `tollgate resume` continues.")]
pub struct Run {
    /// What to achieve; optional with --action
    #[arg(required_unless_present = "action")]
    pub goal: Option<String>,
    /// The action to run; by default Tollgate chooses it from the verbs of the goal, or uses deliver
    #[arg(long, value_name = "NAME")]
    pub action: Option<String>,
    /// Use the short workflow for one small task
    #[arg(long, conflicts_with = "action")]
    pub lean: bool,
    /// What you are building; reviewers choose their checks accordingly
    #[arg(long, value_name = "TYPE", default_value = "mixed", value_parser = ["web", "api", "cli", "lib", "mixed"])]
    pub project_type: String,
    /// The name of the session after its date
    #[arg(long, value_name = "SLUG")]
    pub slug: Option<String>,
    /// Use this agent of tollgate.toml for every role
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// Add the Researcher to the session
    #[arg(long)]
    pub research: bool,
    /// Add the Designer, who designs the user interface
    #[arg(long)]
    pub design: bool,
    /// An input of the action; `tollgate actions NAME` lists them
    #[arg(long, value_name = "NAME=VALUE")]
    pub input: Vec<String>,
    /// Say which action the goal takes, why, and with which steps and agents; start and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Print one JSON object at the end
    #[arg(long)]
    pub json: bool,
    /// Do not ask questions, as without a terminal
    #[arg(long)]
    pub no_input: bool,
}

impl Run {
    pub fn run(self) -> Result<Exit, Failure> {
        let for_scripts = ForScripts::of(self.json);
        let ran = self.run_for(for_scripts);
        ran.inspect_err(|failure| for_scripts.tell_failure(failure))
    }

    fn run_for(self, for_scripts: ForScripts) -> Result<Exit, Failure> {
        let context = self.context()?;
        if self.dry_run {
            return self.show_plan(&context);
        }
        let mut face = face::fitting(self.no_input, context.repository.root());
        self.run_with(context, face.as_mut(), for_scripts)
    }

    /// Also used by the demo, which brings a face of its own.
    pub fn run_with(
        &self,
        context: Arc<Context>,
        face: &mut dyn Face,
        for_scripts: ForScripts,
    ) -> Result<Exit, Failure> {
        progress::say("Tollgate looks at the repository");
        let tracker = tracking::demanded(&context)?;
        let mut opening = self.opening(&context, face.is_interactive())?;
        let action = opening.action.name.clone();
        opening.snapshot = Some(super::snapshot::take(&context, &action)?);
        if let Some(words) = estimate::of(&context, &action) {
            output::aside(output::DIM, "estimate", &words);
        }
        warn_of_uncommitted(&context)?;
        let mut owner = open(context, opening, face)?;
        if let Some(tracker) = tracker {
            owner.follow_with(tracker);
        }
        drive(&mut owner, face, for_scripts)
    }

    fn context(&self) -> Result<Arc<Context>, Failure> {
        let context = place::context()?;
        let Some(name) = &self.agent else {
            return Ok(context);
        };
        if context.config.agent(name).is_none() {
            return Err(Failure::unknown_agent(name, &context.config));
        }
        let mut context = Arc::into_inner(context).expect("nobody else holds a context just made");
        context.config.roles.clear();
        context.config.default_agent = Some(name.clone());
        Ok(Arc::new(context))
    }

    fn opening(&self, context: &Context, can_ask: bool) -> Result<Opening, Failure> {
        refuse_unsupported(context)?;
        let goal = self.checked_goal()?.map(|goal| without_secrets(context, "the goal", goal));
        let goal = goal.as_deref();
        let mut values = inputs::given(&self.input)?;
        for (name, value) in &mut values {
            *value = without_secrets(context, &format!("the input {name}"), value);
        }
        let head = context.repository.head()?;
        whole::refuse_unfetched(&context.repository, &head.commit)?;
        warn_of_submodules(context, &head.commit)?;
        let routed = self.routed(context, goal)?;
        route::tell(&routed);
        let action = routed.action;
        inputs::check_known(&action, &values)?;
        let mut missing = inputs::missing(context, &head.commit, &action, &values)?;
        if can_ask && !missing.is_empty() {
            missing = inputs::ask(&action, missing, &mut values);
        }
        if !missing.is_empty() {
            return Err(inputs::refusal(&action, &missing));
        }
        let faults = given::faults(&context.repository, &head.commit, &action, &values)?;
        inputs::check_usable(&action, &faults)?;
        let (mode, full_action) = match action.name == LEAN {
            true => (Mode::Lean, Some(actions::find(&context.layout, "deliver")?)),
            false => (Mode::Full, None),
        };
        check_agents(context, &action)?;
        Ok(Opening {
            session: self.session_name(goal.unwrap_or(&action.name)),
            goal: goal.unwrap_or(&action.description).to_owned(),
            mode,
            action,
            full_action,
            project_type: ProjectType::parse(&self.project_type).unwrap_or(ProjectType::Mixed),
            inputs: values,
            stage: lifecycle::declared(context.repository.root())?,
            snapshot: None,
            requested: self.requested(),
            instructions: instructions(context, &head.commit)?,
            base: head.commit,
            base_branch: head.branch,
            policy: context.config.policy(),
            tollgate_version: env!("CARGO_PKG_VERSION").to_owned(),
        })
    }

    /// The action that was named, or that the goal means.
    fn routed(&self, context: &Context, goal: Option<&str>) -> Result<Routed, Failure> {
        let named = if self.lean { Some(LEAN) } else { self.action.as_deref() };
        match (named, goal) {
            (Some(name), _) => route::by_name(context, name, Vec::new()),
            (None, Some(goal)) => route::by_goal(context, goal),
            (None, None) => Err(no_goal()),
        }
    }

    /// What a run would do. Opens no session and writes nothing.
    fn show_plan(&self, context: &Context) -> Result<Exit, Failure> {
        refuse_unsupported(context)?;
        let routed = self.routed(context, self.checked_goal()?)?;
        let values = inputs::given(&self.input)?;
        inputs::check_known(&routed.action, &values)?;
        let head = context.repository.head()?;
        let missing = inputs::missing(context, &head.commit, &routed.action, &values)?;
        let faults = given::faults(&context.repository, &head.commit, &routed.action, &values)?;
        let inputs = dry::PlannedInputs {
            missing: inputs::names(&missing),
            unusable: inputs::unusable(&faults),
        };
        let is_named = self.lean || self.action.is_some();
        dry::show(context, &routed, is_named, inputs, self.json);
        Ok(Exit::Ok)
    }

    /// None when it was left out, which an action allows.
    fn checked_goal(&self) -> Result<Option<&str>, Failure> {
        let Some(goal) = self.goal.as_deref().map(str::trim) else {
            return Ok(None);
        };
        if goal.is_empty() {
            return Err(no_goal());
        }
        if goal.len() > GOAL_BYTES_MAX {
            return Err(Failure::usage(
                "cli.goal",
                format!("the goal has {} bytes; the limit is {GOAL_BYTES_MAX}", goal.len()),
            )
            .hint("put the text in a file of the repository and name that file in the goal"));
        }
        Ok(Some(goal))
    }

    fn session_name(&self, goal: &str) -> SessionName {
        new_session_name(&clock::local_date(), self.slug.as_deref().unwrap_or(goal))
    }

    fn requested(&self) -> Vec<Role> {
        let research = self.research.then_some(Role::Researcher);
        research.into_iter().chain(self.design.then_some(Role::Designer)).collect()
    }
}

/// Work that is in no commit is in no workspace.
pub(super) fn warn_of_uncommitted(context: &Context) -> Result<(), Failure> {
    let count = context.repository.uncommitted()?;
    if count > 0 {
        let text = format!(
            "the work starts from HEAD, without {} of your checkout",
            tollgate_core::count::counted(count, "uncommitted file")
        );
        output::aside(output::WARN, "note:", &text);
    }
    Ok(())
}

/// What a person gives is kept and sent to agents: what is a secret for certain is neither.
fn without_secrets(context: &Context, what: &str, text: &str) -> String {
    let clean = context.redactor.for_work().redact(text).into_owned();
    if clean != text {
        let words = format!("{what} has a secret in it; it is blanked, and agents do not get it");
        output::aside(output::WARN, "note:", &words);
    }
    clean
}

fn no_goal() -> Failure {
    Failure::usage("cli.goal", "the goal is empty; say what to achieve")
}

/// What the settings ask for and this version does not do is said, never ignored.
pub(super) fn refuse_unsupported(context: &Context) -> Result<(), Failure> {
    if context.config.workspace.isolation == Isolation::InPlace {
        return Err(Failure::usage(
            "cli.settings",
            "this version does not support workspace.isolation = \"in-place\"",
        )
        .hint("remove the line: agents then work in a clone, and your checkout is not touched"));
    }
    Ok(())
}

/// Agents find an empty folder where a submodule is, unless it is brought along.
fn warn_of_submodules(context: &Context, commit: &CommitId) -> Result<(), Failure> {
    for empty in whole::empty_submodules(&context.repository, &context.config, commit)? {
        let text = format!("{}; {} brings its files", empty.message(), empty.fix());
        output::aside(output::WARN, "note:", &text);
    }
    Ok(())
}

/// Every role of the action must have somebody to play it before anything starts, and so must those who step in.
fn check_agents(context: &Context, action: &Action) -> Result<(), Failure> {
    let mut looked_at = BTreeSet::new();
    for role in route::roles_needed(action) {
        let named = context.config.agent_for(role);
        check_player(context, role, None, named.map(|(name, _)| name), &mut looked_at)?;
        for other in named.into_iter().flat_map(|(_, agent)| &agent.fallback) {
            check_player(context, role, Some(other), Some(other), &mut looked_at)?;
        }
    }
    Ok(())
}

fn check_player<'a>(
    context: &'a Context,
    role: Role,
    chosen: Option<&str>,
    name: Option<&'a str>,
    looked_at: &mut BTreeSet<&'a str>,
) -> Result<(), Failure> {
    if name.is_some_and(|name| !looked_at.insert(name)) {
        return Ok(());
    }
    let stands_in = if chosen.is_some() { ", which is a fallback," } else { "" };
    let chosen = chosen.map(|name| Worker::Agent(name.to_owned()));
    match adapter::player(context, role, chosen.as_ref()) {
        Ok(Player::Driven(driven)) => {
            driven.command_line(context).map_err(|why| {
                let message =
                    format!("[agent.{}]{stands_in} cannot be started: {why}", driven.name);
                Failure::usage("cli.no_agent", message)
                    .hint("`tollgate agents` shows which agents of tollgate.toml are installed")
            })?;
            refuse_untrusted(context, &driven)
        }
        Ok(Player::Program(_) | Player::Person) => Ok(()),
        Err(why) => Err(Failure::usage("cli.no_agent", why.to_string())
            .hint("`tollgate init` writes a tollgate.toml for the agents it finds")
            .hint("`tollgate demo` shows a complete run without any agent installed")),
    }
}

/// Those that agents will find: their tree is made from the commit, and from what the settings bring along.
pub(super) fn instructions(context: &Context, base: &CommitId) -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    for path in INSTRUCTIONS {
        let is_here = context.repository.root().join(path).is_file();
        let is_copied = context.config.workspace.copy.iter().any(|copied| copied == path);
        if context.repository.has_path(base, path)? || (is_here && is_copied) {
            found.push(path.to_owned());
        } else if is_here {
            let text = format!("{path} is not committed, so agents do not see it; commit it first");
            output::aside(output::WARN, "note:", &text);
        }
    }
    Ok(found)
}

/// A name that is taken gets a number.
fn open(
    context: Arc<Context>,
    mut opening: Opening,
    face: &mut dyn Face,
) -> Result<Owner, Failure> {
    let chosen = opening.session.clone();
    for name in numbered(&chosen) {
        opening.session = name;
        match Owner::open(context.clone(), &opening, face) {
            Err(OpenError::Exists { .. }) => {}
            other => return Ok(other?),
        }
    }
    Err(Failure::usage("cli.session", format!("every name like {chosen} is taken")))
}

/// Runs an owned session and tells how it ended.
pub fn drive(
    owner: &mut Owner,
    face: &mut dyn Face,
    for_scripts: ForScripts,
) -> Result<Exit, Failure> {
    for_scripts.begin(owner.parts().name());
    let keyboard = face::listen(owner, face).map_err(|cause| {
        Failure::new(Exit::Bug, "cli.bug", format!("cannot listen for signals: {cause}"))
    })?;
    let ending = owner.run(face);
    face.rest();
    drop(keyboard);
    let ending = ending?;
    telemetry::send(owner, face, ending)?;
    tell_unrecorded(owner);
    let view = owner.parts().view();
    if view.is_cancelled() {
        end_cancelled(owner)?;
    }
    let exit = summary::ending(owner.root(), &view, &owner.assigned(), ending);
    for_scripts.end(&view, exit);
    github::tell_session(owner.root(), &view);
    Ok(exit)
}

/// A session that is over takes no notice into its journal any more.
pub fn tell_unrecorded(owner: &Owner) {
    if let Some(words) = owner.unrecorded() {
        output::aside(output::WARN, "note:", words);
    }
    for words in owner.untold_at_end() {
        output::aside(output::WARN, "note:", words);
    }
}

/// Nothing of a cancelled session runs on.
pub fn end_cancelled(owner: &Owner) -> Result<(), Failure> {
    owner.end_cancelled().map_err(|cause| {
        Failure::new(
            Exit::Blocked,
            "cli.persistence",
            format!("an agent may still be running: {cause}"),
        )
    })
}
