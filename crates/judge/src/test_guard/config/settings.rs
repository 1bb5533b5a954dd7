//! Files of settings, by their names: which of them decide about tests, and which words in them leave tests out.

use super::steering::Steering;
use super::{Comments, Part};
use crate::test_guard::language::file_name;

/// Words after which fewer tests run, or a failure does not count, for Python.
const PYTHON: &[&str] = &[
    "--ignore",
    "--deselect",
    "--collect-only",
    "--co",
    "-k ",
    "-m ",
    "-k=",
    "python_functions",
    "python_classes",
    "python_files",
    "norecursedirs",
    "-p no:",
    "--assert=plain",
    "PYTHONOPTIMIZE",
    "ignore_errors",
    "ignore_outcome",
    "= - ",
    "-pytest",
    "- pytest",
    "|| true",
    "exit 0",
    "--lf",
    "--last-failed",
    "--sw",
    "--setup-only",
    "--setup-plan",
    "--fixtures",
    "--version",
    "--help",
    "--maxfail",
    "skipsdist",
    "omit",
    "exclude",
    "fail_under = 0",
    "-p ",
    "collect_ignore",
    "xfail_strict = false",
    "--no-cov",
    "--suppress",
    "--continue-on",
];
/// The same for runners of JavaScript.
pub(super) const JAVASCRIPT: &[&str] = &[
    "IgnorePatterns",
    "passWithNoTests",
    "testNamePattern",
    "exclude",
    "forbidOnly: false",
    "allowOnly",
    "dangerouslyIgnore",
    "grep",
    "invert",
    "retry",
    "retries",
    "runner",
    "resolver",
    "automock",
    "ignore",
    "bail: 0",
    "stub",
    "fake",
    "globalSetup",
    "testRegex",
    "include",
    "spec",
    "testMatch",
    "__mocks__",
    "onConsoleLog",
    "silent",
    "require",
    "setupFiles",
    "roots",
    "projects",
    "workspace",
    "rootDir",
];
const RSPEC: &[&str] = &[
    "--tag",
    "--pattern",
    "--exclude",
    "--dry-run",
    "--failure-exit-code",
    "--example",
    "-e ",
    "--only",
];
const WORKFLOW: &[&str] = &[
    "continue-on-error",
    "|| true",
    "if: false",
    "allow_failure",
    "|| exit 0",
    "set +e",
    "exit 0",
    "skip",
    "catchError",
    "|| :",
];
const XML: &[&str] =
    &["directory", "<exclude", "\"false\"", "<group", "stopOn", "<include", "skip", "<filter"];

const NEXTEST: &[&str] =
    &["retries", "filter", "fail-fast", "slow-timeout", "ignore", "leak-timeout"];
const WHOLE: &[&str] = &[
    ".coveragerc",
    "codecov.yml",
    ".codecov.yml",
    "codecov.yaml",
    "tarpaulin.toml",
    ".tarpaulin.toml",
    "sonar-project.properties",
    "lifecycle-stage.yaml",
    "tollgate.toml",
    ".simplecov",
    "junit-platform.properties",
    "xunit.runner.json",
    ".runsettings",
];
const PIPELINES: &[&str] = &[
    ".gitlab-ci.yml",
    "azure-pipelines.yml",
    ".travis.yml",
    "bitbucket-pipelines.yml",
    ".drone.yml",
    "Jenkinsfile",
];
const RUNNERS: &[&str] = &[
    "jest.config.",
    "vitest.config.",
    "vitest.workspace.",
    "karma.conf.",
    "playwright.config.",
    "cypress.config.",
    ".nycrc",
    ".c8rc",
    ".mocharc",
    "nyc.config.",
    "ava.config.",
    ".taprc",
    "web-test-runner.config.",
    "wdio.conf.",
];

