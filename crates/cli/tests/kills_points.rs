//! The engine is killed at every named point and taken up again: the end is that of an undisturbed run.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod kills_support;

use kills_support::facts::{Facts, expect_sound};
use kills_support::{World, each};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use tollgate_host::crash::POINTS;

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
    let reference = undisturbed(World::lean);
    let places: Vec<Place> =
        chosen(&reference).into_iter().filter(|place| !is_supervisors(place.point)).collect();
    assert!(places.len() > 60, "few places: {places:?}");
    each(&places, |place| {
        let world = World::lean();
        let killed = killed_at(&world, place);
        assert!(killed, "it was not reached");
        assert_eq!(Facts::of(&world), reference.facts);
        expect_sound(&world);
        assert_eq!(
            world.starts(),
            reference.starts,
            "no agent starts again because an engine died"
        );
    });
}

fn is_supervisors(point: &str) -> bool {
    point.starts_with("supervisor.")
}

fn undisturbed(make: impl Fn() -> World) -> Reference {
    let world = make();
    let log = |process: usize| world.path(&format!("reached-{process}"));
    let processes = world.finish(|process, command| {
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

fn killed_at(world: &World, place: &Place) -> bool {
    let processes = world.finish(|process, command: &mut Command| {
        if process == place.process {
            command.env("TOLLGATE_CRASH_AT", format!("{}:{}", place.point, place.nth));
        }
    });
    processes.iter().any(|ended| ended.signal == Some(9))
}
