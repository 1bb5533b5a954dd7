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
            text: include_str!(concat!("../../../packs/", $folder, "/", $name, $suffix)),
        }),+]
    };
}

pub const ACTIONS: &[Built] = built!("actions", ".md", ["deliver", "lean"]);

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
    ]
);

/// The stages of a project and their gates, for repositories without a lifecycle-stage.yaml.
pub const LIFECYCLE: &str = include_str!("../../../packs/lifecycle-stage.yaml");

pub const PROMPT: &str = include_str!("../../../packs/prompt.md");
pub const OUTPUT_CONTRACT: &str = include_str!("../../../packs/output-contract.md");

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
        assert_eq!(roles, Role::ALL);
    }
}
