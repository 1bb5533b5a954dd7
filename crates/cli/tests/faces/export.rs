//! `tollgate export`, and what `tollgate audit --verify` says of an archive that was changed, and of one that is meant to harm.

mod tamper;

use crate::support::{APPROVE, PER_BATCH, Ran, Repo, eventually, files_below, ran};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tamper::{Parts, entries, gzipped, raw, tarred};

/// A session that is done, with commits.
fn done() -> Repo {
    let repo = Repo::new();
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    repo
}

fn export(repo: &Repo, name: &str) -> PathBuf {
    let file = repo.outside(name);
    repo.tollgate(&["export", "-o", file.to_str().unwrap()]).exits(0);
    file
}

/// A machine that knows nothing of the session: no repository, no state, a temporary folder of its own.
struct Elsewhere(tempfile::TempDir);

impl Elsewhere {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "tmp", "work"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self(folder)
    }

    fn tollgate(&self, args: &[&str]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        command
            .current_dir(self.0.path().join("work"))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.0.path().join("home"))
            .env("TMPDIR", self.0.path().join("tmp"))
            .env("TZ", "UTC")
            .args(args)
            .stdin(Stdio::null());
        let ran = ran(&mut command);
        let left = files_below(self.0.path());
        assert!(left.is_empty(), "{args:?} left {left:?}");
        ran
    }

    fn verify(&self, archive: &Path) -> Ran {
        self.tollgate(&["audit", "--verify", archive.to_str().unwrap()])
    }

    /// It is refused as changed, with these words.
    #[track_caller]
    fn refuses(&self, archive: &[u8], what: &str, words: &[&str]) {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("changed.tar.gz");
        fs::write(&file, archive).unwrap();
        let ran = self.verify(&file);
        assert_eq!(ran.code, 6, "{what}: {ran:?}");
        for words in words {
            assert!(ran.err.contains(words), "{what}: no {words:?} in {}", ran.err);
        }
        assert!(ran.out.is_empty(), "{what}: {}", ran.out);
        let report = self.tollgate(&["report", file.to_str().unwrap()]);
        assert_eq!(report.code, 6, "{what}: a report of it: {report:?}");
        assert_eq!(files_below(place.path()), [file], "{what}");
    }
}

fn last_hash(repo: &Repo) -> String {
    let text = repo.session_file("journal.jsonl");
    let line: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    line["hash"].as_str().unwrap().to_owned()
}

#[test]
fn r194_an_archive_is_checked_where_nothing_else_is() {
    let repo = done();
    let archive = export(&repo, "session.tar.gz");
    let elsewhere = Elsewhere::new();
    let ran = elsewhere.verify(&archive).exits(0);
    let (name, head) = (repo.session_name(), last_hash(&repo));
    assert!(ran.out.contains(&name) && ran.out.contains(&head), "{}", ran.out);
    assert!(ran.out.contains("the archive is as its manifest says"), "{}", ran.out);
    // The same record and the same report as at home.
    let path = archive.to_str().unwrap();
    for args in [&["audit"][..], &["audit", "--json"]] {
        let here = repo.tollgate(args).exits(0).out;
        let there = elsewhere.tollgate(&[args, &[path]].concat()).exits(0).out;
        assert_eq!(here, there, "{args:?}");
    }
    let report = elsewhere.tollgate(&["report", path]).exits(0).out;
    assert!(report.contains(&head) && report.contains("`UD-APPROVE-DESIGN`"), "{report}");
    let json = elsewhere.tollgate(&["audit", "--verify", "--json", path]).exits(0).out;
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["ok"], &json["last_hash"]), (&json!(true), &json!(head)));
    // What is no archive is not waited for, and a file that looks like a session is named.
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("a.tar.gz");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    elsewhere.verify(&pipe).exits(2).says("it is not a file");
    fs::copy(&archive, repo.root().join("plain")).unwrap();
    for args in [&["audit", "--verify", "plain"][..], &["report", "plain"]] {
        repo.tollgate(args).exits(2).says("`./plain` is the file of this name");
    }
    repo.tollgate(&["audit", "--verify", "./plain"]).exits(0);
}

