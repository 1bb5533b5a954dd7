//! A crate is a promise about what it does not depend on.

use super::Problem;
use crate::{Trouble, run};
use std::path::Path;

/// The only crates of others the core may use: it must stay a value and two functions.
const CORE_MAY_USE: [&str; 2] = ["serde", "thiserror"];

/// Crates that touch the world; reading what people wrote needs none of them.
const CONTRACT_MUST_NOT_USE: [&str; 6] =
    ["rustix", "tokio", "tempfile", "jiff", "signal-hook", "libc"];

/// Which of our crates each of our crates may depend on: core ← contract ← host ← cli, sim beside.
/// The programs are for tests: nothing that is shipped may depend on them.
const DIRECTIONS: [(&str, &[&str]); 8] = [
    ("tollgate-core", &[]),
    ("tollgate-contract", &["tollgate-core"]),
    ("tollgate-host", &["tollgate-core", "tollgate-contract"]),
    ("tollgate", &["tollgate-core", "tollgate-contract", "tollgate-host", "tollgate-standin"]),
    ("tollgate-sim", &["tollgate-core"]),
    ("tollgate-standin", &[]),
    ("tollgate-programs", &[]),
    ("xtask", &["tollgate-core", "tollgate-contract", "tollgate-host", "tollgate-programs"]),
];

/// A crate of the workspace and what its shipped code depends on.
#[derive(Debug)]
pub struct Crate {
    pub name: String,
    pub dependencies: Vec<String>,
}

/// Asks cargo, which reads manifests better than we would.
pub fn crates(root: &Path) -> Result<Vec<Crate>, Trouble> {
    let text = run::read(
        run::cargo(&["metadata", "--no-deps", "--offline", "--format-version", "1"])
            .current_dir(root),
    )?;
    let metadata: serde_json::Value = serde_json::from_str(&text)?;
    let list = |value: &serde_json::Value| value.as_array().cloned().unwrap_or_default();
    let name = |value: &serde_json::Value| value["name"].as_str().unwrap_or_default().to_owned();
    let shipped = |dependency: &serde_json::Value| dependency["kind"].as_str() != Some("dev");
    Ok(list(&metadata["packages"])
        .iter()
        .map(|package| Crate {
            name: name(package),
            dependencies: list(&package["dependencies"])
                .iter()
                .filter(|d| shipped(d))
                .map(name)
                .collect(),
        })
        .collect())
}

pub fn check(crates: &[Crate]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for Crate { name, dependencies } in crates {
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
                "against the direction core ← contract ← host ← cli, sim beside"
            } else if name == "tollgate-core" && !CORE_MAY_USE.contains(&dependency.as_str()) {
                "but the core has serde and thiserror only"
            } else if name == "tollgate-contract"
                && CONTRACT_MUST_NOT_USE.contains(&dependency.as_str())
            {
                "but the contract reads bytes and touches nothing"
            } else {
                continue;
            };
            problems.push(problem(name, &format!("depends on {dependency}, {why}")));
        }
    }
    problems
}

fn problem(name: &str, message: &str) -> Problem {
    Problem { place: format!("crate {name}"), message: message.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::{Crate, check};

    fn bites(name: &str, dependency: &str) -> bool {
        let one = Crate { name: name.into(), dependencies: vec![dependency.into()] };
        !check(&[one]).is_empty()
    }

    #[test]
    fn the_core_has_two_dependencies_only() {
        assert!(!bites("tollgate-core", "serde"));
        assert!(!bites("tollgate-core", "thiserror"));
        assert!(bites("tollgate-core", "serde_json"));
    }

    #[test]
    fn the_contract_has_no_crate_that_touches_the_world() {
        assert!(!bites("tollgate-contract", "schemars"));
        for dependency in ["rustix", "tokio", "tempfile", "jiff"] {
            assert!(bites("tollgate-contract", dependency), "{dependency}");
        }
    }

    #[test]
    fn dependencies_point_one_way() {
        assert!(!bites("tollgate", "tollgate-host"));
        assert!(bites("tollgate-core", "tollgate-contract"));
        assert!(bites("tollgate-contract", "tollgate-host"));
        assert!(bites("tollgate-host", "tollgate"));
        assert!(bites("tollgate-sim", "tollgate-host"));
        assert!(bites("tollgate", "tollgate-sim"));
        assert!(bites("tollgate", "tollgate-programs"));
        assert!(bites("tollgate-host", "tollgate-programs"));
        assert!(bites("tollgate-new", "serde"));
    }

    #[test]
    fn cargo_is_asked_for_all_crates() {
        let crates = super::crates(&crate::root()).expect("cargo reads the manifests");
        assert_eq!(crates.len(), super::DIRECTIONS.len());
        let core = crates.iter().find(|c| c.name == "tollgate-core").expect("the core is a crate");
        assert_eq!(core.dependencies, ["serde", "thiserror"]);
    }
}
