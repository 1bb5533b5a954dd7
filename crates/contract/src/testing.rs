//! What tests share: how a report is shown, one line a diagnostic and its help below it, and good work items.

use crate::diagnostic::{Diagnostic, Report};
use expect_test::Expect;
use tollgate_core::reply::ReplyError;

pub(crate) fn shown(report: &Report) -> String {
    report.diagnostics.iter().map(line).collect()
}

/// What was said, compared with what is written beside the test.
pub(crate) trait Shows {
    fn shows(&self, expected: Expect);
}

impl Shows for String {
    fn shows(&self, expected: Expect) {
        expected.assert_eq(self);
    }
}

fn line(diagnostic: &Diagnostic) -> String {
    let sign = if diagnostic.is_error() { "error" } else { "warning" };
    let help = diagnostic.help.as_ref().map(|help| format!("  help: {help}\n"));
    let Diagnostic { code, message, .. } = diagnostic;
    format!("{sign} {code} {}: {message}\n{}", diagnostic.place(), help.unwrap_or_default())
}

pub(crate) fn shown_errors(errors: &[ReplyError]) -> String {
    errors.iter().map(|error| format!("{error}\n")).collect()
}

pub(crate) const TASK: &str = r#"## Objective

Wrong passwords are counted and the sixth is refused.

## Spec Reference

- Spec: `docs/specs/login.md`
- Section(s): 2.1 Counting

## Scope

### In Scope

Files of this task:

- bin/limit
- `tests/test_limit.sh` (new)

### Out of Scope

- bin/login (owned by T-002)
- docs/

## Acceptance Criteria

- [ ] The sixth wrong password within a minute is refused
- [x] cmd: sh tests/run.sh limit
- [ ] Test: tests/test_limit.sh passes

## Context

The counter is a file; see `data/`.

## Constraints

- Do not change the format of data/users.
- No new dependency,
  not even a small one.
"#;

pub(crate) const REFINEMENT: &str = r#"## Ambiguity

The specification does not say whether the limit is per user or per address.

## Spec Reference

- Spec: `docs/specs/login.md`
- Section(s): 2.1 Counting
- Quote: "five wrong passwords"

## Options

1. **Per user** — simple
   and cheap
2. **Per address** — fair

## Recommendation

Per user.

## Blocked Tasks

- Counting
"#;
