//! A crate is a promise about what it does not depend on.

use super::Problem;
use crate::source::{SourceFile, find_words, line_of};
use std::path::Path;
use xtask::{Trouble, run};

/// The only crates of others the core may use: it must stay a value and two functions.
const CORE_MAY_USE: [&str; 2] = ["serde", "thiserror"];

/// Crates that touch the world; judging a change and reading what people wrote need none of them.
const PURE_MUST_NOT_USE: [&str; 6] = ["rustix", "tokio", "tempfile", "jiff", "signal-hook", "libc"];

/// What the host brings together.
const HOST: [&str; 10] = [
    "tollgate-core",
    "tollgate-judge",
    "tollgate-contract",
    "tollgate-files",
    "tollgate-process",
    "tollgate-git",
    "tollgate-snapshot",
    "tollgate-tracker",
    "tollgate-notify",
    "tollgate-agents",
];

/// The face shows what the host does, and what a command is about: a snapshot, a diff, an agent program.
const CLI: [&str; 18] = [
    "tollgate-core",
    "tollgate-judge",
    "tollgate-contract",
    "tollgate-files",
    "tollgate-process",
    "tollgate-git",
    "tollgate-snapshot",
    "tollgate-tracker",
    "tollgate-http",
    "tollgate-notify",
    "tollgate-agents",
    "tollgate-host",
    "tollgate-desk",
    "tollgate-archive",
    "tollgate-page",
    "tollgate-watch",
    "tollgate-mcp",
    "tollgate-standin",
];

/// What every surface stands on: it reads sessions, and gives commands.
const DESK: [&str; 6] = [
    "tollgate-core",
    "tollgate-contract",
    "tollgate-files",
    "tollgate-git",
    "tollgate-agents",
    "tollgate-host",
];

/// A surface shows what the desk has.
const SURFACE: [&str; 5] =
    ["tollgate-core", "tollgate-contract", "tollgate-files", "tollgate-host", "tollgate-desk"];

/// Where the face may name a crate below the host: in the command that the crate is about, or where our binary becomes
/// another program. Everything of a session goes through `tollgate_host::client`. The core, the contract, the files and the
/// host are for all of it.
const CLI_NAMES: [(&str, &[&str]); 9] = [
    ("tollgate_judge", &["commands/scope"]),
    (
        "tollgate_git",
        &[
            "place",
            "failure",
            "summary",
            "digest",
            "commands/doctor",
            "commands/labels",
            "commands/notify",
            "commands/run/inputs",
            "commands/run/whole",
            "commands/scope",
            "commands/diff",
            "face/gate",
            "commands/snapshot",
        ],
    ),
    ("tollgate_process", &["args", "face/keyboard", "commands/agents", "commands/doctor"]),
    (
        "tollgate_agents",
        &[
            "args",
            "installed",
            "face/live",
            "commands/agents",
            "commands/doctor",
            "commands/init",
            "commands/logs",
        ],
    ),
    ("tollgate_snapshot", &["commands/snapshot"]),
    ("tollgate_tracker", &["tracking", "commands/doctor", "commands/labels"]),
    ("tollgate_notify", &["commands/notify", "commands/doctor"]),
    ("tollgate_http", &["telemetry", "commands/notify", "commands/doctor"]),
    ("tollgate_standin", &["commands/agents/conformance"]),
];

/// What the measurements use.
const BENCH: [&str; 9] = [
    "tollgate-core",
    "tollgate-contract",
    "tollgate-files",
    "tollgate-process",
    "tollgate-git",
    "tollgate-snapshot",
    "tollgate-host",
    "tollgate-programs",
    "xtask",
];

