//! Diagnostics as a step of GitHub Actions shows them.

use crate::github;
use crate::place::here;
use tollgate_contract::diagnostic::{Diagnostic, Level, Report};
use tollgate_core::count::counted;
use tollgate_desk::formats::actions::{Annotation, Weight};
use tollgate_desk::formats::markdown::{code, plain, table};

const CELL_CHARS_MAX: usize = 400;
const ROWS_MAX: usize = 500;

pub fn tell(report: &Report, documents: usize) {
    if !github::is_told() {
        return;
    }
    github::annotate(report.diagnostics.iter().map(annotation).collect());
    let rows: Vec<[String; 3]> = report.diagnostics.iter().take(ROWS_MAX).map(row).collect();
    let head = table(["", "Place", ""], &rows);
    let counts = format!(
        "{} checked, {}, {}",
        counted(documents, "document"),
        counted(report.errors().count(), "error"),
        counted(report.warnings().count(), "warning")
    );
    github::summarize(&[format!("### Tollgate: {counts}\n\n{head}")]);
}

fn annotation(diagnostic: &Diagnostic) -> Annotation {
    let weight = match diagnostic.severity {
        Level::Error => Weight::Error,
        Level::Warning => Weight::Warning,
    };
    let title = format!("{}: {}", diagnostic.code, diagnostic.path);
    let help = diagnostic.help.as_ref().map(|help| format!("\n{help}")).unwrap_or_default();
    let file = diagnostic.path.split('#').next().unwrap_or_default();
    let place = here().ok().filter(|folder| folder.join(file).is_file());
    let place = place.and_then(|folder| github::from_workspace(&folder, file));
    let words = format!("{}{help}", diagnostic.message);
    Annotation::new(weight, title, words).at(place, diagnostic.line)
}

fn row(diagnostic: &Diagnostic) -> [String; 3] {
    let word = match diagnostic.severity {
        Level::Error => "**error**",
        Level::Warning => "warning",
    };
    [
        format!("{word} {}", code(diagnostic.code, CELL_CHARS_MAX)),
        code(&diagnostic.place(), CELL_CHARS_MAX),
        plain(&diagnostic.message, CELL_CHARS_MAX),
    ]
}
