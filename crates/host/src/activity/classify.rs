//! Who may change what: the diff of a workspace against the role and the task.

use std::collections::BTreeMap;
use tollgate_contract::agent_output::ReplyRead;
use tollgate_contract::skill::RoleFile;
use tollgate_core::brief::Scope;
use tollgate_core::work::{Breach, ChangeType, Declaration, FileChange, ScopeClass, Scoped};
use tollgate_git::workspace::{ChangeKind, RawChange};
use tollgate_judge::globs::{PathRules, is_protected};
use tollgate_judge::scope::{self, ChangedFile, ScopeRules, ScopedFile};
use tollgate_judge::scope::{Incidental, Measure, ScopeCorrection};

/// The changes of one attempt, sorted by right.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Classified {
    pub allowed: Vec<String>,
    pub out_of_scope: Vec<FileChange>,
    /// What the work item does not list, with its reason.
    pub scoped: Vec<Scoped>,
    pub breaches: Vec<Breach>,
}

/// What the agent itself says about files outside its scope.
#[derive(Debug, Clone, Default)]
pub struct Said {
    pub incidental: Vec<Incidental>,
    pub corrections: Vec<ScopeCorrection>,
    pub summary: String,
    /// How much of each file that is declared incidental changed.
    pub measures: BTreeMap<String, Measure>,
    /// So many lines of such a file may change; none is the usual number.
    pub incidental_lines_max: Option<u32>,
}

impl Said {
    /// The declarations of a reply; corrections may also stand in the prose of its summary.
    pub fn of(read: &ReplyRead) -> Self {
        let summary = read.reply.summary.clone();
        let mut corrections = scope::corrections_in(&summary);
        let mut incidental = Vec::new();
        if let Some(result) = &read.implementor {
            incidental.extend(result.incidental.iter().flatten().cloned());
            corrections.extend(result.scope_corrections.iter().flatten().cloned());
        }
        Self { incidental, corrections, summary, ..Self::default() }
    }
}

impl Said {
    /// What was declared, for those who judge it.
    pub fn declarations(&self) -> Vec<Declaration> {
        let incidental = self.incidental.iter().map(|said| Declaration::Incidental {
            path: said.path.clone(),
            motivated_by: said.motivated_by.clone(),
            reason: said.reason.clone(),
        });
        let corrections = self.corrections.iter().map(|said| Declaration::ScopeCorrection {
            listed: said.listed.clone(),
            actual: said.actual.clone(),
            reason: said.reason.clone(),
        });
        incidental.chain(corrections).collect()
    }
}

pub fn classify(
    changes: &[RawChange],
    role: &RoleFile,
    scope: Option<&Scope>,
    said: &Said,
) -> Classified {
    let writes = rules(&role.writes);
    let mut sorted = Classified::default();
    let mut rightful = Vec::new();
    for change in changes {
        match breach(change, role, &writes) {
            Some(why) => sorted.breaches.push(Breach { path: change.path.clone(), why }),
            None => rightful.push(plain(change)),
        }
    }
    let Some(scope) = scope else {
        sorted.allowed = rightful.into_iter().map(|change| change.path).collect();
        return sorted;
    };
    let found: Vec<ChangedFile> = rightful.iter().map(|change| measured(change, said)).collect();
    let files = scope::sort_found(&scope_rules(scope, said), &found);
    for (change, file) in rightful.into_iter().zip(files) {
        if file.class == ScopeClass::Violation {
            sorted.out_of_scope.push(change);
        } else {
            sorted.allowed.push(change.path);
        }
        if !matches!(file.class, ScopeClass::Primary | ScopeClass::Test) {
            sorted.scoped.push(scoped(file, scope));
        }
    }
    sorted
}

