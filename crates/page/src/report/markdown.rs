//! The report as Markdown, for a terminal, a pull request or a wiki.

use super::text::{code, line, quote};
use super::{Report, entries};
use crate::when;
use tollgate_core::count::counted;
use tollgate_core::event::CriterionResult;
use tollgate_core::task::Check;
use tollgate_core::time::Timestamp;
use tollgate_core::view::{CriterionView, DecisionEntry, FindingView, SpendView};
use tollgate_core::work::Artefact;

pub(super) fn render(report: &Report) -> String {
    let parts = [
        head(report),
        waits(report),
        decisions(report),
        steps(report),
        tasks(report),
        criteria(report),
        findings(report),
        notes(report),
        changed(report),
        commits(report),
        checks(report),
        spend(report),
        documents(report),
        evidence(report),
    ];
    let parts: Vec<&str> =
        parts.iter().map(|part| part.trim_end()).filter(|part| !part.is_empty()).collect();
    format!("{}\n", parts.join("\n\n"))
}

/// `2026-11-19 05:49:12 UTC`.
fn moment(at: Timestamp) -> String {
    let text = at.to_string();
    format!("{} {} UTC", &text[..10], &text[11..19])
}

fn head(report: &Report) -> String {
    let view = &report.view;
    let mut rows = vec![
        ("Session", code(view.session.as_str())),
        ("Repository", line(&report.repository)),
        ("Action", format!("{} ({})", line(&view.route.action), view.route.mode)),
        ("State", format!("**{}** ({})", report.standing_words(), code(view.route.state.as_str()))),
        ("Opened", moment(view.opened_at)),
        ("Last change", moment(view.updated_at)),
        ("Took", when::span(report.until().ms_since(view.opened_at))),
        ("Cost", line(&view.costs.spend.to_string())),
    ];
    let from = view.branch.started_from.as_deref().map(|from| format!("{} at ", code(from)));
    rows.push((
        "Started from",
        format!("{}{}", from.unwrap_or_default(), code(view.branch.base.as_str())),
    ));
    if view.branch.has_accepted_work() {
        let (name, tip) = (code(&view.branch.name), code(view.branch.tip.as_str()));
        rows.push(("Branch", format!("{name} at {tip}")));
    }
    for tag in &view.branch.tags {
        rows.push(("Tag", format!("{} kept as {}", code(&tag.name), code(&tag.kept_as))));
    }
    let rows: String =
        rows.iter().map(|(name, value)| format!("- **{name}:** {value}\n")).collect();
    format!("# {}\n\n{rows}", line(entries::goal(view)))
}

fn section(title: &str, body: &str) -> String {
    if body.is_empty() { String::new() } else { format!("## {title}\n\n{body}") }
}

fn table(columns: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let rows: String =
        rows.into_iter().map(|cells| format!("| {} |\n", cells.join(" | "))).collect();
    if rows.is_empty() {
        return rows;
    }
    let rule = vec!["---"; columns.len()].join(" | ");
    format!("| {} |\n| {rule} |\n{rows}", columns.join(" | "))
}

fn listed<T: AsRef<str>>(all: impl IntoIterator<Item = T>) -> String {
    all.into_iter().map(|one| format!("- {}\n", line(one.as_ref()))).collect()
}

fn waits(report: &Report) -> String {
    let view = &report.view;
    let blocked = view.blocker.as_ref().map(|blocker| {
        let (detail, remedy) = (quote(&blocker.detail), line(&blocker.remedy));
        section(
            &format!("Blocked: {}", code(blocker.code.as_str())),
            &format!("{detail}\n{remedy}\n"),
        )
    });
    let questions = view.pending_decisions.iter().map(|asked| {
        let id = code(asked.decision_id.as_str());
        format!(
            "{id} ({}), asked {}:\n\n{}\n",
            asked.kind,
            moment(asked.asked_at),
            quote(&asked.question)
        )
    });
    let questions = section("Waits for an answer", &questions.collect::<String>());
    format!("{}\n{questions}", blocked.unwrap_or_default()).trim_start().to_owned()
}

