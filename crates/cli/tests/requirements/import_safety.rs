//! Folders that are no sessions or mean harm, two imports at once, and imports that are killed or find the disk full.

use crate::persistence::{hermetic_like, skipped, unshare};
use crate::support::foreign::{Foreign, OLD, codes};
use crate::support::{Repo, ran, text};
use serde_json::json;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::process::Command;

fn sessions(repo: &Repo) -> usize {
    let listed = repo.tollgate(&["sessions", "--json"]).exits(0).out;
    serde_json::from_str::<serde_json::Value>(&listed).unwrap().as_array().unwrap().len()
}

#[test]
fn r146_what_is_no_session_is_refused_with_the_reason() {
    let repo = Repo::new();
    repo.write("docs/readme.md", "nothing\n");
    for (path, why) in [
        ("nowhere", "No such file"),
        ("app.txt", "not a folder"),
        ("docs", "not the folder of a session"),
        (".", "not the folder of a session"),
    ] {
        repo.tollgate(&["import", path]).exits(2).says(why).says("cli.import");
    }
    repo.run().exits(3);
    let own = format!(".agents-work/{}", repo.session_name());
    repo.tollgate(&["import", &own]).exits(2).says("session of Tollgate already").says("resume");
    assert_eq!(sessions(&repo), 1);
}

#[test]
fn r146_nothing_outside_the_folder_is_read_and_nothing_odd_copied() {
    let repo = Repo::new();
    let foreign = Foreign::new(&repo);
    let secret = repo.outside("secret.txt");
    fs::write(&secret, "do not read me\n").unwrap();
    let folder = foreign.folder();
    fs::create_dir(folder.join("adr")).unwrap();
    symlink(&secret, folder.join("adr/link.md")).unwrap();
    symlink(repo.outside("home"), folder.join("research")).unwrap();
    symlink("/dev/zero", folder.join("report.md")).unwrap();
    let pipe = Command::new("mkfifo").arg(folder.join("pipe")).status().unwrap();
    assert!(pipe.success());
    fs::write(folder.join("huge.md"), vec![b'x'; 9 * 1024 * 1024]).unwrap();
    fs::write(folder.join("red\u{1b}[31m.md"), "x").unwrap();
    fs::write(folder.join(std::ffi::OsStr::from_bytes(b"bad\xff.md")), "x").unwrap();
    fs::create_dir(folder.join("evidence")).unwrap();
    fs::write(folder.join("evidence/commands.log"), "forged\n").unwrap();
    let ran = foreign.import().exits(0);
    assert!(!ran.err.contains('\u{1b}'), "{ran:?}");
    let left: Vec<&str> = ran.err.lines().filter(|line| line.contains("import.left_out")).collect();
    assert_eq!(left.len(), 5, "one for each cause: {left:#?}");
    for name in [
        "adr/link.md",
        "research",
        "report.md",
        "pipe",
        "huge.md",
        "red",
        "bad",
        "evidence/commands.log",
    ] {
        assert!(left.iter().any(|line| line.contains(name)), "{name}: {left:#?}");
    }
    let session = repo.session();
    for name in ["adr", "research", "report.md", "pipe", "huge.md"] {
        assert!(session.join(name).symlink_metadata().is_err(), "{name}");
    }
    assert_ne!(repo.session_file("evidence/commands.log"), "forged\n");
    repo.resume().exits(0);
    for file in crate::support::files_below(&repo.session()) {
        let content = fs::read(&file).unwrap();
        assert!(!text(&content).contains("do not read me"), "{}", file.display());
    }
}

#[test]
fn r146_a_status_that_is_a_link_is_not_followed() {
    let repo = Repo::new();
    let foreign = Foreign::new(&repo);
    let elsewhere = repo.outside("status.json");
    fs::rename(foreign.folder().join("status.json"), &elsewhere).unwrap();
    symlink(&elsewhere, foreign.folder().join("status.json")).unwrap();
    let imported = foreign.previewed();
    assert_eq!(codes(&imported), ["import.status_unreadable", "import.left_out"]);
    assert_eq!(imported["decisions"], 0);
}

