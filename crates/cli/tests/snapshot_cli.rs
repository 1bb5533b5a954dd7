//! `tollgate snapshot` as a person and a script use it.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::support;

use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use support::Repo;
use support::pty::Terminal;

fn create(repo: &Repo) -> String {
    repo.tollgate(&["snapshot", "create"]).exits(0).out.trim().to_owned()
}

fn list(repo: &Repo) -> Vec<Value> {
    let listed = repo.tollgate(&["snapshot", "list", "--json"]).exits(0).out;
    serde_json::from_str(&listed).unwrap()
}

#[test]
fn r078_a_snapshot_is_a_folder_with_a_manifest_of_paths_modes_sizes_and_checksums() {
    let repo = Repo::new();
    repo.write("run.sh", "#!/bin/sh\n");
    fs::set_permissions(repo.root().join("run.sh"), fs::Permissions::from_mode(0o750)).unwrap();
    repo.write(".gitignore", "secret\n");
    repo.write("secret", "ignored");
    fs::create_dir(repo.root().join("empty")).unwrap();
    let id = create(&repo);
    assert!(id.starts_with("manual-20"), "{id}");
    let manifest = repo.root().join(".snapshots").join(&id).join("manifest.json");
    let manifest: Value = serde_json::from_slice(&fs::read(manifest).unwrap()).unwrap();
    let files = manifest["files"].as_array().unwrap();
    let of = |path: &str| files.iter().find(|file| file["path"] == path).unwrap().clone();
    let script = of("run.sh");
    assert_eq!(
        (&script["kind"], &script["mode"], &script["size"]),
        (&"file".into(), &"0750".into(), &10.into())
    );
    let hash = script["sha256"].as_str().unwrap();
    let kept = repo.root().join(".snapshots/store").join(&hash[..2]).join(&hash[2..]);
    assert_eq!(fs::read(&kept).unwrap(), b"#!/bin/sh\n");
    assert_eq!(kept.metadata().unwrap().permissions().mode() & 0o222, 0, "nobody writes it");
    assert_eq!(of("empty")["kind"], "dir");
    assert_eq!(of("secret")["size"], 7);
    assert!(files.iter().all(|file| !file["path"].as_str().unwrap().starts_with(".git/")));
    assert_eq!(repo.git(&["status", "--porcelain", "--", ".snapshots"]), "", "git does not see it");
}

#[test]
fn r078_snapshots_are_listed_the_newest_first_and_unchanged_ones_cost_no_copy() {
    let repo = Repo::new();
    assert!(list(&repo).is_empty());
    repo.tollgate(&["snapshot", "list"]).exits(0).says("there are no snapshots here yet");
    let ids: Vec<String> = (0..3).map(|_| create(&repo)).collect();
    let listed = list(&repo);
    let found: Vec<&str> = listed.iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!(found, [&ids[2][..], &ids[1], &ids[0]]);
    let keys: Vec<&String> = listed[0].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["action", "bytes", "files", "id", "taken_at"]);
    assert_eq!((&listed[0]["action"], &listed[0]["files"]), (&"manual".into(), &2.into()));
    let inode = |id: &str| {
        use std::os::unix::fs::MetadataExt as _;
        repo.root().join(".snapshots").join(id).join("manifest.json").metadata().unwrap().ino()
    };
    assert_eq!(inode(&ids[0]), inode(&ids[1]));
    let table = repo.tollgate(&["snapshot", "list"]).exits(0).out;
    assert!(table.starts_with("ID ") && table.lines().count() == 4, "{table}");
}

#[test]
fn r079_a_restore_says_what_it_will_do_and_needs_a_yes() {
    let repo = Repo::new();
    let id = create(&repo);
    repo.write("app.txt", "changed\n");
    repo.write("new.txt", "new\n");
    repo.write("other/new.txt", "new\n");
    let shown = repo.tollgate(&["snapshot", "show", "latest"]).exits(0).out;
    for line in [
        "this will revert 1 file, create 0 and delete 2; 1 folder change",
        "  revert      app.txt",
        "  delete      new.txt",
        "  delete      other/new.txt",
        "  delete      other/",
    ] {
        assert!(shown.contains(line), "{line:?} in {shown}");
    }
    let json: Value =
        serde_json::from_str(&repo.tollgate(&["snapshot", "show", &id, "--json"]).exits(0).out)
            .unwrap();
    assert_eq!(json["revert"], serde_json::json!(["app.txt"]));
    assert_eq!(json["delete"], serde_json::json!(["new.txt", "other/new.txt"]));
    repo.tollgate(&["snapshot", "restore", "latest"])
        .exits(2)
        .says("this will revert 1 file, create 0 and delete 2")
        .says("there is no terminal to ask you; nothing was changed")
        .says(&format!("run `tollgate snapshot restore {id} --yes` to do it without a question"));
    assert_eq!(fs::read_to_string(repo.root().join("app.txt")).unwrap(), "changed\n");
    repo.tollgate(&["snapshot", "restore", &id[..17], "--yes"])
        .exits(0)
        .says("1 reverted, 0 created, 2 deleted");
    assert_eq!(fs::read_to_string(repo.root().join("app.txt")).unwrap(), "one\n");
    assert!(!repo.root().join("other").exists());
    repo.tollgate(&["snapshot", "undo"]).exits(2).says("tollgate snapshot undo --yes");
    repo.tollgate(&["snapshot", "undo", "--yes"]).exits(0).says("1 reverted, 2 created, 0 deleted");
    assert_eq!(fs::read_to_string(repo.root().join("other/new.txt")).unwrap(), "new\n");
    let log = fs::read_to_string(repo.root().join(".snapshots/restores.jsonl")).unwrap();
    assert_eq!(log.lines().count(), 2, "{log}");
}