fn decisions(report: &Report) -> String {
    let all = report.audit.decisions.iter().filter(|one| one.resolved_by.is_some());
    let all: String = all.map(decision).collect();
    section("Who decided what", &all)
}

fn decision(one: &DecisionEntry) -> String {
    let at = moment(one.resolved_at.unwrap_or(one.asked_at));
    let (id, how) = (code(one.decision_id.as_str()), entries::resolved_words(one));
    let mut text = format!("### {id}\n\n{at}, {how}.\n\n{}\n", quote(&one.question));
    if let Some(answer) = &one.answer {
        text.push_str(&format!("Answer:\n\n{}\n", quote(answer)));
    }
    if let Some(reason) = entries::new_reason(one) {
        text.push_str(&format!("Reason:\n\n{}\n", quote(reason)));
    }
    if !one.shown.is_empty() {
        let row = |file: &Artefact| format!("- {} `{}`\n", code(&file.path), file.sha256.as_str());
        let shown: String = one.shown.iter().map(row).collect();
        text.push_str(&format!("Shown, by SHA-256:\n\n{shown}\n"));
    }
    text
}

fn steps(report: &Report) -> String {
    let rows = report.view.work.dispatches.iter().map(|one| {
        let spend = &one.spend;
        vec![
            line(&one.title),
            line(one.agent.as_deref().unwrap_or_default()),
            one.outcome.to_string(),
            one.attempts.to_string(),
            when::span(spend.wall_ms),
            cost(spend),
        ]
    });
    let rows = table(&["Step", "Agent", "Outcome", "Attempts", "Time", "Cost"], rows);
    section("Steps", &rows)
}

fn cost(spend: &SpendView) -> String {
    if spend.is_known() { line(&format!("${}", spend.usd_words())) } else { "unknown".to_owned() }
}

fn tasks(report: &Report) -> String {
    let rows = report.view.work.tasks.iter().map(|task| {
        let after: Vec<String> = task.depends_on.iter().map(|id| line(&id.to_string())).collect();
        let (id, title) = (line(&task.id.to_string()), line(&task.title));
        vec![
            id,
            title,
            task.status.to_string(),
            after.join(", "),
            when::span(task.spend.wall_ms),
            cost(&task.spend),
        ]
    });
    section("Tasks", &table(&["Task", "Title", "Status", "After", "Time", "Cost"], rows))
}

fn criteria(report: &Report) -> String {
    let rows = report.view.work.criteria.iter().map(|one| {
        let proofs = one.verify.iter().map(|proof| {
            let words = match &proof.check {
                Check::Command(command) => code(command),
                Check::Manual(text) => format!("a person: {}", line(text)),
                Check::Test(path) => format!("the tests in {}", code(path)),
            };
            if proof.proves_nothing { format!("{words} (proves nothing)") } else { words }
        });
        let proofs: Vec<String> = proofs.collect();
        vec![line(&one.id), line(&one.description), proofs.join("; "), result(one)]
    });
    section("Acceptance criteria", &table(&["Id", "Criterion", "Proved by", "Result"], rows))
}

fn result(one: &CriterionView) -> String {
    match &one.result {
        None => "open".to_owned(),
        Some(CriterionResult::Met { evidence }) => format!("**met**: {}", line(evidence)),
        Some(CriterionResult::Unmet { evidence }) => format!("**not met**: {}", line(evidence)),
        Some(CriterionResult::Waived { reason }) => format!("**waived**: {}", line(reason)),
    }
}

fn findings(report: &Report) -> String {
    let rows = report.view.results.findings.iter().map(finding);
    section("Findings", &table(&["Id", "Severity", "Now", "Found by", "Where", "What"], rows))
}

fn finding(one: &FindingView) -> Vec<String> {
    let place = match (&one.file, &one.line) {
        (Some(file), Some(number)) => code(&format!("{file}:{number}")),
        (Some(file), None) => code(file),
        (None, _) => String::new(),
    };
    let (id, severity, status) = (one.id.clone(), one.severity.to_string(), one.status.to_string());
    vec![id, severity, status, one.source.to_string(), place, line(&one.message)]
}