/// The journal has no hash of what checks printed, so its own hash cannot show that it was changed.
#[test]
fn r194_the_hash_of_the_manifest_stands_for_every_file_and_that_of_the_journal_does_not() {
    let repo = done();
    let file = repo.outside("session.tar.gz");
    let path = file.to_str().unwrap();
    let json = repo.tollgate(&["export", "--json", "-o", path]).exits(0).out;
    let json: Value = serde_json::from_str(&json).unwrap();
    let manifest = json["manifest_hash"].as_str().unwrap();
    let said = repo.tollgate(&["export", "--force", "-o", path]).exits(0).out;
    assert!(said.contains(&format!("manifest hash {manifest}")), "{said}");
    let elsewhere = Elsewhere::new();
    let head = |hash: &str| elsewhere.tollgate(&["audit", "--verify", "--head", hash, path]);
    let of_journal = "not for the other files, such as what checks printed";
    head(manifest).exits(0).says("of the manifest: no file was changed");
    head(&manifest[..16]).exits(0);
    head(&last_hash(&repo)).exits(0).says(of_journal);
    let mut one = Parts::of(&fs::read(&file).unwrap());
    let log = one.entries.iter().find(|(path, _)| path.ends_with("stdout.log")).unwrap().0.clone();
    one.bytes(&log, |bytes| bytes.extend_from_slice(b"all 99 tests passed\n"));
    one.hash_again();
    fs::write(&file, one.packed()).unwrap();
    let ran = head(&last_hash(&repo)).exits(0);
    assert!(!ran.out.contains("nothing of the archive was changed"), "{}", ran.out);
    ran.says(of_journal);
    let ran = head(manifest).exits(1);
    assert!(ran.out.is_empty(), "{}", ran.out);
    ran.says("and the manifest has");
    let args = ["audit", "--json", "--head", &last_hash(&repo), path];
    let json: Value = serde_json::from_str(&elsewhere.tollgate(&args).exits(0).out).unwrap();
    assert!(json["known"]["record"].is_u64(), "{json}");
    // What cannot be a hash is told before anything is read or printed.
    for args in [["audit", "--head", "beef", "./nothing.tar.gz"], ["audit", "--head", "beef", path]]
    {
        let ran = elsewhere.tollgate(&args).exits(2);
        assert!(ran.out.is_empty(), "{}", ran.out);
        ran.says("is not a hash, or not enough of one");
    }
    // Words of the manifest stay on their line.
    let mut one = Parts::of(&fs::read(&file).unwrap());
    one.remove("commits.bundle");
    one.hash_again();
    one.manifest(|manifest| {
        manifest["left_out"] = json!([{"path": "commits.bundle", "why": "gone\nall is well"}]);
        manifest["commits"]["holds"] = json!([]);
    });
    one.sum_again();
    fs::write(&file, one.packed()).unwrap();
    let ran = elsewhere.verify(&file).exits(0);
    assert!(ran.out.contains("left out: gone all is well,"), "{}", ran.out);
}

