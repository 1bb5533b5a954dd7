//! Reads a story: each line becomes a word of the language, or the test fails with the line and what could are there.

use super::crew::{ALWAYS, Said};
use super::opening;
use super::route;
use tollgate_core::action::Step;
use tollgate_core::id::{DecisionId, TaskId};
use tollgate_core::role::Role;
use tollgate_core::task::TaskSpec;

pub enum Word {
    // Settings.
    Lean,
    Task(Box<TaskSpec>),
    Criterion(String),
    /// Both gates are answered by themselves, the second one with this strategy.
    Gates(String),
    Ask(Role),
    Declared(String),
    Parallel(u32),
    Step(Step),
    Tokens(u64),
    Usd(u64),
    Wall(u64),
    Costs(Role, u64),
    Lasts(Role, u64),
    Played(String),
    List(String, Vec<String>),
    Green(u32),
    Red(u32),
    Old(u32),
    Missing(u32),
    Clash(u32),
    Covered(Vec<u64>),
    Says(Role, Said),
    // What happens.
    Go(Option<Role>),
    Together,
    First,
    Answer(DecisionId, String, Meant),
    Kept(DecisionId, String),
    Silence(DecisionId),
    Exhaust(DecisionId),
    Cancel(String),
    Drop(TaskId),
    Edit(String),
    Break(String),
    Crash {
        keeping: bool,
    },
    Late,
    Stop,
    Stage(String),
    /// The person's branch moves; `conflicts` says whether it merges.
    Moved {
        conflicts: bool,
    },
    FullDisk,
    Resume(Resume),
    // What is shown in between.
    Show,
    Lanes,
    Who,
    Ledger,
    Notices,
}

/// How an answer is given.
pub enum Meant {
    Now,
    /// The last command once more.
    Again,
    ForTheFormerRound,
}

/// What the settings say when the session is taken up again.
pub enum Resume {
    AsBefore,
    Tokens(u64),
    List(String, Vec<String>),
    Played(String),
}

const KNOWN: &str = "lean task criterion gates ask declared parallel step tokens usd wall costs lasts played list green red \
                     old missing clash covered, ROLE: reply, go together first answer again answer-former kept silence exhaust \
                     cancel drop edit break crash late stop stage moved full resume, show lanes who ledger notices";

/// The words of a story in order. A line that is none fails the test: a story must not pass because a part of it was
/// not understood.
pub fn read(story: &str) -> Vec<Word> {
    let lines = story.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    lines
        .filter(|(_, line)| !line.is_empty())
        .map(|(number, line)| match word(line) {
            Ok(word) => word,
            Err(why) => panic!("line {number} of the story, {line:?}: {why}"),
        })
        .collect()
}

