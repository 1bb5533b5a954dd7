//! `tollgate scope` in real repositories, as people and CI use it.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::support;

use expect_test::{Expect, expect};
use serde_json::Value;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, UNIX_EPOCH};
use support::{Ran, Repo, ran};

/// A work item whose scope is this.
fn item(in_scope: &[&str], out_of_scope: &[&str]) -> String {
    let list = |paths: &[&str]| paths.iter().map(|path| format!("- {path}\n")).collect::<String>();
    let out = if out_of_scope.is_empty() { "- None\n".to_owned() } else { list(out_of_scope) };
    format!(
        "## Objective\n\nCarts remember their items.\n\n## Spec Reference\n\n- Spec: `docs/cart.md`\n\
         - Section(s): Storage\n\n## Scope\n\n### In Scope\n\n{}\n### Out of Scope\n\n{out}\n\
         ## Acceptance Criteria\n\n- [ ] Carts are kept\n\n## Context\n\nNothing more.\n\n\
         ## Constraints\n\nNo new dependency.\n",
        list(in_scope)
    )
}

/// A repository with some files in a commit, and a work item outside it for `src/cart.ts` and `lib/`.
fn repo() -> Repo {
    let repo = Repo::bare();
    for path in ["src/cart.ts", "src/user.ts", "lib/a.ts", "lib/b.ts", "docs/old.md", "run.sh"] {
        repo.write(path, &format!("the first content of {path}\nwith two lines\n"));
    }
    repo.git(&["init", "--quiet", "--initial-branch=main"]);
    repo.git(&["add", "--all"]);
    repo.git(&["commit", "--quiet", "--message", "start"]);
    fs::write(repo.outside("item.md"), item(&["src/cart.ts", "lib/"], &[])).unwrap();
    repo
}

fn scope(repo: &Repo, more: &[&str]) -> Ran {
    let args: Vec<&str> =
        ["scope", "--work-item", "../item.md"].into_iter().chain(more.iter().copied()).collect();
    repo.tollgate(&args)
}

/// Path, change and class of every file, one a line.
#[track_caller]
fn rows(ran: &Ran) -> String {
    let answer: Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{ran:?}"));
    let files = answer["files"].as_array().unwrap();
    assert_eq!(answer["ok"], !files.iter().any(|file| file["class"] == "violation"));
    let word = |file: &Value, key: &str| file[key].as_str().unwrap().to_owned();
    let line =
        |file: &Value| ["path", "change_type", "class"].map(|key| word(file, key)).join("  ");
    files
        .iter()
        .map(|file| line(file).replace('\u{1b}', "ESC").replace('\n', "LF") + "\n")
        .collect()
}

/// The rows of a command, compared below.
struct Found(String);

impl Found {
    fn shows(&self, expected: Expect) {
        expected.assert_eq(&self.0);
    }
}

#[track_caller]
fn found(repo: &Repo, more: &[&str]) -> Found {
    let args: Vec<&str> = ["--json"].into_iter().chain(more.iter().copied()).collect();
    let ran = scope(repo, &args);
    let rows = rows(&ran);
    assert_eq!(ran.code, i32::from(rows.contains("  violation")), "{ran:?}");
    Found(rows)
}