pub(super) fn of(path: &str) -> Option<Part> {
    let name = file_name(path);
    let is_workflow = path.starts_with(".github/workflows/") || path.starts_with(".circleci/");
    Some(match name {
        _ if is_workflow || PIPELINES.contains(&name) => Part::All(Comments::Hash, WORKFLOW),
        "pytest.ini" | "tox.ini" | ".pytest.ini" => Part::All(Comments::Hash, PYTHON),
        "nextest.toml" => Part::All(Comments::Hash, NEXTEST),
        "turbo.json" | "nx.json" => Part::Lines(&["test"]),
        ".bazelrc" => Part::Words(&[
            "test_tag_filters",
            "flaky_test",
            "test_filter",
            "keep_going",
            "runs_per_test",
            "test_lang",
        ]),
        "deno.json" | "deno.jsonc" => Part::Words(&["exclude", "assert", "\"test\""]),
        "CMakeLists.txt" => Part::Words(&["WILL_FAIL", "DISABLED", "SKIP_RETURN_CODE", "NDEBUG"]),
        "noxfile.py" => {
            Part::Words(&["success_codes", "--ignore", "--deselect", "-k", "--collect-only"])
        }
        "settings.gradle" | "settings.gradle.kts" | "init.gradle" => {
            Part::Words(&["excludedTaskNames", "startParameter", "onlyIf", "enabled = false"])
        }
        ".rspec" => Part::All(Comments::Hash, RSPEC),
        _ if WHOLE.contains(&name) || name.ends_with(".runsettings") => {
            Part::All(Comments::Hash, PYTHON)
        }
        _ if RUNNERS.iter().any(|start| name.starts_with(start)) => {
            Part::All(Comments::Slashes, JAVASCRIPT)
        }
        _ => return of_build(name).or_else(|| of_start(path)),
    })
}

/// Files that say how a project is built, and with it how it is tested.
fn of_build(name: &str) -> Option<Part> {
    Some(match name {
        "phpunit.xml" | "phpunit.xml.dist" => Part::All(Comments::Xml, XML),
        "pyproject.toml" => Part::Tables(&["tool.pytest", "tool.coverage", "tool.tox"], PYTHON),
        "setup.cfg" => {
            Part::Tables(&["tool:pytest", "coverage:", "tox", "testenv", "unittest"], PYTHON)
        }
        "Cargo.toml" => Part::Lines(&[
            "autotests",
            "doctest",
            "harness",
            "test = false",
            "required-features",
            "[patch",
            "replace-with",
            "members",
        ]),
        "pom.xml" => Part::Lines(&[
            "skipTests",
            "maven.test.skip",
            "testFailureIgnore",
            "<minimum>",
            "<skip>",
            "<exclude>",
            "<excludes>",
            "<excludedGroups>",
            "<groups>",
            "<test>",
            "<include>",
            "failIfNoTests",
            "rerunFailingTestsCount",
            "Threshold>",
        ]),
        "build.gradle" | "build.gradle.kts" => Part::Lines(&[
            "minimum",
            "ignoreFailures",
            "excludeTestsMatching",
            "test.enabled",
            "onlyIf",
            "exclude",
            "includeTestsMatching",
            "excludeTags",
            "includeTags",
            "enabled = false",
            "failOnNoDiscoveredTests",
            "maxRetries",
            "Threshold",
        ]),
        "spec_helper.rb" | "rails_helper.rb" | "test_helper.rb" => {
            Part::Lines(&["minimum_coverage", "maximum_coverage_drop"])
        }
        "Rakefile" | "rakefile" | "Rakefile.rb" => Part::Lines(&[
            "pattern",
            "test_files",
            "fail_on_error",
            "exclude",
            "TestTask",
            "RSpec::Core",
            "task :test",
            "task default",
            "t.libs",
        ]),
        _ => return None,
    })
}

