//! While an agent, a check or a gate runs, the kernel refuses it every write outside the places that are open to it.
#![allow(clippy::print_stderr, reason = "what is not tested here is said aloud")]

use crate::route::{commit, ends_of, go, on_branch, route};
use crate::support::{Ran, Repo, files_below};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use tollgate_process::{SandboxLevel, sandbox_of};

const MARK: &str = "WRITTEN-BY-AN-AGENT";

/// What an agent may try. Each is one line of shell that ends well only if it went through.
const ATTEMPTS: [(&str, &str); 16] = [
    ("a file of the checkout", "echo $MARK > $CHECKOUT/app.txt"),
    ("a new file of the checkout", "echo $MARK > $CHECKOUT/new.txt"),
    ("a hook", "mkdir -p $CHECKOUT/.git/hooks && echo $MARK > $CHECKOUT/.git/hooks/post-commit"),
    ("the settings of git", "echo $MARK >> $CHECKOUT/.git/config"),
    (
        "a pack",
        "for pack in $CHECKOUT/.git/objects/pack/*.pack; do chmod u+w $pack; echo $MARK >> $pack; done",
    ),
    ("a branch", "echo $MARK > $CHECKOUT/.git/refs/heads/main"),
    ("the journal", "echo $MARK >> $(echo $CHECKOUT/.agents-work/*/journal.jsonl)"),
    ("the record of a session", "rm $CHECKOUT/.agents-work/*/status.json"),
    ("an answer", "cd $CHECKOUT/.agents-work/2* && mkdir -p inbox && echo $MARK > inbox/x.json"),
    ("another workspace", "echo $MARK > $AROUND/state/workspaces/other/tree/file"),
    ("beside its own tree", "echo $MARK > ../planted"),
    ("a start file", "echo $MARK >> $AROUND/home/.profile"),
    ("a symlink", "ln -s $CHECKOUT/app.txt way && echo $MARK > way"),
    ("a hard link", "ln $CHECKOUT/app.txt hard && echo $MARK > hard"),
    ("a rename", "echo $MARK > moved && mv -f moved $CHECKOUT/moved.txt"),
    ("a grandchild", "setsid -w sh -c '(echo $MARK > $CHECKOUT/late.txt)'"),
];

/// A repository with a script beside it that tries everything and tells what came of it.
struct Target {
    repo: Repo,
    told: PathBuf,
}

impl Target {
    fn new(steps: &[&str]) -> Self {
        let repo = route(json!([]), steps);
        let told = repo.open_outside("told");
        fs::create_dir_all(repo.outside("state/workspaces/other/tree")).unwrap();
        fs::write(repo.outside("home/.profile"), "").unwrap();
        repo.git(&["gc", "--quiet"]);
        let mut script = format!(
            "export MARK={MARK} CHECKOUT={} AROUND={} TOLD={}\nattempt() {{ if (eval \"$2\") 2>>$TOLD/errors; \
             then echo \"through: $1\"; else echo \"refused: $1\"; fi >> $TOLD/all; }}\n",
            repo.root().display(),
            repo.outside("").display(),
            told.display()
        );
        for (name, attempt) in ATTEMPTS {
            let quoted = attempt.replace('\'', "'\\''");
            script.push_str(&format!("attempt '{name}' '{quoted}'\n"));
        }
        script.push_str("rm -f way hard moved\n");
        fs::write(repo.outside("attack.sh"), script).unwrap();
        Self { repo, told }
    }

    fn attack(&self) -> String {
        format!("sh {}", self.repo.outside("attack.sh").display())
    }

    /// The role attacks, and then does this.
    fn go_with(&self, role: &str, then: &str) -> Ran {
        let script = format!("{}; {then}", self.attack());
        self.repo.crew(json!([does(role, &script)]));
        go(&self.repo)
    }

    /// Every file that holds the mark, besides what the attack is and tells.
    fn marked(&self) -> Vec<PathBuf> {
        let is_marked = |path: &PathBuf| {
            let bytes = fs::read(path).unwrap_or_default();
            bytes.windows(MARK.len()).any(|window| window == MARK.as_bytes())
        };
        let all = files_below(&self.repo.outside("")).into_iter();
        let others =
            all.filter(|path| !path.ends_with("attack.sh") && !path.starts_with(&self.told));
        others.filter(is_marked).collect()
    }

