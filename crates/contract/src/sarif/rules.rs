//! The rules of one run, by the ways in which its results refer to them.

use super::{index_of, text};
use crate::node::Node;
use std::collections::HashMap;

pub(super) struct SarifRules<'a> {
    driver: &'a [Node],
    extensions: &'a [Node],
    by_id: HashMap<&'a str, &'a Node>,
}

impl<'a> SarifRules<'a> {
    pub(super) fn of(run: &'a Node) -> Self {
        let tool = run.get("tool");
        let driver = tool.and_then(|tool| tool.get("driver")).map(rules_of).unwrap_or_default();
        let extensions =
            tool.and_then(|tool| tool.get("extensions")).map(Node::items).unwrap_or_default();
        let mut by_id = HashMap::new();
        for rule in driver.iter().chain(extensions.iter().flat_map(rules_of)) {
            if let Some(id) = text(rule, "id") {
                by_id.entry(id).or_insert(rule);
            }
        }
        Self { driver, extensions, by_id }
    }

    pub(super) fn of_result(&self, result: &Node) -> Option<&'a Node> {
        self.by_index(result).or_else(|| self.by_name(result_id(result)?))
    }

    /// The id that the result gives, else that of its rule.
    pub(super) fn id<'r>(&self, result: &'r Node, rule: Option<&'r Node>) -> Option<&'r str> {
        result_id(result).or_else(|| text(rule?, "id"))
    }

    fn by_index(&self, result: &Node) -> Option<&'a Node> {
        let reference = result.get("rule");
        let component = reference.and_then(|rule| rule.get("toolComponent")?.get("index"));
        let rules = match component.and_then(index_of) {
            Some(index) => rules_of(self.extensions.get(index)?),
            None => self.driver,
        };
        let index = result.get("ruleIndex").or_else(|| reference?.get("index"))?;
        let rule = rules.get(index_of(index)?)?;
        let is_meant = match (result_id(result), text(rule, "id")) {
            (Some(wanted), Some(id)) => wanted == id || wanted.starts_with(&format!("{id}/")),
            _ => true,
        };
        is_meant.then_some(rule)
    }

    /// `CA1000/1` is a case of the rule `CA1000`.
    fn by_name(&self, id: &str) -> Option<&'a Node> {
        let parent = || id.rsplit_once('/').and_then(|(parent, _)| self.by_id.get(parent));
        self.by_id.get(id).or_else(parent).copied()
    }
}

fn rules_of(component: &Node) -> &[Node] {
    component.get("rules").map(Node::items).unwrap_or_default()
}

fn result_id(result: &Node) -> Option<&str> {
    text(result, "ruleId").or_else(|| text(result.get("rule")?, "id"))
}