/// Files that programs read when they start.
fn of_start(path: &str) -> Option<Part> {
    let name = file_name(path);
    Some(match name {
        ".npmrc" | ".yarnrc" | ".yarnrc.yml" | "bunfig.toml" | ".pnpmrc" => Part::Words(&[
            "script-shell",
            "node-options",
            "ignore-scripts",
            "shell-emulator",
            "yarnPath",
            "yarn-path",
            "preload",
            "scriptShell",
            "NODE_OPTIONS",
            "node_options",
            "plugins",
            "if-present",
            "dry-run",
            "enableScripts",
        ]),
        "go.work" => Part::Words(&["replace", "use"]),
        "go.mod" => Part::Words(&["=> ./", "=> ../", "=> /"]),
        "build.rs" => {
            Part::Words(&["rustc-cfg", "tests/", "process::exit", "rustc-env=CARGO", "rustc-flags"])
        }
        "maven.config" | "jvm.config" | "gradle.properties" | ".mavenrc" => {
            Part::Words(&["skip", "Skip", "exclude", "ignore", "-Dtest", "-x "])
        }
        "Directory.Build.props" | "Directory.Build.targets" => Part::Words(DOTNET),
        _ if name.ends_with(".csproj") || name.ends_with(".fsproj") => Part::Words(DOTNET),
        "config" | "config.toml" if path.contains(".cargo/") => Part::Words(&[
            "runner",
            "rustc-wrapper",
            "rustc =",
            "--cfg",
            "cap-lints",
            "test =",
            "[alias]",
            "rustdoc =",
            "workspace-wrapper",
        ]),
        _ => return None,
    })
}

const DOTNET: &[&str] = &[
    "Remove=",
    "TestCaseFilter",
    "IsTestProject",
    "VSTest",
    "DefineConstants",
    "TreatWarningsAsErrors",
    "NoWarn",
    "EnableDefaultCompileItems",
    "ContinueOnError",
    "Exclude=",
    "Threshold",
];

/// Linters and type checkers: their settings count where a check runs them, and a word in them loosens.
const TOOLS: &[(&str, &[&str])] = &[
    ("eslint", &["eslint.config.", ".eslintrc", ".eslintignore"]),
    ("ruff", &["ruff.toml", ".ruff.toml"]),
    ("flake8", &[".flake8"]),
    ("mypy", &["mypy.ini", ".mypy.ini"]),
    ("pylint", &[".pylintrc", "pylintrc"]),
    ("clippy", &["clippy.toml", ".clippy.toml"]),
    ("golangci-lint", &[".golangci."]),
    ("rubocop", &[".rubocop"]),
    ("phpstan", &["phpstan."]),
    ("shellcheck", &[".shellcheckrc"]),
];
const LOOSENS: &[&str] = &[
    "ignore", "exclude", "off", "disable", "allow", "skip", "Exclude", "ignores", "warn",
    "baseline", "level: 0", "false",
];

/// Remarks at the top of a file that switch a linter off for all of it.
const REMARKS: &[(&str, &str, &[&str])] = &[
    ("clippy", ".rs", &["#![allow(clippy::all", "#![allow(warnings", "#![allow(clippy::pedantic"]),
    ("eslint", ".js", &["/* eslint-disable */"]),
    ("eslint", ".ts", &["/* eslint-disable */"]),
    ("mypy", ".py", &["# mypy: ignore-errors", "# type: ignore"]),
    ("flake8", ".py", &["# flake8: noqa"]),
    ("ruff", ".py", &["# ruff: noqa"]),
    ("pylint", ".py", &["# pylint: skip-file"]),
    ("golangci-lint", ".go", &["//nolint"]),
    ("rubocop", ".rb", &["# rubocop:disable all"]),
    ("tsc", ".ts", &["@ts-nocheck"]),
    ("shellcheck", ".sh", &["# shellcheck disable"]),
];

pub(super) fn of_tool(path: &str, steering: &Steering) -> Option<Part> {
    let name = file_name(path);
    let is_of = |(tool, files): &&(&str, &[&str])| {
        files.iter().any(|start| name.starts_with(start)) && steering.mentions(tool)
    };
    if TOOLS.iter().any(|tool| is_of(&tool)) {
        return Some(Part::Lines(LOOSENS));
    }
    let remark =
        REMARKS.iter().find(|(tool, end, _)| name.ends_with(end) && steering.mentions(tool));
    remark.map(|(_, _, words)| Part::Remarks(words))
}
