//! The gate `api-contract`: OpenAPI, Swagger and AsyncAPI documents below planning-mds/api.

use super::{Inspector, is_blank};
use crate::diagnostic::{Report, gates as say, shape as words};
use crate::json_file;
use crate::node::{Node, Value, read_yaml_deep};

const FOLDER: &str = "planning-mds/api";

/// The key that tells the kind and version, and where such a contract says what it describes.
const KINDS: &[(&str, &[&str])] =
    &[("openapi", &["paths", "webhooks"]), ("swagger", &["paths"]), ("asyncapi", &["channels"])];

pub(super) struct ApiContract {
    is_strict: bool,
    contracts: usize,
    /// What does not parse may be one.
    unread: usize,
}

impl ApiContract {
    pub fn new(is_strict: bool) -> Self {
        Self { is_strict, contracts: 0, unread: 0 }
    }
}

impl Inspector for ApiContract {
    fn places(&self) -> &'static [&'static str] {
        &[FOLDER]
    }

    fn wants(&self, path: &str) -> bool {
        let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
        ["yaml", "yml", "json"].iter().any(|known| ending.eq_ignore_ascii_case(known))
    }

    fn see(&mut self, path: &str, bytes: &[u8], report: &mut Report) {
        if is_blank(bytes) {
            report.push(say::file_blank(path));
            return;
        }
        let Some(root) = parsed(path, bytes, report) else {
            self.unread += 1;
            return;
        };
        let kind = KINDS.iter().find(|(key, _)| root.get(key).is_some());
        match kind {
            Some((key, bodies)) => {
                self.contracts += 1;
                contract(&root, path, key, bodies, report);
            }
            // Deeper down may lie parts that a contract refers to.
            None if is_directly_below(path) => report.push(say::no_contract(path)),
            None => {}
        }
    }

    fn finish(&mut self, report: &mut Report) {
        if self.is_strict && self.contracts + self.unread == 0 {
            report.push(say::api_missing(FOLDER));
        }
    }
}

fn is_directly_below(path: &str) -> bool {
    path.rsplit_once('/').is_some_and(|(folder, _)| folder == FOLDER)
}

fn parsed(path: &str, bytes: &[u8], report: &mut Report) -> Option<Node> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            report.push(words::not_utf8(path, error.valid_up_to()));
            return None;
        }
    };
    if path.to_ascii_lowercase().ends_with(".json") {
        let (node, faults) = json_file::parse(text, path);
        report.extend(faults.diagnostics);
        return node;
    }
    match read_yaml_deep(text) {
        Ok(node) => Some(node),
        Err(fault) => {
            report.push(words::yaml_syntax(path, &fault.message, fault.line));
            None
        }
    }
}

fn contract(root: &Node, path: &str, key: &str, bodies: &[&str], report: &mut Report) {
    let version = root.get(key);
    if !version.is_some_and(is_said) {
        report.push(say::contract_field(path, version.and_then(|node| node.line), key));
    }
    let info = root.get("info");
    if !info.and_then(|info| info.get("title")).is_some_and(is_said) {
        report.push(say::contract_field(path, info.and_then(|node| node.line), "info.title"));
    }
    if !bodies.iter().any(|body| root.get(body).is_some_and(|body| !body.entries().is_empty())) {
        let line = bodies.iter().find_map(|body| root.get(body)).and_then(|node| node.line);
        report.push(say::contract_empty(path, line, bodies));
    }
}

fn is_said(node: &Node) -> bool {
    match &node.value {
        Value::Text(text) => !text.trim().is_empty(),
        Value::Number(_) => true,
        _ => false,
    }
}
