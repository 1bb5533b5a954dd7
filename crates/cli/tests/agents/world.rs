//! A repository whose agent is a real program that talks to a scripted model.

use crate::support::{GOAL, Ran, Repo, ran};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use tollgate_contract::config::{Adapter, AgentConfig};
use tollgate_process as process;
use tollgate_programs::Programs;
use tollgate_standin::{Script, Service};

pub struct World {
    pub repo: Repo,
    pub service: Service,
    env: Vec<(String, String)>,
}

/// A program, as it is named in the settings.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    pub adapter: Adapter,
    pub words: fn(&Programs) -> Vec<String>,
}

impl World {
    pub fn new(programs: &Programs, kind: Kind, script: impl FnOnce(&str) -> Script) -> Self {
        let service = Service::start(script(&session())).unwrap();
        let repo = Repo::new();
        let mut world = Self { repo, service, env: Vec::new() };
        world.repo.write("tollgate.toml", "[retry]\ntransient_base = \"10ms\"\n");
        world.add_agent(programs, "agent", kind);
        world
    }

    /// Describes one more agent in the settings.
    pub fn add_agent(&mut self, programs: &Programs, name: &str, kind: Kind) {
        let words = (kind.words)(programs);
        let mut agent = AgentConfig::plain(kind.adapter);
        let named = match kind.adapter {
            Adapter::Acp => {
                agent.command = words;
                format!("command = {:?}", agent.command)
            }
            _ => format!("program = {:?}", self.wrapped(name, &words)),
        };
        let adapter = tollgate_agents::adapter(kind.adapter).unwrap();
        let stand_in = adapter.stand_in(&agent, &self.service.address());
        let model = stand_in.model.map(|model| format!("model = {model:?}\n")).unwrap_or_default();
        let names: Vec<&String> = stand_in.env.iter().map(|(name, _)| name).collect();
        self.repo.settings(&format!(
            "[agent.{name}]\nadapter = {:?}\n{named}\n{model}args = {:?}\nenv = {names:?}\n",
            kind.adapter.as_str(),
            stand_in.args,
        ));
        self.env.extend(stand_in.env);
    }

    /// A program of several words gets a name of its own; one of a single word is taken as it is.
    fn wrapped(&self, name: &str, words: &[String]) -> String {
        if let [program] = words {
            return program.clone();
        }
        let path = self.repo.outside(&format!("{name}.sh"));
        let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
        fs::write(&path, format!("#!/bin/sh\nexec {} \"$@\"\n", quoted.join(" "))).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.display().to_string()
    }

    pub fn tollgate(&self, args: &[&str]) -> Ran {
        ran(&mut self.command(args))
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.repo.command(args);
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }

    pub fn lean(&self) -> Ran {
        self.tollgate(&["run", "--no-input", "--lean", "--slug", SLUG, GOAL])
    }

    pub fn full(&self) -> Ran {
        self.tollgate(&["run", "--no-input", "--slug", SLUG, GOAL])
    }

    pub fn action(&self, name: &str, goal: &str) -> Ran {
        self.tollgate(&["run", "--no-input", "--slug", SLUG, "--action", name, goal])
    }

    pub fn answer(&self, decision: &str, answer: &str) -> Ran {
        self.tollgate(&["answer", "latest", decision, answer, "--resume"])
    }

    /// What the session delivered.
    pub fn delivered(&self, path: &str) -> String {
        self.repo.git(&["show", &format!("tollgate/{}:{path}", session())])
    }

    /// Nothing that was started for this world is alive.
    #[track_caller]
    pub fn is_quiet(&self) {
        let place = self.repo.outside("").canonicalize().unwrap();
        let alive = process::alive_in(&place);
        assert!(alive.is_empty(), "still alive: {alive:#?}");
    }
}

const SLUG: &str = "lines";

/// The name that the session of a world has.
pub fn session() -> String {
    let today = Command::new("date").args(["-u", "+%F"]).output().unwrap();
    format!("{}_{SLUG}", String::from_utf8_lossy(&today.stdout).trim())
}