#[test]
fn r194_an_archive_has_everything_and_its_commits_can_be_taken_over() {
    let repo = done();
    let archive = export(&repo, "session.tar.gz");
    let name = repo.session_name();
    let parts = entries(&fs::read(&archive).unwrap());
    let names: Vec<&str> = parts.iter().map(|(path, _)| path.as_str()).collect();
    for wanted in [
        "session/journal.jsonl",
        "session/status.json",
        "session/spec.md",
        "session/tasks.yaml",
        "session/evidence/gate-decisions.md",
        "session/dispatches/1/attempt-1/prompt.md",
        "session/dispatches/1/attempt-1/reply.json",
        "session/checks/1/1/stdout.log",
        "commits.bundle",
        "manifest.json",
        "manifest.json.sha256",
    ] {
        assert!(names.contains(&format!("{name}/{wanted}").as_str()), "{wanted} in {names:?}");
    }
    // Command lines and locks of this machine are nobody's business.
    let is_ours = |path: &&str| {
        ["/run.json", "/lock", "/started", "/opened-by"].iter().any(|end| path.ends_with(end))
    };
    assert_eq!(names.iter().copied().find(is_ours), None);
    let content = |path: &str| &parts.iter().find(|(known, _)| known.ends_with(path)).unwrap().1;
    assert_eq!(
        *content("session/journal.jsonl"),
        fs::read(repo.session().join("journal.jsonl")).unwrap()
    );
    // A clone from before the work takes the branch from the bundle.
    let bundle = repo.outside("commits.bundle");
    fs::write(&bundle, content("commits.bundle")).unwrap();
    let clone = repo.outside("clone");
    repo.git(&[
        "clone",
        "--quiet",
        "--single-branch",
        "--branch",
        "main",
        ".",
        clone.to_str().unwrap(),
    ]);
    let refs = format!("refs/heads/tollgate/{name}:refs/heads/taken");
    repo.git(&["-C", clone.to_str().unwrap(), "fetch", "--quiet", bundle.to_str().unwrap(), &refs]);
    let taken = repo.git(&["-C", clone.to_str().unwrap(), "rev-parse", "taken"]);
    assert_eq!(taken, repo.git(&["rev-parse", &format!("tollgate/{name}")]));
    // Any tool checks the manifest, and the manifest has the hash of everything.
    let manifest: Value = serde_json::from_slice(content("manifest.json")).unwrap();
    assert_eq!(manifest["entries"].as_array().unwrap().len(), parts.len() - 2);
    assert_eq!(manifest["left_out"], json!([]));
}

#[test]
fn r194_two_exports_of_the_same_session_are_the_same_bytes() {
    let repo = done();
    let first = fs::read(export(&repo, "first.tar.gz")).unwrap();
    repo.git(&["gc", "--quiet", "--aggressive", "--prune=now"]);
    repo.tollgate(&["report", "--html", "-o", repo.outside("r.html").to_str().unwrap()]).exits(0);
    let second = fs::read(export(&repo, "second.tar.gz")).unwrap();
    assert!(first == second, "{} and {} bytes", first.len(), second.len());
    let streamed = repo.command(&["export", "-o", "-"]).output().unwrap();
    assert!(streamed.stdout == first, "to standard output");
}

#[test]
fn r194_a_file_is_not_overwritten_and_nothing_half_written_is_left() {
    let repo = done();
    let folder = repo.outside("archives");
    fs::create_dir(&folder).unwrap();
    let file = folder.join("a.tar.gz");
    fs::write(&file, "mine").unwrap();
    let path = file.to_str().unwrap();
    repo.tollgate(&["export", "-o", path]).exits(2).says("exists already").says("--force");
    assert_eq!(fs::read(&file).unwrap(), b"mine");
    repo.tollgate(&["export", "-o", path, "--force"]).exits(0);
    assert_ne!(fs::read(&file).unwrap(), b"mine");
    repo.tollgate(&["export", "-o", "/dev/null", "--force"]).exits(2).says("is not a file");
    // It fails after most of it was written.
    fs::remove_file(&file).unwrap();
    let mut without_room = repo.command(&["export", "-o", path]);
    let failed = ran(without_room.env("TMPDIR", repo.outside("nowhere"))).exits(2);
    assert!(failed.err.contains("cannot write the archive"), "{}", failed.err);
    assert_eq!(files_below(&folder), Vec::<PathBuf>::new());
    // A full disk is told.
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = repo.command(&["export", "-o", "-"]).stdout(full).output().unwrap();
    let words = crate::support::text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{words}");
    assert!(words.contains("No space left on device"), "{words}");
    // So is one that nobody gets.
    let mut closed = Command::new("sh");
    closed.args(["-c", "exec \"$0\" -C \"$1\" export -o - >&-", env!("CARGO_BIN_EXE_tollgate")]);
    ran(closed.arg(repo.root())).exits(2).says("standard output is closed");
    let ran = repo.command(&["export", "-o", "-"]).stdout(Stdio::null()).status().unwrap();
    assert_eq!(ran.code(), Some(0), "who wants no bytes gets none");
}

