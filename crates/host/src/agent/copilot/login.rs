//! The login out of Copilot's own file, which also says which folders are trusted: in those the repository's hooks and
//! servers would run.

use crate::agent::Home;
use serde_json::{Map, Value};
use std::fs;
use std::io;

/// Leaves nothing in the file of the private folder but the login; a file that cannot be read goes.
pub fn keep_only(home: &Home, file: &str) -> io::Result<()> {
    let path = home.path(file);
    let text = match fs::read_to_string(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => String::new(),
        read => read?,
    };
    match login(&text) {
        Some(login) => home.write(file, Value::Object(login).to_string().as_bytes()),
        None => fs::remove_file(path),
    }
}

/// None when there is none.
fn login(text: &str) -> Option<Map<String, Value>> {
    // Copilot puts comments at the beginning of lines.
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let all: Map<String, Value> =
        serde_json::from_str(&lines.collect::<Vec<_>>().join("\n")).ok()?;
    let is_login = |name: &str| {
        let name = name.to_lowercase().replace('_', "");
        name.contains("token") || name.contains("loggedin")
    };
    let login: Map<_, _> = all.into_iter().filter(|(name, _)| is_login(name)).collect();
    (!login.is_empty()).then_some(login)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    #[test]
    fn only_the_login_is_left_of_the_settings_that_it_lies_in() {
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
        assert_eq!(kept(br#"{"trustedFolders": ["/"]}"#), None);
        assert_eq!(kept(b"{\"copilotTokens\": 1, "), None);
        assert_eq!(kept(b"\xff\xfe"), None);
        keep_only(&home, "none.json").unwrap();
    }
}
