//! The environment of an agent: an allow-list, never the parent's whole environment.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

const ALLOWED: [&str; 7] = ["PATH", "HOME", "USER", "SHELL", "LANG", "TZ", "TMPDIR"];

/// `PATH HOME USER SHELL LANG LC_* TZ TMPDIR` and the names passed on, from the parent; `TERM=dumb`; then `extra`.
pub fn agent_environment(
    parent: impl Iterator<Item = (OsString, OsString)>,
    names_let_through: &[String],
    extra: &BTreeMap<String, String>,
) -> BTreeMap<OsString, OsString> {
    let mut environment: BTreeMap<OsString, OsString> = parent
        .filter(|(name, _)| {
            is_allowed(name)
                || names_let_through.iter().any(|let_through| name == OsStr::new(let_through))
        })
        .collect();
    if !names_let_through.iter().any(|name| name == "TERM") {
        environment.insert("TERM".into(), "dumb".into());
    }
    environment.extend(extra.iter().map(|(name, value)| (name.into(), value.into())));
    environment
}

fn is_allowed(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| ALLOWED.contains(&name) || name.starts_with("LC_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment_of(parent: &[(&str, &str)], names: &[&str], extra: &[(&str, &str)]) -> String {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        let extra =
            extra.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        let parent = parent.iter().map(|(name, value)| (name.into(), value.into()));
        agent_environment(parent, &names, &extra)
            .iter()
            .map(|(name, value)| format!("{}={}", name.display(), value.display()))
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn r113_only_allowed_names_reach_the_agent() {
        let parent = [
            ("PATH", "/bin"),
            ("LC_ALL", "C"),
            ("TERM", "xterm"),
            ("PATHS", "no"),
            ("AWS_SECRET_ACCESS_KEY", "no"),
            ("API_KEY", "yes"),
            ("LD_PRELOAD", "no"),
        ];
        assert_eq!(
            environment_of(&parent, &["API_KEY", "ABSENT"], &[("TOLLGATE_ROLE", "Coder")]),
            "API_KEY=yes LC_ALL=C PATH=/bin TERM=dumb TOLLGATE_ROLE=Coder"
        );
    }

    #[test]
    fn extra_values_win() {
        assert_eq!(environment_of(&[("HOME", "/a")], &[], &[("HOME", "/b")]), "HOME=/b TERM=dumb");
    }
}
