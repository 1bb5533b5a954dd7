//! JSON and YAML outputs: that they parse, and that what describes an interface is a description.

use super::target::{Target, resolve};
use super::{RepositoryFiles, exists, ids::FOLDER};
use crate::diagnostic::{Report, artefact as say, shape as words};
use crate::json_file;
use crate::node::{Node, Value, pointer, read_yaml_documents};
use crate::shape::{ShapeError, Wrong};
use std::collections::BTreeSet;

pub(super) fn json(path: &str, text: &str, tree: &dyn RepositoryFiles, report: &mut Report) {
    let (node, faults) = json_file::parse(text, path);
    report.extend(faults.diagnostics);
    let Some(node) = node else { return };
    for (field, line) in keys_twice(text) {
        let wrong = Wrong::Twice { field };
        report.push(words::fault(
            path,
            &ShapeError { pointer: String::new(), line: Some(line), wrong },
        ));
    }
    interface(path, &node, tree, report);
}

pub(super) fn yaml(path: &str, text: &str, tree: &dyn RepositoryFiles, report: &mut Report) {
    match read_yaml_documents(text) {
        Ok(documents) => {
            for document in &documents {
                interface(path, document, tree, report);
            }
        }
        Err(fault) => report.push(words::yaml_syntax(path, &fault.message, fault.line)),
    }
}

/// Keys that occur again in their object, with the line of the second. The text is known to be JSON.
fn keys_twice(text: &str) -> Vec<(String, u32)> {
    let mut found = Vec::new();
    let mut open: Vec<BTreeSet<String>> = Vec::new();
    let bytes = text.as_bytes();
    let (mut at, mut line) = (0, 1);
    while at < bytes.len() {
        match bytes[at] {
            b'\n' => line += 1,
            b'{' | b'[' => open.push(BTreeSet::new()),
            b'}' | b']' => drop(open.pop()),
            b'"' => {
                let end = string_end(bytes, at);
                let after = bytes[end..].iter().find(|byte| !byte.is_ascii_whitespace());
                // Only a key has a colon behind it.
                if after == Some(&b':')
                    && let Ok(key) = serde_json::from_str::<String>(&text[at..end])
                    && let Some(keys) = open.last_mut()
                    && !keys.insert(key.clone())
                {
                    found.push((key, line));
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// The byte behind the quote that ends the string.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Files right in planning-mds/api/ describe an interface; deeper ones do when they say so.
fn interface(path: &str, node: &Node, tree: &dyn RepositoryFiles, report: &mut Report) {
    let Some(below) = path.strip_prefix(FOLDER).and_then(|rest| rest.strip_prefix("/api/")) else {
        return;
    };
    let version = node.get("openapi").or_else(|| node.get("swagger"));
    let is_other = node.get("$schema").is_some() || node.get("asyncapi").is_some();
    if version.is_some() || !(below.contains('/') || is_other) {
        complete(path, node, version, report);
    }
    references(path, node, node, "", tree, report);
}

fn complete(path: &str, node: &Node, version: Option<&Node>, report: &mut Report) {
    let line = node.line;
    let says = |node: &Node| match &node.value {
        Value::Text(text) => !text.trim().is_empty(),
        Value::Number(_) => true,
        _ => false,
    };
    if !version.is_some_and(says) {
        report.push(say::api_incomplete(path, line, "its version, openapi or swagger"));
    }
    let info = node.get("info");
    if !info.and_then(|info| info.get("title")).is_some_and(says) {
        let line = info.and_then(|info| info.line).or(line);
        report.push(say::api_incomplete(path, line, "info.title"));
    }
    // From 3.1 on an interface may consist of webhooks or components alone.
    let is_map = |key: &str| node.get(key).is_some_and(|node| matches!(node.value, Value::Map(_)));
    let is_late = version.and_then(Node::as_text).is_some_and(|text| text.starts_with("3.1"));
    if !is_map("paths") && !(is_late && (is_map("webhooks") || is_map("components"))) {
        report.push(say::api_incomplete(path, line, "paths"));
    }
}

fn references(
    path: &str,
    root: &Node,
    node: &Node,
    at: &str,
    tree: &dyn RepositoryFiles,
    report: &mut Report,
) {
    if let Some(reference) = node.get("$ref")
        && let Some(text) = reference.as_text()
        && !leads_somewhere(path, root, text, tree)
    {
        report.push(say::ref_broken(path, at, reference.line, text));
    }
    for entry in node.entries() {
        references(path, root, &entry.node, &pointer(at, &entry.key), tree, report);
    }
    for (index, item) in node.items().iter().enumerate() {
        references(path, root, item, &pointer(at, index), tree, report);
    }
}

fn leads_somewhere(path: &str, root: &Node, text: &str, tree: &dyn RepositoryFiles) -> bool {
    if let Some(inside) = text.strip_prefix('#') {
        return inside.is_empty() || !inside.starts_with('/') || has(root, inside);
    }
    match resolve(path, text) {
        Target::External => true,
        Target::Refused(_) => false,
        Target::Path { path, .. } => exists(tree, &path),
    }
}

fn has(root: &Node, pointer: &str) -> bool {
    let mut here = root;
    for step in pointer.split('/').skip(1) {
        let step =
            step.replace("%7B", "{").replace("%7D", "}").replace("~1", "/").replace("~0", "~");
        let below = match &here.value {
            Value::List(items) => step.parse::<usize>().ok().and_then(|index| items.get(index)),
            _ => here.get(&step),
        };
        match below {
            Some(node) => here = node,
            None => return false,
        }
    }
    true
}
