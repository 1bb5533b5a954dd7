//! Filters that the repository itself brings are not run; those of the person and of the system are theirs to trust.

use crate::program::GitCall;
use std::collections::BTreeMap;

/// Settings, key and value, that go before those of the repository.
pub type Overrides = BTreeMap<String, String>;

/// From `git config --list -z --show-scope`: each command of a filter that the repository sets gets the value that it
/// has without the repository, or none.
pub fn overrides(listing: &[u8]) -> Overrides {
    let mut trusted: BTreeMap<String, String> = BTreeMap::new();
    let mut found: Vec<String> = Vec::new();
    let mut fields = listing.split(|byte| *byte == 0).map(String::from_utf8_lossy);
    while let (Some(scope), Some(setting)) = (fields.next(), fields.next()) {
        let (key, value) = setting.split_once('\n').unwrap_or((&setting, ""));
        if !is_filter_setting(key) {
            continue;
        }
        if matches!(&*scope, "system" | "global") {
            trusted.insert(key.to_owned(), value.to_owned());
        } else if scope != "command" {
            found.push(key.to_owned());
        }
    }
    let mut overrides = Overrides::new();
    for key in found {
        let name = key.rsplit_once('.').map_or("", |(name, _)| name).to_owned();
        // A filter is one thing: half of the repository's and half of the person's is neither.
        for setting in SETTINGS {
            let key = format!("{name}.{setting}");
            let absent = if setting == "required" { "false" } else { "" };
            let value = trusted.get(&key).cloned().unwrap_or_else(|| absent.to_owned());
            overrides.insert(key, value);
        }
    }
    overrides
}

const SETTINGS: [&str; 4] = ["clean", "smudge", "process", "required"];

fn is_filter_setting(key: &str) -> bool {
    let setting = key.strip_prefix("filter.").and_then(|rest| rest.rsplit_once('.'));
    setting.is_some_and(|(_, setting)| SETTINGS.contains(&setting))
}

/// Given by the environment, where a name may hold any character.
pub fn apply(call: GitCall, overrides: &Overrides) -> GitCall {
    let call = call.env("GIT_CONFIG_COUNT", overrides.len().to_string());
    overrides.iter().enumerate().fold(call, |call, (at, (key, value))| {
        call.env(&format!("GIT_CONFIG_KEY_{at}"), key).env(&format!("GIT_CONFIG_VALUE_{at}"), value)
    })
}

#[cfg(test)]
mod tests {
    use super::overrides;

    #[test]
    fn r117_only_filters_of_the_repository_lose_their_commands() {
        let listing = b"global\0filter.lfs.clean\ngit-lfs clean\0global\0filter.mine.clean\nmine\0\
                        local\0filter.lfs.clean\nevil\0worktree\0filter.a=b.c.process\nevil\0\
                        local\0filter.x.other\ny\0local\0core.bare\nfalse\0";
        let found = overrides(listing);
        let of = |key: &str| found.get(key).map(String::as_str);
        assert_eq!(of("filter.lfs.clean"), Some("git-lfs clean"));
        assert_eq!(of("filter.lfs.process"), Some(""));
        assert_eq!(of("filter.a=b.c.process"), Some(""));
        assert_eq!(of("filter.a=b.c.required"), Some("false"));
        assert_eq!((of("filter.mine.clean"), of("filter.x.clean")), (None, None));
    }
}
