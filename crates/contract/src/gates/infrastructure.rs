//! The gate `infrastructure`: what builds, starts and checks the application exists and does something.

use super::{Inspector, is_blank};
use crate::diagnostic::{Report, gates as say, shape as words};
use crate::node::{Node, read_yaml_documents};
use std::collections::BTreeSet;

/// What an application needs to run anywhere but on the machine of its author.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Image,
    Services,
    Pipeline,
    Environment,
}

impl Part {
    const ALL: [Self; 4] = [Self::Image, Self::Services, Self::Pipeline, Self::Environment];

    /// What is said where it is missing, and where one is usually found.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Image => ("nothing defines the image that the application runs in", "Dockerfile"),
            Self::Services => ("nothing describes what is started together", "compose.yaml"),
            Self::Pipeline => ("no pipeline builds and tests the application", ".github/workflows"),
            Self::Environment => ("there is no example of the environment", ".env.example"),
        }
    }
}

const PLACES: &[&str] = &[
    "Dockerfile",
    "Containerfile",
    "compose.yaml",
    "compose.yml",
    "docker-compose.yaml",
    "docker-compose.yml",
    "docker",
    "deploy",
    "deployment",
    "infra",
    "infrastructure",
    "k8s",
    "kubernetes",
    "helm",
    "charts",
    "terraform",
    ".github/workflows",
    ".gitlab-ci.yml",
    ".circleci/config.yml",
    "azure-pipelines.yml",
    "Jenkinsfile",
    ".env.example",
    ".env.sample",
    ".env.template",
];

pub(super) struct Infrastructure {
    is_strict: bool,
    /// What is there; whether it is any good is told where it lies.
    seen: BTreeSet<Part>,
}

impl Infrastructure {
    pub fn new(is_strict: bool) -> Self {
        Self { is_strict, seen: BTreeSet::new() }
    }
}

impl Inspector for Infrastructure {
    fn places(&self) -> &'static [&'static str] {
        PLACES
    }

    fn wants(&self, path: &str) -> bool {
        part_of(path).is_some()
    }

    fn see(&mut self, path: &str, bytes: &[u8], report: &mut Report) {
        let Some(part) = part_of(path) else { return };
        self.seen.insert(part);
        if is_blank(bytes) {
            return report.push(say::file_blank(path));
        }
        let text = String::from_utf8_lossy(bytes);
        if let Some(missing) = missing_in(part, path, &text, report) {
            report.push(say::infrastructure_hollow(path, missing));
        }
    }

    fn finish(&mut self, report: &mut Report) {
        for part in Part::ALL.into_iter().filter(|part| !self.seen.contains(part)) {
            let (missing, place) = part.words();
            report.push(say::infrastructure_missing(place, missing, self.is_strict));
        }
    }
}

fn part_of(path: &str) -> Option<Part> {
    let name = path.rsplit('/').next().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    let is_yaml = has_ending(name, &["yaml", "yml"]);
    if path.starts_with(".github/workflows/") {
        return is_yaml.then_some(Part::Pipeline);
    }
    match name {
        ".gitlab-ci.yml" | "azure-pipelines.yml" | "Jenkinsfile" => return Some(Part::Pipeline),
        "config.yml" if path.starts_with(".circleci/") => return Some(Part::Pipeline),
        ".env.example" | ".env.sample" | ".env.template" => return Some(Part::Environment),
        _ => {}
    }
    match stem {
        "Dockerfile" | "Containerfile" => Some(Part::Image),
        _ if is_yaml || has_ending(name, &["tf", "tpl"]) => Some(Part::Services),
        _ => None,
    }
}

fn has_ending(name: &str, endings: &[&str]) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    endings.iter().any(|known| known.eq_ignore_ascii_case(ending))
}

/// What a file of this kind lacks to do anything.
fn missing_in(part: Part, path: &str, text: &str, report: &mut Report) -> Option<&'static str> {
    match part {
        Part::Image => image_lacks(text),
        Part::Environment => {
            let names = |line: &str| {
                let (name, _) = line.split_once('=').unwrap_or_default();
                !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            };
            let has_names = text.lines().map(str::trim_start).any(names);
            (!has_names).then_some("it names no variable, such as PORT=8080")
        }
        Part::Pipeline if path == "Jenkinsfile" => {
            let runs =
                code_lines(text).any(|line| line.contains("pipeline") || line.contains("node"));
            (!runs).then_some("it has neither a pipeline nor a node")
        }
        Part::Pipeline => {
            let works = documents(path, text, report)?.iter().any(has_job);
            (!works).then_some("no job in it runs anything")
        }
        Part::Services if is_compose(path) => {
            let starts = documents(path, text, report)?.iter().any(starts_service);
            (!starts).then_some("no service in it has an image or a build")
        }
        // Templates and other languages need not be YAML.
        Part::Services => {
            let says = code_lines(text).any(|line| line.contains([':', '=', '{']));
            (!says).then_some("it describes nothing")
        }
    }
}

fn image_lacks(text: &str) -> Option<&'static str> {
    let words = code_lines(text).filter_map(|line| line.split_whitespace().next());
    let words: Vec<String> = words.map(str::to_ascii_uppercase).collect();
    let has = |word: &str| words.iter().any(|found| found == word);
    match (has("FROM"), ["COPY", "ADD", "RUN", "CMD", "ENTRYPOINT"].iter().any(|word| has(word))) {
        (false, _) => Some("it has no FROM"),
        (true, false) => Some("it adds nothing to the image that it begins with"),
        (true, true) => None,
    }
}

fn is_compose(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.starts_with("compose.") || name.starts_with("docker-compose")
}

/// None where it is no YAML, which is told.
fn documents(path: &str, text: &str, report: &mut Report) -> Option<Vec<Node>> {
    match read_yaml_documents(text) {
        Ok(nodes) => Some(nodes),
        Err(fault) => {
            report.push(words::yaml_syntax(path, &fault.message, fault.line));
            None
        }
    }
}

/// GitHub, GitLab, CircleCI and Azure: somewhere below there is a step, a script or a job of another file.
fn has_job(node: &Node) -> bool {
    let runs = |key: &str| {
        matches!(
            key,
            "run" | "uses" | "script" | "bash" | "task" | "template" | "trigger" | "steps"
        )
    };
    let is_said = |node: &Node| {
        !node.items().is_empty()
            || !node.entries().is_empty()
            || node.as_text().is_some_and(|text| !text.trim().is_empty())
    };
    node.entries()
        .iter()
        .any(|entry| (runs(&entry.key) && is_said(&entry.node)) || has_job(&entry.node))
        || node.items().iter().any(has_job)
}

fn starts_service(node: &Node) -> bool {
    let services = node.get("services").map(Node::entries).unwrap_or_default();
    let is_start = |key: &str| matches!(key, "image" | "build" | "extends");
    let included = node.get("include").is_some_and(|list| !list.items().is_empty());
    included
        || services.iter().any(|service| service.node.entries().iter().any(|e| is_start(&e.key)))
}

fn code_lines(text: &str) -> impl Iterator<Item = &str> {
    let is_comment = |line: &&str| line.starts_with('#') || line.starts_with("//");
    text.lines().map(str::trim).filter(move |line| !line.is_empty() && !is_comment(line))
}