/// Which of our crates each of our crates may depend on: what a crate names stands above it here.
/// The programs are for tests: nothing that is shipped may depend on them.
const DIRECTIONS: [(&str, &[&str]); 23] = [
    ("tollgate-core", &[]),
    ("tollgate-judge", &["tollgate-core"]),
    ("tollgate-contract", &["tollgate-core", "tollgate-judge"]),
    ("tollgate-files", &["tollgate-core"]),
    ("tollgate-process", &["tollgate-files"]),
    ("tollgate-git", &["tollgate-core", "tollgate-judge", "tollgate-files"]),
    ("tollgate-snapshot", &["tollgate-core", "tollgate-judge", "tollgate-files", "tollgate-git"]),
    ("tollgate-http", &["tollgate-files"]),
    (
        "tollgate-tracker",
        &["tollgate-core", "tollgate-contract", "tollgate-files", "tollgate-git", "tollgate-http"],
    ),
    (
        "tollgate-notify",
        &[
            "tollgate-core",
            "tollgate-contract",
            "tollgate-files",
            "tollgate-http",
            "tollgate-process",
        ],
    ),
    (
        "tollgate-agents",
        &[
            "tollgate-core",
            "tollgate-contract",
            "tollgate-files",
            "tollgate-git",
            "tollgate-process",
        ],
    ),
    ("tollgate-host", &HOST),
    ("tollgate-desk", &DESK),
    ("tollgate-archive", &["tollgate-core", "tollgate-files", "tollgate-git", "tollgate-host"]),
    ("tollgate-page", &SURFACE),
    ("tollgate-watch", &SURFACE),
    ("tollgate-mcp", &SURFACE),
    ("tollgate", &CLI),
    ("tollgate-sim", &["tollgate-core"]),
    ("tollgate-standin", &[]),
    ("tollgate-programs", &[]),
    ("xtask", &["tollgate-programs"]),
    ("tollgate-bench", &BENCH),
];

/// Features that let a test change what the program does: what is shipped never turns one on.
const FOR_TESTS: [&str; 2] = ["test-hooks", "mutants"];

/// A crate of the workspace, what its shipped code depends on, and the features that it turns on there or by default.
#[derive(Debug)]
pub struct Crate {
    pub name: String,
    pub dependencies: Vec<String>,
    pub features: Vec<String>,
}

/// Asks cargo, which reads manifests better than we would.
pub fn metadata(root: &Path) -> Result<serde_json::Value, Trouble> {
    let text = run::read(
        run::cargo(&["metadata", "--no-deps", "--offline", "--format-version", "1"])
            .current_dir(root),
    )?;
    Ok(serde_json::from_str(&text)?)
}

pub fn crates(metadata: &serde_json::Value) -> Vec<Crate> {
    let list = |value: &serde_json::Value| value.as_array().cloned().unwrap_or_default();
    let name = |value: &serde_json::Value| value["name"].as_str().unwrap_or_default().to_owned();
    let shipped = |dependency: &serde_json::Value| dependency["kind"].as_str() != Some("dev");
    let read = |package: &serde_json::Value| {
        let mut dependencies = list(&package["dependencies"]);
        dependencies.retain(shipped);
        let named = dependencies.iter().flat_map(|dependency| list(&dependency["features"]));
        let turned_on = named.chain(list(&package["features"]["default"]));
        Crate {
            name: name(package),
            features: turned_on.filter_map(|name| Some(name.as_str()?.to_owned())).collect(),
            dependencies: dependencies.iter().map(name).collect(),
        }
    };
    list(&metadata["packages"]).iter().map(read).collect()
}

pub fn check(crates: &[Crate]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for Crate { name, dependencies, features } in crates {
        // `crate/feature` turns on the feature of another one.
        let last = |feature: &String| feature.rsplit('/').next().unwrap_or_default().to_owned();
        let for_tests = features.iter().map(last).filter(|name| FOR_TESTS.contains(&name.as_str()));
        problems.extend(for_tests.map(|feature| {
            problem(
                name,
                &format!(
                    "turns on {feature}, which is for tests: name it under [dev-dependencies]"
                ),
            )
        }));
        let Some((_, may_use)) = DIRECTIONS.iter().find(|(known, _)| known == name) else {
            problems.push(problem(
                name,
                "is new: say in xtask/src/tidy/directions.rs what it may depend on",
            ));
            continue;
        };
        for dependency in dependencies {
            let ours = DIRECTIONS.iter().any(|(known, _)| known == dependency);
            let why = if ours && !may_use.contains(&dependency.as_str()) {
                "against the directions: see xtask/src/tidy/directions.rs"
            } else if name == "tollgate-core" && !CORE_MAY_USE.contains(&dependency.as_str()) {
                "but the core has serde and thiserror only"
            } else if matches!(name.as_str(), "tollgate-judge" | "tollgate-contract")
                && PURE_MUST_NOT_USE.contains(&dependency.as_str())
            {
                "but it reads what it is given and touches nothing"
            } else {
                continue;
            };
            problems.push(problem(name, &format!("depends on {dependency}, {why}")));
        }
    }
    problems
}

