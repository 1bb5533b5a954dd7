//! Faults of the documents that actions produce: form, completeness, and what they refer to.

use super::{Diagnostic, Location, did_you_mean, pages, perhaps_meant, quote};

pages! {
    EMPTY = "artefact.empty":
        "A declared output is empty or contains only headings and comments. If there is nothing to report, the file must say\n\
         so, and why.";
    TOO_LARGE = "artefact.too_large":
        "A document is too large for anyone to read, so it is refused without a check. Split it into several, or leave data\n\
         out of it.";
    FENCE_OPEN = "artefact.fence_open":
        "A code block begins and never ends, so the rest of the document counts as code. Close it with a line of the same\n\
         fence, at least as long. A block that contains such a fence needs a longer one around it.";
    FRONT_OPEN = "artefact.front_matter_open":
        "The document begins with front matter, a line `---` and fields, but has no second line `---` to end it.";
    CONFLICT = "artefact.conflict_marker":
        "An unfinished merge left this line behind. Decide which side is right and remove the conflict markers.";
    FEATURE_UNKNOWN = "artefact.feature_unknown":
        "The input `feature` names a feature that planning does not know. A feature is known by its id, such as F0001, where a\n\
         file, a folder or a heading of planning-mds/ has it, or by its name as it is in planning-mds/features/. Only what is\n\
         committed counts.";
    PLACEHOLDER = "artefact.placeholder":
        "A part of a document contains only a placeholder such as TODO, TBD, ... or {{name}}. Write the real text. If there\n\
         is nothing to say, say so, and why.";
    LINK_BROKEN = "artefact.link_broken":
        "A link, image or path names a file that does not exist. Paths are relative to the folder of the document; in front\n\
         matter they may also be relative to the root of the repository. Case matters.";
    LINK_ANCHOR = "artefact.link_anchor":
        "A link names a heading that its document does not have. The anchor of a heading is its text in lowercase, without\n\
         punctuation, with - for each space; a second heading with the same text ends in -1.";
    LINK_REFUSED = "artefact.link_refused":
        "A link is absolute, names a file on one machine, or points outside the repository. It would not work for anyone\n\
         else. Write a path relative to the document.";
    LINK_LABEL = "artefact.link_label":
        "A link of the form [text][label] has a label that the document does not define. Add a line `[label]: target`.";
    ID_UNDEFINED = "artefact.id_undefined":
        "A planning document names a feature, story, task or criterion that is not defined. Below planning-mds/ an id is\n\
         defined by a heading, a file name, or the field id in front matter; tasks and criteria also by an entry in a list or\n\
         table.";
    ID_TWICE = "artefact.id_twice":
        "Two documents claim to be the same feature or story, by the field id or by their names, or two headings of one\n\
         document introduce the same one. Give one of them its own id.";
    API_INCOMPLETE = "artefact.api_incomplete":
        "An API description in planning-mds/api/ is incomplete: it needs a version in openapi or swagger, a title in\n\
         info.title, and paths.";
    REF_BROKEN = "artefact.ref_broken":
        "A $ref of an API description points to something that does not exist, in the same document or in another file.";
}

pub(crate) fn empty(file: &str) -> Diagnostic {
    Diagnostic::error(EMPTY, Location::file(file, None), "the file says nothing")
        .help("Write its content, or say why there is none")
}

pub(crate) fn no_planning() -> Diagnostic {
    let message = "there is nothing to check in planning-mds/";
    Diagnostic::error(EMPTY, Location::file("planning-mds/", None), message)
        .help("Create it with `tollgate run --action init`")
}

pub(crate) fn too_large(file: &str, bytes: usize, bytes_max: u64) -> Diagnostic {
    let message = format!("the document has {bytes} bytes; the limit is {bytes_max}");
    Diagnostic::error(TOO_LARGE, Location::file(file, None), message).help("Split it into several")
}

pub(crate) fn fence_open(file: &str, line: u32) -> Diagnostic {
    let message = "the code block that begins here never ends";
    Diagnostic::error(FENCE_OPEN, Location::file(file, Some(line)), message)
        .help("Close it with a line of the same marks")
}

pub(crate) fn front_matter_open(file: &str) -> Diagnostic {
    let message = "the front matter has no line \"---\" at its end";
    Diagnostic::error(FRONT_OPEN, Location::file(file, Some(1)), message)
        .help("Put a line `---` after the last field")
}

