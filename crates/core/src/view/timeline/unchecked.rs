//! What a step of checks leaves out.

use crate::action::{CheckSubject, StepKind};
use crate::session::Session;

/// What a step would check and cannot, because nothing says against what.
pub(super) fn words(session: &Session, kind: &StepKind) -> String {
    let StepKind::Checks { of } = kind else {
        return String::new();
    };
    let missing = of.iter().filter_map(|subject| match subject {
        CheckSubject::Lifecycle if session.checks.stage.is_none() => {
            Some("lifecycle gates, because there is no lifecycle-stage.yaml")
        }
        CheckSubject::Coverage if session.coverage_minimum().is_none() => {
            Some("coverage, because tollgate.toml has no [coverage]")
        }
        _ => None,
    });
    match missing.collect::<Vec<_>>() {
        missing if missing.is_empty() => String::new(),
        missing => format!("not checked: {}", missing.join("; ")),
    }
}