    #[track_caller]
    fn expect_untouched(&self) {
        let told = fs::read_to_string(self.told.join("all")).unwrap();
        let expected: String = ATTEMPTS.map(|(name, _)| format!("refused: {name}\n")).concat();
        assert_eq!(told, expected);
        assert_eq!(self.marked(), Vec::<PathBuf>::new());
        let errors = fs::read_to_string(self.told.join("errors")).unwrap();
        let is_refusal = |line: &str| {
            line.ends_with("Permission denied") || line.contains("Invalid cross-device link")
        };
        assert!(errors.lines().all(is_refusal), "{errors}");
        self.repo.git(&["fsck", "--strict"]);
    }
}

fn does(role: &str, script: &str) -> Value {
    json!({"when": {"role": role}, "do": {"default": true, "run": ["sh", "-c", script]}})
}

/// Says so where the kernel cannot hold anybody, and sees that nobody claims otherwise.
fn is_enforced() -> bool {
    let level = SandboxLevel::of_this_machine();
    if level != SandboxLevel::Full {
        eprintln!("NOT TESTED: this kernel enforces no whole sandbox: {}", level.as_str());
        let told = Repo::new().tollgate(&["doctor"]).out;
        assert!(told.contains(&format!("{}: ", level.as_str())), "{told}");
    }
    level == SandboxLevel::Full
}

const RESEARCH: &str = "{dispatch: Researcher, state: DESIGN, outputs: [research/]}";
const CODE: &str = "{dispatch: Coder, state: IMPLEMENT_LOOP, outputs: [src/a.txt]}";

#[test]
fn r104_an_agent_cannot_write_outside_its_tree_while_it_runs() {
    if !is_enforced() {
        return;
    }
    let target = Target::new(&[CODE]);
    let work = format!(
        "mkdir -p src && echo work > src/a.txt && git add src && git -c user.name=A -c user.email=a@localhost \
         commit -qm mine && mktemp && git log --format=%s -1 > {}/commit",
        target.told.display()
    );
    target.go_with("Coder", &work).exits(0);
    target.expect_untouched();
    // Its own work continued: an edit, a commit in its own clone, a temporary file.
    assert_eq!(fs::read_to_string(target.told.join("commit")).unwrap(), "mine\n");
    assert!(on_branch(&target.repo, "src/a.txt").starts_with("work\n"));
    let attempt = target.repo.session().join("dispatches/1/attempt-1");
    assert_eq!(sandbox_of(&attempt).unwrap(), Some(SandboxLevel::Full));
}

#[test]
fn r104_a_gate_of_a_session_is_held_like_an_agent() {
    if !is_enforced() {
        return;
    }
    let target = Target::new(&["{checks: [lifecycle], state: PLAN}", RESEARCH]);
    let stages = format!(
        "version: 1\ncurrent_stage: s\nstages:\n  s: {{required_gates: [a]}}\ngates:\n  a: {{command: [sh, {}]}}\n",
        target.repo.outside("attack.sh").display()
    );
    target.repo.write("lifecycle-stage.yaml", &stages);
    commit(&target.repo);
    go(&target.repo).exits(0);
    target.expect_untouched();
}

#[test]
fn r104_a_command_that_sets_a_workspace_up_is_held_like_an_agent() {
    if !is_enforced() {
        return;
    }
    let target = Target::new(&[RESEARCH]);
    target.repo.settings(&format!("[workspace]\nsetup = [{:?}]", target.attack()));
    go(&target.repo).exits(0);
    target.expect_untouched();
}

/// The stories above would see an agent that nothing holds.
#[test]
fn with_the_sandbox_off_the_checkout_is_open() {
    let repo = route(json!([]), &[RESEARCH]);
    repo.settings("[sandbox]\nenforce = \"off\"");
    let new = repo.root().join("new.txt");
    repo.crew(json!([does("Researcher", &format!("echo {MARK} > {}", new.display()))]));
    go(&repo).exits(0);
    assert!(new.exists());
    assert_eq!(sandbox_of(&repo.session().join("dispatches/1/attempt-1")).unwrap(), None);
}

