//! A corpus of everything that git can be made to run: planted wherever an agent can write, and in the person's own
//! settings, while everything that Tollgate asks of git is asked. Nothing of it may run but the person's own filters.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod calls;
mod control;
mod drive;
mod places;
mod table;
mod trap;
#[path = "../../../git/tests/workspace_support/mod.rs"]
mod workspace_support;

use control::{Sample, can_be_tried};
use drive::Stage;
use places::{Plant, plant_bare, plant_in_git_dir, plant_in_tree};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use table::{Control, entries, groups, hooks};
use tollgate_git::repository::{Repository, RepositoryError};
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
        for in_worktree_config in [true, false] {
            if !in_worktree_config && group != "together" {
                continue;
            }
            let plant = Plant { entries: &entries, in_worktree_config };
            let stage = Stage::set();
            let traps = Traps::new(&stage.world.folder.path().join("traps"));
            stage.play(&|tree| plant_in_tree(&stage, &traps, tree, plant));
            let fired = traps.fired();
            assert!(fired.is_empty(), "group {group}: {fired:?}");
            if group == "together" {
                every_place_is_alive(&stage, &traps, in_worktree_config);
            }
        }
    }
}

/// Plain git in each of the places runs what was planted there.
fn every_place_is_alive(stage: &Stage, traps: &Traps, in_worktree_config: bool) {
    let tree = stage.world.home().join("workspace/tree");
    let objects = stage.world.repository.objects_dir();
    let shadow = tree.with_file_name("shadow");
    let through_shadow = format!(
        "GIT_DIR='{}' GIT_WORK_TREE=. GIT_OBJECT_DIRECTORY='{}' git status",
        shadow.display(),
        objects.display()
    );
    let worktree = if in_worktree_config { "-worktree" } else { "" };
    for (line, place) in [
        (through_shadow.as_str(), "nested"),
        ("git -C untracked add -A", "untracked"),
        ("git -C bare status", "bare"),
        // A changed file, or git may see that there is nothing to clean and no index to write.
        ("git status; echo changed > by-clean; git add by-clean", "clone"),
    ] {
        control::shell(&tree, line);
        let fired = traps.fired();
        let wanted = format!("{place}{worktree}.fsmonitor");
        assert!(fired.contains(&wanted), "{line}: {wanted} is not in {fired:?}");
        if place == "clone" {
            let clean = format!("clone{worktree}.clean");
            let hook = "clone-hook.post-index-change";
            assert!(fired.contains(&clean) && fired.contains(hook), "{clean}, {hook}: {fired:?}");
        }
    }
}

#[test]
fn r117_of_the_person_s_own_settings_only_filters_run() {
    for (group, mut entries) in groups() {
        // It makes another folder the checkout.
        entries.retain(|entry| entry.name != "worktree");
        let stage = Stage::set();
        let traps = Traps::new(&stage.world.folder.path().join("traps"));
        let plant = Plant { entries: &entries, in_worktree_config: false };
        plant_in_git_dir(&traps, stage.world.repository.common_dir(), "person", plant);
        stage.play(&|_| ());
        only_filters_fired(&traps, "person", group);
    }
}

fn only_filters_fired(traps: &Traps, place: &str, group: &str) {
    let filters = [
        "clean",
        "smudge",
        "process",
        "required",
        "attributes-file",
        "include",
        "include-if-gitdir",
        "include-if-onbranch",
        "include-if-remote",
    ];
    let allowed: BTreeSet<String> =
        filters.iter().map(|filter| format!("{place}.{filter}")).collect();
    let fired = traps.fired();
    assert!(fired.is_subset(&allowed), "group {group}: {fired:?}");
    if group == "together" {
        assert_eq!(fired, allowed, "the person's filters must run");
    }
}

#[test]
fn r117_a_folder_of_a_commit_that_looks_like_a_git_directory_is_none() {
    let stage = Stage::set();
    let traps = Traps::new(&stage.world.folder.path().join("traps"));
    let (_, entries) = groups().remove(0);
    let plant = Plant { entries: &entries, in_worktree_config: false };
    let root = stage.world.repository.root();
    plant_bare(&stage, &traps, root, plant);
    let found = Repository::discover(&root.join("bare"));
    assert!(matches!(found, Err(RepositoryError::Bare { .. })), "{found:?}");
    assert!(traps.fired().is_empty());
    control::shell(root, "git -C bare status");
    assert!(traps.fired().contains("bare.fsmonitor"), "{:?}", traps.fired());
}

/// Names the folder of the traps to the process that plays.
const PLAYER: &str = "GIT_CORPUS_TRAPS";

/// A second process plays, because what a process finds in HOME and on PATH cannot be changed within one.
#[test]
fn r117_every_git_call_in_the_source_was_made_and_nothing_in_the_home_folder_ran_but_filters() {
    if std::env::var_os(PLAYER).is_some() {
        return Stage::set().play(&|_| ());
    }
    let folder = control::scratch();
    let home = folder.path().join("home");
    let traps = Traps::new(&folder.path().join("traps"));
    for (group, mut entries) in groups() {
        entries.retain(|entry| entry.name != "worktree");
        let _ = std::fs::remove_dir_all(&home);
        traps.configure(&home.join(".gitconfig"), "home", &entries);
        let seen = play_elsewhere(folder.path(), &home);
        only_filters_fired(&traps, "home", group);
        if group != "together" {
            continue;
        }
        let written = calls::written();
        assert!(written.len() > 25, "the source is not understood: {written:?}");
        for call in &written {
            assert!(calls::was_seen(call, &seen), "never made while playing: {call:?}");
        }
        let unknown = calls::Written { place: String::new(), words: vec![Some("fsck".into())] };
        assert!(!calls::was_seen(&unknown, &seen));
    }
}

/// Plays in a process of its own, and says with which words git was called there.
fn play_elsewhere(folder: &Path, home: &Path) -> Vec<Vec<String>> {
    let (bin, log) = (folder.join("bin"), folder.join("calls"));
    std::fs::create_dir_all(&bin).unwrap();
    let path = std::env::var("PATH").unwrap();
    let real = std::env::split_paths(&path).map(|folder| folder.join("git"));
    let real = real.into_iter().find(|program| program.is_file()).unwrap();
    let script = format!(
        "#!/bin/sh\n{{ printf '%s\\037' \"$@\"; echo; }} >> '{}'\nexec '{}' \"$@\"\n",
        log.display(),
        real.display()
    );
    workspace_support::put(&bin, "git", &script);
    workspace_support::make_executable(&bin.join("git"));
    let name =
        "r117_every_git_call_in_the_source_was_made_and_nothing_in_the_home_folder_ran_but_filters";
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(PLAYER, folder)
        .env("HOME", home)
        .env("PATH", format!("{}:{path}", bin.display()))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let log = std::fs::read_to_string(&log).unwrap();
    let words = |line: &str| line.split_terminator('\u{1f}').map(str::to_owned).collect();
    // Ours all begin in this way; the others set the stage.
    let ours = log.lines().filter(|line| line.starts_with("-c\u{1f}core.fsmonitor=false\u{1f}"));
    ours.map(words).collect()
}
