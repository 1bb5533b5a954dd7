//! The engine is killed at every named point and taken up again: the end is that of an undisturbed run.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::kills_support;

use kills_support::facts::{Facts, expect_sound};
use kills_support::{FULL, LEAN, Next, World, each, ended};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tollgate_core::id::{Attempt, DispatchNumber};
use tollgate_files::crash::POINTS;

/// A place where a process of a run is killed: the how-manieth process, and there the how-manieth time.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    point: &'static str,
    process: usize,
    nth: usize,
}

/// An undisturbed run, and where it came by.
struct Reference {
    facts: Facts,
    starts: Vec<String>,
    places: Vec<Place>,
}

#[test]
fn r103_killed_at_every_named_point_a_lean_run_ends_the_same() {
    let reference = undisturbed(World::lean, |_, _| {});
    let places: Vec<Place> =
        chosen(&reference).into_iter().filter(|place| !is_supervisors(place.point)).collect();
    each(&places, |place| expect_same_end(&World::lean(), place, &reference, |_, _| {}));
}

#[test]
fn r103_killed_where_only_a_full_run_or_a_fixed_one_comes_by_it_ends_the_same() {
    let full = undisturbed(rejected, |_, _| {});
    let only_full: Vec<Place> =
        chosen(&full).into_iter().filter(|place| place.point.contains("rejections")).collect();
    each(&only_full, |place| expect_same_end(&rejected(), place, &full, |_, _| {}));

    let torn = undisturbed(World::lean, tear_once);
    let only_torn: Vec<Place> =
        chosen(&torn).into_iter().filter(|place| place.point.starts_with("torn_end.")).collect();
    assert_eq!(only_torn.len(), 3, "{only_torn:?}");
    each(&only_torn, |place| expect_same_end(&World::lean(), place, &torn, tear_once));
}

#[test]
fn r103_r070_killed_while_members_work_or_are_brought_together_it_ends_the_same() {
    let reference = undisturbed(World::parallel, |_, _| {});
    let groups = [
        "merge.",
        "promote.",
        "collect.",
        "commit.",
        "serve.",
        "dispatch.started",
        "journal.synced",
    ];
    let is_of_members = |place: &Place| groups.iter().any(|group| place.point.starts_with(group));
    let places: Vec<Place> = chosen(&reference).into_iter().filter(is_of_members).collect();
    assert!(places.len() >= 15, "{places:?}");
    each(&places, |place| expect_same_end(&World::parallel(), place, &reference, |_, _| {}));
}

/// The engine writes into work items, and a person may too: what is half done must not look like an edit.
#[test]
fn r103_killed_while_labels_are_written_into_work_items_it_ends_the_same() {
    let reference = undisturbed(World::items, |_, _| {});
    let is_of_labels = |place: &Place| place.point.ends_with("_label");
    let places: Vec<Place> = chosen(&reference).into_iter().filter(is_of_labels).collect();
    assert_eq!(places.len(), 4, "{places:?}");
    each(&places, |place| expect_same_end(&World::items(), place, &reference, |_, _| {}));
}

/// An engine dies when it has said what to run, the next one while it prepares the attempt again, and only then comes the
/// supervisor of the first one.
#[test]
fn r103_a_supervisor_that_comes_late_never_runs_an_agent_in_a_half_prepared_tree() {
    let reference = undisturbed(World::lean, |_, _| {});
    each(&PREPARING, |point| {
        let world = World::lean();
        let crash = |next: &Next, point: &str| {
            let output = world.command(next).env("TOLLGATE_CRASH_AT", point).output().unwrap();
            assert_eq!(ended(&output).signal, Some(9), "{point} was not reached");
        };
        crash(&Next::Run, "process.run_written");
        crash(&Next::Resume, point);
        let attempt =
            world.session_layout().unwrap().attempt(DispatchNumber::FIRST, Attempt::FIRST);
        let folder = attempt.folder().display().to_string();
        assert!(world.tollgate(&["supervise", &folder]).status().unwrap().success());
        let has_begun = attempt.folder().join("started").exists();
        assert_eq!(has_begun, *point == "process.run_written", "of what is prepared it may begin");
        world.finish(|_, _| {});
        assert_eq!(Facts::of(&world), reference.facts);
        expect_sound(&world);
        assert_eq!(world.starts(), reference.starts);
    });
}

