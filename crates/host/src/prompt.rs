//! Renders the dispatch prompt from the pack's template.

use std::collections::BTreeMap;

/// Fills `{{name}}` and drops `{{#name}} … {{/name}}` blocks whose value is empty.
pub fn render(template: &str, values: &BTreeMap<&str, String>) -> String {
    let mut rendered = String::with_capacity(template.len() * 2);
    let mut rest = template;
    while let Some(start) = rest.find("{{") {
        rendered.push_str(&rest[..start]);
        let Some(length) = rest[start..].find("}}") else {
            break;
        };
        let tag = &rest[start + 2..start + length];
        rest = &rest[start + length + 2..];
        if let Some(name) = tag.strip_prefix('#') {
            let end = format!("{{{{/{name}}}}}");
            let is_empty = values.get(name).is_none_or(|value| value.is_empty());
            if let (true, Some(close)) = (is_empty, rest.find(&end)) {
                rest = &rest[close + end.len()..];
            }
            // The line of a block's mark is not part of the text.
            rest = rest.strip_prefix('\n').unwrap_or(rest);
        } else if tag.starts_with('/') {
            rest = rest.strip_prefix('\n').unwrap_or(rest);
        } else {
            rendered.push_str(values.get(tag).map(String::as_str).unwrap_or_default());
        }
    }
    rendered.push_str(rest);
    rendered
}

/// Text of others inside a `<data>` fence: it cannot close the fence.
pub fn fenced(text: &str) -> String {
    text.replace("</data", "<\\/data")
}

pub fn bullets<T: AsRef<str>>(lines: &[T]) -> String {
    lines.iter().map(|line| format!("- {}", line.as_ref())).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_without_a_value_are_left_out() {
        let values = BTreeMap::from([("a", "1".to_owned()), ("b", String::new())]);
        let text =
            render("x {{a}}\n{{#a}}\nA={{a}}\n{{/a}}\n{{#b}}\nB={{b}}\n{{/b}}\nend {{c}}", &values);
        assert_eq!(text, "x 1\nA=1\nend ");
    }

    #[test]
    fn a_value_is_never_read_as_template() {
        let values = BTreeMap::from([("a", "{{b}}".to_owned()), ("b", "no".to_owned())]);
        assert_eq!(render("{{a}}", &values), "{{b}}");
        assert!(!fenced("x </data> y").contains("</data>"));
    }
}
