//! Changed files as a step of GitHub Actions shows them.

use super::text::shown_path;
use crate::github;
use crate::place::Checkout;
use tollgate_core::work::{ChangeType, ScopeClass};
use tollgate_desk::formats::actions::{Annotation, Weight};
use tollgate_desk::formats::markdown::{code, plain, table};
use tollgate_judge::scope::ScopedFile;

const CELL_CHARS_MAX: usize = 400;
const ROWS_MAX: usize = 500;

pub fn tell(files: &[ScopedFile], item: &str) {
    if !github::is_told() {
        return;
    }
    let is_violation = |file: &&ScopedFile| file.class == ScopeClass::Violation;
    let root = Checkout::find().ok().map(|place| place.layout.repo_root().to_owned());
    let violations = files.iter().filter(is_violation).map(|file| {
        let title = format!("not in the scope of {item}");
        let words = format!(
            "{} was {}{}",
            shown_path(&file.path),
            file.change_type.as_str(),
            file.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default()
        );
        let place = root.as_deref().and_then(|root| github::from_workspace(root, &file.path));
        let line = (file.change_type != ChangeType::Deleted).then_some(1);
        Annotation::new(Weight::Error, title, words).at(place, line)
    });
    github::annotate(violations.collect());
    let inside = files.iter().filter(|file| file.class != ScopeClass::Violation);
    let all = files.iter().filter(is_violation).chain(inside);
    let rows: Vec<[String; 4]> = all.take(ROWS_MAX).map(row).collect();
    let verdict = match files.iter().filter(is_violation).count() {
        0 => "All changes are in scope.".to_owned(),
        count => format!("**{count} of {} changed files are out of scope.**", files.len()),
    };
    let head = table(["File", "Change", "Class", "Reason"], &rows);
    let item = plain(item, CELL_CHARS_MAX);
    github::summarize(&[format!("### Tollgate: scope of {item}\n\n{verdict}\n\n{head}")]);
}

fn row(file: &ScopedFile) -> [String; 4] {
    let class = match file.class {
        ScopeClass::Violation => "**violation**".to_owned(),
        class => class.as_str().to_owned(),
    };
    let reason = file.reason.as_deref().unwrap_or_default();
    [
        code(&shown_path(&file.path), CELL_CHARS_MAX),
        file.change_type.as_str().to_owned(),
        class,
        plain(reason, CELL_CHARS_MAX),
    ]
}