/// Every instant of a start between the hold and the supervisor, in order.
const PREPARING: [&str; 8] = [
    "hold.taken",
    "dispatch.cleaned",
    "dispatch.restored",
    "dispatch.laid_out",
    "dispatch.prepared",
    "dispatch.specified",
    "process.run_unwritten",
    "process.run_written",
];

#[test]
fn r103_a_supervisor_that_comes_after_the_cancel_begins_nothing() {
    let world = World::lean();
    let killed = world.command(&Next::Run).env("TOLLGATE_CRASH_AT", "process.run_written").output();
    assert_eq!(ended(&killed.unwrap()).signal, Some(9));
    assert!(
        world.tollgate(&["cancel", "latest", "--reason", "enough"]).status().unwrap().success()
    );
    let attempt = world.session_layout().unwrap().attempt(DispatchNumber::FIRST, Attempt::FIRST);
    let folder = attempt.folder().display().to_string();
    assert!(world.tollgate(&["supervise", &folder]).status().unwrap().success());
    assert!(!attempt.folder().join("started").exists());
    assert_eq!(world.starts(), Vec::<String>::new());
}

/// Only a commit that the journal never heard of makes the next engine go back to the one before.
#[test]
fn r103_killed_while_it_leaves_an_unrecorded_commit_it_ends_the_same() {
    let reference = undisturbed(World::lean, |_, _| {});
    let world = World::lean();
    let processes = world.finish(|process, command| {
        if let Some(point) = UNRECORDED_COMMIT.get(process) {
            command.env("TOLLGATE_CRASH_AT", point);
        }
    });
    assert!(processes[..2].iter().all(|ended| ended.signal == Some(9)), "{processes:?}");
    assert_eq!(Facts::of(&world), reference.facts);
    expect_sound(&world);
    assert_eq!(world.starts(), reference.starts);
}

/// The first plan stands on disk with the engine's statuses in it, so its hash is not the recorded one.
#[test]
fn r103_killed_before_a_second_plan_is_taken_over_the_second_plan_stays() {
    let outgrown = || World::new(LEAN, OUTGROWN_CREW);
    let reference = undisturbed(outgrown, |_, _| {});
    let is_of_plan = |place: &&Place| place.process == 2 && place.point.contains("take_over");
    let place = reference.places.iter().find(is_of_plan).unwrap();
    expect_same_end(&outgrown(), place, &reference, |_, _| {});
}

/// Lean work that turns out to be too big for it.
const OUTGROWN_CREW: &str = r#"{"rules": [
    {"when": {"role": "Coder", "mode": "lean"}, "do": {"reply": {"status": "BLOCKED", "summary": "too big",
        "next": {"recommended_agent": "SpecAgent", "reason": "this needs a design"}}}},
    {"when": {"role": "Coder", "task": "T-001"}, "do": {"append": {"app.txt": "one\n"}}},
    {"when": {"role": "Coder", "task": "T-002"}, "do": {"append": {"lib.txt": "two\n"}}}
]}"#;

const UNRECORDED_COMMIT: [&str; 2] = ["collect.after_commit", "adopt.marked"];