/// It is their own command in their own tree.
#[test]
fn gates_that_a_person_runs_are_not_held() {
    let repo = Repo::new();
    let new = repo.outside("new.txt");
    let stages = format!(
        "version: 1\ncurrent_stage: s\nstages:\n  s: {{required_gates: [a]}}\ngates:\n  a: {{command: [touch, {}]}}\n",
        new.display()
    );
    repo.write("lifecycle-stage.yaml", &stages);
    repo.tollgate(&["gates"]).exits(0);
    assert!(new.exists());
}

#[test]
fn a_sandbox_that_is_required_starts_only_what_is_held() {
    let repo = route(json!([]), &[RESEARCH]);
    repo.settings("[sandbox]\nenforce = \"required\"");
    let ran = go(&repo);
    if is_enforced() {
        ran.exits(0);
    } else {
        ran.exits(4).says("required");
        assert!(ends_of(&repo, 1).iter().all(|end| end == "could_not_start"));
    }
}

#[test]
fn settings_cannot_open_what_the_sandbox_is_there_for() {
    for (place, why) in [
        ("repo/src", "your checkout"),
        ("repo/.git/hooks", "your checkout"),
        ("state/workspaces", "the state of Tollgate"),
        ("home", "your whole home"),
        ("way/in", "your checkout"),
        ("/dev", "the terminals of this machine"),
        ("/dev/pts", "the terminals of this machine"),
        ("", "your checkout"),
    ] {
        let repo = Repo::new();
        std::os::unix::fs::symlink(repo.root(), repo.outside("way")).unwrap();
        repo.settings(&format!("[sandbox]\nwrite = [{:?}]", repo.outside(place).display()));
        repo.run().exits(2).says("cannot be opened to agents").says(why);
        assert!(!repo.root().join(".agents-work").exists(), "nothing was begun");
        let doctor = repo.tollgate(&["doctor"]).exits(1).out;
        assert!(doctor.contains(why), "{doctor}");
    }
    let repo = Repo::new();
    repo.settings("[sandbox]\nwrite = [\"~/.absent\"]");
    assert!(repo.tollgate(&["doctor"]).exits(0).out.contains(".absent does not exist"));
    repo.settings("enforce = \"off\"");
    assert!(repo.tollgate(&["doctor"]).exits(0).out.contains("wherever you can"));
}

/// A file of the checkout that is also in a store of the home, as tools leave it.
fn linked_from(store: &str, settings: &str) -> (Repo, PathBuf) {
    let repo = route(json!([]), &[RESEARCH]);
    repo.settings(settings);
    let store = repo.outside("home").join(store);
    fs::create_dir_all(&store).unwrap();
    fs::create_dir_all(repo.root().join("node_modules/a")).unwrap();
    fs::write(store.join("index.js"), "the person's\n").unwrap();
    let file = repo.root().join("node_modules/a/index.js");
    fs::hard_link(store.join("index.js"), &file).unwrap();
    repo.write(".gitignore", "node_modules/\n");
    commit(&repo);
    let script = format!("echo {MARK} >> {}/index.js; true", store.display());
    repo.crew(json!([does("Researcher", &script)]));
    (repo, file)
}

const STORES: [&str; 4] = [
    ".cache/uv/archive",
    ".local/share/pnpm/store/v3",
    ".bun/install/cache",
    ".cache/unheard-of/x",
];

#[test]
fn r173_an_agent_writes_no_file_of_the_checkout_through_a_store_that_it_is_linked_from() {
    if !is_enforced() {
        return;
    }
    for store in STORES {
        let (repo, file) = linked_from(store, "");
        go(&repo).exits(0);
        assert_eq!(fs::read_to_string(file).unwrap(), "the person's\n", "{store}");
    }
    let (repo, _) = linked_from(STORES[3], "");
    let told = repo.tollgate(&["doctor"]).exits(0).out;
    assert!(told.contains(".cache/unheard-of is closed to agents"), "{told}");
}

/// The story above would see it, and a person may open a store all the same.
#[test]
fn a_store_that_the_settings_open_is_open() {
    for store in STORES {
        let (repo, file) = linked_from(store, &format!("[sandbox]\nwrite = [\"~/{store}\"]"));
        go(&repo).exits(0);
        assert!(fs::read_to_string(file).unwrap().contains(MARK), "{store}");
    }
}

