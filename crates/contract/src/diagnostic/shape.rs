//! Faults of form that every structured document can have.

use super::{Code, Diagnostic, Location, any_of, did_you_mean, pages, perhaps_meant, quote};
use crate::shape::{ShapeError, Wrong};

pages! {
    FIELD_MISSING = "shape.field_missing":
        "A required field is missing. The message names it. Add the field; `tollgate schema NAME` prints the full format of\n\
         the document. A field that may be empty must still be written, as [] or null.";
    OTHER_SHAPE = "shape.other":
        "The document, or a part of it, has none of the fields that it must have: it is something else. The message names what it\n\
         has and what is expected. `tollgate schema NAME` prints the full format.";
    FIELD_UNKNOWN = "shape.field_unknown":
        "The document has a field with an unknown name. It is refused instead of ignored, because a misspelled field would\n\
         otherwise do nothing. Fix its name or remove it.";
    FIELD_IGNORED = "shape.field_ignored":
        "A file that other tools read and write too has a field that Tollgate does not know. This is a\n\
         notice: the file is used, and the field changes nothing. If its name is misspelled, fix it.";
    WRONG_TYPE = "shape.wrong_type":
        "A value has the wrong type, such as text where a list is expected. In YAML, a number or true/false that is meant as\n\
         text needs quotes.";
    VALUE_UNKNOWN = "shape.value_unknown":
        "A value is not one of the words that are allowed here. Spelling and case matter.";
    EMPTY = "shape.empty":
        "A text is blank or a list is empty where a value is required.";
    OUT_OF_RANGE = "shape.out_of_range":
        "A number is too small or too large for this field.";
    KEY_TWICE = "shape.key_twice":
        "The same key occurs twice in one object. Parsers differ in which one they use, so both are refused. Remove one of\n\
         them.";
    UNREADABLE = "shape.unreadable":
        "The document has the right structure, but a value could not be read. The message says which.";
    NOT_JSON = "json.syntax":
        "The file is not valid JSON. The message says what was expected and on which line.";
    NOT_YAML = "yaml.syntax":
        "The file is not valid YAML. Common causes: a tab in the indentation, a `: ` inside unquoted text, a quote\n\
         that is not closed, the same key twice, or yes/no where true/false is meant.";
    NOT_TOML = "toml.syntax":
        "The file is not valid TOML. Common causes: text without quotes, a table header written twice, a missing\n\
         closing bracket.";
    NOT_UTF8 = "text.not_utf8":
        "The file is not UTF-8 text. Save it in that encoding.";
    CUT = "report.cut":
        "The document has more errors than are listed. Fix the listed ones and check it again.";
    NO_FRONT_MATTER = "front_matter.missing":
        "The file must begin with YAML front matter: a line `---`, the fields, and a line `---`. The text comes after it.";
}

/// The words for a fault that has no more special ones.
pub(crate) fn fault(file: &str, fault: &ShapeError) -> Diagnostic {
    let at = Location::new(file, &fault.pointer, fault.line);
    match &fault.wrong {
        Wrong::Missing { field } => {
            error(FIELD_MISSING, at, format!("the field {} is missing", quote(field)))
                .help(format!("Add {} to {}", quote(field), owner(&fault.pointer)))
        }
        Wrong::MissingMany { fields, .. } => {
            let named: Vec<String> = fields.iter().map(|field| quote(field).to_string()).collect();
            let help = format!("Add them to {}", owner(&fault.pointer));
            error(FIELD_MISSING, at, format!("these fields are missing: {}", named.join(", ")))
                .help(help)
        }
        Wrong::Another { expected, found } => {
            let message = format!(
                "{} has another shape: it has {}, and none of {}",
                named(&fault.pointer),
                listed(found),
                expected.join(", ")
            );
            error(OTHER_SHAPE, at, message)
                .help("Write it again in its own form; `tollgate schema` prints the form of each document")
        }
        Wrong::Unknown { field, known } => {
            error(FIELD_UNKNOWN, at, format!("there is no field {} here", quote(field)))
                .help(did_you_mean(field, known))
        }
        Wrong::Type { found, expected } => error(
            WRONG_TYPE,
            at,
            format!("{} is {found}, but {} is expected", named(&fault.pointer), any_of(expected)),
        ),
        Wrong::Value { found, allowed } => error(
            VALUE_UNKNOWN,
            at,
            format!(
                "{} is {}, but must be {}",
                named(&fault.pointer),
                quote(found),
                any_of(allowed)
            ),
        )
        .help_if(perhaps_meant(found, allowed)),
        Wrong::Empty => error(EMPTY, at, format!("{} is empty", named(&fault.pointer))),
        Wrong::Range { found, rule } => error(
            OUT_OF_RANGE,
            at,
            format!("{} is {found}, but must be {rule}", named(&fault.pointer)),
        ),
        Wrong::Twice { field } => {
            error(KEY_TWICE, at, format!("the key {} occurs twice", quote(field)))
                .help("Keep one of them")
        }
    }
}

