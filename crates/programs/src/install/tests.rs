//! Installs with a false npm, which puts small scripts where the programs belong.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::{Installer, LOCK_FILE, says};
use crate::{ALL, Programs};
use std::fmt::Write;
use std::path::Path;
use tempfile::TempDir;

/// A folder with a false npm, and the cache that it fills.
struct World(TempDir);

impl World {
    /// `then` is what the false npm does after it has put everything in place.
    fn new(then: &str) -> Self {
        let world = Self(tempfile::tempdir().unwrap());
        world.npm_becomes(then);
        world
    }

    fn npm_becomes(&self, then: &str) {
        let mut script = format!("echo call >> '{}'\n", self.path("calls").display());
        for program in &ALL {
            let text = match (program.name, program.runs_on_node) {
                ("node24", _) => {
                    "#!/bin/sh\ncase $1 in --version) echo v24.21.0;; *) cat \"$1\";; esac"
                }
                (_, true) => program.version,
                (_, false) => &format!("#!/bin/sh\necho {} {}", program.name, program.version),
            };
            let path = program.path_below(Path::new("."));
            let (folder, path) = (path.parent().unwrap().display(), path.display());
            write!(
                script,
                "mkdir -p '{folder}'\ncat > '{path}' <<'END'\n{text}\nEND\nchmod +x '{path}'\n"
            )
            .unwrap();
        }
        std::fs::write(self.path("npm"), script + then).unwrap();
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    fn install(&self) -> Result<Programs, String> {
        let npm = vec!["sh".to_owned(), self.path("npm").display().to_string()];
        Installer::new(self.path("cache"), npm, |_| ()).install()
    }

    fn calls(&self) -> usize {
        std::fs::read_to_string(self.path("calls")).map_or(0, |text| text.lines().count())
    }

    /// What lies in the cache, with the key left out.
    fn left(&self) -> Vec<String> {
        let key = Installer::new(self.path("cache"), Vec::new(), |_| ()).key;
        let entries = std::fs::read_dir(self.path("cache")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.map(|name| name.replace(&key, "KEY")).collect();
        names.sort();
        names
    }
}

#[test]
fn the_programs_are_installed_once() {
    let world = World::new("");
    let programs = world.install().unwrap();
    assert_eq!(world.install().unwrap(), programs);
    assert_eq!(world.calls(), 1);
    assert_eq!(world.left(), ["KEY", "KEY.lock"]);
    assert!(programs.claude()[0].ends_with("/claude"));
    let [node, script] = <[String; 2]>::try_from(programs.gemini()).unwrap();
    assert_eq!([node], *programs.node24());
    assert!(script.ends_with("/bundle/gemini.js"), "{script}");
    assert!(!programs.folder().join("home").exists(), "the home of the first runs is gone");
}

#[test]
fn npm_gets_the_lock_file() {
    let world = World::new("cp package-lock.json ../../lock");
    world.install().unwrap();
    assert_eq!(std::fs::read_to_string(world.path("lock")).unwrap(), LOCK_FILE);
}

#[test]
fn many_at_once_install_once() {
    let world = World::new("sleep 0.2");
    std::thread::scope(|scope| {
        let asked: Vec<_> = (0..20).map(|_| scope.spawn(|| world.install())).collect();
        for one in asked {
            one.join().unwrap().unwrap();
        }
    });
    assert_eq!(world.calls(), 1);
}

#[test]
fn a_killed_install_never_counts() {
    let world = World::new("");
    let key = Installer::new(world.path("cache"), Vec::new(), |_| ()).key;
    let partial = world.path("cache").join(format!("{key}.partial-1"));
    std::fs::create_dir_all(partial.join("node_modules/zod")).unwrap();
    world.install().unwrap();
    assert_eq!(world.calls(), 1);
    assert_eq!(world.left(), ["KEY", "KEY.lock"]);
}

#[test]
fn a_program_that_was_removed_comes_back() {
    let world = World::new("");
    let programs = world.install().unwrap();
    std::fs::remove_file(&programs.goose()[0]).unwrap();
    assert!(Path::new(&world.install().unwrap().goose()[0]).is_file());
    assert_eq!(world.calls(), 2);
}

#[test]
fn a_failure_says_what_npm_said_and_how_to_continue() {
    let world = World::new(
        "for i in $(seq 99); do echo line $i; done; echo npm error code ENOSPC >&2; exit 28",
    );
    let words = world.install().unwrap_err();
    for said in
        ["exit status: 28", "disk is full", "| line 99", "ENOSPC", "TOLLGATE_WITHOUT_AGENTS=1"]
    {
        assert!(words.contains(said), "{said} is missing in {words}");
    }
    assert!(!words.contains("line 50"), "the beginning is left out: {words}");
    assert_eq!(world.left(), ["KEY.lock"], "nothing half-done stays");

    world.npm_becomes("echo npm error code EAI_AGAIN >&2; exit 1");
    assert!(world.install().unwrap_err().contains("registry is not reachable"));
    world.npm_becomes("");
    assert!(world.install().is_ok(), "the next try is a new one");
}

#[test]
fn another_version_is_refused() {
    let world = World::new(
        "printf '#!/bin/sh\\necho codex-cli 0.166.01' > node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex",
    );
    let words = world.install().unwrap_err();
    assert!(
        words.contains("codex") && words.contains("0.166.0") && words.contains("0.166.01"),
        "{words}"
    );
    assert_eq!(world.left(), ["KEY.lock"]);
}

#[test]
fn a_machine_without_npm_gets_a_clear_message() {
    let folder = tempfile::tempdir().unwrap();
    let npm = vec![folder.path().join("none").display().to_string()];
    let words = Installer::new(folder.path().join("cache"), npm, |_| ()).install().unwrap_err();
    assert!(words.contains("could not be started") && words.contains("install Node.js"), "{words}");
}

#[test]
fn versions_are_whole_words() {
    for said in ["v24.21.0", " 24.21.0\n", "node 24.21.0.\nmore", "24.21.0 (Node)"] {
        assert!(says(said, "24.21.0"), "{said}");
    }
    for said in ["24.21.01", "124.21.0", "24.21.0-rc", ""] {
        assert!(!says(said, "24.21.0"), "{said}");
    }
}
