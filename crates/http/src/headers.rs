//! Headers whose values may be secret: settings name the variable, and nothing writes the value.

use std::collections::BTreeMap;
use std::ffi::OsString;

/// Each header with the value of its variable; or which variable has none.
pub fn headers(
    variables: &BTreeMap<String, String>,
    lookup: fn(&str) -> Option<OsString>,
) -> Result<Vec<(String, String)>, String> {
    let value = |(header, variable): (&String, &String)| {
        let value = lookup(variable).unwrap_or_default();
        let value = value.to_string_lossy().trim().to_owned();
        if value.is_empty() {
            return Err(format!("{variable} is not set to a value for the header {header}"));
        }
        // A line break would begin another header.
        match value.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()) {
            true => Ok((header.clone(), value)),
            false => Err(format!(
                "{variable} is set to a value that the header {header} cannot have: only printable ASCII can be sent"
            )),
        }
    };
    variables.iter().map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::headers;
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;

    #[test]
    fn r193_a_variable_that_is_set_and_cannot_be_sent_is_not_called_unset() {
        let of = |variable: &str| {
            headers(&[("X".to_owned(), variable.to_owned())].into(), |name| match name {
                "GOOD" => Some(" Key 7 ".into()),
                "EMPTY" => Some(" ".into()),
                "BROKEN" => Some("a\nB: c".into()),
                "BYTES" => Some(OsString::from_vec(vec![b'a', 0xff])),
                _ => None,
            })
        };
        assert_eq!(of("GOOD"), Ok(vec![("X".to_owned(), "Key 7".to_owned())]));
        for unset in ["NONE", "EMPTY"] {
            assert!(of(unset).is_err_and(|why| why.contains("is not set to a value")), "{unset}");
        }
        for unusable in ["BROKEN", "BYTES"] {
            assert!(of(unusable).is_err_and(|why| why.contains("only printable ASCII")));
        }
    }
}