#[test]
fn r194_links_in_the_folder_of_a_session_are_not_followed() {
    let repo = done();
    let secret = repo.outside("secret");
    fs::write(&secret, "do not export").unwrap();
    std::os::unix::fs::symlink(&secret, repo.session().join("notes.md")).unwrap();
    std::os::unix::fs::symlink(repo.outside("home"), repo.session().join("evidence/home")).unwrap();
    fs::write(repo.outside("home/also"), "do not export").unwrap();
    let file = repo.outside("a.tar.gz");
    let ran = repo.tollgate(&["export", "-o", file.to_str().unwrap()]).exits(0);
    ran.says("session/notes.md: it is a link");
    let parts = entries(&fs::read(&file).unwrap());
    assert!(!parts.iter().any(|(_, bytes)| bytes == b"do not export"));
    Elsewhere::new().verify(&file).exits(0);
}

#[test]
fn r194_a_running_session_is_exported_up_to_a_whole_commit() {
    let repo = Repo::new();
    let signals = repo.open_outside("signals");
    let wait = format!("until [ -e {}/go ]; do sleep 0.05; done", signals.display());
    repo.crew(
        json!([{"when": {"role": "Coder"}, "do": {"default": true, "run": ["sh", "-c", wait]}}]),
    );
    repo.run().exits(3);
    repo.answer(APPROVE.0, APPROVE.1).exits(3);
    let engine = repo.start(&["answer", "latest", PER_BATCH.0, PER_BATCH.1, "--resume"]);
    eventually("the Coder", || repo.starts_of("Coder") == 1);
    let early = export(&repo, "early.tar.gz");
    let parts = entries(&fs::read(&early).unwrap());
    let journal = &parts.iter().find(|(path, _)| path.ends_with("journal.jsonl")).unwrap().1;
    let whole = fs::read(repo.session().join("journal.jsonl")).unwrap();
    assert!(whole.starts_with(journal) && journal.ends_with(b"\n"));
    let elsewhere = Elsewhere::new();
    elsewhere.verify(&early).exits(0);
    fs::write(signals.join("go"), "").unwrap();
    let ended = engine.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(0), "{}", crate::support::text(&ended.stderr));
    // What was known then is in the middle of what there is now.
    let line: Value =
        serde_json::from_slice(journal.split(|b| *b == b'\n').rev().nth(1).unwrap()).unwrap();
    let late = export(&repo, "late.tar.gz");
    let head = line["hash"].as_str().unwrap();
    let ran = elsewhere.tollgate(&["audit", "--head", head, late.to_str().unwrap()]).exits(0);
    ran.says(&format!("is of record {}", line["seq"]));
    let late = last_hash(&repo);
    let ran = elsewhere.tollgate(&["audit", "--head", &late, early.to_str().unwrap()]).exits(1);
    ran.says("no record has the hash");
}

#[test]
fn r194_a_torn_end_of_the_journal_is_not_exported_and_a_damaged_one_is_refused() {
    let repo = done();
    let journal = repo.session().join("journal.jsonl");
    let whole = fs::read(&journal).unwrap();
    let records = whole.split(|byte| *byte == b'\n').count() - 1;
    let torn = format!("{}{{\"seq\":{},\"at\":\"20", String::from_utf8_lossy(&whole), records + 1);
    fs::write(&journal, torn).unwrap();
    let archive = export(&repo, "torn.tar.gz");
    Elsewhere::new().verify(&archive).exits(0);
    let text = String::from_utf8(whole).unwrap().replacen("approved", "aproved!", 1);
    fs::write(&journal, text).unwrap();
    let file = repo.outside("damaged.tar.gz");
    let path = file.to_str().unwrap();
    repo.tollgate(&["export", "-o", path]).exits(6).says("is damaged at line");
    repo.tollgate(&["report"]).exits(6).says("is damaged at line");
    repo.tollgate(&["report", "--html"]).exits(6).says("is damaged at line");
    assert!(!file.exists());
}

