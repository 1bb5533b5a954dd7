//! What the command is told in files: the work item, the result, and what the owner allows.

use super::Scope;
use crate::failure::Failure;
use std::io::Read;
use std::path::Path;
use tollgate_contract::agent_output::{self, ImplementorResult, ReplyKind};
use tollgate_contract::diagnostic::Report;
use tollgate_contract::document::{self, DocumentKind};
use tollgate_contract::work_item::{self, Excluded};
use tollgate_core::limits::ARTEFACT_BYTES_MAX;
use tollgate_files as files;
use tollgate_judge::globs::PathRules;
use tollgate_judge::scope::{ScopeRules, corrections_in};

pub fn rules(command: &Scope) -> Result<ScopeRules, Failure> {
    let named = [Some(&command.work_item), command.result.as_ref(), command.authorized.as_ref()];
    if named.into_iter().flatten().filter(|path| is_standard_input(path)).count() > 1 {
        return Err(Failure::usage("cli.scope", "only one of the files can be standard input")
            .hint("give - once, and name the other files"));
    }
    let item = work_item(&command.work_item)?;
    let result = command.result.as_deref().map(result).transpose()?;
    let authorized = command.authorized.as_deref().map(authorized).transpose()?;
    let mut rules = ScopeRules {
        authorized: authorized.unwrap_or_default(),
        incidental_lines_max: Some(command.incidental_lines),
        ..item
    };
    if let Some(ImplementorResult { summary, incidental, scope_corrections, .. }) = result {
        rules.incidental = incidental.unwrap_or_default();
        rules.corrections = scope_corrections.unwrap_or_default();
        rules.corrections.extend(corrections_in(&summary));
        rules.summary = Some(summary);
    }
    Ok(rules)
}

fn work_item(path: &Path) -> Result<ScopeRules, Failure> {
    let shown = path.display().to_string();
    let (item, report) = work_item::read(&text(path, &shown)?, &shown);
    let Some(item) = item else {
        return Err(refused(format!("{shown} is not a work item with a scope"), report)
            .hint("fix the errors above; `tollgate check --as work-item` lists them too"));
    };
    let Some(task) = item.as_task() else {
        let message = format!("{shown} is a refinement item: it asks a question and has no scope");
        return Err(Failure::usage("cli.scope", message).hint("give the work item of a task"));
    };
    let excluded = |Excluded { path, owner }: &Excluded| match owner {
        Some(owner) => format!("`{path}` (owned by {owner})"),
        None => path.clone(),
    };
    Ok(ScopeRules {
        in_scope: task.in_scope.clone(),
        out_of_scope: task.out_of_scope.iter().map(excluded).collect(),
        ..ScopeRules::default()
    })
}

fn result(path: &Path) -> Result<ImplementorResult, Failure> {
    let shown = path.display().to_string();
    let bytes = bytes(path, &shown)?;
    let report = document::check(DocumentKind::ImplementorResult, &shown, &bytes);
    let read = agent_output::read_result(&bytes, ReplyKind::Implementor).ok();
    read.and_then(|read| read.implementor).filter(|_| report.is_ok()).ok_or_else(|| {
        refused(format!("{shown} is not the result of an implementor"), report)
            .hint("`tollgate schema implementor-result` describes the format")
    })
}

fn authorized(path: &Path) -> Result<Vec<String>, Failure> {
    let shown = path.display().to_string();
    let text = text(path, &shown)?;
    let lines = text.lines().map(str::trim);
    let paths: Vec<String> = lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(str::to_owned)
        .collect();
    match PathRules::new(&paths) {
        Ok(_) => Ok(paths),
        Err(bad) => {
            let bad: Vec<String> = bad.iter().map(ToString::to_string).collect();
            Err(Failure::usage("cli.scope", format!("{shown}: {}", bad.join("; ")))
                .hint("write one path per line, such as src/login.rs"))
        }
    }
}

fn text(path: &Path, shown: &str) -> Result<String, Failure> {
    String::from_utf8(bytes(path, shown)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::usage("cli.scope", format!("{shown} is not UTF-8 text: see byte {at}"))
    })
}

/// A link that a person names themselves is followed; `-` is standard input.
fn bytes(path: &Path, shown: &str) -> Result<Vec<u8>, Failure> {
    let cannot = |cause: String| {
        Failure::usage("cli.unreadable", format!("{shown} cannot be read: {cause}"))
            .hint("check the path and your permission to read it")
    };
    if is_standard_input(path) {
        let mut bytes = Vec::new();
        let input = std::io::stdin().lock().take(ARTEFACT_BYTES_MAX).read_to_end(&mut bytes);
        return input.map(|_| bytes).map_err(|cause| cannot(cause.to_string()));
    }
    let real = path.canonicalize().map_err(|cause| cannot(cause.to_string()))?;
    files::read_bounded(&real, ARTEFACT_BYTES_MAX).map_err(|error| cannot(error.to_string()))
}

fn is_standard_input(path: &Path) -> bool {
    path == Path::new("-")
}

fn refused(message: String, report: Report) -> Failure {
    Failure { report: Some(report), ..Failure::usage("cli.scope", message) }
}
