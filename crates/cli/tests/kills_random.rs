//! The engine is killed at random instants, again and again, and taken up again until the work is done.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::kills_support;

use kills_support::facts::{Facts, expect_sound};
use kills_support::random::Random;
use kills_support::{Next, World, each, ended, signal};
use rustix::process::Signal;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const KILLS: usize = 200;
/// So that no session is only begun.
const KILLS_PER_SESSION: usize = 12;
const SESSIONS_MAX: u64 = 150;

/// A run without kills: how it ends, and how long its processes take.
struct Reference {
    facts: Facts,
    starts: Vec<String>,
    longest: Duration,
}

#[test]
fn r103_two_hundred_random_instants_of_death_change_nothing_at_the_end() {
    let lean = undisturbed(&World::lean());
    let full = undisturbed(&World::full());
    let tasks = undisturbed(&World::tasks());
    assert_eq!(tasks.facts.left_out.len(), 5, "{:?}", tasks.facts.left_out);
    let kills = AtomicUsize::new(0);
    let seeds: Vec<u64> = (1..=SESSIONS_MAX).collect();
    each(&seeds, |seed| {
        if kills.load(Ordering::Relaxed) >= KILLS {
            return;
        }
        let (world, reference) = match seed % 6 {
            0 | 3 => (World::full(), &full),
            1 => (World::tasks(), &tasks),
            _ => (World::lean(), &lean),
        };
        kill_at_random(&world, &mut Random(*seed), reference.longest, &kills);
        // A death after the last record leaves files that are behind the journal; a resume brings them up to it.
        world.take_up();
        world.finish(|_, _| {});
        assert_eq!(Facts::of(&world), reference.facts);
        expect_sound(&world);
        assert_eq!(
            sorted(world.starts()),
            reference.starts,
            "no agent starts again because an engine died"
        );
    });
    assert!(kills.into_inner() >= KILLS, "too few kills in {SESSIONS_MAX} sessions");
}

fn undisturbed(world: &World) -> Reference {
    let mut longest = Duration::ZERO;
    loop {
        let next = world.next();
        if next == Next::Nothing {
            break;
        }
        let begun = Instant::now();
        let ended = ended(&world.command(&next).output().unwrap());
        assert!(matches!(ended.code, Some(0 | 3)), "{}", ended.text);
        longest = longest.max(begun.elapsed());
    }
    Reference { facts: Facts::of(world), starts: sorted(world.starts()), longest }
}

/// Those at the same time come in any order.
fn sorted(mut starts: Vec<String>) -> Vec<String> {
    starts.sort();
    starts
}

/// Early instants come more often: the later ones are early for what is left of the work.
fn kill_at_random(world: &World, random: &mut Random, longest: Duration, kills: &AtomicUsize) {
    let mut killed = 0;
    while killed < KILLS_PER_SESSION {
        let next = world.next();
        if next == Next::Nothing {
            return;
        }
        let part = random.below(1_000) * random.below(1_000);
        let delay = longest.mul_f64(part as f64 / 1e6);
        let child = world.command(&next).spawn().unwrap();
        std::thread::sleep(delay);
        signal(&child, Signal::KILL);
        let ended = ended(&child.wait_with_output().unwrap());
        world.expect_status_parses();
        if ended.signal == Some(9) {
            killed += 1;
            kills.fetch_add(1, Ordering::Relaxed);
        } else {
            assert!(matches!(ended.code, Some(0 | 3)), "{next:?}: {}", ended.text);
        }
    }
}
