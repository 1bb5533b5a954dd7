//! Which variables of an environment hold a secret, by their names.

use std::ffi::{OsStr, OsString};

const ANYWHERE: [&str; 6] = ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL"];

/// Ends of a word of a name: `OPENAI_API_KEY`, `MYAPIKEY`, `NPM_AUTH`, `MYSQL_PWD`.
const WORD_ENDS: [&str; 10] =
    ["KEY", "KEYS", "AUTH", "AUTHORIZATION", "PASS", "PWD", "COOKIE", "COOKIES", "PRIVATE", "JWT"];

/// Words of names whose value says where something is, not what it is.
const PLACES: [&str; 9] =
    ["SOCK", "SOCKET", "FILE", "PATH", "DIR", "HOME", "ASKPASS", "MONKEY", "HOTKEY"];

/// Settings that happen to have a secret-sounding name.
const PLAIN_VALUES: [&str; 9] = [
    "always", "default", "disable", "disabled", "enable", "enabled", "optional", "require",
    "required",
];

pub(super) fn secret_value(name: &OsStr, value: OsString) -> Option<String> {
    let value = value.to_string_lossy().into_owned();
    let is_secret = sounds_secret(name.to_str()?) && !PLAIN_VALUES.contains(&value.as_str());
    is_secret.then_some(value)
}

fn sounds_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    // The current folder and the last one, whatever their names end in.
    if name == "PWD" || name == "OLDPWD" {
        return false;
    }
    let mut words = name.split(['_', '-', '.']);
    if words.clone().any(|word| PLACES.contains(&word)) {
        return false;
    }
    ANYWHERE.iter().any(|part| name.contains(part))
        || words.any(|word| WORD_ENDS.iter().any(|end| word.ends_with(end)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_show_what_is_secret() {
        for name in [
            "OPENAI_API_KEY",
            "GITHUB_TOKEN",
            "AWS_SECRET_ACCESS_KEY",
            "PGPASSWORD",
            "npm_config__auth",
            "MYSQL_PWD",
            "HTTP_AUTHORIZATION",
            "ANTHROPIC_AUTH_TOKEN",
        ] {
            assert!(sounds_secret(name), "{name} is secret");
        }
        for name in [
            "PATH",
            "PWD",
            "OLDPWD",
            "SSH_AUTH_SOCK",
            "GIT_AUTHOR_NAME",
            "XAUTHORITY",
            "GIT_ASKPASS",
            "GOOGLE_APPLICATION_CREDENTIALS_FILE",
            "KEYBOARD_LAYOUT",
            "HOME",
        ] {
            assert!(!sounds_secret(name), "{name} is not secret");
        }
    }
}