/// What the sources of the face name, file by file.
pub fn check_names(files: &[SourceFile]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in files {
        let Some(path) = file.path.strip_prefix("crates/cli/src/") else { continue };
        let is_part_of = |folder: &str| {
            path.strip_prefix(folder).is_some_and(|rest| rest.starts_with(['/', '.']))
        };
        for (name, places) in CLI_NAMES {
            if places.iter().any(|place| is_part_of(place)) {
                continue;
            }
            let named = find_words(&file.shipped, name);
            problems.extend(named.map(|at| {
                let message = format!(
                    "`{name}` is not for this file: go through tollgate_host::client, or see \
                     xtask/src/tidy/directions.rs"
                );
                Problem::at(file, line_of(&file.shipped, at), message)
            }));
        }
    }
    problems
}

fn problem(name: &str, message: &str) -> Problem {
    Problem { place: format!("crate {name}"), message: message.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::{Crate, check, check_names};
    use crate::source::SourceFile;

    fn bites(name: &str, dependency: &str) -> bool {
        let dependencies = vec![dependency.into()];
        !check(&[Crate { name: name.into(), dependencies, features: Vec::new() }]).is_empty()
    }

    #[test]
    fn what_is_shipped_has_no_feature_for_tests() {
        let bites = |feature: &str| {
            let features = vec![feature.to_owned()];
            let one = Crate { name: "tollgate".into(), dependencies: Vec::new(), features };
            !check(&[one]).is_empty()
        };
        assert!(!bites("derive"));
        assert!(bites("test-hooks") && bites("tollgate-files/test-hooks") && bites("mutants"));
    }

    #[test]
    fn the_core_has_two_dependencies_only() {
        assert!(!bites("tollgate-core", "serde"));
        assert!(!bites("tollgate-core", "thiserror"));
        assert!(bites("tollgate-core", "serde_json"));
    }

    #[test]
    fn the_judge_and_the_contract_have_no_crate_that_touches_the_world() {
        assert!(!bites("tollgate-contract", "schemars"));
        for dependency in ["rustix", "tokio", "tempfile", "jiff"] {
            assert!(bites("tollgate-judge", dependency), "{dependency}");
            assert!(bites("tollgate-contract", dependency), "{dependency}");
        }
    }

    #[test]
    fn dependencies_point_one_way() {
        assert!(!bites("tollgate", "tollgate-host"));
        assert!(bites("tollgate-core", "tollgate-contract"));
        assert!(bites("tollgate-judge", "tollgate-contract"));
        assert!(bites("tollgate-contract", "tollgate-host"));
        assert!(bites("tollgate-host", "tollgate"));
        assert!(!bites("tollgate-host", "tollgate-process"));
        assert!(bites("tollgate-process", "tollgate-host"));
        assert!(bites("tollgate-process", "tollgate-git"));
        assert!(bites("tollgate-files", "tollgate-process"));
        assert!(bites("tollgate-agents", "tollgate-tracker"));
        assert!(bites("tollgate-sim", "tollgate-host"));
        assert!(bites("tollgate", "tollgate-sim"));
        assert!(bites("tollgate", "tollgate-programs"));
        assert!(bites("tollgate-host", "tollgate-programs"));
        assert!(bites("tollgate-new", "serde"));
    }

    #[test]
    fn the_face_names_a_crate_only_in_the_command_about_it() {
        let bites =
            |path: &str, text: &str| !check_names(&[SourceFile::new(path, text)]).is_empty();
        let text = "use tollgate_snapshot::Snapshot;";
        assert!(!bites("crates/cli/src/commands/snapshot.rs", text));
        assert!(!bites("crates/cli/src/commands/snapshot/words.rs", text));
        assert!(bites("crates/cli/src/commands/snapshots.rs", text));
        assert!(bites("crates/cli/src/commands/run.rs", text));
        assert!(bites("crates/cli/src/commands/run.rs", "fn a() { tollgate_process::b() }"));
        assert!(!bites("crates/host/src/a.rs", text));
        assert!(!bites("crates/cli/src/a.rs", "use tollgate_host::client::Client;"));
    }

    #[test]
    fn cargo_is_asked_for_all_crates() {
        let metadata = super::metadata(&xtask::root()).expect("cargo reads the manifests");
        let crates = super::crates(&metadata);
        assert_eq!(crates.len(), super::DIRECTIONS.len());
        let core = crates.iter().find(|c| c.name == "tollgate-core").expect("the core is a crate");
        assert_eq!(core.dependencies, ["serde", "thiserror"]);
    }
}
