//! Takes secrets out of what an attempt said, before it becomes an event. The logs are clean already, as bytes; but
//! reading JSON undoes escapes, and a fault quotes the files that it is about.

use serde_json::Value;
use tollgate_core::given::GivenFiles;
use tollgate_core::reply::{Reply, ReplyError, ReportedFinding};
use tollgate_core::work::{CheckResult, Declaration, DispatchEnd, SetAside, Work};
use tollgate_files::redact::Redactor;

pub fn end(redactor: &Redactor, end: &mut DispatchEnd) {
    match end {
        DispatchEnd::Replied { reply, work } => {
            clean_reply(redactor, reply);
            clean_work(redactor, work);
        }
        DispatchEnd::MissingOutput { paths, findings } => {
            paths.iter_mut().for_each(|path| text(redactor, path));
            clean_findings(redactor, findings);
        }
        DispatchEnd::Invalid { errors, findings } => {
            errors.iter_mut().for_each(|error| fault(redactor, error));
            clean_findings(redactor, findings);
        }
        DispatchEnd::MissingContext { errors } => {
            errors.iter_mut().for_each(|error| fault(redactor, error));
        }
        DispatchEnd::Crashed { stderr_tail: words, .. }
        | DispatchEnd::CouldNotStart { cause: words, .. }
        | DispatchEnd::MissingRole { detail: words, .. }
        | DispatchEnd::PermissionRefused { detail: words }
        | DispatchEnd::Unavailable { detail: words }
        | DispatchEnd::Limited { detail: words }
        | DispatchEnd::Parked { no_time: Some(words), .. }
        | DispatchEnd::UsedUp { detail: words } => text(redactor, words),
        DispatchEnd::TimedOut { .. }
        | DispatchEnd::OutputLimit { .. }
        | DispatchEnd::Silent { .. }
        | DispatchEnd::Parked { .. }
        | DispatchEnd::Stopped
        | DispatchEnd::Unsupervised { .. }
        | DispatchEnd::Interrupted { .. } => {}
    }
}

/// What a check says of its own quotes the documents that it is about.
pub fn results(redactor: &Redactor, results: &mut [CheckResult]) {
    for result in results {
        text(redactor, &mut result.output_tail);
        if let Some(trouble) = &mut result.trouble {
            text(redactor, trouble);
        }
        for name in result.only_in_workspace.iter_mut().flatten() {
            text(redactor, name);
        }
    }
}

/// The bytes of a reply as they are kept: as given where nothing secret shows when it is read.
pub fn reply_bytes(redactor: &Redactor, bytes: &[u8]) -> Vec<u8> {
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else {
        return redactor.redact_bytes(bytes);
    };
    let clean = redactor.redact_json(value.clone());
    if clean == value { bytes.to_vec() } else { clean.to_string().into_bytes() }
}

fn clean_reply(redactor: &Redactor, reply: &mut Reply) {
    text(redactor, &mut reply.summary);
    let looks = &mut reply.looks.security;
    let verified = &mut reply.verified_criteria;
    let texts = [&mut reply.notes, &mut reply.commands, &mut reply.manual_steps, looks, verified];
    for words in texts.into_iter().flatten() {
        text(redactor, words);
    }
    let notes = reply.earlier.iter_mut().filter_map(|word| word.note.as_mut());
    notes.chain(&mut reply.recommended_why).for_each(|words| text(redactor, words));
    for asked in &mut reply.questions {
        text(redactor, &mut asked.question);
        for words in asked.options.iter_mut().chain(&mut asked.recommended) {
            text(redactor, words);
        }
    }
    clean_findings(redactor, &mut reply.findings);
}

fn clean_findings(redactor: &Redactor, findings: &mut [ReportedFinding]) {
    for finding in findings {
        text(redactor, &mut finding.category);
        text(redactor, &mut finding.message);
        for words in [&mut finding.file, &mut finding.line, &mut finding.fix].into_iter().flatten()
        {
            text(redactor, words);
        }
    }
}

/// Paths of changes stay: they are looked up again.
fn clean_work(redactor: &Redactor, work: &mut Work) {
    for weakened in &mut work.code.weakened {
        text(redactor, &mut weakened.message);
    }
    for scoped in &mut work.left_out.scoped {
        text(redactor, &mut scoped.reason);
    }
    for declared in &mut work.left_out.declared {
        let (Declaration::Incidental { path: one, motivated_by: other, reason }
        | Declaration::ScopeCorrection { listed: one, actual: other, reason }) = declared;
        [one, other, reason].into_iter().for_each(|words| text(redactor, words));
    }
    for breach in &mut work.left_out.breaches {
        text(redactor, &mut breach.path);
        text(redactor, &mut breach.why);
    }
}

