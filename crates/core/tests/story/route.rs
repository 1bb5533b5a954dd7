//! Actions told step by step: `step dispatch Coder` or `step dispatch SpecAgent spec.md`, `step parallel Coder Coder QA`, `step approve GATE`,
//! `step severity GATE`, `step checks coverage lifecycle planning evidence lint` (a word that is no subject is a command); closing is understood.

use super::words::Word;
use tollgate_core::action::{Assignment, CheckSubject, Step, StepKind};
use tollgate_core::role::{Role, State};

/// The steps that a story tells; none when it is about the usual delivery.
pub fn told(story: &[Word]) -> Option<Vec<Step>> {
    let told = story.iter().filter_map(|word| match word {
        Word::Step(step) => Some(step.clone()),
        _ => None,
    });
    let mut steps: Vec<Step> = told.collect();
    if steps.is_empty() {
        return None;
    }
    steps.push(Step { state: State::Done, kind: StepKind::Close, when: None });
    Some(steps)
}

pub fn step(line: &str) -> Result<Step, String> {
    let (verb, rest) = line.split_once(' ').ok_or("a step has a verb and what it is about")?;
    let kind = match verb {
        "dispatch" => StepKind::Dispatch(maker(rest)?),
        "parallel" => {
            StepKind::Parallel { members: rest.split(' ').map(part).collect::<Result<_, _>>()? }
        }
        "approve" => {
            StepKind::Approve { gate: rest.to_owned(), shows: Vec::new(), corrects: Vec::new() }
        }
        "severity" => StepKind::Severity { gate: rest.to_owned() },
        "checks" => StepKind::Checks { of: rest.split(' ').map(subject).collect() },
        _ => return Err("a step is one of: dispatch parallel approve severity checks".to_owned()),
    };
    let state = match verb {
        "dispatch" | "parallel" => State::ImplementLoop,
        _ => State::Integrate,
    };
    Ok(Step { state, kind, when: None })
}

/// `SpecAgent spec.md`: a role, and what it leaves behind.
fn maker(text: &str) -> Result<Assignment, String> {
    let mut words = text.split(' ');
    let role = part(words.next().unwrap_or_default())?;
    Ok(Assignment { outputs: words.map(str::to_owned).collect(), ..role })
}

/// `Docs`, `Docs?` when the person may continue without it, `Docs=writer` when the action calls it that,
/// `Docs@docs/**` when it may change nothing else.
fn part(text: &str) -> Result<Assignment, String> {
    let (text, writes) = match text.split_once('@') {
        Some((text, glob)) => (text, Some(vec![glob.to_owned()])),
        None => (text, None),
    };
    let (role, called) = match text.split_once('=') {
        Some((role, name)) => (role, Some(name.to_owned())),
        None => (text, None),
    };
    let role = Role::parse(role.trim_end_matches('?'))
        .ok_or_else(|| format!("{text:?} does not begin with a role"))?;
    Ok(Assignment { optional: text.ends_with('?'), called, writes, ..Assignment::new(role, &[]) })
}

fn subject(text: &str) -> CheckSubject {
    match text {
        "coverage" => CheckSubject::Coverage,
        "lifecycle" => CheckSubject::Lifecycle,
        "planning" => CheckSubject::Planning,
        "evidence" => CheckSubject::Evidence,
        "acceptance" => CheckSubject::Acceptance,
        other => CheckSubject::Command(other.to_owned()),
    }
}
