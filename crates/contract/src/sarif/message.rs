//! The words of a result: given directly or by id, with arguments filled in and links as plain text.

use super::text;
use crate::node::Node;

pub(super) fn of_result(result: &Node, rule: Option<&Node>, run: &Node) -> Option<String> {
    let given = result.get("message").and_then(|message| given(message, rule, run));
    let of_rule = || {
        let rule = rule?;
        let described = |key| rule.get(key).and_then(|words| text(words, "text"));
        described("shortDescription")
            .or_else(|| described("fullDescription"))
            .or_else(|| text(rule, "name"))
    };
    given.or_else(|| of_rule().map(str::to_owned)).filter(|words| !words.trim().is_empty())
}

fn given(message: &Node, rule: Option<&Node>, run: &Node) -> Option<String> {
    let arguments: Vec<&str> = message
        .get("arguments")
        .map(Node::items)
        .unwrap_or_default()
        .iter()
        .map(|argument| argument.as_text().unwrap_or_default())
        .collect();
    let by_id = || {
        let id = text(message, "id")?;
        let of_rule = rule.and_then(|rule| rule.get("messageStrings")?.get(id));
        let of_tool = || run.get("tool")?.get("driver")?.get("globalMessageStrings")?.get(id);
        text(of_rule.or_else(of_tool)?, "text")
    };
    let template = text(message, "text").or_else(by_id).or_else(|| text(message, "markdown"))?;
    // Without arguments a brace is mostly code that the scanner quotes as it is.
    let filled =
        if arguments.is_empty() { template.to_owned() } else { filled(template, &arguments) };
    Some(without_links(&filled))
}

/// `{0}` is the first argument, `{{` a brace.
fn filled(template: &str, arguments: &[&str]) -> String {
    let mut words = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        words.push_str(&rest[..at]);
        rest = &rest[at..];
        if rest.starts_with("{{") || rest.starts_with("}}") {
            words.push_str(&rest[..1]);
            rest = &rest[2..];
            continue;
        }
        let index = rest[1..].split_once('}').filter(|_| rest.starts_with('{'));
        let argument = index.and_then(|(index, _)| arguments.get(index.parse::<usize>().ok()?));
        match (argument, index) {
            (Some(argument), Some((_, after))) => {
                words.push_str(argument);
                rest = after;
            }
            _ => {
                words.push_str(&rest[..1]);
                rest = &rest[1..];
            }
        }
    }
    words.push_str(rest);
    words
}

/// `[a value](1)` points at another location of the result; only its words are kept.
fn without_links(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("](") {
        let (before, link) = (&rest[..at], &rest[at + 2..]);
        let target = link.split_once(')').filter(|(target, _)| {
            !target.is_empty() && target.bytes().all(|byte| byte.is_ascii_digit())
        });
        match (before.rfind('['), target) {
            (Some(open), Some((_, after))) => {
                words.push_str(&before[..open]);
                words.push_str(&before[open + 1..]);
                rest = after;
            }
            _ => {
                words.push_str(&rest[..at + 2]);
                rest = link;
            }
        }
    }
    words.push_str(rest);
    words
}
