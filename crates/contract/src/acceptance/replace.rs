//! Puts another command in place of a check in acceptance.json, without touching anything else.

use tollgate_core::task::{Check, Criterion};

/// The text with every check of the command replaced where it stands. None where that would change something else too.
pub fn replace_check(text: &str, command: &str, with: &str) -> Option<String> {
    let is_old = |check: &Check| check.command().as_deref() == Some(command);
    let new = Check::Command(with.to_owned());
    let literal = serde_json::to_string(&new.to_string()).ok()?;
    let mut edited = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('"') {
        let end = start + string_length(&rest[start..])?;
        let said: String = serde_json::from_str(&rest[start..end]).ok()?;
        edited.push_str(&rest[..start]);
        edited.push_str(if is_old(&Check::from(said)) { &literal } else { &rest[start..end] });
        rest = &rest[end..];
    }
    edited.push_str(rest);
    let mut wanted = criteria(text)?;
    let checks = wanted.iter_mut().flat_map(|criterion| &mut criterion.verify);
    checks.filter(|check| is_old(check)).for_each(|check| check.clone_from(&new));
    (criteria(&edited)? == wanted).then_some(edited)
}

/// Bytes of the JSON string that the text begins with, with its quotes.
fn string_length(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

fn criteria(text: &str) -> Option<Vec<Criterion>> {
    super::read(text, "acceptance.json").0
}

#[cfg(test)]
mod tests {
    use super::replace_check;

    #[test]
    fn a_check_is_replaced_where_it_stands_and_nothing_else_is_touched() {
        let file = |one: &str, two: &str| {
            format!(
                "{{ \"acceptance_criteria\": [\n\t{{\"id\": \"AC-001\", \"description\": \"say \\\"x\\\"\", \"verify\": {one}}},\n\
                 {{\"owner\": \"me\", \"id\": \"AC-002\", \"description\": \"b\", \"verify\": [\"manual: x\", {two}]}}]}}\n"
            )
        };
        let before = file(r#""npm test""#, r#""cmd: npm test""#);
        let after = file(r#""cmd: make \"all\"""#, r#""cmd: make \"all\"""#);
        assert_eq!(replace_check(&before, "npm test", "make \"all\""), Some(after));
        assert_eq!(replace_check(&before, "absent", "x"), Some(before.clone()));
        let described = before.replace("\"b\"", "\"npm test\"");
        assert_eq!(
            replace_check(&described, "npm test", "x"),
            None,
            "its description would change"
        );
        assert_eq!(replace_check("{\"", "a", "b"), None);
    }
}
