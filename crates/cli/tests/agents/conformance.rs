//! `tollgate agents test`: every capability is graded, and the exit code says whether all hold.

use crate::sessions::GOOSE;
use crate::support::{Repo, files_below, ran};
use crate::world::World;
use serde_json::Value;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use tollgate_programs::or_skip;
use tollgate_standin::crew;

const CAPABILITIES: [&str; 15] = [
    "replies",
    "writes files",
    "delivers",
    "leaves nothing",
    "counts tokens",
    "reports its cost",
    "is asked again",
    "server error",
    "rate limit",
    "short wait",
    "long wait",
    "usage limit",
    "no login",
    "silent service",
    "wrong arguments",
];

#[test]
fn every_capability_of_an_agent_is_graded() {
    let Some(programs) = or_skip("every_capability_of_an_agent_is_graded") else { return };
    let world = World::new(programs, GOOSE, crew::script);
    let told = world.tollgate(&["agents", "test", "agent", "--stand-in", "--json"]);
    let answer: Value = serde_json::from_str(&told.out).unwrap();
    let grades: Vec<(&str, &str)> = answer["capabilities"]
        .as_array()
        .unwrap()
        .iter()
        .map(|verdict| {
            (verdict["capability"].as_str().unwrap(), verdict["grade"].as_str().unwrap())
        })
        .collect();
    let names: Vec<&str> = grades.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, CAPABILITIES, "{answer:#}");
    for (name, grade) in grades {
        assert_eq!(grade, "pass", "{name}: {answer:#}");
    }
    assert_eq!((&answer["ok"], &answer["adapter"]), (&Value::Bool(true), &"goose".into()));
    told.exits(0);
}

/// A repository with a program of its own that is to pass for goose.
fn with_program(script: &str) -> Repo {
    let repo = Repo::new();
    repo.write("own", &format!("#!/bin/sh\n{script}\n"));
    fs::set_permissions(repo.root().join("own"), fs::Permissions::from_mode(0o755)).unwrap();
    repo.settings("[agent.own]\nadapter = \"goose\"\nprogram = \"./own\"\ninherit = true\n");
    repo
}

#[test]
fn an_agent_that_cannot_deliver_fails_and_is_tried_by_its_path_in_the_repository() {
    let repo = with_program("exit 0");
    let told = repo.tollgate(&["agents", "test", "own", "--stand-in", "--json"]).exits(1);
    let answer: Value = serde_json::from_str(&told.out).unwrap();
    assert_eq!(answer["ok"], false);
    let replies = &answer["capabilities"][0];
    assert_eq!((&replies["capability"], &replies["grade"]), (&"replies".into(), &"fail".into()));
    assert!(replies["detail"].as_str().unwrap().contains("ended differently"), "{answer:#}");
    told.says("without `inherit`");
}

#[test]
fn what_is_stopped_leaves_nothing_behind() {
    let repo = with_program("exec sleep 300");
    let temporary = repo.outside("temporary");
    fs::create_dir(&temporary).unwrap();
    let mut command = repo.command(&["agents", "test", "own", "--stand-in"]);
    command.env("TMPDIR", &temporary).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let has_begun = || {
        let files = files_below(&temporary);
        files.iter().any(|path| path.ends_with("attempt-1/plan.json"))
    };
    while !has_begun() {
        assert_eq!(child.try_wait().unwrap(), None, "it ended before the agent was at work");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let left = fs::read_dir(&temporary).unwrap().flatten();
    let left: Vec<_> = left.filter(|entry| is_ours(&entry.file_name())).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn what_keeps_an_agent_from_being_tried_is_said() {
    let repo = with_program("exit 0");
    let mut command = repo.command(&["agents", "test", "own", "--stand-in"]);
    let nowhere = repo.outside("nowhere");
    let told = ran(command.env("TMPDIR", &nowhere)).exits(2);
    told.says("the agent could not be tested: ").says("TMPDIR").says(nowhere.to_str().unwrap());
}

fn is_ours(name: &OsStr) -> bool {
    name.to_string_lossy().starts_with("tollgate-agent-")
}
