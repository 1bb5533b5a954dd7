//! What a dispatch at RELEASE is told and held to: the release itself, and what the report must name.

use crate::event::{CriterionResult, FindingStatus};
use crate::finding::Finding;
use crate::proof::one_line;
use crate::role::{Role, State, spelled};
use crate::session::{Dispatch, Session};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The rules of a dispatch at RELEASE.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Release {
    /// What report.md must name.
    pub points: Vec<ReportPoint>,
    /// The session has changed a README already.
    pub is_readme_changed: bool,
}

/// One thing that the report must name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportPoint {
    /// By which the report may name it: `KI-1`, `F-2`, `AC-3`, `MS-1`, or a tag.
    pub id: String,
    pub kind: PointKind,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PointKind {
    KnownIssue,
    AcceptedRisk,
    TrackedFinding,
    WaivedCriterion,
    ManualStep,
    Tag,
}

spelled!(PointKind {
    KnownIssue = "known issue",
    AcceptedRisk = "accepted risk",
    TrackedFinding = "tracked finding",
    WaivedCriterion = "waived criterion",
    ManualStep = "manual step",
    Tag = "tag",
});

impl Session {
    /// The rules of a release, where the dispatch plays a step of RELEASE.
    pub(super) fn release_for(&self, dispatch: &Dispatch) -> Option<Release> {
        let at = dispatch.part_index()?;
        let step = self.route.steps.get(at.step)?;
        if step.state != State::Release {
            return None;
        }
        let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_lowercase();
        let mut changed = self.branch.changed.iter().map(|change| name(&change.path));
        Some(Release {
            points: self.report_points(),
            is_readme_changed: changed.any(|name| name.starts_with("readme")),
        })
    }

    /// What is told about a release in the constraints.
    pub(super) fn release_words(&self, dispatch: &Dispatch) -> Vec<String> {
        let Some(release) = self.release_for(dispatch) else {
            return Vec::new();
        };
        match dispatch.role {
            Role::Integrator => vec![
                "release: this is the release of the finished work, not its integration".to_owned(),
                "release: raise the version and complete the changelog where the project keeps them, by its own custom; without a custom change nothing".to_owned(),
                "release: if the project tags its releases, make the tag here with `git tag NAME` and nothing else; Tollgate keeps its name for the last commit of the session, and a person pushes it".to_owned(),
                "release: the tags of the repository are in your clone; never move or delete one".to_owned(),
            ],
            Role::Docs => {
                let words = |point: &ReportPoint| {
                    format!("report.md names {}, a {}: {}", point.id, point.kind, point.text)
                };
                release.points.iter().map(words).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Everything that a person must learn from the report, as it is known now.
    pub fn report_points(&self) -> Vec<ReportPoint> {
        let mut points: Vec<ReportPoint> = self.settled_findings().map(of_finding).collect();
        for (at, text) in self.record.known_issues.iter().enumerate() {
            // What was accepted of a finding is named with the finding.
            if !self.settled_findings().any(|finding| text.contains(&finding.report.in_words())) {
                points.push(point(format!("KI-{}", at + 1), PointKind::KnownIssue, text));
            }
        }
        for criterion in &self.plan.criteria {
            let result = self.plan.criteria_results.get(&criterion.id);
            if let Some(CriterionResult::Waived { reason }) = result {
                let text = format!("{} (waived: {reason})", criterion.description);
                points.push(point(criterion.id.clone(), PointKind::WaivedCriterion, &text));
            }
        }
        for (at, step) in self.record.manual_steps.iter().enumerate() {
            let dispatch = &self.dispatches[&step.dispatch];
            // What Docs leaves itself is looked for in its report when it replies.
            if dispatch.role != Role::Docs {
                let (who, task) = (self.name_of(dispatch), &dispatch.task);
                let text = format!("a step that {who} ({task}) leaves to a person: {}", step.text);
                points.push(point(format!("MS-{}", at + 1), PointKind::ManualStep, &text));
            }
        }
        let tag = |name: &String| point(name.clone(), PointKind::Tag, "to be pushed by a person");
        points.extend(self.branch.tags.iter().map(tag));
        points
    }

    /// What the report does not name, where an agent writes one at RELEASE.
    pub(crate) fn unreported(&self) -> Vec<ReportPoint> {
        let mut points = self.report_points();
        points.retain(|point| !self.files.reported.contains(&point.id));
        points
    }

    /// Findings that a person accepted, or that are kept for later.
    fn settled_findings(&self) -> impl Iterator<Item = &Finding> {
        let is_settled = |finding: &&Finding| {
            matches!(finding.status, FindingStatus::Accepted | FindingStatus::Tracked)
        };
        self.record.findings.iter().filter(is_settled)
    }
}

fn of_finding(finding: &Finding) -> ReportPoint {
    let kind = match finding.status {
        FindingStatus::Accepted => PointKind::AcceptedRisk,
        _ => PointKind::TrackedFinding,
    };
    point(format!("F-{}", finding.id), kind, &finding.report.in_words())
}

fn point(id: String, kind: PointKind, text: &str) -> ReportPoint {
    ReportPoint { id, kind, text: one_line(text) }
}
