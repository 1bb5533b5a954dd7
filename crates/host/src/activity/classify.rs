//! Who may change what: the diff of a workspace against the role and the task.

use crate::workspace::{ChangeKind, RawChange};
use tollgate_contract::globs::{PathRules, beside_tests, is_protected};
use tollgate_contract::skill::RoleFile;
use tollgate_core::brief::Scope;
use tollgate_core::work::{Breach, ChangeType, FileChange};

/// The changes of one attempt, sorted by right.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Classified {
    pub allowed: Vec<String>,
    pub out_of_scope: Vec<FileChange>,
    pub breaches: Vec<Breach>,
}

pub fn classify(changes: &[RawChange], role: &RoleFile, scope: Option<&Scope>) -> Classified {
    let writes = rules(&role.writes);
    let scope = scope.map(|scope| [scope.in_scope.as_slice(), &scope.allowed].concat());
    let scope_rules = scope.as_deref().map(rules);
    let mut sorted = Classified::default();
    for change in changes {
        if let Some(why) = breach(change, role, &writes) {
            sorted.breaches.push(Breach { path: change.path.clone(), why });
            continue;
        }
        let in_scope = match (&scope_rules, &scope) {
            (Some(rules), Some(patterns)) => {
                rules.matches(&change.path) || beside_tests(patterns, &change.path)
            }
            _ => true,
        };
        if in_scope {
            sorted.allowed.push(change.path.clone());
        } else {
            sorted.out_of_scope.push(FileChange {
                path: change.path.clone(),
                change_type: change_type(change.kind),
                old_path: None,
            });
        }
    }
    sorted
}

/// Patterns that do not read as globs match nothing: a bad pattern never widens what is allowed.
fn rules(patterns: &[String]) -> PathRules {
    let good: Vec<&String> =
        patterns.iter().filter(|pattern| PathRules::new(&[pattern]).is_ok()).collect();
    PathRules::new(&good).unwrap_or_default()
}

fn breach(change: &RawChange, role: &RoleFile, writes: &PathRules) -> Option<String> {
    match change.kind {
        ChangeKind::NestedRepository => {
            return Some("a repository inside the workspace cannot be taken over".to_owned());
        }
        ChangeKind::UnreadablePath => {
            return Some("only files and links with plain names can be taken over".to_owned());
        }
        _ => {}
    }
    if change.symlink_escapes {
        return Some("the link leads out of the workspace".to_owned());
    }
    if is_protected(&change.path, None) {
        return Some("no agent may change this file".to_owned());
    }
    if !writes.matches(&change.path) {
        return Some(if role.writes.is_empty() {
            "this role changes nothing outside the session folder".to_owned()
        } else {
            format!("outside of what the role may write ({})", role.writes.join(", "))
        });
    }
    None
}

fn change_type(kind: ChangeKind) -> ChangeType {
    match kind {
        ChangeKind::Added => ChangeType::Added,
        ChangeKind::Deleted => ChangeType::Deleted,
        _ => ChangeType::Modified,
    }
}