#[test]
fn r146_texts_of_the_folder_send_nothing_to_a_terminal() {
    let repo = Repo::new();
    let foreign = Foreign::new(&repo);
    let evil = "\u{1b}]0;owned\u{7}\u{1b}[2Jred \u{202e}nimda";
    foreign.status(|status| {
        status["current_state"] = json!(evil);
        status["user_decisions"][2]["question"] = json!(evil);
        status["user_decisions"][2]["status"] = json!("pending");
        status[evil] = json!(evil);
        status["retry_counts"] = json!({(evil): evil});
    });
    let plan = foreign.text("tasks.yaml").replace("type: feat", "type: \"\\e[31mfeat\"");
    foreign.file("tasks.yaml", &plan);
    for ran in [foreign.import().exits(0), repo.tollgate(&["status"]), repo.tollgate(&["log"])] {
        for output in [&ran.out, &ran.err] {
            assert!(!output.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{output:?}");
        }
    }
}

#[test]
fn r146_of_two_imports_at_once_one_makes_the_session() {
    let repo = Repo::new();
    Foreign::new(&repo);
    let both = [repo.start(&["import", OLD]), repo.start(&["import", OLD])];
    let mut codes: Vec<i32> = both
        .into_iter()
        .map(|child| child.wait_with_output().unwrap().status.code().unwrap())
        .collect();
    codes.sort_unstable();
    assert_eq!(codes, [0, 2]);
    assert_eq!(sessions(&repo), 1);
    repo.resume().exits(0);
}

#[test]
fn r146_r167_an_import_that_is_killed_leaves_a_whole_session_or_none() {
    let points = [
        ("open.folder_made", 0),
        ("import.marked", 0),
        ("beneath.renamed", 0),
        ("beneath.renamed:3", 0),
        ("import.documents_copied", 0),
        ("journal.created", 0),
        ("journal.before_write", 0),
        ("journal.synced", 1),
        ("open.journal_begun", 1),
        ("projection.before_status", 1),
    ];
    for (point, begun) in points {
        let repo = Repo::new();
        let foreign = Foreign::new(&repo);
        foreign.tasks("completed", "in-progress");
        let before = foreign.content();
        let killed = ran(repo.command(&["import", OLD]).env("TOLLGATE_CRASH_AT", point));
        assert_eq!(killed.code, -1, "{point}: {killed:?}");
        assert_eq!(sessions(&repo), begun, "{point}");
        if begun == 0 {
            repo.tollgate(&["status"]).exits(2).says("tollgate import");
            foreign.import().exits(0);
        }
        assert_eq!(sessions(&repo), 1, "{point}");
        repo.resume().exits(0);
        assert_eq!(repo.status()["state"], "DONE", "{point}");
        assert!(foreign.content() == before, "{point}");
    }
}

#[test]
fn r146_a_full_disk_leaves_nothing_half() {
    let Some(unshare) = unshare() else {
        return skipped("this needs a mount namespace");
    };
    let repo = Repo::new();
    let foreign = Foreign::new(&repo);
    foreign.file("adr/long.md", &"long\n".repeat(100_000));
    let from = repo.outside("other").display().to_string();
    fs::rename(foreign.folder(), &from).unwrap();
    let folder = repo.root().join(".agents-work").display().to_string();
    let binary = env!("CARGO_BIN_EXE_tollgate");
    let script = format!(
        "mount -t tmpfs -o size=256k none {folder} || exit 99
         {binary} import {from}; echo \"exit $?\" >&2
         ls {folder} | wc -l >&2
         echo FREED >&2
         umount {folder}; {binary} import {from}; {binary} resume --no-input; echo \"exit $?\" >&2"
    );
    let mut command = Command::new("unshare");
    let told = ran(hermetic_like(&repo, command.args([unshare, "sh", "-c", &script])));
    let (full, freed) = told.err.split_once("FREED").unwrap_or_else(|| panic!("{}", told.err));
    assert!(full.contains("exit 4") && full.contains("space"), "{full}");
    assert!(full.trim_end().ends_with("\n0"), "{full}");
    assert!(freed.contains("exit 0"), "{freed}");
}
