//! Where things are, and how sessions are named.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;

#[test]
fn a_name_comes_from_the_goal() {
    let check = |goal: &str, name: &str| {
        assert_eq!(new_session_name("2026-11-15", goal).as_str(), name, "{goal:?}");
    };
    check("Add rate limiting!", "2026-11-15_add-rate-limiting");
    check("  Don't   break_things / ever ", "2026-11-15_dont-break-things-ever");
    check("日本語", "2026-11-15_ri-ben-yu");
    check("Füge Tests hinzu", "2026-11-15_fuege-tests-hinzu");
    check("Größe, Maß und ÄRGER", "2026-11-15_groesse-mass-und-aerger");
    check("Gro\u{308}ße, nai\u{308}ve cafe\u{301}", "2026-11-15_groesse-naive-cafe");
    check("naïve café", "2026-11-15_naive-cafe");
    check("Исправить вход", "2026-11-15_ispravit-vkhod");
    check("修复登录错误", "2026-11-15_xiu-fu-deng-lu-cuo-wu");
    check("🚀🚀", "2026-11-15_session");
    check("½ price", "2026-11-15_1-2-price");
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