#[test]
fn r095_listed_files_and_tests_beside_them_hold() {
    let repo = repo();
    scope(&repo, &[]).exits(0).says("ok: nothing changed");
    repo.write("src/cart.ts", "changed\n");
    repo.write("src/cart.test.ts", "new\n");
    repo.write("lib/deep/new.ts", "new\n");
    found(&repo, &[]).shows(expect![[r#"
        lib/deep/new.ts  added  primary
        src/cart.test.ts  added  test
        src/cart.ts  modified  primary
    "#]]);
}

#[test]
fn r104_every_kind_of_change_is_seen() {
    let repo = repo();
    let root = repo.root();
    repo.write("src/user.ts", "changed\n");
    repo.write("new.ts", "untracked\n");
    fs::remove_file(root.join("docs/old.md")).unwrap();
    repo.git(&["mv", "lib/a.ts", "moved.ts"]);
    fs::set_permissions(root.join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::remove_file(root.join("lib/b.ts")).unwrap();
    symlink("/etc/passwd", root.join("lib/b.ts")).unwrap();
    symlink("../src/user.ts", root.join("lib/link")).unwrap();
    symlink("../..", root.join("lib/out")).unwrap();
    repo.write(".gitignore", "ignored\n");
    repo.write("ignored", "not part of anything\n");
    found(&repo, &[]).shows(expect![[r#"
        .gitignore  added  violation
        docs/old.md  deleted  violation
        lib/b.ts  modified  violation
        lib/link  added  primary
        lib/out  added  violation
        moved.ts  renamed  violation
        lib/a.ts  deleted  primary
        new.ts  added  violation
        run.sh  modified  violation
        src/user.ts  modified  violation
    "#]]);
    // The same as commits: no working tree is looked at.
    repo.git(&["add", "--all"]);
    repo.git(&["commit", "--quiet", "--message", "work"]);
    let between = scope(&repo, &["--json", "--base", "HEAD~1", "--head", "HEAD"]);
    let uncommitted = scope(&repo, &["--json", "--base", "HEAD~1"]);
    assert_eq!(rows(&between), rows(&uncommitted));
    assert!(rows(&between).contains("lib/out  added  violation"), "{between:?}");
    found(&repo, &["--base", "HEAD"]).shows(expect![""]);
}

#[test]
fn a_file_that_left_the_index_and_still_exists_is_one_change() {
    let repo = repo();
    repo.git(&["rm", "--quiet", "--cached", "src/user.ts"]);
    repo.write("src/cart.ts", "staged\n");
    repo.git(&["add", "src/cart.ts"]);
    fs::remove_file(repo.root().join("src/cart.ts")).unwrap();
    found(&repo, &[]).shows(expect![[r#"
        src/cart.ts  deleted  primary
        src/user.ts  modified  violation
    "#]]);
}

#[test]
fn r104_repositories_inside_count_as_their_name() {
    let repo = repo();
    let other = repo.outside("other");
    repo.git(&["clone", "--quiet", ".", other.to_str().unwrap()]);
    let add = ["-c", "protocol.file.allow=always", "submodule", "add", "--quiet"];
    repo.git(&[&add[..], &[other.to_str().unwrap(), "vendor"]].concat());
    repo.git(&["clone", "--quiet", ".", "nested"]);
    found(&repo, &[]).shows(expect![[r#"
        .gitmodules  added  violation
        nested  added  violation
        vendor  added  violation
    "#]]);
}

#[test]
fn r104_hostile_names_are_seen_shown_harmless_and_never_in_scope_by_accident() {
    let repo = repo();
    let names: [&[u8]; 6] = [
        b"lib/\xff.ts",
        b"lib/a b.ts",
        b"lib/new\nprimary   modified  fake",
        b"lib/quote\".ts",
        b"src/CART.ts",
        b"\x1b[2Jclear",
    ];
    for name in names {
        fs::write(repo.root().join(OsStr::from_bytes(name)), "x").unwrap();
    }
    found(&repo, &[]).shows(expect![[r#"
        ESC[2Jclear  added  violation
        lib/\xff.ts  added  violation
        lib/a b.ts  added  primary
        lib/newLFprimary   modified  fake  added  violation
        lib/quote".ts  added  primary
        src/CART.ts  added  violation
    "#]]);
    for form in [&[][..], &["--json"], &["--sarif"]] {
        let ran = scope(&repo, form).exits(1);
        assert!(!ran.out.contains('\u{1b}') && !ran.err.contains('\u{1b}'), "{ran:?}");
    }
    let shown = scope(&repo, &[]).exits(1).out;
    assert!(!shown.lines().any(|line| line.starts_with("primary   modified  fake")), "{shown}");
    assert_eq!(shown.lines().count(), 6, "{shown}");
    repo.git(&["add", "--all"]);
    assert_eq!(scope(&repo, &["--json"]).exits(1).out.matches("\"path\"").count(), 6);
}

#[test]
fn r100_people_scripts_and_services_each_get_their_own_format() {
    let repo = repo();
    repo.write("src/cart.ts", "changed\n");
    repo.write("src/user.ts", "changed\n");
    let ran = scope(&repo, &[]);
    expect![[r#"
        primary    modified  src/cart.ts
        violation  modified  src/user.ts  not listed in scope; nearest entry src/cart.ts
        failed: not all changes are in the scope of ../item.md: 1 primary, 1 violation
          help: undo these changes or move them to their own work item; or list them under In Scope, declare them in the result (--result), or have the owner allow them (--authorized)
        exit 1
    "#]]
    .assert_eq(&format!("{}{}exit {}\n", ran.out, ran.err, ran.code));
    expect![[r#"
        {
          "ok": false,
          "files": [
            {
              "path": "src/cart.ts",
              "change_type": "modified",
              "class": "primary",
              "reason": null
            },
            {
              "path": "src/user.ts",
              "change_type": "modified",
              "class": "violation",
              "reason": "not listed in scope; nearest entry src/cart.ts"
            }
          ]
        }
    "#]]
    .assert_eq(&scope(&repo, &["--json"]).exits(1).out);
    let sarif = scope(&repo, &["--sarif"]).exits(1);
    let found = tollgate_contract::sarif::read(&sarif.out, "scope.sarif").unwrap();
    assert_eq!(found.len(), 1, "only what is out of scope");
    assert_eq!(found[0].file.as_deref(), Some("src/user.ts"));
    assert_eq!(found[0].severity.as_str(), "medium", "a warning, which rejects nothing");
    assert_eq!(sarif.err, "");
    scope(&repo, &["--sarif", "--json"]).exits(2);
}

#[test]
fn r096_r097_r099_declarations_and_the_owner_s_word_count() {
    let repo = repo();
    for path in ["src/user.ts", "docs/old.md", "run.sh"] {
        repo.write(path, "changed\n");
    }
    repo.write("src/cart.ts", "changed\n");
    let result = r#"{"role": "implementor", "outcome": "completed",
        "summary": "Carts are kept. Also touched run.sh, as the owner asked.",
        "incidental": [{"path": "src/user.ts", "reason": "a type moved", "behaviour_preserving": true,
                        "motivated_by": "src/cart.ts", "narrow": true}],
        "scope_corrections": [{"listed": "lib/", "actual": "docs/old.md", "reason": "it is described there"}]}"#;
    fs::write(repo.outside("result.json"), result).unwrap();
    fs::write(repo.outside("allowed"), "# by the owner\n\nrun.sh\n").unwrap();
    found(&repo, &["--result", "../result.json", "--authorized", "../allowed"]).shows(expect![[
        r#"
        docs/old.md  modified  corrected
        run.sh  modified  authorized
        src/cart.ts  modified  primary
        src/user.ts  modified  incidental
    "#
    ]]);
    found(&repo, &[]).shows(expect![[r#"
        docs/old.md  modified  violation
        run.sh  modified  violation
        src/cart.ts  modified  primary
        src/user.ts  modified  violation
    "#]]);
}

#[test]
fn it_works_from_a_folder_below_in_worktrees_and_detached() {
    let repo = repo();
    repo.write("src/user.ts", "changed\n");
    let mut below = repo.command(&["scope", "--work-item", "../../item.md", "--json"]);
    assert_eq!(
        rows(&ran(below.current_dir(repo.root().join("lib")))),
        "src/user.ts  modified  violation\n"
    );
    repo.git(&["worktree", "add", "--quiet", "--detach", "../tree"]);
    fs::write(repo.outside("tree/lib/new.ts"), "x").unwrap();
    let mut tree = repo.command(&["scope", "--work-item", "../item.md", "--json"]);
    assert_eq!(rows(&ran(tree.current_dir(repo.outside("tree")))), "lib/new.ts  added  primary\n");
}

#[test]
fn a_repository_without_a_commit_is_compared_with_nothing() {
    let repo = Repo::bare();
    fs::write(repo.outside("item.md"), item(&["src/"], &[])).unwrap();
    repo.git(&["init", "--quiet"]);
    repo.write("src/staged", "x");
    repo.git(&["add", "src/staged"]);
    repo.write("src/new", "x");
    found(&repo, &[]).shows(expect![[r#"
        src/new  added  primary
        src/staged  added  primary
        tollgate.toml  added  violation
    "#]]);
}

#[test]
fn revisions_are_what_git_calls_them() {
    let repo = repo();
    repo.git(&["tag", "-a", "v1", "-m", "first"]);
    repo.write("src/user.ts", "changed\n");
    repo.git(&["commit", "--quiet", "--all", "--message", "second"]);
    let short = repo.git(&["rev-parse", "--short", "HEAD~1"]);
    for base in ["v1", "main~1", short.trim(), "HEAD^"] {
        let ran = scope(&repo, &["--json", "--base", base]);
        assert_eq!(rows(&ran), "src/user.ts  modified  violation\n", "{base}");
    }
    for base in ["nowhere", "--output=x", "-", "", "v1..HEAD", "HEAD:run.sh", "^v1"] {
        let ran = scope(&repo, &["--base", base]).exits(2).says("tollgate explain cli.revision");
        assert!(ran.out.is_empty(), "{ran:?}");
        scope(&repo, &["--base", "HEAD", "--head", base]).exits(2);
    }
    assert!(!repo.root().join("x").exists());
    repo.git(&["clone", "--quiet", "--bare", ".", "../bare"]);
    let two = ["scope", "--work-item", "../item.md", "--json", "--base", "v1", "--head", "main"];
    let bare = ran(repo.command(&two).current_dir(repo.outside("bare")));
    bare.exits(2).says("has no files checked out");
    repo.git(&[
        "clone",
        "--quiet",
        "--depth=1",
        &format!("file://{}", repo.root().display()),
        "../shallow",
    ]);
    let mut shallow = repo.command(&["scope", "--work-item", "../item.md", "--base", "HEAD~1"]);
    ran(shallow.current_dir(repo.outside("shallow"))).exits(2).says("git fetch --unshallow");
}

#[test]
fn an_unreadable_document_is_distinguished_from_an_invalid_one() {
    let repo = repo();
    let write = |name: &str, text: &str| fs::write(repo.outside(name), text).unwrap();
    write("no-item.md", "# Notes\n\nNothing.\n");
    write(
        "refinement.md",
        "## Ambiguity\n\nWhat?\n\n## Spec Reference\n\n- Spec: `a.md`\n- Section(s): B\n- Quote: \"c\"\n\n\
        ## Options\n\n1. **A** — one\n2. **B** — two\n\n## Recommendation\n\nA.\n\n## Blocked Tasks\n\nAll.\n",
    );
    write(
        "reviewer.json",
        r#"{"role": "reviewer", "review": {"verdict": "approve", "summary": "x", "comments": []}}"#,
    );
    write("up", "../outside\n");
    let run = |args: &[&str], words: &str| {
        let args: Vec<&str> = ["scope"].into_iter().chain(args.iter().copied()).collect();
        let ran = repo.tollgate(&args).exits(2).says(words);
        assert!(ran.out.is_empty(), "{ran:?}");
    };
    run(&["--work-item", "../gone.md"], "cli.unreadable");
    run(&["--work-item", "../no-item.md"], "Objective");
    run(&["--work-item", "../refinement.md"], "has no scope");
    run(&["--work-item", "../item.md", "--result", "../reviewer.json"], "../reviewer.json#/role");
    run(&["--work-item", "../item.md", "--authorized", "../up"], "\"../outside\"");
    run(&["--work-item", "-", "--authorized", "-"], "only one");
    run(&[], "--work-item");
    let outside = |folder: &str| {
        let mut command =
            repo.command(&["scope", "--work-item", repo.outside("item.md").to_str().unwrap()]);
        ran(command.current_dir(repo.outside(folder))).exits(2).says("cli.repository");
    };
    outside("home");
    repo.git(&["clone", "--quiet", "--bare", ".", "../bare"]);
    outside("bare");
}

#[test]
fn the_files_of_the_command_itself_do_not_count_while_untracked() {
    let repo = repo();
    let text = item(&["lib/"], &[]);
    repo.write("item.md", &text);
    repo.write(".agents-work/2026-01-02_x/work-items/T-001.md", &text);
    let run = |file: &str| repo.tollgate(&["scope", "--work-item", file, "--json"]);
    assert_eq!(rows(&run("item.md")), "");
    assert_eq!(
        rows(&run(".agents-work/2026-01-02_x/work-items/T-001.md")),
        "item.md  added  violation\n"
    );
    repo.git(&["add", "item.md"]);
    assert_eq!(rows(&run("item.md")), "item.md  added  violation\n", "a change of it is a change");
}

#[test]
fn r117_nothing_that_the_repository_configures_runs_and_nothing_in_it_is_written() {
    let repo = repo();
    let canary = repo.outside("canary");
    let evil = repo.outside("evil.sh");
    fs::write(&evil, format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\ncat\n", canary.display()))
        .unwrap();
    fs::set_permissions(&evil, fs::Permissions::from_mode(0o755)).unwrap();
    let evil = evil.to_str().unwrap();
    repo.write(".gitattributes", "* filter=evil diff=evil\n");
    repo.git(&["add", "--all"]);
    repo.git(&["commit", "--quiet", "--message", "attributes"]);
    for key in [
        "core.fsmonitor",
        "filter.evil.clean",
        "filter.evil.process",
        "diff.evil.textconv",
        "diff.evil.command",
        "diff.external",
        "core.pager",
    ] {
        repo.git(&["config", key, evil]);
    }
    let hooks = repo.root().join(".git/hooks/post-index-change");
    fs::create_dir_all(hooks.parent().unwrap()).unwrap();
    fs::copy(evil, hooks).unwrap();
    // Same size, other time: git has to read it, through its filter.
    let content = fs::read(repo.root().join("src/cart.ts")).unwrap();
    fs::write(repo.root().join("src/cart.ts"), content).unwrap();
    repo.write("src/user.ts", "changed\n");
    fs::rename(repo.root().join("lib/a.ts"), repo.root().join("lib/c.ts")).unwrap();
    let before = contents(&repo);
    found(&repo, &[]).shows(expect![[r#"
        lib/a.ts  deleted  primary
        lib/c.ts  added  primary
        src/user.ts  modified  violation
    "#]]);
    found(&repo, &["--base", "HEAD~1", "--head", "HEAD"]).shows(expect![[r#"
        .gitattributes  added  violation
    "#]]);
    assert!(!canary.exists(), "{}", fs::read_to_string(&canary).unwrap());
    assert!(contents(&repo) == before, "something in .git changed");
    let mut plain = Command::new("git");
    plain.args(["diff", "HEAD"]).current_dir(repo.root()).env("HOME", repo.outside("home"));
    drop(plain.output().unwrap());
    assert!(canary.exists(), "the trap itself works");
}

#[test]
fn a_change_in_the_very_moment_of_the_index_is_seen() {
    let repo = repo();
    repo.git(&["config", "core.trustctime", "false"]);
    let (path, index) = (repo.root().join("src/user.ts"), repo.root().join(".git/index"));
    let moment = UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    let date = |path: &Path| {
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_times(fs::FileTimes::new().set_modified(moment)).unwrap();
    };
    date(&path);
    repo.git(&["update-index", "--refresh"]);
    let other = fs::read_to_string(&path).unwrap().replace("first", "other");
    fs::write(&path, other).unwrap();
    // Same size, same file, same time: only the age of the index tells git to look inside.
    date(&path);
    date(&index);
    assert_eq!(rows(&scope(&repo, &["--json"])), "src/user.ts  modified  violation\n");
}

/// Every file of `.git` with its content.
fn contents(repo: &Repo) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut files = support::files_below(&repo.root().join(".git"));
    files.sort();
    files.into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

#[test]
fn r161_an_incidental_change_is_measured_in_the_tree_and_between_revisions() {
    let repo = repo();
    repo.write("src/types.ts", "export const a = 1;\nexport const b = 2;\n");
    repo.git(&["add", "--all"]);
    repo.git(&["commit", "--quiet", "--message", "types"]);
    let declared = |path: &str| {
        serde_json::json!({"path": path, "reason": "its import", "behaviour_preserving": true,
                           "motivated_by": "src/cart.ts", "narrow": true})
    };
    let result = serde_json::json!({"role": "implementor", "outcome": "completed", "summary": "done",
        "incidental": [declared("src/types.ts"), declared("src/user.ts")]});
    fs::write(repo.outside("result.json"), result.to_string()).unwrap();
    repo.write("src/cart.ts", "new\n");
    repo.write("src/types.ts", "export const a = 3;\nexport const b = 2;\n");
    repo.write("src/user.ts", &"line\n".repeat(21));
    let with = ["--result", "../result.json"];
    found(&repo, &with).shows(expect![[r#"
        src/cart.ts  modified  primary
        src/types.ts  modified  incidental
        src/user.ts  modified  violation
    "#]]);
    let said = scope(&repo, &with).exits(1).out;
    assert!(said.contains("21 lines of it changed, and at most 20 may"), "{said}");
    scope(&repo, &[with[0], with[1], "--incidental-lines", "21"]).exits(0);
    // A name that others use is gone.
    repo.write("src/user.ts", "the first content of src/user.ts\nwith two lines\n");
    repo.write("src/types.ts", "export const a = 1;\nexport const c = 2;\n");
    repo.git(&["add", "--all"]);
    repo.git(&["commit", "--quiet", "--message", "work"]);
    let said = scope(&repo, &[with[0], with[1], "--base", "HEAD~1", "--head", "HEAD"]).exits(1).out;
    assert!(said.contains("it no longer exports b"), "{said}");
}
