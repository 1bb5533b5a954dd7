//! Faults of lifecycle-stage.yaml.

use super::{Diagnostic, Location, did_you_mean, pages, quote};

pages! {
    VERSION_UNKNOWN = "lifecycle.version_unknown":
        "The lifecycle file has a version that this version of Tollgate cannot read. The supported format is version 1.";
    NAME_INVALID = "lifecycle.name_invalid":
        "The name of a stage or a gate is blank or contains control characters, so nobody could refer to it. Use letters,\n\
         digits and dashes.";
    STAGE_UNKNOWN = "lifecycle.stage_unknown":
        "current_stage names a stage that is not defined under `stages`. Tollgate does not guess which gates apply, so it\n\
         runs none. Name one of the stages, or define the new one.";
    GATE_UNDEFINED = "lifecycle.gate_undefined":
        "A stage requires a gate that is not defined under `gates`. A gate that cannot run must not count as passed, so none\n\
         are run. Define it under `gates` with its command, or remove it from required_gates.";
    GATE_TWICE = "lifecycle.gate_twice":
        "A stage requires the same gate twice. Each gate runs once; remove one of the two.";
    PROGRAM_BLANK = "lifecycle.program_blank":
        "The command of a gate begins with a blank word. The first word is the program, the others are its arguments; they\n\
         are not passed to a shell.";
    ZERO_BYTE = "lifecycle.zero_byte":
        "A word of a gate's command contains a zero byte, which cannot be passed to a program.";
    BUILTIN_UNKNOWN = "lifecycle.builtin_unknown":
        "The command of a gate asks for a built-in gate that does not exist. The built-in gates are boundary, planning-files,\n\
         api-contract, security-evidence, infrastructure and security-planning.";
    NO_STRICT_GATE = "lifecycle.no_strict_gate":
        "The stages implementation and release-readiness are about an application that runs, so they must require a gate about\n\
         its infrastructure and one about its security. A gate counts by its command, the strict form of the built-in gates\n\
         infrastructure, security-planning and security-evidence, or by its name: `infra` or `deploy`, and `security`. A stage\n\
         without either is an error; one of the two missing is a warning.";
}

type At<'a> = (&'a str, Option<u32>);

pub(crate) fn version_unknown(at: At<'_>, found: &str) -> Diagnostic {
    let message = format!("`version` is {}, but must be 1", quote(found));
    Diagnostic::error(VERSION_UNKNOWN, place(at), message).help("Write version: 1")
}

pub(crate) fn name_invalid(at: At<'_>, key: &str, found: &str) -> Diagnostic {
    let message = format!("{} cannot be used as a name in `{key}`", quote(found));
    Diagnostic::error(NAME_INVALID, place(at), message)
        .help("Use letters, digits and dashes, such as unit-tests")
}

pub(crate) fn stage_unknown(at: At<'_>, found: &str, known: &[&str]) -> Diagnostic {
    let message = format!("the current stage {} is not one of the stages", quote(found));
    Diagnostic::error(STAGE_UNKNOWN, place(at), message).help(did_you_mean(found, known))
}

pub(crate) fn gate_undefined(at: At<'_>, stage: &str, found: &str, known: &[&str]) -> Diagnostic {
    let message = format!(
        "stage {} requires the gate {}, which is not defined under `gates`",
        quote(stage),
        quote(found)
    );
    Diagnostic::error(GATE_UNDEFINED, place(at), message).help(did_you_mean(found, known))
}

pub(crate) fn gate_twice(at: At<'_>, stage: &str, name: &str) -> Diagnostic {
    let message = format!("stage {} requires the gate {} twice", quote(stage), quote(name));
    Diagnostic::error(GATE_TWICE, place(at), message).help("Remove one of them")
}

pub(crate) fn program_blank(at: At<'_>, gate: &str) -> Diagnostic {
    let message = format!("the command of gate {} has no program", quote(gate));
    Diagnostic::error(PROGRAM_BLANK, place(at), message)
        .help("Begin it with a program, such as [npm, test]")
}

pub(crate) fn zero_byte(at: At<'_>, gate: &str) -> Diagnostic {
    let message = format!("the command of gate {} contains a zero byte", quote(gate));
    Diagnostic::error(ZERO_BYTE, place(at), message).help("Remove it")
}

pub(crate) fn builtin_unknown(at: At<'_>, found: &str, known: &[&str]) -> Diagnostic {
    let message = format!("there is no built-in gate {}", quote(found));
    Diagnostic::error(BUILTIN_UNKNOWN, place(at), message).help(did_you_mean(found, known))
}

/// The strict gate to add for what a stage leaves out.
pub(crate) fn no_strict_gate(at: At<'_>, stage: &str, missing: &[&str]) -> Diagnostic {
    let gates = match missing {
        ["infrastructure"] => "infrastructure, --strict]",
        ["security"] => "security-planning, --strict]",
        _ => "infrastructure, --strict], and one for security-planning",
    };
    let what = missing.join(" or ");
    let message = format!("stage {} requires no gate about {what}", quote(stage));
    let diagnostic = match missing.len() {
        1 => Diagnostic::warning(NO_STRICT_GATE, place(at), message),
        _ => Diagnostic::error(NO_STRICT_GATE, place(at), message),
    };
    diagnostic.help(format!("Add one, such as command: [tollgate, gates, --builtin, {gates}"))
}

fn place((file, line): At<'_>) -> Location {
    Location::file(file, line)
}
