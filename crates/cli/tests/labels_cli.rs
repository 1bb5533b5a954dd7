//! `tollgate labels sync` against a stand-in for GitHub, and what `doctor` says of the tracker.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::tracker_support;

use expect_test::{Expect, expect};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use tracker_support::{Fault, StandIn, TOKEN};

const GITHUB: &str = "[tracker]\nkind = \"github\"\nrepository = \"acme/shop\"\n";
const LABELS: &str = "/repos/acme/shop/labels";

struct World {
    temp: TempDir,
    server: StandIn,
    variables: Vec<(&'static str, String)>,
}

impl World {
    fn new(settings: &str) -> Self {
        let (temp, server) = (tempfile::tempdir().unwrap(), StandIn::start());
        std::fs::create_dir_all(temp.path().join("home")).unwrap();
        let variables = vec![("GITHUB_API_URL", server.root()), ("GH_TOKEN", TOKEN.to_owned())];
        let world = Self { temp, server, variables };
        std::fs::create_dir_all(world.repo()).unwrap();
        std::fs::write(world.repo().join("tollgate.toml"), settings).unwrap();
        world.git(&["init", "--quiet", "--initial-branch=main"]);
        world.git(&["add", "--all"]);
        world.git(&["commit", "--quiet", "--message", "First"]);
        world
    }

    fn repo(&self) -> PathBuf {
        self.temp.path().join("repo")
    }

    fn set(&mut self, name: &'static str, value: &str) {
        self.variables.retain(|(known, _)| *known != name);
        self.variables.push((name, value.to_owned()));
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.repo()).env_clear();
        // A folder with git alone: a login of the person at this machine has no part in it.
        command.env("PATH", programs(self.temp.path())).env("HOME", self.temp.path().join("home"));
        command.env("GIT_CONFIG_NOSYSTEM", "1").envs(self.variables.iter().cloned());
        command
    }

    fn git(&self, args: &[&str]) {
        let identity = ["-c", "user.name=Test", "-c", "user.email=test@example.org"];
        assert!(self.command("git").args(identity).args(args).status().unwrap().success());
    }

    /// Standard output, standard error and exit code, without the port of the server.
    fn run(&self, args: &[&str]) -> String {
        let output = self.command(env!("CARGO_BIN_EXE_tollgate")).args(args).output().unwrap();
        let (out, err) = (String::from_utf8(output.stdout), String::from_utf8(output.stderr));
        let text =
            format!("{}{}exit {}\n", out.unwrap(), err.unwrap(), output.status.code().unwrap());
        assert!(!text.contains(TOKEN), "{text}");
        let root = self.server.root();
        text.replace(root.rsplit(':').next().unwrap(), "PORT")
    }

    #[track_caller]
    fn check(&self, args: &[&str], seen: Expect) {
        seen.assert_eq(&self.run(args));
    }
}

fn programs(folder: &Path) -> PathBuf {
    let programs = folder.join("programs");
    if !programs.exists() {
        std::fs::create_dir(&programs).unwrap();
        let path = std::env::var_os("PATH").unwrap();
        let git =
            std::env::split_paths(&path).map(|folder| folder.join("git")).find(|p| p.is_file());
        std::os::unix::fs::symlink(git.unwrap(), programs.join("git")).unwrap();
    }
    programs
}

