//! Processes that must not be left behind, and a program that makes some that would stay.

use super::eventually;
use tollgate_process as process;

/// A python program: `child.py KIND FOLDER` detaches itself as its kind says, leaves a file of that name in the folder, and stays.
pub const CHILD: &str = "import os, signal, sys, time
kind, ready = sys.argv[1], sys.argv[2]
if kind == 'setsid': os.setsid()
if kind == 'daemon':
    if os.fork(): os._exit(0)
    os.setsid()
    if os.fork(): os._exit(0)
if kind == 'stubborn':
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP): signal.signal(number, signal.SIG_IGN)
open(ready + '/' + kind, 'w').close()
while True: time.sleep(1)
";

/// Numbers of living processes whose command line names this.
pub fn alive(marker: &str) -> Vec<i32> {
    let named = process::alive().filter(|process| process.words.contains(marker));
    named.map(|process| process.pid).collect()
}

/// Nothing that names this is alive, now or soon.
#[track_caller]
pub fn expect_gone(marker: &str) {
    eventually("the end of all processes", || alive(marker).is_empty());
}