/// A path may hold what somebody typed.
pub fn given(redactor: &Redactor, given: &mut GivenFiles) {
    given.files.iter_mut().for_each(|path| text(redactor, path));
    text(redactor, &mut given.role_file.path);
}

pub fn set_aside(redactor: &Redactor, set_aside: &mut [SetAside]) {
    for large in set_aside {
        text(redactor, &mut large.path);
        text(redactor, &mut large.kept);
    }
}

fn fault(redactor: &Redactor, error: &mut ReplyError) {
    text(redactor, &mut error.path);
    text(redactor, &mut error.message);
}

fn text(redactor: &Redactor, words: &mut String) {
    if let std::borrow::Cow::Owned(clean) = redactor.redact(words) {
        *words = clean;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use tollgate_core::reply::{ReportedFinding, Severity};
    use tollgate_core::work::{Breach, CodeWork, LeftOut};

    #[test]
    fn r083_an_escape_hides_no_secret_from_the_record() {
        let redactor = Redactor::new(["hunter2-hunter2"]);
        let reply = br#"{"summary":"ask bob\u0040example.com for hunter\u0032-hunter2"}"#;
        let kept = String::from_utf8(reply_bytes(&redactor, reply)).unwrap();
        assert_eq!(kept, r#"{"summary":"ask [e-mail] for [redacted]"}"#);
        let plain = br#"{ "summary": "nothing  secret" }"#;
        assert_eq!(reply_bytes(&redactor, plain), plain, "kept as it was given");
    }

    #[test]
    fn r083_a_fault_quotes_no_secret() {
        let redactor = Redactor::new(["hunter2-hunter2"]);
        let fault =
            ReplyError::new("work.not_allowed", "tasks.yaml:3", "\"hunter2-hunter2\" is no status");
        let mut found = DispatchEnd::invalid(vec![fault]);
        end(&redactor, &mut found);
        assert!(!format!("{found:?}").contains("hunter2"), "{found:?}");
    }

    #[test]
    fn r083_nothing_that_quotes_a_file_quotes_a_secret() {
        let redactor = Redactor::new(["hunter2-hunter2"]);
        let secret = || "a hunter2-hunter2 b".to_owned();
        let finding = ReportedFinding {
            severity: Severity::Medium,
            category: secret(),
            file: Some(secret()),
            line: None,
            message: secret(),
            fix: None,
            is_nit: false,
        };
        let weakened = ReportedFinding {
            category: String::new(),
            file: Some("tests/a.rs".to_owned()),
            ..finding.clone()
        };
        let work = Work {
            code: CodeWork { weakened: vec![weakened], ..CodeWork::default() },
            left_out: LeftOut {
                breaches: vec![Breach { path: secret(), why: secret() }],
                ..LeftOut::default()
            },
            ..Work::default()
        };
        let reply: Reply = serde_json::from_value(serde_json::json!({
            "status": "OK", "summary": "done"
        }))
        .unwrap();
        let reply = Reply { findings: vec![finding.clone()], ..reply };
        let mut ends = [
            DispatchEnd::Replied { reply: Box::new(reply), work: Box::new(work) },
            DispatchEnd::MissingOutput { paths: vec![secret()], findings: vec![finding.clone()] },
            DispatchEnd::Invalid { errors: Vec::new(), findings: vec![finding] },
        ];
        ends.iter_mut().for_each(|found| end(&redactor, found));
        assert!(!format!("{ends:?}").contains("hunter2"), "{ends:?}");
    }

    #[test]
    fn r083_a_check_quotes_no_secret() {
        let redactor = Redactor::new(["hunter2-hunter2"]);
        let mut found = [CheckResult {
            command: "planning".to_owned(),
            passed: false,
            exit_code: None,
            trouble: Some("hunter2-hunter2 is no number".to_owned()),
            output_tail: "spec.md:3: hunter2-hunter2 is no status".to_owned(),
            duration_ms: 0,
            coverage: None,
            failed_on_base: false,
            could_not_start: false,
            only_in_workspace: None,
        }];
        results(&redactor, &mut found);
        assert!(!format!("{found:?}").contains("hunter2"), "{found:?}");
    }
}
