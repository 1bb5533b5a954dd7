//! Actions whose end must rest on commands that the engine ran.

use tollgate_core::action::{Action, CheckSubject, Step, StepKind};
use tollgate_core::proof::proves_nothing;
use tollgate_core::role::{Role, State};

/// They make or test the product, so a page that says that it works is not enough.
const WITH_EVIDENCE: [&str; 3] = ["build", "feature", "test"];

/// One of these actions that runs no command of its own gets the step that asks for evidence, after the last role that
/// makes something: what comes then is judged with it.
pub(super) fn ensured(mut action: Action) -> Action {
    let is_evidence = |subject: &CheckSubject| match subject {
        CheckSubject::Evidence => true,
        CheckSubject::Command(command) => !proves_nothing(command),
        _ => false,
    };
    let shows =
        |step: &Step| matches!(&step.kind, StepKind::Checks { of } if of.iter().any(is_evidence));
    if WITH_EVIDENCE.contains(&action.name.as_str()) && !action.steps.iter().any(shows) {
        let at = after_the_makers(&action.steps);
        let kind = StepKind::Checks { of: vec![CheckSubject::Evidence] };
        action.steps.insert(at, Step { state: State::Integrate, kind, when: None });
    }
    action
}

fn after_the_makers(steps: &[Step]) -> usize {
    let makes = |step: &Step| {
        let is_maker = |role| matches!(role, Role::Coder | Role::QA | Role::Integrator);
        step.kind == StepKind::Tasks || step.assignments(0).iter().any(|(_, a)| is_maker(a.role))
    };
    let last = steps.iter().rposition(makes);
    last.map_or(steps.len().saturating_sub(1), |last| last + 1)
}