fn word(line: &str) -> Result<Word, String> {
    if let Some((name, reply)) = line.split_once(": ")
        && let Some(role) = Role::parse(name)
    {
        return Ok(Word::Says(role, Said::read(reply)?));
    }
    let (verb, rest) = line.split_once(' ').map_or((line, ""), |(verb, rest)| (verb, rest.trim()));
    Ok(match verb {
        "lean" => alone(rest, Word::Lean)?,
        "task" => Word::Task(Box::new(opening::task(rest)?)),
        "criterion" => Word::Criterion(text(rest)?),
        "gates" => match rest.split_once(' ') {
            Some(("approved", strategy)) => Word::Gates(strategy.to_owned()),
            _ => return Err("gates are answered with `approved` and a strategy".to_owned()),
        },
        "ask" => Word::Ask(role(rest)?),
        "declared" => Word::Declared(text(rest)?),
        "parallel" => Word::Parallel(number(rest)?),
        "step" => Word::Step(route::step(rest)?),
        "tokens" => Word::Tokens(number(rest)?),
        "usd" => Word::Usd(scaled(rest, 1_000_000.0)?),
        "wall" => Word::Wall(scaled(rest, 1_000.0)?),
        "costs" => of_role(rest, 1_000_000.0).map(|(role, usd)| Word::Costs(role, usd))?,
        "lasts" => of_role(rest, 1_000.0).map(|(role, ms)| Word::Lasts(role, ms))?,
        "played" => Word::Played(text(rest)?),
        "list" => list(rest).map(|(first, others)| Word::List(first, others))?,
        "green" => Word::Green(times(rest)?),
        "red" => Word::Red(times(rest)?),
        "old" => Word::Old(times(rest)?),
        "missing" => Word::Missing(times(rest)?),
        "clash" => Word::Clash(times(rest)?),
        "covered" => Word::Covered(rest.split(' ').map(number).collect::<Result<_, _>>()?),
        "go" => Word::Go(match rest.strip_prefix("until ") {
            Some(name) => Some(role(name)?),
            None => alone(rest, None)?,
        }),
        "together" => alone(rest, Word::Together)?,
        "first" => alone(rest, Word::First)?,
        "answer" => answer(rest, Meant::Now)?,
        "again" => answer(rest, Meant::Again)?,
        "answer-former" => answer(rest, Meant::ForTheFormerRound)?,
        "kept" => {
            let (id, answer) = rest.split_once(' ').ok_or("it needs a decision and an answer")?;
            Word::Kept(decision(id)?, answer.to_owned())
        }
        "moved" => Word::Moved { conflicts: rest == "conflicts" || !alone(rest, true)? },
        "silence" => Word::Silence(decision(rest)?),
        "exhaust" => Word::Exhaust(decision(rest)?),
        "cancel" => Word::Cancel(rest.to_owned()),
        "drop" => Word::Drop(TaskId::parse(rest).map_err(|e| e.to_string())?),
        "edit" => Word::Edit(text(rest)?),
        "break" => Word::Break(text(rest)?),
        "crash" if rest == "keeping" => Word::Crash { keeping: true },
        "crash" => alone(rest, Word::Crash { keeping: false })?,
        "late" => alone(rest, Word::Late)?,
        "stop" => alone(rest, Word::Stop)?,
        "stage" => Word::Stage(text(rest)?),
        "full" if rest == "disk" => Word::FullDisk,
        "resume" => Word::Resume(resume(rest)?),
        "show" => alone(rest, Word::Show)?,
        "lanes" => alone(rest, Word::Lanes)?,
        "who" => alone(rest, Word::Who)?,
        "ledger" => alone(rest, Word::Ledger)?,
        "notices" => alone(rest, Word::Notices)?,
        _ => return Err(format!("no such word; there are: {KNOWN}")),
    })
}

fn alone<T>(rest: &str, word: T) -> Result<T, String> {
    if rest.is_empty() { Ok(word) } else { Err(format!("nothing is known about {rest:?} here")) }
}

fn text(rest: &str) -> Result<String, String> {
    if rest.is_empty() { Err("something must follow".to_owned()) } else { Ok(rest.to_owned()) }
}

fn number<T: std::str::FromStr>(rest: &str) -> Result<T, String> {
    rest.parse().map_err(|_| format!("{rest:?} is not a number that fits"))
}

/// A number of times, or `always`.
fn times(rest: &str) -> Result<u32, String> {
    if rest == "always" { Ok(ALWAYS) } else { number(rest) }
}

fn role(name: &str) -> Result<Role, String> {
    Role::parse(name).ok_or_else(|| format!("{name:?} is not a role"))
}

fn decision(name: &str) -> Result<DecisionId, String> {
    DecisionId::parse(name).map_err(|error| error.to_string())
}

fn answer(rest: &str, meant: Meant) -> Result<Word, String> {
    let (id, answer) = rest.split_once(' ').unwrap_or((rest, ""));
    Ok(Word::Answer(decision(id)?, answer.to_owned(), meant))
}

/// `alpha beta gamma`: who takes over from the first.
fn list(rest: &str) -> Result<(String, Vec<String>), String> {
    let (name, others) = rest.split_once(' ').ok_or("who takes over from whom?")?;
    Ok((name.to_owned(), others.split_whitespace().map(str::to_owned).collect()))
}

fn of_role(rest: &str, factor: f64) -> Result<(Role, u64), String> {
    let (name, amount) = rest.split_once(' ').ok_or("it needs a role and an amount")?;
    Ok((role(name)?, scaled(amount, factor)?))
}

fn scaled(amount: &str, factor: f64) -> Result<u64, String> {
    number::<f64>(amount).map(|amount| (amount * factor).round() as u64)
}

fn resume(rest: &str) -> Result<Resume, String> {
    Ok(match rest.split_once(' ').unwrap_or((rest, "")) {
        ("", _) => Resume::AsBefore,
        ("list", names) => list(names).map(|(first, others)| Resume::List(first, others))?,
        ("played", name) => Resume::Played(text(name)?),
        _ => Resume::Tokens(number(rest)?),
    })
}
