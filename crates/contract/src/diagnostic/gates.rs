//! What the built-in gates of a lifecycle find in a repository.

use super::{Code, Diagnostic, Location, any_of, pages, quote};

pages! {
    TERM_BLOCKED = "gate.term_blocked":
        "A term of the solution appears in agents/. That folder is generic and works for any solution; whatever belongs to\n\
         one solution goes into planning-mds/. Use general words, or move the text. The terms come from the glossary: from\n\
         its section \"Blocked terms\" if there is one, otherwise every term that it defines.";
    GLOSSARY_MISSING = "gate.glossary_missing":
        "The strict boundary gate compares agents/ with the terms of planning-mds/domain/glossary.md, and that file does not\n\
         exist. Write it, or use the gate without strict mode.";
    NO_TERMS = "gate.no_terms":
        "The glossary defines no terms, so the strict boundary gate has nothing to look for. Add terms as a table, as `-\n\
         **Term**: meaning`, or as headings; or add a section \"Blocked terms\", which may be empty on purpose.";
    TERMS_UNCLEAR = "gate.terms_unclear":
        "The glossary has a section \"Blocked terms\" without a list or table, so it is unclear which terms it blocks. Write\n\
         one term per entry; an entry `- None` says that nothing is blocked.";
    FILE_MISSING = "gate.file_missing":
        "A planning document that later work needs does not exist. `tollgate run --action init` writes a scaffold of all of\n\
         them and does not touch existing files.";
    FILE_BLANK = "gate.file_blank":
        "A file that a gate needs is empty. Fill it in, or remove it until there is something to say.";
    NO_CONTRACT = "gate.no_contract":
        "A file directly in planning-mds/api is not an API contract: it has none of the keys openapi, swagger and asyncapi.\n\
         Put the parts that a contract refers to into a subfolder.";
    CONTRACT_FIELD = "gate.contract_field":
        "An API contract has no version or no title. Write the version as `openapi: 3.1.0` and the title as `info.title`.";
    CONTRACT_EMPTY = "gate.contract_empty":
        "An API contract describes nothing: OpenAPI needs paths or webhooks, Swagger needs paths, AsyncAPI needs channels,\n\
         with at least one entry.";
    API_MISSING = "gate.api_missing":
        "The strict gate requires at least one API contract below planning-mds/api, and there is none. A project without an\n\
         API should remove the gate from its stage in lifecycle-stage.yaml.";
    PLACEHOLDER = "gate.placeholder":
        "Security evidence contains placeholder text: TODO, TBD, FIXME, placeholder, lorem ipsum, or a template mark such as\n\
         <name>, {{name}} or [insert name]. Inline code and code blocks are not checked. Write what was found, or remove the\n\
         file until it is known.";
    ONLY_HEADINGS = "gate.only_headings":
        "Security evidence has headings and nothing below them. Write what was checked and what was found.";
    EVIDENCE_MISSING = "gate.evidence_missing":
        "The strict gate requires security evidence below planning-mds/security, such as review notes or scan results, and\n\
         there is none. README.md and hidden files do not count.";
    INFRASTRUCTURE_MISSING = "gate.infrastructure_missing":
        "Something that the application needs to be built, started or checked elsewhere does not exist: a Dockerfile or\n\
         Containerfile; a compose file, or manifests in deploy/, k8s/, helm/, infra/ or terraform/; a pipeline of GitHub,\n\
         GitLab, CircleCI, Azure or Jenkins; an example of the environment such as .env.example. Files are looked for in the\n\
         root and in these folders. In strict mode this is an error.";
    INFRASTRUCTURE_HOLLOW = "gate.infrastructure_hollow":
        "A file of the infrastructure exists and does nothing: an image that adds nothing to the one it begins with, services\n\
         without an image or a build, a pipeline in which no job runs anything, or an environment without a variable.";
    SECURITY_MISSING = "gate.security_missing":
        "A document about the security of the solution does not exist below planning-mds/security: threat-model.md,\n\
         authorization-review.md, data-protection.md or secrets-management.md. In strict mode this is an error.";
    REVIEW_MISSING = "gate.review_missing":
        "There is no dated security review below planning-mds/security/reviews. Name the file after its day, such as\n\
         security-review-2026-02-07.md, and write what was looked at and what was found. In strict mode this is an error.";
    STATUS_MISSING = "gate.status_missing":
        "A document about security does not say whether it is decided. Add a line such as `Status: approved`.";
    STATUS_DRAFT = "gate.status_draft":
        "A document about security is still a draft by its own word. Decide it, then change its line `Status:`.";
    FEW_SECTIONS = "gate.few_sections":
        "A document about security has too few sections (headings of the second level or below) with text in them. Write what is at\n\
         stake, what is done about it, and what is left.";
    UNSEEN = "gate.unseen":
        "A gate could not read a file or folder. An unread file does not count as OK, so the gate fails. A symbolic link is\n\
         fine if it points to a file in the folder that the gate checks anyway.";
}

pub(crate) fn term_blocked(path: &str, line: u32, term: &str, defined: (&str, u32)) -> Diagnostic {
    let (glossary, at) = defined;
    let message = format!("{} is a term of the solution ({glossary}:{at})", quote(term));
    Diagnostic::error(TERM_BLOCKED, Location::file(path, Some(line)), message)
        .help("Use general words, or move the text to planning-mds/")
}

pub(crate) fn glossary_missing(path: &str) -> Diagnostic {
    let message = "there is no glossary to compare agents/ with";
    Diagnostic::error(GLOSSARY_MISSING, Location::file(path, None), message)
        .help("Write it with the terms of the solution")
}

