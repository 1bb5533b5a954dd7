//! Headers whose values may be secret: settings name the variable, and nothing writes the value.

use std::collections::BTreeMap;
use std::ffi::OsString;

/// Each header with the value of its variable; or which variable has none.
pub fn headers(
    variables: &BTreeMap<String, String>,
    lookup: fn(&str) -> Option<OsString>,
) -> Result<Vec<(String, String)>, String> {
    let value = |(header, variable): (&String, &String)| {
        let value = lookup(variable).and_then(|value| value.into_string().ok());
        let value = value.map(|value| value.trim().to_owned()).unwrap_or_default();
        let is_sendable =
            !value.is_empty() && value.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
        match is_sendable {
            true => Ok((header.clone(), value)),
            false => Err(format!("{variable} is not set to a value for the header {header}")),
        }
    };
    variables.iter().map(value).collect()
}
