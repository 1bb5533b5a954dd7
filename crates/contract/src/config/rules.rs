//! What settings must say beyond their form: agents that exist, durations, limits that leave room.

use super::{PARALLEL_TASKS_MAX, address, repository_parts};
use crate::diagnostic::{Report, action::pattern_invalid, config as say};
use crate::node::{Node, Value};
use tollgate_core::duration;
use tollgate_core::identity::Identity;
use tollgate_core::role::Role;
use tollgate_judge::globs::{PathRules, is_inside};

/// Looks at the node, so that it speaks also of settings whose form is wrong elsewhere.
pub(super) fn check(root: &Node, file: &str, report: &mut Report) {
    let rules = ConfigRules { root, file };
    rules.roles(report);
    for entry in root.get("agent").map(Node::entries).unwrap_or_default() {
        rules.agent(&entry.key, entry.line, &entry.node, report);
    }
    rules.durations(report);
    rules.numbers(report);
    rules.paths(report);
    rules.tracker(report);
    rules.author(report);
    rules.address("notify", "webhook", report);
    rules.headers("notify", "webhook_header_env", report);
    rules.address("telemetry", "otlp", report);
    rules.headers("telemetry", "header_env", report);
}

struct ConfigRules<'a> {
    root: &'a Node,
    file: &'a str,
}

impl<'a> ConfigRules<'a> {
    fn at(&self, line: Option<u32>) -> (&'a str, Option<u32>) {
        (self.file, line)
    }

