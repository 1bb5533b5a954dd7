//! The built-in pack: actions, roles, the lifecycle and the prompt, as plain files inside the binary.

/// A file of the pack.
#[derive(Debug, Clone, Copy)]
pub struct Built {
    pub name: &'static str,
    pub text: &'static str,
}

macro_rules! built {
    ($folder:literal, $suffix:literal, [$($name:literal),+ $(,)?]) => {
        &[$(Built {
            name: $name,
            text: include_str!(concat!("../packs/", $folder, "/", $name, $suffix)),
        }),+]
    };
}

/// In the order people see them.
pub const ACTIONS: &[Built] = built!(
    "actions",
    ".md",
    [
        "deliver", "lean", "init", "plan", "build", "feature", "review", "validate", "test",
        "document", "blog",
    ]
);

/// What lists the actions beside them.
pub const ACTIONS_INDEX: &str = include_str!("../packs/actions/README.md");

/// The canonical roles in their order, then those that go by another name.
pub const ROLES: &[Built] = built!(
    "roles",
    "/SKILL.md",
    [
        "spec-agent",
        "architect",
        "planner",
        "designer",
        "researcher",
        "coder",
        "reviewer",
        "qa",
        "security",
        "integrator",
        "docs",
        "orchestrator",
        "product-manager",
        "backend-developer",
        "frontend-developer",
        "ai-engineer",
        "code-reviewer",
        "quality-engineer",
        "blogger",
    ]
);

/// The stages of a project and their gates, for repositories without a lifecycle-stage.yaml.
pub const LIFECYCLE: &str = include_str!("../packs/lifecycle-stage.yaml");

/// Documents that a project begins with; the name is the path in the repository.
pub const TEMPLATES: &[Built] = built!(
    "templates",
    "",
    [
        "planning-mds/BLUEPRINT.md",
        "planning-mds/domain/glossary.md",
        "planning-mds/architecture/SOLUTION-PATTERNS.md",
    ]
);

/// The text that a file of the repository has when it is as the pack has it.
pub fn text_at(path: &str) -> Option<&'static str> {
    let below = path.strip_prefix("agents/")?;
    if below == "actions/README.md" {
        return Some(ACTIONS_INDEX);
    }
    let action = below.strip_prefix("actions/").and_then(|name| name.strip_suffix(".md"));
    let found = match action {
        Some(name) => find(ACTIONS, name),
        None => find(ROLES, below.strip_suffix("/SKILL.md")?),
    };
    found.map(|built| built.text)
}

/// The file of a list by its name.
pub fn find(files: &[Built], name: &str) -> Option<Built> {
    files.iter().find(|file| file.name == name).copied()
}

pub const PROMPT: &str = include_str!("../packs/prompt.md");

/// For an agent whose session continues after an invalid reply.
pub const PROMPT_AGAIN: &str = include_str!("../packs/again.md");
pub const OUTPUT_CONTRACT: &str = include_str!("../packs/output-contract.md");

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use crate::{action, skill};
    use tollgate_core::role::Role;

    #[test]
    fn every_file_of_the_pack_reads_without_a_fault() {
        for file in ACTIONS {
            let (action, report) = action::read(file.text, file.name);
            assert!(report.diagnostics.is_empty(), "{report:?}");
            assert_eq!(action.unwrap().name, file.name);
        }
        let roles: Vec<Role> = ROLES
            .iter()
            .map(|file| {
                let (role, report) = skill::read(file.text, file.name);
                assert!(report.diagnostics.is_empty(), "{report:?}");
                role.unwrap().role
            })
            .collect();
        assert_eq!(roles[..Role::ALL.len()], *Role::ALL);
    }

    #[test]
    fn the_index_lists_exactly_the_actions_of_the_pack() {
        let names: Vec<&str> = ACTIONS.iter().map(|action| action.name).collect();
        assert_eq!(action::listed(ACTIONS_INDEX), names);
    }

    #[test]
    fn every_output_of_the_engine_itself_has_a_template() {
        for file in ACTIONS {
            let (action, _) = action::read(file.text, file.name);
            for (_, part) in action.unwrap().assignments() {
                let is_engine = part.role == Role::Orchestrator;
                for output in part.outputs.iter().filter(|_| is_engine) {
                    assert!(find(TEMPLATES, output).is_some(), "{}: {output}", file.name);
                }
            }
        }
    }
}
