//! What an agent may write follows from its step.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use expect_test::expect;
use tollgate_contract::{action, pack, skill};
use tollgate_core::action::Assignment;
use tollgate_core::allowance::Allowance;
use tollgate_core::id::TaskRef;
use tollgate_core::role::Role;

fn brief(role: Role, outputs: &[&str], writes: Option<&[&str]>) -> Brief {
    let owned = |paths: &[&str]| paths.iter().map(ToString::to_string).collect();
    Brief {
        role,
        called: None,
        task: TaskRef::Meta,
        title: String::new(),
        goal: String::new(),
        non_goals: Vec::new(),
        context_files: Vec::new(),
        session_changed_files: None,
        constraints: Vec::new(),
        acceptance_checks: Vec::new(),
        check_commands: Vec::new(),
        risk_flags: Vec::new(),
        outputs: owned(outputs),
        writes: writes.map(owned),
        watched: Vec::new(),
        weakened: Vec::new(),
        scope: None,
        restore: Vec::new(),
        goes_on: false,
        asked_again: None,
        feedback: Vec::new(),
        previous_errors: Vec::new(),
        allowance: Allowance::default(),
    }
}

#[test]
fn what_a_step_demands_may_be_written_whatever_the_role_may_by_itself() {
    let of = |role: Role, outputs: &[&str], writes: Option<&[&str]>| {
        access(&brief(role, outputs, writes), &skill::built_in(role))
    };
    assert_eq!(of(Role::Reviewer, &[], None), Access::Read);
    assert_eq!(of(Role::Reviewer, &["planning-mds/reviews/code-review.md"], None), Access::Tree);
    assert_eq!(of(Role::Architect, &["architecture.md"], None), Access::Session);
    assert_eq!(of(Role::Architect, &["architecture.md"], Some(&["docs/**"])), Access::Tree);
    assert_eq!(of(Role::Architect, &["planning-mds/api/"], None), Access::Tree);
    assert_eq!(of(Role::Coder, &[], None), Access::Tree);
    assert_eq!(of(Role::Coder, &[], Some(&[])), Access::Read, "the step says instead of the role");
    assert_eq!(of(Role::Docs, &["report.md"], Some(&[])), Access::Session);
}

/// The role text that an assignment of the pack goes by.
fn role_file(part: &Assignment) -> RoleFile {
    let named = part.called.as_deref().and_then(|name| pack::find(pack::ROLES, name));
    match named {
        Some(file) => skill::read(file.text, file.name).0.unwrap(),
        None => skill::built_in(part.role),
    }
}

#[test]
fn every_dispatch_of_the_pack_may_write_what_its_step_demands() {
    let mut table = String::new();
    for file in pack::ACTIONS {
        let action = action::read(file.text, file.name).0.unwrap();
        let played = action.assignments().map(|(_, part)| part);
        for part in played.filter(|part| part.role != Role::Orchestrator) {
            let role = role_file(part);
            let outputs: Vec<&str> = part.outputs.iter().map(String::as_str).collect();
            let writes: Option<Vec<&str>> =
                part.writes.as_ref().map(|globs| globs.iter().map(String::as_str).collect());
            let access = access(&brief(part.role, &outputs, writes.as_deref()), &role);
            let name = part.called.clone().unwrap_or_else(|| part.role.to_string());
            table.push_str(&format!("{} {name}: {access:?}\n", file.name));
        }
    }
    expect![[r#"
        deliver SpecAgent: Session
        deliver Researcher: Session
        deliver Architect: Session
        deliver Designer: Session
        deliver Planner: Session
        deliver Integrator: Tree
        deliver Docs: Tree
        deliver Integrator: Tree
        lean SpecAgent: Session
        plan product-manager: Tree
        plan Architect: Tree
        build backend-developer: Tree
        build frontend-developer: Tree
        build ai-engineer: Tree
        build quality-engineer: Tree
        build devops: Tree
        build code-reviewer: Tree
        build Security: Tree
        feature backend-developer: Tree
        feature frontend-developer: Tree
        feature ai-engineer: Tree
        feature quality-engineer: Tree
        feature code-reviewer: Tree
        feature Security: Tree
        review code-reviewer: Tree
        review Security: Tree
        validate product-manager: Tree
        validate Architect: Tree
        test quality-engineer: Tree
        test quality-engineer: Tree
        document technical-writer: Tree
        blog blogger: Tree
        blog code-reviewer: Read
    "#]]
    .assert_eq(&table);
}
