//! What `cargo publish` and `cargo install tollgate` need of every crate that the program is made of.

use super::Problem;
use serde_json::Value;

/// What a registry or its readers ask of each crate that is published.
const NEEDED: [&str; 5] = ["description", "license", "keywords", "categories", "readme"];

/// The crate that people install.
const PROGRAM: &str = "tollgate";

/// Looks at what `cargo metadata` says about the workspace.
pub fn check(metadata: &Value) -> Vec<Problem> {
    let packages = list(&metadata["packages"]);
    let published: Vec<&Value> = packages.iter().filter(|package| is_published(package)).collect();
    let mut problems = Vec::new();
    if !published.iter().any(|package| name(package) == PROGRAM) {
        problems.push(problem(PROGRAM, "is not published, and people install it"));
    }
    for package in &published {
        let missing = NEEDED.iter().filter(|field| is_empty(&package[**field]));
        problems.extend(missing.map(|field| {
            problem(
                name(package),
                &format!("is published and has no `{field}`: see [workspace.package]"),
            )
        }));
        problems.extend(dependencies(package, &published));
        problems.extend(outside(package));
    }
    problems
}

/// Crates of ours that the package names, and that nobody could fetch.
fn dependencies(package: &Value, published: &[&Value]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for dependency in list(&package["dependencies"]) {
        // Cargo leaves a dependency of the tests that has only a path out of what it publishes.
        if dependency["path"].is_null() || dependency["kind"] == "dev" {
            continue;
        }
        let to = name(dependency);
        if dependency["req"] == "*" {
            problems.push(problem(
                name(package),
                &format!("names {to} by its path only: give its version too"),
            ));
        }
        if !published.iter().any(|package| name(package) == to) {
            problems.push(problem(
                name(package),
                &format!("is published and needs {to}, which is not"),
            ));
        }
    }
    problems
}

/// Programs and libraries whose source is in no package.
fn outside(package: &Value) -> Vec<Problem> {
    let manifest = package["manifest_path"].as_str().unwrap_or_default();
    let folder = manifest.trim_end_matches("Cargo.toml");
    let targets = list(&package["targets"]).iter();
    let lost = targets.filter(|target| {
        let path = target["src_path"].as_str().unwrap_or_default();
        !path.starts_with(folder) || path.contains("/../")
    });
    let message = |target| {
        format!(
            "has the source of {} outside of its folder: it would not be packaged",
            name(target)
        )
    };
    lost.map(|target| problem(name(package), &message(target))).collect()
}

/// Cargo says `null` for everywhere and an empty list for nowhere.
fn is_published(package: &Value) -> bool {
    package["publish"].as_array().is_none_or(|registries| !registries.is_empty())
}

fn is_empty(value: &Value) -> bool {
    value.as_str().is_none_or(str::is_empty) && list(value).is_empty()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn name(value: &Value) -> &str {
    value["name"].as_str().unwrap_or_default()
}

fn problem(name: &str, message: &str) -> Problem {
    Problem { place: format!("crate {name}"), message: message.to_owned() }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    fn good() -> Value {
        json!({"packages": [
            {
                "name": "tollgate", "publish": null, "description": "d", "license": "MIT",
                "keywords": ["k"], "categories": ["c"], "readme": "README.md",
                "manifest_path": "/a/cli/Cargo.toml",
                "targets": [{"name": "tollgate", "src_path": "/a/cli/src/main.rs"}],
                "dependencies": [
                    {"name": "serde", "req": "*", "kind": null, "path": null},
                    {"name": "only-tests", "req": "*", "kind": "dev", "path": "/a/only-tests"},
                ],
            },
            {"name": "only-tests", "publish": []},
        ]})
    }

    #[track_caller]
    fn finds(change: impl FnOnce(&mut Value), expected: &str) {
        let mut metadata = good();
        change(&mut metadata["packages"][0]);
        let problems = super::check(&metadata);
        let found: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert!(found.iter().any(|problem| problem.contains(expected)), "{found:?}");
    }

    #[test]
    fn a_crate_that_is_published_says_what_it_is() {
        assert!(super::check(&good()).is_empty());
        for field in super::NEEDED {
            finds(|package| package[field] = Value::Null, &format!("no `{field}`"));
        }
        finds(|package| package["keywords"] = json!([]), "no `keywords`");
        finds(|package| package["publish"] = json!([]), "is not published");
    }

    #[test]
    fn a_crate_that_is_published_names_only_what_can_be_fetched() {
        let needs =
            |req: &str| json!([{"name": "only-tests", "req": req, "kind": null, "path": "/a/x"}]);
        finds(|package| package["dependencies"] = needs("*"), "by its path only");
        finds(
            |package| package["dependencies"] = needs("^0.1.0"),
            "needs only-tests, which is not",
        );
    }

    #[test]
    fn a_crate_that_is_published_has_its_sources_in_its_folder() {
        let source = |path: &str| json!([{"name": "x", "src_path": path}]);
        finds(|package| package["targets"] = source("/a/other/x.rs"), "outside of its folder");
        finds(
            |package| package["targets"] = source("/a/cli/../other/x.rs"),
            "outside of its folder",
        );
    }
}