/// The words for a fault of a file that other people's tools write too: what we do not know there is only a notice.
pub(crate) fn loose_fault(file: &str, found: &ShapeError) -> Diagnostic {
    let at = Location::new(file, &found.pointer, found.line);
    match &found.wrong {
        Wrong::Unknown { field, known } => {
            let message = format!("the field {} is unknown and is ignored", quote(field));
            Diagnostic::warning(FIELD_IGNORED, at, message).help_if(perhaps_meant(field, known))
        }
        _ => fault(file, found),
    }
}

/// The words for a fault of a plan: a field more is only a notice, unless it is a known one that is misspelled.
pub(crate) fn extra_fault(file: &str, found: &ShapeError) -> Diagnostic {
    match &found.wrong {
        Wrong::Unknown { field, known } if perhaps_meant(field, known).is_none() => {
            loose_fault(file, found)
        }
        _ => fault(file, found),
    }
}

fn error(code: Code, at: Location, message: String) -> Diagnostic {
    Diagnostic::error(code, at, message)
}

/// Some of the fields that there are.
fn listed(fields: &[String]) -> String {
    const SHOWN_MAX: usize = 8;
    let shown: Vec<String> = fields.iter().take(SHOWN_MAX).map(|f| quote(f).to_string()).collect();
    match fields.len() {
        0 => "no fields".to_owned(),
        count if count > SHOWN_MAX => format!("{}, …", shown.join(", ")),
        _ => shown.join(", "),
    }
}

/// The last name of a pointer; a list entry by its list and number.
fn named(pointer: &str) -> String {
    let steps: Vec<&str> = pointer.split('/').skip(1).collect();
    match steps.as_slice() {
        [] => "the document".to_owned(),
        [.., list, index] if index.bytes().all(|b| b.is_ascii_digit()) => {
            format!("entry {index} of `{list}`")
        }
        [.., last] => format!("`{last}`"),
    }
}

fn owner(pointer: &str) -> String {
    if pointer.is_empty() { "the top level".to_owned() } else { named(pointer) }
}

pub(crate) fn cut(path: &str, listed: usize) -> Diagnostic {
    let message = format!("only the first {listed} errors are listed");
    error(CUT, Location::file(path, None), message).help("Fix these and check again")
}

pub(crate) fn unreadable(file: &str, cause: &str) -> Diagnostic {
    error(UNREADABLE, Location::file(file, None), format!("the document cannot be read: {cause}"))
}

pub(crate) fn json_syntax(file: &str, message: &str, line: u32, column: u32) -> Diagnostic {
    let message = format!("this is not valid JSON: {message} (column {column})");
    error(NOT_JSON, Location::file(file, Some(line)), message)
        .help("Write the file with a JSON serializer instead of by hand")
}

pub(crate) fn json_after(file: &str, rest: &str) -> Diagnostic {
    let message = format!("after the JSON value comes {}", quote(rest));
    error(NOT_JSON, Location::file(file, None), message).help("Keep exactly one JSON value")
}

pub(crate) fn yaml_syntax(file: &str, message: &str, line: Option<u32>) -> Diagnostic {
    error(NOT_YAML, Location::file(file, line), format!("this is not valid YAML: {message}"))
        .help("Put quotes around text that contains `: `, `#`, or quotes, and indent with spaces")
}

pub(crate) fn toml_syntax(file: &str, message: &str, line: u32) -> Diagnostic {
    error(NOT_TOML, Location::file(file, Some(line)), format!("this is not valid TOML: {message}"))
}

pub(crate) fn not_utf8(file: &str, at: usize) -> Diagnostic {
    let message = format!("byte {at} is not part of UTF-8 text");
    error(NOT_UTF8, Location::file(file, None), message).help("Save the file as UTF-8")
}

pub(crate) fn no_front_matter(file: &str, cause: &str) -> Diagnostic {
    error(NO_FRONT_MATTER, Location::file(file, Some(1)), cause.to_owned())
        .help("Begin the file with a line `---`, the fields as YAML, and a line `---`")
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn a_pointer_reads_as_words() {
        assert_eq!(named(""), "the document");
        assert_eq!(named("/next/recommended_agent"), "`recommended_agent`");
        assert_eq!(named("/tasks/2"), "entry 2 of `tasks`");
    }
}
