//! The login out of Copilot's own file, which also says which folders are trusted: in those the repository's hooks and
//! servers would run.

use crate::Home;
use serde_json::{Map, Value};
use std::fs;
use std::io;
use tollgate_files as files;

/// Logins are small; what is larger is something else.
const LOGIN_BYTES_MAX: u64 = 256 * 1024;

/// Leaves nothing in the file of the private folder but the login; a file that cannot be read goes.
///
/// A file with nothing else in it stays as it was lent, so that renewed tokens can go back to the person. One that was cut
/// never does: it would take their other settings away.
pub fn keep_only(home: &Home, file: &str) -> io::Result<()> {
    // Not through a link: the agent may have put one there in the attempt before.
    let found = files::read_beneath(home.folder(), file, LOGIN_BYTES_MAX).unwrap_or_default();
    match login(&String::from_utf8_lossy(&found)) {
        Some(Login { is_whole: true, .. }) => Ok(()),
        Some(Login { login, .. }) => home.write(file, Value::Object(login).to_string().as_bytes()),
        None => match fs::remove_file(home.path(file)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        },
    }
}

struct Login {
    login: Map<String, Value>,
    /// There was nothing else.
    is_whole: bool,
}

/// None when there is none.
fn login(text: &str) -> Option<Login> {
    // Copilot puts comments at the beginning of lines.
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let all: Map<String, Value> =
        serde_json::from_str(&lines.collect::<Vec<_>>().join("\n")).ok()?;
    let is_login = |name: &str| {
        let name = name.to_lowercase().replace('_', "");
        name.contains("token") || name.contains("loggedin")
    };
    let count = all.len();
    let login: Map<_, _> = all.into_iter().filter(|(name, _)| is_login(name)).collect();
    let is_whole = login.len() == count;
    (!login.is_empty()).then_some(Login { login, is_whole })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    #[test]
    fn only_the_login_is_left_of_the_settings_that_contain_it() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::create(folder.path()).unwrap();
        let kept = |text: &[u8]| {
            home.write("c.json", text).unwrap();
            keep_only(&home, "c.json").unwrap();
            fs::read_to_string(home.path("c.json")).ok()
        };
        let all = br#"// Written by the program.
            {"trustedFolders": ["/"], "hooks": {}, "copilotTokens": {"a": "t"}, "logged_in_users": [1]}"#;
        let left = r#"{"copilotTokens":{"a":"t"},"logged_in_users":[1]}"#;
        assert_eq!(kept(all).as_deref(), Some(left));
        let alone = "// Written by the program.\n{ \"copilotTokens\": {\"a\": \"t\"} }\n";
        assert_eq!(kept(alone.as_bytes()).as_deref(), Some(alone), "as it was lent");
        assert_eq!(kept(br#"{"trustedFolders": ["/"]}"#), None);
        assert_eq!(kept(b"{\"copilotTokens\": 1, "), None);
        assert_eq!(kept(b"\xff\xfe"), None);
        keep_only(&home, "none.json").unwrap();
    }

    #[test]
    fn a_link_that_an_agent_left_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::create(&folder.path().join("home")).unwrap();
        let theirs = folder.path().join("theirs.json");
        let content = r#"{"copilotTokens": 1, "trustedFolders": []}"#;
        fs::write(&theirs, content).unwrap();
        std::os::unix::fs::symlink(&theirs, home.path("c.json")).unwrap();
        keep_only(&home, "c.json").unwrap();
        assert_eq!(fs::read_to_string(&theirs).unwrap(), content);
        assert!(home.path("c.json").symlink_metadata().is_err());
    }
}
