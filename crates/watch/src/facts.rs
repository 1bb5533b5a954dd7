//! Texts about a session: what a person needs to answer a question, findings, criteria, a task.

use crate::doc::Doc;
use crate::paint::Ink;
use crate::seen::Seen;
use crate::text::one_line;
use crate::{session, when};
use jiff::tz::TimeZone;
use tollgate_core::count::counted;
use tollgate_core::decision::DecisionKind;
use tollgate_core::event::{CriterionResult, FindingStatus};
use tollgate_core::id::TaskRef;
use tollgate_core::task::Check;
use tollgate_core::view::{
    CriterionView, FindingView, ProofView, QuestionView, Since, TaskView, View,
};
use tollgate_desk::LogLine;

/// So many of the last runs of checks are shown.
const CHECKS: usize = 6;
/// The same of what was noted, such as files out of scope.
const NOTICES: usize = 4;

/// What a person must know before they answer.
pub fn question(seen: &Seen, asked: &QuestionView) -> Doc {
    let view = &seen.view;
    let mut doc = Doc::default();
    // What an approval lists below its question is told in its own parts; the whole text is what is on record.
    let first = asked.question.lines().next().unwrap_or_default();
    let has_more = first.len() < asked.question.trim_end().len();
    let is_shortened = asked.kind == DecisionKind::Approve && has_more;
    doc.quote(Ink::Plain, if is_shortened { first } else { &asked.question });
    changed(&mut doc, asked);
    doc.head("What it cost so far").item(Ink::Plain, "", &view.costs.spend.to_string());
    open_findings(&mut doc, view);
    checks(&mut doc, view);
    if !view.work.criteria.is_empty() {
        doc.head("Acceptance criteria and what proves them");
        criteria(&mut doc, &view.work.criteria);
    }
    notes(&mut doc, view);
    if !asked.shown.is_empty() {
        doc.head("The files that you are asked about (v opens them)");
        for file in &asked.shown {
            let mark = if file.is_new {
                "new "
            } else if file.has_changed() {
                "changed "
            } else {
                ""
            };
            doc.item(Ink::Plain, mark, below(view, &file.path));
        }
    }
    if is_shortened {
        doc.head("The whole question, as it is on record").quote(Ink::Plain, &asked.question);
    }
    doc
}

/// The name of a file as short as it can be.
pub fn below<'a>(view: &View, path: &'a str) -> &'a str {
    path.strip_prefix(view.folder.as_str()).unwrap_or(path)
}

fn changed(doc: &mut Doc, asked: &QuestionView) {
    let files = asked.shown.iter().filter(|file| file.has_changed()).count();
    let mut words = Vec::new();
    if files > 0 {
        let count = counted(files as u64, "file");
        words.push(format!("{count} changed since you were last asked"));
    }
    if let Some(code) = asked.code.as_ref().filter(|code| code.from != code.to) {
        words.push(match code.since {
            Since::LastRound => "the code changed since you were last asked".to_owned(),
            Since::Task => "there is work of this task".to_owned(),
            Since::Session => "there is work of the session".to_owned(),
            Since::Attempt => "work waits for your decision; it is not accepted yet".to_owned(),
        });
    }
    if !words.is_empty() {
        doc.head("What changed (d shows it)");
        for one in words {
            doc.item(Ink::Note, "", &one);
        }
    }
}

fn open_findings(doc: &mut Doc, view: &View) {
    let open: Vec<&FindingView> =
        view.results.findings.iter().filter(|one| one.status == FindingStatus::Open).collect();
    match open.is_empty() {
        true => {
            doc.head("Findings").item(Ink::Plain, "", "none open");
        }
        false => {
            doc.head("Open findings");
            open.iter().for_each(|one| finding(doc, one));
        }
    }
}

fn finding(doc: &mut Doc, one: &FindingView) {
    use tollgate_core::reply::Severity;
    let ink = match (one.status, one.severity) {
        (FindingStatus::Open, Severity::Critical | Severity::High) => Ink::Bad,
        (FindingStatus::Open, Severity::Medium) => Ink::Warning,
        (FindingStatus::Open, Severity::Low) => Ink::Note,
        _ => Ink::Dim,
    };
    let place = match (&one.file, &one.line) {
        (Some(file), Some(line)) => format!(" {}:{}", one_line(file), one_line(line)),
        (Some(file), None) => format!(" {}", one_line(file)),
        (None, _) => String::new(),
    };
    doc.item(
        ink,
        "",
        &format!("{} {} · {} · {}{place}", one.id, one.severity, one.status, one.source),
    );
    doc.quote(Ink::Plain, &one.message);
}

pub fn findings(view: &View) -> Doc {
    let mut all: Vec<&FindingView> = view.results.findings.iter().collect();
    all.sort_by_key(|one| one.status != FindingStatus::Open);
    let mut doc = Doc::default();
    if all.is_empty() {
        doc.say(Ink::Dim, "Nothing was found so far.");
    }
    for one in all {
        if !doc.is_empty() {
            doc.blank();
        }
        finding(&mut doc, one);
    }
    doc
}

