//! The head of a session and its tabs.

use super::{foreign, of_session, spent, standing};
use crate::when;
use maud::{Markup, html};
use tollgate_core::allowance::Allowance;
use tollgate_core::view::{Standing, View};
use tollgate_desk::{Repo, pictures};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tab {
    Overview,
    Tasks,
    Log,
    Changes,
    Evidence,
}

impl Tab {
    const ALL: [Self; 5] = [Self::Overview, Self::Tasks, Self::Log, Self::Changes, Self::Evidence];

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tab| tab.path() == name)
    }

    fn path(self) -> &'static str {
        match self {
            Self::Overview => "",
            Self::Tasks => "tasks",
            Self::Log => "log",
            Self::Changes => "changes",
            Self::Evidence => "evidence",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Overview => "Overview",
            Self::Tasks => "Tasks",
            Self::Log => "Log",
            Self::Changes => "Changes",
            Self::Evidence => "Evidence",
        }
    }

    fn count(self, view: &View, lines: usize) -> Option<usize> {
        match self {
            Self::Overview => None,
            Self::Tasks => Some(view.work.tasks.len()),
            Self::Log => Some(lines),
            Self::Changes => Some(view.results.changed_files.len()),
            Self::Evidence => Some(view.work.criteria.len()),
        }
    }
}

/// What stands above each tab.
#[derive(Debug)]
pub struct Head<'a> {
    pub repo: &'a Repo,
    pub view: &'a View,
    pub is_running: bool,
    pub limits: Allowance,
    /// Records of the journal.
    pub lines: usize,
    pub csrf: &'a str,
    /// None on a page below a tab.
    pub tab: Option<Tab>,
}

impl Head<'_> {
    pub fn link(&self, below: &str) -> String {
        of_session(&self.repo.id, self.view.session.as_str(), below)
    }

    pub fn render(&self) -> Markup {
        let Head { repo, view, .. } = self;
        html! {
            section.head #head data-live {
                h1 { (foreign(goal(view))) " " (standing(Some(view.route.standing), self.is_running)) }
                p.dim {
                    b { (foreign(&repo.name)) } " · " (view.route.action)
                    @if let Some(from) = &view.branch.started_from {
                        " · started from " code { (foreign(from)) "@" (short(view.branch.base.as_str())) }
                    }
                    " · " code { @if view.branch.has_accepted_work() { (view.branch.name) } @else { (view.session) } }
                }
                p.dim {
                    "began " (when::ago(view.opened_at, when::now()))
                    " · last event " (when::ago(view.updated_at, when::now()))
                    " · " (spent(&view.costs.spend, &self.limits))
                }
                (self.what_one_can_do())
            }
            nav.tabs aria-label="Parts of the session" #tabs data-live {
                @for (number, tab) in Tab::ALL.into_iter().enumerate() {
                    a href=(self.link(tab.path())) data-key=(number + 1) aria-current=[(self.tab == Some(tab)).then_some("page")] {
                        (tab.title())
                        @if let Some(count) = tab.count(view, self.lines) { " " span.count { (count) } }
                    }
                }
            }
        }
    }

    fn what_one_can_do(&self) -> Markup {
        let view = self.view;
        let is_left = view.route.standing == Standing::Working && !self.is_running;
        html! {
            @if is_left {
                form.inline method="post" action=(self.link("resume")) {
                    (hidden(self.csrf))
                    span { "No process runs this session. " }
                    button { "Continue it" }
                }
            }
            @if view.route.standing == Standing::Done && view.branch.has_accepted_work() {
                p { "The work is ready: " code { "tollgate merge " (view.session) } " takes it over." }
            }
            @if let Some(blocker) = &view.blocker {
                div.card.bad role="alert" {
                    b { "Blocked: " (blocker.code) }
                    p.pre { (foreign(&blocker.detail)) }
                    p.dim { (foreign(&blocker.remedy)) }
                }
            }
        }
    }

    /// The form of a new session, filled in like this one was.
    pub fn again(&self) -> Markup {
        let Head { repo, view, .. } = self;
        html! {
            @if view.route.standing.is_over() {
                form.card.inline method="get" action="/new" {
                    input type="hidden" name="repo" value=(repo.id);
                    input type="hidden" name="action" value=(view.route.action);
                    input type="hidden" name="goal" value=(view.goal);
                    button { "Run it again…" }
                    span.dim { "Opens the form of a new session with this goal. Nothing starts by it." }
                }
            }
        }
    }

    pub fn workflow(&self) -> Markup {
        html! {
            section.card #workflow data-live aria-label="Workflow" { (pictures::workflow(&self.view.route)) }
        }
    }
}

pub fn goal(view: &View) -> &str {
    match view.goal.trim() {
        "" => view.session.as_str(),
        goal => goal,
    }
}

/// The field without which no form is taken.
pub fn hidden(csrf: &str) -> Markup {
    html! { input type="hidden" name="_csrf" value=(csrf); }
}

pub fn short(commit: &str) -> &str {
    commit.get(..8).unwrap_or(commit)
}