#[test]
fn r194_whatever_is_changed_in_an_archive_is_told_by_its_name() {
    let repo = done();
    let original = fs::read(export(&repo, "session.tar.gz")).unwrap();
    let elsewhere = Elsewhere::new();
    let parts = || Parts::of(&original);
    assert!(parts().packed() == original, "the test packs as the program does");
    let check =
        |what: &str, archive: Vec<u8>, words: &[&str]| elsewhere.refuses(&archive, what, words);

    let mut one = parts();
    one.change("session/spec.md", |text| text.replace("Add", "Sub"));
    check("changed content", one.packed(), &["session/spec.md: its content was changed"]);
    let mut one = parts();
    one.remove("session/evidence/gate-decisions.md");
    check("removed", one.packed(), &["session/evidence/gate-decisions.md: it was removed"]);
    let mut one = parts();
    one.insert(3, "session/extra.md", b"more\n");
    check("added", one.packed(), &["session/extra.md: it was added"]);
    let mut one = parts();
    one.entries.swap(0, 1);
    check("moved", one.packed(), &["it does not stand where it was written"]);
    let mut one = parts();
    let twice = one.entries[0].clone();
    one.entries.insert(1, twice);
    check("twice", one.packed(), &["it is there twice"]);
    let mut one = parts();
    one.change("manifest.json", |text| text.replace("\"left_out\": []", "\"left_out\": [ ]"));
    check("manifest", one.packed(), &["manifest.json: its content was changed"]);
    one.sum_again();
    check("manifest in another form", one.packed(), &["manifest.json"]);
    let mut one = parts();
    one.remove("manifest.json.sha256");
    check("no sum", one.packed(), &["manifest.json.sha256: it was removed"]);
    let mut one = parts();
    one.remove("manifest.json");
    check("no manifest", one.packed(), &["manifest.json: it was removed"]);

    for part in [1, 5, 11, original.len() / 2, original.len() - 9, original.len() - 1] {
        check(&format!("cut to {part} bytes"), original[..part].to_vec(), &[]);
    }
    check(
        "cut in the middle",
        original[..original.len() / 2].to_vec(),
        &["it ends too early, after session/"],
    );
    check("bytes behind it", [&original[..], b"x"].concat(), &["something follows where it ends"]);
    check(
        "another one behind it",
        [&original[..], &original[..]].concat(),
        &["something follows where it ends"],
    );
    let mut tape = raw(&original);
    tape.extend_from_slice(&[0; 512]);
    check("blocks behind it", gzipped(&tape), &["something follows where it ends"]);
    let mut tape = raw(&original);
    let first = parts().entries[0].1.len();
    assert_ne!(first % 512, 0, "there is room behind the first content");
    tape[512 + first] = 1;
    check("behind a content", gzipped(&tape), &["what stands around its content was changed"]);
    let mut one = parts();
    one.insert(0, "session/journal.jsonl/x", b"x");
    check("a file below a file", one.packed(), &["session/journal.jsonl/x: it was added"]);
    let mut tape = raw(&original);
    tape[100..107].copy_from_slice(b"0000777");
    check("mode", gzipped(&tape), &["what stands around its content was changed"]);
}

