//! Where things are, how sessions are listed, found and named.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use tempfile::TempDir;

fn repo_with(sessions: &[(&str, &str)]) -> (TempDir, Layout) {
    let folder = TempDir::new().unwrap();
    let layout = Layout::new(folder.path());
    for (name, at) in sessions {
        let session = layout.session(&SessionName::parse(name).unwrap());
        std::fs::create_dir_all(session.folder()).unwrap();
        std::fs::write(session.journal(), format!("{{\"seq\":1,\"at\":\"{at}\"}}\n")).unwrap();
    }
    (folder, layout)
}

fn listed(layout: &Layout) -> Vec<String> {
    layout.sessions().unwrap().iter().map(ToString::to_string).collect()
}

#[test]
fn the_newest_session_comes_first() {
    let (folder, layout) = repo_with(&[
        ("2026-11-14_old", "2026-11-14T10:00:00Z"),
        ("2026-11-15_zebra", "2026-11-15T10:00:00Z"),
        ("2026-11-15_apple", "2026-11-15T11:00:00Z"),
        ("2026-11-15_apple-2", "2026-11-15T11:00:00Z"),
    ]);
    std::fs::create_dir(folder.path().join(".agents-work/notes")).unwrap();
    std::fs::write(folder.path().join(".agents-work/2026-11-16_file"), "").unwrap();
    assert_eq!(
        listed(&layout),
        ["2026-11-15_apple-2", "2026-11-15_apple", "2026-11-15_zebra", "2026-11-14_old"]
    );
}

#[test]
fn a_session_is_meant_by_name_prefix_or_latest() {
    let (_folder, layout) = repo_with(&[
        ("2026-11-14_login", "2026-11-14T10:00:00Z"),
        ("2026-11-15_login", "2026-11-15T10:00:00Z"),
        ("2026-11-15_login-2", "2026-11-15T11:00:00Z"),
    ]);
    let resolve = |text| layout.resolve(text).map(|name| name.to_string());
    assert_eq!(resolve("latest").unwrap(), "2026-11-15_login-2");
    assert_eq!(resolve("2026-11-14").unwrap(), "2026-11-14_login");
    assert_eq!(resolve("2026-11-15_login").unwrap(), "2026-11-15_login");
    let message = resolve("2026-11-15").unwrap_err().to_string();
    assert!(message.contains("2026-11-15_login-2, 2026-11-15_login;"), "{message}");
    for text in ["nothing", "", "../2026-11-14_login"] {
        assert!(matches!(resolve(text), Err(LayoutError::Unknown { .. })), "{text:?}");
    }
    let (_empty, layout) = repo_with(&[]);
    assert!(matches!(layout.resolve("latest"), Err(LayoutError::NoSession)));
}

#[test]
fn a_name_comes_from_the_goal() {
    let check = |goal: &str, name: &str| {
        assert_eq!(new_session_name("2026-11-15", goal).as_str(), name, "{goal:?}");
    };
    check("Add rate limiting!", "2026-11-15_add-rate-limiting");
    check("  Don't   break_things / ever ", "2026-11-15_dont-break-things-ever");
    check("日本語", "2026-11-15_session");
    check("Füge Tests hinzu", "2026-11-15_fge-tests-hinzu");
    check("", "2026-11-15_session");
    check("../../etc", "2026-11-15_etc");
    check(
        "Add rate limiting to the login endpoint of the service",
        "2026-11-15_add-rate-limiting-to-the-login-endpoint",
    );
    check(&"x".repeat(90), &format!("2026-11-15_{}", "x".repeat(40)));
    let name = new_session_name("2026-11-15", "a b");
    let names: Vec<String> = numbered(&name).take(3).map(|name| name.to_string()).collect();
    assert_eq!(names, ["2026-11-15_a-b", "2026-11-15_a-b-2", "2026-11-15_a-b-3"]);
}

#[test]
fn the_state_home_is_the_first_absolute_one() {
    let check = |set: &[(&str, &str)], expected: Option<&str>| {
        let lookup = |name: &str| {
            set.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
        };
        assert_eq!(state_home(lookup).ok().as_deref(), expected.map(Path::new), "{set:?}");
    };
    let home = ("HOME", "/h");
    check(&[home], Some("/h/.local/state/tollgate"));
    check(&[home, ("XDG_STATE_HOME", "/state")], Some("/state/tollgate"));
    check(&[home, ("XDG_STATE_HOME", "relative")], Some("/h/.local/state/tollgate"));
    check(&[home, ("XDG_STATE_HOME", "/state"), ("TOLLGATE_STATE_HOME", "/t")], Some("/t"));
    check(&[], None);
}

#[test]
fn workspaces_of_two_repositories_are_apart() {
    let session = SessionName::parse("2026-11-15_x").unwrap();
    let home = |repo: &str| workspace_home(Path::new("/s"), Path::new(repo), &session);
    // The first 16 digits of `printf /repo | sha256sum`.
    assert_eq!(home("/repo"), Path::new("/s/workspaces/816fc349d3faebf8/2026-11-15_x"));
    assert_ne!(home("/repo"), home("/other"));
}

#[test]
fn paths_are_where_the_design_says() {
    let session = SessionLayout::at("/s");
    assert_eq!(session.journal(), Path::new("/s/journal.jsonl"));
    assert_eq!(
        session.dispatch(DispatchNumber(3)).input(),
        Path::new("/s/dispatches/3/input.json")
    );
    let attempt = session.attempt(DispatchNumber(3), Attempt(2));
    assert_eq!(attempt.outputs(), Path::new("/s/dispatches/3/attempt-2/outputs"));
    assert_eq!(session.check(CheckNumber(4), 0).folder(), Path::new("/s/checks/4/0"));
    assert_eq!(session.commands_log(), Path::new("/s/evidence/commands.log"));
}
