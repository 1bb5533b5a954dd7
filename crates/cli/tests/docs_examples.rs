//! What the documentation shows is run exactly as shown.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;
use tollgate_agents as agent;
use tollgate_contract::config::Adapter;

/// The first fenced block of a language.
fn block<'t>(text: &'t str, language: &str) -> &'t str {
    let start = text.find(&format!("```{language}\n")).expect("the page has the block");
    let body = &text[start + language.len() + 4..];
    &body[..body.find("```").expect("the block ends")]
}

fn run(program: &str, args: &[&str], folder: &Path, home: &Path) -> Output {
    Command::new(program)
        .args(args)
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", home)
        .env("TOLLGATE_STATE_HOME", home.join("state"))
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap()
}

/// A repository with these settings and the crew of the guide, and a home beside it.
fn repository(settings: &str) -> (TempDir, PathBuf, PathBuf) {
    let temp = tempfile::tempdir().unwrap();
    let (repo, home) = (temp.path().join("repo"), temp.path().join("home"));
    std::fs::create_dir_all(&repo).unwrap();
    std::fs::create_dir_all(&home).unwrap();
    std::fs::write(repo.join("tollgate.toml"), settings).unwrap();
    std::fs::write(repo.join("crew.py"), block(&page("writing-an-agent.md"), "python")).unwrap();
    let identity = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
    for args in [vec!["init", "-q"], vec!["add", "-A"], vec!["commit", "-qm", "start"]] {
        let args: Vec<&str> = identity.iter().copied().chain(args).collect();
        assert!(run("git", &args, &repo, &home).status.success());
    }
    (temp, repo, home)
}

fn page(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide");
    std::fs::read_to_string(folder.join(name)).unwrap()
}

#[track_caller]
fn exits(output: &Output, code: i32) {
    assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stderr));
}

const TOLLGATE: &str = env!("CARGO_BIN_EXE_tollgate");
const GOAL: &str = "Write down why we log in UTC";

#[test]
fn the_crew_of_the_guide_delivers_a_lean_run() {
    let (_temp, repo, home) = repository(block(&page("writing-an-agent.md"), "toml"));
    exits(&run(TOLLGATE, &["run", "--lean", GOAL], &repo, &home), 0);
    let list = ["branch", "--list", "tollgate/*", "--format=%(refname:short)"];
    let branch = String::from_utf8(run("git", &list, &repo, &home).stdout).unwrap();
    let notes = run("git", &["show", &format!("{}:NOTES.md", branch.trim())], &repo, &home);
    assert_eq!(String::from_utf8(notes.stdout).unwrap(), format!("{GOAL}\n"));
}

#[test]
fn the_reply_of_the_guide_plays_the_reviewer_by_hand() {
    let manual = page("manual.md");
    let (_temp, repo, home) = repository(block(&manual, "toml"));
    exits(&run(TOLLGATE, &["run", "--lean", GOAL], &repo, &home), 3);
    std::fs::write(repo.join("reply.json"), block(&manual, "json")).unwrap();
    let line = block(&manual, "sh").trim().strip_prefix("tollgate ").unwrap();
    let words: Vec<&str> = line.split(' ').collect();
    exits(&run(TOLLGATE, &words, &repo, &home), 0);
}

#[test]
fn the_settings_of_the_guide_on_limits_are_good_and_deliver() {
    let page = page("limits.md");
    let settings = block(&page, "toml");
    let (_temp, repo, home) = repository(settings);
    exits(&run(TOLLGATE, &["check", "tollgate.toml"], &repo, &home), 0);
    // The crew of the guide plays in the place of both agents.
    let crew = "adapter = \"command\"\ncommand = [\"python3\", \"./crew.py\"]";
    let played = ["claude", "codex"].iter().fold(settings.to_owned(), |settings, name| {
        let named = format!("adapter  = \"{name}\"");
        assert!(settings.contains(&named), "{settings}");
        settings.replace(&named, crew)
    });
    std::fs::write(repo.join("tollgate.toml"), played).unwrap();
    exits(&run(TOLLGATE, &["run", "--lean", GOAL], &repo, &home), 0);
    let status = run(TOLLGATE, &["status"], &repo, &home);
    assert!(String::from_utf8(status.stdout).unwrap().contains("spend     cost unknown"));
}

#[test]
fn the_lifecycle_of_the_guide_runs_its_gates() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/lifecycle.md");
    let page = std::fs::read_to_string(page).unwrap();
    let temp = tempfile::tempdir().unwrap();
    let (repo, home) = (temp.path().join("repo"), temp.path().join("home"));
    for folder in [&repo.join("tests"), &repo.join("planning-mds/security"), &home] {
        std::fs::create_dir_all(folder).unwrap();
    }
    std::fs::write(repo.join("lifecycle-stage.yaml"), block(&page, "yaml")).unwrap();
    std::fs::write(repo.join("tests/run.sh"), "exit 0\n").unwrap();
    assert!(run("git", &["init", "-q"], &repo, &home).status.success());
    let gates = || run(env!("CARGO_BIN_EXE_tollgate"), &["gates"], &repo, &home).status.code();
    assert_eq!(gates(), Some(1), "there is no evidence yet");
    for (path, text) in [
        ("planning-mds/security/review.md", "All was read.\n"),
        ("Dockerfile", "FROM alpine\nCOPY app /app\n"),
        ("compose.yaml", "services: {app: {build: .}}\n"),
        (".gitlab-ci.yml", "test: {script: [make test]}\n"),
        (".env.example", "PORT=8080\n"),
    ] {
        std::fs::write(repo.join(path), text).unwrap();
    }
    assert_eq!(gates(), Some(0));
}