#[test]
fn r194_who_writes_the_hashes_again_is_found_by_the_journal_and_the_commits() {
    let repo = done();
    let original = fs::read(export(&repo, "session.tar.gz")).unwrap();
    let elsewhere = Elsewhere::new();
    let parts = || Parts::of(&original);
    let check = |what: &str, mut parts: Parts, words: &[&str]| {
        parts.hash_again();
        elsewhere.refuses(&parts.packed(), what, words);
    };
    let mut one = parts();
    one.change("session/journal.jsonl", |text| text.replacen("approved", "aproved!", 1));
    check(
        "a record",
        one,
        &["the journal does not hold", "session/journal.jsonl is damaged at line"],
    );
    let mut one = parts();
    one.change("session/journal.jsonl", |text| {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        lines[..lines.len() - 1].concat()
    });
    check("the last record", one, &["the journal"]);
    let mut one = parts();
    one.change("session/journal.jsonl", |text| {
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        lines.swap(4, 5);
        lines.concat()
    });
    check("the order of records", one, &["the journal does not hold"]);
    let mut one = parts();
    one.change("session/journal.jsonl", |text| {
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        lines.remove(4);
        lines.concat()
    });
    check("a record in the middle", one, &["the journal does not hold"]);
    let mut one = parts();
    one.manifest(|manifest| manifest["chain"]["last_hash"] = json!("0".repeat(64)));
    check("the head", one, &["but the manifest says"]);
    let mut one = parts();
    one.manifest(|manifest| manifest["commits"] = Value::Null);
    check("no commits", one, &["commits.bundle"]);
    let mut one = parts();
    one.remove("commits.bundle");
    check("the bundle", one, &["commits.bundle: it was removed"]);
    let mut one = parts();
    one.bytes("commits.bundle", |bytes| {
        let last = bytes.len() - 30;
        bytes[last] ^= 1;
    });
    check("a byte of a commit", one, &["commits.bundle"]);
    let mut one = parts();
    one.manifest(|manifest| manifest["commits"]["tip"] = manifest["commits"]["needs"][0].clone());
    check("the tip", one, &["commits.bundle: the manifest names another commit than the journal"]);
    let mut one = parts();
    one.manifest(|manifest| manifest["format"] = json!(2));
    check("a newer form", one, &["newer than this version"]);
    let mut one = parts();
    one.manifest(|manifest| manifest["session"] = json!("2026-01-01_another"));
    check("another session", one, &["manifest.json"]);
    // Documents are in the journal by their hash.
    let mut one = parts();
    one.change("session/spec.md", |text| text.replace("Add", "Sub"));
    one.hash_again();
    let file = repo.outside("edited.tar.gz");
    fs::write(&file, one.packed()).unwrap();
    elsewhere.verify(&file).exits(0).says("spec.md was changed after the journal recorded it");
    let mut one = parts();
    one.remove("session/spec.md");
    one.hash_again();
    fs::write(&file, one.packed()).unwrap();
    elsewhere.verify(&file).exits(0).says("spec.md was recorded in the journal");
    // The statuses that Tollgate wrote into the plan are none of it.
    let ran = elsewhere.verify(&export(&repo, "whole.tar.gz")).exits(0);
    assert!(!ran.err.contains("note:"), "{}", ran.err);
}

/// What a check of an archive cannot show by itself, and how it is found.
#[test]
fn r194_who_writes_the_whole_journal_again_is_found_by_a_hash_that_was_kept() {
    let repo = done();
    let original = fs::read(export(&repo, "session.tar.gz")).unwrap();
    let head = last_hash(&repo);
    let mut forged = Parts::of(&original);
    forged.change("session/journal.jsonl", |text| {
        tamper::chained(&text.replacen("\"approved\"", "\"approved: by the boss\"", 1))
    });
    forged.hash_again();
    let file = repo.outside("forged.tar.gz");
    fs::write(&file, forged.packed()).unwrap();
    let elsewhere = Elsewhere::new();
    let path = file.to_str().unwrap();
    elsewhere.verify(&file).exits(0);
    elsewhere
        .tollgate(&["audit", "--verify", "--head", &head, path])
        .exits(1)
        .says("no record has the hash");
    let json = elsewhere.tollgate(&["audit", "--json", "--head", &head, path]).exits(1).out;
    assert_eq!(serde_json::from_str::<Value>(&json).unwrap()["ok"], json!(false));
    elsewhere.tollgate(&["audit", "--head", "beef", path]).exits(2);
    // At home, too.
    repo.tollgate(&["audit", "--verify", "--head", &head[..16]]).exits(0);
    repo.tollgate(&["audit", "--verify", "--head", &"0".repeat(64)]).exits(1);
}

