//! Words to the person at the terminal, past the test runner, which keeps the output of tests that pass to itself.

use std::io::Write;

pub fn line(text: &str) {
    // Nobody is left to tell when standard error is gone.
    let _ = writeln!(std::io::stderr(), "{text}");
}
