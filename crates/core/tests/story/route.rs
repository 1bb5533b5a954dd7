//! Actions told step by step: `step dispatch Coder` or `step dispatch SpecAgent spec.md`, `step parallel Coder Coder QA`, `step approve GATE`,
//! `step severity GATE`, `step checks coverage lifecycle planning cmd:x`; closing is understood.

use tollgate_core::action::{Assignment, CheckSubject, Step, StepKind};
use tollgate_core::role::{Role, State};

/// The steps that a story tells; none when it is about the usual delivery.
pub fn told(story: &str) -> Option<Vec<Step>> {
    let lines = story.lines().filter_map(|line| line.trim().strip_prefix("step "));
    let mut steps: Vec<Step> = lines.map(step).collect();
    if steps.is_empty() {
        return None;
    }
    steps.push(Step { state: State::Done, kind: StepKind::Close, when: None });
    Some(steps)
}

fn step(line: &str) -> Step {
    let (verb, rest) = line.split_once(' ').expect("a step has a verb and what it is about");
    let kind = match verb {
        "dispatch" => StepKind::Dispatch(maker(rest)),
        "parallel" => StepKind::Parallel { members: rest.split(' ').map(part).collect() },
        "approve" => {
            StepKind::Approve { gate: rest.to_owned(), shows: Vec::new(), corrects: Vec::new() }
        }
        "severity" => StepKind::Severity { gate: rest.to_owned() },
        "checks" => StepKind::Checks { of: rest.split(' ').map(subject).collect() },
        other => panic!("no step is called {other:?}"),
    };
    let state = match verb {
        "dispatch" | "parallel" => State::ImplementLoop,
        _ => State::Integrate,
    };
    Step { state, kind, when: None }
}

/// `SpecAgent spec.md`: a role, and what it leaves behind.
fn maker(text: &str) -> Assignment {
    let mut words = text.split(' ');
    let role = part(words.next().unwrap_or_default());
    Assignment { outputs: words.map(str::to_owned).collect(), ..role }
}

/// `Docs`, `Docs?` when the person may continue without it, `Docs=writer` when the action calls it that,
/// `Docs@docs/**` when it may change nothing else.
fn part(text: &str) -> Assignment {
    let (text, writes) = match text.split_once('@') {
        Some((text, glob)) => (text, Some(vec![glob.to_owned()])),
        None => (text, None),
    };
    let (role, called) = match text.split_once('=') {
        Some((role, name)) => (role, Some(name.to_owned())),
        None => (text, None),
    };
    let assignment = Assignment::new(Role::parse(role.trim_end_matches('?')).expect("a role"), &[]);
    Assignment { optional: text.ends_with('?'), called, writes, ..assignment }
}

fn subject(text: &str) -> CheckSubject {
    match text {
        "coverage" => CheckSubject::Coverage,
        "lifecycle" => CheckSubject::Lifecycle,
        "planning" => CheckSubject::Planning,
        "acceptance" => CheckSubject::Acceptance,
        other => CheckSubject::Command(other.to_owned()),
    }
}