#[test]
fn r103_a_supervisor_killed_at_every_named_point_costs_an_attempt_at_most() {
    let reference = undisturbed(World::lean, |_, _| {});
    let places: Vec<Place> =
        chosen(&reference).into_iter().filter(|place| is_supervisors(place.point)).collect();
    assert_eq!(places.len(), 8, "{places:?}");
    each(&places, |place| {
        let world = World::lean();
        world.finish(|process, command| {
            if process >= place.process {
                command.env("TOLLGATE_CRASH_IN", "supervisor");
                command.env("TOLLGATE_CRASH_AT", place.point);
                command.env("TOLLGATE_CRASH_ONCE", world.path("crashed"));
            }
        });
        assert!(world.path("crashed").exists(), "it was not reached");
        assert_eq!(Facts::of(&world), reference.facts);
        expect_sound(&world);
        let interrupted = usize::from(!place.point.ends_with("outcome_written"));
        assert!(world.starts().len() <= reference.starts.len() + interrupted);
    });
}

#[test]
fn r103_every_named_point_is_killed_at_by_one_of_these_tests() {
    let mut reached: BTreeSet<&str> = BTreeSet::new();
    let runs = [
        undisturbed(World::lean, tear_once),
        undisturbed(rejected, |_, _| {}),
        undisturbed(World::parallel, |_, _| {}),
        undisturbed(World::items, |_, _| {}),
    ];
    reached.extend(runs.iter().flat_map(|run| &run.places).map(|place| place.point));
    reached.extend(INBOX_POINTS.iter().chain(&UNRECORDED_COMMIT).chain(&MANUAL_POINTS));
    reached.extend(LOGIN_POINTS);
    reached.extend(IMPORT_POINTS);
    reached.extend(BASE_POINTS);
    reached.extend(REPLACED_POINTS);
    reached.insert(OLDER_JOURNAL_POINT);
    let missed: Vec<_> = POINTS.iter().filter(|point| !reached.contains(*point)).collect();
    assert!(missed.is_empty(), "nothing is killed at {missed:?}");
}

/// Killed at beside the other stories of roles that a person plays, in requirements/manual.rs.
const MANUAL_POINTS: [&str; 3] = ["dispatch.assigned", "submit.output_written", "submit.handed_in"];

/// Killed at beside the other stories of imports, in requirements/import_safety.rs.
const IMPORT_POINTS: [&str; 2] = ["import.marked", "import.documents_copied"];

/// Killed at beside the other stories of logins, in driven_cli.rs.
const LOGIN_POINTS: [&str; 4] =
    ["homes.before_removal", "login.listed", "login.lent", "login.given_back"];

/// Killed at beside the other stories of a base that moves, in requirements/integrating.rs.
const BASE_POINTS: [&str; 3] = ["base.merged", "base.kept", "base.joined"];

/// Killed at in requirements/checks_unproven.rs, where a person gives a check another command.
const REPLACED_POINTS: [&str; 1] = ["projection.before_replaced"];

/// Killed at beside the other stories of older journals, in requirements/identity.rs.
const OLDER_JOURNAL_POINT: &str = "aside.kept";

const INBOX_POINTS: [&str; 2] = ["inbox.taken", "inbox.replied"];

#[test]
fn r103_an_answer_handed_over_to_an_engine_that_dies_counts_once() {
    let slow = || World::new(FULL, SLOW_CODER);
    let reference = undisturbed(slow, |_, _| {});
    each(&INBOX_POINTS, |point| {
        let world = slow();
        let run = |next: &Next| ended(&world.command(next).output().unwrap());
        assert_eq!(run(&Next::Run).code, Some(3));
        assert_eq!(run(&world.next()).code, Some(0));
        assert_eq!(run(&Next::Resume).code, Some(3));
        assert_eq!(run(&world.next()).code, Some(0));
        let mut engine =
            world.command(&Next::Resume).env("TOLLGATE_CRASH_AT", point).spawn().unwrap();
        while world.starts().len() < 4 {
            std::thread::sleep(Duration::from_millis(5));
        }
        // The strategy is the one question that can be answered again while an agent is at work.
        let again =
            world.tollgate(&["answer", "latest", "UD-REVIEW-STRATEGY", "per-batch"]).spawn();
        assert_eq!(engine.wait().unwrap().signal(), Some(9), "it was not reached");
        world.finish(|_, _| {});
        let again = ended(&again.unwrap().wait_with_output().unwrap());
        assert_eq!(again.code, Some(0), "{}", again.text);
        assert_eq!(Facts::of(&world), reference.facts);
        expect_sound(&world);
        assert_eq!(world.starts(), reference.starts);
    });
}

