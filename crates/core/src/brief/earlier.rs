//! What was found and asked before a dispatch, and bears on it.

use crate::event::Finding;
use crate::finding::{FindingOrigin, FindingStatus};
use crate::id::TaskRef;
use crate::limits::EARLIER_FINDINGS_MAX;
use crate::proof::one_line;
use crate::reply::Severity;
use crate::role::Role;
use crate::session::{Dispatch, Session};
use serde::Serialize;

/// A finding as the agents are told of it that repair it or look again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EarlierFinding {
    /// `F-2`, as in every surface.
    pub id: String,
    pub by: Role,
    pub severity: Severity,
    pub status: FindingStatus,
    pub times: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    pub message: String,
}

impl EarlierFinding {
    fn of(finding: &Finding) -> Self {
        let report = &finding.report;
        Self {
            id: format!("F-{}", finding.id),
            by: finding.source(),
            severity: report.severity,
            status: finding.status,
            times: finding.times,
            file: report.file.clone(),
            line: report.line.clone(),
            message: report.message.clone(),
        }
    }
}

impl Session {
    /// What a repair is about, or what the role that judges reported before; the newest where there are too many.
    pub(super) fn earlier_findings(&self, dispatch: &Dispatch) -> Vec<EarlierFinding> {
        let told = &dispatch.given.feedback.findings;
        let concerns = |finding: &&Finding| {
            told.contains(&finding.id)
                || dispatch.role.is_reviewing() && self.is_judged_by(dispatch, finding)
        };
        let all: Vec<&Finding> = self.record.findings.iter().filter(concerns).collect();
        let surplus = all.len().saturating_sub(EARLIER_FINDINGS_MAX);
        all.into_iter().skip(surplus).map(EarlierFinding::of).collect()
    }

    /// Its own role reported it, about what it judges.
    pub(crate) fn is_judged_by(&self, dispatch: &Dispatch, finding: &Finding) -> bool {
        finding.origin == FindingOrigin::Role { role: dispatch.role }
            && (finding.task == dispatch.task || dispatch.task == TaskRef::Meta)
    }

    /// Who asked for a role that is not always needed, and for what.
    pub(super) fn asked_for(&self, role: Role) -> Vec<String> {
        let asked = self.plan.wanted_roles.get(&role).into_iter().flatten();
        let words = asked.map(|asked| {
            let who = self.name_of(&self.dispatches[&asked.by]);
            match &asked.why {
                Some(why) => format!("{who} asks for this: {}", one_line(why)),
                None => format!("{who} asks for this without saying why"),
            }
        });
        words.collect()
    }
}
