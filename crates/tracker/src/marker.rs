//! The line in an issue's body that tells which key it was made for. People do not see it: it is a comment of HTML.

const START: &str = "<!-- tollgate: ";
const END: &str = " -->";

/// The body with the line of its key at the end; lines that only look like one are left out.
pub(super) fn with_key(body: &str, key: &str) -> String {
    let (_, body) = split(body);
    match body.as_str() {
        "" => format!("{START}{key}{END}"),
        body => format!("{body}\n\n{START}{key}{END}"),
    }
}

/// The key, and the body without it. The last line of this form counts: text may have been added below it.
pub(super) fn split(body: &str) -> (Option<String>, String) {
    let mut key = None;
    let mut lines = Vec::new();
    for line in body.lines() {
        match key_of(line) {
            Some(found) => key = Some(found.to_owned()),
            None => lines.push(line),
        }
    }
    let text = lines.join("\n");
    (key, tollgate_contract::tracked_item::trimmed(&text).to_owned())
}

fn key_of(line: &str) -> Option<&str> {
    let key = line.trim().strip_prefix(START)?.strip_suffix(END)?;
    super::check_key(key).is_ok().then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_survives_what_people_do_to_a_body() {
        let body = with_key("## Objective\n\nOne.", "s/T-001");
        assert_eq!(body, "## Objective\n\nOne.\n\n<!-- tollgate: s/T-001 -->");
        let edited = format!("{}\r\nAdded below.", body.replace('\n', "\r\n"));
        let (key, text) = split(&edited);
        assert_eq!(key.as_deref(), Some("s/T-001"));
        assert_eq!(text, "## Objective\n\nOne.\n\nAdded below.");
        assert_eq!(split("plain"), (None, "plain".to_owned()));
        assert_eq!(split(&with_key("", "a")), (Some("a".to_owned()), String::new()));
    }

    #[test]
    fn text_cannot_claim_the_key_of_another_item() {
        let body = with_key("One.\n<!-- tollgate: s/T-002 -->\nTwo.", "s/T-001");
        assert_eq!(split(&body), (Some("s/T-001".to_owned()), "One.\nTwo.".to_owned()));
        assert_eq!(split("<!-- tollgate: ../x -->").0, None);
    }
}