    fn agents(&self) -> Vec<&'a str> {
        let agents = self.root.get("agent").map(Node::entries).unwrap_or_default();
        agents.iter().map(|entry| entry.key.as_str()).collect()
    }

    fn roles(&self, report: &mut Report) {
        let known = self.agents();
        let roles = self.root.get("roles");
        for entry in roles.map(Node::entries).unwrap_or_default() {
            let Some(name) = entry.node.as_text() else { continue };
            if !known.contains(&name) {
                report.push(say::agent_undefined(self.at(entry.line), name, &known));
            }
        }
        let is_given = |key: &str| roles.is_some_and(|roles| roles.get(key).is_some());
        if known.len() > 1 && !is_given("default") {
            let without: Vec<&str> =
                Role::dispatched().map(Role::as_str).filter(|role| !is_given(role)).collect();
            if !without.is_empty() {
                let line = roles.and_then(|roles| roles.line);
                report.push(say::roles_unassigned(self.at(line), &without));
            }
        }
    }

    fn agent(&self, name: &str, line: Option<u32>, agent: &Node, report: &mut Report) {
        let list = |key: &str| agent.get(key).map(Node::items).unwrap_or_default();
        let adapter = agent.get("adapter").and_then(Node::as_text).unwrap_or_default();
        let has_command = !list("command").is_empty();
        match adapter {
            "command" | "acp" if !has_command => {
                report.push(say::command_missing(self.at(line), name, adapter));
            }
            "command" | "acp" => {
                if let Some(program) = agent.get("program") {
                    report.push(say::program_unused(self.at(program.line), name, adapter));
                }
            }
            "" => {}
            adapter if has_command => {
                let line = agent.get("command").and_then(|command| command.line);
                report.push(say::command_unused(self.at(line), name, adapter));
            }
            _ => {}
        }
        let known = self.agents();
        for other in list("fallback") {
            match other.as_text() {
                Some(text) if text == name => {
                    report.push(say::fallback_self(self.at(other.line), name));
                }
                Some(text) if !known.contains(&text) => {
                    report.push(say::agent_undefined(self.at(other.line), text, &known));
                }
                _ => {}
            }
        }
        for variable in list("env") {
            if let Some(text) = variable.as_text().filter(|text| !is_env_name(text)) {
                report.push(say::env_name(self.at(variable.line), text));
            }
        }
    }

    fn durations(&self, report: &mut Report) {
        let timeouts = self.root.get("timeout").map(Node::entries).unwrap_or_default();
        let single = [("retry", "transient_base"), ("limits", "wall")];
        let single = single.into_iter().filter_map(|(table, key)| {
            let entries = self.root.get(table)?.entries();
            entries.iter().find(|entry| entry.key == key)
        });
        for entry in timeouts.iter().chain(single) {
            if let Some(text) =
                entry.node.as_text().filter(|text| duration::read_ms(text).is_none())
            {
                report.push(say::duration_invalid(self.at(entry.line), &entry.key, text));
            }
        }
    }

    fn numbers(&self, report: &mut Report) {
        let positive = [
            ("limits", "usd"),
            ("limits", "tokens"),
            ("limits", "output_bytes"),
            ("limits", "file_bytes"),
            ("limits", "dispatch_bytes"),
            ("limits", "parallel_tasks"),
            ("retry", "transient_attempts"),
            ("snapshot", "keep"),
            ("snapshot", "days"),
        ];
        for (table, key) in positive {
            // Below zero is a fault of form where only whole numbers are possible.
            let is_wrong = |n: f64| n == 0.0 || (key == "usd" && n < 0.0);
            if let Some((number, line)) = self.number(table, key).filter(|(n, _)| is_wrong(*n)) {
                report.push(say::not_positive(self.at(line), key, &number.to_string()));
            }
        }
        let parallel = self.number("limits", "parallel_tasks");
        let is_too_many = |(n, _): &(f64, _)| *n > f64::from(PARALLEL_TASKS_MAX);
        if let Some((number, line)) = parallel.filter(is_too_many) {
            report.push(say::parallel_tasks(
                self.at(line),
                &number.to_string(),
                PARALLEL_TASKS_MAX,
            ));
        }
        let minimum = self.number("coverage", "minimum");
        if let Some((number, line)) = minimum.filter(|(n, _)| !(0.0..=100.0).contains(n)) {
            report.push(say::percent(self.at(line), "minimum", &number.to_string()));
        }
    }

    fn number(&self, table: &str, key: &str) -> Option<(f64, Option<u32>)> {
        let node = self.root.get(table)?.get(key)?;
        match &node.value {
            Value::Number(number) => number.as_f64().map(|number| (number, node.line)),
            _ => None,
        }
    }

    fn paths(&self, report: &mut Report) {
        let list = |table: &str, key: &str| {
            self.root.get(table).and_then(|t| t.get(key)).map(Node::items).unwrap_or_default()
        };
        let globs = list("security", "sensitive").iter().chain(list("check", "syntax_except"));
        for node in globs {
            let Some(text) = node.as_text() else { continue };
            for bad in PathRules::new(&[text]).err().unwrap_or_default() {
                report.push(pattern_invalid(self.file, node.line, text, &bad.cause));
            }
        }
        for node in list("workspace", "copy") {
            if let Some(text) = node.as_text().filter(|text| !is_inside(text)) {
                report.push(say::copy_path(self.at(node.line), text));
            }
        }
        for node in list("sandbox", "write") {
            if let Some(text) = node.as_text()
                && let Some(why) = why_not_outside(text)
            {
                report.push(say::sandbox_path(self.at(node.line), text, why));
            }
        }
    }

    fn tracker(&self, report: &mut Report) {
        let repository = self.root.get("tracker").and_then(|table| table.get("repository"));
        let Some(node) = repository else { return };
        if let Some(text) = node.as_text().filter(|text| repository_parts(text).is_none()) {
            report.push(say::repository(self.at(node.line), text));
        }
    }

    fn author(&self, report: &mut Report) {
        let author = self.root.get("commit").and_then(|table| table.get("author"));
        let Some(node) = author else { return };
        if let Some(text) = node.as_text().filter(|text| Identity::parse(text).is_none()) {
            report.push(say::author(self.at(node.line), text));
        }
    }

    fn address(&self, table: &str, key: &str, report: &mut Report) {
        let Some(node) = self.root.get(table).and_then(|table| table.get(key)) else { return };
        if let Some(text) = node.as_text()
            && let Some(why) = address::why_not(text)
        {
            report.push(say::address(self.at(node.line), key, why));
        }
    }

    fn headers(&self, table: &str, key: &str, report: &mut Report) {
        let headers = self.root.get(table).and_then(|table| table.get(key));
        for entry in headers.map(Node::entries).unwrap_or_default() {
            if !is_header_name(&entry.key) {
                report.push(say::header_name(self.at(entry.line), &entry.key));
            }
            if let Some(text) = entry.node.as_text().filter(|text| !is_env_name(text)) {
                report.push(say::env_name(self.at(entry.line), text));
            }
        }
    }
}

/// What the request itself has.
const OWN_HEADERS: [&str; 3] = ["content-type", "content-length", "host"];

fn is_header_name(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    !text.is_empty()
        && text.bytes().all(is_part)
        && !OWN_HEADERS.contains(&text.to_ascii_lowercase().as_str())
}

/// Why a path cannot be one that agents may write outside the repository; what it leads to is looked at where files are.
fn why_not_outside(path: &str) -> Option<&'static str> {
    let is_plain = |part: &str| !matches!(part, "" | ".");
    let Some(rest) = path.strip_prefix("~/").or_else(|| path.strip_prefix('/')) else {
        return Some(match path {
            "~" => "that is your whole home folder, with keys and startup files",
            _ => {
                "it is neither absolute nor begins with ~/, and agents work in a clone, not in the repository"
            }
        });
    };
    if rest.split('/').any(|part| part == "..") {
        return Some("it contains `..`");
    }
    if rest.contains(['\0', '\n', '\r']) {
        return Some("it contains a line break or a zero byte");
    }
    match (rest.split('/').any(is_plain), path.starts_with('~')) {
        (true, _) => None,
        (false, true) => Some("that is your whole home folder, with keys and startup files"),
        (false, false) => Some("that is everything"),
    }
}

fn is_env_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}
