//! Repositories that are not all there: partial clones, sparse checkouts, submodules.

use crate::support::{Repo, ran, text};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn git(folder: &Path, args: &[&str]) {
    let settings =
        ["-c", "user.name=A", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"];
    let output = Command::new("git")
        .args(settings)
        .args(args)
        .current_dir(folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(output.status.success(), "git {args:?}: {}", text(&output.stderr));
}

/// A clone of the repository, which has a folder more.
fn cloned(repo: &Repo, options: &[&str]) -> PathBuf {
    repo.write("far/away.txt", "far\n");
    repo.git(&["add", "--all"]);
    repo.git(&["commit", "--quiet", "--message", "far"]);
    repo.git(&["config", "uploadpack.allowFilter", "true"]);
    let clone = repo.outside("clone");
    let from = format!("file://{}", repo.root().display());
    let args = [&["clone", "--quiet"], options, &[&from, clone.to_str().unwrap()]].concat();
    git(&repo.outside(""), &args);
    clone
}

#[track_caller]
fn lean(repo: &Repo, folder: &Path, code: i32) -> String {
    let mut command = repo.command(&["run", "--no-input", "--lean", "Add a line"]);
    ran(command.current_dir(folder)).exits(code).err
}

/// What `doctor` says of one thing.
fn looked_at(repo: &Repo, folder: &Path, name: &str) -> Vec<Value> {
    let ran = ran(repo.command(&["doctor", "--json"]).current_dir(folder));
    let told: Value = serde_json::from_str(&ran.out).unwrap();
    let checks = told["checks"].as_array().unwrap().clone();
    checks.into_iter().filter(|check| check["name"] == name).collect()
}

#[test]
fn r187_doctor_says_what_is_missing_of_a_submodule() {
    let repo = Repo::new();
    assert_eq!(looked_at(&repo, &repo.root(), "submodule"), Vec::<Value>::new());
    with_submodule(&repo, "lib");
    repo.settings("[workspace]\ncopy = [\"lib\"]");
    assert_eq!(looked_at(&repo, &repo.root(), "submodule"), Vec::<Value>::new());
    git(&repo.root(), &["submodule", "--quiet", "deinit", "lib"]);
    let empty = &looked_at(&repo, &repo.root(), "submodule")[0];
    assert_eq!(empty["level"], "warn");
    assert_eq!(empty["fix"], "`git submodule update --init lib`");
    let told = repo.lean().exits(0).err;
    assert!(told.contains("`git submodule update --init lib`"), "{told}");
}

#[test]
fn r187_a_partial_clone_works_when_the_files_are_there_and_is_refused_with_the_cure_else() {
    let repo = Repo::new();
    let clone = cloned(&repo, &["--filter=blob:none"]);
    lean(&repo, &clone, 0);
    let repo = Repo::new();
    let clone = cloned(&repo, &["--filter=blob:none", "--sparse"]);
    let refused = lean(&repo, &clone, 2);
    assert!(refused.contains("1 object of the commit"), "{refused}");
    let unfetched = &looked_at(&repo, &clone, "clone")[0];
    assert_eq!(unfetched["level"], "fail");
    assert!(unfetched["message"].as_str().unwrap().contains("1 object of the commit"));
    assert_eq!(unfetched["fix"], "`git fetch --refetch --no-filter origin` fetches everything");
    assert!(!clone.join(".agents-work").exists(), "nothing was started");
    git(&clone, &["fetch", "--quiet", "--refetch", "--no-filter", "origin"]);
    lean(&repo, &clone, 0);
}

#[test]
fn r187_a_sparse_checkout_stays_as_it_is() {
    let repo = Repo::new();
    let clone = cloned(&repo, &["--sparse"]);
    lean(&repo, &clone, 0);
    ran(repo.command(&["merge"]).current_dir(&clone)).exits(0);
    assert!(!clone.join("far").exists());
    assert!(fs::read_to_string(clone.join("app.txt")).unwrap().contains("T-001"));
}

#[test]
fn r187_a_submodule_is_brought_along_when_the_settings_say_so() {
    for (module, copied) in [("lib", "lib"), ("deps/lib", "deps")] {
        submodule_brought_along(module, copied);
    }
}

fn with_submodule(repo: &Repo, module: &str) {
    let library = repo.outside("library");
    fs::create_dir(&library).unwrap();
    git(&library, &["init", "--quiet"]);
    fs::write(library.join("lib.txt"), "lib\n").unwrap();
    git(&library, &["add", "--all"]);
    git(&library, &["commit", "--quiet", "--message", "lib"]);
    let from = format!("file://{}", library.display());
    git(&repo.root(), &["submodule", "--quiet", "add", &from, module]);
    git(&repo.root(), &["commit", "--quiet", "--message", "submodule"]);
}

fn submodule_brought_along(module: &str, copied: &str) {
    let repo = Repo::new();
    with_submodule(&repo, module);
    let told = repo.lean().exits(0).says(&format!("{module} is a submodule")).err;
    assert!(told.contains(&format!("copy = [{module:?}]")), "{told}");
    let file = format!("{module}/lib.txt");
    repo.settings(&format!(
        "[workspace]\ncopy = [{copied:?}]\n[check]\ncommands = [\"grep -q lib {file}\"]"
    ));
    repo.crew(serde_json::json!([
        {"when": {"role": "Coder"}, "do": {"default": true, "run": ["grep", "-q", "lib", file]}}
    ]));
    repo.tollgate(&["run", "--no-input", "--lean", "--slug", "with-it", "Add a line"])
        .exits(0)
        .does_not_say("submodule");
    let branch = format!("tollgate/{}", repo.session_name());
    assert_eq!(repo.git(&["diff", "--name-only", &format!("main..{branch}")]), "app.txt\n");
    let tree = fs::read_to_string(repo.root().join(&file)).unwrap();
    assert_eq!(tree, "lib\n");
    let trees = crate::support::files_below(&repo.outside("state"));
    let wanted = format!("tree/{file}");
    assert!(
        trees.iter().any(|path| path.ends_with(&wanted)),
        "agents find the files of the submodule"
    );
}