pub(crate) fn conflict_marker(file: &str, line: u32) -> Diagnostic {
    let message = "this line was left behind by an unfinished merge";
    Diagnostic::error(CONFLICT, Location::file(file, Some(line)), message)
        .help("Decide which side is right and remove the conflict markers")
}

pub(crate) fn only_placeholders(file: &str, line: u32, section: Option<&str>) -> Diagnostic {
    let message = match section {
        Some(section) => format!("the section {} contains only a placeholder", quote(section)),
        None => "the document contains only placeholders".to_owned(),
    };
    Diagnostic::error(PLACEHOLDER, Location::file(file, Some(line)), message)
        .help("Write the real text, or say why there is none")
}

pub(crate) fn feature_unknown(folder: &str, found: &str, known: &[&str]) -> Diagnostic {
    let message = format!("there is no feature {}", quote(found));
    let help = match known {
        [] => "Plan it first; a feature is a file or folder such as features/F0001-name".to_owned(),
        known => did_you_mean(found, known),
    };
    Diagnostic::error(FEATURE_UNKNOWN, Location::file(&format!("{folder}/"), None), message)
        .help(help)
}

pub(crate) fn unfilled(file: &str, line: u32, found: &str) -> Diagnostic {
    let message = format!("the placeholder {} was not filled in", quote(found));
    Diagnostic::error(PLACEHOLDER, Location::file(file, Some(line)), message)
        .help("Replace it with its value")
}

pub(crate) fn link_broken(
    file: &str,
    line: Option<u32>,
    written: &str,
    path: &str,
    near: Option<&str>,
) -> Diagnostic {
    let message = format!("{} points to {}, which does not exist", quote(written), quote(path));
    let help = match near {
        Some(near) => format!("Did you mean {} in that folder?", quote(near)),
        None => "Write the file, or correct or remove the link".to_owned(),
    };
    Diagnostic::error(LINK_BROKEN, Location::file(file, line), message).help(help)
}

pub(crate) fn link_empty(file: &str, line: u32) -> Diagnostic {
    Diagnostic::error(LINK_BROKEN, Location::file(file, Some(line)), "this link has no target")
        .help("Give it a target, or make it plain text")
}

pub(crate) fn link_anchor(
    file: &str,
    line: u32,
    path: &str,
    anchor: &str,
    known: &[&str],
) -> Diagnostic {
    let message = format!("{} has no heading with the anchor {}", quote(path), quote(anchor));
    Diagnostic::error(LINK_ANCHOR, Location::file(file, Some(line)), message)
        .help_if(perhaps_meant(anchor, known))
}

pub(crate) fn link_refused(
    file: &str,
    line: Option<u32>,
    written: &str,
    cause: &str,
) -> Diagnostic {
    let message = format!("{} cannot be followed: {cause}", quote(written));
    Diagnostic::error(LINK_REFUSED, Location::file(file, line), message)
        .help("Write a path relative to this document")
}

pub(crate) fn link_label(file: &str, line: u32, label: &str) -> Diagnostic {
    let message = format!("the label {} of this link is not defined", quote(label));
    Diagnostic::error(LINK_LABEL, Location::file(file, Some(line)), message)
        .help(format!("Add a line \"[{label}]: target\""))
}

pub(crate) fn id_undefined(file: &str, line: Option<u32>, id: &str, known: &[&str]) -> Diagnostic {
    let message = format!("{} is defined nowhere in planning-mds/", quote(id));
    let help = perhaps_meant(id, known)
        .unwrap_or_else(|| "Write the document that defines it, or remove it".to_owned());
    Diagnostic::error(ID_UNDEFINED, Location::file(file, line), message).help(help)
}

pub(crate) fn id_twice(file: &str, line: Option<u32>, id: &str, other: &str) -> Diagnostic {
    let message = format!("{} is already defined by {other}", quote(id));
    Diagnostic::error(ID_TWICE, Location::file(file, line), message)
        .help("Give one of them its own id")
}

pub(crate) fn api_incomplete(file: &str, line: Option<u32>, missing: &str) -> Diagnostic {
    let message = format!("the API description lacks {missing}");
    Diagnostic::error(API_INCOMPLETE, Location::file(file, line), message)
        .help("Describe the API as OpenAPI")
}

pub(crate) fn ref_broken(file: &str, pointer: &str, line: Option<u32>, found: &str) -> Diagnostic {
    let message = format!("the reference {} points to nothing", quote(found));
    Diagnostic::error(REF_BROKEN, Location::new(file, pointer, line), message)
        .help("Correct the reference, or write what it points to")
}