#[test]
fn sync_creates_updates_and_then_rests() {
    let world = World::new(GITHUB);
    world.server.model().add_label("bug", "d73a4a", serde_json::json!("Not ours"));
    world.server.model().add_label("status:ready", "ededed", serde_json::json!(null));
    let planned = world.run(&["labels", "sync", "--dry-run"]);
    assert!(
        planned.ends_with(
            "dry run: 15 created, 1 updated, 0 unchanged; nothing was changed\nexit 0\n"
        )
    );
    assert_eq!(world.server.model().labels.len(), 2);
    world.check(
        &["labels", "sync"],
        expect![[r#"
        created   task:implement
        created   task:refinement
        created   status:pending
        updated   status:ready
        created   status:in-progress
        created   status:blocked
        created   status:needs-refinement
        created   status:review
        created   status:approved
        created   priority:high
        created   priority:medium
        created   priority:low
        created   complexity:trivial
        created   complexity:low
        created   complexity:medium
        created   complexity:high
        15 created, 1 updated, 0 unchanged in acme/shop
        exit 0
    "#]],
    );
    assert_eq!(world.server.model().labels.len(), 17);
    let again = world.run(&["labels", "sync"]);
    assert!(
        again.ends_with("0 created, 0 updated, 16 unchanged in acme/shop\nexit 0\n"),
        "{again}"
    );
    let json = world.run(&["labels", "sync", "--json"]);
    let json: serde_json::Value = serde_json::from_str(json.trim_end_matches("exit 0\n")).unwrap();
    assert_eq!((&json["tracker"], &json["unchanged"]), (&"github".into(), &16.into()));
    assert_eq!(json["labels"][0]["name"], "task:implement");
    assert_eq!(json["labels"][0]["result"], "unchanged");
    world.server.assert_well_asked();
}

#[test]
fn sync_continues_where_it_was_interrupted() {
    let world = World::new(GITHUB);
    world.server.fail_next("POST", LABELS, Fault::CutAfterDoing);
    world.check(&["labels", "sync"], expect![[r#"
        error: 127.0.0.1 cannot be reached for label task:implement: the connection broke off; check the network and try again
         help: what was done stays done; run the command again to continue
               for details, run `tollgate explain cli.tracker_failed`
        exit 1
    "#]]);
    let again = world.run(&["labels", "sync"]);
    assert!(again.contains("15 created, 0 updated, 1 unchanged in acme/shop"), "{again}");
}

#[test]
fn local_files_need_no_labels_and_no_login() {
    let mut world = World::new("");
    world.variables.clear();
    let seen = world.run(&["labels", "sync"]);
    assert!(seen.starts_with("unchanged task:implement\n"), "{seen}");
    let sum = "0 created, 0 updated, 16 unchanged: the tracker is local files, and the labels are built in\nexit 0\n";
    assert!(seen.ends_with(sum), "{seen}");
    world.set("GITHUB_API_URL", "nonsense");
    assert!(world.run(&["labels", "sync", "--json"]).ends_with("}\nexit 0\n"));
}

#[test]
fn what_is_missing_is_said_with_a_way_out() {
    let mut world = World::new(GITHUB);
    world.set("GH_TOKEN", "");
    world.check(&["labels", "sync"], expect![[r#"
        error: there is no login for GitHub: neither GH_TOKEN nor GITHUB_TOKEN is set, and the program gh is not on PATH; run `gh auth login`, or set GH_TOKEN to a token that may write issues
               for details, run `tollgate explain cli.tracker`
        exit 2
    "#]]);
    world.set("GH_TOKEN", "stale");
    world.check(&["labels", "sync"], expect![[r#"
        error: GitHub rejects the login from GH_TOKEN (401: Bad credentials); run `gh auth login` again, or set GH_TOKEN to a valid token
               for details, run `tollgate explain cli.tracker`
        exit 2
    "#]]);
    world.set("GH_TOKEN", TOKEN);
    world.set("GITHUB_API_URL", "http://api.example.com");
    world.check(&["labels", "sync"], expect![[r#"
        error: GITHUB_API_URL is "http://api.example.com", which cannot be used: it must begin with https://
               for details, run `tollgate explain cli.tracker`
        exit 2
    "#]]);
    assert_eq!(world.server.asked_of("POST"), 0);
}

#[test]
fn the_repository_comes_from_the_settings_or_from_origin() {
    let world = World::new("[tracker]\nkind = \"github\"\n");
    world.check(&["labels", "sync"], expect![[r#"
        error: Tollgate does not know which GitHub repository to use: there is no remote called origin; write repository = "owner/name" under [tracker] in tollgate.toml
               for details, run `tollgate explain cli.tracker`
        exit 2
    "#]]);
    world.git(&["remote", "add", "origin", "https://me:hunter2@git.example.com/acme/shop.git"]);
    world.check(&["labels", "sync"], expect![[r#"
        error: Tollgate does not know which GitHub repository to use: the remote origin is "https://git.example.com/acme/shop.git", which is not on 127.0.0.1; write repository = "owner/name" under [tracker] in tollgate.toml
               for details, run `tollgate explain cli.tracker`
        exit 2
    "#]]);
    world.git(&["remote", "set-url", "origin", "git@127.0.0.1:acme/shop.git"]);
    let seen = world.run(&["labels", "sync"]);
    assert!(seen.ends_with("16 created, 0 updated, 0 unchanged in acme/shop\nexit 0\n"), "{seen}");
    world.git(&["remote", "set-url", "origin", "git@127.0.0.1:acme/other.git"]);
    world.check(&["labels", "sync"], expect![[r#"
        error: GitHub found nothing for the list of labels (404: Not Found); check the spelling of acme/other and that your login has access to it
               for details, run `tollgate explain cli.tracker`
        exit 2
    "#]]);
}

#[test]
fn a_network_that_is_down_is_a_failure_and_no_usage() {
    let mut world = World::new(GITHUB);
    // Nobody listens at this port of this machine.
    world.set("GITHUB_API_URL", "http://127.0.0.1:1");
    let seen = world.run(&["labels", "sync"]);
    assert!(
        seen.starts_with("error: 127.0.0.1 cannot be reached for the list of labels:"),
        "{seen}"
    );
    assert!(seen.contains("explain cli.tracker_failed") && seen.ends_with("exit 1\n"), "{seen}");
}

#[test]
fn doctor_reports_the_tracker_without_asking_it() {
    let mut world = World::new(GITHUB);
    let line = |world: &World| {
        let seen = world.run(&["doctor"]);
        let at = seen.lines().position(|line| line.contains(" tracker "));
        at.map(|at| seen.lines().skip(at).take(1).collect::<String>())
    };
    let found = line(&world).unwrap();
    assert_eq!(
        found,
        "ok   tracker      issues of acme/shop on 127.0.0.1, with the login from GH_TOKEN"
    );
    world.set("GH_TOKEN", "");
    let found = line(&world).unwrap();
    assert!(found.starts_with("warn tracker      there is no login for GitHub"), "{found}");
    assert_eq!(world.server.asked().len(), 0);
    assert_eq!(line(&World::new("")), None);
}

#[test]
fn the_token_is_written_nowhere() {
    let world = World::new(GITHUB);
    for args in [&["labels", "sync"][..], &["labels", "sync", "--json"], &["doctor", "--json"]] {
        world.run(args);
    }
    let mut folders = vec![world.temp.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            match entry.file_type().unwrap() {
                kind if kind.is_dir() => folders.push(entry.path()),
                kind if kind.is_file() => {
                    let bytes = std::fs::read(entry.path()).unwrap();
                    let has_it = bytes.windows(TOKEN.len()).any(|part| part == TOKEN.as_bytes());
                    assert!(!has_it, "{}", entry.path().display());
                }
                _ => {}
            }
        }
    }
}
