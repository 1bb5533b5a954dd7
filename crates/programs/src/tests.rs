//! What the environment asks for, and that what is pinned here is what npm is told.

use super::{ALL, WITHOUT_VARIABLE, cache, wanted_by};
use std::path::PathBuf;

fn environment(variables: &[(&str, &str)]) -> impl Fn(&str) -> Option<String> {
    move |name| variables.iter().find(|(known, _)| *known == name).map(|(_, v)| (*v).to_owned())
}

#[test]
fn people_may_do_without_the_programs_and_ci_may_not() {
    let wanted = |variables: &[(&str, &str)]| wanted_by(WITHOUT_VARIABLE, environment(variables));
    assert_eq!(wanted(&[]), Ok(true));
    assert_eq!(wanted(&[("CI", "true")]), Ok(true));
    assert_eq!(wanted(&[("TOLLGATE_WITHOUT_AGENTS", "0")]), Ok(true));
    assert_eq!(wanted(&[("TOLLGATE_WITHOUT_AGENTS", "1")]), Ok(false));
    let refused = wanted(&[("TOLLGATE_WITHOUT_AGENTS", "1"), ("CI", "true")]);
    assert!(refused.is_err_and(|words| words.contains("CI")));
    assert!(wanted(&[("TOLLGATE_WITHOUT_AGENTS", "yes")]).is_err_and(|w| w.contains("`yes`")));
}

#[test]
fn the_cache_is_the_one_named_else_the_persons() {
    let cache = |variables: &[(&str, &str)]| {
        let variable = environment(variables);
        cache(|name| variable(name).map(PathBuf::from)).map(|path| path.display().to_string())
    };
    let all = [("TOLLGATE_AGENTS_CACHE", "/a"), ("XDG_CACHE_HOME", "/x"), ("HOME", "/h")];
    assert_eq!(cache(&all), Ok("/a".into()));
    assert_eq!(cache(&all[1..]), Ok("/x/tollgate-agents".into()));
    assert_eq!(cache(&all[2..]), Ok("/h/.cache/tollgate-agents".into()));
    assert!(cache(&[]).is_err_and(|words| words.contains("TOLLGATE_AGENTS_CACHE")));
    assert!(
        cache(&[("TOLLGATE_AGENTS_CACHE", "b"), ("HOME", "/h")]).is_err_and(|w| w.contains("`b`"))
    );
}

#[test]
fn every_version_is_the_one_in_the_manifest() {
    let manifest = include_str!("../../../xtask/agents/package.json");
    for program in &ALL {
        let begins = format!("\"{}\": ", program.package);
        let line = manifest.lines().find_map(|line| line.trim().strip_prefix(&begins));
        let pin = line.unwrap_or_else(|| panic!("{} is not in the manifest", program.package));
        let pin = pin.trim_matches([',', '"']);
        let alias = format!("npm:@openai/codex@{}-linux-x64", program.version);
        assert!(pin == program.version || pin == alias, "{}: {pin}", program.name);
    }
}

#[test]
fn every_package_has_a_hash_and_no_address() {
    let lock_file = include_str!("../../../xtask/agents/package-lock.json");
    let count = |word: &str| lock_file.matches(word).count();
    assert_eq!(count("\"integrity\": \"sha512-"), count("\"node_modules/"));
    assert_eq!(count("\"resolved\"") + count("://"), 0);
}
