//! New files that take the place of something that runs the tests: by their name alone, or beside another.

use super::steering::Steering;
use crate::test_guard::language::{file_name, is_below};

/// Modules of Python's test libraries, and those that run with every start of Python.
const PYTHON: &[&str] = &[
    "unittest",
    "pytest",
    "_pytest",
    "doctest",
    "nose",
    "nose2",
    "hypothesis",
    "sitecustomize",
    "usercustomize",
    "pluggy",
    "mock",
    "testtools",
    "tox",
    "nox",
    "coverage",
    "faulthandler",
    "runpy",
];
const JAVASCRIPT: &[&str] = &[
    "jest",
    "vitest",
    "mocha",
    "chai",
    "ava",
    "tap",
    "jasmine",
    "@jest",
    "@vitest",
    "expect",
    "supertest",
    "@playwright",
    "cypress",
    "sinon",
    "uvu",
];
const RUBY: &[&str] = &["minitest", "rspec", "rspec-core", "test-unit", "autorun"];

/// In words, where a new file at this path would be taken for something else.
pub(super) fn shadows(path: &str, steering: &Steering) -> Option<String> {
    let name = file_name(path);
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    let folders: Vec<&str> = path.split('/').rev().skip(1).collect();
    let says = |what: &str| Some(format!("a new file that can take the place of {what}"));
    if name.ends_with(".py") {
        let package = (stem == "__init__").then(|| folders.first().copied()).flatten();
        let module = package.unwrap_or(stem);
        let is_inside = folders.iter().any(|folder| PYTHON[..4].contains(folder));
        if PYTHON.contains(&module) || is_inside {
            return says(&format!("Python's {module:?}"));
        }
    }
    if name.ends_with(".pth") {
        return says("what Python starts with");
    }
    let is_vendored = is_below(path, &["node_modules"]);
    if is_vendored || folders.last().is_some_and(|first| JAVASCRIPT.contains(first)) {
        let is_code = [".js", ".cjs", ".mjs", ".json", ".ts"].iter().any(|end| name.ends_with(end));
        let is_settings = folders.last() == Some(&"cypress");
        if is_code && !is_settings {
            return says("a test library of JavaScript");
        }
    }
    if name.ends_with(".rb") && (RUBY.contains(&stem) || folders.iter().any(|f| RUBY.contains(f))) {
        return says("a test library of Ruby");
    }
    if is_below(path, &["junit", "Xunit", "NUnit", "PHPUnit", "testify"]) {
        return says("a test library");
    }
    if matches!(name, "GNUmakefile" | "makefile") && steering.mentions("make") {
        return says("the Makefile, because make looks for this name first");
    }
    if name.starts_with("vitest.workspace.") && steering.mentions("vitest") {
        return says("the packages whose tests vitest runs");
    }
    if name == "go.work" && steering.mentions("go") {
        return says("modules that the tests are built with");
    }
    // `make test` does nothing where a file has the name of its target.
    let is_target = path == name && !name.contains('.') && steering.mentions("make");
    if is_target && steering.mentions(name) && !matches!(name, "Makefile" | "make") {
        return says(&format!("the target {name:?} of make"));
    }
    is_tool(path, steering)
}

/// A program of this repository with the name of one that a check runs.
fn is_tool(path: &str, steering: &Steering) -> Option<String> {
    let name = file_name(path);
    let is_on_path = is_below(path, &["bin", ".bin"]) && !name.contains('.');
    let says = format!("a new program with the name of one that a check runs: {name:?}");
    (is_on_path && steering.mentions(name)).then_some(says)
}
