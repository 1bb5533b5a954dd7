//! How tests show a report: one line a diagnostic, its help below it.

use crate::diagnostic::{Diagnostic, Report};
use tollgate_core::reply::ReplyError;

pub(crate) fn shown(report: &Report) -> String {
    report.diagnostics.iter().map(line).collect()
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