#[test]
fn r173_tools_have_caches_of_their_own_in_place_of_what_is_closed() {
    if !is_enforced() {
        return;
    }
    let repo = route(json!([]), &[RESEARCH]);
    let home = repo.outside("home");
    fs::create_dir_all(home.join(".cache/pip")).unwrap();
    fs::create_dir_all(home.join(".cache/uv")).unwrap();
    let script = "set -e; mkdir -p $XDG_CACHE_HOME/uv/new $XDG_CACHE_HOME/go-build $PNPM_HOME/store $BUN_INSTALL_CACHE_DIR; \
                  echo x > $XDG_CACHE_HOME/pip/wheel; echo x > $XDG_CACHE_HOME/uv/new/file; echo x > $PNPM_HOME/store/file";
    repo.crew(json!([does("Researcher", script)]));
    go(&repo).exits(0);
    assert!(home.join(".cache/pip/wheel").exists(), "what is copied from is shared");
    assert!(!home.join(".cache/uv/new").exists());
}

/// The engine lays caches out in a folder that agents write.
#[test]
fn r104_what_an_agent_puts_in_the_place_of_its_caches_is_neither_followed_nor_in_the_way() {
    if !is_enforced() {
        return;
    }
    const KEPT: &str = "mkdir $XDG_CACHE_HOME/kept";
    for attack in [
        "rm -rf $XDG_CACHE_HOME && ln -s $HOME_OF_PERSON/.config $XDG_CACHE_HOME",
        "rm -rf $XDG_CACHE_HOME && ln -s $HOME_OF_PERSON/absent $XDG_CACHE_HOME",
        "rm -rf $XDG_CACHE_HOME && touch $XDG_CACHE_HOME",
        KEPT,
    ] {
        let repo = route(json!([]), &[RESEARCH, CODE]);
        let home = repo.outside("home");
        fs::create_dir_all(home.join(".config")).unwrap();
        fs::create_dir_all(home.join(".cache/pip")).unwrap();
        let attack = format!("export HOME_OF_PERSON={}; {attack}", home.display());
        let told = repo.open_outside("told");
        let next = format!(
            "echo x > $XDG_CACHE_HOME/pip/wheel && ls $XDG_CACHE_HOME > {}/caches",
            told.display()
        );
        repo.crew(json!([does("Researcher", &attack), does("Coder", &next)]));
        go(&repo).exits(0);
        assert_eq!(fs::read_dir(home.join(".config")).unwrap().count(), 0, "{attack}");
        assert!(!home.join("absent").exists(), "{attack}");
        assert!(home.join(".cache/pip/wheel").exists(), "{attack}");
        // What an honest agent has made is still there.
        let caches = fs::read_to_string(told.join("caches")).unwrap();
        assert_eq!(caches.contains("kept"), attack.ends_with(KEPT), "{attack}: {caches}");
    }
}

/// An agent of one session and the terminal of another, at which a person sits.
#[test]
fn r172_an_agent_neither_writes_to_nor_types_at_a_terminal_of_the_person() {
    if !is_enforced() {
        return;
    }
    for (settings, reaches) in [("", false), ("[sandbox]\nenforce = \"off\"", true)] {
        let repo = route(json!([]), &[RESEARCH]);
        repo.settings(settings);
        let typescript = repo.outside("typescript");
        let name = repo.outside("name");
        let sits = format!("tty > {}.new; mv {0}.new {0}; sleep 60", name.display());
        let mut command = std::process::Command::new("script");
        command.args(["-qfec", &sits]).arg(&typescript).stdin(std::process::Stdio::piped());
        let Ok(mut person) = command.stdout(std::process::Stdio::null()).spawn() else {
            return eprintln!("NOT TESTED: there is no `script` here");
        };
        crate::support::eventually("the terminal", || name.exists());
        let terminal = fs::read_to_string(&name).unwrap();
        let paint = format!("echo {MARK} > {}; true", terminal.trim());
        repo.crew(json!([does("Researcher", &paint)]));
        go(&repo).exits(0);
        let shown = || fs::read_to_string(&typescript).unwrap_or_default().contains(MARK);
        if reaches {
            crate::support::eventually("what was painted", shown);
        }
        person.kill().unwrap();
        person.wait().unwrap();
        assert_eq!(shown(), reaches);
    }
}
