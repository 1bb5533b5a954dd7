//! Ignore rules that nobody accepted hide nothing.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::workspace_support;

use tollgate_git::workspace::ChangeKind::{Added, Modified};
use workspace_support::{World, git, kinds, put, read};

fn named(names: &[&str]) -> Vec<(String, tollgate_git::workspace::ChangeKind)> {
    names.iter().map(|name| ((*name).to_owned(), Added)).collect()
}

#[test]
fn r104_an_ignore_file_that_hides_itself_hides_nothing() {
    let world = World::new(&[("src/a", "1"), (".gitignore", "built/\n*.log\n")]);
    let workspace = world.workspace();
    let tree = workspace.tree();
    for (name, text) in [
        ("src/.gitignore", "*\n"),
        ("src/evil.txt", "x"),
        ("src/deep/evil.txt", "x"),
        ("m1/.gitignore", ".gitignore\nimpl.txt\nlib/\n"),
        ("m1/impl.txt", "x"),
        ("m1/lib/part", "x"),
        ("m1/x", "x"),
        ("fresh/.gitignore", "*\n"),
        ("fresh/only", "x"),
        ("built/cache", "slow"),
        ("src/noise.log", "accepted rules hide it"),
    ] {
        put(tree, name, text);
    }
    let all = [
        "fresh/.gitignore",
        "fresh/only",
        "m1/.gitignore",
        "m1/impl.txt",
        "m1/lib/part",
        "m1/x",
        "src/.gitignore",
        "src/deep/evil.txt",
        "src/evil.txt",
    ];
    assert_eq!(kinds(&workspace), named(&all));
    let commit = world.commit(&workspace, &["m1/impl.txt", "m1/x"], &world.base);
    assert_eq!(world.git(&["show", &format!("{commit}:m1/impl.txt")]), "x");
    let kept = workspace.rescue("hidden", "hidden").unwrap().unwrap();
    assert_eq!(world.git(&["show", &format!("{kept}:src/evil.txt")]), "x");
    workspace.reset(&commit).unwrap();
    assert_eq!(kinds(&workspace), []);
    assert!(!tree.join("src/evil.txt").exists() && !tree.join("fresh").exists());
    assert_eq!(read(tree, "built/cache"), "slow");
    put(tree, "src/new.txt", "the next one's");
    assert_eq!(kinds(&workspace), named(&["src/new.txt"]));
}

#[test]
fn r104_the_cache_of_a_tool_hides_itself() {
    let world =
        World::new(&[("src/a", "1"), ("src/.gitignore", "/x\n!keep.o\n"), (".gitignore", "*.o\n")]);
    let workspace = world.workspace();
    let tree = workspace.tree();
    put(tree, ".pytest_cache/.gitignore", "# Created by pytest automatically.\n*\n");
    put(tree, ".pytest_cache/v/last", "x");
    put(tree, "a/.venv/.gitignore", "*");
    put(tree, "a/.venv/bin/python", "x");
    put(tree, "htmlcov/.gitignore", "# Created by coverage.py\n*\n");
    put(tree, "htmlcov/index.html", "x");
    assert_eq!(kinds(&workspace), []);
    // Someone else's rules do not change that, nor what is accepted.
    put(tree, "src/b/.gitignore", "*\n");
    put(tree, "src/x", "hidden by an accepted rule");
    put(tree, "src/some.o", "hidden by an accepted rule");
    put(tree, "src/b/keep.o", "shown by an accepted rule");
    assert_eq!(kinds(&workspace), named(&["src/b/.gitignore", "src/b/keep.o"]));
    // In a folder of the commit it is no cache.
    put(tree, "src/.gitignore", "# Created by nobody\n*\n");
    let found = kinds(&workspace);
    assert!(found.contains(&("src/.gitignore".to_owned(), Modified)), "{found:?}");
}

#[test]
fn r104_a_folder_that_comes_with_the_rule_that_hides_it_stays_hidden() {
    let world = World::new(&[("a", "1"), ("lib/tracked", "1")]);
    let workspace = world.workspace();
    let tree = workspace.tree();
    put(tree, ".gitignore", "target/\nlib\nalone\n");
    put(tree, "target/debug/app", "x");
    put(tree, "lib/new", "x");
    put(tree, "alone", "x");
    assert_eq!(kinds(&workspace), named(&[".gitignore", "alone", "lib/new"]));
    let commit = world.commit(&workspace, &[".gitignore", "alone", "lib/new"], &world.base);
    workspace.reset(&commit).unwrap();
    assert_eq!((kinds(&workspace), read(tree, "target/debug/app")), (vec![], "x".to_owned()));
    // Without the rule it is nobody's cache any more.
    std::fs::remove_file(tree.join(".gitignore")).unwrap();
    workspace.rescue("gone", "gone").unwrap().unwrap();
    workspace.reset(&world.base).unwrap();
    assert_eq!(kinds(&workspace), []);
    assert!(!tree.join("target").exists());
}

#[test]
fn r104_a_repository_behind_rules_of_an_agent_is_found() {
    let world = World::new(&[("a", "1")]);
    let workspace = world.workspace();
    let tree = workspace.tree();
    put(tree, "m/.gitignore", "*\n");
    git(tree, &["init", "-q", "m/nested"]);
    put(tree, "m/nested/x", "x");
    let found: Vec<String> = kinds(&workspace).into_iter().map(|(path, _)| path).collect();
    assert_eq!(found, ["m/.gitignore", "m/nested"]);
    workspace.rescue("nested", "nested").unwrap().unwrap();
    workspace.reset(&world.base).unwrap();
    assert_eq!(kinds(&workspace), []);
    assert!(!tree.join("m").exists());
}

#[test]
fn r104_what_the_person_ignores_stays_ignored() {
    let world = World::new(&[("a", "1")]);
    let theirs = world.folder.path().join("ignore");
    std::fs::write(&theirs, "*.swp\n").unwrap();
    world.git(&["config", "core.excludesFile", theirs.to_str().unwrap()]);
    put(world.repository.root(), ".git/info/exclude", "private\n");
    let workspace = world.workspace();
    put(workspace.tree(), "m/.gitignore", "*\n");
    put(workspace.tree(), "m/x.swp", "x");
    put(workspace.tree(), "m/private", "x");
    put(workspace.tree(), "m/y", "x");
    assert_eq!(kinds(&workspace), named(&["m/.gitignore", "m/y"]));
}
