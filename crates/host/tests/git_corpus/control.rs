//! Plain git, as a person or an agent would call it: here every plant must be seen to run.

use crate::table::{Control, Entry, Hook, version};
use crate::trap::{Traps, attributes, driven_files};
use crate::workspace_support::{git, put};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A repository in which every control finds what it needs: branches that merge and clash, a submodule whose commit is
/// not the one asked for, a signed commit, objects borrowed from elsewhere.
pub struct Sample {
    folder: PathBuf,
}

impl Sample {
    pub fn make(folder: &Path) -> Self {
        fs::create_dir_all(folder).unwrap();
        git(folder, &["init", "-q", "-b", "main", "--template="]);
        put(folder, ".gitattributes", &attributes());
        put(folder, "first", "first\n");
        put(folder, "by-clash", "1\n");
        for file in driven_files() {
            put(folder, &file, "1\n\n\n\n\n\n\n\n1\n");
        }
        git(folder, &["add", "-A"]);
        git(folder, &["commit", "-qm", "first"]);
        for (branch, file) in [("other", "by-merge-driver"), ("clash", "by-clash")] {
            git(folder, &["checkout", "-q", "-b", branch, "main"]);
            put(folder, file, "2\n\n\n\n\n\n\n\n1\n");
            git(folder, &["commit", "-qam", branch]);
        }
        git(folder, &["checkout", "-q", "main"]);
        put(folder, "by-merge-driver", "1\n\n\n\n\n\n\n\n3\n");
        put(folder, "by-clash", "3\n");
        submodule(folder);
        git(folder, &["add", "-A"]);
        git(folder, &["commit", "-qm", "second"]);
        let newer = ["-C", "nested", "commit", "-qm", "newer", "--allow-empty"];
        git(folder, &newer);
        sign_head(folder);
        git(folder, &["gc", "-q"]);
        let lender = folder.with_extension("lender.git");
        git(folder, &["clone", "-q", "--bare", ".", lender.to_str().unwrap()]);
        let alternates = format!("{}\n", lender.join("objects").display());
        put(folder, ".git/objects/info/alternates", &alternates);
        Self { folder: folder.to_owned() }
    }

    /// Whether plain git runs this setting.
    pub fn fires(&self, entry: &Entry) -> bool {
        let Control::Line { line, .. } = entry.control else { return false };
        self.tries(entry.name, line, |traps, copy| {
            traps.configure(&copy.join(".git/config"), "control", std::slice::from_ref(entry));
        })
    }

    pub fn fires_hook(&self, hook: &Hook) -> bool {
        let Control::Line { line, .. } = hook.control else { return false };
        self.tries(hook.name, line, |traps, copy| {
            traps.hook(&copy.join(".git/hooks"), "control", hook.name);
        })
    }

    /// More than once, because a program that was just written cannot be run while another thread forks.
    fn tries(&self, name: &str, line: &str, plant: impl Fn(&Traps, &Path)) -> bool {
        (0..3).any(|_| {
            let place = scratch();
            let copy = place.path().join("sample");
            copy_folder(&self.folder, &copy);
            let traps = Traps::new(&place.path().join("traps"));
            plant(&traps, &copy);
            shell(&copy, &traps.filled(line, "control", name));
            traps.fired().contains(&format!("control.{name}"))
        })
    }
}

/// In memory where there is such a place: what the disk costs is not what is tested.
pub fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

/// Runs a line in a folder with git as it comes, whatever it says and however it ends.
pub fn shell(folder: &Path, line: &str) {
    let status = Command::new("sh")
        .args(["-c", line])
        .current_dir(folder)
        .env("HOME", folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_TERMINAL_PROMPT", "0")
        .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_NAME"), "Person")))
        .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_EMAIL"), "p@example.org")))
        .env_remove("GIT_EDITOR")
        .env_remove("GIT_PAGER")
        .env_remove("GIT_ASKPASS")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.unwrap();
}

pub fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).unwrap();
        }
    }
}

fn submodule(folder: &Path) {
    git(folder, &["init", "-q", "-b", "main", "--template=", "nested"]);
    put(folder, "nested/inner", "1");
    git(folder, &["-C", "nested", "add", "inner"]);
    git(folder, &["-C", "nested", "commit", "-qm", "inner"]);
    put(folder, ".gitmodules", "[submodule \"nested\"]\n\tpath = nested\n\turl = ./nested\n");
}

/// A signature that nobody checks until something shows it.
fn sign_head(folder: &Path) {
    let commit = git(folder, &["cat-file", "commit", "HEAD"]);
    let (head, message) = commit.split_once("\n\n").unwrap();
    let signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----";
    put(folder, ".git/signed", &format!("{head}\n{signature}\n\n{message}\n"));
    let signed = git(folder, &["hash-object", "-t", "commit", "-w", ".git/signed"]);
    git(folder, &["update-ref", "refs/heads/main", &signed]);
}

/// Whether this machine has what the control needs.
pub fn can_be_tried(control: &Control) -> bool {
    let Control::Line { since, with, .. } = control else { return false };
    let output = |args: &[&str]| {
        let output = Command::new("git").args(args).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let here = || version(output(&["--version"]).split(' ').nth(2).unwrap());
    let folders = || {
        let exec_path = PathBuf::from(output(&["--exec-path"]));
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).chain([exec_path]).collect::<Vec<_>>()
    };
    since.is_none_or(|since| here() >= since)
        && with.is_none_or(|with| folders().iter().any(|folder| folder.join(with).exists()))
}