#[test]
fn r194_every_flipped_bit_is_found() {
    let repo = Repo::new();
    repo.run().exits(3);
    let original = fs::read(export(&repo, "session.tar.gz")).unwrap();
    let elsewhere = Elsewhere::new();
    let file = repo.outside("flipped.tar.gz");
    let head: Vec<usize> = (0..12).collect();
    let tail = original.len() - 8..original.len();
    let middle = (12..original.len()).step_by(original.len() / 40);
    for at in head.into_iter().chain(middle).chain(tail) {
        let mut flipped = original.clone();
        flipped[at] ^= 1 << (at % 8);
        fs::write(&file, flipped).unwrap();
        let ran = elsewhere.verify(&file);
        assert_eq!(ran.code, 6, "byte {at} of {}: {ran:?}", original.len());
    }
}

#[test]
fn r194_an_archive_that_is_meant_to_harm_does_nothing() {
    let repo = done();
    let original = fs::read(export(&repo, "session.tar.gz")).unwrap();
    let name = repo.session_name();
    let elsewhere = Elsewhere::new();
    let with = |change: &dyn Fn(&mut tar::Header) -> Vec<u8>| {
        let mut header = tar::Header::new_gnu();
        header.set_mode(0o644);
        header.set_uid(0);
        header.set_gid(0);
        header.set_mtime(Parts::of(&original).mtime);
        header.set_size(0);
        let content = change(&mut header);
        header.set_cksum();
        let mut tape = header.as_bytes().to_vec();
        tape.extend_from_slice(&content);
        tape.resize(tape.len().next_multiple_of(512), 0);
        tape.extend_from_slice(&raw(&original));
        gzipped(&tape)
    };
    let named = |path: &[u8], kind: tar::EntryType, link: &str| {
        with(&|header| {
            header.as_old_mut().name[..path.len()].copy_from_slice(path);
            header.set_entry_type(kind);
            if !link.is_empty() {
                header.set_link_name(link).unwrap();
            }
            if kind == tar::EntryType::Regular {
                header.set_size(5);
                return b"harm\n".to_vec();
            }
            Vec::new()
        })
    };
    let file = tar::EntryType::Regular;
    let inside = |path: &str| format!("{name}/{path}").into_bytes();
    for path in
        ["../harm", "/tmp/harm", "harm", "./harm", "session/harm", "2026-01-01_other/session/harm"]
    {
        elsewhere.refuses(
            &named(path.as_bytes(), file, ""),
            path,
            &["no export gives such a name"],
        );
    }
    for path in [
        "session/../../../harm",
        "session//harm",
        "session/./harm",
        "other/harm",
        "manifest.json/harm",
    ] {
        elsewhere.refuses(&named(&inside(path), file, ""), path, &["no export gives such a name"]);
    }
    let bad = [&inside("session/")[..], b"\xff\xfe"].concat();
    elsewhere.refuses(&named(&bad, file, ""), "not UTF-8", &["no export gives such a name"]);
    let sign = inside("session/\u{1b}[2Jx");
    let place = tempfile::tempdir().unwrap();
    let hostile = place.path().join("a.tar.gz");
    fs::write(&hostile, named(&sign, file, "")).unwrap();
    let ran = elsewhere.verify(&hostile).exits(6);
    assert!(!ran.err.contains('\u{1b}'), "{:?}", ran.err);
    for (kind, words) in [
        (tar::EntryType::Symlink, "it is a symbolic link"),
        (tar::EntryType::Link, "it is a link"),
        (tar::EntryType::Char, "it is a device"),
        (tar::EntryType::Block, "it is a device"),
        (tar::EntryType::Fifo, "it is a pipe"),
        (tar::EntryType::Directory, "it is a folder"),
        (tar::EntryType::XGlobalHeader, "of another kind"),
        (tar::EntryType::GNUSparse, "of another kind"),
    ] {
        let link = if matches!(words, "it is a symbolic link" | "it is a link") {
            "/etc/passwd"
        } else {
            ""
        };
        elsewhere.refuses(&named(&inside("session/journal.jsonl"), kind, link), words, &[words]);
    }
    // Sizes that nobody has: of one, of all, of a name.
    let claims = |path: Vec<u8>, size: u64, kind: tar::EntryType| {
        with(&|header| {
            header.as_old_mut().name[..path.len()].copy_from_slice(&path);
            header.set_entry_type(kind);
            header.set_size(size);
            Vec::new()
        })
    };
    for (path, size) in [
        ("session/zeros", (1_u64 << 30) + 1),
        ("session/zeros", 1 << 62),
        ("session/journal.jsonl", (512 << 20) + 1),
        ("manifest.json", (64 << 20) + 1),
    ] {
        elsewhere.refuses(
            &claims(inside(path), size, file),
            path,
            &["it is larger than any session"],
        );
    }
    let long = claims(b"././@LongLink".to_vec(), 1 << 29, tar::EntryType::GNULongName);
    elsewhere.refuses(&long, "a long name", &["it is larger than any session"]);
    // A bomb: some kilobytes that are much more.
    let zeros = with(&|header| {
        let path = inside("session/zeros");
        header.as_old_mut().name[..path.len()].copy_from_slice(&path);
        header.set_entry_type(file);
        header.set_size(48 << 20);
        vec![0; 48 << 20]
    });
    assert!(zeros.len() < 1 << 20);
    elsewhere.refuses(&zeros, "a bomb", &["session/zeros: it was added"]);
    elsewhere.refuses(&tarred(&[]), "nothing", &["manifest.json: it was removed"]);
    elsewhere.refuses(b"#!/bin/sh\n", "no archive", &["it is no archive"]);
    elsewhere.refuses(b"", "an empty file", &["it is no archive"]);
    elsewhere.tollgate(&["audit", "--verify", "nothing.tar.gz"]).exits(2);
    elsewhere.tollgate(&["audit", "--verify", "./"]).exits(2);
}