fn notes(report: &Report) -> String {
    let record = &report.view.record;
    let risks = report.accepted_risks();
    let risks = risks.iter().map(|one| format!("{} ({}): {}", one.id, one.severity, one.message));
    let waived = report.waived().map(|(one, why)| format!("{} {}: {why}", one.id, one.description));
    let by_hand = record
        .manual_steps
        .iter()
        .map(|step| format!("{} ({}): {}", step.role, step.task, step.text));
    let notices = record.notices.iter().map(|notice| &notice.message);
    let parts = [
        section("Accepted risks", &listed(risks)),
        section("Waived criteria", &listed(waived)),
        section("Known issues", &listed(&record.known_issues)),
        section("Left to be done by hand", &listed(by_hand)),
        section("Assumptions", &listed(&record.assumptions)),
        section("Notices", &listed(notices)),
    ];
    let parts: Vec<&str> =
        parts.iter().map(|part| part.trim_end()).filter(|part| !part.is_empty()).collect();
    parts.join("\n\n")
}

fn changed(report: &Report) -> String {
    let number = |count: Option<u64>| count.map_or("?".to_owned(), |count| count.to_string());
    let files = report.changed.files.iter();
    let rows = files.map(|file| vec![code(&file.path), number(file.added), number(file.removed)]);
    let rows = table(&["File", "Added", "Removed"], rows);
    let how = match report.is_apart {
        true => String::new(),
        false => format!("\n`tollgate diff {}` prints the changes.\n", report.view.session),
    };
    section("Changed files", &if rows.is_empty() { rows } else { rows + &how })
}

fn commits(report: &Report) -> String {
    let rows = report.audit.commits.iter().map(|one| {
        let what = format!("#{} {} {}", one.dispatch, one.called, one.task);
        let files = counted(one.changes.len(), "file");
        vec![code(one.commit.as_str()), line(&what), one.outcome.to_string(), moment(one.at), files]
    });
    section("Commits", &table(&["Commit", "Made by", "Now", "When", "Files"], rows))
}

fn checks(report: &Report) -> String {
    let rows = report.audit.commands.iter().map(|one| {
        let how = if one.passed { "passed" } else { "**failed**" };
        vec![
            code(&one.command),
            line(&one.of),
            how.to_owned(),
            when::span(one.duration_ms),
            moment(one.at),
        ]
    });
    section(
        "Commands that Tollgate ran",
        &table(&["Command", "For", "Result", "Time", "When"], rows),
    )
}

fn spend(report: &Report) -> String {
    let costs = &report.view.costs;
    let row = |kind: &str, name: String, spend: &SpendView| {
        let tokens = line(&spend.tokens_words());
        vec![
            kind.to_owned(),
            line(&name),
            cost(spend),
            tokens,
            spend.attempts.to_string(),
            when::span(spend.wall_ms),
        ]
    };
    let roles =
        costs.spend_by.role.iter().map(|(role, spend)| row("role", role.to_string(), spend));
    let agents = costs.spend_by.agent.iter().map(|(name, spend)| row("agent", name.clone(), spend));
    let all = std::iter::once(row("in all", String::new(), &costs.spend));
    let rows = roles.chain(agents).chain(all);
    section("Spend", &table(&["By", "Name", "Cost", "Tokens", "Attempts", "Time"], rows))
}

fn documents(report: &Report) -> String {
    let rows = report.documents.iter().map(|one| {
        let now = match one.is_another() {
            true => format!("**{}**", one.since_words()),
            false => one.since_words().to_owned(),
        };
        vec![code(&one.path), format!("`{}`", one.sha256.as_str()), now]
    });
    section("Documents of the session", &table(&["File", "SHA-256 when recorded", "Now"], rows))
}

fn evidence(report: &Report) -> String {
    let chain = &report.chain;
    let records = counted(chain.records, "record");
    let again = match report.is_apart {
        true => "`tollgate audit --verify FILE` checks the archive again.".to_owned(),
        false => format!("`tollgate audit --verify {}` checks it again.", report.view.session),
    };
    section(
        "Evidence",
        &format!(
            "The chain of the journal was verified on {}: {records}, last hash `{}`.\n\n\
             {again}\n",
            moment(report.made_at),
            chain.last_hash
        ),
    )
}
