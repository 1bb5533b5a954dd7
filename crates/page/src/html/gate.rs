//! A question with all that a person needs to answer it, and only then the buttons.

use super::code::{self, Margin};
use super::session::{Head, hidden};
use super::{evidence, foreign, foreign_line, overview, spent};
use crate::comments::Comment;
use crate::diff::FileDiff;
use crate::{diff, markdown, when};
use maud::{Markup, html};
use tollgate_core::answer::{AnswerOption, ApproveWay, NeedsWords, Way};
use tollgate_core::decision::DecisionKind;
use tollgate_core::event::FindingStatus;
use tollgate_core::view::{ChecksView, FindingView, QuestionView, ShownFile};
use tollgate_desk::Refused;
use tollgate_files::sanitize::visible_name;
use tollgate_host::changes::Change;

/// So many of the last runs of checks are shown.
const CHECKS: usize = 6;
/// The same of what was noted, such as files out of scope.
const NOTICES: usize = 4;

#[derive(Debug)]
pub struct Gate<'a> {
    pub head: &'a Head<'a>,
    pub question: &'a QuestionView,
    pub changes: &'a [Change],
    /// The files that were shown, with what is in them now.
    pub files: &'a [(ShownFile, Option<String>)],
    pub margin: Margin<'a>,
    /// What the person wrote, where their answer was refused, and why it was.
    pub words: &'a str,
    pub refused: Option<&'a Refused>,
}

/// An answer to a question that is open no more, with its words, which are in no form now.
pub fn unheard(refused: &Refused, words: &str) -> Markup {
    nothing_recorded(refused, words)
}

fn nothing_recorded(refused: &Refused, words: &str) -> Markup {
    html! {
        div.card.bad role="alert" #refused {
            b { "Nothing was recorded" }
            p.pre { (foreign(&refused.message)) }
            @for hint in &refused.hints { p.dim { (foreign(hint)) } }
            @if !words.is_empty() { p.dim { "What you wrote:" } p.pre { (foreign(words)) } }
        }
    }
}

impl Gate<'_> {
    pub fn render(&self) -> Markup {
        let question = self.question;
        let key = format!("{}:{}", question.decision_id, question.round);
        let title = format!("q-{}", question.decision_id);
        html! {
            section.card.gate id={ "gate-" (question.decision_id) } data-live data-key=(key) aria-labelledby=(title) {
                p.dim { span."badge wait" { "your turn" } " " (question.decision_id) " · " (question.kind)
                    " · asked " (when::ago(question.asked_at, when::now()))
                    @if question.round > 1 { " · round " (question.round) } }
                (self.question(&title))
                (self.facts())
                (self.changed())
                @if !self.head.view.work.criteria.is_empty() && question.kind == DecisionKind::Approve {
                    h3 { "Acceptance criteria and what proves them" }
                    (evidence::criteria(self.head.view))
                }
                (self.artefacts())
                (self.answer())
            }
        }
    }

    /// What a gate lists below its question is shown as tables; the whole text is what is on record.
    fn question(&self, title: &str) -> Markup {
        let text = self.question.question.trim_end();
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        html! {
            h2.question id=(title) { (foreign(first)) }
            @if self.question.kind == DecisionKind::Approve && !rest.is_empty() {
                details { summary.dim { "The whole question as it is on record" } p.pre { (foreign(text)) } }
            } @else if !rest.is_empty() {
                p.pre { (foreign(rest)) }
            }
        }
    }

    /// The name of a file as short as it can be.
    fn name<'p>(&self, path: &'p str) -> &'p str {
        let below = path.strip_prefix(self.head.view.folder.as_str());
        below.map_or(path, |rest| rest.trim_start_matches('/'))
    }

    fn facts(&self) -> Markup {
        let view = self.head.view;
        let open: Vec<&FindingView> =
            view.results.findings.iter().filter(|one| one.status == FindingStatus::Open).collect();
        html! {
            dl.kv {
                @for option in self.question.options.iter().filter(|one| is_approval(one)) {
                    dt { "If you approve" } dd { (with_code(&option.consequence)) }
                }
                @for change in self.changes { dt { "Changed" } dd { (sizes(&diff::files(&change.patch))) } }
                dt { "Spent so far" } dd { (spent(&view.costs.spend, &self.head.limits)) }
                @for assumption in &view.record.assumptions { dt { "Assumption" } dd { (foreign(assumption)) } }
                @for issue in &view.record.known_issues { dt { "Known issue" } dd { (foreign(issue)) } }
                @for notice in view.record.notices.iter().rev().take(NOTICES) {
                    dt { "Notice" } dd { (foreign(&notice.message)) }
                }
                @if open.is_empty() { dt { "Findings" } dd { "none open" } }
            }
            @if !open.is_empty() { h3 { "Open findings" } (overview::table(&open)) }
            (checks(&view.work.checks))
        }
    }

    fn changed(&self) -> Markup {
        html! {
            @for change in self.changes {
                h3 { (foreign(&sentence(&change.what.title()))) }
                (code::diff(&diff::files(&change.patch), Some(&self.margin)))
            }
        }
    }

    fn artefacts(&self) -> Markup {
        html! {
            @if !self.files.is_empty() { h3 { "The files that you are asked about" } }
            @for (file, text) in self.files { (self.artefact(file, text.as_deref())) }
        }
    }

    fn artefact(&self, file: &ShownFile, text: Option<&str>) -> Markup {
        let name = self.name(&file.path);
        let is_commented = self.margin.comments.iter().any(|one| one.file == name);
        let is_open = self.margin.is_open_in(name) && !self.is_in_a_change();
        let is_markdown = file.path.ends_with(".md");
        html! {
            details.file open[is_open || is_commented || self.question.shown.len() == 1] {
                summary {
                    code title=(visible_name(&file.path)) { (foreign(name)) }
                    @if file.is_new { " " span.badge { "new" } } @else if file.has_changed() { " " span.badge { "changed" } }
                    @if is_commented { " " span.badge { "with your comments" } }
                }
                @match text {
                    None => p.dim { "It cannot be shown: it is gone, or too large." },
                    Some(text) if is_markdown && text.len() <= markdown::BYTES_MAX => {
                        div.md { (markdown::render(text)) }
                        details open[is_open || is_commented] {
                            summary { "Lines, to comment on" }
                            (code::source(name, text, Some(&self.margin)))
                        }
                    },
                    Some(text) => (code::source(name, text, Some(&self.margin))),
                }
            }
        }
    }

    /// The form of a line stands where the line is seen first.
    fn is_in_a_change(&self) -> bool {
        let Some(spot) = self.margin.open else { return false };
        let in_patch =
            |change: &Change| diff::files(&change.patch).iter().any(|file| file.path == spot.file);
        self.changes.iter().any(in_patch)
    }

    fn answer(&self) -> Markup {
        let question = self.question;
        let words = format!("words-{}", question.decision_id);
        let takes_words = question.options.iter().any(|one| one.needs_words != NeedsWords::No);
        html! {
            form.answer method="post" action=(self.head.link("answer")) {
                (hidden(self.head.csrf))
                input type="hidden" name="decision" value=(question.decision_id);
                input type="hidden" name="round" value=(question.round);
                (self.comments())
                @if let Some(refused) = self.refused { (nothing_recorded(refused, "")) }
                @if takes_words {
                    label for=(words) { "Your words" }
                    textarea id=(words) name="words" rows="4" maxlength="60000" data-draft=(format!("{}:{}:{}:{}", self.head.repo.id, self.head.view.session, question.decision_id, question.round)) {
                        (self.words)
                    }
                }
                div.options { @for one in ordered(question) { (option(one)) } }
            }
        }
    }

    fn comments(&self) -> Markup {
        let comments = self.margin.comments;
        html! {
            @if !comments.is_empty() {
                h3 { "Your comments, which go along with your words" }
                ul.comments { @for Comment { file, line, text, .. } in comments {
                    li { code { (foreign(file)) ":" (line.unsigned_abs()) } " " span.pre { (foreign(text)) } }
                } }
            }
        }
    }
}

