//! A corpus of everything that git can be made to run: planted wherever an agent can write, and in the person's own
//! settings, while everything that Tollgate asks of git is asked. Nothing of it may run but the person's own filters.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod control;
mod drive;
mod places;
mod table;
mod trap;
#[path = "../workspace_support/mod.rs"]
mod workspace_support;

use control::{Sample, can_be_tried};
use drive::Stage;
use places::{plant_in_git_dir, plant_in_tree};
use table::{Control, entries, groups, hooks};
use trap::Traps;

#[test]
fn r117_plain_git_runs_every_plant_that_it_can_so_the_marks_can_be_believed() {
    let folder = control::scratch();
    let sample = Sample::make(&folder.path().join("sample"));
    let (entries, hooks) = (entries(), hooks());
    let silent = std::thread::scope(|scope| {
        let keys = scope.spawn(|| {
            let tried = entries.iter().filter(|entry| can_be_tried(&entry.control));
            tried.filter(|entry| !sample.fires(entry)).map(|e| e.name).collect::<Vec<_>>()
        });
        let tried = hooks.iter().filter(|hook| can_be_tried(&hook.control));
        let mut silent: Vec<&str> =
            tried.filter(|hook| !sample.fires_hook(hook)).map(|hook| hook.name).collect();
        silent.extend(keys.join().unwrap());
        silent
    });
    assert!(silent.is_empty(), "these controls did not fire: {silent:?}");
    let controls = entries.iter().map(|e| &e.control).chain(hooks.iter().map(|h| &h.control));
    let impossible: Vec<_> =
        controls.filter(|control| matches!(control, Control::Impossible(_))).collect();
    let all = entries.len() + hooks.len();
    assert!(all >= 100 && impossible.len() * 5 < all, "of {all} no control: {impossible:?}");
}

#[test]
fn r117_nothing_that_an_agent_plants_runs_whatever_is_asked_of_git() {
    for (group, entries) in groups() {
        let stage = Stage::set();
        let traps = Traps::new(&stage.world.folder.path().join("traps"));
        stage.play(&|tree| plant_in_tree(&stage, &traps, tree, &entries));
        let fired = traps.fired();
        assert!(fired.is_empty(), "group {group}: {fired:?}");
    }
}