#[test]
fn r079_at_a_terminal_a_person_is_asked_and_may_say_no() {
    let repo = Repo::new();
    create(&repo);
    repo.write("app.txt", "changed\n");
    let ask = |answer: &str| {
        let mut terminal = Terminal::start(&repo, &["snapshot", "restore", "latest"]);
        terminal.wait_for("this will revert 1 file").wait_for("Continue? [y/N]").types(answer);
        terminal.ends()
    };
    for no in ["", "n", "maybe"] {
        assert_eq!(ask(no), 1);
        assert_eq!(fs::read_to_string(repo.root().join("app.txt")).unwrap(), "changed\n");
    }
    assert_eq!(ask("y"), 0);
    assert_eq!(fs::read_to_string(repo.root().join("app.txt")).unwrap(), "one\n");
}

#[test]
fn r079_a_restore_works_with_broken_settings() {
    let repo = Repo::new();
    create(&repo);
    repo.write("tollgate.toml", "[snapshot\nkeep = 2");
    repo.write("app.txt", "changed\n");
    repo.tollgate(&["snapshot", "list"]).exits(0);
    repo.tollgate(&["snapshot", "create"]).exits(0).says("tollgate.toml cannot be used");
    let first = list(&repo)[1]["id"].as_str().unwrap().to_owned();
    repo.tollgate(&["snapshot", "restore", &first, "--yes"]).exits(0).says("2 reverted");
    repo.tollgate(&["check", "tollgate.toml"]).exits(0);
}

#[test]
fn r081_the_settings_say_how_many_stay() {
    let repo = Repo::new();
    repo.settings("[snapshot]\nkeep = 2\ndays = 7\n");
    let at = |time: &str| {
        let mut command = repo.command(&["snapshot", "create"]);
        let output = command.env("TOLLGATE_NOW", time).output().unwrap();
        assert!(output.status.success());
    };
    at("2026-02-07T10:30:00Z");
    at("2026-02-08T10:30:00Z");
    at("2026-02-08T10:30:00Z");
    let ids =
        || list(&repo).iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!(ids(), ["manual-2026-02-08-10-30-00-2", "manual-2026-02-08-10-30-00"]);
    at("2026-02-20T10:30:00Z");
    assert_eq!(ids(), ["manual-2026-02-20-10-30-00"]);
}

#[test]
fn names_that_mean_nothing_or_too_much_are_refused_in_words() {
    let repo = Repo::new();
    repo.tollgate(&["snapshot", "show", "latest"]).exits(2).says("there are no snapshots here yet");
    repo.tollgate(&["snapshot", "undo", "--yes"]).exits(2).says("there is no restore to undo");
    let ids = [create(&repo), create(&repo)];
    repo.tollgate(&["snapshot", "restore", "nonsense", "--yes"])
        .exits(2)
        .says("no snapshot matches \"nonsense\"")
        .says("cli.snapshot");
    repo.tollgate(&["snapshot", "delete", "manual"]).exits(2).says("matches several");
    repo.tollgate(&["snapshot", "show", "../../etc"]).exits(2);
    repo.tollgate(&["snapshot", "delete", &ids[0]]).exits(0).says("is gone");
    assert_eq!(list(&repo).len(), 1);
    fs::write(repo.root().join(".snapshots").join(&ids[1]).join("manifest.json"), "cut").unwrap();
    repo.tollgate(&["snapshot", "list"]).exits(0).says(&format!("{} is damaged", ids[1]));
    repo.tollgate(&["snapshot", "restore", &ids[1], "--yes"]).exits(2);
    for word in ["list", "create", "show", "restore", "undo", "delete"] {
        let help = repo.tollgate(&["help", "snapshot", word]).exits(0).out;
        assert!(help.contains("Usage: tollgate snapshot"), "{help}");
    }
}

#[test]
fn the_commands_of_the_guide_work() {
    let page =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/snapshots.md");
    let page = fs::read_to_string(page).unwrap();
    let script = page.split_once("```sh\n").unwrap().1.split_once("```").unwrap().0;
    let repo = Repo::new();
    repo.write("README.md", "mine\n");
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_tollgate"));
    let path =
        format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let output = std::process::Command::new("sh")
        .args(["-ec", script])
        .current_dir(repo.root())
        .env("PATH", path)
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{words}");
    assert!(words.contains("this will revert 1 file, create 0 and delete 1"), "{words}");
    assert_eq!(fs::read_to_string(repo.root().join("README.md")).unwrap(), "mine\nan experiment\n");
}
