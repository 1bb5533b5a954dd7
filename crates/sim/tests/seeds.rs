//! Twenty thousand worlds, each with and without faults, and proof that the witness bites.
#![allow(clippy::print_stderr, reason = "a test tells its story")]

use tollgate_sim::{Bug, Run, doubt, story};

const SEEDS: u64 = 20_000;
/// A planted bug must show within this many seeds.
const SEEDS_PER_BUG: u64 = 2_000;

/// `TOLLGATE_SIM_SEEDS=20000..200000` lives others.
fn seeds() -> std::ops::Range<u64> {
    let asked = std::env::var("TOLLGATE_SIM_SEEDS").ok();
    let range = asked.as_deref().and_then(|text| text.split_once(".."));
    let range = range.and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    range.unwrap_or(0..SEEDS)
}

#[test]
fn twenty_thousand_seeds_hold() {
    let hands = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    std::thread::scope(|scope| {
        for hand in 0..hands {
            scope.spawn(move || {
                for seed in seeds().skip(hand as usize).step_by(hands as usize) {
                    if let Err(story) = doubt(seed) {
                        panic!("{story}\nTOLLGATE_SIM_SEED={seed} replays it");
                    }
                }
            });
        }
    });
}

/// `TOLLGATE_SIM_SEED=17 cargo test -p tollgate-sim one_seed -- --nocapture` tells one life.
#[test]
fn one_seed_of_the_environment_holds() {
    let seed = std::env::var("TOLLGATE_SIM_SEED").ok().and_then(|seed| seed.parse().ok());
    let Some(seed) = seed else {
        return;
    };
    for faults in [false, true] {
        let mut lines = Vec::new();
        let lived = Run { seed, faults, bug: None }.tell(&mut lines);
        eprintln!("seed {seed}, faults {faults}\n{}\n{lived:?}", lines.join("\n"));
        lived.expect("the seed holds");
    }
}

#[test]
fn every_planted_bug_is_caught() {
    let mut blind = Vec::new();
    for bug in Bug::ALL {
        let caught = (0..SEEDS_PER_BUG).find_map(|seed| {
            let worlds = [true, false].map(|faults| Run { seed, faults, bug: Some(bug) });
            worlds.into_iter().find_map(|run| run.live().err().map(|violation| (run, violation)))
        });
        match caught {
            Some((run, violation)) => eprintln!("{bug:?}: seed {} {}", run.seed, violation.rule),
            None => blind.push(bug),
        }
    }
    assert!(blind.is_empty(), "nobody noticed {blind:?}");
}

#[test]
fn a_seed_gives_the_same_story_twice() {
    for seed in 0..50 {
        let run = Run { seed, faults: true, bug: None };
        let (mut once, mut again) = (Vec::new(), Vec::new());
        assert_eq!(run.tell(&mut once), run.tell(&mut again));
        assert_eq!(once, again);
    }
}

#[test]
fn a_violation_is_shown_as_a_story() {
    let run = Run { seed: 1, faults: false, bug: Some(Bug::StartsAnAttemptTwice) };
    let violation = run.live().expect_err("the bug is caught");
    let told = story(&run, &violation);
    assert!(told.contains("one_attempt_runs_at_a_time") && told.contains("the same again: true"));
}
