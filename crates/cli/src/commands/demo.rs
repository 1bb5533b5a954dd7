//! `tollgate demo`: the whole workflow on a sample repository with a scripted crew.

use super::run::Run;
use crate::demo;
use crate::exit::Exit;
use crate::face::{self, PlainFace};
use crate::failure::Failure;
use crate::outcome::ForScripts;
use crate::{output, place, sample_git};
use clap::Args;
use std::collections::BTreeMap;
use std::path::PathBuf;
use tollgate_core::event::Event;
use tollgate_core::input::Command;
use tollgate_core::refusal::Refusal;
use tollgate_core::view::Parts;
use tollgate_host::serve::{Face, TypedLine};

/// Show the complete workflow on a sample repository with scripted agents
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tollgate demo\n  tollgate demo --folder /tmp/sample")]
pub struct Demo {
    /// Where to put the sample repository; by default a new temporary folder
    #[arg(long, value_name = "FOLDER")]
    pub folder: Option<PathBuf>,
    /// Answer all questions automatically, as without a terminal
    #[arg(long)]
    pub no_input: bool,
}

impl Demo {
    pub fn run(self) -> Result<Exit, Failure> {
        let folder = self.make_sample()?;
        output::marked(
            output::BOLD,
            "demo:",
            &format!("a sample repository in {}", folder.display()),
        );
        std::env::set_current_dir(&folder)
            .map_err(trouble("cannot enter the sample repository"))?;
        let run = Run {
            goal: Some(demo::GOAL.to_owned()),
            action: None,
            lean: false,
            project_type: "cli".to_owned(),
            slug: None,
            agent: None,
            research: false,
            design: false,
            input: Vec::new(),
            dry_run: false,
            json: false,
            no_input: self.no_input,
        };
        let asks_person = !self.no_input && output::is_interactive();
        let exit = if asks_person {
            output::talk("You decide at the gates: answer by number or in words.");
            run.run_with(
                place::context()?,
                face::fitting(false, &folder).as_mut(),
                ForScripts::Nothing,
            )?
        } else {
            output::talk("There is no terminal, so the demo answers its own questions.");
            run.run_with(place::context()?, &mut DemoFace::default(), ForScripts::Nothing)?
        };
        output::marked(output::BOLD, "look around:", &format!("cd {}", folder.display()));
        output::talk("  tollgate status · tollgate log · tollgate audit · git log --graph --all");
        Ok(exit)
    }

    fn make_sample(&self) -> Result<PathBuf, Failure> {
        let folder = match &self.folder {
            Some(folder) => {
                let is_used = folder.read_dir().is_ok_and(|mut entries| entries.next().is_some());
                if is_used {
                    return Err(Failure::usage(
                        "cli.demo",
                        format!("{} is not empty", folder.display()),
                    )
                    .hint("choose a new folder"));
                }
                std::fs::create_dir_all(folder).map_err(trouble("cannot create the folder"))?;
                folder.canonicalize().map_err(trouble("cannot use the folder"))?
            }
            None => tempfile::Builder::new()
                .prefix("tollgate-demo-")
                .tempdir()
                .map_err(trouble("cannot make a temporary folder"))?
                .keep(),
        };
        let program = std::env::current_exe().map_err(trouble("cannot find this program"))?;
        demo::write_sample(&folder, &program).map_err(trouble("cannot write the sample"))?;
        sample_git::first_commit(&folder, "A small login tool")
            .map_err(|words| Failure::usage("cli.demo", words))?;
        Ok(folder)
    }
}

fn trouble(what: &'static str) -> impl FnOnce(std::io::Error) -> Failure {
    move |cause| Failure::usage("cli.demo", format!("{what}: {cause}"))
}

/// Plain lines, and the answers of the story.
#[derive(Debug, Default)]
struct DemoFace {
    plain: PlainFace,
    asked: BTreeMap<String, usize>,
    is_stuck: bool,
}

impl Face for DemoFace {
    fn is_interactive(&self) -> bool {
        !self.is_stuck
    }

    fn happened(&mut self, now: Parts<'_>, events: &[Event]) {
        self.plain.happened(now, events);
    }

    fn ask(&mut self, now: Parts<'_>) -> Vec<Command> {
        let Some(question) = now.question() else {
            return Vec::new();
        };
        let kind = question.kind;
        let before = self.asked.entry(kind.to_string()).or_default();
        let Some(answer) = demo::answer(kind, *before) else {
            self.is_stuck = true;
            return Vec::new();
        };
        *before += 1;
        output::marked(
            output::NOTE,
            "   demo",
            &format!("answers {:?}: {}", answer.answer, answer.because),
        );
        vec![Command::Answer {
            id: face::command_id(),
            decision: question.decision_id,
            round: question.round,
            answer: answer.answer.to_owned(),
            reason: None,
        }]
    }

    fn read_line(&mut self, _: Parts<'_>, _: &TypedLine) -> Vec<Command> {
        Vec::new()
    }

    fn refused(&mut self, _: Parts<'_>, _: &Command, refusal: &Refusal) -> Option<Command> {
        output::marked(output::BAD, "refused", &refusal.to_string());
        self.is_stuck = true;
        None
    }

    fn tick(&mut self, _: Parts<'_>) {}

    fn reads_lines(&self) -> bool {
        false
    }
}