fn scope_rules(scope: &Scope, said: &Said) -> ScopeRules {
    ScopeRules {
        in_scope: scope.in_scope.clone(),
        out_of_scope: scope.out_of_scope.clone(),
        authorized: [scope.allowed.as_slice(), &scope.named].concat(),
        incidental: said.incidental.clone(),
        corrections: said.corrections.clone(),
        summary: Some(said.summary.clone()),
        incidental_lines_max: said.incidental_lines_max,
    }
}

fn measured(change: &FileChange, said: &Said) -> ChangedFile {
    let measure = said.measures.get(&change.path).cloned();
    ChangedFile { measure, ..ChangedFile::from(change.clone()) }
}

/// What a person allowed when asked needs no mention; what they only named in passing does.
fn scoped(file: ScopedFile, scope: &Scope) -> Scoped {
    let is_allowed = file.class == ScopeClass::Authorized && scope.allowed.contains(&file.path);
    let (reason, is_told) = match file.reason {
        _ if is_allowed => ("a person allowed it for this task".to_owned(), true),
        reason => (reason.unwrap_or_default(), file.is_told),
    };
    Scoped { path: file.path, class: file.class, reason, is_told }
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
            return Some("a repository inside the workspace cannot be accepted".to_owned());
        }
        ChangeKind::UnreadablePath => {
            return Some("only files and links with plain names can be accepted".to_owned());
        }
        _ => {}
    }
    if change.symlink_escapes {
        return Some("the link points outside the workspace".to_owned());
    }
    if change.path.contains(char::is_control) {
        return Some("its name has a control character".to_owned());
    }
    if is_protected(&change.path, None) {
        return Some("no agent may change this file".to_owned());
    }
    if !writes.matches(&change.path) {
        return Some(if role.writes.is_empty() {
            "this role may not change anything outside the session folder".to_owned()
        } else {
            format!("outside the files that the role may write ({})", role.writes.join(", "))
        });
    }
    None
}

/// Both names of a rename come as changes of their own, so that each is sorted by itself.
fn plain(change: &RawChange) -> FileChange {
    let change_type = match change.kind {
        ChangeKind::Added => ChangeType::Added,
        ChangeKind::Deleted => ChangeType::Deleted,
        _ => ChangeType::Modified,
    };
    FileChange { path: change.path.clone(), change_type, old_path: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tollgate_contract::skill;
    use tollgate_core::role::Role;

    fn changed(path: &str) -> RawChange {
        let (is_symlink, symlink_escapes) = (false, false);
        RawChange { path: path.to_owned(), kind: ChangeKind::Modified, is_symlink, symlink_escapes }
    }

    #[test]
    fn r096_r099_r104_changes_are_taken_by_list_word_and_declaration_and_the_rest_is_kept_aside() {
        let changes =
            ["src/a.ts", "src/a.test.ts", "b.ts", "c.ts", "d.ts", "e.ts"].map(changed).to_vec();
        let scope = Scope {
            in_scope: vec!["src/a.ts".to_owned()],
            allowed: vec!["b.ts".to_owned()],
            named: vec!["c.ts".to_owned()],
            ..Scope::default()
        };
        let incidental = Incidental {
            path: "d.ts".to_owned(),
            reason: "its import".to_owned(),
            behaviour_preserving: true,
            motivated_by: "src/a.ts".to_owned(),
            narrow: true,
        };
        let said =
            Said { incidental: vec![incidental], summary: "done".to_owned(), ..Said::default() };
        let sorted = classify(&changes, &skill::built_in(Role::Coder), Some(&scope), &said);
        assert_eq!(sorted.allowed, ["src/a.ts", "src/a.test.ts", "b.ts", "c.ts", "d.ts"]);
        let left: Vec<&str> = sorted.out_of_scope.iter().map(|c| c.path.as_str()).collect();
        assert_eq!(left, ["e.ts"]);
        let told: Vec<(&str, bool)> =
            sorted.scoped.iter().map(|s| (s.path.as_str(), s.is_told)).collect();
        assert_eq!(told, [("b.ts", true), ("c.ts", false), ("d.ts", true), ("e.ts", false)]);
    }
}