fn checks(doc: &mut Doc, view: &View) {
    let all = &view.work.checks;
    let last = &all[all.len().saturating_sub(CHECKS)..];
    if last.is_empty() {
        return;
    }
    doc.head("The last checks");
    for one in last {
        let (ink, word) = match one.passed {
            None => (Ink::Note, "runs    "),
            Some(true) => (Ink::Good, "✓ passed "),
            Some(false) => (Ink::Bad, "✗ failed "),
        };
        doc.item(ink, word, &format!("{}: {}", one.of, one.commands.join(" ; ")));
    }
}

fn criteria(doc: &mut Doc, all: &[CriterionView]) {
    for one in all {
        let (ink, word) = match &one.result {
            None => (Ink::Plain, ""),
            Some(CriterionResult::Met { .. }) => (Ink::Good, "✓ met "),
            Some(CriterionResult::Unmet { .. }) => (Ink::Bad, "✗ not met "),
            Some(CriterionResult::Waived { .. }) => (Ink::Warning, "waived "),
        };
        doc.item(ink, word, &format!("{}: {}", one.id, one.description));
        if one.verify.is_empty() {
            doc.item(Ink::Bad, "    ", "nothing proves it");
        }
        for proof in &one.verify {
            let ink = if proof.proves_nothing { Ink::Bad } else { Ink::Dim };
            doc.item(ink, "    ", &proved_by(proof));
        }
        match &one.result {
            Some(CriterionResult::Met { evidence } | CriterionResult::Unmet { evidence }) => {
                doc.item(Ink::Dim, "    ", evidence);
            }
            Some(CriterionResult::Waived { reason }) => {
                doc.item(Ink::Dim, "    ", reason);
            }
            None => {}
        }
    }
}

fn proved_by(proof: &ProofView) -> String {
    let nothing = if proof.proves_nothing { "proves nothing: " } else { "" };
    match &proof.check {
        Check::Command(command) => format!("{nothing}`{command}`"),
        Check::Manual(words) => format!("{nothing}you: {words}"),
        Check::Test(path) => format!("{nothing}the tests in {path}"),
    }
}

pub fn all_criteria(view: &View) -> Doc {
    let mut doc = Doc::default();
    match view.work.criteria.is_empty() {
        true => {
            doc.say(Ink::Dim, "There are no acceptance criteria yet.");
        }
        false => criteria(&mut doc, &view.work.criteria),
    }
    checks(&mut doc, view);
    notes(&mut doc, view);
    doc
}

fn notes(doc: &mut Doc, view: &View) {
    let record = &view.record;
    let from = record.notices.len().saturating_sub(NOTICES);
    let parts: [(&str, Vec<&str>); 4] = [
        ("Assumptions", record.assumptions.iter().map(String::as_str).collect()),
        ("Known issues", record.known_issues.iter().map(String::as_str).collect()),
        ("Left to you", record.manual_steps.iter().map(|step| step.text.as_str()).collect()),
        ("Notices", record.notices[from..].iter().map(|notice| notice.message.as_str()).collect()),
    ];
    for (title, texts) in parts {
        if !texts.is_empty() {
            doc.head(title);
            for text in texts {
                doc.item(Ink::Plain, "", text);
            }
        }
    }
}

pub fn task(seen: &Seen, one: &TaskView) -> Doc {
    let (ink, mark, word) = session::standing_of(one.status);
    let mut doc = Doc::default();
    doc.say(ink, format!("{mark} {word}"));
    doc.quote(Ink::Plain, &one.title);
    if !one.depends_on.is_empty() {
        let names: Vec<String> = one.depends_on.iter().map(ToString::to_string).collect();
        doc.head("Comes after").item(Ink::Plain, "", &names.join(", "));
    }
    doc.head("What it cost so far").item(Ink::Plain, "", &one.spend.to_string());
    let of_it = TaskRef::Task(one.id.clone());
    let dispatches = seen.view.work.dispatches.iter().filter(|found| found.task == of_it);
    doc.head("Who worked on it");
    for found in dispatches {
        let time = when::span(found.spend.wall_ms);
        let agent = found.agent.as_deref().unwrap_or("nobody yet");
        doc.item(
            Ink::Plain,
            "",
            &format!("{} · {agent} · {} · {time}", found.title, found.outcome),
        );
        if let Some(why) = &found.last_failure {
            doc.item(Ink::Warning, "    ", why);
        }
    }
    doc
}

pub fn log(lines: &[LogLine], zone: &TimeZone) -> Doc {
    let mut doc = Doc::default();
    for line in lines {
        log_line(&mut doc, line, zone);
    }
    doc
}

pub fn log_line(doc: &mut Doc, line: &LogLine, zone: &TimeZone) {
    let ink = match line.tone.into() {
        Ink::Strong => Ink::Plain,
        ink => ink,
    };
    let text = format!("{} {:>8} {}", when::clock(line.at, zone), line.mark, one_line(&line.text));
    doc.say(ink, text);
}

/// The title of an output: who it is, and how it is.
pub fn output_title(seen: &Seen, number: tollgate_core::id::DispatchNumber) -> String {
    let Some(one) = seen.dispatch(number) else {
        return format!("Output of dispatch {number}");
    };
    let agent = one.agent.as_deref().map(|agent| format!(" · {agent}")).unwrap_or_default();
    format!("Output of {}{agent} · {}", one.title, one.outcome)
}