/// The files of a change, with how many lines came and went.
fn sizes(files: &[FileDiff]) -> Markup {
    html! {
        @for (at, file) in files.iter().enumerate() {
            @if at > 0 { ", " }
            code { (foreign(&file.path)) } " " span.plus { "+" (file.added) } " " span.minus { "−" (file.removed) }
        }
    }
}

fn checks(all: &[ChecksView]) -> Markup {
    let last: Vec<&ChecksView> = all.iter().rev().take(CHECKS).collect();
    html! {
        @if !last.is_empty() {
            h3 { "Checks" }
            ol.log { @for one in last {
                li.rule {
                    span { (foreign_line(&one.of)) } " " code { (foreign_line(&one.commands.join(" ; "))) } span.dots {}
                    @match one.passed {
                        None => span.badge { "runs" },
                        Some(true) => span."badge ok" { "passed" },
                        Some(false) => span."badge bad" { "failed" },
                    }
                }
            } }
        }
    }
}

/// What lets the work through comes last.
fn ordered(question: &QuestionView) -> Vec<&AnswerOption> {
    let mut options: Vec<&AnswerOption> = question.options.iter().collect();
    options.sort_by_key(|option| is_approval(option));
    options
}

fn is_approval(option: &AnswerOption) -> bool {
    option.id == ApproveWay::Approved.id()
}

fn option(one: &AnswerOption) -> Markup {
    let class = if is_approval(one) { "go" } else { "" };
    html! {
        div.option {
            button type="submit" name="answer" value=(keyword(one)) class=(class) { (foreign_line(&one.label)) }
            div.dim {
                code { (foreign_line(&one.answer)) }
                @if one.recommended { " " span.badge { "recommended" } }
                @if one.needs_words == NeedsWords::Required { " · needs your words" }
                div { (with_code(&one.consequence)) }
            }
        }
    }
}

/// What is sent for an option; empty where the person's words are all of the answer.
pub fn keyword(option: &AnswerOption) -> &str {
    option.typed().unwrap_or_default().trim_end_matches(':')
}

/// What stands between backticks is code.
fn with_code(text: &str) -> Markup {
    html! {
        @for (index, part) in text.split('`').enumerate() {
            @if index % 2 == 1 { code { (foreign(part)) } } @else { (foreign(part)) }
        }
    }
}

fn sentence(words: &str) -> String {
    let mut chars = words.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
