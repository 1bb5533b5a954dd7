//! What an agent may write follows from its step; what its last word means.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use expect_test::expect;
use tollgate_contract::{action, pack, skill};
use tollgate_core::action::Assignment;
use tollgate_core::role::Role;

fn rules(outputs: &[&str], writes: Option<&[&str]>) -> FileRules {
    let owned = |paths: &[&str]| paths.iter().map(ToString::to_string).collect();
    FileRules { outputs: owned(outputs), writes: writes.map(owned), ..FileRules::default() }
}

#[test]
fn what_a_step_demands_may_be_written_whatever_the_role_may_by_itself() {
    let of = |role: Role, outputs: &[&str], writes: Option<&[&str]>| {
        access(&rules(outputs, writes), &skill::built_in(role))
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
            let (outputs, writes) = (part.outputs.clone(), part.writes.clone());
            let access = access(&FileRules { outputs, writes, ..FileRules::default() }, &role);
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

fn end_of(outcome: TurnOutcome, is_login_outdated: bool) -> DispatchEnd {
    let finished = Some(Finished::without_reply(outcome));
    let transcript = Transcript { finished, ..Transcript::default() };
    last_word(&transcript, Circumstances { ended_at: long_ago(), is_login_outdated }).unwrap_err()
}

fn long_ago() -> Timestamp {
    Timestamp::parse("2020-01-01T12:00:00Z").unwrap()
}

#[test]
fn r107_a_reset_time_that_was_ahead_when_the_run_ended_parks_whenever_it_is_taken_up() {
    let limit = |resets_at| TurnOutcome::UsageLimit { resets_at, detail: "limit".to_owned() };
    let soon = long_ago().plus_ms(600_000);
    assert_eq!(
        end_of(limit(Some(soon)), false),
        DispatchEnd::Parked { until: soon, no_time: None }
    );
    let in_years = Timestamp::parse("2023-01-01T12:00:00Z").unwrap();
    for odd in [Some(long_ago()), Some(in_years), None] {
        let end = end_of(limit(odd), false);
        assert!(matches!(end, DispatchEnd::Limited { .. }), "{odd:?}: {end:?}");
    }
}

#[test]
fn only_a_refused_login_is_tried_again_with_the_renewed_one() {
    let detail = "the model service refused the login: 401".to_owned();
    let login = || TurnOutcome::Login { detail: "401".to_owned() };
    let refused = DispatchEnd::PermissionRefused { detail: detail.clone() };
    assert_eq!(end_of(login(), false), refused);
    let end = end_of(login(), true);
    assert!(matches!(end, DispatchEnd::Unavailable { .. }), "{end:?}");
    // However an agent words it.
    assert_eq!(end_of(TurnOutcome::Denied { detail }, true), refused);
}