/// A bundle that git would unpack without an end is refused before git sees it.
#[test]
fn r194_a_pack_that_is_larger_than_it_says_is_refused() {
    let repo = done();
    let original = fs::read(export(&repo, "session.tar.gz")).unwrap();
    let elsewhere = Elsewhere::new();
    let with_pack = |objects: &[u8], count: u32| {
        let mut parts = Parts::of(&original);
        parts.bytes("commits.bundle", |bytes| {
            let begin = bytes.windows(4).position(|four| four == b"PACK").unwrap();
            bytes.truncate(begin);
            bytes.extend_from_slice(b"PACK\0\0\0\x02");
            bytes.extend_from_slice(&count.to_be_bytes());
            bytes.extend_from_slice(objects);
            bytes.extend_from_slice(&[0; 20]);
        });
        parts.hash_again();
        parts.packed()
    };
    let zeros = tamper::deflated(&vec![0; 1 << 20]);
    let (wrong_size, too_large) = ("the size that it says", "larger or of another kind");
    for (what, head, words) in [
        ("a small size", vec![0x3a], wrong_size),
        ("a size without an end", vec![0xbf; 12], "larger than any"),
        ("a difference", vec![0x7a], too_large),
        ("a size above all limits", vec![0xbf, 0xff, 0xff, 0xff, 0xff, 0x7f], too_large),
    ] {
        elsewhere.refuses(&with_pack(&[head, zeros.clone()].concat(), 1), what, &[words]);
    }
    elsewhere.refuses(&with_pack(&[], u32::MAX), "too many", &["it has no pack"]);
    elsewhere.refuses(&with_pack(&[], 1), "none", &[too_large]);
}