pub(crate) fn no_terms(path: &str) -> Diagnostic {
    let message = "the glossary defines no term";
    Diagnostic::error(NO_TERMS, Location::file(path, None), message)
        .help("Add terms, or a section \"Blocked terms\" that may be empty")
}

pub(crate) fn terms_unclear(path: &str, line: u32) -> Diagnostic {
    let message = "the section \"Blocked terms\" has neither a list nor a table";
    Diagnostic::error(TERMS_UNCLEAR, Location::file(path, Some(line)), message)
        .help("List one term per entry, or `- None`")
}

/// An error in the strict form of the gate.
pub(crate) fn file_missing(path: &str, is_strict: bool) -> Diagnostic {
    or_warning(is_strict, FILE_MISSING, path, "the planning document does not exist")
        .help("Write it; `tollgate run --action init` makes a scaffold")
}

pub(crate) fn file_blank(path: &str) -> Diagnostic {
    Diagnostic::error(FILE_BLANK, Location::file(path, None), "the file is empty")
        .help("Fill it in, or remove it")
}

pub(crate) fn no_contract(path: &str) -> Diagnostic {
    let message = "this is not an API contract: it has no openapi, swagger or asyncapi version";
    Diagnostic::error(NO_CONTRACT, Location::file(path, None), message)
        .help("Add the version, such as `openapi: 3.1.0`, or move a part into a subfolder")
}

pub(crate) fn contract_field(path: &str, line: Option<u32>, field: &str) -> Diagnostic {
    let message = format!("the API contract has no {}", quote(field));
    Diagnostic::error(CONTRACT_FIELD, Location::file(path, line), message).help("Add it")
}

pub(crate) fn contract_empty(path: &str, line: Option<u32>, bodies: &[&str]) -> Diagnostic {
    let message = format!("the API contract describes nothing under {}", any_of(bodies));
    Diagnostic::error(CONTRACT_EMPTY, Location::file(path, line), message)
        .help("Describe at least one entry")
}

pub(crate) fn api_missing(folder: &str) -> Diagnostic {
    let message = "there is no API contract";
    Diagnostic::error(API_MISSING, Location::file(folder, None), message)
        .help("Add one as .yaml, .yml or .json, or remove the gate from the stage")
}

pub(crate) fn placeholder(path: &str, line: u32, found: &str) -> Diagnostic {
    let message = format!("{} is placeholder text", quote(found));
    Diagnostic::error(PLACEHOLDER, Location::file(path, Some(line)), message)
        .help("Write what was found, or remove the file until it is known")
}

pub(crate) fn only_headings(path: &str) -> Diagnostic {
    Diagnostic::error(
        ONLY_HEADINGS,
        Location::file(path, None),
        "there is nothing below the headings",
    )
    .help("Write what was checked and what was found")
}

pub(crate) fn evidence_missing(folder: &str) -> Diagnostic {
    let message = "there is no security evidence";
    Diagnostic::error(EVIDENCE_MISSING, Location::file(folder, None), message)
        .help("Add review notes or scan results")
}

pub(crate) fn unseen(path: &str, why: &str) -> Diagnostic {
    Diagnostic::error(UNSEEN, Location::file(path, None), format!("it cannot be read: {why}"))
        .help("Check that it is a regular file and that you may read it")
}

/// An error in the strict form of the gate.
pub(crate) fn infrastructure_missing(place: &str, missing: &str, is_strict: bool) -> Diagnostic {
    or_warning(is_strict, INFRASTRUCTURE_MISSING, place, missing)
        .help("Add one; `tollgate explain gate.infrastructure_missing` lists what counts and where")
}

pub(crate) fn infrastructure_hollow(path: &str, missing: &str) -> Diagnostic {
    Diagnostic::error(INFRASTRUCTURE_HOLLOW, Location::file(path, None), missing)
        .help("Write what it must do, or remove the file")
}

/// An error in the strict form of the gate.
pub(crate) fn security_missing(path: &str, is_strict: bool) -> Diagnostic {
    or_warning(is_strict, SECURITY_MISSING, path, "the security document does not exist")
        .help("Write it, with the line `Status: approved` once it is decided")
}

/// An error in the strict form of the gate.
pub(crate) fn review_missing(folder: &str, is_strict: bool) -> Diagnostic {
    or_warning(is_strict, REVIEW_MISSING, folder, "there is no dated security review")
        .help("Write one, named after its day, such as security-review-2026-02-07.md")
}

pub(crate) fn status_missing(path: &str) -> Diagnostic {
    let message = "the document does not say whether it is decided";
    Diagnostic::error(STATUS_MISSING, Location::file(path, None), message)
        .help("Add a line such as `Status: approved`")
}

pub(crate) fn status_draft(path: &str, line: u32, found: &str) -> Diagnostic {
    let message = format!("the status is {}", quote(found));
    Diagnostic::error(STATUS_DRAFT, Location::file(path, Some(line)), message)
        .help("Decide the document, then change the line")
}

pub(crate) fn few_sections(path: &str, found: usize, wanted: usize) -> Diagnostic {
    let sections = tollgate_core::count::counted(found, "section");
    let message = format!("the document has {sections} with text, but needs {wanted}");
    Diagnostic::error(FEW_SECTIONS, Location::file(path, None), message)
        .help("Write what is at stake, what is done about it, and what is left")
}

fn or_warning(is_strict: bool, code: Code, path: &str, message: &str) -> Diagnostic {
    let place = Location::file(path, None);
    match is_strict {
        true => Diagnostic::error(code, place, message),
        false => Diagnostic::warning(code, place, message),
    }
}
