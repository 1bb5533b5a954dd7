//! How sessions are listed and found.
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
    list(layout).unwrap().iter().map(ToString::to_string).collect()
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
fn r186_a_session_is_meant_by_name_part_number_or_latest() {
    let (_folder, layout) = repo_with(&[
        ("2026-11-14_login", "2026-11-14T10:00:00Z"),
        ("2026-11-15_login", "2026-11-15T10:00:00Z"),
        ("2026-11-15_login-2", "2026-11-15T11:00:00Z"),
    ]);
    let resolve = |text| find(&layout, text).map(|name| name.to_string());
    assert_eq!(resolve("latest").unwrap(), "2026-11-15_login-2");
    assert_eq!(resolve("2026-11-14").unwrap(), "2026-11-14_login");
    assert_eq!(resolve("2026-11-15_login").unwrap(), "2026-11-15_login");
    assert_eq!(resolve("1").unwrap(), "2026-11-15_login-2");
    assert_eq!(resolve("3").unwrap(), "2026-11-14_login");
    assert_eq!(resolve("14_log").unwrap(), "2026-11-14_login");
    assert_eq!(resolve("login-").unwrap(), "2026-11-15_login-2");
    assert!(matches!(resolve("login"), Err(SessionsError::Ambiguous { .. })));
    for none in ["0", "4", "99"] {
        assert!(matches!(resolve(none), Err(SessionsError::Unknown { .. })), "{none:?}");
    }
    let message = resolve("2026-11-15").unwrap_err().to_string();
    assert!(message.contains("2026-11-15_login-2, 2026-11-15_login;"), "{message}");
    for text in ["nothing", "", "../2026-11-14_login"] {
        assert!(matches!(resolve(text), Err(SessionsError::Unknown { .. })), "{text:?}");
    }
    let (_empty, layout) = repo_with(&[]);
    assert!(matches!(find(&layout, "latest"), Err(SessionsError::NoSession)));
}
