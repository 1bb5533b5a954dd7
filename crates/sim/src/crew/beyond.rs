//! What lies beyond a task: Coders that want or take files outside its scope, and plans that leave something open.

use super::{Crew, replied};
use tollgate_core::id::DispatchNumber;
use tollgate_core::reply::{Reply, ReplyStatus, ScopeRequest, Severity};
use tollgate_core::session::Session;
use tollgate_core::work::{
    ChangeType, DispatchEnd, FileChange, Refinement, ScopeClass, Scoped, Work,
};

/// Where files are that no task lists. Few enough that the same one is asked for again.
pub(crate) const BEYOND: &str = "src/beyond/";

impl Crew {
    /// An attempt of a Coder for which the scope of its task is too small.
    pub(super) fn look_beyond(&mut self, session: &Session, number: DispatchNumber) -> DispatchEnd {
        let dispatch = &session.dispatches[&number];
        let path = format!("{BEYOND}{}.rs", self.chance.below(3));
        let mut work = self.work(session, dispatch);
        let kind = self.chance.below(6);
        if kind <= 1 {
            let mut reply = self.reply(ReplyStatus::Blocked);
            self.wish(&mut reply, &path);
            return replied(reply, Work::default());
        }
        let mut reply = self.reply(ReplyStatus::Ok);
        if kind == 2 {
            self.wish(&mut reply, &path);
            return replied(reply, Work::default());
        }
        let scope = session.brief(number).and_then(|brief| brief.files.scope);
        let may = scope.is_some_and(|s| s.allowed.contains(&path) || s.named.contains(&path));
        let is_told = kind != 3;
        if may {
            self.change(&mut work, &path);
            work.left_out.scoped.push(scoped(path, ScopeClass::Authorized, is_told));
            return replied(reply, work);
        }
        if kind == 5 {
            self.wish(&mut reply, &path);
        }
        let change_type = ChangeType::Modified;
        work.left_out.out_of_scope.push(FileChange {
            path: path.clone(),
            change_type,
            old_path: None,
        });
        work.left_out.rescue = Some("left-out".to_owned());
        work.left_out.scoped.push(scoped(path, ScopeClass::Violation, is_told));
        replied(reply, work)
    }

    /// Asks for a file, and now and then for the same one twice or for another one too.
    fn wish(&mut self, reply: &mut Reply, path: &str) {
        let reason = "it is called there".to_owned();
        reply.scope_requests.push(ScopeRequest { path: path.to_owned(), reason: reason.clone() });
        if self.chance.percent(30) {
            let path = format!("{BEYOND}{}.rs", self.chance.below(3));
            reply.scope_requests.push(ScopeRequest { path, reason });
        }
    }

    /// A plan that only a person can make whole: every task waits for the answer.
    pub(super) fn leave_to_a_person(&mut self, work: &mut Work) {
        if work.documents.plan.is_none() || self.refinements == 0 {
            return;
        }
        self.refinements -= 1;
        for number in 0..=self.chance.below(2) {
            let question = format!("How many of {number}?");
            work.documents
                .refinements
                .push(Refinement { item: format!("R-{number:03}"), question });
        }
        let open = work.documents.refinements.iter().map(|open| open.item.clone());
        let open: Vec<String> = open.collect();
        for task in work.documents.plan.iter_mut().flatten() {
            task.item.waits_for.clone_from(&open);
        }
    }

    /// A Reviewer's remark about scope, as grave as it likes; now and then nothing but that.
    pub(super) fn remark_on_scope(&mut self, reply: &mut Reply) {
        if self.chance.percent(60) {
            reply.findings.clear();
        }
        let purpose = tollgate_core::event::Purpose::Review;
        let mut finding = self.finding(&purpose);
        finding.severity = *self.chance.pick(&[Severity::Medium, Severity::High]);
        finding.category = (*self.chance.pick(&["scope", "Out-of-Scope"])).to_owned();
        reply.findings.push(finding);
    }
}

fn scoped(path: String, class: ScopeClass, is_told: bool) -> Scoped {
    Scoped { path, class, reason: "not listed".to_owned(), is_told }
}