/// Long enough at work that an answer comes meanwhile.
const SLOW_CODER: &str = r#"{"rules": [
    {"when": {"role": "Coder", "task": "T-001"}, "do": {"append": {"app.txt": "one\n"}, "sleep_ms": 500}},
    {"when": {"role": "Coder", "task": "T-002"}, "do": {"append": {"lib.txt": "two\n"}}}
]}"#;

fn rejected() -> World {
    let world = World::full();
    world.first_answers.lock().unwrap().push("changes-requested: Architect: again".to_owned());
    world
}

/// As a power cut leaves the journal: with the beginning of a record that never came to its end.
fn tear_once(world: &World, process: usize) {
    if process == 1 {
        let layout = world.session_layout().unwrap();
        let records = tollgate_host::journal::read(&layout.journal()).unwrap().records;
        let mut journal = fs::OpenOptions::new().append(true).open(layout.journal()).unwrap();
        write!(journal, "{{\"seq\":{},\"at\":\"20", records.len() + 1).unwrap();
    }
}

fn expect_same_end(
    world: &World,
    place: &Place,
    reference: &Reference,
    disturb: impl Fn(&World, usize),
) {
    let processes = world.finish(|process, command: &mut Command| {
        disturb(world, process);
        if process == place.process {
            command.env("TOLLGATE_CRASH_AT", format!("{}:{}", place.point, place.nth));
        }
    });
    let was_killed = processes.iter().any(|ended| ended.signal == Some(9));
    assert!(was_killed, "it was not reached");
    assert_eq!(Facts::of(world), reference.facts);
    expect_sound(world);
    assert_eq!(
        sorted(world.starts()),
        sorted(reference.starts.clone()),
        "no agent starts again because an engine died"
    );
}

/// Members of a step start in any order.
fn sorted(mut starts: Vec<String>) -> Vec<String> {
    starts.sort();
    starts
}

fn is_supervisors(point: &str) -> bool {
    point.starts_with("supervisor.")
}

fn undisturbed(make: impl Fn() -> World, disturb: impl Fn(&World, usize)) -> Reference {
    let world = make();
    let log = |process: usize| world.path(&format!("reached-{process}"));
    let processes = world.finish(|process, command| {
        disturb(&world, process);
        command.env("TOLLGATE_CRASH_LOG", log(process));
    });
    expect_sound(&world);
    let mut places = Vec::new();
    for process in 0..processes.len() {
        places.extend(reached(&log(process), process));
    }
    Reference { facts: Facts::of(&world), starts: world.starts(), places }
}

fn reached(log: &Path, process: usize) -> Vec<Place> {
    let mut counts = BTreeMap::new();
    let mut places = Vec::new();
    for name in fs::read_to_string(log).unwrap_or_default().lines() {
        let point = POINTS.iter().find(|point| **point == name).unwrap();
        let nth = counts.entry(*point).or_insert(0);
        *nth += 1;
        places.push(Place { point, process, nth: *nth });
    }
    places
}

/// The first time and one in the middle of each point.
fn chosen(reference: &Reference) -> Vec<Place> {
    let mut chosen = Vec::new();
    for point in POINTS {
        let of_point: Vec<&Place> =
            reference.places.iter().filter(|place| place.point == *point).collect();
        let Some(first) = of_point.first() else { continue };
        chosen.push((*first).clone());
        if of_point.len() > 1 {
            chosen.push(of_point[of_point.len() / 2].clone());
        }
    }
    chosen
}