#[test]
fn the_action_and_the_role_of_the_guide_run() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/actions.md");
    let page = std::fs::read_to_string(page).unwrap();
    let temp = tempfile::tempdir().unwrap();
    let (repo, home) = (temp.path().join("repo"), temp.path().join("home"));
    for folder in ["agents/actions", "agents/detective"] {
        std::fs::create_dir_all(repo.join(folder)).unwrap();
    }
    std::fs::create_dir_all(&home).unwrap();
    std::fs::write(home.join("crew.json"), "{}").unwrap();
    let settings = crate::support::scripted("crew", &home.join("crew.json"));
    std::fs::write(repo.join("tollgate.toml"), settings).unwrap();
    std::fs::write(repo.join("agents/actions/inquiry.md"), block(&page, "markdown")).unwrap();
    std::fs::write(repo.join("agents/detective/SKILL.md"), block(&page, "yaml")).unwrap();
    let identity = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
    for args in [vec!["init", "-q"], vec!["add", "-A"], vec!["commit", "-qm", "start"]] {
        let args: Vec<&str> = identity.iter().copied().chain(args).collect();
        assert!(run("git", &args, &repo, &home).status.success());
    }
    let args = ["run", "--no-input", "--input", "topic=logins", "Investigate the slow login"];
    let done = run(env!("CARGO_BIN_EXE_tollgate"), &args, &repo, &home);
    let words = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(0), "{words}");
    assert!(words.contains("action: inquiry"), "{words}");
}

#[test]
fn the_work_item_of_the_guide_sorts_the_change_that_the_guide_shows() {
    let page = page("scope.md");
    let temp = tempfile::tempdir().unwrap();
    let (repo, home) = (temp.path().join("repo"), temp.path().join("home"));
    for folder in [&repo.join("src"), &home] {
        std::fs::create_dir_all(folder).unwrap();
    }
    let write = |path: &str, text: &str| std::fs::write(repo.join(path), text).unwrap();
    write("src/cart.ts", "one\n");
    write("src/user.ts", "one\n");
    let identity = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
    for args in [vec!["init", "-q"], vec!["add", "-A"], vec!["commit", "-qm", "start"]] {
        let args: Vec<&str> = identity.iter().copied().chain(args).collect();
        assert!(run("git", &args, &repo, &home).status.success());
    }
    write("T-001.md", block(&page, "markdown"));
    for path in ["src/cart.ts", "src/cart.test.ts", "src/user.ts"] {
        write(path, "two\n");
    }
    let line = block(&page, "sh").trim().strip_prefix("tollgate ").unwrap();
    let done = run(TOLLGATE, &line.split(' ').collect::<Vec<_>>(), &repo, &home);
    exits(&done, 1);
    assert_eq!(String::from_utf8(done.stdout).unwrap(), block(&page, "text"));
}

#[test]
fn the_work_items_of_the_guide_are_good_ones() {
    let temp = tempfile::tempdir().unwrap();
    let guide = page("work-items.md");
    let second = guide.split("## A refinement").nth(1).unwrap();
    for (name, text) in [("task.md", guide.as_str()), ("refinement.md", second)] {
        std::fs::write(temp.path().join(name), block(text, "markdown")).unwrap();
        let checked = run(TOLLGATE, &["check", name], temp.path(), temp.path());
        exits(&checked, 0);
        assert!(!String::from_utf8_lossy(&checked.stderr).contains("warning["), "{checked:?}");
    }
}

/// Every fenced block of settings that describes an agent.
fn settings_in(text: &str) -> Vec<&str> {
    let blocks = text.split("```toml\n").skip(1);
    let blocks = blocks.map(|rest| rest.split("```").next().unwrap());
    blocks.filter(|block| block.contains("[agent.")).collect()
}

#[test]
fn the_settings_that_the_pages_of_agents_show_are_good() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let pages = std::fs::read_dir(root.join("docs/guide/agents")).unwrap();
    let pages = pages.map(|entry| entry.unwrap().path());
    let others = ["README.md", "docs/guide/settings.md", "docs/guide/limits.md"];
    for page in pages.chain(others.map(|name| root.join(name))) {
        let text = std::fs::read_to_string(&page).unwrap();
        let blocks = settings_in(&text);
        assert!(!blocks.is_empty(), "{} shows no settings", page.display());
        for block in blocks {
            let temp = tempfile::tempdir().unwrap();
            std::fs::write(temp.path().join("tollgate.toml"), block).unwrap();
            exits(&run(TOLLGATE, &["check", "tollgate.toml"], temp.path(), temp.path()), 0);
        }
    }
}

#[test]
fn every_agent_program_has_its_page_and_its_row_with_the_version_that_was_tested() {
    let index = page("agents/README.md");
    // Any program that speaks ACP has no version of its own.
    let is_program = |kind: &Adapter| *kind != Adapter::Acp && agent::adapter(*kind).is_some();
    for kind in Adapter::ALL.into_iter().filter(is_program) {
        let (name, tested) = (kind.as_str(), agent::adapter(kind).unwrap().tested());
        let row = format!("| [`{name}`]({name}.md) | {tested} |");
        assert!(index.contains(&row), "the index has no row {row}");
        let page = page(&format!("agents/{name}.md"));
        let told = page.lines().find(|line| line.starts_with("Tested with ")).unwrap_or_default();
        assert!(told.contains(tested), "{name}.md: {told:?} is not {tested}");
        for section in ["Install and log in", "Settings", "What is enforced, and by whom", "Limits"]
        {
            assert!(page.contains(&format!("\n## {section}\n")), "{name}.md has no {section}");
        }
    }
}
