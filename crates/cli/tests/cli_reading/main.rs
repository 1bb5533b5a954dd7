//! The commands that read, against the real binary: what they print, and that nothing they meet breaks them.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod documents;
mod sessions;
mod settings;
mod support;

use expect_test::Expect;
use support::World;

/// Exit code and both streams of a command, in one text.
#[track_caller]
fn check(world: &World, args: &[&str], expected: Expect) {
    expected.assert_eq(&world.run(args).all());
}
